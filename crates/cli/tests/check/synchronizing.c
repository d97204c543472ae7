/* Collective calls that a program relies on to end before all ranks have begun them. Whether they do is up to the library. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
#define SEND(to) MPI_Send(a, 1, INT, to, 0, WORLD)
#define RECV(from) MPI_Recv(b, 1, INT, from, 0, WORLD, IGNORE)
static MPI_Comm part, other;
static MPI_Win window;
static int *memory;

/* `first` on rank 0, `second` on rank 1, nothing on others. */
#define ON_TWO(first, second)                                                                         \
    if (rank == 0) {                                                                                  \
        first;                                                                                        \
    } else if (rank == 1) {                                                                           \
        second;                                                                                       \
    }
#define BCAST(root) MPI_Bcast(c, 1, INT, root, WORLD)
#define REDUCE(root) MPI_Reduce(a, b, 1, INT, MPI_SUM, root, WORLD)
#define SCAN MPI_Scan(a, c, 1, INT, MPI_SUM, WORLD)
#define GATHER(root) MPI_Gather(a, 1, INT, b, 1, INT, root, WORLD)
#define SCATTER(root) MPI_Scatter(a, 1, INT, c, 1, INT, root, WORLD)

WRONG(bcast_then_send, call order) { ON_TWO(BCAST(0); SEND(1), RECV(0); BCAST(0)) } /* here */
RIGHT(bcast_then_send_and_receive) { ON_TWO(BCAST(0); SEND(1), BCAST(0); RECV(0)) }
WRONG(reduce_then_send, call order) { ON_TWO(RECV(1); REDUCE(0), REDUCE(0); SEND(0)) } /* here */
RIGHT(reduce_then_send_and_receive) { ON_TWO(REDUCE(0); RECV(1), REDUCE(0); SEND(0)) }
WRONG(scan_then_send, call order) { ON_TWO(SCAN; SEND(1), RECV(0); SCAN) } /* here */
RIGHT(scan_after_message) { ON_TWO(SEND(1); SCAN, RECV(0); SCAN) }
WRONG(gather_then_send, call order) { ON_TWO(RECV(1); GATHER(0), GATHER(0); SEND(0)) } /* here */
RIGHT(gather_after_message) { ON_TWO(RECV(1); GATHER(0), SEND(0); GATHER(0)) }
WRONG(scatter_then_send, call order) { ON_TWO(SCATTER(0); SEND(1), RECV(0); SCATTER(0)) } /* here */
RIGHT(scatter_then_send_and_receive) { ON_TWO(SCATTER(0); SEND(1), SCATTER(0); RECV(0)) }
/* Between three ranks: the root of each broadcast goes on to the next one. */
WRONG(bcasts_in_a_circle, call order, 3 ranks)
{
    if (rank == 0) {
        BCAST(0); /* here */
        MPI_Bcast(c, 1, INT, 2, WORLD);
    } else if (rank == 1) {
        RECV(2);
        BCAST(0);
        MPI_Bcast(c, 1, INT, 2, WORLD);
    } else {
        BCAST(0); /* here */
        SEND(1);
        MPI_Bcast(c, 1, INT, 2, WORLD);
    }
}
RIGHT(bcasts_in_one_order, 3 ranks)
{
    if (rank == 2) {
        SEND(1);
    } else if (rank == 1) {
        RECV(2);
    }
    BCAST(0);
    MPI_Bcast(c, 1, INT, 2, WORLD);
}
/* The same broadcasts on two communicators, in different orders. */
WRONG(bcasts_of_two_comms, call order)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_dup(WORLD, &other);
    ON_TWO(MPI_Bcast(a, 1, INT, 0, part); MPI_Bcast(b, 1, INT, 1, other), MPI_Bcast(b, 1, INT, 1, other); MPI_Bcast(a, 1, INT, 0, part)) /* here */
    MPI_Comm_free(&other);
    MPI_Comm_free(&part);
}
RIGHT(bcasts_of_two_comms_in_order)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_dup(WORLD, &other);
    MPI_Bcast(a, 1, INT, 0, part);
    MPI_Bcast(b, 1, INT, 1, other);
    MPI_Comm_free(&other);
    MPI_Comm_free(&part);
}
/* A part of the ranks waits for ranks outside of it. */
WRONG(bcast_of_part, call order, 3 ranks)
{
    MPI_Comm_split(WORLD, rank == 1, 0, &part);
    if (rank == 0) {
        MPI_Bcast(a, 1, INT, 0, part); /* here */
        SEND(1);
    } else if (rank == 1) {
        RECV(0);
        SEND(2);
    } else {
        RECV(1);
        MPI_Bcast(a, 1, INT, 0, part);
    }
    MPI_Comm_free(&part);
}
RIGHT(bcast_of_part_before_messages, 3 ranks)
{
    MPI_Comm_split(WORLD, rank == 1, 0, &part);
    if (rank == 0) {
        MPI_Bcast(a, 1, INT, 0, part);
        SEND(1);
    } else if (rank == 1) {
        RECV(0);
        SEND(2);
    } else {
        MPI_Bcast(a, 1, INT, 0, part);
        RECV(1);
    }
    MPI_Comm_free(&part);
}

