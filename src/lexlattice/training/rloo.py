"""Stage 2: REINFORCE with leave-one-out baselines, on the extracts that would really be emitted.

Orders of units are drawn from the same Plackett–Luce distribution that stage 1 fits. What was drawn before the budget
was met becomes an extract by the selector that evaluation uses, and earns the mean of three ROUGE scores. A draw that
earns more than the others of the same act is made more likely, one that earns less is made less likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from lexlattice.act.document import Act
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.selection import select
from lexlattice.selection.decoder import choose
from lexlattice.training.losses import log_likelihoods
from lexlattice.training.trainable import Rollouts

MEASURES: Final = ("rouge1", "rouge2", "rougeLsum")
_LEAST_DEVIATION: Final = 1e-3
"""Rewards that hardly differ are not blown up beyond a tenth of a point of ROUGE."""


def drawn_orders(scores: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """So many orders of all units, a row each, drawn without replacement.

    Sorting by score plus Gumbel noise draws them all at once: the largest is each unit with the chance that its score
    gives it, and so on among the rest.
    """
    waits = torch.empty(count, len(scores), dtype=torch.float64).exponential_(generator=generator)
    noisy = scores.detach().double() - waits.clamp(min=torch.finfo(torch.float64).tiny).log()
    return noisy.argsort(dim=1, descending=True, stable=True)


def drawn_lengths(orders: Tensor, words: Tensor, budget: int) -> Tensor:
    """How many units of each order are drawn until the budget is met, the one that meets it included."""
    costs = words[orders]
    return (costs.cumsum(1) - costs < budget).sum(1)


def rollouts(scores: Tensor, act: Act, budget: int, count: int, generator: torch.Generator) -> Rollouts:
    """So many extracts of an act, drawn by the scores of its units, and put together as the paper does it."""
    orders = drawn_orders(scores, count, generator)
    lengths = drawn_lengths(orders, torch.tensor([unit.words for unit in act.units], dtype=torch.int64), budget)
    ranks = -orders.argsort(dim=1).numpy()
    texts = [select(act, rank, budget, mode="paper").text for rank in ranks]
    return Rollouts(log_likelihoods(scores, orders, lengths), texts)


def reward(text: str, reference: Reference) -> float:
    """The mean F1 of ROUGE-1, -2 and -Lsum, from 0 to 1."""
    scores = reference.score(text, MEASURES)
    return sum(scores[name].f1 for name in MEASURES) / len(MEASURES)


class Standardizer:
    """Rewards less their running mean, over their running deviation, of each language apart.

    Languages differ in what can be earned; without this those where it is much would move the weights most. The older
    a reward, the less it counts, by `decay` for each act; the first rewards of a language are measured by themselves.
    """

    def __init__(self, decay: float) -> None:
        self._decay = decay
        self._moments: dict[str, tuple[float, float, float]] = {}

    def __call__(self, language: str, rewards: Sequence[float]) -> Tensor:
        """Take note of the rewards of an act's extracts, and standardise them."""
        values = np.asarray(rewards, dtype=np.float64)
        new = np.array([1.0, values.mean(), np.square(values).mean()])
        moments = self._decay * np.array(self._moments.get(language, (0.0, 0.0, 0.0))) + (1 - self._decay) * new
        self._moments[language] = (float(moments[0]), float(moments[1]), float(moments[2]))
        mean, deviation = self.estimate(language)
        return torch.from_numpy((values - mean) / deviation)

    def estimate(self, language: str) -> tuple[float, float]:
        """The mean and the deviation of a language that was met before."""
        weight, first, second = self._moments[language]
        mean = first / weight
        return mean, max(_LEAST_DEVIATION, max(0.0, second / weight - mean * mean) ** 0.5)

    def state_dict(self) -> dict[str, tuple[float, float, float]]:
        """All that was noted: of each language the weight, the sum and the sum of squares."""
        return dict(self._moments)

    def load_state_dict(self, state: Mapping[str, tuple[float, float, float]]) -> None:
        """Go on from what was noted before."""
        self._moments = {language: (weight, first, second) for language, (weight, first, second) in state.items()}


def advantages(rewards: Tensor) -> Tensor:
    """How much more each extract earned than the others did on average."""
    count = len(rewards)
    return rewards - (rewards.sum() - rewards) / (count - 1)


def policy_loss(log_likelihoods: Tensor, advantages: Tensor) -> Tensor:
    """What becomes smaller when better extracts become likelier."""
    return -(advantages.to(log_likelihoods.dtype).detach() * log_likelihoods).mean()


# Extracts drawn through the decoder: what stage 2 rewards.

_LEAST_SCORE: Final = 1e-6


class Drawn(NamedTuple):
    """Extracts and how likely each was."""

    log_likelihoods: Tensor
    choices: list[list[int]]
    """The units of each, in document order."""


def draw(scores: Tensor, act: Act, words: int, count: int, temperature: float, source: torch.Generator) -> Drawn:
    """Extracts of at most so many words; at a temperature of zero all would be what the decoder takes."""
    logarithms = scores.clamp(min=_LEAST_SCORE).log() / temperature
    waits = torch.empty(count, len(scores), dtype=torch.float64).exponential_(generator=source)
    noisy = logarithms.detach().double() - waits.clamp(min=torch.finfo(torch.float64).tiny).log()
    perturbed = (temperature * noisy).exp().numpy()
    choices = [list(choose(act, row, words).units) for row in perturbed]
    first = torch.zeros(count, len(scores), dtype=torch.bool)
    for row, units in zip(first, choices, strict=True):
        row[units] = True
    ranks = noisy.argsort(dim=1, descending=True, stable=True)
    # the drawn units before all others, both in the order of the perturbed scores
    moved = (~first.gather(1, ranks)).to(torch.uint8).argsort(dim=1, stable=True)
    lengths = torch.tensor([len(units) for units in choices])
    return Drawn(log_likelihoods(logarithms, ranks.gather(1, moved), lengths), choices)
