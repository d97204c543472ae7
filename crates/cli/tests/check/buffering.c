/* Programs that end only where the library buffers standard sends. */
#include "check.h"

#define SEND(to) MPI_Send(a, 1, INT, to, 0, WORLD)
#define RECV(from) MPI_Recv(b, 1, INT, from, 0, WORLD, IGNORE)
#define WAIT MPI_Wait(&request, IGNORE)
static MPI_Comm part, other;
static char space[4 * (16 + MPI_BSEND_OVERHEAD)];

WRONG(both_send_first, buffering dependence)
{
    SEND(OTHER); /* here */
    RECV(OTHER);
}
RIGHT(one_sends_first)
{
    if (rank == 0) {
        SEND(1);
        RECV(1);
    } else {
        RECV(0);
        SEND(0);
    }
}
RIGHT(both_isend_first)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request);
    RECV(OTHER);
    WAIT;
}
RIGHT(both_bsend_first)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(a, 1, INT, OTHER, 0, WORLD);
    RECV(OTHER);
    MPI_Buffer_detach(&detached, &bytes);
}
WRONG(isend_waited_too_early, buffering dependence)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request); /* here */
    WAIT;                                            /* here */
    RECV(OTHER);
}
RIGHT(isend_waited_after_receive)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request);
    RECV(OTHER);
    WAIT;
}
WRONG(ring_sends_first, buffering dependence, 4 ranks)
{
    SEND(NEXT); /* here */
    RECV(LAST);
}
RIGHT(ring_even_sends_first, 4 ranks)
{
    if (rank % 2 == 0) {
        SEND(NEXT);
        RECV(LAST);
    } else {
        RECV(LAST);
        SEND(NEXT);
    }
}
WRONG(ring_of_three, buffering dependence, 3 ranks)
{
    SEND(NEXT); /* here */
    RECV(LAST);
}
RIGHT(ring_of_three_posted, 3 ranks)
{
    MPI_Irecv(b, 1, INT, LAST, 0, WORLD, &request);
    SEND(NEXT);
    WAIT;
}
RIGHT(line_sends_first, 4 ranks)
{
    MPI_Send(a, 1, INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 0, WORLD);
    MPI_Recv(b, 1, INT, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, WORLD, IGNORE);
}
WRONG(sends_to_self, buffering dependence)
{
    SEND(rank); /* here */
    RECV(rank);
}
RIGHT(isends_to_self)
{
    MPI_Isend(a, 1, INT, rank, 0, WORLD, &request);
    RECV(rank);
    WAIT;
}
/* Two messages received in the other order. */
WRONG(tags_received_swapped, buffering dependence)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD); /* here */
        MPI_Send(a, 1, INT, 1, 2, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
    }
}
RIGHT(tags_received_in_order)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD);
        MPI_Send(a, 1, INT, 1, 2, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE);
    }
}
WRONG(send_before_barrier, buffering dependence)
{
    if (rank == 0) {
        SEND(1); /* here */
        MPI_Barrier(WORLD);
    } else {
        MPI_Barrier(WORLD);
        RECV(0);
    }
}
RIGHT(send_and_receive_before_barrier)
{
    if (rank == 0) {
        SEND(1);
    } else {
        RECV(0);
    }
    MPI_Barrier(WORLD);
}
WRONG(send_before_bcast, buffering dependence, 3 ranks)
{
    if (rank == 0) {
        SEND(2); /* here */
    }
    MPI_Bcast(a, 1, INT, 0, WORLD);
    if (rank == 2) {
        RECV(0);
    }
}
RIGHT(send_after_bcast, 3 ranks)
{
    MPI_Bcast(a, 1, INT, 0, WORLD);
    if (rank == 0) {
        SEND(2);
    }
    if (rank == 2) {
        RECV(0);
    }
}
WRONG(send_before_dup, buffering dependence)
{
    if (rank == 0) {
        SEND(1); /* here */
    }
    MPI_Comm_dup(WORLD, &part);
    if (rank == 1) {
        RECV(0);
    }
    MPI_Comm_free(&part);
}
RIGHT(send_after_dup)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        SEND(1);
    }
    if (rank == 1) {
        RECV(0);
    }
    MPI_Comm_free(&part);
}
RIGHT(send_before_dup_posted)
{
    if (rank == 0) {
        SEND(1);
    } else {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
    }
    MPI_Comm_dup(WORLD, &part);
    if (rank == 1) {
        WAIT;
    }
    MPI_Comm_free(&part);
}
/* The root of a broadcast may wait for the others, and need not. */
WRONG(send_before_own_bcast, buffering dependence)
{
    if (rank == 0) {
        SEND(1); /* here */
    }
    MPI_Bcast(c, 1, INT, 1, WORLD);
    if (rank == 1) {
        RECV(0);
    }
}
WRONG(bcast_then_send, call order)
{
    if (rank == 0) {
        MPI_Bcast(c, 1, INT, 0, WORLD); /* here */
        SEND(1);
    } else {
        RECV(0); /* here */
        MPI_Bcast(c, 1, INT, 0, WORLD);
    }
}
RIGHT(bcast_then_message)
{
    MPI_Bcast(c, 1, INT, 0, WORLD);
    if (rank == 0) {
        SEND(1);
    } else {
        RECV(0);
    }
}
WRONG(two_bcasts_of_two_roots, call order)
{
    MPI_Comm_dup(WORLD, &other);
    MPI_Bcast(c, 1, INT, rank, rank ? other : WORLD); /* here */
    MPI_Bcast(c, 1, INT, OTHER, rank ? WORLD : other);
    MPI_Comm_free(&other);
}
RIGHT(two_ibcasts_of_two_roots)
{
    MPI_Comm_dup(WORLD, &other);
    MPI_Ibcast(a, 1, INT, rank, rank ? other : WORLD, &both[0]);
    MPI_Ibcast(b, 1, INT, OTHER, rank ? WORLD : other, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&other);
}
RIGHT(isend_over_barrier)
{
    if (rank == 0) {
        MPI_Isend(a, 1, INT, 1, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        WAIT;
    } else {
        MPI_Barrier(WORLD);
        RECV(0);
    }
}
/* Halo exchange in two directions: all send to the right, then all to the left. */
WRONG(halo_sends_first, buffering dependence, 4 ranks)
{
    SEND(NEXT); /* here */
    SEND(LAST);
    RECV(LAST);
    RECV(NEXT);
}
RIGHT(halo_sendrecv, 4 ranks)
{
    MPI_Sendrecv(a, 1, INT, NEXT, 0, b, 1, INT, LAST, 0, WORLD, IGNORE);
    MPI_Sendrecv(a, 1, INT, LAST, 1, b, 1, INT, NEXT, 1, WORLD, IGNORE);
}
RIGHT(halo_posted, 4 ranks)
{
    MPI_Irecv(b, 1, INT, LAST, 0, WORLD, &both[0]);
    MPI_Irecv(c, 1, INT, NEXT, 1, WORLD, &both[1]);
    MPI_Send(a, 1, INT, NEXT, 0, WORLD);
    MPI_Send(a, 1, INT, LAST, 1, WORLD);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
/* A transpose by hand: everyone sends all blocks, then receives all. */
WRONG(alltoall_by_sends, buffering dependence, 3 ranks)
{
    for (int to = 0; to < size; to++) {
        if (to != rank) {
            MPI_Send(a + to, 1, INT, to, 0, WORLD); /* here */
        }
    }
    for (int from = 0; from < size; from++) {
        if (from != rank) {
            MPI_Recv(b + from, 1, INT, from, 0, WORLD, IGNORE);
        }
    }
}
RIGHT(alltoall_by_exchanges, 3 ranks)
{
    for (int step = 1; step < size; step++) {
        int to = (rank + step) % size, from = (rank + size - step) % size;
        MPI_Sendrecv(a + to, 1, INT, to, 0, b + from, 1, INT, from, 0, WORLD, IGNORE);
    }
}
/* A master that gives out all tasks before it takes results; the workers answer each task at once. */
WRONG(tasks_before_results, buffering dependence)
{
    if (rank == 0) {
        for (int task = 0; task < 3; task++) {
            SEND(1); /* here */
        }
        for (int task = 0; task < 3; task++) {
            RECV(1);
        }
    } else {
        for (int task = 0; task < 3; task++) {
            RECV(0);
            SEND(0); /* here */
        }
    }
}
RIGHT(task_then_result)
{
    if (rank == 0) {
        for (int task = 0; task < 3; task++) {
            SEND(1);
            RECV(1);
        }
    } else {
        for (int task = 0; task < 3; task++) {
            RECV(0);
            SEND(0);
        }
    }
}
WRONG(part_sends_first, buffering dependence, 4 ranks)
{
    int mine;
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Comm_rank(part, &mine);
    MPI_Send(a, 1, INT, 1 - mine, 0, part); /* here */
    MPI_Recv(b, 1, INT, 1 - mine, 0, part, IGNORE);
    MPI_Comm_free(&part);
}
RIGHT(part_sends_in_turn, 4 ranks)
{
    int mine;
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Comm_rank(part, &mine);
    if (mine == 0) {
        MPI_Send(a, 1, INT, 1, 0, part);
        MPI_Recv(b, 1, INT, 1, 0, part, IGNORE);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, part, IGNORE);
        MPI_Send(a, 1, INT, 0, 0, part);
    }
    MPI_Comm_free(&part);
}
WRONG(intercommunicator_sends_first, buffering dependence)
{
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Send(a, 1, INT, 0, 0, other); /* here */
    MPI_Recv(b, 1, INT, 0, 0, other, IGNORE);
    MPI_Comm_free(&other);
    MPI_Comm_free(&part);
}
RIGHT(intercommunicator_posts_first)
{
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Irecv(b, 1, INT, 0, 0, other, &request);
    MPI_Send(a, 1, INT, 0, 0, other);
    WAIT;
    MPI_Comm_free(&other);
    MPI_Comm_free(&part);
}
WRONG(persistent_waited_too_early, buffering dependence)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &request); /* here */
    MPI_Start(&request);                                 /* here */
    WAIT;                                                /* here */
    RECV(OTHER);
    MPI_Request_free(&request);
}
RIGHT(persistent_waited_after_receive)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Start(&request);
    RECV(OTHER);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(waits_in_each_order, buffering dependence)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Wait(&both[0], IGNORE);                      /* here */
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Wait(&both[1], IGNORE);
}
RIGHT(waits_for_both)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Wait(&both[0], IGNORE);
    MPI_Wait(&both[1], IGNORE);
}
/* One rank receives from two; one of these waits for the other. */
WRONG(triangle, buffering dependence, 3 ranks)
{
    if (rank == 0) {
        RECV(1);
        RECV(2);
    } else if (rank == 1) {
        RECV(2);
        SEND(0);
    } else {
        SEND(0); /* here */
        SEND(1);
    }
}
RIGHT(triangle_right, 3 ranks)
{
    if (rank == 0) {
        RECV(1);
        RECV(2);
    } else if (rank == 1) {
        RECV(2);
        SEND(0);
    } else {
        SEND(1);
        SEND(0);
    }
}
