! Modeled time of computation, in Fortran.
program computation
  use mpi
  implicit none
  integer :: ierror
  double precision :: begin
  call MPI_Init(ierror)
  begin = MPI_Wtime()
#ifdef MULTICOMPUTER
  call MC_Compute(0.25d0)
#endif
  if (abs(MPI_Wtime() - begin - 0.25d0) > 1d-9) error stop 'no time has passed'
  call MPI_Finalize(ierror)
end program computation
