"""What measures time in tests: noise passes, and a law that is broken does not."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from helpers.timing import LINEAR, fastest, growth

Work = Callable[[float], Callable[[], None]]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Makes work that takes so long by a clock of its own; of three calls, two take five times as long."""
    now, noise = [0.0], itertools.cycle((5, 5, 1))
    monkeypatch.setattr("time.process_time", lambda: now[0])

    def made(seconds: float) -> Callable[[], None]:
        def advance() -> None:
            now[0] += seconds * next(noise)

        return advance

    return made


def test_noise_does_not_count(work: Work) -> None:
    assert growth(work(1), work(8)) < LINEAR
    assert fastest(work(1), enough=2) == 1


def test_the_square_is_recognised(work: Work) -> None:
    assert growth(work(1), work(64)) > LINEAR
    assert fastest(work(3), enough=2) == 3


def test_what_takes_no_time_has_not_grown(work: Work) -> None:
    assert growth(work(0), work(0.001)) < LINEAR
