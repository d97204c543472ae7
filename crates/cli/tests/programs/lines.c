/* Lines whose order in modeled time is not that in which the host runs the ranks; and a question. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    char answer[80] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 4; step++) {
        usleep(1000 * (size - rank));
        if (rank == 0 && step == 1) {
            /* Host time only. */
            for (volatile long turn = 0; turn < 100000000; turn++) {
            }
        }
        printf("step %d of %d\n", step, rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("question: ");
        if (fgets(answer, sizeof answer, stdin)) {
            printf("%s", answer);
        }
    }
    MPI_Finalize();
    return 0;
}
