/* Invalid arguments: each wrong call has one argument that differs from the right call. */
#include "check.h"

/* The arguments of all calls, right by default. */
static void *in = a, *out = b;
static int n = 1, peer, root, tag = 5, target = 1, place;
static MPI_Datatype type = INT;
static MPI_Comm comm = WORLD;
static MPI_Op op = MPI_SUM;
static MPI_Win window;
static int memory[16];

/* Rank 0 sends and rank 1 receives. */
#define SENDS(call) (peer = OTHER, rank == 0 ? call : MPI_Recv(b, 1, INT, 0, 5, WORLD, IGNORE))
#define RECEIVES(call) (peer = OTHER, rank == 1 ? call : MPI_Send(a, 1, INT, 1, 5, WORLD))

#define SEND MPI_Send(in, n, type, peer, tag, comm)
#define SSEND MPI_Ssend(in, n, type, peer, tag, comm)
#define ISEND MPI_Isend(in, n, type, peer, tag, comm, &request)
#define RECV MPI_Recv(out, n, type, peer, tag, comm, IGNORE)
#define IRECV MPI_Irecv(out, n, type, peer, tag, comm, &request)
#define WAIT MPI_Wait(&request, IGNORE)

/* ---- messages ---- */

RIGHT(send) { SENDS(SEND); }
WRONG(send_null, invalid argument) { SENDS((in = NULL, SEND)); } /* here */
WRONG(send_negative_count, invalid argument) { SENDS((n = -1, SEND)); } /* here */
WRONG(send_null_type, invalid argument) { SENDS((type = MPI_DATATYPE_NULL, SEND)); } /* here */
WRONG(send_to_size, invalid argument) { SENDS((peer = size, SEND)); } /* here */
WRONG(send_to_any, invalid argument) { SENDS((peer = MPI_ANY_SOURCE, SEND)); } /* here */
WRONG(send_negative_tag, invalid argument) { SENDS((tag = -7, SEND)); } /* here */
WRONG(send_any_tag, invalid argument) { SENDS((tag = MPI_ANY_TAG, SEND)); } /* here */
WRONG(send_null_comm, invalid argument) { SENDS((comm = MPI_COMM_NULL, SEND)); } /* here */
WRONG(send_in_place, invalid argument) { SENDS((in = MPI_IN_PLACE, SEND)); } /* here */
RIGHT(send_null_of_none) { in = NULL, n = 0; rank ? MPI_Recv(NULL, 0, INT, 0, 5, WORLD, IGNORE) : MPI_Send(in, n, type, 1, tag, comm); }
RIGHT(send_to_nobody) { MPI_Send(a, 1, INT, MPI_PROC_NULL, 0, WORLD); }
RIGHT(send_largest_tag)
{
    int *largest, found;
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &largest, &found);
    rank ? MPI_Recv(b, 1, INT, 0, *largest, WORLD, IGNORE) : MPI_Send(a, 1, INT, 1, *largest, WORLD);
}

