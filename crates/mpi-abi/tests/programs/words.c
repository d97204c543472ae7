/* Every kind of argument of C becomes the right word. Returns the number of checks that failed. */

#include "stub.h"

#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

/* The call that has been made. */
#define CALLED(name) CHECK(strcmp(recorded_name, name) == 0)
#define WORD(number, value) CHECK(recorded_words[number] == (uintptr_t)(value))

static void operator_of_program(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)len, (void)datatype;
}

static int intercepted;

/* As a profiling tool does it. */
int MPI_Barrier(MPI_Comm comm)
{
    ++intercepted;
    return PMPI_Barrier(comm);
}

static void functions(void)
{
    double buffer[4] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;
    MPI_Op op;
    int rank = 0;

    expect(7);
    CHECK(MPI_Isend(buffer, -5, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CALLED("MPI_Isend");
    WORD(0, buffer);
    WORD(1, (intptr_t)-5);
    WORD(2, 0x214);
    WORD(3, (intptr_t)-1);
    WORD(4, 7);
    WORD(5, 0x101);
    WORD(6, &request);

    expect(6);
    MPI_Send_c(MPI_BOTTOM, (MPI_Count)1 << 40, MPI_INT, 1, 2, MPI_COMM_SELF);
    CALLED("MPI_Send_c");
    WORD(0, 0);
    WORD(1, (MPI_Count)1 << 40);
    WORD(5, 0x102);

    expect(2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CALLED("MPI_Comm_rank");
    CHECK(rank == -7);

    expect(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(comm == (MPI_Comm)4096);

    expect(3);
    MPI_Op_create(operator_of_program, 1, &op);
    CALLED("MPI_Op_create");
    WORD(0, (void (*)(void))operator_of_program);
    WORD(1, 1);

    expect(4);
    MPI_Win_allocate_shared(-1, -2, MPI_INFO_NULL, MPI_COMM_SELF, buffer, NULL);
    WORD(0, (intptr_t)-1);
    WORD(1, (intptr_t)-2);

    expect(0);
    answer = MPI_ERR_OTHER;
    CHECK(MPI_Finalize() == MPI_ERR_OTHER);
    CALLED("MPI_Finalize");
    answer = MPI_SUCCESS;
    CHECK((char *)recorded_caller > (char *)functions && (char *)recorded_caller < (char *)functions + 4096);

    expect(1);
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS && intercepted == 1);
    CALLED("MPI_Barrier");
    expect(1);
    MPI_T_pvar_get_num(&rank);
    CALLED("MPI_T_pvar_get_num");
}

static void special(void)
{
    MPI_Status status = {1, 2, 3, {4, 5, 6, 7, 8}}, back;
    MPI_Fint integers[MPI_F_STATUS_SIZE];

    expect(1);
    CHECK(MPI_Wtime() == 1.5);
    CALLED("MPI_Wtime");
    CHECK(PMPI_Wtick() == 1.5);
    CALLED("MPI_Wtick");
    MPI_Pcontrol(-2, "ignored");
    CALLED("MPI_Pcontrol");
    WORD(0, (intptr_t)-2);

    CHECK(MPI_Aint_add(10, -3) == 7 && MPI_Aint_diff(10, 13) == -3);
    CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) == 0x101 && MPI_Type_f2c(0x209) == MPI_INT);
    CHECK(MPI_Comm_toint(MPI_COMM_SELF) == 0x102 && MPI_Op_fromint(0x21) == MPI_SUM);
    CHECK(sizeof status == 32);
    CHECK(MPI_Status_c2f(&status, integers) == MPI_SUCCESS && integers[MPI_F_TAG] == 2 && integers[7] == 8);
    CHECK(MPI_Status_f2c(integers, &back) == MPI_SUCCESS && memcmp(&status, &back, sizeof status) == 0);
}

/* Names are different, and numbers are theirs. */
static void names(void)
{
    for (int i = 0; i < mc_function_count; ++i)
        for (int j = 0; j < i; ++j)
            CHECK(strcmp(mc_function_names[i], mc_function_names[j]) != 0);
    CHECK(strcmp(mc_function_names[MC_MPI_Send], "MPI_Send") == 0);
    CHECK(strcmp(mc_function_names[MC_MPI_Send_c], "MPI_Send_c") == 0);
    CHECK(strcmp(mc_function_names[MC_MPI_Register_datarep_c_fortran], "MPI_Register_datarep_c_fortran") == 0);
}

int main(void)
{
    functions();
    special();
    names();
    return failures;
}
