"""Communicators: messages and groups. Collective operations are in ``collective.py``."""

from __future__ import annotations

import pickle
import threading
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple

from .. import _data, _native
from ..errors import CommError
from .collective import Collective
from .constants import ANY_SOURCE, ANY_TAG, CART, CONGRUENT, IDENT, PROC_NULL, SIMILAR, TAG_UB, UNDEFINED, UNEQUAL
from .datatypes import Buffer
from .grid import Grid
from .missing import missing
from .requests import Prequest, Received, Request, Status

_LARGE = 1 << 40


class Abort(CommError):
    """A rank called Abort."""


def _object(received: Received) -> Any:
    """The object of a message to ``recv``."""
    source, tag, element, data = received
    if source == PROC_NULL:
        return None
    if element != _data.PICKLE:
        raise CommError(
            f"the message from rank {source} with tag {tag} ({len(data)} bytes) is a buffer, and recv takes objects: send it by `send`, "
            "or receive it by `Recv`"
        )
    return pickle.loads(data)


def _filling(buffer: Buffer) -> Any:
    """What stores a message in the buffer of ``Recv``."""

    def fill(received: Received) -> None:
        source, tag, _, data = received
        if len(data) > buffer.nbytes:
            raise CommError(
                f"the message from rank {source} with tag {tag} is truncated: it has {len(data)} bytes, and the receive takes {buffer.nbytes}"
            )
        buffer.put(data)

    return fill


