/*
 * Time: clocks show modeled time, and sleeping lets modeled time pass.
 *
 * Dates begin at a fixed instant, 2000-01-01 00:00 UTC, at the start of the run, so that a program that is seeded with the date is the same in
 * every run. Processor time equals modeled time. Threads that the program has started see the time of the rank's last call.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#define DATE 946684800 /* 2000-01-01 00:00 UTC */
#define PICOSECONDS 1000000000000u

static uint64_t now(struct mc_rank *rank)
{
    if (mc_is_own(rank) && mc_begin(rank)) {
        uint64_t picoseconds = 0;
        int result = mc_machine->now(rank->process, &picoseconds);
        mc_end(rank);
        if (result < 0) {
            mc_leave(rank, MC_LEFT, 1);
        }
        __atomic_store_n(&rank->last_time, picoseconds, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&rank->last_time, __ATOMIC_RELAXED);
}

static void rest(struct mc_rank *rank, uint64_t picoseconds)
{
    if (mc_is_own(rank) && mc_begin(rank)) {
        int result = mc_machine->sleep(rank->process, picoseconds);
        mc_end(rank);
        if (result < 0) {
            mc_leave(rank, MC_LEFT, 1);
        }
        return;
    }
    /* No time is modeled for the program's other threads; a loop that sleeps must not keep a core busy. */
    MC_REAL(nanosleep);
    const struct timespec short_time = {0, 100000};
    real(&short_time, NULL);
}

static struct timespec timespec_of(uint64_t picoseconds, time_t begin)
{
    return (struct timespec){begin + picoseconds / PICOSECONDS, picoseconds % PICOSECONDS / 1000};
}

static struct timeval timeval_of(uint64_t picoseconds, time_t begin)
{
    return (struct timeval){begin + picoseconds / PICOSECONDS, picoseconds % PICOSECONDS / 1000000};
}

/* Picoseconds of a duration; at most half of what 64 bits hold, 106 days. */
static uint64_t picoseconds_of(int64_t seconds, uint64_t nanoseconds)
{
    const uint64_t most = UINT64_MAX / 2;
    if (seconds < 0) {
        return 0;
    }
    return (uint64_t)seconds >= most / PICOSECONDS ? most : (uint64_t)seconds * PICOSECONDS + nanoseconds * 1000;
}

int clock_gettime(clockid_t clock, struct timespec *into)
{
    struct mc_rank *rank = mc_current;
    int is_date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    int is_modeled = is_date || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
                     clock == CLOCK_BOOTTIME || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    if (!rank || !is_modeled) {
        MC_REAL(clock_gettime);
        return real(clock, into);
    }
    *into = timespec_of(now(rank), is_date ? DATE : 0);
    return 0;
}

int gettimeofday(struct timeval *restrict into, void *restrict zone)
{
    if (!mc_current) {
        MC_REAL(gettimeofday);
        return real(into, zone);
    }
    *into = timeval_of(now(mc_current), DATE);
    return 0;
}

time_t time(time_t *into)
{
    if (!mc_current) {
        MC_REAL(time);
        return real(into);
    }
    time_t seconds = DATE + now(mc_current) / PICOSECONDS;
    if (into) {
        *into = seconds;
    }
    return seconds;
}

int timespec_get(struct timespec *into, int base)
{
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, into) ? base : 0;
}

clock_t clock(void)
{
    if (!mc_current) {
        MC_REAL(clock);
        return real();
    }
    return now(mc_current) / (PICOSECONDS / CLOCKS_PER_SEC);
}

clock_t times(struct tms *into)
{
    MC_REAL(times);
    if (!mc_current) {
        return real(into);
    }
    clock_t ticks = now(mc_current) / (PICOSECONDS / sysconf(_SC_CLK_TCK));
    if (into) {
        *into = (struct tms){.tms_utime = ticks};
    }
    return ticks;
}

int getrusage(__rusage_who_t who, struct rusage *into)
{
    MC_REAL(getrusage);
    int result = real(who, into);
    if (mc_current && !result && who != RUSAGE_CHILDREN) {
        into->ru_utime = timeval_of(now(mc_current), 0);
        into->ru_stime = (struct timeval){0, 0};
    }
    return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *given, struct timespec *left)
{
    struct mc_rank *rank = mc_current;
    if (!rank) {
        MC_REAL(clock_nanosleep);
        return real(clock, flags, given, left);
    }
    if (given->tv_nsec < 0 || given->tv_nsec > 999999999) {
        return EINVAL;
    }
    if (flags & TIMER_ABSTIME) {
        uint64_t begin = now(rank);
        uint64_t end = picoseconds_of(given->tv_sec - (clock == CLOCK_REALTIME ? DATE : 0), given->tv_nsec);
        rest(rank, end > begin ? end - begin : 0);
    } else {
        rest(rank, picoseconds_of(given->tv_sec, given->tv_nsec));
    }
    return 0;
}

int nanosleep(const struct timespec *given, struct timespec *left)
{
    if (!mc_current) {
        MC_REAL(nanosleep);
        return real(given, left);
    }
    int error = clock_nanosleep(CLOCK_MONOTONIC, 0, given, left);
    if (error) {
        errno = error;
    }
    return error ? -1 : 0;
}

unsigned int sleep(unsigned int seconds)
{
    if (!mc_current) {
        MC_REAL(sleep);
        return real(seconds);
    }
    rest(mc_current, picoseconds_of(seconds, 0));
    return 0;
}

int usleep(useconds_t microseconds)
{
    if (!mc_current) {
        MC_REAL(usleep);
        return real(microseconds);
    }
    rest(mc_current, (uint64_t)microseconds * 1000000);
    return 0;
}

/* Without descriptors, both are ways to sleep. */

int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict exceptions,
           struct timeval *restrict limit)
{
    if (mc_current && count == 0 && limit) {
        rest(mc_current, picoseconds_of(limit->tv_sec, (uint64_t)limit->tv_usec * 1000));
        return 0;
    }
    MC_REAL(select);
    return real(count, reads, writes, exceptions, limit);
}

int poll(struct pollfd *descriptors, nfds_t count, int limit)
{
    if (mc_current && count == 0 && limit >= 0) {
        rest(mc_current, (uint64_t)limit * 1000000000);
        return 0;
    }
    MC_REAL(poll);
    return real(descriptors, count, limit);
}
