"""The word model for inference: features of an act → scores of its units, chances of its words and pairs.

Units and words inform each other. Words are read first, from where they occur and what they mean; what a unit holds of
them goes into its cell; the automaton lets cells talk to those around them; and what the cells have become goes back
to the words and pairs that occur there. `lexlattice.research.coverage.network` is the same in PyTorch, where it learns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.automaton import Automaton, Dense, Readout, array_of
from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import PAIR_COUNTS, WORD_COUNTS, Chances
from lexlattice.research.coverage.features import Features, Floats, Integers, Occurrences

FORMAT: Final = "lexlattice salience 2"
LARGEST: Final = 6.0
"""Features are held within so many deviations: an act like no other is still an act."""
LAYERS: Final = (
    *("word_meaning", "word_topic", "word_first", "word_second", "word_message", "word_third", "word_chances"),
    *("unit_meaning", "unit_topic", "unit_first", "unit_second", "unit_message"),
    *("word_to_pair", "pair_first", "pair_second", "pair_chances"),
)
SCALES: Final = ("act", "units", "words", "pairs")
ODDS: Final = 2
"""How many of a word's log odds its pairs are told."""
_AT_ONCE: Final = 1024
"""Pairs that go through the network together: few enough to stay in the processor's cache."""
_DIGITS: Final = 3
"""Of the number of steps: a file that asks for more would have us compute for days."""
_NEIGHBOURS: Final = {"unbounded": 9, "line": 3, "none": 3}
"""For each geometry how many cells a cell looks at, itself among them; there may be nothing."""


class Judgement(NamedTuple):
    """What the model makes of an act."""

    scores: Floats
    """Of units: the higher, the likelier would a summary choose them; log odds."""
    chances: Chances


