"""`lexlattice serve`: the web reader and the REST service."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from typing import Final

from lexlattice.apps.cli.shell import Commands, say
from lexlattice.apps.serve.settings import Settings
from lexlattice.errors import LexLatticeError, MissingExtraError

_MOST_MB: Final = 1000


def add(commands: Commands) -> None:
    """Declare the command."""
    usual = Settings()
    command = commands.add_parser(
        "serve",
        help="open the web reader, which is a REST service too",
        description="Open the web reader, which is a REST service too. Nothing that is sent to it is kept or logged.",
    )
    command.set_defaults(run=_serve)
    command.add_argument(
        "--host", default=usual.host, help="the address to listen on (default: %(default)s, for this machine only)"
    )
    command.add_argument(
        "--port", type=int, metavar="N", default=usual.port, help="0 for any that is free (default: %(default)s)"
    )
    command.add_argument(
        "--name",
        action="append",
        dest="names",
        default=[],
        help="a name under which others ask for it, such as that of a proxy; may be given several times",
    )
    command.add_argument(
        "--workers", type=int, metavar="N", default=usual.workers, help="processes (default: one for each core)"
    )
    command.add_argument(
        "--queue", type=int, metavar="N", default=usual.queue, help="requests that may wait (default: %(default)s)"
    )
    command.add_argument(
        "--max-mb", type=float, metavar="N", default=usual.max_bytes / 1e6, help="of a request (default: %(default)g)"
    )
    command.add_argument(
        "--max-memory-mb",
        type=float,
        metavar="N",
        default=usual.max_memory / 1e6,
        help="of each process (default: %(default)g)",
    )
    command.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        default=usual.max_seconds,
        help="for a request to arrive, to wait, and to be worked on (default: %(default)g)",
    )
    command.add_argument(
        "--fetch",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether acts may be named by CELEX number (default: yes)",
    )
    command.add_argument(
        "--open", action=argparse.BooleanOptionalAction, default=True, help="whether to open a browser (default: yes)"
    )


def _serve(options: argparse.Namespace) -> int:
    if not 0 < options.max_mb <= _MOST_MB:
        raise LexLatticeError(
            f"{options.max_mb:g} MB are no limit for a request; allow more than 0, and {_MOST_MB} at most."
        )
    settings = Settings(
        host=options.host,
        port=options.port,
        workers=options.workers,
        queue=options.queue,
        max_bytes=int(options.max_mb * 1_000_000),
        max_memory=_whole(options.max_memory_mb),
        max_seconds=options.timeout,
        names=tuple(options.names),
        fetch=options.fetch,
    )
    try:
        from lexlattice.apps.serve.server import Server
    except ImportError:
        raise MissingExtraError("The service", "serve") from None

    def opened(address: str) -> None:
        say(f"open {address} in a browser; Ctrl-C ends it.")
        if options.open and _has_display():
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    Server(settings, opened).serve_until_told()
    return 0


def _whole(megabytes: float) -> int:
    """In bytes; what is no number is none."""
    return int(megabytes * 1_000_000) if 0 < megabytes < 1e9 else 0


def _has_display() -> bool:
    """Whether there is a screen on which a browser could open."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
