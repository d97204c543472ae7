/* Invalid arguments: handles of objects that are freed, null, not committed or of another kind, and what makes new objects. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
static MPI_Datatype pair, row;
static MPI_Comm part;
static MPI_Group group, subgroup;
static MPI_Op op;
static MPI_Win window;
static MPI_Info info;

/* Rank 0 sends `pair` and rank 1 receives two numbers. */
static void receive_pair(void)
{
    if (rank == 1) {
        MPI_Recv(b, 2, INT, 0, 0, WORLD, IGNORE);
    }
}

/* ---- datatypes ---- */

WRONG(send_uncommitted, invalid argument)
{
    MPI_Type_contiguous(2, INT, &pair);
    rank ? receive_pair() : (void)MPI_Send(a, 1, pair, 1, 0, WORLD); /* here */
    MPI_Type_free(&pair);
}
RIGHT(send_committed)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    rank ? receive_pair() : (void)MPI_Send(a, 1, pair, 1, 0, WORLD);
    MPI_Type_free(&pair);
}

WRONG(recv_uncommitted, invalid argument)
{
    MPI_Type_vector(2, 1, 3, INT, &pair);
    rank ? MPI_Recv(b, 1, pair, 0, 0, WORLD, IGNORE) : MPI_Send(a, 2, INT, 1, 0, WORLD); /* here */
    MPI_Type_free(&pair);
}
RIGHT(recv_committed)
{
    MPI_Type_vector(2, 1, 3, INT, &pair);
    MPI_Type_commit(&pair);
    rank ? MPI_Recv(b, 1, pair, 0, 0, WORLD, IGNORE) : MPI_Send(a, 2, INT, 1, 0, WORLD);
    MPI_Type_free(&pair);
}

WRONG(bcast_uncommitted, invalid argument, 3 ranks)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Bcast(a, 1, pair, 0, WORLD); /* here */
    MPI_Type_free(&pair);
}
RIGHT(bcast_committed, 3 ranks)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(a, 1, pair, 0, WORLD);
    MPI_Type_free(&pair);
}

/* The outer type is committed; the inner one need not be. */
WRONG(inner_committed, invalid argument)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_vector(2, 1, 2, pair, &row);
    MPI_Bcast(a, 1, row, 0, WORLD); /* here */
    MPI_Type_free(&pair);
    MPI_Type_free(&row);
}
RIGHT(outer_committed)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_vector(2, 1, 2, pair, &row);
    MPI_Type_commit(&row);
    MPI_Type_free(&pair);
    MPI_Bcast(a, 1, row, 0, WORLD);
    MPI_Type_free(&row);
}

/* MPI_Type_dup of a committed type is committed; a resized one is not. */
WRONG(resized_uncommitted, invalid argument)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_create_resized(pair, 0, 12, &row);
    MPI_Bcast(a, 2, row, 0, WORLD); /* here */
    MPI_Type_free(&pair);
    MPI_Type_free(&row);
}
RIGHT(dup_is_committed)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_dup(pair, &row);
    MPI_Bcast(a, 2, row, 0, WORLD);
    MPI_Type_free(&pair);
    MPI_Type_free(&row);
}

