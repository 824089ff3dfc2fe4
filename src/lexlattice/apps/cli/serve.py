"""`lexlattice serve`: the web reader and the REST service."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from typing import Final

from lexlattice.apps.cli.common import Commands, info
from lexlattice.apps.serve.settings import Settings
from lexlattice.errors import MissingExtraError, OptionError

_MAX_REQUEST_MB: Final = 1000


def add(commands: Commands) -> None:
    """Declare the command."""
    defaults = Settings()
    command = commands.add_parser(
        "serve",
        help="start the web reader and REST service",
        description="Start the web reader and REST service. Nothing that is sent to it is stored or logged.",
    )
    command.set_defaults(run=_serve)
    command.add_argument(
        "--host", default=defaults.host, help="address to listen on (default: %(default)s, this machine only)"
    )
    command.add_argument(
        "--port", type=int, metavar="N", default=defaults.port, help="port; 0 for any free one (default: %(default)s)"
    )
    command.add_argument(
        "--allow-host",
        action="append",
        dest="allowed_hosts",
        metavar="NAME",
        default=[],
        help="public host name, such as that of a reverse proxy, with the port if it is unusual; repeat for several",
    )
    command.add_argument(
        "--workers",
        type=int,
        metavar="N",
        default=defaults.workers,
        help="number of worker processes (default: all cores)",
    )
    command.add_argument(
        "--queue", type=int, metavar="N", default=defaults.queue, help="requests that may wait (default: %(default)s)"
    )
    command.add_argument(
        "--max-mb",
        type=float,
        metavar="N",
        default=defaults.max_bytes / 1e6,
        help="size limit of a request (default: %(default)g)",
    )
    command.add_argument(
        "--max-memory-mb",
        type=float,
        metavar="N",
        default=defaults.max_memory / 1e6,
        help="memory limit of each worker (default: %(default)g)",
    )
    command.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        default=defaults.max_seconds,
        help="limit for a request to arrive, to wait, and to be processed (default: %(default)g)",
    )
    command.add_argument(
        "--max-connections-per-address",
        type=int,
        metavar="N",
        help="connections of one address (default: a quarter of all; any number from this machine)",
    )
    command.add_argument(
        "--fetch",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="fetch acts by CELEX number (default: yes)",
    )
    command.add_argument(
        "--open", action=argparse.BooleanOptionalAction, default=True, help="open a browser (default: yes)"
    )


def _serve(options: argparse.Namespace) -> int:
    if not 0 < options.max_mb <= _MAX_REQUEST_MB:
        raise OptionError(f"--max-mb must be above 0 and at most {_MAX_REQUEST_MB}, not {options.max_mb:g}.")
    settings = Settings(
        host=options.host,
        port=options.port,
        workers=options.workers,
        queue=options.queue,
        max_bytes=int(options.max_mb * 1_000_000),
        max_memory=_bytes(options.max_memory_mb),
        max_seconds=options.timeout,
        max_connections_per_address=options.max_connections_per_address,
        allowed_hosts=tuple(options.allowed_hosts),
        fetch=options.fetch,
    )
    try:
        from lexlattice.apps.serve.server import Server
    except ImportError:
        raise MissingExtraError("The service", "serve") from None

    def on_ready(address: str) -> None:
        info(f"open {address} in a browser; press Ctrl+C to stop.")
        if options.open and _has_display():
            import webbrowser

            # Some browsers block until they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    Server(settings, on_ready).serve_until_signal()
    return 0


def _bytes(megabytes: float) -> int:
    """Convert to bytes; infinity and NaN become 0, which `Settings` rejects."""
    return int(megabytes * 1_000_000) if 0 < megabytes < 1e9 else 0


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
