/* What is allowed though it is unusual, and what is beside it and not allowed. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
#define SEND_TO_1(call)                                                                               \
    if (rank == 0) {                                                                                  \
        call;                                                                                         \
    } else if (rank == 1) {                                                                           \
        MPI_Recv(b, 4, INT, 0, 0, WORLD, IGNORE);                                                     \
    }
static MPI_Comm part;
static MPI_Datatype type;
static MPI_Win window;
static int *memory;

/* ---- addresses: MPI_BOTTOM is a null pointer ---- */

RIGHT(absolute_addresses)
{
    MPI_Aint place;
    MPI_Get_address(a, &place);
    MPI_Type_create_hindexed(1, (int[]){4}, &place, INT, &type);
    MPI_Type_commit(&type);
    SEND_TO_1(MPI_Send(MPI_BOTTOM, 1, type, 1, 0, WORLD))
    MPI_Type_free(&type);
}
WRONG(no_absolute_addresses, invalid argument)
{
    MPI_Type_create_hindexed(1, (int[]){4}, (MPI_Aint[]){0}, INT, &type);
    MPI_Type_commit(&type);
    SEND_TO_1(MPI_Send(MPI_BOTTOM, 1, type, 1, 0, WORLD)) /* here */
    MPI_Type_free(&type);
}
RIGHT(type_of_nothing)
{
    MPI_Type_contiguous(0, INT, &type);
    MPI_Type_commit(&type);
    SEND_TO_1(MPI_Send(NULL, 3, type, 1, 0, WORLD))
    MPI_Type_free(&type);
}
RIGHT(negative_lower_bound)
{
    MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){-8, 8}, INT, &type);
    MPI_Type_commit(&type);
    SEND_TO_1(MPI_Send(a + 2, 1, type, 1, 0, WORLD))
    MPI_Type_free(&type);
}
RIGHT(null_window_of_nothing)
{
    MPI_Win_create(rank ? a : NULL, rank ? sizeof a : 0, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(b, 1, INT, 1, rank, 1, INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
WRONG(put_into_nothing, invalid argument)
{
    MPI_Win_create(rank ? a : NULL, rank ? sizeof a : 0, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(b, 1, INT, 0, rank, 1, INT, window); /* here */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(insignificant_arguments, 3 ranks)
{
    MPI_Gather(a, 1, INT, rank ? NULL : b, rank ? -1 : 1, rank ? MPI_DATATYPE_NULL : INT, 0, WORLD);
    MPI_Reduce(a, rank ? a : b, 1, INT, MPI_SUM, 0, WORLD);
}

/* ---- nobody ---- */

RIGHT(exchange_with_nobody)
{
    MPI_Status status;
    MPI_Sendrecv(a, 1, INT, MPI_PROC_NULL, 0, b, 1, INT, MPI_PROC_NULL, 0, WORLD, &status);
    if (status.MPI_SOURCE != MPI_PROC_NULL || status.MPI_TAG != MPI_ANY_TAG) {
        MPI_Abort(WORLD, 1);
    }
}
RIGHT(probe_of_nobody)
{
    MPI_Probe(MPI_PROC_NULL, 0, WORLD, IGNORE);
    MPI_Recv(b, 1, INT, MPI_PROC_NULL, MPI_ANY_TAG, WORLD, IGNORE);
}
RIGHT(persistent_with_nobody)
{
    MPI_Recv_init(b, 1, INT, MPI_PROC_NULL, 0, WORLD, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
RIGHT(accesses_to_nobody)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Get(b, 1, INT, MPI_PROC_NULL, 0, 1, INT, window);
    MPI_Put(b, 1, INT, MPI_PROC_NULL, 0, 1, INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(alone, 3 ranks)
{
    MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < rank; i++) {
        MPI_Allreduce(a, b, 1, INT, MPI_SUM, MPI_COMM_SELF);
    }
    MPI_Sendrecv(a, 1, INT, 0, 0, b, 1, INT, 0, 0, MPI_COMM_SELF, IGNORE);
}

/* ---- ready sends ---- */

RIGHT(ready_and_posted)
{
    if (rank == 1) {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Rsend(a, 1, INT, 1, 0, WORLD);
    } else {
        WAIT;
    }
}
WRONG(ready_not_posted, call order)
{
    if (rank == 0) {
        MPI_Rsend(a, 1, INT, 1, 0, WORLD); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE); /* here */
    }
}
RIGHT(ready_after_message)
{
    if (rank == 0) {
        MPI_Recv(c, 1, INT, 1, 1, WORLD, IGNORE);
        MPI_Rsend(a, 1, INT, 1, 0, WORLD);
    } else {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
        MPI_Send(c, 1, INT, 0, 1, WORLD);
        WAIT;
    }
}
WRONG(ready_after_early_message, call order)
{
    if (rank == 0) {
        MPI_Recv(c, 1, INT, 1, 1, WORLD, IGNORE);
        MPI_Rsend(a, 1, INT, 1, 0, WORLD); /* here */
    } else {
        MPI_Send(c, 1, INT, 0, 1, WORLD);
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); /* here */
        WAIT;
    }
}
/* A synchronous send is complete when its receive has started, and the other one was posted before. */
RIGHT(ready_after_ssend)
{
    if (rank == 0) {
        MPI_Ssend(a, 1, INT, 1, 1, WORLD);
        MPI_Rsend(a, 1, INT, 1, 0, WORLD);
    } else {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
        MPI_Recv(c, 1, INT, 0, 1, WORLD, IGNORE);
        WAIT;
    }
}
WRONG(ready_after_send, call order)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 1, WORLD);
        MPI_Rsend(a, 1, INT, 1, 0, WORLD); /* here */
    } else {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); /* here */
        MPI_Recv(c, 1, INT, 0, 1, WORLD, IGNORE);
        WAIT;
    }
}
/* Rank 1 knows of one receive only. The other message takes it only when the second receive is posted. */
RIGHT(ready_of_two, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, &both[0]);
        MPI_Send(c, 1, INT, 1, 1, WORLD);
        MPI_Irecv(b + 1, 1, INT, MPI_ANY_SOURCE, 0, WORLD, &both[1]);
        MPI_Send(c, 1, INT, 2, 1, WORLD);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else if (rank == 2) {
        MPI_Recv(c, 1, INT, 0, 1, WORLD, IGNORE);
        MPI_Rsend(a, 1, INT, 0, 0, WORLD);
    } else {
        MPI_Recv(c, 1, INT, 0, 1, WORLD, IGNORE);
        MPI_Rsend(a, 1, INT, 0, 0, WORLD);
    }
}
/* The message of rank 2 may take the only receive that rank 1 knows of. */
WRONG(ready_and_another, call order or message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, &both[0]); /* here */
        MPI_Send(c, 1, INT, 1, 1, WORLD);
        MPI_Irecv(b + 1, 1, INT, MPI_ANY_SOURCE, 0, WORLD, &both[1]); /* here */
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else if (rank == 2) {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    } else {
        MPI_Recv(c, 1, INT, 0, 1, WORLD, IGNORE);
        MPI_Rsend(a, 1, INT, 0, 0, WORLD); /* here */
    }
}
RIGHT(ready_both_known, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, MPI_ANY_SOURCE, 0, WORLD, &both[1]);
        MPI_Send(c, 1, INT, 1, 1, WORLD);
        MPI_Send(c, 1, INT, 2, 1, WORLD);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(c, 1, INT, 0, 1, WORLD, IGNORE);
        MPI_Rsend(a, 1, INT, 0, 0, WORLD);
    }
}
WRONG(ready_started_too_early, call order)
{
    if (rank == 0) {
        MPI_Rsend_init(a, 1, INT, 1, 0, WORLD, &request);
        MPI_Start(&request); /* here */
        WAIT;
        MPI_Request_free(&request);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE); /* here */
    }
}
RIGHT(ready_started_when_posted)
{
    if (rank == 0) {
        MPI_Rsend_init(a, 1, INT, 1, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        MPI_Start(&request);
        WAIT;
        MPI_Request_free(&request);
    } else {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        WAIT;
    }
}
WRONG(ready_posted_too_late, call order)
{
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Rsend(a, 1, INT, 1, 0, WORLD); /* here */
    } else {
        MPI_Irecv(b, 1, INT, 0, 0, WORLD, &request); /* here */
        WAIT;
    }
}

