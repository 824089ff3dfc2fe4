"""One thread for matrix products: those of an act are so small that a pool of threads only waits for them, busily.

BLAS starts a thread for each core and lets them spin between products, which doubles the processor's time on an idle
machine and makes everything slow on a busy one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController, _ThreadpoolLimiter


class _Limit:
    """Set by the first that asks for it, and lifted by the last: the pool belongs to the whole process."""

    def __init__(self) -> None:
        self._limiter: _ThreadpoolLimiter | None = None
        """What lifts the limit; there as long as the limit is on."""
        self.reset()

    def reset(self) -> None:
        """Nobody is inside; a limit that is on is lifted by whoever is next to leave."""
        self._lock, self._inside = Lock(), 0

    def enter(self) -> None:
        with self._lock:
            if self._limiter is None:
                controller = _controller()
                _release()
                self._limiter = controller.limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._limiter is not None:
                _release()
                self._limiter.restore_original_limits()
                self._limiter = None
                _release()


_limit = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.reset)  # whoever was inside is not in the new process


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products on one thread, within; afterwards on as many as before.

    Any number of threads may be within at once. A caller's own products meanwhile have one thread too. A process that
    was forked meanwhile has one thread until it has been within and left: starting a pool while forking could hang.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


@cache
def _controller() -> ThreadpoolController:
    """Found once: looking through all loaded libraries takes a millisecond, setting a limit some microseconds."""
    import numpy as np  # noqa: F401  (what is not loaded yet is not found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _release() -> None:
    """Let any thread set the pool: newer versions of threadpoolctl heed only the thread that set it first."""
    from threadpoolctl import OpenBLASController

    if release := getattr(OpenBLASController, "clear_controlling_thread", None):
        release(force=True)
