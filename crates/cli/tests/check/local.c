/* Accesses to buffers of operations that are under way on the same rank. */
#include "check.h"

#define WAIT MPI_Wait(&request, IGNORE)
#define WAIT_BOTH MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
#define RECV MPI_Recv(b, 4, INT, 0, 0, WORLD, IGNORE)
#define SEND MPI_Send(a, 4, INT, 1, 0, WORLD)
#define ISEND MPI_Isend(a, 4, INT, 1, 0, WORLD, &request)
#define IRECV MPI_Irecv(b, 4, INT, 0, 0, WORLD, &request)
static volatile int seen;
static MPI_Win window;
static int *memory;
static MPI_Comm ring;

/* ---- messages ---- */

WRONG(isend_write, local concurrency)
{
    if (rank == 0) {
        ISEND;    /* here */
        a[0] = 7; /* here */
        WAIT;     /* here */
    } else {
        RECV;
    }
}
RIGHT(isend_wait_write)
{
    if (rank == 0) {
        ISEND;
        WAIT;
        a[0] = 7;
    } else {
        RECV;
    }
}
WRONG(isend_write_last, local concurrency)
{
    if (rank == 0) {
        ISEND;    /* here */
        a[3] = 7; /* here */
        WAIT;     /* here */
    } else {
        RECV;
    }
}
RIGHT(isend_write_behind)
{
    if (rank == 0) {
        ISEND;
        a[4] = 7;
        WAIT;
    } else {
        RECV;
    }
}
RIGHT(isend_read)
{
    if (rank == 0) {
        ISEND;
        seen = a[0];
        WAIT;
    } else {
        RECV;
    }
}
WRONG(issend_write, local concurrency)
{
    if (rank == 0) {
        MPI_Issend(a, 4, INT, 1, 0, WORLD, &request); /* here */
        a[1]++;                                       /* here */
        WAIT;                                         /* here */
    } else {
        RECV;
    }
}
RIGHT(issend_wait_write)
{
    if (rank == 0) {
        MPI_Issend(a, 4, INT, 1, 0, WORLD, &request);
        WAIT;
        a[1]++;
    } else {
        RECV;
    }
}
WRONG(irecv_read, local concurrency)
{
    if (rank == 0) {
        SEND;
    } else {
        IRECV;       /* here */
        seen = b[0]; /* here */
        WAIT;        /* here */
    }
}
RIGHT(irecv_wait_read)
{
    if (rank == 0) {
        SEND;
    } else {
        IRECV;
        WAIT;
        seen = b[0];
    }
}
WRONG(irecv_write, local concurrency)
{
    if (rank == 0) {
        SEND;
    } else {
        IRECV;    /* here */
        b[2] = 9; /* here */
        WAIT;     /* here */
    }
}
RIGHT(irecv_wait_write)
{
    if (rank == 0) {
        SEND;
    } else {
        IRECV;
        b[4] = 9;
        WAIT;
        b[2] = 9;
    }
}
WRONG(irecv_cleared, local concurrency)
{
    if (rank == 0) {
        SEND;
    } else {
        b[1] = 5;
        IRECV;                   /* here */
        memset(b, 0, sizeof(b)); /* here */
        WAIT;                    /* here */
    }
}
RIGHT(cleared_irecv)
{
    if (rank == 0) {
        SEND;
    } else {
        memset(b, 0, sizeof(b));
        IRECV;
        WAIT;
    }
}
WRONG(isend_copied_over, local concurrency)
{
    if (rank == 0) {
        c[0] = 3;
        ISEND;                         /* here */
        memcpy(a, c, 4 * sizeof(int)); /* here */
        WAIT;                          /* here */
    } else {
        RECV;
    }
}
RIGHT(isend_copied_from)
{
    if (rank == 0) {
        ISEND;
        memcpy(c, a, 4 * sizeof(int));
        WAIT;
    } else {
        RECV;
    }
}
WRONG(test_not_done_write, local concurrency)
{
    int done;
    if (rank == 0) {
        ISEND; /* here */
        MPI_Test(&request, &done, IGNORE);
        a[0] = 7; /* here */
        WAIT;     /* here */
    } else {
        RECV;
    }
}
RIGHT(test_done_write)
{
    int done = 0;
    if (rank == 0) {
        ISEND;
        while (!done) {
            MPI_Test(&request, &done, IGNORE);
        }
        a[0] = 7;
    } else {
        RECV;
    }
}
WRONG(test_not_done_read, local concurrency)
{
    int done;
    if (rank == 0) {
        MPI_Barrier(WORLD);
        SEND;
    } else {
        IRECV; /* here */
        MPI_Test(&request, &done, IGNORE);
        MPI_Barrier(WORLD);
        seen = b[0]; /* here */
        WAIT;        /* here */
    }
}
RIGHT(test_done_read)
{
    int done;
    if (rank == 0) {
        MPI_Barrier(WORLD);
        SEND;
    } else {
        IRECV;
        MPI_Test(&request, &done, IGNORE);
        MPI_Barrier(WORLD);
        if (!done) {
            WAIT;
        }
        seen = b[0];
    }
}
/* The one that is waited for is not the one whose buffer is used. */
WRONG(waits_for_another, local concurrency)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Wait(&both[1], IGNORE);
    b[0]++;                     /* here */
    MPI_Wait(&both[0], IGNORE); /* here */
}
RIGHT(waits_for_this)
{
    MPI_Irecv(b, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Wait(&both[0], IGNORE);
    b[0]++;
    MPI_Wait(&both[1], IGNORE);
}
WRONG(waitany_uses_first, local concurrency, 3 ranks)
{
    int index;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);     /* here */
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        MPI_Waitany(2, both, &index, IGNORE);
        seen = b[0]; /* here */
        WAIT_BOTH;   /* here */
    } else {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
RIGHT(waitany_uses_index, 3 ranks)
{
    int index;
    if (rank == 0) {
        MPI_Irecv(b, 1, INT, 1, 0, WORLD, &both[0]);
        MPI_Irecv(b + 1, 1, INT, 2, 0, WORLD, &both[1]);
        MPI_Waitany(2, both, &index, IGNORE);
        seen = b[index];
        WAIT_BOTH;
    } else {
        MPI_Send(a, 1, INT, 0, 0, WORLD);
    }
}
/* Buffers of two calls of MPI overlap. */
WRONG(two_irecvs, local concurrency)
{
    if (rank == 0) {
        SEND;
        SEND;
    } else {
        MPI_Irecv(b, 4, INT, 0, 0, WORLD, &both[0]); /* here */
        MPI_Irecv(b, 4, INT, 0, 0, WORLD, &both[1]); /* here */
        WAIT_BOTH;
    }
}
RIGHT(two_irecvs_apart)
{
    if (rank == 0) {
        SEND;
        SEND;
    } else {
        MPI_Irecv(b, 4, INT, 0, 0, WORLD, &both[0]);
        MPI_Irecv(b + 4, 4, INT, 0, 0, WORLD, &both[1]);
        WAIT_BOTH;
    }
}
RIGHT(two_isends)
{
    if (rank == 0) {
        MPI_Isend(a, 4, INT, 1, 0, WORLD, &both[0]);
        MPI_Isend(a, 4, INT, 1, 0, WORLD, &both[1]);
        WAIT_BOTH;
    } else {
        RECV;
        RECV;
    }
}
WRONG(isend_and_irecv, local concurrency)
{
    MPI_Irecv(a, 4, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(a, 4, INT, OTHER, 0, WORLD, &both[1]); /* here */
    WAIT_BOTH;
}
RIGHT(isend_and_irecv_apart)
{
    MPI_Irecv(b, 4, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(a, 4, INT, OTHER, 0, WORLD, &both[1]);
    WAIT_BOTH;
}
WRONG(isend_then_recv_into, local concurrency)
{
    MPI_Isend(a, 4, INT, OTHER, 0, WORLD, &request); /* here */
    MPI_Recv(a, 4, INT, OTHER, 0, WORLD, IGNORE);    /* here */
    WAIT;
}
RIGHT(isend_then_recv_elsewhere)
{
    MPI_Isend(a, 4, INT, OTHER, 0, WORLD, &request);
    MPI_Recv(b, 4, INT, OTHER, 0, WORLD, IGNORE);
    WAIT;
}
WRONG(forwards_before_wait, local concurrency, 3 ranks)
{
    if (rank == 0) {
        SEND;
    } else if (rank == 1) {
        IRECV;                               /* here */
        MPI_Send(b, 4, INT, 2, 0, WORLD);    /* here */
        WAIT;
    } else {
        MPI_Recv(b, 4, INT, 1, 0, WORLD, IGNORE);
    }
}
RIGHT(forwards_after_wait, 3 ranks)
{
    if (rank == 0) {
        SEND;
    } else if (rank == 1) {
        IRECV;
        WAIT;
        MPI_Send(b, 4, INT, 2, 0, WORLD);
    } else {
        MPI_Recv(b, 4, INT, 1, 0, WORLD, IGNORE);
    }
}
WRONG(reduces_before_wait, local concurrency)
{
    if (rank == 0) {
        MPI_Isend(a, 4, INT, 1, 0, WORLD, &request);
    } else {
        IRECV; /* here */
    }
    MPI_Allreduce(rank ? b : a, c, 1, INT, MPI_SUM, WORLD); /* here */
    WAIT;
}
RIGHT(reduces_after_wait)
{
    if (rank == 0) {
        MPI_Isend(a, 4, INT, 1, 0, WORLD, &request);
    } else {
        IRECV;
    }
    WAIT;
    MPI_Allreduce(rank ? b : a, c, 1, INT, MPI_SUM, WORLD);
}
/* A send that nobody waits for: its buffer is never known to be free. */
WRONG(freed_request_write, local concurrency)
{
    if (rank == 0) {
        ISEND; /* here */
        MPI_Request_free(&request);
        a[0] = 7; /* here */
    } else {
        RECV;
    }
}
RIGHT(freed_request_answered)
{
    if (rank == 0) {
        ISEND;
        MPI_Request_free(&request);
        MPI_Recv(b, 1, INT, 1, 1, WORLD, IGNORE);
        a[0] = 7;
    } else {
        RECV;
        MPI_Send(b, 1, INT, 0, 1, WORLD);
    }
}
WRONG(freed_memory, local concurrency)
{
    if (rank == 0) {
        int *block = malloc(4096);
        memset(block, 1, 4096);
        MPI_Isend(block, 1024, INT, 1, 0, WORLD, &request); /* here */
        free(block);                                        /* here */
        WAIT;                                               /* here */
    } else {
        static int large[1024];
        MPI_Recv(large, 1024, INT, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(freed_after_wait)
{
    if (rank == 0) {
        int *block = malloc(4096);
        memset(block, 1, 4096);
        MPI_Isend(block, 1024, INT, 1, 0, WORLD, &request);
        WAIT;
        free(block);
    } else {
        static int large[1024];
        MPI_Recv(large, 1024, INT, 0, 0, WORLD, IGNORE);
    }
}
/* One buffer for the messages of a loop. */
WRONG(loop_one_buffer, local concurrency)
{
    for (int step = 0; step < 2; step++) {
        if (rank == 0) {
            a[0] = step;                                          /* here */
            MPI_Isend(a, 1, INT, 1, step, WORLD, &both[step]);    /* here */
        } else {
            MPI_Recv(b, 1, INT, 0, step, WORLD, IGNORE);
        }
    }
    if (rank == 0) {
        WAIT_BOTH; /* here */
    }
}
RIGHT(loop_two_buffers)
{
    for (int step = 0; step < 2; step++) {
        if (rank == 0) {
            a[step] = step;
            MPI_Isend(a + step, 1, INT, 1, step, WORLD, &both[step]);
        } else {
            MPI_Recv(b, 1, INT, 0, step, WORLD, IGNORE);
        }
    }
    if (rank == 0) {
        WAIT_BOTH;
    }
}
/* The buffer is a loop's variable. */
WRONG(loop_variable_sent, local concurrency, 3 ranks)
{
    if (rank == 0) {
        for (int to = 1; to < size; to++) {                          /* here */
            MPI_Isend(&to, 1, INT, to, 0, WORLD, &both[to - 1]);     /* here */
        }
        WAIT_BOTH; /* here */
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
RIGHT(loop_copies_sent, 3 ranks)
{
    if (rank == 0) {
        for (int to = 1; to < size; to++) {
            a[to] = to;
            MPI_Isend(&a[to], 1, INT, to, 0, WORLD, &both[to - 1]);
        }
        WAIT_BOTH;
    } else {
        MPI_Recv(b, 1, INT, 0, 0, WORLD, IGNORE);
    }
}
/* Halo exchange: inner points may be computed meanwhile, the border not. */
WRONG(halo_border, local concurrency)
{
    MPI_Irecv(&a[0], 1, INT, OTHER, 0, WORLD, &both[0]);  /* here */
    MPI_Isend(&a[30], 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    for (int i = 1; i < 31; i++) {
        b[i] = a[i - 1] + a[i + 1]; /* here */
    }
    WAIT_BOTH; /* here */
}
RIGHT(halo_inner)
{
    MPI_Irecv(&a[0], 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(&a[30], 1, INT, OTHER, 0, WORLD, &both[1]);
    for (int i = 2; i < 31; i++) {
        b[i] = a[i - 1] + a[i + 1];
    }
    WAIT_BOTH;
    b[1] = a[0] + a[2];
}
/* A column of a matrix: between its elements memory may be written. */
WRONG(column_written, local concurrency)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Isend(a, 1, column, 1, 0, WORLD, &request); /* here */
        a[8] = 7;                                       /* here */
        WAIT;                                           /* here */
    } else {
        RECV;
    }
    MPI_Type_free(&column);
}
RIGHT(next_column_written)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Isend(a, 1, column, 1, 0, WORLD, &request);
        a[9] = 7;
        WAIT;
    } else {
        RECV;
    }
    MPI_Type_free(&column);
}
RIGHT(bsend_write)
{
    static char space[64 + MPI_BSEND_OVERHEAD];
    void *detached;
    int bytes;
    MPI_Buffer_attach(space, sizeof space);
    if (rank == 0) {
        MPI_Bsend(a, 4, INT, 1, 0, WORLD);
        a[0] = 7;
    } else {
        RECV;
    }
    MPI_Buffer_detach(&detached, &bytes);
}
RIGHT(probed_read)
{
    if (rank == 0) {
        SEND;
    } else {
        MPI_Iprobe(0, 0, WORLD, b, IGNORE);
        RECV;
        seen = b[0];
    }
}

/* ---- persistent requests ---- */

WRONG(startall_into_one_buffer, local concurrency)
{
    if (rank == 0) {
        SEND;
        SEND;
    } else {
        MPI_Recv_init(b, 4, INT, 0, 0, WORLD, &both[0]);     /* here */
        MPI_Recv_init(b + 2, 4, INT, 0, 0, WORLD, &both[1]); /* here */
        MPI_Startall(2, both);                               /* here */
        WAIT_BOTH;                                           /* here */
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
    }
}
RIGHT(startall_into_two_buffers)
{
    if (rank == 0) {
        SEND;
        SEND;
    } else {
        MPI_Recv_init(b, 4, INT, 0, 0, WORLD, &both[0]);
        MPI_Recv_init(b + 4, 4, INT, 0, 0, WORLD, &both[1]);
        MPI_Startall(2, both);
        WAIT_BOTH;
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
    }
}
WRONG(started_write, local concurrency)
{
    if (rank == 0) {
        MPI_Send_init(a, 4, INT, 1, 0, WORLD, &request); /* here */
        MPI_Start(&request);                             /* here */
        a[0] = 7;                                        /* here */
        WAIT;                                            /* here */
        MPI_Request_free(&request);
    } else {
        RECV;
    }
}
RIGHT(write_started)
{
    if (rank == 0) {
        MPI_Send_init(a, 4, INT, 1, 0, WORLD, &request);
        a[0] = 7;
        MPI_Start(&request);
        WAIT;
        a[0] = 8;
        MPI_Request_free(&request);
    } else {
        RECV;
    }
}
WRONG(started_read, local concurrency)
{
    if (rank == 0) {
        SEND;
    } else {
        MPI_Recv_init(b, 4, INT, 0, 0, WORLD, &request); /* here */
        MPI_Start(&request);                             /* here */
        seen = b[0];                                     /* here */
        WAIT;                                            /* here */
        MPI_Request_free(&request);
    }
}
RIGHT(started_waited_read)
{
    if (rank == 0) {
        SEND;
    } else {
        MPI_Recv_init(b, 4, INT, 0, 0, WORLD, &request);
        MPI_Start(&request);
        WAIT;
        seen = b[0];
        MPI_Request_free(&request);
    }
}

/* ---- nonblocking collective operations ---- */

WRONG(ibcast_write, local concurrency)
{
    MPI_Ibcast(a, 4, INT, 0, WORLD, &request); /* here */
    if (rank == 0) {
        a[0] = 7; /* here */
    }
    WAIT; /* here */
}
RIGHT(ibcast_root_reads)
{
    MPI_Ibcast(a, 4, INT, 0, WORLD, &request);
    if (rank == 0) {
        seen = a[0];
    }
    WAIT;
}
WRONG(ibcast_read, local concurrency, 3 ranks)
{
    MPI_Ibcast(a, 4, INT, 0, WORLD, &request); /* here */
    if (rank == 2) {
        seen = a[0]; /* here */
    }
    WAIT; /* here */
}
RIGHT(ibcast_wait_read, 3 ranks)
{
    MPI_Ibcast(a, 4, INT, 0, WORLD, &request);
    WAIT;
    seen = a[0];
}
WRONG(iallreduce_write, local concurrency)
{
    MPI_Iallreduce(a, b, 4, INT, MPI_SUM, WORLD, &request); /* here */
    a[2] = 7;                                               /* here */
    WAIT;                                                   /* here */
}
RIGHT(iallreduce_wait_write)
{
    MPI_Iallreduce(a, b, 4, INT, MPI_SUM, WORLD, &request);
    WAIT;
    a[2] = 7;
}
WRONG(iallreduce_read, local concurrency)
{
    MPI_Iallreduce(a, b, 4, INT, MPI_SUM, WORLD, &request); /* here */
    seen = b[2];                                            /* here */
    WAIT;                                                   /* here */
}
RIGHT(iallreduce_reads_operand)
{
    MPI_Iallreduce(a, b, 4, INT, MPI_SUM, WORLD, &request);
    seen = a[2];
    WAIT;
}
WRONG(igather_read, local concurrency, 3 ranks)
{
    MPI_Igather(a, 1, INT, b, 1, INT, 0, WORLD, &request); /* here */
    if (rank == 0) {
        seen = b[1]; /* here */
    }
    WAIT; /* here */
}
RIGHT(igather_read_elsewhere, 3 ranks)
{
    MPI_Igather(a, 1, INT, b, 1, INT, 0, WORLD, &request);
    if (rank == 1) {
        seen = b[1];
    }
    WAIT;
}
WRONG(ialltoall_write, local concurrency, 4 ranks)
{
    MPI_Ialltoall(a, 2, INT, b, 2, INT, WORLD, &request); /* here */
    a[7] = -1;                                            /* here */
    WAIT;                                                 /* here */
}
RIGHT(ialltoall_write_behind, 4 ranks)
{
    MPI_Ialltoall(a, 2, INT, b, 2, INT, WORLD, &request);
    a[8] = -1;
    WAIT;
}
WRONG(two_collectives, local concurrency)
{
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &both[0]); /* here */
    MPI_Iallreduce(a, b, 1, INT, MPI_MAX, WORLD, &both[1]); /* here */
    WAIT_BOTH;
}
RIGHT(two_collectives_apart)
{
    MPI_Iallreduce(a, b, 1, INT, MPI_SUM, WORLD, &both[0]);
    MPI_Iallreduce(a, c, 1, INT, MPI_MAX, WORLD, &both[1]);
    WAIT_BOTH;
}
WRONG(ineighbor_read, local concurrency, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &ring);
    MPI_Ineighbor_allgather(a, 1, INT, b, 1, INT, ring, &request); /* here */
    seen = b[1];                                                   /* here */
    WAIT;                                                          /* here */
    MPI_Comm_free(&ring);
}
RIGHT(ineighbor_wait_read, 3 ranks)
{
    MPI_Cart_create(WORLD, 1, (int[]){3}, (int[]){1}, 0, &ring);
    MPI_Ineighbor_allgather(a, 1, INT, b, 1, INT, ring, &request);
    WAIT;
    seen = b[1];
    MPI_Comm_free(&ring);
}
WRONG(allreduce_init_write, local concurrency)
{
    MPI_Allreduce_init(a, b, 4, INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request); /* here */
    MPI_Start(&request);                                                       /* here */
    a[0] = 7;                                                                  /* here */
    WAIT;                                                                      /* here */
    MPI_Request_free(&request);
}
RIGHT(allreduce_init_wait_write)
{
    MPI_Allreduce_init(a, b, 4, INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    WAIT;
    a[0] = 7;
    MPI_Request_free(&request);
}

/* ---- buffers of one-sided accesses at their origin ---- */

static void open_window(void) { MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window); }
#define FENCED(call, after)                                                                           \
    open_window();                                                                                    \
    MPI_Win_fence(0, window);                                                                         \
    if (rank == 0) {                                                                                  \
        call;                                                                                         \
    }                                                                                                 \
    MPI_Win_fence(0, window);                                                                         \
    if (rank == 0) {                                                                                  \
        after;                                                                                        \
    }                                                                                                 \
    MPI_Win_free(&window);
#define LOCKED(call)                                                                                  \
    open_window();                                                                                    \
    if (rank == 0) {                                                                                  \
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);                                                  \
        call;                                                                                         \
        MPI_Win_unlock(1, window);                                                                    \
    }                                                                                                 \
    MPI_Win_free(&window);
#define PUT MPI_Put(a, 4, INT, 1, 0, 4, INT, window)
#define GET MPI_Get(b, 4, INT, 1, 0, 4, INT, window)

WRONG(put_write, local concurrency) { FENCED(PUT; a[0] = 7, ) } /* here */
RIGHT(put_fence_write) { FENCED(PUT, a[0] = 7) }
WRONG(get_read, local concurrency) { FENCED(GET; seen = b[0], ) } /* here */
RIGHT(get_fence_read) { FENCED(GET, seen = b[0]) }
WRONG(get_write, local concurrency) { FENCED(GET; b[3] = 7, ) } /* here */
RIGHT(get_write_behind) { FENCED(GET; b[4] = 7, ) }
WRONG(accumulate_write, local concurrency) { FENCED(MPI_Accumulate(a, 4, INT, 1, 0, 4, INT, MPI_SUM, window); a[1] = 7, ) } /* here */
RIGHT(accumulate_read) { FENCED(MPI_Accumulate(a, 4, INT, 1, 0, 4, INT, MPI_SUM, window); seen = a[1], ) }
WRONG(locked_put_write, local concurrency) { LOCKED(PUT; a[0] = 7) } /* here */
RIGHT(locked_put_flush_write) { LOCKED(PUT; MPI_Win_flush_local(1, window); a[0] = 7) }
WRONG(locked_get_read, local concurrency) { LOCKED(GET; seen = b[0]) } /* here */
RIGHT(locked_get_flush_read) { LOCKED(GET; MPI_Win_flush(1, window); seen = b[0]) }
WRONG(rput_write, local concurrency) { LOCKED(MPI_Rput(a, 4, INT, 1, 0, 4, INT, window, &request); a[0] = 7; WAIT) } /* here */
RIGHT(rput_wait_write) { LOCKED(MPI_Rput(a, 4, INT, 1, 0, 4, INT, window, &request); WAIT; a[0] = 7) }
WRONG(rget_read, local concurrency) { LOCKED(MPI_Rget(b, 4, INT, 1, 0, 4, INT, window, &request); seen = b[0]; WAIT) } /* here */
RIGHT(rget_wait_read) { LOCKED(MPI_Rget(b, 4, INT, 1, 0, 4, INT, window, &request); WAIT; seen = b[0]) }
WRONG(fetch_read, local concurrency) { LOCKED(MPI_Fetch_and_op(a, b, INT, 1, 0, MPI_SUM, window); seen = b[0]) } /* here */
RIGHT(fetch_flush_read) { LOCKED(MPI_Fetch_and_op(a, b, INT, 1, 0, MPI_SUM, window); MPI_Win_flush(1, window); seen = b[0]) }
WRONG(two_gets, local concurrency) { LOCKED(GET; MPI_Get(b, 4, INT, 1, 4, 4, INT, window)) } /* here */
RIGHT(two_gets_apart) { LOCKED(GET; MPI_Get(c, 4, INT, 1, 4, 4, INT, window)) }
WRONG(swap_operand_write, local concurrency) { LOCKED(MPI_Compare_and_swap(a, c, b, INT, 1, 0, window); a[0] = 7) } /* here */
RIGHT(swap_operand_flush_write) { LOCKED(MPI_Compare_and_swap(a, c, b, INT, 1, 0, window); MPI_Win_flush(1, window); a[0] = 7) }
WRONG(pscw_get_read, local concurrency)
{
    MPI_Group world, peer;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){OTHER}, &peer);
    open_window();
    if (rank == 0) {
        MPI_Win_start(peer, 0, window);
        GET;         /* here */
        seen = b[0]; /* here */
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(peer, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
}
RIGHT(pscw_get_complete_read)
{
    MPI_Group world, peer;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){OTHER}, &peer);
    open_window();
    if (rank == 0) {
        MPI_Win_start(peer, 0, window);
        GET;
        MPI_Win_complete(window);
        seen = b[0];
    } else {
        MPI_Win_post(peer, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
}
