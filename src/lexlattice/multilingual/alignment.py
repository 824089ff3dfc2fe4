"""Two versions of one act: which provisions of the one say what which of the other say.

A number that the act itself writes is believed. What the reader merely counted (indents, subparagraphs, recitals
without a number) is believed where both versions count alike, but not elsewhere: one line more or less shifts all that
follow. The rest is compared by what it says, in order, and stays unaligned where nothing is alike: no guess is made.
Nor is a number believed against texts that have nothing in common.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Unit
from lexlattice.multilingual.projection import by_share

Vectors = NDArray[np.float32]
Encode = Callable[[list[str]], Vectors]
"""A vector of length one for each text, alike where texts say the same in whatever language."""

ALIKE: Final = 0.5
"""Provisions less alike than this (cosine) are not aligned by likeness; `benchmarks/alignment.py` shows why."""
LONG: Final = 16
"""Provisions of one id are put to the test if one of them has as many words; shorter ones do not tell."""
LONGER: Final = 3
"""They are not the same if one is more than so many times as long as the other …"""
FOREIGN: Final = 0.1
"""… or if they are less alike than this …"""
DOUBTFUL: Final = 0.3
"""… or less alike than this where the versions do not count alike all around."""
JOINED: Final = 0.1
"""Two provisions correspond to one if together they are so much more alike than one of them."""
BAND: Final = 400
"""A provision is looked for so many places before and after the one that it would have if nothing were missing."""

_STEP: Final = (
    r"(?:q?pt-[^.~]+(?:\.\d+)*|(?:art|par|rec|part|title|chapter|section|subsection|anx|app|prot)(?:-[^.~]+)?)"
)
_WRITTEN: Final = re.compile(rf"{_STEP}(?:\.{_STEP})*")
"""Ids in which nothing is merely counted."""

Places = Sequence[int]
"""Some provisions of a version, each by how many stand before it."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which units of the target say what a unit of the source says."""

    pairs: Mapping[str, tuple[str, ...]]
    """For the id of each aligned unit of the source the ids of units of the target, in their order; at least one."""
    unaligned: tuple[str, ...]
    """The ids of all other units of the source, in their order."""
    how: Mapping[str, str]
    """For each aligned provision of the source what settled it: "number" or "likeness"."""


def align(source: Act, target: Act, encode: Encode | None = None) -> Alignment:
    """Align the units of two versions of an act; without an encoder by their numbers alone.

    Sections are paired by kind and number; a stretch reaches from one pair to the next. In a stretch, provisions that
    both versions number alike are paired, and what stands between them is compared by likeness.
    """
    here, there = _Version(source), _Version(target)
    comparison = _Comparison(here, there, encode)
    pairs: dict[str, tuple[str, ...]] = {}
    how: dict[str, str] = {}
    for stretch in _stretches(here, there):
        for bead in comparison.beads(*stretch):
            units = here.units(bead.source)
            pairs |= _sentences(units, there.units(bead.target))
            how |= {unit.provision: bead.how for unit in units}
    return Alignment(pairs, tuple(unit.id for unit in source.units if unit.id not in pairs), how)


class _Bead(NamedTuple):
    """Provisions that say the same: one of each version, or two of one of them."""

    source: Places
    target: Places
    how: str


def _sentences(units: tuple[Unit, ...], others: tuple[Unit, ...]) -> dict[str, tuple[str, ...]]:
    """Within a bead: as many correspond in turn, and others by their share of the words."""
    if len(units) == len(others):
        return {unit.id: (other.id,) for unit, other in zip(units, others, strict=True)}
    return by_share(units, others)


