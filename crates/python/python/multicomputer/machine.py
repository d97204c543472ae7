"""Machines, runs, plans, and pages that replay runs."""

from __future__ import annotations

import ctypes
import html
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _native
from .node import Node

__all__ = ["Machine", "Run", "algorithms", "operations", "plan", "replay"]


class Machine:
    """A virtual multicomputer. It is built once, and runs programs any number of times.

    Args:
        machine: A name such as ``"paragon:4x4"``, ``"hypercube:16"`` or ``"h100-cluster:4"``, the path of a machine file (``.toml``), the text
            of a machine file, or a network as a graph of networkx (see :meth:`from_networkx`).
        clock: ``"virtual"`` (exact modeled time, as fast as the host allows), ``"real"`` (modeled time paced by the wall clock), or ``"host"``
            (no model).
        dilation: Wall-clock seconds per modeled second for ``clock="real"``; by default as small as the host allows.
        trace: Whether to record all events, which pictures, replays and explanations need.
        rendezvous: Length in bytes from which on a send waits for its receive; by default no send waits.
        noise: Operating system noise, such as ``"exponential:1ms:25us"``.
        faults: Links and nodes that become slow or die, such as ``["node:3@1ms"]``.
        placement: Which node of the machine a rank is, such as ``"random:7"``.
        ports: Number of ports of each node.
        effort: Search effort of *Auto*: ``"estimate"``, ``"quick"``, ``"normal"`` or ``"thorough"``.
        wall_limit: Limit of a run in wall-clock seconds.
        stack_size: Bytes of stack of each node's thread.
        deny_unreceived: Whether a run fails if messages were never received.
        pinning: Cores of the threads: ``"auto"``, ``"none"``, ``"one-core"`` or ``"spread"``.
    """

    def __init__(
        self,
        machine: Any,
        *,
        clock: str = "virtual",
        dilation: Optional[float] = None,
        trace: bool = False,
        rendezvous: Optional[int] = None,
        noise: Optional[str] = None,
        faults: Sequence[str] = (),
        placement: Optional[str] = None,
        ports: Optional[int] = None,
        effort: str = "normal",
        wall_limit: Optional[float] = None,
        stack_size: int = 8 << 20,
        deny_unreceived: bool = False,
        pinning: str = "auto",
    ):
        if hasattr(machine, "edges") and hasattr(machine, "nodes"):
            machine = network_toml(machine)
        self._native = _native.Machine(
            os.fspath(machine), clock, dilation, trace, rendezvous, noise, list(faults), placement, ports, effort, wall_limit,
            stack_size, deny_unreceived, pinning,
        )

    @classmethod
    def from_networkx(cls, graph: Any, preset: str = "hockney", *, name: str = "networkx", **options: Any) -> Machine:
        """Builds a machine whose network is a graph of networkx, with the parameters of a preset.

        Nodes with the attribute ``switch=True`` are switches; the others are the nodes of the machine, numbered in the graph's order. An edge
        may have the attribute ``capacity``, in bytes per second or as text (``"10 MB/s"``). Edges are links in both directions, in a directed
        graph in one. ``options`` are those of :class:`Machine`.
        """
        return cls(network_toml(graph, preset, name), **options)

    @property
    def name(self) -> str:
        """The name, such as ``paragon:4x4``."""
        return self._native.name

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self._native.nodes

    @property
    def topology(self) -> str:
        """The network, such as ``mesh:4x4``."""
        return self._native.topology

    @property
    def grid(self) -> Optional[Tuple[int, int]]:
        """Rows and columns; ``None`` if the machine has none."""
        return self._native.grid

    def to_toml(self) -> str:
        """Returns the machine as the text of a machine file."""
        return self._native.to_toml()

    def run(self, program: Callable[..., Any], *args: Any, **kwargs: Any) -> Run:
        """Runs ``program(node, *args, **kwargs)`` on every node, each on its own thread, and waits until all have returned.

        Raises:
            NodeError: A program raised an exception, which is the cause.
            DeadlockError: No node can proceed; the text names file and line of each node's call.
            MismatchError: Members of a group made different collective calls.
            RunError: The run ended otherwise.
            KeyboardInterrupt: Ctrl-C was pressed; all nodes have ended.
        """
        threads: List[int] = []

        def on_node(rank: int) -> Any:
            threads.append(threading.get_ident())
            return program(Node(), *args, **kwargs)

        return Run(self._native._run(on_node, lambda: _interrupt(threads)))

    def play(self, goal: _native.Goal) -> Run:
        """Runs a program in GOAL, with real bytes that receivers verify."""
        return Run(goal._play(self._native))

    def predict(self, goal: _native.Goal) -> float:
        """Returns the predicted time of a program in GOAL, in modeled seconds."""
        return goal.predict(self)

    def __repr__(self) -> str:
        return f"Machine({self.name!r}, {self.nodes} nodes)"


