"""What is known of a word or a pair from where it occurs: the same questions for both, and none about its letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import SECTION_KINDS
from lexlattice.research.coverage.features.grams import Occurrences
from lexlattice.research.coverage.features.layout import Flags, Floats, Integers, Layout

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
    in_kinds = _counted_by(occurrences, layout.section_kinds, len(SECTION_KINDS))
    ranks = np.empty(size)
    ranks[np.argsort(-totals, kind="stable")] = np.arange(size)
    return [
        _logs(totals),
        *_logs(in_kinds),
        *(counts / totals for counts in in_kinds),
        _logs(in_units),
        in_units / max(1, len(layout.words)),
        _logs(in_sections),
        in_sections / max(1, layout.section_count),
        places[units[starts]],
        places[units[occurrences.gram_starts[1:] - 1]],
        _summed(occurrences, places) / totals,
        *(_logs(_counted(occurrences, region)) for region in layout.regions()),
        _summed(occurrences, np.log1p(layout.words)) / totals,
        np.log1p(ranks),
        ranks / max(1, size),
    ]


def stacked(columns: Sequence[Numbers | Integers]) -> Floats:
    """Columns side by side, as the model takes them."""
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _logs(counts: Integers) -> Numbers:
    """The logarithm of one more than each count, from a table: most counts are small, and most are alike."""
    table: Numbers = np.log1p(np.arange(counts.max(initial=0) + 1))
    return table[counts]


def _summed(occurrences: Occurrences, of_units: Numbers) -> Numbers:
    """For each gram the sum over its units, each as often as it occurs there."""
    weights = occurrences.counts * of_units[occurrences.units]
    return np.asarray(np.bincount(occurrences.grams, weights, occurrences.gram_count), np.float64)


def _counted(occurrences: Occurrences, region: Flags) -> Integers:
    """How often each gram occurs in a part of the act."""
    inside = region[occurrences.units]
    counts = np.bincount(occurrences.grams[inside], occurrences.counts[inside], occurrences.gram_count)
    return counts.astype(np.int64)


def _counted_by(occurrences: Occurrences, kinds: Integers, count: int) -> Integers:
    """How often each gram occurs in units of each kind, a row for each kind."""
    cells = occurrences.grams + kinds[occurrences.units] * occurrences.gram_count
    counts = np.bincount(cells, occurrences.counts, count * occurrences.gram_count)
    return counts.astype(np.int64).reshape(count, -1)


def _is_new(sections: Integers, starts: Integers) -> Integers:
    """Whether an occurrence is the first of its gram in a section; those of a gram are in the order of the act."""
    is_new = np.diff(sections, prepend=-1) != 0
    is_new[starts] = True
    return np.asarray(is_new, np.int64)
