"""Stage 1 losses: Plackett–Luce likelihood of the oracle's order, and cross-entropy of membership.

The scores parameterize a Plackett–Luce distribution over orders: units are sampled one after the other without
replacement, with probabilities proportional to the exponential of their scores. The listwise loss is the negative
log-likelihood of sampling the oracle's units in its order; the order of the remaining units does not matter. Since this
is invariant to a constant added to all scores, the binary cross-entropy of being selected is added with a small weight.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits


def log_likelihoods(scores: Tensor, orders: Tensor, lengths: Tensor) -> Tensor:
    """Return the log-likelihood of sampling the first `lengths` units of each order.

    Args:
        scores: one score per unit.
        orders: rollouts × units; each row is a permutation of all units.
        lengths: how many units of each order were sampled.

    """
    orders, lengths = orders.to(scores.device), lengths.to(scores.device)
    ranked = scores[orders]
    # the normalizer of each draw is the log-sum-exp of the units that are left: one reversed cumulative sum
    left = ranked.flip(1).logcumsumexp(1).flip(1)
    is_sampled = torch.arange(orders.shape[1], device=scores.device) < lengths[:, None]
    return torch.where(is_sampled, ranked - left, 0.0).sum(1)


def plackett_luce_loss(scores: Tensor, order: Sequence[int]) -> Tensor:
    """Return the negative log-likelihood of sampling these units, in this order, before all others."""
    chosen = torch.tensor(order, dtype=torch.int64)
    others = torch.ones(len(scores), dtype=torch.bool).index_fill(0, chosen, False).nonzero().squeeze(1)
    return -log_likelihoods(scores, torch.cat([chosen, others])[None], torch.tensor([len(order)])).squeeze(0)


def membership_loss(scores: Tensor, order: Sequence[int]) -> Tensor:
    """Return the binary cross-entropy of being among the selected units, averaged over all units."""
    labels = torch.zeros_like(scores).index_fill(0, torch.tensor(order, dtype=torch.int64, device=scores.device), 1.0)
    return binary_cross_entropy_with_logits(scores, labels)


def warm_start_loss(scores: Tensor, order: Sequence[int], bce: float, listwise: float = 1.0) -> Tensor:
    """Return the weighted sum of both losses for one act."""
    return listwise * plackett_luce_loss(scores, order) + bce * membership_loss(scores, order)


def batch_warm_start_loss(
    scores: Tensor, sizes: Sequence[int], orders: Sequence[Sequence[int]], bce: float, listwise: float = 1.0
) -> Tensor:
    """Return the mean loss of several acts whose scores are concatenated without padding."""
    acts = zip(torch.split(scores, list(sizes)), orders, strict=True)
    return torch.stack([warm_start_loss(act_scores, order, bce, listwise) for act_scores, order in acts]).mean()
