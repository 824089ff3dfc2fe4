"""The decoder: probabilities of units → the provisions of a summary, within a word budget.

One sequence of steps is decoded for an act and its scores, whatever the length; a summary is the longest prefix that
fits. So a longer summary always contains a shorter one.

Each step greedily adds the candidate with the highest gain, together with everything it depends on. The gain is the
expected number of words that an editor would take, per word: higher if its chapter is not represented yet, lower if it
repeats another candidate or refers to articles that are not shown. Candidates with a role (aim, scope, date, repeal)
are added as soon as the summary is long enough for them. So that summaries of common lengths are full, a step that
would exceed such a length waits if another one is almost as good and fits.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice.act.document import Act
from lexlattice.reading.article_references import article_references
from lexlattice.reading.roles import application_units
from lexlattice.selection.budget import Budget
from lexlattice.selection.candidates import MAX_DEPENDENCIES, Candidates, is_eligible, is_meaningful, is_selectable
from lexlattice.selection.options import FOCUSES
from lexlattice.selection.redundancy import Redundancy
from lexlattice.selection.roles import roles_of

Floats = NDArray[np.float64]

_COMMON_LENGTHS: Final = (50, 100, 150, 200, 300, 400, 500, 600, 700, 800)
"""Lengths of summaries, in words, at which as little as possible is left empty."""
_INTERVAL: Final = 100
"""Beyond these and the named lengths, one every N words, or every fiftieth of the length if that is more."""
_CLOSE: Final = 0.15
"""A common length is dropped if a named one is nearer than this share of it."""
_FILL: Final = 0.8
"""A candidate that fits before a common length is preferred if it has this share of the best gain."""
_TRIED: Final = 500
"""How many candidates are tried at most to find one that fits, whatever the size of the act."""
APPLICATION_WORDS: Final = 400
"""The most words of all that says from when an act applies; what belongs together of it is never split."""
_MARGIN: Final = 0.1
"""Up to this share of a common length may stay empty."""
_EMPTY: Final = 3.0
"""Beyond the margin, `_FILL` falls by this factor times the empty share."""
_MINIMUM_GAIN: Final = 1e-9
_FULL: Final = 8
"""A summary with room for fewer words is full."""
_RESERVED: Final = 0.2
"""Up to this share of the next common length is reserved for a role that is due."""
_SHORT_BONUS: Final = 5.0
"""Words added to the length of each unit: of two units with the same probability, the shorter one says more."""
_NEW_CHAPTER: Final = 1.15
_REPEATED: Final = 0.3
_POINTED_AT: Final = 1.5
"""Factor for a provision that a selected one points ahead to, as a rule does to its exception."""
_REFERS_ELSEWHERE: Final = 0.92
"""Factor for each article, two at most, that a candidate refers to and that is not shown."""
_SECTION_WEIGHTS: Final = {"recitals": 0.5, "annex": 0.8}
"""Where an act has articles, its recitals and annexes count less."""
_QUOTED: Final = 0.7
"""The weight of text that an act inserts into another one."""


class Choice(NamedTuple):
    """The units that the decoder selected."""

    steps: tuple[tuple[int, ...], ...]
    """The units that were added together, step by step, the most important first."""

    @property
    def units(self) -> tuple[int, ...]:
        """The indexes of all selected units, in document order."""
        return tuple(sorted(unit for step in self.steps for unit in step))


NOTHING: Final = Choice(())


def choose(act: Act, scores: ArrayLike, words: int, focus: str = "all", due: Mapping[int, int] | None = None) -> Choice:
    """Select the provisions of an act that a summary of at most N words should contain.

    Args:
        act: The act.
        scores: For each unit the probability that an editor would take it.
        words: The length; if the act is not longer, everything that can be cited is selected.
        focus: One of `FOCUSES`.
        due: Units that a choice of a certain number of words, and any longer one, contains if they fit into it.

    Returns:
        Whole units, with everything they depend on. Of two lengths with the same act, scores, focus and due units, the
        longer choice contains the shorter one, step by step.

    Raises:
        ValueError: If there is not one finite score for each unit, no such focus, or the length is negative.

    """
    known = np.asarray(scores, dtype=np.float64)
    if known.shape != (len(act),):
        raise ValueError(f"{len(act)} units need one score each, not an array of shape {known.shape}")
    if not np.isfinite(known).all():
        raise ValueError("a score is not a finite number")
    if words < 0:
        raise ValueError(f"a summary cannot have {words} words")
    if focus not in FOCUSES:
        raise ValueError(f"there is no focus {focus!r}; choose one of {FOCUSES}")
    if not len(act):
        return NOTHING
    steps, left = [], words
    whole = words >= act.words
    for step in decode(act, known, focus, due):
        cost = sum(act.units[unit].words for unit in step)
        if cost > left and not whole:
            break
        left -= cost
        steps.append(step)
    if whole:
        selected = {unit for step in steps for unit in step}
        steps += [(unit,) for unit in np.flatnonzero(is_selectable(act, focus)).tolist() if unit not in selected]
    return Choice(tuple(steps))


def decode(
    act: Act, scores: Floats, focus: str = "all", due: Mapping[int, int] | None = None
) -> Iterator[tuple[int, ...]]:
    """Yield the steps of the decoder, the most important first, until nothing is left that a summary may contain."""
    decoder, lengths = _GreedyDecoder(act, scores, focus), _lengths(act.words)
    deadlines = sorted((words, int(decoder.candidates.of_unit[unit])) for unit, words in (due or {}).items())
    length, after = next(lengths), next(lengths)
    while not decoder.is_done:
        room, later = length - decoder.words, after - decoder.words
        step = decoder.next(room, later) if room >= _FULL else None
        if step is not None:
            yield decoder.take(decoder.overdue(deadlines, step.words) or step)
        else:
            length, after = after, next(lengths)


class _Step(NamedTuple):
    """A candidate with its dependencies, their gain, and their words."""

    gain: float
    candidates: list[int]
    words: int


class _GreedyDecoder:
    """The state of a summary that is being decoded."""

    def __init__(self, act: Act, scores: Floats, focus: str) -> None:
        application = application_units(act, APPLICATION_WORDS)
        eligible = is_eligible(act, focus)
        self.candidates = candidates = Candidates(act, scores, eligible, application)
        of_unit, size = candidates.of_unit, len(candidates)
        # bincount sums over the units of each candidate: possible if all are eligible, allowed if one is meaningful.
        possible = np.bincount(of_unit, ~eligible, size) == 0
        meaningful = eligible & is_meaningful(act, candidates.leads)
        allowed = possible & (np.bincount(of_unit, meaningful, size) > 0)
        self._possible: list[bool] = possible.tolist()
        self._allowed: list[bool] = allowed.tolist()
        values = np.bincount(of_unit, _values(act, scores), size)
        density = values / np.maximum(candidates.words, 1)
        # Lists from here on: their elements are read one by one, which takes arrays several times as long.
        self._values: list[float] = values.tolist()
        self._words: list[int] = candidates.words.tolist()
        self._sections = [act.units[members[0]].section for members in candidates.members]
        self._chapters = [act.sections[section].enclosing[:1] for section in self._sections]
        self._chapters_shown: set[tuple[str, ...]] = set()
        self._sections_shown: set[int] = set()
        self._selected = [False] * size
        self._pointed_at: set[int] = set()
        self._dependants: dict[int, set[int]] = {}
        self._refers_to: dict[int, set[int]] = {}
        references = article_references(act)
        for place, section in zip(references.units.tolist(), references.pairs[:, 1].tolist(), strict=True):
            self._refers_to.setdefault(int(of_unit[place]), set()).add(section)
        self._redundancy = Redundancy(act, candidates)
        self._roles = roles_of(act, candidates, density, self._allowed, application)
        # A heap of upper bounds (lazy greedy): gains only fall as a summary grows, except for those that `take` pushes
        # again, so the top of the heap is evaluated and pushed back only if it has fallen below the next one.
        bounds = (-_NEW_CHAPTER * density[allowed]).tolist()
        self._heap = list(zip(bounds, np.flatnonzero(allowed).tolist(), strict=True))
        heapq.heapify(self._heap)
        self.words = 0

    def next(self, room: int, later: int) -> _Step | None:
        """The role that is due, or the best step, or another one almost as good that fits into `room` words.

        `later` is the room up to the next common length; what comes before a role leaves enough of it.
        """
        due = self._due()
        if due is not None and due.words <= room:
            return due
        if due is not None and due.words <= _RESERVED * (self.words + later):
            room = min(room, later - due.words)
        least, aside, seen, found = 0.0, list[tuple[float, int]](), set[int](), None
        while found is None and self._heap and -self._heap[0][0] >= least and len(aside) < _TRIED:
            known, candidate = heapq.heappop(self._heap)
            if self._selected[candidate] or candidate in seen:
                continue
            if least and self._words[candidate] > room:
                seen.add(candidate)
                aside.append((known, candidate))
                continue
            step = self._step(candidate)
            if step.gain <= 0:
                continue
            if step.gain < -known and self._heap and -self._heap[0][0] > step.gain:
                heapq.heappush(self._heap, (-step.gain, candidate))  # its gain has fallen since it was pushed
                continue
            seen.add(candidate)
            aside.append((-step.gain, candidate))
            least = least or self._least_share(room) * step.gain  # the first evaluated candidate is the best one
            found = step if step.words <= room else None
        for entry in aside:
            heapq.heappush(self._heap, entry)
        return found

    def overdue(self, deadlines: list[tuple[int, int]], words: int) -> _Step | None:
        """The first step that would miss its deadline if another one of N words came before it.

        A deadline that cannot be met any more, because of those before it, is as early as possible instead.

        Args:
            deadlines: For each candidate that is due the length by which it should be selected, the earliest first.
            words: The length of the other step.

        """
        first, before = None, self.words
        for deadline, candidate in deadlines:
            if self._selected[candidate]:
                continue
            step = self._step(candidate)
            if step.gain <= 0:
                continue  # it may not be selected
            first = first or step
            before += step.words
            if before + words > deadline:  # also if it was missed already
                return first
        return None

    def _least_share(self, room: int) -> float:
        """The share of the best gain that is enough for a step that fits."""
        empty = room / max(1, self.words + room)
        return max(_FILL - _EMPTY * max(0.0, empty - _MARGIN), _MINIMUM_GAIN)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to add."""
        return not self._heap

    def take(self, step: _Step) -> tuple[int, ...]:
        """Add a step to the summary and return its units."""
        again: set[int] = set()
        for candidate in step.candidates:
            self._selected[candidate] = True
            self._redundancy.add(candidate)
            self._chapters_shown.add(self._chapters[candidate])
            self._sections_shown.add(self._sections[candidate])
            ahead = self.candidates.points_ahead_to(candidate)
            again |= self._dependants.pop(candidate, set()) | ahead
            self._pointed_at |= ahead
        self.words += step.words
        # What depends on the step, or is pointed at by it, gains now: its upper bound in the heap is too low.
        for candidate in again:
            if self._allowed[candidate] and not self._selected[candidate]:
                heapq.heappush(self._heap, (-self._step(candidate).gain, candidate))
        return tuple(sorted(place for candidate in step.candidates for place in self.candidates.members[candidate]))

    def _step(self, candidate: int) -> _Step:
        """A candidate with its open dependencies; its gain is 0 if they are too many or may not be selected."""
        together = self.candidates.with_dependencies(candidate, self._selected)
        words = sum([self._words[member] for member in together])
        for member in together[1:]:
            self._dependants.setdefault(member, set()).add(candidate)
        if len(together) > MAX_DEPENDENCIES or not all(map(self._possible.__getitem__, together)):
            return _Step(0.0, together, words)
        gain = sum([self._values[member] for member in together]) / max(1, words)
        gain *= 1 if self._chapters[candidate] in self._chapters_shown else _NEW_CHAPTER
        gain *= _POINTED_AT if candidate in self._pointed_at else 1
        gain *= 1 - _REPEATED * self._redundancy.of(candidate)
        if (elsewhere := self._refers_to.get(candidate)) is not None:
            gain *= _REFERS_ELSEWHERE ** min(2, len(elsewhere - self._sections_shown))
        return _Step(gain, together, words)

    def _due(self) -> _Step | None:
        """The first role that the summary is long enough for by now."""
        for role in self._roles:
            is_shown = role.chapter and role.chapter in self._chapters_shown
            if not self._selected[role.candidate] and not is_shown:
                step = self._step(role.candidate)
                if step.gain > 0 and step.words <= role.share * max(role.length, self.words + step.words):
                    return step
        return None


def _values(act: Act, scores: Floats) -> Floats:
    """What each unit would add to an empty summary: its expected words, weighted by where it stands."""
    has_articles = any(section.kind == "article" for section in act.sections)
    weights = _SECTION_WEIGHTS if has_articles else {}
    factors = [weights.get(section.kind, 1.0) for section in act.sections for _ in section.units]
    quoted = [_QUOTED if ".q" in unit.provision else 1.0 for unit in act.units]
    words = np.array([unit.words for unit in act.units], np.float64)
    return np.asarray(np.maximum(scores, 0) * (words + _SHORT_BONUS) * np.array(factors) * np.array(quoted))


def _lengths(words: int) -> Iterator[int]:
    """The lengths at which a summary should be full: common ones and the named ones of an act of N words."""
    named = {Budget(name).of(words) for name in ("medium", "long")}
    common = {length for length in _COMMON_LENGTHS if all(abs(length - other) > _CLOSE * other for other in named)}
    every = sorted(named | common)
    yield from every
    length = every[-1]
    while True:
        length += max(_INTERVAL, length // 50)
        yield length
