"""Growing a summary: a sequence of steps, each the best that can be added to those before it.

A step is a bundle with all that it needs. Its gain is what editors would probably take of it, for each of its words:
more if its chapter has not been heard, less if it repeats another bundle or refers to articles that are not there.
Roles (aim, scope, date, repeal) come as soon as a summary is long enough for them. So that summaries of usual lengths
are full, a step that would go beyond such a length waits if there is another almost as good that does not.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.selection.budget import Budget
from lexlattice.selection.bundles import MOST, Bundles, speaking
from lexlattice.selection.dependencies import mentions_of
from lexlattice.selection.roles import applies_from, choosable, roles_of

# How much of a bundle is said by another one that is there already, by the words they share.

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_FEWEST: Final = 8
"""Bundles of fewer different words say too little to repeat another."""
_FROM: Final = 0.5
"""Up to this share, words are shared by chance."""
_FAR: Final = 4_000
"""Words of a summary, more than any length with a name has; what comes after them is not compared any more."""


class Overlap:
    """The words of what is chosen, as sets of bits, so that comparing two is one operation.

    Only words of what is chosen have a bit, and only so many words of it are compared: the cost of a bundle does not
    grow with the act.
    """

    def __init__(self, act: Act, bundles: Bundles) -> None:
        self._units, self._bundles = act.units, bundles
        self._places: dict[str, int] = {}
        self._known: dict[int, frozenset[str]] = {}
        self._chosen: list[int] = []
        self._length = 0
        self._seen: dict[int, tuple[int, float]] = {}

    def add(self, bundle: int) -> None:
        """The bundle is chosen."""
        if self._length < _FAR:
            self._length += int(self._bundles.words[bundle])
            places = self._places
            self._chosen.append(_bits([places.setdefault(word, len(places)) for word in self._words(bundle)]))

    def of(self, bundle: int) -> float:
        """From 0, nothing that counts, to 1, every word is in one chosen bundle."""
        compared, most = self._seen.get(bundle, (0, 0.0))
        if compared < len(self._chosen):
            words, places = self._words(bundle), self._places
            there = [places[word] for word in words if word in places]
            if len(words) >= _FEWEST and len(there) > max(_FROM, most) * len(words):
                bits = _bits(there)
                shared = max((bits & other).bit_count() for other in self._chosen[compared:])
                most = max(most, shared / len(words))
            self._seen[bundle] = len(self._chosen), most
        return max(0.0, (most - _FROM) / (1 - _FROM))

    def _words(self, bundle: int) -> frozenset[str]:
        found = self._known.get(bundle)
        if found is None:
            texts = (self._units[member].text.casefold() for member in self._bundles.members[bundle])
            found = self._known[bundle] = frozenset(word for text in texts for word in _WORD.findall(text))
        return found


def _bits(places: list[int]) -> int:
    """A set of places, as a number."""
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits


# Growing a summary: a sequence of steps, each the best that can be added to those before it.

Floats = NDArray[np.float64]

LENGTHS: Final = (50, 100, 150, 200, 300, 400, 500, 600, 700, 800)
"""Usual lengths of summaries, in words, at which nothing is left empty if it can be helped."""
_EACH: Final = 100
"""Beyond them and those that have a name, every so many words, or every fiftieth of the length if that is more."""
_CLOSE: Final = 0.15
"""A usual length that is nearer to a named one than this share of it gives way."""
_FILL: Final = 0.8
"""What fits before a usual length and has this share of the best step's gain comes before it."""
_TRIED: Final = 500
"""So many bundles are tried at most to find one that fits, however many an act has."""
_DATES: Final = 400
"""Words of all that says from when an act applies; what belongs together of it is never parted."""
_MARGIN: Final = 0.1
"""Up to this share of a usual length may stay empty."""
_EMPTY: Final = 3.0
"""Beyond that, so much less gain is enough for what is empty."""
_LEAST: Final = 1e-9
_ROOM: Final = 8
"""A summary that has room for fewer words is full."""
_RESERVED: Final = 0.2
"""Up to this share of the next usual length is kept free for a role that is due."""
_SHORT: Final = 5.0
"""Words that each unit counts beyond its own: of two units that are equally probable, the shorter one says more."""
_UNHEARD: Final = 1.15
_REPEATED: Final = 0.3
_POINTED_AT: Final = 1.5
"""How much more a provision gains once another is there that points ahead to it, as a rule does to its exception."""
_ELSEWHERE: Final = 0.92
"""How much of its gain a bundle keeps for each article, of two at most, that it refers to and nobody has heard of."""
_ASIDE: Final = {"recitals": 0.5, "annex": 0.8}
"""Where an act has articles, its recitals and annexes stand back."""
_QUOTED: Final = 0.7
"""What an act puts into another one stands back."""


