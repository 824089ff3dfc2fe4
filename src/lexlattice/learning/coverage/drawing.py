"""Extracts drawn through the decoder of expected coverage, and how likely each was.

Where the decoder takes the unit that is worth most, a draw takes any unit that fits, the likelier the more it is
worth. The chances at each step say at once which unit is drawn and how the likelihood would change with the salience
of every unit; so both are taken from them, and nothing of a step is kept.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from lexlattice.research.coverage.coverage import Coverage
from lexlattice.research.coverage.features import Floats, Integers

TEMPERATURE: Final = 0.02
"""How far a draw may fall short of the best: units are worth up to about 1 for a word."""


class Draw(NamedTuple):
    """An extract that was drawn: its units in the order in which they were."""

    order: list[int]
    log_likelihood: float
    by_salience: Floats
    """How the log-likelihood grows with the salience of each unit; what a unit adds is taken as it was."""


def drawn(coverage: Coverage, lengths: Integers, budget: int, source: np.random.Generator) -> Draw:
    """One extract of at most so many words, until no other unit fits; the coverage is used up."""
    free, order, likelihood = coverage.has_words.copy(), list[int](), 0.0
    by_salience = np.zeros(len(lengths), np.float32)
    while (fitting := np.flatnonzero(free & (lengths <= budget))).size:
        worth = coverage.values()[fitting] / np.float32(TEMPERATURE)
        chances = np.exp(worth - worth.max())
        chances /= chances.sum()
        reached = np.cumsum(chances, dtype=np.float64)
        place = min(int(np.searchsorted(reached, source.random() * reached[-1], side="right")), fitting.size - 1)
        unit = int(fitting[place])
        likelihood += float(np.log(chances[place]))
        by_salience[fitting] -= chances
        by_salience[unit] += 1
        coverage.take(unit)
        order.append(unit)
        free[unit] = False
        budget -= int(lengths[unit])
    return Draw(order, likelihood, by_salience / np.float32(TEMPERATURE))


def log_likelihood(draw: Draw, salience: Tensor) -> Tensor:
    """How likely that was, to be differentiated by the salience of units."""
    found: Tensor = _Likelihood.apply(salience, draw)  # type: ignore[no-untyped-call]
    return found


class _Likelihood(torch.autograd.Function):
    """Value and gradient were found when it was drawn."""

    @staticmethod
    def forward(context: Any, salience: Tensor, draw: Draw) -> Tensor:
        context.by_salience = torch.from_numpy(draw.by_salience)
        return salience.new_tensor(draw.log_likelihood)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0] * context.by_salience, None
