"""Worker processes with limits, and the pool of them that the service, bulk runs, evaluation and preparation share.

Processes are spawned, never forked: a fork would inherit the locks, but not the threads, of PyTorch, ONNX Runtime or
`datasets`, and wait for them for ever. They use one thread each, and end with their parent. A job that takes too long
is ended together with its process; a process that dies is replaced and its job retried once. Every job has an outcome:
its result, or a `LexLatticeError`.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lexlattice._internal.threads import one_blas_thread
from lexlattice._internal.worker import (
    InternalError,
    Job,
    JobTimeoutError,
    Setup,
    WorkerLostError,
    WorkerStartError,
    serve,
)
from lexlattice.errors import LexLatticeError

if TYPE_CHECKING:
    from tenacity import RetryCallState

_SPAWN: Final = multiprocessing.get_context("spawn")
_START_SECONDS: Final = 120.0
_RESTART_PAUSE: Final = 1.0
"""Seconds before a process that did not start is started again."""
_START_PAUSES: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Seconds before work is tried again whose process could not be started; after the last one it fails."""
_ATTEMPTS: Final = 2
"""A process may die through no fault of the job, such as when the machine is out of memory; twice is no accident."""
_AHEAD: Final = 4
"""Items queued for each worker: enough to keep it busy, few enough for any memory."""
_AHEAD_SIZE: Final = 64_000_000
"""Total size of the queued items, usually bytes, however many workers there are."""
_log: Final = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")


class _ProcessDiedError(Exception):
    """The process ended without an answer."""


