/* Objects that are not freed when the program ends. The finding names the call that made the object. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
static MPI_Comm part, other;
static MPI_Group group, members;
static MPI_Datatype type, outer;
static MPI_Op op;
static MPI_Win window;
static MPI_Info info;
static MPI_Errhandler handler;
static int *memory;

/* ---- communicators ---- */

WRONG(dup, leak) { MPI_Comm_dup(WORLD, &part); } /* here */
RIGHT(dup_freed) { MPI_Comm_dup(WORLD, &part); MPI_Comm_free(&part); }
WRONG(split, leak, 3 ranks) { MPI_Comm_split(WORLD, rank % 2, 0, &part); } /* here */
RIGHT(split_freed, 3 ranks) { MPI_Comm_split(WORLD, rank % 2, 0, &part); MPI_Comm_free(&part); }
WRONG(split_type, leak) { MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part); } /* here */
RIGHT(split_type_freed) { MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part); MPI_Comm_free(&part); }
WRONG(cart, leak, 4 ranks) { MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part); } /* here */
RIGHT(cart_freed, 4 ranks) { MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part); MPI_Comm_free(&part); }
WRONG(cart_sub, leak, 4 ranks)
{
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part);
    MPI_Cart_sub(part, (int[]){1, 0}, &other); /* here */
    MPI_Comm_free(&part);
}
RIGHT(cart_sub_freed, 4 ranks)
{
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &part);
    MPI_Cart_sub(part, (int[]){1, 0}, &other);
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
}
WRONG(idup, leak) { MPI_Comm_idup(WORLD, &part, &request); WAIT; } /* here */
RIGHT(idup_freed) { MPI_Comm_idup(WORLD, &part, &request); WAIT; MPI_Comm_free(&part); }
WRONG(intercommunicator, leak)
{
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other); /* here */
    MPI_Comm_free(&part);
}
RIGHT(intercommunicator_freed)
{
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
}
WRONG(merged, leak)
{
    MPI_Comm both_sides;
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Intercomm_merge(other, rank, &both_sides); /* here */
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
}
RIGHT(merged_freed)
{
    MPI_Comm both_sides;
    MPI_Comm_split(WORLD, rank, 0, &part);
    MPI_Intercomm_create(part, 0, WORLD, OTHER, 0, &other);
    MPI_Intercomm_merge(other, rank, &both_sides);
    MPI_Comm_free(&part);
    MPI_Comm_free(&other);
    MPI_Comm_free(&both_sides);
}
/* One rank frees it. MPI_Comm_free is collective; the one that does not call it is at fault. */
WRONG(freed_by_one, leak or call order)
{
    MPI_Comm_dup(WORLD, &part); /* here */
    if (rank == 0) {
        MPI_Comm_free(&part); /* here */
    }
}
RIGHT(freed_by_both)
{
    MPI_Comm_dup(WORLD, &part);
    if (rank == 0) {
        MPI_Comm_free(&part);
    } else {
        MPI_Comm_free(&part);
    }
}
/* A handle is overwritten in a loop. */
WRONG(dup_in_loop, leak)
{
    for (int step = 0; step < 3; step++) {
        MPI_Comm_dup(WORLD, &part); /* here */
        MPI_Barrier(part);
    }
    MPI_Comm_free(&part);
}
RIGHT(dup_in_loop_freed)
{
    for (int step = 0; step < 3; step++) {
        MPI_Comm_dup(WORLD, &part);
        MPI_Barrier(part);
        MPI_Comm_free(&part);
    }
}
/* A copy of a handle is the same communicator. */
WRONG(copy_of_copy, leak)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_dup(part, &other); /* here */
    MPI_Comm_free(&part);
}
RIGHT(copy_of_handle)
{
    MPI_Comm_dup(WORLD, &part);
    other = part;
    MPI_Comm_free(&other);
}
WRONG(comm_of_members, leak, 3 ranks)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){0, 2}, &members);
    MPI_Comm_create(WORLD, members, &part); /* here */
    MPI_Group_free(&members);
    MPI_Group_free(&group);
}
RIGHT(comm_of_members_freed, 3 ranks)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 2, (int[]){0, 2}, &members);
    MPI_Comm_create(WORLD, members, &part);
    MPI_Group_free(&members);
    MPI_Group_free(&group);
    if (part != MPI_COMM_NULL) {
        MPI_Comm_free(&part);
    }
}

