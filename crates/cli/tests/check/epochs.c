/* Epochs of one-sided accesses: missing ones, and ones that are opened twice or never closed. */
#include "check.h"

static MPI_Win window;
static int *memory;
static MPI_Group world, others;

static void open_window(void) { MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &window); }
/* The group of all other ranks. */
static void open_group(void)
{
    MPI_Comm_group(WORLD, &world);
    MPI_Group_excl(world, 1, &rank, &others);
}
static void close_group(void)
{
    MPI_Group_free(&others);
    MPI_Group_free(&world);
}
#define OPENED(...)                                                                                   \
    open_window();                                                                                    \
    __VA_ARGS__;                                                                                      \
    MPI_Win_free(&window);
/* `first` on rank 0, `second` on rank 1, in a window. */
#define IN_WINDOW(first, second)                                                                      \
    open_window();                                                                                    \
    open_group();                                                                                     \
    if (rank == 0) {                                                                                  \
        first;                                                                                        \
    } else {                                                                                          \
        second;                                                                                       \
    }                                                                                                 \
    close_group();                                                                                    \
    MPI_Win_free(&window);
#define NOTHING
#define FENCE MPI_Win_fence(0, window)
#define LAST_FENCE MPI_Win_fence(MPI_MODE_NOSUCCEED, window)
#define LOCK MPI_Win_lock(MPI_LOCK_SHARED, OTHER, 0, window)
#define UNLOCK MPI_Win_unlock(OTHER, window)
#define LOCK_ALL MPI_Win_lock_all(0, window)
#define UNLOCK_ALL MPI_Win_unlock_all(window)
#define START MPI_Win_start(others, 0, window)
#define COMPLETE MPI_Win_complete(window)
#define POST MPI_Win_post(others, 0, window)
#define WAIT MPI_Win_wait(window)
#define PUT MPI_Put(a, 1, INT, OTHER, rank, 1, INT, window)
#define GET MPI_Get(b, 1, INT, OTHER, 0, 1, INT, window)
#define ACCUMULATE MPI_Accumulate(a, 1, INT, OTHER, 0, 1, INT, MPI_SUM, window)
#define FETCH MPI_Fetch_and_op(a, b, INT, OTHER, 0, MPI_SUM, window)
#define SWAP MPI_Compare_and_swap(a, c, b, INT, OTHER, 0, window)
#define RPUT MPI_Rput(a, 1, INT, OTHER, rank, 1, INT, window, &request)
#define REQUEST_WAIT MPI_Wait(&request, IGNORE)

/* ---- missing epoch ---- */

