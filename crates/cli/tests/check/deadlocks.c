/* Calls that wait for each other, and messages without a partner. */
#include "check.h"

#define SEND(to) MPI_Send(a, 1, INT, to, 0, WORLD)
#define SSEND(to) MPI_Ssend(a, 1, INT, to, 0, WORLD)
#define RECV(from) MPI_Recv(b, 1, INT, from, 0, WORLD, IGNORE)
#define BARRIER MPI_Barrier(WORLD)
#define BCAST MPI_Bcast(a, 1, INT, 0, WORLD)
#define WAIT MPI_Wait(&request, IGNORE)
static MPI_Comm part, other;
static MPI_Win window;

/* ---- messages and collective calls wait for each other ---- */

WRONG(receive_before_barrier, call order)
{
    if (rank == 0) {
        RECV(1); /* here */
        BARRIER; /* here */
    } else {
        BARRIER; /* here */
        SEND(0);
    }
}
RIGHT(barrier_before_receive)
{
    if (rank == 0) {
        BARRIER;
        RECV(1);
    } else {
        BARRIER;
        SEND(0);
    }
}
RIGHT(posted_before_barrier)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request);
        BARRIER;
        WAIT;
    } else {
        BARRIER;
        SEND(0);
    }
}
WRONG(synchronous_before_bcast, call order)
{
    if (rank == 0) {
        SSEND(1); /* here */
        BCAST;    /* here */
    } else {
        BCAST;    /* here */
        RECV(0);
    }
}
RIGHT(bcast_before_synchronous)
{
    if (rank == 0) {
        BCAST;
        SSEND(1);
    } else {
        BCAST;
        RECV(0);
    }
}

/* ---- deadlocks of messages ---- */