@dataclass(frozen=True, slots=True, eq=False)
class Salience:
    """The model."""

    geometry: str
    steps: int
    encoder: str
    """Fingerprint of the encoder that the vectors of units have to come from."""
    scales: Mapping[str, tuple[Floats, Floats]]
    layers: Mapping[str, Dense]
    automaton: Automaton | None
    """None where units do not talk to each other."""
    readout: Readout

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Salience:
        """From a file of weights."""
        arrays, about = read_weights(path)
        try:
            if (found := about.get("format", "of no kind that is named")) != FORMAT:
                raise LexLatticeError(f"'{FORMAT}' was expected, and they are '{found}'; get or train them anew.")
            geometry, steps = about.get("geometry", ""), about.get("steps", "")
            if geometry not in _NEIGHBOURS or not (steps.isdecimal() and len(steps) <= _DIGITS):
                raise LexLatticeError(
                    f"one of the lattices {', '.join(_NEIGHBOURS)} and a number of steps were expected, and they have "
                    f"'{geometry}' and '{steps}'; get or train them anew."
                )
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
            raise LexLatticeError(f"The weights '{path}' are not those of the model: {error}") from error

    def _check(self) -> None:
        """Layers that do not fit each other would end in an error far from here, or in nonsense."""
        act, units, words, pairs = (len(self.scales[name][0]) for name in SCALES)
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
            "word_chances": size["word_third"],
            "word_to_pair": size["word_third"],
            "pair_first": act + pairs + 2 * (size["word_to_pair"] + ODDS) + size["unit_message"],
            "pair_second": size["pair_first"],
            "pair_chances": size["pair_second"],
        }
        gives = {
            "word_topic": size["word_meaning"],
            "unit_topic": size["unit_meaning"],
            "word_chances": len(WORD_COUNTS),
            "pair_chances": len(PAIR_COUNTS),
        }
        widths = {name: layer.weight.shape[1] for name, layer in self.layers.items()}
        for sizes, expected, what in ((widths, takes, "takes"), (size, gives, "gives")):
            for name, width in expected.items():
                if sizes[name] != width:
                    raise LexLatticeError(
                        f"'{name}' {what} {sizes[name]} values, and {width} were expected; get or train them anew."
                    )
        anchors = {divmod(widths[f"{kind}_topic"], max(1, widths[f"{kind}_meaning"])) for kind in ("word", "unit")}
        kernel = None if self.automaton is None else self.automaton.kernel.shape
        if not (
            len(anchors) == 1
            and anchors.pop()[1] == 0
            and self.readout.hidden.weight.shape[1] == 2 * channels
            and kernel in (None, (_NEIGHBOURS[self.geometry], channels))
            and all((deviation > 0).all() for _, deviation in self.scales.values())
        ):
            raise LexLatticeError("their layers do not fit each other; get or train them anew.")

    def judge(self, features: Features, lattice: Lattice, budget: int) -> Judgement:
        """Scores and chances, for an extract of so many words."""
        words, before, after = self._consolidated(features, lattice, budget)
        scores = self.readout(before, after[-1])
        return Judgement(scores, self._chances(features, budget, words, before, after[-1]))

    def panels(self, features: Features, lattice: Lattice, budget: int) -> Floats:
        """The scores of units before the first step and after each, a row each."""
        _, before, after = self._consolidated(features, lattice, budget)
        return np.stack([self.readout(before, panel) for panel in after])

    def _consolidated(self, features: Features, lattice: Lattice, budget: int) -> tuple[Floats, Floats, Floats]:
        """Hidden states of words, and states of units before the first step, and before and after each."""
        layer, act = self.layers, self._scaled("act", features.with_budget(budget)[None])
        meaning = layer["word_meaning"](features.word_vectors)
        topic = _topic(layer["word_topic"], features.word_anchors)
        words = _relu(layer["word_first"](act, self._scaled("words", features.words), meaning, meaning * topic))
        words = _relu(layer["word_second"](words))
        held = _mean_in_units(features.grams.of_words, layer["word_message"](words))
        meaning, topic = layer["unit_meaning"](features.vectors), _topic(layer["unit_topic"], features.unit_anchors)
        units = _relu(layer["unit_first"](act, self._scaled("units", features.units), meaning, meaning * topic, held))
        units = _relu(layer["unit_second"](units))
        if self.automaton is None:
            return words, units, units[None]
        panels = self.automaton.run(lattice.tile(units), lattice, self.steps, record=True)
        return words, units, np.stack([lattice.untile(panel) for panel in panels])

    def _chances(self, features: Features, budget: int, words: Floats, before: Floats, after: Floats) -> Chances:
        """What words and pairs make of the units that they occur in."""
        layer, grams = self.layers, features.grams
        message, said = layer["unit_message"](before, after), layer["word_message"](words)
        left, right = grams.pairs.T
        met = _mean_in_grams(grams.of_words, message)
        follows, precedes = _mean_by(right, said, left, len(words)), _mean_by(left, said, right, len(words))
        words = _relu(layer["word_third"](words, met, follows, precedes))
        odds = layer["word_chances"](words)
        return Chances(_cumulated(odds), self._of_pairs(features, budget, words, odds[:, :ODDS], message))

    def _of_pairs(self, features: Features, budget: int, words: Floats, odds: Floats, message: Floats) -> Floats:
        """The chances of pairs; what a word tells its pairs goes through their first layer once for all of them."""
        layer, first = self.layers, self.layers["pair_first"]
        told = np.concatenate([layer["word_to_pair"](words), odds], axis=1)
        act, met = (
            self._scaled("act", features.with_budget(budget)[None]),
            _mean_in_grams(features.grams.of_pairs, message),
        )
        widths = (act.shape[1], features.pairs.shape[1], told.shape[1], told.shape[1], met.shape[1])
        of_act, of_pairs, of_left, of_right, of_met = first.parts(*widths)
        as_left, as_right = told @ of_left.T, told @ of_right.T
        as_left += act @ of_act.T + first.bias
        chances = np.empty((len(met), len(PAIR_COUNTS)), np.float32)
        for begin in range(0, len(met), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            left, right = features.grams.pairs[some].T
            pairs = self._scaled("pairs", features.pairs[some]) @ of_pairs.T
            pairs += met[some] @ of_met.T
            pairs += as_left[left]
            pairs += as_right[right]
            pairs = _relu(layer["pair_second"](_relu(pairs)))
            chances[some] = _cumulated(layer["pair_chances"](pairs))
        return chances

    def _scaled(self, name: str, values: Floats) -> Floats:
        mean, deviation = self.scales[name]
        scaled: Floats = np.clip((values - mean) / deviation, -LARGEST, LARGEST)
        return scaled


def chance(odds: Floats) -> Floats:
    """From log odds to chances, from 0 to 1."""
    return (1 / (1 + np.exp(-np.clip(odds, -30, 30)))).astype(np.float32)


def _relu(values: Floats) -> Floats:
    """Whatever is below zero is zero; in place, since nobody else needs the values."""
    return np.maximum(values, 0, out=values)


def _scale(arrays: Mapping[str, NDArray[Any]], name: str) -> tuple[Floats, Floats]:
    mean = array_of(arrays, f"scales.{name}.mean", 1)
    return mean, array_of(arrays, f"scales.{name}.deviation", 1, len(mean))


def _topic(layer: Dense, anchors: Floats) -> Floats:
    """What the act is about, as a weight for each dimension of meaning."""
    return layer(anchors.reshape(1, -1))


def _mean_in_units(occurrences: Occurrences, values: Floats) -> Floats:
    """For each unit the mean over its grams, each as often as it occurs."""
    return _mean_by(occurrences.units, values, occurrences.grams, occurrences.unit_count, occurrences.counts)


def _mean_in_grams(occurrences: Occurrences, values: Floats) -> Floats:
    """For each gram the mean over its units, each as often as it occurs there."""
    return _mean_by(occurrences.grams, values, occurrences.units, occurrences.gram_count, occurrences.counts)


def _mean_by(groups: Integers, values: Floats, rows: Integers, count: int, weights: Integers | None = None) -> Floats:
    """The mean of each group's rows of the values; zero for a group that has none.

    Channel by channel: so nothing has to be sorted, and a long act needs little memory.
    """
    weight = np.ones(len(groups)) if weights is None else weights.astype(np.float64)
    total = np.maximum(np.bincount(groups, weight, count), 1)
    means = np.empty((count, values.shape[1]), np.float32)
    for channel, column in enumerate(np.ascontiguousarray(values.T, np.float64)):
        means[:, channel] = np.bincount(groups, weight * column[rows], count) / total
    return means


def _cumulated(odds: Floats) -> Floats:
    """From log odds of "once", "twice, if once" … to chances of at least so many times."""
    chances: Floats = np.cumprod(chance(odds), axis=1, dtype=np.float32)
    return chances
