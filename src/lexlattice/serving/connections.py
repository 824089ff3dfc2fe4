"""Connections that are given only so much time, and only so many of them: whoever sends or takes nothing is cut off."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lexlattice.errors import LexLatticeError

_RESERVE: Final = 100
"""Files that the service itself needs open; half of all where there are few."""


def timed(seconds: float, most: int) -> type[asyncio.Protocol]:
    """Connections of uvicorn's that do not wait for ever: for a request's head, or for an answer to be taken."""

    class Timed(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """One connection."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._ends: dict[str, asyncio.TimerHandle] = {}

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
            self._begin("head")

        def connection_lost(self, exc: Exception | None) -> None:
            for what in tuple(self._ends):
                self._end(what)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.response_complete:
                self._begin("head")
            else:
                self._end("head")

        def pause_writing(self) -> None:
            super().pause_writing()
            self._begin("answer")

        def resume_writing(self) -> None:
            super().resume_writing()
            self._end("answer")

        def _begin(self, what: str) -> None:
            if what not in self._ends:
                self._ends[what] = self.loop.call_later(seconds, self.transport.abort)

        def _end(self, what: str) -> None:
            if what in self._ends:
                self._ends.pop(what).cancel()

    return Timed


def most_connections() -> int:
    """How many there may be at once, so that files can still be opened; as many as the system allows are asked for."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 4096
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    if soft < 2:
        raise LexLatticeError("The system allows no open files; raise `ulimit -n`.")
    return int(max(soft - _RESERVE, soft // 2))
