"""The interface of mpi4py."""

import subprocess
import sys

import multicomputer as mc
import pytest
from multicomputer import MPI

numpy = pytest.importorskip("numpy")


def run(program, machine="hockney:1x4", **options):
    return mc.Machine(machine, **options).run(lambda node: program(MPI.COMM_WORLD, MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.size))


def test_objects_and_buffers_are_sent():
    def program(comm, rank, size):
        to, source, status = (rank + 1) % size, (rank - 1) % size, MPI.Status()
        assert comm.sendrecv({"from": rank}, dest=to, source=source) == {"from": source}
        array = numpy.arange(4.0) + rank
        got = numpy.empty(6)
        request = comm.Isend([array, MPI.DOUBLE], dest=to, tag=5)
        comm.Recv([got, MPI.DOUBLE], source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        request.Wait()
        assert got[:4].tolist() == (numpy.arange(4.0) + source).tolist()
        assert (status.Get_source(), status.tag, status.Get_count(MPI.DOUBLE)) == (source, 5, 4)
        comm.Sendrecv_replace(array, to, source=source)
        assert array[0] == source
        requests = [comm.irecv(source=source, tag=1), comm.isend("x", to, tag=1)]
        assert MPI.Request.waitall(requests)[0] == "x"
        comm.send(1, MPI.PROC_NULL)
        assert comm.recv(source=MPI.PROC_NULL, status=status) is None and status.source == MPI.PROC_NULL
        return MPI.Wtime()

    assert all(end > 0 for end in run(program).outputs)


def test_requests():
    def program(comm, rank, size):
        if rank > 0:
            MPI.compute(1e-3 * rank)
            comm.Send(numpy.array([rank]), 0, rank)
            return
        into = [numpy.zeros(1, int) for _ in range(3)]
        requests = [comm.Irecv(into[n], source=n + 1) for n in range(3)]
        assert not requests[2].Test()
        assert MPI.Request.Waitany(requests) == 0
        assert MPI.Request.Waitsome(requests) == [1]
        while not MPI.Request.Testall(requests):
            MPI.compute(1e-4)
        assert MPI.Request.Waitany(requests) == MPI.UNDEFINED
        assert [int(one[0]) for one in into] == [1, 2, 3]

    run(program)


def test_probes():
    def program(comm, rank, size):
        if rank == 1:
            comm.send([1, 2], 0, 3)
        if rank == 0:
            status = MPI.Status()
            comm.Probe(status=status)
            assert comm.Iprobe(source=1) and (status.source, status.tag) == (1, 3)
            return comm.recv(source=1)

    assert run(program).outputs[0] == [1, 2]


def test_collective_operations_of_objects():
    def program(comm, rank, size):
        assert comm.bcast("all" if rank == 1 else None, root=1) == "all"
        assert comm.gather(rank**2, root=2) == ([0, 1, 4, 9] if rank == 2 else None)
        assert comm.allgather("ab"[rank % 2]) == ["a", "b", "a", "b"]
        assert comm.scatter([[rank] for rank in range(size)] if rank == 0 else None) == [rank]
        assert comm.alltoall([(rank, to) for to in range(size)]) == [(of, rank) for of in range(size)]
        assert comm.reduce(str(rank), op=MPI.SUM, root=3) == ("0123" if rank == 3 else None)
        assert comm.allreduce((rank % 3, rank), op=MPI.MAXLOC) == (2, 2)
        assert comm.allreduce(rank, op=lambda left, right: left + right) == 6
        assert comm.scan(str(rank)) == "0123"[: rank + 1]
        assert comm.exscan(rank) == (None if rank == 0 else sum(range(rank)))
        assert comm.allreduce(rank < 3, MPI.LAND) is False
        comm.barrier()

    run(program)


def test_collective_operations_of_buffers():
    def program(comm, rank, size):
        data = numpy.full(3, float(rank))
        comm.Bcast(data, root=2)
        assert data.tolist() == [2.0] * 3
        blocks = numpy.empty((size, 2), "i") if rank == 0 else None
        comm.Gather(numpy.full(2, rank, "i"), blocks, root=0)
        assert rank != 0 or blocks.tolist() == [[of] * 2 for of in range(size)]
        mine = numpy.empty(2, "i")
        comm.Scatter([blocks, 2, MPI.INT] if rank == 0 else None, mine, root=0)
        assert mine.tolist() == [rank] * 2
        everything = numpy.empty(size)
        comm.Allgather([numpy.array([float(rank)]), MPI.DOUBLE], [everything, MPI.DOUBLE])
        assert everything.tolist() == [0, 1, 2, 3]
        everything[:] = rank
        comm.Allgather(MPI.IN_PLACE, everything)
        assert everything.tolist() == [0, 1, 2, 3]
        exchanged = numpy.empty(size, "l")
        comm.Alltoall(numpy.arange(size) + 10 * rank, exchanged)
        assert exchanged.tolist() == [10 * of + rank for of in range(size)]
        total = numpy.zeros(2)
        comm.Reduce(numpy.array([rank, 1.0]), total, op=MPI.SUM, root=1)
        assert total.tolist() == ([6, 4] if rank == 1 else [0, 0])
        comm.Allreduce(MPI.IN_PLACE, data, op=MPI.MAX)
        sums = numpy.zeros(1, "i")
        comm.Scan(numpy.array([rank + 1], "i"), sums)
        assert sums[0] == sum(range(rank + 2))
        comm.Exscan(numpy.array([rank + 1], "i"), sums)
        assert rank == 0 or sums[0] == sum(range(rank + 1))
        part = numpy.empty(1)
        comm.Reduce_scatter_block(numpy.arange(4.0), part)
        assert part[0] == 4 * rank

    run(program)


def test_vector_operations():
    def program(comm, rank, size):
        counts = [1, 2, 3, 4]
        displs = [0, 1, 3, 6]
        mine = numpy.full(counts[rank], rank, "i")
        whole = numpy.empty(10, "i") if rank == 0 else None
        comm.Gatherv(mine, [whole, counts, displs, MPI.INT] if rank == 0 else None, root=0)
        expected = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
        assert rank != 0 or whole.tolist() == expected
        part = numpy.empty(counts[rank], "i")
        comm.Scatterv([whole, (counts, displs), MPI.INT], part, root=0)
        assert part.tolist() == [rank] * counts[rank]
        everything = numpy.empty(10, "i")
        comm.Allgatherv(mine, [everything, counts])
        assert everything.tolist() == expected
        into = numpy.empty(4 * (rank + 1), "i")
        comm.Alltoallv([numpy.repeat(numpy.arange(4, dtype="i"), counts), counts], [into, [rank + 1] * 4])
        assert into.tolist() == [rank] * len(into)

    run(program)


def test_other_operators():
    def program(comm, rank, size):
        pair = numpy.zeros(1, numpy.dtype("f8,i4", align=True))
        pair[0] = ((rank - 1) ** 2, rank)
        best = pair.copy()
        comm.Allreduce([pair, MPI.DOUBLE_INT], [best, MPI.DOUBLE_INT], op=MPI.MINLOC)
        assert best[0].item() == (0.0, 1)

        def right(left, into, datatype):
            assert datatype is MPI.DOUBLE

        taken = numpy.zeros(2)
        comm.Reduce(numpy.array([rank, -rank], float), taken, op=MPI.Op.Create(right), root=0)
        assert rank != 0 or taken.tolist() == [3, -3]
        return comm.reduce(numpy.arange(2) + rank, op=MPI.SUM)

    assert run(program).outputs[0].tolist() == [6, 10]


def test_communicators():
    def program(comm, rank, size):
        half = comm.Split(rank // 3, key=-rank)
        assert (half.Get_size(), half.Get_rank()) == (3, 2 - rank % 3)
        assert comm.Split(MPI.UNDEFINED) is MPI.COMM_NULL or comm.Split(MPI.UNDEFINED) == MPI.COMM_NULL
        again = comm.Dup()
        assert again.allreduce(1) == size and MPI.COMM_SELF.Get_size() == 1
        assert MPI.Comm.Compare(comm, again) == MPI.CONGRUENT and comm == MPI.COMM_WORLD and comm != again
        odd = comm.Create(comm.Get_group().Incl([1, 3, 5]))
        assert (odd == MPI.COMM_NULL) == (rank % 2 == 0)
        grid = comm.Create_cart([2, 3], periods=[False, True])
        row, column = grid.Get_coords(rank)
        assert grid.Get_cart_rank([row, column + 3]) == rank and grid.dims == [2, 3]
        assert grid.Shift(0, 1) == (rank - 3 if row else MPI.PROC_NULL, rank + 3 if not row else MPI.PROC_NULL)
        assert grid.Shift(1, 1)[1] == 3 * row + (column + 1) % 3
        assert grid.Sub([False, True]).allreduce(rank) == (3 if row == 0 else 12)
        small = comm.Create_cart([2, 2])
        return small == MPI.COMM_NULL

    assert run(program, "complete:6").outputs == [False] * 4 + [True] * 2
    assert MPI.Compute_dims(60, 3) == [5, 4, 3] and MPI.Compute_dims(12, [0, 2]) == [6, 2]


def test_persistent_requests():
    def program(comm, rank, size):
        data, into = numpy.zeros(1), numpy.zeros(1)
        requests = [comm.Send_init(data, (rank + 1) % size), comm.Recv_init(into, (rank - 1) % size)]
        for step in range(3):
            data[0] = rank + step
            MPI.Prequest.Startall(requests)
            MPI.Request.Waitall(requests)
            assert into[0] == (rank - 1) % size + step

    run(program)


def test_what_is_missing_is_named():
    def program(comm, rank, size):
        for name, text in (("Ibcast", "nonblocking"), ("Ssend", "rendezvous"), ("Neighbor_alltoall", "graph"), ("Frobnicate", "Comm.Frobnicate")):
            with pytest.raises(AttributeError, match=text):
                getattr(comm, name)

    run(program)
    with pytest.raises(AttributeError, match="one-sided"):
        MPI.Win
    with pytest.raises(mc.NoNodeError, match="python -m multicomputer run"):
        MPI.COMM_WORLD.Get_rank()


def test_truncated_messages_and_buffers_as_objects_are_refused():
    def program(comm, rank, size):
        if rank == 0:
            comm.Send(numpy.zeros(4), 1)
            comm.Send(numpy.zeros(4), 1)
        if rank == 1:
            with pytest.raises(MPI.Exception, match="truncated"):
                comm.Recv(numpy.zeros(2), 0)
            with pytest.raises(MPI.Exception, match="receive it by `Recv`"):
                comm.recv(source=0)

    run(program)


SCRIPT = """
import sys
from multicomputer import MPI
comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
if __name__ == "__main__" and sys.argv[1] == "ring":
    print(rank, comm.sendrecv(rank, (rank + 1) % size, source=(rank - 1) % size))
elif sys.argv[1] == "fail":
    comm.recv(source=1 - rank) if rank < 2 else None  # waits
"""


def test_scripts_run_on_every_node(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def command(*arguments):
        return subprocess.run([sys.executable, "-m", "multicomputer", "run", *arguments], capture_output=True, text=True)

    ring = command("--machine", "paragon:2x2", "--report", str(script), "ring")
    assert ring.returncode == 0, ring.stderr
    assert sorted(ring.stdout.splitlines()[:4]) == ["0 3", "1 0", "2 1", "3 2"]
    failed = command("-n", "3", str(script), "fail")
    assert failed.returncode == 1
    assert f"{script}:9" in failed.stderr and "cycle: 0 -> 1 -> 0" in failed.stderr
