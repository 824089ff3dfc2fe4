"""The extract that a reference summary would choose, unit by unit: what a scorer is trained on, and its upper bound.

`greedy` is the paper's: the unit that raises ½ (ROUGE-1 F1 + ROUGE-2 F1) most comes next, until none raises it or
forty are taken. It prefers long units. `budgeted`, the default, takes the largest gain for each word spent, and stops
at the reference's length. Both count what a straightforward loop would count by scoring the text of every possible
next extract, pairs of words across neighbouring units included, but they keep the counts instead of making them anew.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Unit
from lexlattice.errors import LexLatticeError
from lexlattice.tokens import tokenizer

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

OBJECTIVES: Final = ("budgeted", "greedy")

_JOINTS: Final = (1, 1, -1)
"""A unit put between two others makes a pair of words with each, and parts the pair they made."""


class Choice(NamedTuple):
    """The units an oracle took, as indices in the order it took them, and its objective after each."""

    order: tuple[int, ...]
    objective: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Oracle:
    """Which oracle, and how it counts."""

    objective: str = "budgeted"
    cap: int = 40
    """The most units `greedy` takes."""
    tokenizer: str = "unicode"
    whole: bool = True
    """Whether `budgeted` takes only units that fit whole, or goes on until the budget is reached."""

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise LexLatticeError(f"There is no oracle '{self.objective}'; choose one of: {', '.join(OBJECTIVES)}.")

    def choose(self, units: Sequence[Unit], reference: str, words: int | None = None) -> Choice:
        """The units to take; `words` is the budget of `budgeted`, the reference's length if nothing is said."""
        overlap = _Overlap([unit.text for unit in units], reference, self.tokenizer)
        if self.objective == "greedy":
            return _greedy(overlap, self.cap)
        budget = len(reference.split()) if words is None else words
        return _budgeted(overlap, np.array([unit.words for unit in units], dtype=np.int64), budget, self.whole)


def _greedy(overlap: _Overlap, cap: int) -> Choice:
    order: list[int] = []
    values: list[float] = []
    best = 0.0
    while len(order) < cap and overlap.candidates.size:
        objective = overlap.objective(*overlap.gains())
        place = int(np.argmax(objective))
        if not objective[place] > best:
            break
        order.append(overlap.take(place))
        best = overlap.value
        values.append(best)
    return Choice(tuple(order), tuple(values))


def _budgeted(overlap: _Overlap, words: Integers, budget: int, whole: bool) -> Choice:
    """The gain is in recall: with the length given, that is what F1 rests on, and it hardly ever falls."""
    order: list[int] = []
    values: list[float] = []
    while overlap.candidates.size and budget > 0:
        costs = words[overlap.candidates]
        allowed = costs <= budget if whole else True
        per_word = np.where(allowed, overlap.recall(*overlap.gains()) / costs, 0.0)
        place = int(np.argmax(per_word))
        if not per_word[place] > 0:
            break
        budget -= int(costs[place])
        order.append(overlap.take(place))
        values.append(overlap.value)
    return Choice(tuple(order), tuple(values))


class _Grams:
    """How often each unit has each gram of the reference, and how often the extract has it by now."""

    def __init__(self, reference: Integers, units: Integers, grams: Integers, height: int) -> None:
        """`reference` has its count of each gram; `units` and `grams` say what occurs where, gram by gram."""
        self._reference = reference
        self._extract = np.zeros_like(reference)
        self._codes, self._counts = np.unique(units * reference.size + grams, return_counts=True)
        self._rows, self._columns = np.divmod(self._codes, max(1, reference.size))
        self._height = height

    @property
    def hits(self) -> int:
        """What the extract shares with the reference."""
        return int(np.minimum(self._extract, self._reference).sum())

    def gains(self) -> Integers:
        """How much each unit would add to that by itself."""
        missing = np.maximum(0, self._reference - self._extract)
        found = np.minimum(self._counts, missing[self._columns])
        return np.bincount(self._rows, weights=found, minlength=self._height).astype(np.int64)

    def corrections(self, units: Integers, changes: Sequence[tuple[Integers, int]]) -> Integers:
        """What is to be added to the gains of units if each also brings these grams, once (1), or removes them (-1).

        A gram of -1 is none. Grams that are brought twice, or brought and removed, count together.
        """
        total = np.zeros_like(units)
        for place, (grams, _) in enumerate(changes):
            first = grams >= 0
            for earlier, _ in changes[:place]:
                first &= grams != earlier
            by_itself = self._extract[grams] + self._count(units, grams)
            together = by_itself + sum(sign * (grams == others) for others, sign in changes)
            limit = self._reference[grams]
            total += np.where(first, np.minimum(together, limit) - np.minimum(by_itself, limit), 0)
        return total

    def _count(self, units: Integers, grams: Integers) -> Integers:
        """How often each unit has a gram."""
        if not self._codes.size:
            return np.zeros_like(units)
        codes = units * self._reference.size + grams
        places = np.minimum(np.searchsorted(self._codes, codes), self._codes.size - 1)
        return np.where(self._codes[places] == codes, self._counts[places], 0)

    def add(self, unit: int) -> None:
        """Put a unit into the extract."""
        entries = slice(*np.searchsorted(self._rows, (unit, unit + 1)))
        self._extract[self._columns[entries]] += self._counts[entries]

    def change(self, gram: int, by: int) -> None:
        """Put a single gram into the extract, or take it out."""
        if gram >= 0:
            self._extract[gram] += by