def _interrupt(threads: Sequence[int]) -> None:
    """Raises KeyboardInterrupt on the threads of nodes, at their next line of Python."""
    for thread in list(threads):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


def network_toml(graph: Any, preset: str = "hockney", name: str = "networkx") -> str:
    """Returns a graph of networkx as the text of a machine file: see :meth:`Machine.from_networkx`."""
    is_switch = {node: bool(data.get("switch", False)) for node, data in graph.nodes(data=True)}
    nodes = [node for node in graph if not is_switch[node]]
    switches = [node for node in graph if is_switch[node]]
    names = {node: str(number) for number, node in enumerate(nodes)}
    names.update((switch, f'"s{number}"') for number, switch in enumerate(switches))
    lines = [f'name = "{name}:{len(nodes)}"', f'preset = "{preset}"', "[network]", f"nodes = {len(nodes)}"]
    if switches:
        lines.append(f"switches = {len(switches)}")
    ends = "from_to" if graph.is_directed() else "between"
    for one, other, data in graph.edges(data=True):
        lines += ["[[network.links]]", f"{ends} = [{names[one]}, {names[other]}]"]
        capacity = data.get("capacity")
        if capacity is not None:
            lines.append(f'capacity = "{capacity if isinstance(capacity, str) else f"{capacity:.17g} B/s"}"')
    return "\n".join(lines) + "\n"


class Run:
    """The results of a run: outputs, counters, and (if traced) pictures and explanations.

    In Jupyter a run shows as its report, and if it was traced with its space-time diagram and a page that replays it.
    """

    def __init__(self, native: _native.Run):
        self._native = native

    @property
    def outputs(self) -> List[Any]:
        """The return values of the programs, in rank order."""
        return self._native.outputs

    @property
    def makespan(self) -> float:
        """Modeled time from the common start to the end of the last node, in seconds (wall-clock time if ``clock="host"``)."""
        return self._native.makespan

    @property
    def makespan_ps(self) -> int:
        """The makespan in picoseconds, exactly."""
        return self._native.makespan_ps

    @property
    def messages(self) -> int:
        """The number of messages sent."""
        return self._native.messages

    @property
    def bytes(self) -> int:
        """The number of bytes sent."""
        return self._native.bytes

    @property
    def wall(self) -> float:
        """Wall-clock time of the run in seconds."""
        return self._native.wall

    @property
    def machine(self) -> str:
        """The name of the machine."""
        return self._native.machine

    @property
    def is_traced(self) -> bool:
        """Whether all events were recorded."""
        return self._native.is_traced

    def report(self) -> Dict[str, Any]:
        """Returns all counters as a dict; times in seconds."""
        return self._native.report()

    def frame(self) -> Any:
        """Returns the counters of the nodes as a pandas DataFrame, a row for each node; times in seconds."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        frame = pandas.DataFrame(self.report()["nodes"])
        frame.index.name = "rank"
        return frame

    def explain(self) -> Dict[str, Any]:
        """Explains where the time went, as a dict: ``critical_path``, ``blame`` (contention), and ``text``. Times in seconds."""
        explanation, text = self._native._explain()
        explanation["text"] = text
        return explanation

    def write_trace(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a Chrome trace, for ui.perfetto.dev."""
        self._native.write_trace(os.fspath(path))

    def space_time(self, *, title: Optional[str] = None, width: Optional[int] = None, rows: Optional[int] = None) -> Picture:
        """Draws what each node does when, and the messages. ``width`` in pixels; ``rows`` is the maximum number of nodes drawn."""
        return Picture(self._native.space_time(title, width, rows))

    def heat(self, *, title: Optional[str] = None) -> Picture:
        """Draws the load of every link of the network."""
        return Picture(self._native.heat(title))

    def replay(self, title: str = "Run") -> Page:
        """Makes a self-contained page that replays the run."""
        return replay({title: self})

    def _repr_html_(self) -> str:
        shown = f"<pre>{html.escape(str(self))}</pre>"
        if not (self._native.is_traced and self._native.is_modeled):
            return shown + "<p>Build the machine with <code>trace=True</code> to see a picture and a replay.</p>"
        from .errors import PictureError

        try:
            return shown + self.space_time().svg + self.replay()._repr_html_()
        except PictureError as error:
            return shown + f"<p>{html.escape(str(error))}</p>"

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"Run({self.machine}, {self.makespan:.9g} s, {self.messages} messages)"


