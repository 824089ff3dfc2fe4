"""Silver alignment: which units of an act support each sentence of its official summary, with probabilities.

Each sentence is compared with all units by words, vectors, headings and positions. A softmax over the units, and the
option that none supports it, gives its alignment. A second pass also uses the alignment of neighbouring sentences. The
alignments of all sentences together give the probability that an editor would select a unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from lexlattice.act.document import Act
from lexlattice.training.silver.model import SilverModel, load_model
from lexlattice.training.silver.pairs import Floats, TextEncoder, pairs_of
from lexlattice.training.silver.sentences import SummarySentence, content_sentences

CONFIDENT: Final = 0.7
"""Confidence from which a sentence counts as confidently aligned."""
_SMALLEST_SHARE: Final = 0.02


@dataclass(frozen=True, slots=True)
class AlignedSentence:
    """A sentence of a summary and the units that support it."""

    sentence: SummarySentence
    units: tuple[tuple[int, float], ...]
    """Units and the probabilities that they support the sentence, most likely first; the sum is at most 1."""
    confidence: float
    """The probability that the first unit is correct."""


@dataclass(frozen=True)
class Silver:
    """The alignment of a summary with its act."""

    sentences: tuple[AlignedSentence, ...]
    targets: Floats
    """Per unit: the probability that an editor who wrote this summary would select it."""
    importance: Floats
    """Per unit: the expected weight of what the summary takes from it, from 0 to 1."""
    priority: Floats
    """Per unit: how early an editor would select it, from 1 for the first to 0 for unselected units."""
    weights: Floats
    """Per unit: the weight of its target in a loss, by the confidence of the alignment; 0 for tables."""


def align(act: Act, summary: str, encoder: TextEncoder, model: SilverModel | None = None) -> Silver:
    """Align an official summary with its act.

    Args:
        act: the act.
        summary: the text of its summary.
        encoder: gives texts their vectors.
        model: the alignment model; the packaged one by default.

    """
    sentences = content_sentences(summary)
    model = model or _packaged_model()
    pairs = pairs_of(act, sentences, encoder)
    alignment = model.align(pairs)
    confidences = model.confidences(pairs, alignment)
    aligned = tuple(
        AlignedSentence(sentence, _sparse(row), float(confidence))
        for sentence, row, confidence in zip(sentences, alignment.shares, confidences, strict=True)
    )
    readouts = model.read_units(pairs, alignment).T
    prose = np.array([unit.kind != "table" for unit in act.units], np.float32)
    mean_confidence = float(confidences.mean()) if len(confidences) else 0.0
    targets, importance, priority = readouts * prose
    return Silver(aligned, targets, importance, priority, np.float32(mean_confidence) * prose)


@cache
def _packaged_model() -> SilverModel:
    return load_model()


def _sparse(shares: Floats) -> tuple[tuple[int, float], ...]:
    """Return the units with a substantial share, largest first."""
    order = np.argsort(-shares, kind="stable")
    return tuple((int(unit), float(shares[unit])) for unit in order if shares[unit] >= _SMALLEST_SHARE)
