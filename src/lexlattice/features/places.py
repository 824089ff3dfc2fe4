"""What is known of a word or a pair from where it occurs: the same questions for both, and none about its letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import SECTION_KINDS
from lexlattice.features.grams import Occurrences
from lexlattice.features.layout import Floats, Integers, Layout

Numbers = NDArray[np.float64]


def place_features(occurrences: Occurrences, layout: Layout) -> list[Numbers]:
    """Columns of features, each with a value for every gram.

    How often it occurs: in all, in sections of each kind, in units, in sections and in the regions that matter. How
    these are shared out; where it occurs first, last and on average; in how long units; and its rank by frequency.
    """
    units, grams, counts, size = occurrences.units, occurrences.grams, occurrences.counts, occurrences.gram_count
    totals = np.maximum(occurrences.totals, 1)
    kinds = len(SECTION_KINDS)
    by_kind = np.bincount(grams * kinds + layout.section_kinds[units], counts, size * kinds).reshape(size, kinds)
    in_units = np.bincount(grams, minlength=size)
    in_sections = _distinct(grams, layout.sections[units], size)
    first, last = np.ones(size), np.zeros(size)
    places = layout.places.astype(np.float64)
    np.minimum.at(first, grams, places[units])
    np.maximum.at(last, grams, places[units])
    ranks = np.empty(size)
    ranks[np.argsort(-totals, kind="stable")] = np.arange(size)
    return [
        np.log1p(totals),
        *np.log1p(by_kind).T,
        *(by_kind / totals[:, None]).T,
        np.log1p(in_units),
        in_units / max(1, len(layout.words)),
        np.log1p(in_sections),
        in_sections / max(1, layout.section_count),
        first,
        last,
        np.bincount(grams, counts * places[units], size) / totals,
        *(np.log1p(np.bincount(grams, np.where(region[units], counts, 0), size)) for region in layout.regions()),
        np.bincount(grams, counts * np.log1p(layout.words)[units], size) / totals,
        np.log1p(ranks),
        ranks / max(1, size),
    ]


def stacked(columns: Sequence[Numbers | Integers]) -> Floats:
    """Columns side by side, as the model takes them."""
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _distinct(grams: Integers, sections: Integers, size: int) -> Integers:
    """In how many sections each gram occurs."""
    width = int(sections.max()) + 1 if sections.size else 1
    return np.bincount(np.unique(grams * width + sections) // width, minlength=size)
