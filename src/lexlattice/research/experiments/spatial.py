"""How salience is spread over an act, and whether what is chosen lies together on the lattice.

Concentration is measured on salience as a distribution over units; clustering by Moran's I on the graph of occupied
cells and their 3×3 neighbourhoods, which is what a step of the automaton sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexlattice.lattice.grid import Lattice

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Entry = TypeVar("Entry", bound=np.generic)

TOP: Final = 0.1
"""The share of units whose mass is reported."""
_BLOCK: Final = 1 << 22
"""Numbers held in memory at once: 32 MB."""


# Concentration


def softmax(salience: Matrix) -> Matrix:
    """Logits → distributions, row by row."""
    raised = np.exp(salience - salience.max(axis=-1, keepdims=True))
    found: Matrix = raised / raised.sum(axis=-1, keepdims=True)
    return found


def entropy(mass: Matrix) -> Vector:
    """The entropy of each row, divided by that of the uniform distribution: 1 is diffuse, 0 is all on one unit.

    >>> entropy(np.array([[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0]])).tolist()
    [1.0, 0.0]
    """
    logs = np.log(np.where(mass > 0, mass, 1))
    found: Vector = np.abs((mass * logs).sum(axis=-1)) / np.log(mass.shape[-1])
    return found


def top_share(mass: Matrix, share: float = TOP) -> Vector:
    """The part of each row's mass that is on the units with the most, a tenth of them by default.

    >>> top_share(np.array([[0.5, 0.2, 0.1, 0.1, 0.1, 0, 0, 0, 0, 0]])).tolist()
    [0.5]
    """
    count = max(1, round(share * mass.shape[-1]))
    found: Vector = np.sort(mass, axis=-1)[..., -count:].sum(axis=-1)
    return found


def bright_share(salience: Matrix) -> Vector:
    """The share of units in the upper half of the scale, from the least to the greatest value of all rows.

    This is what a picture shows that is normalized over the whole trajectory, as the paper's is.
    """
    low, high = salience.min(), salience.max()
    found: Vector = (salience > (low + high) / 2).mean(axis=-1)
    return found


# Clustering


@dataclass(frozen=True, slots=True)
class Null:
    """What shuffled selections of the same size give."""

    moran: float
    """The mean of Moran's I."""
    p: float
    """One-sided: the share of shuffled selections that are at least as clustered, the observed one among them."""
    joined: float
    """The mean share of chosen units with a chosen neighbour."""


class Neighbourhood:
    """The graph of an act's units: neighbours are those in the 3×3 neighbourhood on the lattice, all with weight 1."""

    def __init__(self, lattice: Lattice) -> None:
        """Take the neighbours of a lattice that has one unit in each cell."""
        if len(lattice) != len(lattice.cell_of):
            raise ValueError("several units share a cell; use an unbounded lattice")
        count, order = len(lattice), np.argsort(lattice.cell_of)  # the unit of each cell
        around = np.delete(
            lattice.neighbours, lattice.neighbours.shape[1] // 2, axis=1
        )  # a unit is no neighbour of itself
        self._around = np.append(order, count)[around[lattice.cell_of]]
        """The neighbours of each unit; the number of units stands for none."""
        self._degrees = (self._around < count).sum(axis=1)
        self.columns = lattice.coordinates[lattice.cell_of, 1]
        self.pairs = int(self._degrees.sum())
        """Pairs of neighbours, each in both directions."""

    def moran(self, values: Matrix) -> Vector:
        """Moran's I of each row of values: near −1 / (n − 1) for random values, 1 if neighbours are equal.

        It is not a number for rows without any variation, and for graphs without any neighbours.
        """
        centred = values - values.mean(axis=-1, keepdims=True)
        padded = _padded(centred)
        products = sum((centred * padded[:, found]).sum(axis=-1) for found in self._around.T)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Vector = len(self.columns) / np.float64(self.pairs) * products / (centred**2).sum(axis=-1)
        return found

    def clustering(self, chosen: NDArray[np.bool_]) -> tuple[Vector, Vector]:
        """Moran's I of each row of selections, and the share of chosen units that have a chosen neighbour.

        All rows choose the same number of units, at least one and not all.
        """
        places = np.nonzero(chosen)[1].reshape(len(chosen), -1)
        rows = np.arange(len(chosen))[:, None, None]
        beside = _padded(chosen)[rows, self._around[places]].sum(axis=-1)  # chosen neighbours of each chosen unit
        # With z = x − m and x 0 or 1, Σ w z z = Σ w x x − 2 m Σ degree x + m² Σ w, and Σ z² = n m (1 − m).
        mean = places.shape[1] / len(self.columns)
        products = beside.sum(axis=-1) - 2 * mean * self._degrees[places].sum(axis=-1) + mean**2 * self.pairs
        morans: Vector = products / (self.pairs * mean * (1 - mean))
        return morans, (beside > 0).mean(axis=-1)

    def null(self, chosen: NDArray[np.bool_], draws: int, seed: int, *, by_column: bool = False) -> Null:
        """Compare a selection with shuffled ones: among all units, or only among those of the same column.

        Shuffling within columns keeps how often each position in a section is chosen: the first paragraphs of sections
        are neighbours of each other, and a model that likes first paragraphs clusters for that reason alone.
        """
        observed = float(self.clustering(chosen[None])[0][0])
        found = [self.clustering(some) for some in self._shuffled(chosen, draws, seed, by_column=by_column)]
        morans, shares = (np.concatenate(part) for part in zip(*found, strict=True))
        at_least = int((morans >= observed - 1e-12).sum())  # equal ones differ in the last bits
        return Null(float(morans.mean()), (1 + at_least) / (1 + draws), float(shares.mean()))

    def _shuffled(
        self, chosen: NDArray[np.bool_], draws: int, seed: int, *, by_column: bool
    ) -> Iterator[NDArray[np.bool_]]:
        """Shuffled selections in blocks that fit into memory."""
        random = np.random.default_rng(seed)
        columns = self.columns if by_column else np.zeros_like(self.columns)
        places = np.argsort(columns, kind="stable")
        most = max(1, _BLOCK // max(1, len(chosen)))
        for start in range(0, draws, most):
            keys = columns + random.random((min(most, draws - start), len(chosen)))
            shuffled = np.empty(keys.shape, bool)
            # Sorted by column, and randomly within each: the k-th place of a column gets a random unit of it.
            shuffled[:, places] = chosen[np.argsort(keys, axis=1)]
            yield shuffled


def _padded(values: NDArray[Entry]) -> NDArray[Entry]:
    """A column of zeros after the last: the value of a neighbour that does not exist."""
    return np.concatenate([values, np.zeros((*values.shape[:-1], 1), values.dtype)], axis=-1)
