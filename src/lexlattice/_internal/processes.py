"""Worker processes with limits, and the pool of them that the service, bulk runs, evaluation and preparation share.

Processes are spawned, use one thread each, and end with their parent. A job that takes too long is ended together with
its process; a process that dies is replaced and its job retried once. Every job has an outcome: its result, or a
`LexLatticeError`.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lexlattice._internal.threads import use_one_thread
from lexlattice.errors import LexLatticeError

if TYPE_CHECKING:
    from tenacity import RetryCallState

_SPAWN: Final = multiprocessing.get_context("spawn")
_START_SECONDS: Final = 120.0
_RESTART_PAUSE: Final = 1.0
"""Seconds before a process that did not start is started again."""
_ATTEMPTS: Final = 2
"""A process may die through no fault of the job, such as when the machine is out of memory; twice is no accident."""
_NOT_STARTED: Final = "A worker process could not be started"
_PACKAGE: Final = Path(__file__).parent.parent
_AHEAD: Final = 4
"""Items queued for each worker: enough to keep it busy, few enough for any memory."""
_AHEAD_SIZE: Final = 64_000_000
"""Total size of the queued items, usually bytes, however many workers there are."""
_log: Final = logging.getLogger(__name__)

Setup = Callable[[], object]
Job = Callable[..., Any]
Item = TypeVar("Item")
Result = TypeVar("Result")


class JobTimeoutError(LexLatticeError):
    """A job took longer than allowed and was ended."""

    code = "timeout"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The work took longer than {seconds:g} seconds and was ended; give a shorter act.")


class TooLargeError(LexLatticeError):
    """A job needed more memory, or would have returned a larger result, than allowed."""

    code = "too-large"

    def __init__(self, sentence: str = "This act needs more memory than allowed; give a shorter one.") -> None:
        super().__init__(sentence)


class WorkerLostError(LexLatticeError):
    """The process of a job died, and so did the one that replaced it."""

    code = "worker-lost"

    def __init__(self, sentence: str = "The worker process died while it processed this act; try again.") -> None:
        super().__init__(sentence)


class InternalError(LexLatticeError):
    """A job failed because of a bug.

    Attributes:
        place: The type of the original exception and the line that raised it. It quotes nothing of the act.
        details: The original traceback. It may quote the act, so a service must not log or return it.

    """

    code = "internal"

    def __init__(
        self, sentence: str = "Internal error; please report it.", *, place: str = "", details: str = ""
    ) -> None:
        super().__init__(sentence)
        self.place, self.details = place, details


class _ProcessDiedError(Exception):
    """The process ended without an answer."""


class WorkerSlot:
    """One worker process with limits, replaced whenever it dies.

    It is used by one thread at a time; only `cancel` and `stop` may be called from another.

    Args:
        setup: Called once in each process, before its first job; must be picklable.
        seconds: How long a job may take; without end if None.
        memory: How many bytes the process may allocate; unlimited if None or where the system cannot limit it.

    """

    def __init__(self, setup: Setup, seconds: float | None = None, memory: int | None = None) -> None:
        self._setup, self._seconds, self._memory = setup, seconds, memory
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._was_started = self._is_cancelled = self._is_stopped = False
        self.is_up = False
        self.restarts = 0

    def start(self) -> None:
        """Start the process for the first time and wait until it is set up; return at once if that was done.

        Raises:
            LexLatticeError: The setup failed, or the process died during it.

        """
        if not self._was_started:
            self._launch()
            self._was_started = True

    def run(self, job: Job, *args: Any) -> Any:
        """Return `job(*args)`, called in the process; if the process dies, call it once more in a new one.

        Raises:
            JobTimeoutError: The job took too long.
            TooLargeError: The job needed too much memory.
            WorkerLostError: The process died twice, or could not be replaced.
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

        is_lost, pause = retry_if_exception_type(WorkerLostError), wait_fixed(_RESTART_PAUSE)
        with suppress(WorkerLostError):
            Retrying(retry=is_lost, wait=pause, stop=is_stopped, reraise=True)(self._restart)

    def stop(self, *, kill: bool = True) -> None:
        """Start no further process, and end the current one at once unless `kill` is false."""
        self._is_stopped = True
        if kill:
            self._end()

    def _launch(self) -> None:
        here, there = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_serve, args=(there, self._setup, self._memory), daemon=True)
        process.start()
        there.close()
        self._process, self._connection = process, here
        error: LexLatticeError | None = WorkerLostError(f"{_NOT_STARTED}; check memory and installation.")
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
            _log.error("%s", error)
            raise WorkerLostError from None

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


