/* Collective calls that differ from rank to rank, or are made in another order. */
#include "check.h"

#define BARRIER MPI_Barrier(WORLD)
#define BCAST MPI_Bcast(a, 1, INT, 0, WORLD)
#define REDUCE MPI_Reduce(a, b, 1, INT, MPI_SUM, 0, WORLD)
#define ALLREDUCE MPI_Allreduce(a, b, 1, INT, MPI_SUM, WORLD)
#define GATHER MPI_Gather(a, 1, INT, b, 1, INT, 0, WORLD)
#define SCAN MPI_Scan(a, b, 1, INT, MPI_SUM, WORLD)
#define WAIT MPI_Wait(&request, IGNORE)
static MPI_Comm part, other;
static MPI_Win window;

/* ---- collective calls that differ ---- */

WRONG(bcast_and_reduce, call order) { rank ? REDUCE : BCAST; } /* here */
RIGHT(bcast_then_reduce) { BCAST; REDUCE; }
WRONG(barrier_and_bcast, call order, 3 ranks) { rank == 1 ? BCAST : BARRIER; } /* here */
RIGHT(barrier_of_all, 3 ranks) { rank == 1 ? BARRIER : BARRIER; }
WRONG(reduce_and_allreduce, call order) { rank ? ALLREDUCE : REDUCE; } /* here */
RIGHT(reduce_of_all) { REDUCE; ALLREDUCE; }
WRONG(gather_and_allgather, call order, 4 ranks) { rank ? GATHER : MPI_Allgather(a, 1, INT, b, 1, INT, WORLD); } /* here */
RIGHT(gather_of_all, 4 ranks) { GATHER; MPI_Allgather(a, 1, INT, b, 1, INT, WORLD); }
WRONG(scan_and_exscan, call order, 3 ranks) { rank ? SCAN : MPI_Exscan(a, b, 1, INT, MPI_SUM, WORLD); } /* here */
RIGHT(scan_of_all, 3 ranks) { SCAN; MPI_Exscan(a, b, 1, INT, MPI_SUM, WORLD); }
WRONG(gather_and_gatherv, call order) { rank ? GATHER : MPI_Gatherv(a, 1, INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, 0, WORLD); } /* here */
RIGHT(gatherv_of_all) { MPI_Gatherv(a, 1, INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, 0, WORLD); }
WRONG(alltoall_and_barrier, call order) { rank ? MPI_Alltoall(a, 1, INT, b, 1, INT, WORLD) : BARRIER; } /* here */
/* Data of one call is too long for the buffer of another one: that follows. */
WRONG(alltoallv_and_alltoall, call order) { rank ? MPI_Alltoall(a, 1, INT, b, 1, INT, WORLD) : MPI_Alltoallv(a, (int[]){1, 3}, (int[]){0, 1}, INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, WORLD); } /* here */
WRONG(ialltoall_and_exscan, call order)
{
    if (rank) {
        MPI_Exscan(a, b, 4, INT, MPI_SUM, WORLD); /* here */
        MPI_Ialltoall(a, 1, INT, b, 1, INT, WORLD, &request);
    } else {
        MPI_Ialltoall(a, 1, INT, b, 1, INT, WORLD, &request); /* here */
        MPI_Exscan(c, c + 8, 4, INT, MPI_SUM, WORLD);
    }
    WAIT;
}
RIGHT(ialltoall_then_exscan)
{
    MPI_Ialltoall(a, 1, INT, b, 1, INT, WORLD, &request);
    MPI_Exscan(c, c + 8, 4, INT, MPI_SUM, WORLD);
    WAIT;
}
RIGHT(alltoall_then_barrier) { MPI_Alltoall(a, 1, INT, b, 1, INT, WORLD); BARRIER; }
WRONG(blocking_and_nonblocking, call order)
{
    if (rank == 0) {
        BCAST; /* here */
    } else {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request); /* here */
        WAIT;
    }
}
RIGHT(nonblocking_on_both)
{
    if (rank == 0) {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
        WAIT;
    } else {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
        BARRIER;
        WAIT;
        return;
    }
    BARRIER;
}
WRONG(ibcast_and_ireduce, call order)
{
    if (rank == 0) {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request); /* here */
    } else {
        MPI_Ireduce(a, b, 1, INT, MPI_SUM, 0, WORLD, &request); /* here */
    }
    WAIT;
}
RIGHT(ibcast_of_both)
{
    if (rank == 0) {
        MPI_Ibcast(a, 1, INT, 0, WORLD, &request);
    } else {
        MPI_Ibcast(b, 1, INT, 0, WORLD, &request);
    }
    WAIT;
}

