"""Work in processes of their own, so that none of it holds up the others, whatever an act does to it.

A job that takes too long is ended with its process, and a new one takes its place. The jobs themselves are not known
here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from lexlattice._internal.processes import Begin, BrokenError, GoneError, Job, OverdueError, TooLargeError, Worker
from lexlattice.errors import LexLatticeError

__all__ = [
    "BrokenError",
    "BusyError",
    "ClosingError",
    "GoneError",
    "Job",
    "OverdueError",
    "Pool",
    "QueueFullError",
    "TooLargeError",
]

MEMORY: Final = 2_000_000_000
"""Bytes that a process may have: the largest acts known need a quarter of it."""
_GRACE: Final = 1.0
"""Seconds that a job nobody wants any more still has, since starting a process anew takes about as long."""


class QueueFullError(LexLatticeError):
    """More work waits already than is allowed."""

    def __init__(self, sentence: str = "Too many requests are waiting; try again later.") -> None:
        super().__init__(sentence)


class BusyError(LexLatticeError):
    """It was this job's turn too late."""

    def __init__(self, sentence: str = "No worker was free in time; try again later.") -> None:
        super().__init__(sentence)


class ClosingError(LexLatticeError):
    """Nothing new is begun any more."""

    def __init__(self, sentence: str = "The service is shutting down; try again later.") -> None:
        super().__init__(sentence)


class Pool:
    """So many processes, and two queues before them; it belongs to one event loop."""

    def __init__(self, workers: int, queue: int, seconds: float, begin: Begin, memory: int = MEMORY) -> None:
        """`begin` is done once in each process before its first job.

        No job may take more `seconds`, nor wait more, nor have more bytes of `memory`.
        """
        self._queue, self._seconds = queue, seconds
        self._workers = [Worker(begin, memory) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: deque[Worker] = deque()
        self._turns: deque[asyncio.Future[Worker]] = deque()
        self._patient_turns: deque[asyncio.Future[Worker]] = deque()
        self._patient_is_due = False
        self._draining = self._closing = False
        self.waiting = self.patient = self.running = 0

    @property
    def restarts(self) -> int:
        """How many processes had to be replaced."""
        return sum(worker.restarts for worker in self._workers)

    @property
    def ready(self) -> bool:
        """Whether work can be done."""
        return not self._draining and any(worker.up for worker in self._workers)

    def admit(self) -> None:
        """Turn away what could not be begun, before any effort is made for it."""
        if self._draining:
            raise ClosingError
        if not self._idle and self.waiting >= self._queue:
            raise QueueFullError

    async def start(self) -> None:
        """Start all processes, and wait until they have begun."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(self._threads, worker.start) for worker in self._workers))
        self._idle.extend(self._workers)

    async def run(self, job: Job, *args: Any, patient: bool = False) -> Any:
        """What `job(*args)` returns, or the `LexLatticeError` it raises, in another process.

        What is `patient` does not count as waiting, never gives up, and lets others go first: the acts of a request
        for many, which was let in already.
        """
        worker = await self._turn(patient)
        if self._closing:
            raise ClosingError  # it came too late for this one
        self.running += 1
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._threads, worker.do, job, args, self._seconds)
        work.add_done_callback(lambda _: self._done(worker, work))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            loop.call_later(_GRACE, self._abandon, worker, work)
            raise

    async def _turn(self, patient: bool) -> Worker:
        """A process that is free, in the order in which they were asked for."""
        if self._closing:
            raise ClosingError
        if not patient:
            self.admit()
        if self._idle:
            return self._idle.popleft()
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        (self._patient_turns if patient else self._turns).append(turn)
        self._count(patient, 1)
        try:
            async with asyncio.timeout(None if patient else self._seconds):
                return await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._give(turn.result())  # it came at the very moment in which nobody waited any more
            if isinstance(error, TimeoutError):
                raise BusyError from None
            raise
        finally:
            self._count(patient, -1)

    def _count(self, patient: bool, change: int) -> None:
        if patient:
            self.patient += change
        else:
            self.waiting += change

    def _done(self, worker: Worker, work: asyncio.Future[Any]) -> None:
        self.running -= 1
        if not work.cancelled():
            work.exception()  # seen, even if nobody waits for it any more
        if worker.up or self._closing:
            self._give(worker)
        else:
            started = asyncio.get_running_loop().run_in_executor(self._threads, worker.replace)
            started.add_done_callback(lambda _: self._give(worker))

    def _give(self, worker: Worker) -> None:
        """To whoever has waited longest; the patient let others pass, but only one at a time."""
        is_any, is_patient = _has_any(self._turns), _has_any(self._patient_turns)
        if is_patient and (self._patient_is_due or not is_any):
            self._patient_is_due = False
            self._patient_turns.popleft().set_result(worker)
        elif is_any:
            self._patient_is_due = is_patient
            self._turns.popleft().set_result(worker)
        else:
            self._idle.append(worker)

    def _abandon(self, worker: Worker, work: asyncio.Future[Any]) -> None:
        """What nobody wants any more is ended if others wait for the process; until then it may finish."""
        if work.done():
            return
        if self.waiting or self.patient or self._closing:
            worker.abandon()
        else:
            asyncio.get_running_loop().call_later(_GRACE, self._abandon, worker, work)

    def drain(self) -> None:
        """Let nothing new in; what waits still has its turn."""
        self._draining = True

    async def close(self) -> None:
        """Finish what is running, turn away what waits, and end the processes."""
        self._draining = self._closing = True
        for turn in (*self._turns, *self._patient_turns):
            if not turn.done():
                turn.set_exception(ClosingError())
        for worker in self._workers:
            worker.wanted = False
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.gather(*(asyncio.to_thread(worker.end) for worker in self._workers))


def _has_any(turns: deque[asyncio.Future[Worker]]) -> bool:
    """Whether anybody still waits here; those who went away are let go."""
    while turns and turns[0].done():
        turns.popleft()
    return bool(turns)
