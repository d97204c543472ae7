/* Missing waits for messages, collective operations, one-sided accesses. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
/* Rank 0 sends one number by `call`, or rank 1 receives one. */
#define FROM_0(call)                                                                                  \
    if (rank == 0) {                                                                                  \
        call;                                                                                         \
    } else if (rank == 1) {                                                                           \
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);                                                     \
    }
#define TO_1(call)                                                                                    \
    if (rank == 0) {                                                                                  \
        MPI_Send(a, 1, INT, 1, 0, WORLD);                                                             \
    } else if (rank == 1) {                                                                           \
        call;                                                                                         \
    }

/* ---- missing wait: messages ---- */

WRONG(isend, missing wait) { FROM_0(MPI_Isend(a, 1, INT, 1, 0, WORLD, &request)) } /* here */
RIGHT(isend_waited) { FROM_0(MPI_Isend(a, 1, INT, 1, 0, WORLD, &request); WAIT) }
WRONG(irecv, missing wait) { TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request)) } /* here */
RIGHT(irecv_waited) { TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); WAIT) }
WRONG(issend, missing wait) { FROM_0(MPI_Issend(a, 1, INT, 1, 0, WORLD, &request)) } /* here */
RIGHT(issend_waited) { FROM_0(MPI_Issend(a, 1, INT, 1, 0, WORLD, &request); WAIT) }

static char space[1000 + MPI_BSEND_OVERHEAD];
WRONG(ibsend, missing wait)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    FROM_0(MPI_Ibsend(a, 1, INT, 1, 0, WORLD, &request)) /* here */
    MPI_Buffer_detach(&detached, &bytes);
}
RIGHT(ibsend_waited)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    FROM_0(MPI_Ibsend(a, 1, INT, 1, 0, WORLD, &request); WAIT)
    MPI_Buffer_detach(&detached, &bytes);
}

WRONG(irsend, missing wait)
{
    if (rank == 1) {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Irsend(a, 1, INT, 1, 0, WORLD, &request); /* here */
    } else {
        WAIT;
    }
}
RIGHT(irsend_waited)
{
    if (rank == 1) {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Irsend(a, 1, INT, 1, 0, WORLD, &request);
    }
    WAIT;
}

WRONG(imrecv, missing wait)
{
    MPI_Message message;
    TO_1(MPI_Mprobe(0, 0, WORLD, &message, IGNORE); MPI_Imrecv(b, 1, INT, &message, &request)) /* here */
}
RIGHT(imrecv_waited)
{
    MPI_Message message;
    TO_1(MPI_Mprobe(0, 0, WORLD, &message, IGNORE); MPI_Imrecv(b, 1, INT, &message, &request); WAIT)
}

/* The one that is waited for is not the last one. */
WRONG(exchange_waits_once, missing wait)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Wait(&both[0], IGNORE);
}
RIGHT(exchange_waits_twice)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Wait(&both[0], IGNORE);
    MPI_Wait(&both[1], IGNORE);
}

WRONG(waitall_of_one, missing wait)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Waitall(1, both, MPI_STATUSES_IGNORE);
}
RIGHT(waitall_of_two)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

/* One variable for the requests of all neighbours, as the loop overwrites it. */
WRONG(request_overwritten, missing wait, 3 ranks)
{
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            MPI_Isend(a, 1, INT, to, 0, WORLD, &request); /* here */
        }
        WAIT;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(requests_in_array, 3 ranks)
{
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            MPI_Isend(a, 1, INT, to, 0, WORLD, &both[to - 1]);
        }
        MPI_Waitall(size - 1, both, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}

/* Ring of four: only even ranks wait. */
WRONG(ring_half_waits, missing wait, 4 ranks)
{
    MPI_Isend(a, 1, INT, NEXT, 0, WORLD, &request); /* here */
    MPI_Recv(b, 1, INT, LAST, 0, WORLD, IGNORE);
    if (rank % 2 == 0) {
        WAIT;
    }
}
RIGHT(ring_waits, 4 ranks)
{
    MPI_Isend(a, 1, INT, NEXT, 0, WORLD, &request);
    MPI_Recv(b, 1, INT, LAST, 0, WORLD, IGNORE);
    WAIT;
}