class WorkerPool:
    """A fixed number of worker processes, with one thread for each to wait for its answers.

    Args:
        workers: How many processes.
        setup: Called once in each process, before its first job; must be picklable.
        seconds: How long a job may take.
        memory: How many bytes a process may allocate.

    """

    def __init__(self, workers: int, setup: Setup, *, seconds: float | None = None, memory: int | None = None) -> None:
        self.slots = [WorkerSlot(setup, seconds, memory) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers, "worker")

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

    def map(
        self,
        function: Callable[[WorkerSlot, Item], Result],
        items: Iterable[Item],
        *,
        size: Callable[[Item], int] = lambda item: 0,
    ) -> Generator[Result, None, None]:
        """Yield `function(slot, item)` for every item, in the order of the items; only a few are held at a time.

        Args:
            function: Called in a thread of the pool, with a slot that nothing else uses meanwhile.
            items: Taken from the iterable only as results are consumed.
            size: Size of an item; the sum over all queued items is bounded.

        """
        idle: SimpleQueue[WorkerSlot] = SimpleQueue()
        for slot in self.slots:
            idle.put(slot)

        def call(item: Item) -> Result:
            slot = idle.get()
            try:
                return function(slot, item)
            finally:
                idle.put(slot)

        queue: deque[tuple[Future[Result], int]] = deque()
        queued = 0
        for item in items:
            queue.append((self.submit(call, item), size(item)))
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
        WorkerLostError: A process died twice on the same item.
        InternalError: The function raised something other than a `LexLatticeError` in another process.

    """
    if workers == 1:
        yield from map(function, items)
        return
    pool = WorkerPool(workers, partial(_keep, function))
    try:
        with closing(pool.map(_call, items)) as results:
            yield from results
    except WorkerLostError as error:
        raise WorkerLostError("A worker process died twice, most likely out of memory; use fewer jobs.") from error
    except InternalError as error:
        error.add_note(error.details)
        raise
    finally:
        pool.close()


def _call(slot: WorkerSlot, item: Any) -> Any:
    return slot.run(_call_kept, item)


# --- In the worker process -----------------------------------------------------------------------------------

_kept: Callable[[Any], Any]


def _keep(function: Callable[[Any], Any]) -> None:
    global _kept
    _kept = function


def _call_kept(item: Any) -> Any:
    return _kept(item)


def _serve(connection: Connection, setup: Setup, memory: int | None) -> None:
    """Do one job after the other until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides what ends
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if memory is not None:
        _limit_memory(memory)
    error = _set_up(setup)
    termination = _Termination()
    connection.send(error)
    if error is not None:
        return
    while True:
        try:
            with termination.at_once():
                job, args = connection.recv()
        except (EOFError, OSError):
            return
        result, error, is_leaving = _outcome(job, args)
        try:
            connection.send((result, error, is_leaving or termination.is_requested))
        except MemoryError:  # raised while pickling, before anything was sent
            connection.send((None, TooLargeError(), True))
        del job, args, result, error  # release them before waiting for the next job


def _set_up(setup: Setup) -> LexLatticeError | None:
    """Return why the process cannot work, or None if it can."""
    try:
        use_one_thread()
        setup()
        use_one_thread()  # once more, for the libraries that the setup loaded
    except LexLatticeError as error:
        return error
    except MemoryError:
        return TooLargeError(f"{_NOT_STARTED} within the memory allowed; allow more.")
    except Exception as error:
        return InternalError(f"{_NOT_STARTED} ({_place(error)}); check memory and installation.")
    return None


def _outcome(job: Job, args: tuple[Any, ...]) -> tuple[Any, LexLatticeError | None, bool]:
    """Return the result of a job, its error, and whether the process should end."""
    try:
        return job(*args), None, False
    except LexLatticeError as error:
        return None, error, False
    except MemoryError:
        pass  # leaving the block releases the traceback, and all that the job held with it
    except Exception as error:
        place = _place(error)  # not the message, which may quote the act
        _log.error("a job failed: %s", place)
        return None, InternalError(place=place, details=traceback.format_exc()), False
    return None, TooLargeError(), True


def _place(error: Exception) -> str:
    """Return the type of an exception and the last line of this package that it passed."""
    frames = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    path, line = next((found for found in reversed(frames) if _PACKAGE in found[0].parents), frames[-1])
    name = path.relative_to(_PACKAGE) if _PACKAGE in path.parents else path
    return f"{type(error).__name__} at {name.as_posix()}:{line}"


def _limit_memory(memory: int) -> None:
    """Limit what the process can allocate, where the system supports it.

    RLIMIT_DATA does not count files mapped read-only, such as weights, which all processes share.
    """
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


class _Termination:
    """Handles SIGTERM, which may be sent to all processes of a service: a running job is finished first."""

    def __init__(self) -> None:
        self.is_requested = self._is_idle = False
        signal.signal(signal.SIGTERM, self._request)

    def _request(self, _number: int, _frame: FrameType | None) -> None:
        self.is_requested = True
        if self._is_idle:
            raise SystemExit

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Within, the signal ends the process immediately."""
        self._is_idle = True
        if self.is_requested:
            raise SystemExit
        try:
            yield
        finally:
            self._is_idle = False


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
