"""The uvicorn server: socket, signals, graceful shutdown, and timeouts of connections."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lexlattice.apps.serve.app import create_app
from lexlattice.apps.serve.settings import Settings
from lexlattice.errors import LexLatticeError, OptionError

_RESERVED_FILES: Final = 100
"""Open files that the service itself needs; half of the limit if that is low."""


class Server(uvicorn.Server):
    """Runs the application, and reports its address once it accepts requests."""

    def __init__(self, settings: Settings, on_ready: Callable[[str], None] = lambda address: None) -> None:
        """Open the socket.

        Args:
            settings: Host, port and limits.
            on_ready: Called with the address once the service accepts requests.

        Raises:
            OptionError: The port cannot be opened.

        """
        self._app = create_app(settings)
        self._on_ready = on_ready
        self._socket = _listen(settings.host, settings.port)
        super().__init__(
            uvicorn.Config(
                self._app,
                log_level="critical",  # errors are reported as one sentence by the command
                access_log=False,  # it would contain queries
                server_header=False,
                timeout_keep_alive=75,  # longer than clients keep theirs, or one may be closed as it is used again
                timeout_graceful_shutdown=int(2 * settings.max_seconds) + 1,
                lifespan="on",
                http=timed_protocol(settings.max_seconds, max_connections()),
                ws="none",
            )
        )

    @property
    def address(self) -> str:
        """The URL, with the port that was actually opened."""
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def serve_until_signal(self) -> None:
        """Serve until SIGTERM or Ctrl+C, then finish the running requests."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)  # uvicorn raises the signal again when it has shut down
        self.run()
        if not self.started:
            raise LexLatticeError("The service could not be started; check memory and installation.")

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until `should_exit` is set."""
        super().run(sockets or [self._socket])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report the address."""
        await super().startup(sockets)
        if self.started:
            self._on_ready(self.address)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Refuse new requests from now on."""
        self._app.state.service.pool.drain()
        super().handle_exit(sig, frame)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise OptionError(f"Cannot open port {port} on {host} ({reason}); choose another.") from None


def timed_protocol(seconds: float, limit: int) -> type[asyncio.Protocol]:
    """Return a uvicorn protocol that closes idle and excess connections.

    Args:
        seconds: The time in which a client must send the head of a request, and in which it must read on.
        limit: The number of connections at the same time.

    """

    class TimedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """One connection, with a timer for the request head and one for a blocked response."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._timers: dict[str, asyncio.TimerHandle] = {}

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            # Beyond the limit of open files, accept() itself would fail for everybody.
            if len(self.connections) > limit:
                transport.abort()
            self._start_timer("head")

        def connection_lost(self, exc: Exception | None) -> None:
            for name in tuple(self._timers):
                self._stop_timer(name)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            # No cycle, or a complete one: the head of the next request is still incomplete.
            if self.cycle is None or self.cycle.response_complete:
                self._start_timer("head")
            else:
                self._stop_timer("head")

        # The transport pauses writing when the client does not read and its buffer is full.
        def pause_writing(self) -> None:
            super().pause_writing()
            self._start_timer("response")

        def resume_writing(self) -> None:
            super().resume_writing()
            self._stop_timer("response")

        def _start_timer(self, name: str) -> None:
            if name not in self._timers:
                self._timers[name] = self.loop.call_later(seconds, self.transport.abort)

        def _stop_timer(self, name: str) -> None:
            if name in self._timers:
                self._timers.pop(name).cancel()

    return TimedProtocol


def max_connections() -> int:
    """Raise the limit of open files as far as the system allows, and return how many of them may be connections."""
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
    return int(max(soft - _RESERVED_FILES, soft // 2))
