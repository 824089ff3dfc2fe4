"""Silver alignment: which units of an act each sentence of its official summary rests on, and how surely.

A sentence is compared with all units at once, by words, vectors, headings and place; a softmax over the units, and
over the option that none is meant, gives its shares. A second pass knows what the sentences around it rest on. What
all sentences together say for a unit becomes the probability that an editor took it.
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
"""A sentence at least this sure to be aligned well is confident."""
_SMALLEST_SHARE: Final = 0.02


@dataclass(frozen=True, slots=True)
class AlignedSentence:
    """A sentence of a summary and what it rests on."""

    sentence: SummarySentence
    units: tuple[tuple[int, float], ...]
    """Units with the probability that the sentence rests on them, most likely first; in sum 1 at most."""
    confidence: float
    """The probability that the first of the units is right."""


@dataclass(frozen=True)
class Silver:
    """What a summary says of the units of its act."""

    sentences: tuple[AlignedSentence, ...]
    targets: Floats
    """For each unit the probability that an editor who wrote this summary would take it."""
    importance: Floats
    """For each unit the expected weight of what the summary takes from it, from 0 to 1."""
    priority: Floats
    """For each unit how early an editor would take it, from 1 for the first to 0 for what is left out."""
    weights: Floats
    """For each unit how much its target should count: how well the summary fits the act; 0 for tables."""


def align(act: Act, summary: str, encoder: TextEncoder, model: SilverModel | None = None) -> Silver:
    """Align an official summary with its act."""
    sentences = content_sentences(summary)
    model = model or _shipped()
    pairs = pairs_of(act, sentences, encoder)
    alignment = model.align(pairs)
    confidences = model.confidences(pairs, alignment)
    aligned = tuple(
        AlignedSentence(sentence, _sparse(row), float(confidence))
        for sentence, row, confidence in zip(sentences, alignment.shares, confidences, strict=True)
    )
    readouts = model.read_units(pairs, alignment).T
    prose = np.array([unit.kind != "table" for unit in act.units], np.float32)
    trust = float(confidences.mean()) if len(confidences) else 0.0
    targets, importance, priority = readouts * prose
    return Silver(aligned, targets, importance, priority, np.float32(trust) * prose)


@cache
def _shipped() -> SilverModel:
    return load_model()


def _sparse(shares: Floats) -> tuple[tuple[int, float], ...]:
    """The units with a share worth keeping, largest first."""
    order = np.argsort(-shares, kind="stable")
    return tuple((int(unit), float(shares[unit])) for unit in order if shares[unit] >= _SMALLEST_SHARE)
