"""Extracts drawn by the scores of units: what stage 2 rewards, and the choice that validation measures.

A draw is an order of units, drawn without replacement, in which a unit is the likelier the more it is worth for its
words. Units are taken in that order, each with what it cannot be read without, until the length is met; so the
likelihood of a draw is that of the units that were looked at, in the order in which they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lexlattice.act import Act
from lexlattice.learning.losses import log_likelihoods
from lexlattice.learning.rloo import drawn_orders
from lexlattice.selection import lead_ins

_LEFT_OUT: Final = ("title", "preamble", "notes")
"""Kinds of sections that extracts take nothing from."""
_LEAST: Final = 4
"""Words of the shortest unit that is taken for its own sake."""
_SHORT: Final = 8
"""Units of fewer words cost as much as one of so many."""
_LEAST_SCORE: Final = 1e-6
_FULL: Final = 0.95
"""The share of the length at which a unit that does not fit ends a draw; before, it is passed over."""


class Ground(NamedTuple):
    """What a choice from an act has to know of it."""

    words: NDArray[np.int64]
    candidates: NDArray[np.int64]
    """Units that may be taken for their own sake; lead-ins come with their points."""
    needs: tuple[tuple[int, ...], ...]
    """For each unit those that it is taken with, itself the first."""

    @classmethod
    def of(cls, act: Act) -> Ground:
        """What is known from the structure of an act."""
        leads = lead_ins(act.units)
        leading = set(leads)
        candidates = [
            index
            for index, unit in enumerate(act.units)
            if unit.words >= _LEAST
            and unit.kind != "table"
            and index not in leading
            and act.sections[unit.section].kind not in _LEFT_OUT
        ]
        words = np.array([unit.words for unit in act.units], np.int64)
        needs = tuple(_needs(act, leads, index) for index in range(len(act.units)))
        return cls(words, np.array(candidates, np.int64), needs)


class Drawn(NamedTuple):
    """Extracts and how likely each was."""

    log_likelihoods: Tensor
    choices: list[list[int]]
    """The units of each, in document order."""


def worth(scores: Tensor, words: NDArray[np.int64], power: float) -> Tensor:
    """The logarithm of a score divided by a power of the number of words."""
    cost = torch.from_numpy(np.log(np.maximum(_SHORT, words))).to(scores.dtype)
    return scores.clamp(min=_LEAST_SCORE).log() - power * cost


def draw(
    scores: Tensor, ground: Ground, budget: int, count: int, temperature: float, power: float, source: torch.Generator
) -> Drawn:
    """So many extracts of at most so many words."""
    candidates = torch.from_numpy(ground.candidates)
    if not len(candidates):
        return Drawn(scores.sum() * torch.zeros(count), [[] for _ in range(count)])
    worths = worth(scores, ground.words, power)[candidates] / temperature
    orders = drawn_orders(worths, count, source)
    taken = [take(ground, ground.candidates[order.numpy()].tolist(), budget) for order in orders]
    lengths = torch.tensor([looked for _, looked in taken])
    return Drawn(log_likelihoods(worths, orders, lengths), [units for units, _ in taken])


def best(scores: Tensor, ground: Ground, budget: int, power: float) -> list[int]:
    """The extract by worth alone."""
    order = worth(scores, ground.words, power)[torch.from_numpy(ground.candidates)].argsort(
        descending=True, stable=True
    )
    return take(ground, ground.candidates[order.numpy()].tolist(), budget)[0]


def take(ground: Ground, order: Sequence[int], budget: int) -> tuple[list[int], int]:
    """The units that fit, in document order, and how many of the order were looked at."""
    taken: set[int] = set()
    used = 0
    for place, unit in enumerate(order):
        needed = [index for index in ground.needs[unit] if index not in taken]
        cost = int(ground.words[needed].sum())
        if used + cost <= budget:
            taken.update(needed)
            used += cost
        elif used >= _FULL * budget:
            return sorted(taken), place + 1
    return sorted(taken), len(order)


def _needs(act: Act, leads: Sequence[int | None], index: int) -> tuple[int, ...]:
    """A unit, the lead-ins that it hangs from, and the sentences before it in its provision."""
    needed, lead = [index], leads[index]
    while lead is not None and lead not in needed:
        needed.append(lead)
        lead = leads[lead]
    before = index
    while before and act.units[before - 1].provision == act.units[index].provision:
        before -= 1
        needed.append(before)
    return tuple(needed)