/* ---- groups ---- */

WRONG(group_of_world, leak) { MPI_Comm_group(WORLD, &group); } /* here */
RIGHT(group_of_world_freed) { MPI_Comm_group(WORLD, &group); MPI_Group_free(&group); }
WRONG(group_incl, leak)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, (int[]){1}, &members); /* here */
    MPI_Group_free(&group);
}
RIGHT(group_incl_freed)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, (int[]){1}, &members);
    MPI_Group_free(&group);
    MPI_Group_free(&members);
}
WRONG(group_union, leak, 3 ranks)
{
    MPI_Group all;
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, (int[]){1}, &members);
    MPI_Group_union(group, members, &all); /* here */
    MPI_Group_free(&group);
    MPI_Group_free(&members);
}
RIGHT(group_union_freed, 3 ranks)
{
    MPI_Group all;
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 1, (int[]){1}, &members);
    MPI_Group_union(group, members, &all);
    MPI_Group_free(&group);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
}
RIGHT(empty_group)
{
    MPI_Comm_group(WORLD, &group);
    MPI_Group_incl(group, 0, NULL, &members);
    if (members != MPI_GROUP_EMPTY) {
        MPI_Group_free(&members);
    }
    MPI_Group_free(&group);
}
WRONG(group_of_window, leak)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_get_group(window, &group); /* here */
    MPI_Win_free(&window);
}
RIGHT(group_of_window_freed)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_get_group(window, &group);
    MPI_Group_free(&group);
    MPI_Win_free(&window);
}

/* ---- datatypes ---- */

WRONG(contiguous, leak) { MPI_Type_contiguous(2, INT, &type); } /* here */
RIGHT(contiguous_freed) { MPI_Type_contiguous(2, INT, &type); MPI_Type_free(&type); }
WRONG(committed, leak) { MPI_Type_vector(2, 1, 2, INT, &type); MPI_Type_commit(&type); } /* here */
RIGHT(committed_freed) { MPI_Type_vector(2, 1, 2, INT, &type); MPI_Type_commit(&type); MPI_Type_free(&type); }
WRONG(structure, leak) { MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){INT}, &type); } /* here */
RIGHT(structure_freed) { MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){INT}, &type); MPI_Type_free(&type); }
WRONG(inner_type, leak)
{
    MPI_Type_contiguous(2, INT, &type); /* here */
    MPI_Type_vector(2, 1, 2, type, &outer);
    MPI_Type_commit(&outer);
    MPI_Bcast(a, 1, outer, 0, WORLD);
    MPI_Type_free(&outer);
}
RIGHT(inner_type_freed)
{
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_vector(2, 1, 2, type, &outer);
    MPI_Type_free(&type);
    MPI_Type_commit(&outer);
    MPI_Bcast(a, 1, outer, 0, WORLD);
    MPI_Type_free(&outer);
}
WRONG(type_of_one_rank, leak)
{
    MPI_Type_contiguous(2, INT, &type); /* here */
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(a, 1, type, 1, 0, WORLD);
        MPI_Type_free(&type);
    } else {
        MPI_Recv(b, 1, type, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(type_of_each_rank)
{
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(a, 1, type, 1, 0, WORLD);
    } else {
        MPI_Recv(b, 1, type, 0, 0, WORLD, IGNORE);
    }
    MPI_Type_free(&type);
}
WRONG(resized_only_freed, leak)
{
    MPI_Type_contiguous(2, INT, &type); /* here */
    MPI_Type_create_resized(type, 0, 16, &outer);
    MPI_Type_free(&outer);
}
RIGHT(resized_freed)
{
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_create_resized(type, 0, 16, &outer);
    MPI_Type_free(&type);
    MPI_Type_free(&outer);
}
WRONG(dup_of_predefined, leak) { MPI_Type_dup(INT, &type); } /* here */
RIGHT(dup_of_predefined_freed) { MPI_Type_dup(INT, &type); MPI_Type_free(&type); }
/* MPI_Type_get_contents makes new handles of derived types. */
WRONG(contents, leak)
{
    int number;
    MPI_Aint place;
    MPI_Datatype inner;
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_contiguous(3, type, &outer);
    MPI_Type_get_contents(outer, 1, 0, 1, &number, &place, &inner); /* here */
    MPI_Type_free(&type);
    MPI_Type_free(&outer);
}
RIGHT(contents_freed)
{
    int number;
    MPI_Aint place;
    MPI_Datatype inner;
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_contiguous(3, type, &outer);
    MPI_Type_get_contents(outer, 1, 0, 1, &number, &place, &inner);
    MPI_Type_free(&inner);
    MPI_Type_free(&type);
    MPI_Type_free(&outer);
}
RIGHT(contents_predefined)
{
    int number;
    MPI_Aint place;
    MPI_Datatype inner;
    MPI_Type_contiguous(2, INT, &type);
    MPI_Type_get_contents(type, 1, 0, 1, &number, &place, &inner);
    MPI_Type_free(&type);
}

/* ---- operators, windows, hints, handlers, keys ---- */

static void add(void *x, void *y, int *count, MPI_Datatype *of)
{
    for (int i = 0; of && i < *count; i++) {
        ((int *)y)[i] += ((int *)x)[i];
    }
}
static void ignore(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

WRONG(operator, leak) { MPI_Op_create(add, 1, &op); } /* here */
RIGHT(operator_freed) { MPI_Op_create(add, 1, &op); MPI_Op_free(&op); }
WRONG(operator_used, leak, 3 ranks) { MPI_Op_create(add, 1, &op); MPI_Allreduce(a, b, 1, INT, op, WORLD); } /* here */
RIGHT(operator_used_freed, 3 ranks) { MPI_Op_create(add, 1, &op); MPI_Allreduce(a, b, 1, INT, op, WORLD); MPI_Op_free(&op); }
WRONG(window_created, leak) { MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window); } /* here */
RIGHT(window_created_freed) { MPI_Win_create(a, sizeof a, 4, MPI_INFO_NULL, WORLD, &window); MPI_Win_free(&window); }
WRONG(window_allocated, leak) { MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window); } /* here */
RIGHT(window_allocated_freed) { MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window); MPI_Win_free(&window); }
WRONG(window_used, leak)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window); /* here */
    MPI_Win_fence(0, window);
    MPI_Put(a, 1, INT, OTHER, 0, 1, INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}
