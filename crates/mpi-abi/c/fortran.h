/* Conversions of arguments of Fortran, for the files fortran*.c. */
#ifndef MC_FORTRAN_H
#define MC_FORTRAN_H

#include "shim.h"

/* Not for programs. */
#pragma GCC visibility push(hidden)

/*
 * Fortran has variables where C has special addresses. They are the common block MPI_ABI_CONSTANTS of mpif.h and of the
 * modules, and each program has its own: this is its address for the program of this thread, 0 before it is known.
 */
extern __thread uintptr_t mc_constants __attribute__((tls_model("initial-exec")));
void mc_find_constants(void *caller);

/* The variables in their order. Status arguments have 8 integers. */
enum {
    MC_BOTTOM,
    MC_IN_PLACE,
    MC_BUFFER_AUTOMATIC,
    MC_STATUS_IGNORE,
    MC_STATUSES_IGNORE = MC_STATUS_IGNORE + MPI_F_STATUS_SIZE,
    MC_UNWEIGHTED = MC_STATUSES_IGNORE + MPI_F_STATUS_SIZE,
    MC_WEIGHTS_EMPTY,
    MC_ERRCODES_IGNORE,
    MC_CONSTANTS
};

/* The address that C passes for this one. */
uintptr_t mc_address(const void *address, void *caller);

/* The function that C passes for one of these of Fortran: MPI_COMM_DUP_FN and so on are numbers in C. */
uintptr_t mc_callback(void (*function)(void));

/* An integer, or a handle, as a word. */
static inline uintptr_t mc_word(const MPI_Fint *integer)
{
    return (uintptr_t)(intptr_t)*integer;
}

static inline void mc_result(MPI_Fint *ierror, int code)
{
    /* It may be absent in the module mpi_f08. */
    if (ierror != NULL)
        *ierror = code;
}

/* Arrays of handles have 4 bytes an element in Fortran and 8 in C. Short ones are in `local`, others are allocated. */
#define MC_LOCAL 256

uintptr_t *mc_widen(const MPI_Fint *integers, intptr_t count, uintptr_t *local);
void mc_narrow(MPI_Fint *integers, intptr_t count, const uintptr_t *words);
void mc_release(uintptr_t *words, const uintptr_t *local);

/* Indices of requests are counted from 1. */
void mc_count_from_1(MPI_Fint *indices, intptr_t count);

/* Longer than any string that MPI takes but names of files, which have this limit. */
#define MC_STRING 4096
/* Longer than any string that MPI gives. */
#define MC_TEXT MPI_MAX_LIBRARY_VERSION_STRING

/* A string of Fortran without the blanks at its end, and if `trim` at its begin, too. */
const char *mc_string(char *target, const char *text, size_t length, int trim);
/* A string of C, with blanks to its length. */
void mc_blanks(char *text, size_t length, const char *source);

/* The integer that a function gives for a handle; 0 if it fails. */
MPI_Fint mc_integer(int function, uintptr_t handle, void *caller);

/* Numbers of processes that an array has an element for. */
intptr_t mc_peers(const MPI_Fint *comm, void *caller);
intptr_t mc_sources(const MPI_Fint *comm, void *caller);
intptr_t mc_destinations(const MPI_Fint *comm, void *caller);

/*
 * Functions of the program in Fortran take their arguments by reference. Each of these calls such a function, which is
 * its first argument, with the other arguments as C's kind of function has them.
 */
int mc_copy_attr(void (*function)(void), uintptr_t object, int keyval, uintptr_t extra_state, uintptr_t value,
                 uintptr_t *copy, int *flag);
int mc_delete_attr(void (*function)(void), uintptr_t object, int keyval, uintptr_t value, uintptr_t extra_state);
int mc_copy_attr_integer(void (*function)(void), uintptr_t object, int keyval, uintptr_t extra_state, uintptr_t value,
                         uintptr_t *copy, int *flag);
int mc_delete_attr_integer(void (*function)(void), uintptr_t object, int keyval, uintptr_t value,
                           uintptr_t extra_state);
int mc_grequest_query(void (*function)(void), uintptr_t extra_state, MPI_Status *status);
int mc_grequest_free(void (*function)(void), uintptr_t extra_state);
int mc_grequest_cancel(void (*function)(void), uintptr_t extra_state, int complete);
int mc_datarep_extent(void (*function)(void), uintptr_t datatype, MPI_Aint *extent, uintptr_t extra_state);
int mc_datarep_conversion(void (*function)(void), void *userbuf, uintptr_t datatype, int count, void *filebuf,
                          MPI_Offset position, uintptr_t extra_state);
int mc_datarep_conversion_c(void (*function)(void), void *userbuf, uintptr_t datatype, MPI_Count count, void *filebuf,
                            MPI_Offset position, uintptr_t extra_state);

#pragma GCC visibility pop

#endif
