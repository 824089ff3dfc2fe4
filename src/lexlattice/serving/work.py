"""Work in processes of their own, so that none of it holds up the others, whatever an act does to it.

A job that takes too long is ended with its process, and a new one takes its place. The jobs themselves are not known
here.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Final

from lexlattice.errors import LexLatticeError

_SPAWN: Final = multiprocessing.get_context("spawn")
_LONGEST_START: Final = 120.0
_PAUSE: Final = 1.0
"""Seconds before a process that would not start is tried again."""
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_log: Final = logging.getLogger(__name__)

Begin = Callable[[], object]
Job = Callable[..., Any]


class QueueFullError(LexLatticeError):
    """More work waits already than is allowed."""

    def __init__(self, sentence: str = "Too many requests are waiting; try again later.") -> None:
        super().__init__(sentence)


class BusyError(LexLatticeError):
    """It was this job's turn too late."""

    def __init__(self, sentence: str = "No worker was free in time; try again later.") -> None:
        super().__init__(sentence)


class OverdueError(LexLatticeError):
    """A job took longer than allowed, and was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The work took longer than {seconds:g} seconds and was ended; give a shorter act.")


class ClosingError(LexLatticeError):
    """Nothing new is begun any more."""

    def __init__(self, sentence: str = "The service is shutting down; try again later.") -> None:
        super().__init__(sentence)


class BrokenError(LexLatticeError):
    """A job failed in a way that nobody foresaw, or took its process with it."""

    def __init__(
        self, sentence: str = "The work on this act broke off; check that the file is what you meant."
    ) -> None:
        super().__init__(sentence)


class Pool:
    """So many processes, and a queue before them; it belongs to one event loop."""

    def __init__(self, workers: int, queue: int, seconds: float, begin: Begin) -> None:
        """`begin` is done once in each process before its first job; no job may take more `seconds`, nor wait more."""
        self._queue, self._seconds = queue, seconds
        self._workers = [_Worker(begin) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: deque[_Worker] = deque()
        self._turns: deque[asyncio.Future[_Worker]] = deque()
        self._draining = self._closing = False
        self.waiting = self.running = 0

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

        What is `patient` neither counts as waiting nor gives up: the acts of a request that was let in already.
        """
        worker = await self._turn(patient)
        self.running += 1
        work = asyncio.get_running_loop().run_in_executor(self._threads, worker.do, job, args, self._seconds)
        work.add_done_callback(lambda _: self._done(worker))
        return await asyncio.shield(work)

    async def _turn(self, patient: bool) -> _Worker:
        """A process that is free, in the order in which they were asked for."""
        if self._closing:
            raise ClosingError
        if not patient:
            self.admit()
        if self._idle:
            return self._idle.popleft()
        turn: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        self.waiting += not patient
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
            self.waiting -= not patient

    def _done(self, worker: _Worker) -> None:
        self.running -= 1
        if worker.up or self._closing:
            self._give(worker)
        else:
            started = asyncio.get_running_loop().run_in_executor(self._threads, worker.replace)
            started.add_done_callback(lambda _: self._give(worker))

    def _give(self, worker: _Worker) -> None:
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                return turn.set_result(worker)
        self._idle.append(worker)

    def drain(self) -> None:
        """Let nothing new in; what waits still has its turn."""
        self._draining = True

    async def close(self) -> None:
        """Finish what is running, turn away what waits, and end the processes."""
        self._draining = self._closing = True
        for turn in self._turns:
            if not turn.done():
                turn.set_exception(ClosingError())
        for worker in self._workers:
            worker.wanted = False
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.gather(*(asyncio.to_thread(worker.end) for worker in self._workers))


class _Worker:
    """One process as seen from here, by one thread at a time."""

    def __init__(self, begin: Begin) -> None:
        self._begin = begin
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self.up, self.wanted, self.restarts = False, True, 0

    def start(self) -> None:
        here, there = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_work, args=(there, self._begin), daemon=True)
        process.start()
        there.close()
        self._process, self._connection = process, here
        try:
            self.up = here.poll(_LONGEST_START) and here.recv() is None
        except (EOFError, OSError):
            self.up = False
        if not self.up:
            self.end()
            raise LexLatticeError("A worker process could not be started; check memory and installation.")

    def do(self, job: Job, args: tuple[Any, ...], seconds: float) -> Any:
        """Send the job and wait for its outcome, which is always one; a process that gives none is ended."""
        if self._process is None or not self._process.is_alive():
            self.replace()
        if self._connection is None:
            raise ClosingError
        try:
            self._connection.send((job, args))
            if not self._connection.poll(seconds):
                raise OverdueError(seconds)
            result, error, leaving = self._connection.recv()
        except OverdueError:
            self.end()
            raise
        except (EOFError, OSError):
            self.end()
            raise BrokenError from None
        if leaving:
            self.end()
        if error is not None:
            raise error
        return result

    def replace(self) -> None:
        self.end()
        while self.wanted:
            self.restarts += 1
            try:
                return self.start()
            except LexLatticeError as error:
                _log.error("%s", error)
                time.sleep(_PAUSE)

    def end(self) -> None:
        """At once, whatever it does."""
        self.up = False
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None


# --- in the other processes -------------------------------------------------------------------------------


def _work(connection: Connection, begin: Begin) -> None:
    """One job after the other, until there is nobody to do them for."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the service itself decides when it ends
    threading.Thread(target=_end_with_parent, daemon=True).start()
    begin()
    ending = _Ending()
    connection.send(None)
    while True:
        try:
            with ending.at_once():
                job, args = connection.recv()
        except (EOFError, OSError):
            return
        connection.send((*_outcome(job, args), ending.asked))
        del job, args  # not kept while waiting for the next


def _outcome(job: Job, args: tuple[Any, ...]) -> tuple[Any, LexLatticeError | None]:
    try:
        return job(*args), None
    except LexLatticeError as error:
        return None, error
    except Exception as error:
        _log.error("a job failed: %s at %s", type(error).__name__, _place(error))  # its message may quote the act
        return None, BrokenError()


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "?" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"


class _Ending:
    """SIGTERM may go to all processes of a service; one that works finishes first."""

    def __init__(self) -> None:
        self.asked = self._free = False
        signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        if self._free:
            raise SystemExit

    @contextmanager
    def at_once(self) -> Iterator[None]:
        self._free = True
        if self.asked:
            raise SystemExit
        try:
            yield
        finally:
            self._free = False


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
