/* Conflicting accesses to the same memory of a window, by several ranks or by one. */
#include "check.h"

static MPI_Win window;
static int *memory;
static volatile int seen;
static MPI_Group world, others;

static void open_window(void)
{
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memset(memory, 0, 64 * sizeof(int));
    MPI_Win_unlock(rank, window);
    MPI_Barrier(WORLD);
}
/* What rank 0, 1 and 2 do in one epoch. The window that counts is that of rank 0. */
#define FENCED(zero, one, two)                                                                        \
    open_window();                                                                                    \
    MPI_Win_fence(0, window);                                                                         \
    if (rank == 0) {                                                                                  \
        zero;                                                                                         \
    } else if (rank == 1) {                                                                           \
        one;                                                                                          \
    } else {                                                                                          \
        two;                                                                                          \
    }                                                                                                 \
    MPI_Win_fence(0, window);                                                                         \
    MPI_Win_free(&window);
/* What rank 1 and 2 do within a lock of this kind. */
#define LOCKED(kind, one, two)                                                                        \
    open_window();                                                                                    \
    if (rank) {                                                                                       \
        MPI_Win_lock(kind, 0, 0, window);                                                             \
        if (rank == 1) {                                                                              \
            one;                                                                                      \
        } else {                                                                                      \
            two;                                                                                      \
        }                                                                                             \
        MPI_Win_unlock(0, window);                                                                    \
    }                                                                                                 \
    MPI_Barrier(WORLD);                                                                               \
    MPI_Win_free(&window);
/* What rank 1 and 2 do between start and complete. */
#define STARTED(zero, one, two)                                                                       \
    open_window();                                                                                    \
    MPI_Comm_group(WORLD, &world);                                                                    \
    if (rank == 0) {                                                                                  \
        MPI_Group_excl(world, 1, (int[]){0}, &others);                                                \
        MPI_Win_post(others, 0, window);                                                              \
        zero;                                                                                         \
        MPI_Win_wait(window);                                                                         \
    } else {                                                                                          \
        MPI_Group_incl(world, 1, (int[]){0}, &others);                                                \
        MPI_Win_start(others, 0, window);                                                             \
        if (rank == 1) {                                                                              \
            one;                                                                                      \
        } else {                                                                                      \
            two;                                                                                      \
        }                                                                                             \
        MPI_Win_complete(window);                                                                     \
    }                                                                                                 \
    MPI_Group_free(&others);                                                                          \
    MPI_Group_free(&world);                                                                           \
    MPI_Win_free(&window);
#define NOTHING
#define PUT(place) MPI_Put(a, 2, INT, 0, place, 2, INT, window)
#define GET(place) MPI_Get(b, 2, INT, 0, place, 2, INT, window)
#define ACCUMULATE(place, op) MPI_Accumulate(a, 2, INT, 0, place, 2, INT, op, window)
#define FETCH(place, op) MPI_Fetch_and_op(a, c, INT, 0, place, op, window)

/* ---- fence ---- */

