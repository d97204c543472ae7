"""Node programs: what a function that runs on every node of a machine calls.

All times are seconds of modeled time (of the wall clock if ``clock="host"``).
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Generic, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from . import _data, _native
from .errors import CommError

__all__ = ["ANY", "Group", "Message", "Node", "Request", "Status", "current_node", "wait_all", "wait_any"]

#: Any source, or any tag.
ANY = -1

T = TypeVar("T")
Algorithm = Union[str, "_native.Algorithm", None]


class Message(NamedTuple):
    """A received message."""

    source: int
    """The sender's rank in the group."""
    tag: int
    data: Any
    """The object, the bytes, or the flat NumPy array that was sent."""
    nbytes: int
    """The length in bytes."""


class Status(NamedTuple):
    """A message that can be received."""

    source: int
    tag: int
    nbytes: int


def _message(received: Tuple[int, int, Optional[str], bytes]) -> Message:
    source, tag, element, data = received
    return Message(source, tag, _data.unpack(element, data), len(data))


def _rank(rank: Optional[int]) -> int:
    return -2 if rank is None else rank


def _algorithm(algorithm: Algorithm) -> Optional[_native.Algorithm]:
    if algorithm is None or isinstance(algorithm, _native.Algorithm):
        return algorithm
    return _native.Algorithm(algorithm)


class Request(Generic[T]):
    """A send or a receive in progress. A request that is dropped without a wait is listed in the report of the run."""

    __slots__ = ("_number", "_convert")

    def __init__(self, number: int, convert: Callable[[Any], T]):
        self._number: Optional[int] = number
        self._convert = convert

    def _taken(self) -> int:
        if self._number is None:
            raise CommError("the request is complete: a wait or a test that returned its result has ended it")
        return self._number

    def wait(self) -> T:
        """Waits until the request is complete. Returns the received data; ``None`` for a send."""
        number = self._taken()
        self._number = None
        return self._convert(_native.wait(number))

    def test(self) -> Tuple[bool, Optional[T]]:
        """Returns whether the request is complete, and the received data. Costs no modeled time if it is not."""
        complete, received = _native.test(self._taken())
        if not complete:
            return False, None
        self._number = None
        return True, self._convert(received)

    def __del__(self) -> None:
        number = getattr(self, "_number", None)
        # At the end of the process the module may be gone.
        if number is not None and _native is not None:
            _native.forget(number)


def wait_all(requests: Sequence[Request[Any]]) -> List[Any]:
    """Waits for each request in turn; returns the received data in the same order."""
    return [request.wait() for request in requests]


def wait_any(requests: Sequence[Optional[Request[Any]]], deadline: Optional[float] = None) -> Optional[Tuple[int, Any]]:
    """Waits until one of the requests is complete: returns its index and its data. Requests that are ``None`` or complete are left out.

    Returns ``None`` if none is complete at ``deadline``, in modeled seconds since the start of the run.
    """
    open_ones = [(index, request) for index, request in enumerate(requests) if request is not None]
    open_ones = [(index, request) for index, request in open_ones if request._number is not None]
    numbers = [request._number for _, request in open_ones if request._number is not None]
    complete = _native.wait_any(numbers, float("inf") if deadline is None else deadline)
    if complete is None:
        return None
    nth, received = complete
    index, request = open_ones[nth]
    request._number = None
    return index, request._convert(received)


def _nothing(_: Any) -> None:
    return None


def _received_data(received: Any) -> Any:
    return _data.unpack(received[2], received[3])