class Picture:
    """A picture in SVG, which shows in Jupyter."""

    def __init__(self, svg: str):
        #: The text of the picture.
        self.svg = svg

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


class Page:
    """A self-contained HTML page, which shows in Jupyter in a frame of its own."""

    def __init__(self, text: str):
        #: The text of the page.
        self.html = text

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to a file, for a browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" style="width: 100%; height: 640px; border: 0" sandbox="allow-scripts"></iframe>'


def replay(runs: Dict[str, Run], title: str = "Runs") -> Page:
    """Makes a self-contained page that replays traced runs beside each other, each under its title."""
    return Page(_native.replay_page(title, [(name, run._native) for name, run in runs.items()]))


def plan(
    operation: str,
    machine: Union[Machine, str],
    *,
    bytes: Optional[int] = None,
    blocks: Optional[Sequence[int]] = None,
    matrix: Any = None,
    sources: Optional[Sequence[int]] = None,
    root: int = 0,
    element: Optional[int] = None,
    members: Optional[Sequence[int]] = None,
    in_order: bool = False,
    algorithm: Union[str, _native.Algorithm] = "auto",
) -> _native.Plan:
    """Plans an operation: chooses the fastest schedule by exact prediction. The lock of Python is released meanwhile.

    Args:
        operation: A collective operation, ``"all-to-all"``, or ``"s-to-p"``: see :func:`operations`. MPI's names work too.
        machine: The machine, or the name of one.
        bytes: Bytes of the whole vector (not of each rank's block); for all-to-all of each pair of ranks; for s-to-p of each source.
        blocks: Bytes of each rank's block, or of each source's message, instead of ``bytes``.
        matrix: Bytes from each rank (row) to each rank (column), for all-to-all.
        sources: The sources of an s-to-p broadcast.
        root: The root, for operations that have one.
        element: Bytes of an element (default 8 where elements are combined, otherwise 1).
        members: The nodes that take part, in the order of their ranks; by default all.
        in_order: Whether elements must be combined in rank order.
        algorithm: The algorithm: see :func:`algorithms`.
    """
    if isinstance(machine, str):
        machine = Machine(machine)
    if matrix is not None:
        matrix = [[int(length) for length in row] for row in matrix]
    arguments = {
        "bytes": bytes,
        "blocks": blocks,
        "matrix": matrix,
        "sources": sources,
        "root": root,
        "element": element,
        "members": members,
        "in_order": in_order,
    }
    return _native.make_plan(operation, machine._native, arguments, algorithm)


def algorithms(operation: str) -> List[str]:
    """Returns the names of the algorithms of an operation."""
    return _native.algorithms(operation)


def operations() -> List[str]:
    """Returns the names of all operations that can be planned."""
    return _native.operations()
