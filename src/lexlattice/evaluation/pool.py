"""Acts measured one after the other, or several at a time in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from lexlattice.corpus.rows import BadRow, Row
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.measure import Measured, Plan, measure

_AHEAD: Final = 4
"""Acts in the queue for each process: enough to keep it busy, few enough for any memory."""


def measured(rows: Iterable[Row | BadRow], plan: Plan, jobs: int) -> Iterator[Measured | BadRow]:
    """Results in the order of the rows, made as they are asked for."""
    if jobs == 1:
        return (row if isinstance(row, BadRow) else measure(row, plan) for row in rows)
    return _in_processes(rows, plan, jobs)


def _in_processes(rows: Iterable[Row | BadRow], plan: Plan, jobs: int) -> Iterator[Measured | BadRow]:
    try:
        pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise LexLatticeError(
            "A system or encoder cannot be sent to other processes; define it in a module, or use one job."
        ) from error
    with ProcessPoolExecutor(jobs, initializer=_prepare, initargs=(plan,)) as pool:
        queue: deque[BadRow | Future[Measured | BadRow]] = deque()
        try:
            for row in rows:
                queue.append(row if isinstance(row, BadRow) else pool.submit(_measure, row))
                if len(queue) >= _AHEAD * jobs:
                    yield _result(queue.popleft())
            while queue:
                yield _result(queue.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _result(result: BadRow | Future[Measured | BadRow]) -> Measured | BadRow:
    if isinstance(result, BadRow):
        return result
    try:
        return result.result()
    except BrokenProcessPool as error:
        raise LexLatticeError("A process was killed, most likely for want of memory; use fewer jobs.") from error


# --- in the other processes -------------------------------------------------------------------------------

_plan: Plan


def _prepare(plan: Plan) -> None:
    """Once in each process: the plan is kept, and the process ends with the one that started it, however that ends."""
    global _plan
    _plan = plan
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _measure(row: Row) -> Measured | BadRow:
    return measure(row, _plan)
