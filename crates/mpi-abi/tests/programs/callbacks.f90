! Functions that MPI calls.

subroutine add(in, inout, length, datatype)
integer :: length, datatype, in(length), inout(length)
inout = inout + in + 0 * datatype
end subroutine add

subroutine copy(comm, keyval, extra_state, in, out, flag, ierror)
integer :: comm, keyval, ierror
integer(kind=8) :: extra_state, in, out
logical :: flag
flag = comm == 257 .and. keyval == 9
out = in + extra_state
ierror = 3
end subroutine copy