RIGHT(window_used_freed)
{
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put(a, 1, INT, OTHER, 0, 1, INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}
WRONG(window_dynamic, leak) { MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window); } /* here */
RIGHT(window_dynamic_freed) { MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window); MPI_Win_free(&window); }
WRONG(hints, leak) { MPI_Info_create(&info); MPI_Info_set(info, "no_locks", "true"); } /* here */
RIGHT(hints_freed) { MPI_Info_create(&info); MPI_Info_set(info, "no_locks", "true"); MPI_Info_free(&info); }
WRONG(hints_of_comm, leak)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_get_info(part, &info); /* here */
    MPI_Comm_free(&part);
}
RIGHT(hints_of_comm_freed)
{
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_get_info(part, &info);
    MPI_Info_free(&info);
    MPI_Comm_free(&part);
}
WRONG(hints_dup, leak) { MPI_Info copy; MPI_Info_create(&info); MPI_Info_dup(info, &copy); MPI_Info_free(&info); } /* here */
RIGHT(hints_dup_freed) { MPI_Info copy; MPI_Info_create(&info); MPI_Info_dup(info, &copy); MPI_Info_free(&info); MPI_Info_free(&copy); }
WRONG(error_handler, leak) { MPI_Comm_create_errhandler(ignore, &handler); } /* here */
RIGHT(error_handler_freed) { MPI_Comm_create_errhandler(ignore, &handler); MPI_Errhandler_free(&handler); }
WRONG(error_handler_of_comm, leak)
{
    MPI_Comm_create_errhandler(ignore, &handler); /* here */
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_set_errhandler(part, handler);
    MPI_Comm_free(&part);
}
RIGHT(error_handler_of_comm_freed)
{
    MPI_Comm_create_errhandler(ignore, &handler);
    MPI_Comm_dup(WORLD, &part);
    MPI_Comm_set_errhandler(part, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&part);
}
RIGHT(error_handler_predefined) { MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN); }
WRONG(key, leak) { int key; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); } /* here */
RIGHT(key_freed) { int key; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); MPI_Comm_free_keyval(&key); }
WRONG(key_of_type, leak) { int key; MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL); } /* here */
RIGHT(key_of_type_freed) { int key; MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL); MPI_Type_free_keyval(&key); }

