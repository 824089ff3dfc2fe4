"""What a service allows: one place for every limit."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from lexlattice.errors import LexLatticeError

_A_DAY: Final = 86_400
_LEAST_MEMORY: Final = 500_000_000


def _cores() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Settings:
    """The defaults suit one person on their own machine; nobody else can reach it."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0 for any that is free."""
    workers: int = field(default_factory=_cores)
    """Processes that read and summarise."""
    queue: int = 64
    """Requests that may wait for one of them; more are turned away."""
    max_bytes: int = 20_000_000
    """Of one request."""
    max_memory: int = 2_000_000_000
    """Bytes that each of the processes may have; the largest acts known need a quarter of it."""
    max_seconds: float = 30.0
    """For a request to arrive, then to wait, then to be worked on."""
    max_acts: int = 1000
    """In one request."""
    names: tuple[str, ...] = ()
    """Names under which it may be asked, besides those of this machine: behind a proxy, the public one."""
    fetch: bool = True
    """Whether acts may be named by CELEX number and are then fetched from the Publications Office."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise LexLatticeError(
                f"There is no port {self.port}; choose one from 1 to 65535, or 0 for any that is free."
            )
        for name, value in (("workers", self.workers), ("bytes", self.max_bytes), ("acts", self.max_acts)):
            if value < 1:
                raise LexLatticeError(f"A service with {value} {name} can do nothing; allow one at least.")
        if self.max_memory < _LEAST_MEMORY:
            raise LexLatticeError(f"A process needs {_LEAST_MEMORY // 10**6} MB of memory; allow that at least.")
        if self.queue < 0:
            raise LexLatticeError(f"{self.queue} requests cannot wait; allow none, or more.")
        if not 0 < self.max_seconds <= _A_DAY:
            raise LexLatticeError(
                f"{self.max_seconds:g} seconds are no limit for a request; allow more than 0, and a day at most."
            )

    @property
    def max_held(self) -> int:
        """Bytes of all requests that are there at the same time."""
        return 16 * self.max_bytes
