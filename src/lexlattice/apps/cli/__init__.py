"""The command line: one module per command, each with `add(commands)` to declare it.

Only the module of the command that is run is imported. Command modules import `lexlattice.training`,
`lexlattice.evaluation` and `lexlattice.research` only when they run, so that `lexlattice summarize` starts fast.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from lexlattice import __version__
from lexlattice.apps.cli.common import INTERRUPTED, fail, info
from lexlattice.errors import LexLatticeError, OptionError

_COMMANDS: Final = (
    *("summarize", "parse", "plot", "serve", "mcp", "corpus"),  # for users
    *("data", "evaluate", "leaderboard", "prepare", "train", "encode", "encoder", "rewrite", "experiment"),  # research
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: The arguments; by default those of the process.

    Returns:
        The exit code: 0 for success, 1 if some acts of several failed, 2 for an error, 130 after Ctrl+C.

    """
    try:
        return _run(arguments)
    except LexLatticeError as error:
        return fail(str(error))
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        if error.filename is not None:  # a path that was given, such as one that is too long for any file system
            return fail(str(OptionError(f"Cannot use '{error.filename}': {error.strerror}; give another path.")))
        _discard_output()
        return fail(f"Cannot write the output: {error.strerror or error}; free some space, or choose another place.")
    except KeyboardInterrupt as interruption:
        info(f"Interrupted. {interruption}".rstrip())
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    parser = _parser([name for name in given[:1] if name in _COMMANDS] or _COMMANDS)
    try:
        options = parser.parse_args(given)
    except SystemExit:  # after --help and --version
        _flush()
        raise
    if options.run is None:
        parser.print_help(sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Acts are in three scripts: Latin, Greek and Cyrillic. Terminals with a legacy code page cannot print them all.
        sys.stdout.reconfigure(encoding="utf-8")
    code: int = options.run(options)
    _flush()
    return code


def _flush() -> None:
    """Write what is buffered now: at exit, an error would be reported as a bug."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_output() -> None:
    """Redirect standard output to the null device, so that Python does not fail again when it flushes at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _AlignedHelp(argparse.HelpFormatter):
    """Leaves room for the names of commands, whose indent Python 3.11 forgets to count."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        self._action_max_length += self._indent_increment * isinstance(action, argparse._SubParsersAction)


def _parser(names: Sequence[str] = _COMMANDS) -> argparse.ArgumentParser:
    """The parser with some of the commands: with all of them for help and for messages about a wrong name."""
    parser = argparse.ArgumentParser(
        prog="lexlattice",
        description="Summarize EU legal acts in all 24 official languages by verbatim provisions with citations.",
        formatter_class=_AlignedHelp,
        epilog="Run `lexlattice COMMAND --help` for the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"lexlattice {__version__}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in names:
        import_module(f"{__name__}.{name}").add(commands)
    return parser
