"""`lexlattice mcp`: acts for assistants, over standard input and output."""

from __future__ import annotations

import argparse
import sys

from lexlattice.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "mcp",
        help="let an assistant read, summarise and quote acts (Model Context Protocol)",
        description="A server for assistants that speak the Model Context Protocol, on standard input and output: "
        "tools to read an act, to summarise it, and to quote a provision exactly. An assistant starts it by itself.",
    )
    command.set_defaults(run=_serve)


def _serve(_: argparse.Namespace) -> int:
    from lexlattice.serving.mcp import server

    if sys.stdin is None or sys.stdout is None:
        raise LexLatticeError("Standard input or output is closed; an assistant needs both open.")
    ready = server()
    if sys.stdin.isatty():
        say("waiting for an assistant on standard input; Ctrl+C ends it.")
    ready.run()
    return 0
