"""The automaton and its readout for inference: what PyTorch trained, computed in NumPy.

At each step every cell looks at the cells around it and changes a little, all by the same rule. After a few steps it
knows what stands near it, and the readout makes one score of what the unit was and what its cell has become.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError
from lexlattice.lattice.grid import Floats, Integers, Lattice

_LOGIT: Final = (1.59574586, 7.27298340e-02, -1.14710969e-04, -9.47962887e-05, 5.62496905e-06, -1.14218594e-07)
"""Log odds of the normal distribution, divided by the value, as a polynomial of its square."""
_REACH: Final = 5.5
"""How far the polynomial is fitted to either side; what lies beyond is as good as certain."""
_AT_ONCE: Final = 16_384
"""Numbers that are computed together: few enough to stay in the processor's cache."""


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

    def __call__(self, *columns: Floats) -> Floats:
        """What comes out, a row for each that goes in.

        Columns that stand side by side are given one after the other, and never have to be put together. Those that are
        the same in all rows may have one row only.
        """
        parts, shift = self.parts(*(column.shape[1] for column in columns)), self.bias
        result: Floats | None = None
        for column, part in zip(columns, parts, strict=True):
            product = column @ part.T
            if len(column) == 1 < len(columns):
                shift = shift + product[0]
            elif result is None:
                result = product
            else:
                result += product
        if result is None:
            return shift[None]
        result += shift
        return result

    def parts(self, *widths: int) -> list[Floats]:
        """The weights of columns so wide, which together are all that go in."""
        if sum(widths) != self.weight.shape[1]:
            raise ValueError(f"columns of {widths} do not fill {self.weight.shape[1]}")
        return np.split(self.weight, np.cumsum(widths[:-1]), axis=1)


