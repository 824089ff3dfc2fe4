"""The neural cellular automaton and its readout, for inference: what PyTorch trained, computed in NumPy.

At each step every cell perceives its neighbourhood and updates its state by the same rule. The readout computes a score
from the state of a unit before the first step and after the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import WeightsError
from lexlattice.lattice.grid import Floats, Integers, Lattice

_PHI_LOGIT: Final = (1.59574586, 7.27298340e-02, -1.14710969e-04, -9.47962887e-05, 5.62496905e-06, -1.14218594e-07)
"""Coefficients of logit(Φ(x)) / x as a polynomial of x²; Φ is the normal distribution function."""
_REACH: Final = 5.5
"""The polynomial is fitted for |x| up to this; beyond, Φ is practically 0 or 1."""
_AT_ONCE: Final = 16_384
"""Values per block: few enough to stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """A fully connected layer."""

    weight: Floats
    """One row per output, as PyTorch stores it."""
    bias: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Dense:
        """Take the layer of that name from the arrays of a file of weights."""
        weight = array_of(arrays, f"{name}.weight", 2)
        return cls(weight, array_of(arrays, f"{name}.bias", 1, len(weight)))

    def __call__(self, *columns: Floats) -> Floats:
        """Apply the layer to blocks of columns, without concatenating them.

        A block with the same values in all rows may have a single row.
        """
        parts, shift = self.parts(*(column.shape[1] for column in columns)), self.bias
        result: Floats | None = None
        for column, part in zip(columns, parts, strict=True):
            product = column @ part.T
            if len(column) == 1 < len(columns):  # the same for all rows: part of the bias
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
        """Split the weights by blocks of input columns of these widths."""
        if sum(widths) != self.weight.shape[1]:
            raise ValueError(f"columns of {widths} do not fill {self.weight.shape[1]}")
        return np.split(self.weight, np.cumsum(widths[:-1]), axis=1)


