"""Who does the work: processes on this machine, or a Ray cluster. Both give the same outcomes, in the same order.

Every act is worked on in a process of its own kind, bounded in time and memory. What it does to that process ends
there: one that is lost is replaced and the act tried once more, then given up as dead, with the reason.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Final

from lexlattice._internal.processes import BrokenError, Worker
from lexlattice.apps.bulk.entry import Outcome, Placed
from lexlattice.apps.bulk.tasks import Task, begin, row_of
from lexlattice.errors import LexLatticeError, MissingExtraError

_AHEAD: Final = 4
"""Acts that wait for each process: enough to keep it busy, few enough for any memory."""
_HELD: Final = 64_000_000
"""Bytes of acts that wait at most, however many processes there are."""
_MOST_JOBS: Final = 10_000
_MOST_MEMORY: Final = 10**15


@dataclass(frozen=True, slots=True)
class Limits:
    """What one act may take."""

    seconds: float
    memory: int
    """Bytes."""

    def __post_init__(self) -> None:
        if not (0 < self.seconds <= threading.TIMEOUT_MAX and 0 < self.memory <= _MOST_MEMORY):
            raise LexLatticeError("An act needs some time and memory, and not without end; give other limits.")


class Bench:
    """One place of work: a process with the task loaded, from which an outcome always comes.

    The process is started with the first act, so that a run with nothing to do is over at once.
    """

    def __init__(self, task: Task, limits: Limits) -> None:
        self._worker, self._limits = Worker(partial(begin, task), limits.memory), limits
        self._is_begun = False

    def do(self, placed: Placed) -> Outcome:
        """The outcome of an entry."""
        shard, entry, passed = placed
        if passed:
            return Outcome(shard, "", "", passed=passed)
        if not self._is_begun:
            self._worker.start()
            self._is_begun = True
        row, reason, before = "", "", self._worker.restarts
        try:
            row = self._worker.do(row_of, (entry,), self._limits.seconds)
        except BrokenError as error:
            reason = f"{str(error).removesuffix('.')} ({error.place})."
        except LexLatticeError as error:
            reason = str(error)
        return Outcome(shard, entry.source, entry.digest, row, reason, restarts=self._worker.restarts - before)

    def close(self) -> None:
        """End the process."""
        self._worker.wanted = False
        self._worker.end()


class Local:
    """So many processes on this machine."""

    def __init__(self, jobs: int) -> None:
        _check(jobs)
        self._jobs = jobs

    def run(self, task: Task, entries: Iterable[Placed], limits: Limits) -> Generator[Outcome, None, None]:
        """Outcomes in the order of the entries, of which only a few are held at a time."""
        benches = [Bench(task, limits) for _ in range(self._jobs)]
        idle: SimpleQueue[Bench] = SimpleQueue()
        for bench in benches:
            idle.put(bench)

        def work(placed: Placed) -> Outcome:
            bench = idle.get()
            try:
                return bench.do(placed)
            finally:
                idle.put(bench)

        pool = ThreadPoolExecutor(self._jobs, "corpus")
        try:
            queue: deque[tuple[Future[Outcome], int]] = deque()
            held = 0
            for placed in entries:
                size = placed.entry.size
                queue.append((pool.submit(work, placed), size))
                del placed  # which is not held while others are waited for
                held += size
                while len(queue) >= _AHEAD * self._jobs or (queue and held > _HELD):
                    future, size = queue.popleft()
                    held -= size
                    yield future.result()
            while queue:
                yield queue.popleft()[0].result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # nothing new is begun while the processes are ended
            for bench in benches:
                bench.close()


class OnRay:
    """A Ray cluster: one that runs already, by its address, or one that is started here and ends with the run.

    Entries are read in one task and stream through Ray Data to actors, each of which keeps a process at work; what is
    ahead of the one who writes is bounded by Ray's back-pressure.
    """

    def __init__(self, jobs: int, address: str | None) -> None:
        try:
            import ray.data  # noqa: F401
        except ImportError as error:
            raise MissingExtraError("A run on Ray", "ray") from error
        _check(jobs)
        self._jobs, self._address = jobs, address

    def run(self, task: Task, entries: Iterable[Placed], limits: Limits) -> Generator[Outcome, None, None]:
        """The same as on one machine."""
        from lexlattice.apps.bulk.ray_engine import outcomes

        yield from outcomes(task, entries, limits, self._jobs, self._address)


def _check(jobs: int) -> None:
    if not 1 <= jobs <= _MOST_JOBS:
        raise LexLatticeError(f"{jobs} processes can do nothing; give a number from 1 to {_MOST_JOBS:,}.")


Engine = Local | OnRay
