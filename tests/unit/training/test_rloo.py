"""RLOO: sampling, rewards, advantages and the policy gradient."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import exp

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lexlattice import Act, Section, Unit
from lexlattice.evaluation.metrics.rouge import Reference, score
from lexlattice.training.losses import log_likelihoods
from lexlattice.training.rloo import (
    RewardNormalizer,
    advantages,
    policy_loss,
    reward,
    rollouts,
    sample_orders,
    sampled_lengths,
)

SUMMARY = "The register is public.\nKeepers of bees register their hives before May."
LIMIT = 49.7
"""Chi-square with 23 degrees of freedom is above this once in a thousand."""

texts = st.lists(st.sampled_from(["bees", "hives", "the", "register", "is", "May"]), min_size=1, max_size=6)
rewards = st.lists(st.floats(0, 1), min_size=2, max_size=6)


def act_of(lines: list[list[str]]) -> Act:
    """An act of one section with a unit for each list of words."""
    units: list[Unit] = []
    for place, words in enumerate(lines):
        start = units[-1].end + 1 if units else 0
        text = " ".join(words)
        name = f"art-{place}"
        units.append(Unit(name, name, 0, place, "paragraph", "", name, text, start, start + len(text), len(words)))
    section = Section(0, "article", "1", "Article 1", "", (), tuple(units))
    return Act("", "", "regulation", "", "en", "paper", (section,), (), "\n".join(unit.text for unit in units))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def probability(scores: Tensor, order: tuple[int, ...], length: int) -> Tensor:
    return log_likelihoods(scores, torch.tensor([order]), torch.tensor([length])).squeeze(0).exp()


# --- sampling ----------------------------------------------------------------------------------------------


def test_orders_are_sampled_from_the_plackett_luce_distribution() -> None:
    scores = torch.tensor([0.0, 1.0, -0.5, 0.4], dtype=torch.float64)
    draws = 20_000
    found = Counter(map(tuple, sample_orders(scores, draws, generator()).tolist()))
    surprise = 0.0
    for order in permutations(range(4)):
        expected = draws * probability(scores, order, 4).item()
        surprise += (found.pop(order, 0) - expected) ** 2 / expected
    assert not found
    assert surprise < LIMIT


@given(st.lists(texts, min_size=1, max_size=7), st.integers(0, 30), st.integers(0, 2**32))
def test_a_rollout_consists_of_the_units_sampled_within_the_budget(
    lines: list[list[str]], budget: int, seed: int
) -> None:
    act = act_of(lines)
    scores = torch.zeros(len(act))
    orders = sample_orders(scores, 3, generator(seed)).tolist()
    sampled = rollouts(scores, act, budget, 3, generator(seed))
    for order, text in zip(orders, sampled.texts, strict=True):
        taken: list[int] = []
        while order and sum(act.units[unit].words for unit in taken) < budget:
            taken.append(order.pop(0))
        words = [word for unit in sorted(taken) for word in act.units[unit].text.split()]
        assert text.split() == words[:budget]


@given(st.lists(texts, min_size=1, max_size=7), st.integers(0, 30), st.integers(0, 2**32))
def test_the_unit_that_meets_the_budget_is_the_last_that_counts(lines: list[list[str]], budget: int, seed: int) -> None:
    words = torch.tensor([len(line) for line in lines])
    orders = sample_orders(torch.zeros(len(lines)), 3, generator(seed))
    for order, length in zip(orders, sampled_lengths(orders, words, budget).tolist(), strict=True):
        costs = words[order]
        assert length == 0 or costs[: length - 1].sum() < budget
        assert length == len(order) or costs[:length].sum() >= budget


def test_the_likelihood_covers_the_sampled_units_and_is_differentiable() -> None:
    act = act_of([["bees"] * 2, ["hives"] * 3, ["May"] * 4])
    scores = torch.tensor([0.2, -0.3, 0.9], requires_grad=True)
    sampled = rollouts(scores, act, 4, 2, generator(5))
    for order, found in zip(sample_orders(scores, 2, generator(5)).tolist(), sampled.log_likelihoods, strict=True):
        values = [exp(score) for score in scores.tolist()]
        total, cost, expected = sum(values), 0, 1.0
        for unit in order:
            if cost < 4:
                expected *= values[unit] / total
            total, cost = total - values[unit], cost + act.units[unit].words
        assert found.exp().item() == pytest.approx(expected, rel=1e-5)
    sampled.log_likelihoods.sum().backward()
    assert scores.grad is not None
    assert scores.grad.any()


def test_equal_generators_give_equal_samples() -> None:
    act = act_of([["bees"], ["hives"], ["May"], ["is"]])
    first, second = (rollouts(torch.zeros(4), act, 2, 8, generator(1)) for _ in range(2))
    assert first.texts == second.texts
    assert torch.equal(first.log_likelihoods, second.log_likelihoods)
    assert len(set(first.texts)) > 1


# --- earning ----------------------------------------------------------------------------------------------


@given(st.lists(texts, min_size=1, max_size=6), st.integers(1, 20), st.integers(0, 2**32))
def test_the_reward_is_the_rouge_of_the_extract(lines: list[list[str]], budget: int, seed: int) -> None:
    act = act_of(lines)
    for text in rollouts(torch.zeros(len(act)), act, budget, 2, generator(seed)).texts:
        scores = score(text, SUMMARY)
        mean = (scores["rouge1"].f1 + scores["rouge2"].f1 + scores["rougeLsum"].f1) / 3
        assert reward(text, Reference(SUMMARY)) == pytest.approx(mean)
    assert reward(SUMMARY, Reference(SUMMARY)) == pytest.approx(1)


@given(rewards)
def test_advantages_sum_to_zero(values: list[float]) -> None:
    assert advantages(torch.tensor(values, dtype=torch.float64)).sum().item() == pytest.approx(0, abs=1e-9)


@given(rewards)
def test_an_advantage_is_relative_to_the_mean_of_the_others(values: list[float]) -> None:
    found = advantages(torch.tensor(values, dtype=torch.float64)).tolist()
    for place, value in enumerate(values):
        others = values[:place] + values[place + 1 :]
        assert found[place] == pytest.approx(value - sum(others) / len(others))


@given(rewards)
def test_the_first_rewards_of_a_language_are_standardized_by_themselves(values: list[float]) -> None:
    found = RewardNormalizer(0.99)("mt", values)
    assert found.isfinite().all()
    assert found.mean().item() == pytest.approx(0, abs=1e-6)
    assert found.square().mean().item() <= 1 + 1e-6


@given(st.lists(st.floats(0.1, 0.9), min_size=2, max_size=5), st.floats(0.2, 5), st.floats(-1, 1))
def test_languages_with_higher_rewards_do_not_dominate(values: list[float], scale: float, shift: float) -> None:
    """As long as rewards differ by more than the least deviation."""
    values = [*values, 0.0, 1.0]
    normalizer = RewardNormalizer(0.9)
    for _ in range(3):
        plain = normalizer("en", values)
        stretched = normalizer("fi", [scale * value + shift for value in values])
        torch.testing.assert_close(plain, stretched, atol=1e-6, rtol=1e-6)


def test_running_statistics_decay() -> None:
    """After 0, 0 and then 1, 1 with decay ½, the newer count two thirds."""
    normalizer = RewardNormalizer(0.5)
    normalizer("en", [0.0, 0.0])
    normalizer("en", [1.0, 1.0])
    mean, deviation = normalizer.estimate("en")
    assert mean == pytest.approx(2 / 3)
    assert deviation == pytest.approx((2 / 9) ** 0.5)


def test_equal_rewards_give_no_gradient() -> None:
    normalizer = RewardNormalizer(0.99)
    for _ in range(3):
        assert normalizer("en", [0.4] * 4).abs().max().item() < 1e-6


def test_a_normalizer_resumes_from_its_state() -> None:
    first, second = RewardNormalizer(0.9), RewardNormalizer(0.9)
    first("en", [0.1, 0.5])
    first("fr", [0.2, 0.3])
    second.load_state_dict(first.state_dict())
    for language in ("en", "fr", "de"):
        assert torch.equal(first(language, [0.3, 0.9]), second(language, [0.3, 0.9]))


# --- moving -----------------------------------------------------------------------------------------------


def test_the_gradient_estimate_is_unbiased() -> None:
    """All pairs of rollouts of a tiny act, weighted by probability, give the gradient of the expected reward."""
    act = act_of([["bees"] * 2, ["register"] * 3, ["the", "register", "is"]])
    words, budget = torch.tensor([unit.words for unit in act.units]), 4
    scores = torch.tensor([0.2, -0.5, 0.6], dtype=torch.float64, requires_grad=True)
    orders = torch.tensor(list(permutations(range(3))))
    lengths = sampled_lengths(orders, words, budget)
    prefixes = {tuple(order[:length]): (order, length) for order, length in zip(orders.tolist(), lengths, strict=True)}
    log_probabilities = log_likelihoods(
        scores,
        torch.tensor([order for order, _ in prefixes.values()]),
        torch.stack([length for _, length in prefixes.values()]),
    )
    earned = torch.tensor([0.1 + 0.3 * len(prefix) + 0.2 * prefix[0] for prefix in prefixes], dtype=torch.float64)
    assert log_probabilities.exp().sum().item() == pytest.approx(1)

    expected = torch.autograd.grad((log_probabilities.exp() * earned).sum(), scores, retain_graph=True)[0]
    estimate = torch.zeros(3, dtype=torch.float64)
    for pair in product(range(len(prefixes)), repeat=2):
        own = list(pair)
        loss = policy_loss(log_probabilities[own], advantages(earned[own]))
        weight = log_probabilities[own].sum().exp().detach()
        estimate -= weight * torch.autograd.grad(loss, scores, retain_graph=True)[0]
    torch.testing.assert_close(estimate, expected)
    assert expected.abs().max() > 0.01


def test_the_papers_loss_sums_over_the_rollouts_of_an_act() -> None:
    log_probabilities, earned = torch.tensor([-1.0, -2.0, -3.0, -4.0]), torch.tensor([0.4, 0.1, 0.3, 0.2])
    by_hand = -sum(
        (earned[i] - (earned.sum() - earned[i]) / 3) * log_probabilities[i] for i in range(len(log_probabilities))
    )
    total = policy_loss(log_probabilities, advantages(earned), "sum")
    assert total.item() == pytest.approx(float(by_hand))
    assert total.item() == pytest.approx(4 * policy_loss(log_probabilities, advantages(earned), "mean").item())


def test_a_step_raises_the_likelihood_of_the_better_extract() -> None:
    scores = torch.zeros(3, requires_grad=True)
    orders, lengths = torch.tensor([[0, 1, 2], [2, 1, 0]]), torch.tensor([1, 1])
    before = log_likelihoods(scores, orders, lengths)
    policy_loss(before, advantages(torch.tensor([0.9, 0.1]))).backward()
    assert scores.grad is not None
    after = log_likelihoods(scores.detach() - 0.1 * scores.grad, orders, lengths)
    assert after[0] > before[0]
    assert after[1] < before[1]
