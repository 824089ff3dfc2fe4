"""The coverage model in PyTorch, for training: what `lexlattice.research.coverage.model` computes in NumPy.

The outputs are a score per unit, and per word and bigram the logits that a summary contains it once, twice given that
it contains it once, and so on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import relu

from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import BIGRAM_COUNTS, WORD_COUNTS
from lexlattice.research.coverage.features import Features, Occurrences
from lexlattice.research.coverage.model import LARGEST, SCALES, SHARED_LOGITS
from lexlattice.training.config import CoverageShape
from lexlattice.training.models.automaton import Automaton, Readout, Scale


class Entries(NamedTuple):
    """The occurrences of n-grams in units, as tensors."""

    units: Tensor
    ngrams: Tensor
    counts: Tensor
    unit_count: int
    ngram_count: int

    @classmethod
    def of(cls, occurrences: Occurrences) -> Entries:
        """Convert the arrays."""
        units, ngrams = torch.from_numpy(occurrences.units), torch.from_numpy(occurrences.ngrams)
        counts = torch.from_numpy(occurrences.counts.astype(np.float32))
        return cls(units, ngrams, counts, occurrences.unit_count, occurrences.ngram_count)

    def to(self, device: torch.device) -> Entries:
        """Return the same on a device."""
        units, ngrams, counts = (tensor.to(device) for tensor in (self.units, self.ngrams, self.counts))
        return Entries(units, ngrams, counts, self.unit_count, self.ngram_count)

    def mean_in_units(self, values: Tensor) -> Tensor:
        """Return the mean value of each unit's n-grams, weighted by their counts."""
        return mean_by(self.units, values.index_select(0, self.ngrams), self.unit_count, self.counts)

    def mean_in_ngrams(self, values: Tensor) -> Tensor:
        """Return the mean value of each n-gram's units, weighted by its counts there."""
        return mean_by(self.ngrams, values.index_select(0, self.units), self.ngram_count, self.counts)


class Inputs(NamedTuple):
    """The features of an act and a budget, as tensors."""

    act: Tensor
    units: Tensor
    vectors: Tensor
    unit_anchors: Tensor
    words: Tensor
    word_vectors: Tensor
    word_anchors: Tensor
    bigrams: Tensor
    left: Tensor
    right: Tensor
    of_words: Entries
    of_bigrams: Entries
    lattice: Lattice

    @classmethod
    def of(cls, features: Features, lattice: Lattice, budget: int) -> Inputs:
        """Convert the features of an act."""
        left, right = features.ngrams.bigrams.T
        return cls(
            act=_tensor(features.with_budget(budget)[None]),
            units=_tensor(features.units),
            vectors=_tensor(features.vectors),
            unit_anchors=_tensor(features.unit_anchors.reshape(1, -1)),
            words=_tensor(features.words),
            word_vectors=_tensor(features.word_vectors),
            word_anchors=_tensor(features.word_anchors.reshape(1, -1)),
            bigrams=_tensor(features.bigrams),
            left=_tensor(left),
            right=_tensor(right),
            of_words=Entries.of(features.ngrams.of_words),
            of_bigrams=Entries.of(features.ngrams.of_bigrams),
            lattice=lattice,
        )

    def to(self, device: torch.device) -> Inputs:
        """Return the same on a device; the lattice is moved by the automaton."""
        moved: dict[str, Any] = {name: value.to(device) for name, value in self._asdict().items() if name != "lattice"}
        return self._replace(**moved)


class Outputs(NamedTuple):
    """The predictions for an act."""

    scores: Tensor
    states: tuple[Tensor, Tensor]
    """Unit states before the first step and after the last: the input of the readout."""
    words: Tensor
    """Logits, one column per entry of `WORD_COUNTS`."""
    bigrams: Tensor
    """The same by `BIGRAM_COUNTS`, for the selected bigrams."""