WRONG(test_once, missing wait)
{
    int done;
    TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); MPI_Test(&request, &done, IGNORE)) /* here */
}
RIGHT(test_until_done)
{
    int done = 0;
    TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); while (!done) MPI_Test(&request, &done, IGNORE))
}
RIGHT(test_then_wait)
{
    int done = 0;
    TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); MPI_Test(&request, &done, IGNORE); if (!done) WAIT)
}

WRONG(testall_once, missing wait)
{
    int done;
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
}
RIGHT(testall_until_done)
{
    int done = 0;
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]);
    while (!done) {
        MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    }
}

WRONG(waitany_once, missing wait)
{
    int index;
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Waitany(2, both, &index, IGNORE);
}
RIGHT(waitany_twice)
{
    int index;
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Waitany(2, both, &index, IGNORE);
    MPI_Waitany(2, both, &index, IGNORE);
}

WRONG(waitsome_once, missing wait, 3 ranks)
{
    int count, indices[2];
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);     /* here */
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]); /* here */
        MPI_Waitsome(2, both, &count, indices, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
RIGHT(waitsome_until_none, 3 ranks)
{
    int count = 0, indices[2];
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        while (count != MPI_UNDEFINED) {
            MPI_Waitsome(2, both, &count, indices, MPI_STATUSES_IGNORE);
        }
    } else {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}

/* MPI_Request_get_status tells, and leaves the request as it is. */
WRONG(status_only, missing wait or leak)
{
    int done = 0;
    TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); /* here */
         while (!done) MPI_Request_get_status(request, &done, IGNORE)) /* here */
}
RIGHT(status_and_wait)
{
    int done = 0;
    TO_1(MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
         while (!done) MPI_Request_get_status(request, &done, IGNORE);
         WAIT)
}

WRONG(cancel_without_wait, missing wait)
{
    MPI_Irecv(b, 1, INT, OTHER, 7, WORLD, &request); /* here */
    MPI_Cancel(&request);
}
RIGHT(cancel_and_wait)
{
    MPI_Irecv(b, 1, INT, OTHER, 7, WORLD, &request);
    MPI_Cancel(&request);
    WAIT;
}
RIGHT(cancel_and_free)
{
    MPI_Irecv(b, 1, INT, OTHER, 7, WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
}

/* A send that is freed completes without a wait, but the program has to learn of it. */
RIGHT(isend_freed_barrier)
{
    FROM_0(MPI_Isend(a, 1, INT, 1, 0, WORLD, &request); MPI_Request_free(&request))
    MPI_Barrier(WORLD);
}
WRONG(isend_freed, missing wait) { FROM_0(MPI_Isend(a, 1, INT, 1, 0, WORLD, &request); MPI_Request_free(&request)) } /* here */
RIGHT(wait_for_null)
{
    both[0] = both[1] = MPI_REQUEST_NULL;
    FROM_0(MPI_Isend(a, 1, INT, 1, 0, WORLD, &both[1]); MPI_Waitall(2, both, MPI_STATUSES_IGNORE))
}

/* Several processes may be no partner at all. */
WRONG(isend_to_nobody, missing wait) { MPI_Isend(a, 1, INT, MPI_PROC_NULL, 0, WORLD, &request); } /* here */
RIGHT(isend_to_nobody_waited) { MPI_Isend(a, 1, INT, MPI_PROC_NULL, 0, WORLD, &request); WAIT; }

/* The request is waited for on one branch only: a message of another kind ends the loop. */
WRONG(early_return, missing wait)
{
    if (rank == 0) {
        a[0] = -1;
        MPI_Send(a, 1, INT, 1, 0, WORLD);
        MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE);
        return;
    }
    MPI_Isend(a, 1, INT, 0, 1, WORLD, &request); /* here */
    MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    if (b[0] == -1) {
        return;
    }
    WAIT;
}
RIGHT(no_early_return)
{
    if (rank == 0) {
        a[0] = -1;
        MPI_Send(a, 1, INT, 1, 0, WORLD);
        MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE);
        return;
    }
    MPI_Isend(a, 1, INT, 0, 1, WORLD, &request);
    MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    WAIT;
}

