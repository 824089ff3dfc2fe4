"""What runs on the machines of a cluster: a worker process with limits, of the same code and weights as here."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from functools import partial

from lexlattice import __version__
from lexlattice._internal.processes import WorkerPool, WorkerSlot
from lexlattice._internal.worker import WorkerStartError
from lexlattice.apps.bulk.engines import Limits, process
from lexlattice.apps.bulk.records import Outcome, WorkItem
from lexlattice.apps.bulk.tasks import Task, load_task
from lexlattice.errors import LexLatticeError

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class RemoteWorker:
    """Has a worker process on its machine, which ends with it.

    Args:
        task: What to do with each act.
        limits: Of one act.
        version: Of LexLattice, where the run was started.

    """

    def __init__(self, task: Task, limits: Limits, version: str) -> None:
        os.environ.update(_ONE_THREAD)  # inherited by the worker process, before it loads a numerical library
        self._pool = WorkerPool(1, partial(set_up, task, version), seconds=limits.seconds, memory=limits.memory)

    def start(self) -> LexLatticeError | None:
        """Start the process; return why it cannot work, or None if it can."""
        try:
            self._pool.work(_start, None)
        except LexLatticeError as error:
            return error
        return None

    def process(self, item: WorkItem) -> Outcome | WorkerStartError:
        """Process an item; return an error if the process died and cannot be replaced."""
        try:
            return self._pool.work(process, item)
        except WorkerStartError as error:
            return error


def _start(slot: WorkerSlot, _: None) -> None:
    slot.start()


def set_up(task: Task, version: str) -> None:
    """Load the task if code and weights are the same as where the run was started; else rows would differ unnoticed."""
    installed = replace(task)  # without the digest of the weights that was sent along
    for name, here, there in (("version", __version__, version), ("weights", installed.weights, task.weights)):
        if here != there:
            raise LexLatticeError(
                f"'{platform.node()}' has other {name} ({here}) than the machine where the run was started ({there}); "
                "install the same on all machines."
            )
    load_task(installed)
