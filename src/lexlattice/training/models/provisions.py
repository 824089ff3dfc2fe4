"""The shipped network as a `TrainableModel`: losses on silver and gold targets, rollouts and selection.

It is pretrained on silver alignment, which many acts have. Stage 1 fits gold annotations: soft membership targets and
the order of importance. The reward of stage 2 is the F1 of gold points and precision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from lexlattice._internal.weights import write_weights
from lexlattice.act.document import Act
from lexlattice.encoding.static import Static
from lexlattice.errors import DataError, TrainingError
from lexlattice.evaluation.points import Points
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.model import FORMAT
from lexlattice.selection.decoder import choose
from lexlattice.training.config import Config, GoldRloo, GoldStart, ProvisionsShape
from lexlattice.training.losses import plackett_luce_loss
from lexlattice.training.models.automaton import Scale
from lexlattice.training.models.network import Inputs, Outputs, ProvisionsNetwork, Widths
from lexlattice.training.prepared import Example
from lexlattice.training.rloo import sample_extracts
from lexlattice.training.targets import HIGHEST_WEIGHT, membership_targets, point_weights, points_of
from lexlattice.training.trainable import Rollouts

_SCALING_ACTS: Final = 200
"""Acts whose features determine the means and deviations for scaling."""
_SMALLEST_DEVIATION: Final = 1e-2
_CACHED_ACTS: Final = 4096
"""Acts whose features stay in memory, for all trainings of a process."""


class Annotated(NamedTuple):
    """The gold targets of an act as tensors, and its scorer."""

    targets: Tensor
    weights: Tensor
    points: Points


class TrainableProvisionsModel:
    """The network; its initial weights depend on the seed, its feature scales on the training data."""

    def __init__(self, config: Config, training: Sequence[Example]) -> None:
        assert isinstance(config.model, ProvisionsShape)
        assert isinstance(config.warm_start, GoldStart) and isinstance(config.rloo, GoldRloo)
        self._shape, self._gold, self._rloo = config.model, config.warm_start, config.rloo
        self._inputs: WeakKeyDictionary[Example, Inputs] = WeakKeyDictionary()
        self._annotated: WeakKeyDictionary[Example, Annotated] = WeakKeyDictionary()
        sample = list(training[:: max(1, len(training) // _SCALING_ACTS)])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.module = ProvisionsNetwork(self._shape, Widths.of(_features(sample[0].act)))
        self._fit_scales([_features(example.act) for example in sample])

    def outputs(self, example: Example) -> Outputs:
        """Run the network on an act."""
        if example not in self._inputs:
            self._inputs[example] = Inputs.of(_features(example.act), self._shape.geometry)
        outputs: Outputs = self.module(self._inputs[example].to(self._device))
        return outputs

    @property
    def _device(self) -> torch.device:
        return next(self.module.parameters()).device

    def silver_loss(self, examples: Sequence[Example]) -> Tensor:
        """Before stage 1: the mean cross-entropy against silver targets, weighted by confidence."""
        return torch.stack([self._act_silver_loss(example) for example in examples]).mean()

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: the mean loss against soft membership targets and the gold order of importance."""
        return torch.stack([self._act_gold_loss(example) for example in examples]).mean()

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: extracts sampled through the decoder, rewarded by the F1 of points and precision."""
        gold, settings = self._annotations(example), self._rloo
        scores = self.module.scores(self.outputs(example))
        sampled = sample_extracts(scores, example.act, gold.points.gold.words, count, settings.temperature, generator)
        rewards = [gold.points.score(choice).f1 for choice in sampled.choices]
        return Rollouts(sampled.log_likelihoods, [_text(example, choice) for choice in sampled.choices], rewards)

    def choose(self, example: Example, words: int) -> list[int]:
        """Return the indices of the units that the decoder selects."""
        with torch.no_grad():
            scores = self.module.scores(self.outputs(example))
        if not scores.isfinite().all():
            raise TrainingError("The scores are not finite; train again with a lower learning rate.")
        return list(choose(example.act, scores.numpy(force=True), words).units)

    def extract(self, example: Example, words: int) -> str:
        """Return the text of these units."""
        return _text(example, self.choose(example, words))

    def points(self, example: Example) -> Points:
        """Return the scorer of selections from an act with gold annotations."""
        return self._annotations(example).points

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write the file that `lexlattice.lattice.model.Network` reads."""
        metadata = {"format": FORMAT, "members": json.dumps([self.module.wiring._asdict()])}
        arrays = {f"members.0.{name}": tensor.numpy(force=True) for name, tensor in self.module.state_dict().items()}
        write_weights(path, arrays, {**about, **metadata})

    def _act_silver_loss(self, example: Example) -> Tensor:
        silver = example.targets.silver
        if silver is None:
            raise DataError(f"The act on line {example.line} has no silver alignment; prepare the data again.")
        targets, weights, importance = (
            torch.from_numpy(values).to(self._device) for values in (silver.targets, silver.weights, silver.importance)
        )
        outputs = self.outputs(example)
        losses = binary_cross_entropy_with_logits(outputs.logits, targets, reduction="none")
        if self._gold.weight and outputs.weights is not None:
            losses = losses + self._gold.weight * _poisson_loss(outputs.weights, HIGHEST_WEIGHT * importance)
        return (losses * weights).sum() / weights.sum().clamp(min=1e-6)

    def _act_gold_loss(self, example: Example) -> Tensor:
        gold, outputs, settings = self._annotations(example), self.outputs(example), self._gold
        loss = settings.bce * binary_cross_entropy_with_logits(outputs.logits, gold.targets)
        if settings.listwise and example.order:
            loss = loss + settings.listwise * plackett_luce_loss(outputs.logits, example.order) / len(example.order)
        if settings.weight and outputs.weights is not None:
            loss = loss + settings.weight * _poisson_loss(outputs.weights, gold.weights).mean()
        if settings.sections and outputs.sections is not None:
            # the target of a section is the largest target of its units
            targets = torch.zeros_like(outputs.sections).scatter_reduce(0, outputs.rows, gold.targets, "amax")
            loss = loss + settings.sections * binary_cross_entropy_with_logits(outputs.sections, targets)
        return loss

    def _annotations(self, example: Example) -> Annotated:
        if example.targets.gold is None:
            raise DataError(f"The act on line {example.line} has no gold annotations; prepare the data again.")
        if example not in self._annotated:
            targets = torch.from_numpy(membership_targets(example.act, example.targets, self._gold.extract))
            weights = torch.from_numpy(point_weights(example.act, example.targets))
            self._annotated[example] = Annotated(targets, weights, points_of(example.act, example.targets))
        targets, weights, points = self._annotated[example]
        return Annotated(targets.to(self._device), weights.to(self._device), points)

    def _fit_scales(self, acts: Sequence[MeaningFeatures]) -> None:
        """Set the means and deviations by which features are scaled."""
        for name in ("units", "sections"):
            rows = np.concatenate([getattr(act, name) for act in acts])
            cast("Scale", self.module.scales[name]).fit(rows, _SMALLEST_DEVIATION)


class _CacheKey:
    """An act as a key of the feature cache: equal to another that was read from the same text."""

    def __init__(self, act: Act) -> None:
        self.act = act

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CacheKey) and (self.act.source, self.act.profile) == (
            other.act.source,
            other.act.profile,
        )

    def __hash__(self) -> int:
        return hash(self.act.source)


def _features(act: Act) -> MeaningFeatures:
    return _cached_features(_CacheKey(act))


@lru_cache(_CACHED_ACTS)
def _cached_features(key: _CacheKey) -> MeaningFeatures:
    return features_of(key.act, _encoder())


@lru_cache(1)
def _encoder() -> Static:
    return Static()


def _poisson_loss(log_rates: Tensor, counts: Tensor) -> Tensor:
    """The Poisson loss of expected point weights, which are predicted as logarithms."""
    return log_rates.exp() - counts * log_rates


def _text(example: Example, units: Sequence[int]) -> str:
    return "\n".join(example.act.units[unit].text for unit in units)