/* ---- missing wait: collective operations ---- */

static int ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3}, bytes[4] = {0, 4, 8, 12};
static MPI_Datatype ints[4];
static void fill_ints(void) { ints[0] = ints[1] = ints[2] = ints[3] = INT; }

WRONG(ibarrier, missing wait) { MPI_Ibarrier(WORLD, &request); } /* here */
RIGHT(ibarrier_waited) { MPI_Ibarrier(WORLD, &request); WAIT; }
WRONG(ibcast, missing wait) { MPI_Ibcast(a, 9, INT, 0, WORLD, &request); } /* here */
RIGHT(ibcast_waited) { MPI_Ibcast(a, 9, INT, 0, WORLD, &request); WAIT; }
WRONG(igather, missing wait) { MPI_Igather(a, 1, INT, b, 1, INT, 0, WORLD, &request); } /* here */
RIGHT(igather_waited) { MPI_Igather(a, 1, INT, b, 1, INT, 0, WORLD, &request); WAIT; }
WRONG(igatherv, missing wait, 4 ranks) { MPI_Igatherv(a, 1, INT, b, ones, places, INT, 3, WORLD, &request); } /* here */
RIGHT(igatherv_waited, 4 ranks) { MPI_Igatherv(a, 1, INT, b, ones, places, INT, 3, WORLD, &request); WAIT; }
WRONG(iscatter, missing wait, 3 ranks) { MPI_Iscatter(a, 2, INT, b, 2, INT, 1, WORLD, &request); } /* here */
RIGHT(iscatter_waited, 3 ranks) { MPI_Iscatter(a, 2, INT, b, 2, INT, 1, WORLD, &request); WAIT; }
WRONG(iallgather, missing wait, 3 ranks) { MPI_Iallgather(a, 2, INT, b, 2, INT, WORLD, &request); } /* here */
RIGHT(iallgather_waited, 3 ranks) { MPI_Iallgather(a, 2, INT, b, 2, INT, WORLD, &request); WAIT; }
WRONG(ialltoall, missing wait, 4 ranks) { MPI_Ialltoall(a, 2, INT, b, 2, INT, WORLD, &request); } /* here */
RIGHT(ialltoall_waited, 4 ranks) { MPI_Ialltoall(a, 2, INT, b, 2, INT, WORLD, &request); WAIT; }
WRONG(ialltoallw, missing wait, 4 ranks)
{
    fill_ints();
    MPI_Ialltoallw(a, ones, bytes, ints, b, ones, bytes, ints, WORLD, &request); /* here */
}
RIGHT(ialltoallw_waited, 4 ranks)
{
    fill_ints();
    MPI_Ialltoallw(a, ones, bytes, ints, b, ones, bytes, ints, WORLD, &request);
    WAIT;
}
WRONG(ireduce, missing wait, 3 ranks) { MPI_Ireduce(a, b, 1, INT, MPI_MAX, 2, WORLD, &request); } /* here */
RIGHT(ireduce_waited, 3 ranks) { MPI_Ireduce(a, b, 1, INT, MPI_MAX, 2, WORLD, &request); WAIT; }
WRONG(iallreduce, missing wait) { MPI_Iallreduce(a, b, 8, INT, MPI_SUM, WORLD, &request); } /* here */
RIGHT(iallreduce_waited) { MPI_Iallreduce(a, b, 8, INT, MPI_SUM, WORLD, &request); WAIT; }
WRONG(ireduce_scatter, missing wait, 4 ranks) { MPI_Ireduce_scatter(a, b, ones, INT, MPI_SUM, WORLD, &request); } /* here */
RIGHT(ireduce_scatter_waited, 4 ranks) { MPI_Ireduce_scatter(a, b, ones, INT, MPI_SUM, WORLD, &request); WAIT; }
WRONG(iscan, missing wait, 3 ranks) { MPI_Iscan(a, b, 1, INT, MPI_SUM, WORLD, &request); } /* here */
RIGHT(iscan_waited, 3 ranks) { MPI_Iscan(a, b, 1, INT, MPI_SUM, WORLD, &request); WAIT; }
WRONG(iexscan, missing wait, 3 ranks) { MPI_Iexscan(a, b, 1, INT, MPI_SUM, WORLD, &request); } /* here */
RIGHT(iexscan_waited, 3 ranks) { MPI_Iexscan(a, b, 1, INT, MPI_SUM, WORLD, &request); WAIT; }

