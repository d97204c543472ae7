#include "shim.h"
const char *const mc_function_names[] = {"MPI_Init", "MPI_Initialized", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Barrier", "MPI_Abort", "MPI_Finalize", "MPI_Wtime"};
const int mc_function_count = 8;
void mc_fortran_bind(void *handle) { (void)handle; }
#define CALL(n, ...) const uintptr_t words[] = {__VA_ARGS__}; return mc_call(n, words, MC_CALLER)
int MPI_Init(int *a, char ***b) { CALL(0, (uintptr_t)a, (uintptr_t)b); }
int MPI_Initialized(int *a) { CALL(1, (uintptr_t)a); }
int MPI_Comm_rank(MPI_Comm c, int *a) { CALL(2, (uintptr_t)c, (uintptr_t)a); }
int MPI_Comm_size(MPI_Comm c, int *a) { CALL(3, (uintptr_t)c, (uintptr_t)a); }
int MPI_Barrier(MPI_Comm c) { CALL(4, (uintptr_t)c); }
int MPI_Abort(MPI_Comm c, int a) { CALL(5, (uintptr_t)c, (uintptr_t)(intptr_t)a); }
int MPI_Finalize(void) { CALL(6, 0); }
double MPI_Wtime(void) { double t = 0; const uintptr_t words[] = {(uintptr_t)&t}; mc_call(7, words, MC_CALLER); return t; }
