/*
 * Loads and stores of a program that was compiled by `multicomputer cc --check`: the compiler calls these functions before each of them
 * (gcc's and clang's -fsanitize=thread; libtsan is not linked). Those at addresses that the Rust side watches are reported to it.
 */
#include "process.h"

#include <malloc.h>
#include <string.h>

/* The numbers are those of `touch` in src/entry.rs. */
enum kind { LOAD, STORE, ATOMIC_LOAD, ATOMIC_STORE, FREE };

int mc_watch(const uintptr_t *ranges, size_t count)
{
    struct mc_rank *rank = mc_current;
    if (!rank) {
        return 0;
    }
    struct mc_watch *watch = &rank->watch;
    struct mc_ranges *to = watch->ranges;
    if (count && (!to || count > to->room)) {
        /* Another thread of the program may still read the former ones: they stay allocated. They are at most as many as the new ones. */
        to = calloc(1, sizeof *to + 2 * count * sizeof *to->list);
        to->room = 2 * count;
    }
    if (to) {
        memcpy(to->list, ranges, count * sizeof *to->list);
        to->count = count;
        __atomic_store_n(&watch->ranges, to, __ATOMIC_RELEASE);
    }
    watch->first = count ? to->list[0].first : UINTPTR_MAX;
    watch->last = count ? to->list[count - 1].last : 0;
    return watch->is_instrumented;
}

/* Whether any of the watched addresses is among these. */
static int is_watched(const struct mc_watch *watch, uintptr_t first, uintptr_t last)
{
    const struct mc_ranges *ranges = __atomic_load_n(&watch->ranges, __ATOMIC_ACQUIRE);
    size_t low = 0, high = ranges ? ranges->count : 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges->list[middle].last < first) {
            low = middle + 1;
        } else if (ranges->list[middle].first > last) {
            high = middle;
        } else {
            return 1;
        }
    }
    return 0;
}

/* Other threads of the program than the one that calls MPI report nothing. */
static __attribute__((noinline)) void report(struct mc_rank *rank, uintptr_t first, size_t length, enum kind kind, void *place)
{
    if (is_watched(&rank->watch, first, first + (length - 1)) && pthread_equal(rank->caller, pthread_self()) && mc_begin(rank)) {
        mc_machine->touch(rank->process, first, length, kind, place);
        mc_end(rank);
    }
}

static inline __attribute__((always_inline)) void note(const volatile void *address, size_t length, enum kind kind, void *place)
{
    struct mc_rank *rank = mc_current;
    uintptr_t first = (uintptr_t)address;
    if (rank && first <= rank->watch.last && first + length > rank->watch.first && length) {
        report(rank, first, length, kind, place);
    }
}

#define CALLER __builtin_return_address(0)

