"""The process that is connected to Ray, beside the one that writes the output.

When the head of a cluster dies, Ray ends the process that is connected to it, or blocks it for ever. It also writes to
standard output and reads settings from the environment when it is imported. Here it may do all that: the process that
writes the output gets outcomes, or one error, and finishes in order.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final

from lexlattice._internal.worker import InternalError
from lexlattice.apps.bulk.engines import RESUME, Limits
from lexlattice.apps.bulk.records import Outcome, WorkItem
from lexlattice.apps.bulk.tasks import Task
from lexlattice.errors import LexLatticeError

_LOOPBACK: Final = ("127.", "localhost:", "[::1]:")
_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_enable_worker_prestart": "0",  # of processes that no actor needs
    "RAY_prestart_worker_first_driver": "0",
}
"""Settings of Ray that the user has not made."""
_END_SECONDS: Final = 20.0
"""How long Ray may take to stop a cluster that it started."""


def run_on_ray(
    task: Task, items: Iterable[WorkItem], limits: Limits, jobs: int, address: str | None
) -> Generator[Outcome, None, None]:
    """Yield the outcomes in the order of the items, which have to be picklable: they are read in the other process.

    Raises:
        LexLatticeError: Ray cannot be reached or failed, or workers cannot be started.

    """
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_drive, args=(there, task, items, limits, jobs, address), daemon=True)
    process.start()
    there.close()
    try:
        while (received := here.recv()) is not None:
            if isinstance(received, LexLatticeError):
                raise received
            yield received
    except (EOFError, OSError) as error:
        raise LexLatticeError(
            f"The connection to the Ray cluster was lost; look whether it is running, then {RESUME}"
        ) from error
    finally:
        here.close()
        process.terminate()  # upon which Ray ends what it has started
        process.join(_END_SECONDS)
        process.kill()
        process.join()


def _drive(connection: Connection, *arguments: Any) -> None:
    """Send outcomes, then None or an error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent decides what ends
    threading.Thread(target=_end_with_parent, daemon=True).start()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    address = arguments[-1]
    if address is None or address.startswith(_LOOPBACK):  # a cluster of this machine alone is not seen from others
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    from lexlattice.apps.bulk.ray_engine import run_on_cluster  # after the settings

    with suppress(BrokenPipeError):
        try:
            for outcome in run_on_cluster(*arguments):
                connection.send(outcome)
            connection.send(None)
        except LexLatticeError as error:
            connection.send(error)
        except Exception as error:
            connection.send(InternalError(f"Internal error ({type(error).__name__}); please report it."))


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
