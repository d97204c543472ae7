/* Datatypes and counts that do not fit together, in messages, collective operations and one-sided accesses. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
/* Rank 0 sends, rank 1 receives. */
#define MESSAGE(count, type, other_count, other_type)                                                 \
    rank ? MPI_Recv(b, other_count, other_type, 0, 0, WORLD, IGNORE) : MPI_Send(a, count, type, 1, 0, WORLD);
static double real[16], reals[16];
static MPI_Datatype pair, mixed;
static MPI_Win window;
static MPI_Comm part;

/* An integer and a real number. */
static void make_mixed(void)
{
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){INT, MPI_DOUBLE}, &mixed);
    MPI_Type_commit(&mixed);
}
static void make_pair(void)
{
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_commit(&pair);
}

/* ---- datatypes of messages ---- */

WRONG(int_as_float, datatype mismatch) { MESSAGE(1, INT, 1, MPI_FLOAT) } /* here */
RIGHT(int_as_int) { MESSAGE(1, INT, 1, INT) }
WRONG(double_as_long, datatype mismatch) { MESSAGE(1, MPI_DOUBLE, 1, MPI_LONG) } /* here */
RIGHT(double_as_double) { MESSAGE(1, MPI_DOUBLE, 1, MPI_DOUBLE) }
WRONG(ints_as_double, datatype mismatch) { MESSAGE(2, INT, 1, MPI_DOUBLE) } /* here */
WRONG(int_as_unsigned, datatype mismatch) { MESSAGE(1, INT, 1, MPI_UNSIGNED) } /* here */
RIGHT(unsigned_as_unsigned) { MESSAGE(1, MPI_UNSIGNED, 1, MPI_UNSIGNED) }
WRONG(float_as_double, datatype mismatch) { MESSAGE(2, MPI_FLOAT, 1, MPI_DOUBLE) } /* here */
RIGHT(float_as_float) { MESSAGE(2, MPI_FLOAT, 2, MPI_FLOAT) }
WRONG(int_as_bytes, datatype mismatch) { MESSAGE(1, INT, 4, MPI_BYTE) } /* here */
RIGHT(bytes_as_bytes) { MESSAGE(4, MPI_BYTE, 4, MPI_BYTE) }
WRONG(char_as_int, datatype mismatch) { MESSAGE(4, MPI_CHAR, 1, INT) } /* here */
RIGHT(char_as_char) { MESSAGE(4, MPI_CHAR, 4, MPI_CHAR) }
WRONG(int_as_short, datatype mismatch) { MESSAGE(1, INT, 8, MPI_SHORT) } /* here */
RIGHT(nothing_as_short) { MESSAGE(0, INT, 8, MPI_SHORT) }

