/* Random numbers: every rank has generators of its own, with libc's seeds, so a program gets the same numbers as in a process of its own. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "process.h"

void mc_seed(struct mc_rank *rank)
{
    initstate_r(1, rank->random.state, sizeof rank->random.state, &rank->random.random);
}

void srandom(unsigned int seed)
{
    if (!mc_current) {
        MC_REAL(srandom);
        real(seed);
        return;
    }
    srandom_r(seed, &mc_current->random.random);
}

void srand(unsigned int seed)
{
    srandom(seed);
}

long random(void)
{
    if (!mc_current) {
        MC_REAL(random);
        return real();
    }
    int32_t number = 0;
    random_r(&mc_current->random.random, &number);
    return number;
}

int rand(void)
{
    return random();
}

char *initstate(unsigned int seed, char *state, size_t length)
{
    if (!mc_current) {
        MC_REAL(initstate);
        return real(seed, state, length);
    }
    /* The former state, as of libc, begins with a word that the functions keep before the state. */
    struct random_data *random = &mc_current->random.random;
    char *former = (char *)(random->state - 1);
    return initstate_r(seed, state, length, random) ? NULL : former;
}

char *setstate(char *state)
{
    if (!mc_current) {
        MC_REAL(setstate);
        return real(state);
    }
    struct random_data *random = &mc_current->random.random;
    char *former = (char *)(random->state - 1);
    return setstate_r(state, random) ? NULL : former;
}

/* The family of drand48. `data` is zero at first, which is libc's own initial state. */

double drand48(void)
{
    if (!mc_current) {
        MC_REAL(drand48);
        return real();
    }
    double number = 0;
    drand48_r(&mc_current->random.drand48, &number);
    return number;
}

double erand48(unsigned short state[3])
{
    if (!mc_current) {
        MC_REAL(erand48);
        return real(state);
    }
    double number = 0;
    erand48_r(state, &mc_current->random.drand48, &number);
    return number;
}

long lrand48(void)
{
    if (!mc_current) {
        MC_REAL(lrand48);
        return real();
    }
    long number = 0;
    lrand48_r(&mc_current->random.drand48, &number);
    return number;
}

long nrand48(unsigned short state[3])
{
    if (!mc_current) {
        MC_REAL(nrand48);
        return real(state);
    }
    long number = 0;
    nrand48_r(state, &mc_current->random.drand48, &number);
    return number;
}

long mrand48(void)
{
    if (!mc_current) {
        MC_REAL(mrand48);
        return real();
    }
    long number = 0;
    mrand48_r(&mc_current->random.drand48, &number);
    return number;
}

long jrand48(unsigned short state[3])
{
    if (!mc_current) {
        MC_REAL(jrand48);
        return real(state);
    }
    long number = 0;
    jrand48_r(state, &mc_current->random.drand48, &number);
    return number;
}

void srand48(long seed)
{
    if (!mc_current) {
        MC_REAL(srand48);
        real(seed);
        return;
    }
    srand48_r(seed, &mc_current->random.drand48);
}

unsigned short *seed48(unsigned short seed[3])
{
    if (!mc_current) {
        MC_REAL(seed48);
        return real(seed);
    }
    seed48_r(seed, &mc_current->random.drand48);
    return mc_current->random.drand48.__old_x;
}

void lcong48(unsigned short parameters[7])
{
    if (!mc_current) {
        MC_REAL(lcong48);
        real(parameters);
        return;
    }
    lcong48_r(parameters, &mc_current->random.drand48);
}
