"""The decoder of expected coverage: greedy selection of the units that cover most of the expected summary.

The model predicts for each word and bigram of the act the probability that the summary contains it at least once, at
least twice, and so on. The sum of these probabilities up to n is the expected number of matches of n occurrences, so
each further occurrence adds less. The unit with the largest gain for its length is selected next; repetition is
avoided without an extra penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Final, NamedTuple

import numpy as np

from lexlattice.research.coverage.features import Flags, Floats, Integers, NGrams, Occurrences

WORD_COUNTS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
BIGRAM_COUNTS: Final = (1, 2, 3, 4, 6, 8)
"""Counts for which the model predicts probabilities of "at least n times"; those in between are interpolated."""

LENGTH_EXPONENT: Final = 0.9
"""A gain is divided by the unit's words to this power; a little below 1, so that short units do not always win."""
BIGRAM_WEIGHT: Final = 1.0
"""Weight of a bigram, relative to a word."""
SALIENCE_WEIGHT: Final = 0.2
"""Weight of a unit's selection probability, relative to its gain for its length."""


class Probabilities(NamedTuple):
    """For each word and bigram of an act: the probabilities of at least `WORD_COUNTS` (`BIGRAM_COUNTS`) matches."""

    words: Floats
    bigrams: Floats


class Coverage:
    """The state of greedy selection: the extract so far, and the gain of each unit."""

    def __init__(self, ngrams: NGrams, probabilities: Probabilities, lengths: Integers, salience: Floats) -> None:
        """`salience` is added to each unit's gain for its length."""
        tables = expected(probabilities.words, WORD_COUNTS), expected(probabilities.bigrams, BIGRAM_COUNTS)
        self._parts = tuple(map(_Part, (ngrams.of_words, ngrams.of_bigrams), tables))
        self._costs = np.maximum(lengths, 1).astype(np.float32) ** np.float32(LENGTH_EXPONENT)
        self.salience = salience
        self.has_words: Flags = np.diff(ngrams.of_words.starts) > 0
        """Units with at least one word; others, such as a lone dash, are never selected."""

    def copy(self) -> Coverage:
        """Return an independent copy, to continue the selection differently."""
        other = copy(self)
        other._parts = tuple(part.copy() for part in self._parts)
        return other

    def gains(self) -> Floats:
        """Return what each unit would add to the expected coverage."""
        words, bigrams = self._parts
        gains: Floats = (words.gains + BIGRAM_WEIGHT * bigrams.gains).astype(np.float32)
        return gains

    def gains_for_length(self) -> Floats:
        """Return the gains, divided by a power of the units' lengths."""
        return self.gains() / self._costs

    def values(self) -> Floats:
        """Return the current value of each unit: its gain for its length, plus its salience."""
        return self.gains_for_length() + self.salience

    def take(self, unit: int) -> None:
        """Add a unit to the extract."""
        for part in self._parts:
            part.take(unit)


def cover(coverage: Coverage, lengths: Integers, budget: int) -> list[int]:
    """Select whole units greedily within a budget of words; return them in the order of selection."""
    order = []
    free = coverage.has_words.copy()
    while (fits := free & (lengths <= budget)).any():
        unit = int(np.argmax(np.where(fits, coverage.values(), -np.inf)))
        coverage.take(unit)
        order.append(unit)
        free[unit] = False
        budget -= int(lengths[unit])
    return order


def expected(probabilities: Floats, counts: Sequence[int]) -> Floats:
    """Return for each n-gram the expected number of matches of 0, 1, 2 … occurrences.

    >>> expected(np.array([[1.0, 0.5]], np.float32), (1, 2)).tolist()
    [[0.0, 1.0, 1.5]]
    """
    places = np.arange(1, counts[-1] + 1)
    lower = np.searchsorted(counts, places, side="right") - 1
    upper = np.minimum(lower + 1, len(counts) - 1)
    gap = np.maximum(np.take(counts, upper) - np.take(counts, lower), 1)
    share = ((places - np.take(counts, lower)) / gap).astype(np.float32)
    table = np.zeros((len(probabilities), len(places) + 1), np.float32)
    np.cumsum(probabilities[:, lower] * (1 - share) + probabilities[:, upper] * share, axis=1, out=table[:, 1:])
    return table


class _Part:
    """The state for words, or for bigrams: their counts in the extract, and the gain of each unit."""

    def __init__(self, occurrences: Occurrences, table: Floats) -> None:
        self._where = occurrences
        self._table = table
        self._most = table.shape[1] - 1
        self._taken = np.zeros(occurrences.ngram_count, np.int64)
        self._added = self._adds(np.arange(len(occurrences.ngrams)))
        self.gains = np.bincount(occurrences.units, self._added, occurrences.unit_count)

    def copy(self) -> _Part:
        other = copy(self)
        other._taken, other._added, other.gains = self._taken.copy(), self._added.copy(), self.gains.copy()
        return other

    def take(self, unit: int) -> None:
        """Count a unit's n-grams, and update the gains of all units that share any of them."""
        where = self._where
        entries = slice(*where.starts[unit : unit + 2])
        ngrams = where.ngrams[entries]
        self._taken[ngrams] += where.counts[entries]
        begins, lengths = where.ngram_starts[ngrams], where.unit_counts[ngrams]
        # all entries (unit, n-gram) of the n-grams that were counted, gathered without a Python loop
        shifts = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
        touched = where.by_ngram[shifts + np.arange(len(shifts))]
        added = self._adds(touched)
        self.gains += np.bincount(where.units[touched], added - self._added[touched], where.unit_count)
        self._added[touched] = added

    def _adds(self, entries: Integers) -> Floats:
        """What the occurrences of an n-gram in a unit would add to the expected coverage, per entry."""
        ngrams, counts = self._where.ngrams[entries], self._where.counts[entries]
        before = self._taken[ngrams]
        after = np.minimum(before + counts, self._most)
        added: Floats = self._table[ngrams, after] - self._table[ngrams, np.minimum(before, self._most)]
        return added
