#ifndef MC_SHIM_H
#define MC_SHIM_H
#include "mpi.h"
#include <stddef.h>
#include <stdint.h>
int mc_call(int function, const uintptr_t *arguments, void *return_address);
extern const char *const mc_function_names[];
extern const int mc_function_count;
void mc_fortran_bind(void *handle);
#define MC_CALLER __builtin_return_address(0)
#endif
