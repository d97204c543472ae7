"""Types of the names that ``multicomputer.MPI`` makes from tables."""

from typing import Any, List, Optional, Sequence, Tuple, Union

from ._mpi.comm import Cartcomm as Cartcomm, Comm as Comm, Group as Group, Intracomm as Intracomm
from ._mpi.constants import *
from ._mpi.datatypes import Datatype as Datatype
from ._mpi.ops import Op as Op
from ._mpi.requests import Prequest as Prequest, Request as Request, Status as Status
from .errors import CommError as Exception

COMM_WORLD: Intracomm
COMM_SELF: Intracomm
COMM_NULL: Comm
GROUP_EMPTY: Group
REQUEST_NULL: Request
STATUS_IGNORE: None
INFO_NULL: None
IN_PLACE: Any
BOTTOM: None
ERRORS_RETURN: str
ERRORS_ARE_FATAL: str
SUM: Op
PROD: Op
MAX: Op
MIN: Op
LAND: Op
LOR: Op
LXOR: Op
BAND: Op
BOR: Op
BXOR: Op
MAXLOC: Op
MINLOC: Op
BYTE: Datatype
CHAR: Datatype
SIGNED_CHAR: Datatype
UNSIGNED_CHAR: Datatype
SHORT: Datatype
UNSIGNED_SHORT: Datatype
INT: Datatype
INTEGER: Datatype
UNSIGNED: Datatype
LONG: Datatype
UNSIGNED_LONG: Datatype
LONG_LONG: Datatype
UNSIGNED_LONG_LONG: Datatype
INT8_T: Datatype
INT16_T: Datatype
INT32_T: Datatype
INT64_T: Datatype
UINT8_T: Datatype
UINT16_T: Datatype
UINT32_T: Datatype
UINT64_T: Datatype
FLOAT: Datatype
REAL: Datatype
DOUBLE: Datatype
DOUBLE_PRECISION: Datatype
COMPLEX: Datatype
DOUBLE_COMPLEX: Datatype
C_FLOAT_COMPLEX: Datatype
C_DOUBLE_COMPLEX: Datatype
BOOL: Datatype
C_BOOL: Datatype
FLOAT_INT: Datatype
DOUBLE_INT: Datatype
LONG_INT: Datatype
SHORT_INT: Datatype
TWOINT: Datatype
INT_INT: Datatype

def Wtime() -> float: ...
def Wtick() -> float: ...
def Init() -> None: ...
def Init_thread(required: int = ...) -> int: ...
def Query_thread() -> int: ...
def Is_thread_main() -> bool: ...
def Finalize() -> None: ...
def Is_initialized() -> bool: ...
def Is_finalized() -> bool: ...
def Get_processor_name() -> str: ...
def Get_version() -> Tuple[int, int]: ...
def Get_library_version() -> str: ...
def Compute_dims(nnodes: int, dims: Union[int, Sequence[int]]) -> List[int]: ...
def compute(seconds: float) -> None: ...
