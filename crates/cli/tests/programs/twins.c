/* Thirteen programs, chosen by their names. twins.rs has the same programs in Rust, which take the same modeled time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, side;
static const MPI_Comm world = MPI_COMM_WORLD;

static int next(void) { return (rank + 1) % size; }
static int last(void) { return (rank + size - 1) % size; }

static double ring(void)
{
    int value[100] = {rank};
    for (int round = 0; round < 3; round++) {
        if (rank > 0)
            MPI_Recv(value, 100, MPI_INT, last(), 7, world, MPI_STATUS_IGNORE);
        value[0]++;
        MPI_Send(value, 100, MPI_INT, next(), 7, world);
        if (rank == 0)
            MPI_Recv(value, 100, MPI_INT, last(), 7, world, MPI_STATUS_IGNORE);
    }
    return value[0];
}

static double ping_pong(void)
{
    static char data[100000];
    const int lengths[] = {0, 1, 100, 8191, 8192, 100000};
    for (int i = 0; i < 6; i++) {
        if (rank == 0) {
            data[0]++;
            MPI_Send(data, lengths[i], MPI_BYTE, size - 1, i, world);
            MPI_Recv(data, lengths[i], MPI_BYTE, size - 1, i, world, MPI_STATUS_IGNORE);
            MPI_Ssend(data, lengths[i], MPI_BYTE, size - 1, i, world);
        } else if (rank == size - 1) {
            MPI_Recv(data, lengths[i], MPI_BYTE, 0, i, world, MPI_STATUS_IGNORE);
            MPI_Send(data, lengths[i], MPI_BYTE, 0, i, world);
            MPI_Recv(data, lengths[i], MPI_BYTE, 0, i, world, MPI_STATUS_IGNORE);
        }
    }
    return data[0];
}

enum { N = 20 };

/* A block of each process, with the edges of its neighbours around it. */
static double jacobi(void)
{
    static double grid[N + 2][N + 2], new[N + 2][N + 2];
    const int row = rank / side, column = rank % side;
    const int north = row > 0 ? rank - side : MPI_PROC_NULL, south = row < side - 1 ? rank + side : MPI_PROC_NULL;
    const int west = column > 0 ? rank - 1 : MPI_PROC_NULL, east = column < side - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < N + 2; i++)
        for (int j = 0; j < N + 2; j++)
            grid[i][j] = rank;
    MPI_Datatype strip;
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &strip);
    MPI_Type_commit(&strip);
    double all = 0;
    for (int sweep = 0; sweep < 5; sweep++) {
        MPI_Request requests[8];
        MPI_Irecv(&grid[0][1], N, MPI_DOUBLE, north, 0, world, &requests[0]);
        MPI_Irecv(&grid[N + 1][1], N, MPI_DOUBLE, south, 1, world, &requests[1]);
        MPI_Irecv(&grid[1][0], 1, strip, west, 2, world, &requests[2]);
        MPI_Irecv(&grid[1][N + 1], 1, strip, east, 3, world, &requests[3]);
        MPI_Isend(&grid[N][1], N, MPI_DOUBLE, south, 0, world, &requests[4]);
        MPI_Isend(&grid[1][1], N, MPI_DOUBLE, north, 1, world, &requests[5]);
        MPI_Isend(&grid[1][N], 1, strip, east, 2, world, &requests[6]);
        MPI_Isend(&grid[1][1], 1, strip, west, 3, world, &requests[7]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        double change = 0;
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) {
                new[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
                const double by = new[i][j] > grid[i][j] ? new[i][j] - grid[i][j] : grid[i][j] - new[i][j];
                change = by > change ? by : change;
            }
        for (int i = 1; i <= N; i++)
            memcpy(&grid[i][1], &new[i][1], N * sizeof(double));
        MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_MAX, world);
    }
    MPI_Type_free(&strip);
    return all + grid[1][1] + grid[N][N];
}

