"""How long something takes, for benchmarks that compare."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(call: Callable[[], object], times: int = 1) -> float:
    """The shortest of several runs: others share the machine."""
    runs = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        runs.append(time.perf_counter() - start)
    return min(runs)