void __tsan_init(void);
void __tsan_init(void)
{
    if (mc_current) {
        mc_current->watch.is_instrumented = 1;
    }
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define ACCESS(name, length, ...)                                                                                      \
    void name(void *address);                                                                                          \
    void name(void *address)                                                                                           \
    {                                                                                                                  \
        const enum kind kinds[] = {__VA_ARGS__};                                                                       \
        for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {                                                 \
            note(address, length, kinds[at], CALLER);                                                                  \
        }                                                                                                              \
    }
#define ACCESSES(length)                                                                                               \
    ACCESS(__tsan_read##length, length, LOAD)                                                                          \
    ACCESS(__tsan_write##length, length, STORE)                                                                        \
    ACCESS(__tsan_read_write##length, length, LOAD, STORE)                                                             \
    ACCESS(__tsan_volatile_read##length, length, ATOMIC_LOAD)                                                          \
    ACCESS(__tsan_volatile_write##length, length, ATOMIC_STORE)                                                        \
    ACCESS(__tsan_unaligned_read##length, length, LOAD)                                                                \
    ACCESS(__tsan_unaligned_write##length, length, STORE)                                                              \
    ACCESS(__tsan_unaligned_read_write##length, length, LOAD, STORE)                                                   \
    ACCESS(__tsan_unaligned_volatile_read##length, length, ATOMIC_LOAD)                                                \
    ACCESS(__tsan_unaligned_volatile_write##length, length, ATOMIC_STORE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ACCESS(__tsan_vptr_read, sizeof(void *), LOAD)

void __tsan_vptr_update(void **address, void *value);
void __tsan_vptr_update(void **address, void *value)
{
    if (*address != value) {
        note(address, sizeof *address, STORE, CALLER);
    }
}

void __tsan_read_range(void *address, size_t length);
void __tsan_read_range(void *address, size_t length)
{
    note(address, length, LOAD, CALLER);
}

void __tsan_write_range(void *address, size_t length);
void __tsan_write_range(void *address, size_t length)
{
    note(address, length, STORE, CALLER);
}

/* Functions of the C library: clang calls the first name, and with gcc the linker replaces the calls (--wrap) by the second one. */
#define COPY(name, function)                                                                                           \
    void *name(void *to, const void *from, size_t length);                                                             \
    void *name(void *to, const void *from, size_t length)                                                              \
    {                                                                                                                  \
        note(from, length, LOAD, CALLER);                                                                              \
        note(to, length, STORE, CALLER);                                                                               \
        return function(to, from, length);                                                                             \
    }
#define SET(name)                                                                                                      \
    void *name(void *to, int value, size_t length);                                                                    \
    void *name(void *to, int value, size_t length)                                                                     \
    {                                                                                                                  \
        note(to, length, STORE, CALLER);                                                                               \
        return memset(to, value, length);                                                                              \
    }

COPY(__tsan_memcpy, memcpy)
COPY(__wrap_memcpy, memcpy)
COPY(__tsan_memmove, memmove)
COPY(__wrap_memmove, memmove)
SET(__tsan_memset)
SET(__wrap_memset)

void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    if (memory) {
        note(memory, malloc_usable_size(memory), FREE, CALLER);
    }
    free(memory);
}

#define EXCHANGE(bits, type, name, builtin)                                                                            \
    type __tsan_atomic##bits##_##name(volatile type *address, type value, int order);                                  \
    type __tsan_atomic##bits##_##name(volatile type *address, type value, int order)                                   \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        note(address, sizeof *address, ATOMIC_STORE, CALLER);                                                          \
        return builtin(address, value, __ATOMIC_SEQ_CST);                                                              \
    }
#define COMPARE(bits, type, name)                                                                                      \
    int __tsan_atomic##bits##_##name(volatile type *address, type *expected, type value, int order, int otherwise);    \
    int __tsan_atomic##bits##_##name(volatile type *address, type *expected, type value, int order, int otherwise)     \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        note(address, sizeof *address, ATOMIC_STORE, CALLER);                                                          \
        return __atomic_compare_exchange_n(address, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    }
#define ATOMIC(bits, type)                                                                                             \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);                                          \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                                           \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        note(address, sizeof *address, ATOMIC_LOAD, CALLER);                                                           \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);                                   \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                                    \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        note(address, sizeof *address, ATOMIC_STORE, CALLER);                                                          \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                  \
    EXCHANGE(bits, type, exchange, __atomic_exchange_n)                                                                \
    EXCHANGE(bits, type, fetch_add, __atomic_fetch_add)                                                                \
    EXCHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                                                \
    EXCHANGE(bits, type, fetch_and, __atomic_fetch_and)                                                                \
    EXCHANGE(bits, type, fetch_or, __atomic_fetch_or)                                                                  \
    EXCHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                                                \
    EXCHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                                                              \
    COMPARE(bits, type, compare_exchange_strong)                                                                       \
    COMPARE(bits, type, compare_exchange_weak)                                                                         \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value, int order,      \
                                                    int otherwise);                                                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value, int order,      \
                                                    int otherwise)                                                     \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        note(address, sizeof *address, ATOMIC_STORE, CALLER);                                                          \
        __atomic_compare_exchange_n(address, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
        return expected;                                                                                               \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
