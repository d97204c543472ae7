/* Calls that belong together and differ: communicators, roots, operators, tags. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
static MPI_Comm part, other;

/* ---- communicators: two copies of the world ---- */

static void open_both(void)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_dup(WORLD, &other);
}
static void close_both(void)
{
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
}
/* The communicator of rank 1 differs, or is that of all. */
#define MINE (rank == 1 ? other : part)

WRONG(bcast_comms, communicator mismatch) { open_both(); MPI_Bcast(a, 1, INT, 0, MINE); close_both(); } /* here */
RIGHT(bcast_comm) { open_both(); MPI_Bcast(a, 1, INT, 0, part); close_both(); }
WRONG(barrier_comms, communicator mismatch, 3 ranks) { open_both(); MPI_Barrier(MINE); close_both(); } /* here */
RIGHT(barrier_comm, 3 ranks) { open_both(); MPI_Barrier(part); close_both(); }
WRONG(barrier_world_or_dup, communicator mismatch) { open_both(); MPI_Barrier(rank ? part : WORLD); close_both(); } /* here */
RIGHT(barrier_world_and_dup) { open_both(); MPI_Barrier(part); MPI_Barrier(WORLD); close_both(); }
WRONG(reduce_comms, communicator mismatch) { open_both(); MPI_Reduce(a, b, 1, INT, MPI_SUM, 1, MINE); close_both(); } /* here */
RIGHT(reduce_comm) { open_both(); MPI_Reduce(a, b, 1, INT, MPI_SUM, 1, part); close_both(); }
WRONG(allreduce_comms, communicator mismatch, 4 ranks) { open_both(); MPI_Allreduce(a, b, 1, INT, MPI_SUM, MINE); close_both(); } /* here */
RIGHT(allreduce_comm, 4 ranks) { open_both(); MPI_Allreduce(a, b, 1, INT, MPI_SUM, part); close_both(); }
WRONG(alltoall_comms, communicator mismatch) { open_both(); MPI_Alltoall(a, 1, INT, b, 1, INT, MINE); close_both(); } /* here */
RIGHT(alltoall_comm) { open_both(); MPI_Alltoall(a, 1, INT, b, 1, INT, other); close_both(); }
WRONG(ibarrier_comms, communicator mismatch) { open_both(); MPI_Ibarrier(MINE, &request); WAIT; close_both(); } /* here */
RIGHT(ibarrier_comm) { open_both(); MPI_Ibarrier(part, &request); WAIT; close_both(); }
WRONG(iallgather_comms, communicator mismatch) { open_both(); MPI_Iallgather(a, 1, INT, b, 1, INT, MINE, &request); WAIT; close_both(); } /* here */
RIGHT(iallgather_comm) { open_both(); MPI_Iallgather(a, 1, INT, b, 1, INT, part, &request); WAIT; close_both(); }
/* The communicator has the ranks in the other order; both calls name rank 0 or 1 of their own one. */
WRONG(send_and_receive_reversed, communicator mismatch)
{
    MPI_Comm_split(WORLD, 0, -rank, &part);
    rank ? MPI_Recv(b, 1, INT, 0, 0, part, IGNORE) : MPI_Send(a, 1, INT, 1, 0, WORLD); /* here */
    MPI_Comm_free(&part);
}
RIGHT(send_to_reversed)
{
    MPI_Comm_split(WORLD, 0, -rank, &part);
    rank ? MPI_Recv(b, 1, INT, 1, 0, part, IGNORE) : MPI_Send(a, 1, INT, 0, 0, part);
    MPI_Comm_free(&part);
}
WRONG(ring_with_reversed, communicator mismatch, 3 ranks)
{
    MPI_Comm_split(WORLD, 0, -rank, &part);
    if (rank == 0) {
        MPI_Send(a, 1, INT, 2, 5, WORLD);
    } else if (rank == 2) {
        MPI_Recv(b, 1, INT, 0, 5, part, IGNORE); /* here */
    }
    MPI_Comm_free(&part);
}
WRONG(dup_comms, communicator mismatch)
{
    MPI_Comm copy;
    open_both();
    MPI_Comm_dup(MINE, &copy); /* here */
    MPI_Comm_free(&copy);
    close_both();
}
RIGHT(dup_comm)
{
    MPI_Comm copy;
    open_both();
    MPI_Comm_dup(part, &copy);
    MPI_Comm_free(&copy);
    close_both();
}
WRONG(persistent_comms, communicator mismatch)
{
    open_both();
    MPI_Allreduce_init(a, b, 1, INT, MPI_SUM, MINE, MPI_INFO_NULL, &request); /* here */
    MPI_Start(&request);                                                      /* here */
    WAIT;
    MPI_Request_free(&request);
    close_both();
}
RIGHT(persistent_comm)
{
    open_both();
    MPI_Allreduce_init(a, b, 1, INT, MPI_SUM, part, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
    close_both();
}
WRONG(part_and_world, communicator mismatch, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Bcast(a, 1, INT, 0, rank == 3 ? WORLD : part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(part_of_world, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Bcast(a, 1, INT, 0, part);
    MPI_Comm_free(&part);
}
WRONG(neighbor_comms, communicator mismatch, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &other);
    MPI_Neighbor_alltoall(a, 1, INT, b, 1, INT, MINE); /* here */
    close_both();
}
RIGHT(neighbor_comm, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &other);
    MPI_Neighbor_alltoall(a, 1, INT, b, 1, INT, other);
    close_both();
}
WRONG(message_comms, communicator mismatch)
{
    open_both();
    if (rank == 0) {
        MPI_Ssend(a, 1, INT, 1, 0, part); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 0, other, IGNORE); /* here */
    }
    close_both();
}
RIGHT(message_comm)
{
    open_both();
    if (rank == 0) {
        MPI_Ssend(a, 1, INT, 1, 0, other);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, other, IGNORE);
    }
    close_both();
}
WRONG(library_communicator, communicator mismatch)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, WORLD); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 0, part, IGNORE); /* here */
    }
    MPI_Comm_free(&part);
}
RIGHT(library_communicators)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, part);
        MPI_Send(a, 1, INT, 1, 0, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, part, IGNORE);
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
    MPI_Comm_free(&part);
}
WRONG(isend_irecv_comms, communicator mismatch)
{
    open_both();
    MPI_Irecv(b, 1, INT, OTHER, 0, other, &both[0]); /* here */
    MPI_Isend(a, 1, INT, OTHER, 0, part, &both[1]);  /* here */
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    close_both();
}
RIGHT(isend_irecv_comm)
{
    open_both();
    MPI_Irecv(b, 1, INT, OTHER, 0, part, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, part, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    close_both();
}
WRONG(persistent_message_comms, communicator mismatch)
{
    open_both();
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, part, &request); /* here */
    } else {
        MPI_Recv_init(b, 1, INT, 0, 0, other, &request); /* here */
    }
    MPI_Start(&request); /* here */
    WAIT;
    MPI_Request_free(&request);
    close_both();
}
RIGHT(persistent_message_comm)
{
    open_both();
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, part, &request);
    } else {
        MPI_Recv_init(b, 1, INT, 0, 0, part, &request);
    }
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
    close_both();
}

