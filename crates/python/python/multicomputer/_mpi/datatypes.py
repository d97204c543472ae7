"""Datatypes, and the buffers of calls: ``buf``, ``[buf, datatype]``, ``[buf, count, datatype]``, ``[buf, (counts, displs), datatype]``."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from .. import _data
from .missing import missing


class Datatype:
    """A predefined datatype."""

    def __init__(self, name: str, element: str, size: int):
        self.name = "MPI_" + name
        #: The name of NumPy's type.
        self.element = element
        self.size = size
        self.extent = size

    def Get_size(self) -> int:
        return self.size

    def Get_extent(self) -> Tuple[int, int]:
        return 0, self.size

    def Get_name(self) -> str:
        return self.name

    def Commit(self) -> Datatype:
        return self

    def Free(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        missing("Datatype.", name)

    def __repr__(self) -> str:
        return f"<Datatype {self.name}>"


_TYPES = {
    "int8": (1, "CHAR SIGNED_CHAR INT8_T"),
    "uint8": (1, "BYTE UNSIGNED_CHAR UINT8_T"),
    "int16": (2, "SHORT INT16_T"),
    "uint16": (2, "UNSIGNED_SHORT UINT16_T"),
    "int32": (4, "INT INT32_T INTEGER INTEGER4"),
    "uint32": (4, "UNSIGNED UNSIGNED_INT UINT32_T"),
    "int64": (8, "LONG LONG_LONG INT64_T INTEGER8 AINT COUNT OFFSET"),
    "uint64": (8, "UNSIGNED_LONG UNSIGNED_LONG_LONG UINT64_T"),
    "float32": (4, "FLOAT REAL REAL4"),
    "float64": (8, "DOUBLE DOUBLE_PRECISION REAL8"),
    "complex64": (8, "COMPLEX C_FLOAT_COMPLEX COMPLEX8 CXX_FLOAT_COMPLEX"),
    "complex128": (16, "DOUBLE_COMPLEX C_DOUBLE_COMPLEX COMPLEX16 CXX_DOUBLE_COMPLEX"),
    "bool": (1, "BOOL C_BOOL CXX_BOOL LOGICAL1"),
    "f4,i4": (8, "FLOAT_INT"),
    "f8,i4": (16, "DOUBLE_INT"),
    "i8,i4": (16, "LONG_INT"),
    "i2,i4": (8, "SHORT_INT"),
    "i4,i4": (8, "TWOINT INT_INT"),
}

#: All predefined datatypes by name.
DATATYPES = {name: Datatype(name, element, size) for element, (size, names) in _TYPES.items() for name in names.split()}

_BY_ELEMENT = {element: DATATYPES[names.split()[0]] for element, (_, names) in _TYPES.items()}

_FORMATS = {
    "b": "int8", "B": "uint8", "c": "int8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32", "l": "int64", "L": "uint64", "q": "int64",
    "Q": "uint64", "f": "float32", "d": "float64", "?": "bool", "Zf": "complex64", "Zd": "complex128",
}

#: mpi4py's dict of datatypes by type character.
TYPEDICT = {character: _BY_ELEMENT[element] for character, element in _FORMATS.items()}
TYPEDICT.update({"F": _BY_ELEMENT["complex64"], "D": _BY_ELEMENT["complex128"], "S": DATATYPES["CHAR"]})


class _InPlace:
    def __repr__(self) -> str:
        return "IN_PLACE"


IN_PLACE = _InPlace()
BOTTOM = None


def _type_of(buffer: Any) -> Optional[Datatype]:
    """The datatype of a buffer's own elements."""
    if _data.is_array(buffer):
        if buffer.dtype.name in _BY_ELEMENT:
            return _BY_ELEMENT[buffer.dtype.name]
        if buffer.dtype.names is not None and len(buffer.dtype.names) == 2:
            kinds = ",".join(buffer.dtype[n].str[1:] for n in range(2))
            return _BY_ELEMENT.get(kinds)
        return None
    element = _FORMATS.get(memoryview(buffer).format.lstrip("@=<"))
    return None if element is None else _BY_ELEMENT[element]


