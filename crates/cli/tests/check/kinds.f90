! One or more programs of each kind of error in Fortran, written as `check.h` says.
module cases
    use mpi
    implicit none
    integer :: rank, size, error, other, next, last
    integer :: request, both(2)
    integer :: a(64), b(64), c(64)
    double precision :: real(8)
contains

    subroutine run(name)
        character(*), intent(in) :: name
        integer :: type, comm, window, i, status(MPI_STATUS_SIZE)
        integer(MPI_ADDRESS_KIND) :: bytes, place
        logical :: done

        select case (name)

        ! ---- invalid argument ----

        ! WRONG(negative_count, invalid argument)
        case ('negative_count')
            call MPI_Bcast(a, -1, MPI_INTEGER, 0, MPI_COMM_WORLD, error) ! here
        ! RIGHT(count)
        case ('count')
            call MPI_Bcast(a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        ! Ranks begin with 0.
        ! WRONG(ranks_from_one, invalid argument)
        case ('ranks_from_one')
            if (rank == 0) then
                call MPI_Send(a, 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, error) ! here
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! RIGHT(ranks_from_zero)
        case ('ranks_from_zero')
            if (rank == 0) then
                call MPI_Send(a, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(uncommitted, invalid argument)
        case ('uncommitted')
            call MPI_Type_vector(4, 1, 8, MPI_INTEGER, type, error)
            call MPI_Bcast(a, 1, type, 0, MPI_COMM_WORLD, error) ! here
            call MPI_Type_free(type, error)
        ! RIGHT(committed)
        case ('committed')
            call MPI_Type_vector(4, 1, 8, MPI_INTEGER, type, error)
            call MPI_Type_commit(type, error)
            call MPI_Bcast(a, 1, type, 0, MPI_COMM_WORLD, error)
            call MPI_Type_free(type, error)
        ! WRONG(aliased, invalid argument)
        case ('aliased')
            call MPI_Allreduce(a, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! here
        ! RIGHT(in_place)
        case ('in_place')
            call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        ! WRONG(freed_comm, invalid argument, 3 ranks)
        case ('freed_comm')
            call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
            call MPI_Comm_free(comm, error)
            call MPI_Barrier(comm, error) ! here
        ! RIGHT(not_freed_comm, 3 ranks)
        case ('not_freed_comm')
            call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
            call MPI_Barrier(comm, error)
            call MPI_Comm_free(comm, error)

        ! ---- call order ----

        ! WRONG(both_receive, call order)
        case ('both_receive')
            call MPI_Recv(b, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! here
            call MPI_Send(a, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, error)
        ! RIGHT(both_exchange)
        case ('both_exchange')
            call MPI_Sendrecv(a, 1, MPI_INTEGER, other, 0, b, 1, MPI_INTEGER, other, 0, &
                MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        ! WRONG(different_collectives, call order, 3 ranks)
        case ('different_collectives')
            if (rank == 0) then
                call MPI_Bcast(a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error) ! here
            else
                call MPI_Barrier(MPI_COMM_WORLD, error) ! here
            end if
        ! RIGHT(same_collectives, 3 ranks)
        case ('same_collectives')
            if (rank == 0) then
                call MPI_Bcast(a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
            else
                call MPI_Bcast(b, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
            end if

        ! ---- mismatches ----

        ! WRONG(comms, communicator mismatch)
        case ('comms')
            call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
            if (rank == 0) then
                call MPI_Barrier(comm, error) ! here
            else
                call MPI_Barrier(MPI_COMM_WORLD, error) ! here
            end if
            call MPI_Comm_free(comm, error)
        ! RIGHT(comm)
        case ('comm')
            call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
            if (rank == 0) then
                call MPI_Barrier(comm, error)
            else
                call MPI_Barrier(comm, error)
            end if
            call MPI_Comm_free(comm, error)
        ! WRONG(roots, root mismatch)
        case ('roots')
            call MPI_Bcast(a, 1, MPI_INTEGER, rank, MPI_COMM_WORLD, error) ! here
        ! RIGHT(root)
        case ('root')
            call MPI_Bcast(a, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
        ! WRONG(ops, operator mismatch)
        case ('ops')
            call MPI_Allreduce(a, b, 1, MPI_INTEGER, merge(MPI_SUM, MPI_MAX, rank == 0), MPI_COMM_WORLD, error) ! here
        ! RIGHT(op)
        case ('op')
            call MPI_Allreduce(a, b, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
        ! WRONG(types, datatype mismatch)
        case ('types')
            if (rank == 0) then
                call MPI_Send(real, 1, MPI_REAL, 1, 0, MPI_COMM_WORLD, error) ! here
            else
                call MPI_Recv(real, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! here
            end if
        ! RIGHT(type)
        case ('type')
            if (rank == 0) then
                call MPI_Send(real, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error)
            else
                call MPI_Recv(real, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(logical_and_integer, datatype mismatch)
        case ('logical_and_integer')
            call MPI_Bcast(a, 1, merge(MPI_LOGICAL, MPI_INTEGER, rank == 0), 0, MPI_COMM_WORLD, error) ! here
        ! RIGHT(logical_and_logical)
        case ('logical_and_logical')
            call MPI_Bcast(a, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, error)
        ! WRONG(complex_and_pair, datatype mismatch)
        case ('complex_and_pair')
            if (rank == 0) then
                call MPI_Send(real, 1, MPI_DOUBLE_COMPLEX, 1, 0, MPI_COMM_WORLD, error) ! here
            else
                call MPI_Recv(real, 2, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! here
            end if
        ! RIGHT(complex_and_complex)
        case ('complex_and_complex')
            if (rank == 0) then
                call MPI_Send(real, 1, MPI_DOUBLE_COMPLEX, 1, 0, MPI_COMM_WORLD, error)
            else
                call MPI_Recv(real, 1, MPI_DOUBLE_COMPLEX, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(counts, count mismatch)
        case ('counts')
            call MPI_Allreduce(a, b, 2 + rank, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! here
        ! RIGHT(same_counts)
        case ('same_counts')
            call MPI_Allreduce(a, b, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        ! WRONG(truncated, count mismatch)
        case ('truncated')
            if (rank == 0) then
                call MPI_Send(a, 8, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error) ! here
            else
                call MPI_Recv(b, 7, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! here
            end if
        ! RIGHT(not_truncated)
        case ('not_truncated')
            if (rank == 0) then
                call MPI_Send(a, 8, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
            else
                call MPI_Recv(b, 9, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(tags, tag mismatch)
        case ('tags')
            if (rank == 0) then
                call MPI_Ssend(a, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error) ! here
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! here
            end if
        ! RIGHT(tag)
        case ('tag')
            if (rank == 0) then
                call MPI_Ssend(a, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, error)
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if

        ! ---- buffering dependence ----

        ! WRONG(both_send, buffering dependence)
        case ('both_send')
            call MPI_Send(a, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, error) ! here
            call MPI_Recv(b, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        ! RIGHT(both_isend)
        case ('both_isend')
            call MPI_Isend(a, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, request, error)
            call MPI_Recv(b, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        ! WRONG(ring_sends, buffering dependence, 4 ranks)
        case ('ring_sends')
            call MPI_Send(a, 1, MPI_INTEGER, next, 0, MPI_COMM_WORLD, error) ! here
            call MPI_Recv(b, 1, MPI_INTEGER, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        ! RIGHT(ring_exchanges, 4 ranks)
        case ('ring_exchanges')
            call MPI_Sendrecv(a, 1, MPI_INTEGER, next, 0, b, 1, MPI_INTEGER, last, 0, &
                MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)

        ! ---- local and global concurrency ----

        ! WRONG(isend_write, local concurrency)
        case ('isend_write')
            if (rank == 0) then
                call MPI_Isend(a, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error) ! here
                a(1) = 7 ! here
                call MPI_Wait(request, MPI_STATUS_IGNORE, error) ! here
            else
                call MPI_Recv(b, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! RIGHT(isend_wait_write)
        case ('isend_wait_write')
            if (rank == 0) then
                call MPI_Isend(a, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error)
                call MPI_Wait(request, MPI_STATUS_IGNORE, error)
                a(1) = 7
            else
                call MPI_Recv(b, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(irecv_overwritten, local concurrency)
        case ('irecv_overwritten')
            call MPI_Irecv(b, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, both(1), error) ! here
            call MPI_Isend(a, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, both(2), error)
            b = 5 ! here
            call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, error) ! here
        ! RIGHT(irecv_written_behind)
        case ('irecv_written_behind')
            call MPI_Irecv(b, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, both(1), error)
            call MPI_Isend(a, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, both(2), error)
            b(5:) = 5
            call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, error)
        ! WRONG(puts, global concurrency, 3 ranks)
        case ('puts')
            bytes = 256
            place = 0
            call MPI_Win_create(c, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
            call MPI_Win_fence(0, window, error)
            if (rank > 0) call MPI_Put(a, 2, MPI_INTEGER, 0, place, 2, MPI_INTEGER, window, error) ! here
            call MPI_Win_fence(0, window, error)
            call MPI_Win_free(window, error)
        ! RIGHT(puts_apart, 3 ranks)
        case ('puts_apart')
            bytes = 256
            place = 2 * rank
            call MPI_Win_create(c, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
            call MPI_Win_fence(0, window, error)
            if (rank > 0) call MPI_Put(a, 2, MPI_INTEGER, 0, place, 2, MPI_INTEGER, window, error)
            call MPI_Win_fence(0, window, error)
            call MPI_Win_free(window, error)

        ! ---- message race ----

        ! WRONG(first_sender, message race, 3 ranks)
        case ('first_sender')
            if (rank == 0) then
                call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, error) ! here
                print '(a, i0)', 'first ', status(MPI_SOURCE)
                call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, error) ! here
            else
                call MPI_Send(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
            end if
        ! RIGHT(all_senders, 3 ranks)
        case ('all_senders')
            if (rank == 0) then
                call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, error)
                i = status(MPI_SOURCE)
                call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, error)
                print '(a, i0)', 'both ', i + status(MPI_SOURCE)
            else
                call MPI_Send(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
            end if
        ! WRONG(any_then_first, message race, 3 ranks)
        case ('any_then_first')
            if (rank == 0) then
                call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, error) ! here
                call MPI_Recv(b, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, status, error) ! here
            else
                call MPI_Send(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
            end if
        ! RIGHT(first_then_any, 3 ranks)
        case ('first_then_any')
            if (rank == 0) then
                call MPI_Recv(b, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, status, error)
                call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, error)
            else
                call MPI_Send(a, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
            end if

        ! ---- missing wait, start, epoch; doubled epoch; leak ----

        ! WRONG(not_waited, missing wait)
        case ('not_waited')
            if (rank == 0) then
                call MPI_Isend(a, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error) ! here
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! RIGHT(tested)
        case ('tested')
            if (rank == 0) then
                call MPI_Isend(a, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error)
                done = .false.
                do while (.not. done)
                    call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
                end do
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(reduction_not_waited, missing wait, 3 ranks)
        case ('reduction_not_waited')
            call MPI_Iallreduce(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error) ! here
        ! RIGHT(reduction_waited, 3 ranks)
        case ('reduction_waited')
            call MPI_Iallreduce(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
            call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        ! WRONG(not_started, missing start)
        case ('not_started')
            if (rank == 0) then
                call MPI_Send_init(a, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error) ! here
                call MPI_Wait(request, MPI_STATUS_IGNORE, error) ! here
                call MPI_Request_free(request, error)
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! RIGHT(started)
        case ('started')
            if (rank == 0) then
                call MPI_Send_init(a, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, error)
                call MPI_Start(request, error)
                call MPI_Wait(request, MPI_STATUS_IGNORE, error)
                call MPI_Request_free(request, error)
            else
                call MPI_Recv(b, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            end if
        ! WRONG(no_epoch, missing epoch)
        case ('no_epoch')
            bytes = 256
            place = 0
            call MPI_Win_create(c, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
            call MPI_Get(b, 1, MPI_INTEGER, other, place, 1, MPI_INTEGER, window, error) ! here
            call MPI_Win_free(window, error)
        ! RIGHT(epoch)
        case ('epoch')
            bytes = 256
            place = 0
            call MPI_Win_create(c, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
            call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window, error)
            call MPI_Get(b, 1, MPI_INTEGER, other, place, 1, MPI_INTEGER, window, error)
            call MPI_Win_unlock(other, window, error)
            call MPI_Win_free(window, error)
        ! WRONG(locked_twice, doubled epoch)
        case ('locked_twice')
            bytes = 256
            call MPI_Win_create(c, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
            call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window, error) ! here
            call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window, error) ! here
            call MPI_Win_unlock(other, window, error)
            call MPI_Win_unlock(other, window, error)
            call MPI_Win_free(window, error)
        ! RIGHT(locked_in_turn)
        case ('locked_in_turn')
            bytes = 256
            call MPI_Win_create(c, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
            call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window, error)
            call MPI_Win_unlock(other, window, error)
            call MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window, error)
            call MPI_Win_unlock(other, window, error)
            call MPI_Win_free(window, error)
        ! WRONG(dup_not_freed, leak)
        case ('dup_not_freed')
            call MPI_Comm_dup(MPI_COMM_WORLD, comm, error) ! here
        ! RIGHT(dup_freed)
        case ('dup_freed')
            call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
            call MPI_Comm_free(comm, error)
        ! WRONG(type_not_freed, leak)
        case ('type_not_freed')
            call MPI_Type_contiguous(3, MPI_DOUBLE_PRECISION, type, error) ! here
            call MPI_Type_commit(type, error)
        ! RIGHT(type_freed)
        case ('type_freed')
            call MPI_Type_contiguous(3, MPI_DOUBLE_PRECISION, type, error)
            call MPI_Type_commit(type, error)
            call MPI_Type_free(type, error)
        case default
            print '(2a)', 'no case ', name
            stop 99
        end select
    end subroutine run
end module cases

program kinds
    use cases
    implicit none
    character(40) :: name

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    other = 1 - rank
    next = mod(rank + 1, size)
    last = mod(rank + size - 1, size)
    a = 100 * rank
    b = 0
    c = 0
    real = rank
    call get_command_argument(1, name)
    call run(trim(name))
    call MPI_Finalize(error)
end program kinds
