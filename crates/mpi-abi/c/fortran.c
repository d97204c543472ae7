/* What the entries of Fortran call. */

#define _GNU_SOURCE
#include "fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- Special addresses ---- */

__thread uintptr_t mc_constants __attribute__((tls_model("initial-exec")));

/* The symbol of the common block. A program that has none of the variables cannot pass them: no address matches. */
#define MC_BLOCK "mpi_abi_constants_"
/* It is defined here, too, so that linkers export that of a program. */
MPI_Fint mpi_abi_constants_[MC_CONSTANTS];
#define MC_NOWHERE (UINTPTR_MAX - 65535)

void mc_fortran_bind(void *handle)
{
    void *block = handle == NULL ? NULL : dlsym(handle, MC_BLOCK);
    mc_constants = handle == NULL ? 0 : block == NULL ? MC_NOWHERE : (uintptr_t)block;
}

void mc_find_constants(void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    mc_constants = MC_NOWHERE;
    /* What dlopen returns is the address of the map. */
    if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL)
        mc_fortran_bind(map);
}

uintptr_t mc_address(const void *address, void *caller)
{
    if (mc_constants == 0)
        mc_find_constants(caller);
    uintptr_t offset = (uintptr_t)address - mc_constants;
    if (offset >= MC_CONSTANTS * sizeof(MPI_Fint))
        return (uintptr_t)address;
    switch (offset / sizeof(MPI_Fint)) {
    case MC_IN_PLACE:
        return (uintptr_t)MPI_IN_PLACE;
    case MC_BUFFER_AUTOMATIC:
        return (uintptr_t)MPI_BUFFER_AUTOMATIC;
    case MC_UNWEIGHTED:
        return (uintptr_t)MPI_UNWEIGHTED;
    case MC_WEIGHTS_EMPTY:
        return (uintptr_t)MPI_WEIGHTS_EMPTY;
    default:
        return 0;
    }
}

/* ---- Arrays ---- */

uintptr_t *mc_widen(const MPI_Fint *integers, intptr_t count, uintptr_t *local)
{
    uintptr_t *words = count > MC_LOCAL ? malloc((size_t)count * sizeof *words) : local;
    if (words == NULL)
        abort();
    for (intptr_t i = 0; i < count; ++i)
        words[i] = (uintptr_t)(intptr_t)integers[i];
    return words;
}

void mc_narrow(MPI_Fint *integers, intptr_t count, const uintptr_t *words)
{
    for (intptr_t i = 0; i < count; ++i)
        integers[i] = (MPI_Fint)words[i];
}

void mc_release(uintptr_t *words, const uintptr_t *local)
{
    if (words != local)
        free(words);
}

void mc_count_from_1(MPI_Fint *indices, intptr_t count)
{
    for (intptr_t i = 0; i < count; ++i)
        if (indices[i] >= 0)
            ++indices[i];
}

/* ---- Functions of the program ---- */

/* Programs may also call the predefined functions. Attributes of MPI-1 are default integers. */
#define MC_COPY(name, integer, copies)                                                                                 \
    void name(MPI_Fint *object, MPI_Fint *keyval, integer *extra_state, integer *in, integer *out, MPI_Fint *flag,     \
              MPI_Fint *ierror)                                                                                        \
    {                                                                                                                  \
        (void)object, (void)keyval, (void)extra_state;                                                                 \
        if (copies)                                                                                                    \
            *out = *in;                                                                                                \
        *flag = copies;                                                                                                \
        *ierror = MPI_SUCCESS;                                                                                         \
    }
#define MC_DELETE(name, integer)                                                                                       \
    void name(MPI_Fint *object, MPI_Fint *keyval, integer *value, integer *extra_state, MPI_Fint *ierror)              \
    {                                                                                                                  \
        (void)object, (void)keyval, (void)value, (void)extra_state;                                                    \
        *ierror = MPI_SUCCESS;                                                                                         \
    }