RIGHT(ssend) { SENDS(SSEND); }
WRONG(ssend_to_negative, invalid argument) { SENDS((peer = -9, SSEND)); } /* here */
WRONG(ssend_negative_count, invalid argument) { SENDS((n = -4, SSEND)); } /* here */
RIGHT(isend) { SENDS(ISEND); rank ? 0 : WAIT; }
WRONG(isend_null, invalid argument) { SENDS((in = NULL, ISEND)); rank ? 0 : WAIT; } /* here */
WRONG(isend_to_size, invalid argument) { SENDS((peer = size, ISEND)); rank ? 0 : WAIT; } /* here */
WRONG(isend_null_type, invalid argument) { SENDS((type = MPI_DATATYPE_NULL, ISEND)); rank ? 0 : WAIT; } /* here */
WRONG(isend_null_comm, invalid argument) { SENDS((comm = MPI_COMM_NULL, ISEND)); rank ? 0 : WAIT; } /* here */
RIGHT(recv) { RECEIVES(RECV); }
WRONG(recv_null, invalid argument) { RECEIVES((out = NULL, RECV)); } /* here */
WRONG(recv_negative_count, invalid argument) { RECEIVES((n = -1, RECV)); } /* here */
WRONG(recv_null_type, invalid argument) { RECEIVES((type = MPI_DATATYPE_NULL, RECV)); } /* here */
WRONG(recv_from_size, invalid argument) { RECEIVES((peer = size, RECV)); } /* here */
WRONG(recv_from_negative, invalid argument) { RECEIVES((peer = -17, RECV)); } /* here */
WRONG(recv_negative_tag, invalid argument) { RECEIVES((tag = -3, RECV)); } /* here */
WRONG(recv_null_comm, invalid argument) { RECEIVES((comm = MPI_COMM_NULL, RECV)); } /* here */
RIGHT(recv_any) { RECEIVES((peer = MPI_ANY_SOURCE, tag = MPI_ANY_TAG, RECV)); }
RIGHT(irecv) { RECEIVES(IRECV); rank ? WAIT : 0; }
WRONG(irecv_null, invalid argument) { RECEIVES((out = NULL, IRECV)); rank ? WAIT : 0; } /* here */
WRONG(irecv_from_size, invalid argument) { RECEIVES((peer = size, IRECV)); rank ? WAIT : 0; } /* here */
WRONG(irecv_negative_tag, invalid argument) { RECEIVES((tag = -3, IRECV)); rank ? WAIT : 0; } /* here */

RIGHT(probe) { RECEIVES(MPI_Probe(peer, tag, comm, IGNORE)); rank ? RECV : 0; }
WRONG(probe_from_size, invalid argument) { RECEIVES((peer = size, MPI_Probe(peer, tag, comm, IGNORE))); } /* here */
WRONG(probe_null_comm, invalid argument) { RECEIVES((comm = MPI_COMM_NULL, MPI_Probe(peer, tag, comm, IGNORE))); } /* here */

#define SENDRECV MPI_Sendrecv(in, n, type, OTHER, tag, out, n, type, peer, tag, comm, IGNORE)
RIGHT(sendrecv) { peer = OTHER; SENDRECV; }
WRONG(sendrecv_aliased, invalid argument) { peer = OTHER, out = in; SENDRECV; } /* here */
WRONG(sendrecv_overlapping, invalid argument) { peer = OTHER, n = 4, out = a + 3; SENDRECV; } /* here */
RIGHT(sendrecv_adjacent) { peer = OTHER, n = 4, out = a + 4; SENDRECV; }
WRONG(sendrecv_from_size, invalid argument) { peer = size; SENDRECV; } /* here */
RIGHT(sendrecv_replace) { MPI_Sendrecv_replace(a, 4, INT, OTHER, 0, OTHER, 0, WORLD, IGNORE); }
WRONG(sendrecv_replace_null, invalid argument) { MPI_Sendrecv_replace(NULL, 4, INT, OTHER, 0, OTHER, 0, WORLD, IGNORE); } /* here */

#define SEND_INIT MPI_Send_init(in, n, type, peer, tag, comm, &request)
RIGHT(send_init) { peer = OTHER; SEND_INIT; MPI_Request_free(&request); }
WRONG(send_init_to_size, invalid argument) { peer = size; SEND_INIT; MPI_Request_free(&request); } /* here */
WRONG(send_init_negative_count, invalid argument) { peer = OTHER, n = -1; SEND_INIT; MPI_Request_free(&request); } /* here */
WRONG(recv_init_null_type, invalid argument) { MPI_Recv_init(b, 1, MPI_DATATYPE_NULL, OTHER, 0, WORLD, &request); MPI_Request_free(&request); } /* here */
WRONG(start_null, invalid argument) { request = MPI_REQUEST_NULL; MPI_Start(&request); } /* here */
WRONG(start_nonpersistent, invalid argument)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Start(&request); /* here */
    MPI_Send(a, 1, INT, OTHER, 0, WORLD);
    WAIT;
}
WRONG(wait_for_copy, invalid argument)
{
    SENDS(ISEND);
    if (rank == 0) {
        MPI_Request copy = request;
        WAIT;
        MPI_Wait(&copy, IGNORE); /* here */
    }
}
RIGHT(wait_twice) { SENDS(ISEND); rank ? 0 : (WAIT, WAIT); }
WRONG(start_freed_copy, invalid argument)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &request);
    MPI_Request copy = request;
    MPI_Request_free(&request);
    MPI_Start(&copy); /* here */
}
WRONG(free_null_request, invalid argument) { request = MPI_REQUEST_NULL; MPI_Request_free(&request); } /* here */