WRONG(send_freed_type, invalid argument)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    row = pair;
    MPI_Type_free(&pair);
    rank ? receive_pair() : (void)MPI_Send(a, 1, row, 1, 0, WORLD); /* here */
}
RIGHT(free_type_while_sent)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    rank ? receive_pair() : (void)MPI_Isend(a, 1, pair, 1, 0, WORLD, &request);
    MPI_Type_free(&pair);
    rank ? 0 : WAIT;
}
WRONG(send_type_after_free, invalid argument)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_free(&pair);
    rank ? receive_pair() : (void)MPI_Send(a, 1, pair, 1, 0, WORLD); /* here */
}
WRONG(free_type_twice, invalid argument)
{
    MPI_Type_contiguous(2, INT, &pair);
    row = pair;
    MPI_Type_free(&pair);
    MPI_Type_free(&row); /* here */
}
WRONG(free_predefined_type, invalid argument) { pair = INT; MPI_Type_free(&pair); } /* here */
WRONG(commit_null_type, invalid argument) { pair = MPI_DATATYPE_NULL; MPI_Type_commit(&pair); } /* here */
RIGHT(commit_predefined_type) { pair = INT; MPI_Type_commit(&pair); }
WRONG(contiguous_negative, invalid argument) { MPI_Type_contiguous(-1, INT, &pair); MPI_Type_free(&pair); } /* here */
WRONG(vector_negative_block, invalid argument) { MPI_Type_vector(2, -1, 3, INT, &pair); MPI_Type_free(&pair); } /* here */
RIGHT(vector_negative_stride) { MPI_Type_vector(2, 1, -3, INT, &pair); MPI_Type_free(&pair); }
WRONG(struct_null_member, invalid argument)
{
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){INT, MPI_DATATYPE_NULL}, &pair); /* here */
    MPI_Type_free(&pair);
}
RIGHT(struct_of_two)
{
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){INT, MPI_DOUBLE}, &pair);
    MPI_Type_free(&pair);
}
WRONG(subarray_outside, invalid argument)
{
    MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){0, 3}, MPI_ORDER_C, INT, &pair); /* here */
    MPI_Type_free(&pair);
}
RIGHT(subarray_inside)
{
    MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){0, 2}, MPI_ORDER_C, INT, &pair);
    MPI_Type_free(&pair);
}

/* Entries of a type overlap: may be sent, must not be received. */
WRONG(recv_overlapping_type, invalid argument)
{
    MPI_Type_vector(2, 2, 1, INT, &pair);
    MPI_Type_commit(&pair);
    rank ? MPI_Recv(b, 1, pair, 0, 0, WORLD, IGNORE) : MPI_Send(a, 4, INT, 1, 0, WORLD); /* here */
    MPI_Type_free(&pair);
}
RIGHT(send_overlapping_type)
{
    MPI_Type_vector(2, 2, 1, INT, &pair);
    MPI_Type_commit(&pair);
    rank ? MPI_Recv(b, 4, INT, 0, 0, WORLD, IGNORE) : MPI_Send(a, 1, pair, 1, 0, WORLD);
    MPI_Type_free(&pair);
}
WRONG(pack_too_small, invalid argument)
{
    int at = 0;
    MPI_Pack(a, 4, INT, b, 3 * sizeof(int), &at, WORLD); /* here */
}
RIGHT(pack_fits)
{
    int at = 0;
    MPI_Pack(a, 4, INT, b, 4 * sizeof(int), &at, WORLD);
}

/* ---- communicators and groups ---- */

WRONG(bcast_freed_comm, invalid argument)
{
    MPI_Comm copy;
    MPI_Comm_dup(WORLD, &part);
    copy = part;
    MPI_Comm_free(&part);
    MPI_Bcast(a, 1, INT, 0, copy); /* here */
}
RIGHT(bcast_then_free_comm)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Bcast(a, 1, INT, 0, part);
    MPI_Comm_free(&part);
}
WRONG(barrier_after_free, invalid argument, 4 ranks)
{
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Comm_free(&part);
    MPI_Barrier(part); /* here */
}
RIGHT(barrier_before_free, 4 ranks)
{
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Barrier(part);
    MPI_Comm_free(&part);
}
RIGHT(free_comm_while_sent)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Isend(a, 1, INT, OTHER, 0, part, &both[0]);
    MPI_Irecv(b, 1, INT, OTHER, 0, part, &both[1]);
    MPI_Comm_free(&part);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
