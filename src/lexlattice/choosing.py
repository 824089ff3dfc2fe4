"""What people get: complete provisions only, and no more of each kind than helps.

The decoder of `lexlattice.coverage` takes any unit. Somebody who reads the result wants provisions that are complete,
which is what `lexlattice.selection.dependencies` sees to; not the title again, which stands above the summary anyway,
no formulas, and footnotes in moderation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from lexlattice.act import SECTION_KINDS
from lexlattice.coverage import LENGTH, Coverage
from lexlattice.features import Flags, Floats, Integers, Layout
from lexlattice.features.layout import SHORT
from lexlattice.selection.dependencies import Ties

FOCUSES: Final = ("all", "articles", "with-tables")
"""All text that can be cited; the articles alone, without recitals, annexes and footnotes; or all, and tables too."""
_RELATED: Final = 0.1
"""The share of all words that footnotes may have: they name related documents."""
_ASIDE: Final = 0.25
"""The share that recitals may have, and annexes, as long as there is something else: they explain what articles say."""
_SHARES: Final = {"notes": _RELATED, "recitals": _ASIDE, "annex": _ASIDE}


def citable(layout: Layout, focus: str = "all") -> Flags:
    """Which units a summary may have at all."""
    is_prose: Flags = layout.tables == 0
    if focus == "articles":
        return layout.in_kind("article") & is_prose
    is_own = ~(layout.in_kind("title") | layout.in_kind("preamble"))
    return is_own if focus == "with-tables" else is_own & is_prose


def eligible(layout: Layout, ties: Ties, focus: str = "all") -> Flags:
    """Which units may be chosen by themselves."""
    is_bare = layout.in_kind("notes") & (layout.words < SHORT)  # a place in the Official Journal, and no name
    return citable(layout, focus) & ~is_bare & ~ties.never_alone


def cover_complete(
    coverage: Coverage, layout: Layout, ties: Ties, allowed: Flags, budget: int, first: Sequence[int] = ()
) -> list[tuple[int, ...]]:
    """The best extract of at most so many words, what was chosen first before the rest: each with all that it needs.

    A unit is worth what it adds together with those that it needs and that are not there yet, for the length of all.
    Those that are to come `first` come before all others, as far as there is room for them.
    """
    lengths, levels, kinds = layout.words, ties.levels(), layout.section_kinds
    shares = np.array([_SHARES.get(kind, 1.0) for kind in SECTION_KINDS])
    room = np.floor(shares * budget).astype(np.int64)
    missing, left, is_aside = np.ones(len(lengths), np.bool_), budget, shares == _ASIDE
    chosen: list[tuple[int, ...]] = []
    while True:
        gains = _with_needs(np.where(missing, coverage.gains(), 0), ties, levels)
        costs = _with_needs(np.where(missing, lengths, 0), ties, levels)
        is_in = missing & (costs <= np.minimum(room, left)[kinds])
        ahead = [unit for unit in first if is_in[unit]][:1]
        fits = np.array(ahead) if ahead else np.flatnonzero(allowed & is_in & coverage.has_words)
        if not fits.size and is_aside.any():
            room[is_aside], is_aside = budget, np.zeros_like(is_aside)
            continue
        if not fits.size:
            return chosen
        worth = gains[fits] / np.maximum(costs[fits], 1) ** LENGTH + coverage.salience[fits]
        unit = int(fits[np.argmax(worth)])
        left -= int(costs[unit])
        room[kinds[unit]] -= int(costs[unit])
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
