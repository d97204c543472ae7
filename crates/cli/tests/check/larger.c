/* Larger programs: what is taught and what applications do, each with an error that is often made. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
#define WAIT_BOTH MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
static MPI_Comm grid;
static MPI_Win window;
static double field[18], next_field[18];

/* ---- heat in one dimension, until the largest change is small ---- */

static double smooth(void)
{
    double change = 0;
    for (int i = 1; i < 17; i++) {
        next_field[i] = (field[i - 1] + field[i + 1]) / 2;
        double here = next_field[i] - field[i];
        change = here > change ? here : here < -change ? -here : change;
    }
    memcpy(field + 1, next_field + 1, 16 * sizeof(double));
    return change;
}
static int left(void) { return rank > 0 ? rank - 1 : MPI_PROC_NULL; }
static int right(void) { return rank + 1 < size ? rank + 1 : MPI_PROC_NULL; }
static void set_up(void)
{
    for (int i = 0; i < 18; i++) {
        field[i] = rank == 0 && i == 0 ? 1 : 0;
    }
}
WRONG(heat_own_end, call order, 3 ranks)
{
    set_up();
    double change = 1;
    for (int step = 0; step < 50 && change > 0.05; step++) {
        MPI_Sendrecv(&field[16], 1, MPI_DOUBLE, right(), 0, &field[0], 1, MPI_DOUBLE, left(), 0, WORLD, IGNORE); /* here */
        MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, left(), 1, &field[17], 1, MPI_DOUBLE, right(), 1, WORLD, IGNORE); /* here */
        double mine = smooth();
        MPI_Reduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, 0, WORLD); /* here */
    }
}
RIGHT(heat_common_end, 3 ranks)
{
    set_up();
    double change = 1;
    for (int step = 0; step < 50 && change > 0.05; step++) {
        MPI_Sendrecv(&field[16], 1, MPI_DOUBLE, right(), 0, &field[0], 1, MPI_DOUBLE, left(), 0, WORLD, IGNORE);
        MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, left(), 1, &field[17], 1, MPI_DOUBLE, right(), 1, WORLD, IGNORE);
        double mine = smooth();
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    }
}
WRONG(heat_blocking, buffering dependence, 3 ranks)
{
    set_up();
    int around = (rank + 1) % size, back = (rank + size - 1) % size;
    for (int step = 0; step < 3; step++) {
        MPI_Send(&field[16], 1, MPI_DOUBLE, around, 0, WORLD); /* here */
        MPI_Recv(&field[0], 1, MPI_DOUBLE, back, 0, WORLD, IGNORE);
        smooth();
    }
}
RIGHT(heat_open_ends, 3 ranks)
{
    set_up();
    for (int step = 0; step < 3; step++) {
        MPI_Send(&field[16], 1, MPI_DOUBLE, right(), 0, WORLD);
        MPI_Recv(&field[0], 1, MPI_DOUBLE, left(), 0, WORLD, IGNORE);
        smooth();
    }
}
/* Computation overlaps with the exchange; the points beside the border need the border. */
WRONG(heat_overlap, local concurrency, 3 ranks)
{
    MPI_Request four[4];
    set_up();
    MPI_Irecv(&field[0], 1, MPI_DOUBLE, left(), 0, WORLD, &four[0]);   /* here */
    MPI_Irecv(&field[17], 1, MPI_DOUBLE, right(), 1, WORLD, &four[1]); /* here */
    MPI_Isend(&field[16], 1, MPI_DOUBLE, right(), 0, WORLD, &four[2]);
    MPI_Isend(&field[1], 1, MPI_DOUBLE, left(), 1, WORLD, &four[3]);
    for (int i = 1; i < 17; i++) {
        next_field[i] = (field[i - 1] + field[i + 1]) / 2; /* here */
    }
    MPI_Waitall(4, four, MPI_STATUSES_IGNORE); /* here */
}
RIGHT(heat_overlap_inner, 3 ranks)
{
    MPI_Request four[4];
    set_up();
    MPI_Irecv(&field[0], 1, MPI_DOUBLE, left(), 0, WORLD, &four[0]);
    MPI_Irecv(&field[17], 1, MPI_DOUBLE, right(), 1, WORLD, &four[1]);
    MPI_Isend(&field[16], 1, MPI_DOUBLE, right(), 0, WORLD, &four[2]);
    MPI_Isend(&field[1], 1, MPI_DOUBLE, left(), 1, WORLD, &four[3]);
    for (int i = 2; i < 16; i++) {
        next_field[i] = (field[i - 1] + field[i + 1]) / 2;
    }
    MPI_Waitall(4, four, MPI_STATUSES_IGNORE);
    next_field[1] = (field[0] + field[2]) / 2;
    next_field[16] = (field[15] + field[17]) / 2;
}
/* Persistent requests for all steps. */
WRONG(heat_persistent_leak, leak, 3 ranks)
{
    set_up();
    MPI_Send_init(&field[16], 1, MPI_DOUBLE, right(), 0, WORLD, &both[0]); /* here */
    MPI_Recv_init(&field[0], 1, MPI_DOUBLE, left(), 0, WORLD, &both[1]);   /* here */
    for (int step = 0; step < 4; step++) {
        MPI_Startall(2, both);
        WAIT_BOTH;
        smooth();
    }
}
RIGHT(heat_persistent, 3 ranks)
{
    set_up();
    MPI_Send_init(&field[16], 1, MPI_DOUBLE, right(), 0, WORLD, &both[0]);
    MPI_Recv_init(&field[0], 1, MPI_DOUBLE, left(), 0, WORLD, &both[1]);
    for (int step = 0; step < 4; step++) {
        MPI_Startall(2, both);
        WAIT_BOTH;
        smooth();
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}
WRONG(heat_persistent_early, local concurrency, 3 ranks)
{
    set_up();
    MPI_Send_init(&field[16], 1, MPI_DOUBLE, right(), 0, WORLD, &both[0]); /* here */
    MPI_Recv_init(&field[0], 1, MPI_DOUBLE, left(), 0, WORLD, &both[1]);   /* here */
    for (int step = 0; step < 4; step++) {
        MPI_Startall(2, both);                             /* here */
        for (int i = 1; i < 17; i++) {                     /* here */
            field[i] = (field[i - 1] + field[i + 1]) / 2;  /* here */
        }
        WAIT_BOTH; /* here */
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}
/* By puts into the border of the neighbours. */
WRONG(heat_puts, global concurrency, 3 ranks)
{
    set_up();
    MPI_Win_create(field, sizeof field, sizeof(double), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    for (int step = 0; step < 3; step++) {
        MPI_Put(&next_field[16], 1, MPI_DOUBLE, right(), 0, 1, MPI_DOUBLE, window); /* here */
        double first = field[0];                                                    /* here */
        field[1] = first + 1;
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}
RIGHT(heat_puts_fenced, 3 ranks)
{
    set_up();
    MPI_Win_create(field, sizeof field, sizeof(double), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    for (int step = 0; step < 3; step++) {
        MPI_Put(&next_field[16], 1, MPI_DOUBLE, right(), 0, 1, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        smooth();
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}

/* ---- a grid of processes with a column as datatype ---- */

static int matrix[6][6];
static void exchange_columns(MPI_Datatype column)
{
    int from, to;
    MPI_Cart_shift(grid, 1, 1, &from, &to);
    MPI_Sendrecv(&matrix[1][4], 1, column, to, 0, &matrix[1][0], 1, column, from, 0, grid, IGNORE);
}
RIGHT(grid_columns, 4 ranks)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 6, INT, &column);
    MPI_Type_commit(&column);
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 1}, 0, &grid);
    exchange_columns(column);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
}
WRONG(grid_columns_and_rows, datatype mismatch, 4 ranks)
{
    MPI_Datatype column;
    int from, to;
    MPI_Type_vector(4, 1, 6, INT, &column);
    MPI_Type_commit(&column);
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 1}, 0, &grid);
    MPI_Cart_shift(grid, 1, 1, &from, &to);
    MPI_Sendrecv(&matrix[1][4], 1, column, to, 0, field, 2, MPI_DOUBLE, from, 0, grid, IGNORE); /* here */
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
}
WRONG(grid_not_all_ranks, invalid argument, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){2}, (int[]){1}, 0, &grid);
    MPI_Barrier(grid); /* here */
    MPI_Comm_free(&grid);
}
RIGHT(grid_some_ranks, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){2}, (int[]){1}, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        MPI_Barrier(grid);
        MPI_Comm_free(&grid);
    }
}
/* An array of structures: its type has the extent of the structure. */
RIGHT(particles, 3 ranks)
{
    struct particle {
        double place;
        int kind;
    } own = {rank, rank}, all[3];
    MPI_Datatype members, particle;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, INT}, &members);
    MPI_Type_create_resized(members, 0, sizeof own, &particle);
    MPI_Type_commit(&particle);
    MPI_Allgather(&own, 1, particle, all, 1, particle, WORLD);
    MPI_Type_free(&members);
    MPI_Type_free(&particle);
    if (all[2].kind != 2) {
        MPI_Abort(WORLD, 1);
    }
}
WRONG(particles_leak, leak, 3 ranks)
{
    struct particle {
        double place;
        int kind;
    } own = {rank, rank}, all[3];
    MPI_Datatype members, particle;
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, INT}, &members); /* here */
    MPI_Type_create_resized(members, 0, sizeof own, &particle);
    MPI_Type_commit(&particle);
    MPI_Allgather(&own, 1, particle, all, 1, particle, WORLD);
    MPI_Type_free(&particle);
}

