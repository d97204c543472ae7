"""Studies: frames, axes, errors, repeats."""

import builtins
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import multicomputer as mc
import pytest

pandas = pytest.importorskip("pandas")


def test_a_frame_has_the_axes_the_times_and_the_study():
    frame = mc.study("broadcast", machine="paragon", nodes=[4, 16], bytes="1K..4K", algorithms=["tree", "long"], alpha=["1us", "10us"])
    assert len(frame) == 2 * 3 * 2 * 2
    assert sorted(set(frame["nodes"])) == [4, 16] and sorted(set(frame["bytes"])) == [1024, 2048, 4096]
    assert sorted(set(frame["alpha"])) == [1e-6, 1e-5] and set(frame["algorithm"]) == {"tree", "long"}
    assert str(frame["time_ps"].dtype) == "int64" and str(frame["time"].dtype) == "float64" and frame["complete"].dtype == bool
    assert list(frame["time"]) == [picos / 1e12 for picos in frame["time_ps"]] and (frame["time"] >= frame["bound"]).all()
    again = mc.study(frame.attrs["study"])
    pandas.testing.assert_frame_equal(again, frame)


def test_times_are_those_of_plans():
    frame = mc.study("all-reduce", machine="torus:4x4", bytes=8192, algorithm="ring")
    plan = mc.plan("all-reduce", "torus:4x4", bytes=8192, algorithm="ring")
    assert frame["time_ps"][0] == plan.time_ps and frame["time"][0] == plan.time
    assert frame["bound"][0] == plan.lower_bound["time"]


def axes(**values):
    return mc.study(machine="hockney:1x4", algorithm="tree", **values)


def test_values_are_numbers_lists_ranges_and_texts():
    numpy = pytest.importorskip("numpy")
    assert list(axes(bytes=range(100, 400, 100))["bytes"]) == [100, 200, 300]
    assert list(axes(bytes=numpy.array([100, 200]))["bytes"]) == [100, 200]
    assert list(axes(bytes=["1K", 10, "2..8"])["bytes"]) == [1024, 10, 2, 4, 8]
    assert list(axes(alpha=[1e-6, 2e-6])["alpha"]) == [1e-6, 2e-6] == list(axes(alpha="1us,2us")["alpha"])
    assert list(axes(beta=numpy.float32(0.5))["beta"]) == [0.5]
    assert list(axes(send_overhead=1e-6, rendezvous=[None, 0])["rendezvous"].isna()) == [True, False]


def test_a_study_file_is_read_and_its_values_replaced(tmp_path):
    path = tmp_path / "ring.toml"
    path.write_text('operation = "all-reduce"\nmachine = "hockney:1x4"\nbytes = [800, 1600]\nalgorithm = "ring"\n')
    assert list(mc.study(path)["bytes"]) == list(mc.study(str(path))["bytes"]) == [800, 1600]
    assert list(mc.study(path.read_text(), bytes=80)["bytes"]) == [80]
    machine = tmp_path / "machine.toml"
    machine.write_text(mc.Machine("hockney:1x4").to_toml())
    assert list(mc.study(path, machine=machine)["time_ps"]) == list(mc.study(path)["time_ps"])


def test_parts_are_the_whole():
    text = "machine = 'hockney:1x4'\nbytes = '1..1K'\nalgorithm = 'tree'\n"
    parts = [mc.study(text, shard=f"{part}/3") for part in (1, 2, 3)]
    whole = pandas.concat(parts).sort_values("case", ignore_index=True)
    assert len(parts[0]) == 4 and list(whole["time_ps"]) == list(mc.study(text)["time_ps"])
    assert whole.attrs == parts[0].attrs


@pytest.mark.parametrize(
    "study, values, text",
    [
        ("broadcast", {"node": 4}, "did you mean `nodes`"),
        ("brodcast", {}, "did you mean `broadcast`"),
        ("broadcast", {"nodes": "x"}, "nodes: `x` is not a whole number"),
        ("broadcast", {"nodes": 4.5}, "nodes: `4.5` is not a whole number"),
        ("broadcast", {"alpha": "10"}, "no unit"),
        ("broadcast", {"algorithm": "tre"}, "did you mean `tree`"),
        ("broadcast", {"shard": "4/3"}, "shard: `4/3` is not a part"),
        ("broadcast", {"phantom": 1}, "phantom: .* is not true or false"),
        ("broadcast", {"machine": "hockney:1x4", "root": 7}, "no case of the study can be solved"),
        ("missing.toml", {}, "missing.toml cannot be read"),
        ("nodes =\n", {}, "not valid TOML"),
    ],
)
def test_wrong_studies_are_refused(study, values, text):
    with pytest.raises(mc.StudyError, match=text):
        mc.study(study, **values)