/* ---- buffers ---- */

static char space[200 + 2 * MPI_BSEND_OVERHEAD];
WRONG(attached, leak) { MPI_Buffer_attach(space, sizeof space); } /* here */
RIGHT(attached_detached)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    MPI_Buffer_detach(&detached, &bytes);
}
WRONG(attached_used, leak)
{
    MPI_Buffer_attach(space, sizeof space); /* here */
    MPI_Bsend(a, 1, INT, OTHER, 0, WORLD);
    MPI_Recv(b, 1, INT, OTHER, 0, WORLD, IGNORE);
}
RIGHT(attached_used_detached)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(a, 1, INT, OTHER, 0, WORLD);
    MPI_Recv(b, 1, INT, OTHER, 0, WORLD, IGNORE);
    MPI_Buffer_detach(&detached, &bytes);
}
WRONG(allocated, leak) { MPI_Alloc_mem(64, MPI_INFO_NULL, &memory); } /* here */
RIGHT(allocated_freed) { MPI_Alloc_mem(64, MPI_INFO_NULL, &memory); MPI_Free_mem(memory); }

/* ---- persistent requests ---- */

WRONG(send_init, leak or missing start) { MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &request); } /* here */
RIGHT(send_init_freed) { MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &request); MPI_Request_free(&request); }
WRONG(recv_init, leak or missing start) { MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &request); } /* here */
RIGHT(recv_init_freed) { MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &request); MPI_Request_free(&request); }
WRONG(bcast_init, leak or missing start, 3 ranks) { MPI_Bcast_init(a, 1, INT, 0, WORLD, MPI_INFO_NULL, &request); } /* here */
RIGHT(bcast_init_freed, 3 ranks) { MPI_Bcast_init(a, 1, INT, 0, WORLD, MPI_INFO_NULL, &request); MPI_Request_free(&request); }
WRONG(waited_not_freed, leak)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
        MPI_Start(&request);
        WAIT;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(waited_and_freed)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request);
        MPI_Start(&request);
        WAIT;
        MPI_Request_free(&request);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
WRONG(one_of_two_freed, leak)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    for (int step = 0; step < 2; step++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
}
RIGHT(both_freed)
{
    MPI_Send_init(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Recv_init(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    for (int step = 0; step < 2; step++) {
        MPI_Startall(2, both);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

/* ---- messages that nobody receives ---- */

WRONG(bsend_not_received, leak or call order)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    if (rank == 0) {
        MPI_Bsend(a, 1, INT, 1, 0, WORLD); /* here */
        MPI_Bsend(a, 1, INT, 1, 1, WORLD); /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
    }
    MPI_Buffer_detach(&detached, &bytes); /* here */
}
RIGHT(bsend_received)
{
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    if (rank == 0) {
        MPI_Bsend(a, 1, INT, 1, 0, WORLD);
        MPI_Bsend(a, 1, INT, 1, 1, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
    MPI_Buffer_detach(&detached, &bytes);
}
WRONG(one_message_too_many, leak or call order, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
    } else {
        MPI_Isend(a, 1, INT, 0, 0, WORLD, &request); /* here */
        MPI_Request_free(&request);
    }
}
RIGHT(each_message_received, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, MPI_ANY_SOURCE, 0, WORLD, IGNORE);
    } else {
        MPI_Isend(a, 1, INT, 0, 0, WORLD, &request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(WORLD);
}
/* A matched message has to be received. */
WRONG(matched_not_received, leak or call order)
{
    MPI_Message message;
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, WORLD); /* here */
    } else {
        MPI_Mprobe(0, 0, WORLD, &message, IGNORE); /* here */
    }
}
RIGHT(matched_received)
{
    MPI_Message message;
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, WORLD);
    } else {
        MPI_Mprobe(0, 0, WORLD, &message, IGNORE);
        MPI_Mrecv(b, 1, INT, &message, IGNORE);
    }
}
