"""How weights move: the rate over a stage, and the average of the weights."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lexlattice.training.schedule import EMA, warmup_cosine

shares = st.floats(0, 0.95, allow_subnormal=False)


@given(shares, st.integers(1, 40))
def test_the_learning_rate_rises_and_then_falls(warm_up: float, steps: int) -> None:
    places = [(step + 0.5) / steps for step in range(steps)]
    found = [warmup_cosine(done, warm_up) for done in places]
    assert all(0 < value <= 1 for value in found)
    rising = [value for done, value in zip(places, found, strict=True) if done < warm_up]
    falling = found[len(rising) :]
    assert rising == sorted(rising)
    assert falling == sorted(falling, reverse=True)


@given(shares)
def test_the_factor_is_one_after_warm_up_and_zero_at_the_end(warm_up: float) -> None:
    assert warmup_cosine(warm_up, warm_up) == 1
    assert warmup_cosine(1, warm_up) == pytest.approx(0, abs=1e-9)
    assert warm_up == 0 or warmup_cosine(warm_up / 2, warm_up) == pytest.approx(0.5)


def moved(module: nn.Linear, seed: int) -> Tensor:
    """Somewhere else; the weights there."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed)))
    return module.weight.detach().clone()


@given(st.floats(0, 0.99), st.integers(1, 30))
def test_the_ema_equals_the_weighted_sum_of_all_steps(decay: float, steps: int) -> None:
    module = nn.Linear(2, 3)
    naive = module.weight.detach().clone()
    average = EMA(module, decay)
    for step in range(1, steps + 1):
        weights = moved(module, step)
        average.update()
        kept = min(decay, step / (step + 10))
        naive = kept * naive + (1 - kept) * weights
    with average.applied():
        torch.testing.assert_close(module.weight.detach(), naive, atol=1e-5, rtol=1e-5)


def test_without_decay_the_ema_equals_the_weights() -> None:
    module = nn.Linear(2, 3)
    average = EMA(module, 0.0)
    weights = moved(module, 1)
    average.update()
    with average.applied():
        assert torch.equal(module.weight, weights)


def test_the_ema_of_constant_weights_is_constant() -> None:
    module = nn.Linear(2, 3)
    weights = moved(module, 0)
    average = EMA(module, 0.9)
    for _ in range(50):
        average.update()
    with average.applied():
        torch.testing.assert_close(module.weight.detach(), weights)


def test_the_weights_are_restored_even_after_an_error() -> None:
    module = nn.Linear(2, 3)
    average = EMA(module, 0.9)
    weights = moved(module, 1)
    average.update()
    with average.applied():
        assert not torch.equal(module.weight, weights)
    assert torch.equal(module.weight, weights)
    with pytest.raises(KeyError), average.applied():
        raise KeyError
    assert torch.equal(module.weight, weights)


def test_changes_of_the_weights_do_not_change_the_ema() -> None:
    module = nn.Linear(2, 3)
    begin = module.weight.detach().clone()
    average = EMA(module, 0.9)
    moved(module, 1)
    with average.applied():
        assert torch.equal(module.weight, begin)
        moved(module, 2)
    with average.applied():
        assert torch.equal(module.weight, begin)


def test_an_ema_resumes_from_a_checkpoint() -> None:
    module = nn.Linear(2, 3)
    average = EMA(module, 0.9)
    moved(module, 1)
    average.update()
    other = EMA(nn.Linear(2, 3), 0.9)
    other.load_state_dict(average.state_dict())
    resumed = EMA(module, 0.9)
    resumed.load_state_dict(other.state_dict())
    moved(module, 2)
    for one in (average, resumed):
        one.update()
    found = []
    for one in (average, resumed):
        with one.applied():
            found.append(module.weight.detach().clone())
    assert torch.equal(*found)