/* ---- unequal blocks ---- */

WRONG(blocks_not_transposed, count mismatch, 3 ranks)
{
    int counts[3], starts[3];
    for (int to = 0; to < size; to++) {
        counts[to] = 1 + (rank + 2 * to) % 3;
        starts[to] = 4 * to;
    }
    MPI_Alltoallv(a, counts, starts, INT, b, counts, starts, INT, WORLD); /* here */
}
RIGHT(blocks_transposed, 3 ranks)
{
    int counts[3], from[3], starts[3];
    for (int to = 0; to < size; to++) {
        counts[to] = 1 + (rank + 2 * to) % 3;
        starts[to] = 4 * to;
    }
    MPI_Alltoall(counts, 1, INT, from, 1, INT, WORLD);
    MPI_Alltoallv(a, counts, starts, INT, b, from, starts, INT, WORLD);
}
RIGHT(gather_of_unequal, 4 ranks)
{
    int mine = rank + 1, counts[4], starts[4] = {0};
    MPI_Gather(&mine, 1, INT, counts, 1, INT, 0, WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        starts[i] = starts[i - 1] + counts[i - 1];
    }
    MPI_Gatherv(a, mine, INT, b, counts, starts, INT, 0, WORLD);
}
WRONG(gather_of_unequal_as_equal, count mismatch, 4 ranks)
{
    int mine = rank + 1;
    MPI_Gather(a, mine, INT, b, mine, INT, 0, WORLD); /* here */
}
/* The rest of a division: the last rank has more. */
WRONG(rest_left_out, count mismatch, 3 ranks)
{
    int mine = rank == size - 1 ? 4 : 3;
    MPI_Scatter(a, 3, INT, b, mine, INT, 0, WORLD); /* here */
}
RIGHT(rest_scattered, 3 ranks)
{
    int mine = rank == size - 1 ? 4 : 3;
    MPI_Scatterv(a, (int[]){3, 3, 4}, (int[]){0, 3, 6}, INT, b, mine, INT, 0, WORLD);
}

