"""The extract that a reference summary would choose, unit by unit: what a scorer learns from and is measured against.

`greedy` is the paper's: the unit that raises ½ (ROUGE-1 F1 + ROUGE-2 F1) most comes next, until none raises it or
forty are taken. It prefers long units. `budgeted`, the default, takes the largest gain for each word spent, and stops
at the reference's length. Both count what a straightforward loop would count by scoring the text of every possible
next extract, pairs of words across neighbouring units included, but they keep the counts instead of making them anew.
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
from lexlattice.errors import LexLatticeError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

OBJECTIVES: Final = ("budgeted", "greedy")

_JOINTS: Final = (1, 1, -1)
"""A unit put between two others makes a pair of words with each, and parts the pair they made."""
_MOST_JOINED: Final = 2


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
    """The gain is in recall: with the length given, that is what F1 rests on, and it hardly ever falls."""
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


class _Grams:
    """How often each unit has each gram of the reference, how often the extract has it by now, and what is to gain.

    A gain changes only when the reference has less left of a gram than a unit has of it. So the entries of a gram are
    kept by falling count, and taking all units costs no more than going through their words once.
    """

    def __init__(self, reference: Integers, units: Integers, grams: Integers, height: int) -> None:
        """`reference` has its count of each gram; `units` and `grams` say what occurs where, gram by gram."""
        self._reference = reference
        self._extract = np.zeros_like(reference)
        self._codes, self._counts = np.unique(units * reference.size + grams, return_counts=True)
        self._rows, self._columns = np.divmod(self._codes, max(1, reference.size))
        self._by_gram = np.lexsort((-self._counts, self._columns))
        self._starts = np.searchsorted(self._columns[self._by_gram], np.arange(reference.size + 1))
        self._most = np.zeros_like(reference)
        np.maximum.at(self._most, self._columns, self._counts)
        found = np.minimum(self._counts, reference[self._columns])
        self.gains: Integers = np.bincount(self._rows, weights=found, minlength=height).astype(np.int64)
        """How much each unit would add by itself to what the extract shares with the reference."""

    @property
    def hits(self) -> int:
        """What the extract shares with the reference."""
        return int(np.minimum(self._extract, self._reference).sum())

    def take(self, unit: int) -> None:
        """Put a unit into the extract."""
        entries = slice(*np.searchsorted(self._rows, (unit, unit + 1)))
        self.change(self._columns[entries], self._counts[entries])

    def change(self, grams: Integers, by: Integers | int) -> None:
        """Put different grams into the extract, each so many times more."""
        before = np.maximum(0, self._reference[grams] - self._extract[grams])
        self._extract[grams] += by
        after = np.maximum(0, self._reference[grams] - self._extract[grams])
        lower = np.minimum(before, after)
        for i in np.flatnonzero((before != after) & (lower < self._most[grams])):
            entries = self._by_gram[self._starts[grams[i]] : self._starts[grams[i] + 1]]
            entries = entries[: np.searchsorted(-self._counts[entries], -lower[i])]
            counts = self._counts[entries]
            self.gains[self._rows[entries]] += np.minimum(counts, after[i]) - np.minimum(counts, before[i])

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

        self._is_left = self._lengths > 0  # a unit without a word is never taken
        ends = np.cumsum(self._lengths)[self._is_left]
        self._first, self._last = np.full((2, len(texts)), -1)
        self._first[self._is_left] = flat[ends - self._lengths[self._is_left]]
        self._last[self._is_left] = flat[ends - 1]
        self._joints = np.full((len(_JOINTS), len(texts)), -1)
        self._is_joined = np.zeros(len(texts), dtype=np.bool_)
        self._taken: list[int] = []
        self._tokens = 0

    def recall_per_word(self, costs: Floats | Integers) -> Floats:
        """What each unit would add to ½ (ROUGE-1 recall + ROUGE-2 recall) for each word that it costs."""
        words = self._words.gains / max(1, self._reference)
        return self._with_joints(lambda pairs: 0.5 * (words + pairs / max(1, self._reference - 1)) / costs)

    def objective(self) -> Floats:
        """½ (ROUGE-1 F1 + ROUGE-2 F1) of the extract with each unit; nothing once it is taken."""
        words, hits = self._words.hits + self._words.gains, self._pairs.hits
        tokens = self._tokens + self._lengths
        return self._with_joints(lambda pairs: self._mean_f1(words, hits + pairs, tokens))

    @property
    def value(self) -> float:
        """The same of the extract as it is."""
        counts = (self._words.hits, self._pairs.hits, self._tokens)
        return float(self._mean_f1(*(np.array([count]) for count in counts))[0])

    def take(self, unit: int) -> None:
        """Put a unit into the extract."""
        for pair, by in zip(self._joints[:, unit], _JOINTS, strict=True):
            if pair >= 0:
                self._pairs.change(pair[None], by)
        self._words.take(unit)
        self._pairs.take(unit)
        place = bisect(self._taken, unit)
        self._join(self._taken[place - 1] if place else None, unit)
        self._join(unit, self._taken[place] if place < len(self._taken) else None)
        self._taken.insert(place, unit)
        self._is_left[unit] = False
        self._tokens += int(self._lengths[unit])

    def _with_joints(self, value: Callable[[Integers], Floats]) -> Floats:
        """The values of all units by their gains in pairs, those with their neighbours included.

        A unit makes two more pairs at most. Where even these would not lift it to the best of those that make none,
        they are not counted out: such a unit's value is too high, but never the highest.
        """
        pairs = self._pairs.gains + _MOST_JOINED * self._is_joined
        hopes = np.where(self._is_left, value(pairs), 0.0)
        contenders = np.flatnonzero(self._is_joined & (hopes >= np.max(hopes, where=~self._is_joined, initial=0.0)))
        changes = list(zip(self._joints[:, contenders], _JOINTS, strict=True))
        pairs[contenders] += self._pairs.corrections(contenders, changes) - _MOST_JOINED
        return np.where(self._is_left, value(pairs), 0.0)

    def _join(self, before: int | None, after: int | None) -> None:
        """Note what the units between two neighbours in the extract would join and part."""
        between = slice(0 if before is None else before + 1, after)
        last = np.int64(-1 if before is None else self._last[before])
        first = np.int64(-1 if after is None else self._first[after])
        self._joints[0, between] = self._pairs_of(last, self._first[between])
        self._joints[1, between] = self._pairs_of(self._last[between], first)
        self._joints[2, between] = self._pairs_of(last, first)
        self._is_joined[between] = (self._joints[:, between] >= 0).any(axis=0)

    def _mean_f1(self, words: Integers, pairs: Integers, tokens: Integers) -> Floats:
        return 0.5 * (_f1(words, tokens, self._reference) + _f1(pairs, tokens - 1, self._reference - 1))

    def _pairs_of(self, left: Integers | np.int64, right: Integers | np.int64) -> Integers:
        """The numbers of pairs of words."""
        codes = np.asarray(left * self._vocabulary + right)
        if not self._pair_codes.size:
            return np.full_like(codes, -1)
        places = np.minimum(np.searchsorted(self._pair_codes, codes), self._pair_codes.size - 1)
        known = (left >= 0) & (right >= 0) & (self._pair_codes[places] == codes)
        return np.where(known, places, -1)


def _f1(hits: Integers, candidate: Integers, reference: int) -> Floats:
    """As `rouge-score` computes it, operation by operation, so that ties fall alike."""
    precision = hits / np.maximum(candidate, 1)
    recall = hits / max(reference, 1)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