class GroupStates(NamedTuple):
    """States of groups of cells, such as sections, and the group of each cell."""

    states: Floats
    group_of: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Automaton:
    """The update rule that all cells share."""

    kernel: Floats
    """Weights of the neighbours, one row each, in the order of `Lattice.neighbours`."""
    bias: Floats
    hidden: Dense
    change: Dense

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str = "automaton", context: int | None = None) -> Automaton:
        """Take the automaton from the arrays of a file of weights: a depthwise convolution and two dense layers.

        `context` is the number of group states that cells perceive; without, they may perceive row and global means.
        """
        weight = array_of(arrays, f"{name}.perception.weight")
        channels = len(weight)
        kernel = np.ascontiguousarray(weight.reshape(channels, -1).T)
        bias = array_of(arrays, f"{name}.perception.bias", 1, channels)
        hidden, change = Dense.of(arrays, f"{name}.hidden"), Dense.of(arrays, f"{name}.change")
        widths = (2, 4) if context is None else (2 + context,)
        fits = hidden.weight.shape[1] in [width * channels for width in widths]
        if not fits or change.weight.shape != (channels, len(hidden.bias)):
            raise WeightsError("The layers of the automaton do not fit each other; get or train its weights again.")
        return cls(kernel, bias, hidden, change)

    def step(
        self,
        states: Floats,
        lattice: Lattice,
        context: Sequence[GroupStates] | None = None,
    ) -> Floats:
        """One step of all cells: perceive, then update.

        With `context` cells perceive the states of their groups instead of row and global means.
        """
        if context is None:
            return self._update(states, self._perceive(states, lattice))
        return self._update(states, self._perceive_groups(states, lattice, context))

    def run(self, states: Floats, lattice: Lattice, steps: int, *, record: bool = False) -> Floats:
        """The states of all cells after N steps; with `record` stacked with those before the first and after each."""
        panels = [states]
        for _ in range(steps):
            states = self.step(states, lattice)
            if record:
                panels.append(states)
        return np.stack(panels) if record else states

    def _perceive(self, states: Floats, lattice: Lattice) -> Floats:
        """Pre-activations of the hidden layer: from a cell, its neighbourhood, and perhaps row and global means."""
        around = self._neighbourhood(states, lattice)
        if not self._has_overview:
            return self.hidden(states, around)
        # Row means are multiplied once per row, the global mean once, and both are spread over the cells of each row.
        *near, of_row, of_all = self.hidden.parts(*(states.shape[1],) * 4)
        means = lattice.row_means(states)
        overview = means @ of_row.T + (_mean(states) @ of_all.T + self.hidden.bias)
        seen = lattice.in_rows(overview)
        seen += states @ near[0].T
        seen += around @ near[1].T
        return seen

    def _update(self, states: Floats, perceived: Floats) -> Floats:
        """Residual update; `perceived` is overwritten."""
        np.maximum(perceived, 0, out=perceived)
        updated = self.change(perceived)
        updated += states
        return updated

    def _perceive_groups(self, states: Floats, lattice: Lattice, context: Sequence[GroupStates]) -> Floats:
        """Pre-activations of the hidden layer: from a cell, its neighbourhood, and the states of its groups."""
        channels, weight = states.shape[1], self.hidden.weight
        both = np.concatenate([states, self._neighbourhood(states, lattice)], axis=1)
        seen: Floats = both @ weight[:, : 2 * channels].T
        seen += self.hidden.bias
        first = 2 * channels
        for _, alike in groupby(context, key=lambda groups: id(groups.group_of)):
            some = list(alike)  # states of the same groups share one product per group, gathered for its cells
            last = first + len(some) * channels
            product = np.concatenate([groups.states for groups in some], axis=1) @ weight[:, first:last].T
            seen += product[some[0].group_of]
            first = last
        return seen

    def _neighbourhood(self, states: Floats, lattice: Lattice) -> Floats:
        """Depthwise convolution: for each cell the weighted sum over its neighbours, channel by channel."""
        if lattice.neighbours.shape[1] != len(self.kernel):
            raise WeightsError(
                f"The automaton perceives {len(self.kernel)} cells, but the lattice has "
                f"{lattice.neighbours.shape[1]} neighbours per cell; use the geometry it was trained with."
            )
        # Missing neighbours have the index one past the last cell: a row of zeros there makes them count as zero.
        # One gather per direction into the same buffer is faster than a (cells × directions × channels) array.
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
    """One or several scores of units, from their states before the first step and after the last."""

    hidden: Dense
    score: Dense

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], name: str = "readout", scores: int = 1) -> Readout:
        """Take the readout from the arrays of a file of weights."""
        hidden, score = Dense.of(arrays, f"{name}.hidden"), Dense.of(arrays, f"{name}.score")
        if score.weight.shape != (scores, len(hidden.bias)):
            raise WeightsError("The layers of the readout do not fit each other; get or train its weights again.")
        return cls(hidden, score)

    def __call__(self, before: Floats, after: Floats) -> Floats:
        """The first score of each unit."""
        return self.all(before, after)[:, 0]

    def all(self, before: Floats, after: Floats) -> Floats:
        """All scores of each unit, one column each."""
        return self.score(gelu(self.hidden(before, after)))


def _mean(states: Floats) -> Floats:
    """The mean over all cells; zero if there are none."""
    mean: Floats = states.sum(axis=0) / np.float32(max(1, len(states)))
    return mean


def gelu(values: Floats) -> Floats:
    """GELU as in PyTorch's default: x · Φ(x), accurate to six digits.

    Φ(x) is the sigmoid of a polynomial: multiplications, additions and one exponential, all of which NumPy vectorizes,
    whereas it has no vectorized error function.
    """
    flat = np.ascontiguousarray(values, np.float32).reshape(-1)
    result = np.empty_like(flat)
    # Horner's scheme for the negative logit, in place; then x / (1 + exp(-logit)).
    last, *others, first = (np.float32(-factor) for factor in reversed(_PHI_LOGIT))
    with np.errstate(over="ignore"):
        for begin in range(0, len(flat), _AT_ONCE):
            some, out = flat[begin : begin + _AT_ONCE], result[begin : begin + _AT_ONCE]
            squares = some * some
            np.minimum(squares, np.float32(_REACH**2), out=squares)
            np.multiply(squares, last, out=out)
            for factor in others:
                out += factor
                out *= squares
            out += first
            out *= some
            np.exp(out, out=out)
            out += np.float32(1)
            np.divide(some, out, out=out)
    return result.reshape(values.shape)