/* ---- algorithms by hand ---- */

/* The partner of a hypercube is missing if the number of ranks is no power of two. */
WRONG(hypercube, invalid argument, 3 ranks)
{
    for (int bit = 1; bit < size; bit *= 2) {
        MPI_Sendrecv(a, 1, INT, rank ^ bit, 0, b, 1, INT, rank ^ bit, 0, WORLD, IGNORE); /* here */
        a[0] += b[0];
    }
}
RIGHT(hypercube_of_four, 4 ranks)
{
    for (int bit = 1; bit < size; bit *= 2) {
        MPI_Sendrecv(a, 1, INT, rank ^ bit, 0, b, 1, INT, rank ^ bit, 0, WORLD, IGNORE);
        a[0] += b[0];
    }
}
WRONG(tree, call order, 3 ranks)
{
    for (int bit = 1; bit < size; bit *= 2) {
        if (rank & bit) {
            MPI_Send(a, 1, INT, rank - bit, 0, WORLD);
            break;
        }
        MPI_Recv(b, 1, INT, (rank + bit) % 4 % size, 0, WORLD, IGNORE); /* here */
        a[0] += b[0];
    }
}
RIGHT(tree_of_three, 3 ranks)
{
    for (int bit = 1; bit < size; bit *= 2) {
        if (rank & bit) {
            MPI_Send(a, 1, INT, rank - bit, 0, WORLD);
            break;
        }
        if (rank + bit < size) {
            MPI_Recv(b, 1, INT, rank + bit, 0, WORLD, IGNORE);
            a[0] += b[0];
        }
    }
}
RIGHT(dissemination_barrier, 4 ranks)
{
    for (int step = 1; step < size; step *= 2) {
        MPI_Sendrecv(NULL, 0, INT, (rank + step) % size, 0, NULL, 0, INT, (rank + size - step) % size, 0, WORLD, IGNORE);
    }
}
/* The block that came in one step is sent in the next one. */
WRONG(ring_allgather_one_buffer, local concurrency, 4 ranks)
{
    c[0] = rank;
    for (int step = 1; step < size; step++) {
        MPI_Isend(c, 1, INT, NEXT, 0, WORLD, &request); /* here */
        MPI_Recv(c, 1, INT, LAST, 0, WORLD, IGNORE);    /* here */
        WAIT;
    }
}
RIGHT(ring_allgather, 4 ranks)
{
    c[rank] = rank;
    for (int step = 0; step + 1 < size; step++) {
        int out = (rank + size - step) % size, in = (rank + size - step - 1) % size;
        MPI_Isend(c + out, 1, INT, NEXT, 0, WORLD, &request);
        MPI_Recv(c + in, 1, INT, LAST, 0, WORLD, IGNORE);
        WAIT;
    }
}
/* Two buffers in turn: one is filled while the other one is sent. */
WRONG(double_buffer, local concurrency)
{
    if (rank == 0) {
        both[0] = both[1] = MPI_REQUEST_NULL;
        for (int step = 0; step < 4; step++) {
            a[step % 2] = step;                                                  /* here */
            MPI_Isend(a + step % 2, 1, INT, 1, 0, WORLD, &both[step % 2]);       /* here */
            MPI_Wait(&both[(step + 1) % 2], IGNORE);
            a[step % 2]++; /* here */
        }
        WAIT_BOTH; /* here */
    } else {
        for (int step = 0; step < 4; step++) {
            MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        }
    }
}
RIGHT(double_buffer_in_turn)
{
    if (rank == 0) {
        both[0] = both[1] = MPI_REQUEST_NULL;
        for (int step = 0; step < 4; step++) {
            MPI_Wait(&both[step % 2], IGNORE);
            a[step % 2] = step;
            MPI_Isend(a + step % 2, 1, INT, 1, 0, WORLD, &both[step % 2]);
        }
        WAIT_BOTH;
    } else {
        for (int step = 0; step < 4; step++) {
            MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        }
    }
}
WRONG(pipeline, call order, 4 ranks)
{
    for (int item = 0; item < 3; item++) {
        if (rank > 0) {
            MPI_Recv(b, 1, INT, rank - 1, 0, WORLD, IGNORE);
        }
        MPI_Ssend(a, 1, INT, NEXT, 0, WORLD); /* here */
    }
}
RIGHT(pipeline_with_end, 4 ranks)
{
    for (int item = 0; item < 3; item++) {
        if (rank > 0) {
            MPI_Recv(b, 1, INT, rank - 1, 0, WORLD, IGNORE);
        }
        if (rank + 1 < size) {
            MPI_Ssend(a, 1, INT, NEXT, 0, WORLD);
        }
    }
}
/* Blocks of matrices go round in rows and columns of processes. */
RIGHT(cannon, 4 ranks)
{
    int west, east, north, south;
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &grid);
    MPI_Cart_shift(grid, 1, -1, &east, &west);
    MPI_Cart_shift(grid, 0, -1, &south, &north);
    for (int step = 0; step < 2; step++) {
        c[0] += a[0] * b[0];
        MPI_Sendrecv_replace(a, 1, INT, west, 0, east, 0, grid, IGNORE);
        MPI_Sendrecv_replace(b, 1, INT, north, 1, south, 1, grid, IGNORE);
    }
    MPI_Comm_free(&grid);
}
WRONG(cannon_tags, tag mismatch, 4 ranks)
{
    int west, east;
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &grid);
    MPI_Cart_shift(grid, 1, -1, &east, &west);
    for (int step = 0; step < 2; step++) {
        MPI_Sendrecv_replace(a, 1, INT, west, step, east, step + 1, grid, IGNORE); /* here */
    }
    MPI_Comm_free(&grid);
}

