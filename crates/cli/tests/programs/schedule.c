/* Messages of many kinds, for a schedule in GOAL. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, flag;
    static double values[8192], sums[8192];
    MPI_Request requests[4];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int step = 0; step < 3; step++) {
        MPI_Irecv(values, 1000, MPI_DOUBLE, left, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(values + 2000, 2000, MPI_DOUBLE, right, step, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(sums, 1000, MPI_DOUBLE, right, step, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(sums, 2000, MPI_DOUBLE, left, step, MPI_COMM_WORLD, &requests[3]);
        if (step == 1) {
            usleep(300 * (rank + 1));
            MPI_Waitany(2, requests, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Sendrecv(values, 4000, MPI_DOUBLE, right, 9, sums, 4000, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        for (int other = 1; other < size; other++) {
            MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
            MPI_Recv(values, 8192, MPI_DOUBLE, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Ssend(values, 100 * rank, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Irecv(values, 1, MPI_DOUBLE, left, 8, MPI_COMM_WORLD, &requests[0]);
    if (rank == size - 1) {
        MPI_Send(sums, 1, MPI_DOUBLE, right, 8, MPI_COMM_WORLD);
    }
    for (flag = 0; !flag && rank == 0;) {
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    }
    if (rank) {
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (rank < size - 1) {
        MPI_Send(sums, 1, MPI_DOUBLE, right, 8, MPI_COMM_WORLD);
    }
    MPI_Allreduce(values, sums, 8192, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(values, 100, MPI_DOUBLE, sums, 100, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