WRONG(put_no_epoch, missing epoch) { OPENED(PUT) } /* here */
RIGHT(put_fenced) { OPENED(FENCE; PUT; FENCE) }
RIGHT(put_locked) { OPENED(LOCK; PUT; UNLOCK) }
RIGHT(put_lock_all) { OPENED(LOCK_ALL; PUT; UNLOCK_ALL) }
RIGHT(put_started) { IN_WINDOW(START; PUT; COMPLETE, POST; WAIT) }
RIGHT(put_started_by_both) { OPENED(open_group(); POST; START; PUT; COMPLETE; WAIT; close_group()) }
WRONG(get_no_epoch, missing epoch) { OPENED(GET) } /* here */
RIGHT(get_fenced) { OPENED(FENCE; GET; FENCE) }
WRONG(accumulate_no_epoch, missing epoch) { OPENED(ACCUMULATE) } /* here */
RIGHT(accumulate_locked) { OPENED(LOCK; ACCUMULATE; UNLOCK) }
WRONG(fetch_no_epoch, missing epoch) { OPENED(FETCH) } /* here */
RIGHT(fetch_locked) { OPENED(LOCK; FETCH; UNLOCK) }
WRONG(swap_no_epoch, missing epoch) { OPENED(SWAP) } /* here */
RIGHT(swap_lock_all) { OPENED(LOCK_ALL; SWAP; UNLOCK_ALL) }
WRONG(rput_no_epoch, missing epoch) { OPENED(RPUT; REQUEST_WAIT) } /* here */
RIGHT(rput_locked) { OPENED(LOCK; RPUT; REQUEST_WAIT; UNLOCK) }
WRONG(rput_fenced, missing epoch) { OPENED(FENCE; RPUT; REQUEST_WAIT; FENCE) } /* here */
WRONG(put_before_fence, missing epoch) { OPENED(PUT; FENCE; FENCE) } /* here */
WRONG(put_after_last_fence, missing epoch) { OPENED(FENCE; LAST_FENCE; PUT) } /* here */
RIGHT(put_before_last_fence) { OPENED(FENCE; PUT; LAST_FENCE) }
WRONG(get_after_last_fence, missing epoch, 3 ranks)
{
    open_window();
    FENCE;
    MPI_Put(a, 1, INT, NEXT, 0, 1, INT, window);
    LAST_FENCE;
    MPI_Get(b, 1, INT, NEXT, 0, 1, INT, window); /* here */
    MPI_Win_free(&window);
}
RIGHT(get_after_middle_fence, 3 ranks)
{
    open_window();
    FENCE;
    MPI_Put(a, 1, INT, NEXT, 0, 1, INT, window);
    FENCE;
    MPI_Get(b, 1, INT, NEXT, 0, 1, INT, window);
    LAST_FENCE;
    MPI_Win_free(&window);
}
WRONG(put_after_unlock, missing epoch) { OPENED(LOCK; UNLOCK; PUT) } /* here */
WRONG(get_after_unlock_all, missing epoch) { OPENED(LOCK_ALL; UNLOCK_ALL; GET) } /* here */
WRONG(put_after_complete, missing epoch) { IN_WINDOW(START; COMPLETE; PUT, POST; WAIT) } /* here */
WRONG(put_before_start, missing epoch) { IN_WINDOW(PUT; START; COMPLETE, POST; WAIT) } /* here */
WRONG(put_by_poster, missing epoch) { IN_WINDOW(START; COMPLETE, POST; PUT; WAIT) } /* here */
/* The lock is of another rank. */
WRONG(put_to_unlocked, missing epoch, 3 ranks)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, NEXT, 0, window);
    MPI_Put(a, 1, INT, LAST, 0, 1, INT, window); /* here */
    MPI_Win_unlock(NEXT, window);
    MPI_Win_free(&window);
}
RIGHT(put_to_locked, 3 ranks)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, NEXT, 0, window);
    MPI_Put(a, 1, INT, NEXT, 0, 1, INT, window);
    MPI_Win_unlock(NEXT, window);
    MPI_Win_free(&window);
}
/* Rank 0 starts for rank 1 only. */
WRONG(put_to_not_started, missing epoch, 3 ranks)
{
    MPI_Group one, zero;
    open_window();
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){1}, &one);
    MPI_Group_incl(world, 1, (int[]){0}, &zero);
    if (rank == 0) {
        MPI_Win_start(one, 0, window);
        MPI_Put(a, 1, INT, 2, 0, 1, INT, window); /* here */
        COMPLETE;
    } else if (rank == 1) {
        MPI_Win_post(zero, 0, window);
        WAIT;
    }
    MPI_Group_free(&one);
    MPI_Group_free(&zero);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}