/* ---- work that is given out ---- */

/* The master stops one worker too few. */
WRONG(farm_stop_left_out, call order, 4 ranks)
{
    if (rank == 0) {
        for (int to = 1; to < size - 1; to++) {
            MPI_Send(a, 1, INT, to, 9, WORLD);
        }
    } else {
        MPI_Recv(b, 1, INT, 0, MPI_ANY_TAG, WORLD, IGNORE); /* here */
    }
}
RIGHT(farm_stop, 4 ranks)
{
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            MPI_Send(a, 1, INT, to, 9, WORLD);
        }
    } else {
        MPI_Recv(b, 1, INT, 0, MPI_ANY_TAG, WORLD, IGNORE);
    }
}
/* Tasks are numbered by a counter in a window. */
RIGHT(tickets, 3 ranks)
{
    int one = 1, ticket = 0, done = 0, total, *counter;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &counter, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    *counter = 0;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(WORLD);
    MPI_Win_lock_all(0, window);
    while (ticket < 3) {
        MPI_Fetch_and_op(&one, &ticket, INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        done += ticket < 3;
    }
    MPI_Win_unlock_all(window);
    MPI_Reduce(&done, &total, 1, INT, MPI_SUM, 0, WORLD);
    MPI_Win_free(&window);
    if (rank == 0 && total != 3) {
        MPI_Abort(WORLD, 1);
    }
}
WRONG(tickets_not_flushed, local concurrency, 3 ranks)
{
    int one = 1, ticket = 0, *counter;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &counter, &window);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&one, &ticket, INT, 0, 0, MPI_SUM, window); /* here */
    ticket++;                                                    /* here */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
