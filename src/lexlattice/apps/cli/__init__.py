"""The command line: parses arguments, calls the library, prints. A module for each command."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from lexlattice import __version__
from lexlattice.apps.cli import (
    corpus,
    encode,
    encoder,
    evaluate,
    experiment,
    mcp,
    parse,
    plot,
    prepare,
    rewrite,
    serve,
    summarize,
    train,
)
from lexlattice.apps.cli.shell import fail
from lexlattice.errors import LexLatticeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 2 when the input or the call was at fault."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help(sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # acts are in three scripts, whatever the terminal's settings
    try:
        code: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except LexLatticeError as error:
        return fail(str(error))
    except BrokenPipeError:
        _abandon_output()
        return 0
    except OSError as error:
        _abandon_output()
        return fail(f"The output cannot be written: {error.strerror or error}.")
    except KeyboardInterrupt:
        return 130
    return code


def _abandon_output() -> None:
    """Nobody reads on, or nothing more can be written: keep Python from trying again at its exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lexlattice",
        description="EU legal acts, in any of the 24 official languages, as provisions that can be cited.",
    )
    parser.add_argument("--version", action="version", version=f"lexlattice {__version__}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(metavar="COMMAND")
    for command in (
        *(summarize, parse, rewrite, plot, corpus, evaluate, experiment),
        *(encode, encoder, prepare, train, serve, mcp),
    ):
        command.add(commands)
    return parser
