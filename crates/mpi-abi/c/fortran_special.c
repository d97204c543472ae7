/* The entries of Fortran that are not made from the list of functions. */

#include "fortran.h"

#include <stdlib.h>
#include <string.h>

/* ---- Functions whose result is not an error code, and functions of Fortran only ---- */

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
