"""What a step of each stage is: the gradient of the loss on a few acts, whatever then moves the weights with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch

from lexlattice.errors import LexLatticeError
from lexlattice.learning.prepared import Example
from lexlattice.learning.rloo import Standardizer, advantages, policy_loss, reward
from lexlattice.learning.trainee import Trainee
from lexlattice.metrics.rouge import Reference


class Step(NamedTuple):
    """What is to be said of a step."""

    loss: float
    reward: float | None = None
    """The mean over all extracts that were drawn, from 0 to 1; only stage 2 has one."""


def imitate(trainee: Trainee, examples: Sequence[Example]) -> Step:
    """Stage 1; an act that the oracle takes nothing of has no order to be learnt."""
    learnable = [example for example in examples if example.order]
    if not learnable:
        return Step(0.0)
    loss = trainee.loss(learnable)
    if not loss.isfinite():
        raise not_a_number("loss", [_culprit(trainee, learnable)])
    loss.backward()  # type: ignore[no-untyped-call]
    return Step(loss.item())


class Reinforcement:
    """Stage 2: what is drawn, and what is remembered of earlier rewards."""

    def __init__(self, decay: float) -> None:
        self.generator = torch.Generator()
        self.standardizer = Standardizer(decay)
        self._references: WeakKeyDictionary[Example, Reference] = WeakKeyDictionary()

    def reinforce(self, trainee: Trainee, examples: Sequence[Example], count: int) -> Step:
        """So many extracts of each act; act by act, so that those of one are in memory at a time."""
        losses, rewards = [], []
        for example in examples:
            drawn = trainee.rollouts(example, count, self.generator)
            earned = [reward(text, self._reference(example)) for text in drawn.texts]
            standardized = self.standardizer(example.act.language, earned)
            loss = policy_loss(drawn.log_likelihoods, advantages(standardized)) / len(examples)
            if not loss.isfinite():
                raise not_a_number("loss", [example])
            loss.backward()  # type: ignore[no-untyped-call]
            losses.append(loss.item())
            rewards.append(fmean(earned))
        return Step(math.fsum(losses), fmean(rewards))

    def _reference(self, example: Example) -> Reference:
        if example not in self._references:
            self._references[example] = Reference(example.summary)
        return self._references[example]


def not_a_number(what: str, examples: Sequence[Example]) -> LexLatticeError:
    """Why a training cannot go on, and with which acts it ended."""
    places = [f"line {e.line} ({e.celex})" if e.celex else f"line {e.line}" for e in examples]
    return LexLatticeError(
        f"The {what} is not a number at {', '.join(places)}; look there, or lower the learning rate, and train anew."
    )


def _culprit(trainee: Trainee, examples: Sequence[Example]) -> Example:
    """The act whose loss is not a number, even by itself."""
    with torch.no_grad():
        bad = (example for example in examples if not trainee.loss([example]).isfinite())
        return next(bad, examples[0])
