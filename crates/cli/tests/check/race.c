/* Receives, probes and waits that take one of several: results and ends that depend on which, and some that do not. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
#define WAIT_BOTH MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
#define ANY MPI_ANY_SOURCE
/* One number, or the rank's number, to rank 0. */
#define SEND MPI_Send(a, 1, INT, 0, 0, WORLD)
#define SEND_RANK MPI_Send(&rank, 1, INT, 0, 0, WORLD)
#define RECV_ANY(into) MPI_Recv(into, 1, INT, ANY, 0, WORLD, &status)
static MPI_Status status;

/* ---- results ---- */

WRONG(first_sender, message race, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b); /* here */
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b); /* here */
    } else {
        SEND;
    }
}
RIGHT(all_senders, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);
        int first = status.MPI_SOURCE;
        RECV_ANY(b);
        printf("both %d\n", first + status.MPI_SOURCE);
    } else {
        SEND;
    }
}
WRONG(last_value, message race, 4 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            RECV_ANY(b); /* here */
        }
        printf("last %d\n", b[0]);
    } else {
        SEND_RANK;
    }
}
RIGHT(largest_value, 4 ranks)
{
    if (rank == 0) {
        int largest = 0;
        for (int i = 1; i < size; i++) {
            RECV_ANY(b);
            largest = b[0] > largest ? b[0] : largest;
        }
        printf("largest %d\n", largest);
    } else {
        SEND_RANK;
    }
}
WRONG(difference, message race, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);     /* here */
        RECV_ANY(b + 1); /* here */
        printf("difference %d\n", b[0] - b[1]);
    } else {
        SEND_RANK;
    }
}
RIGHT(sum, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);
        RECV_ANY(b + 1);
        printf("sum %d\n", b[0] + b[1]);
    } else {
        SEND_RANK;
    }
}
/* Additions of real numbers are not associative. */
WRONG(real_sum, message race, 4 ranks)
{
    double value = rank == 1 ? 1e16 : rank == 2 ? -1e16 : 1.0, total = 0;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(&value, 1, MPI_DOUBLE, ANY, 0, WORLD, IGNORE); /* here */
            total += value;
        }
        printf("sum %g\n", total);
    } else {
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, WORLD);
    }
}
RIGHT(real_sum_by_rank, 4 ranks)
{
    double value = rank == 1 ? 1e16 : rank == 2 ? -1e16 : 1.0, values[4], total = 0;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(&value, 1, MPI_DOUBLE, ANY, 0, WORLD, &status);
            values[status.MPI_SOURCE] = value;
        }
        for (int i = 1; i < size; i++) {
            total += values[i];
        }
        printf("sum %g\n", total);
    } else {
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, WORLD);
    }
}
WRONG(stored_by_arrival, message race, 4 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            RECV_ANY(b + i); /* here */
        }
        printf("%d %d %d\n", b[1], b[2], b[3]);
    } else {
        SEND_RANK;
    }
}
RIGHT(stored_by_sender, 4 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            RECV_ANY(c);
            b[status.MPI_SOURCE] = c[0];
        }
        printf("%d %d %d\n", b[1], b[2], b[3]);
    } else {
        SEND_RANK;
    }
}
RIGHT(stored_by_tag, 4 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(b + i, 1, INT, ANY, i, WORLD, IGNORE);
        }
        printf("%d %d %d\n", b[1], b[2], b[3]);
    } else {
        MPI_Send(&rank, 1, INT, 0, rank, WORLD);
    }
}
/* Messages of one sender do not overtake each other. */
RIGHT(one_sender_any_tag)
{
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            MPI_Recv(b + i, 1, INT, 1, MPI_ANY_TAG, WORLD, IGNORE);
        }
        printf("%d %d %d\n", b[0], b[1], b[2]);
    } else {
        for (int i = 0; i < 3; i++) {
            MPI_Send(a + i, 1, INT, 0, i, WORLD);
        }
    }
}
WRONG(two_senders_any_tag, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, MPI_ANY_TAG, WORLD, IGNORE);     /* here */
        MPI_Recv(b + 1, 1, INT, ANY, MPI_ANY_TAG, WORLD, IGNORE); /* here */
        printf("%d %d\n", b[0], b[1]);
    } else {
        MPI_Send(&rank, 1, INT, 0, rank, WORLD);
    }
}
/* Phases: the second message of one sender can come before the first one of another. */
WRONG(phases_of_one_tag, message race, 3 ranks)
{
    for (int phase = 0; phase < 2; phase++) {
        if (rank == 0) {
            RECV_ANY(b);     /* here */
            RECV_ANY(b + 1); /* here */
            printf("phase %d: %d\n", phase, b[0] + b[1]);
        } else {
            a[0] = 10 * phase + rank;
            SEND;
        }
    }
}
RIGHT(phases_of_two_tags, 3 ranks)
{
    for (int phase = 0; phase < 2; phase++) {
        if (rank == 0) {
            MPI_Recv(b, 1, INT, ANY, phase, WORLD, IGNORE);
            MPI_Recv(b + 1, 1, INT, ANY, phase, WORLD, IGNORE);
            printf("phase %d: %d\n", phase, b[0] + b[1]);
        } else {
            a[0] = 10 * phase + rank;
            MPI_Send(a, 1, INT, 0, phase, WORLD);
        }
    }
}
RIGHT(phases_with_barrier, 3 ranks)
{
    for (int phase = 0; phase < 2; phase++) {
        if (rank == 0) {
            RECV_ANY(b);
            RECV_ANY(b + 1);
            printf("phase %d: %d\n", phase, b[0] + b[1]);
        } else {
            a[0] = 10 * phase + rank;
            SEND;
        }
        MPI_Barrier(WORLD);
    }
}
/* Rank 2 sends when it has heard of rank 1. Only a synchronous send is received before the program goes on. */
WRONG(after_standard_send, message race, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b); /* here */
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b); /* here */
    } else if (rank == 1) {
        SEND;
        MPI_Send(a, 1, INT, 2, 0, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 1, 0, WORLD, IGNORE);
        SEND;
    }
}
RIGHT(after_synchronous_send, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b);
    } else if (rank == 1) {
        MPI_Ssend(a, 1, INT, 0, 0, WORLD);
        MPI_Send(a, 1, INT, 2, 0, WORLD);
    } else {
        MPI_Recv(b, 1, INT, 1, 0, WORLD, IGNORE);
        SEND;
    }
}
RIGHT(after_reply, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);
        printf("first %d\n", status.MPI_SOURCE);
        MPI_Send(a, 1, INT, 2, 1, WORLD);
        RECV_ANY(b);
        printf("second %d\n", status.MPI_SOURCE);
    } else if (rank == 1) {
        SEND;
    } else {
        MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
        SEND;
    }
}
/* A receive that is posted before a barrier can take a message that is sent after it. */
WRONG(posted_over_barrier, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, ANY, 0, WORLD, &request); /* here */
        MPI_Barrier(WORLD);
        MPI_Wait(&request, &status);
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b); /* here */
    } else if (rank == 1) {
        MPI_Isend(a, 1, INT, 0, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        WAIT;
    } else {
        MPI_Barrier(WORLD);
        SEND;
    }
}
RIGHT(waited_before_barrier, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, ANY, 0, WORLD, &request);
        MPI_Wait(&request, &status);
        MPI_Barrier(WORLD);
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b);
    } else if (rank == 1) {
        MPI_Isend(a, 1, INT, 0, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        WAIT;
    } else {
        MPI_Barrier(WORLD);
        SEND;
    }
}
WRONG(probed_first, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Probe(ANY, 0, WORLD, &status); /* here */
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b); /* here */
        RECV_ANY(b); /* here */
    } else {
        SEND;
    }
}
RIGHT(probed_any, 3 ranks)
{
    if (rank == 0) {
        MPI_Probe(ANY, 0, WORLD, IGNORE);
        RECV_ANY(b);
        RECV_ANY(b);
    } else {
        SEND;
    }
}
WRONG(matched_first, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Message message;
        MPI_Mprobe(ANY, 0, WORLD, &message, &status); /* here */
        MPI_Mrecv(b, 1, INT, &message, IGNORE);
        printf("first %d\n", status.MPI_SOURCE);
        RECV_ANY(b);
    } else {
        SEND;
    }
}
RIGHT(matched_each, 3 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Message message;
            int count;
            MPI_Mprobe(ANY, 0, WORLD, &message, &status);
            MPI_Get_count(&status, INT, &count);
            MPI_Mrecv(b, count, INT, &message, IGNORE);
        }
    } else {
        MPI_Send(a, 3 * rank, INT, 0, 0, WORLD);
    }
}
WRONG(waitany_first, message race, 3 ranks)
{
    int index;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        MPI_Waitany(2, both, &index, IGNORE); /* here */
        printf("first %d\n", index);
        WAIT_BOTH;
    } else {
        SEND;
    }
}
RIGHT(waitany_each, 3 ranks)
{
    int index, done = 0;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        for (int i = 0; i < 2; i++) {
            MPI_Waitany(2, both, &index, IGNORE);
            done += b[index];
        }
        printf("sum %d\n", done);
    } else {
        SEND;
    }
}
WRONG(waitsome_number, message race, 3 ranks)
{
    int count, indices[2];
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        MPI_Waitsome(2, both, &count, indices, MPI_STATUSES_IGNORE); /* here */
        printf("at first %d\n", count);
        WAIT_BOTH;
    } else {
        SEND;
    }
}
RIGHT(waitsome_total, 3 ranks)
{
    int count, indices[2], total = 0;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        while (total < 2) {
            MPI_Waitsome(2, both, &count, indices, MPI_STATUSES_IGNORE);
            total += count;
        }
        printf("in total %d\n", total);
    } else {
        SEND;
    }
}
WRONG(tested_once, message race)
{
    int done;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request);
        MPI_Test(&request, &done, IGNORE); /* here */
        printf("%s\n", done ? "done" : "not yet");
        WAIT;
    } else {
        SEND;
    }
}
RIGHT(tested_till_done)
{
    int done = 0;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &request);
        while (!done) {
            MPI_Test(&request, &done, IGNORE);
        }
        printf("%s\n", done ? "done" : "not yet");
    } else {
        SEND;
    }
}
WRONG(probed_once, message race)
{
    int there;
    if (rank == 0) {
        MPI_Iprobe(1, 0, WORLD, &there, IGNORE); /* here */
        printf("%s\n", there ? "there" : "not yet");
        RECV_ANY(b);
    } else {
        SEND;
    }
}
RIGHT(probed_till_there)
{
    int there = 0;
    if (rank == 0) {
        while (!there) {
            MPI_Iprobe(1, 0, WORLD, &there, IGNORE);
        }
        printf("%s\n", there ? "there" : "not yet");
        RECV_ANY(b);
    } else {
        SEND;
    }
}
WRONG(persistent_any, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv_init(b, 1, INT, ANY, 0, WORLD, &request); /* here */
        for (int i = 1; i < size; i++) {
            MPI_Start(&request); /* here */
            WAIT;                /* here */
        }
        printf("last %d\n", b[0]);
        MPI_Request_free(&request);
    } else {
        SEND_RANK;
    }
}
RIGHT(persistent_each, 3 ranks)
{
    if (rank == 0) {
        int total = 0;
        MPI_Recv_init(b, 1, INT, ANY, 0, WORLD, &request);
        for (int i = 1; i < size; i++) {
            MPI_Start(&request);
            WAIT;
            total += b[0];
        }
        printf("sum %d\n", total);
        MPI_Request_free(&request);
    } else {
        SEND_RANK;
    }
}
WRONG(first_of_part, message race, 4 ranks)
{
    MPI_Comm part;
    MPI_Comm_split(WORLD, rank == 0, 0, &part);
    if (rank == 1) {
        MPI_Recv(b, 1, INT, ANY, 0, part, &status); /* here */
        printf("first %d\n", status.MPI_SOURCE);
        MPI_Recv(b, 1, INT, ANY, 0, part, IGNORE);
    } else if (rank > 1) {
        MPI_Send(a, 1, INT, 0, 0, part);
    }
    MPI_Comm_free(&part);
}
/* In each part is only one sender. */
RIGHT(first_of_pair, 4 ranks)
{
    MPI_Comm part;
    MPI_Comm_split(WORLD, rank / 2, 0, &part);
    if (rank % 2 == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, part, &status);
        printf("first %d\n", status.MPI_SOURCE);
    } else {
        MPI_Send(a, 1, INT, 0, 0, part);
    }
    MPI_Comm_free(&part);
}
/* A task farm: which worker does what is open, the sum of the results is not. */
static void farm(int print_worker)
{
    const int tasks = 4;
    if (rank == 0) {
        int total = 0, given = 0;
        for (int to = 1; to < size; to++) {
            MPI_Send(&given, 1, INT, to, 1, WORLD);
            given++;
        }
        for (int i = 0; i < tasks; i++) {
            int result;
            MPI_Recv(&result, 1, INT, ANY, 0, WORLD, &status);
            total += result;
            if (print_worker) {
                printf("result %d of %d\n", result, status.MPI_SOURCE);
            }
            MPI_Send(&given, 1, INT, status.MPI_SOURCE, given < tasks ? 1 : 2, WORLD);
            given++;
        }
        printf("total %d\n", total);
    } else {
        while (1) {
            int task;
            MPI_Recv(&task, 1, INT, 0, MPI_ANY_TAG, WORLD, &status);
            if (status.MPI_TAG == 2) {
                break;
            }
            task *= task;
            MPI_Send(&task, 1, INT, 0, 0, WORLD);
        }
    }
}
RIGHT(task_farm, 3 ranks) { farm(0); }
RIGHT(task_farm_of_three, 4 ranks) { farm(0); }
RIGHT(task_farm_of_one) { farm(1); }