class _Version:
    """An act as its provisions in their order."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self.ids = list(dict.fromkeys(unit.provision for unit in act.units))
        self._place = {name: place for place, name in enumerate(self.ids)}
        self.words = [sum(unit.words for unit in act.sentences(name)) for name in self.ids]

    def units(self, places: Places) -> tuple[Unit, ...]:
        return tuple(unit for place in places for unit in self.act.sentences(self.ids[place]))

    def places(self, sections: set[int]) -> list[int]:
        """All provisions of some sections."""
        units = (unit for index in sorted(sections) for unit in self.act.sections[index].units)
        return [self._place[name] for name in dict.fromkeys(unit.provision for unit in units)]

    def sections(self) -> dict[tuple[str, str, str], list[int]]:
        """Sections by kind, number, and the annex or attached act that they are an article of."""
        found: dict[tuple[str, str, str], list[int]] = {}
        for section in self.act.sections:
            if section.units:
                around = section.units[0].provision.partition("art-")[0] if section.kind == "article" else ""
                found.setdefault((section.kind, section.number, around), []).append(section.index)
        return found

    def points(self, places: Places) -> dict[int, dict[str, int]]:
        """What hangs from each provision: "pt-a", "pt-b" …, in their order."""
        found: dict[int, dict[str, int]] = {}
        for place in places:
            above, _, step = self.ids[place].rpartition(".")
            if above in self._place:
                found.setdefault(self._place[above], {})[step] = place
        return found

    def is_written(self, place: int) -> bool:
        """Whether the act itself numbers a provision, all that it stands in, and nothing else so."""
        name = self.ids[place]
        if not _WRITTEN.fullmatch(name) or f"{name}~2" in self._place:
            return False
        head = self.act.sentences(name.partition(".")[0])
        return not name.startswith("rec-") or (head != () and head[0].number != "")


def _stretches(here: _Version, there: _Version) -> Iterator[tuple[Places, Places]]:
    """What to compare with what: from one pair of sections to the next; sections that have moved by themselves.

    A section that only one version has, or has more often, belongs to the stretch it stands in: its header may be lost
    in the other version, or be no header.
    """
    others = there.sections()
    paired = sorted(
        pair
        for key, sections in here.sections().items()
        if len(sections) == len(others.get(key, ()))
        for pair in zip(sections, others[key], strict=True)
    )
    kept = _rising(paired)
    moved = sorted(set(paired) - set(kept))
    ends = (len(here.act.sections), len(there.act.sections))
    for (first, first_there), (end, end_there) in pairwise([(0, 0), *kept, ends]):
        sections = set(range(first, end)) - {index for index, _ in moved}
        sections_there = set(range(first_there, end_there)) - {index for _, index in moved}
        yield here.places(sections), there.places(sections_there)
    for index, index_there in moved:
        yield here.places({index}), there.places({index_there})


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs that rise in their first, as many as rise in their second too."""
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(lowest, second)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [second]
        ends[length : length + 1] = [index]
    found = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


class _Texts(NamedTuple):
    """What some provisions say, a row each, and in how many words."""

    vectors: Vectors
    words: Vectors

    @classmethod
    def of(cls, version: _Version, encode: Encode) -> _Texts:
        groups = [version.act.sentences(name) for name in version.ids]
        texts = [" ".join(unit.text for unit in group) for group in groups]
        return cls(encode(texts), np.array(version.words, np.float32))

    def take(self, places: Places) -> _Texts:
        return _Texts(self.vectors[list(places)], self.words[list(places)])

    def joined(self, count: int) -> Vectors:
        """Each with those that follow it, so many in all, as one text."""
        weighted = self.vectors * self.words[:, None]
        rows = len(weighted) - count + 1
        sums: Vectors = np.sum([weighted[shift : shift + rows] for shift in range(count)], axis=0)
        lengths: Vectors = np.linalg.norm(sums, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return sums / lengths


def _likeness(here: _Texts, there: _Texts) -> float:
    """Of some provisions as one text and some others as one."""
    return float(here.joined(len(here.words))[0] @ there.joined(len(there.words))[0])


def _closest(here: _Texts, a: range, there: _Texts, b: range) -> tuple[range, range, float]:
    """Two and one as they are, or the one of the two that says as much alone; and how much alike they are."""
    singles = [(range(i, i + 1), range(j, j + 1)) for i in a for j in b]
    ways = [(x, y, _likeness(here.take(x), there.take(y))) for x, y in dict.fromkeys([(a, b), *singles])]
    return max(ways, key=lambda way: way[2] - JOINED * (len(way[0]) + len(way[1]) - 2))


class _Comparison:
    """Two versions, and what their provisions say if there is an encoder to tell."""

    def __init__(self, here: _Version, there: _Version, encode: Encode | None) -> None:
        self._here, self._there = here, there
        self._texts = (_Texts.of(here, encode), _Texts.of(there, encode)) if encode is not None else None

    def beads(self, mine: Places, other: Places) -> Iterator[_Bead]:
        """A stretch: by count if both versions count alike; else what both number alike, and what stands between."""
        if self._count_alike(mine, other):
            yield from self._by_count(mine, other)
            return
        here, there = self._here, self._there
        written = {there.ids[place]: index for index, place in enumerate(other) if there.is_written(place)}
        shared = [
            (index, written[here.ids[place]])
            for index, place in enumerate(mine)
            if here.ids[place] in written and here.is_written(place)
        ]
        kept = [(a, b) for a, b in _rising(shared) if self._credible(mine[a], other[b], DOUBTFUL)]
        yield from (_Bead([mine[a]], [other[b]], "number") for a, b in kept)
        for (a, b), (c, d) in pairwise([(-1, -1), *kept, (len(mine), len(other))]):
            between = mine[a + 1 : c], other[b + 1 : d]
            yield from self._by_count(*between) if self._count_alike(*between) else self._by_likeness(*between)

    def _count_alike(self, mine: Places, other: Places) -> bool:
        """Whether two rows of provisions have the same ids, and none is found to be like one of another id."""
        if [self._here.ids[place] for place in mine] != [self._there.ids[place] for place in other]:
            return False
        pairs = set(zip(mine, other, strict=True))
        if all(self._credible(*pair, DOUBTFUL) for pair in pairs):
            return True
        return all((bead.source[0], bead.target[0]) in pairs for bead in self._by_likeness(mine, other))

    def _by_count(self, mine: Places, other: Places) -> list[_Bead]:
        pairs = zip(mine, other, strict=True)
        return [_Bead([a], [b], "number") for a, b in pairs if self._credible(a, b, FOREIGN)]

    def _by_likeness(self, mine: Places, other: Places) -> list[_Bead]:
        if self._texts is None or not mine or not other:
            return []
        here, there = self._texts[0].take(mine), self._texts[1].take(other)
        found = []
        for a, b in _most_alike(here, there):
            a, b, likeness = _closest(here, a, there, b)
            if likeness >= ALIKE:
                found.append(_Bead(mine[a.start : a.stop], other[b.start : b.stop], "likeness"))
        return [*found, *self._below(found, mine, other)]

    def _below(self, found: Sequence[_Bead], mine: Places, other: Places) -> Iterator[_Bead]:
        """What hangs from two provisions that correspond, if it is counted alike and not found elsewhere."""
        points, points_there = self._here.points(mine), self._there.points(other)
        aligned = {place: bead.target for bead in found for place in bead.source}
        claimed = {place for bead in found for place in bead.target}
        ahead = [(bead.source[0], bead.target[0]) for bead in found if len(bead.source) == len(bead.target)]
        while ahead:
            place, place_there = ahead.pop()
            some, others = points.get(place, {}), points_there.get(place_there, {})
            pairs = [(some[step], others[step]) for step in some if step in others]
            if list(some) != list(others) or any(aligned[a] != [b] if a in aligned else b in claimed for a, b in pairs):
                continue
            ahead += [(a, b) for a, b in pairs if a not in aligned]
            yield from (
                _Bead([a], [b], "number") for a, b in pairs if a not in aligned and self._credible(a, b, FOREIGN)
            )

    def _credible(self, place: int, place_there: int, least: float) -> bool:
        """Whether two provisions of one id may be the same, as far as can be told: so long, and so much alike."""
        shorter, longer = sorted((self._here.words[place], self._there.words[place_there]))
        if longer < LONG:
            return True
        if longer > LONGER * shorter:
            return False
        if self._texts is None:
            return True
        return _likeness(self._texts[0].take([place]), self._texts[1].take([place_there])) >= least


_STEPS: Final = ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2))
"""How many provisions of either version a step takes: one is left out, or one or two go with one."""