static double exchange(void)
{
    int *out = malloc(50 * size * sizeof(int)), *in = malloc(50 * size * size * sizeof(int));
    MPI_Request *requests = malloc(2 * size * sizeof(MPI_Request));
    for (int i = 0; i < 50 * size; i++)
        out[i] = rank + i;
    int count = 0;
    for (int step = 1; step < size; step++) {
        const int to = (rank + step) % size, from = (rank + size - step) % size;
        MPI_Irecv(in + 50 * size * from, 50 * step, MPI_INT, from, step, world, &requests[count++]);
        MPI_Isend(out, 50 * step, MPI_INT, to, step, world, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    const int heard = in[50 * size * last() + 49];
    MPI_Alltoall(out, 10, MPI_INT, in, 10, MPI_INT, world);
    const int got = in[10 * next()];
    free(out), free(in), free(requests);
    return heard + 1000 * got;
}

static double workers(void)
{
    const int tasks = 40;
    double order = 0;
    if (rank == 0) {
        int given = 0;
        for (int worker = 1; worker < size; worker++, given++)
            MPI_Send(&given, 1, MPI_INT, worker, 1, world);
        for (int done = 0; done < tasks; done++) {
            int result;
            MPI_Status status;
            MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
            order = 3 * order + status.MPI_SOURCE + result;
            MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, given < tasks, world);
            given++;
        }
        return order;
    }
    for (;;) {
        int task;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, world, &status);
        if (status.MPI_TAG == 0)
            return order;
        usleep(100 * (task % 7 + 1));
        order += task;
        MPI_Send(&task, 1, MPI_INT, 0, 1, world);
    }
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int *numbers(int count)
{
    int *all = malloc(count * sizeof(int));
    unsigned state = rank + 1;
    for (int i = 0; i < count; i++) {
        state = state * 1103515245 + 12345;
        all[i] = state >> 8 & 0xffff;
    }
    return all;
}

static double odd_even_sort(void)
{
    enum { COUNT = 64 };
    int *mine = numbers(COUNT), both[2 * COUNT];
    qsort(mine, COUNT, sizeof(int), ascending);
    for (int phase = 0; phase < size; phase++) {
        const int is_low = (rank + phase) % 2 == 0, other = is_low ? rank + 1 : rank - 1;
        if (other < 0 || other == size)
            continue;
        memcpy(both, mine, COUNT * sizeof(int));
        MPI_Sendrecv(mine, COUNT, MPI_INT, other, phase, both + COUNT, COUNT, MPI_INT, other, phase, world, MPI_STATUS_IGNORE);
        qsort(both, 2 * COUNT, sizeof(int), ascending);
        memcpy(mine, is_low ? both : both + COUNT, COUNT * sizeof(int));
    }
    const double ends = mine[0] + 65536.0 * mine[COUNT - 1];
    free(mine);
    return ends;
}

/* Cannon's multiplication of matrices, a block of each on every process. */
static double cannon(void)
{
    enum { B = 12 };
    static double a[B][B], b[B][B], c[B][B];
    const int sides[2] = {side, side}, periodic[2] = {1, 1};
    int here[2], from, to;
    MPI_Comm grid;
    MPI_Cart_create(world, 2, sides, periodic, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, here);
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            a[i][j] = rank + i, b[i][j] = rank - j;
    for (int step = 0; step < side; step++) {
        MPI_Cart_shift(grid, 1, step == 0 ? -here[0] : -1, &from, &to);
        MPI_Sendrecv_replace(a, B * B, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
        MPI_Cart_shift(grid, 0, step == 0 ? -here[1] : -1, &from, &to);
        MPI_Sendrecv_replace(b, B * B, MPI_DOUBLE, to, 2, from, 2, grid, MPI_STATUS_IGNORE);
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++)
                for (int k = 0; k < B; k++)
                    c[i][j] += a[i][k] * b[k][j];
    }
    MPI_Comm_free(&grid);
    return c[0][0] + c[B - 1][B - 1];
}

static double prefix(void)
{
    static double many[3000], before[3000];
    long mine[30], sums[30], first = 10 * rank + 1, offset = 0;
    for (int i = 0; i < 30; i++)
        mine[i] = rank * i;
    for (int i = 0; i < 3000; i++)
        many[i] = (rank * 7 + i) % 100;
    MPI_Scan(mine, sums, 30, MPI_LONG, MPI_SUM, world);
    MPI_Exscan(&first, &offset, 1, MPI_LONG, MPI_SUM, world);
    MPI_Exscan(many, before, 3000, MPI_DOUBLE, MPI_MAX, world);
    return rank == 0 ? sums[29] : sums[29] + offset + before[2999];
}

/* Conjugate gradients for a Laplacian in one dimension. */
static double conjugate_gradient(void)
{
    enum { COUNT = 64 };
    static double x[COUNT], r[COUNT], q[COUNT], p[COUNT + 2];
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double rho = 0;
    for (int i = 0; i < COUNT; i++) {
        r[i] = p[i + 1] = rank + 0.01 * i;
        rho += r[i] * r[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, &rho, 1, MPI_DOUBLE, MPI_SUM, world);
    for (int iteration = 0; iteration < 10; iteration++) {
        MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 0, &p[COUNT + 1], 1, MPI_DOUBLE, right, 0, world, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&p[COUNT], 1, MPI_DOUBLE, right, 1, &p[0], 1, MPI_DOUBLE, left, 1, world, MPI_STATUS_IGNORE);
        double pq = 0, next = 0;
        for (int i = 0; i < COUNT; i++) {
            q[i] = 2 * p[i + 1] - p[i] - p[i + 2];
            pq += p[i + 1] * q[i];
        }
        MPI_Allreduce(MPI_IN_PLACE, &pq, 1, MPI_DOUBLE, MPI_SUM, world);
        for (int i = 0; i < COUNT; i++) {
            x[i] += rho / pq * p[i + 1];
            r[i] -= rho / pq * q[i];
            next += r[i] * r[i];
        }
        MPI_Allreduce(MPI_IN_PLACE, &next, 1, MPI_DOUBLE, MPI_SUM, world);
        for (int i = 0; i < COUNT; i++)
            p[i + 1] = r[i] + next / rho * p[i + 1];
        rho = next;
    }
    return rho + x[0];
}

/* The algorithms are those of --collective. */
static double rooted(void)
{
    static int data[5000], sum[5000];
    double mine[100], *all = malloc(100 * size * sizeof(double));
    for (int i = 0; i < 5000; i++)
        data[i] = rank == 3 ? i : 0;
    MPI_Bcast(data, 5000, MPI_INT, 3, world);
    data[4999] += rank;
    MPI_Reduce(data, sum, 5000, MPI_INT, MPI_SUM, 5, world);
    for (int i = 0; i < 100; i++)
        mine[i] = sum[4999 - i] + rank;
    MPI_Gather(mine, 100, MPI_DOUBLE, all, 100, MPI_DOUBLE, 1, world);
    MPI_Scatter(all, 100, MPI_DOUBLE, mine, 100, MPI_DOUBLE, 1, world);
    free(all);
    return mine[0] + data[4999];
}

static double rows_and_columns(void)
{
    double data[1000] = {rank};
    MPI_Comm row, column;
    MPI_Comm_split(world, rank / side, rank % side, &row);
    MPI_Comm_split(world, rank % side, rank / side, &column);
    MPI_Bcast(data, 1000, MPI_DOUBLE, 1, row);
    MPI_Bcast(data, 1000, MPI_DOUBLE, 2, column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    return data[0];
}

static double sample_sort(void)
{
    enum { COUNT = 200 };
    int *mine = numbers(COUNT), *samples = malloc(size * size * sizeof(int)), *own = malloc(size * sizeof(int));
    int *counts = malloc(4 * size * sizeof(int)), *from = counts + size, *starts = from + size, *places = starts + size;
    qsort(mine, COUNT, sizeof(int), ascending);
    for (int i = 0; i < size; i++)
        own[i] = mine[i * COUNT / size];
    MPI_Allgather(own, size, MPI_INT, samples, size, MPI_INT, world);
    qsort(samples, size * size, sizeof(int), ascending);
    for (int to = 0, at = 0; to < size; to++) {
        starts[to] = at;
        while (at < COUNT && (to == size - 1 || mine[at] < samples[(to + 1) * size]))
            at++;
        counts[to] = at - starts[to];
    }
    MPI_Alltoall(counts, 1, MPI_INT, from, 1, MPI_INT, world);
    int total = 0;
    for (int peer = 0; peer < size; peer++) {
        places[peer] = total;
        total += from[peer];
    }
    int *sorted = malloc((total + 1) * sizeof(int));
    MPI_Alltoallv(mine, counts, starts, MPI_INT, sorted, from, places, MPI_INT, world);
    qsort(sorted, total, sizeof(int), ascending);
    const double result = total + (total > 0 ? 1000.0 * sorted[total - 1] : 0);
    free(mine), free(samples), free(own), free(counts), free(sorted);
    return result;
}

/* Every process puts a value into each neighbour's window. */
static double put_and_fence(void)
{
    double edges[2] = {0, 0}, value = rank;
    MPI_Win window;
    MPI_Win_create(edges, sizeof edges, sizeof(double), MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    for (int round = 0; round < 3; round++) {
        MPI_Put(&value, 1, MPI_DOUBLE, next(), 0, 1, MPI_DOUBLE, window);
        MPI_Put(&value, 1, MPI_DOUBLE, last(), 1, 1, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        value = 0.5 * value + 0.25 * (edges[0] + edges[1]);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    return value;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(void);
    } programs[] = {
        {"ring", ring},
        {"ping-pong", ping_pong},
        {"jacobi", jacobi},
        {"exchange", exchange},
        {"workers", workers},
        {"odd-even-sort", odd_even_sort},
        {"cannon", cannon},
        {"prefix", prefix},
        {"conjugate-gradient", conjugate_gradient},
        {"rooted", rooted},
        {"rows-and-columns", rows_and_columns},
        {"sample-sort", sample_sort},
        {"put-and-fence", put_and_fence},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (side = 1; side * side < size; side++)
        ;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (argc > 1 && strcmp(programs[i].name, argv[1]) == 0) {
            const double result = programs[i].run();
            unsigned long long bits;
            memcpy(&bits, &result, 8);
            printf("%d %llx\n", rank, bits);
        }
    MPI_Finalize();
    return 0;
}