#define MC_ATTRIBUTES(object, integer)                                                                                 \
    MC_COPY(mpi_##object##null_copy_fn_, integer, 0)                                                                   \
    MC_COPY(mpi_##object##dup_fn_, integer, 1)                                                                         \
    MC_DELETE(mpi_##object##null_delete_fn_, integer)

MC_ATTRIBUTES(, MPI_Fint)
MC_ATTRIBUTES(comm_, MPI_Aint)
MC_ATTRIBUTES(type_, MPI_Aint)
MC_ATTRIBUTES(win_, MPI_Aint)

/* They are never called. */
void mpi_conversion_fn_null_(void)
{
}

void mpi_conversion_fn_null_c_(void)
{
}

#define MC_NULL(object) (void (*)(void))mpi_##object##null_copy_fn_, (void (*)(void))mpi_##object##null_delete_fn_
#define MC_DUP(object) (void (*)(void))mpi_##object##dup_fn_

uintptr_t mc_callback(void (*function)(void))
{
    static void (*const null[])(void) = {
        MC_NULL(), MC_NULL(comm_), MC_NULL(type_), MC_NULL(win_), mpi_conversion_fn_null_, mpi_conversion_fn_null_c_,
    };
    static void (*const dup[])(void) = {MC_DUP(), MC_DUP(comm_), MC_DUP(type_), MC_DUP(win_)};
    for (size_t i = 0; i < sizeof null / sizeof *null; ++i)
        if (function == null[i])
            return 0;
    for (size_t i = 0; i < sizeof dup / sizeof *dup; ++i)
        if (function == dup[i])
            return (uintptr_t)MPI_COMM_DUP_FN;
    return (uintptr_t)function;
}

int mc_copy_attr(void (*function)(void), uintptr_t object, int keyval, uintptr_t extra_state, uintptr_t value,
                 uintptr_t *copy, int *flag)
{
    typedef void Copy(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Aint *, MPI_Fint *, MPI_Fint *);
    MPI_Fint handle = (MPI_Fint)object, fortran_flag = 0, code = MPI_SUCCESS;
    MPI_Aint state = (MPI_Aint)extra_state, in = (MPI_Aint)value, out = 0;
    ((Copy *)function)(&handle, &keyval, &state, &in, &out, &fortran_flag, &code);
    *copy = (uintptr_t)out;
    *flag = fortran_flag != 0;
    return code;
}

int mc_delete_attr(void (*function)(void), uintptr_t object, int keyval, uintptr_t value, uintptr_t extra_state)
{
    typedef void Delete(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Fint *);
    MPI_Fint handle = (MPI_Fint)object, code = MPI_SUCCESS;
    MPI_Aint state = (MPI_Aint)extra_state, in = (MPI_Aint)value;
    ((Delete *)function)(&handle, &keyval, &in, &state, &code);
    return code;
}

/* Functions of MPI-1, whose attributes are default integers. */
int mc_copy_attr_integer(void (*function)(void), uintptr_t object, int keyval, uintptr_t extra_state, uintptr_t value,
                         uintptr_t *copy, int *flag)
{
    typedef void Copy(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
    MPI_Fint handle = (MPI_Fint)object, fortran_flag = 0, code = MPI_SUCCESS;
    MPI_Fint state = (MPI_Fint)extra_state, in = (MPI_Fint)value, out = 0;
    ((Copy *)function)(&handle, &keyval, &state, &in, &out, &fortran_flag, &code);
    *copy = (uintptr_t)(intptr_t)out;
    *flag = fortran_flag != 0;
    return code;
}

int mc_delete_attr_integer(void (*function)(void), uintptr_t object, int keyval, uintptr_t value,
                           uintptr_t extra_state)
{
    typedef void Delete(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
    MPI_Fint handle = (MPI_Fint)object, code = MPI_SUCCESS;
    MPI_Fint state = (MPI_Fint)extra_state, in = (MPI_Fint)value;
    ((Delete *)function)(&handle, &keyval, &in, &state, &code);
    return code;
}

int mc_grequest_query(void (*function)(void), uintptr_t extra_state, MPI_Status *status)
{
    MPI_Fint code = MPI_SUCCESS;
    ((void (*)(MPI_Aint *, MPI_Status *, MPI_Fint *))function)((MPI_Aint *)extra_state, status, &code);
    return code;
}

int mc_grequest_free(void (*function)(void), uintptr_t extra_state)
{
    MPI_Fint code = MPI_SUCCESS;
    ((void (*)(MPI_Aint *, MPI_Fint *))function)((MPI_Aint *)extra_state, &code);
    return code;
}

int mc_grequest_cancel(void (*function)(void), uintptr_t extra_state, int complete)
{
    MPI_Fint code = MPI_SUCCESS;
    ((void (*)(MPI_Aint *, MPI_Fint *, MPI_Fint *))function)((MPI_Aint *)extra_state, &complete, &code);
    return code;
}

int mc_datarep_extent(void (*function)(void), uintptr_t datatype, MPI_Aint *extent, uintptr_t extra_state)
{
    MPI_Aint state = (MPI_Aint)extra_state;
    MPI_Fint handle = (MPI_Fint)datatype, code = MPI_SUCCESS;
    ((void (*)(MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Fint *))function)(&handle, extent, &state, &code);
    return code;
}

int mc_datarep_conversion(void (*function)(void), void *userbuf, uintptr_t datatype, int count, void *filebuf,
                          MPI_Offset position, uintptr_t extra_state)
{
    typedef void Conversion(void *, MPI_Fint *, MPI_Fint *, void *, MPI_Offset *, MPI_Aint *, MPI_Fint *);
    MPI_Aint state = (MPI_Aint)extra_state;
    MPI_Fint handle = (MPI_Fint)datatype, code = MPI_SUCCESS;
    ((Conversion *)function)(userbuf, &handle, &count, filebuf, &position, &state, &code);
    return code;
}

int mc_datarep_conversion_c(void (*function)(void), void *userbuf, uintptr_t datatype, MPI_Count count, void *filebuf,
                            MPI_Offset position, uintptr_t extra_state)
{
    typedef void Conversion(void *, MPI_Fint *, MPI_Count *, void *, MPI_Offset *, MPI_Aint *, MPI_Fint *);
    MPI_Aint state = (MPI_Aint)extra_state;
    MPI_Fint handle = (MPI_Fint)datatype, code = MPI_SUCCESS;
    ((Conversion *)function)(userbuf, &handle, &count, filebuf, &position, &state, &code);
    return code;
}

/* ---- Strings ---- */

const char *mc_string(char *target, const char *text, size_t length, int trim)
{
    while (length > 0 && text[length - 1] == ' ')
        --length;
    while (trim && length > 0 && *text == ' ') {
        ++text;
        --length;
    }
    if (length > MC_STRING)
        length = MC_STRING;
    memcpy(target, text, length);
    target[length] = '\0';
    return target;
}

void mc_blanks(char *text, size_t length, const char *source)
{
    size_t copied = strnlen(source, length);
    memcpy(text, source, copied);
    memset(text + copied, ' ', length - copied);
}

/* ---- Numbers of processes ---- */

MPI_Fint mc_integer(int function, uintptr_t handle, void *caller)
{
    MPI_Fint result = 0;
    const uintptr_t words[] = {handle, (uintptr_t)&result};
    return mc_call(function, words, caller) == MPI_SUCCESS ? result : 0;
}

intptr_t mc_peers(const MPI_Fint *comm, void *caller)
{
    int remote = mc_integer(MC_MPI_Comm_test_inter, mc_word(comm), caller);
    return mc_integer(remote ? MC_MPI_Comm_remote_size : MC_MPI_Comm_size, mc_word(comm), caller);
}

static intptr_t mc_neighbors(const MPI_Fint *comm, int into, void *caller)
{
    MPI_Fint degrees[3] = {0, 0, 0};
    switch (mc_integer(MC_MPI_Topo_test, mc_word(comm), caller)) {
    case MPI_CART:
        return 2 * mc_integer(MC_MPI_Cartdim_get, mc_word(comm), caller);
    case MPI_GRAPH: {
        uintptr_t rank = (uintptr_t)mc_integer(MC_MPI_Comm_rank, mc_word(comm), caller);
        const uintptr_t words[] = {mc_word(comm), rank, (uintptr_t)degrees};
        return mc_call(MC_MPI_Graph_neighbors_count, words, caller) == MPI_SUCCESS ? degrees[0] : 0;
    }
    case MPI_DIST_GRAPH: {
        const uintptr_t words[] = {mc_word(comm), (uintptr_t)&degrees[0], (uintptr_t)&degrees[1],
                                   (uintptr_t)&degrees[2]};
        return mc_call(MC_MPI_Dist_graph_neighbors_count, words, caller) == MPI_SUCCESS ? degrees[!into] : 0;
    }
    default:
        return 0;
    }
}

intptr_t mc_sources(const MPI_Fint *comm, void *caller)
{
    return mc_neighbors(comm, 1, caller);
}

intptr_t mc_destinations(const MPI_Fint *comm, void *caller)
{
    return mc_neighbors(comm, 0, caller);
}