def _most_alike(here: _Texts, there: _Texts) -> list[tuple[range, range]]:
    """What corresponds to what, in order, so that all is together as much alike as can be.

    Row by row over this version, `best[j]` is what can be reached with the first j of the other. To leave one out costs
    nothing: what could be reached before a row can be after it, so that beyond the band values may stay as they are.
    """
    rows, count = len(here.words), len(there.words)
    twos, twos_there = here.joined(2), there.joined(2)
    best, before = np.zeros(count + 1), np.zeros(count + 1)
    trace: list[tuple[int, NDArray[np.int8]]] = []
    high = 0
    for row, vector in enumerate(here.vectors):
        reached, centre = high, (row + 1) * count // rows
        low, high = max(1, centre - BAND), min(count, centre + BAND)
        best[reached + 1 : high + 1] = best[reached]
        ways = np.full((len(_STEPS), high - low + 1), -np.inf)
        ways[0] = best[low : high + 1]
        ways[2] = best[low - 1 : high] + there.vectors[low - 1 : high] @ vector
        if row > 0:
            ways[3] = before[low - 1 : high] + there.vectors[low - 1 : high] @ twos[row - 1] - JOINED
        second = max(2, low)
        ways[4, second - low :] = best[second - 2 : high - 1] + twos_there[second - 2 : high - 1] @ vector - JOINED
        steps, values = ways.argmax(axis=0).astype(np.int8), ways.max(axis=0)
        reachable = np.maximum.accumulate(np.maximum(values, best[low - 1]))
        steps[reachable > values] = 1
        before[low - 1 : high + 1] = best[low - 1 : high + 1]
        best[low : high + 1] = reachable
        trace.append((low, steps))
    return _traced(trace, count)


def _traced(trace: list[tuple[int, NDArray[np.int8]]], count: int) -> list[tuple[range, range]]:
    """The way back through the rows."""
    found = []
    row, column = len(trace), count
    while row and column:
        low, steps = trace[row - 1]
        column = min(column, low + len(steps) - 1)
        back, back_there = _STEPS[steps[column - low]] if column >= low else (1, 0)
        if back and back_there:
            found.append((range(row - back, row), range(column - back_there, column)))
        row, column = row - back, column - back_there
    return found[::-1]