class _Overlap:
    """What a growing extract shares with the reference, and what each unit would add.

    Words and pairs are numbers: a word its place in the reference's vocabulary, a pair its place among the reference's
    pairs, and -1 whatever the reference does not have.
    """

    def __init__(self, texts: Sequence[str], reference: str, tokenizer_name: str) -> None:
        tokenize = tokenizer(tokenizer_name)
        tokens = tokenize(reference)
        numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        summary = np.array([numbers[token] for token in tokens], dtype=np.int64)
        self._vocabulary = len(numbers)
        self._pair_codes, pair_counts = np.unique(summary[:-1] * self._vocabulary + summary[1:], return_counts=True)
        self._reference = len(tokens)

        by_unit = [[numbers.get(token, -1) for token in tokenize(text)] for text in texts]
        self._lengths = np.array([len(unit) for unit in by_unit], dtype=np.int64)
        flat = np.array([number for unit in by_unit for number in unit], dtype=np.int64)
        unit_of = np.repeat(np.arange(len(texts)), self._lengths)
        known = flat >= 0
        self._words = _Grams(np.bincount(summary, minlength=1), unit_of[known], flat[known], len(texts))
        pairs = np.where(unit_of[:-1] == unit_of[1:], self._pairs_of(flat[:-1], flat[1:]), -1)
        known = pairs >= 0
        self._pairs = _Grams(pair_counts, unit_of[:-1][known], pairs[known], len(texts))

        self.candidates = np.flatnonzero(self._lengths)
        """The units that can still be taken; those without a word never can."""
        ends = np.cumsum(self._lengths)[self.candidates]
        self._first, self._last = np.full((2, len(texts) + 1), -1)  # and one more, for no neighbour
        self._first[self.candidates] = flat[ends - self._lengths[self.candidates]]
        self._last[self.candidates] = flat[ends - 1]
        self._taken: list[int] = []
        self._tokens = 0

    def recall(self, words: Integers, pairs: Integers) -> Floats:
        """Gains as parts of ½ (ROUGE-1 recall + ROUGE-2 recall)."""
        return 0.5 * (words / max(1, self._reference) + pairs / max(1, self._reference - 1))

    def objective(self, words: Integers, pairs: Integers) -> Floats:
        """½ (ROUGE-1 F1 + ROUGE-2 F1) of the extract with each candidate, given their gains."""
        return self._mean_f1(
            self._words.hits + words, self._pairs.hits + pairs, self._tokens + self._lengths[self.candidates]
        )

    @property
    def value(self) -> float:
        """The same of the extract as it is."""
        counts = (self._words.hits, self._pairs.hits, self._tokens)
        return float(self._mean_f1(*(np.array([count]) for count in counts))[0])

    def _mean_f1(self, words: Integers, pairs: Integers, tokens: Integers) -> Floats:
        return 0.5 * (_f1(words, tokens, self._reference) + _f1(pairs, tokens - 1, self._reference - 1))

    def gains(self) -> tuple[Integers, Integers]:
        """How many words and pairs of the reference each candidate would add."""
        words = self._words.gains()[self.candidates]
        pairs = self._pairs.gains()[self.candidates]
        joints = self._joints(self.candidates)
        (touched,) = np.nonzero((joints >= 0).any(axis=0))
        changes = list(zip(joints[:, touched], _JOINTS, strict=True))
        pairs[touched] += self._pairs.corrections(self.candidates[touched], changes)
        return words, pairs

    def take(self, place: int) -> int:
        """Put the candidate at this place into the extract, and say which unit it is."""
        unit = int(self.candidates[place])
        for pair, by in zip(self._joints(self.candidates[place : place + 1])[:, 0], _JOINTS, strict=True):
            self._pairs.change(int(pair), by)
        self._words.add(unit)
        self._pairs.add(unit)
        insort(self._taken, unit)
        self._tokens += int(self._lengths[unit])
        self.candidates = np.delete(self.candidates, place)
        return unit

    def _joints(self, units: Integers) -> Integers:
        """The two pairs that each unit would make with its neighbours in the extract, and the one it would part."""
        taken = np.array([*self._taken, -1], dtype=np.int64)
        places = np.searchsorted(taken[:-1], units)
        before, after = self._last[taken[places - 1]], self._first[taken[places]]
        first, last = self._first[units], self._last[units]
        return self._pairs_of(np.stack([before, last, before]), np.stack([first, after, after]))

    def _pairs_of(self, left: Integers, right: Integers) -> Integers:
        """The numbers of pairs of words."""
        if not self._pair_codes.size:
            return np.full_like(left, -1)
        codes = left * self._vocabulary + right
        places = np.minimum(np.searchsorted(self._pair_codes, codes), self._pair_codes.size - 1)
        known = (left >= 0) & (right >= 0) & (self._pair_codes[places] == codes)
        return np.where(known, places, -1)


def _f1(hits: Integers, candidate: Integers, reference: int) -> Floats:
    """As `rouge-score` computes it, operation by operation, so that ties fall alike."""
    precision = hits / np.maximum(candidate, 1)
    recall = hits / max(reference, 1)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
