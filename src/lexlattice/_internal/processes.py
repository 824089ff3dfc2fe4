"""One process that works: as it is seen from here, and what runs in it.

Whatever a job does to its process, the one who asked for it hears of it in time.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

from lexlattice.errors import LexLatticeError

_SPAWN: Final = multiprocessing.get_context("spawn")
_LONGEST_START: Final = 120.0
_PAUSE: Final = 1.0
"""Seconds before a process that would not start is tried again."""
_TRIES: Final = 2
"""A process may be lost through no fault of the act's, as when the machine is short of memory; twice is no accident."""
_NOT_STARTED: Final = "A worker process could not be started"
_PACKAGE: Final = Path(__file__).parent.parent
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_log: Final = logging.getLogger(__name__)

Begin = Callable[[], object]
Job = Callable[..., Any]


class OverdueError(LexLatticeError):
    """A job took longer than allowed, and was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The work took longer than {seconds:g} seconds and was ended; give a shorter act.")


class TooLargeError(LexLatticeError):
    """A job needed more than allowed: memory, or room for its answer."""

    def __init__(self, sentence: str = "This act needs more memory than allowed; give a shorter one.") -> None:
        super().__init__(sentence)


class GoneError(LexLatticeError):
    """A job's process was lost, and so was the one that took its place."""

    def __init__(self, sentence: str = "The worker was lost while it read this act; try again.") -> None:
        super().__init__(sentence)


class BrokenError(LexLatticeError):
    """A job failed in a way that nobody foresaw; `place` is for whoever mends it, and has nothing of the act."""

    def __init__(
        self, sentence: str = "This failed by our fault, not the file's; please report it.", *, place: str = ""
    ) -> None:
        super().__init__(sentence)
        self.place = place


class _LostError(Exception):
    """The process ended without an answer."""


class Worker:
    """One process as seen from here, by one thread at a time; `abandon` alone may come from another."""

    def __init__(self, begin: Begin, memory: int) -> None:
        self._begin, self._memory = begin, memory
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._abandoned = False
        self.up, self.wanted, self.restarts = False, True, 0

    def start(self) -> None:
        """Start the process, and wait until it has begun."""
        here, there = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_work, args=(there, self._begin, self._memory), daemon=True)
        process.start()
        there.close()
        self._process, self._connection = process, here
        error: LexLatticeError | None = LexLatticeError(f"{_NOT_STARTED}; check memory and installation.")
        with suppress(EOFError, OSError):
            if here.poll(_LONGEST_START):
                error = here.recv()
        if error is not None:
            self.end()
            raise error
        self.up = True

    def do(self, job: Job, args: tuple[Any, ...], seconds: float) -> Any:
        """Send the job and wait for its outcome, which is always one; if the process is lost, once more to another."""
        self._abandoned = False
        for _ in range(_TRIES):
            if self._process is None or not self._process.is_alive():
                self._restart()
            with suppress(_LostError):
                return self._exchange(job, args, seconds)
            if self._abandoned or not self.wanted:
                break
        raise GoneError

    def _exchange(self, job: Job, args: tuple[Any, ...], seconds: float) -> Any:
        """All of it is timed, the sending too: a process that is stopped takes nothing in."""
        process, connection = self._process, self._connection
        assert process is not None and connection is not None
        overdue = threading.Event()

        def end() -> None:
            overdue.set()
            process.kill()

        watch = threading.Timer(seconds, end)
        watch.start()
        try:
            connection.send((job, args))
            result, error, leaving = connection.recv()
        except (EOFError, OSError):
            self.end()
            if overdue.is_set():
                raise OverdueError(seconds) from None
            raise _LostError from None
        finally:
            watch.cancel()
        if leaving:
            self.end()
        if error is not None:
            raise error
        return result

    def abandon(self) -> None:
        """End the process in the midst of its job, which nobody wants any more."""
        self._abandoned = True
        if (process := self._process) is not None:
            process.kill()

    def replace(self) -> None:
        """Start another process instead, however often that takes."""
        while self.wanted:
            with suppress(GoneError):
                return self._restart()
            time.sleep(_PAUSE)

    def _restart(self) -> None:
        self.end()
        self.restarts += 1
        try:
            self.start()
        except LexLatticeError as error:
            _log.error("%s", error)
            raise GoneError from None

    def end(self) -> None:
        """At once, whatever it does."""
        self.up = False
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None


