"""Who does the work: processes on this machine, or a Ray cluster. Both give the same outcomes, in the same order.

Every act is worked on in a process of its own kind, bounded in time and memory. What it does to that process ends
there: one that is lost is replaced and the act tried once more, then given up as dead, with the reason.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, NamedTuple

from lexlattice.bulk.entries import Entry
from lexlattice.bulk.tasks import Task, begin, row_of
from lexlattice.errors import LexLatticeError, MissingExtraError
from lexlattice.worker import Worker

_AHEAD: Final = 4
"""Acts that wait for each process: enough to keep it busy, few enough for any memory."""


class Outcome(NamedTuple):
    """What came of an act: a row, or why there is none."""

    shard: int
    source: str
    digest: str
    row: str = ""
    """JSON; empty if there is none."""
    reason: str = ""
    passed: int = 0
    """Stands for so many acts of a shard that was done before."""

    def parsed(self) -> dict[str, Any]:
        """The row."""
        found: dict[str, Any] = json.loads(self.row)
        return found

    @property
    def dead(self) -> dict[str, Any]:
        """What a dead letter says."""
        return {"source": self.source, "digest": self.digest, "reason": self.reason}


class Placed(NamedTuple):
    """An entry, and the shard it belongs to; or so many acts of a shard that need not be done again."""

    shard: int
    entry: Entry
    passed: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one act may take."""

    seconds: float
    memory: int
    """Bytes."""


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
        try:
            row = self._worker.do(row_of, (entry,), self._limits.seconds)
        except LexLatticeError as error:
            return Outcome(shard, entry.source, entry.digest, reason=str(error))
        return Outcome(shard, entry.source, entry.digest, row)

    @property
    def restarts(self) -> int:
        """How often its process was lost."""
        return self._worker.restarts

    def close(self) -> None:
        """End the process."""
        self._worker.wanted = False
        self._worker.end()


class Local:
    """So many processes on this machine."""

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise LexLatticeError(f"{jobs} processes can do nothing; give one at least.")
        self._jobs = jobs
        self.restarts = 0

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
            queue: deque[Future[Outcome]] = deque()
            for placed in entries:
                queue.append(pool.submit(work, placed))
                if len(queue) >= _AHEAD * self._jobs:
                    yield queue.popleft().result()
            while queue:
                yield queue.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # nothing new is begun while the processes are ended
            self.restarts = sum(bench.restarts for bench in benches)
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
        self._jobs, self._address = jobs, address
        self.restarts = 0

    def run(self, task: Task, entries: Iterable[Placed], limits: Limits) -> Generator[Outcome, None, None]:
        """The same as on one machine."""
        from lexlattice.bulk.on_ray import outcomes

        yield from outcomes(task, entries, limits, self._jobs, self._address)


Engine = Local | OnRay