/* ---- handles and objects ---- */

RIGHT(disconnected)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_disconnect(&part);
}
WRONG(disconnected_twice, invalid argument)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_disconnect(&part);
    MPI_Comm_disconnect(&part); /* here */
}
/* Types by range belong to the library and are not freed. */
RIGHT(type_by_range)
{
    MPI_Type_create_f90_integer(9, &type);
    MPI_Bcast(a, 1, type, 0, WORLD);
}
RIGHT(compared)
{
    int result;
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_compare(WORLD, part, &result);
    MPI_Comm_free(&part);
    if (result != MPI_CONGRUENT) {
        MPI_Abort(WORLD, 1);
    }
}
static int deleted;
static int on_delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}
/* MPI_Finalize calls the delete functions of MPI_COMM_SELF. */
RIGHT(called_at_the_end)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, a);
    MPI_Comm_free_keyval(&key);
}
RIGHT(errors_would_return)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    MPI_Allreduce(a, b, 1, INT, MPI_SUM, part);
    MPI_Comm_free(&part);
}
RIGHT(inactive_requests)
{
    int index, done, count;
    both[0] = both[1] = request = MPI_REQUEST_NULL;
    MPI_Wait(&request, IGNORE);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Waitany(2, both, &index, IGNORE);
    MPI_Testsome(2, both, &count, a, MPI_STATUSES_IGNORE);
    MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    if (index != MPI_UNDEFINED || count != MPI_UNDEFINED || !done) {
        MPI_Abort(WORLD, 1);
    }
}
RIGHT(started_and_cancelled)
{
    int cancelled;
    MPI_Status status;
    MPI_Recv_init(b, 1, INT, OTHER, 5, WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Request_free(&request);
}
/* The order of waits is free. */
RIGHT(waited_backwards, 3 ranks)
{
    MPI_Request all[3];
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(b + i, 1, INT, LAST, i, WORLD, &all[i]);
    }
    for (int i = 0; i < 3; i++) {
        MPI_Send(a + i, 1, INT, NEXT, i, WORLD);
    }
    for (int i = 2; i >= 0; i--) {
        MPI_Wait(&all[i], IGNORE);
    }
}
WRONG(waited_backwards_but_one, missing wait, 3 ranks)
{
    MPI_Request all[3];
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(b + i, 1, INT, LAST, i, WORLD, &all[i]); /* here */
    }
    for (int i = 0; i < 3; i++) {
        MPI_Send(a + i, 1, INT, NEXT, i, WORLD);
    }
    for (int i = 2; i > 0; i--) {
        MPI_Wait(&all[i], IGNORE);
    }
}
/* An object may be freed as soon as the call that uses it is made. */
RIGHT(everything_freed_early)
{
    MPI_Group group;
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_group(part, &group);
    MPI_Type_contiguous(4, INT, &type);
    MPI_Type_commit(&type);
    MPI_Win_create(c, sizeof c, 4, MPI_INFO_NULL, part, &window);
    MPI_Irecv(b, 1, type, OTHER, 0, part, &both[0]);
    MPI_Isend(a, 1, type, OTHER, 0, part, &both[1]);
    MPI_Type_free(&type);
    MPI_Group_free(&group);
    MPI_Comm_free(&part);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(packed)
{
    int at = 0, number = 7;
    double real = 1;
    char box[64];
    if (rank == 0) {
        MPI_Pack(&number, 1, INT, box, sizeof box, &at, WORLD);
        MPI_Pack(&real, 1, MPI_DOUBLE, box, sizeof box, &at, WORLD);
        MPI_Send(box, at, MPI_PACKED, 1, 0, WORLD);
    } else {
        MPI_Recv(box, sizeof box, MPI_PACKED, 0, 0, WORLD, IGNORE);
        MPI_Unpack(box, sizeof box, &at, &number, 1, INT, WORLD);
        MPI_Unpack(box, sizeof box, &at, &real, 1, MPI_DOUBLE, WORLD);
    }
}
RIGHT(buffered_ahead, 3 ranks)
{
    static char space[3 * (400 + MPI_BSEND_OVERHEAD)];
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    for (int i = 0; i < 3; i++) {
        MPI_Bsend(a, 64, INT, NEXT, i, WORLD);
    }
    for (int i = 2; i >= 0; i--) {
        MPI_Recv(b, 64, INT, LAST, i, WORLD, IGNORE);
    }
    MPI_Buffer_detach(&detached, &bytes);
}

/* ---- epochs ---- */

RIGHT(no_check_after_barrier)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, window);
        MPI_Put(a, 1, INT, 1, 0, 1, INT, window);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
}
RIGHT(fences_with_assertions)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(a, 1, INT, OTHER, 0, 1, INT, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
WRONG(succeeded_after_assertion, missing epoch)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window);
    MPI_Put(a, 1, INT, OTHER, 0, 1, INT, window); /* here */
    MPI_Win_free(&window);
}
/* Two windows of the same memory; only one is used. */
RIGHT(windows_of_one_memory)
{
    MPI_Win other;
    MPI_Win_create(c, sizeof c, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_create(c, sizeof c, 4, MPI_INFO_NULL, WORLD, &other);
    MPI_Win_fence(0, window);
    MPI_Put(a, 1, INT, OTHER, 0, 1, INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
}
RIGHT(locks_of_two_windows)
{
    MPI_Win other;
    MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_create(b, sizeof b, 4, MPI_INFO_NULL, WORLD, &other);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Win_lock_all(0, other);
    MPI_Get(c, 1, INT, 0, 0, 1, INT, window);
    MPI_Win_unlock_all(other);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
}
/* Accumulations of one origin at one place are in order. */
RIGHT(accumulations_in_turn)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(a, 1, INT, OTHER, 0, 1, INT, MPI_REPLACE, window);
    MPI_Accumulate(a, 1, INT, OTHER, 0, 1, INT, MPI_REPLACE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
WRONG(accumulations_of_two_types, global concurrency, 3 ranks)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 1) {
        MPI_Accumulate(a, 2, INT, 0, 0, 2, INT, MPI_SUM, window); /* here */
    } else if (rank == 2) {
        MPI_Accumulate(a, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window); /* here */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(post_for_nobody)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_post(MPI_GROUP_EMPTY, 0, window);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
}

/* ---- collective operations ---- */

/* Communicators that are disjoint need no common order. */
RIGHT(halves_do_different_things, 4 ranks)
{
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    if (rank < 2) {
        MPI_Bcast(a, 1, INT, 0, part);
    } else {
        MPI_Barrier(part);
        MPI_Allreduce(a, b, 1, INT, MPI_MAX, part);
    }
    MPI_Comm_free(&part);
}
RIGHT(lengths_of_nothing, 3 ranks)
{
    MPI_Gatherv(NULL, 0, INT, b, (int[]){0, 0, 0}, (int[]){0, 0, 0}, INT, 0, WORLD);
    MPI_Alltoallv(NULL, (int[]){0, 0, 0}, (int[]){0, 0, 0}, INT, NULL, (int[]){0, 0, 0}, (int[]){0, 0, 0}, INT, WORLD);
    MPI_Reduce(NULL, NULL, 0, INT, MPI_SUM, 0, WORLD);
}
/* The signature is the same, the types are not. */
RIGHT(columns_into_rows, 3 ranks)
{
    MPI_Type_vector(3, 1, 4, INT, &type);
    MPI_Type_commit(&type);
    MPI_Allgather(a, 1, type, b, 3, INT, WORLD);
    MPI_Bcast(c, rank ? 3 : 1, rank ? INT : type, 0, WORLD);
    MPI_Type_free(&type);
}
RIGHT(in_place_everywhere, 3 ranks)
{
    MPI_Allgather(MPI_IN_PLACE, 0, INT, a, 2, INT, WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, INT, a, 2, INT, WORLD);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, a, 2, INT, MPI_SUM, WORLD);
    MPI_Scan(MPI_IN_PLACE, a, 2, INT, MPI_SUM, WORLD);
}
/* Messages and collective operations do not mix. */
RIGHT(message_beside_collective, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &request);
    }
    MPI_Allreduce(a, c, 4, INT, MPI_SUM, WORLD);
    if (rank == 2) {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
    if (rank == 0) {
        WAIT;
    }
}
RIGHT(neighbors_twice, 3 ranks)
{
    int two[2] = {NEXT, NEXT}, from[2] = {LAST, LAST};
    MPI_Dist_graph_create_adjacent(WORLD, 2, from, MPI_UNWEIGHTED, 2, two, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &part);
    MPI_Neighbor_alltoall(a, 1, INT, b, 1, INT, part);
    MPI_Comm_free(&part);
}