/* Nonblocking operations. */
RIGHT(ibcast_waited_after_send)
{
    if (rank == 0) {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
        SEND(1);
        WAIT;
    } else {
        RECV(0);
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
        WAIT;
    }
}
RIGHT(ibcast_begun_before_receive)
{
    MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
    if (rank == 0) {
        WAIT;
        SEND(1);
    } else {
        RECV(0);
        WAIT;
    }
}
/* The program goes on when the test finds nothing. */
RIGHT(ibcast_tested)
{
    int done = 0, sent = 0;
    if (rank == 0) {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
        do {
            MPI_Test(&request, &done, IGNORE);
            if (!sent++) {
                SEND(1);
            }
        } while (!done);
    } else {
        RECV(0);
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
        WAIT;
    }
}
/* One nonblocking operation proceeds during the wait for another one. */
RIGHT(two_in_progress, 4 ranks)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &both[0]);
    if (rank == 0) {
        MPI_Ibcast(c, 1, INT, 0, part, &both[1]);
        MPI_Wait(&both[1], IGNORE);
        MPI_Wait(&both[0], IGNORE);
    } else {
        MPI_Wait(&both[0], IGNORE);
        MPI_Ibcast(c, 1, INT, 0, part, &both[1]);
        MPI_Wait(&both[1], IGNORE);
    }
    MPI_Comm_free(&part);
}
RIGHT(one_in_progress, 4 ranks)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &request);
    if (rank == 0) {
        MPI_Bcast(c, 1, INT, 0, part);
        WAIT;
    } else {
        WAIT;
        MPI_Bcast(c, 1, INT, 0, part);
    }
    MPI_Comm_free(&part);
}

/* Other collective calls. */
WRONG(window_then_send, call order)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        MPI_Bcast(c, 1, INT, 0, part); /* here */
        MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    } else {
        MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
        MPI_Bcast(b, 1, INT, 0, part);
    }
    MPI_Win_free(&window);
    MPI_Comm_free(&part);
}
RIGHT(window_then_bcast)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Bcast(b, 1, INT, 0, part);
    MPI_Win_free(&window);
    MPI_Comm_free(&part);
}
/* The root takes messages of all in any order, and then begins the broadcast. */
RIGHT(farm, 3 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
        }
    } else {
        SEND(0);
    }
    BCAST(0);
}
WRONG(farm_with_bcast_first, call order, 3 ranks)
{
    if (rank == 2) {
        SCAN;
        SEND(0);
        return;
    }
    if (rank == 0) {
        MPI_Recv(b, 1, INT, 2, 0, WORLD, IGNORE); /* here */
    }
    SCAN; /* here */
}
