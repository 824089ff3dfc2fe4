"""What people get: complete provisions only, and no more of each kind than helps.

The decoder of `lexlattice.coverage` takes any unit. Somebody who reads the result wants points with what leads them in,
no lead-in without a point, provisions from their beginning, so that "it" and "those" have something to refer to; not
the title again, which stands above the summary anyway, no formulas of the preamble, and footnotes in moderation.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from lexlattice.act import Act
from lexlattice.coverage import LENGTH, Coverage
from lexlattice.features import Flags, Floats, Integers, Layout
from lexlattice.features.layout import SHORT
from lexlattice.selection import lead_ins

FOCUSES: Final = ("all", "articles")
"""Everything that can be cited; or the articles alone, without recitals, annexes and footnotes."""
_RELATED: Final = 0.1
"""The share of all words that footnotes may have: they name related documents."""
_ENDS: Final = (".", "!", "?", ";")
_BRACKETS: Final = "\"'»”’“)]› "


class Ties(NamedTuple):
    """Which unit cannot be read without which."""

    needs: Integers
    """For each unit the one that it needs before it, or -1: the sentence before it, or what leads a point in."""
    leads_only: Flags
    """Units that say nothing without a point: "The label shall be:"."""

    @classmethod
    def of(cls, act: Act) -> Ties:
        """The ties between an act's units."""
        leads = lead_ins(act.units)
        needs = np.array([-1 if lead is None else lead for lead in leads], dtype=np.int64)
        for index in range(1, len(act)):
            if act.units[index].provision == act.units[index - 1].provision:
                needs[index] = index - 1
        leads_only = np.zeros(len(act), np.bool_)
        for lead in {lead for lead in leads if lead is not None}:
            leads_only[lead] = not act.units[lead].text.rstrip(_BRACKETS).endswith(_ENDS)
        return cls(needs, leads_only)

    def levels(self) -> list[Integers]:
        """The units that need one other, those that need two, and so on."""
        depths, place = np.zeros(len(self.needs), np.int64), self.needs
        while (place >= 0).any():
            depths += place >= 0
            place = np.where(place >= 0, self.needs[place], -1)
        return [np.flatnonzero(depths == depth) for depth in range(1, int(depths.max(initial=0)) + 1)]


def eligible(layout: Layout, ties: Ties, focus: str = "all") -> Flags:
    """Which units may be chosen by themselves."""
    if focus == "articles":
        return layout.in_kind("article") & ~ties.leads_only
    is_bare = layout.in_kind("notes") & (layout.words < SHORT)  # a place in the Official Journal, and no name
    return ~(layout.in_kind("title") | layout.in_kind("preamble") | is_bare | ties.leads_only)


def cover_complete(
    coverage: Coverage, layout: Layout, ties: Ties, allowed: Flags, budget: int
) -> list[tuple[int, ...]]:
    """The best extract of at most so many words, what was chosen first before the rest: each with all that it needs.

    A unit is worth what it adds together with those that it needs and that are not there yet, for the length of all.
    """
    lengths, notes, levels = layout.words, layout.in_kind("notes"), ties.levels()
    missing = np.ones(len(lengths), np.bool_)
    left, left_for_notes = budget, int(_RELATED * budget)
    chosen: list[tuple[int, ...]] = []
    while True:
        gains = _with_needs(np.where(missing, coverage.gains(), 0), ties, levels)
        costs = _with_needs(np.where(missing, lengths, 0), ties, levels)
        room = np.where(notes, min(left, left_for_notes), left)
        fits = np.flatnonzero(allowed & missing & coverage.has_words & (costs <= room))
        if not fits.size:
            return chosen
        worth = gains[fits] / np.maximum(costs[fits], 1) ** LENGTH + coverage.salience[fits]
        unit = int(fits[np.argmax(worth)])
        left -= int(costs[unit])
        left_for_notes -= int(costs[unit]) if notes[unit] else 0
        group = [unit]
        while (needed := int(ties.needs[group[-1]])) >= 0 and missing[needed]:
            group.append(needed)
        for member in group:
            coverage.take(member)
            missing[member] = False
        chosen.append(tuple(group))


def _with_needs(values: Floats | Integers, ties: Ties, levels: list[Integers]) -> Floats | Integers:
    """The value of each unit and of all that it needs."""
    total = values.copy()
    for level in levels:
        total[level] += total[ties.needs[level]]
    return total
