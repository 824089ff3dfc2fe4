"""Candidates of the decoder: units that are selected together or not at all, and which candidate depends on which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Unit
from lexlattice.act.hierarchy import lead_ins_of
from lexlattice.reading.roles import is_closing_formula
from lexlattice.selection.dependencies import (
    LISTED,
    TextReferences,
    closed_lists,
    is_repetition,
    is_whole,
    kept_together,
    lists_of,
    says_nothing,
)
from lexlattice.selection.vocabulary import selection_wording

Flags = NDArray[np.bool_]

_SHORT_PROVISION: Final = 30
"""Up to this many words, the sentences of a provision are selected together."""
MAX_DEPENDENCIES: Final = 32
"""Candidates per step at most: one that depends on more, as the last of many sentences does, waits for some of them."""
_FRONT: Final = ("title", "preamble")


def is_selectable(act: Act, focus: str = "all") -> Flags:
    """For each unit whether a summary may contain it at all."""
    kinds = [section.kind for section in act.sections for _ in section.units]
    if focus == "articles":
        return np.array([k == "article" and u.kind != "table" for k, u in zip(kinds, act.units, strict=True)], np.bool_)
    tables = focus == "with-tables"
    flags = [k not in _FRONT and (tables or u.kind != "table") for k, u in zip(kinds, act.units, strict=True)]
    return np.array(flags, np.bool_)


def is_eligible(act: Act, focus: str = "all") -> Flags:
    """For each unit whether a summary shorter than the act may contain it: no closing formulas, and no footnotes."""
    footnotes = [section.kind == "notes" for section in act.sections for _ in section.units]
    notes = np.array(footnotes, np.bool_) | np.array([unit.kind == "note" for unit in act.units], np.bool_)
    return is_selectable(act, focus) & ~notes & ~np.array(is_closing_formula(act), np.bool_)


def is_meaningful(act: Act, leads: Sequence[int | None]) -> Flags:
    """For each unit whether it says something on its own: no label, lead-in, bare figure or repetition."""
    flags = [not says_nothing(act, unit, leads[place] is not None) for place, unit in enumerate(act.units)]
    return np.array(flags, dtype=np.bool_) & ~is_repetition(act)


class Candidates:
    """The units of an act as candidates of the decoder.

    Dependencies that need the words of the text are resolved on first use: most candidates are never looked at.
    """

    def __init__(self, act: Act, scores: NDArray[np.float64], eligible: Flags, application: Sequence[int] = ()) -> None:
        """Partition the units of an act into candidates.

        Args:
            act: The act.
            scores: The probability of each unit, which decides the points of a list that are kept together.
            eligible: Which units may be in a summary.
            application: The units that say from when the act applies.

        """
        self.units, self.leads = act.units, lead_ins_of(act)
        self._text_references = TextReferences(act, self.leads)
        joined = _UnionFind(len(self.units))
        for places in _short_provisions(self.units, self.leads, eligible.tolist()):
            joined.join(places)
        hanging = list(_join_lists(self.units, self.leads, joined, act.language, scores))
        for places in _by_section(self.units, application):
            joined.join(places)
        self.of_unit = joined.labels()
        """The candidate of each unit."""
        count = int(self.of_unit.max(initial=-1)) + 1
        self.members: list[list[int]] = [[] for _ in range(count)]
        # A list, since its elements are read one by one, which takes arrays several times as long.
        self._of_unit: list[int] = self.of_unit.tolist()
        for place, candidate in enumerate(self._of_unit):
            self.members[candidate].append(place)
        self.words = np.bincount(self.of_unit, [unit.words for unit in self.units], count).astype(np.int64)
        self._lead_ins: dict[int, set[int]] = {}
        for place, lead in hanging:
            candidate, needed = self._of_unit[place], self._of_unit[lead]
            if candidate != needed:
                self._lead_ins.setdefault(candidate, set()).add(needed)
        self._dependencies: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.members)

    def dependencies(self, candidate: int) -> tuple[int, ...]:
        """The candidates without which this one cannot be read: its lead-ins, and what its text points back to."""
        found = self._dependencies.get(candidate)
        if found is None:
            needed = set(self._lead_ins.get(candidate, ()))
            for place in self.members[candidate]:
                needed.update(self._of_unit[other] for other in self._text_references.back(place))
                if place and self.units[place - 1].provision == self.units[place].provision:
                    needed.add(self._of_unit[place - 1])  # a later sentence needs those before it
            needed.discard(candidate)
            found = self._dependencies[candidate] = tuple(sorted(needed))
        return found

    def points_ahead_to(self, candidate: int) -> set[int]:
        """The candidates that this one points ahead to, as a rule does to its exception."""
        places = self.members[candidate]
        return {self._of_unit[other] for place in places for other in self._text_references.ahead(place)} - {candidate}

    def with_dependencies(self, candidate: int, selected: Sequence[bool]) -> list[int]:
        """A candidate with everything it depends on that is not selected yet.

        The search stops once more than `MAX_DEPENDENCIES` are found, since such a candidate is not selected anyway.
        """
        found, open_ = [candidate], [candidate]
        while open_ and len(found) <= MAX_DEPENDENCIES:
            for needed in self.dependencies(open_.pop()):
                if not selected[needed] and needed not in found:
                    found.append(needed)
                    open_.append(needed)
        return found


class _UnionFind:
    """Disjoint sets of units, each represented by its first one."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def first(self, place: int) -> int:
        while (above := self._above[place]) != place:
            self._above[place] = self._above[above]  # path halving keeps the chains short
            place = above
        return place

    def join(self, places: Iterable[int]) -> None:
        firsts = sorted({self.first(place) for place in places})
        for other in firsts[1:]:
            self._above[other] = firsts[0]

    def labels(self) -> NDArray[np.int64]:
        firsts = np.array([self.first(place) for place in range(len(self._above))], dtype=np.int64)
        return np.unique(firsts, return_inverse=True)[1].astype(np.int64)