class Group:
    """Nodes that exchange messages: the world, a row, a column, any list of ranks. It belongs to its node.

    Destinations and sources are ranks of the group; ``None`` is the null process. Arrays of NumPy and objects with a buffer are sent without
    pickling, all other objects are pickled. A received array is flat.
    """

    __slots__ = ("_number", "rank", "size", "name")

    def __init__(self, number: int):
        self._number = number
        #: This node's rank in the group.
        self.rank: int
        #: The number of ranks.
        self.size: int
        self.name: str
        self.rank, self.size, self.name = _native.describe(number)

    def world_rank(self, rank: int) -> int:
        """Returns the number of a member in the machine."""
        return _native.world_rank(self._number, rank)

    def send(self, to: Optional[int], data: Any, tag: int = 0) -> None:
        """Sends a message and returns when it has left."""
        _native.send(self._number, _rank(to), tag, _data.pack(data))

    def recv(self, source: Optional[int] = ANY, tag: int = ANY, *, deadline: Optional[float] = None) -> Any:
        """Receives a message and returns its data. Raises DeadlinePassed at ``deadline``, in modeled seconds since the start of the run."""
        received = self._recv(source, tag, deadline)
        return _data.unpack(received[2], received[3])

    def recv_message(self, source: Optional[int] = ANY, tag: int = ANY, *, deadline: Optional[float] = None) -> Message:
        """Receives a message with its source and its tag."""
        return _message(self._recv(source, tag, deadline))

    def recv_into(self, buffer: Any, source: Optional[int] = ANY, tag: int = ANY) -> Status:
        """Receives a message into the beginning of a writable buffer."""
        received = _native.recv(self._number, _rank(source), tag)
        _data.fill(buffer, received[3])
        return Status(received[0], received[1], len(received[3]))

    def _recv(self, source: Optional[int], tag: int, deadline: Optional[float]) -> Any:
        if deadline is None:
            return _native.recv(self._number, _rank(source), tag)
        return _native.recv_until(self._number, _rank(source), tag, deadline)

    def sendrecv(
        self, to: Optional[int], data: Any, source: Optional[int], *, tag: int = 0, source_tag: int = ANY
    ) -> Any:
        """Sends a message and receives another one at the same time; returns the received data."""
        received = _native.sendrecv(self._number, _rank(to), tag, _data.pack(data), _rank(source), source_tag)
        return _data.unpack(received[2], received[3])

    def isend(self, to: Optional[int], data: Any, tag: int = 0) -> Request[None]:
        """Starts a send. The wait for it returns when the message has left."""
        return Request(_native.isend(self._number, _rank(to), tag, _data.pack(data)), _nothing)

    def irecv(self, source: Optional[int] = ANY, tag: int = ANY) -> Request[Any]:
        """Posts a receive. The wait for it returns the data."""
        return Request(_native.irecv(self._number, _rank(source), tag), _received_data)

    def probe(self, source: Optional[int] = ANY, tag: int = ANY) -> Status:
        """Waits until a message can be received."""
        source, tag, nbytes = _native.probe(self._number, _rank(source), tag, True) or (-2, ANY, 0)
        return Status(source, tag, nbytes)

    def try_probe(self, source: Optional[int] = ANY, tag: int = ANY) -> Optional[Status]:
        """Returns the status of a message that can be received now, or ``None``."""
        found = _native.probe(self._number, _rank(source), tag, False)
        return None if found is None else Status(*found)

    def barrier(self) -> None:
        """Waits until all members have called this."""
        _native.barrier(self._number)

    # Collective operations.

    def broadcast(self, data: Any, root: int = 0, *, algorithm: Algorithm = None) -> Any:
        """Returns the root's data on every member. The length is broadcast first, because only the root knows it."""
        element, packed = _data.pack(data) if self.rank == root else (None, b"")
        chosen = _algorithm(algorithm)
        # One byte for the element type, eight for the length.
        head = self._move("broadcast", root, [9], _header(element, len(packed)) if self.rank == root else b"", chosen)
        element, length = _of_header(head)
        packed = self._move("broadcast", root, [length], packed, chosen)
        return data if self.rank == root else _data.unpack(element, packed)

    def gather(self, data: Any, root: int = 0, *, algorithm: Algorithm = None) -> Optional[List[Any]]:
        """Returns the data of all members at the root, ``None`` elsewhere. Lengths are exchanged first, by an all-gather."""
        parts = self._gather("gather", root, data, algorithm)
        return parts if self.rank == root else None

    def all_gather(self, data: Any, *, algorithm: Algorithm = None) -> List[Any]:
        """Returns the data of all members. Lengths are exchanged first."""
        return self._gather("all-gather", 0, data, algorithm)

    def scatter(self, data: Optional[Sequence[Any]], root: int = 0, *, algorithm: Algorithm = None) -> Any:
        """Returns this member's element of the root's list. Lengths are broadcast first."""
        heads, packed = b"", b""
        if self.rank == root:
            if data is None or len(data) != self.size:
                raise ValueError(f"{0 if data is None else len(data)} elements for a scatter among {self.size} ranks: give one for each")
            parts = [_data.pack(part) for part in data]
            heads = b"".join(_header(element, len(part)) for element, part in parts)
            packed = b"".join(part for _, part in parts)
        chosen = _algorithm(algorithm)
        heads = self._move("broadcast", root, [9 * self.size], heads, chosen)
        kinds = [_of_header(heads[9 * rank : 9 * rank + 9]) for rank in range(self.size)]
        mine = self._move("scatter", root, [length for _, length in kinds], packed, chosen)
        return _data.unpack(kinds[self.rank][0], mine)

    def all_to_all(self, data: Sequence[Any], *, algorithm: Optional[str] = None) -> List[Any]:
        """Sends one element of the list to each member, and returns the elements of all members. Element types are sent with the data."""
        if len(data) != self.size:
            raise ValueError(f"{len(data)} elements for an all-to-all among {self.size} ranks: give one for each")
        parts = [_data.pack(part) for part in data]
        packed = [_header(element, len(part))[:1] + part for element, part in parts]
        incoming = _native.exchange(self._number, packed, False, algorithm)
        return [_data.unpack(_KINDS[part[0]], part[1:]) for part in incoming]

    def reduce(self, data: Any, op: str = "sum", root: int = 0, *, algorithm: Algorithm = None) -> Any:
        """Combines the arrays (or numbers) of all members; returns the result at the root, ``None`` elsewhere."""
        result = self._combine("reduce", root, data, op, algorithm)
        return result if self.rank == root else None

    def all_reduce(self, data: Any, op: str = "sum", *, algorithm: Algorithm = None) -> Any:
        """Combines the arrays (or numbers) of all members, and returns the result on every member."""
        return self._combine("all-reduce", 0, data, op, algorithm)

    def reduce_scatter(self, data: Any, op: str = "sum", *, algorithm: Algorithm = None) -> Any:
        """Combines the arrays of all members, and returns this member's block of the result. Blocks differ by at most one element."""
        import numpy

        array = numpy.asarray(data).reshape(-1)
        starts = [rank * array.size // self.size for rank in range(self.size + 1)]
        lengths = [end - start for start, end in zip(starts, starts[1:])]
        return self._combine("reduce-scatter", 0, array, op, algorithm, lengths)

    def scan(self, data: Any, op: str = "sum", *, algorithm: Algorithm = None) -> Any:
        """Combines the arrays (or numbers) of the ranks up to and including this one."""
        return self._combine("scan", 0, data, op, algorithm)

    def _move(self, operation: str, root: int, lengths: List[int], data: bytes, algorithm: Optional[_native.Algorithm]) -> bytes:
        return _native.carry_out(self._number, operation, root, lengths, data, algorithm)

    def _gather(self, operation: str, root: int, data: Any, algorithm: Algorithm) -> List[Any]:
        element, packed = _data.pack(data)
        heads = self._move("all-gather", 0, [9] * self.size, _header(element, len(packed)), None)
        kinds = [_of_header(heads[9 * rank : 9 * rank + 9]) for rank in range(self.size)]
        whole = self._move(operation, root, [length for _, length in kinds], packed, _algorithm(algorithm))
        if operation == "gather" and self.rank != root:
            return []
        parts, start = [], 0
        for kind, length in kinds:
            parts.append(_data.unpack(kind, whole[start : start + length]))
            start += length
        return parts

    def _combine(
        self, operation: str, root: int, data: Any, op: str, algorithm: Algorithm, lengths: Optional[List[int]] = None
    ) -> Any:
        import numpy

        array = numpy.asarray(data)
        result = _native.combine(
            self._number, operation, root, lengths or [array.size], array.dtype.name, op, array.tobytes(), _algorithm(algorithm)
        )
        combined = numpy.frombuffer(bytearray(result), array.dtype)
        if lengths is not None or not result:
            return combined
        combined = combined.reshape(array.shape)
        return combined if isinstance(data, numpy.ndarray) else combined[()].item()

    # Other groups.

    def subgroup(self, ranks: Sequence[int]) -> Group:
        """Makes the group of these ranks, in this order. All of them, and no others, make it with the same list."""
        return Group(_native.subgroup(self._number, list(ranks)))

    def split(self, color: Optional[int], key: int = 0) -> Optional[Group]:
        """Divides the group: members with one color form a group, in the order of their keys. ``None`` is no color, and gives ``None``."""
        number = _native.split(self._number, color, key)
        return None if number is None else Group(number)

    def __repr__(self) -> str:
        return f"Group(rank {self.rank} of {self.size} in {self.name})"


_KINDS: List[Optional[str]] = [None, _data.PICKLE, *sorted(_data.ELEMENTS)]
_CODES = {kind: code for code, kind in enumerate(_KINDS)}


def _header(element: Optional[str], length: int) -> bytes:
    return bytes([_CODES[element]]) + length.to_bytes(8, "little")


def _of_header(head: bytes) -> Tuple[Optional[str], int]:
    return _KINDS[head[0]], int.from_bytes(head[1:9], "little")


class Node:
    """The node that a program runs on. It belongs to its thread."""

    __slots__ = ("rank", "size", "world")

    def __init__(self) -> None:
        #: The group of all nodes.
        self.world = Group(0)
        #: The number of this node, from 0.
        self.rank = self.world.rank
        #: The number of nodes.
        self.size = self.world.size

    def row(self) -> Group:
        """Makes the group of the nodes in this node's row, numbered by column."""
        return Group(_native.line(True))

    def column(self) -> Group:
        """Makes the group of the nodes in this node's column, numbered by row."""
        return Group(_native.line(False))

    def now(self) -> float:
        """Returns the node's clock in seconds since the start of the run. Costs no modeled time."""
        return _native.now()

    def now_ps(self) -> int:
        """Returns the node's clock in picoseconds, exactly."""
        return _native.now_ps()

    def compute(self, seconds: float) -> None:
        """Keeps the node busy for some modeled time, in seconds. In virtual time the program's own computation costs nothing."""
        _native.compute(seconds)

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Names a phase, whose times the report has."""
        _native.begin_phase(name)
        try:
            yield
        finally:
            _native.end_phase()

    def __repr__(self) -> str:
        return f"Node({self.rank} of {self.size})"


def current_node() -> Node:
    """Returns the node that runs on this thread; raises NoNodeError outside of a run."""
    return Node()