class Comm(Collective):
    """A communicator. It belongs to its node, except for the world, which is every node's."""

    def __init__(self, number: int, parent_name: str = ""):
        self._number = number
        self._rank, self._size, self._title = _native.describe(number)
        self._private: Optional[int] = None
        self._attributes: Dict[int, Any] = {}
        self._name = parent_name

    # Rank, size, name.

    def Get_rank(self) -> int:
        return self._rank

    def Get_size(self) -> int:
        return self._size

    @property
    def rank(self) -> int:
        return self.Get_rank()

    @property
    def size(self) -> int:
        return self.Get_size()

    def Get_name(self) -> str:
        return self._name or self._title

    def Set_name(self, name: str) -> None:
        self._name = name

    name = property(Get_name, Set_name)

    def Get_topology(self) -> int:
        return UNDEFINED

    def Is_inter(self) -> bool:
        return False

    def Is_intra(self) -> bool:
        return True

    is_inter = False
    is_intra = True

    # Messages of objects.

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        _native.send(self._number, dest, tag, _data.pickled(obj))

    rsend = send

    def recv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Optional[Status] = None) -> Any:
        received = _native.recv(self._number, source, tag)
        if status is not None:
            status._set(received[0], received[1], len(received[3]))
        return _object(received)

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Optional[Status] = None,
    ) -> Any:
        received = _native.sendrecv(self._number, dest, sendtag, _data.pickled(sendobj), source, recvtag)
        if status is not None:
            status._set(received[0], received[1], len(received[3]))
        return _object(received)

    def isend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        return Request(_native.isend(self._number, dest, tag, _data.pickled(obj)))

    def irecv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        return Request(_native.irecv(self._number, source, tag), _object)

    # Messages of buffers.

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        _native.send(self._number, dest, tag, (None, Buffer(buf).get()))

    Rsend = Send

    def Recv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Optional[Status] = None) -> None:
        fill = _filling(Buffer(buf))
        received = _native.recv(self._number, source, tag)
        if status is not None:
            status._set(received[0], received[1], len(received[3]))
        fill(received)

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Optional[Status] = None,
    ) -> None:
        fill = _filling(Buffer(recvbuf))
        received = _native.sendrecv(self._number, dest, sendtag, (None, Buffer(sendbuf).get()), source, recvtag)
        if status is not None:
            status._set(received[0], received[1], len(received[3]))
        fill(received)

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Optional[Status] = None,
    ) -> None:
        self.Sendrecv(buf, dest, sendtag, buf, source, recvtag, status)

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(_native.isend(self._number, dest, tag, (None, Buffer(buf).get())))

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        fill = _filling(Buffer(buf))
        return Request(_native.irecv(self._number, source, tag), fill)

    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        return Prequest(lambda: self.Isend(buf, dest, tag))

    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Prequest:
        return Prequest(lambda: self.Irecv(buf, source, tag))

    def Probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Optional[Status] = None) -> bool:
        return self._probe(source, tag, status, True)

    probe = Probe

    def Iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Optional[Status] = None) -> bool:
        return self._probe(source, tag, status, False)

    iprobe = Iprobe

    def _probe(self, source: int, tag: int, status: Optional[Status], blocking: bool) -> bool:
        found = _native.probe(self._number, source, tag, blocking)
        if found is None:
            return False
        if status is not None:
            status._set(*found)
        return True

    # Groups.

    def Dup(self, info: Any = None) -> Comm:
        return self._dup()

    def _dup(self) -> Comm:
        return Intracomm(_native.subgroup(self._number, list(range(self._size))))

    Clone = Dup

    def Split(self, color: int = 0, key: int = 0) -> Comm:
        """Divides the communicator: an all-gather of 16 bytes of each rank."""
        number = _native.split(self._number, None if color == UNDEFINED else color, key + _LARGE)
        return COMM_NULL if number is None else Intracomm(number)

    def Get_group(self) -> Group:
        return Group([_native.world_rank(self._number, rank) for rank in range(self._size)])

    group = property(Get_group)

    def Create(self, group: Group) -> Comm:
        """Makes the communicator of a group; all ranks of this communicator call it, and ranks outside of the group get COMM_NULL."""
        return self.Create_group(group)

    def Create_group(self, group: Group, tag: int = 0) -> Comm:
        ranks = {_native.world_rank(self._number, rank): rank for rank in range(self._size)}
        members = [ranks[node] for node in group.nodes]
        if self._rank not in members:
            return COMM_NULL
        return Intracomm(_native.subgroup(self._number, members))

    @classmethod
    def Compare(cls, comm1: Comm, comm2: Comm) -> int:
        if comm1 is comm2 or comm1._number == comm2._number:
            return IDENT
        one, other = comm1.Get_group().nodes, comm2.Get_group().nodes
        return CONGRUENT if one == other else SIMILAR if sorted(one) == sorted(other) else UNEQUAL

    def Create_cart(self, dims: Sequence[int], periods: Any = None, reorder: bool = False) -> Comm:
        """Makes a grid of the first ranks; ranks beyond its last point get COMM_NULL. Ranks are not reordered."""
        grid = Grid(dims, periods, self.Get_size())
        if self.Get_rank() >= grid.points:
            return COMM_NULL
        return Cartcomm(_native.subgroup(self._number, list(range(grid.points))), grid)

    def Free(self) -> None:
        pass

    Disconnect = Free

    def Abort(self, errorcode: int = 0) -> NoReturn:
        raise Abort(f"rank {self._rank} called Abort with error code {errorcode}")

    def Set_errhandler(self, errhandler: Any) -> None:
        pass

    def Get_attr(self, keyval: int) -> Any:
        return TAG_UB

    @classmethod
    def Get_parent(cls) -> Comm:
        """COMM_NULL: no rank is spawned."""
        return COMM_NULL

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        missing("Comm.", name)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Comm) and self is not COMM_NULL and other is not COMM_NULL and self._number == other._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.Get_name()}, rank {self.Get_rank()} of {self.Get_size()}>"


class Intracomm(Comm):
    """A communicator within one world."""


class Cartcomm(Intracomm):
    """A communicator whose ranks are the points of a grid."""

    def __init__(self, number: int, grid: Grid):
        super().__init__(number)
        self._grid = grid

    @property
    def dims(self) -> List[int]:
        return list(self._grid.dims)

    @property
    def periods(self) -> List[bool]:
        return list(self._grid.periods)

    @property
    def ndim(self) -> int:
        return len(self._grid.dims)

    dim = ndim

    def Get_dim(self) -> int:
        return self.ndim

    @property
    def coords(self) -> List[int]:
        return self.Get_coords(self._rank)

    @property
    def topo(self) -> Tuple[List[int], List[int], List[int]]:
        return self.Get_topo()

    def Get_topo(self) -> Tuple[List[int], List[int], List[int]]:
        return self.dims, [int(period) for period in self.periods], self.coords

    def Get_topology(self) -> int:
        return CART

    def Get_coords(self, rank: int) -> List[int]:
        return self._grid.coords(rank)

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        return self._grid.rank(coords)

    def Shift(self, direction: int, disp: int) -> Tuple[int, int]:
        """The source and the destination of a shift along a dimension; PROC_NULL beyond an edge."""
        return self._grid.neighbour(self._rank, direction, -disp), self._grid.neighbour(self._rank, direction, disp)

    def Sub(self, remain_dims: Sequence[bool]) -> Cartcomm:
        """The grid of the ranks that differ from this one in the kept dimensions only."""
        ranks, grid = self._grid.slice(self._rank, remain_dims)
        return Cartcomm(_native.subgroup(self._number, ranks), grid)

    def _dup(self) -> Comm:
        return Cartcomm(_native.subgroup(self._number, list(range(self._size))), self._grid)


