/*
 * Programs of which it is known whether they are right. Each case is one: `./program NAME` runs the case of this name.
 *
 *     WRONG(name, kind)            the kind of error, in the words of the command `check`; `kind or kind` if two definitions fit
 *     RIGHT(name)                  differs as little as possible from the wrong case beside it
 *     WRONG(name, kind, 3 ranks)   otherwise two; RIGHT too
 *
 * `A trailing comment "here"`, up to the next case, marks a line that the finding may name. The test `check.rs` reads all this from the source. With
 * `#define BARE` before this header, cases call MPI_Init and MPI_Finalize themselves.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listed {
    const char *name;
    void (*run)(void);
    struct listed *next;
};

static struct listed *cases;

#define LISTED(name)                                                                                  \
    static void name(void);                                                                           \
    __attribute__((constructor)) static void list_##name(void)                                        \
    {                                                                                                 \
        static struct listed listed = {#name, name, NULL};                                            \
        listed.next = cases, cases = &listed;                                                         \
    }                                                                                                 \
    static void name(void)
#define WRONG(name, ...) LISTED(name)
#define RIGHT(name, ...) LISTED(name)

#define WORLD MPI_COMM_WORLD
#define INT MPI_INT
#define IGNORE MPI_STATUS_IGNORE

/* Of the rank: its number, the number of ranks, and buffers that a case may use. */
static int rank, size;
static int a[64], b[64], c[64];
static MPI_Request request;
static MPI_Request both[2];

/* The other one of two ranks, the next and the previous one of a ring. */
#define OTHER (1 - rank)
#define NEXT ((rank + 1) % size)
#define LAST ((rank + size - 1) % size)

int main(int argc, char **argv)
{
    struct listed *listed = cases;
    while (listed && (argc < 2 || strcmp(listed->name, argv[1]))) {
        listed = listed->next;
    }
    if (!listed) {
        fprintf(stderr, "no case %s\n", argc < 2 ? "is given" : argv[1]);
        return 99;
    }
#ifdef BARE
    (void)rank, (void)size, (void)a, (void)b, (void)c, (void)request, (void)both;
    listed->run();
#else
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (int i = 0; i < 64; i++) {
        a[i] = 100 * rank + i;
    }
    listed->run();
    MPI_Finalize();
#endif
    return 0;
}
