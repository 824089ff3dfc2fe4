"""Stage 1: how unlikely the scores make the oracle's choice.

Scores stand for a Plackett–Luce distribution: units are drawn one after the other without being put back, each with a
chance that grows with the exponential of its score. The loss is the negative logarithm of the chance to draw what the
oracle took, in its order; in which order the others follow does not matter. Since this says nothing of how high scores
are as a whole, the binary cross-entropy of being among the chosen is added with a small weight.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits


def log_likelihoods(scores: Tensor, orders: Tensor, lengths: Tensor) -> Tensor:
    """The logarithm of the chance to draw the first units of each order, as many as `lengths` says.

    Each row of `orders` is an order of all units. What is left at each draw is summed up from behind, once for all.
    """
    ranked = scores[orders]
    left = ranked.flip(1).logcumsumexp(1).flip(1)
    is_drawn = torch.arange(orders.shape[1]) < lengths[:, None]
    return torch.where(is_drawn, ranked - left, 0.0).sum(1)


def plackett_luce(scores: Tensor, order: Sequence[int]) -> Tensor:
    """The negative logarithm of the chance to draw these units, in this order, before all others."""
    chosen = torch.tensor(order, dtype=torch.int64)
    others = torch.ones(len(scores), dtype=torch.bool).index_fill(0, chosen, False).nonzero().squeeze(1)
    return -log_likelihoods(scores, torch.cat([chosen, others])[None], torch.tensor([len(order)])).squeeze(0)


def membership(scores: Tensor, order: Sequence[int]) -> Tensor:
    """The binary cross-entropy of being chosen, as a mean over all units."""
    labels = torch.zeros_like(scores).index_fill(0, torch.tensor(order, dtype=torch.int64), 1.0)
    return binary_cross_entropy_with_logits(scores, labels)


def stage_one(scores: Tensor, order: Sequence[int], weight: float, listwise: float = 1.0) -> Tensor:
    """The loss of one act: the oracle's order, and with this weight the membership."""
    return listwise * plackett_luce(scores, order) + weight * membership(scores, order)


def stage_one_of_batch(
    scores: Tensor, sizes: Sequence[int], orders: Sequence[Sequence[int]], weight: float, listwise: float = 1.0
) -> Tensor:
    """The mean loss of several acts whose units follow each other, without padding between them."""
    acts = zip(torch.split(scores, list(sizes)), orders, strict=True)
    return torch.stack([stage_one(of_act, order, weight, listwise) for of_act, order in acts]).mean()