WRONG(put_put, global concurrency, 3 ranks) { FENCED(NOTHING, PUT(0), PUT(0)) } /* here */
RIGHT(put_put_apart, 3 ranks) { FENCED(NOTHING, PUT(0), PUT(2)) }
WRONG(put_put_overlap, global concurrency, 3 ranks) { FENCED(NOTHING, PUT(0), PUT(1)) } /* here */
RIGHT(put_put_gap, 3 ranks) { FENCED(NOTHING, PUT(0), PUT(3)) }
WRONG(put_get, global concurrency, 3 ranks) { FENCED(NOTHING, PUT(0), GET(0)) } /* here */
RIGHT(get_get, 3 ranks) { FENCED(NOTHING, GET(0), GET(0)) }
WRONG(get_put_overlap, global concurrency, 3 ranks) { FENCED(NOTHING, GET(5), PUT(6)) } /* here */
RIGHT(get_put_apart, 3 ranks) { FENCED(NOTHING, GET(5), PUT(7)) }
WRONG(put_accumulate, global concurrency, 3 ranks) { FENCED(NOTHING, PUT(0), ACCUMULATE(0, MPI_SUM)) } /* here */
RIGHT(accumulate_accumulate, 3 ranks) { FENCED(NOTHING, ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_SUM)) }
WRONG(sum_and_max, global concurrency, 3 ranks) { FENCED(NOTHING, ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_MAX)) } /* here */
RIGHT(sum_and_max_apart, 3 ranks) { FENCED(NOTHING, ACCUMULATE(0, MPI_SUM), ACCUMULATE(2, MPI_MAX)) }
WRONG(sum_and_replace, global concurrency, 3 ranks) { FENCED(NOTHING, ACCUMULATE(0, MPI_SUM), ACCUMULATE(1, MPI_REPLACE)) } /* here */
RIGHT(sum_and_no_op, 3 ranks) { FENCED(NOTHING, ACCUMULATE(0, MPI_SUM), FETCH(0, MPI_NO_OP)) }
WRONG(get_accumulate, global concurrency, 3 ranks) { FENCED(NOTHING, GET(0), ACCUMULATE(0, MPI_SUM)) } /* here */
RIGHT(get_accumulate_apart, 3 ranks) { FENCED(NOTHING, GET(0), ACCUMULATE(2, MPI_SUM)) }
WRONG(fetch_sum_and_put, global concurrency, 3 ranks) { FENCED(NOTHING, FETCH(0, MPI_SUM), PUT(0)) } /* here */
RIGHT(fetch_sum_twice, 3 ranks) { FENCED(NOTHING, FETCH(0, MPI_SUM), FETCH(0, MPI_SUM)) }
WRONG(fetch_sum_and_product, global concurrency, 3 ranks) { FENCED(NOTHING, FETCH(0, MPI_SUM), FETCH(0, MPI_PROD)) } /* here */
WRONG(put_load, global concurrency) { FENCED(seen = memory[0], PUT(0), NOTHING) } /* here */
RIGHT(get_load) { FENCED(seen = memory[0], GET(0), NOTHING) }
WRONG(put_store, global concurrency) { FENCED(memory[1] = 7, PUT(0), NOTHING) } /* here */
RIGHT(put_elsewhere_store) { FENCED(c[1] = 7, PUT(0), NOTHING) }
WRONG(get_store, global concurrency) { FENCED(memory[1] = 7, GET(0), NOTHING) } /* here */
RIGHT(get_store_elsewhere) { FENCED(memory[2] = 7, GET(0), NOTHING) }
WRONG(accumulate_load, global concurrency) { FENCED(seen = memory[0], ACCUMULATE(0, MPI_SUM), NOTHING) } /* here */
WRONG(accumulate_store, global concurrency) { FENCED(memory[0]++, ACCUMULATE(0, MPI_SUM), NOTHING) } /* here */
RIGHT(accumulate_own, 3 ranks) { FENCED(ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_SUM)) }
WRONG(own_put_put, global concurrency, 3 ranks) { FENCED(PUT(4), PUT(4), NOTHING) } /* here */
RIGHT(own_put_put_apart, 3 ranks) { FENCED(PUT(4), PUT(6), NOTHING) }

/* One origin: accesses of one epoch have no order, but for accumulations. */
WRONG(same_put_put, global concurrency) { FENCED(NOTHING, PUT(0); PUT(1), NOTHING) } /* here */
RIGHT(same_put_put_apart) { FENCED(NOTHING, PUT(0); PUT(2), NOTHING) }
WRONG(same_put_get, global concurrency) { FENCED(NOTHING, PUT(0); GET(0), NOTHING) } /* here */
RIGHT(same_get_get) { FENCED(NOTHING, GET(0); MPI_Get(c, 2, INT, 0, 0, 2, INT, window), NOTHING) }
WRONG(same_put_accumulate, global concurrency) { FENCED(NOTHING, PUT(0); ACCUMULATE(0, MPI_SUM), NOTHING) } /* here */
RIGHT(same_accumulate_twice) { FENCED(NOTHING, ACCUMULATE(0, MPI_SUM); ACCUMULATE(0, MPI_SUM), NOTHING) }

