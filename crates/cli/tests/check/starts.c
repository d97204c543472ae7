/* Missing starts of persistent requests and partitioned messages, and missing waits for them. */
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

static char space[1000 + MPI_BSEND_OVERHEAD];
#define START MPI_Start(&request)
#define FREE MPI_Request_free(&request)

WRONG(send_init_not_waited, missing wait) { FROM_0(MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); START) } /* here */
RIGHT(send_init_waited) { FROM_0(MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); START; WAIT; FREE) }
WRONG(recv_init_not_waited, missing wait) { TO_1(MPI_Recv_init(b, 1, INT, 0, 0, WORLD, &request); START) } /* here */
RIGHT(recv_init_waited) { TO_1(MPI_Recv_init(b, 1, INT, 0, 0, WORLD, &request); START; WAIT; FREE) }
WRONG(ssend_init_not_waited, missing wait) { FROM_0(MPI_Ssend_init(a, 1, INT, 1, 0, WORLD, &request); START) } /* here */
RIGHT(ssend_init_waited) { FROM_0(MPI_Ssend_init(a, 1, INT, 1, 0, WORLD, &request); START; WAIT; FREE) }

WRONG(started_twice, missing wait)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
        START;                                           /* here */
        START;                                           /* here */
        WAIT;
        FREE;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(started_and_waited_twice)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request);
        START;
        WAIT;
        START;
        WAIT;
        FREE;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}

WRONG(startall_waits_one, missing wait)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Startall(2, both); /* here */
    MPI_Wait(&both[1], IGNORE);
}
RIGHT(startall_waits_all)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    for (int step = 0; step < 3; step++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

WRONG(send_init_not_started, missing start)
{
    FROM_0(MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
           WAIT; FREE)                                      /* here */
}
WRONG(recv_init_not_started, missing start)
{
    TO_1(MPI_Recv_init(b, 1, INT, 0, 0, WORLD, &request); /* here */
         WAIT; FREE)                                      /* here */
}
WRONG(ssend_init_not_started, missing start)
{
    FROM_0(MPI_Ssend_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
           WAIT; FREE)                                       /* here */
}
WRONG(bsend_init_not_started, missing start)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    FROM_0(MPI_Bsend_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
           WAIT; FREE)                                       /* here */
    MPI_Buffer_detach(&detached, &bytes);
}
RIGHT(bsend_init_started)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    FROM_0(MPI_Bsend_init(a, 1, INT, 1, 0, WORLD, &request); START; WAIT; FREE)
    MPI_Buffer_detach(&detached, &bytes);
}

/* The second step of a loop is not started. */
WRONG(started_once_of_two, missing start)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
        START;
        WAIT;
        WAIT; /* here */
        FREE;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
/* The wait for the inactive request is allowed, and is not to blame for what else is wrong. */
WRONG(idle_wait_and_other_tag, tag mismatch)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request);
        START;
        WAIT;
        WAIT;
        FREE;
        MPI_Send(a, 1, INT, 1, 1, WORLD); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE); /* here */
    }
}
RIGHT(idle_wait)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request);
        START;
        WAIT;
        WAIT;
        FREE;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
WRONG(startall_of_one, missing start)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Startall(1, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* here */
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}
WRONG(one_rank_starts, missing start, 4 ranks)
{
    MPI_Send_init(a, 1, INT, NEXT, 0, WORLD, &both[0]); /* here */
    MPI_Recv_init(b, 1, INT, LAST, 0, WORLD, &both[1]);
    MPI_Start(&both[1]);
    if (rank != 2) {
        MPI_Start(&both[0]);
    }
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* here */
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}
RIGHT(all_ranks_start, 4 ranks)
{
    MPI_Send_init(a, 1, INT, NEXT, 0, WORLD, &both[0]);
    MPI_Recv_init(b, 1, INT, LAST, 0, WORLD, &both[1]);
    MPI_Start(&both[1]);
    MPI_Start(&both[0]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}
RIGHT(never_needed)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &request);
    FREE;
}

