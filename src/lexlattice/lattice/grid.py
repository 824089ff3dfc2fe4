"""The lattice: one row per section, one column per position in it, and the neighbours of each cell.

Only occupied cells are stored, each with the indexes of its neighbours (a sparse grid). Missing neighbours count as
zero, so the same code serves every geometry: the paper's grid, a line, or an unbounded lattice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice.act.document import Act, Unit

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]

GEOMETRIES: Final = ("unbounded", "grid", "line", "none")

_AROUND: Final = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))
"""In the order in which a 3×3 convolution stores its weights."""
_ALONG: Final = ((0, -1), (0, 0), (0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The cell of each unit, the coordinates of the cells, and their neighbours.

    >>> lattice = Lattice.unbounded([0, 1, 1], [0, 0, 1])
    >>> lattice.cell_of.tolist(), lattice.neighbours[0].tolist()
    ([0, 1, 2], [3, 3, 3, 3, 0, 3, 3, 1, 2])
    """

    cell_of: Integers
    """The cell of each unit."""
    coordinates: Integers
    """Row and column of each cell."""
    neighbours: Integers
    """For each cell its 3×3 neighbourhood (on a line 3 cells), itself in the middle; `len(self)` for none."""

    @classmethod
    def unbounded(cls, rows: ArrayLike, columns: ArrayLike) -> Lattice:
        """Build a lattice without bounds from the row and the column of each unit."""
        return _lattice(_places(rows), _places(columns), _AROUND)

    @classmethod
    def clamped(cls, rows: ArrayLike, columns: ArrayLike, height: int, width: int) -> Lattice:
        """Build the paper's grid: what lies beyond the last row or column is merged into it."""
        if min(height, width) < 1:
            raise ValueError("a grid has at least one row and one column")
        return _lattice(np.minimum(_places(rows), height - 1), np.minimum(_places(columns), width - 1), _AROUND)

    @classmethod
    def line(cls, count: int) -> Lattice:
        """Build the 1D control: units in reading order, each beside the one before and the one after."""
        return _lattice(np.zeros(count, np.int64), np.arange(count), _ALONG)

    @classmethod
    def alone(cls, count: int) -> Lattice:
        """Build a line without neighbours: the control for a model of the same size that perceives nothing."""
        line = cls.line(count)
        neighbours = np.where(np.arange(line.neighbours.shape[1]) == 1, line.neighbours, count)
        return cls(line.cell_of, line.coordinates, neighbours)

    @classmethod
    def of(cls, units: Act | Sequence[Unit], geometry: str = "unbounded", height: int = 0, width: int = 0) -> Lattice:
        """Build the lattice of an act's units; a grid needs a height and a width."""
        if geometry not in GEOMETRIES:
            raise ValueError(f"there is no geometry {geometry!r}; choose one of {GEOMETRIES}")
        if geometry in ("line", "none"):
            return cls.line(len(units)) if geometry == "line" else cls.alone(len(units))
        rows, columns = [unit.section for unit in units], [unit.position for unit in units]
        return cls.clamped(rows, columns, height, width) if geometry == "grid" else cls.unbounded(rows, columns)

    def __len__(self) -> int:
        """Number of occupied cells."""
        return len(self.coordinates)

    def tile(self, vectors: Floats) -> Floats:
        """Units → cells: the mean vector of the units of each cell."""
        if len(self) == len(self.cell_of):  # one unit per cell: a permutation
            cells = np.empty_like(vectors)
            cells[self.cell_of] = vectors
            return cells
        # Sorted by cell, the units of a cell are one run, and reduceat sums runs.
        order = np.argsort(self.cell_of, kind="stable")
        counts = np.bincount(self.cell_of)
        means: Floats = np.add.reduceat(vectors[order], np.cumsum(counts) - counts, axis=0)
        means /= counts[:, None]
        return means

    def untile(self, states: Floats) -> Floats:
        """Cells → units: the state of each unit's cell."""
        return states[self.cell_of]

    def row_means(self, states: Floats) -> Floats:
        """The mean state of each occupied row: of each section, where rows are sections."""
        starts, counts = self._rows
        means: Floats = np.add.reduceat(states, starts).astype(np.float32)
        means /= counts[:, None]
        return means

    def in_rows(self, values: Floats) -> Floats:
        """Spread values of rows over their cells."""
        return np.repeat(values, self._rows[1], axis=0)

    @property
    def _rows(self) -> tuple[Integers, Integers]:
        """The first cell and the number of cells of each occupied row; cells are sorted by rows."""
        starts = np.flatnonzero(np.diff(self.coordinates[:, 0], prepend=-1))
        return starts, np.diff(starts, append=len(self))


def joined(lattices: Iterable[Lattice]) -> Lattice:
    """Concatenate lattices into one batch; no cell has a neighbour in another lattice."""
    parts = list(lattices)
    if len({part.neighbours.shape[1] for part in parts}) != 1:
        raise ValueError("at least one lattice is needed, and all must have the same neighbourhood")
    total = sum(map(len, parts))
    before = np.cumsum([0, *map(len, parts)])
    return Lattice(
        np.concatenate([part.cell_of + shift for part, shift in zip(parts, before, strict=False)]),
        np.concatenate([part.coordinates for part in parts]),
        np.concatenate(
            [
                np.where(part.neighbours == len(part), total, part.neighbours + shift)
                for part, shift in zip(parts, before, strict=False)
            ]
        ),
    )


def _places(values: ArrayLike) -> Integers:
    places = np.asarray(values, dtype=np.int64).reshape(-1)
    if places.size and places.min() < 0:
        raise ValueError("rows and columns are counted from 0")
    return places


def _lattice(rows: Integers, columns: Integers, offsets: Sequence[tuple[int, int]]) -> Lattice:
    """Build a lattice whose cells are sorted by row and column, so that neighbours are found by binary search."""
    # Row and column as one number. Two spare columns keep the end of a row from touching the next one.
    stride = 3 + (int(columns.max()) if columns.size else 0)
    codes, cell_of = np.unique(rows * stride + columns + 1, return_inverse=True)
    neighbours = np.empty((len(offsets), len(codes)), np.int64).T  # in column order: it is read direction by direction
    for place, (down, right) in enumerate(offsets):
        wanted = codes + down * stride + right
        found = np.searchsorted(codes, wanted)
        is_there = codes[np.minimum(found, len(codes) - 1)] == wanted
        neighbours[:, place] = np.where(is_there, found, len(codes))
    row, column = np.divmod(codes, stride)
    return Lattice(cell_of.reshape(-1), np.stack([row, column - 1], axis=1), neighbours)
