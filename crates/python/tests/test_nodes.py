"""Node programs: messages, requests, collective operations, errors."""

import array
import os
import signal
import subprocess
import sys
import threading
import time

import multicomputer as mc
import pytest

numpy = pytest.importorskip("numpy")


def run(program, machine="hockney:1x4", **options):
    return mc.Machine(machine, **options).run(program)


def line_of(text):
    """The number of the line of this file that has a mark."""
    with open(__file__) as file:
        return 1 + next(number for number, line in enumerate(file) if text in line and "line_of(" not in line)


def test_a_message_takes_the_modeled_time():
    def program(node):
        if node.rank == 0:
            node.world.send(1, bytes(1000))
        elif node.rank == 1:
            node.world.recv(0)
        return node.now_ps()

    # alpha + 1000 beta = 130 us + 50 us.
    assert run(program).outputs[1] == 180_000_000


@pytest.mark.parametrize(
    "data",
    [b"bytes", "text", {"a": [1, 2.5, None]}, 3, numpy.float64(2.5), numpy.arange(7.0), numpy.arange(5, dtype="uint8"),
     numpy.array([True, False]), numpy.array([1 + 2j]), numpy.array(["a", None], dtype=object)],
)
def test_objects_arrive_as_they_were(data):
    got = run(lambda node: node.world.sendrecv((node.rank + 1) % 4, data, (node.rank - 1) % 4)).outputs[2]
    assert type(got) is type(data)
    assert numpy.array_equal(got, data) if isinstance(data, numpy.ndarray) else got == data


def test_arrays_and_buffers_are_not_pickled():
    def program(node):
        if node.rank == 0:
            for data in (numpy.zeros((10, 10)), array.array("d", [0.0] * 100), bytearray(800), memoryview(bytes(800))):
                node.world.send(1, data)
        if node.rank == 1:
            return [node.world.recv_message(0).nbytes for _ in range(4)]

    finished = run(program)
    assert finished.outputs[1] == [800] * 4 and finished.bytes == 3200


def test_receives_fill_buffers():
    def program(node):
        if node.rank == 0:
            node.world.send(1, numpy.arange(6.0))
        if node.rank == 1:
            into = numpy.zeros((2, 4))
            status = node.world.recv_into(into, 0)
            return into.tolist(), status.nbytes

    assert run(program).outputs[1] == ([[0, 1, 2, 3], [4, 5, 0, 0]], 48)


def test_requests_are_waited_for_and_tested():
    def program(node):
        world = node.world
        if node.rank > 0:
            node.compute(1e-3 * node.rank)
            return world.isend(0, node.rank, tag=7).wait()
        posted = [world.irecv(rank) for rank in (3, 2, 1)]
        assert posted[0].test() == (False, None)
        first = mc.wait_any(posted)
        assert mc.wait_any(posted, deadline=node.now() + 1e-6) is None
        return first, mc.wait_all(posted[:2])

    assert run(program).outputs[0] == ((2, 1), [3, 2])


def test_a_receive_has_a_deadline_and_a_null_process():
    def program(node):
        with pytest.raises(mc.DeadlinePassed):
            node.world.recv(deadline=1e-3)
        node.world.send(None, "nobody")
        return node.world.recv_message(None).source, node.now()

    assert run(program).outputs[0] == (-2, 1e-3)


def test_collective_operations():
    def program(node):
        world, rank = node.world, node.rank
        assert world.broadcast({"x": 1} if rank == 2 else None, root=2) == {"x": 1}
        assert world.gather(rank * "a", root=1) == (["", "a", "aa", "aaa"] if rank == 1 else None)
        assert world.all_gather(rank) == [0, 1, 2, 3]
        assert world.scatter([10, "b", None, 4.0] if rank == 0 else None) == [10, "b", None, 4.0][rank]
        assert world.all_to_all([10 * rank + to for to in range(4)]) == [10 * of + rank for of in range(4)]
        total = world.all_reduce(numpy.full((2, 3), float(rank)))
        assert total.shape == (2, 3) and (total == 6).all()
        assert world.reduce(rank, "max", root=3) == (3 if rank == 3 else None)
        assert world.scan(rank + 1) == [1, 3, 6, 10][rank]
        assert world.reduce_scatter(numpy.arange(8)).tolist() == [8 * rank, 8 * rank + 4]
        assert world.all_reduce(1 + 1j, "product", algorithm="short") == (1 + 1j) ** 4
        world.barrier()

    run(program)