WRONG(bcast_init_not_waited, missing wait) { MPI_Bcast_init(a, 1, INT, 0, WORLD, MPI_INFO_NULL, &request); START; } /* here */
WRONG(bcast_init_not_started, missing start)
{
    MPI_Bcast_init(a, 1, INT, 0, WORLD, MPI_INFO_NULL, &request); /* here */
    if (rank == 0) {
        START;
    }
    WAIT; /* here */
    FREE;
}
RIGHT(bcast_init_waited) { MPI_Bcast_init(a, 1, INT, 0, WORLD, MPI_INFO_NULL, &request); START; WAIT; FREE; }
WRONG(allreduce_init_not_waited, missing wait, 3 ranks)
{
    MPI_Allreduce_init(a, b, 2, INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request); /* here */
    START;                                                                     /* here */
}
WRONG(allreduce_init_not_started, missing start, 3 ranks)
{
    MPI_Allreduce_init(a, b, 2, INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request); /* here */
    if (rank) {
        START;
    }
    WAIT; /* here */
    FREE;
}
RIGHT(allreduce_init_waited, 3 ranks)
{
    MPI_Allreduce_init(a, b, 2, INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 2; step++) {
        START;
        WAIT;
    }
    FREE;
}
WRONG(barrier_init_not_waited, missing wait) { MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request); START; } /* here */
RIGHT(barrier_init_waited) { MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request); START; WAIT; FREE; }

#if MPI_VERSION >= 4
WRONG(isendrecv, missing wait) { MPI_Isendrecv(a, 1, INT, OTHER, 0, b, 1, INT, OTHER, 0, WORLD, &request); } /* here */
RIGHT(isendrecv_waited) { MPI_Isendrecv(a, 1, INT, OTHER, 0, b, 1, INT, OTHER, 0, WORLD, &request); WAIT; }

/* Two partitions of four numbers. */
WRONG(partitioned_not_waited, missing wait)
{
    if (rank == 0) {
        MPI_Psend_init(a, 2, 4, INT, 1, 0, WORLD, MPI_INFO_NULL, &request); /* here */
        START;                                                             /* here */
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(b, 2, 4, INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        START;
        WAIT;
        FREE;
    }
}
RIGHT(partitioned_waited)
{
    if (rank == 0) {
        MPI_Psend_init(a, 2, 4, INT, 1, 0, WORLD, MPI_INFO_NULL, &request);
        START;
        MPI_Pready_range(0, 1, request);
    } else {
        MPI_Precv_init(b, 2, 4, INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
        START;
    }
    WAIT;
    FREE;
}
WRONG(partitioned_not_started, missing start)
{
    if (rank == 0) {
        MPI_Psend_init(a, 2, 4, INT, 1, 0, WORLD, MPI_INFO_NULL, &request);
        START;
        MPI_Pready_range(0, 1, request);
        WAIT;
        FREE;
    } else {
        MPI_Precv_init(b, 2, 4, INT, 0, 0, WORLD, MPI_INFO_NULL, &request); /* here */
        WAIT;                                                              /* here */
        FREE;
    }
}
WRONG(partitioned_started_twice, missing wait)
{
    MPI_Psend_init(a, 2, 4, INT, MPI_PROC_NULL, 0, WORLD, MPI_INFO_NULL, &request);
    START; /* here */
    MPI_Pready_range(0, 1, request);
    START; /* here */
    MPI_Pready_range(0, 1, request);
    WAIT;
    FREE;
}
RIGHT(partitioned_started_again)
{
    MPI_Psend_init(a, 2, 4, INT, MPI_PROC_NULL, 0, WORLD, MPI_INFO_NULL, &request);
    for (int step = 0; step < 2; step++) {
        START;
        MPI_Pready_range(0, 1, request);
        WAIT;
    }
    FREE;
}
#endif
