"""The rate of requests, over all processes of a user that share a cache folder.

The time of the next request is in a file. A process takes the file's lock, reserves the next moment that is free, and
waits for it without the lock. Without `LEXLATTICE_RATE` in the environment there is no limit.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from lexlattice._internal.files import cache_folder

RATE: Final = "LEXLATTICE_RATE"
"""The environment variable that has the requests per second; worker processes inherit it."""
_FILE: Final = "pace"
_LONGEST: Final = 3600.0
"""Seconds. A moment further ahead was written before the machine was restarted, which resets the clock."""


def wait_for_turn() -> None:
    """Wait until the next request may be sent."""
    if rate := _rate():
        with _next_moment() as moment:
            start = max(time.monotonic(), moment[0])
            moment[0] = start + 1 / rate
        time.sleep(max(0.0, start - time.monotonic()))


def postpone(seconds: float) -> None:
    """Let no process send a request for some seconds, because a server asked for it."""
    if _rate():
        with _next_moment() as moment:
            moment[0] = max(moment[0], time.monotonic() + seconds)


def _rate() -> float:
    with suppress(ValueError):
        rate = float(os.environ.get(RATE, "0"))
        return rate if 0 < rate < math.inf else 0.0
    return 0.0


@contextmanager
def _next_moment() -> Iterator[list[float]]:
    """Yield the moment of the next request in a list of one, and write it back; by a clock that all processes share."""
    handle = None
    with suppress(OSError):  # a cache folder that cannot be written is ignored, as everywhere
        cache_folder().mkdir(parents=True, exist_ok=True)
        handle = os.open(cache_folder() / _FILE, os.O_RDWR | os.O_CREAT, 0o644)
    if handle is None:
        yield [time.monotonic()]
        return
    try:
        with suppress(ImportError):  # where the system has no such locks, processes may overlap now and then
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        moment = [0.0]
        with suppress(ValueError):
            moment[0] = float(os.pread(handle, 64, 0))
        if not moment[0] <= time.monotonic() + _LONGEST:
            moment[0] = 0.0
        yield moment
        with suppress(OSError):
            os.ftruncate(handle, 0)
            os.pwrite(handle, repr(moment[0]).encode(), 0)
    finally:
        os.close(handle)
