"""Gold annotations for silver alignment: training examples, and the quality of an alignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.evaluation.gold import Gold, Places, load_gold
from lexlattice.evaluation.rows import BadRow, Rows
from lexlattice.reading import read
from lexlattice.training.silver import CONFIDENT
from lexlattice.training.silver.fitting import Example, GoldPoint, supporting_units
from lexlattice.training.silver.model import Alignment, SilverModel
from lexlattice.training.silver.pairs import TextEncoder, pairs_of
from lexlattice.training.silver.sentences import content_sentences


@dataclass(frozen=True)
class GoldAct:
    """An annotated act with its summary and features."""

    gold: Gold
    act: Act
    reference: str
    example: Example
    chosen: frozenset[int]
    """All units of gold points and the gold extract."""


def gold_acts(gold: Path, rows: Path, encoder: TextEncoder, acts: Mapping[str, Act] | None = None) -> Iterator[GoldAct]:
    """Yield the annotated acts of a split; `acts` holds those that are already read."""
    annotations = {annotation.celex: annotation for annotation in load_gold(gold)}
    for row in Rows(rows):
        if isinstance(row, BadRow) or row.celex not in annotations:
            continue
        annotation = annotations[row.celex]
        act = (acts or {}).get(row.celex) or read(row.text, language=annotation.language)
        yield _gold_act(annotation, act, row.text, row.summary, encoder)


def _gold_act(gold: Gold, act: Act, reference: str, summary: str, encoder: TextEncoder) -> GoldAct:
    places = Places(act, reference)
    points = [
        GoldPoint(
            point.text, point.weight, tuple(sorted({unit for place in point.places for unit in places.units(place)}))
        )
        for point in gold.points
    ]
    weights, priority = np.zeros((2, len(act.units)), np.float32)
    for rank, place in enumerate(gold.extract):
        units = places.units(place)
        weights[units] = 1 / 3  # the extract may contain units that no point needs
        priority[units] = np.maximum(priority[units], 1 - rank / len(gold.extract))
    for point in points:
        stated = list(point.units)
        weights[stated] = np.maximum(weights[stated], point.weight / 3)
    readouts = np.stack([weights > 0, weights, priority], axis=-1).astype(np.float32)
    sentences = content_sentences(summary)
    example = Example(pairs_of(act, sentences, encoder), supporting_units(sentences, points, encoder), readouts)
    return GoldAct(gold, act, reference, example, frozenset(np.flatnonzero(weights).tolist()))


class Quality(NamedTuple):
    """The quality of silver alignment on annotated acts."""

    sentences: int
    """Number of sentences that state a gold point of the act."""
    right: float
    """Share of them whose first unit is correct."""
    confident: float
    """Share of all sentences that are aligned confidently."""
    right_if_confident: float
    in_gold_if_confident: float
    """Share of the confident sentences whose first unit belongs to any gold point or the extract."""
    auc: float
    """Mean area under the ROC curve of the units' targets."""


def quality(acts: Iterable[tuple[GoldAct, SilverModel]]) -> Quality:
    """Measure acts, each with a model that was not fitted on it."""
    right, sure, in_gold, known, aucs = [], [], [], [], []
    for item, model in acts:
        example = item.example
        alignment = model.align(example.pairs)
        confidences = model.confidences(example.pairs, alignment)
        for number, label in enumerate(example.labels):
            best = int(alignment.shares[number].argmax())
            known.append(bool(label))
            right.append(best in (label or ()))
            in_gold.append(best in item.chosen)
            sure.append(confidences[number] >= CONFIDENT)
        aucs.append(auc(example.units[:, 0] > 0, targets_of(item, model, alignment)))
    hits, are_sure, stated = np.array(right), np.array(sure), np.array(known)
    return Quality(
        int(stated.sum()),
        float(hits[stated].mean()),
        float(are_sure.mean()),
        float(hits[stated & are_sure].mean()),
        float(np.array(in_gold)[are_sure].mean()),
        float(np.nanmean(aucs)),
    )


def targets_of(item: GoldAct, model: SilverModel, alignment: Alignment | None = None) -> NDArray[np.float32]:
    """Return the target of each unit of an annotated act."""
    pairs = item.example.pairs
    targets: NDArray[np.float32] = model.read_units(pairs, alignment or model.align(pairs))[:, 0]
    return targets


def auc(is_positive: NDArray[np.bool_], scores: NDArray[np.float32]) -> float:
    """Return the area under the ROC curve; NaN if all or none are positive."""
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1
    positives = int(is_positive.sum())
    negatives = len(scores) - positives
    if not positives or not negatives:
        return float("nan")
    return float((ranks[is_positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))