WRONG(tickets_by_get_and_put, global concurrency, 3 ranks)
{
    int ticket = 0, *counter;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &counter, &window);
    MPI_Win_lock_all(0, window);
    MPI_Get(&ticket, 1, INT, 0, 0, 1, INT, window); /* here */
    MPI_Win_flush(0, window);
    ticket++;
    MPI_Put(&ticket, 1, INT, 0, 0, 1, INT, window); /* here */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
/* Each rank sends to some others, which do not know of it: synchronous sends, probes, a barrier that ends it. */
RIGHT(sparse_exchange)
{
    int flag, sent = 0, ended = 0, has_barrier = 0;
    MPI_Status status;
    MPI_Request barrier;
    MPI_Issend(a, 1, INT, NEXT, 0, WORLD, &request);
    while (!ended) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, WORLD, &flag, &status);
        if (flag) {
            MPI_Recv(b, 1, INT, status.MPI_SOURCE, 0, WORLD, IGNORE);
        }
        if (has_barrier) {
            MPI_Test(&barrier, &ended, IGNORE);
        } else {
            MPI_Test(&request, &sent, IGNORE);
            if (sent) {
                MPI_Ibarrier(WORLD, &barrier);
                has_barrier = 1;
            }
        }
    }
}

/* ---- libraries ---- */