class Buffer:
    """A buffer that a call was given, with its elements, and for vector calls counts and displacements in elements."""

    __slots__ = ("source", "datatype", "count", "counts", "displs", "_view")

    def __init__(self, given: Any, blocks: Optional[int] = None):
        counts: Any = None
        displs: Any = None
        datatype: Any = None
        if isinstance(given, (list, tuple)):
            buffer, *parts = given
            for part in parts:
                if isinstance(part, (Datatype, str)):
                    datatype = DATATYPES[_name(part)] if isinstance(part, str) and len(part) > 1 else part
                elif part is None:
                    continue
                elif counts is None:
                    counts = part
                else:
                    displs = part
            if isinstance(datatype, str):
                datatype = TYPEDICT[datatype]
            if isinstance(counts, tuple) and len(counts) == 2 and not _is_number(counts[0]):
                counts, displs = counts
        else:
            buffer = given
        if datatype is None and buffer is not None:
            datatype = _type_of(buffer)
            if datatype is None:
                raise ValueError(f"no MPI datatype for the elements of {type(buffer).__name__}: give one, as in [buffer, MPI.DOUBLE]")
        self.source = buffer
        self.datatype: Datatype = datatype or DATATYPES["BYTE"]
        self._view: Optional[memoryview] = None
        room = len(self.view) // self.datatype.size if buffer is not None else 0
        if counts is None or _is_number(counts):
            self.count = room if counts is None else int(counts)
            if blocks is not None:
                # A count is that of each block.
                each, rest = divmod(self.count, blocks) if counts is None else (self.count, 0)
                counts = [each + (rank < rest) for rank in range(blocks)]
        if blocks is not None:
            self.counts: List[int] = [int(count) for count in counts]
            self.displs: List[int] = _starts(self.counts) if displs is None else [int(start) for start in displs]
            if len(self.counts) != blocks:
                raise ValueError(f"{len(self.counts)} counts are given for {blocks} ranks: give one for each")
            self.count = sum(self.counts)
            last = max((start + count for start, count in zip(self.displs, self.counts) if count), default=0)
        else:
            last = self.count
        if last > room:
            raise ValueError(f"the buffer has {room} elements of {self.datatype.name}, but the call takes {last}")

    @property
    def view(self) -> memoryview:
        """The bytes of the buffer."""
        if self._view is None:
            self._view = memoryview(b"") if self.source is None else _data.view(self.source)
        return self._view

    @property
    def element(self) -> str:
        return self.datatype.element

    @property
    def nbytes(self) -> int:
        return self.count * self.datatype.size

    def get(self, start: int = 0, count: Optional[int] = None) -> bytes:
        """The bytes of some elements."""
        size = self.datatype.size
        end = start + (self.count if count is None else count)
        return bytes(self.view[start * size : end * size])

    def put(self, data: Any, start: int = 0) -> None:
        """Stores bytes from an element on."""
        begin = start * self.datatype.size
        if self.view.readonly:
            raise ValueError("the receive buffer is read-only")
        if begin + len(data) > len(self.view):
            raise ValueError(f"{len(data)} bytes do not fit the receive buffer of {len(self.view)} bytes")
        self.view[begin : begin + len(data)] = data

    def block(self, rank: int) -> bytes:
        """The bytes of a rank's block, in a vector call."""
        return self.get(self.displs[rank], self.counts[rank])

    def put_blocks(self, data: bytes) -> None:
        """Stores the blocks of all ranks, which are adjacent in the data."""
        start, size = 0, self.datatype.size
        for rank, count in enumerate(self.counts):
            self.put(data[start : start + count * size], self.displs[rank])
            start += count * size


def _name(name: str) -> str:
    return name[4:] if name.startswith("MPI_") else name


def _is_number(value: Any) -> bool:
    return hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0


def _starts(counts: Sequence[int]) -> List[int]:
    starts, start = [], 0
    for count in counts:
        starts.append(start)
        start += count
    return starts