# --- in the other process ---------------------------------------------------------------------------------


def _work(connection: Connection, begin: Begin, memory: int) -> None:
    """One job after the other, until there is nobody to do them for."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the service itself decides when it ends
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit(memory)
    error = _begun(begin)
    ending = _Ending()
    connection.send(error)
    if error is not None:
        return
    while True:
        try:
            with ending.at_once():
                job, args = connection.recv()
        except (EOFError, OSError):
            return
        outcome = _outcome(job, args)
        try:
            connection.send((*outcome[:2], outcome[2] or ending.asked))
        except MemoryError:  # while it was packed, before any of it was sent
            connection.send((None, TooLargeError(), True))
        del job, args, outcome  # not kept while waiting for the next


def _begun(begin: Begin) -> LexLatticeError | None:
    """Why the process cannot work, if it cannot."""
    try:
        begin()
    except LexLatticeError as error:
        return error
    except MemoryError:
        return TooLargeError(f"{_NOT_STARTED} within the memory allowed; allow more.")
    except Exception as error:
        return BrokenError(f"{_NOT_STARTED} ({_place(error)}); check memory and installation.")
    return None


def _outcome(job: Job, args: tuple[Any, ...]) -> tuple[Any, LexLatticeError | None, bool]:
    """What came of it, and whether the process has had enough."""
    try:
        return job(*args), None, False
    except LexLatticeError as error:
        return None, error, False
    except MemoryError:
        pass  # first all that the job held is let go
    except Exception as error:
        place = _place(error)  # and not its message, which may quote the act
        _log.error("a job failed: %s", place)
        return None, BrokenError(place=place), False
    return None, TooLargeError(), True


def _place(error: Exception) -> str:
    """What kind of error it is, and the last line of ours on the way to it."""
    frames = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    path, line = next((found for found in reversed(frames) if _PACKAGE in found[0].parents), frames[-1])
    name = path.relative_to(_PACKAGE) if _PACKAGE in path.parents else path
    return f"{type(error).__name__} at {name.as_posix()}:{line}"


def _limit(memory: int) -> None:
    """Bound what the process can write to, where the system can; files mapped to be read, as weights are, are free."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


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


# The same work done on many things, one after the other or several at a time in processes of their own.

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD: Final = 4
"""Items in the queue for each process: enough to keep it busy, few enough for any memory."""
_MOMENT: Final = 0.2
"""Seconds in which an interruption is heard."""


def in_order(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result, None, None]:
    """Results in the order of the items, made as they are asked for; closing it ends the processes.

    With several of them, the work has to be something that can be pickled.
    """
    yield from map(work, items) if jobs == 1 else _in_processes(work, items, jobs)


def _in_processes(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    with ProcessPoolExecutor(jobs, initializer=_begin, initargs=(work,)) as pool:
        queue: deque[Future[Result]] = deque()
        try:
            for item in items:
                queue.append(pool.submit(_do, item))
                if len(queue) >= _AHEAD * jobs:
                    yield _result(queue.popleft())
            while queue:
                yield _result(queue.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _result(result: Future[Result]) -> Result:
    try:
        return result.result()
    except BrokenProcessPool as error:
        time.sleep(_MOMENT)  # who interrupts everybody may reach the other processes first
        raise LexLatticeError("A process was killed, most likely for want of memory; use fewer jobs.") from error


# --- in the other processes -------------------------------------------------------------------------------

_pool_work: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any]) -> None:
    """Once in each process: the work is kept, and the process ends with the one that started it, however that ends."""
    global _pool_work
    _pool_work = work
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _do(item: Any) -> Any:
    return _pool_work(item)