def test_values_of_other_types_are_refused():
    with pytest.raises(TypeError, match="machine: a value has the type Machine"):
        mc.study(machine=mc.Machine("line:2"))


def test_missing_values_and_restrictions():
    frame = mc.study(machine="hockney:1x4", root=[0, 7], algorithm="tree")
    assert list(frame["time_ps"].isna()) == [False, True] == list(frame["time"].isna())
    assert frame["restriction"][1] and pandas.isna(frame["restriction"][0])


def noisy(**values):
    return mc.study(machine="paragon:2x2", noise="interval=1ms+length=50us", seed="1..8+1", algorithm=["tree", "long"], **values)


def test_repeats_are_summarized():
    frame = noisy(bytes="1M,2M")
    summary = mc.repeats(frame)
    assert len(frame) == 32 and len(summary) == 4 and list(summary["repeats"]) == [8] * 4
    times = frame[(frame["bytes"] == 1 << 20) & (frame["algorithm"] == "long")]["time"]
    row = summary[(summary["bytes"] == 1 << 20) & (summary["algorithm"] == "long")].iloc[0]
    assert row["mean"] == pytest.approx(times.mean(), rel=1e-12) and row["median"] == pytest.approx(times.median(), rel=1e-12)
    assert (row["min"], row["max"]) == (times.min(), times.max())
    assert row["min"] <= row["lower"] <= row["mean"] <= row["upper"] <= row["max"]
    assert "time" not in summary and summary.attrs == frame.attrs
    some = mc.repeats(frame[frame["seed"] > 5])
    assert list(some["repeats"]) == [3] * 4
    with pytest.raises(mc.StudyError, match="attrs"):
        mc.repeats(pandas.DataFrame(frame.to_dict()))


def test_a_case_without_times_has_an_empty_summary():
    summary = mc.repeats(mc.study(machine="hockney:1x4", root=[0, 7], algorithm="tree"))
    assert list(summary["repeats"]) == [1, 0] and list(summary["mean"].isna()) == [False, True]


def test_progress_is_told_and_may_end_the_study():
    seen = []
    mc.study(machine="hockney:1x4", bytes=range(8, 8001, 8), algorithm="tree", progress=lambda *pair: seen.append(pair))
    assert seen[-1] == (1000, 1000) and seen == sorted(seen)

    def refuse(finished, cases):
        raise LookupError("enough")

    with pytest.raises(LookupError):
        mc.study(machine="hockney:1x4", algorithm="tree", progress=refuse)


#: A study of many cases, each of which takes little time.
LONG = dict(machine="paragon:2x2", noise="interval=1ms+length=50us", seed="1..100000+1", algorithm="tree")


def test_the_lock_is_released():
    ended = threading.Event()
    others = []

    def count(finished, cases):
        others.append(finished)
        if len(others) > 10:
            raise LookupError

    thread = threading.Thread(target=lambda: (pytest.raises(LookupError, mc.study, progress=count, **LONG), ended.set()))
    thread.start()
    turns = 0
    while not ended.wait(0.001):
        turns += 1
    thread.join()
    assert turns > 20


def test_ctrl_c_ends_a_study():
    script = (
        "import multicomputer as mc, time\n"
        "print('started', flush=True)\n"
        "try:\n"
        f"    mc.study(**{LONG!r})\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    # A background job of a shell inherits that SIGINT is ignored.
    with_signal = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, preexec_fn=with_signal)
    assert process.stdout.readline() == "started\n"
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out.endswith("interrupted\n") and process.returncode == 0


def without(monkeypatch, *names):
    real = builtins.__import__

    def imported(name, *rest, **others):
        if name in names:
            raise ImportError(name)
        return real(name, *rest, **others)

    monkeypatch.setattr(builtins, "__import__", imported)


def test_polars_takes_the_place_of_pandas(monkeypatch):
    polars = pytest.importorskip("polars")
    without(monkeypatch, "pandas")
    frame = noisy(root=[0, 9])
    assert isinstance(frame, polars.DataFrame) and len(frame) == 32
    assert frame["time_ps"].dtype == polars.Int64 and frame["time"].null_count() == 16
    assert mc.repeats(frame)["repeats"].to_list() == [8, 8, 0, 0]


def test_without_a_library_of_frames_a_study_is_refused_at_once(monkeypatch):
    without(monkeypatch, "pandas", "polars")
    with pytest.raises(ImportError, match="install pandas or polars"):
        mc.study(**LONG)


def test_the_documentation_names_all_axes():
    page = (pathlib.Path(__file__).parents[3] / "docs" / "studies.md").read_text()
    table = page[page.index("## Axes") : page.index("## Rows")]
    names = [name for line in table.splitlines() if line.startswith("| `") for name in line.split("|")[1].replace("`", "").split(",")]
    assert len(names) == 27
    for name in names:
        assert f"``{name.strip().replace('-', '_')}``" in mc.study.__doc__, name