/* ---- roots: that of rank 1 differs, or is that of all ---- */

#define ROOT (rank == 1 ? 1 : 0)
WRONG(bcast_roots, root mismatch) { MPI_Bcast(a, 1, INT, ROOT, WORLD); } /* here */
RIGHT(bcast_root) { MPI_Bcast(a, 1, INT, 1, WORLD); }
WRONG(bcast_own_root, root mismatch, 3 ranks) { MPI_Bcast(a, 1, INT, rank, WORLD); } /* here */
RIGHT(bcast_each_root, 3 ranks) { for (int root = 0; root < size; root++) { MPI_Bcast(a, 1, INT, root, WORLD); } }
WRONG(reduce_roots, root mismatch) { MPI_Reduce(a, b, 1, INT, MPI_SUM, ROOT, WORLD); } /* here */
RIGHT(reduce_root) { MPI_Reduce(a, b, 1, INT, MPI_SUM, 1, WORLD); }
WRONG(gather_roots, root mismatch, 3 ranks) { MPI_Gather(a, 1, INT, b, 1, INT, ROOT, WORLD); } /* here */
RIGHT(gather_root, 3 ranks) { MPI_Gather(a, 1, INT, b, 1, INT, 2, WORLD); }
WRONG(scatter_roots, root mismatch, 4 ranks) { MPI_Scatter(a, 1, INT, b, 1, INT, ROOT, WORLD); } /* here */
RIGHT(scatter_root, 4 ranks) { MPI_Scatter(a, 1, INT, b, 1, INT, 3, WORLD); }
WRONG(gatherv_roots, root mismatch) { MPI_Gatherv(a, 1, INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, ROOT, WORLD); } /* here */
RIGHT(gatherv_root) { MPI_Gatherv(a, 1, INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, 1, WORLD); }
WRONG(scatterv_roots, root mismatch) { MPI_Scatterv(a, (int[]){1, 1}, (int[]){0, 1}, INT, b, 1, INT, ROOT, WORLD); } /* here */
RIGHT(scatterv_root) { MPI_Scatterv(a, (int[]){1, 1}, (int[]){0, 1}, INT, b, 1, INT, 1, WORLD); }
WRONG(ibcast_roots, root mismatch) { MPI_Ibcast(a, 1, INT, ROOT, WORLD, &request); WAIT; } /* here */
RIGHT(ibcast_root) { MPI_Ibcast(a, 1, INT, 1, WORLD, &request); WAIT; }
WRONG(ireduce_roots, root mismatch, 3 ranks) { MPI_Ireduce(a, b, 1, INT, MPI_SUM, ROOT, WORLD, &request); WAIT; } /* here */
RIGHT(ireduce_root, 3 ranks) { MPI_Ireduce(a, b, 1, INT, MPI_SUM, 1, WORLD, &request); WAIT; }
WRONG(igather_roots, root mismatch) { MPI_Igather(a, 1, INT, b, 1, INT, ROOT, WORLD, &request); WAIT; } /* here */
RIGHT(igather_root) { MPI_Igather(a, 1, INT, b, 1, INT, 1, WORLD, &request); WAIT; }
WRONG(bcast_init_roots, root mismatch)
{
    MPI_Bcast_init(a, 1, INT, ROOT, WORLD, MPI_INFO_NULL, &request); /* here */
    MPI_Start(&request);                                             /* here */
    WAIT;
    MPI_Request_free(&request);
}
RIGHT(bcast_init_root)
{
    MPI_Bcast_init(a, 1, INT, 1, WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
/* The last rank of the world is not the last rank of a part. */
WRONG(part_roots, root mismatch, 4 ranks)
{
    MPI_Comm_split(WORLD, rank == 3, 0, &part);
    MPI_Bcast(a, 1, INT, rank == 2 ? 2 : 0, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(part_root, 4 ranks)
{
    MPI_Comm_split(WORLD, rank == 3, 0, &part);
    MPI_Bcast(a, 1, INT, rank == 3 ? 0 : 2, part);
    MPI_Comm_free(&part);
}
/* Between groups: the root is MPI_ROOT, its group has MPI_PROC_NULL, the other group the root's rank. */
static void bridge(void)
{
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, (rank + 1) % 2, 0, &other);
}
WRONG(intercommunicator_two_roots, root mismatch, 4 ranks)
{
    bridge();
    MPI_Bcast(a, 1, INT, rank % 2 ? 0 : MPI_ROOT, other); /* here */
    close_both();
}
RIGHT(intercommunicator_root, 4 ranks)
{
    bridge();
    MPI_Bcast(a, 1, INT, rank % 2 ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, other);
    close_both();
}
WRONG(intercommunicator_other_root, root mismatch, 4 ranks)
{
    bridge();
    MPI_Bcast(a, 1, INT, rank % 2 ? 1 : rank ? MPI_PROC_NULL : MPI_ROOT, other); /* here */
    close_both();
}

/* ---- operators: that of rank 1 differs ---- */

#define OP (rank == 1 ? MPI_MAX : MPI_SUM)
WRONG(reduce_ops, operator mismatch) { MPI_Reduce(a, b, 1, INT, OP, 0, WORLD); } /* here */
RIGHT(reduce_op) { MPI_Reduce(a, b, 1, INT, MPI_MAX, 0, WORLD); }
WRONG(allreduce_ops, operator mismatch, 3 ranks) { MPI_Allreduce(a, b, 1, INT, OP, WORLD); } /* here */
RIGHT(allreduce_op, 3 ranks) { MPI_Allreduce(a, b, 1, INT, MPI_MIN, WORLD); }
WRONG(reduce_scatter_ops, operator mismatch) { MPI_Reduce_scatter(a, b, (int[]){1, 1}, INT, OP, WORLD); } /* here */
RIGHT(reduce_scatter_op) { MPI_Reduce_scatter(a, b, (int[]){1, 1}, INT, MPI_PROD, WORLD); }
WRONG(reduce_scatter_block_ops, operator mismatch) { MPI_Reduce_scatter_block(a, b, 1, INT, OP, WORLD); } /* here */
RIGHT(reduce_scatter_block_op) { MPI_Reduce_scatter_block(a, b, 1, INT, MPI_BOR, WORLD); }
WRONG(scan_ops, operator mismatch, 4 ranks) { MPI_Scan(a, b, 1, INT, OP, WORLD); } /* here */
RIGHT(scan_op, 4 ranks) { MPI_Scan(a, b, 1, INT, MPI_LAND, WORLD); }
WRONG(exscan_ops, operator mismatch, 4 ranks) { MPI_Exscan(a, b, 1, INT, OP, WORLD); } /* here */
RIGHT(exscan_op, 4 ranks) { MPI_Exscan(a, b, 1, INT, MPI_BXOR, WORLD); }
WRONG(iallreduce_ops, operator mismatch) { MPI_Iallreduce(a, b, 1, INT, OP, WORLD, &request); WAIT; } /* here */
RIGHT(iallreduce_op) { MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &request); WAIT; }
WRONG(ireduce_ops, operator mismatch) { MPI_Ireduce(a, b, 1, INT, OP, 0, WORLD, &request); WAIT; } /* here */
RIGHT(ireduce_op) { MPI_Ireduce(a, b, 1, INT, MPI_SUM, 0, WORLD, &request); WAIT; }
WRONG(part_ops, operator mismatch, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Allreduce(a, b, 1, INT, rank == 3 ? MPI_MIN : MPI_MAX, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(part_op, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Allreduce(a, b, 1, INT, rank >= 2 ? MPI_MIN : MPI_MAX, part);
    MPI_Comm_free(&part);
}
WRONG(allreduce_init_ops, operator mismatch)
{
    MPI_Allreduce_init(a, b, 1, INT, OP, WORLD, MPI_INFO_NULL, &request); /* here */
    MPI_Start(&request);                                                  /* here */
    WAIT;
    MPI_Request_free(&request);
}
RIGHT(allreduce_init_op)
{
    MPI_Allreduce_init(a, b, 1, INT, MPI_MAX, WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
static void add(void *x, void *y, int *count, MPI_Datatype *type)
{
    for (int i = 0; type && i < *count; i++) {
        ((int *)y)[i] += ((int *)x)[i];
    }
}
/* Own operators: the same function is the same operator, a function and MPI_SUM are not. */
WRONG(own_and_predefined_op, operator mismatch)
{
    MPI_Op own;
    MPI_Op_create(add, 1, &own);
    MPI_Allreduce(a, b, 1, INT, rank ? own : MPI_SUM, WORLD); /* here */
    MPI_Op_free(&own);
}
RIGHT(own_op)
{
    MPI_Op own;
    MPI_Op_create(add, 1, &own);
    MPI_Allreduce(a, b, 1, INT, own, WORLD);
    MPI_Op_free(&own);
}

/* ---- tags ---- */

WRONG(tags, tag mismatch)
{
    if (rank == 0) {
        MPI_Ssend(a, 1, INT, 1, 1, WORLD); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE); /* here */
    }
}
RIGHT(tag)
{
    if (rank == 0) {
        MPI_Ssend(a, 1, INT, 1, 2, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE);
    }
}
WRONG(standard_tags, tag mismatch)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE); /* here */
    }
}
RIGHT(any_tag)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, MPI_ANY_TAG, WORLD, IGNORE);
    }
}
WRONG(own_rank_as_tag, tag mismatch)
{
    MPI_Isend(a, 1, INT, OTHER, rank, WORLD, &request); /* here */
    MPI_Recv(b, 1, INT, OTHER, rank, WORLD, IGNORE);    /* here */
    WAIT;
}
RIGHT(sender_as_tag)
{
    MPI_Isend(a, 1, INT, OTHER, rank, WORLD, &request);
    MPI_Recv(b, 1, INT, OTHER, OTHER, WORLD, IGNORE);
    WAIT;
}
WRONG(tags_of_directions, tag mismatch, 3 ranks)
{
    MPI_Sendrecv(a, 1, INT, NEXT, 10, b, 1, INT, LAST, 11, WORLD, IGNORE); /* here */
}
RIGHT(tag_of_direction, 3 ranks)
{
    MPI_Sendrecv(a, 1, INT, NEXT, 10, b, 1, INT, LAST, 10, WORLD, IGNORE);
}
WRONG(irecv_tags, tag mismatch)
{
    MPI_Irecv(b, 1, INT, OTHER, 3, WORLD, &both[0]); /* here */
    MPI_Isend(a, 1, INT, OTHER, 4, WORLD, &both[1]); /* here */
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);       /* here */
}
RIGHT(irecv_tag)
{
    MPI_Irecv(b, 1, INT, OTHER, 4, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 4, WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
WRONG(persistent_tags, tag mismatch)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
    } else {
        MPI_Recv_init(b, 1, INT, 0, 1, WORLD, &request); /* here */
    }
    MPI_Start(&request); /* here */
    WAIT;                /* here */
    MPI_Request_free(&request);
}
RIGHT(persistent_tag)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 1, WORLD, &request);
    } else {
        MPI_Recv_init(b, 1, INT, 0, 1, WORLD, &request);
    }
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(probe_tags, tag mismatch)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD); /* here */
    } else {
        MPI_Probe(0, 2, WORLD, IGNORE); /* here */
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
    }
}
RIGHT(probe_tag)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD);
    } else {
        MPI_Probe(0, 1, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
    }
}
/* The tag counts messages; one rank begins with one. */
WRONG(counted_tags, tag mismatch)
{
    for (int step = 0; step < 3; step++) {
        if (rank == 0) {
            MPI_Ssend(a, 1, INT, 1, step, WORLD); /* here */
        } else {
            MPI_Recv(b, 1, INT, 0, step + 1, WORLD, IGNORE); /* here */
        }
    }
}
RIGHT(counted_tag)
{
    for (int step = 0; step < 3; step++) {
        if (rank == 0) {
            MPI_Ssend(a, 1, INT, 1, step, WORLD);
        } else {
            MPI_Recv(b, 1, INT, 0, step, WORLD, IGNORE);
        }
    }
}
WRONG(part_tags, tag mismatch, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    if (rank % 2 == 0) {
        MPI_Ssend(a, 1, INT, 1, rank / 2, part); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 0, part, IGNORE); /* here */
    }
    MPI_Comm_free(&part);
}
RIGHT(part_tag, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    if (rank % 2 == 0) {
        MPI_Ssend(a, 1, INT, 1, rank / 2, part);
    } else {
        MPI_Recv(b, 1, INT, 0, rank / 2, part, IGNORE);
    }
    MPI_Comm_free(&part);
}
RIGHT(tags_out_of_order)
{
    if (rank == 0) {
        MPI_Isend(a, 1, INT, 1, 1, WORLD, &both[0]);
        MPI_Isend(a, 1, INT, 1, 2, WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(b, 1, INT, 0, 2, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
    }
}
