"""What is known of a unit from its place, its length and what its vector is near to; nothing of any language."""

from __future__ import annotations

import numpy as np

from lexlattice.act import SECTION_KINDS
from lexlattice.research.coverage.features.layout import LEARNT_KINDS, Floats, Layout


def unit_features(layout: Layout, likeness: Floats) -> Floats:
    """A row for each unit; `likeness` has its cosines to the act's anchors.

    First which kind of section and of unit it is, then numbers: how long it is, where it stands in the act, in its
    section and in the numbering, and whether in one of the articles or recitals that summaries begin with.
    """
    sections, articles, positions = layout.sections, layout.articles, layout.positions
    lengths = np.bincount(sections, minlength=1)[sections] if sections.size else sections
    numbers = [
        np.log1p(layout.words),
        layout.places,
        np.log1p(positions),
        positions / np.maximum(lengths, 1),
        np.log1p(lengths),
        sections / max(1, layout.section_count),
        np.log1p(sections),
        layout.depths,
        articles == 0,
        articles == 1,
        (articles >= 0) & (articles >= layout.article_count - 2),
        np.log1p(np.maximum(layout.recitals, 0)),
        np.maximum(articles, 0) / max(1, layout.article_count),
    ]
    return np.concatenate(
        [
            np.eye(len(SECTION_KINDS), dtype=np.float32)[layout.section_kinds],
            np.eye(len(LEARNT_KINDS), dtype=np.float32)[layout.unit_kinds],
            np.stack([np.asarray(column, np.float32) for column in numbers], axis=1),
            likeness,
        ],
        axis=1,
    )


KINDS: int = len(SECTION_KINDS) + len(LEARNT_KINDS)
"""How many columns say what a unit is; the others are numbers."""
