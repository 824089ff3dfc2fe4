"""One optimizer step of each stage: forward and backward on a batch. The loop then updates the weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from lexlattice.errors import TrainingError
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.training.parallel import ProcessGroup
from lexlattice.training.prepared import Example
from lexlattice.training.rloo import RewardNormalizer, advantages, policy_loss, reward
from lexlattice.training.trainable import Rollouts, SilverTrainable, TrainableModel


class Parallel(NamedTuple):
    """How several processes share a step."""

    group: ProcessGroup
    seed_act: Callable[[int], None]
    """Seeds the generators for the act at this position of the batch, whichever process has it."""


class Step(NamedTuple):
    """The result of a step, for the log."""

    loss: float
    reward: float | None = None
    """Mean over all rollouts, from 0 to 1; only in stage 2."""


Loss = Callable[[Sequence[Example]], Tensor]
"""Returns the mean loss of some examples."""


def warm_start_step(model: TrainableModel, examples: Sequence[Example], parallel: Parallel | None = None) -> Step:
    """Stage 1; acts of which the oracle selects nothing have no order to imitate and are skipped."""
    return _step(model, model.loss, [example for example in examples if example.order], parallel)


def silver_step(model: SilverTrainable, examples: Sequence[Example], parallel: Parallel | None = None) -> Step:
    """The stage before stage 1; acts without silver alignment are skipped."""
    aligned = [example for example in examples if example.targets.silver is not None]
    return _step(model, model.silver_loss, aligned, parallel)


def _step(model: TrainableModel, loss_of: Loss, examples: Sequence[Example], parallel: Parallel | None) -> Step:
    if not examples:
        return Step(0.0)
    if parallel:
        # each process has some of the acts, one at a time; afterwards all have the gradient of the whole batch
        losses = torch.zeros(len(examples), dtype=torch.float64)
        for index in parallel.group.shard(range(len(examples))):
            parallel.seed_act(index)
            losses[index] = _backward(loss_of([examples[index]]) / len(examples))
        return Step(_reduce(model, examples, losses, parallel.group))
    loss = loss_of(examples)
    if not loss.isfinite():
        raise not_finite("loss", [_first_not_finite(loss_of, examples)])
    torch.autograd.backward(loss)
    return Step(loss.item())


class RlooStep:
    """Stage 2, with its state: the generator of rollouts and the running statistics of rewards."""

    def __init__(self, decay: float, reduction: str = "mean") -> None:
        self._reduction = reduction
        self.generator = torch.Generator()
        self.normalizer = RewardNormalizer(decay)
        self._references: WeakKeyDictionary[Example, Reference] = WeakKeyDictionary()

    def __call__(
        self, model: TrainableModel, examples: Sequence[Example], count: int, parallel: Parallel | None = None
    ) -> Step:
        """Sample `count` rollouts of each act; act by act, so that one act's graph is in memory at a time."""
        if parallel:
            return self._parallel_step(model, examples, count, parallel)
        losses, mean_rewards = [], []
        for example in examples:
            rollouts = model.rollouts(example, count, self.generator)
            rewards = self._rewards(example, rollouts)
            standardized = self.normalizer(example.act.language, rewards)
            loss = self._loss(rollouts, standardized) / len(examples)
            if not loss.isfinite():
                raise not_finite("loss", [example])
            torch.autograd.backward(loss)
            losses.append(loss.item())
            mean_rewards.append(fmean(rewards))
        return Step(math.fsum(losses), fmean(mean_rewards))

    def _parallel_step(
        self, model: TrainableModel, examples: Sequence[Example], count: int, parallel: Parallel
    ) -> Step:
        """Each process has some of the acts; all see all rewards in the order of the batch, so statistics agree."""
        sampled: dict[int, Rollouts] = {}
        rewards = torch.zeros(len(examples), count, dtype=torch.float64)
        for index in parallel.group.shard(range(len(examples))):
            parallel.seed_act(index)
            sampled[index] = model.rollouts(examples[index], count, self.generator)
            rewards[index] = torch.tensor(self._rewards(examples[index], sampled[index]), dtype=torch.float64)
        parallel.group.all_reduce(rewards)
        losses = torch.zeros(len(examples), dtype=torch.float64)
        for index, (example, act_rewards) in enumerate(zip(examples, rewards.tolist(), strict=True)):
            standardized = self.normalizer(example.act.language, act_rewards)
            if index in sampled:
                losses[index] = _backward(self._loss(sampled.pop(index), standardized) / len(examples))
        return Step(_reduce(model, examples, losses, parallel.group), fmean(map(fmean, rewards.tolist())))

    def _loss(self, rollouts: Rollouts, rewards: Tensor) -> Tensor:
        return policy_loss(rollouts.log_likelihoods, advantages(rewards), self._reduction)

    def _rewards(self, example: Example, rollouts: Rollouts) -> Sequence[float]:
        """The model's own rewards, or else the ROUGE of the texts."""
        if rollouts.rewards is not None:
            return rollouts.rewards
        if example not in self._references:
            self._references[example] = Reference(example.summary)
        return [reward(text, self._references[example]) for text in rollouts.texts]


def _backward(loss: Tensor) -> float:
    """Accumulate the gradient, unless the loss is not finite: then all processes must learn of it first."""
    if loss.isfinite():
        torch.autograd.backward(loss)
    return loss.item()


def _reduce(model: TrainableModel, examples: Sequence[Example], losses: Tensor, group: ProcessGroup) -> float:
    """Sum losses and gradients over all processes, and return the loss of the whole batch."""
    group.all_reduce(losses)
    if not losses.isfinite().all():
        raise not_finite("loss", [examples[int(losses.isfinite().logical_not().nonzero()[0])]])
    group.all_reduce_gradients(model.module)
    return math.fsum(losses.tolist())


def not_finite(what: str, examples: Sequence[Example]) -> TrainingError:
    """The error of a training that diverged, naming the acts of the batch."""
    places = [f"line {e.line} ({e.celex})" if e.celex else f"line {e.line}" for e in examples]
    return TrainingError(
        f"The {what} is not finite at {', '.join(places)}; check that data, or train again with a lower learning rate."
    )


def _first_not_finite(loss_of: Loss, examples: Sequence[Example]) -> Example:
    """The act whose own loss is not finite."""
    with torch.no_grad():
        bad = (example for example in examples if not loss_of([example]).isfinite())
        return next(bad, examples[0])
