"""Bundles: units that come together or not at all, and which bundle needs which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Unit
from lexlattice.act.hierarchy import lead_ins
from lexlattice.selection.dependencies import (
    LISTED,
    Pointing,
    closed_lists,
    is_whole,
    kept_together,
    lists_of,
    said_before,
    says_nothing,
)
from lexlattice.selection.vocabulary import selection_wording

_WHOLE: Final = 30
"""Words up to which the sentences of a provision come together."""
MOST: Final = 32
"""Bundles that come in one step at most: what needs more, as the last of many sentences, waits for some of them."""


class Bundles:
    """The units of an act in bundles; what a bundle points back to is looked up when it is first asked for."""

    def __init__(
        self, act: Act, scores: NDArray[np.float64], may: NDArray[np.bool_], dates: Sequence[int] = ()
    ) -> None:
        """Bundles of the units of an act.

        Args:
            act: The act.
            scores: For each unit its probability, by which the points of a list are ordered.
            may: Which units may be in a summary.
            dates: The units that say from when the act applies.

        """
        self.units, self.leads = act.units, lead_ins(act.units)
        self._pointing = Pointing(act, self.leads)
        joined = _Joined(len(self.units))
        for places in _short_provisions(self.units, self.leads, may.tolist()):
            joined.join(places)
        hanging = list(_hanging(self.units, self.leads, joined, act.language, scores))
        for places in _by_section(self.units, dates):
            joined.join(places)
        self.of = joined.labels()
        count = int(self.of.max(initial=-1)) + 1
        self.members: list[list[int]] = [[] for _ in range(count)]
        for place, bundle in enumerate(self.of.tolist()):
            self.members[bundle].append(place)
        self.words = np.bincount(self.of, [unit.words for unit in self.units], count).astype(np.int64)
        self._leads: dict[int, set[int]] = {}
        for place, lead in hanging:
            if self.of[place] != self.of[lead]:
                self._leads.setdefault(int(self.of[place]), set()).add(int(self.of[lead]))
        self._needs: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.members)

    def needs(self, bundle: int) -> tuple[int, ...]:
        """The bundles without which this one cannot be read: what leads it in, and what it points back to."""
        found = self._needs.get(bundle)
        if found is None:
            needed = set(self._leads.get(bundle, ()))
            for place in self.members[bundle]:
                needed.update(int(self.of[other]) for other in self._pointing.back(place))
                if place and self.units[place - 1].provision == self.units[place].provision:
                    needed.add(int(self.of[place - 1]))  # a later sentence needs those before it
            needed.discard(bundle)
            found = self._needs[bundle] = tuple(sorted(needed))
        return found

    def ahead(self, bundle: int) -> set[int]:
        """The bundles that this one points ahead to, as a rule does to its exception."""
        ahead = {int(self.of[other]) for place in self.members[bundle] for other in self._pointing.ahead(place)}
        return ahead - {bundle}

    def closure(self, bundle: int, taken: Sequence[bool]) -> list[int]:
        """A bundle with all that it needs and that is not taken yet; of too much, the nearest `MOST` and some."""
        found, ahead = [bundle], [bundle]
        while ahead and len(found) <= MOST:
            for needed in self.needs(ahead.pop()):
                if not taken[needed] and needed not in found:
                    found.append(needed)
                    ahead.append(needed)
        return found


class _Joined:
    """Sets of units, each known by its first (union–find)."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def first(self, place: int) -> int:
        while (above := self._above[place]) != place:
            self._above[place] = self._above[above]
            place = above
        return place

    def join(self, places: Iterable[int]) -> None:
        firsts = sorted({self.first(place) for place in places})
        for other in firsts[1:]:
            self._above[other] = firsts[0]

    def labels(self) -> NDArray[np.int64]:
        firsts = np.array([self.first(place) for place in range(len(self._above))], dtype=np.int64)
        return np.unique(firsts, return_inverse=True)[1].astype(np.int64)


def _hanging(
    units: Sequence[Unit], leads: Sequence[int | None], joined: _Joined, language: str, scores: NDArray[np.float64]
) -> Iterator[tuple[int, int]]:
    """Joins what comes together, and yields for each other unit of a list or quotation the one it hangs from."""
    words, worth = selection_wording(language), scores.tolist()
    free: set[int] = set()
    for found in lists_of(units, leads):
        whole = is_whole(found, units, words)
        first, last = (list(found.points), []) if whole else kept_together(found, units, worth)
        joined.join([found.lead, *(place for point in first for place in point if place not in free)])
        joined.join(place for point in last for place in point if place not in free)
        for point in found.points:
            if point not in first:
                joined.join(place for place in point if place not in free)
                yield point.start, found.lead
                free.update(point)
    for place, lead in enumerate(leads):
        if lead is not None and units[place].kind not in LISTED:
            yield place, lead
            if place == lead + 1 and units[lead].text.rstrip().endswith(":"):
                joined.join((lead, place))
    for pair in closed_lists(units, leads):
        joined.join(pair)


def _short_provisions(units: Sequence[Unit], leads: Sequence[int | None], may: Sequence[bool]) -> Iterator[list[int]]:
    """Sentences of a provision that together are short, and subparagraphs too where there is no list among them."""
    leading = {lead for lead in leads if lead is not None}
    wholes = [(unit.section, unit.provision.partition(".sub-")[0]) for unit in units]
    for _, group in groupby((place for place in range(len(units)) if may[place]), key=wholes.__getitem__):
        together = list(group)
        if len(together) == 1:
            continue
        parts = [together]
        if sum(units[place].words for place in together) > _WHOLE or not leading.isdisjoint(together):
            parts = [list(part) for _, part in groupby(together, key=lambda place: units[place].provision)]
        for part in parts:
            if units[part[-1]].text.rstrip().endswith(":") and part[-1] not in leading:
                part.pop()  # it leads in something that cannot be cited
            if len(part) > 1 and sum(units[place].words for place in part) <= _WHOLE:
                yield part


def _by_section(units: Sequence[Unit], places: Iterable[int]) -> Iterator[list[int]]:
    """What says from when an act applies, an article each: none of it without the rest."""
    for _, group in groupby(sorted(places), key=lambda place: units[place].section):
        yield list(group)


def speaking(act: Act, leads: Sequence[int | None]) -> NDArray[np.bool_]:
    """Which units say something by themselves: no labels, lead-ins, bare figures, or what was said before."""
    flags = [not says_nothing(act, unit, leads[place] is not None) for place, unit in enumerate(act.units)]
    return np.array(flags, dtype=np.bool_) & ~said_before(act)
