/* What the entries of Fortran call, and those entries that are not made from the list of functions. */

#define _GNU_SOURCE
#include "fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- Special addresses ---- */

__thread uintptr_t mc_constants;

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

#define MC_PREDEFINED(name)                                                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
    }

MC_PREDEFINED(mpi_null_copy_fn_)
MC_PREDEFINED(mpi_null_delete_fn_)
MC_PREDEFINED(mpi_dup_fn_)
MC_PREDEFINED(mpi_comm_null_copy_fn_)
MC_PREDEFINED(mpi_comm_null_delete_fn_)
MC_PREDEFINED(mpi_comm_dup_fn_)
MC_PREDEFINED(mpi_type_null_copy_fn_)
MC_PREDEFINED(mpi_type_null_delete_fn_)
MC_PREDEFINED(mpi_type_dup_fn_)
MC_PREDEFINED(mpi_win_null_copy_fn_)
MC_PREDEFINED(mpi_win_null_delete_fn_)
MC_PREDEFINED(mpi_win_dup_fn_)
MC_PREDEFINED(mpi_conversion_fn_null_)
MC_PREDEFINED(mpi_conversion_fn_null_c_)

uintptr_t mc_callback(void (*function)(void))
{
    static void (*const null[])(void) = {
        mpi_null_copy_fn_,        mpi_null_delete_fn_,      mpi_comm_null_copy_fn_,  mpi_comm_null_delete_fn_,
        mpi_type_null_copy_fn_,   mpi_type_null_delete_fn_, mpi_win_null_copy_fn_,   mpi_win_null_delete_fn_,
        mpi_conversion_fn_null_, mpi_conversion_fn_null_c_,
    };
    for (size_t i = 0; i < sizeof null / sizeof *null; ++i)
        if (function == null[i])
            return 0;
    if (function == mpi_dup_fn_ || function == mpi_comm_dup_fn_ || function == mpi_type_dup_fn_ ||
        function == mpi_win_dup_fn_)
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
static int mc_copy_attr_integer(void (*function)(void), uintptr_t object, int keyval, uintptr_t extra_state,
                                uintptr_t value, uintptr_t *copy, int *flag)
{
    typedef void Copy(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
    MPI_Fint handle = (MPI_Fint)object, fortran_flag = 0, code = MPI_SUCCESS;
    MPI_Fint state = (MPI_Fint)extra_state, in = (MPI_Fint)value, out = 0;
    ((Copy *)function)(&handle, &keyval, &state, &in, &out, &fortran_flag, &code);
    *copy = (uintptr_t)(intptr_t)out;
    *flag = fortran_flag != 0;
    return code;
}

static int mc_delete_attr_integer(void (*function)(void), uintptr_t object, int keyval, uintptr_t value,
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
    MPI_Aint state = (MPI_Aint)extra_state;
    MPI_Fint code = MPI_SUCCESS;
    ((void (*)(MPI_Aint *, MPI_Status *, MPI_Fint *))function)(&state, status, &code);
    return code;
}

int mc_grequest_free(void (*function)(void), uintptr_t extra_state)
{
    MPI_Aint state = (MPI_Aint)extra_state;
    MPI_Fint code = MPI_SUCCESS;
    ((void (*)(MPI_Aint *, MPI_Fint *))function)(&state, &code);
    return code;
}

int mc_grequest_cancel(void (*function)(void), uintptr_t extra_state, int complete)
{
    MPI_Aint state = (MPI_Aint)extra_state;
    MPI_Fint code = MPI_SUCCESS;
    ((void (*)(MPI_Aint *, MPI_Fint *, MPI_Fint *))function)(&state, &complete, &code);
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

static MPI_Fint mc_integer(int function, uintptr_t handle, void *caller)
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

/* ---- Functions that are no error codes ---- */

#pragma weak mpi_wtime_ = pmpi_wtime_
double pmpi_wtime_(void)
{
    double seconds = 0;
    const uintptr_t words[] = {(uintptr_t)&seconds};
    mc_call(MC_MPI_Wtime, words, MC_CALLER);
    return seconds;
}

#pragma weak mpi_wtick_ = pmpi_wtick_
double pmpi_wtick_(void)
{
    double seconds = 0;
    const uintptr_t words[] = {(uintptr_t)&seconds};
    mc_call(MC_MPI_Wtick, words, MC_CALLER);
    return seconds;
}

#pragma weak mpi_pcontrol_ = pmpi_pcontrol_
void pmpi_pcontrol_(MPI_Fint *level)
{
    const uintptr_t words[] = {mc_word(level)};
    mc_call(MC_MPI_Pcontrol, words, MC_CALLER);
}

#pragma weak mpi_aint_add_ = pmpi_aint_add_
MPI_Aint pmpi_aint_add_(MPI_Aint *base, MPI_Aint *disp)
{
    return PMPI_Aint_add(*base, *disp);
}

#pragma weak mpi_aint_diff_ = pmpi_aint_diff_
MPI_Aint pmpi_aint_diff_(MPI_Aint *addr1, MPI_Aint *addr2)
{
    return PMPI_Aint_diff(*addr1, *addr2);
}

/* Its call keeps the compiler from moving accesses to the variable across it. */
#pragma weak mpi_f_sync_reg_ = pmpi_f_sync_reg_
void pmpi_f_sync_reg_(void *buffer)
{
    (void)buffer;
}

#pragma weak mpi_status_f2f08_ = pmpi_status_f2f08_
void pmpi_status_f2f08_(const MPI_Fint *f_status, MPI_F08_status *f08_status, MPI_Fint *ierror)
{
    mc_result(ierror, PMPI_Status_f2f08(f_status, f08_status));
}

#pragma weak mpi_status_f082f_ = pmpi_status_f082f_
void pmpi_status_f082f_(const MPI_F08_status *f08_status, MPI_Fint *f_status, MPI_Fint *ierror)
{
    mc_result(ierror, PMPI_Status_f082f(f08_status, f_status));
}

/* ---- Attributes of MPI-1: default integers ---- */

#pragma weak mpi_attr_put_ = pmpi_attr_put_
void pmpi_attr_put_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *attribute_val, MPI_Fint *ierror)
{
    const uintptr_t words[] = {mc_word(comm), mc_word(keyval), mc_word(attribute_val)};
    mc_result(ierror, mc_call(MC_MPI_Comm_set_attr_fortran, words, MC_CALLER));
}

#pragma weak mpi_attr_get_ = pmpi_attr_get_
void pmpi_attr_get_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *attribute_val, MPI_Fint *flag, MPI_Fint *ierror)
{
    MPI_Aint value = 0;
    *flag = 0;
    const uintptr_t words[] = {mc_word(comm), mc_word(keyval), (uintptr_t)&value, (uintptr_t)flag};
    mc_result(ierror, mc_call(MC_MPI_Comm_get_attr_fortran, words, MC_CALLER));
    if (*flag)
        *attribute_val = (MPI_Fint)value;
}

#pragma weak mpi_keyval_create_ = pmpi_keyval_create_
void pmpi_keyval_create_(void (*copy_fn)(void), void (*delete_fn)(void), MPI_Fint *keyval, MPI_Fint *extra_state,
                         MPI_Fint *ierror)
{
    const uintptr_t words[] = {mc_callback(copy_fn),        mc_callback(delete_fn),
                               (uintptr_t)keyval,           mc_word(extra_state),
                               (uintptr_t)mc_copy_attr_integer, (uintptr_t)mc_delete_attr_integer};
    mc_result(ierror, mc_call(MC_MPI_Keyval_create_fortran, words, MC_CALLER));
}

/* ---- Strings whose length is an argument: C's lengths count the end, except in MPI_Info_get ---- */

#pragma weak mpi_info_get_ = pmpi_info_get_
void pmpi_info_get_(MPI_Fint *info, char *key, MPI_Fint *valuelen, char *value, MPI_Fint *flag, MPI_Fint *ierror,
                    size_t key_length, size_t value_length)
{
    char key_text[MC_STRING + 1], value_text[MC_TEXT] = "";
    MPI_Fint length = *valuelen < MC_TEXT ? *valuelen : MC_TEXT - 1;
    *flag = 0;
    const uintptr_t words[] = {mc_word(info), (uintptr_t)mc_string(key_text, key, key_length, 1), mc_word(&length),
                               (uintptr_t)value_text, (uintptr_t)flag};
    int code = mc_call(MC_MPI_Info_get, words, MC_CALLER);
    if (code == MPI_SUCCESS && *flag)
        mc_blanks(value, value_length, value_text);
    mc_result(ierror, code);
}

/* The word of a length, for as much as fits. */
static MPI_Fint mc_length(MPI_Fint length)
{
    return length <= 0 ? 0 : length < MC_TEXT ? length + 1 : MC_TEXT;
}

#pragma weak mpi_info_get_string_ = pmpi_info_get_string_
void pmpi_info_get_string_(MPI_Fint *info, char *key, MPI_Fint *buflen, char *value, MPI_Fint *flag, MPI_Fint *ierror,
                           size_t key_length, size_t value_length)
{
    char key_text[MC_STRING + 1], value_text[MC_TEXT] = "";
    MPI_Fint length = mc_length(*buflen), size = length;
    *flag = 0;
    const uintptr_t words[] = {mc_word(info), (uintptr_t)mc_string(key_text, key, key_length, 1), (uintptr_t)&size,
                               (uintptr_t)value_text, (uintptr_t)flag};
    int code = mc_call(MC_MPI_Info_get_string, words, MC_CALLER);
    if (code == MPI_SUCCESS && *flag) {
        if (length > 0)
            mc_blanks(value, value_length, value_text);
        *buflen = size - 1;
    }
    mc_result(ierror, code);
}

#pragma weak mpi_session_get_nth_pset_ = pmpi_session_get_nth_pset_
void pmpi_session_get_nth_pset_(MPI_Fint *session, MPI_Fint *info, MPI_Fint *n, MPI_Fint *pset_len, char *pset_name,
                                MPI_Fint *ierror, size_t pset_name_length)
{
    char text[MC_TEXT] = "";
    MPI_Fint length = mc_length(*pset_len), size = length;
    const uintptr_t words[] = {mc_word(session), mc_word(info), mc_word(n), (uintptr_t)&size, (uintptr_t)text};
    int code = mc_call(MC_MPI_Session_get_nth_pset, words, MC_CALLER);
    if (code == MPI_SUCCESS) {
        if (length > 0)
            mc_blanks(pset_name, pset_name_length, text);
        *pset_len = size - 1;
    }
    mc_result(ierror, code);
}

/* ---- New processes ---- */

/* Whether a string ends an array: it is blank, or it is the variable MPI_ARGV_NULL or MPI_ARGVS_NULL, one zero byte. */
static int mc_is_end(const char *text, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (text[i] != ' ' && !(length == 1 && text[i] == '\0'))
            return 0;
    return 1;
}

/* Whether this process is the root of a spawn: others may pass anything for most arguments. */
static int mc_is_root(const MPI_Fint *root, const MPI_Fint *comm, void *caller)
{
    return mc_integer(MC_MPI_Comm_rank, mc_word(comm), caller) == *root;
}

/*
 * An array of C strings from one of Fortran, whose elements have a distance of `stride` strings: `count` of them, or
 * those before its end if `count` is negative. To be freed.
 */
static char **mc_strings(const char *texts, size_t length, size_t stride, intptr_t count)
{
    size_t strings = 0;
    while (count < 0 ? !mc_is_end(texts + strings * stride * length, length) : strings < (size_t)count)
        ++strings;
    char **pointers = malloc((strings + 1) * sizeof *pointers + strings * (MC_STRING + 1));
    if (pointers == NULL)
        abort();
    char *next = (char *)(pointers + strings + 1);
    for (size_t i = 0; i < strings; ++i, next += MC_STRING + 1) {
        pointers[i] = next;
        mc_string(next, texts + i * stride * length, length, 0);
    }
    pointers[strings] = NULL;
    return pointers;
}

#pragma weak mpi_comm_spawn_ = pmpi_comm_spawn_
void pmpi_comm_spawn_(char *command, char *argv, MPI_Fint *maxprocs, MPI_Fint *info, MPI_Fint *root, MPI_Fint *comm,
                      MPI_Fint *intercomm, MPI_Fint *array_of_errcodes, MPI_Fint *ierror, size_t command_length,
                      size_t argv_length)
{
    void *caller = MC_CALLER;
    char text[MC_STRING + 1];
    int is_root = mc_is_root(root, comm, caller);
    char **arguments = mc_strings(argv, argv_length, 1, is_root ? -1 : 0);
    uintptr_t intercomm_word = mc_word(intercomm);
    const uintptr_t words[] = {(uintptr_t)mc_string(text, command, is_root ? command_length : 0, 1),
                               (uintptr_t)arguments,
                               mc_word(maxprocs),
                               mc_word(info),
                               mc_word(root),
                               mc_word(comm),
                               (uintptr_t)&intercomm_word,
                               mc_address(array_of_errcodes, caller)};
    int code = mc_call(MC_MPI_Comm_spawn, words, caller);
    *intercomm = (MPI_Fint)intercomm_word;
    free(arguments);
    mc_result(ierror, code);
}

#pragma weak mpi_comm_spawn_multiple_ = pmpi_comm_spawn_multiple_
void pmpi_comm_spawn_multiple_(MPI_Fint *count, char *array_of_commands, char *array_of_argv,
                               MPI_Fint *array_of_maxprocs, MPI_Fint *array_of_info, MPI_Fint *root, MPI_Fint *comm,
                               MPI_Fint *intercomm, MPI_Fint *array_of_errcodes, MPI_Fint *ierror,
                               size_t array_of_commands_length, size_t array_of_argv_length)
{
    void *caller = MC_CALLER;
    int is_root = mc_is_root(root, comm, caller);
    intptr_t commands_count = is_root && *count > 0 ? *count : 0;
    char **commands = mc_strings(array_of_commands, array_of_commands_length, 1, commands_count);
    char ***argvs = NULL;
    if (is_root && !(array_of_argv_length == 1 && *array_of_argv == '\0')) {
        argvs = malloc((size_t)(commands_count + 1) * sizeof *argvs);
        if (argvs == NULL)
            abort();
        for (intptr_t i = 0; i < commands_count; ++i)
            argvs[i] = mc_strings(array_of_argv + (size_t)i * array_of_argv_length, array_of_argv_length,
                                  (size_t)commands_count, -1);
    }
    uintptr_t info_local[MC_LOCAL];
    uintptr_t *info_words = mc_widen(array_of_info, commands_count, info_local);
    uintptr_t intercomm_word = mc_word(intercomm);
    const uintptr_t words[] = {mc_word(count),
                               (uintptr_t)commands,
                               (uintptr_t)argvs,
                               (uintptr_t)array_of_maxprocs,
                               (uintptr_t)info_words,
                               mc_word(root),
                               mc_word(comm),
                               (uintptr_t)&intercomm_word,
                               mc_address(array_of_errcodes, caller)};
    int code = mc_call(MC_MPI_Comm_spawn_multiple, words, caller);
    *intercomm = (MPI_Fint)intercomm_word;
    mc_release(info_words, info_local);
    for (intptr_t i = 0; argvs != NULL && i < commands_count; ++i)
        free(argvs[i]);
    free(argvs);
    free(commands);
    mc_result(ierror, code);
}