WRONG(both_receive_first, call order)
{
    RECV(OTHER); /* here */
    SEND(OTHER);
}
RIGHT(one_receives_first)
{
    if (rank == 0) {
        RECV(1);
        SEND(1);
    } else {
        SEND(0);
        RECV(0);
    }
}
WRONG(ring_receives_first, call order, 4 ranks)
{
    RECV(LAST); /* here */
    SEND(NEXT);
}
RIGHT(ring_broken_by_first, 4 ranks)
{
    if (rank == 0) {
        SEND(NEXT);
        RECV(LAST);
    } else {
        RECV(LAST);
        SEND(NEXT);
    }
}
WRONG(both_synchronous_first, call order)
{
    SSEND(OTHER); /* here */
    RECV(OTHER);
}
RIGHT(both_post_then_synchronous)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &request);
    SSEND(OTHER);
    WAIT;
}
WRONG(ring_synchronous_first, call order, 3 ranks)
{
    SSEND(NEXT); /* here */
    RECV(LAST);
}
RIGHT(ring_sendrecv, 3 ranks)
{
    MPI_Sendrecv(a, 1, INT, NEXT, 0, b, 1, INT, LAST, 0, WORLD, IGNORE);
}
WRONG(wait_before_send, call order)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &request); /* here */
    WAIT;                                            /* here */
    SEND(OTHER);
}
RIGHT(send_before_wait)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &request);
    SEND(OTHER);
    WAIT;
}
WRONG(probe_before_send, call order)
{
    MPI_Probe(OTHER, 0, WORLD, IGNORE); /* here */
    SEND(OTHER);
    RECV(OTHER);
}
RIGHT(probe_after_send)
{
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Probe(OTHER, 0, WORLD, IGNORE);
    RECV(OTHER);
    WAIT;
}
WRONG(synchronous_to_self, call order)
{
    SSEND(rank); /* here */
    RECV(rank);
}
RIGHT(posted_to_self)
{
    MPI_Irecv(b, 1, INT, rank, 0, WORLD, &request);
    SSEND(rank);
    WAIT;
}
WRONG(persistent_both_wait, call order)
{
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &request); /* here */
    MPI_Start(&request);                                 /* here */
    WAIT;                                                /* here */
    SEND(OTHER);
    MPI_Request_free(&request);
}
RIGHT(persistent_both_send)
{
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Start(&request);
    SEND(OTHER);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(derived_both_receive, call order, 4 ranks)
{
    int mine;
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Comm_rank(part, &mine);
    MPI_Recv(b, 1, INT, 1 - mine, 0, part, IGNORE); /* here */
    MPI_Send(a, 1, INT, 1 - mine, 0, part);
    MPI_Comm_free(&part);
}
RIGHT(derived_sendrecv, 4 ranks)
{
    int mine;
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Comm_rank(part, &mine);
    MPI_Sendrecv(a, 1, INT, 1 - mine, 0, b, 1, INT, 1 - mine, 0, part, IGNORE);
    MPI_Comm_free(&part);
}
WRONG(intercommunicator_both_receive, call order)
{
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Recv(b, 1, INT, 0, 0, other, IGNORE); /* here */
    MPI_Send(a, 1, INT, 0, 0, other);
    MPI_Comm_free(&other);
    MPI_Comm_free(&part);
}
RIGHT(intercommunicator_sendrecv)
{
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Sendrecv(a, 1, INT, 0, 0, b, 1, INT, 0, 0, other, IGNORE);
    MPI_Comm_free(&other);
    MPI_Comm_free(&part);
}

/* ---- messages without a partner ---- */

WRONG(receive_without_send, call order)
{
    if (rank == 0) {
        RECV(1); /* here */
    }
}
RIGHT(receive_of_nobody)
{
    if (rank == 0) {
        RECV(MPI_PROC_NULL);
    }
}
WRONG(receive_once_more, call order, 3 ranks)
{
    if (rank == 0) {
        for (int from = 0; from < size; from++) {
            RECV(MPI_ANY_SOURCE); /* here */
        }
    } else {
        SEND(0);
    }
}
RIGHT(receive_from_others, 3 ranks)
{
    if (rank == 0) {
        for (int from = 1; from < size; from++) {
            RECV(MPI_ANY_SOURCE);
        }
    } else {
        SEND(0);
    }
}
WRONG(irecv_without_send, call order)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request); /* here */
        WAIT;                                        /* here */
    }
}
RIGHT(irecv_cancelled)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request);
        MPI_Cancel(&request);
        WAIT;
    }
}
WRONG(receive_from_wrong_rank, call order, 3 ranks)
{
    if (rank == 0) {
        RECV(1); /* here */
    } else if (rank == 2) {
        SEND(0); /* here */
    }
}
RIGHT(receive_from_right_rank, 3 ranks)
{
    if (rank == 0) {
        RECV(2);
    } else if (rank == 2) {
        SEND(0);
    }
}
WRONG(synchronous_without_receive, call order)
{
    if (rank == 0) {
        SSEND(1); /* here */
    }
}
WRONG(issend_without_receive, call order)
{
    if (rank == 0) {
        MPI_Issend(a, 1, INT, 1, 0, WORLD, &request); /* here */
        WAIT;                                         /* here */
    }
}
RIGHT(issend_with_receive)
{
    if (rank == 0) {
        MPI_Issend(a, 1, INT, 1, 0, WORLD, &request);
        WAIT;
    } else {
        RECV(0);
    }
}
/* The last rank of a chain sends to nobody that receives. */
WRONG(chain_end, call order, 4 ranks)
{
    if (rank > 0) {
        RECV(rank - 1);
    }
    SSEND(NEXT); /* here */
}
RIGHT(chain_end_right, 4 ranks)
{
    if (rank > 0) {
        RECV(rank - 1);
    }
    if (rank < size - 1) {
        SSEND(NEXT);
    }
}
/* A halo exchange without periodic boundaries: the first rank receives from the last one. */
WRONG(halo_boundary, call order, 3 ranks)
{
    MPI_Isend(a, 1, INT, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 0, WORLD, &request);
    RECV(LAST); /* here */
    WAIT;
}
RIGHT(halo_boundary_right, 3 ranks)
{
    MPI_Isend(a, 1, INT, rank == size - 1 ? MPI_PROC_NULL : rank + 1, 0, WORLD, &request);
    RECV(rank == 0 ? MPI_PROC_NULL : rank - 1);
    WAIT;
}
WRONG(test_loop_without_send, call order)
{
    int done = 0;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request); /* here */
        while (!done) {
            MPI_Test(&request, &done, IGNORE); /* here */
        }
    }
}
RIGHT(test_loop_with_send)
{
    int done = 0;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request);
        while (!done) {
            MPI_Test(&request, &done, IGNORE);
        }
    } else {
        SEND(0);
    }
}
WRONG(send_without_receive, call order or leak)
{
    if (rank == 0) {
        SEND(1); /* here */
    }
}
RIGHT(send_with_receive)
{
    if (rank == 0) {
        SEND(1);
    } else {
        RECV(0);
    }
}
WRONG(isend_without_receive, call order or leak)
{
    if (rank == 0) {
        MPI_Isend(a, 1, INT, 1, 0, WORLD, &request); /* here */
        WAIT;                                        /* here */
    }
}
RIGHT(isend_with_receive)
{
    if (rank == 0) {
        MPI_Isend(a, 1, INT, 1, 0, WORLD, &request);
        WAIT;
    } else {
        RECV(0);
    }
}
WRONG(probe_without_receive, call order or leak)
{
    if (rank == 0) {
        SEND(1); /* here */
    } else {
        MPI_Probe(0, 0, WORLD, IGNORE); /* here */
    }
}
RIGHT(probe_with_receive)
{
    if (rank == 0) {
        SEND(1);
    } else {
        MPI_Probe(0, 0, WORLD, IGNORE);
        RECV(0);
    }
}
WRONG(post_without_start, call order or missing epoch)
{
    MPI_Group group, origin;
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, (int[]){OTHER}, &origin);
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    if (rank == 1) {
        MPI_Win_post(origin, 0, window); /* here */
        MPI_Win_wait(window);            /* here */
    }
    MPI_Win_free(&window); /* here */
    MPI_Group_free(&origin);
    MPI_Group_free(&group);
}
RIGHT(post_with_start)
{
    MPI_Group group, origin;
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, (int[]){OTHER}, &origin);
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    if (rank == 1) {
        MPI_Win_post(origin, 0, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(origin, 0, window);
        MPI_Win_complete(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&origin);
    MPI_Group_free(&group);
}
