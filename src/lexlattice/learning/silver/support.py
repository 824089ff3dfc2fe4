"""What sentences nearby rest on: neighbours in a summary speak of neighbours in the act."""

from __future__ import annotations

from typing import Final

import numpy as np

from lexlattice.learning.silver.pairs import Floats, Integers, Pairs

_NEAR: Final = 2
"""Sentences on each side whose choice supports a sentence's."""
_OTHER_HEADING: Final = 0.3
"""How much a neighbour under another heading counts."""

SUPPORT_FEATURES: Final = ("section support", "paragraph support", "list support", "unit support", "act support")


def support_features(pairs: Pairs, shares: Floats) -> Floats:
    """What sentences nearby rest on: sentences × units × `SUPPORT_FEATURES`, from the shares of a first pass."""
    layout, count = pairs.layout, len(shares)
    by_section, by_paragraph = (_summed(shares, groups) for groups in (layout.section, layout.paragraph))
    near, listed, act = (np.zeros((count, count), np.float32) for _ in range(3))
    for i in range(count):
        for j in range(count):
            if i == j:
                continue
            act[i, j] = 1 / max(1, count - 1)
            if abs(i - j) <= _NEAR:
                same = 1.0 if pairs.headings[i] == pairs.headings[j] else _OTHER_HEADING
                near[i, j] = same / (2 * abs(i - j))
            if pairs.lists[i] == pairs.lists[j]:
                listed[i, j] = 1.0
    listed /= np.maximum(listed.sum(1, keepdims=True), 1.0)
    neighbours = 0.5 * (np.roll(shares, 1, axis=1) + np.roll(shares, -1, axis=1))
    return np.stack(
        [
            (near @ by_section)[:, layout.section],
            (near @ by_paragraph)[:, layout.paragraph],
            (listed @ by_paragraph)[:, layout.paragraph],
            near @ neighbours,
            (act @ by_section)[:, layout.section],
        ],
        axis=-1,
    )


def _summed(shares: Floats, groups: Integers) -> Floats:
    """Shares of units summed by group."""
    sums = np.zeros((int(groups.max(initial=-1)) + 1, len(shares)), np.float32)
    np.add.at(sums, groups, shares.T)
    return sums.T
