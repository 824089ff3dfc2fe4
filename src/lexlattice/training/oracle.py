"""Extractive oracles: the units that best reproduce a reference summary, in the order of greedy selection.

`greedy` is the paper's: it adds the unit that raises ½ (ROUGE-1 F1 + ROUGE-2 F1) most, until none raises it or forty
are selected. It prefers long units. `budgeted`, the default, adds the largest gain per word, up to the reference's
length. Both give the results of a naive loop that scores the text of every possible next extract, including
bigrams across neighbouring units, but they update counts incrementally.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Unit
from lexlattice.encoding.tokens import tokenizer
from lexlattice.errors import OptionError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

OBJECTIVES: Final = ("budgeted", "greedy")

_BOUNDARY_SIGNS: Final = (1, 1, -1)
"""A unit inserted between two others adds a bigram at each boundary, and removes the one between the two."""
_MOST_ADDED: Final = 2


class Choice(NamedTuple):
    """The units that an oracle selected, in the order of selection, and the objective after each."""

    order: tuple[int, ...]
    objective: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Oracle:
    """An oracle and its settings."""

    objective: str = "budgeted"
    cap: int = 40
    """The largest number of units that `greedy` selects."""
    tokenizer: str = "unicode"
    whole: bool = True
    """Whether `budgeted` selects only units that fit as a whole, or continues until the budget is reached."""

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise OptionError(f"There is no oracle '{self.objective}'; choose one of: {', '.join(OBJECTIVES)}.")

    def choose(self, units: Sequence[Unit], reference: str, words: int | None = None) -> Choice:
        """Select units for a reference summary.

        Args:
            units: the units of the act.
            reference: the reference summary.
            words: the budget of `budgeted`; by default, the reference's length.

        """
        overlap = _Overlap([unit.prose for unit in units], reference, self.tokenizer)
        if self.objective == "greedy":
            return _greedy(overlap, self.cap)
        budget = len(reference.split()) if words is None else words
        return _budgeted(overlap, np.array([unit.words for unit in units], dtype=np.int64), budget, self.whole)


def _greedy(overlap: _Overlap, cap: int) -> Choice:
    order: list[int] = []
    values: list[float] = []
    best = 0.0
    while len(order) < cap:
        objective = overlap.objective()
        unit = int(np.argmax(objective)) if objective.size else 0
        if not objective.size or not objective[unit] > best:
            break
        overlap.take(unit)
        best = overlap.value
        order.append(unit)
        values.append(best)
    return Choice(tuple(order), tuple(values))


def _budgeted(overlap: _Overlap, words: Integers, budget: int, whole: bool) -> Choice:
    """Greedy by recall: at a given length, F1 depends on recall alone, which hardly ever falls."""
    order: list[int] = []
    values: list[float] = []
    while words.size and budget > 0:
        costs = np.where(words > budget, np.inf, words) if whole else words
        per_word = overlap.recall_per_word(costs)
        unit = int(np.argmax(per_word))
        if not per_word[unit] > 0:
            break
        overlap.take(unit)
        budget -= int(words[unit])
        order.append(unit)
        values.append(overlap.value)
    return Choice(tuple(order), tuple(values))


class _NGramGains:
    """Counts of the reference's n-grams in each unit and in the extract, and the gain of each unit in matches.

    A gain changes only if the reference has fewer occurrences of an n-gram left than the unit contains. Entries of an
    n-gram are therefore sorted by falling count, and selecting all units costs no more than one pass over their words.
    """

    def __init__(self, reference: Integers, units: Integers, ngrams: Integers, height: int) -> None:
        """`reference` holds the count of each n-gram; `units` and `ngrams` list the occurrences in units."""
        self._reference = reference
        self._extract = np.zeros_like(reference)
        self._codes, self._counts = np.unique(units * reference.size + ngrams, return_counts=True)
        self._rows, self._columns = np.divmod(self._codes, max(1, reference.size))
        self._by_ngram = np.lexsort((-self._counts, self._columns))
        self._starts = np.searchsorted(self._columns[self._by_ngram], np.arange(reference.size + 1))
        self._most = np.zeros_like(reference)
        np.maximum.at(self._most, self._columns, self._counts)
        found = np.minimum(self._counts, reference[self._columns])
        self.gains: Integers = np.bincount(self._rows, weights=found, minlength=height).astype(np.int64)
        """The matches that each unit would add, without bigrams across boundaries."""

    @property
    def hits(self) -> int:
        """The number of n-grams that the extract shares with the reference."""
        return int(np.minimum(self._extract, self._reference).sum())

    def take(self, unit: int) -> None:
        """Add a unit to the extract."""
        entries = slice(*np.searchsorted(self._rows, (unit, unit + 1)))
        self.change(self._columns[entries], self._counts[entries])

    def change(self, ngrams: Integers, by: Integers | int) -> None:
        """Change the counts of distinct n-grams in the extract."""
        before = np.maximum(0, self._reference[ngrams] - self._extract[ngrams])
        self._extract[ngrams] += by
        after = np.maximum(0, self._reference[ngrams] - self._extract[ngrams])
        lower = np.minimum(before, after)
        for i in np.flatnonzero((before != after) & (lower < self._most[ngrams])):
            entries = self._by_ngram[self._starts[ngrams[i]] : self._starts[ngrams[i] + 1]]
            entries = entries[: np.searchsorted(-self._counts[entries], -lower[i])]
            counts = self._counts[entries]
            self.gains[self._rows[entries]] += np.minimum(counts, after[i]) - np.minimum(counts, before[i])

    def corrections(self, units: Integers, changes: Sequence[tuple[Integers, int]]) -> Integers:
        """Return corrections of the units' gains if each also adds (1) or removes (-1) one occurrence of these n-grams.

        An n-gram of -1 is none. Changes of the same n-gram are counted together.
        """
        total = np.zeros_like(units)
        for place, (ngrams, _) in enumerate(changes):
            first = ngrams >= 0
            for earlier, _ in changes[:place]:
                first &= ngrams != earlier
            by_itself = self._extract[ngrams] + self._count(units, ngrams)
            together = by_itself + sum(sign * (ngrams == others) for others, sign in changes)
            limit = self._reference[ngrams]
            total += np.where(first, np.minimum(together, limit) - np.minimum(by_itself, limit), 0)
        return total

    def _count(self, units: Integers, ngrams: Integers) -> Integers:
        """Return how often each unit contains an n-gram."""
        if not self._codes.size:
            return np.zeros_like(units)
        codes = units * self._reference.size + ngrams
        places = np.minimum(np.searchsorted(self._codes, codes), self._codes.size - 1)
        return np.where(self._codes[places] == codes, self._counts[places], 0)


class _Overlap:
    """The overlap of a growing extract with the reference, and what each unit would add.

    Words and bigrams are indices into those of the reference; -1 stands for all others.
    """

    def __init__(self, texts: Sequence[str], reference: str, tokenizer_name: str) -> None:
        tokenize = tokenizer(tokenizer_name)
        tokens = tokenize(reference)
        numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        summary = np.array([numbers[token] for token in tokens], dtype=np.int64)
        self._vocabulary = len(numbers)
        self._bigram_codes, bigram_counts = np.unique(summary[:-1] * self._vocabulary + summary[1:], return_counts=True)
        self._reference = len(tokens)

        by_unit = [[numbers.get(token, -1) for token in tokenize(text)] for text in texts]
        self._lengths = np.array([len(unit) for unit in by_unit], dtype=np.int64)
        flat = np.array([number for unit in by_unit for number in unit], dtype=np.int64)
        unit_of = np.repeat(np.arange(len(texts)), self._lengths)
        known = flat >= 0
        self._words = _NGramGains(np.bincount(summary, minlength=1), unit_of[known], flat[known], len(texts))
        bigrams = np.where(unit_of[:-1] == unit_of[1:], self._bigram_indices(flat[:-1], flat[1:]), -1)
        known = bigrams >= 0
        self._bigrams = _NGramGains(bigram_counts, unit_of[:-1][known], bigrams[known], len(texts))

        self._is_available = self._lengths > 0  # a unit without words is never selected
        ends = np.cumsum(self._lengths)[self._is_available]
        self._first, self._last = np.full((2, len(texts)), -1)
        self._first[self._is_available] = flat[ends - self._lengths[self._is_available]]
        self._last[self._is_available] = flat[ends - 1]
        self._boundary_bigrams = np.full((len(_BOUNDARY_SIGNS), len(texts)), -1)
        self._has_boundary = np.zeros(len(texts), dtype=np.bool_)
        self._taken: list[int] = []
        self._tokens = 0

    def recall_per_word(self, costs: Floats | Integers) -> Floats:
        """Return what each unit would add to ½ (ROUGE-1 recall + ROUGE-2 recall), per word of its cost."""
        words = self._words.gains / max(1, self._reference)
        return self._with_boundaries(lambda bigrams: 0.5 * (words + bigrams / max(1, self._reference - 1)) / costs)

    def objective(self) -> Floats:
        """Return ½ (ROUGE-1 F1 + ROUGE-2 F1) of the extract with each unit; 0 for selected units."""
        words, hits = self._words.hits + self._words.gains, self._bigrams.hits
        tokens = self._tokens + self._lengths
        return self._with_boundaries(lambda bigrams: self._mean_f1(words, hits + bigrams, tokens))

    @property
    def value(self) -> float:
        """The objective of the current extract."""
        counts = (self._words.hits, self._bigrams.hits, self._tokens)
        return float(self._mean_f1(*(np.array([count]) for count in counts))[0])

    def take(self, unit: int) -> None:
        """Add a unit to the extract."""
        for bigram, by in zip(self._boundary_bigrams[:, unit], _BOUNDARY_SIGNS, strict=True):
            if bigram >= 0:
                self._bigrams.change(bigram[None], by)
        self._words.take(unit)
        self._bigrams.take(unit)
        place = bisect(self._taken, unit)
        self._update_boundaries(self._taken[place - 1] if place else None, unit)
        self._update_boundaries(unit, self._taken[place] if place < len(self._taken) else None)
        self._taken.insert(place, unit)
        self._is_available[unit] = False
        self._tokens += int(self._lengths[unit])

    def _with_boundaries(self, value: Callable[[Integers], Floats]) -> Floats:
        """Evaluate `value` on the bigram gains of all units, including bigrams across boundaries.

        A unit adds at most two bigrams at its boundaries. If even this bound does not lift it to the best unit without
        any, the exact number is not computed: the value is then too high, but never the highest.
        """
        bigrams = self._bigrams.gains + _MOST_ADDED * self._has_boundary
        bounds = np.where(self._is_available, value(bigrams), 0.0)
        contenders = np.flatnonzero(
            self._has_boundary & (bounds >= np.max(bounds, where=~self._has_boundary, initial=0.0))
        )
        changes = list(zip(self._boundary_bigrams[:, contenders], _BOUNDARY_SIGNS, strict=True))
        bigrams[contenders] += self._bigrams.corrections(contenders, changes) - _MOST_ADDED
        return np.where(self._is_available, value(bigrams), 0.0)

    def _update_boundaries(self, before: int | None, after: int | None) -> None:
        """Update the boundary bigrams of all units between two neighbours in the extract."""
        between = slice(0 if before is None else before + 1, after)
        last = np.int64(-1 if before is None else self._last[before])
        first = np.int64(-1 if after is None else self._first[after])
        self._boundary_bigrams[0, between] = self._bigram_indices(last, self._first[between])
        self._boundary_bigrams[1, between] = self._bigram_indices(self._last[between], first)
        self._boundary_bigrams[2, between] = self._bigram_indices(last, first)
        self._has_boundary[between] = (self._boundary_bigrams[:, between] >= 0).any(axis=0)

    def _mean_f1(self, words: Integers, bigrams: Integers, tokens: Integers) -> Floats:
        return 0.5 * (_f1(words, tokens, self._reference) + _f1(bigrams, tokens - 1, self._reference - 1))

    def _bigram_indices(self, left: Integers | np.int64, right: Integers | np.int64) -> Integers:
        """Return the indices of bigrams in the reference, or -1."""
        codes = np.asarray(left * self._vocabulary + right)
        if not self._bigram_codes.size:
            return np.full_like(codes, -1)
        places = np.minimum(np.searchsorted(self._bigram_codes, codes), self._bigram_codes.size - 1)
        known = (left >= 0) & (right >= 0) & (self._bigram_codes[places] == codes)
        return np.where(known, places, -1)


def _f1(hits: Integers, candidate: Integers, reference: int) -> Floats:
    """F1 as `rouge-score` computes it, operation by operation, so that ties are broken alike."""
    precision = hits / np.maximum(candidate, 1)
    recall = hits / max(reference, 1)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
