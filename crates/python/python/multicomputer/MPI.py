"""The interface of mpi4py on the nodes of a modeled machine: ``from multicomputer import MPI`` in place of ``from mpi4py import MPI``.

A script runs on every node by ``python -m multicomputer run --machine paragon:4x4 script.py``, a function by ``Machine.run``. ``Wtime`` is
modeled time. What is missing raises an AttributeError that names it.
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._mpi import constants as _constants
from ._mpi.comm import COMM_NULL, COMM_SELF, COMM_WORLD, GROUP_EMPTY, Cartcomm, Comm, Group, Intracomm
from ._mpi.constants import *  # noqa: F401,F403
from ._mpi.datatypes import BOTTOM, DATATYPES as _DATATYPES, IN_PLACE, TYPEDICT as _typedict, Datatype
from ._mpi.grid import compute_dims as Compute_dims
from ._mpi.missing import missing as _missing
from ._mpi.ops import OPS as _OPS, Op
from ._mpi.requests import REQUEST_NULL, Prequest, Request, Status
from .errors import CommError as Exception  # noqa: A004

globals().update(_DATATYPES)
globals().update(_OPS)

__TypeDict__ = _typedict

STATUS_IGNORE, INFO_NULL = None, None
ERRORS_RETURN, ERRORS_ARE_FATAL = "ERRORS_RETURN", "ERRORS_ARE_FATAL"


def Wtime() -> float:
    """The node's clock: modeled seconds since the start of the run. Costs no modeled time."""
    return _native.now()


def Wtick() -> float:
    """The resolution of the clock, a picosecond."""
    return 1e-12


def Init() -> None:
    """Does nothing: a node is always initialized."""


def Init_thread(required: int = _constants.THREAD_MULTIPLE) -> int:
    return _constants.THREAD_SERIALIZED


def Query_thread() -> int:
    return _constants.THREAD_SERIALIZED


def Is_thread_main() -> bool:
    return True


def Finalize() -> None:
    """Does nothing: the run ends when all nodes have returned."""


def Is_initialized() -> bool:
    return _native.is_node()


def Is_finalized() -> bool:
    return False


def Get_processor_name() -> str:
    """The name of the node, such as ``node3``."""
    return f"node{_native.node_rank()}"


def Get_version() -> tuple[int, int]:
    return 3, 1


def Get_library_version() -> str:
    return "multicomputer"


def compute(seconds: float) -> None:
    """Keeps the node busy for some modeled time. This call is not of MPI: in virtual time the program's own computation costs nothing."""
    _native.compute(seconds)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    _missing("", name)
