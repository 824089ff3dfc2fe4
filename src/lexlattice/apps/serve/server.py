"""The uvicorn server: socket, signals, graceful shutdown, and the number of connections."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Final

import uvicorn

from lexlattice.apps.serve.app import create_app
from lexlattice.apps.serve.connections import Connections, protocol_for
from lexlattice.apps.serve.jobs import MAX_RESPONSE_BYTES
from lexlattice.apps.serve.settings import Settings
from lexlattice.errors import LexLatticeError, OptionError

_RESERVED_FILES: Final = 100
"""Open files that the service itself needs; half of the limit if that is low."""
_ACCEPTED_AT_ONCE: Final = 16
"""Connections that asyncio accepts in one go; a few times as many are open before they are counted."""
_BACKLOG: Final = 2048
_MAX_CONNECTIONS: Final = 4096
"""Far more than the workers can serve, and few enough to look through."""
_UNREAD_RESPONSES: Final = 8
"""How many of the largest responses may wait in memory to be read."""


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
        connections = Connections(
            settings.max_seconds,
            max_connections(),
            settings.max_connections_per_address,
            _UNREAD_RESPONSES * MAX_RESPONSE_BYTES,
        )
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
                http=protocol_for(connections),
                backlog=_ACCEPTED_AT_ONCE,
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
            for listening in sockets or [self._socket]:
                listening.listen(_BACKLOG)  # asyncio has made the system's queue as short as its own
            self._on_ready(self.address)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Refuse new requests from now on."""
        self._app.state.service.pool.drain()
        super().handle_exit(sig, frame)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise OptionError(f"Cannot open port {port} on {host} ({reason}); choose another.") from None


def max_connections() -> int:
    """Raise the limit of open files as far as the system allows, and return how many of them may be connections."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return _MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    if soft < 2:
        raise LexLatticeError("The system allows no open files; raise `ulimit -n`.")
    return min(_MAX_CONNECTIONS, max(soft - _RESERVED_FILES, soft // 2))
