/* What MPI reaches between processes of one host: the other side of a comparison with this project. Built and run by `run`.
 *
 *     mpi SIDE GROUP SECONDS LIMIT
 *
 * SIDE is a name that is written into the output. GROUP is `pingpong` (2 ranks) or a number of ranks, for the collective
 * operations. A measurement goes on for at least SECONDS. No rank lives longer than LIMIT seconds.
 *
 * Each row is a line `side,operation,bytes,nodes,microseconds` on standard output:
 *
 *   pingpong   one way, that is half a round trip; between two ranks that the launcher binds to a core each
 *   barrier    MPI_Barrier; bytes are 0
 *   broadcast  MPI_Bcast from rank 0; bytes are the length of the vector
 *   all-gather    MPI_Allgather; bytes are what each rank contributes
 *   alltoall   MPI_Alltoall; bytes are what each rank sends to each
 *
 * How a row is measured:
 *   - Memory is page-aligned and has been written to beforehand. Both ranks of a pingpong send from where they have
 *     received, which is the least memory that MPI can do it with, so the caches hold more of it.
 *   - The first iteration is checked: every rank compares all that it has received. Wrong data ends the program.
 *   - Then K iterations are timed by rank 0, and K grows until they take SECONDS. The result is their time divided by K, a
 *     mean over at least SECONDS, which needs no fine clock and leaves no slow iteration out.
 *   - Broadcast, all-gather and alltoall are followed by a barrier in each iteration, and its time is part of the result: so an
 *     iteration is over when all ranks are through, and a root cannot run ahead. A pingpong needs none, and the row of
 *     the barrier is a barrier alone.
 *   - Where the first iteration takes more than HOPELESS seconds, it is the result.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum operation { PINGPONG, BARRIER, BROADCAST, COLLECT, ALLTOALL };

static const char *const NAMES[] = {"pingpong", "barrier", "broadcast", "all-gather", "alltoall"};

struct row {
    enum operation operation;
    size_t bytes;
};

static const struct row PAIR[] = {
    {PINGPONG, 8},
    {PINGPONG, 64 << 10},
    {PINGPONG, 1 << 20},
    {PINGPONG, 16 << 20},
};

static const struct row COLLECTIVES[] = {
    {BARRIER, 0},
    {BROADCAST, 1 << 20},
    {COLLECT, 1 << 10},
    {COLLECT, 16 << 10},
    {ALLTOALL, 1 << 10},
    {ALLTOALL, 16 << 10},
};

static const double HOPELESS = 2.0;

static int rank, ranks;

/* What the operation of a row reads and writes. */
static unsigned char *out, *in;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "mpi: rank %d: ", rank);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static unsigned char *allocate(size_t bytes) {
    void *memory;
    if (posix_memalign(&memory, 4096, bytes + 1) != 0)
        fail("no memory for %zu bytes", bytes);
    memset(memory, 0xff, bytes + 1);
    return memory;
}

/* The data that `from` sends to `to`: others for each pair, and for each block of 256 bytes of theirs. */
static unsigned char expected(int from, int to, size_t at) {
    return (unsigned char)(131 * from + 17 * to + at + (at >> 8) + (at >> 16));
}

static void fill(unsigned char *block, int from, int to, size_t bytes) {
    for (size_t at = 0; at < bytes; at++)
        block[at] = expected(from, to, at);
}

static void check(const struct row *row, const unsigned char *block, int from, int to) {
    for (size_t at = 0; at < row->bytes; at++)
        if (block[at] != expected(from, to, at))
            fail("%s of %zu bytes: byte %zu from rank %d is wrong", NAMES[row->operation], row->bytes, at, from);
}

/* Memory of a row, with what is to be sent. Where something is to be received, nothing right is there yet. */
static void prepare(const struct row *row) {
    size_t all = row->bytes * (size_t)ranks;
    switch (row->operation) {
    case PINGPONG:
    case BROADCAST:
        in = out = allocate(row->bytes);
        if (rank == 0)
            fill(out, 0, 1, row->bytes);
        break;
    case BARRIER:
        in = out = NULL;
        break;
    case COLLECT:
        out = allocate(row->bytes);
        in = allocate(all);
        fill(out, rank, 0, row->bytes);
        break;
    case ALLTOALL:
        out = allocate(all);
        in = allocate(all);
        for (int to = 0; to < ranks; to++)
            fill(out + (size_t)to * row->bytes, rank, to, row->bytes);
        break;
    }
}

static void discard(void) {
    if (in != out)
        free(in);
    free(out);
    in = out = NULL;
}

