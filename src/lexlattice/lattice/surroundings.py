"""What a cell perceives besides its neighbours: its section, the act, sections that refer to each other, attention.

All of it is by section, whatever the geometry, so that a line or no lattice at all can have the same surroundings.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Which cell is of which section, and which sections refer to which."""

    sections: Integers
    """The section of each cell, counted without those that have no cell."""
    count: int
    citing: Floats
    """A row for each section: how much of each other section's state it gets from those that refer to it."""
    cited: Floats
    """The same from those that it refers to."""

    @classmethod
    def of(cls, section_of: Integers, references: Integers) -> Surroundings:
        """From the section of each cell and pairs of sections (that refers, that is referred to)."""
        present, sections = np.unique(section_of, return_inverse=True)
        count = len(present)
        cited = np.zeros((count, count), np.float32)
        if len(references):
            known = np.isin(references, present).all(axis=1)
            source, target = np.searchsorted(present, references[known]).T
            cited[source, target] = source != target
        return cls(sections.reshape(-1), count, averaging(cited.T), averaging(cited))

    def means(self, states: Floats) -> Floats:
        """The mean state of each section's cells."""
        order = np.argsort(self.sections, kind="stable")
        counts = np.bincount(self.sections, minlength=self.count)
        means: Floats = np.add.reduceat(states[order], np.cumsum(counts) - counts, axis=0)
        means /= counts[:, None].astype(np.float32)
        return means


def averaging(links: Floats) -> Floats:
    """A matrix that takes the mean over each row's links; zero for a row without any."""
    weights: Floats = links / np.maximum(1, links.sum(axis=1, keepdims=True, dtype=np.float32))
    return weights
