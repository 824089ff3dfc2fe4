"""The coverage model for inference, in NumPy: features of an act → unit scores, word and bigram probabilities.

Words and units exchange messages. Word states are computed from positions and vectors; each unit receives the mean
message of its words; the automaton propagates unit states over the lattice; and words and bigrams receive the mean
message of the units that contain them. `lexlattice.research.coverage.network` is the same in PyTorch, for training.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights
from lexlattice.errors import LexLatticeError, WeightsError
from lexlattice.lattice.automaton import Automaton, Dense, Readout, array_of
from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import BIGRAM_COUNTS, WORD_COUNTS, Probabilities
from lexlattice.research.coverage.features import Features, Floats, Integers, Occurrences

FORMAT: Final = "lexlattice coverage 3"
LARGEST: Final = 6.0
"""Scaled features are clipped to this many standard deviations."""
LAYERS: Final = (
    *("word_meaning", "word_topic", "word_first", "word_second", "word_message", "word_third", "word_logits"),
    *("unit_meaning", "unit_topic", "unit_first", "unit_second", "unit_message"),
    *("word_to_bigram", "bigram_first", "bigram_second", "bigram_logits"),
)
SCALES: Final = ("act", "units", "words", "bigrams")
SHARED_LOGITS: Final = 2
"""The number of a word's logits that are passed on to its bigrams."""
_CHUNK: Final = 1024
"""Bigrams per matrix product; few enough to stay in the CPU cache."""
_STEP_DIGITS: Final = 3
"""Digits of the number of steps, at most: a manipulated file must not keep us busy for days."""
_NEIGHBOURS: Final = {"unbounded": 9, "line": 3, "none": 3}
"""Cells that a cell perceives in each geometry, including itself."""


class Prediction(NamedTuple):
    """The predictions for an act."""

    scores: Floats
    """Per unit: the logit that a summary would select it."""
    probabilities: Probabilities


