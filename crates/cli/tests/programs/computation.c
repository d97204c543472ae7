/* Modeled time of computation: an explicit call, and blocks of which some executions are measured. */
#include <assert.h>
#include <mpi.h>
#include <multicomputer.h>
#include <stdio.h>

enum { VISITS = 100 };

static volatile double sum;

static void work(int steps)
{
    for (int step = 0; step < steps; step++) {
        sum += step;
    }
}

int main(int argc, char **argv)
{
    int rank, all = 0, local = 0, global = 0, precise = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime();
    MC_Compute(0.25);
    double computed = MPI_Wtime();
    for (int visit = 0; visit < VISITS; visit++) {
        work(1000);
        all++;
    }
    double executed = MPI_Wtime();
    for (int visit = 0; visit < VISITS; visit++)
        MC_SAMPLE_LOCAL(3, 0)
        {
            work(1000);
            local++;
        }
    double sampled = MPI_Wtime();
    for (int visit = 0; visit < VISITS; visit++) {
        MC_SAMPLE_GLOBAL(10, 0)
        {
            work(10);
            global++;
        }
        MC_SAMPLE_LOCAL(1, 0.1)
        {
            /* In the eighth visit the standard error is a tenth of the mean at last. */
            work(visit % 2 ? 1000 : 600);
            precise++;
        }
    }
    assert(all == VISITS);
    if (argc > 1) {
        printf("rank %d: %.9f s; sampled by executed %.2f; %d, %d and %d executions\n", rank, computed - begin,
               (sampled - executed) / (executed - computed), local, global, precise);
    } else {
        printf("rank %d: %.9f s; %d, %d and %d executions\n", rank, computed - begin, local, global, precise);
    }
    MPI_Finalize();
    return 0;
}
