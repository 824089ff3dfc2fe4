"""Features of units from the alignment of all sentences, and support features from neighbouring sentences."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.training.silver.pairs import PAIR_FEATURES, PLACE_FEATURES, SENTENCE_FEATURES, Floats, Integers, Pairs

_BEST: Final = ("recall", "own recall", "precision", "vector cosine", "own vector cosine", "bigram recall")
"""Pair features whose maximum over all sentences is used."""
_PARTS: Final = ("aim", "dates", "terms")
_NOTICED: Final = 0.1
"""Share from which a sentence counts as speaking of a unit."""
_MARGIN: Final = 1e-3


def evidence_of(pairs: Pairs, shares: Floats, unsupported: Floats) -> Floats:
    """Return units × features.

    Args:
        pairs: the pair features of the act and its summary.
        shares: sentences × units, the alignment.
        unsupported: per sentence, the probability that no unit supports it.

    """
    layout = pairs.layout
    count = len(layout.section)
    if not len(shares):  # a summary without content
        shares, unsupported = np.zeros((1, count), np.float32), np.ones(1, np.float32)
        best = [np.zeros(count)] * len(_BEST)
    else:
        best = [pairs.pairs[:, :, PAIR_FEATURES.index(name)].max(axis=0) for name in _BEST]
    precise = shares.astype(np.float64)
    ordered = np.sort(np.concatenate([np.zeros_like(precise[:1]), precise]), axis=0)
    total = precise.sum(axis=0)
    relative = precise / np.maximum(precise.max(axis=1, keepdims=True), 1e-9) * (1 - unsupported[:, None])
    columns = [
        _logit(1 - np.prod(1 - np.minimum(precise, 1 - _MARGIN), axis=0)),
        _log(total),
        _logit(ordered[-1]),
        _logit(ordered[-2]),
        *map(_log, _list_totals(layout.lead_in, total)),
        _log(np.concatenate([[0.0], total[:-1]])),
        _log(np.concatenate([total[1:], [0.0]])),
        _log(_by_group(layout.paragraph, total)),
        _log(_highest(layout.paragraph, total)),
        _log(_by_group(layout.section, total)),
        np.log1p(_by_group(layout.paragraph, np.ones(count))),
        np.log1p(_by_group(layout.section, np.ones(count))),
        np.argsort(np.argsort(-total, kind="stable"), kind="stable") / max(1, count),
        relative.max(axis=0),
        np.full(count, np.log(max(1, count))),
        np.full(count, np.log(len(shares))),
        np.full(count, 1 - unsupported.mean()),
        *best,
        *_order(pairs, precise),
    ]
    return np.concatenate([np.stack(columns, axis=-1), pairs.places], axis=-1).astype(np.float32)


EVIDENCE_COUNT: Final = 21 + len(_BEST) + 2 + len(_PARTS) + len(PLACE_FEATURES)


def _order(pairs: Pairs, shares: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the mean and first position in the summary that speaks of a unit, and its shares by part of the summary.

    Summaries begin with what matters most.
    """
    place = (np.arange(len(shares)) + 0.5) / len(shares)
    total = shares.sum(axis=0)
    mean = (place @ shares + 0.5 * _MARGIN) / (total + _MARGIN)
    first = np.where(shares >= _NOTICED, place[:, None], 1.0).min(axis=0)
    is_part = pairs.sentences[:, [SENTENCE_FEATURES.index(part) for part in _PARTS]]
    parts = is_part.T @ shares if len(is_part) else np.zeros((len(_PARTS), shares.shape[1]))
    return [mean, first, *map(_log, parts)]


def _list_totals(lead_in: Integers, total: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return, for lead-ins, the sum and mean of their points' shares; for points, those of the lead-in and siblings."""
    listed = np.flatnonzero(lead_in >= 0)
    leads = lead_in[listed]
    led, points = np.zeros((2, len(total)))
    np.add.at(led, leads, total[listed])
    np.add.at(points, leads, 1.0)
    above, beside, beside_mean = np.zeros((3, len(total)))
    above[listed] = total[leads]
    beside[listed] = led[leads] - total[listed]
    beside_mean[listed] = beside[listed] / np.maximum(points[leads] - 1, 1)
    return [led, led / np.maximum(points, 1), above, beside, beside_mean]


def _by_group(groups: Integers, values: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(int(groups.max(initial=-1)) + 1)
    np.add.at(sums, groups, values)
    return sums[groups]


def _highest(groups: Integers, values: NDArray[np.float64]) -> NDArray[np.float64]:
    highest = np.zeros(int(groups.max(initial=-1)) + 1)
    np.maximum.at(highest, groups, values)
    return highest[groups]


def _log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = np.log1p(10 * np.maximum(values, 0.0))
    return logs


def _logit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    logits: NDArray[np.float64] = np.log((values + _MARGIN) / (1 - np.minimum(values, 1 - _MARGIN) + _MARGIN))
    return logits


# --- support: neighbouring sentences of a summary speak of neighbouring units of the act -------------------

_NEAR: Final = 2
"""Neighbouring sentences on each side that support a sentence."""
_OTHER_HEADING: Final = 0.3
"""Weight of a neighbour under another heading."""

SUPPORT_FEATURES: Final = ("section support", "paragraph support", "list support", "unit support", "act support")


def support_features(pairs: Pairs, shares: Floats) -> Floats:
    """Return sentences × units × `SUPPORT_FEATURES`, from the shares of the first pass."""
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
    """Sum the shares of units by group."""
    sums = np.zeros((int(groups.max(initial=-1)) + 1, len(shares)), np.float32)
    np.add.at(sums, groups, shares.T)
    return sums.T
