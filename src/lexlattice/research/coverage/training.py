"""The coverage model as a `TrainableModel`: losses, and rollouts through its decoder.

Stage 1 fits three targets: how often the summary contains each word and each bigram of the act, and the oracle's order
of units. The rollouts of stage 2 are sampled through the decoder, so that rewards apply to what it really selects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from lexlattice._internal.weights import write_weights
from lexlattice.encoding.static import Static
from lexlattice.encoding.tokens import tokenizer
from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import (
    BIGRAM_COUNTS,
    SALIENCE_WEIGHT,
    WORD_COUNTS,
    Coverage,
    Probabilities,
    cover,
)
from lexlattice.research.coverage.features import Features, Floats, Integers, features_of
from lexlattice.research.coverage.model import FORMAT, SCALES
from lexlattice.research.coverage.network import Inputs, Outputs, Salience, Widths
from lexlattice.training.config import Config, CoverageShape
from lexlattice.training.losses import warm_start_loss
from lexlattice.training.models.automaton import Scale
from lexlattice.training.prepared import Example
from lexlattice.training.trainable import Rollouts

TEMPERATURE: Final = 0.02
"""Sampling temperature of rollouts; values of units reach about 1 per word."""


class Rollout(NamedTuple):
    """A sampled extract: its units in the order of sampling."""

    order: list[int]
    log_likelihood: float
    by_salience: Floats
    """The gradient of the log-likelihood by the salience of each unit; coverage gains count as constants."""


def sample_rollout(coverage: Coverage, lengths: Integers, budget: int, generator: np.random.Generator) -> Rollout:
    """Sample units by a softmax over their values until no other fits the budget; modifies `coverage`."""
    free, order, likelihood = coverage.has_words.copy(), list[int](), 0.0
    by_salience = np.zeros(len(lengths), np.float32)
    while (fitting := np.flatnonzero(free & (lengths <= budget))).size:
        worth = coverage.values()[fitting] / np.float32(TEMPERATURE)
        probabilities = np.exp(worth - worth.max())
        probabilities /= probabilities.sum()
        # inverse transform sampling; in float64, so that the last probability is reached
        reached = np.cumsum(probabilities, dtype=np.float64)
        place = min(int(np.searchsorted(reached, generator.random() * reached[-1], side="right")), fitting.size - 1)
        unit = int(fitting[place])
        likelihood += float(np.log(probabilities[place]))
        by_salience[fitting] -= probabilities
        by_salience[unit] += 1
        coverage.take(unit)
        order.append(unit)
        free[unit] = False
        budget -= int(lengths[unit])
    return Rollout(order, likelihood, by_salience / np.float32(TEMPERATURE))


def log_likelihood(rollout: Rollout, salience: Tensor) -> Tensor:
    """Return the log-likelihood of a rollout, differentiable by the salience of units."""
    apply = cast("Callable[[Tensor, Rollout], Tensor]", _Likelihood.apply)  # PyTorch leaves it untyped
    return apply(salience, rollout)


class _Likelihood(torch.autograd.Function):
    """Value and gradient were computed during sampling."""

    @staticmethod
    def forward(context: Any, salience: Tensor, rollout: Rollout) -> Tensor:
        context.by_salience = torch.from_numpy(rollout.by_salience).to(salience.device)
        return salience.new_tensor(rollout.log_likelihood)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0] * context.by_salience, None


_SCALING_ACTS: Final = 200
"""Acts whose features determine the means and deviations for scaling."""
_SMALLEST_DEVIATION: Final = 1e-3
_ABSENT_SHARE: Final = 0.7
"""Share of the bigrams absent from the summary that a step samples; their loss is weighted by the inverse."""


class PreparedAct(NamedTuple):
    """The features and targets of an act."""

    features: Features
    lattice: Lattice
    words: Tensor
    """Target: how often the summary contains each word of the act."""
    bigrams: Tensor


class TrainableCoverageModel:
    """The coverage model; its initial weights depend on the seed, its feature scales on the training data."""

    def __init__(self, config: Config, training: Sequence[Example]) -> None:
        assert isinstance(config.model, CoverageShape)
        self._config, self._shape = config, config.model
        self._encoder = Static()
        self._known: WeakKeyDictionary[Example, PreparedAct] = WeakKeyDictionary()
        self._cache: WeakKeyDictionary[Example, Outputs] = WeakKeyDictionary()
        self._cached_with: list[Tensor] = []
        sample = list(training[:: max(1, len(training) // _SCALING_ACTS)])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.module = Salience(self._shape, Widths.of(self._act(sample[0]).features))
        self._fit_scales(sample)

    def outputs(self, example: Example, budget: int, selected: Tensor | None = None) -> Outputs:
        """Run the network on an act."""
        known = self._act(example)
        inputs = Inputs.of(known.features, known.lattice, budget).to(self._device)
        outputs: Outputs = self.module(inputs, None if selected is None else selected.to(self._device))
        return outputs

    @property
    def _device(self) -> torch.device:
        return next(self.module.parameters()).device

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: the mean loss of word and bigram counts and of the oracle's order."""
        return torch.stack([self._loss(example) for example in examples]).mean()

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: extracts sampled through the decoder, unit by unit.

        Only the readout is trained here. All other layers also produce the n-gram probabilities that stage 1 has
        fitted, and a reward of whole extracts would spoil them.
        """
        outputs, known = self._cached_outputs(example), self._act(example)
        salience = SALIENCE_WEIGHT * self.module.readout(*outputs.states).sigmoid()
        coverage, lengths = _coverage(known, outputs, salience), known.features.layout.words
        rng = np.random.default_rng(int(torch.randint(2**63 - 1, (), generator=generator)))
        samples = [sample_rollout(coverage.copy(), lengths, example.words, rng) for _ in range(count)]
        likelihoods = torch.stack([log_likelihood(sample, salience) for sample in samples])
        return Rollouts(likelihoods.cpu(), [_text(example, sample.order) for sample in samples])

    def extract(self, example: Example, words: int) -> str:
        """Return the units that the decoder selects."""
        with torch.no_grad():
            outputs = self.outputs(example, words)
        known = self._act(example)
        lengths, salience = known.features.layout.words, SALIENCE_WEIGHT * outputs.scores.sigmoid()
        return _text(example, cover(_coverage(known, outputs, salience), lengths, words))

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write the file that `lexlattice.research.coverage.model.Salience` reads."""
        metadata = {"format": FORMAT, "geometry": self._shape.geometry, "steps": str(self._shape.steps)}
        arrays = {name: tensor.numpy(force=True) for name, tensor in self.module.state_dict().items()}
        write_weights(path, arrays, {**about, **metadata})

    def _cached_outputs(self, example: Example) -> Outputs:
        """Return the outputs of an act, cached as long as all weights except the readout's stay the same."""
        weights = [tensor for name, tensor in self.module.state_dict().items() if not name.startswith("readout.")]
        if not self._cached_with or not all(map(torch.equal, weights, self._cached_with)):
            self._cache.clear()
            self._cached_with = [tensor.clone() for tensor in weights]
        if example not in self._cache:
            was_training = self.module.training
            self.module.eval()
            with torch.no_grad():
                self._cache[example] = self.outputs(example, example.words)
            self.module.train(was_training)
        return self._cache[example]

    def _loss(self, example: Example) -> Tensor:
        known = self._act(example)
        selected = ((known.bigrams > 0) | (torch.rand(len(known.bigrams)) < _ABSENT_SHARE)).nonzero().squeeze(1)
        outputs = self.outputs(example, example.words, selected)
        of_words, found = known.words.to(self._device), known.bigrams[selected].to(self._device)
        words = _count_loss(outputs.words, of_words, WORD_COUNTS).sum() / max(1, len(known.words))
        weights = torch.where(found > 0, 1.0, 1 / _ABSENT_SHARE)
        bigrams = (_count_loss(outputs.bigrams, found, BIGRAM_COUNTS) * weights).sum() / max(1, len(known.bigrams))
        stage = self._config.warm_start
        order = warm_start_loss(outputs.scores, example.order, stage.bce, stage.listwise) / max(1, len(example.order))
        return words + self._shape.bigram_weight * bigrams + self._shape.unit_weight * order

    def _act(self, example: Example) -> PreparedAct:
        """Return the features and targets of an act, computed once."""
        if example not in self._known:
            features = features_of(example.act, example.vectors, self._encoder)
            tokens = tokenizer("unicode")(example.summary)
            words, bigrams = Counter(tokens), Counter(pairwise(tokens))
            names = features.ngrams.words
            self._known[example] = PreparedAct(
                features,
                Lattice.of(example.act, self._shape.geometry),
                torch.tensor([words[name] for name in names], dtype=torch.int64),
                torch.tensor(
                    [bigrams[names[a], names[b]] for a, b in features.ngrams.bigrams.tolist()], dtype=torch.int64
                ),
            )
        return self._known[example]

    def _fit_scales(self, examples: Sequence[Example]) -> None:
        """Set the means and deviations by which features are scaled."""
        acts = [self._act(example).features for example in examples]
        rows = {
            "act": np.stack([act.with_budget(example.words) for act, example in zip(acts, examples, strict=True)]),
            "units": np.concatenate([act.units for act in acts]),
            "words": np.concatenate([act.words for act in acts]),
            "bigrams": np.concatenate([act.bigrams for act in acts]),
        }
        for name in SCALES:
            cast("Scale", self.module.scales[name]).fit(rows[name], _SMALLEST_DEVIATION)


def _count_loss(logits: Tensor, found: Tensor, counts: Sequence[int]) -> Tensor:
    """Return the cross-entropy of each n-gram's count: over the counts that it reached, and the next one."""
    reached = (found[:, None] >= found.new_tensor(counts)).to(logits.dtype)
    selected = torch.cat([logits.new_ones(len(found), 1), reached[:, :-1]], dim=1)
    return (binary_cross_entropy_with_logits(logits, reached, reduction="none") * selected).sum(1)


def _coverage(known: PreparedAct, outputs: Outputs, salience: Tensor) -> Coverage:
    probabilities = Probabilities(
        *(logits.detach().sigmoid().cumprod(1).numpy(force=True) for logits in (outputs.words, outputs.bigrams))
    )
    return Coverage(known.features.ngrams, probabilities, known.features.layout.words, salience.numpy(force=True))


def _text(example: Example, order: Sequence[int]) -> str:
    return "\n".join(example.act.units[unit].text for unit in sorted(order))
