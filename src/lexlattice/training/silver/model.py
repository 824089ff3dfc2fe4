"""The networks of silver alignment in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights
from lexlattice.training.silver.evidence import evidence_of, support_features
from lexlattice.training.silver.pairs import Floats, Pairs

READOUTS: Final = ("targets", "importance", "priority")
"""Predictions per unit: the probability of being selected, the expected weight and the expected priority."""
PATH: Final = Path(__file__).with_name("silver.safetensors")


class Perceptron(NamedTuple):
    """An MLP with one hidden layer and a linear skip connection."""

    hidden: Floats
    bias: Floats
    out: Floats
    skip: Floats
    offset: Floats

    def __call__(self, features: Floats) -> Floats:
        """Return the outputs; features are in the last dimension."""
        inner = np.tanh(features @ self.hidden + self.bias)
        outputs: Floats = inner @ self.out + features @ self.skip + self.offset
        return outputs


class Alignment(NamedTuple):
    """The alignment of sentences with units."""

    shares: Floats
    """Sentences × units: the probability that a unit supports a sentence; rows sum to at most 1."""
    unsupported: Floats
    """Per sentence: the probability that no unit supports it."""


class Pass(NamedTuple):
    """A softmax over all units and the option that none supports the sentence."""

    pairs: Perceptron
    none: Perceptron

    def __call__(self, pairs: Floats, sentences: Floats) -> Alignment:
        """Return the alignment, from pair and sentence features."""
        logits = np.concatenate([self.pairs(pairs)[..., 0], self.none(sentences)], axis=1)
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = exponents / exponents.sum(axis=1, keepdims=True)
        return Alignment(shares[:, :-1], shares[:, -1])


class SilverModel(NamedTuple):
    """Two alignment passes, the second with support features of neighbours, and readouts."""

    first: Pass
    second: Pass
    confidence: Perceptron
    """Logit that the unit with the largest share is correct."""
    units: Perceptron
    """`READOUTS` of each unit."""

    def align(self, pairs: Pairs) -> Alignment:
        """Align the sentences of a summary with the units of its act."""
        supported = support_features(pairs, self.first(pairs.pairs, pairs.sentences).shares)
        return self.second(np.concatenate([pairs.pairs, supported], axis=-1), pairs.sentences)

    def confidences(self, pairs: Pairs, alignment: Alignment) -> Floats:
        """Return per sentence the probability that the unit with the largest share supports it."""
        return sigmoid(self.confidence(confidence_features(pairs, alignment)))[:, 0]

    def read_units(self, pairs: Pairs, alignment: Alignment) -> Floats:
        """Return units × `READOUTS`."""
        return sigmoid(self.units(evidence_of(pairs, alignment.shares, alignment.unsupported)))


def confidence_features(pairs: Pairs, alignment: Alignment) -> Floats:
    """Return features of the alignment's certainty: largest share, share of its section, of no unit, and the margin."""
    shares, unsupported = alignment
    if not len(shares):
        return np.zeros((0, 4), np.float32)
    best = shares.argmax(axis=1)
    section = pairs.layout.section
    section_share = np.array([row[section == section[unit]].sum() for row, unit in zip(shares, best, strict=True)])
    runner_up = np.partition(shares, -2, axis=1)[:, -2] if shares.shape[1] > 1 else np.zeros(len(shares))
    top = shares.max(axis=1)
    columns = [np.log(top + 1e-3), np.log(section_share + 1e-3), unsupported, top - runner_up]
    return np.stack(columns, axis=-1).astype(np.float32)


def sigmoid(logits: Floats) -> Floats:
    """The logistic function."""
    probabilities: Floats = (0.5 * (1 + np.tanh(0.5 * logits))).astype(np.float32)
    return probabilities


def load_model(path: Path = PATH) -> SilverModel:
    """Read a model from a weights file."""
    arrays = read_weights(path).arrays
    first, second = (
        Pass(_perceptron(arrays, f"{name}.pairs"), _perceptron(arrays, f"{name}.none")) for name in _PASSES
    )
    return SilverModel(first, second, _perceptron(arrays, "confidence"), _perceptron(arrays, "units"))


def arrays_of(model: SilverModel) -> dict[str, Floats]:
    """Return the arrays of a model by name, for its weights file."""
    networks = {"confidence": model.confidence, "units": model.units}
    for name, stage in zip(_PASSES, (model.first, model.second), strict=True):
        networks |= {f"{name}.pairs": stage.pairs, f"{name}.none": stage.none}
    return {
        f"{name}.{field}": array for name, network in networks.items() for field, array in network._asdict().items()
    }


_PASSES: Final = ("first", "second")


def _perceptron(arrays: Mapping[str, NDArray[Any]], name: str) -> Perceptron:
    return Perceptron(*(np.array(arrays[f"{name}.{field}"], np.float32) for field in Perceptron._fields))