/* Two calls in another order. */
WRONG(swapped, call order)
{
    if (rank == 0) {
        BCAST;     /* here */
        ALLREDUCE; /* here */
    } else {
        ALLREDUCE; /* here */
        BCAST;     /* here */
    }
}
RIGHT(not_swapped)
{
    if (rank == 0) {
        BCAST;
        ALLREDUCE;
    } else {
        BCAST;
        ALLREDUCE;
    }
}
WRONG(nonblocking_swapped, call order, 3 ranks)
{
    if (rank == 2) {
        MPI_Ibarrier(WORLD, &both[0]);                                 /* here */
        MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &both[1]);        /* here */
    } else {
        MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &both[1]);        /* here */
        MPI_Ibarrier(WORLD, &both[0]);                                 /* here */
    }
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
RIGHT(waits_swapped, 3 ranks)
{
    MPI_Ibarrier(WORLD, &both[0]);
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &both[1]);
    MPI_Wait(&both[rank == 2], IGNORE);
    MPI_Wait(&both[rank != 2], IGNORE);
}
/* On two communicators: each has its own order, but blocking calls wait. */
WRONG(swapped_communicators, call order or communicator mismatch)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        BARRIER;           /* here */
        MPI_Barrier(part); /* here */
    } else {
        MPI_Barrier(part); /* here */
        BARRIER;           /* here */
    }
    MPI_Comm_free(&part);
}
RIGHT(swapped_communicators_nonblocking)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        MPI_Ibarrier(WORLD, &both[0]);
        MPI_Ibarrier(part, &both[1]);
    } else {
        MPI_Ibarrier(part, &both[1]);
        MPI_Ibarrier(WORLD, &both[0]);
    }
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&part);
}
/* Rows and columns of a grid: some ranks begin with their row, others with their column. */
WRONG(rows_and_columns, call order or communicator mismatch, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Comm_split(WORLD, rank % 2, 0, &other);
    if (rank == 0 || rank == 3) {
        MPI_Barrier(part);  /* here */
        MPI_Barrier(other); /* here */
    } else {
        MPI_Barrier(other); /* here */
        MPI_Barrier(part);  /* here */
    }
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
}
RIGHT(rows_then_columns, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Comm_split(WORLD, rank % 2, 0, &other);
    MPI_Barrier(part);
    MPI_Barrier(other);
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
}

/* One rank leaves out a call, or makes one more. */
WRONG(barrier_left_out, call order, 3 ranks)
{
    if (rank != 2) {
        BARRIER; /* here */
    }
}
RIGHT(barrier_not_left_out, 3 ranks)
{
    if (rank != 2) {
        a[0] = 1;
    }
    BARRIER;
}
WRONG(only_root_broadcasts, call order)
{
    if (rank == 0) {
        BCAST; /* here */
    }
    BARRIER; /* here */
}
RIGHT(all_broadcast)
{
    BCAST;
    BARRIER;
}
WRONG(steps_differ, call order, 3 ranks)
{
    for (int step = 0; step < (rank == 1 ? 2 : 3); step++) {
        ALLREDUCE; /* here */
    }
}
RIGHT(steps_agree, 3 ranks)
{
    for (int step = 0; step < 3; step++) {
        ALLREDUCE;
    }
}
/* Each rank leaves the loop when its own error is small. */
WRONG(own_convergence, call order)
{
    for (int error = 8 + 8 * rank; error > 0; error -= 4) {
        ALLREDUCE; /* here */
    }
}
RIGHT(common_convergence)
{
    for (int error = 8 + 8 * rank, largest = 1; largest > 0; error -= 4) {
        MPI_Allreduce(&error, &largest, 1, INT, MPI_MAX, WORLD);
    }
}
WRONG(ibarrier_left_out, call order)
{
    if (rank == 0) {
        MPI_Ibarrier(WORLD, &request); /* here */
        WAIT;                          /* here */
    }
}
RIGHT(ibarrier_of_self)
{
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_SELF, &request);
        WAIT;
    }
}
WRONG(dup_left_out, call order)
{
    if (rank == 0) {
        MPI_Comm_dup(WORLD, &part); /* here */
        MPI_Comm_free(&part);
    }
}
RIGHT(dup_of_self)
{
    if (rank == 0) {
        MPI_Comm_dup(MPI_COMM_SELF, &part);
        MPI_Comm_free(&part);
    }
}
WRONG(dup_and_split, call order)
{
    rank ? MPI_Comm_dup(WORLD, &part) : MPI_Comm_split(WORLD, 0, 0, &part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(split_on_both)
{
    rank ? MPI_Comm_split(WORLD, 0, 1, &part) : MPI_Comm_split(WORLD, 0, 0, &part);
    MPI_Comm_free(&part);
}
WRONG(split_only_members, call order, 3 ranks)
{
    if (rank < 2) {
        MPI_Comm_split(WORLD, 0, 0, &part); /* here */
        MPI_Comm_free(&part);
    }
}
RIGHT(create_group_of_members, 3 ranks)
{
    MPI_Group group, members;
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){0, 1}, &members);
    if (rank < 2) {
        MPI_Comm_create_group(WORLD, members, 0, &part);
        MPI_Barrier(part);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&members);
    MPI_Group_free(&group);
}
WRONG(window_of_one, call order)
{
    if (rank == 0) {
        MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window); /* here */
        MPI_Win_free(&window);
    }
}
RIGHT(window_of_self)
{
    if (rank == 0) {
        MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_SELF, c, &window);
        MPI_Win_free(&window);
    }
}
WRONG(fence_and_barrier, call order)
{
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    rank ? BARRIER : MPI_Win_fence(0, window); /* here */
    MPI_Win_free(&window);
}
RIGHT(fence_then_barrier)
{
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    BARRIER;
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
WRONG(neighbors_and_all, call order, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    rank ? MPI_Neighbor_allgather(a, 1, INT, b, 1, INT, part) : MPI_Allgather(a, 1, INT, b, 1, INT, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(neighbors_of_all, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_allgather(a, 1, INT, b, 1, INT, part);
    MPI_Comm_free(&part);
}
WRONG(persistent_and_blocking, call order)
{
    if (rank == 0) {
        MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request); /* here */
        MPI_Start(&request);                              /* here */
        WAIT;
        MPI_Request_free(&request);
    } else {
        BARRIER; /* here */
    }
}
RIGHT(persistent_on_both)
{
    MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
