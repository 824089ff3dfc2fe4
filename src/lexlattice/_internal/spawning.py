"""Worker processes that do not import the program that starts them.

A spawned process imports the main module of its parent first, so that it can unpickle what is defined there. A script
without `if __name__ == "__main__"` would run again in every process: files that it opens for writing would be lost, and
it would start processes of its own. Processes that need nothing of the main module are better off without it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, wraps
from multiprocessing import spawn
from typing import Any, Final

_MAIN: Final = ("init_main_from_name", "init_main_from_path")
"""What tells a spawned process to import the main module."""
_thread = threading.local()


@contextmanager
def without_main_module() -> Iterator[None]:
    """Processes that this thread spawns within the block do not import the main module."""
    _extend()
    _thread.is_without_main = True
    try:
        yield
    finally:
        _thread.is_without_main = False


@cache
def _extend() -> None:
    """Let the data that prepare a process depend on the thread that starts it; those of other threads stay the same.

    The module has no setting for it, and hiding the main module meanwhile would affect the other threads.
    """
    usual = spawn.get_preparation_data

    @wraps(usual)
    def data_for(name: str) -> dict[str, Any]:
        found = dict(usual(name))
        if getattr(_thread, "is_without_main", False):
            for key in _MAIN:
                found.pop(key, None)
        return found

    spawn.get_preparation_data = data_for