RIGHT(put_to_started, 3 ranks)
{
    MPI_Group one, zero;
    open_window();
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){1}, &one);
    MPI_Group_incl(world, 1, (int[]){0}, &zero);
    if (rank == 0) {
        MPI_Win_start(one, 0, window);
        MPI_Put(a, 1, INT, 1, 0, 1, INT, window);
        COMPLETE;
    } else if (rank == 1) {
        MPI_Win_post(zero, 0, window);
        WAIT;
    }
    MPI_Group_free(&one);
    MPI_Group_free(&zero);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
}
WRONG(flush_no_epoch, missing epoch) { OPENED(MPI_Win_flush(OTHER, window)) } /* here */
RIGHT(flush_locked) { OPENED(LOCK; MPI_Win_flush(OTHER, window); UNLOCK) }
WRONG(flush_all_fenced, missing epoch) { OPENED(FENCE; MPI_Win_flush_all(window); LAST_FENCE) } /* here */
RIGHT(flush_all_lock_all) { OPENED(LOCK_ALL; MPI_Win_flush_all(window); UNLOCK_ALL) }
WRONG(flush_local_no_epoch, missing epoch) { OPENED(MPI_Win_flush_local(OTHER, window)) } /* here */
WRONG(unlock_without_lock, missing epoch) { OPENED(UNLOCK) } /* here */
RIGHT(unlock_with_lock) { OPENED(LOCK; UNLOCK) }
WRONG(unlock_another, missing epoch or doubled epoch) { OPENED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window); MPI_Win_unlock(1, window)) } /* here */
WRONG(unlock_twice, missing epoch) { OPENED(LOCK; UNLOCK; UNLOCK) } /* here */
RIGHT(lock_twice_in_turn) { OPENED(LOCK; UNLOCK; LOCK; UNLOCK) }
WRONG(unlock_all_without_lock_all, missing epoch) { OPENED(UNLOCK_ALL) } /* here */
WRONG(unlock_all_of_lock, missing epoch or doubled epoch) { OPENED(LOCK; UNLOCK_ALL) } /* here */
WRONG(complete_without_start, missing epoch) { OPENED(COMPLETE) } /* here */
WRONG(wait_without_post, missing epoch) { OPENED(WAIT) } /* here */
WRONG(test_without_post, missing epoch) { int done; OPENED(MPI_Win_test(window, &done)) } /* here */
RIGHT(test_with_post) { int done = 0; IN_WINDOW(START; COMPLETE, POST; while (!done) MPI_Win_test(window, &done)) }
/* Each window has its own epochs. */
WRONG(epoch_of_another_window, missing epoch)
{
    MPI_Win other;
    int *more;
    open_window();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &more, &other);
    MPI_Win_fence(0, other);
    PUT; /* here */
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
}
RIGHT(epochs_of_two_windows)
{
    MPI_Win other;
    int *more;
    open_window();
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &more, &other);
    MPI_Win_fence(0, other);
    FENCE;
    PUT;
    FENCE;
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
}
/* The loop closes the epoch in its first step. */
WRONG(epoch_of_first_step, missing epoch)
{
    open_window();
    LOCK_ALL;
    for (int step = 0; step < 2; step++) {
        PUT; /* here */
        if (step == 0) {
            UNLOCK_ALL;
        }
    }
    MPI_Win_free(&window);
}
RIGHT(epoch_of_all_steps)
{
    open_window();
    LOCK_ALL;
    for (int step = 0; step < 2; step++) {
        PUT;
        MPI_Win_flush_all(window);
    }
    UNLOCK_ALL;
    MPI_Win_free(&window);
}
WRONG(dynamic_no_epoch, missing epoch)
{
    MPI_Aint place, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, c, sizeof c);
    MPI_Get_address(c, &place);
    MPI_Sendrecv(&place, 1, MPI_AINT, OTHER, 0, &there, 1, MPI_AINT, OTHER, 0, WORLD, IGNORE);
    MPI_Put(a, 1, INT, OTHER, there, 1, INT, window); /* here */
    MPI_Barrier(WORLD);
    MPI_Win_detach(window, c);
    MPI_Win_free(&window);
}
RIGHT(dynamic_locked)
{
    MPI_Aint place, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, c, sizeof c);
    MPI_Get_address(c, &place);
    MPI_Sendrecv(&place, 1, MPI_AINT, OTHER, 0, &there, 1, MPI_AINT, OTHER, 0, WORLD, IGNORE);
    LOCK;
    MPI_Put(a, 1, INT, OTHER, there, 1, INT, window);
    UNLOCK;
    MPI_Barrier(WORLD);
    MPI_Win_detach(window, c);
    MPI_Win_free(&window);
}

/* ---- doubled epoch ---- */

