/*
 * The time of computation on a virtual machine, for MPI programs in C and C++.
 *
 * `multicomputer cc` and `c++` define MULTICOMPUTER. Under any other compiler the names below have no effect, so a program may contain a
 * copy of this file.
 */
#ifndef MULTICOMPUTER_H
#define MULTICOMPUTER_H

#ifdef MULTICOMPUTER

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the processor of this rank busy for this modeled time. */
void MC_Compute(double seconds);

/* Of the macros below. */
int MC_Sample_begin(int is_global, int iterations, double precision, const char *file, int line);
int MC_Sample_end(void);

#ifdef __cplusplus
}
#endif

#define MC_SAMPLE(is_global, iterations, precision)                                                                    \
    for (int mc_runs = MC_Sample_begin(is_global, iterations, precision, __FILE__, __LINE__); mc_runs;                 \
         mc_runs = MC_Sample_end())

#else

#define MC_Compute(seconds) ((void)(seconds))
#define MC_SAMPLE(is_global, iterations, precision) for (int mc_runs = 1; mc_runs; mc_runs = 0)

#endif

/*
 * Before a block that only computes: each rank executes it in its first visits, and is charged the mean time of these in every later visit,
 * in which the block is skipped. There are as many executions as `iterations`, and further ones until the standard error of the mean is at
 * most `precision` times the mean; a precision of 0 sets no such condition. The block may not be left by break, return or goto.
 */
#define MC_SAMPLE_LOCAL(iterations, precision) MC_SAMPLE(0, iterations, precision)

/* The same with `iterations` executions on all ranks together, equally many on each. */
#define MC_SAMPLE_GLOBAL(iterations, precision) MC_SAMPLE(1, iterations, precision)

#endif