/* The fence between the accesses. */
WRONG(puts_of_one_epoch, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        PUT(0); /* here */
    }
    if (rank == 2) {
        PUT(0); /* here */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(puts_of_two_epochs, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        PUT(0);
    }
    MPI_Win_fence(0, window);
    if (rank == 2) {
        PUT(0);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
/* A barrier is no fence. */
WRONG(barrier_between, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        PUT(0); /* here */
    }
    MPI_Barrier(WORLD);
    if (rank == 2) {
        GET(0); /* here */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(fence_between, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        PUT(0);
    }
    MPI_Win_fence(0, window);
    if (rank == 2) {
        GET(0);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
WRONG(load_before_fence, global concurrency)
{
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        PUT(0); /* here */
    } else {
        seen = memory[1]; /* here */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(load_after_fence)
{
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        PUT(0);
    }
    MPI_Win_fence(0, window);
    if (rank == 0) {
        seen = memory[1];
    }
    MPI_Win_free(&window);
}
/* All ranks put into the window of the next one, and each sets up its own after the fence. */
WRONG(set_up_after_fence, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    memory[0] = -1;                                      /* here */
    MPI_Put(a, 1, INT, NEXT, 0, 1, INT, window);         /* here */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(set_up_before_fence, 3 ranks)
{
    open_window();
    memory[0] = -1;
    MPI_Win_fence(0, window);
    MPI_Put(a, 1, INT, NEXT, 0, 1, INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
/* Places count in bytes, or in integers. */
WRONG(unit_of_bytes, global concurrency, 3 ranks)
{
    MPI_Win_create(c, sizeof c, 1, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, INT, 0, rank, 1, INT, window); /* here */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(unit_of_integers, 3 ranks)
{
    MPI_Win_create(c, sizeof c, sizeof(int), MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, INT, 0, rank, 1, INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
/* A column and a row of a matrix have one element in common. */
WRONG(column_and_row, global concurrency, 3 ranks)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, INT, &column);
    MPI_Type_commit(&column);
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        MPI_Put(a, 4, INT, 0, 1, 1, column, window); /* here */
    } else if (rank == 2) {
        MPI_Put(a, 4, INT, 0, 8, 4, INT, window); /* here */
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&column);
}
RIGHT(column_and_rest_of_row, 3 ranks)
{
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, INT, &column);
    MPI_Type_commit(&column);
    open_window();
    MPI_Win_fence(0, window);
    if (rank == 1) {
        MPI_Put(a, 4, INT, 0, 0, 1, column, window);
    } else if (rank == 2) {
        MPI_Put(a, 3, INT, 0, 9, 3, INT, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&column);
}
/* A histogram: counts are added, not read and written back. */
WRONG(histogram_get_put, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_fence(0, window);
    GET(8);
    MPI_Win_fence(0, window);
    b[0]++;
    MPI_Put(b, 1, INT, 0, 8, 1, INT, window); /* here */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}
RIGHT(histogram_accumulate, 3 ranks)
{
    int one = 1;
    open_window();
    MPI_Win_fence(0, window);
    MPI_Accumulate(&one, 1, INT, 0, 8, 1, INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* ---- locks ---- */

WRONG(shared_put_put, global concurrency, 3 ranks) { LOCKED(MPI_LOCK_SHARED, PUT(0), PUT(0)) } /* here */
RIGHT(shared_put_put_apart, 3 ranks) { LOCKED(MPI_LOCK_SHARED, PUT(0), PUT(2)) }
RIGHT(exclusive_put_put, 3 ranks) { LOCKED(MPI_LOCK_EXCLUSIVE, PUT(0), PUT(0)) }
WRONG(shared_put_get, global concurrency, 3 ranks) { LOCKED(MPI_LOCK_SHARED, PUT(0), GET(0)) } /* here */
RIGHT(shared_get_get, 3 ranks) { LOCKED(MPI_LOCK_SHARED, GET(0), GET(0)) }
RIGHT(exclusive_put_get, 3 ranks) { LOCKED(MPI_LOCK_EXCLUSIVE, PUT(0), GET(0)) }
WRONG(shared_sum_max, global concurrency, 3 ranks) { LOCKED(MPI_LOCK_SHARED, ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_MAX)) } /* here */
RIGHT(shared_sum_sum, 3 ranks) { LOCKED(MPI_LOCK_SHARED, ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_SUM)) }
RIGHT(shared_fetch_fetch, 3 ranks) { LOCKED(MPI_LOCK_SHARED, FETCH(0, MPI_SUM), FETCH(0, MPI_SUM)) }
WRONG(shared_fetch_put, global concurrency, 3 ranks) { LOCKED(MPI_LOCK_SHARED, FETCH(0, MPI_SUM), PUT(0)) } /* here */
WRONG(locked_put_get, global concurrency) { LOCKED(MPI_LOCK_EXCLUSIVE, PUT(0); GET(0), NOTHING) } /* here */
RIGHT(locked_put_flush_get) { LOCKED(MPI_LOCK_EXCLUSIVE, PUT(0); MPI_Win_flush(0, window); GET(0), NOTHING) }

/* The owner of the window loads or stores without a lock of its own. */
WRONG(locked_put_load, global concurrency)
{
    open_window();
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        PUT(0); /* here */
        MPI_Win_unlock(0, window);
    } else {
        seen = memory[0]; /* here */
    }
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
RIGHT(locked_put_locked_load)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (rank == 1) {
        PUT(0);
    } else {
        seen = memory[0];
    }
    MPI_Win_unlock(0, window);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
RIGHT(locked_put_barrier_load)
{
    open_window();
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        PUT(0);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        seen = memory[0];
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
}
/* A counter that each rank increments. */
WRONG(counter_shared, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(b, 1, INT, 0, 0, 1, INT, window); /* here */
    MPI_Win_flush(0, window);
    b[0]++;
    MPI_Put(b, 1, INT, 0, 0, 1, INT, window); /* here */
    MPI_Win_unlock(0, window);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
RIGHT(counter_exclusive, 3 ranks)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(b, 1, INT, 0, 0, 1, INT, window);
    MPI_Win_flush(0, window);
    b[0]++;
    MPI_Put(b, 1, INT, 0, 0, 1, INT, window);
    MPI_Win_unlock(0, window);
    MPI_Barrier(WORLD);
    MPI_Win_free(&window);
}
/* All windows are locked for the whole program: a flush and a message give the order. */
WRONG(lock_all_no_flush, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        PUT(0); /* here */
    }
    MPI_Barrier(WORLD);
    if (rank == 2) {
        GET(0); /* here */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
WRONG(lock_all_no_barrier, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        PUT(0); /* here */
        MPI_Win_flush(0, window);
    }
    if (rank == 2) {
        GET(0); /* here */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
RIGHT(lock_all_flush_barrier, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        PUT(0);
        MPI_Win_flush(0, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 2) {
        GET(0);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
RIGHT(lock_all_flush_message, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        PUT(0);
        MPI_Win_flush(0, window);
        MPI_Send(NULL, 0, INT, 2, 0, WORLD);
    }
    if (rank == 2) {
        MPI_Recv(NULL, 0, INT, 1, 0, WORLD, IGNORE);
        GET(0);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
WRONG(lock_all_flush_local, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        PUT(0); /* here */
        MPI_Win_flush_local(0, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 2) {
        PUT(1); /* here */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
WRONG(rput_waited_get, global concurrency, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Rput(a, 1, INT, 0, 0, 1, INT, window, &request); /* here */
        MPI_Wait(&request, IGNORE);
    }
    MPI_Barrier(WORLD);
    if (rank == 2) {
        GET(0); /* here */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
RIGHT(rput_flushed_get, 3 ranks)
{
    open_window();
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Rput(a, 1, INT, 0, 0, 1, INT, window, &request);
        MPI_Wait(&request, IGNORE);
        MPI_Win_flush(0, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 2) {
        GET(0);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* ---- post, start, complete, wait ---- */

WRONG(started_put_put, global concurrency, 3 ranks) { STARTED(NOTHING, PUT(0), PUT(0)) } /* here */
RIGHT(started_put_put_apart, 3 ranks) { STARTED(NOTHING, PUT(0), PUT(2)) }
WRONG(started_put_get, global concurrency, 3 ranks) { STARTED(NOTHING, PUT(0), GET(1)) } /* here */
RIGHT(started_get_get, 3 ranks) { STARTED(NOTHING, GET(0), GET(1)) }
WRONG(started_sum_product, global concurrency, 3 ranks) { STARTED(NOTHING, ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_PROD)) } /* here */
RIGHT(started_sum_sum, 3 ranks) { STARTED(NOTHING, ACCUMULATE(0, MPI_SUM), ACCUMULATE(0, MPI_SUM)) }
WRONG(posted_load, global concurrency, 3 ranks) { STARTED(seen = memory[0], PUT(0), NOTHING) } /* here */
RIGHT(posted_load_of_get, 3 ranks) { STARTED(seen = memory[0], GET(0), NOTHING) }
WRONG(posted_store, global concurrency, 3 ranks) { STARTED(memory[0] = 7, GET(0), NOTHING) } /* here */
WRONG(load_before_wait, global concurrency)
{
    open_window();
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){OTHER}, &others);
    if (rank == 0) {
        MPI_Win_post(others, 0, window);
        seen = memory[0]; /* here */
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(others, 0, window);
        PUT(0); /* here */
        MPI_Win_complete(window);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}
RIGHT(load_after_wait)
{
    open_window();
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){OTHER}, &others);
    if (rank == 0) {
        MPI_Win_post(others, 0, window);
        MPI_Win_wait(window);
        seen = memory[0];
    } else {
        MPI_Win_start(others, 0, window);
        PUT(0);
        MPI_Win_complete(window);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}

/* ---- shared memory ---- */

WRONG(shared_memory_unordered, global concurrency)
{
    MPI_Aint bytes;
    int unit, *first;
    MPI_Win_allocate_shared(rank ? 0 : 64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        first[0] = 5; /* here */
    } else {
        seen = first[0]; /* here */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
RIGHT(shared_memory_ordered)
{
    MPI_Aint bytes;
    int unit, *first;
    MPI_Win_allocate_shared(rank ? 0 : 64, 4, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        first[0] = 5;
    }
    MPI_Win_sync(window);
    MPI_Barrier(WORLD);
    MPI_Win_sync(window);
    if (rank == 1) {
        seen = first[0];
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}
