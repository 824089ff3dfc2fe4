"""The word model in PyTorch, where it learns: what `lexlattice.research.coverage.model` computes in NumPy.

What comes out is a score for each unit, and for each word and pair of words the log odds that a summary has it once,
then twice if it has it once, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import relu

from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import PAIR_COUNTS, WORD_COUNTS
from lexlattice.research.coverage.features import Features, Occurrences
from lexlattice.research.coverage.model import LARGEST, ODDS, SCALES
from lexlattice.training.config import CoverageShape
from lexlattice.training.models.automaton import Automaton, Readout


class Entries(NamedTuple):
    """How often which gram occurs in which unit."""

    units: Tensor
    grams: Tensor
    counts: Tensor
    unit_count: int
    gram_count: int

    @classmethod
    def of(cls, occurrences: Occurrences) -> Entries:
        """The same as tensors."""
        units, grams = torch.from_numpy(occurrences.units), torch.from_numpy(occurrences.grams)
        counts = torch.from_numpy(occurrences.counts.astype(np.float32))
        return cls(units, grams, counts, occurrences.unit_count, occurrences.gram_count)

    def mean_in_units(self, values: Tensor) -> Tensor:
        """For each unit the mean over its grams, each as often as it occurs."""
        return mean_by(self.units, values.index_select(0, self.grams), self.unit_count, self.counts)

    def mean_in_grams(self, values: Tensor) -> Tensor:
        """For each gram the mean over its units, each as often as it occurs there."""
        return mean_by(self.grams, values.index_select(0, self.units), self.gram_count, self.counts)


class Inputs(NamedTuple):
    """The features of an act as tensors, for an extract of some length."""

    act: Tensor
    units: Tensor
    vectors: Tensor
    unit_anchors: Tensor
    words: Tensor
    word_vectors: Tensor
    word_anchors: Tensor
    pairs: Tensor
    left: Tensor
    right: Tensor
    of_words: Entries
    of_pairs: Entries
    lattice: Lattice

    @classmethod
    def of(cls, features: Features, lattice: Lattice, budget: int) -> Inputs:
        """What the model is told of an act."""
        left, right = features.grams.pairs.T
        return cls(
            act=_tensor(features.with_budget(budget)[None]),
            units=_tensor(features.units),
            vectors=_tensor(features.vectors),
            unit_anchors=_tensor(features.unit_anchors.reshape(1, -1)),
            words=_tensor(features.words),
            word_vectors=_tensor(features.word_vectors),
            word_anchors=_tensor(features.word_anchors.reshape(1, -1)),
            pairs=_tensor(features.pairs),
            left=_tensor(left),
            right=_tensor(right),
            of_words=Entries.of(features.grams.of_words),
            of_pairs=Entries.of(features.grams.of_pairs),
            lattice=lattice,
        )


class Outputs(NamedTuple):
    """What the model makes of an act."""

    scores: Tensor
    states: tuple[Tensor, Tensor]
    """Of units, before the first step and after the last: what the scores are read from."""
    words: Tensor
    """Log odds, a column for each of `WORD_COUNTS`."""
    pairs: Tensor
    """The same by `PAIR_COUNTS`, of the pairs that were asked for."""


class Widths(NamedTuple):
    """How many features there are of each kind: what the data decide, and not the configuration."""

    act: int
    units: int
    words: int
    pairs: int
    vector: int
    word_vector: int
    anchors: int

    @classmethod
    def of(cls, features: Features) -> Widths:
        """Those of an act, which are those of any."""
        sizes = (
            features.with_budget(1).size,
            features.units.shape[1],
            features.words.shape[1],
            features.pairs.shape[1],
        )
        return cls(*sizes, features.vectors.shape[1], features.word_vectors.shape[1], len(features.unit_anchors))


class Scale(nn.Module):
    """Brings features to a mean of zero and a deviation of one, as they have in the training data."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("deviation", torch.ones(width))

    def forward(self, values: Tensor) -> Tensor:
        """The same features, scaled."""
        return ((values - self.mean) / self.deviation).clamp(-LARGEST, LARGEST)


