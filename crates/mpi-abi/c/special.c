/* The functions of MPI whose result is not an error code, and the conversions of handles. */

#include "shim.h"

#include <string.h>

#pragma weak MPI_Wtime = PMPI_Wtime
double PMPI_Wtime(void)
{
    double seconds = 0;
    const uintptr_t words[] = {(uintptr_t)&seconds};
    mc_call(MC_MPI_Wtime, words, MC_CALLER);
    return seconds;
}

#pragma weak MPI_Wtick = PMPI_Wtick
double PMPI_Wtick(void)
{
    double seconds = 0;
    const uintptr_t words[] = {(uintptr_t)&seconds};
    mc_call(MC_MPI_Wtick, words, MC_CALLER);
    return seconds;
}

#pragma weak MPI_Pcontrol = PMPI_Pcontrol
int PMPI_Pcontrol(const int level, ...)
{
    const uintptr_t words[] = {(uintptr_t)(intptr_t)level};
    return mc_call(MC_MPI_Pcontrol, words, MC_CALLER);
}

#pragma weak MPI_Aint_add = PMPI_Aint_add
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

#pragma weak MPI_Aint_diff = PMPI_Aint_diff
MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}

/* A handle is the same number in C and in Fortran. */
#define PRAGMA(text) _Pragma(#text)
#define CONVERSIONS(type, name)                                                                                        \
    PRAGMA(weak MPI_##name##_toint = PMPI_##name##_toint)                                                              \
    int PMPI_##name##_toint(type handle)                                                                               \
    {                                                                                                                  \
        return (int)(intptr_t)handle;                                                                                  \
    }                                                                                                                  \
    PRAGMA(weak MPI_##name##_fromint = PMPI_##name##_fromint)                                                          \
    type PMPI_##name##_fromint(int handle)                                                                             \
    {                                                                                                                  \
        return (type)(intptr_t)handle;                                                                                 \
    }                                                                                                                  \
    PRAGMA(weak MPI_##name##_c2f = PMPI_##name##_c2f)                                                                  \
    MPI_Fint PMPI_##name##_c2f(type handle)                                                                            \
    {                                                                                                                  \
        return (MPI_Fint)(intptr_t)handle;                                                                             \
    }                                                                                                                  \
    PRAGMA(weak MPI_##name##_f2c = PMPI_##name##_f2c)                                                                  \
    type PMPI_##name##_f2c(MPI_Fint handle)                                                                            \
    {                                                                                                                  \
        return (type)(intptr_t)handle;                                                                                 \
    }

CONVERSIONS(MPI_Comm, Comm)
CONVERSIONS(MPI_Datatype, Type)
CONVERSIONS(MPI_Errhandler, Errhandler)
CONVERSIONS(MPI_File, File)
CONVERSIONS(MPI_Group, Group)
CONVERSIONS(MPI_Info, Info)
CONVERSIONS(MPI_Message, Message)
CONVERSIONS(MPI_Op, Op)
CONVERSIONS(MPI_Request, Request)
CONVERSIONS(MPI_Session, Session)
CONVERSIONS(MPI_Win, Win)

/* A status has the same 32 bytes in C and in Fortran. */
#define STATUSES(name, from, to)                                                                                       \
    PRAGMA(weak MPI_Status_##name = PMPI_Status_##name)                                                                \
    int PMPI_Status_##name(const from *source, to *target)                                                             \
    {                                                                                                                  \
        if (source == NULL || target == NULL)                                                                          \
            return MPI_ERR_ARG;                                                                                        \
        memcpy(target, source, sizeof(MPI_Status));                                                                    \
        return MPI_SUCCESS;                                                                                            \
    }

STATUSES(c2f, MPI_Status, MPI_Fint)
STATUSES(f2c, MPI_Fint, MPI_Status)
STATUSES(c2f08, MPI_Status, MPI_F08_status)
STATUSES(f082c, MPI_F08_status, MPI_Status)
STATUSES(f2f08, MPI_Fint, MPI_F08_status)
STATUSES(f082f, MPI_F08_status, MPI_Fint)