def _join_lists(
    units: Sequence[Unit], leads: Sequence[int | None], joined: _UnionFind, language: str, scores: NDArray[np.float64]
) -> Iterator[tuple[int, int]]:
    """Join what is selected together, and yield every other unit of a list or quotation with its lead-in."""
    words, values = selection_wording(language), scores.tolist()
    free: set[int] = set()
    for found in lists_of(units, leads):
        whole = is_whole(found, units, words)
        first, last = (list(found.points), []) if whole else kept_together(found, units, values)
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


def _short_provisions(
    units: Sequence[Unit], leads: Sequence[int | None], eligible: Sequence[bool]
) -> Iterator[list[int]]:
    """Sentences of a provision that together are short, and subparagraphs too where there is no list among them."""
    leading = {lead for lead in leads if lead is not None}
    wholes = [(unit.section, unit.provision.partition(".sub-")[0]) for unit in units]
    for _, group in groupby((place for place in range(len(units)) if eligible[place]), key=wholes.__getitem__):
        together = list(group)
        if len(together) == 1:
            continue
        parts = [together]
        if sum(units[place].words for place in together) > _SHORT_PROVISION or not leading.isdisjoint(together):
            parts = [list(part) for _, part in groupby(together, key=lambda place: units[place].provision)]
        for part in parts:
            if units[part[-1]].text.rstrip().endswith(":") and part[-1] not in leading:
                part.pop()  # it leads in something that cannot be selected
            if len(part) > 1 and sum(units[place].words for place in part) <= _SHORT_PROVISION:
                yield part


def _by_section(units: Sequence[Unit], places: Iterable[int]) -> Iterator[list[int]]:
    """What says from when an act applies, article by article: none of it without the rest."""
    for _, group in groupby(sorted(places), key=lambda place: units[place].section):
        yield list(group)