class Dropout(nn.Module):
    """Whole channels are left out, the same of all rows: as good here as cells, and hardly anything to draw."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def forward(self, values: Tensor) -> Tensor:
        """The values, in training without some of their columns."""
        if not self.training or not self._share:
            return values
        kept = torch.rand(1, values.shape[1]) >= self._share
        return values * (kept.to(values.dtype) / (1 - self._share))


class Salience(nn.Module):
    """The model; the layers are those of `lexlattice.research.coverage.model.LAYERS`."""

    def __init__(self, shape: CoverageShape, width: Widths) -> None:
        super().__init__()
        self.shape = shape
        meaning, words, told = shape.meaning, shape.words, shape.message
        sizes = dict(zip(SCALES, (width.act, width.units, width.words, width.pairs), strict=True))
        self.scales = nn.ModuleDict({name: Scale(size) for name, size in sizes.items()})
        self.dropout = Dropout(shape.dropout)

        self.word_meaning = nn.Linear(width.word_vector, meaning)
        self.word_topic = nn.Linear(width.anchors * width.word_vector, meaning)
        self.word_first = nn.Linear(width.act + width.words + 2 * meaning, words)
        self.word_second = nn.Linear(words, words)
        self.word_message = nn.Linear(words, told)

        self.unit_meaning = nn.Linear(width.vector, meaning)
        self.unit_topic = nn.Linear(width.anchors * width.vector, meaning)
        self.unit_first = nn.Linear(width.act + width.units + 2 * meaning + told, shape.channels)
        self.unit_second = nn.Linear(shape.channels, shape.channels)
        self.automaton = self._automaton() if shape.steps else None
        self.readout = Readout(shape.channels, shape.readout)
        self.unit_message = nn.Linear(2 * shape.channels, told)

        self.word_third = nn.Linear(words + 3 * told, words)
        self.word_chances = nn.Linear(words, len(WORD_COUNTS))
        self.word_to_pair = nn.Linear(words, told)
        self.pair_first = nn.Linear(width.act + width.pairs + 2 * (told + ODDS) + told, shape.pairs)
        self.pair_second = nn.Linear(shape.pairs, shape.pairs)
        self.pair_chances = nn.Linear(shape.pairs, len(PAIR_COUNTS))

    def _automaton(self) -> Automaton:
        shape = self.shape
        geometry = "line" if shape.geometry == "none" else shape.geometry
        return Automaton(shape.channels, shape.hidden, geometry, overview=shape.overview)

    def forward(self, inputs: Inputs, asked: Tensor | None = None) -> Outputs:
        """Scores and log odds; with `asked` those of some pairs only, by their numbers."""
        act = self.scales["act"](inputs.act)
        meaning = self.word_meaning(inputs.word_vectors)
        read = [self.scales["words"](inputs.words), meaning, meaning * self.word_topic(inputs.word_anchors)]
        words = self.dropout(relu(self.word_second(relu(self.word_first(_beside(act, *read))))))
        said = self.word_message(words)

        meaning = self.unit_meaning(inputs.vectors)
        read = [self.scales["units"](inputs.units), meaning, meaning * self.unit_topic(inputs.unit_anchors)]
        read.append(inputs.of_words.mean_in_units(said))
        before = self.dropout(relu(self.unit_second(relu(self.unit_first(_beside(act, *read))))))
        after = before
        if self.automaton is not None:
            after = self.automaton(before, inputs.lattice, self.shape.steps)
        message = self.unit_message(torch.cat([before, after], dim=1))

        left, right = inputs.left, inputs.right
        around = [
            inputs.of_words.mean_in_grams(message),
            mean_by(right, said.index_select(0, left), len(words)),
            mean_by(left, said.index_select(0, right), len(words)),
        ]
        words = self.dropout(relu(self.word_third(torch.cat([words, *around], dim=1))))
        odds = self.word_chances(words)
        told = torch.cat([self.word_to_pair(words), odds[:, :ODDS]], dim=1)
        pairs, met = inputs.pairs, inputs.of_pairs.mean_in_grams(message)
        if asked is not None:
            pairs, met, left, right = pairs[asked], met[asked], left[asked], right[asked]
        read = [self.scales["pairs"](pairs), told.index_select(0, left), told.index_select(0, right), met]
        hidden = relu(self.pair_second(relu(self.pair_first(_beside(act, *read)))))
        return Outputs(self.readout(before, after), (before, after), odds, self.pair_chances(hidden))


def mean_by(groups: Tensor, values: Tensor, count: int, weights: Tensor | None = None) -> Tensor:
    """The mean of each group's rows; zero for a group that has none."""
    weights = torch.ones(len(groups)) if weights is None else weights
    sums = values.new_zeros(count, values.shape[1]).index_add(0, groups, values * weights[:, None])
    total = torch.zeros(count).index_add(0, groups, weights)
    return sums / total.clamp(min=1.0)[:, None]


def _beside(act: Tensor, *columns: Tensor) -> Tensor:
    return torch.cat([act.expand(len(columns[0]), -1), *columns], dim=1)


def _tensor(values: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
