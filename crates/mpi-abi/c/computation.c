/* The functions of multicomputer.h, for C and Fortran. */

#define MULTICOMPUTER
#include "../include/multicomputer.h"
#include "shim.h"

#include <string.h>

/* A real number is passed by its bits. */
static uintptr_t word_of(double value)
{
    uintptr_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

void MC_Compute(double seconds)
{
    const uintptr_t words[] = {word_of(seconds)};
    mc_call(MC_MC_Compute, words, MC_CALLER);
}

void mc_compute_(const double *seconds);

void mc_compute_(const double *seconds)
{
    const uintptr_t words[] = {word_of(*seconds)};
    mc_call(MC_MC_Compute, words, MC_CALLER);
}

int MC_Sample_begin(int is_global, int iterations, double precision, const char *file, int line)
{
    int runs = 0;
    const uintptr_t words[] = {is_global,       (uintptr_t)(intptr_t)iterations, word_of(precision), (uintptr_t)file,
                               (uintptr_t)line, (uintptr_t)&runs};
    mc_call(MC_MC_Sample_begin, words, MC_CALLER);
    return runs;
}

int MC_Sample_end(void)
{
    const uintptr_t words[] = {0};
    mc_call(MC_MC_Sample_end, words, MC_CALLER);
    return 0;
}