/* ---- collective operations ---- */

#define BCAST MPI_Bcast(in, n, type, root, comm)
RIGHT(bcast) { BCAST; }
WRONG(bcast_null, invalid argument) { in = NULL; BCAST; } /* here */
WRONG(bcast_null_of_one, invalid argument, 3 ranks) { in = rank == 1 ? NULL : a; BCAST; } /* here */
WRONG(bcast_negative_count, invalid argument) { n = -1; BCAST; } /* here */
WRONG(bcast_null_type, invalid argument) { type = MPI_DATATYPE_NULL; BCAST; } /* here */
WRONG(bcast_root_size, invalid argument) { root = size; BCAST; } /* here */
WRONG(bcast_root_negative, invalid argument, 4 ranks) { root = -1; BCAST; } /* here */
WRONG(bcast_null_comm, invalid argument) { comm = MPI_COMM_NULL; BCAST; } /* here */
WRONG(bcast_in_place, invalid argument) { in = MPI_IN_PLACE; BCAST; } /* here */

#define REDUCE MPI_Reduce(in, out, n, type, op, root, comm)
RIGHT(reduce) { REDUCE; }
WRONG(reduce_aliased, invalid argument) { out = in; REDUCE; } /* here */
RIGHT(reduce_in_place) { in = rank == root ? MPI_IN_PLACE : a; REDUCE; }
WRONG(reduce_in_place_everywhere, invalid argument) { in = MPI_IN_PLACE; REDUCE; } /* here */
WRONG(reduce_null_out_of_root, invalid argument) { out = NULL; REDUCE; } /* here */
RIGHT(reduce_null_out_elsewhere, 3 ranks) { out = rank == root ? b : NULL; REDUCE; }
WRONG(reduce_null_op, invalid argument) { op = MPI_OP_NULL; REDUCE; } /* here */
WRONG(reduce_replace, invalid argument) { op = MPI_REPLACE; REDUCE; } /* here */
WRONG(reduce_root_size, invalid argument, 3 ranks) { root = size; REDUCE; } /* here */
WRONG(reduce_negative_count, invalid argument) { n = -2; REDUCE; } /* here */

#define ALLREDUCE MPI_Allreduce(in, out, n, type, op, comm)
RIGHT(allreduce) { ALLREDUCE; }
WRONG(allreduce_aliased, invalid argument) { out = in; ALLREDUCE; } /* here */
WRONG(allreduce_overlapping, invalid argument, 3 ranks) { n = 8, out = a + 7; ALLREDUCE; } /* here */
RIGHT(allreduce_adjacent, 3 ranks) { n = 8, out = a + 8; ALLREDUCE; }
WRONG(allreduce_null_op, invalid argument) { op = MPI_OP_NULL; ALLREDUCE; } /* here */
WRONG(allreduce_bits_of_real, invalid argument) { op = MPI_BAND, type = MPI_DOUBLE; ALLREDUCE; } /* here */
RIGHT(allreduce_bits_of_int) { op = MPI_BAND; ALLREDUCE; }
WRONG(allreduce_maxloc_of_int, invalid argument) { op = MPI_MAXLOC; ALLREDUCE; } /* here */
RIGHT(allreduce_maxloc_of_pair) { op = MPI_MAXLOC, type = MPI_2INT; ALLREDUCE; }
WRONG(allreduce_sum_of_bytes, invalid argument) { type = MPI_BYTE; ALLREDUCE; } /* here */
WRONG(allreduce_null_comm, invalid argument) { comm = MPI_COMM_NULL; ALLREDUCE; } /* here */
WRONG(allreduce_null_type, invalid argument) { type = MPI_DATATYPE_NULL; ALLREDUCE; } /* here */
WRONG(iallreduce_aliased, invalid argument) { MPI_Iallreduce(a, a, 1, INT, op, WORLD, &request); WAIT; } /* here */
RIGHT(iallreduce_in_place) { MPI_Iallreduce(MPI_IN_PLACE, a, 1, INT, op, WORLD, &request); WAIT; }