/* One round trip. When `checked`, the way back has other data, so that each way is seen to have carried some. */
static void round_trip(const struct row *row, bool checked) {
    int bytes = (int)row->bytes;
    if (rank == 0) {
        MPI_Send(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (checked)
            check(row, in, 1, 0);
    } else {
        MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (checked) {
            check(row, in, 0, 1);
            fill(in, 1, 0, row->bytes);
        }
        MPI_Send(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void iterate(const struct row *row) {
    int bytes = (int)row->bytes;
    switch (row->operation) {
    case PINGPONG:
        round_trip(row, false);
        return;
    case BARRIER:
        break;
    case BROADCAST:
        MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        break;
    case COLLECT:
        MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
    case ALLTOALL:
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static double timed(const struct row *row, long iterations) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long i = 0; i < iterations; i++)
        iterate(row);
    return MPI_Wtime() - start;
}

/* The first iteration, whose data are checked outside of the time it takes, except for a pingpong, where the time does
 * not matter. */
static double first(const struct row *row) {
    if (row->operation == PINGPONG) {
        round_trip(row, true);
        return 0.0;
    }
    double elapsed = timed(row, 1);
    switch (row->operation) {
    case PINGPONG:
    case BARRIER:
        break;
    case BROADCAST:
        check(row, in, 0, 1);
        break;
    case COLLECT:
        for (int from = 0; from < ranks; from++)
            check(row, in + (size_t)from * row->bytes, from, 0);
        break;
    case ALLTOALL:
        for (int from = 0; from < ranks; from++)
            check(row, in + (size_t)from * row->bytes, from, rank);
        break;
    }
    return elapsed;
}

/* How many iterations to time next, if `iterations` took `elapsed`; 0 for no more. */
static long next(long iterations, double elapsed, double seconds) {
    if (elapsed >= seconds)
        return 0;
    long most = 100 * iterations; /* the first iterations are slower than others, so an estimate from few is rough */
    double wanted = 1.2 * seconds * (double)iterations / elapsed;
    return wanted > (double)most ? most : (long)wanted + 1;
}

static void measure(const char *side, const struct row *row, double seconds) {
    prepare(row);
    long iterations = 1;
    double elapsed = first(row);
    long coming = elapsed < HOPELESS ? 1 : 0;
    for (;;) {
        MPI_Bcast(&coming, 1, MPI_LONG, 0, MPI_COMM_WORLD); /* rank 0 decides */
        if (coming == 0)
            break;
        iterations = coming;
        elapsed = timed(row, iterations);
        coming = next(iterations, elapsed, seconds);
    }
    double microseconds = 1e6 * elapsed / (double)iterations;
    if (row->operation == PINGPONG)
        microseconds /= 2.0;
    if (rank == 0) {
        printf("%s,%s,%zu,%d,%.3f\n", side, NAMES[row->operation], row->bytes, ranks, microseconds);
        fflush(stdout);
    }
    discard();
}

/* Says so if the two ranks of a pingpong are not bound to a core each: their figures would not be those of two cores. */
static void check_binding(void) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    int mine = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) == 1)
        mine = sched_getcpu();
    int cores[2];
    MPI_Gather(&mine, 1, MPI_INT, cores, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0 && (cores[0] < 0 || cores[1] < 0 || cores[0] == cores[1]))
        fprintf(stderr, "mpi: the two ranks of the pingpong are not bound to a core each\n");
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: mpi SIDE GROUP SECONDS LIMIT; see the head of mpi.c, and run it by `run`\n");
        return 2;
    }
    const char *side = argv[1];
    bool pair = strcmp(argv[2], "pingpong") == 0;
    int wanted = pair ? 2 : atoi(argv[2]);
    double seconds = atof(argv[3]);
    int limit = atoi(argv[4]);
    if (wanted < 2 || seconds <= 0.0 || limit <= 0) {
        fprintf(stderr, "mpi: GROUP is `pingpong` or 2 or more, SECONDS and LIMIT are more than 0\n");
        return 2;
    }
    alarm((unsigned)limit); /* a rank that has lost its launcher may spin for ever otherwise */

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != wanted) /* the launcher of another MPI starts worlds of one rank each */
        fail("there are %d ranks, and there should be %d", ranks, wanted);

    const struct row *rows = pair ? PAIR : COLLECTIVES;
    size_t count = pair ? sizeof PAIR / sizeof *PAIR : sizeof COLLECTIVES / sizeof *COLLECTIVES;
    if (pair)
        check_binding();
    for (size_t i = 0; i < count; i++)
        measure(side, &rows[i], seconds);

    MPI_Finalize();
    return 0;
}
