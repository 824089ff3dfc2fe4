"""How long something takes, so that a noisy or slow machine changes little.

Times are of the processor, and the least of several: noise only adds. Where a law is claimed, two sizes are compared on
the same machine, in turns, and the limit lies far from what is claimed and from what is forbidden.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable

LEAST = 0.001
"""Seconds; what takes less cannot be measured well."""
LINEAR = 24.0
"""The limit for eight times the size: it is 8 if time grows in proportion, and 64 if it grows with the square."""


def seconds(work: Callable[[], object]) -> float:
    """Of the processor, for one call; without the garbage that other tests have left."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        if is_collecting:
            gc.enable()


def fastest(work: Callable[[], object], enough: float, repeats: int = 6) -> float:
    """The least time of several calls; no further one is made once it is below `enough`."""
    least = math.inf
    for _ in range(repeats):
        least = min(least, seconds(work))
        if least < enough:
            break
    return least


def growth(small: Callable[[], object], large: Callable[[], object], enough: float = LINEAR, repeats: int = 6) -> float:
    """How many times as long the large work takes; from the third turn on, only while that is not below `enough`."""
    short = long = math.inf
    for turn in range(repeats):
        if turn > 1 and long / max(short, LEAST) < enough:
            break
        short, long = min(short, seconds(small)), min(long, seconds(large))
    return long / max(short, LEAST)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something that another process or thread does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
