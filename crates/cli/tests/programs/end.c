/* Ends in the way that its argument names, on rank 2. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    const char *way = argv[1];
    if (rank == 2 && !strcmp(way, "exit")) {
        exit(9);
    } else if (rank == 2 && !strcmp(way, "crash")) {
        *(volatile int *)8 = 1; /* line 19 */
    } else if (rank == 2 && !strcmp(way, "abort")) {
        abort();
    } else if (rank == 2 && !strcmp(way, "assert")) {
        assert(rank != 2);
    } else if (rank == 2 && !strcmp(way, "mpi-abort")) {
        MPI_Abort(MPI_COMM_WORLD, 7); /* line 25 */
    } else if (rank == 2 && !strcmp(way, "error")) {
        MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); /* line 27 */
    } else if (!strcmp(way, "deadlock")) {
        MPI_Recv(&got, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* line 29 */
    } else if (!strcmp(way, "mismatch") && rank) {
        MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD); /* line 31 */
    } else if (!strcmp(way, "mismatch")) {
        MPI_Barrier(MPI_COMM_WORLD); /* line 33 */
    }
    MPI_Finalize();
    return rank == 2 && !strcmp(way, "return") ? 3 : 0;
}
