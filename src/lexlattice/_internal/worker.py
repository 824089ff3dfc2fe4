"""What runs inside a worker process: a loop that does one job after the other, and the errors that jobs can have."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, Final

from lexlattice._internal.threads import use_one_thread
from lexlattice.errors import LexLatticeError

NOT_STARTED: Final = "A worker process could not be started"
_PACKAGE: Final = Path(__file__).parent.parent
_PR_SET_PDEATHSIG: Final = 1
_log: Final = logging.getLogger(__name__)

Setup = Callable[[], object]
Job = Callable[..., Any]


class JobTimeoutError(LexLatticeError):
    """A job took longer than allowed and was ended."""

    code = "timeout"

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The work took longer than {seconds:g} seconds and was ended; give a shorter act.",
            values={"seconds": f"{seconds:g}"},
        )


class TooLargeError(LexLatticeError):
    """A job needed more memory, or would have returned a larger result, than allowed."""

    code = "too-large"

    def __init__(
        self, sentence: str = "This act needs more memory than allowed; give a shorter one.", **about: Any
    ) -> None:
        super().__init__(sentence, **about)


class WorkerLostError(LexLatticeError):
    """The process of a job died, and so did the one that replaced it."""

    code = "worker-lost"

    def __init__(self, sentence: str = "The worker process died while it processed this act; try again.") -> None:
        super().__init__(sentence)


class WorkerStartError(WorkerLostError):
    """A process could not be started: that is not the fault of any job."""

    def __init__(self, sentence: str = f"{NOT_STARTED}; check memory and installation.") -> None:
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


def serve(connection: Connection, setup: Setup, memory: int | None, threads: bool = False) -> None:
    """Do one job after the other until the parent closes the connection, on one thread unless `threads` is true."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides what ends
    _die_with_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if memory is not None:
        _limit_memory(memory)
    fault = _set_up(setup, threads)
    termination = _Termination()
    connection.send(fault)
    if fault is not None:
        os._exit(1)  # without cleaning up, which a process without memory could not do in silence
    while True:
        try:
            with termination.at_once():
                job, args = connection.recv()
        except (EOFError, OSError):
            return
        result, failure, is_leaving = _outcome(job, args)
        try:
            connection.send((result, failure, is_leaving or termination.is_requested))
        except OSError:
            return
        except MemoryError:  # like any other exception here, raised while pickling, before anything was sent
            connection.send((None, TooLargeError(), True))
        except Exception as error:
            connection.send((None, InternalError(place=_place(error), details=traceback.format_exc()), False))
        del job, args, result, failure  # release them before waiting for the next job


def _set_up(setup: Setup, threads: bool) -> LexLatticeError | None:
    """Return why the process cannot work, or None if it can."""
    try:
        if not threads:
            use_one_thread()
        setup()
        if not threads:
            use_one_thread()  # once more, for the libraries that the setup loaded
    except LexLatticeError as error:
        return error
    except MemoryError:
        return TooLargeError(f"{NOT_STARTED} within the memory allowed; allow more.")
    except Exception as error:
        return InternalError(f"{NOT_STARTED} ({_place(error)}); check memory and installation.")
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


def _die_with_parent() -> None:
    """Let the system kill this process with its parent, where it can; even if it is stopped, or no other thread runs.

    The parent is the thread that started this process, and those of a pool last as long as the pool.
    """
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
