"""Stage 1's losses, against their definitions."""

from __future__ import annotations

from itertools import permutations
from math import exp, log, log1p, prod

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lexlattice.training.losses import batch_warm_start_loss, membership_loss, plackett_luce_loss, warm_start_loss

Case = tuple[list[float], list[int]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Scores, and the units that were taken in the order they were."""
    scores = draw(st.lists(st.floats(-8, 8), min_size=1, max_size=9))
    order = draw(st.permutations(range(len(scores))))
    return scores, order[: draw(st.integers(0, len(scores)))]


def tensor(scores: list[float]) -> Tensor:
    return torch.tensor(scores, dtype=torch.float64, requires_grad=True)


def likelihood(scores: list[float], order: list[int]) -> float:
    """The product of the definition, factor by factor."""
    left = set(range(len(scores)))
    factors = []
    for unit in order:
        factors.append(exp(scores[unit]) / sum(exp(scores[other]) for other in left))
        left.remove(unit)
    return prod(factors)


@given(cases())
def test_plackett_luce_loss_equals_the_naive_product(case: Case) -> None:
    scores, order = case
    assert plackett_luce_loss(tensor(scores), order).item() == pytest.approx(-log(likelihood(scores, order)), abs=1e-9)


@given(cases())
def test_its_gradient_equals_that_of_the_naive_product(case: Case) -> None:
    scores, order = case
    ours, naive = tensor(scores), tensor(scores)
    plackett_luce_loss(ours, order).backward()
    taken: list[int] = []
    total = naive.sum() * 0
    for unit in order:
        left = [other for other in range(len(scores)) if other not in taken]
        total = total + naive[left].logsumexp(0) - naive[unit]
        taken.append(unit)
    total.backward()
    torch.testing.assert_close(ours.grad, naive.grad, atol=1e-9, rtol=0)


def test_probabilities_of_all_orders_of_a_length_sum_to_one() -> None:
    scores = tensor([0.3, -1.0, 2.0, 0.0, 0.7])
    for length in range(6):
        probabilities = [exp(-plackett_luce_loss(scores, order).item()) for order in permutations(range(5), length)]
        assert sum(probabilities) == pytest.approx(1)


@given(cases(), st.floats(-50, 50))
def test_plackett_luce_loss_is_invariant_to_a_shift_of_all_scores(case: Case, shift: float) -> None:
    scores, order = case
    moved = [score + shift for score in scores]
    assert plackett_luce_loss(tensor(moved), order).item() == pytest.approx(
        plackett_luce_loss(tensor(scores), order).item()
    )


@given(cases(), st.floats(0.5, 2))
def test_membership_loss_depends_on_a_shift_of_all_scores(case: Case, shift: float) -> None:
    """It bends upwards, so it cannot be the same on three points in a row."""
    scores, order = tensor(case[0]), case[1]
    below, here, above = (membership_loss(scores + by, order).item() for by in (-shift, 0, shift))
    assert below + above - 2 * here > 1e-6


@given(cases())
def test_membership_loss_is_a_mean_over_all_units(case: Case) -> None:
    scores, order = case
    costs = [log1p(exp(-score if unit in order else score)) for unit, score in enumerate(scores)]
    assert membership_loss(tensor(scores), order).item() == pytest.approx(sum(costs) / len(costs))


@given(cases())
def test_the_order_of_unselected_units_does_not_matter(case: Case) -> None:
    scores, order = case
    others = [unit for unit in range(len(scores)) if unit not in order]
    turned = list(scores)
    for unit, other in zip(others, reversed(others), strict=True):
        turned[unit] = scores[other]
    assert plackett_luce_loss(tensor(turned), order).item() == pytest.approx(
        plackett_luce_loss(tensor(scores), order).item()
    )


@given(st.lists(cases(), min_size=1, max_size=4), st.floats(0, 1))
def test_the_loss_of_a_ragged_batch_is_the_mean_of_its_acts(batch: list[Case], weight: float) -> None:
    together = tensor([score for scores, _ in batch for score in scores])
    sizes, orders = [len(scores) for scores, _ in batch], [order for _, order in batch]
    alone = [
        plackett_luce_loss(tensor(scores), order).item() + weight * membership_loss(tensor(scores), order).item()
        for scores, order in batch
    ]
    loss = batch_warm_start_loss(together, sizes, orders, weight)
    assert loss.item() == pytest.approx(sum(alone) / len(alone))


def test_an_empty_oracle_leaves_only_the_membership_loss() -> None:
    scores = tensor([0.5, -0.5])
    assert plackett_luce_loss(scores, ()).item() == 0
    assert warm_start_loss(scores, (), 0.3).item() == pytest.approx(0.3 * membership_loss(scores, ()).item())


def test_extreme_scores_give_finite_losses_and_gradients() -> None:
    scores = torch.tensor([1e4, -1e4, 0.0, 3e4], requires_grad=True)
    loss = warm_start_loss(scores, (1, 3), 0.3)
    loss.backward()
    assert loss.isfinite()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