#define GATHER MPI_Gather(in, n, type, out, 1, INT, root, comm)
RIGHT(gather) { GATHER; }
WRONG(gather_aliased, invalid argument) { in = b; GATHER; } /* here */
RIGHT(gather_in_place) { in = rank == root ? MPI_IN_PLACE : a; GATHER; }
WRONG(gather_null_out, invalid argument) { out = NULL; GATHER; } /* here */
WRONG(gather_root_size, invalid argument) { root = size; GATHER; } /* here */
RIGHT(gather_null_out_elsewhere, 4 ranks) { out = rank == root ? b : NULL; GATHER; }
WRONG(scatter_null_out, invalid argument) { MPI_Scatter(a, 1, INT, rank ? NULL : b, 1, INT, 0, WORLD); } /* here */
RIGHT(scatter_null_in_elsewhere) { MPI_Scatter(rank ? NULL : a, 1, INT, b, 1, INT, 0, WORLD); }
WRONG(scatter_in_place_everywhere, invalid argument) { MPI_Scatter(a, 1, INT, MPI_IN_PLACE, 1, INT, 0, WORLD); } /* here */
RIGHT(scatter_in_place) { MPI_Scatter(a, 1, INT, rank ? (void *)b : MPI_IN_PLACE, 1, INT, 0, WORLD); }
WRONG(scatter_negative_root, invalid argument) { MPI_Scatter(a, 1, INT, b, 1, INT, -1, WORLD); } /* here */
WRONG(allgather_own_block, invalid argument) { MPI_Allgather(b + rank, 1, INT, b, 1, INT, WORLD); } /* here */
RIGHT(allgather_in_place) { MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, INT, WORLD); }
RIGHT(allgather_other_array) { MPI_Allgather(a, 1, INT, b, 1, INT, WORLD); }
WRONG(alltoall_aliased, invalid argument, 4 ranks) { MPI_Alltoall(a, 2, INT, a, 2, INT, WORLD); } /* here */
RIGHT(alltoall_in_place, 4 ranks) { MPI_Alltoall(MPI_IN_PLACE, 2, INT, a, 2, INT, WORLD); }
WRONG(alltoall_negative_count, invalid argument) { MPI_Alltoall(a, -2, INT, b, -2, INT, WORLD); } /* here */
WRONG(gatherv_negative_count, invalid argument) { MPI_Gatherv(a, 1, INT, b, (int[]){1, -1}, (int[]){0, 1}, INT, 0, WORLD); } /* here */
RIGHT(gatherv) { MPI_Gatherv(a, 1, INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, 0, WORLD); }
WRONG(gatherv_overlapping, invalid argument) { MPI_Gatherv(a, 2, INT, b, (int[]){2, 2}, (int[]){0, 1}, INT, 0, WORLD); } /* here */
RIGHT(gatherv_apart) { MPI_Gatherv(a, 2, INT, b, (int[]){2, 2}, (int[]){0, 3}, INT, 0, WORLD); }
WRONG(gatherv_null_counts, invalid argument) { MPI_Gatherv(a, 1, INT, b, NULL, (int[]){0, 1}, INT, 0, WORLD); } /* here */
RIGHT(scatterv_overlapping) { MPI_Scatterv(a, (int[]){2, 2}, (int[]){0, 1}, INT, b, 2, INT, 0, WORLD); }
WRONG(scan_aliased, invalid argument, 3 ranks) { MPI_Scan(a, a, 1, INT, MPI_SUM, WORLD); } /* here */
RIGHT(scan_in_place, 3 ranks) { MPI_Scan(MPI_IN_PLACE, a, 1, INT, MPI_SUM, WORLD); }
WRONG(exscan_null_op, invalid argument, 3 ranks) { MPI_Exscan(a, b, 1, INT, MPI_OP_NULL, WORLD); } /* here */
WRONG(reduce_scatter_negative, invalid argument) { MPI_Reduce_scatter(a, b, (int[]){-1, 1}, INT, MPI_SUM, WORLD); } /* here */
RIGHT(reduce_scatter) { MPI_Reduce_scatter(a, b, (int[]){0, 1}, INT, MPI_SUM, WORLD); }
WRONG(ibarrier_null_comm, invalid argument) { MPI_Ibarrier(MPI_COMM_NULL, &request); WAIT; } /* here */
WRONG(barrier_null_comm, invalid argument) { MPI_Barrier(MPI_COMM_NULL); } /* here */

