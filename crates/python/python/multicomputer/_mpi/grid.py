"""Grids of ranks: coordinates and neighbours, without communication."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple, Union

from .constants import PROC_NULL


class Grid:
    """A grid of ranks in row-major order. Each dimension is a line or a ring.

    Args:
        dims: Number of ranks along each dimension.
        periods: Whether each dimension is a ring; one value, or ``None`` for lines, stands for all dimensions.
        ranks: Number of ranks that there are.
    """

    def __init__(self, dims: Sequence[int], periods: Any, ranks: int):
        self.dims: List[int] = [int(extent) for extent in dims]
        if periods is None or isinstance(periods, bool):
            periods = [bool(periods)] * len(self.dims)
        self.periods: List[bool] = [bool(period) for period in periods]
        self.points = 1
        for extent in self.dims:
            self.points *= extent
        if not 1 <= self.points <= ranks or len(self.periods) != len(self.dims):
            raise ValueError(f"a grid of {self.dims} with periods {self.periods} does not fit {ranks} ranks")

    def coords(self, rank: int) -> List[int]:
        if not 0 <= rank < self.points:
            raise ValueError(f"rank {rank} is not in the grid: its ranks are 0 to {self.points - 1}")
        coords = []
        for extent in reversed(self.dims):
            coords.append(rank % extent)
            rank //= extent
        return coords[::-1]

    def rank(self, coords: Sequence[int]) -> int:
        rank = 0
        for coordinate, extent, period in zip(coords, self.dims, self.periods):
            if not period and not 0 <= coordinate < extent:
                raise ValueError(f"coordinates {list(coords)} are beyond the edge of a grid of {self.dims}")
            rank = rank * extent + coordinate % extent
        return rank

    def neighbour(self, rank: int, direction: int, displacement: int) -> int:
        """The rank at a distance along a dimension; PROC_NULL beyond an edge."""
        coords = self.coords(rank)
        coords[direction] += displacement
        if not self.periods[direction] and not 0 <= coords[direction] < self.dims[direction]:
            return PROC_NULL
        return self.rank(coords)

    def slice(self, rank: int, kept: Sequence[bool]) -> Tuple[List[int], Grid]:
        """The ranks that differ from one in the kept dimensions only, and their grid."""
        here = self.coords(rank)
        is_in = lambda coords: all(keep or one == other for keep, one, other in zip(kept, coords, here))
        ranks = [other for other in range(self.points) if is_in(self.coords(other))]
        dims = [extent for extent, keep in zip(self.dims, kept) if keep]
        periods = [period for period, keep in zip(self.periods, kept) if keep]
        return ranks, Grid(dims, periods, len(ranks))


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
