"""Work in other processes: what is stuck is ended, what is too much is turned away, what runs is finished."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lexlattice import LexLatticeError
from lexlattice.serving.work import BrokenError, BusyError, ClosingError, OverdueError, Pool, QueueFullError

SHORT = 0.4


def nothing() -> None:
    """What these workers need before their first job."""


def cannot_begin() -> None:
    os._exit(3)


def slept(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def refused() -> None:
    raise LexLatticeError("There is nothing to read.")


def failed() -> None:
    raise KeyError("the text of an act")


def died() -> None:
    os._exit(1)


def who() -> int:
    return os.getpid()


def told_to_end(seconds: float) -> float:
    os.kill(os.getpid(), signal.SIGTERM)
    return slept(seconds)


def with_pool(test: Callable[[Pool], Awaitable[None]], workers: int = 1, queue: int = 8, seconds: float = 20.0) -> None:
    """In a thread of its own, since another test may have left an event loop in this one."""

    async def run() -> None:
        pool = Pool(workers, queue, seconds, nothing)
        await pool.start()
        try:
            await test(pool)
        finally:
            await pool.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()


async def outcome(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except LexLatticeError as error:
        return type(error)


def test_work_is_done_elsewhere_by_processes_that_stay() -> None:
    async def test(pool: Pool) -> None:
        assert pool.ready
        first = await pool.run(who)
        assert first != os.getpid()
        assert await pool.run(who) == first

    with_pool(test)


def test_what_is_stuck_is_ended_and_the_others_go_on() -> None:
    async def test(pool: Pool) -> None:
        results = await asyncio.gather(outcome(pool.run(slept, 60)), *(pool.run(slept, 0.01) for _ in range(6)))
        assert results == [OverdueError, *[0.01] * 6]
        assert await asyncio.gather(*(pool.run(slept, 0.01) for _ in range(4))) == [0.01] * 4
        assert pool.restarts == 1
        assert (pool.waiting, pool.running) == (0, 0)

    with_pool(test, workers=2, seconds=1.5)


def test_what_is_too_much_is_turned_away_at_once() -> None:
    async def test(pool: Pool) -> None:
        start = time.monotonic()
        allowed = [asyncio.create_task(pool.run(slept, SHORT)) for _ in range(3)]
        await asyncio.sleep(0)
        assert (pool.running, pool.waiting) == (1, 2)
        with pytest.raises(QueueFullError):
            await pool.run(slept, 0)
        assert time.monotonic() - start < SHORT
        assert await asyncio.gather(*allowed) == [SHORT] * 3

    with_pool(test, queue=2)


def test_what_waits_too_long_gives_up_and_what_is_patient_does_not() -> None:
    async def test(pool: Pool) -> None:
        work = [pool.run(slept, 0.8), pool.run(slept, 0.8), pool.run(slept, 0), pool.run(slept, 0.1, patient=True)]
        assert await asyncio.gather(*map(outcome, work)) == [0.8, 0.8, BusyError, 0.1]
        assert await pool.run(slept, 0) == 0

    with_pool(test, seconds=1.2)


def test_closing_finishes_what_runs_and_turns_away_what_waits() -> None:
    async def test(pool: Pool) -> None:
        work = [asyncio.create_task(outcome(pool.run(slept, SHORT))) for _ in range(3)]
        await asyncio.sleep(SHORT / 4)
        await pool.close()
        assert await asyncio.gather(*work) == [SHORT, ClosingError, ClosingError]
        assert not pool.ready
        assert await outcome(pool.run(who)) is ClosingError

    with_pool(test)


def test_errors_come_back_as_they_are_and_failures_without_their_words() -> None:
    async def test(pool: Pool) -> None:
        with pytest.raises(LexLatticeError, match=r"^There is nothing to read\.$"):
            await pool.run(refused)
        with pytest.raises(BrokenError) as broken:
            await pool.run(failed)
        assert "the text of an act" not in str(broken.value)
        assert pool.restarts == 0

    with_pool(test)


def test_a_process_that_died_is_replaced() -> None:
    async def test(pool: Pool) -> None:
        assert await outcome(pool.run(died)) is BrokenError
        assert await pool.run(slept, 0) == 0
        os.kill(await pool.run(who), signal.SIGKILL)  # while it is idle
        await asyncio.sleep(0.1)
        assert await pool.run(slept, 0) == 0
        assert pool.restarts == 2

    with_pool(test)


def test_a_process_that_is_told_to_end_finishes_first() -> None:
    async def test(pool: Pool) -> None:
        assert await pool.run(told_to_end, 0.1) == 0.1
        assert await pool.run(slept, 0) == 0

    with_pool(test)


def test_a_caller_who_goes_away_takes_no_worker_along() -> None:
    async def test(pool: Pool) -> None:
        runs = [asyncio.create_task(pool.run(slept, SHORT)) for _ in range(2)]
        await asyncio.sleep(0.05)
        for run in runs:
            run.cancel()
        gone = await asyncio.gather(*runs, return_exceptions=True)
        assert [type(error) for error in gone] == [asyncio.CancelledError] * 2
        assert await pool.run(slept, 0) == 0
        assert (pool.waiting, pool.running) == (0, 0)

    with_pool(test)


def test_a_pool_that_cannot_begin_says_so() -> None:
    async def run() -> None:
        pool = Pool(1, 1, 1.0, cannot_begin)
        with pytest.raises(LexLatticeError, match="could not be started"):
            await pool.start()
        await pool.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()
