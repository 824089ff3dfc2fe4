"""Shared parts of the commands: common arguments, reading the input, writing the output, and messages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lexlattice._internal.files import writing, written
from lexlattice._internal.progress import has_terminal
from lexlattice.errors import OptionError, OutputError
from lexlattice.reading import LANGUAGES, read
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.selection import LENGTHS, Budget

if TYPE_CHECKING:
    from lexlattice.act.document import Act

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any

INTERRUPTED: Final = 130
"""Exit code after Ctrl+C, as of a shell."""
SOME_FAILED: Final = 1
"""Exit code if some acts of several failed; 2 means that nothing was done."""
ALL_CORES: Final = os.cpu_count() or 1
ROWS: Final = (
    "JSON Lines (.jsonl, .jsonl.gz) or Parquet with the fields reference (the act), summary and optionally celex_id "
    "and language; or a folder saved by the datasets library"
)
ENCODERS: Final = "static, mt5, mt5:PATH, st:NAME, onnx:FOLDER or package.module:attribute"


# Arguments that several commands take.


def add_input(command: argparse.ArgumentParser) -> None:
    """Add the positional argument INPUT: one act."""
    command.add_argument(
        "input",
        metavar="INPUT",
        help="a file, a folder of Formex files, - for standard input, a CELEX number such as 32016R0679, or a URL",
    )


def add_language(command: argparse._ActionsContainer) -> None:
    """Add the option --lang."""
    command.add_argument(
        "--lang",
        dest="language",
        metavar="xx",
        type=str.lower,
        help="language of the act (default: detected; for CELEX numbers: en): " + " ".join(LANGUAGES),
    )


def add_length(command: argparse.ArgumentParser, *, reference: bool = False) -> None:
    """Add the options --words, --ratio and --budget, of which one may be given.

    Args:
        command: The command.
        reference: Whether acts have reference summaries, whose length is then the default.

    """
    default = "reference" if reference else "medium"
    length = command.add_argument_group("length", "at most one of these").add_mutually_exclusive_group()
    length.add_argument("--words", type=int, metavar="N", help="maximum number of words")
    length.add_argument("--ratio", type=float, metavar="R", help="maximum share of the act's words, such as 0.05")
    length.add_argument(
        "--budget",
        choices=(*LENGTHS, "reference") if reference else LENGTHS,
        help="relative to the official summaries of acts of that length: a third, the same or twice"
        + ("; or the length of each reference summary" if reference else "")
        + f" (default: {default})",
    )


def budget_of(options: argparse.Namespace, default: str = "medium") -> str:
    """Return the length given with --words, --ratio or --budget, as `Budget.parse` reads it."""
    if options.words is not None:
        return str(Budget("words", options.words))
    if options.ratio is not None:
        return str(Budget("ratio", options.ratio))
    return options.budget or default


def add_hierarchy(command: argparse._ActionsContainer) -> None:
    """Add the option --hierarchy."""
    command.add_argument(
        "--hierarchy",
        metavar="NAME|FILE.toml",
        help="for documents that are no EU acts, what their sections and paragraphs look like: a TOML file, or "
        "us-bill, german-law, french-code, polish-law or contract",
    )


def add_jobs(command: argparse._ActionsContainer) -> None:
    """Add the option -j, --jobs."""
    command.add_argument(
        "-j",
        "--jobs",
        type=int,
        metavar="N",
        default=ALL_CORES,
        help="number of processes; a transformer runs in one (default: all cores)",
    )


def add_device(command: argparse._ActionsContainer) -> None:
    """Add the option --device."""
    command.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda", "mps"),
        default="auto",
        help="where PyTorch computes; auto takes cuda, mps or cpu, the first that there is (default: %(default)s)",
    )


def add_encoder_options(command: argparse._ActionsContainer) -> None:
    """Add the options of commands that encode: --device, --precision, --cache and --cache-limit."""
    add_device(command)
    command.add_argument(
        "--precision",
        choices=("auto", "fp32", "bf16", "fp16", "int8"),
        default="auto",
        help="numeric precision of mt5 and st; auto is fp32 on the CPU, bf16 or fp16 on a GPU (default: %(default)s)",
    )
    command.add_argument("--cache", metavar="FOLDER", help="cache vectors in this folder, and reuse them")
    command.add_argument(
        "--cache-limit",
        metavar="GB",
        type=_gigabytes,
        help="most that this folder may take on disk; the oldest vectors are dropped then (default: 5)",
    )


def add_batch_tokens(command: argparse._ActionsContainer) -> None:
    """Add the option --batch-tokens."""
    command.add_argument(
        "--batch-tokens",
        metavar="N",
        type=int,
        help="most tokens that a transformer encodes at once (default: 2048 on the CPU, 32768 on a GPU)",
    )


def _gigabytes(text: str) -> int:
    return int(float(text) * 1e9)


def add_quiet(command: argparse._ActionsContainer) -> None:
    """Add the option -q, --quiet."""
    command.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def add_fields(command: argparse._ActionsContainer) -> None:
    """Add the option --fields, which maps the field names of rows."""
    command.add_argument(
        "--fields",
        metavar="NAME=COLUMN,…",
        help="names of the columns if they differ, such as reference=text,celex_id=id",
    )


def fields_of(options: argparse.Namespace) -> dict[str, str] | None:
    """Return the mapping given with --fields."""
    from lexlattice.evaluation.rows import parse_fields

    return parse_fields(options.fields) if options.fields else None


def shows_progress(options: argparse.Namespace) -> bool:
    """Whether a progress bar can and should be shown."""
    return not options.quiet and sys.stderr is not None


def shows_bar(options: argparse.Namespace) -> bool:
    """Whether a progress bar can and should be drawn."""
    return not options.quiet and has_terminal()


# Input and output.


def read_input(source: str, **options: Any) -> Act:
    """Read the act that INPUT names.

    Args:
        source: A path, `-` for standard input, a CELEX number or a URL.
        **options: Keyword arguments of `lexlattice.read`.

    Raises:
        OptionError: The input is empty, or standard input is closed.

    """
    if not source:
        raise OptionError("INPUT is empty; pass a file, a CELEX number or a URL.")
    if source == "-":
        if sys.stdin is None:
            raise OptionError("Standard input is closed; pass a file instead.")
        return read(sys.stdin.buffer, **options)
    # A file may have the name of a CELEX number; `read` prefers it, too.
    is_remote = is_url(source) or (is_celex(source) and not Path(source).exists())
    if is_remote and sys.stderr is not None and sys.stderr.isatty():
        info(f"fetching {source} …")
    # As a path, so that a name with a line break is not taken for a text.
    is_file = not is_remote and os.path.exists(source)  # noqa: PTH110 – no error for what no file can be called
    return read(Path(source) if is_file else source, **options)


@contextmanager
def output_file(name: str, source: str) -> Iterator[BinaryIO]:
    """Open the output file before the work starts, and put it in place once everything is written.

    Raises:
        OutputError: It cannot be written, or is the input file itself.

    """
    target = Path(name)
    # By inode, not by name: the output may be a link to the input.
    with writing(target):
        is_input = target.exists() and Path(source).exists() and target.samefile(source)
    if is_input:
        raise OutputError(f"'{name}' is the input file; choose another output file.")
    with written(target) as file:
        yield file


def check_stdout() -> None:
    """Raise an error if standard output is closed."""
    if sys.stdout is None:
        raise OutputError("Standard output is closed; redirect it to a file.")


def info(message: str) -> None:
    """Print a message to standard error; if it is on a full disk, the work goes on without."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"lexlattice: {message}", file=sys.stderr)


def fail(message: str) -> int:
    """Print an error message and return the exit code for it."""
    info(message)
    return 2