@dataclass(frozen=True, slots=True, eq=False)
class Salience:
    """The coverage model with its weights."""

    geometry: str
    steps: int
    encoder: str
    """Fingerprint of the encoder of the unit vectors."""
    scales: Mapping[str, tuple[Floats, Floats]]
    layers: Mapping[str, Dense]
    automaton: Automaton | None
    """None for models without automaton steps."""
    readout: Readout

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Salience:
        """Read a weights file.

        Raises:
            WeightsError: the file is damaged, or holds other weights.

        """
        arrays, about = read_weights(path)
        try:
            if (found := about.get("format", "")) != FORMAT:
                raise WeightsError(f"their format is '{found}', not '{FORMAT}'")
            geometry, steps = about.get("geometry", ""), about.get("steps", "")
            if geometry not in _NEIGHBOURS or not (steps.isdecimal() and len(steps) <= _STEP_DIGITS):
                raise WeightsError(f"the geometry '{geometry}' with '{steps}' steps is not supported")
            model = cls(
                geometry=geometry,
                steps=int(steps),
                encoder=about.get("fingerprint", ""),
                scales={name: _scale(arrays, name) for name in SCALES},
                layers={name: Dense.of(arrays, name) for name in LAYERS},
                automaton=Automaton.of(arrays) if int(steps) else None,
                readout=Readout.of(arrays),
            )
            model._check()
            return model
        except LexLatticeError as error:
            raise WeightsError(
                f"The weights '{path}' are not those of the coverage model ({error}); use others, or train them again."
            ) from error

    def _check(self) -> None:
        """Raise WeightsError if the sizes of the layers do not match."""
        act, units, words, bigrams = (len(self.scales[name][0]) for name in SCALES)
        size = {name: len(layer.bias) for name, layer in self.layers.items()}
        channels = size["unit_second"]
        takes = {
            "word_first": act + words + 2 * size["word_meaning"],
            "word_second": size["word_first"],
            "word_message": size["word_second"],
            "unit_first": act + units + 2 * size["unit_meaning"] + size["word_message"],
            "unit_second": size["unit_first"],
            "unit_message": 2 * channels,
            "word_third": size["word_second"] + size["unit_message"] + 2 * size["word_message"],
            "word_logits": size["word_third"],
            "word_to_bigram": size["word_third"],
            "bigram_first": act + bigrams + 2 * (size["word_to_bigram"] + SHARED_LOGITS) + size["unit_message"],
            "bigram_second": size["bigram_first"],
            "bigram_logits": size["bigram_second"],
        }
        gives = {
            "word_topic": size["word_meaning"],
            "unit_topic": size["unit_meaning"],
            "word_logits": len(WORD_COUNTS),
            "bigram_logits": len(BIGRAM_COUNTS),
        }
        widths = {name: layer.weight.shape[1] for name, layer in self.layers.items()}
        for sizes, expected, what in ((widths, takes, "takes"), (size, gives, "returns")):
            for name, width in expected.items():
                if sizes[name] != width:
                    raise WeightsError(f"'{name}' {what} {sizes[name]} values instead of {width}")
        anchors = {divmod(widths[f"{kind}_topic"], max(1, widths[f"{kind}_meaning"])) for kind in ("word", "unit")}
        kernel = None if self.automaton is None else self.automaton.kernel.shape
        if not (
            len(anchors) == 1
            and anchors.pop()[1] == 0
            and self.readout.hidden.weight.shape[1] == 2 * channels
            and kernel in (None, (_NEIGHBOURS[self.geometry], channels))
            and all((deviation > 0).all() for _, deviation in self.scales.values())
        ):
            raise WeightsError("the sizes of their layers do not match")

    def predict(self, features: Features, lattice: Lattice, budget: int) -> Prediction:
        """Return unit scores and n-gram probabilities, for an extract of `budget` words."""
        words, before, after = self._consolidated(features, lattice, budget)
        scores = self.readout(before, after[-1])
        return Prediction(scores, self._probabilities(features, budget, words, before, after[-1]))

    def panels(self, features: Features, lattice: Lattice, budget: int) -> Floats:
        """Return the unit scores before the first automaton step and after each: steps + 1 rows."""
        _, before, after = self._consolidated(features, lattice, budget)
        return np.stack([self.readout(before, panel) for panel in after])

    def _consolidated(self, features: Features, lattice: Lattice, budget: int) -> tuple[Floats, Floats, Floats]:
        """Return the word states, the unit states before the first step, and those before and after each step."""
        layer, act = self.layers, self._scaled("act", features.with_budget(budget)[None])
        meaning = layer["word_meaning"](features.word_vectors)
        topic = _topic(layer["word_topic"], features.word_anchors)
        words = _relu(layer["word_first"](act, self._scaled("words", features.words), meaning, meaning * topic))
        words = _relu(layer["word_second"](words))
        held = _mean_in_units(features.ngrams.of_words, layer["word_message"](words))
        meaning, topic = layer["unit_meaning"](features.vectors), _topic(layer["unit_topic"], features.unit_anchors)
        units = _relu(layer["unit_first"](act, self._scaled("units", features.units), meaning, meaning * topic, held))
        units = _relu(layer["unit_second"](units))
        if self.automaton is None:
            return words, units, units[None]
        panels = self.automaton.run(lattice.tile(units), lattice, self.steps, record=True)
        return words, units, np.stack([lattice.untile(panel) for panel in panels])

    def _probabilities(
        self, features: Features, budget: int, words: Floats, before: Floats, after: Floats
    ) -> Probabilities:
        """Return the n-gram probabilities, given the states of the units that contain them."""
        layer, ngrams = self.layers, features.ngrams
        message, said = layer["unit_message"](before, after), layer["word_message"](words)
        left, right = ngrams.bigrams.T
        met = _mean_in_ngrams(ngrams.of_words, message)
        follows, precedes = _mean_by(right, said, left, len(words)), _mean_by(left, said, right, len(words))
        words = _relu(layer["word_third"](words, met, follows, precedes))
        logits = layer["word_logits"](words)
        return Probabilities(
            _at_least(logits), self._of_bigrams(features, budget, words, logits[:, :SHARED_LOGITS], message)
        )

    def _of_bigrams(self, features: Features, budget: int, words: Floats, logits: Floats, message: Floats) -> Floats:
        """Return the bigram probabilities.

        What a word contributes to the first layer is computed once per word, not once per bigram.
        """
        layer, first = self.layers, self.layers["bigram_first"]
        told = np.concatenate([layer["word_to_bigram"](words), logits], axis=1)
        act, met = (
            self._scaled("act", features.with_budget(budget)[None]),
            _mean_in_ngrams(features.ngrams.of_bigrams, message),
        )
        widths = (act.shape[1], features.bigrams.shape[1], told.shape[1], told.shape[1], met.shape[1])
        of_act, of_bigrams, of_left, of_right, of_met = first.parts(*widths)
        as_left, as_right = told @ of_left.T, told @ of_right.T
        as_left += act @ of_act.T + first.bias
        probabilities = np.empty((len(met), len(BIGRAM_COUNTS)), np.float32)
        for begin in range(0, len(met), _CHUNK):
            some = slice(begin, begin + _CHUNK)
            left, right = features.ngrams.bigrams[some].T
            bigrams = self._scaled("bigrams", features.bigrams[some]) @ of_bigrams.T
            bigrams += met[some] @ of_met.T
            bigrams += as_left[left]
            bigrams += as_right[right]
            bigrams = _relu(layer["bigram_second"](_relu(bigrams)))
            probabilities[some] = _at_least(layer["bigram_logits"](bigrams))
        return probabilities

    def _scaled(self, name: str, values: Floats) -> Floats:
        mean, deviation = self.scales[name]
        scaled: Floats = np.clip((values - mean) / deviation, -LARGEST, LARGEST)
        return scaled


