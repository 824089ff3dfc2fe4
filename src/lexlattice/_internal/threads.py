"""Limits on the threads of numerical libraries.

The matrix products of one act are so small that a pool of threads gains nothing. By default BLAS starts a thread for
each core and lets them spin between products, which doubles the CPU time on an idle machine and slows down a busy one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController, _ThreadpoolLimiter

_VARIABLES: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_thread() -> None:
    """Let all numerical libraries of this process use one thread from now on, loaded or not.

    For a worker process, which has other processes beside it to use the other cores.
    """
    from threadpoolctl import threadpool_limits

    for name in _VARIABLES:  # read by libraries when they are loaded
        os.environ.setdefault(name, "1")
    threadpool_limits(limits=1)  # for those that are loaded already


class _Limit:
    """A limit for the whole process, set when the first thread enters and lifted when the last one leaves."""

    def __init__(self) -> None:
        self._limiter: _ThreadpoolLimiter | None = None
        """Restores the original limits; None while there is no limit."""
        self.reset()

    def reset(self) -> None:
        """Forget the threads inside; a limit in force is lifted by the next thread that leaves."""
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
    os.register_at_fork(after_in_child=_limit.reset)  # the threads inside do not exist in the new process


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Compute matrix products on one thread within the block, and on as many as before after it.

    Any number of threads may be inside at once; the limit holds for all threads of the process meanwhile. A process
    forked inside keeps one thread until it has entered and left a block itself, since starting a pool of threads while
    forking could hang.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of all loaded BLAS libraries; cached, since looking them up takes a millisecond."""
    import numpy as np  # noqa: F401  (a library that is not loaded yet is not found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def _release() -> None:
    """Let any thread set the limit: newer versions of threadpoolctl obey only the thread that set it first."""
    from threadpoolctl import OpenBLASController

    if release := getattr(OpenBLASController, "clear_controlling_thread", None):
        release(force=True)
