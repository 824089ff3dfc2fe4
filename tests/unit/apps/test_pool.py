"""The same work done on many things, in this process and in others."""

import os
import time
from collections.abc import Iterator

import pytest

from lexlattice import LexLatticeError
from lexlattice._internal.processes import in_order

COUNT = 30


def squared(number: int) -> int:
    """The later a number, the sooner it is done."""
    time.sleep((COUNT - number) / 10_000)
    return number * number


def deadly(number: int) -> int:
    if number == 2:
        os._exit(1)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    assert list(in_order(squared, range(COUNT), jobs)) == [number * number for number in range(COUNT)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_items_are_taken_when_they_are_needed(jobs: int) -> None:
    """So that data of any size can pass through."""
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(COUNT):
            taken.append(number)
            yield number

    results = in_order(squared, numbers(), jobs)
    assert next(results) == 0
    assert len(taken) <= 4 * jobs
    results.close()


def test_a_process_that_was_killed_is_named() -> None:
    with pytest.raises(LexLatticeError, match=r"A process was killed, .*; use fewer jobs\.$"):
        list(in_order(deadly, range(COUNT), 2))