def array_of(
    arrays: Mapping[str, NDArray[Any]], name: str, axes: int | None = None, length: int | None = None
) -> Floats:
    """Return an array of a file of weights; a WeightsError if it is missing or has another shape."""
    found = arrays.get(name)
    if found is None or not found.ndim or axes not in (None, found.ndim) or length not in (None, len(found)):
        wanted = [f"{axes} axes" if axes else "", f"{length} rows" if length is not None else ""]
        expected = " and ".join(filter(None, wanted)) or "an axis"
        there = "there is none" if found is None else f"it has the shape {found.shape}"
        raise WeightsError(f"'{name}' was expected with {expected}, and {there}; get or train the weights again.")
    return np.asarray(found, np.float32)


# What cells perceive besides their neighbours: paragraph, section, act, references, attention.

AT_ONCE: Final = 1024
"""Rows per block of a pairwise product, which is never held as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Single-head attention of sections to each other, over the means of their cells."""

    query: Dense
    key: Dense
    value: Dense

    def __call__(self, means: Floats) -> Floats:
        """Return the weighted mean of the values of all sections, for each section."""
        query, key, value = self.query(means), self.key(means), self.value(means)
        mixed = np.empty_like(value)
        for begin in range(0, len(query), AT_ONCE):
            logits: Floats = query[begin : begin + AT_ONCE] @ key.T
            logits *= np.float32(query.shape[1] ** -0.5)
            logits -= logits.max(axis=1, keepdims=True)  # the softmax is the same, and exp cannot overflow
            weights: Floats = np.exp(logits, out=logits)
            weights /= weights.sum(axis=1, keepdims=True)
            mixed[begin : begin + AT_ONCE] = weights @ value
        return mixed


class Groups:
    """The group of each cell, numbered without empty groups."""

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
        # Sorted by group, each group is one run; reduceat sums runs from their start indexes.
        means: Floats = np.add.reduceat(states[self._order], np.cumsum(self._counts) - self._counts, axis=0)
        means /= self._counts[:, None].astype(np.float32)
        return means


class Links(NamedTuple):
    """Means over the sections that refer to a section, and over those it refers to."""

    citing: Averages
    """For each section over those that refer to it."""
    cited: Averages
    """Over those that it refers to."""

    @classmethod
    def of(cls, sections: Groups, references: Integers) -> Links:
        """Build them from pairs of a referring section and one referred to."""
        known = np.isin(references, sections.present).all(axis=1)
        count = len(sections)
        source, target = np.searchsorted(sections.present, references[known]).reshape(-1, 2).T
        # A pair as one number, so that a set removes duplicates; references of a section to itself do not count.
        codes = np.array(sorted(set((source * count + target)[source != target].tolist())), np.int64)
        source, target = np.divmod(codes, max(1, count))
        return cls(Averages(target, source, count), Averages(source, target, count))


class Averages:
    """The mean over the links of each section; zero for one without any."""

    def __init__(self, ends: Integers, others: Integers, count: int) -> None:
        order = np.argsort(ends, kind="stable")
        self._others, self._count = others[order], count
        self._ends, self._starts, counts = np.unique(ends[order], return_index=True, return_counts=True)
        self._counts = counts[:, None].astype(np.float32)

    def of(self, states: Floats) -> Floats:
        """Return the mean state of the sections that each section is linked with."""
        means = np.zeros((self._count, states.shape[1]), np.float32)
        if len(self._ends):
            means[self._ends] = np.add.reduceat(states[self._others], self._starts, axis=0) / self._counts
        return means

    def matrix(self) -> Floats:
        """Return the same as a matrix, for training."""
        return self.of(np.eye(self._count, dtype=np.float32))