class _Null(Comm):
    """COMM_NULL, which has no ranks."""

    def __init__(self) -> None:
        pass

    def Get_rank(self) -> int:
        raise CommError("COMM_NULL has no ranks: this rank is not a member of the communicator that was made")

    Get_size = Get_rank

    def __getattribute__(self, name: str) -> Any:
        if name in ("_number", "_rank", "_size"):
            raise CommError("COMM_NULL has no ranks: this rank is not a member of the communicator that was made")
        return super().__getattribute__(name)

    def __eq__(self, other: Any) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "<COMM_NULL>"


COMM_NULL = _Null()


class _OfThread(Intracomm):
    """The world, or the communicator of this rank alone: one object for all nodes, which finds the node that runs on its thread."""

    def __init__(self, is_world: bool):
        object.__setattr__(self, "_is_world", is_world)
        object.__setattr__(self, "_threads", threading.local())

    def _of_thread(self) -> Comm:
        known = self._threads.__dict__
        comm = known.get("comm")
        if comm is None:
            comm = known["comm"] = Intracomm(0, "MPI_COMM_WORLD") if self._is_world else _self()
        return comm

    def __getattr__(self, name: str) -> Any:
        if name in ("_number", "_rank", "_size", "_title", "_private", "_attributes", "_name"):
            return getattr(self._of_thread(), name)
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._of_thread(), name, value)

    def Get_rank(self) -> int:
        return self._of_thread()._rank

    def Get_size(self) -> int:
        return self._of_thread()._size

    def __repr__(self) -> str:
        return "<Intracomm COMM_WORLD>" if self._is_world else "<Intracomm COMM_SELF>"


def _self() -> Comm:
    return Intracomm(_native.subgroup(0, [_native.node_rank()]), "MPI_COMM_SELF")


COMM_WORLD = _OfThread(True)
COMM_SELF = _OfThread(False)


class Group:
    """A list of nodes, which are ranks of the world."""

    def __init__(self, nodes: Sequence[int]):
        self.nodes: List[int] = list(nodes)

    def Get_size(self) -> int:
        return len(self.nodes)

    def Get_rank(self) -> int:
        rank = _native.node_rank()
        return self.nodes.index(rank) if rank in self.nodes else UNDEFINED

    size = property(Get_size)
    rank = property(Get_rank)

    def Incl(self, ranks: Sequence[int]) -> Group:
        return Group([self.nodes[rank] for rank in ranks])

    def Excl(self, ranks: Sequence[int]) -> Group:
        left_out = set(ranks)
        return Group([node for rank, node in enumerate(self.nodes) if rank not in left_out])

    def Range_incl(self, ranks: Sequence[Tuple[int, int, int]]) -> Group:
        return self.Incl([rank for first, last, step in ranks for rank in range(first, last + (1 if step > 0 else -1), step)])

    @classmethod
    def Union(cls, group1: Group, group2: Group) -> Group:
        return Group(group1.nodes + [node for node in group2.nodes if node not in group1.nodes])

    @classmethod
    def Intersection(cls, group1: Group, group2: Group) -> Group:
        return Group([node for node in group1.nodes if node in group2.nodes])

    @classmethod
    def Difference(cls, group1: Group, group2: Group) -> Group:
        return Group([node for node in group1.nodes if node not in group2.nodes])

    def Translate_ranks(self, ranks: Sequence[int], group: Group) -> List[int]:
        return [group.nodes.index(self.nodes[rank]) if self.nodes[rank] in group.nodes else UNDEFINED for rank in ranks]

    def Free(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        missing("Group.", name)


GROUP_EMPTY = Group([])
