"""The server around the service: an address, signals, and an end that lets what is running finish."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from lexlattice.apps.serve.app import create_app
from lexlattice.apps.serve.middleware import most_connections, timed
from lexlattice.apps.serve.settings import Settings
from lexlattice.errors import LexLatticeError


class Server(uvicorn.Server):
    """Says where it is once it can be asked, and lets nothing new in once it is told to end."""

    def __init__(self, settings: Settings, opened: Callable[[str], None] = lambda address: None) -> None:
        self._app = create_app(settings)
        self._opened, self._settings = opened, settings
        self._socket = _bound(settings.host, settings.port)
        super().__init__(
            uvicorn.Config(
                self._app,
                log_level="critical",  # what goes wrong is said in one sentence, by us
                access_log=False,  # it would show queries
                server_header=False,
                timeout_keep_alive=75,  # longer than clients keep theirs, or one may be closed as it is used again
                timeout_graceful_shutdown=int(2 * settings.max_seconds) + 1,
                lifespan="on",
                http=timed(settings.max_seconds, most_connections()),
                ws="none",
            )
        )

    @property
    def address(self) -> str:
        """With the port that was really opened."""
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def serve_until_told(self) -> None:
        """Until SIGTERM or Ctrl-C; then what is running is finished."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _nothing_more)  # uvicorn raises them once more at the end
        self.run()
        if not self.started:
            raise LexLatticeError("The service could not be started; check memory and installation.")

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Until `should_exit` is set."""
        super().run(sockets or [self._socket])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As always, and then say so."""
        await super().startup(sockets)
        if self.started:
            self._opened(self.address)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """From now on nothing new is let in."""
        self._app.state.service.pool.drain()
        super().handle_exit(sig, frame)


def _nothing_more(_number: int, _frame: FrameType | None) -> None:
    pass


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise LexLatticeError(f"Port {port} of {host} cannot be opened ({reason}); choose another.") from None