class Known(NamedTuple):
    """States of groups of cells, such as sections, and the group of each cell."""

    states: Floats
    group_of: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """The rule by which every cell changes."""

    kernel: Floats
    """Weights of the neighbours, a row each, in the order of `Lattice.neighbours`."""
    bias: Floats
    hidden: Dense
    change: Dense

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str = "automaton", context: int | None = None) -> Automaton:
        """The automaton in the arrays of a file of weights: a depthwise convolution and two dense layers.

        `context` is how many states of its groups a cell is told at each step; without, it may have an overview.
        """
        weight = array_of(arrays, f"{name}.perception.weight")
        channels = len(weight)
        kernel = np.ascontiguousarray(weight.reshape(channels, -1).T)
        bias = array_of(arrays, f"{name}.perception.bias", 1, channels)
        hidden, change = Dense.of(arrays, f"{name}.hidden"), Dense.of(arrays, f"{name}.change")
        widths = (2, 4) if context is None else (2 + context,)
        fits = hidden.weight.shape[1] in [width * channels for width in widths]
        if not fits or change.weight.shape != (channels, len(hidden.bias)):
            raise LexLatticeError("The layers of the automaton do not fit each other; get or train its weights anew.")
        return cls(kernel, bias, hidden, change)

    def step(
        self,
        states: Floats,
        lattice: Lattice,
        context: Sequence[Known] | None = None,
    ) -> Floats:
        """Every cell once: it perceives its neighbourhood, and is changed by what it makes of it.

        With `context` cells perceive what is known of the groups that they are of, instead of an overview.
        """
        hidden = self._perceive(states, lattice) if context is None else self._perceive_groups(states, lattice, context)
        np.maximum(hidden, 0, out=hidden)
        changed = self.change(hidden)
        changed += states
        return changed

    def run(self, states: Floats, lattice: Lattice, steps: int, *, record: bool = False) -> Floats:
        """The states of all cells after so many steps; with `record` those before and after each as well."""
        panels = [states]
        for _ in range(steps):
            states = self.step(states, lattice)
            if record:
                panels.append(states)
        return np.stack(panels) if record else states

    def _perceive(self, states: Floats, lattice: Lattice) -> Floats:
        """What each cell makes of itself, of what stands around it, and perhaps of its row and of all cells."""
        around = self._around(states, lattice)
        if not self._has_overview:
            return self.hidden(states, around)
        *near, of_row, of_all = self.hidden.parts(*(states.shape[1],) * 4)
        means = lattice.row_means(states)
        overview = means @ of_row.T + (_mean(states) @ of_all.T + self.hidden.bias)
        seen = lattice.in_rows(overview)
        seen += states @ near[0].T
        seen += around @ near[1].T
        return seen

    def _perceive_groups(self, states: Floats, lattice: Lattice, context: Sequence[Known]) -> Floats:
        """What each cell makes of itself, of what stands around it, and of what is known of its groups."""
        channels, weight = states.shape[1], self.hidden.weight
        both = np.concatenate([states, self._around(states, lattice)], axis=1)
        seen: Floats = both @ weight[:, : 2 * channels].T
        seen += self.hidden.bias
        first = 2 * channels
        for _, alike in groupby(context, key=lambda known: id(known.group_of)):
            some = list(alike)  # of the same groups, and a group's product once, however many cells it has
            last = first + len(some) * channels
            product = np.concatenate([known.states for known in some], axis=1) @ weight[:, first:last].T
            seen += product[some[0].group_of]
            first = last
        return seen

    def _around(self, states: Floats, lattice: Lattice) -> Floats:
        """The weighted sum of what stands around each cell."""
        if lattice.neighbours.shape[1] != len(self.kernel):
            raise LexLatticeError(
                f"An automaton that looks at {len(self.kernel)} cells needs a lattice of as many neighbours, "
                f"not {lattice.neighbours.shape[1]}."
            )
        with_nothing = np.concatenate([states, np.zeros((1, states.shape[1]), np.float32)])
        around = np.broadcast_to(self.bias, states.shape).copy()
        gathered = np.empty_like(states)
        for beside, weights in zip(lattice.neighbours.T, self.kernel, strict=True):
            np.take(with_nothing, beside, axis=0, out=gathered, mode="clip")
            gathered *= weights
            around += gathered
        return around

    @property
    def _has_overview(self) -> bool:
        """Whether cells also perceive the means of their row and of all cells."""
        return bool(self.hidden.weight.shape[1] > 2 * self.kernel.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Readout:
    """A score, or several, of what a unit was before the first step and what it is after the last."""

    hidden: Dense
    score: Dense

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str = "readout", scores: int = 1) -> Readout:
        """The readout in the arrays of a file of weights."""
        hidden, score = Dense.of(arrays, f"{name}.hidden"), Dense.of(arrays, f"{name}.score")
        if score.weight.shape != (scores, len(hidden.bias)):
            raise LexLatticeError("The layers of the readout do not fit each other; get or train its weights anew.")
        return cls(hidden, score)

    def __call__(self, before: Floats, after: Floats) -> Floats:
        """The scores of units."""
        return self.all(before, after)[:, 0]

    def all(self, before: Floats, after: Floats) -> Floats:
        """All scores of units, a column each."""
        return self.score(gelu(self.hidden(before, after)))


def _mean(states: Floats) -> Floats:
    """Of all cells; zero if there is none."""
    mean: Floats = states.sum(axis=0) / np.float32(max(1, len(states)))
    return mean


def gelu(values: Floats) -> Floats:
    """Each value times the chance that a normal variable is below it, as PyTorch has it by default; to six digits.

    The chance is made of its log odds, which a short polynomial gives: no more than multiplying, adding and one
    exponential, which NumPy does several numbers at a time.
    """
    flat = np.ascontiguousarray(values, np.float32).reshape(-1)
    result = np.empty_like(flat)
    last, *others, first = (np.float32(-factor) for factor in reversed(_LOGIT))
    with np.errstate(over="ignore"):
        for begin in range(0, len(flat), _AT_ONCE):
            some, odds = flat[begin : begin + _AT_ONCE], result[begin : begin + _AT_ONCE]
            squares = some * some
            np.minimum(squares, np.float32(_REACH**2), out=squares)
            np.multiply(squares, last, out=odds)
            for factor in others:
                odds += factor
                odds *= squares
            odds += first
            odds *= some
            np.exp(odds, out=odds)
            odds += np.float32(1)
            np.divide(some, odds, out=odds)
    return result.reshape(values.shape)


