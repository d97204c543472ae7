/* Threads that call MPI one at a time, while the thread that runs `main` waits for them; with an argument, all of them wait for ever;
 * with `team`, in a parallel region of OpenMP. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_sent;
static int rank, size, ends;

static void *ring(void *argument)
{
    int tag = (int)(long)argument, got = -1, is_main = 1;
    MPI_Request request;
    pthread_mutex_lock(&mutex);
    MPI_Is_thread_main(&is_main);
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &request);
    if (ends) {
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
    }
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&all_sent);
    pthread_mutex_lock(&mutex);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("thread %d of %d: %d %d\n", tag, rank, got, is_main);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[3];
    ends = argc == 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!ends && !strcmp(argv[1], "team")) {
#pragma omp parallel num_threads(3)
#pragma omp master
        MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_barrier_init(&all_sent, NULL, 3);
    for (long tag = 0; tag < 3; tag++) {
        pthread_create(&threads[tag], NULL, ring, (void *)tag);
    }
    for (int tag = 0; tag < 3; tag++) {
        pthread_join(threads[tag], NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %d\n", rank, provided == MPI_THREAD_SERIALIZED);
    MPI_Finalize();
    return 0;
}