class WorkerSlot:
    """One worker process with limits, replaced whenever it dies.

    It is used by one thread at a time; only `cancel` and `stop` may be called from another.

    Args:
        setup: Called once in each process, before its first job; must be picklable.
        seconds: How long a job may take; without end if None.
        memory: How many bytes the process may allocate; unlimited if None or where the system cannot limit it.
        threads: Whether numerical libraries keep their threads, for a process that has the machine to itself.

    """

    def __init__(
        self, setup: Setup, seconds: float | None = None, memory: int | None = None, *, threads: bool = False
    ) -> None:
        self._setup, self._seconds, self._memory, self._threads = setup, seconds, memory, threads
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._was_started = self._is_cancelled = self._is_stopped = False
        self.is_up = False
        self.restarts = 0

    def start(self) -> None:
        """Start the process for the first time and wait until it is set up; return at once if that was done.

        Raises:
            WorkerStartError: The process could not be started, or died while it was set up.
            LexLatticeError: The setup failed.

        """
        if not self._was_started:
            self._launch()
            self._was_started = True

    def run(self, job: Job, *args: Any) -> Any:
        """Return `job(*args)`, called in the process; if the process dies, call it once more in a new one.

        Raises:
            JobTimeoutError: The job took too long.
            TooLargeError: The job needed too much memory.
            WorkerStartError: The process could not be started or replaced.
            WorkerLostError: The process died twice.
            InternalError: The job raised something other than a `LexLatticeError`.
            LexLatticeError: Whatever the job itself raised.

        """
        self.start()
        self._is_cancelled = False
        for _ in range(_ATTEMPTS):
            if self._process is None or not self._process.is_alive():
                self._restart()
            with suppress(_ProcessDiedError):
                return self._exchange(job, args)
            if self._is_cancelled or self._is_stopped:
                break
        raise WorkerLostError

    def cancel(self) -> None:
        """Kill the process in the middle of its job; the job is not retried."""
        self._is_cancelled = True
        if (process := self._process) is not None:
            process.kill()

    def replace(self) -> None:
        """Start a new process, trying until it succeeds or the slot is stopped."""
        from tenacity import Retrying, retry_if_exception_type, wait_fixed

        def is_stopped(_: RetryCallState) -> bool:
            return self._is_stopped

        def restart() -> None:
            try:
                self._restart()
            except WorkerStartError as error:
                if not self._is_stopped:
                    _log.error("%s", error)
                raise

        is_lost, pause = retry_if_exception_type(WorkerLostError), wait_fixed(_RESTART_PAUSE)
        with suppress(WorkerLostError):
            Retrying(retry=is_lost, wait=pause, stop=is_stopped, reraise=True)(restart)

    def stop(self, *, kill: bool = True) -> None:
        """Start no further process, and end the current one at once unless `kill` is false."""
        self._is_stopped = True
        if kill:
            self._end()

    def _launch(self) -> None:
        if self._is_stopped:
            raise WorkerLostError
        try:
            here, there = _SPAWN.Pipe()
            with there:
                arguments = (there, self._setup, self._memory, self._threads)
                process = _SPAWN.Process(target=serve, args=arguments, daemon=True)
                with _uninterrupted():
                    process.start()
        except OSError as reason:  # no memory, too many processes or open files; or it died before it was told its job
            raise WorkerStartError from reason
        self._process, self._connection = process, here
        error: LexLatticeError | None = WorkerStartError()
        with suppress(EOFError, OSError):
            if here.poll(_START_SECONDS):
                error = here.recv()
        if error is None and self._is_stopped:  # by another thread, in the meantime
            error = WorkerLostError()
        if error is not None:
            self._end()
            raise error
        self.is_up = True

    def _restart(self) -> None:
        self._end()
        self.restarts += 1
        try:
            self._launch()
        except LexLatticeError as error:
            raise WorkerStartError(str(error)) from None

    def _exchange(self, job: Job, args: tuple[Any, ...]) -> Any:
        """Send a job and receive its outcome. Sending is timed too: a stopped process does not read its pipe."""
        process, connection = self._process, self._connection
        assert process is not None and connection is not None
        is_overdue = threading.Event()

        def end() -> None:
            is_overdue.set()
            process.kill()  # which makes `recv` raise EOFError

        watch = None if self._seconds is None else threading.Timer(self._seconds, end)
        if watch is not None:
            watch.start()
        try:
            connection.send((job, args))
            result, error, is_leaving = connection.recv()
        except (EOFError, OSError):
            self._end()
            if is_overdue.is_set() and self._seconds is not None:
                raise JobTimeoutError(self._seconds) from None
            raise _ProcessDiedError from None
        finally:
            if watch is not None:
                watch.cancel()
        if is_leaving:
            self._end()
        if error is not None:
            raise error
        return result

    def _end(self) -> None:
        self.is_up = False
        process, self._process = self._process, None  # taken over first, since two threads may be here at once
        connection, self._connection = self._connection, None
        if process is not None:
            process.kill()
            process.join()
        if connection is not None:
            connection.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes with Ctrl-C blocked: it reaches them too, and before `serve` they would report it as an error."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # here, since it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class WorkerPool:
    """A fixed number of worker processes, with one thread for each to wait for its answers.

    Args:
        workers: How many processes.
        setup: Called once in each process, before its first job; must be picklable.
        seconds: How long a job may take.
        memory: How many bytes a process may allocate.
        threads: Whether numerical libraries keep their threads; otherwise each process has one.

    """

    def __init__(
        self,
        workers: int,
        setup: Setup,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        threads: bool = False,
    ) -> None:
        self.slots = [WorkerSlot(setup, seconds, memory, threads=threads) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers, "worker")
        self._idle: SimpleQueue[WorkerSlot] = SimpleQueue()
        for slot in self.slots:
            self._idle.put(slot)
        self._is_closing = threading.Event()
        self._is_hopeless = False
        """Whether no process could be started for the last item; further ones are not tried as often."""

    @property
    def restarts(self) -> int:
        """How many processes had to be replaced so far."""
        return sum(slot.restarts for slot in self.slots)

    def start(self) -> None:
        """Start all processes and wait until they are set up; without this, each starts with its first job."""
        for started in [self.submit(slot.start) for slot in self.slots]:
            started.result()

    def submit(self, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """Call a function, usually a method of a slot, in one of the pool's threads."""
        return self._threads.submit(function, *args)

    def work(self, function: Callable[[WorkerSlot, Item], Result], item: Item) -> Result:
        """Return `function(slot, item)`, called in this thread with a slot that nothing else uses meanwhile.

        A process that cannot be started is not the fault of the item, which then goes to the next slot that is free.

        Raises:
            WorkerStartError: No process is up, and none could be started, several times in a row.

        """
        pauses = iter(_START_PAUSES)
        while True:
            slot = self._idle.get()
            try:
                result = function(slot, item)
                self._is_hopeless = False
                return result
            except WorkerStartError:
                pause = None if self._is_hopeless else next(pauses, None)
                if self._is_closing.is_set() or (pause is None and not any(slot.is_up for slot in self.slots)):
                    self._is_hopeless = True
                    raise
                # The slot is put back only after the pause, since another item would not start there either.
                self._is_closing.wait(_START_PAUSES[-1] if pause is None else pause)
            finally:
                self._idle.put(slot)

    def map(
        self,
        function: Callable[[WorkerSlot, Item], Result],
        items: Iterable[Item],
        *,
        size: Callable[[Item], int] = lambda item: 0,
    ) -> Generator[Result, None, None]:
        """Yield `function(slot, item)` for every item, in the order of the items; only a few are held at a time.

        Args:
            function: Called in a thread of the pool, as by `work`.
            items: Taken from the iterable only as results are consumed.
            size: Size of an item; the sum over all queued items is bounded.

        """
        queue: deque[tuple[Future[Result], int]] = deque()
        queued = 0
        for item in items:
            queue.append((self.submit(self.work, function, item), size(item)))
            queued += queue[-1][1]
            del item  # it may be large, and the next loop may wait for long
            while len(queue) >= _AHEAD * len(self.slots) or (queue and queued > _AHEAD_SIZE):
                future, length = queue.popleft()
                queued -= length
                yield future.result()
        while queue:
            yield queue.popleft()[0].result()

    def close(self, *, finish: bool = False) -> None:
        """End all processes: at once, or with `finish` once they have done the jobs they are running."""
        self._is_closing.set()
        for slot in self.slots:
            slot.stop(kill=False)
        self._threads.shutdown(wait=finish, cancel_futures=not finish)
        for slot in self.slots:
            slot.stop()


def parallel_map(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Generator[Result, None, None]:
    """Yield `function(item)` for every item, in order; in this process if there is one worker only.

    Args:
        function: Sent to each worker process once, so it must be picklable if there are several.
        items: Taken only as results are consumed.
        workers: How many processes.

    Raises:
        WorkerStartError: No process could be started.
        WorkerLostError: A process died twice on the same item.
        InternalError: The function raised something other than a `LexLatticeError` in another process.

    """
    if workers == 1:
        for item in items:
            with one_blas_thread():  # as in a worker process
                result = function(item)
            yield result
        return
    pool = WorkerPool(workers, partial(_keep, function))
    try:
        with closing(pool.map(_call, items)) as results:
            yield from results
    except WorkerStartError:
        raise
    except WorkerLostError as error:
        raise WorkerLostError("A worker process died twice, most likely out of memory; use fewer jobs.") from error
    except InternalError as error:
        error.add_note(error.details)
        raise
    finally:
        pool.close()


def _call(slot: WorkerSlot, item: Any) -> Any:
    return slot.run(_call_kept, item)


# Called in the worker processes of `parallel_map`:

_kept: Callable[[Any], Any]


def _keep(function: Callable[[Any], Any]) -> None:
    global _kept
    _kept = function


def _call_kept(item: Any) -> Any:
    return _kept(item)
