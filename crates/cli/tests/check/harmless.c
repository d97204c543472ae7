/* Right programs that a hasty check takes for wrong, some with what is wrong beside them. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

#define WAIT MPI_Wait(&request, IGNORE)
#define WAIT_BOTH MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
#define ANY MPI_ANY_SOURCE
static MPI_Comm part, bridge;
static MPI_Datatype type;
static MPI_Win window;
static MPI_Status status;
static int *memory;

/* ---- output ---- */

/* Lines of several ranks have no order. */
RIGHT(lines_of_ranks, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Recv(c, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Send(a, 1, INT, 1, 1, WORLD);
        MPI_Send(a, 1, INT, 2, 1, WORLD);
    } else {
        MPI_Send(&rank, 1, INT, 0, 0, WORLD);
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
    }
    printf("rank %d is done\n", rank);
}
/* Times differ from run to run anyway. */
RIGHT(time_is_used, 3 ranks)
{
    double start = MPI_Wtime();
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        if (MPI_Wtime() < start) {
            MPI_Abort(WORLD, 1);
        }
    } else {
        usleep(100 * rank);
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
WRONG(line_of_first, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE); /* here */
        MPI_Recv(c, 1, INT, ANY, 0, WORLD, IGNORE); /* here */
        MPI_Send(b, 1, INT, 1, 1, WORLD);
    } else {
        MPI_Send(&rank, 1, INT, 0, 0, WORLD);
        if (rank == 1) {
            MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
            printf("the first was %d\n", b[0]);
        }
    }
}

/* ---- arguments that have no meaning ---- */

