"""The automaton and its readout for inference: what PyTorch trained, computed in NumPy.

At each step every cell looks at the cells around it and changes a little, all by the same rule. After a few steps it
knows what stands near it, and the readout makes one score of what the unit was and what its cell has become.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import erf, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError
from lexlattice.lattice.cells import Floats, Lattice

_FINE: Final = 512
"""Points of the table of `gelu` to one; lines between them are wrong by less than a millionth."""
_REACH: Final = 8
"""How far it reaches to either side."""
_AT_ONCE: Final = 16_384
"""Numbers that are looked up together."""


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """A layer in which everything is connected with everything."""

    weight: Floats
    """A row for each output, as PyTorch keeps it."""
    bias: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Dense:
        """The layer of that name, from the arrays of a file of weights."""
        weight = array_of(arrays, f"{name}.weight", 2)
        return cls(weight, array_of(arrays, f"{name}.bias", 1, len(weight)))

    def __call__(self, values: Floats) -> Floats:
        """What comes out, a row for each that goes in."""
        result: Floats = values @ self.weight.T
        result += self.bias
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """The rule by which every cell changes."""

    kernel: Floats
    """Weights of the neighbours, a row each, in the order of `Lattice.neighbours`."""
    bias: Floats
    hidden: Dense
    change: Dense

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str = "automaton") -> Automaton:
        """The automaton in the arrays of a file of weights: a depthwise convolution and two dense layers."""
        weight = array_of(arrays, f"{name}.perception.weight")
        channels = len(weight)
        kernel = np.ascontiguousarray(weight.reshape(channels, -1).T)
        bias = array_of(arrays, f"{name}.perception.bias", 1, channels)
        hidden, change = Dense.of(arrays, f"{name}.hidden"), Dense.of(arrays, f"{name}.change")
        if hidden.weight.shape[1] not in (2 * channels, 4 * channels) or change.weight.shape != (
            channels,
            len(hidden.bias),
        ):
            raise LexLatticeError("The layers of the automaton do not fit each other; get or train its weights anew.")
        return cls(kernel, bias, hidden, change)

    def step(self, states: Floats, lattice: Lattice) -> Floats:
        """Every cell once: it perceives its neighbourhood, and is changed by what it makes of it."""
        return states + self._update(self._perceive(states, lattice))

    def run(self, states: Floats, lattice: Lattice, steps: int, *, record: bool = False) -> Floats:
        """The states of all cells after so many steps; with `record` those before and after each as well."""
        panels = [states]
        for _ in range(steps):
            states = self.step(states, lattice)
            if record:
                panels.append(states)
        return np.stack(panels) if record else states

    def _perceive(self, states: Floats, lattice: Lattice) -> Floats:
        """What each cell is, beside it the weighted sum of what stands around it, and whatever else it perceives."""
        if lattice.neighbours.shape[1] != len(self.kernel):
            raise LexLatticeError(
                f"An automaton that looks at {len(self.kernel)} cells needs a lattice of as many neighbours, "
                f"not {lattice.neighbours.shape[1]}."
            )
        cells, channels = states.shape
        with_nothing = np.concatenate([states, np.zeros((1, channels), np.float32)])
        seen = np.empty((cells, self.hidden.weight.shape[1]), np.float32)
        seen[:, :channels] = states
        if self._has_overview:
            seen[:, 2 * channels : 3 * channels] = lattice.row_means(states)
            seen[:, 3 * channels :] = states.sum(axis=0) / np.float32(max(1, cells))
        around = seen[:, channels : 2 * channels]
        around[:] = self.bias
        gathered = np.empty_like(states)
        for beside, weights in zip(lattice.neighbours.T, self.kernel, strict=True):
            np.take(with_nothing, beside, axis=0, out=gathered, mode="clip")
            gathered *= weights
            around += gathered
        return seen

    @property
    def _has_overview(self) -> bool:
        """Whether cells also perceive the means of their row and of all cells."""
        return bool(self.hidden.weight.shape[1] > 2 * self.kernel.shape[1])

    def _update(self, seen: Floats) -> Floats:
        return self.change(np.maximum(self.hidden(seen), 0))


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """One score of what a unit was before the first step and what it is after the last."""

    hidden: Dense
    score: Dense

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str = "readout") -> Readout:
        """The readout in the arrays of a file of weights."""
        hidden, score = Dense.of(arrays, f"{name}.hidden"), Dense.of(arrays, f"{name}.score")
        if score.weight.shape != (1, len(hidden.bias)):
            raise LexLatticeError("The layers of the readout do not fit each other; get or train its weights anew.")
        return cls(hidden, score)

    def __call__(self, before: Floats, after: Floats) -> Floats:
        """The scores of units."""
        return self.score(gelu(self.hidden(np.concatenate([before, after], axis=1))))[:, 0]


def gelu(values: Floats) -> Floats:
    """Each value times the chance that a normal variable is below it, as PyTorch has it by default; to six digits.

    Straight lines between the points of a table, which is faster than anything that computes the error function. A few
    rows at a time, so that all of it stays in the processor's cache.
    """
    slopes, heights = _lines()
    result = np.empty_like(values, np.float32)
    rows = max(1, _AT_ONCE // max(1, values[:1].size))
    for first in range(0, len(values), rows):
        some, into = values[first : first + rows], result[first : first + rows]
        places = some * np.float32(_FINE)
        places += np.float32(_FINE * _REACH)
        np.clip(places, 0, len(slopes) - 1, out=places)
        line = places.astype(np.intp)
        np.take(slopes, line, out=into, mode="clip")
        into *= some
        into += np.take(heights, line, mode="clip")
    return result


@cache
def _lines() -> tuple[Floats, Floats]:
    """Slopes and heights of lines along the function: zero on the far left, and the value itself on the far right."""
    points = np.arange(-_REACH * _FINE, _REACH * _FINE + 1) / _FINE
    exact = np.array([point * (0.5 + 0.5 * erf(point / sqrt(2))) for point in points.tolist()])
    exact[0] = exact[1] = 0.0
    slopes = np.append(np.diff(exact) * _FINE, 1.0)
    return slopes.astype(np.float32), (exact - points * slopes).astype(np.float32)


def array_of(
    arrays: Mapping[str, NDArray[Any]], name: str, axes: int | None = None, length: int | None = None
) -> Floats:
    """An array of a file of weights, which has to be there and of that shape."""
    found = arrays.get(name)
    if found is None or not found.ndim or axes not in (None, found.ndim) or length not in (None, len(found)):
        raise LexLatticeError(f"The weights hold no '{name}' of the expected shape; get or train them anew.")
    return np.asarray(found, np.float32)
