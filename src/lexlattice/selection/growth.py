"""Growing a summary: an endless sequence of steps, each the best that can be added to those before it.

A step is a bundle with all that it needs. Its gain is what editors would probably take of it, for each of its words;
less if its article has had its say, or if it repeats another bundle, more if its chapter has not been heard. Roles
(aim, scope, date, repeal) come as soon as a summary is long enough for them. So that summaries of usual lengths are
full, steps that would go beyond such a length wait if there are others almost as good that do not.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act
from lexlattice.selection.allowed import choosable
from lexlattice.selection.budget import Budget
from lexlattice.selection.bundles import Bundles, speaking
from lexlattice.selection.dependencies import said_before
from lexlattice.selection.overlap import Overlap
from lexlattice.selection.roles import Role, roles_of

Floats = NDArray[np.float64]

LENGTHS: Final = (100, 150, 200, 300, 450, 600, 800)
"""Usual lengths of summaries, in words; beyond them every two hundredth."""
_EACH: Final = 200
CLOSE = 0.15
P: dict[str, float] = dict(
    constant=5.0, power=1.0, article=1e9, heard=1.15, fill=0.5, repeated=0.3, gamma=1.0, pulled=1.5,
    recitals=0.7, annex=0.8, quoted=0.7,
)


class _Growth:
    """The state of a growing summary."""

    def __init__(self, act: Act, scores: Floats, focus: str) -> None:
        self.act, self.bundles = act, Bundles(act, scores)
        bundles, units = self.bundles, act.units
        of, count = bundles.of, len(bundles)
        lengths = np.array([unit.words for unit in units], np.float64)
        may, speaks = choosable(act, focus), speaking(act, bundles.leads) & ~said_before(act)
        kinds = [section.kind for section in act.sections for _ in section.units]
        has_articles = "article" in kinds
        factor = np.array([P.get(kind, 1.0) if has_articles else 1.0 for kind in kinds])
        factor *= np.where([".q" in unit.provision for unit in units], P["quoted"], 1)
        value = scores ** P["gamma"] * factor * (lengths + P["constant"])
        self.value = np.bincount(of, value, count)
        self.allowed = (np.bincount(of, may & speaks, count) > 0) & (np.bincount(of, ~may, count) == 0)
        self.possible = np.bincount(of, ~may, count) == 0
        first = [members[0] for members in bundles.members]
        self.sections = [units[place].section for place in first]
        self.chapters = [act.sections[section].enclosing[:1] or ("",) for section in self.sections]
        self.heard: set[tuple[str, ...]] = set()
        self.of_section: dict[int, int] = {}
        self.taken = [False] * count
        self.pulled: set[int] = set()
        self.overlap = Overlap(act, bundles)
        self.words = 0
        self.dependants: dict[int, set[int]] = {}
        worth = self.value / np.maximum(bundles.words, 1) ** P["power"]
        self.roles = roles_of(act, bundles, worth, self.allowed)
        self.heap = [
            (-float(worth[bundle]) * P["heard"], bundle) for bundle in np.flatnonzero(self.allowed).tolist()
        ]
        heapq.heapify(self.heap)

    def gain(self, bundle: int) -> tuple[float, list[int], int]:
        """The gain of a bundle now, with what comes with it and its words; none if it cannot come."""
        group = self.bundles.closure(bundle, self.taken)
        if not all(self.possible[member] for member in group):
            return 0.0, group, 0
        words = sum(int(self.bundles.words[member]) for member in group)
        section = self.sections[bundle]
        gain = sum(float(self.value[member]) for member in group) / max(1, words) ** P["power"]
        gain /= 1 + self.of_section.get(section, 0) / P["article"]
        gain *= P["heard"] if self.chapters[bundle] not in self.heard else 1
        gain *= P["pulled"] if bundle in self.pulled else 1
        gain *= 1 - P["repeated"] * self.overlap.of(bundle)
        for member in group:
            if member != bundle:
                self.dependants.setdefault(member, set()).add(bundle)
        return gain, group, words

    def take(self, group: list[int]) -> tuple[int, ...]:
        again: set[int] = set()
        for member in group:
            self.taken[member] = True
            self.overlap.add(member)
            words = int(self.bundles.words[member])
            self.words += words
            self.of_section[self.sections[member]] = self.of_section.get(self.sections[member], 0) + words
            self.heard.add(self.chapters[member])
            again |= self.dependants.pop(member, set())
            pulled = self.bundles.pulls(member) - self.pulled
            self.pulled |= pulled
            again |= pulled
        for bundle in again:
            if not self.taken[bundle] and self.allowed[bundle]:
                heapq.heappush(self.heap, (-self.gain(bundle)[0], bundle))
        return tuple(place for member in group for place in self.bundles.members[member])

    def best(self, room: int) -> list[int] | None:
        """The next step: a role that is due, or the best; or one almost as good that fits into so many words."""
        aside: list[tuple[float, int]] = []
        seen: set[int] = set()
        best, least = self.due(), 0.0
        if best is not None and sum(int(self.bundles.words[member]) for member in best) <= room:
            return best
        while self.heap:
            gain, bundle = heapq.heappop(self.heap)
            if self.taken[bundle] or bundle in seen:
                continue
            if -gain < least:
                heapq.heappush(self.heap, (gain, bundle))
                break
            now, group, words = self.gain(bundle)
            if now <= 0:
                continue
            if now < -gain - 1e-12 and self.heap and -self.heap[0][0] > now:
                heapq.heappush(self.heap, (-now, bundle))
                continue
            seen.add(bundle)
            aside.append((-now, bundle))
            if not least:
                best, least = best or group, P["fill"] * now
            if words <= room:
                best = group
                break
        for entry in aside:
            heapq.heappush(self.heap, entry)
        return best

    def due(self) -> list[int] | None:
        """A role that the summary is long enough for by now."""
        for role in self.roles:
            if self.taken[role.bundle]:
                continue
            group = self.bundles.closure(role.bundle, self.taken)
            words = sum(int(self.bundles.words[member]) for member in group)
            if words <= role.share * max(100, self.words + words) and all(self.possible[m] for m in group):
                return group
        return None


def grow(act: Act, scores: Floats, focus: str) -> Iterator[tuple[int, ...]]:
    """Steps of units, the most important first, until nothing is left that a summary may have."""
    growth = _Growth(act, scores, focus)
    lengths = _lengths(act.words)
    length = next(lengths)
    while True:
        while length <= growth.words:
            length = next(lengths)
        group = growth.best(length - growth.words)
        if group is None:
            return
        yield growth.take(group)


def _lengths(words: int) -> Iterator[int]:
    """Usual lengths, and those that an act of so many words has by name; of two that are close, the latter."""
    named = {Budget(name).of(words) for name in ("auto", "long")}
    usual = {length for length in LENGTHS if all(abs(length - other) > CLOSE * other for other in named)}
    every = sorted(named | usual)
    yield from every
    yield from count(every[-1] + _EACH, _EACH)
