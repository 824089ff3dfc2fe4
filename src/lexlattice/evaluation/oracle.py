"""Oracle extracts: the units that a reference summary would select.

They are the targets that a scorer learns from, and an upper bound that systems are compared with. The objective
`greedy` is the paper's: repeatedly take the unit that raises ½ (ROUGE-1 F1 + ROUGE-2 F1) most, until none raises it or
40 are taken. It prefers long units. `budgeted`, the default, takes the largest gain in recall per word and stops at the
reference's length.

Both give the result of a plain loop that scores the text of every possible next extract, bigrams across neighbouring
units included, but they update counts incrementally instead of rescoring the whole extract.
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

_JOINTS: Final = (1, 1, -1)
"""A unit inserted between two others adds a bigram with each neighbour and removes the bigram they formed."""
_MAX_JOINED: Final = 2


class Choice(NamedTuple):
    """The indices of the units that an oracle took, in the order it took them, and the objective after each."""

    order: tuple[int, ...]
    objective: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Oracle:
    r"""An oracle: its objective and how it counts words.

    Examples:
        >>> from lexlattice import read
        >>> act = read("Article 1\n1. Keepers shall register.\n2. Registration is free.", language="en")
        >>> Oracle().choose(act.units, "Registration is always free.").order
        (1,)

    """

    objective: str = "budgeted"
    cap: int = 40
    """The most units `greedy` takes."""
    tokenizer: str = "unicode"
    whole: bool = True
    """Whether `budgeted` takes only units that fit whole; if not, it continues until the budget is reached."""

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise OptionError(f"There is no oracle '{self.objective}'; choose one of: {', '.join(OBJECTIVES)}.")

    def choose(self, units: Sequence[Unit], reference: str, words: int | None = None) -> Choice:
        """Select units by their overlap with a reference summary.

        Args:
            units: The units of an act.
            reference: The summary to compare with.
            words: The budget of `budgeted`; the reference's length by default. `greedy` ignores it.

        Returns:
            The indices of the selected units in order of selection, and the objective after each.

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
    """Maximize recall per word: at a fixed length F1 depends on recall only, and recall hardly ever falls."""
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


class _NGrams:
    """Counts of the reference's n-grams in each unit and in the current extract, and the gain of each unit.

    A gain changes only when fewer uncovered occurrences of an n-gram are left than a unit has of it. Therefore the
    entries of an n-gram are sorted by descending count: taking all units costs no more than one pass over their words.
    """

    def __init__(self, reference: Integers, units: Integers, grams: Integers, height: int) -> None:
        """Count n-grams.

        Args:
            reference: The reference's count of each n-gram.
            units: The unit of each occurrence.
            grams: The n-gram of each occurrence.
            height: The number of units.

        """
        self._reference = reference
        self._extract = np.zeros_like(reference)
        # A sparse matrix, units × n-grams: one sorted code (unit · n-grams + n-gram) for each entry.
        self._codes, self._counts = np.unique(units * reference.size + grams, return_counts=True)
        self._rows, self._columns = np.divmod(self._codes, max(1, reference.size))
        # Entries by n-gram, the largest count first; those of n-gram g are `_by_gram[_starts[g]:_starts[g + 1]]`.
        self._by_gram = np.lexsort((-self._counts, self._columns))
        self._starts = np.searchsorted(self._columns[self._by_gram], np.arange(reference.size + 1))
        self._max_count = np.zeros_like(reference)
        np.maximum.at(self._max_count, self._columns, self._counts)
        found = np.minimum(self._counts, reference[self._columns])
        self.gains: Integers = np.bincount(self._rows, weights=found, minlength=height).astype(np.int64)
        """How many more n-grams the extract would share with the reference, by unit; bigrams across units excluded."""

    @property
    def hits(self) -> int:
        """How many n-grams the extract shares with the reference."""
        return int(np.minimum(self._extract, self._reference).sum())

    def take(self, unit: int) -> None:
        """Add a unit to the extract."""
        entries = slice(*np.searchsorted(self._rows, (unit, unit + 1)))
        self.change(self._columns[entries], self._counts[entries])

    def change(self, grams: Integers, by: Integers | int) -> None:
        """Change the extract's counts of distinct n-grams, and the gains of all units that contain them."""
        before = np.maximum(0, self._reference[grams] - self._extract[grams])
        self._extract[grams] += by
        after = np.maximum(0, self._reference[grams] - self._extract[grams])
        lower = np.minimum(before, after)
        # A unit's gain changes only if it has the n-gram more often than the smaller number of uncovered occurrences.
        for i in np.flatnonzero((before != after) & (lower < self._max_count[grams])):
            entries = self._by_gram[self._starts[grams[i]] : self._starts[grams[i] + 1]]
            entries = entries[: np.searchsorted(-self._counts[entries], -lower[i])]
            counts = self._counts[entries]
            self.gains[self._rows[entries]] += np.minimum(counts, after[i]) - np.minimum(counts, before[i])

    def corrections(self, units: Integers, changes: Sequence[tuple[Integers, int]]) -> Integers:
        """The change of each unit's gain if it also adds (1) or removes (-1) these n-grams, one of each kind per unit.

        An n-gram of -1 means none. An n-gram that is added twice, or added and removed, counts once with the sum.
        """
        total = np.zeros_like(units)
        for place, (grams, _) in enumerate(changes):
            first = grams >= 0
            for earlier, _ in changes[:place]:
                first &= grams != earlier
            alone = self._extract[grams] + self._count(units, grams)
            together = alone + sum(sign * (grams == others) for others, sign in changes)
            limit = self._reference[grams]
            total += np.where(first, np.minimum(together, limit) - np.minimum(alone, limit), 0)
        return total

    def _count(self, units: Integers, grams: Integers) -> Integers:
        """How often each unit has an n-gram, one n-gram per unit."""
        if not self._codes.size:
            return np.zeros_like(units)
        codes = units * self._reference.size + grams
        places = np.minimum(np.searchsorted(self._codes, codes), self._codes.size - 1)
        return np.where(self._codes[places] == codes, self._counts[places], 0)