def sigmoid(logits: Floats) -> Floats:
    """The logistic function."""
    return (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)


def _relu(values: Floats) -> Floats:
    """ReLU, in place."""
    return np.maximum(values, 0, out=values)


def _scale(arrays: Mapping[str, NDArray[Any]], name: str) -> tuple[Floats, Floats]:
    mean = array_of(arrays, f"scales.{name}.mean", 1)
    return mean, array_of(arrays, f"scales.{name}.deviation", 1, len(mean))


def _topic(layer: Dense, anchors: Floats) -> Floats:
    """Return gates for the projected vectors, from the anchors that state the act's topic."""
    return layer(anchors.reshape(1, -1))


def _mean_in_units(occurrences: Occurrences, values: Floats) -> Floats:
    """Return the mean value of each unit's n-grams, weighted by their counts."""
    return _mean_by(occurrences.units, values, occurrences.ngrams, occurrences.unit_count, occurrences.counts)


def _mean_in_ngrams(occurrences: Occurrences, values: Floats) -> Floats:
    """Return the mean value of each n-gram's units, weighted by its counts there."""
    return _mean_by(occurrences.ngrams, values, occurrences.units, occurrences.ngram_count, occurrences.counts)


def _mean_by(groups: Integers, values: Floats, rows: Integers, count: int, weights: Integers | None = None) -> Floats:
    """Return the weighted mean of the rows of each group; zero for empty groups.

    `bincount` per channel needs no sorting, and little memory for long acts.
    """
    weight = np.ones(len(groups)) if weights is None else weights.astype(np.float64)
    total = np.maximum(np.bincount(groups, weight, count), 1)
    means = np.empty((count, values.shape[1]), np.float32)
    for channel, column in enumerate(np.ascontiguousarray(values.T, np.float64)):
        means[:, channel] = np.bincount(groups, weight * column[rows], count) / total
    return means


def _at_least(logits: Floats) -> Floats:
    """Convert logits of "once", "twice, given once" … to probabilities of at least n occurrences."""
    probabilities: Floats = np.cumprod(sigmoid(logits), axis=1, dtype=np.float32)
    return probabilities