def test_groups():
    def program(node):
        row, column = node.row(), node.column()
        parity = node.world.split(node.rank % 2, key=-0)
        assert node.world.split(None) is None
        last = node.world.subgroup([5, node.rank]) if node.rank == 0 else node.world.subgroup([5, 0]) if node.rank == 5 else None
        assert last is None or last.size == 2
        return row.all_reduce(1), column.all_reduce(1), parity.size, row.world_rank(0)

    assert run(program, "hockney:2x3").outputs[4] == (3, 2, 3, 3)


def test_the_failure_of_a_node_is_the_cause():
    def program(node):
        if node.rank == 2:
            raise ValueError("too hot")  # mark: failure
        node.world.recv(2)

    with pytest.raises(mc.NodeError, match="node 2 failed: ValueError: too hot") as caught:
        run(program)
    assert isinstance(caught.value.__cause__, ValueError) and caught.value.rank == 2
    assert caught.value.place == f"{__file__}:{line_of('# mark: failure')}"


def test_a_deadlock_names_lines():
    def program(node):
        if node.rank < 2:
            node.world.recv(1 - node.rank)  # mark: deadlock
        elif node.rank == 2:
            node.world.all_reduce(1)  # mark: collective

    with pytest.raises(mc.DeadlockError) as caught:
        run(program)
    error = caught.value
    assert error.cycle == [0, 1] and error.returned == [3]
    places = {node["rank"]: node["place"] for node in error.blocked}
    assert places[0] == places[1] == f"{__file__}:{line_of('# mark: deadlock')}"
    assert places[2] == f"{__file__}:{line_of('# mark: collective')}"
    assert places[0] in str(error)


def test_a_program_that_goes_on_after_the_end_is_ended(capfd):
    def program(node):
        while True:
            try:
                node.world.recv(1 - node.rank)
            except Exception:
                pass

    with pytest.raises(mc.DeadlockError):
        run(program, "line:2")
    assert capfd.readouterr().err == ""


def test_mismatched_calls_name_lines():
    def program(node):
        if node.rank == 0:
            node.world.barrier()  # mark: other
        else:
            node.world.all_reduce(1)

    with pytest.raises(mc.MismatchError, match="barrier") as caught:
        run(program)
    assert (0, f"{__file__}:{line_of('# mark: other')}") in [tuple(place) for place in caught.value.places]


def test_a_rendezvous_shows_reliance_on_buffering():
    def program(node):
        node.world.send(1 - node.rank, bytes(8192))
        node.world.recv(1 - node.rank)

    run(program, "hockney:1x2")
    with pytest.raises(mc.DeadlockError):
        run(program, "hockney:1x2", rendezvous=4096)


def test_calls_outside_of_a_node_are_refused():
    with pytest.raises(mc.NoNodeError):
        mc.current_node()
    kept = run(lambda node: node.world.subgroup([node.rank])).outputs[0]

    def program(node):
        with pytest.raises(mc.NoNodeError, match="another node or run"):
            kept.barrier()

    run(program)


def test_wrong_arguments_are_refused():
    def program(node):
        with pytest.raises(mc.NoSuchRank, match="rank 9 is not in the world"):
            node.world.send(9, 1)
        with pytest.raises(mc.CommError, match="tag -5 is out of range"):
            node.world.send(0, 1, tag=-5)
        with pytest.raises(mc.CommError, match="xor"):
            node.world.all_reduce(1.0, "bitwise xor")

    run(program, "hockney:1x1")


def test_a_run_has_a_wall_limit():
    def program(node):
        while True:
            node.compute(1e-3)

    with pytest.raises(mc.WallLimitError):
        run(program, "hockney:1x2", wall_limit=0.2)


def test_other_threads_of_python_go_on_during_a_run():
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    run(lambda node: node.compute(0.2), "hockney:1x2", clock="real", dilation=1.0)
    over.set()
    thread.join()
    assert counted[0] > 20


INTERRUPTED = """
import multicomputer as mc
def program(node):
    if node.rank == 0:
        print("started", flush=True)
    while node.rank == 0:
        {body}
    node.world.recv(0)
try:
    mc.Machine("hockney:1x3").run(program)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("body", ["pass", "node.compute(1e-6)"])
def test_control_c_ends_a_run(body):
    script = INTERRUPTED.format(body=body)
    # A background job of a shell inherits that SIGINT is ignored.
    with_signal = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=with_signal)
    assert process.stdout.readline() == "started\n"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out.endswith("interrupted\n") and process.returncode == 0


def test_the_host_clock_runs_programs_too():
    assert run(lambda node: node.world.all_reduce(node.rank), "host:4", clock="host").outputs == [6] * 4
