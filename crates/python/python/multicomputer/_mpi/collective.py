"""Collective operations of communicators: of buffers by the library's algorithms, of pickled objects with their lengths sent first.

Operators that the library does not have combine along trees, in rank order, by messages of their own context.
"""

from __future__ import annotations

import pickle
from typing import Any, Callable, List, Optional, Sequence

from .. import _data, _native
from .datatypes import IN_PLACE, Buffer
from .ops import OPS, Op, native_name

_SUM = OPS["SUM"]


def _length(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little")


def _lengths(data: bytes) -> List[int]:
    return [int.from_bytes(data[start : start + 8], "little") for start in range(0, len(data), 8)]


def _operator(op: Any) -> Op:
    if isinstance(op, Op):
        return op
    made = Op("function", None, op)
    made._is_commutative = False
    return made


class Collective:
    """What communicators do together."""

    _number: int
    _rank: int
    _size: int
    _private: Optional[int]

    def _move(self, operation: str, root: int, lengths: List[int], data: bytes) -> bytes:
        return _native.carry_out(self._number, operation, root, lengths, data, None)

    def _own_context(self) -> int:
        """The context of messages inside operations. All members make it in the same operation."""
        if self._private is None:
            self._private = _native.subgroup(self._number, list(range(self._size)))
        return self._private

    # Objects.

    def barrier(self) -> None:
        _native.barrier(self._number)

    Barrier = barrier

    def bcast(self, obj: Any, root: int = 0) -> Any:
        data = pickle.dumps(obj, pickle.HIGHEST_PROTOCOL) if self._rank == root else b""
        (length,) = _lengths(self._move("broadcast", root, [8], _length(data) if self._rank == root else b""))
        data = self._move("broadcast", root, [length], data)
        return obj if self._rank == root else pickle.loads(data)

    def gather(self, sendobj: Any, root: int = 0) -> Optional[List[Any]]:
        return self._gather("gather", root, sendobj)

    def allgather(self, sendobj: Any) -> List[Any]:
        return self._gather("all-gather", 0, sendobj) or []

    def _gather(self, operation: str, root: int, obj: Any) -> Optional[List[Any]]:
        data = pickle.dumps(obj, pickle.HIGHEST_PROTOCOL)
        lengths = _lengths(self._move("all-gather", 0, [8] * self._size, _length(data)))
        whole = self._move(operation, root, lengths, data)
        if operation == "gather" and self._rank != root:
            return None
        objects, start = [], 0
        for length in lengths:
            objects.append(pickle.loads(whole[start : start + length]))
            start += length
        return objects

    def scatter(self, sendobj: Optional[Sequence[Any]] = None, root: int = 0) -> Any:
        heads, whole = b"", b""
        if self._rank == root:
            objects = [] if sendobj is None else list(sendobj)
            if len(objects) != self._size:
                raise ValueError(f"{len(objects)} objects for a scatter among {self._size} ranks: give one for each")
            parts = [pickle.dumps(obj, pickle.HIGHEST_PROTOCOL) for obj in objects]
            heads, whole = b"".join(map(_length, parts)), b"".join(parts)
        heads = self._move("broadcast", root, [8 * self._size], heads)
        return pickle.loads(self._move("scatter", root, _lengths(heads), whole))

    def alltoall(self, sendobj: Sequence[Any]) -> List[Any]:
        objects = list(sendobj)
        if len(objects) != self._size:
            raise ValueError(f"{len(objects)} objects for an alltoall among {self._size} ranks: give one for each")
        parts = [pickle.dumps(obj, pickle.HIGHEST_PROTOCOL) for obj in objects]
        return [pickle.loads(part) for part in _native.exchange(self._number, parts, False, None)]

    def reduce(self, sendobj: Any, op: Any = _SUM, root: int = 0) -> Any:
        return self._tree(sendobj, _operator(op), root)

    def allreduce(self, sendobj: Any, op: Any = _SUM) -> Any:
        return self.bcast(self._tree(sendobj, _operator(op), 0), 0)

    def scan(self, sendobj: Any, op: Any = _SUM) -> Any:
        return self._prefix(sendobj, _operator(op))[0]

    def exscan(self, sendobj: Any, op: Any = _SUM) -> Any:
        return self._prefix(sendobj, _operator(op))[1]

    def _tree(self, mine: Any, op: Callable[[Any, Any], Any], root: int) -> Any:
        """Combines objects at the root along a binomial tree, in rank order; None elsewhere."""
        context, rank, distance = self._own_context(), self._rank, 1
        while distance < self._size:
            if rank % (2 * distance):
                _native.send(context, rank - distance, 0, _data.pickled(mine))
                break
            if rank + distance < self._size:
                mine = op(mine, pickle.loads(_native.recv(context, rank + distance, 0)[3]))
            distance *= 2
        if root != 0 and rank == 0:
            _native.send(context, root, 1, _data.pickled(mine))
        if root != 0 and rank == root:
            return pickle.loads(_native.recv(context, 0, 1)[3])
        return mine if rank == root else None

    def _prefix(self, mine: Any, op: Callable[[Any, Any], Any]) -> Any:
        """The combined objects of the ranks up to this one, and of those before it, by recursive doubling."""
        context, rank, distance = self._own_context(), self._rank, 1
        whole, before = mine, None
        while distance < self._size:
            to = rank + distance if rank + distance < self._size else -2
            source = rank - distance if rank >= distance else -2
            received = _native.sendrecv(context, to, 2, _data.pickled(whole), source, 2)
            if source != -2:
                earlier = pickle.loads(received[3])
                before = earlier if before is None else op(earlier, before)
                whole = op(earlier, whole)
            distance *= 2
        return whole, before

    # Buffers.

    def Bcast(self, buf: Any, root: int = 0) -> None:
        buffer = Buffer(buf)
        data = self._move("broadcast", root, [buffer.nbytes], buffer.get() if self._rank == root else b"")
        if self._rank != root:
            buffer.put(data)

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        is_root = self._rank == root
        into = Buffer(recvbuf, self._size) if is_root else None
        mine = self._mine(sendbuf, into)
        whole = self._move("gather", root, [len(mine)] * self._size, mine)
        if into is not None:
            into.put(whole)

    def Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        into = Buffer(recvbuf, self._size) if self._rank == root else None
        mine = self._mine(sendbuf, into)
        lengths = _lengths(self._move("all-gather", 0, [8] * self._size, _length(mine)))
        whole = self._move("gather", root, lengths, mine)
        if into is not None:
            _put_blocks(into, lengths, whole)

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        into = Buffer(recvbuf, self._size)
        mine = self._mine(sendbuf, into)
        into.put(self._move("all-gather", 0, [len(mine)] * self._size, mine))

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        into = Buffer(recvbuf, self._size)
        mine = self._mine(sendbuf, into)
        lengths = [count * into.datatype.size for count in into.counts]
        into.put_blocks(self._move("all-gather", 0, lengths, mine))

    def _mine(self, sendbuf: Any, into: Optional[Buffer]) -> bytes:
        """This rank's block: of its send buffer, or in place."""
        if sendbuf is IN_PLACE:
            if into is None:
                raise ValueError("IN_PLACE is for the root as a send buffer")
            return into.block(self._rank)
        return Buffer(sendbuf).get()

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        whole, length = b"", 0
        if self._rank == root:
            buffer = Buffer(sendbuf, self._size)
            if len(set(buffer.counts)) > 1:
                raise ValueError(f"{buffer.count} elements cannot be scattered evenly among {self._size} ranks: use Scatterv")
            whole, length = buffer.get(), buffer.nbytes // self._size
        into = None if recvbuf is IN_PLACE or recvbuf is None else Buffer(recvbuf)
        if self._rank != root and into is not None:
            length = into.nbytes
        mine = self._move("scatter", root, [length] * self._size, whole)
        if into is not None:
            into.put(mine)

    def Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        heads, whole = b"", b""
        if self._rank == root:
            buffer = Buffer(sendbuf, self._size)
            parts = [buffer.block(rank) for rank in range(self._size)]
            heads, whole = b"".join(map(_length, parts)), b"".join(parts)
        lengths = _lengths(self._move("broadcast", root, [8 * self._size], heads))
        mine = self._move("scatter", root, lengths, whole)
        if recvbuf is not IN_PLACE and recvbuf is not None:
            Buffer(recvbuf).put(mine)

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        into = Buffer(recvbuf, self._size)
        given = into if sendbuf is IN_PLACE else Buffer(sendbuf, self._size)
        parts = [given.block(rank) for rank in range(self._size)]
        into.put(b"".join(_native.exchange(self._number, parts, True, None)))

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        into = Buffer(recvbuf, self._size)
        given = into if sendbuf is IN_PLACE else Buffer(sendbuf, self._size)
        parts = _native.exchange(self._number, [given.block(rank) for rank in range(self._size)], False, None)
        for rank, part in enumerate(parts):
            into.put(part, into.displs[rank])

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: Op = _SUM, root: int = 0) -> None:
        is_root = self._rank == root
        given = Buffer(recvbuf if sendbuf is IN_PLACE else sendbuf)
        result = self._combine("reduce", root, given, op)
        if is_root:
            Buffer(recvbuf).put(result)

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = _SUM) -> None:
        given = Buffer(recvbuf if sendbuf is IN_PLACE else sendbuf)
        Buffer(recvbuf).put(self._combine("all-reduce", 0, given, op))

    def Scan(self, sendbuf: Any, recvbuf: Any, op: Op = _SUM) -> None:
        given = Buffer(recvbuf if sendbuf is IN_PLACE else sendbuf)
        Buffer(recvbuf).put(self._combine("scan", 0, given, op))

    def Exscan(self, sendbuf: Any, recvbuf: Any, op: Op = _SUM) -> None:
        given = Buffer(recvbuf if sendbuf is IN_PLACE else sendbuf)
        whole = self._combine("scan", 0, given, op)
        to = self._rank + 1 if self._rank + 1 < self._size else -2
        source = self._rank - 1 if self._rank > 0 else -2
        received = _native.sendrecv(self._own_context(), to, 3, (None, whole), source, 3)
        if source != -2:
            Buffer(recvbuf).put(received[3])

    def Reduce_scatter(self, sendbuf: Any, recvbuf: Any, recvcounts: Optional[Sequence[int]] = None, op: Op = _SUM) -> None:
        given = Buffer(recvbuf if sendbuf is IN_PLACE else sendbuf)
        if recvcounts is None:
            own = Buffer(recvbuf).count.to_bytes(8, "little")
            recvcounts = _lengths(self._move("all-gather", 0, [8] * self._size, own))
        counts = [int(count) for count in recvcounts]
        native = native_name(op, given.element)
        if native is not None:
            mine = _native.combine(self._number, "reduce-scatter", 0, counts, given.element, native, given.get(), None)
        else:
            whole, start = self._combine("all-reduce", 0, given, op), sum(counts[: self._rank]) * given.datatype.size
            mine = whole[start : start + counts[self._rank] * given.datatype.size]
        Buffer(recvbuf).put(mine)

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = _SUM) -> None:
        self.Reduce_scatter(sendbuf, recvbuf, [Buffer(recvbuf).count] * self._size, op)

    def _combine(self, operation: str, root: int, given: Buffer, op: Op) -> bytes:
        native = native_name(op, given.element)
        if native is not None:
            return _native.combine(self._number, operation, root, [given.count], given.element, native, given.get(), None)

        def combine(left: bytes, right: bytes) -> bytes:
            return op.of_bytes(left, right, given.datatype)

        if operation == "scan":
            return self._prefix(given.get(), combine)[0]
        result = self._tree(given.get(), combine, root)
        if operation == "all-reduce":
            return self._move("broadcast", 0, [given.nbytes], result or b"")
        return result or b""


def _put_blocks(into: Buffer, lengths: List[int], whole: bytes) -> None:
    """Stores blocks of the lengths that were sent at the displacements of a buffer."""
    start = 0
    for rank, length in enumerate(lengths):
        into.put(whole[start : start + length], into.displs[rank])
        start += length
