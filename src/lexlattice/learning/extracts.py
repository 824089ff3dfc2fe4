"""Extracts drawn through the decoder: what stage 2 rewards.

Scores are perturbed by Gumbel noise and decoded, so that what is rewarded is what people would get. How likely a draw
was is that of its units being drawn one after the other by their scores, in the order of the perturbed ones, before
all others: the Plackett–Luce model that stage 1 fits as well.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import torch
from torch import Tensor

from lexlattice.act import Act
from lexlattice.learning.losses import log_likelihoods
from lexlattice.selection.decoder import choose

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
