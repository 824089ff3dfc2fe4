"""The service's worker pool: limits, queues, cancellation, lost processes and shutdown."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lexlattice import LexLatticeError, SummaryOptions, read
from lexlattice.apps.serve import jobs
from lexlattice.apps.serve.workers import (
    BusyError,
    ClosingError,
    InternalError,
    JobTimeoutError,
    QueueFullError,
    RequestPool,
    TooLargeError,
    WorkerLostError,
)

SHORT = 1.0
LONGEST = 120.0
LARGE = 20_000_000
MEMORY = 400_000_000
REFUSAL = "There is nothing to read."


def nothing() -> None:
    """What these workers need before their first job."""


def cannot_begin() -> None:
    os._exit(3)


def slept(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def refused() -> None:
    raise LexLatticeError(REFUSAL)


def refused_after(seconds: float) -> None:
    time.sleep(seconds)
    refused()


def failed() -> None:
    raise KeyError("the text of an act")


def died() -> None:
    os._exit(1)


def died_once(sign: Path) -> int:
    """Kill the process the first time; `sign` is a file that exists from the second time on."""
    if not sign.exists():
        sign.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def who() -> int:
    return os.getpid()


def stopped() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def length_of(content: bytes) -> int:
    return len(content)


def filled(size: int) -> int:
    return len(bytearray(size))


def answered(size: int) -> bytes:
    return bytes(size)


def told_to_end(seconds: float) -> float:
    os.kill(os.getpid(), signal.SIGTERM)
    return slept(seconds)


def with_pool(
    test: Callable[[RequestPool], Awaitable[None]],
    workers: int = 1,
    queue: int = 8,
    seconds: float = 20.0,
    memory: int = MEMORY,
) -> None:
    """Run a test in a new thread, since another test may have left an event loop in this one."""

    async def run() -> None:
        pool = RequestPool(workers, queue, seconds, nothing, memory)
        await pool.start()
        try:
            async with asyncio.timeout(LONGEST):
                await test(pool)
        finally:
            await pool.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()


async def idle(pool: RequestPool) -> None:
    """Wait until nothing runs."""
    while pool.running:
        await asyncio.sleep(0.05)


async def outcome(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except LexLatticeError as error:
        return type(error)


def test_jobs_run_in_worker_processes_that_are_reused() -> None:
    async def test(pool: RequestPool) -> None:
        assert pool.ready
        first = await pool.run(who)
        assert first != os.getpid()
        assert await pool.run(who) == first

    with_pool(test)


def test_a_stuck_job_is_ended_and_the_others_continue() -> None:
    async def test(pool: RequestPool) -> None:
        results = await asyncio.gather(outcome(pool.run(slept, 60)), *(pool.run(slept, 0.01) for _ in range(6)))
        assert results == [JobTimeoutError, *[0.01] * 6]
        assert await asyncio.gather(*(pool.run(slept, 0.01) for _ in range(4))) == [0.01] * 4
        assert pool.restarts == 1
        assert (pool.waiting, pool.running) == (0, 0)

    with_pool(test, workers=2, seconds=3.0)


def test_a_job_beyond_the_queue_is_rejected_at_once() -> None:
    async def test(pool: RequestPool) -> None:
        allowed = [asyncio.create_task(pool.run(slept, seconds)) for seconds in (SHORT, 0.1, 0.2)]
        await asyncio.sleep(0)
        assert (pool.running, pool.waiting) == (1, 2)
        with pytest.raises(QueueFullError):
            pool.run(slept, 0).send(None)  # the first step: it waits for nothing
        assert await asyncio.gather(*allowed) == [SHORT, 0.1, 0.2]

    with_pool(test, queue=2)


def test_a_job_that_waits_too_long_gives_up_unless_it_is_patient() -> None:
    async def test(pool: RequestPool) -> None:
        work = [pool.run(slept, 2), pool.run(slept, 2), pool.run(slept, 0), pool.run(slept, 0.1, patient=True)]
        assert await asyncio.gather(*map(outcome, work)) == [2, 2, BusyError, 0.1]
        assert await pool.run(slept, 0) == 0

    with_pool(test, seconds=3.0)


def test_closing_finishes_running_jobs_and_rejects_waiting_ones() -> None:
    async def test(pool: RequestPool) -> None:
        work = [asyncio.create_task(outcome(pool.run(slept, SHORT))) for _ in range(3)]
        await asyncio.sleep(0)
        await pool.close()
        assert await asyncio.gather(*work) == [SHORT, ClosingError, ClosingError]
        assert not pool.ready
        assert await outcome(pool.run(who)) is ClosingError

    with_pool(test)


def test_errors_come_back_unchanged_and_bugs_without_their_message() -> None:
    async def test(pool: RequestPool) -> None:
        with pytest.raises(LexLatticeError) as refusal:
            await pool.run(refused)
        assert (type(refusal.value), str(refusal.value)) == (LexLatticeError, REFUSAL)
        with pytest.raises(InternalError) as broken:
            await pool.run(failed)
        assert "the text of an act" not in str(broken.value)
        assert pool.restarts == 0

    with_pool(test)


def test_a_process_that_died_is_replaced() -> None:
    async def test(pool: RequestPool) -> None:
        os.kill(await pool.run(who), signal.SIGKILL)  # while it is idle
        await asyncio.sleep(0.1)
        assert await pool.run(slept, 0) == 0
        assert pool.restarts == 1

    with_pool(test)


def test_a_job_whose_process_dies_is_retried_once(tmp_path: Path) -> None:
    async def test(pool: RequestPool) -> None:
        first = await pool.run(who)
        assert await pool.run(died_once, tmp_path / "sign") not in (first, os.getpid())
        assert pool.restarts == 1

    with_pool(test)


def test_a_job_that_kills_every_process_fails() -> None:
    async def test(pool: RequestPool) -> None:
        with pytest.raises(WorkerLostError):
            await pool.run(died)
        assert await pool.run(slept, 0) == 0
        assert pool.restarts == 2

    with_pool(test)


@pytest.mark.slow
def test_a_process_that_does_not_read_its_pipe_is_ended_in_time() -> None:
    async def test(pool: RequestPool) -> None:
        process = await pool.run(who)
        os.kill(process, signal.SIGSTOP)
        start = time.monotonic()
        try:
            assert await outcome(pool.run(length_of, bytes(LARGE))) is JobTimeoutError
            assert time.monotonic() - start < 30
        finally:
            with suppress(ProcessLookupError):  # or a failure here would never end
                os.kill(process, signal.SIGKILL)
        # patient, since starting a new process may take longer than a job may wait here
        assert await pool.run(length_of, bytes(LARGE), patient=True) == LARGE
        assert await outcome(pool.run(stopped, patient=True)) is JobTimeoutError

    with_pool(test, seconds=3.0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds what a process writes to")
@pytest.mark.parametrize("job", [filled, answered])
def test_a_job_that_needs_too_much_memory_fails_and_its_process_is_replaced(job: Callable[[int], Any]) -> None:
    """An answer fits once, but not a second time as it is sent."""
    size = 4 * MEMORY if job is filled else MEMORY // 10 * 7

    async def test(pool: RequestPool) -> None:
        first = await pool.run(who)
        assert await pool.run(filled, MEMORY // 10) == MEMORY // 10
        assert await pool.run(who) == first
        with pytest.raises(TooLargeError):
            await pool.run(job, size)
        assert await pool.run(who) != first
        assert pool.restarts == 1

    with_pool(test)


def test_a_terminated_process_finishes_its_job_first() -> None:
    async def test(pool: RequestPool) -> None:
        assert await pool.run(told_to_end, 0.1) == 0.1
        assert await pool.run(slept, 0) == 0

    with_pool(test)


def test_a_cancelled_caller_does_not_block_a_worker() -> None:
    async def test(pool: RequestPool) -> None:
        runs = [asyncio.create_task(pool.run(slept, SHORT)) for _ in range(2)]
        await asyncio.sleep(0)
        for run in runs:
            run.cancel()
        gone = await asyncio.gather(*runs, return_exceptions=True)
        assert [type(error) for error in gone] == [asyncio.CancelledError] * 2
        assert await pool.run(slept, 0) == 0
        assert (pool.waiting, pool.running) == (0, 0)

    with_pool(test)


@pytest.mark.slow
def test_a_cancelled_job_is_ended_when_others_wait() -> None:
    """Also if they come later, and also what is patient."""

    async def test(pool: RequestPool) -> None:
        for patient in (False, True):
            run = asyncio.create_task(pool.run(slept, 90, patient=patient))
            await asyncio.sleep(0.05)
            run.cancel()
            await asyncio.wait([run])
            start = time.monotonic()
            assert await pool.run(slept, 0, patient=not patient) == 0
            assert time.monotonic() - start < 30
        assert pool.restarts == 2

    with_pool(test, seconds=60.0)


@pytest.mark.slow
def test_a_cancelled_job_fails_without_a_complaint_of_asyncio() -> None:
    async def test(pool: RequestPool) -> None:
        complaints: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, complaint: complaints.append(complaint))
        run = asyncio.create_task(pool.run(refused_after, 0.2))
        await asyncio.sleep(0)
        run.cancel()
        await asyncio.wait([run])
        del run
        await idle(pool)  # by now it has failed, and nobody has retrieved its exception
        gc.collect()
        assert not complaints

    with_pool(test)


def test_closing_does_not_wait_for_cancelled_jobs() -> None:
    async def test(pool: RequestPool) -> None:
        run = asyncio.create_task(pool.run(slept, 60))
        await asyncio.sleep(0.05)
        run.cancel()
        start = time.monotonic()
        await pool.close()
        assert time.monotonic() - start < 30

    with_pool(test, seconds=60.0)


@pytest.mark.slow
def test_a_cancelled_job_may_finish_when_nobody_waits() -> None:
    async def test(pool: RequestPool) -> None:
        first = await pool.run(who)
        run = asyncio.create_task(pool.run(slept, 1.5))  # longer than the grace period of a cancelled job
        await asyncio.sleep(0.05)
        run.cancel()
        await idle(pool)
        assert await pool.run(who) == first
        assert pool.restarts == 0

    with_pool(test)


def test_a_single_request_goes_before_a_stream_and_neither_starves() -> None:
    async def test(pool: RequestPool) -> None:
        order: list[str] = []

        async def note(name: str, patient: bool) -> None:
            await pool.run(slept, 0.01, patient=patient)
            order.append(name)

        first = asyncio.create_task(pool.run(slept, SHORT, patient=True))
        await asyncio.sleep(0)
        stream = [asyncio.create_task(note(f"stream {n}", True)) for n in range(4)]
        await asyncio.sleep(0)
        single = [asyncio.create_task(note(f"single {n}", False)) for n in range(2)]
        await asyncio.sleep(0)
        assert (pool.running, pool.waiting, pool.patient) == (1, 2, 4)
        await asyncio.gather(first, *stream, *single)
        assert order == ["single 0", "stream 0", "single 1", "stream 1", "stream 2", "stream 3"]
        assert (pool.running, pool.waiting, pool.patient) == (0, 0, 0)

    with_pool(test)


def test_cancelled_jobs_of_a_stream_do_not_take_the_turn_of_others() -> None:
    async def test(pool: RequestPool) -> None:
        first = asyncio.create_task(pool.run(slept, SHORT))
        await asyncio.sleep(0)
        gone = [asyncio.create_task(pool.run(slept, 60, patient=True)) for _ in range(3)]
        left = [asyncio.create_task(pool.run(slept, 0.01, patient=patient)) for patient in (True, False)]
        await asyncio.sleep(0)
        for run in gone:
            run.cancel()
        assert await asyncio.gather(first, *left) == [SHORT, 0.01, 0.01]
        assert (pool.running, pool.waiting, pool.patient) == (0, 0, 0)

    with_pool(test)


def test_too_large_answers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = jobs.JobRequest(b"Article 1\n\n" + b"bee-\n" * 200, options=SummaryOptions(language="en"))
    fitting = jobs.parse(asked), jobs.view(asked)
    monkeypatch.setattr(jobs, "MAX_RESPONSE_BYTES", max(map(len, fitting)))
    assert (jobs.parse(asked), jobs.view(asked)) == fitting
    for job in (jobs.parse, jobs.view):
        monkeypatch.setattr(jobs, "MAX_RESPONSE_BYTES", len(job(asked)) - 1)
        with pytest.raises(TooLargeError):
            job(asked)
        monkeypatch.undo()
    monkeypatch.setattr(jobs, "MAX_RESPONSE_BYTES", 100)
    with pytest.raises(TooLargeError):
        jobs.export(asked, "html")


def test_an_act_with_too_many_provisions_is_not_viewed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = jobs.JobRequest(b"Article 1\n\n" + b"Bees are free.\n\n" * 5, options=SummaryOptions(language="en"))
    units = len(read(asked.content, language="en"))
    monkeypatch.setattr(jobs, "MAX_VIEW_UNITS", units)
    assert jobs.view(asked)
    monkeypatch.setattr(jobs, "MAX_VIEW_UNITS", units - 1)
    with pytest.raises(TooLargeError):
        jobs.view(asked)
    assert jobs.parse(asked)


def test_a_pool_whose_processes_cannot_start_raises_an_error() -> None:
    async def run() -> None:
        pool = RequestPool(1, 1, 1.0, cannot_begin)
        with pytest.raises(WorkerLostError):
            await pool.start()
        await pool.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()
