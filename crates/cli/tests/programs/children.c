/* Rank 0 starts a process that starts another one and ends; the second one writes its number to a file, and sleeps. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int ends[2];
        char byte;
        pid_t child;
        if (pipe(ends) || (child = fork()) < 0) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (child == 0) {
            if (fork() == 0) {
                FILE *file = fopen(argv[1], "w");
                fprintf(file, "%d\n", getpid());
                fclose(file);
                close(ends[1]);
                sleep(1000);
            }
            _exit(0);
        }
        close(ends[1]);
        waitpid(child, NULL, 0);
        /* The end of the pipe: the file has been written. */
        while (read(ends[0], &byte, 1) > 0) {
        }
    }
    MPI_Finalize();
    return 0;
}