class _Step(NamedTuple):
    """A bundle with all that it needs, what it gains, and its words."""

    gain: float
    bundles: list[int]
    words: int


class _Growth:
    """The state of a growing summary."""

    def __init__(self, act: Act, scores: Floats, focus: str) -> None:
        dates = applies_from(act, _DATES)
        may = choosable(act, focus)
        self.bundles = bundles = Bundles(act, scores, may, dates)
        of, size, first = bundles.of, len(bundles), [members[0] for members in bundles.members]
        self._possible = np.bincount(of, ~may, size) == 0
        self._allowed = self._possible & (np.bincount(of, may & speaking(act, bundles.leads), size) > 0)
        self._values = np.bincount(of, _values(act, scores), size)
        sections = [act.units[place].section for place in first]
        self._chapters = [act.sections[section].enclosing[:1] for section in sections]
        self._heard: set[tuple[str, ...]] = set()
        self._taken = [False] * size
        self._pointed_at: set[int] = set()
        self._dependants: dict[int, set[int]] = {}
        self._sections = sections
        self._shown: set[int] = set()
        self._refers: dict[int, set[int]] = {}
        for place, section in zip(*_mentioned(act), strict=True):
            self._refers.setdefault(int(of[place]), set()).add(section)
        self._overlap = Overlap(act, bundles)
        worth = self._values / np.maximum(bundles.words, 1)
        self._roles = roles_of(act, bundles, worth, self._allowed, dates)
        self._heap = [(-_UNHEARD * float(worth[bundle]), bundle) for bundle in np.flatnonzero(self._allowed).tolist()]
        heapq.heapify(self._heap)
        self.words = 0

    def next(self, room: int, later: int) -> _Step | None:
        """The role that is due, or the best step, or another almost as good: one that fits into so many words.

        `later` is the room for what does not fit now; what comes before a role leaves enough of it.
        """
        due = self._due()
        if due is not None and due.words <= room:
            return due
        if due is not None and due.words <= _RESERVED * (self.words + later):
            room = min(room, later - due.words)
        least, aside, seen, found = 0.0, list[tuple[float, int]](), set[int](), None
        while found is None and self._heap and -self._heap[0][0] >= least and len(aside) < _TRIED:
            known, bundle = heapq.heappop(self._heap)
            if self._taken[bundle] or bundle in seen:
                continue
            if least and self.bundles.words[bundle] > room:
                seen.add(bundle)
                aside.append((known, bundle))
                continue
            step = self._step(bundle)
            if step.gain <= 0:
                continue
            if step.gain < -known and self._heap and -self._heap[0][0] > step.gain:
                heapq.heappush(self._heap, (-step.gain, bundle))  # it was better when it was last looked at
                continue
            seen.add(bundle)
            aside.append((-step.gain, bundle))
            least = least or self._least(room) * step.gain
            found = step if step.words <= room else None
        for entry in aside:
            heapq.heappush(self._heap, entry)
        return found

    def _least(self, room: int) -> float:
        """The share of the best step's gain that is enough for one that fits."""
        empty = room / max(1, self.words + room)
        return max(_FILL - _EMPTY * max(0.0, empty - _MARGIN), _LEAST)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to add."""
        return not self._heap

    def take(self, step: _Step) -> tuple[int, ...]:
        """The units of a step, which are there from now on."""
        again: set[int] = set()
        for bundle in step.bundles:
            self._taken[bundle] = True
            self._overlap.add(bundle)
            self._heard.add(self._chapters[bundle])
            self._shown.add(self._sections[bundle])
            again |= self._dependants.pop(bundle, set()) | self.bundles.ahead(bundle)
            self._pointed_at |= self.bundles.ahead(bundle)
        self.words += step.words
        for bundle in again:
            if self._allowed[bundle] and not self._taken[bundle]:
                heapq.heappush(self._heap, (-self._step(bundle).gain, bundle))
        return tuple(sorted(place for bundle in step.bundles for place in self.bundles.members[bundle]))

    def _step(self, bundle: int) -> _Step:
        """A bundle with all it needs by now; without gain if that is too much, or some of it cannot be in a summary."""
        group = self.bundles.closure(bundle, self._taken)
        words = sum(int(self.bundles.words[member]) for member in group)
        for member in group[1:]:
            self._dependants.setdefault(member, set()).add(bundle)
        if len(group) > MOST or not all(self._possible[member] for member in group):
            return _Step(0.0, group, words)
        gain = sum(float(self._values[member]) for member in group) / max(1, words)
        gain *= 1 if self._chapters[bundle] in self._heard else _UNHEARD
        gain *= _POINTED_AT if bundle in self._pointed_at else 1
        gain *= 1 - _REPEATED * self._overlap.of(bundle)
        gain *= _ELSEWHERE ** min(2, len(self._refers.get(bundle, set()) - self._shown))
        return _Step(gain, group, words)

    def _due(self) -> _Step | None:
        """The first role that the summary is long enough for by now."""
        for role in self._roles:
            if not self._taken[role.bundle] and not (role.chapter and role.chapter in self._heard):
                step = self._step(role.bundle)
                if step.gain > 0 and step.words <= role.share * max(role.length, self.words + step.words):
                    return step
        return None


def grow(act: Act, scores: Floats, focus: str = "all") -> Iterator[tuple[int, ...]]:
    """Steps of units, the most important first, until nothing is left that a summary may have."""
    growth, lengths = _Growth(act, scores, focus), _lengths(act.words)
    length, after = next(lengths), next(lengths)
    while not growth.is_done:
        room, later = length - growth.words, after - growth.words
        step = growth.next(room, later) if room >= _ROOM else None
        if step is not None:
            yield growth.take(step)
        else:
            length, after = after, next(lengths)


def _mentioned(act: Act) -> tuple[list[int], list[int]]:
    """Units that refer to other articles of the act, and those articles, as sections."""
    mentions = mentions_of(act)
    return mentions.units.tolist(), mentions.pairs[:, 1].tolist()


def _values(act: Act, scores: Floats) -> Floats:
    """What each unit would add to a summary that has nothing yet."""
    has_articles = any(section.kind == "article" for section in act.sections)
    aside = _ASIDE if has_articles else {}
    factors = [aside.get(section.kind, 1.0) for section in act.sections for _ in section.units]
    quoted = [_QUOTED if ".q" in unit.provision else 1.0 for unit in act.units]
    words = np.array([unit.words for unit in act.units], np.float64)
    return np.asarray(np.maximum(scores, 0) * (words + _SHORT) * np.array(factors) * np.array(quoted))


def _lengths(words: int) -> Iterator[int]:
    """Usual lengths, and those that a summary of an act of so many words has by name."""
    named = {Budget(name).of(words) for name in ("auto", "long")}
    usual = {length for length in LENGTHS if all(abs(length - other) > _CLOSE * other for other in named)}
    every = sorted(named | usual)
    yield from every
    length = every[-1]
    while True:
        length += max(_EACH, length // 50)
        yield length
