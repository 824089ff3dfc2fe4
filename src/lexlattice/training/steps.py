"""What a step of each stage is: the gradient of the loss on a few acts, whatever then moves the weights with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.training.parallel import Team
from lexlattice.training.prepared import Example
from lexlattice.training.rloo import Standardizer, advantages, policy_loss, reward
from lexlattice.training.trainable import Aligning, Rollouts, Trainee


class Shared(NamedTuple):
    """How a step is done by several processes."""

    team: Team
    begin: Callable[[int], None]
    """Told at which place of the batch an act stands, makes all that is drawn for it depend on that."""


class Step(NamedTuple):
    """What is to be said of a step."""

    loss: float
    reward: float | None = None
    """The mean over all extracts that were drawn, from 0 to 1; only stage 2 has one."""


Loss = Callable[[Sequence[Example]], Tensor]
"""What is to become smaller, as a mean over some acts."""


def imitate(trainee: Trainee, examples: Sequence[Example], shared: Shared | None = None) -> Step:
    """Stage 1; an act that the oracle takes nothing of has no order to be learnt."""
    return _descend(trainee, trainee.loss, [example for example in examples if example.order], shared)


def align(trainee: Aligning, examples: Sequence[Example], shared: Shared | None = None) -> Step:
    """Before stage 1: silver alignment, of the acts that have it."""
    learnable = [example for example in examples if example.marks.silver is not None]
    return _descend(trainee, trainee.alignment_loss, learnable, shared)


def _descend(trainee: Trainee, loss_of: Loss, examples: Sequence[Example], shared: Shared | None) -> Step:
    if not examples:
        return Step(0.0)
    if shared:
        return _descend_together(trainee, loss_of, examples, shared)
    loss = loss_of(examples)
    if not loss.isfinite():
        raise not_a_number("loss", [_culprit(loss_of, examples)])
    loss.backward()  # type: ignore[no-untyped-call]
    return Step(loss.item())


def _descend_together(trainee: Trainee, loss_of: Loss, examples: Sequence[Example], shared: Shared) -> Step:
    """Each process has some of the acts, one at a time; all have the gradient of all."""
    losses = torch.zeros(len(examples), dtype=torch.float64)
    for place in shared.team.share(range(len(examples))):
        shared.begin(place)
        losses[place] = _learnt(loss_of([examples[place]]) / len(examples))
    return Step(_summed(trainee, examples, losses, shared.team))


class Reinforcement:
    """Stage 2: what is drawn, and what is remembered of earlier rewards."""

    def __init__(self, decay: float) -> None:
        self.generator = torch.Generator()
        self.standardizer = Standardizer(decay)
        self._references: WeakKeyDictionary[Example, Reference] = WeakKeyDictionary()

    def reinforce(
        self, trainee: Trainee, examples: Sequence[Example], count: int, shared: Shared | None = None
    ) -> Step:
        """So many extracts of each act; act by act, so that those of one are in memory at a time."""
        if shared:
            return self._reinforce_together(trainee, examples, count, shared)
        losses, rewards = [], []
        for example in examples:
            drawn = trainee.rollouts(example, count, self.generator)
            earned = self._rewards(example, drawn)
            standardized = self.standardizer(example.act.language, earned)
            loss = policy_loss(drawn.log_likelihoods, advantages(standardized)) / len(examples)
            if not loss.isfinite():
                raise not_a_number("loss", [example])
            loss.backward()  # type: ignore[no-untyped-call]
            losses.append(loss.item())
            rewards.append(fmean(earned))
        return Step(math.fsum(losses), fmean(rewards))

    def _reinforce_together(self, trainee: Trainee, examples: Sequence[Example], count: int, shared: Shared) -> Step:
        """Each process has some of the acts; all take note of all rewards, in the order of the batch."""
        drawn: dict[int, Rollouts] = {}
        rewards = torch.zeros(len(examples), count, dtype=torch.float64)
        for place in shared.team.share(range(len(examples))):
            shared.begin(place)
            drawn[place] = trainee.rollouts(examples[place], count, self.generator)
            rewards[place] = torch.tensor(self._rewards(examples[place], drawn[place]), dtype=torch.float64)
        shared.team.sum(rewards)
        losses = torch.zeros(len(examples), dtype=torch.float64)
        for place, (example, earned) in enumerate(zip(examples, rewards.tolist(), strict=True)):
            standardized = self.standardizer(example.act.language, earned)
            if place in drawn:
                loss = policy_loss(drawn.pop(place).log_likelihoods, advantages(standardized))
                losses[place] = _learnt(loss / len(examples))
        return Step(_summed(trainee, examples, losses, shared.team), fmean(map(fmean, rewards.tolist())))

    def _rewards(self, example: Example, drawn: Rollouts) -> Sequence[float]:
        """What each extract earns: what the trainee says, or else the ROUGE of its text."""
        if drawn.rewards is not None:
            return drawn.rewards
        return [reward(text, self._reference(example)) for text in drawn.texts]

    def _reference(self, example: Example) -> Reference:
        if example not in self._references:
            self._references[example] = Reference(example.summary)
        return self._references[example]


def _learnt(loss: Tensor) -> float:
    """Add the gradient of a loss that is a number; the loss itself."""
    if loss.isfinite():
        loss.backward()  # type: ignore[no-untyped-call]
    return loss.item()


def _summed(trainee: Trainee, examples: Sequence[Example], losses: Tensor, team: Team) -> float:
    """The loss of the whole batch, whose gradient all processes then have."""
    team.sum(losses)
    if not losses.isfinite().all():
        raise not_a_number("loss", [examples[int(losses.isfinite().logical_not().nonzero()[0])]])
    team.sum_gradients(trainee.module)
    return math.fsum(losses.tolist())


def not_a_number(what: str, examples: Sequence[Example]) -> LexLatticeError:
    """Why a training cannot go on, and with which acts it ended."""
    places = [f"line {e.line} ({e.celex})" if e.celex else f"line {e.line}" for e in examples]
    return LexLatticeError(
        f"The {what} is not a number at {', '.join(places)}; look there, or lower the learning rate, and train anew."
    )


def _culprit(loss_of: Loss, examples: Sequence[Example]) -> Example:
    """The act whose loss is not a number, even by itself."""
    with torch.no_grad():
        bad = (example for example in examples if not loss_of([example]).isfinite())
        return next(bad, examples[0])
