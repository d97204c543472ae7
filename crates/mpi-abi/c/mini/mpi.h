#ifndef MPI_H
#define MPI_H
typedef struct MPI_ABI_Comm *MPI_Comm;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_ERR_OTHER 16
int MPI_Init(int *, char ***);
int MPI_Initialized(int *);
int MPI_Comm_rank(MPI_Comm, int *);
int MPI_Comm_size(MPI_Comm, int *);
int MPI_Barrier(MPI_Comm);
int MPI_Abort(MPI_Comm, int);
int MPI_Finalize(void);
double MPI_Wtime(void);
#endif