def array_of(
    arrays: Mapping[str, NDArray[Any]], name: str, axes: int | None = None, length: int | None = None
) -> Floats:
    """An array of a file of weights, which has to be there and of that shape."""
    found = arrays.get(name)
    if found is None or not found.ndim or axes not in (None, found.ndim) or length not in (None, len(found)):
        asked = [f"{axes} axes" if axes else "", f"{length} rows" if length is not None else ""]
        expected = " and ".join(filter(None, asked)) or "an axis"
        there = "there is none" if found is None else f"it has the shape {found.shape}"
        raise LexLatticeError(f"'{name}' was expected with {expected}, and {there}; get or train the weights anew.")
    return np.asarray(found, np.float32)


# What a cell perceives besides its neighbours: its paragraph, its section, the act, references, attention.

AT_ONCE: Final = 1024
"""Rows that are compared with all others at once: their product never has to be there as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Single-head attention of sections to each other, over the means of their cells."""

    query: Dense
    key: Dense
    value: Dense

    def __call__(self, means: Floats) -> Floats:
        """What each section takes from all sections."""
        query, key, value = self.query(means), self.key(means), self.value(means)
        mixed = np.empty_like(value)
        for begin in range(0, len(query), AT_ONCE):
            logits: Floats = query[begin : begin + AT_ONCE] @ key.T
            logits *= np.float32(query.shape[1] ** -0.5)
            logits -= logits.max(axis=1, keepdims=True)
            weights: Floats = np.exp(logits, out=logits)
            weights /= weights.sum(axis=1, keepdims=True)
            mixed[begin : begin + AT_ONCE] = weights @ value
        return mixed


class Groups:
    """Which cell is of which group, counted without groups that have no cell."""

    def __init__(self, group_of: Integers) -> None:
        self.present, inverse = np.unique(group_of, return_inverse=True)
        self.of: Integers = inverse.reshape(-1)
        """The group of each cell."""
        self._order = np.argsort(self.of, kind="stable")
        self._counts = np.bincount(self.of, minlength=len(self))

    def __len__(self) -> int:
        return len(self.present)

    def means(self, states: Floats) -> Floats:
        """The mean state of each group's cells."""
        means: Floats = np.add.reduceat(states[self._order], np.cumsum(self._counts) - self._counts, axis=0)
        means /= self._counts[:, None].astype(np.float32)
        return means


class Links(NamedTuple):
    """Which sections refer to which, as means over them."""

    citing: Averages
    """For each section over those that refer to it."""
    cited: Averages
    """Over those that it refers to."""

    @classmethod
    def of(cls, sections: Groups, references: Integers) -> Links:
        """From pairs of sections: one that refers, and one that is referred to."""
        known = np.isin(references, sections.present).all(axis=1)
        count = len(sections)
        source, target = np.searchsorted(sections.present, references[known]).reshape(-1, 2).T
        source, target = np.divmod(np.unique((source * count + target)[source != target]), max(1, count))
        return cls(Averages(target, source, count), Averages(source, target, count))


class Averages:
    """The mean over the links of each section; zero for one without any."""

    def __init__(self, ends: Integers, others: Integers, count: int) -> None:
        order = np.argsort(ends, kind="stable")
        self._others, self._count = others[order], count
        self._ends, self._starts, counts = np.unique(ends[order], return_index=True, return_counts=True)
        self._counts = counts[:, None].astype(np.float32)

    def of(self, states: Floats) -> Floats:
        """What each section gets of the states of those it is linked with."""
        means = np.zeros((self._count, states.shape[1]), np.float32)
        if len(self._ends):
            means[self._ends] = np.add.reduceat(states[self._others], self._starts, axis=0) / self._counts
        return means

    def matrix(self) -> Floats:
        """The same as a matrix that takes means, as learning has it."""
        return self.of(np.eye(self._count, dtype=np.float32))
