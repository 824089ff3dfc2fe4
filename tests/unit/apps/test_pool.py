"""The parallel map: order, laziness, and what happens when a process dies or a function fails."""

import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

from lexlattice import LexLatticeError
from lexlattice._internal.processes import parallel_map
from lexlattice._internal.worker import InternalError, WorkerLostError

COUNT = 30


def squared(number: int) -> int:
    """The later a number, the sooner it is done."""
    time.sleep((COUNT - number) / 10_000)
    return number * number


def deadly(number: int) -> int:
    if number == 2:
        os._exit(1)
    return number


def deadly_once(marker: Path, number: int) -> int:
    if number == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refused(number: int) -> int:
    raise LexLatticeError(f"no {number}")


def buggy(number: int) -> float:
    return 1 / number


def unpicklable(_: int) -> object:
    return lambda: None


def threads(_: int) -> set[int]:
    import numpy as np

    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info()}


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    assert list(parallel_map(squared, range(COUNT), workers)) == [number * number for number in range(COUNT)]


@pytest.mark.parametrize("workers", [1, 2])
def test_items_are_taken_only_as_they_are_needed(workers: int) -> None:
    """So that data of any size can pass through."""
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(COUNT):
            taken.append(number)
            yield number

    results = parallel_map(squared, numbers(), workers)
    assert next(results) == 0
    assert len(taken) <= 4 * workers
    results.close()


def test_an_item_whose_process_dies_is_retried_once(tmp_path: Path) -> None:
    assert list(parallel_map(partial(deadly_once, tmp_path / "died"), range(5), 2)) == list(range(5))


def test_an_item_that_kills_every_process_ends_the_map() -> None:
    with pytest.raises(WorkerLostError):
        list(parallel_map(deadly, range(5), 2))


def test_errors_come_back_as_they_are_and_bugs_with_their_traceback() -> None:
    with pytest.raises(LexLatticeError) as refusal:
        list(parallel_map(refused, [7], 2))
    assert (type(refusal.value), "7" in str(refusal.value)) == (LexLatticeError, True)
    with pytest.raises(InternalError) as bug:
        list(parallel_map(buggy, [0], 2))
    assert "in buggy" in "".join(bug.value.__notes__)
    assert bug.value.place.startswith("ZeroDivisionError")


def test_a_result_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(InternalError):
        list(parallel_map(unpicklable, [0], 2))


def test_a_worker_process_uses_one_thread() -> None:
    assert set().union(*parallel_map(threads, range(2), 2)) == {1}