static int forget(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    free(value);
    return MPI_SUCCESS;
}
/* A library keeps its own communicator and a value in an attribute. */
RIGHT(library)
{
    int key, found, *value = malloc(sizeof(int)), *again;
    MPI_Comm own;
    MPI_Comm_dup(WORLD, &own);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    MPI_Comm_set_attr(own, key, value);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Sendrecv(a, 1, INT, OTHER, 0, b, 1, INT, OTHER, 0, own, IGNORE);
    MPI_Recv(b, 1, INT, OTHER, 0, WORLD, IGNORE);
    WAIT;
    MPI_Comm_get_attr(own, key, &again, &found);
    MPI_Comm_free(&own);
    MPI_Comm_free_keyval(&key);
    if (!found || again != value) {
        MPI_Abort(WORLD, 1);
    }
}
/* Without an own communicator the library takes the program's message. */
WRONG(library_takes_message, datatype mismatch)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request);                                              /* here */
    MPI_Sendrecv(field, 2, MPI_DOUBLE, OTHER, 0, next_field, 2, MPI_DOUBLE, OTHER, 0, WORLD, IGNORE); /* here */
    MPI_Recv(b, 1, INT, OTHER, 0, WORLD, IGNORE);
    WAIT;
}
RIGHT(library_other_tag)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Sendrecv(field, 2, MPI_DOUBLE, OTHER, 7, next_field, 2, MPI_DOUBLE, OTHER, 7, WORLD, IGNORE);
    MPI_Recv(b, 1, INT, OTHER, 0, WORLD, IGNORE);
    WAIT;
}
/* Parts of the world work by themselves, and their first ranks together. */
RIGHT(hierarchy, 4 ranks)
{
    MPI_Comm part, leaders;
    int mine;
    MPI_Comm_split(WORLD, rank / 2, rank, &part);
    MPI_Comm_rank(part, &mine);
    MPI_Comm_split(WORLD, mine == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
    MPI_Reduce(a, b, 1, INT, MPI_SUM, 0, part);
    if (leaders != MPI_COMM_NULL) {
        MPI_Allreduce(MPI_IN_PLACE, b, 1, INT, MPI_SUM, leaders);
        MPI_Comm_free(&leaders);
    }
    MPI_Bcast(b, 1, INT, 0, part);
    MPI_Comm_free(&part);
}
WRONG(hierarchy_leaders_only, call order or communicator mismatch, 4 ranks)
{
    MPI_Comm part, leaders = MPI_COMM_NULL;
    int mine;
    MPI_Comm_split(WORLD, rank / 2, rank, &part);
    MPI_Comm_rank(part, &mine);
    if (mine == 0) {
        MPI_Comm_split(WORLD, 0, rank, &leaders); /* here */
        MPI_Allreduce(a, b, 1, INT, MPI_SUM, leaders);
        MPI_Comm_free(&leaders);
    }
    MPI_Bcast(b, 1, INT, 0, part); /* here */
    MPI_Comm_free(&part);
}
/* Several operations under way at once. */
RIGHT(overlapping_operations, 3 ranks)
{
    MPI_Request four[4];
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &four[0]);
    MPI_Ibcast(c, 1, INT, 0, WORLD, &four[1]);
    MPI_Isend(a + 1, 1, INT, NEXT, 0, WORLD, &four[2]);
    MPI_Irecv(b + 1, 1, INT, LAST, 0, WORLD, &four[3]);
    MPI_Waitall(4, four, MPI_STATUSES_IGNORE);
}
WRONG(overlapping_operations_one_left, missing wait, 3 ranks)
{
    MPI_Request four[4];
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &four[0]);
    MPI_Ibcast(c, 1, INT, 0, WORLD, &four[1]);
    MPI_Isend(a + 1, 1, INT, NEXT, 0, WORLD, &four[2]);
    MPI_Irecv(b + 1, 1, INT, LAST, 0, WORLD, &four[3]); /* here */
    MPI_Waitall(3, four, MPI_STATUSES_IGNORE);
}
/* An operator that is not commutative: pairs (factor, term) of a linear map. */
static void compose(void *x, void *y, int *count, MPI_Datatype *type)
{
    int *first = x, *second = y;
    for (int i = 0; type && i < *count; i++, first += 2, second += 2) {
        second[1] += first[1] * second[0];
        second[0] *= first[0];
    }
}
RIGHT(maps_composed, 4 ranks)
{
    MPI_Datatype map;
    MPI_Op op;
    MPI_Type_contiguous(2, INT, &map);
    MPI_Type_commit(&map);
    MPI_Op_create(compose, 0, &op);
    MPI_Scan(a, b, 1, map, op, WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&map);
}
WRONG(maps_composed_leak, leak, 4 ranks)
{
    MPI_Datatype map;
    MPI_Op op;
    MPI_Type_contiguous(2, INT, &map);
    MPI_Type_commit(&map);
    MPI_Op_create(compose, 0, &op); /* here */
    MPI_Scan(a, b, 1, map, op, WORLD);
    MPI_Type_free(&map);
}

/* ---- files ---- */

static MPI_File file;
static void open_file(const char *name)
{
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
}
RIGHT(file_of_all, 3 ranks)
{
    open_file("file_of_all");
    MPI_File_write_at_all(file, 4 * rank, a, 1, INT, IGNORE);
    MPI_File_close(&file);
}
WRONG(file_of_one, call order, 3 ranks)
{
    open_file("file_of_one");
    if (rank == 0) {
        MPI_File_write_at_all(file, 0, a, 1, INT, IGNORE); /* here */
    }
    MPI_File_close(&file); /* here */
}
RIGHT(file_of_one_alone, 3 ranks)
{
    open_file("file_of_one_alone");
    if (rank == 0) {
        MPI_File_write_at(file, 0, a, 1, INT, IGNORE);
    }
    MPI_File_close(&file);
}
WRONG(file_request, missing wait)
{
    open_file("file_request");
    MPI_File_iwrite_at(file, 4 * rank, a, 1, INT, &request); /* here */
    MPI_Barrier(WORLD);
    MPI_File_close(&file); /* here */
}
RIGHT(file_request_waited)
{
    open_file("file_request_waited");
    MPI_File_iwrite_at(file, 4 * rank, a, 1, INT, &request);
    WAIT;
    MPI_File_close(&file);
}
