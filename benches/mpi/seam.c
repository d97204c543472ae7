/* Messages back and forth between two ranks by MPI's own calls: the yardstick of seam.rs, with the same lengths, rounds and
   lines. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 9

static int by_value(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    const int lengths[] = {8, 1 << 10, 64 << 10, 1 << 20}, messages[] = {20000, 20000, 2000, 300};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int at = 0; at < 4; at++) {
        int bytes = lengths[at];
        char *out = malloc(bytes), *in = malloc(bytes);
        double rounds[ROUNDS];
        memset(out, 1, bytes);
        memset(in, 0, bytes);
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            for (int nth = 0; nth < messages[at]; nth++) {
                if (rank == 0) {
                    MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                    MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                } else if (rank == 1) {
                    MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                }
            }
            rounds[round] = (MPI_Wtime() - begin) / messages[at] / 2 * 1e6;
        }
        qsort(rounds, ROUNDS, sizeof *rounds, by_value);
        if (rank == 0)
            printf("C,%d,%.3f,%.3f\n", bytes, rounds[ROUNDS / 2], rounds[0]);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
