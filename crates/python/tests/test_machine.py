"""Machines, plans, schedules, formats, pictures."""

import multicomputer as mc
import pytest


def test_a_machine_is_named_built_or_refused():
    machine = mc.Machine("paragon:4x4")
    assert (machine.name, machine.nodes, machine.grid) == ("paragon:4x4", 16, (4, 4))
    assert mc.Machine(machine.to_toml()).nodes == 16
    for wrong in ("paragon:4y4", "warp:3"):
        with pytest.raises(mc.ConfigError):
            mc.Machine(wrong)
    with pytest.raises(mc.ConfigError, match="unknown clock `fast`"):
        mc.Machine("line:2", clock="fast")


def test_a_plan_has_prediction_and_bound():
    plan = mc.plan("broadcast", "paragon:4x4", bytes=1 << 20)
    bound = plan.lower_bound
    assert plan.time >= bound["time"] > 0
    assert bound["time"] == max(bound["reasons"].values())
    assert bound["decisive"] in bound["reasons"]
    assert len(plan.finished) == 16 and max(plan.finished) == plan.time
    slower = mc.plan("broadcast", "paragon:4x4", bytes=1 << 20, algorithm="short")
    assert slower.time >= plan.time and slower.algorithm == "short"
    assert "short" in mc.algorithms("broadcast") and "all-to-all" in mc.operations()


def test_all_libraries_plan():
    exchange = mc.plan("all-to-all", "hypercube:8", bytes=100)
    assert exchange.time >= exchange.lower_bound["time"]
    assert mc.plan("alltoallv", "line:3", matrix=[[0, 1, 2], [3, 0, 4], [5, 6, 0]]).time > 0
    assert mc.plan("s-to-p", "paragon:4x4", sources=[0, 5], bytes=1000).time > 0


@pytest.mark.parametrize(
    "operation, arguments, text",
    [
        ("broadcasting", {"bytes": 8}, "unknown operation `broadcasting`"),
        ("broadcast", {}, "give `bytes`"),
        ("reduce", {"bytes": 9}, "not a multiple"),
        ("broadcast", {"bytes": 8, "root": 99}, "99"),
        ("broadcast", {"bytes": 8, "algorithm": "shrt"}, "short"),
    ],
)
def test_wrong_arguments_are_refused(operation, arguments, text):
    with pytest.raises(mc.PlanError, match=text):
        mc.plan(operation, "line:4", **arguments)


def ring(size, steps):
    return [[(rank, (rank + 1) % size, [(rank - step) % size]) for rank in range(size)] for step in range(steps)]


def test_transfers_are_checked_timed_and_carried_out():
    around = mc.Algorithm.transfers("ring", ring(6, 5))
    plan = mc.plan("all-gather", "paragon:2x3", bytes=600, algorithm=around)
    assert plan.time >= plan.lower_bound["time"]
    assert [(step, source, to) for step, source, to, *_ in plan.transfers()][:2] == [(0, 0, 1), (0, 1, 2)]
    machine = mc.Machine("paragon:2x3")

    def program(node):
        return node.world.all_gather(bytes([node.rank] * 100), algorithm=around)

    assert machine.run(program).outputs[4] == [bytes([rank] * 100) for rank in range(6)]


def test_transfers_backwards_combine():
    there_and_back = mc.Algorithm.transfers("ring", ring(4, 3), dual="back-and-forth")
    assert mc.plan("all-reduce", "line:4", bytes=800, algorithm=there_and_back).time > 0
    run = mc.Machine("line:4").run(lambda node: node.world.all_reduce(float(node.rank), algorithm=there_and_back))
    assert run.outputs == [6.0] * 4


@pytest.mark.parametrize(
    "rounds, text",
    [
        (ring(4, 2), "ends with|holds|nothing"),
        ([[(0, 1, [3])]], "does not hold"),
        ([[(0, 4, [0])]], "not between two of the ranks"),
        ([[(0, 1, [])]], "no blocks"),
        ([[(0, 1, [9])]], "the blocks are 0 to 3"),
    ],
)
def test_wrong_transfers_are_refused(rounds, text):
    with pytest.raises(mc.PlanError, match=text):
        mc.plan("all-gather", "line:4", bytes=400, algorithm=mc.Algorithm.transfers("wrong", rounds))


def test_goal_and_msccl_go_in_and_out():
    machine = mc.Machine("line:4")
    plan = mc.plan("all-gather", machine, bytes=1024, algorithm="long")
    goal = mc.Goal(plan.to_goal(), blocking=True)
    assert goal.ranks == 4 and machine.predict(goal) > 0
    assert machine.play(goal).makespan == machine.predict(goal)
    msccl = mc.Msccl(plan.to_msccl())
    assert (msccl.operation, msccl.ranks) == ("allgather", 4)
    assert mc.plan("all-gather", machine, bytes=1024, algorithm=msccl.algorithm()).time > 0
    assert msccl.goal(1024, machine).messages > 0
    with pytest.raises(mc.FormatError):
        mc.Goal("num_ranks two")


def test_networks_come_from_networkx():
    networkx = pytest.importorskip("networkx")
    machine = mc.Machine.from_networkx(networkx.cycle_graph(5))
    assert machine.run(lambda node: node.world.all_reduce(1)).outputs == [5] * 5
    graph = networkx.Graph()
    graph.add_node("switch", switch=True)
    for name in "abc":
        graph.add_edge(name, "switch", capacity=10e6)
    assert mc.Machine(graph).nodes == 3


def test_runs_have_reports_pictures_and_explanations():
    def program(node):
        with node.phase("all"):
            return node.world.broadcast(b"x" * 5000 if node.rank == 0 else None)

    run = mc.Machine("paragon:2x2", trace=True).run(program)
    assert run.outputs == [b"x" * 5000] * 4
    assert run.report()["makespan"] == pytest.approx(run.makespan)
    assert list(run.frame()["bytes_received"]) and str(run).startswith("paragon:2x2") or "paragon" in str(run)
    explanation = run.explain()
    assert explanation["critical_path"]["pieces"] and "Where the time went" in explanation["text"]
    assert run.space_time(title="One").svg.startswith("<svg ")
    assert "<svg " in run._repr_html_() and "iframe srcdoc" in run._repr_html_()
    assert mc.replay({"one": run, "again": run}).html.lower().startswith("<!doctype html")
    plain = mc.Machine("paragon:2x2").run(program)
    assert "trace=True" in plain._repr_html_()
    with pytest.raises(mc.AnalysisError):
        plain.explain()
    assert plain.heat().svg.startswith("<svg ")
    with pytest.raises(mc.PictureError):
        plain.space_time()
