"""What is known of a word or a pair from where it occurs: the same questions for both, and none about its letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import SECTION_KINDS
from lexlattice.features.grams import Occurrences
from lexlattice.features.layout import Flags, Floats, Integers, Layout

Numbers = NDArray[np.float64]


def place_features(occurrences: Occurrences, layout: Layout) -> list[Numbers]:
    """Columns of features, each with a value for every gram.

    How often it occurs: in all, in sections of each kind, in units, in sections and in the regions that matter. How
    these are shared out; where it occurs first, last and on average; in how long units; and its rank by frequency.
    """
    size, starts = occurrences.gram_count, occurrences.gram_starts[:-1]
    units = occurrences.units[occurrences.by_gram]
    totals, in_units = np.maximum(occurrences.totals, 1), occurrences.unit_counts
    in_sections = np.add.reduceat(_is_new(layout.sections[units], starts), starts)
    places = layout.places.astype(np.float64)
    in_kinds = [_counted(occurrences, layout.in_kind(kind)) for kind in SECTION_KINDS]
    ranks = np.empty(size)
    ranks[np.argsort(-totals, kind="stable")] = np.arange(size)
    return [
        np.log1p(totals),
        *map(np.log1p, in_kinds),
        *(counts / totals for counts in in_kinds),
        np.log1p(in_units),
        in_units / max(1, len(layout.words)),
        np.log1p(in_sections),
        in_sections / max(1, layout.section_count),
        places[units[starts]],
        places[units[occurrences.gram_starts[1:] - 1]],
        _counted(occurrences, places) / totals,
        *(np.log1p(_counted(occurrences, region)) for region in layout.regions()),
        _counted(occurrences, np.log1p(layout.words)) / totals,
        np.log1p(ranks),
        ranks / max(1, size),
    ]


def stacked(columns: Sequence[Numbers | Integers]) -> Floats:
    """Columns side by side, as the model takes them."""
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _counted(occurrences: Occurrences, of_units: Numbers | Flags) -> Numbers:
    """For each gram the sum over its units, each as often as it occurs there."""
    weights = (occurrences.counts * of_units[occurrences.units]).astype(np.float64)
    return np.asarray(np.bincount(occurrences.grams, weights, occurrences.gram_count), np.float64)


def _is_new(sections: Integers, starts: Integers) -> Integers:
    """Whether an occurrence is the first of its gram in a section; those of a gram are in the order of the act."""
    is_new = np.diff(sections, prepend=-1) != 0
    is_new[starts] = True
    return np.asarray(is_new, np.int64)