WRONG(undefined_color_barrier, invalid argument, 3 ranks)
{
    MPI_Comm_split(WORLD, rank == 2 ? MPI_UNDEFINED : 0, 0, &part);
    MPI_Barrier(part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(undefined_color_left_out, 3 ranks)
{
    MPI_Comm_split(WORLD, rank == 2 ? MPI_UNDEFINED : 0, 0, &part);
    if (part != MPI_COMM_NULL) {
        MPI_Barrier(part);
        MPI_Comm_free(&part);
    }
}
WRONG(comm_create_outsider_reduces, invalid argument, 3 ranks)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){0, 1}, &subgroup);
    MPI_Comm_create(WORLD, subgroup, &part);
    MPI_Allreduce(a, b, 1, INT, MPI_SUM, part); /* here */
    MPI_Comm_free(&part);
    MPI_Group_free(&group);
    MPI_Group_free(&subgroup);
}
RIGHT(comm_create_members_reduce, 3 ranks)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){0, 1}, &subgroup);
    MPI_Comm_create(WORLD, subgroup, &part);
    if (rank < 2) {
        MPI_Allreduce(a, b, 1, INT, MPI_SUM, part);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&subgroup);
}
/* The rank in the world is no rank of the part. */
WRONG(rank_of_world_in_part, invalid argument, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    if (rank % 2 == 0) {
        MPI_Send(a, 1, INT, rank + 1, 0, part); /* here */
    } else {
        MPI_Recv(b, 1, INT, rank - 1, 0, part, IGNORE); /* here */
    }
    MPI_Comm_free(&part);
}
RIGHT(rank_of_part, 4 ranks)
{
    int mine;
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Comm_rank(part, &mine);
    if (mine == 0) {
        MPI_Send(a, 1, INT, 1, 0, part);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, part, IGNORE);
    }
    MPI_Comm_free(&part);
}
WRONG(root_of_world_in_part, invalid argument, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Bcast(a, 1, INT, rank / 2 * 2, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(root_of_part, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    MPI_Bcast(a, 1, INT, 1, part);
    MPI_Comm_free(&part);
}
WRONG(split_negative_color, invalid argument) { MPI_Comm_split(WORLD, -5, 0, &part); MPI_Comm_free(&part); } /* here */
RIGHT(split_negative_key) { MPI_Comm_split(WORLD, 5, -rank, &part); MPI_Comm_free(&part); }
WRONG(free_world, invalid argument) { part = WORLD; MPI_Comm_free(&part); } /* here */
WRONG(free_null_comm, invalid argument) { part = MPI_COMM_NULL; MPI_Comm_free(&part); } /* here */
WRONG(rank_of_null_comm, invalid argument) { MPI_Comm_rank(MPI_COMM_NULL, &rank); } /* here */
WRONG(dup_null_comm, invalid argument) { MPI_Comm_dup(MPI_COMM_NULL, &part); MPI_Comm_free(&part); } /* here */
WRONG(incl_outside, invalid argument)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, &size, &subgroup); /* here */
    MPI_Group_free(&subgroup);
    MPI_Group_free(&group);
}
WRONG(incl_twice, invalid argument)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){1, 1}, &subgroup); /* here */
    MPI_Group_free(&subgroup);
    MPI_Group_free(&group);
}
RIGHT(incl_reversed)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){1, 0}, &subgroup);
    MPI_Group_free(&subgroup);
    MPI_Group_free(&group);
}
WRONG(group_after_free, invalid argument)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_free(&group);
    MPI_Group_size(group, &size); /* here */
}
RIGHT(group_before_free)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
}
WRONG(cart_too_large, invalid argument, 4 ranks)
{
    MPI_Cart_create(WORLD, 2, (int[]){2, 3}, (int[]){0, 0}, 0, &part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(cart_fits, 4 ranks)
{
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part);
    MPI_Comm_free(&part);
}
WRONG(cart_rank_outside, invalid argument, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){0}, 0, &part);
    MPI_Cart_rank(part, (int[]){rank + 1}, b); /* here */
    MPI_Comm_free(&part);
}
RIGHT(cart_rank_periodic, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Cart_rank(part, (int[]){rank + 1}, b);
    MPI_Comm_free(&part);
}
WRONG(shift_of_third_dimension, invalid argument, 4 ranks)
{
    int from, to;
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part);
    MPI_Cart_shift(part, 2, 1, &from, &to); /* here */
    MPI_Comm_free(&part);
}
RIGHT(shift_of_second_dimension, 4 ranks)
{
    int from, to;
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part);
    MPI_Cart_shift(part, 1, 1, &from, &to);
    MPI_Sendrecv(a, 1, INT, to, 0, b, 1, INT, from, 0, part, IGNORE);
    MPI_Comm_free(&part);
}
WRONG(shift_without_topology, invalid argument)
{
    int from, to;
    MPI_Comm_dup(WORLD, &part);
    MPI_Cart_shift(part, 0, 1, &from, &to); /* here */
    MPI_Comm_free(&part);
}
WRONG(neighbor_without_topology, invalid argument)
{
    MPI_Neighbor_allgather(a, 1, INT, b, 1, INT, WORLD); /* here */
}
RIGHT(neighbor_of_ring, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){size}, (int[]){1}, 0, &part);
    MPI_Neighbor_allgather(a, 1, INT, b, 1, INT, part);
    MPI_Comm_free(&part);
}
WRONG(scan_between_groups, invalid argument)
{
    MPI_Comm bridge;
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &bridge);
    MPI_Scan(a, b, 1, INT, MPI_SUM, bridge); /* here */
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&part);
}
RIGHT(allreduce_between_groups)
{
    MPI_Comm bridge;
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &bridge);
    MPI_Allreduce(a, b, 1, INT, MPI_SUM, bridge);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&part);
}

