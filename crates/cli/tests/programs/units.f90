! Saved variables, units of files and STOP are the rank's own.
program units
    use mpi
    implicit none
    integer :: rank, first, second, total, error
    integer, save :: kept = 7
    character(20) :: name

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    kept = kept + rank
    write (name, '(a, i0)') 'unit.', rank
    open (10, file=name)
    write (10, *) kept
    call MPI_Barrier(MPI_COMM_WORLD, error)
    write (10, *) 2 * kept
    rewind (10)
    read (10, *) first
    read (10, *) second
    close (10, status='delete')
    call MPI_Reduce(kept, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    print '(a, i0, 3(1x, i0))', 'rank ', rank, kept, first, second
    if (rank == 0) print '(a, i0)', 'total ', total
    call get_command_argument(1, name)
    if (name == 'stop' .and. rank == 1) stop 5
    if (name == 'error') call MPI_Send(total, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program units
