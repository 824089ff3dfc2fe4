"""The automaton and its readout for inference: what PyTorch trained, computed in NumPy.

At each step every cell looks at the cells around it and changes a little, all by the same rule. After a few steps it
knows what stands near it, and the readout makes one score of what the unit was and what its cell has become.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError
from lexlattice.lattice.cells import Floats, Lattice

_ERF: Final = tuple(map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
_ERF_SCALE: Final = np.float32(0.3275911)
"""Abramowitz and Stegun, 7.1.26: never wrong by more than 1.5e-7."""


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
        for beside, weights in zip(lattice.neighbours.T, self.kernel, strict=True):
            around += with_nothing[beside] * weights
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
    """Each value times the chance that a normal variable is below it, as PyTorch has it by default."""
    return values * (np.float32(0.5) + np.float32(0.5) * erf(values * np.float32(np.sqrt(0.5))))


def erf(values: Floats) -> Floats:
    """The error function, to six digits."""
    size = np.abs(values)
    t = np.float32(1) / (np.float32(1) + _ERF_SCALE * size)
    sum_of_powers = np.zeros_like(t)
    for factor in _ERF:
        sum_of_powers = (sum_of_powers + factor) * t
    result: Floats = np.copysign(np.float32(1) - sum_of_powers * np.exp(-size * size), values)
    return result


def array_of(
    arrays: Mapping[str, NDArray[Any]], name: str, axes: int | None = None, length: int | None = None
) -> Floats:
    """An array of a file of weights, which has to be there and of that shape."""
    found = arrays.get(name)
    if found is None or not found.ndim or axes not in (None, found.ndim) or length not in (None, len(found)):
        raise LexLatticeError(f"The weights hold no '{name}' of the expected shape; get or train them anew.")
    return np.asarray(found, np.float32)
