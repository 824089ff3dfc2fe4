"""`lexlattice mcp`: a Model Context Protocol server on standard input and output."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from lexlattice.apps.cli.common import Commands, check_stdout, info
from lexlattice.errors import OptionError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "mcp",
        help="serve acts to AI assistants (Model Context Protocol)",
        description="Serve acts to AI assistants over the Model Context Protocol (stdio): tools to read an act, to "
        "summarize it, and to quote a provision exactly. The assistant starts this command; see its MCP settings.",
    )
    command.add_argument(
        "--root",
        type=Path,
        metavar="DIR",
        default=Path(),
        help="folder whose files the assistant may read, including subfolders (default: the working directory)",
    )
    command.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    from lexlattice.apps.mcp import create_server

    check_stdout()
    if sys.stdin is None:
        raise OptionError("Standard input is closed; an MCP server reads its requests from it.")
    if not options.root.is_dir():
        raise OptionError(f"--root '{options.root}' is not a folder; pass one whose files may be read.")
    server = create_server(options.root)
    if sys.stdin.isatty():
        info("waiting for an MCP client on standard input; press Ctrl+C to stop.")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # otherwise the SDK waits for one more line before it stops
    server.run()
    return 0
