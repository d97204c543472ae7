"""Exceptions of the package. Each mirrors an error of the library; its text says what was given, what is wrong and what to do."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

__all__ = [
    "AnalysisError", "CommError", "ConfigError", "DeadlinePassed", "DeadlockError", "Error", "FormatError", "LinkDied", "Livelock",
    "MismatchError", "NoNodeError", "NoSuchRank", "NodeDied", "NodeEnded", "NodeError", "NodesDied", "PictureError", "PlanError", "RunEnded", "RunError",
    "StudyError", "UnreceivedError", "WallLimitError",
]


class Error(Exception):
    """Base class of all exceptions of this package."""


class ConfigError(Error, ValueError):
    """A machine cannot be built."""


class PlanError(Error, ValueError):
    """An operation, its arguments or its algorithm do not fit together, or a schedule does not deliver."""


class StudyError(Error, ValueError):
    """A study cannot be read or computed: an axis, a value, an algorithm or the file is wrong, or no case has a time."""


class FormatError(Error, ValueError):
    """A text in GOAL or MSCCL's format is wrong, or a schedule cannot be written in the format."""


class AnalysisError(Error):
    """A run cannot be explained: it was not traced, or time was not modeled."""


class PictureError(Error):
    """A picture cannot be drawn: the run was not traced, or time was not modeled."""


class CommError(Error):
    """A call of a node program failed."""


class NoNodeError(CommError, RuntimeError):
    """A call of a node program outside of the node's thread."""


class NoSuchRank(CommError, ValueError):
    """A rank is not in the group."""


class DeadlinePassed(CommError, TimeoutError):
    """No matching message arrived before the deadline."""


class Livelock(CommError):
    """The program polls endlessly at one instant of virtual time."""


class NodeDied(CommError):
    """A node that the call needs, or this node, has died."""


class LinkDied(CommError):
    """A link on the route of a message has died."""


class RunEnded(CommError):
    """The run is over, because of a deadlock, a mismatch, another node's failure, or a limit."""


class NodeEnded(BaseException):
    """Ends the program of a node that goes on calling after the end of the run. No program needs to catch it."""


class RunError(Error):
    """A run ended without a result."""


class NodeError(RunError):
    """A node's program raised an exception, which is the ``__cause__``, with its traceback.

    Attributes:
        rank: The node.
        place: File and line of the innermost frame of the program, or ``None``.
    """

    rank: int
    place: Optional[str] = None


class NodesDied(RunError):
    """Nodes died, and all other programs returned.

    Attributes:
        nodes: Pairs of a rank and the modeled time of its death in seconds.
    """

    nodes: List[Tuple[int, float]]


class DeadlockError(RunError):
    """No node can proceed.

    Attributes:
        blocked: A dict for each blocked node: ``rank``, ``since`` (modeled seconds), ``waits_for`` (text), ``sources`` (ranks),
            ``within`` (name of the library call, or ``None``), ``place`` (file and line of the call in the Python program).
        returned: The nodes whose programs have returned.
        cycle: Nodes of which each waits for the next, and the last for the first; empty if there is no cycle.
    """

    blocked: List[Dict[str, Any]]
    returned: List[int]
    cycle: List[int]


class MismatchError(RunError):
    """The members of a group made different collective calls.

    Attributes:
        calls: Pairs of a call and the ranks that made it.
        places: Pairs of a rank and the file and line of its call.
    """

    calls: List[Tuple[str, List[int]]]
    places: List[Tuple[int, str]]


class WallLimitError(RunError, TimeoutError):
    """The run exceeded its limit of wall-clock time."""


class UnreceivedError(RunError):
    """Messages were never received, or send requests never waited for, on a machine with ``deny_unreceived=True``."""
