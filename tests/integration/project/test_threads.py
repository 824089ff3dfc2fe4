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
from threadpoolctl import threadpool_info, threadpool_limits

from lexlattice._internal.threads import one_blas_thread

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
MOST = 1.1
"""Processor time of all threads, for each second of the one that works."""
WORK = """
import sys, time
from lexlattice import read
from lexlattice.encoding.static import Static
from lexlattice.lattice.features import features_of
act, encoder = read(sys.argv[1]), Static()
features_of(act, encoder)
everyone, own = time.process_time(), time.thread_time()
for _ in range(30):
    features_of(act, encoder)
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


def test_with_default_threads_an_act_takes_no_more_of_the_processor(examples: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    call = [sys.executable, "-c", WORK, str(examples / "long" / "en.txt")]
    shares = [float(subprocess.run(call, env=environment, check=True, capture_output=True).stdout) for _ in range(2)]
    assert min(shares) <= MOST
