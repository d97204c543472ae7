"""The speeds that docs/python.md states: ``python crates/python/benches/bars.py`` after ``maturin develop --release``.

What Python adds to a plan is measured with a plan that Rust refuses at once: reading the arguments, and an exception in place of a result.
"""

import time

import multicomputer as mc


def plan(times=2000, repeats=5):
    """Microseconds of a call of `mc.plan` without the plan: a broadcast with an impossible root."""
    machine = mc.Machine("line:2")
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(times):
            try:
                mc.plan("broadcast", machine, bytes=8, root=2, algorithm="short")
            except mc.PlanError:
                pass
        best = min(best, (time.perf_counter() - start) / times)
    return best * 1e6


def plan_after_search(times=20):
    """Microseconds of the same call after a search of milliseconds, which displaces Python's code and data from the caches."""
    machine, kept, best = mc.Machine("paragon:4x4"), [], float("inf")
    for _ in range(times):
        kept.append(mc.plan("broadcast", machine, bytes=1 << 20, algorithm="pipeline"))
        best = min(best, plan(times=1, repeats=1))
    return best


def freeing(times=20):
    """Nanoseconds a message for freeing a plan of 7,935 messages, which Rust does, too."""
    kept = [mc.plan("broadcast", "paragon:16x16", bytes=1 << 20, algorithm="long") for _ in range(times)]
    messages = times * len(kept[0].transfers())
    start = time.process_time()
    kept.clear()
    return (time.process_time() - start) / messages * 1e9


def ring(nodes=64, rounds=200, **options):
    """Messages a second around a ring, of all nodes together, with the start and the end of the threads."""
    machine = mc.Machine(f"ring:{nodes}", **options)

    def program(node):
        world, right, left = node.world, (node.rank + 1) % nodes, (node.rank - 1) % nodes
        for _ in range(rounds):
            world.send(right, b"8 bytes.")
            world.recv(left)

    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        machine.run(program)
        best = min(best, time.perf_counter() - start)
    return nodes * rounds / best


def study(times, **values):
    """Rows of a study, processor seconds of the whole call, and those from the last computed row to the frame."""
    best = float("inf"), float("inf")
    for _ in range(times):
        told = []
        start = time.process_time()
        frame = mc.study(progress=lambda finished, cases: told.append(time.process_time()), **values)
        end = time.process_time()
        best = min(best, (end - start, end - told[-1]))
    return len(frame), *best


if __name__ == "__main__":
    print(f"a call of mc.plan without the plan: {plan():.1f} us")
    print(f"the same call after a search: {plan_after_search():.1f} us")
    print(f"freeing a plan: {freeing():.0f} ns a message")
    print(f"ring of 64 nodes: {ring():,.0f} messages/s")
    print(f"ring of 64 nodes, 2000 rounds: {ring(rounds=2000):,.0f} messages/s")
    rows, whole, frame = study(
        times=1, machine="hockney:1x4", alpha="1us..250us+1us", bytes="1024..409600+1024", algorithm="tree"
    )
    print(f"study of {rows:,} rows: {whole:.2f} s of processor time, of which {frame:.2f} s for the frame")