RIGHT(counts_of_others, 4 ranks)
{
    int garbage[4] = {-5, 1 << 30, 7, 7}, right[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
    int *counts = rank == 2 ? right : garbage, *starts = rank == 2 ? places : NULL;
    MPI_Gatherv(a, 1, INT, b, counts, starts, INT, 2, WORLD);
    MPI_Scatterv(a, counts, starts, INT, b, 1, INT, 2, WORLD);
}
WRONG(counts_of_root, invalid argument, 4 ranks)
{
    int garbage[4] = {-5, 1 << 30, 7, 7}, right[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
    MPI_Gatherv(a, 1, INT, b, rank == 2 ? garbage : right, places, INT, 2, WORLD); /* here */
}
RIGHT(buffers_of_others, 3 ranks)
{
    MPI_Gather(a, 2, INT, rank ? a : b, 2, INT, 0, WORLD);
    MPI_Scatter(rank ? NULL : a, 2, INT, b, 2, INT, 0, WORLD);
    MPI_Reduce(a, rank ? NULL : b, 2, INT, MPI_SUM, 0, WORLD);
}
RIGHT(type_of_no_elements)
{
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(a, 0, type, OTHER, 0, a, 0, MPI_DOUBLE, OTHER, 0, WORLD, IGNORE);
    MPI_Type_free(&type);
}

/* ---- buffers ---- */

/* Between the elements of a column that is received. */
RIGHT(gaps_written)
{
    MPI_Type_vector(4, 1, 4, INT, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(a, 4, INT, 1, 0, WORLD);
    } else {
        MPI_Irecv(b, 1, type, 0, 0, WORLD, &request);
        for (int i = 0; i < 16; i++) {
            if (i % 4) {
                b[i] = i;
            }
        }
        WAIT;
    }
    MPI_Type_free(&type);
}
WRONG(gaps_and_elements_written, local concurrency)
{
    MPI_Type_vector(4, 1, 4, INT, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(a, 4, INT, 1, 0, WORLD);
    } else {
        MPI_Irecv(b, 1, type, 0, 0, WORLD, &request); /* here */
        for (int i = 0; i < 16; i++) {                /* here */
            b[i] = i;                                 /* here */
        }
        WAIT; /* here */
    }
    MPI_Type_free(&type);
}
RIGHT(shorter_than_buffer)
{
    if (rank == 0) {
        MPI_Send(a, 3, INT, 1, 0, WORLD);
    } else {
        b[7] = 9;
        MPI_Irecv(b, 8, INT, 0, 0, WORLD, &request);
        WAIT;
        if (b[7] != 9) {
            MPI_Abort(WORLD, 1);
        }
    }
}
/* One buffer is read by several operations at once. */
RIGHT(one_buffer_many_readers)
{
    MPI_Request three[3];
    MPI_Isend(a, 8, INT, OTHER, 0, WORLD, &three[0]);
    MPI_Iallreduce(a, b, 8, INT, MPI_SUM, WORLD, &three[1]);
    MPI_Ibcast(rank ? c : a, 8, INT, 0, WORLD, &three[2]);
    MPI_Recv(b + 8, 8, INT, OTHER, 0, WORLD, IGNORE);
    MPI_Waitall(3, three, MPI_STATUSES_IGNORE);
}
WRONG(one_buffer_read_and_written, local concurrency)
{
    MPI_Request three[3];
    MPI_Isend(a, 8, INT, OTHER, 0, WORLD, &three[0]);        /* here */
    MPI_Iallreduce(a, b, 8, INT, MPI_SUM, WORLD, &three[1]); /* here */
    MPI_Irecv(a, 8, INT, OTHER, 0, WORLD, &three[2]);        /* here */
    MPI_Waitall(3, three, MPI_STATUSES_IGNORE);
}
RIGHT(large_messages)
{
    static int out[100000], in[100000];
    MPI_Irecv(in, 100000, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(out, 100000, INT, OTHER, 0, WORLD, &both[1]);
    WAIT_BOTH;
}
RIGHT(memory_used_again)
{
    for (int step = 0; step < 4; step++) {
        int *block = malloc(1000);
        memset(block, step, 1000);
        MPI_Irecv(block, 10, INT, OTHER, 0, WORLD, &both[0]);
        MPI_Isend(block + 10, 10, INT, OTHER, 0, WORLD, &both[1]);
        WAIT_BOTH;
        free(block);
    }
}
RIGHT(work_while_testing)
{
    int done = 0, work = 0;
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Send(a, 1, INT, rank ? 0 : MPI_PROC_NULL, 0, WORLD);
    if (rank == 0) {
        while (!done) {
            c[work++ % 64]++;
            MPI_Test(&request, &done, IGNORE);
        }
        MPI_Send(a, 1, INT, 1, 0, WORLD);
    } else {
        WAIT;
    }
}
RIGHT(testsome_until_all, 3 ranks)
{
    int count, indices[2], total = 0;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        while (total < 2) {
            MPI_Testsome(2, both, &count, indices, MPI_STATUSES_IGNORE);
            total += count;
        }
    } else {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
static void *count_up(void *place)
{
    for (int i = 0; i < 1000; i++) {
        ++*(int *)place;
    }
    return NULL;
}
/* A thread computes beside the messages. */
RIGHT(thread_beside)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count_up, &c[3]);
    MPI_Sendrecv(a, 1, INT, OTHER, 0, b, 1, INT, OTHER, 0, WORLD, IGNORE);
    pthread_join(thread, NULL);
}

/* ---- collective operations ---- */

static void connect(void)
{
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, (rank + 1) % 2, 0, &bridge);
}
static void disconnect(void)
{
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&part);
}
/* Between groups, both directions are one operation and have their own counts. */
RIGHT(counts_of_groups, 4 ranks)
{
    connect();
    MPI_Allgather(a, rank % 2 ? 3 : 1, INT, b, rank % 2 ? 1 : 3, INT, bridge);
    disconnect();
}
WRONG(counts_of_one_group, count mismatch, 4 ranks)
{
    connect();
    MPI_Allgather(a, rank % 2 ? 3 : 1, INT, b, rank % 2 ? 3 : 1, INT, bridge); /* here */
    disconnect();
}
RIGHT(reduction_to_other_group, 4 ranks)
{
    connect();
    MPI_Reduce(a, b, 1, INT, MPI_SUM, rank % 2 ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, bridge);
    MPI_Barrier(bridge);
    disconnect();
}
RIGHT(types_of_each_block)
{
    MPI_Datatype both_ways[2];
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_commit(&type);
    both_ways[0] = both_ways[1] = rank ? type : INT;
    int counts[2] = {rank ? 1 : 2, rank ? 1 : 2}, places[2] = {0, 16};
    MPI_Alltoallw(a, counts, places, both_ways, b, counts, places, both_ways, WORLD);
    MPI_Type_free(&type);
}
RIGHT(neighbors_at_edge, 4 ranks)
{
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part);
    MPI_Neighbor_allgather(a, 2, INT, b, 2, INT, part);
    MPI_Neighbor_alltoall(a, 1, INT, c, 1, INT, part);
    MPI_Comm_free(&part);
}
RIGHT(reversed_ranks, 3 ranks)
{
    MPI_Comm_split(WORLD, 0, -rank, &part);
    MPI_Bcast(a, 1, INT, 0, part);
    MPI_Send(a, 1, INT, rank ? 2 - rank + 1 : MPI_PROC_NULL, 0, rank ? part : WORLD);
    if (rank < 2) {
        MPI_Recv(b, 1, INT, 2 - rank - 1, 0, part, IGNORE);
    }
    MPI_Comm_free(&part);
}
RIGHT(barriers_waited_backwards, 3 ranks)
{
    MPI_Ibarrier(WORLD, &both[0]);
    MPI_Ibarrier(WORLD, &both[1]);
    MPI_Wait(&both[1], IGNORE);
    MPI_Wait(&both[0], IGNORE);
}
RIGHT(blocking_between, 3 ranks)
{
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &request);
    MPI_Barrier(WORLD);
    MPI_Bcast(c, 1, INT, 2, WORLD);
    WAIT;
}
WRONG(blocking_before_on_one, call order, 3 ranks)
{
    if (rank == 1) {
        MPI_Barrier(WORLD); /* here */
    }
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &request); /* here */
    if (rank != 1) {
        MPI_Barrier(WORLD); /* here */
    }
    WAIT;
}
RIGHT(persistent_in_place, 3 ranks)
{
    MPI_Allreduce_init(MPI_IN_PLACE, a, 2, INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 2; step++) {
        a[0] = step;
        MPI_Start(&request);
        WAIT;
    }
    MPI_Request_free(&request);
}
/* Requests of persistent operations that are made in one order and started in another one. */
RIGHT(started_backwards)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Start(&both[1]);
    MPI_Start(&both[0]);
    MPI_Wait(&both[0], IGNORE);
    MPI_Wait(&both[1], IGNORE);
    MPI_Request_free(&both[1]);
    MPI_Request_free(&both[0]);
}
WRONG(started_one_only, missing start)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Start(&both[1]);
    MPI_Wait(&both[0], IGNORE); /* here */
    MPI_Wait(&both[1], IGNORE); /* here */
    MPI_Request_free(&both[1]);
    MPI_Request_free(&both[0]);
}

