"""The same work done on many things, one after the other or several at a time in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, TypeVar

from lexlattice.errors import LexLatticeError

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

_work: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any]) -> None:
    """Once in each process: the work is kept, and the process ends with the one that started it, however that ends."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _do(item: Any) -> Any:
    return _work(item)
