"""What a cell perceives besides its neighbours: its paragraph, its section, the act, references, attention.

All of it is by paragraph or section, whatever the geometry, so that a line or no lattice at all can have the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexlattice.lattice.automaton import Dense
from lexlattice.lattice.cells import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Single-head attention of sections to each other, over the means of their cells."""

    query: Dense
    key: Dense
    value: Dense

    def __call__(self, means: Floats) -> Floats:
        """What each section takes from all sections."""
        query, key = self.query(means), self.key(means)
        logits: Floats = query @ key.T
        logits *= np.float32(query.shape[1] ** -0.5)
        weights: Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mixed: Floats = weights @ self.value(means)
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
    """Which sections refer to which, as matrices that take means."""

    citing: Floats
    """A row for each section: the mean over those that refer to it."""
    cited: Floats
    """The mean over those that it refers to."""

    @classmethod
    def of(cls, sections: Groups, references: Integers) -> Links:
        """From pairs of sections: one that refers, and one that is referred to."""
        links = np.zeros((len(sections), len(sections)), np.float32)
        if len(references):
            known = np.isin(references, sections.present).all(axis=1)
            source, target = np.searchsorted(sections.present, references[known]).T
            links[source, target] = source != target
        return cls(_averaging(links.T), _averaging(links))


def _averaging(links: Floats) -> Floats:
    """A matrix that takes the mean over each row's links; zero for a row without any."""
    weights: Floats = links / np.maximum(1, links.sum(axis=1, keepdims=True, dtype=np.float32))
    return weights