class Widths(NamedTuple):
    """The number of features of each kind, which the data determine and not the configuration."""

    act: int
    units: int
    words: int
    bigrams: int
    vector: int
    word_vector: int
    anchors: int

    @classmethod
    def of(cls, features: Features) -> Widths:
        """Read off the features of any act."""
        sizes = (
            features.with_budget(1).size,
            features.units.shape[1],
            features.words.shape[1],
            features.bigrams.shape[1],
        )
        return cls(*sizes, features.vectors.shape[1], features.word_vectors.shape[1], len(features.unit_anchors))


class Dropout(nn.Module):
    """Channel dropout, the same for all rows: as good here as element-wise dropout, and much cheaper to sample."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def forward(self, values: Tensor) -> Tensor:
        """Zero some columns during training, and rescale the others."""
        if not self.training or not self._share:
            return values
        kept = torch.rand(1, values.shape[1]) >= self._share  # drawn on the CPU: the same on every device
        return values * (kept.to(values) / (1 - self._share))


class Salience(nn.Module):
    """The model; its layers have the names of `lexlattice.research.coverage.model.LAYERS`."""

    def __init__(self, shape: CoverageShape, width: Widths) -> None:
        super().__init__()
        self.shape = shape
        meaning, words, told = shape.meaning, shape.words, shape.message
        sizes = dict(zip(SCALES, (width.act, width.units, width.words, width.bigrams), strict=True))
        self.scales = nn.ModuleDict({name: Scale(size, LARGEST) for name, size in sizes.items()})
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
        self.word_logits = nn.Linear(words, len(WORD_COUNTS))
        self.word_to_bigram = nn.Linear(words, told)
        self.bigram_first = nn.Linear(width.act + width.bigrams + 2 * (told + SHARED_LOGITS) + told, shape.bigrams)
        self.bigram_second = nn.Linear(shape.bigrams, shape.bigrams)
        self.bigram_logits = nn.Linear(shape.bigrams, len(BIGRAM_COUNTS))

    def _automaton(self) -> Automaton:
        shape = self.shape
        geometry = "line" if shape.geometry == "none" else shape.geometry
        return Automaton(shape.channels, shape.hidden, geometry, overview=shape.overview)

    def forward(self, inputs: Inputs, selected: Tensor | None = None) -> Outputs:
        """Return scores and logits; `selected` restricts the bigrams to these indices."""
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
        # messages to words: from the units that contain them, from the words before and from the words after them
        messages = [
            inputs.of_words.mean_in_ngrams(message),
            mean_by(right, said.index_select(0, left), len(words)),
            mean_by(left, said.index_select(0, right), len(words)),
        ]
        words = self.dropout(relu(self.word_third(torch.cat([words, *messages], dim=1))))
        logits = self.word_logits(words)
        told = torch.cat([self.word_to_bigram(words), logits[:, :SHARED_LOGITS]], dim=1)
        bigrams, met = inputs.bigrams, inputs.of_bigrams.mean_in_ngrams(message)
        if selected is not None:
            bigrams, met, left, right = bigrams[selected], met[selected], left[selected], right[selected]
        read = [self.scales["bigrams"](bigrams), told.index_select(0, left), told.index_select(0, right), met]
        hidden = relu(self.bigram_second(relu(self.bigram_first(_beside(act, *read)))))
        return Outputs(self.readout(before, after), (before, after), logits, self.bigram_logits(hidden))


def mean_by(groups: Tensor, values: Tensor, count: int, weights: Tensor | None = None) -> Tensor:
    """Return the weighted mean of the rows of each group; zero for empty groups."""
    weights = values.new_ones(len(groups)) if weights is None else weights
    sums = values.new_zeros(count, values.shape[1]).index_add(0, groups, values * weights[:, None])
    total = values.new_zeros(count).index_add(0, groups, weights)
    return sums / total.clamp(min=1.0)[:, None]


def _beside(act: Tensor, *columns: Tensor) -> Tensor:
    return torch.cat([act.expand(len(columns[0]), -1), *columns], dim=1)


def _tensor(values: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