WRONG(lock_twice, doubled epoch) { OPENED(LOCK; LOCK; UNLOCK; UNLOCK) } /* here */
RIGHT(lock_two_ranks) { OPENED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window); MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); MPI_Win_unlock(1, window); MPI_Win_unlock(0, window)) }
WRONG(lock_all_twice, doubled epoch) { OPENED(LOCK_ALL; LOCK_ALL; UNLOCK_ALL; UNLOCK_ALL) } /* here */
RIGHT(lock_all_in_turn) { OPENED(LOCK_ALL; UNLOCK_ALL; LOCK_ALL; UNLOCK_ALL) }
WRONG(lock_in_lock_all, doubled epoch) { OPENED(LOCK_ALL; LOCK; UNLOCK; UNLOCK_ALL) } /* here */
RIGHT(lock_after_lock_all) { OPENED(LOCK_ALL; UNLOCK_ALL; LOCK; UNLOCK) }
WRONG(lock_all_in_lock, doubled epoch) { OPENED(LOCK; LOCK_ALL; UNLOCK_ALL; UNLOCK) } /* here */
WRONG(fence_in_lock, doubled epoch) { OPENED(LOCK; FENCE; UNLOCK) } /* here */
RIGHT(fence_after_lock) { OPENED(LOCK; PUT; UNLOCK; FENCE; PUT; LAST_FENCE) }
WRONG(fence_in_lock_all, doubled epoch) { OPENED(LOCK_ALL; PUT; FENCE; UNLOCK_ALL) } /* here */
RIGHT(fence_after_lock_all) { OPENED(LOCK_ALL; PUT; UNLOCK_ALL; FENCE; LAST_FENCE) }
WRONG(lock_in_fence, doubled epoch) { OPENED(FENCE; PUT; LOCK; UNLOCK; FENCE) } /* here */
RIGHT(lock_after_last_fence) { OPENED(FENCE; PUT; LAST_FENCE; LOCK; UNLOCK) }
WRONG(start_in_fence, doubled epoch) { IN_WINDOW(FENCE; PUT; START; COMPLETE; FENCE, FENCE; POST; WAIT; FENCE) } /* here */
RIGHT(start_after_last_fence) { IN_WINDOW(FENCE; PUT; LAST_FENCE; START; COMPLETE, FENCE; LAST_FENCE; POST; WAIT) }
WRONG(fence_in_start, doubled epoch) { IN_WINDOW(START; FENCE; COMPLETE, POST; FENCE; WAIT) } /* here */
RIGHT(fence_after_start) { IN_WINDOW(START; COMPLETE; FENCE, POST; WAIT; FENCE) }
WRONG(start_twice, doubled epoch) { IN_WINDOW(START; START; COMPLETE; COMPLETE, POST; WAIT) } /* here */
RIGHT(start_in_turn) { IN_WINDOW(START; COMPLETE; START; COMPLETE, POST; WAIT; POST; WAIT) }
WRONG(post_twice, doubled epoch) { IN_WINDOW(START; COMPLETE, POST; POST; WAIT) } /* here */
WRONG(lock_in_start, doubled epoch) { IN_WINDOW(START; LOCK; UNLOCK; COMPLETE, POST; WAIT) } /* here */
RIGHT(lock_after_start) { IN_WINDOW(START; COMPLETE; LOCK; UNLOCK, POST; WAIT) }
WRONG(start_in_lock, doubled epoch) { IN_WINDOW(LOCK; START; COMPLETE; UNLOCK, POST; WAIT) } /* here */