/* ---- one-sided accesses ---- */

static void open_window(void)
{
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memset(memory, 0, 64 * sizeof(int));
    MPI_Win_unlock(rank, window);
    MPI_Barrier(WORLD);
}
/* One rank waits until the other one has set a flag, by atomic accesses. */
RIGHT(flag_polled)
{
    int one = 1, flag = 0;
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Accumulate(&one, 1, INT, 0, 0, 1, INT, MPI_REPLACE, window);
        MPI_Win_flush(0, window);
    } else {
        while (!flag) {
            MPI_Fetch_and_op(NULL, &flag, INT, 0, 0, MPI_NO_OP, window);
            MPI_Win_flush(0, window);
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
/* Data before the flag: flushed, so they are there when the flag is. */
RIGHT(data_before_flag)
{
    int one = 1, flag = 0;
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(a, 4, INT, 0, 8, 4, INT, window);
        MPI_Win_flush(0, window);
        MPI_Accumulate(&one, 1, INT, 0, 0, 1, INT, MPI_REPLACE, window);
        MPI_Win_flush(0, window);
        MPI_Send(NULL, 0, INT, 0, 0, WORLD);
    } else {
        MPI_Recv(NULL, 0, INT, 1, 0, WORLD, IGNORE);
        MPI_Fetch_and_op(NULL, &flag, INT, 0, 0, MPI_NO_OP, window);
        MPI_Get(b, 4, INT, 0, 8, 4, INT, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
RIGHT(loads_beside_puts)
{
    open_window();
    MPI_Win_fence(0, window);
    MPI_Put(a, 4, INT, OTHER, 0, 4, INT, window);
    c[0] = memory[4] + memory[63];
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
WRONG(loads_within_puts, global concurrency)
{
    open_window();
    MPI_Win_fence(0, window);
    MPI_Put(a, 4, INT, OTHER, 0, 4, INT, window); /* here */
    c[0] = memory[3] + memory[63];                /* here */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(overlapping_sums, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    MPI_Accumulate(a, 4, INT, 0, rank, 4, INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
/* Each rank exposes its window to the last one and accesses that of the next one. */
RIGHT(posted_ring, 3 ranks)
{
    MPI_Group world, next, last;
    int to = NEXT, from = LAST;
    open_window();
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &to, &next);
    MPI_Group_incl(world, 1, &from, &last);
    for (int step = 0; step < 2; step++) {
        MPI_Win_post(last, 0, window);
        MPI_Win_start(next, 0, window);
        MPI_Put(a, 1, INT, to, step, 1, INT, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
        c[step] = memory[step];
    }
    MPI_Group_free(&world);
    MPI_Group_free(&next);
    MPI_Group_free(&last);
    MPI_Win_free(&window);
}
WRONG(posted_ring_early_load, global concurrency, 3 ranks)
{
    MPI_Group world, next, last;
    int to = NEXT, from = LAST;
    open_window();
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &to, &next);
    MPI_Group_incl(world, 1, &from, &last);
    for (int step = 0; step < 2; step++) {
        MPI_Win_post(last, 0, window);
        MPI_Win_start(next, 0, window);
        MPI_Put(a, 1, INT, to, step, 1, INT, window); /* here */
        MPI_Win_complete(window);
        c[step] = memory[step]; /* here */
        MPI_Win_wait(window);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&next);
    MPI_Group_free(&last);
    MPI_Win_free(&window);
}
/* Exclusive locks give an order, which one is open. */
RIGHT(exclusive_updates, 3 ranks)
{
    open_window();
    for (int step = 0; step < 2; step++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(b, 1, INT, 0, 5, 1, INT, window);
        MPI_Win_flush(0, window);
        b[0] += rank;
        MPI_Put(b, 1, INT, 0, 5, 1, INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        printf("sum %d\n", memory[5]);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}

/* ---- receives from any source ---- */

/* The second answer cannot come before the first question. */
RIGHT(questions_and_answers, 3 ranks)
{
    for (int to = 1; to < size; to++) {
        if (rank == 0) {
            MPI_Send(a, 1, INT, to, 0, WORLD);
            MPI_Recv(b, 1, INT, ANY, MPI_ANY_TAG, WORLD, &status);
            printf("answer of %d\n", status.MPI_SOURCE);
        } else if (rank == to) {
            MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
            MPI_Send(a, 1, INT, 0, 0, WORLD);
        }
    }
}
WRONG(questions_then_answers, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, WORLD);
        MPI_Send(a, 1, INT, 2, 0, WORLD);
        for (int i = 1; i < size; i++) {
            MPI_Recv(b, 1, INT, ANY, MPI_ANY_TAG, WORLD, &status); /* here */
            printf("answer of %d\n", status.MPI_SOURCE);
        }
    } else {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
/* A set: what comes is sorted before it is used. */
RIGHT(sorted_before_use, 4 ranks)
{
    if (rank == 0) {
        int there[4] = {0};
        for (int i = 1; i < size; i++) {
            MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
            there[b[0]]++;
        }
        printf("%d %d %d\n", there[1], there[2], there[3]);
    } else {
        MPI_Send(&rank, 1, INT, 0, 0, WORLD);
    }
}
/* Votes: any two of three are enough, and all three agree. */
RIGHT(votes_that_agree, 4 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Recv(b + 1, 1, INT, ANY, 0, WORLD, IGNORE);
        printf("decision %d\n", b[0] + b[1]);
        MPI_Recv(b + 2, 1, INT, ANY, 0, WORLD, IGNORE);
    } else {
        a[0] = 1;
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
WRONG(votes_that_differ, message race, 4 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);     /* here */
        MPI_Recv(b + 1, 1, INT, ANY, 0, WORLD, IGNORE); /* here */
        printf("decision %d\n", b[0] + b[1]);
        MPI_Recv(b + 2, 1, INT, ANY, 0, WORLD, IGNORE);
    } else {
        a[0] = rank == 3;
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
RIGHT(probe_and_two_tags, 3 ranks)
{
    if (rank == 0) {
        int total = 0;
        for (int i = 0; i < 4; i++) {
            MPI_Probe(ANY, MPI_ANY_TAG, WORLD, &status);
            MPI_Recv(b, 1, INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, IGNORE);
            total += status.MPI_TAG * b[0];
        }
        printf("total %d\n", total);
    } else {
        MPI_Send(&rank, 1, INT, 0, 1, WORLD);
        MPI_Send(&rank, 1, INT, 0, 2, WORLD);
    }
}
