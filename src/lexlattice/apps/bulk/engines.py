"""Execution engines: a local process pool, or a Ray cluster. Both give the same outcomes in the same order.

Every act is processed in a worker process with limits of time and memory. If the process dies it is replaced and the
act retried once; an act that fails has the reason as its outcome.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Final, Protocol

from lexlattice._internal.processes import WorkerPool, WorkerSlot
from lexlattice._internal.worker import InternalError, WorkerStartError
from lexlattice.apps.bulk.records import Outcome, WorkItem
from lexlattice.apps.bulk.tasks import Task, load_task, row_of
from lexlattice.errors import LexLatticeError, MissingExtraError, OptionError

_MAX_JOBS: Final = 10_000
_MAX_MEMORY: Final = 10**15
RESUME: Final = "run the same command again to resume."


@dataclass(frozen=True, slots=True)
class Limits:
    """What processing one act may take."""

    seconds: float
    memory: int
    """Bytes."""

    def __post_init__(self) -> None:
        if not (0 < self.seconds <= threading.TIMEOUT_MAX and 0 < self.memory <= _MAX_MEMORY):
            raise OptionError(
                f"{self.seconds:g} seconds and {self.memory:,} bytes cannot be the limits of an act; give others."
            )


class Engine(Protocol):
    """Runs a task on work items."""

    def run(self, task: Task, items: Iterable[WorkItem], limits: Limits) -> Generator[Outcome, None, None]:
        """Yield the outcomes in the order of the items, of which only a few are held at a time."""
        ...


class LocalEngine:
    """Processes on this machine."""

    def __init__(self, jobs: int) -> None:
        _check_jobs(jobs)
        self._jobs = jobs

    def run(self, task: Task, items: Iterable[WorkItem], limits: Limits) -> Generator[Outcome, None, None]:
        """Yield the outcomes in the order of the items."""
        # one process with all threads for a transformer, else as many processes as wanted with one thread each
        alone = not task.runs_in_workers
        pool = WorkerPool(
            1 if alone else self._jobs,
            partial(load_task, task),
            seconds=limits.seconds,
            memory=limits.memory,
            threads=alone,
        )
        try:
            with closing(pool.map(process, items, size=lambda item: item.record.size)) as outcomes:
                yield from outcomes
        except WorkerStartError as error:
            raise cannot_start(error) from error
        finally:
            pool.close()


class RayEngine:
    """A Ray cluster: a running one, by its address, or one that is started here and ends with the run.

    Records are read here and sent to actors with a worker process each. Only a few are under way at a time, and those
    of an actor that dies are sent to another.
    """

    def __init__(self, jobs: int, address: str | None) -> None:
        if find_spec("ray") is None:
            raise MissingExtraError("A run on Ray", "ray")
        _check_jobs(jobs)
        self._jobs, self._address = jobs, address

    def run(self, task: Task, items: Iterable[WorkItem], limits: Limits) -> Generator[Outcome, None, None]:
        """Yield the outcomes in the order of the items."""
        from lexlattice.apps.bulk.ray_process import run_on_ray

        yield from run_on_ray(task, items, limits, self._jobs, self._address)


def cannot_start(error: WorkerStartError) -> LexLatticeError:
    """Return the error of a run whose workers cannot be started, however often it was tried."""
    return LexLatticeError(f"{str(error).removesuffix('.')}; then {RESUME}")


def process(slot: WorkerSlot, item: WorkItem) -> Outcome:
    """Process an item in a worker whose setup is `load_task`, and return its outcome, whatever happens.

    Raises:
        WorkerStartError: The process could not be started or replaced, which is not the fault of this act.
        LexLatticeError: The process cannot be set up at all, so that no act can be processed.

    """
    shard, record, skipped = item
    if skipped:
        return Outcome(shard, "", "", skipped=skipped)
    slot.start()  # outside of the try block: an error of the setup is none of this act
    row, reason, restarts = "", "", slot.restarts
    try:
        row = slot.run(row_of, record)
    except WorkerStartError:
        raise
    except InternalError as error:
        reason = f"{str(error).removesuffix('.')} ({error.place})."
    except LexLatticeError as error:
        reason = str(error)
    return Outcome(shard, record.source, record.digest, row, reason, restarts=slot.restarts - restarts)


def _check_jobs(jobs: int) -> None:
    if not 1 <= jobs <= _MAX_JOBS:
        raise OptionError(f"There cannot be {jobs} jobs; give a number from 1 to {_MAX_JOBS:,}.")
