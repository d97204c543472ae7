/*
 * What the files of the library share.
 *
 * Every function of MPI puts its arguments into machine words and calls `mc_call` with the number of its name in
 * `mc_function_names`: integers are sign-extended, addresses and handles are as they are.
 */
#ifndef MC_SHIM_H
#define MC_SHIM_H

#include "mpi.h"
#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* Of process.c: calls the entry of the machine. Returns an error code of MPI, or does not return if the run is over. */
int mc_call(int function, const uintptr_t *arguments, void *return_address);

/*
 * Of process.c: calls the function with this name, whose number is stored in `*number` at the first call. Programs contain the entries of NX,
 * and may have been linked by a version with other numbers.
 */
int mc_call_named(int *number, const char *name, const uintptr_t *arguments, void *return_address);

/* Of entries.c: the names by number, "MPI_Send", and how many there are. */
extern const char *const mc_function_names[];
extern const int mc_function_count;

/*
 * Of fortran.c: `handle`, of dlopen, is the program of this thread from now on, whose variables MPI_BOTTOM,
 * MPI_STATUS_IGNORE and so on the Fortran entries recognize. Without it, they find the program that calls them. With
 * NULL, they forget the last program.
 */
void mc_fortran_bind(void *handle);

/* The caller of the function that uses the macro. */
#define MC_CALLER __builtin_return_address(0)

#endif
