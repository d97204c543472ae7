/* Rank 0 reads as many numbers as there are other ranks, and receives a message of each of them, in the order of arrival. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    int sum = 0;
    for (int i = 1; i < size; i++) {
        int number;
        if (scanf("%d", &number) != 1) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += number;
    }
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
