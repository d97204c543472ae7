/* Calls before MPI_Init and after MPI_Finalize, and programs without them. */
#define BARE
#include "check.h"

static void init(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
}

RIGHT(init_and_finalize) { init(); MPI_Barrier(WORLD); MPI_Finalize(); }
WRONG(barrier_before_init, call order) { MPI_Barrier(WORLD); init(); MPI_Finalize(); } /* here */
WRONG(barrier_after_finalize, call order) { init(); MPI_Finalize(); MPI_Barrier(WORLD); } /* here */
WRONG(rank_before_init, call order) { MPI_Comm_rank(WORLD, &rank); MPI_Init(NULL, NULL); MPI_Finalize(); } /* here */
WRONG(rank_after_finalize, call order) { init(); MPI_Finalize(); MPI_Comm_rank(WORLD, &rank); } /* here */
WRONG(send_before_init, call order) { MPI_Send(a, 1, INT, MPI_PROC_NULL, 0, WORLD); init(); MPI_Finalize(); } /* here */
WRONG(send_after_finalize, call order) { init(); MPI_Finalize(); MPI_Send(a, 1, INT, MPI_PROC_NULL, 0, WORLD); } /* here */
WRONG(init_twice, call order) { init(); MPI_Init(NULL, NULL); MPI_Finalize(); } /* here */
WRONG(init_again, call order) { init(); MPI_Finalize(); MPI_Init(NULL, NULL); } /* here */
WRONG(finalize_twice, call order) { init(); MPI_Finalize(); MPI_Finalize(); } /* here */
WRONG(no_init, call order) { MPI_Finalize(); } /* here */
WRONG(type_before_init, call order)
{
    MPI_Datatype pair;
    MPI_Type_contiguous(2, INT, &pair); /* here */
    init();
    MPI_Type_free(&pair);
    MPI_Finalize();
}
RIGHT(type_after_init)
{
    MPI_Datatype pair;
    init();
    MPI_Type_contiguous(2, INT, &pair);
    MPI_Type_free(&pair);
    MPI_Finalize();
}
WRONG(wait_after_finalize, missing wait or call order)
{
    init();
    MPI_Irecv(a, 1, INT, OTHER, 0, WORLD, &both[0]); /* here */
    MPI_Isend(b, 1, INT, OTHER, 0, WORLD, &both[1]); /* here */
    MPI_Finalize();
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* here */
}
RIGHT(wait_before_finalize)
{
    init();
    MPI_Irecv(a, 1, INT, OTHER, 0, WORLD, &both[0]);
    MPI_Isend(b, 1, INT, OTHER, 0, WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}

/* Functions that may be called at any time. */
RIGHT(initialized_before_init)
{
    int yes, version, part;
    MPI_Initialized(&yes);
    MPI_Get_version(&version, &part);
    if (!yes) {
        init();
    }
    MPI_Finalize();
    MPI_Finalized(&yes);
    MPI_Get_version(&version, &part);
}
RIGHT(no_mpi_at_all) { a[0] = 1; }
RIGHT(init_thread)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Barrier(WORLD);
    MPI_Finalize();
}

/* A finding may name MPI_Init or the last call. */
WRONG(no_finalize, call order)
{
    MPI_Init(NULL, NULL); /* here */
    MPI_Barrier(WORLD); /* here */
}
WRONG(one_rank_without_finalize, call order, 3 ranks)
{
    MPI_Init(NULL, NULL); /* here */
    MPI_Comm_rank(WORLD, &rank);
    MPI_Barrier(WORLD); /* here */
    if (rank != 1) {
        MPI_Finalize(); /* here */
    }
}
RIGHT(every_rank_finalizes, 3 ranks)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Barrier(WORLD);
    if (rank != 1) {
        MPI_Finalize();
    } else {
        MPI_Finalize();
    }
}
WRONG(exit_without_finalize, call order)
{
    MPI_Init(NULL, NULL); /* here */
    MPI_Allreduce(a, b, 1, INT, MPI_SUM, WORLD); /* here */
    exit(0);
}
RIGHT(exit_after_finalize)
{
    MPI_Init(NULL, NULL);
    MPI_Allreduce(a, b, 1, INT, MPI_SUM, WORLD);
    MPI_Finalize();
    exit(0);
}
