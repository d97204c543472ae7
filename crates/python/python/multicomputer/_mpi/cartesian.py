"""Communicators whose ranks are the points of a grid."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple, Union

from .. import _native
from .comm import COMM_NULL, Comm, Intracomm
from .constants import CART, PROC_NULL


class Cartcomm(Intracomm):
    """A grid of ranks in row-major order. Each dimension is a line or a ring."""

    def __init__(self, number: int, dims: Sequence[int], periods: Sequence[bool]):
        super().__init__(number)
        self.dims: List[int] = list(dims)
        self.periods: List[bool] = list(periods)

    @property
    def ndim(self) -> int:
        return len(self.dims)

    dim = ndim

    def Get_dim(self) -> int:
        return len(self.dims)

    @property
    def coords(self) -> List[int]:
        return self.Get_coords(self._rank)

    @property
    def topo(self) -> Tuple[List[int], List[int], List[int]]:
        return self.Get_topo()

    def Get_topo(self) -> Tuple[List[int], List[int], List[int]]:
        return list(self.dims), [int(period) for period in self.periods], self.coords

    def Get_topology(self) -> int:
        return CART

    def Get_coords(self, rank: int) -> List[int]:
        if not 0 <= rank < self._size:
            raise ValueError(f"rank {rank} is not in the grid: its ranks are 0 to {self._size - 1}")
        coords = []
        for extent in reversed(self.dims):
            coords.append(rank % extent)
            rank //= extent
        return coords[::-1]

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        rank = 0
        for coordinate, extent, period in zip(coords, self.dims, self.periods):
            if not period and not 0 <= coordinate < extent:
                raise ValueError(f"coordinates {list(coords)} are beyond the edge of a grid of {self.dims}")
            rank = rank * extent + coordinate % extent
        return rank

    def Shift(self, direction: int, disp: int) -> Tuple[int, int]:
        """The source and the destination of a shift along a dimension; PROC_NULL beyond an edge."""

        def at(displacement: int) -> int:
            coords = self.coords
            coords[direction] += displacement
            if not self.periods[direction] and not 0 <= coords[direction] < self.dims[direction]:
                return PROC_NULL
            return self.Get_cart_rank(coords)

        return at(-disp), at(disp)

    def Sub(self, remain_dims: Sequence[bool]) -> Cartcomm:
        """The grid of the ranks that differ from this one in the kept dimensions only."""
        here = self.coords
        ranks = []
        for rank in range(self._size):
            coords = self.Get_coords(rank)
            if all(keep or coords[nth] == here[nth] for nth, keep in enumerate(remain_dims)):
                ranks.append(rank)
        kept = [nth for nth, keep in enumerate(remain_dims) if keep]
        number = _native.subgroup(self._number, ranks)
        return Cartcomm(number, [self.dims[nth] for nth in kept], [self.periods[nth] for nth in kept])

    def _dup(self) -> Comm:
        return Cartcomm(_native.subgroup(self._number, list(range(self._size))), self.dims, self.periods)


def create(comm: Comm, dims: Sequence[int], periods: Any = None) -> Comm:
    dims = [int(extent) for extent in dims]
    if periods is None or isinstance(periods, bool):
        periods = [bool(periods)] * len(dims)
    points = 1
    for extent in dims:
        points *= extent
    if points > comm.Get_size() or points < 1 or len(periods) != len(dims):
        raise ValueError(f"a grid of {dims} with periods {list(periods)} does not fit {comm.Get_size()} ranks")
    if comm.Get_rank() >= points:
        return COMM_NULL
    return Cartcomm(_native.subgroup(comm._number, list(range(points))), dims, [bool(period) for period in periods])


def compute_dims(nnodes: int, dims: Union[int, Sequence[int]]) -> List[int]:
    """Extents of a grid of all ranks, as close to a cube as possible; extents other than 0 are kept."""
    given = [0] * dims if isinstance(dims, int) else [int(extent) for extent in dims]
    rest = nnodes
    for extent in given:
        if extent:
            if rest % extent:
                raise ValueError(f"{nnodes} ranks are not a multiple of the given extents {given}")
            rest //= extent
    free = _balanced(rest, given.count(0))
    return [extent or free.pop(0) for extent in given]


def _balanced(ranks: int, dimensions: int) -> List[int]:
    """Extents in non-increasing order, with the smallest possible first one, then the smallest second one, and so on."""
    if dimensions <= 1:
        return [ranks] * dimensions
    for first in range(1, ranks + 1):
        if ranks % first == 0 and first**dimensions >= ranks:
            rest = _balanced(ranks // first, dimensions - 1)
            if rest[0] <= first:
                return [first, *rest]
    return [ranks] + [1] * (dimensions - 1)
