/* Each rank has state of its own: variables, memory that begins with zeros, random numbers, strtok, the environment, the working directory, getopt; and modeled time. */
#include <assert.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int global = 5;
static char *former;
static __thread int local = 7;

static void bye(void)
{
    printf("bye %d\n", global);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    atexit(bye);
    global += rank;
    local += rank;

    int letter, count = 0;
    while ((letter = getopt(argc, argv, "ab:")) != -1) {
        count += letter == 'a' ? 1 : atoi(optarg);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (size_t size = 40; size < 10000; size *= 100) {
        former = memset(malloc(size), 7, size);
        MPI_Barrier(MPI_COMM_WORLD);
        free(former);
        char *memory = malloc(size);
        for (size_t i = 0; i < size; i++) {
            assert(!memory[i]);
        }
        free(memory);
    }
    char words[] = "one two three", number[16], folder[256];
    strtok(words, " ");
    MPI_Barrier(MPI_COMM_WORLD);
    strtok(NULL, " ");
    snprintf(number, sizeof number, "%d", rank);
    setenv("OF_RANK", number, 1);
    srand(rank + 1);
    int first = rand();
    if (rank == 1) {
        assert(!chdir("/usr"));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    srand(rank + 1);
    printf("rank %d of %d: %d %d, options %d, rest %s, %s, variable %s, again %d, in /usr %d\n", rank, size, global, local, count,
           argv[optind], strtok(NULL, " "), getenv("OF_RANK"), first == rand(), !strcmp(getcwd(folder, sizeof folder), "/usr"));

    double begin = MPI_Wtime();
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    sleep(2);
    usleep(500000);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double passed = MPI_Wtime() - begin, by_clock = after.tv_sec - before.tv_sec + 1e-9 * (after.tv_nsec - before.tv_nsec);
    assert(passed >= 2.5 && passed < 2.51 && by_clock >= 2.5 && by_clock < 2.51);
    assert(time(NULL) - 946684800 < 10);
    MPI_Finalize();
    return 0;
}
