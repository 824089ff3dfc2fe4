"""The network `meaning` in training: what it learns from silver and gold, what it draws, emits and writes.

Before stage 1 it learns from silver alignment, which many acts have; in stage 1 from gold annotations, soft membership
and the order of importance; stage 2 draws extracts, and reinforces those that have more of the points in fewer words
that do not matter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from lexlattice._internal.weights import write_weights
from lexlattice.act.document import Act
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.points import Points
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.model import FORMAT
from lexlattice.selection.decoder import choose
from lexlattice.training.config import Config, GoldRloo, GoldStart, MeaningShape
from lexlattice.training.losses import plackett_luce
from lexlattice.training.models.network import Inputs, MeaningNetwork, Outputs, Widths
from lexlattice.training.prepared import Example
from lexlattice.training.rloo import draw
from lexlattice.training.targets import HEAVIEST, points_of, targets_of, weights_of
from lexlattice.training.trainable import Rollouts

_MEASURED: Final = 200
"""Acts from which means and deviations of features are taken."""
_LEAST_DEVIATION: Final = 1e-2
_AT_HAND: Final = 4096
"""Acts whose features are kept in memory, for all trainings of a process."""


class Annotated(NamedTuple):
    """What is learnt from an act with gold annotations."""

    targets: Tensor
    weights: Tensor
    points: Points


class MeaningTrainee:
    """A `Trainee`: the network, with weights that the seed and the training data decide."""

    def __init__(self, config: Config, training: Sequence[Example]) -> None:
        assert isinstance(config.model, MeaningShape)
        assert isinstance(config.warm_start, GoldStart) and isinstance(config.rloo, GoldRloo)
        self._shape, self._gold, self._rloo = config.model, config.warm_start, config.rloo
        self._inputs: WeakKeyDictionary[Example, Inputs] = WeakKeyDictionary()
        self._annotated: WeakKeyDictionary[Example, Annotated] = WeakKeyDictionary()
        some = list(training[:: max(1, len(training) // _MEASURED)])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.module = MeaningNetwork(self._shape, Widths.of(_features(some[0].act)))
        self._measure([_features(example.act) for example in some])

    def outputs(self, example: Example) -> Outputs:
        """What the network makes of an act."""
        if example not in self._inputs:
            self._inputs[example] = Inputs.of(_features(example.act), self._shape.geometry)
        outputs: Outputs = self.module(self._inputs[example])
        return outputs

    def alignment_loss(self, examples: Sequence[Example]) -> Tensor:
        """Before stage 1: the cross-entropy of silver targets, weighted by confidence; as a mean over the acts."""
        return torch.stack([self._alignment(example) for example in examples]).mean()

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: soft membership and the gold order of importance, as a mean over the acts."""
        return torch.stack([self._imitation(example) for example in examples]).mean()

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: extracts drawn by the scores, and what each earns: the F1 of points and precision."""
        known, stage = self._known(example), self._rloo
        scores = self.module.scores(self.outputs(example))
        drawn = draw(scores, example.act, known.points.gold.words, count, stage.temperature, generator)
        rewards = [known.points.score(choice).f1 for choice in drawn.choices]
        return Rollouts(drawn.log_likelihoods, [_text(example, choice) for choice in drawn.choices], rewards)

    def choose(self, example: Example, words: int) -> list[int]:
        """The units that are emitted at evaluation time, by index."""
        with torch.no_grad():
            scores = self.module.scores(self.outputs(example))
        if not scores.isfinite().all():
            raise LexLatticeError("The scores are no numbers any more; lower the learning rate, and train anew.")
        return list(choose(example.act, scores.numpy(), words).units)

    def extract(self, example: Example, words: int) -> str:
        """The same as text."""
        return _text(example, self.choose(example, words))

    def points(self, example: Example) -> Points:
        """The measure of choices from an act with gold annotations."""
        return self._known(example).points

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write what `lexlattice.lattice.model.Network` reads: a network of one member."""
        own = {"format": FORMAT, "average": "logit", "members": json.dumps([self.module.wiring._asdict()])}
        arrays = {f"members.0.{name}": tensor.numpy(force=True) for name, tensor in self.module.state_dict().items()}
        write_weights(path, arrays, {**about, **own})

    def _alignment(self, example: Example) -> Tensor:
        silver = example.marks.silver
        if silver is None:
            raise LexLatticeError(f"The act on line {example.line} has no silver alignment; prepare the data anew.")
        targets, weights = torch.from_numpy(silver.targets), torch.from_numpy(silver.weights)
        outputs = self.outputs(example)
        missed = binary_cross_entropy_with_logits(outputs.logits, targets, reduction="none")
        if self._gold.weight and outputs.weights is not None:
            found = HEAVIEST * torch.from_numpy(silver.importance)
            missed = missed + self._gold.weight * _poisson(outputs.weights, found)
        return (missed * weights).sum() / weights.sum().clamp(min=1e-6)

    def _imitation(self, example: Example) -> Tensor:
        known, outputs, stage = self._known(example), self.outputs(example), self._gold
        loss = stage.bce * binary_cross_entropy_with_logits(outputs.logits, known.targets)
        if stage.listwise and example.order:
            loss = loss + stage.listwise * plackett_luce(outputs.logits, example.order) / len(example.order)
        if stage.weight and outputs.weights is not None:
            loss = loss + stage.weight * _poisson(outputs.weights, known.weights).mean()
        if stage.sections and outputs.sections is not None:
            targets = torch.zeros(len(outputs.sections)).scatter_reduce(0, outputs.rows, known.targets, "amax")
            loss = loss + stage.sections * binary_cross_entropy_with_logits(outputs.sections, targets)
        return loss

    def _known(self, example: Example) -> Annotated:
        if example.marks.gold is None:
            raise LexLatticeError(f"The act on line {example.line} has no gold annotations; prepare the data anew.")
        if example not in self._annotated:
            targets = torch.from_numpy(targets_of(example.act, example.marks, self._gold.extract))
            weights = torch.from_numpy(weights_of(example.act, example.marks))
            self._annotated[example] = Annotated(targets, weights, points_of(example.act, example.marks))
        return self._annotated[example]

    def _measure(self, acts: Sequence[MeaningFeatures]) -> None:
        """Take means and deviations of all features."""
        for name in ("units", "sections"):
            rows = np.concatenate([getattr(act, name) for act in acts])
            scale = self.module.scales[name]
            scale.get_buffer("mean").copy_(torch.from_numpy(rows.mean(0)))
            scale.get_buffer("deviation").copy_(torch.from_numpy(rows.std(0).clip(_LEAST_DEVIATION)))


class _Same:
    """An act, equal to another that was read from the same text: features are kept by it."""

    def __init__(self, act: Act) -> None:
        self.act = act

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and (self.act.source, self.act.profile) == (other.act.source, other.act.profile)

    def __hash__(self) -> int:
        return hash(self.act.source)


def _features(act: Act) -> MeaningFeatures:
    return _made(_Same(act))


@lru_cache(_AT_HAND)
def _made(same: _Same) -> MeaningFeatures:
    return features_of(same.act, _encoder())


@lru_cache(1)
def _encoder() -> Static:
    return Static()


def _poisson(logarithms: Tensor, found: Tensor) -> Tensor:
    """The Poisson loss of expected weights, given by their logarithms."""
    return logarithms.exp() - found * logarithms


def _text(example: Example, units: Sequence[int]) -> str:
    return "\n".join(example.act.units[unit].text for unit in units)