/* ---- operators, windows, hints, keys, buffers ---- */

static void add(void *x, void *y, int *count, MPI_Datatype *type)
{
    for (int i = 0; type && i < *count; i++) {
        ((int *)y)[i] += ((int *)x)[i];
    }
}
WRONG(reduce_freed_op, invalid argument)
{
    MPI_Op copy;
    MPI_Op_create(add, 1, &op);
    copy = op;
    MPI_Op_free(&op);
    MPI_Allreduce(a, b, 1, INT, copy, WORLD); /* here */
}
WRONG(reduce_op_after_free, invalid argument, 3 ranks)
{
    MPI_Op_create(add, 1, &op);
    MPI_Op_free(&op);
    MPI_Reduce(a, b, 1, INT, op, 0, WORLD); /* here */
}
RIGHT(free_op_while_reduced)
{
    MPI_Op_create(add, 1, &op);
    MPI_Iallreduce(a, b, 1, INT, op, WORLD, &request);
    MPI_Op_free(&op);
    WAIT;
}
WRONG(free_predefined_op, invalid argument) { op = MPI_SUM; MPI_Op_free(&op); } /* here */
WRONG(fence_after_free, invalid argument)
{
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_fence(0, window); /* here */
}
RIGHT(fence_before_free)
{
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
WRONG(free_null_window, invalid argument) { window = MPI_WIN_NULL; MPI_Win_free(&window); } /* here */
WRONG(info_after_free, invalid argument)
{
    MPI_Info_create(&info);
    MPI_Info_free(&info);
    MPI_Info_set(info, "no_locks", "true"); /* here */
}
RIGHT(info_before_free)
{
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_free(&info);
}
WRONG(info_delete_unknown, invalid argument)
{
    MPI_Info_create(&info);
    MPI_Info_delete(info, "never_set"); /* here */
    MPI_Info_free(&info);
}
WRONG(attribute_of_freed_key, invalid argument)
{
    int key, copy;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    copy = key;
    MPI_Comm_free_keyval(&key);
    MPI_Comm_set_attr(MPI_COMM_SELF, copy, a); /* here */
}
RIGHT(attribute_of_key)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, a);
    MPI_Comm_free_keyval(&key);
}
WRONG(bsend_without_buffer, invalid argument) { rank ? MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE) : MPI_Bsend(a, 1, INT, 1, 0, WORLD); } /* here */
WRONG(bsend_small_buffer, invalid argument)
{
    static char space[100];
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    rank ? MPI_Recv(b, 64, INT, 0, 0, WORLD, IGNORE) : MPI_Bsend(a, 64, INT, 1, 0, WORLD); /* here */
    MPI_Buffer_detach(&detached, &bytes);
}
RIGHT(bsend_large_buffer)
{
    static char space[256 + MPI_BSEND_OVERHEAD];
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    rank ? MPI_Recv(b, 64, INT, 0, 0, WORLD, IGNORE) : MPI_Bsend(a, 64, INT, 1, 0, WORLD);
    MPI_Buffer_detach(&detached, &bytes);
}
WRONG(attach_twice, invalid argument)
{
    static char space[400], other[400];
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    MPI_Buffer_attach(other, sizeof other); /* here */
    MPI_Buffer_detach(&detached, &bytes);
}
