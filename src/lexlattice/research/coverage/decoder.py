"""Expected coverage: which units together hold most of what a summary is expected to say.

The model gives each word and pair of the act the chance that the summary has it at least once, twice, and so on. The
sum of these chances up to n is how many of n occurrences are expected to count, and the more of a word is there
already, the less another occurrence adds. So the unit that adds most for its length comes next, and what was said
before is not said again.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Final, NamedTuple

import numpy as np

from lexlattice.research.coverage.features import Flags, Floats, Grams, Integers, Occurrences

WORD_COUNTS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
PAIR_COUNTS: Final = (1, 2, 3, 4, 6, 8)
"""The model says how likely the summary has a gram at least so many times; in between, chances are interpolated."""

LENGTH: Final = 0.9
"""What a unit adds is divided by its words to this power: a little below 1, so that short units do not win always."""
PAIRS: Final = 1.0
"""What a pair counts beside a word."""
SALIENCE: Final = 0.2
"""What the chance of a unit to be chosen counts beside what it covers for its length."""


class Chances(NamedTuple):
    """For each word and each pair of an act, the chances that a summary has it at least so many times."""

    words: Floats
    pairs: Floats


class Coverage:
    """A growing extract, and what each unit would add to it."""

    def __init__(self, grams: Grams, chances: Chances, lengths: Integers, salience: Floats) -> None:
        """`salience` is added to what a unit holds for its length."""
        tables = expected(chances.words, WORD_COUNTS), expected(chances.pairs, PAIR_COUNTS)
        self._parts = tuple(map(_Part, (grams.of_words, grams.of_pairs), tables))
        self._costs = np.maximum(lengths, 1).astype(np.float32) ** np.float32(LENGTH)
        self.salience = salience
        self.has_words: Flags = np.diff(grams.of_words.starts) > 0
        """Which units hold anything: a dash alone is never worth its place."""

    def copy(self) -> Coverage:
        """The same extract, to grow another way."""
        other = copy(self)
        other._parts = tuple(part.copy() for part in self._parts)
        return other

    def gains(self) -> Floats:
        """What each unit would add now."""
        words, pairs = self._parts
        gains: Floats = (words.gains + PAIRS * pairs.gains).astype(np.float32)
        return gains

    def gains_for_length(self) -> Floats:
        """The same for its length."""
        return self.gains() / self._costs

    def values(self) -> Floats:
        """What each unit is worth now: what it would add, and its salience."""
        return self.gains_for_length() + self.salience

    def take(self, unit: int) -> None:
        """Put a unit into the extract."""
        for part in self._parts:
            part.take(unit)


def cover(coverage: Coverage, lengths: Integers, budget: int) -> list[int]:
    """The units of the best extract of at most so many words, the best first; only whole ones."""
    order = []
    free = coverage.has_words.copy()
    while (fits := free & (lengths <= budget)).any():
        unit = int(np.argmax(np.where(fits, coverage.values(), -np.inf)))
        coverage.take(unit)
        order.append(unit)
        free[unit] = False
        budget -= int(lengths[unit])
    return order


def expected(chances: Floats, counts: Sequence[int]) -> Floats:
    """For each gram how many of 0, 1, 2 … occurrences a summary is expected to have as well.

    >>> expected(np.array([[1.0, 0.5]], np.float32), (1, 2)).tolist()
    [[0.0, 1.0, 1.5]]
    """
    places = np.arange(1, counts[-1] + 1)
    lower = np.searchsorted(counts, places, side="right") - 1
    upper = np.minimum(lower + 1, len(counts) - 1)
    gap = np.maximum(np.take(counts, upper) - np.take(counts, lower), 1)
    share = ((places - np.take(counts, lower)) / gap).astype(np.float32)
    table = np.zeros((len(chances), len(places) + 1), np.float32)
    np.cumsum(chances[:, lower] * (1 - share) + chances[:, upper] * share, axis=1, out=table[:, 1:])
    return table


class _Part:
    """Words, or pairs: how many of each the extract has, and what each unit would add."""

    def __init__(self, occurrences: Occurrences, table: Floats) -> None:
        self._where = occurrences
        self._table = table
        self._most = table.shape[1] - 1
        self._taken = np.zeros(occurrences.gram_count, np.int64)
        self._added = self._adds(np.arange(len(occurrences.grams)))
        self.gains = np.bincount(occurrences.units, self._added, occurrences.unit_count)

    def copy(self) -> _Part:
        other = copy(self)
        other._taken, other._added, other.gains = self._taken.copy(), self._added.copy(), self.gains.copy()
        return other

    def take(self, unit: int) -> None:
        """Count a unit's grams, and whatever they take from the gains of all units that have them too."""
        where = self._where
        entries = slice(*where.starts[unit : unit + 2])
        grams = where.grams[entries]
        self._taken[grams] += where.counts[entries]
        begins, lengths = where.gram_starts[grams], where.unit_counts[grams]
        shifts = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        touched = where.by_gram[shifts + np.arange(len(shifts))]
        added = self._adds(touched)
        self.gains += np.bincount(where.units[touched], added - self._added[touched], where.unit_count)
        self._added[touched] = added

    def _adds(self, entries: Integers) -> Floats:
        """What the occurrences of a gram in a unit would add to the expected coverage."""
        grams, counts = self._where.grams[entries], self._where.counts[entries]
        before = self._taken[grams]
        after = np.minimum(before + counts, self._most)
        added: Floats = self._table[grams, after] - self._table[grams, np.minimum(before, self._most)]
        return added