/* ---- one-sided accesses ---- */

#define FENCED(call)                                                                                  \
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, WORLD, &window);                \
    MPI_Win_fence(0, window);                                                                         \
    if (rank == 0) {                                                                                  \
        call;                                                                                         \
    }                                                                                                 \
    MPI_Win_fence(0, window);                                                                         \
    MPI_Win_free(&window);
#define PUT MPI_Put(in, n, type, target, place, 1, INT, window)
#define GET MPI_Get(out, n, type, target, place, 1, INT, window)
#define ACCUMULATE MPI_Accumulate(in, n, type, target, place, 1, INT, op, window)

RIGHT(put) { FENCED(PUT) }
WRONG(put_null, invalid argument) { in = NULL; FENCED(PUT) } /* here */
WRONG(put_to_size, invalid argument) { target = size; FENCED(PUT) } /* here */
WRONG(put_negative_count, invalid argument) { n = -1; FENCED(PUT) } /* here */
WRONG(put_null_type, invalid argument) { type = MPI_DATATYPE_NULL; FENCED(PUT) } /* here */
WRONG(put_negative_place, invalid argument) { place = -1; FENCED(PUT) } /* here */
WRONG(put_behind_window, invalid argument) { place = 16; FENCED(PUT) } /* here */
RIGHT(put_last_of_window) { place = 15; FENCED(PUT) }
RIGHT(put_to_nobody) { target = MPI_PROC_NULL; FENCED(PUT) }
WRONG(put_null_window, invalid argument) { FENCED(MPI_Put(a, 1, INT, 1, 0, 1, INT, MPI_WIN_NULL)) } /* here */
RIGHT(get) { FENCED(GET) }
WRONG(get_null, invalid argument) { out = NULL; FENCED(GET) } /* here */
WRONG(get_from_size, invalid argument) { target = size; FENCED(GET) } /* here */
WRONG(get_behind_window, invalid argument) { place = 20; FENCED(GET) } /* here */
RIGHT(accumulate) { FENCED(ACCUMULATE) }
WRONG(accumulate_null_op, invalid argument) { op = MPI_OP_NULL; FENCED(ACCUMULATE) } /* here */
RIGHT(accumulate_replace) { op = MPI_REPLACE; FENCED(ACCUMULATE) }
WRONG(accumulate_to_size, invalid argument) { target = size; FENCED(ACCUMULATE) } /* here */
static void add(void *x, void *y, int *count, MPI_Datatype *of)
{
    for (int i = 0; of && i < *count; i++) {
        ((int *)y)[i] += ((int *)x)[i];
    }
}
WRONG(accumulate_own_op, invalid argument) { MPI_Op_create(add, 1, &op); FENCED(ACCUMULATE) MPI_Op_free(&op); } /* here */
RIGHT(allreduce_own_op) { MPI_Op_create(add, 1, &op); ALLREDUCE; MPI_Op_free(&op); }
WRONG(compare_and_swap_of_real, invalid argument) { FENCED(MPI_Compare_and_swap(a, b, c, MPI_DOUBLE, 1, 0, window)) } /* here */
RIGHT(compare_and_swap) { FENCED(MPI_Compare_and_swap(a, b, c, INT, 1, 0, window)) }
WRONG(window_negative_size, invalid argument) { MPI_Win_create(memory, -4, 4, MPI_INFO_NULL, WORLD, &window); MPI_Win_free(&window); } /* here */
WRONG(window_null_comm, invalid argument) { MPI_Win_create(memory, 4, 4, MPI_INFO_NULL, MPI_COMM_NULL, &window); MPI_Win_free(&window); } /* here */
WRONG(lock_of_size, invalid argument)
{
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, size, 0, window); /* here */
    MPI_Win_unlock(size, window);
    MPI_Win_free(&window);
}
RIGHT(lock_of_last)
{
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, window);
    MPI_Win_unlock(size - 1, window);
    MPI_Win_free(&window);
}