/* One rank fences within its lock; the other rank does not fence. */
WRONG(fence_in_lock_of_one, call order or doubled epoch)
{
    open_window();
    LOCK;
    if (rank == 0) {
        FENCE; /* here */
    }
    UNLOCK;
    MPI_Win_free(&window); /* here */
}
/* Two fences with an access between them make an epoch; the first fence does not know yet. */
WRONG(lock_between_fences, doubled epoch) { OPENED(FENCE; LOCK; PUT; UNLOCK; FENCE) } /* here */
RIGHT(lock_between_fences_without_access) { OPENED(FENCE; LOCK; UNLOCK; FENCE) }
WRONG(lock_all_between_fences, doubled epoch) { OPENED(FENCE; LOCK_ALL; GET; UNLOCK_ALL; FENCE) } /* here */
RIGHT(lock_between_last_and_first_fence) { OPENED(FENCE; PUT; LAST_FENCE; LOCK; PUT; UNLOCK; FENCE; PUT; LAST_FENCE) }
RIGHT(lock_all_before_fence_of_nothing) { OPENED(FENCE; LOCK_ALL; GET; UNLOCK_ALL; MPI_Win_fence(MPI_MODE_NOPRECEDE, window)) }
WRONG(start_between_fences, doubled epoch) { IN_WINDOW(FENCE; START; PUT; COMPLETE; FENCE, FENCE; POST; WAIT; FENCE) } /* here */
RIGHT(start_after_fence) { IN_WINDOW(FENCE; START; PUT; COMPLETE, FENCE; POST; WAIT) }
WRONG(lock_of_one_between_fences, doubled epoch, 3 ranks)
{
    open_window();
    FENCE;
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* here */
        MPI_Put(a, 1, INT, 0, 0, 1, INT, window);
        MPI_Win_unlock(0, window);
    }
    FENCE;
    MPI_Win_free(&window);
}
RIGHT(lock_of_one_after_fences, 3 ranks)
{
    open_window();
    FENCE;
    LAST_FENCE;
    if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(a, 1, INT, 0, 0, 1, INT, window);
        MPI_Win_unlock(0, window);
    }
    FENCE;
    MPI_Win_free(&window);
}

/* ---- missing epoch: the end of it ---- */

/* Never closed: the finding may name the call that opens the epoch or MPI_Win_free. */
WRONG(lock_not_closed, missing epoch) { OPENED(LOCK; PUT) } /* here */
WRONG(lock_all_not_closed, missing epoch) { OPENED(LOCK_ALL; PUT; MPI_Win_flush_all(window)) } /* here */
WRONG(start_not_completed, missing epoch) { IN_WINDOW(START; PUT, POST) } /* here */
WRONG(post_not_waited, missing epoch) { IN_WINDOW(START; PUT; COMPLETE, POST) } /* here */
WRONG(fence_not_closed, missing epoch) { OPENED(FENCE; PUT) } /* here */
RIGHT(fence_without_access) { OPENED(FENCE) }
WRONG(one_lock_not_closed, missing epoch, 3 ranks)
{
    open_window();
    for (int to = 0; to < size; to++) {
        MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window); /* here */
    }
    for (int to = 1; to < size; to++) {
        MPI_Win_unlock(to, window);
    }
    MPI_Win_free(&window); /* here */
}
RIGHT(all_locks_closed, 3 ranks)
{
    open_window();
    for (int to = 0; to < size; to++) {
        MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
    }
    for (int to = 0; to < size; to++) {
        MPI_Win_unlock(to, window);
    }
    MPI_Win_free(&window);
}
WRONG(lock_not_closed_on_return, missing epoch)
{
    open_window();
    LOCK; /* here */
    MPI_Get(b, 1, INT, OTHER, 0, 1, INT, window);
    MPI_Win_flush(OTHER, window);
    if (b[0] != 99) {
        MPI_Win_free(&window); /* here */
        return;
    }
    UNLOCK;
    MPI_Win_free(&window);
}
RIGHT(lock_closed_on_return)
{
    open_window();
    LOCK;
    MPI_Get(b, 1, INT, OTHER, 0, 1, INT, window);
    MPI_Win_flush(OTHER, window);
    UNLOCK;
    if (b[0] != 99) {
        MPI_Win_free(&window);
        return;
    }
    MPI_Win_free(&window);
}
WRONG(shared_and_exclusive, doubled epoch)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, OTHER, 0, window); /* here */
    GET;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, OTHER, 0, window); /* here */
    PUT;
    UNLOCK;
    UNLOCK;
    MPI_Win_free(&window);
}
RIGHT(shared_then_exclusive)
{
    open_window();
    MPI_Win_lock(MPI_LOCK_SHARED, OTHER, 0, window);
    GET;
    UNLOCK;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, OTHER, 0, window);
    PUT;
    UNLOCK;
    MPI_Win_free(&window);
}