class _Overlap:
    """Unigrams and bigrams that a growing extract shares with the reference, and what each unit would add.

    Words are ids in the reference's vocabulary, bigrams are ids among the reference's bigrams; -1 stands for everything
    that the reference does not contain.
    """

    def __init__(self, texts: Sequence[str], reference: str, tokenizer_name: str) -> None:
        tokenize = tokenizer(tokenizer_name)
        tokens = tokenize(reference)
        ids = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        summary = np.array([ids[token] for token in tokens], dtype=np.int64)
        self._vocabulary = len(ids)
        self._bigram_codes, bigram_counts = np.unique(summary[:-1] * self._vocabulary + summary[1:], return_counts=True)
        self._reference = len(tokens)

        by_unit = [[ids.get(token, -1) for token in tokenize(text)] for text in texts]
        self._lengths = np.array([len(unit) for unit in by_unit], dtype=np.int64)
        flat = np.array([number for unit in by_unit for number in unit], dtype=np.int64)
        unit_of = np.repeat(np.arange(len(texts)), self._lengths)
        known = flat >= 0
        self._words = _NGrams(np.bincount(summary, minlength=1), unit_of[known], flat[known], len(texts))
        # Bigrams within units only: those across units depend on the extract and are kept in `_joints`.
        bigrams = np.where(unit_of[:-1] == unit_of[1:], self._bigram_ids(flat[:-1], flat[1:]), -1)
        known = bigrams >= 0
        self._bigrams = _NGrams(bigram_counts, unit_of[:-1][known], bigrams[known], len(texts))

        self._is_left = self._lengths > 0  # a unit without words is never taken
        ends = np.cumsum(self._lengths)[self._is_left]
        self._first, self._last = np.full((2, len(texts)), -1)
        self._first[self._is_left] = flat[ends - self._lengths[self._is_left]]
        self._last[self._is_left] = flat[ends - 1]
        # For each unit, the bigrams at its neighbours that inserting it would add or remove, as in `_JOINTS`.
        self._joints = np.full((len(_JOINTS), len(texts)), -1)
        self._is_joined = np.zeros(len(texts), dtype=np.bool_)
        self._taken: list[int] = []
        self._tokens = 0

    def recall_per_word(self, costs: Floats | Integers) -> Floats:
        """The gain of each unit in ½ (ROUGE-1 recall + ROUGE-2 recall), divided by its cost in words."""
        words = self._words.gains / max(1, self._reference)
        return self._with_joints(lambda bigrams: 0.5 * (words + bigrams / max(1, self._reference - 1)) / costs)

    def objective(self) -> Floats:
        """½ (ROUGE-1 F1 + ROUGE-2 F1) of the extract with each unit added; 0 for units already taken."""
        words, hits = self._words.hits + self._words.gains, self._bigrams.hits
        tokens = self._tokens + self._lengths
        return self._with_joints(lambda bigrams: self._mean_f1(words, hits + bigrams, tokens))

    @property
    def value(self) -> float:
        """½ (ROUGE-1 F1 + ROUGE-2 F1) of the current extract."""
        counts = (self._words.hits, self._bigrams.hits, self._tokens)
        return float(self._mean_f1(*(np.array([count]) for count in counts))[0])

    def take(self, unit: int) -> None:
        """Add a unit to the extract."""
        for bigram, by in zip(self._joints[:, unit], _JOINTS, strict=True):
            if bigram >= 0:
                self._bigrams.change(bigram[None], by)
        self._words.take(unit)
        self._bigrams.take(unit)
        place = bisect(self._taken, unit)
        self._join(self._taken[place - 1] if place else None, unit)
        self._join(unit, self._taken[place] if place < len(self._taken) else None)
        self._taken.insert(place, unit)
        self._is_left[unit] = False
        self._tokens += int(self._lengths[unit])

    def _with_joints(self, value: Callable[[Integers], Floats]) -> Floats:
        """The values of all units by their gains in bigrams, those with their neighbours included.

        A unit forms at most two bigrams with its neighbours. If even this upper bound does not reach the best unit
        without any, the exact number is not computed: the unit's value is then too high, but never the highest.
        """
        bigrams = self._bigrams.gains + _MAX_JOINED * self._is_joined
        bounds = np.where(self._is_left, value(bigrams), 0.0)
        contenders = np.flatnonzero(self._is_joined & (bounds >= np.max(bounds, where=~self._is_joined, initial=0.0)))
        changes = list(zip(self._joints[:, contenders], _JOINTS, strict=True))
        bigrams[contenders] += self._bigrams.corrections(contenders, changes) - _MAX_JOINED
        return np.where(self._is_left, value(bigrams), 0.0)

    def _join(self, before: int | None, after: int | None) -> None:
        """Update the joints of all units that lie between two neighbours in the extract."""
        between = slice(0 if before is None else before + 1, after)
        last = np.int64(-1 if before is None else self._last[before])
        first = np.int64(-1 if after is None else self._first[after])
        self._joints[0, between] = self._bigram_ids(last, self._first[between])
        self._joints[1, between] = self._bigram_ids(self._last[between], first)
        self._joints[2, between] = self._bigram_ids(last, first)
        self._is_joined[between] = (self._joints[:, between] >= 0).any(axis=0)

    def _mean_f1(self, words: Integers, bigrams: Integers, tokens: Integers) -> Floats:
        return 0.5 * (_f1(words, tokens, self._reference) + _f1(bigrams, tokens - 1, self._reference - 1))

    def _bigram_ids(self, left: Integers | np.int64, right: Integers | np.int64) -> Integers:
        """The ids of bigrams; -1 for those that the reference does not contain."""
        codes = np.asarray(left * self._vocabulary + right)
        if not self._bigram_codes.size:
            return np.full_like(codes, -1)
        places = np.minimum(np.searchsorted(self._bigram_codes, codes), self._bigram_codes.size - 1)
        known = (left >= 0) & (right >= 0) & (self._bigram_codes[places] == codes)
        return np.where(known, places, -1)


def _f1(hits: Integers, candidate: Integers, reference: int) -> Floats:
    """F1 computed with the same floating-point operations as `rouge-score`, so that ties are broken alike."""
    precision = hits / np.maximum(candidate, 1)
    recall = hits / max(reference, 1)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