WRONG(pair_as_reals, datatype mismatch)
{
    make_pair();
    MESSAGE(1, pair, 2, MPI_FLOAT) /* here */
    MPI_Type_free(&pair);
}
RIGHT(pair_as_ints)
{
    make_pair();
    MESSAGE(1, pair, 2, INT)
    MPI_Type_free(&pair);
}
WRONG(mixed_as_reals, datatype mismatch)
{
    make_mixed();
    rank ? MPI_Recv(reals, 2, MPI_DOUBLE, 0, 0, WORLD, IGNORE) : MPI_Send(real, 1, mixed, 1, 0, WORLD); /* here */
    MPI_Type_free(&mixed);
}
RIGHT(mixed_as_mixed)
{
    make_mixed();
    rank ? MPI_Recv(reals, 2, mixed, 0, 0, WORLD, IGNORE) : MPI_Send(real, 2, mixed, 1, 0, WORLD);
    MPI_Type_free(&mixed);
}
/* A structure sent member after member, received in another order of members. */
WRONG(members_swapped, datatype mismatch)
{
    make_mixed();
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, INT}, &pair);
    MPI_Type_commit(&pair);
    rank ? MPI_Recv(reals, 1, pair, 0, 0, WORLD, IGNORE) : MPI_Send(real, 1, mixed, 1, 0, WORLD); /* here */
    MPI_Type_free(&mixed);
    MPI_Type_free(&pair);
}
RIGHT(members_elsewhere)
{
    make_mixed();
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){8, 16}, (MPI_Datatype[]){INT, MPI_DOUBLE}, &pair);
    MPI_Type_commit(&pair);
    rank ? MPI_Recv(reals, 1, pair, 0, 0, WORLD, IGNORE) : MPI_Send(real, 1, mixed, 1, 0, WORLD);
    MPI_Type_free(&mixed);
    MPI_Type_free(&pair);
}
RIGHT(column_as_row)
{
    MPI_Type_vector(4, 1, 4, INT, &pair);
    MPI_Type_commit(&pair);
    MESSAGE(1, pair, 4, INT)
    MPI_Type_free(&pair);
}
/* Packed data may be received with the types that were packed. */
RIGHT(packed_as_ints)
{
    int at = 0;
    MPI_Pack(a, 4, INT, c, sizeof c, &at, WORLD);
    rank ? MPI_Recv(b, 4, INT, 0, 0, WORLD, IGNORE) : MPI_Send(c, at, MPI_PACKED, 1, 0, WORLD);
}
WRONG(isend_irecv_types, datatype mismatch)
{
    MPI_Irecv(reals, 2, MPI_DOUBLE, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(a, 4, INT, OTHER, 0, WORLD, &both[1]);            /* here */
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);                  /* here */
}
RIGHT(isend_irecv_type)
{
    MPI_Irecv(reals, 2, MPI_DOUBLE, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(real, 2, MPI_DOUBLE, OTHER, 0, WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
WRONG(persistent_types, datatype mismatch)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request); /* here */
    } else {
        MPI_Recv_init(b, 1, MPI_FLOAT, 0, 0, WORLD, &request); /* here */
    }
    MPI_Start(&request); /* here */
    WAIT;                /* here */
    MPI_Request_free(&request);
}
RIGHT(persistent_type)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, MPI_FLOAT, 1, 0, WORLD, &request);
    } else {
        MPI_Recv_init(b, 1, MPI_FLOAT, 0, 0, WORLD, &request);
    }
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(sendrecv_types, datatype mismatch, 3 ranks) { MPI_Sendrecv(a, 1, INT, NEXT, 0, b, 1, MPI_FLOAT, LAST, 0, WORLD, IGNORE); } /* here */
RIGHT(sendrecv_type, 3 ranks) { MPI_Sendrecv(a, 1, INT, NEXT, 0, b, 1, INT, LAST, 0, WORLD, IGNORE); }
/* Two messages of one tag do not overtake each other, so each is received as the other. */
WRONG(types_swapped, datatype mismatch)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, WORLD);           /* here */
        MPI_Send(real, 1, MPI_DOUBLE, 1, 0, WORLD);
    } else {
        MPI_Recv(reals, 1, MPI_DOUBLE, 0, 0, WORLD, IGNORE); /* here */
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(types_in_order)
{
    if (rank == 0) {
        MPI_Send(a, 1, INT, 1, 0, WORLD);
        MPI_Send(real, 1, MPI_DOUBLE, 1, 0, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
        MPI_Recv(reals, 1, MPI_DOUBLE, 0, 0, WORLD, IGNORE);
    }
}

/* ---- datatypes of collective operations: that of rank 1 differs ---- */

#define TYPE (rank == 1 ? MPI_FLOAT : INT)
WRONG(bcast_types, datatype mismatch) { MPI_Bcast(a, 1, TYPE, 0, WORLD); } /* here */
RIGHT(bcast_type) { MPI_Bcast(a, 1, MPI_FLOAT, 0, WORLD); }
WRONG(bcast_pair_as_real, datatype mismatch) { MPI_Bcast(real, rank ? 1 : 2, rank ? MPI_DOUBLE : INT, 0, WORLD); } /* here */
RIGHT(bcast_pair_as_ints) { make_pair(); MPI_Bcast(a, rank ? 1 : 2, rank ? pair : INT, 0, WORLD); MPI_Type_free(&pair); }
WRONG(reduce_types, datatype mismatch) { MPI_Reduce(a, b, 1, TYPE, MPI_SUM, 0, WORLD); } /* here */
RIGHT(reduce_type) { MPI_Reduce(a, b, 1, INT, MPI_SUM, 0, WORLD); }
WRONG(allreduce_types, datatype mismatch, 3 ranks) { MPI_Allreduce(a, b, 1, TYPE, MPI_MAX, WORLD); } /* here */
RIGHT(allreduce_type, 3 ranks) { MPI_Allreduce(a, b, 1, MPI_FLOAT, MPI_MAX, WORLD); }
WRONG(scan_types, datatype mismatch, 3 ranks) { MPI_Scan(a, b, 1, TYPE, MPI_MAX, WORLD); } /* here */
RIGHT(scan_type, 3 ranks) { MPI_Scan(a, b, 1, MPI_LONG, MPI_MAX, WORLD); }
WRONG(gather_types, datatype mismatch) { MPI_Gather(a, 1, TYPE, b, 1, INT, 0, WORLD); } /* here */
RIGHT(gather_insignificant_type) { MPI_Gather(a, 1, INT, b, 1, rank ? MPI_FLOAT : INT, 0, WORLD); }
WRONG(scatter_types, datatype mismatch) { MPI_Scatter(a, 1, INT, b, 1, TYPE, 0, WORLD); } /* here */
RIGHT(scatter_insignificant_type) { MPI_Scatter(a, 1, rank ? MPI_FLOAT : INT, b, 1, INT, 0, WORLD); }
WRONG(allgather_types, datatype mismatch, 4 ranks) { MPI_Allgather(a, 1, TYPE, b, 1, INT, WORLD); } /* here */
RIGHT(allgather_type, 4 ranks) { MPI_Allgather(a, 1, INT, b, 1, INT, WORLD); }
WRONG(alltoall_types, datatype mismatch) { MPI_Alltoall(a, 1, INT, b, 1, MPI_FLOAT, WORLD); } /* here */
RIGHT(alltoall_type) { MPI_Alltoall(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, WORLD); }
WRONG(ibcast_types, datatype mismatch) { MPI_Ibcast(a, 1, TYPE, 0, WORLD, &request); WAIT; } /* here */
RIGHT(ibcast_type) { MPI_Ibcast(a, 1, MPI_FLOAT, 0, WORLD, &request); WAIT; }
WRONG(iallreduce_types, datatype mismatch) { MPI_Iallreduce(a, b, 1, TYPE, MPI_SUM, WORLD, &request); WAIT; } /* here */
RIGHT(iallreduce_type) { MPI_Iallreduce(a, b, 1, MPI_FLOAT, MPI_SUM, WORLD, &request); WAIT; }
WRONG(allreduce_init_types, datatype mismatch)
{
    MPI_Allreduce_init(a, b, 1, TYPE, MPI_SUM, WORLD, MPI_INFO_NULL, &request); /* here */
    MPI_Start(&request);                                                        /* here */
    WAIT;
    MPI_Request_free(&request);
}
RIGHT(allreduce_init_type)
{
    MPI_Allreduce_init(a, b, 1, MPI_LONG, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(neighbor_types, datatype mismatch, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_allgather(a, 1, TYPE, b, 1, INT, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(neighbor_type, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_allgather(a, 1, MPI_FLOAT, b, 1, MPI_FLOAT, part);
    MPI_Comm_free(&part);
}
/* Each rank sends an integer and a number of another type around a ring. */
static void exchange_pair(MPI_Datatype sent, MPI_Datatype received)
{
    int one[2] = {1, 1};
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_alltoallw(a, one, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){INT, sent}, b, one, (MPI_Aint[]){0, 16},
                           (MPI_Datatype[]){received, INT}, part);
    MPI_Comm_free(&part);
}
WRONG(neighbor_alltoallw_types, datatype mismatch, 3 ranks)
{
    int one[2] = {1, 1};
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_alltoallw(a, one, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){INT, MPI_FLOAT}, b, one, (MPI_Aint[]){0, 16}, /* here */
                           (MPI_Datatype[]){INT, INT}, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(neighbor_alltoallw_type, 3 ranks) { exchange_pair(MPI_FLOAT, MPI_FLOAT); }
WRONG(alltoallw_types, datatype mismatch)
{
    int one[2] = {1, 1}, places[2] = {0, 16};
    MPI_Alltoallw(a, one, places, (MPI_Datatype[]){INT, MPI_FLOAT}, b, one, places, (MPI_Datatype[]){INT, INT}, WORLD); /* here */
}
RIGHT(alltoallw_type)
{
    int one[2] = {1, 1}, places[2] = {0, 16};
    MPI_Datatype first[2] = {INT, MPI_FLOAT}, second[2] = {MPI_FLOAT, MPI_DOUBLE};
    MPI_Alltoallw(real, one, places, rank ? second : first, reals, one, places, rank ? second : first, WORLD);
}
WRONG(alltoallv_less_sent, count mismatch)
{
    int sent[2] = {1, 1}, received[2] = {1, 1}, places[2] = {0, 4};
    received[0] += rank;
    MPI_Alltoallv(a, sent, places, INT, b, received, places, INT, WORLD); /* here */
}
RIGHT(alltoallv_as_sent)
{
    int sent[2] = {1, 1 + !rank}, received[2] = {1 + rank, 1}, places[2] = {0, 4};
    MPI_Alltoallv(a, sent, places, INT, b, received, places, INT, WORLD);
}
WRONG(bcast_mixed_types, datatype mismatch)
{
    make_mixed();
    MPI_Bcast(reals, rank ? 2 : 1, rank ? MPI_DOUBLE : mixed, 0, WORLD); /* here */
    MPI_Type_free(&mixed);
}
RIGHT(bcast_mixed_type)
{
    make_mixed();
    MPI_Bcast(reals, 2, mixed, 0, WORLD);
    MPI_Type_free(&mixed);
}
#define FENCED(call)                                                                                  \
    MPI_Win_create(c, sizeof c, 4, MPI_INFO_NULL, WORLD, &window);                                    \
    MPI_Win_fence(0, window);                                                                         \
    rank ? 0 : call;                                                                                  \
    MPI_Win_fence(0, window);                                                                         \
    MPI_Win_free(&window);
WRONG(put_types, datatype mismatch) { FENCED(MPI_Put(a, 1, INT, 1, 0, 1, MPI_FLOAT, window)) } /* here */
RIGHT(put_type) { FENCED(MPI_Put(a, 1, INT, 1, 0, 1, INT, window)) }
WRONG(accumulate_types, datatype mismatch) { FENCED(MPI_Accumulate(a, 1, INT, 1, 0, 1, MPI_FLOAT, MPI_SUM, window)) } /* here */
RIGHT(accumulate_type) { FENCED(MPI_Accumulate(a, 1, INT, 1, 0, 1, INT, MPI_SUM, window)) }
WRONG(result_types, datatype mismatch) { FENCED(MPI_Get_accumulate(a, 1, INT, reals, 1, MPI_FLOAT, 1, 0, 1, INT, MPI_SUM, window)) } /* here */
RIGHT(no_operand) { FENCED(MPI_Get_accumulate(NULL, 0, MPI_BYTE, b, 1, INT, 1, 0, 1, INT, MPI_NO_OP, window)) }
WRONG(get_types, datatype mismatch) { FENCED(MPI_Get(reals, 1, MPI_DOUBLE, 1, 0, 2, INT, window)) } /* here */
RIGHT(get_type) { FENCED(MPI_Get(reals, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window)) }

/* ---- counts of messages: the receive is too small ---- */

WRONG(truncated, count mismatch) { MESSAGE(4, INT, 3, INT) } /* here */
RIGHT(fits) { MESSAGE(4, INT, 4, INT) }
RIGHT(larger_than_message) { MESSAGE(3, INT, 4, INT) }
WRONG(truncated_to_nothing, count mismatch) { MESSAGE(1, INT, 0, INT) } /* here */
RIGHT(nothing_sent) { MESSAGE(0, INT, 1, INT) }
WRONG(truncated_pair, count mismatch)
{
    make_pair();
    MESSAGE(2, pair, 3, INT) /* here */
    MPI_Type_free(&pair);
}
RIGHT(not_truncated_pair)
{
    make_pair();
    MESSAGE(2, pair, 4, INT)
    MPI_Type_free(&pair);
}
WRONG(truncated_any_source, count mismatch) { rank ? MPI_Recv(b, 1, INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE) : MPI_Send(a, 2, INT, 1, 0, WORLD); } /* here */
RIGHT(fits_any_source) { rank ? MPI_Recv(b, 2, INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE) : MPI_Send(a, 2, INT, 1, 0, WORLD); }
WRONG(truncated_irecv, count mismatch)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(a, 2, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);       /* here */
}
RIGHT(not_truncated_irecv)
{
    MPI_Irecv(b, 8, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 2, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
WRONG(truncated_persistent, count mismatch)
{
    if (rank == 0) {
        MPI_Send_init(a, 2, INT, 1, 0, WORLD, &request); /* here */
    } else {
        MPI_Recv_init(b, 1, INT, 0, 0, WORLD, &request); /* here */
    }
    MPI_Start(&request); /* here */
    WAIT;                /* here */
    MPI_Request_free(&request);
}
RIGHT(not_truncated_persistent)
{
    if (rank == 0) {
        MPI_Send_init(a, 1, INT, 1, 0, WORLD, &request);
    } else {
        MPI_Recv_init(b, 2, INT, 0, 0, WORLD, &request);
    }
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(truncated_sendrecv, count mismatch) { MPI_Sendrecv(a, 2 + rank, INT, OTHER, 0, b, 2, INT, OTHER, 0, WORLD, IGNORE); } /* here */
RIGHT(not_truncated_sendrecv) { MPI_Sendrecv(a, 2 + rank, INT, OTHER, 0, b, 3, INT, OTHER, 0, WORLD, IGNORE); }
/* Each rank has the number of its elements; the receiver takes its own for the sender's. */
WRONG(own_count, count mismatch, 4 ranks) { MPI_Sendrecv(a, rank + 1, INT, NEXT, 0, b, rank + 1, INT, LAST, 0, WORLD, IGNORE); } /* here */
RIGHT(count_of_sender, 4 ranks) { MPI_Sendrecv(a, rank + 1, INT, NEXT, 0, b, LAST + 1, INT, LAST, 0, WORLD, IGNORE); }
RIGHT(probed_count)
{
    if (rank == 0) {
        MPI_Send(a, 7, INT, 1, 0, WORLD);
    } else {
        MPI_Status status;
        int count;
        MPI_Probe(0, 0, WORLD, &status);
        MPI_Get_count(&status, INT, &count);
        MPI_Recv(b, count, INT, 0, 0, WORLD, IGNORE);
    }
}

/* ---- counts of collective operations: that of rank 1 differs ---- */

#define COUNT (rank == 1 ? 3 : 2)
WRONG(bcast_counts, count mismatch) { MPI_Bcast(a, COUNT, INT, 0, WORLD); } /* here */
RIGHT(bcast_count) { MPI_Bcast(a, 3, INT, 0, WORLD); }
WRONG(bcast_fewer, count mismatch, 3 ranks) { MPI_Bcast(a, rank == 2 ? 1 : 2, INT, 0, WORLD); } /* here */
RIGHT(bcast_none, 3 ranks) { MPI_Bcast(a, 0, INT, 0, WORLD); }
WRONG(reduce_counts, count mismatch) { MPI_Reduce(a, b, COUNT, INT, MPI_SUM, 0, WORLD); } /* here */
RIGHT(reduce_count) { MPI_Reduce(a, b, 3, INT, MPI_SUM, 0, WORLD); }
WRONG(allreduce_counts, count mismatch, 4 ranks) { MPI_Allreduce(a, b, COUNT, INT, MPI_SUM, WORLD); } /* here */
RIGHT(allreduce_count, 4 ranks) { MPI_Allreduce(a, b, 3, INT, MPI_SUM, WORLD); }
WRONG(scan_counts, count mismatch, 3 ranks) { MPI_Scan(a, b, COUNT, INT, MPI_SUM, WORLD); } /* here */
RIGHT(scan_count, 3 ranks) { MPI_Scan(a, b, 2, INT, MPI_SUM, WORLD); }
WRONG(gather_counts, count mismatch) { MPI_Gather(a, COUNT, INT, b, 2, INT, 0, WORLD); } /* here */
RIGHT(gather_insignificant_count) { MPI_Gather(a, 2, INT, b, rank ? 9 : 2, INT, 0, WORLD); }
/* The count of the receives is that of each rank, not of all. */
WRONG(gather_total, count mismatch, 4 ranks) { MPI_Gather(a, 1, INT, b, size, INT, 0, WORLD); } /* here */
RIGHT(gather_each, 4 ranks) { MPI_Gather(a, 1, INT, b, 1, INT, 0, WORLD); }
WRONG(allgather_total, count mismatch, 3 ranks) { MPI_Allgather(a, 1, INT, b, size, INT, WORLD); } /* here */
RIGHT(allgather_each, 3 ranks) { MPI_Allgather(a, size, INT, b, size, INT, WORLD); }
WRONG(scatter_counts, count mismatch) { MPI_Scatter(a, 2, INT, b, COUNT, INT, 0, WORLD); } /* here */
RIGHT(scatter_count) { MPI_Scatter(a, 2, INT, b, 2, INT, 0, WORLD); }
WRONG(allgather_counts, count mismatch) { MPI_Allgather(a, COUNT, INT, b, COUNT, INT, WORLD); } /* here */
RIGHT(allgatherv_counts) { MPI_Allgatherv(a, COUNT, INT, b, (int[]){2, 3}, (int[]){0, 2}, INT, WORLD); }
WRONG(allgatherv_other_counts, count mismatch) { MPI_Allgatherv(a, COUNT, INT, b, (int[]){2, 2}, (int[]){0, 2}, INT, WORLD); } /* here */
WRONG(gatherv_other_counts, count mismatch, 3 ranks) { MPI_Gatherv(a, rank + 1, INT, b, (int[]){1, 2, 2}, (int[]){0, 1, 3}, INT, 0, WORLD); } /* here */
WRONG(gatherv_types, datatype mismatch) { MPI_Gatherv(a, 1, rank ? MPI_FLOAT : INT, b, (int[]){1, 1}, (int[]){0, 1}, INT, 0, WORLD); } /* here */
RIGHT(gatherv_in_place)
{
    rank ? MPI_Gatherv(a, 1, INT, NULL, NULL, NULL, MPI_DOUBLE, 0, WORLD)
         : MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, (int[]){1, 1}, (int[]){0, 1}, INT, 0, WORLD);
}
WRONG(scatterv_types, datatype mismatch, 3 ranks) { MPI_Scatterv(a, (int[]){1, 2, 1}, (int[]){0, 1, 3}, INT, b, rank == 1 ? 2 : 1, rank == 2 ? MPI_UNSIGNED : INT, 1, WORLD); } /* here */
RIGHT(scatterv_counts_of_root, 3 ranks) { MPI_Scatterv(a, (int[]){1, 2, 1}, (int[]){0, 1, 3}, INT, b, rank == 1 ? 2 : 1, INT, 1, WORLD); }
WRONG(allgatherv_types, datatype mismatch) { MPI_Allgatherv(a, 1, rank ? MPI_FLOAT : INT, b, (int[]){1, 1}, (int[]){0, 1}, rank ? MPI_FLOAT : INT, WORLD); } /* here */
WRONG(allgatherv_sent_types, datatype mismatch, 3 ranks) { MPI_Allgatherv(a, 1, rank == 2 ? MPI_FLOAT : INT, b, (int[]){1, 1, 1}, (int[]){0, 1, 2}, INT, WORLD); } /* here */
WRONG(iallgatherv_types, datatype mismatch, 3 ranks)
{
    MPI_Iallgatherv(a, 1, INT, b, (int[]){1, 1, 1}, (int[]){0, 1, 2}, rank ? MPI_UNSIGNED : INT, WORLD, &request); /* here */
    WAIT;
}
RIGHT(iallgatherv_in_place)
{
    int ones[] = {1, 1}, places[] = {0, 1};
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, ones, places, INT, WORLD, &request);
    WAIT;
}
/* A pair of integers is two integers. */
RIGHT(allgatherv_pairs)
{
    make_pair();
    MPI_Allgatherv(a, rank ? 2 : 1, rank ? INT : pair, b, (int[]){1, 1}, (int[]){0, 1}, pair, WORLD);
    MPI_Type_free(&pair);
}
RIGHT(gatherv_counts, 3 ranks) { MPI_Gatherv(a, rank + 1, INT, b, (int[]){1, 2, 3}, (int[]){0, 1, 3}, INT, 0, WORLD); }
WRONG(scatterv_other_counts, count mismatch) { MPI_Scatterv(a, (int[]){1, 2}, (int[]){0, 1}, INT, b, 1, INT, 0, WORLD); } /* here */
RIGHT(scatterv_counts) { MPI_Scatterv(a, (int[]){1, 2}, (int[]){0, 1}, INT, b, 1 + rank, INT, 0, WORLD); }
WRONG(alltoall_counts, count mismatch) { MPI_Alltoall(a, COUNT, INT, b, COUNT, INT, WORLD); } /* here */
RIGHT(alltoall_count) { MPI_Alltoall(a, 3, INT, b, 3, INT, WORLD); }
/* What a rank sends to the other one is what that one receives. */
WRONG(alltoallv_counts, count mismatch) { MPI_Alltoallv(a, (int[]){1, 2}, (int[]){0, 1}, INT, b, (int[]){1, 2}, (int[]){0, 1}, INT, WORLD); } /* here */
RIGHT(alltoallv_transposed) { MPI_Alltoallv(a, (int[]){1, 2}, (int[]){0, 1}, INT, b, (int[]){rank + 1, rank + 1}, (int[]){0, 4}, INT, WORLD); }
WRONG(reduce_scatter_counts, count mismatch) { MPI_Reduce_scatter(a, b, (int[]){1, COUNT}, INT, MPI_SUM, WORLD); } /* here */
RIGHT(reduce_scatter_count) { MPI_Reduce_scatter(a, b, (int[]){1, 3}, INT, MPI_SUM, WORLD); }
WRONG(reduce_scatter_block_counts, count mismatch) { MPI_Reduce_scatter_block(a, b, COUNT, INT, MPI_SUM, WORLD); } /* here */
RIGHT(reduce_scatter_block_count) { MPI_Reduce_scatter_block(a, b, 3, INT, MPI_SUM, WORLD); }
WRONG(ibcast_counts, count mismatch) { MPI_Ibcast(a, COUNT, INT, 0, WORLD, &request); WAIT; } /* here */
RIGHT(ibcast_count) { MPI_Ibcast(a, 3, INT, 0, WORLD, &request); WAIT; }
WRONG(iallreduce_counts, count mismatch, 3 ranks) { MPI_Iallreduce(a, b, COUNT, INT, MPI_SUM, WORLD, &request); WAIT; } /* here */
RIGHT(iallreduce_count, 3 ranks) { MPI_Iallreduce(a, b, 3, INT, MPI_SUM, WORLD, &request); WAIT; }
WRONG(bcast_init_counts, count mismatch)
{
    MPI_Bcast_init(a, COUNT, INT, 0, WORLD, MPI_INFO_NULL, &request); /* here */
    MPI_Start(&request);                                              /* here */
    WAIT;
    MPI_Request_free(&request);
}
RIGHT(bcast_init_count)
{
    MPI_Bcast_init(a, 3, INT, 0, WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    MPI_Request_free(&request);
}
WRONG(neighbor_counts, count mismatch, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_allgather(a, COUNT, INT, b, 2, INT, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(neighbor_count, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &part);
    MPI_Neighbor_allgather(a, 3, INT, b, 3, INT, part);
    MPI_Comm_free(&part);
}
WRONG(part_counts, count mismatch, 4 ranks)
{
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Bcast(a, rank < 2 ? 1 : 2, INT, 0, part); /* here */
    MPI_Comm_free(&part);
}
RIGHT(part_count, 4 ranks)
{
    MPI_Comm_split(WORLD, rank % 2, 0, &part);
    MPI_Bcast(a, 1 + rank % 2, INT, 0, part);
    MPI_Comm_free(&part);
}
WRONG(put_counts, count mismatch) { FENCED(MPI_Put(a, 3, INT, 1, 0, 2, INT, window)) } /* here */
RIGHT(put_count) { FENCED(MPI_Put(a, 2, INT, 1, 0, 2, INT, window)) }
