"""What a cell perceives besides its neighbours: its paragraph, its section, the act, references, attention.

All of it is by paragraph or section, whatever the geometry, so that a line or no lattice at all can have the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from lexlattice.lattice.automaton import Dense
from lexlattice.lattice.cells import Floats, Integers

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
