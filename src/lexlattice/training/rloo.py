"""Stage 2: REINFORCE with leave-one-out baselines (RLOO), on the extracts that the decoder really produces.

Orders of units are sampled from the Plackett–Luce distribution that stage 1 fits. The decoder of evaluation time turns
each order into an extract, which earns a reward. The advantage of a rollout is its reward minus the mean reward of the
act's other rollouts; the policy gradient raises the likelihood of rollouts with a positive advantage.
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
_SMALLEST_DEVIATION: Final = 1e-3
"""Rewards that hardly differ are not amplified beyond a tenth of a ROUGE point."""
_SMALLEST_SCORE: Final = 1e-6


def sample_orders(scores: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Sample `count` orders of all units without replacement, one per row."""
    return _perturb(scores, count, generator).argsort(dim=1, descending=True, stable=True)


def _perturb(scores: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Add Gumbel noise to the scores, one row per rollout.

    Sorting by the perturbed scores samples from the Plackett–Luce distribution (the Gumbel-max trick), in one operation
    for all draws. The negative logarithm of an exponential variable is Gumbel noise. It is drawn on the CPU, so that
    samples are the same on every device.
    """
    exponential = torch.empty(count, len(scores), dtype=torch.float64).exponential_(generator=generator)
    return scores.detach().cpu().double() - exponential.clamp(min=torch.finfo(torch.float64).tiny).log()


def sampled_lengths(orders: Tensor, words: Tensor, budget: int) -> Tensor:
    """Return how many units of each order are sampled until the budget is met, including the one that meets it."""
    costs = words[orders]
    return (costs.cumsum(1) - costs < budget).sum(1)


def rollouts(scores: Tensor, act: Act, budget: int, count: int, generator: torch.Generator) -> Rollouts:
    """Sample extracts of an act as the paper does: whole units by rank, cut to the budget."""
    orders = sample_orders(scores, count, generator)
    lengths = sampled_lengths(orders, torch.tensor([unit.words for unit in act.units], dtype=torch.int64), budget)
    # the inverse permutation gives each unit its rank; `select` takes the highest values first
    ranks = -orders.argsort(dim=1).numpy()
    texts = [select(act, rank, budget, mode="paper").text for rank in ranks]
    return Rollouts(log_likelihoods(scores, orders, lengths).cpu(), texts)


class SampledExtracts(NamedTuple):
    """Extracts that were sampled through the decoder."""

    log_likelihoods: Tensor
    """One per extract, differentiable."""
    choices: list[list[int]]
    """The units of each extract, in document order."""


def sample_extracts(
    scores: Tensor, act: Act, words: int, count: int, temperature: float, generator: torch.Generator
) -> SampledExtracts:
    """Sample extracts of at most `words` words through the decoder of evaluation time.

    As the temperature approaches zero, all samples become what the decoder selects from the unperturbed scores.
    """
    logits = scores.clamp(min=_SMALLEST_SCORE).log() / temperature
    noisy = _perturb(logits, count, generator)
    perturbed = (temperature * noisy).exp().numpy()
    choices = [list(choose(act, row, words).units) for row in perturbed]
    is_chosen = torch.zeros(count, len(scores), dtype=torch.bool)
    for row, units in zip(is_chosen, choices, strict=True):
        row[units] = True
    ranks = noisy.argsort(dim=1, descending=True, stable=True)
    # a stable sort moves the chosen units before all others; both keep the order of their perturbed scores
    chosen_first = (~is_chosen.gather(1, ranks)).to(torch.uint8).argsort(dim=1, stable=True)
    lengths = torch.tensor([len(units) for units in choices])
    return SampledExtracts(log_likelihoods(logits, ranks.gather(1, chosen_first), lengths).cpu(), choices)


def reward(text: str, reference: Reference) -> float:
    """Return the mean F1 of ROUGE-1, -2 and -Lsum, from 0 to 1."""
    scores = reference.score(text, MEASURES)
    return sum(scores[name].f1 for name in MEASURES) / len(MEASURES)


class RewardNormalizer:
    """Standardizes rewards by the running mean and deviation of their language.

    Languages differ in the rewards that can be reached; without this, those with high rewards would dominate the
    gradient. `decay` is per act; the bias of the first acts is corrected as in Adam.
    """

    def __init__(self, decay: float) -> None:
        self._decay = decay
        self._moments: dict[str, tuple[float, float, float]] = {}

    def __call__(self, language: str, rewards: Sequence[float]) -> Tensor:
        """Update the statistics with the rewards of one act, and return the standardized rewards."""
        values = np.asarray(rewards, dtype=np.float64)
        new = np.array([1.0, values.mean(), np.square(values).mean()])
        moments = self._decay * np.array(self._moments.get(language, (0.0, 0.0, 0.0))) + (1 - self._decay) * new
        self._moments[language] = (float(moments[0]), float(moments[1]), float(moments[2]))
        mean, deviation = self.estimate(language)
        return torch.from_numpy((values - mean) / deviation)

    def estimate(self, language: str) -> tuple[float, float]:
        """Return the mean and the deviation of a language that was seen before."""
        weight, first, second = self._moments[language]
        mean = first / weight  # dividing by the accumulated weight corrects the bias towards zero
        return mean, max(_SMALLEST_DEVIATION, max(0.0, second / weight - mean * mean) ** 0.5)

    def state_dict(self) -> dict[str, tuple[float, float, float]]:
        """The state for a checkpoint: per language the weight, the sum and the sum of squares."""
        return dict(self._moments)

    def load_state_dict(self, state: Mapping[str, tuple[float, float, float]]) -> None:
        """Restore the state of a checkpoint."""
        self._moments = {language: (weight, first, second) for language, (weight, first, second) in state.items()}


def advantages(rewards: Tensor) -> Tensor:
    """Return each reward minus its leave-one-out baseline: the mean reward of the other rollouts."""
    count = len(rewards)
    return rewards - (rewards.sum() - rewards) / (count - 1)


def policy_loss(log_likelihoods: Tensor, advantages: Tensor, reduction: str = "mean") -> Tensor:
    """Return the REINFORCE loss, whose gradient raises the likelihood of rollouts with a positive advantage.

    `reduction` is over the rollouts of one act: "sum", as the paper writes it, or "mean". They differ by a constant
    factor, which matters where gradients are clipped.
    """
    terms = -advantages.to(log_likelihoods.dtype).detach() * log_likelihoods
    return terms.sum() if reduction == "sum" else terms.mean()
