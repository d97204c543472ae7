/* In place of the machine: records the words of the last call, and answers as the tests need it. */

#include "stub.h"

#include <stdio.h>
#include <string.h>

const char *recorded_name = "";
uintptr_t recorded_words[16];
void *recorded_caller;
int recorded_count;
/* The strings of a spawn. */
static char spawned[100];
/* What the next calls return. */
int answer;

void expect(int count)
{
    recorded_count = count;
    recorded_name = "";
    memset(recorded_words, 0, sizeof recorded_words);
}

static int is(const char *name)
{
    return strcmp(recorded_name, name) == 0;
}

static uintptr_t call(uintptr_t adapter, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f,
                      uintptr_t g)
{
    typedef uintptr_t Function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    return (uintptr_t)(int)((Function *)adapter)(a, b, c, d, e, f, g);
}

int mc_call(int function, const uintptr_t *words, void *return_address)
{
    const char *name = mc_function_names[function];
    if (strcmp(name, "MPI_Comm_test_inter") == 0 || strcmp(name, "MPI_Comm_size") == 0) {
        /* Asked for the lengths of arrays, too: three processes. */
        *(int *)words[1] = strcmp(name, "MPI_Comm_size") == 0 ? 3 : 0;
        return MPI_SUCCESS;
    }
    recorded_name = name;
    recorded_caller = return_address;
    /* It is also asked for by entries that have more words. */
    memcpy(recorded_words, words, (size_t)(is("MPI_Comm_rank") ? 2 : recorded_count) * sizeof *words);
    if (is("MPI_Wtime") || is("MPI_Wtick"))
        *(double *)words[0] = 1.5;
    if (is("MPI_Comm_rank"))
        *(int *)words[1] = -7;
    if (is("MPI_Comm_dup"))
        *(uintptr_t *)words[1] = 4096;
    if (is("MPI_Recv") && words[6] != 0) {
        ((MPI_Status *)words[6])->MPI_SOURCE = 3;
        ((MPI_Status *)words[6])->MPI_TAG = 4;
        ((MPI_Status *)words[6])->MPI_ERROR = 5;
    }
    if (is("MPI_Initialized"))
        *(int *)words[0] = 1;
    if (is("MPI_Waitall"))
        for (int i = 0; i < (int)words[0]; ++i)
            ((uintptr_t *)words[1])[i] += 1000;
    if (is("MPI_Waitany"))
        *(int *)words[2] = 0;
    if (is("MPI_Waitsome"))
        *(int *)words[2] = 2, ((int *)words[3])[0] = 0, ((int *)words[3])[1] = 2;
    if (is("MPI_Comm_get_name"))
        strcpy((char *)words[1], "three"), *(int *)words[2] = 5;
    if (is("MPI_Info_get_string"))
        strcpy((char *)words[3], "value"), *(int *)words[2] = 6, *(int *)words[4] = 1;
    if (is("MPI_Comm_spawn")) {
        char **arguments = (char **)words[1];
        snprintf(spawned, sizeof spawned, "%s:", (char *)words[0]);
        for (int i = 0; arguments[i] != NULL; ++i)
            strcat(strcat(spawned, arguments[i]), ";");
    }
    if (is("MPI_Type_extent"))
        *(MPI_Aint *)words[1] = 24;
    if (is("MPI_Comm_create_keyval_fortran") && words[0] != 0) {
        uintptr_t copy = 0;
        int flag = 0;
        int code = (int)call(words[4], words[0], 257, 9, words[3], 40, (uintptr_t)&copy, (uintptr_t)&flag);
        *(int *)words[2] = flag ? (int)copy : -1;
        return code;
    }
    if (is("MPI_Get_address"))
        *(MPI_Aint *)words[1] = (MPI_Aint)words[0];
    return answer;
}

/* For Fortran: the last call. */
void expect_(const int *count)
{
    expect(*count);
}

int64_t word_(const int *number)
{
    return (int64_t)recorded_words[*number - 1];
}

int64_t pointed_(const int *number, const int *index)
{
    return ((int64_t *)recorded_words[*number - 1])[*index - 1];
}

int called_(const char *name, size_t length)
{
    return strlen(recorded_name) == length && memcmp(recorded_name, name, length) == 0;
}

int text_is_(const int *number, const char *text, size_t length)
{
    const char *recorded = (const char *)recorded_words[*number - 1];
    return strlen(recorded) == length && memcmp(recorded, text, length) == 0;
}

int spawned_(const char *text, size_t length)
{
    return strlen(spawned) == length && memcmp(spawned, text, length) == 0;
}