/* One rank of several waits for all. */
WRONG(root_alone_waits, missing wait, 4 ranks)
{
    MPI_Ireduce(a, b, 4, INT, MPI_SUM, 0, WORLD, &request); /* here */
    if (rank == 0) {
        WAIT;
    }
}
RIGHT(not_only_root_waits, 4 ranks)
{
    MPI_Ireduce(a, b, 4, INT, MPI_SUM, 0, WORLD, &request);
    WAIT;
}

WRONG(ineighbor, missing wait, 4 ranks)
{
    MPI_Comm ring;
    MPI_Cart_create(WORLD, 1, (int[]){size}, (int[]){1}, 0, &ring);
    MPI_Ineighbor_allgather(a, 1, INT, b, 1, INT, ring, &request); /* here */
    MPI_Barrier(ring);
    MPI_Comm_free(&ring);
}
RIGHT(ineighbor_waited, 4 ranks)
{
    MPI_Comm ring;
    MPI_Cart_create(WORLD, 1, (int[]){size}, (int[]){1}, 0, &ring);
    MPI_Ineighbor_allgather(a, 1, INT, b, 1, INT, ring, &request);
    MPI_Barrier(ring);
    WAIT;
    MPI_Comm_free(&ring);
}

WRONG(idup, missing wait)
{
    MPI_Comm copy;
    MPI_Comm_idup(WORLD, &copy, &request); /* here */
    MPI_Barrier(WORLD);
}
RIGHT(idup_waited)
{
    MPI_Comm copy;
    MPI_Comm_idup(WORLD, &copy, &request);
    MPI_Barrier(WORLD);
    WAIT;
    MPI_Comm_free(&copy);
}

/* ---- missing wait: one-sided accesses, generalized requests ---- */

static MPI_Win window;
static int *shared;
#define LOCKED(calls)                                                                                 \
    MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &shared, &window);           \
    if (rank == 0) {                                                                                  \
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);                                               \
        calls;                                                                                        \
        MPI_Win_unlock(1, window);                                                                    \
    }                                                                                                 \
    MPI_Win_free(&window);

WRONG(rput, missing wait) { LOCKED(MPI_Rput(a, 1, INT, 1, 0, 1, INT, window, &request)) } /* here */
RIGHT(rput_waited) { LOCKED(MPI_Rput(a, 1, INT, 1, 0, 1, INT, window, &request); WAIT) }
WRONG(rget, missing wait) { LOCKED(MPI_Rget(b, 1, INT, 1, 0, 1, INT, window, &request)) } /* here */
RIGHT(rget_waited) { LOCKED(MPI_Rget(b, 1, INT, 1, 0, 1, INT, window, &request); WAIT) }
WRONG(raccumulate, missing wait) { LOCKED(MPI_Raccumulate(a, 1, INT, 1, 0, 1, INT, MPI_SUM, window, &request)) } /* here */
RIGHT(raccumulate_waited) { LOCKED(MPI_Raccumulate(a, 1, INT, 1, 0, 1, INT, MPI_SUM, window, &request); WAIT) }

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void *state) { return (void)state, MPI_SUCCESS; }
static int cancel(void *state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }
WRONG(grequest, missing wait or leak)
{
    MPI_Grequest_start(query, release, cancel, NULL, &request); /* here */
    MPI_Grequest_complete(request);
}
RIGHT(grequest_waited)
{
    MPI_Grequest_start(query, release, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    WAIT;
}
