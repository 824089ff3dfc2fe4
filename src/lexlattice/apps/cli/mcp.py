"""`lexlattice mcp`: acts for assistants, over standard input and output."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "mcp",
        help="let an assistant read, summarise and quote acts (Model Context Protocol)",
        description="A server for assistants that speak the Model Context Protocol, on standard input and output: "
        "tools to read an act, to summarise it, and to quote a provision exactly. An assistant starts it by itself.",
    )
    command.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        default=Path(),
        help="the folder in which files may be read, with all that is below it (default: the working directory)",
    )
    command.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    from lexlattice.apps.mcp import server

    if sys.stdin is None or sys.stdout is None:
        raise LexLatticeError("Standard input or output is closed; an assistant needs both open.")
    if not options.root.is_dir():
        raise LexLatticeError(f"There is no folder '{options.root}'; name one whose files may be read.")
    ready = server(options.root)
    if sys.stdin.isatty():
        say("waiting for an assistant on standard input; Ctrl+C ends it.")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # at once: the SDK would wait for one more line
    ready.run()
    return 0