/* ---- ends ---- */

WRONG(any_then_first, message race, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);                              /* here */
        MPI_Recv(b, 1, INT, 1, 0, WORLD, IGNORE); /* here */
    } else {
        SEND;
    }
}
RIGHT(first_then_any, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, 1, 0, WORLD, IGNORE);
        RECV_ANY(b);
    } else {
        SEND;
    }
}
WRONG(posted_any_then_first, message race, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, ANY, 0, WORLD, &request);   /* here */
        MPI_Recv(b + 1, 1, INT, 2, 0, WORLD, IGNORE);    /* here */
        WAIT;
    } else {
        SEND;
    }
}
RIGHT(posted_first_then_any, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 2, 0, WORLD, &request);
        RECV_ANY(b + 1);
        WAIT;
    } else {
        SEND;
    }
}
WRONG(type_of_first, message race or datatype mismatch, 3 ranks)
{
    double real = 1;
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);            /* here */
        MPI_Recv(&real, 1, MPI_DOUBLE, ANY, 0, WORLD, IGNORE); /* here */
    } else if (rank == 1) {
        SEND; /* here */
    } else {
        MPI_Send(&real, 1, MPI_DOUBLE, 0, 0, WORLD); /* here */
    }
}
RIGHT(type_of_tag, 3 ranks)
{
    double real = 1;
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Recv(&real, 1, MPI_DOUBLE, ANY, 1, WORLD, IGNORE);
    } else if (rank == 1) {
        SEND;
    } else {
        MPI_Send(&real, 1, MPI_DOUBLE, 0, 1, WORLD);
    }
}
WRONG(count_of_first, message race or count mismatch, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE); /* here */
        MPI_Recv(b, 2, INT, ANY, 0, WORLD, IGNORE); /* here */
    } else {
        MPI_Send(a, rank, INT, 0, 0, WORLD); /* here */
    }
}
RIGHT(count_of_largest, 3 ranks)
{
    if (rank == 0) {
        MPI_Recv(b, 2, INT, ANY, 0, WORLD, IGNORE);
        MPI_Recv(b, 2, INT, ANY, 0, WORLD, IGNORE);
    } else {
        MPI_Send(a, rank, INT, 0, 0, WORLD);
    }
}
/* The message that is received may be another one than that which was probed. */
WRONG(probed_count_of_any, message race or count mismatch, 4 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            int count;
            MPI_Probe(ANY, MPI_ANY_TAG, WORLD, &status); /* here */
            MPI_Get_count(&status, INT, &count);
            MPI_Recv(b, count, INT, ANY, i, WORLD, IGNORE); /* here */
        }
    } else {
        MPI_Send(a, size - rank, INT, 0, rank, WORLD); /* here */
    }
}
RIGHT(probed_count_of_source, 4 ranks)
{
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            int count;
            MPI_Probe(ANY, MPI_ANY_TAG, WORLD, &status);
            MPI_Get_count(&status, INT, &count);
            MPI_Recv(b, count, INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, IGNORE);
        }
    } else {
        MPI_Send(a, size - rank, INT, 0, rank, WORLD);
    }
}
/* The root of a broadcast is known to rank 0 only. */
WRONG(root_is_first, message race or root mismatch, 3 ranks)
{
    int root = 1;
    if (rank == 0) {
        RECV_ANY(b); /* here */
        root = status.MPI_SOURCE;
        RECV_ANY(b); /* here */
    } else {
        SEND;
    }
    MPI_Bcast(a, 1, INT, root, WORLD); /* here */
}
RIGHT(root_is_told, 3 ranks)
{
    int root = 1;
    if (rank == 0) {
        RECV_ANY(b);
        root = status.MPI_SOURCE;
        RECV_ANY(b);
    } else {
        SEND;
    }
    MPI_Bcast(&root, 1, INT, 0, WORLD);
    MPI_Bcast(a, 1, INT, root, WORLD);
}
/* Only the first one gets an answer. */
WRONG(answer_to_first, message race, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);                                      /* here */
        int first = status.MPI_SOURCE;
        RECV_ANY(b);                                      /* here */
        MPI_Send(a, 1, INT, first, 1, WORLD);             /* here */
    } else {
        SEND;
        if (rank == 1) {
            MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE); /* here */
        }
    }
}
RIGHT(answer_to_one, 3 ranks)
{
    if (rank == 0) {
        RECV_ANY(b);
        RECV_ANY(b);
        MPI_Send(a, 1, INT, 1, 1, WORLD);
    } else {
        SEND;
        if (rank == 1) {
            MPI_Recv(b, 1, INT, 0, 1, WORLD, IGNORE);
        }
    }
}
/* Fails in one of six orders. */
WRONG(one_order_of_six, message race, 4 ranks)
{
    if (rank == 0) {
        int order = 0;
        for (int i = 1; i < size; i++) {
            RECV_ANY(b); /* here */
            order = 10 * order + status.MPI_SOURCE;
        }
        if (order == 321) {
            MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE); /* here */
        }
    } else {
        SEND;
    }
}
RIGHT(no_order_of_six, 4 ranks)
{
    if (rank == 0) {
        int order = 0;
        for (int i = 1; i < size; i++) {
            RECV_ANY(b);
            order = 10 * order + status.MPI_SOURCE;
        }
        if (order == 322) {
            MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE);
        }
    } else {
        SEND;
    }
}
/* Fails in one of 90 orders of six messages. */
WRONG(one_order_of_many, message race, 4 ranks)
{
    if (rank == 0) {
        int order = 0;
        for (int i = 0; i < 6; i++) {
            RECV_ANY(b); /* here */
            order = 10 * order + status.MPI_SOURCE;
        }
        if (order == 332121) {
            MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE); /* here */
        }
    } else {
        SEND;
        SEND;
    }
}
/* Each rank has sent two messages, so no order has one rank three times. */
RIGHT(impossible_order_of_many, 4 ranks)
{
    if (rank == 0) {
        int order = 0;
        for (int i = 0; i < 6; i++) {
            RECV_ANY(b);
            order = 10 * order + status.MPI_SOURCE;
        }
        if (order == 333121) {
            MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE);
        }
    } else {
        SEND;
        SEND;
    }
}
/* The sum of senders times positions is 10 in one order: 3, 2, 1. */
WRONG(aborts_in_one_order, message race, 4 ranks)
{
    if (rank == 0) {
        int total = 0;
        for (int i = 1; i < size; i++) {
            RECV_ANY(b); /* here */
            total += i * status.MPI_SOURCE;
        }
        if (total == 10) {
            MPI_Abort(WORLD, 3); /* here */
        }
    } else {
        SEND;
    }
}
RIGHT(aborts_in_no_order, 4 ranks)
{
    if (rank == 0) {
        int total = 0;
        for (int i = 1; i < size; i++) {
            RECV_ANY(b);
            total += i * status.MPI_SOURCE;
        }
        if (total == 15) {
            MPI_Abort(WORLD, 3);
        }
    } else {
        SEND;
    }
}
/* A request that is completed in some orders only. */
WRONG(waits_if_first, message race or missing wait, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, ANY, 0, WORLD, &request); /* here */
        RECV_ANY(b + 1);                               /* here */
        if (status.MPI_SOURCE == 2) {
            WAIT;
        }
    } else {
        SEND;
    }
}
RIGHT(waits_in_each_order, 3 ranks)
{
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, ANY, 0, WORLD, &request);
        RECV_ANY(b + 1);
        if (status.MPI_SOURCE == 2) {
            WAIT;
        } else {
            WAIT;
        }
    } else {
        SEND;
    }
}
/* Two receivers: rank 3 helps the one that comes first. */
WRONG(helps_first, message race, 4 ranks)
{
    if (rank == 3) {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, &status); /* here */
        MPI_Send(a, 1, INT, status.MPI_SOURCE, 1, WORLD);
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, IGNORE);
    } else {
        MPI_Send(a, 1, INT, 3, 0, WORLD);
        if (rank == 0) {
            MPI_Recv(b, 1, INT, 3, 1, WORLD, IGNORE); /* here */
        }
    }
}
RIGHT(helps_each, 4 ranks)
{
    if (rank == 3) {
        for (int i = 0; i < 3; i++) {
            MPI_Recv(b, 1, INT, ANY, 0, WORLD, &status);
            MPI_Send(a, 1, INT, status.MPI_SOURCE, 1, WORLD);
        }
    } else {
        MPI_Send(a, 1, INT, 3, 0, WORLD);
        MPI_Recv(b, 1, INT, 3, 1, WORLD, IGNORE);
    }
}
WRONG(crossing_any, message race, 4 ranks)
{
    if (rank < 2) {
        MPI_Send(a, 1, INT, 2, 0, WORLD);
        MPI_Send(a, 1, INT, 3, 0, WORLD);
    } else {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, &status);                     /* here */
        MPI_Recv(b, 1, INT, 1, 0, WORLD, IGNORE);                        /* here */
    }
}
RIGHT(crossing_each, 4 ranks)
{
    if (rank < 2) {
        MPI_Send(a, 1, INT, 2, 0, WORLD);
        MPI_Send(a, 1, INT, 3, 0, WORLD);
    } else {
        MPI_Recv(b, 1, INT, ANY, 0, WORLD, &status);
        MPI_Recv(b, 1, INT, 1 - status.MPI_SOURCE, 0, WORLD, IGNORE);
    }
}
