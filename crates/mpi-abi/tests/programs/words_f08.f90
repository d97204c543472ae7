! Arguments that only the module mpi_f08 has: handles and statuses with types, large counts, absent error codes.
program words_f08
use mpi_f08
use, intrinsic :: iso_c_binding
implicit none
type(MPI_Comm) :: comm
type(MPI_Status) :: status
type(MPI_Request) :: requests(3)
integer :: n, failures, size
integer(kind=MPI_COUNT_KIND) :: many
real, target :: matrix(3, 3)
type(c_ptr) :: pointer
integer(kind=8), external :: word
logical, external :: called
external :: expect

failures = 0
call expect(6)
call MPI_Send(matrix, 9, MPI_REAL, 1, 2, MPI_COMM_WORLD)
call check(1, called('MPI_Send') .and. word(1) == loc(matrix) .and. word(3) == MPI_REAL%MPI_VAL)
many = 2_8**40
call MPI_Send(matrix(1, 1), many, MPI_REAL, 1, 2, MPI_COMM_WORLD)
call check(2, called('MPI_Send_c') .and. word(2) == many)
call expect(2)
call MPI_Comm_dup(MPI_COMM_WORLD, comm)
call check(3, comm%MPI_VAL == 4096 .and. comm /= MPI_COMM_WORLD .and. comm == comm)
call expect(7)
call MPI_Recv(matrix, 9, MPI_REAL, 1, 2, comm, MPI_STATUS_IGNORE)
call check(4, word(7) == 0)
call MPI_Recv(MPI_BOTTOM, 9, MPI_REAL, 1, 2, comm, status, n)
call check(5, word(1) == 0 .and. status%MPI_TAG == 4 .and. n == MPI_SUCCESS)
requests = MPI_Request(5000)
call expect(3)
call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
call check(6, requests(3) == MPI_Request(6000) .and. word(3) == 0)
call MPI_Sizeof(matrix, size)
call check(7, size == 4)
call expect(2)
call MPI_Buffer_detach(pointer, n)
call check(8, called('MPI_Buffer_detach') .and. word(1) == loc(pointer))
if (failures > 0) stop 1
contains

subroutine check(number, holds)
integer, intent(in) :: number
logical, intent(in) :: holds
if (.not. holds) then
    print *, 'check', number, 'failed'
    failures = failures + 1
end if
end subroutine check

end program words_f08
