"""Matrix products of an act run on one thread, whatever the caller's pool; and the pool is left as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np  # its BLAS has to be loaded
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from lexlattice import read, summarize
from lexlattice._internal.processes import WorkerSlot, parallel_map
from lexlattice._internal.threads import one_blas_thread
from lexlattice.errors import OptionError, ReadingError
from lexlattice.multilingual.alignment import align
from lexlattice.training.run import run_training
from lexlattice.training.threads import limit_threads

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
MOST = 1.1
"""Processor time of all threads, for each second of the one that works."""
WORK = """
import sys, time
from lexlattice import read, summarize
from lexlattice.multilingual.alignment import align
act = read(sys.argv[1])
summarize(act)
everyone, own = time.process_time(), time.thread_time()
for _ in range(20):
    summarize(act, explain=True)
    align(act, act)
print((time.process_time() - everyone) / (time.thread_time() - own))
"""


def pools() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def _several_threads() -> Iterator[None]:
    """A pool of two, whatever the machine has."""
    assert np.ones((2, 2)).any()
    with threadpool_limits(2, user_api="blas"):
        yield


def test_inside_there_is_one_thread_and_afterwards_as_many_as_before() -> None:
    with one_blas_thread():
        with one_blas_thread():
            assert set(pools()) == {1}
        assert set(pools()) == {1}
    assert set(pools()) == {2}


def test_an_error_inside_leaves_the_pool_as_it_was() -> None:
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 / 0
    assert set(pools()) == {2}


def test_threads_that_overlap_leave_the_pool_as_it_was() -> None:
    """The first to enter is the first to leave, while the other is still inside."""
    entered, left = Barrier(2), Barrier(2)

    def first() -> None:
        with one_blas_thread():
            entered.wait()
        left.wait()

    def second() -> None:
        with one_blas_thread():
            entered.wait()
            left.wait()
            assert set(pools()) == {1}

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(first), pool.submit(second)]:
            done.result(timeout=30)
    assert set(pools()) == {2}


def test_one_thread_after_another_has_the_limit() -> None:
    def inside() -> set[int]:
        with one_blas_thread():
            return set(pools())

    for _ in range(2):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(inside).result(timeout=30) == {1}
        assert set(pools()) == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes are forked")
def test_a_process_forked_inside_can_enter_and_leave() -> None:
    with one_blas_thread():
        child = os.fork()
        if not child:
            with one_blas_thread():
                os._exit(0 if set(pools()) == {1} else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes are forked")
def test_a_process_forked_inside_has_its_threads_back_once_it_has_left() -> None:
    with one_blas_thread():
        child = os.fork()
        if not child:
            with one_blas_thread():
                pass
            os._exit(0 if set(pools()) == {2} else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert set(pools()) == {1}
    assert set(pools()) == {2}


def test_summaries_and_errors_in_several_threads_leave_all_pools_as_they_were(examples: Path) -> None:
    before = threadpool_info()
    path, start = examples / "short" / "en.txt", Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for _ in range(5):
            act = read(path)
            summarize(act, explain=number % 2 == 0)
            align(act, act)
            with pytest.raises(ReadingError):
                summarize(path.with_suffix(".nowhere"))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, number) for number in range(4)]:
            done.result(timeout=120)
    assert threadpool_info() == before


def load_numpy() -> None:
    import numpy as np

    assert np.ones((2, 2)).any()


def pools_and_variables() -> tuple[list[int], list[str | None]]:
    return [pool["num_threads"] for pool in threadpool_info()], [os.environ.get(name) for name in THREADS]


def test_a_worker_process_has_one_thread_whenever_its_libraries_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, variables were set after NumPy had started as many threads as there are cores."""
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    slot = WorkerSlot(load_numpy)
    try:
        counts, variables = slot.run(pools_and_variables)
    finally:
        slot.stop()
    assert set(counts) == {1}
    assert variables == ["1", "1", "1"]


def test_work_that_is_not_given_to_other_processes_has_one_thread_too() -> None:
    assert list(parallel_map(lambda _: set(pools()), range(2), 1)) == [{1}, {1}]
    assert set(pools()) == {2}


def test_a_training_has_the_threads_it_asks_for_and_the_caller_has_its_own_again() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    for count in (1, 3):
        with limit_threads(count):
            assert torch.get_num_threads() == count
            assert set(pools()) == {count}
        assert torch.get_num_threads() == 2
        assert set(pools()) == {2}
    torch.set_num_threads(before)


def test_a_number_of_threads_that_cannot_be_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        run_training("provisions", tmp_path / "nowhere", tmp_path / "model", threads=0)
    assert not any(tmp_path.iterdir())


def test_with_default_threads_an_act_takes_no_more_of_the_processor(examples: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    call = [sys.executable, "-c", WORK, str(examples / "long" / "en.txt")]
    shares = [float(subprocess.run(call, env=environment, check=True, capture_output=True).stdout) for _ in range(2)]
    assert min(shares) <= MOST
