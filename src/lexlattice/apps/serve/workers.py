"""The service's worker pool: admission, two queues and cancellation in front of the shared worker processes."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

from lexlattice._internal.processes import WorkerPool, WorkerSlot
from lexlattice._internal.worker import InternalError, Job, JobTimeoutError, Setup, TooLargeError, WorkerLostError
from lexlattice.errors import LexLatticeError

__all__ = [
    "BusyError",
    "ClosingError",
    "InternalError",
    "Job",
    "JobTimeoutError",
    "QueueFullError",
    "RequestPool",
    "TooLargeError",
    "WorkerLostError",
]

MEMORY: Final = 2_000_000_000
"""Bytes that a worker process may allocate: the largest known acts need a quarter of it."""
_GRACE: Final = 1.0
"""Seconds that a cancelled job may still run, since starting a new process takes about as long."""


class QueueFullError(LexLatticeError):
    """The queue is as long as allowed."""

    code = "queue-full"

    def __init__(self, sentence: str = "Too many requests are waiting; try again later.") -> None:
        super().__init__(sentence)


class BusyError(LexLatticeError):
    """A job waited too long for a worker."""

    code = "busy"

    def __init__(self, sentence: str = "No worker was free in time; try again later.") -> None:
        super().__init__(sentence)


class ClosingError(LexLatticeError):
    """The pool is shutting down and takes no further jobs."""

    code = "closing"

    def __init__(self, sentence: str = "The service is shutting down; try again later.") -> None:
        super().__init__(sentence)


class RequestPool:
    """An asyncio front of a worker pool; it belongs to one event loop.

    Jobs wait in one of two queues. Single requests have priority, wait for a limited time and are counted in
    `waiting`; `patient` jobs, the acts of a batch that was admitted as a whole, wait as long as it takes.

    Args:
        workers: How many worker processes.
        queue: How many jobs may wait.
        seconds: How long a job may wait, and how long it may run.
        setup: Called once in each process, before its first job.
        memory: How many bytes a process may allocate.

    """

    def __init__(self, workers: int, queue: int, seconds: float, setup: Setup, memory: int = MEMORY) -> None:
        self._queue, self._seconds = queue, seconds
        self._pool = WorkerPool(workers, setup, seconds=seconds, memory=memory)
        self._idle: deque[WorkerSlot] = deque()
        self._turns: deque[asyncio.Future[WorkerSlot]] = deque()
        self._patient_turns: deque[asyncio.Future[WorkerSlot]] = deque()
        self._patient_is_due = False
        self._is_draining = self._is_closing = False
        self.waiting = self.patient = self.running = 0

    @property
    def restarts(self) -> int:
        """How many processes had to be replaced so far."""
        return self._pool.restarts

    @property
    def ready(self) -> bool:
        """Whether jobs are accepted and at least one process is up."""
        return not self._is_draining and any(slot.is_up for slot in self._pool.slots)

    def admit(self) -> None:
        """Check that a job could be queued now, before any work is spent on its request.

        Raises:
            ClosingError: The pool is shutting down.
            QueueFullError: Too many jobs are waiting.

        """
        if self._is_draining:
            raise ClosingError
        if not self._idle and self.waiting >= self._queue:
            raise QueueFullError

    async def start(self) -> None:
        """Start all processes and wait until they are set up."""
        await asyncio.to_thread(self._pool.start)
        self._idle.extend(self._pool.slots)

    async def run(self, job: Job, *args: Any, patient: bool = False) -> Any:
        """Return `job(*args)`, called in a worker process, or raise its `LexLatticeError`.

        Args:
            job: A function of a module, so that it can be pickled.
            *args: Its arguments.
            patient: Wait as long as it takes, without being counted as waiting, and let other jobs go first.

        """
        slot = await self._turn(patient)
        if self._is_closing:
            raise ClosingError  # the pool was closed between the turn and now
        self.running += 1
        work = asyncio.wrap_future(self._pool.submit(slot.run, job, *args))
        work.add_done_callback(lambda _: self._finish(slot, work))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            asyncio.get_running_loop().call_later(_GRACE, self._cancel, slot, work)
            raise

    async def _turn(self, patient: bool) -> WorkerSlot:
        """Wait for a free slot, first come first served."""
        if self._is_closing:
            raise ClosingError
        if not patient:
            self.admit()
        if self._idle:
            return self._idle.popleft()
        turn: asyncio.Future[WorkerSlot] = asyncio.get_running_loop().create_future()
        (self._patient_turns if patient else self._turns).append(turn)
        self._count(patient, 1)
        try:
            async with asyncio.timeout(None if patient else self._seconds):
                return await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._release(turn.result())  # the slot arrived just as the waiting ended
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

    def _finish(self, slot: WorkerSlot, work: asyncio.Future[Any]) -> None:
        self.running -= 1
        if not work.cancelled():
            work.exception()  # retrieved, so that asyncio does not complain when the caller is gone
        if slot.is_up or self._is_closing:
            self._release(slot)
        else:
            # A slot is given to the next job only once its new process is up.
            started = asyncio.wrap_future(self._pool.submit(slot.replace))
            started.add_done_callback(lambda _: self._release(slot))

    def _release(self, slot: WorkerSlot) -> None:
        """Give a slot to the job that has waited longest; one patient job has its turn after each other one."""
        has_turns, has_patient = _has_waiting(self._turns), _has_waiting(self._patient_turns)
        if has_patient and (self._patient_is_due or not has_turns):
            self._patient_is_due = False
            self._patient_turns.popleft().set_result(slot)
        elif has_turns:
            self._patient_is_due = has_patient
            self._turns.popleft().set_result(slot)
        else:
            self._idle.append(slot)

    def _cancel(self, slot: WorkerSlot, work: asyncio.Future[Any]) -> None:
        """End a job whose caller is gone if others wait for its process; until then it may finish."""
        if work.done():
            return
        if self.waiting or self.patient or self._is_closing:
            slot.cancel()
        else:
            asyncio.get_running_loop().call_later(_GRACE, self._cancel, slot, work)

    def drain(self) -> None:
        """Admit no further jobs; those that wait still have their turn."""
        self._is_draining = True

    async def close(self) -> None:
        """Finish the running jobs, reject the waiting ones, and end the processes."""
        self._is_draining = self._is_closing = True
        for turn in (*self._turns, *self._patient_turns):
            if not turn.done():
                turn.set_exception(ClosingError())
        await asyncio.to_thread(self._pool.close, finish=True)


def _has_waiting(turns: deque[asyncio.Future[WorkerSlot]]) -> bool:
    """Whether a job still waits in a queue; those that gave up are removed."""
    while turns and turns[0].done():
        turns.popleft()
    return bool(turns)
