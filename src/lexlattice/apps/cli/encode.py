"""`lexlattice encode`: a text file, a line each, into vectors."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from lexlattice._internal.files import writing
from lexlattice.apps.cli.shell import Commands, output, say
from lexlattice.errors import LexLatticeError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "encode",
        help="turn each line of a text file into a vector",
        description="Turn each line of a text file into a vector, and write all as a NumPy array, a row a line.",
        epilog="Encoders: static (embedded, 24 languages), static:FILE, mt5, mt5:ID-or-FOLDER, st:NAME-or-FOLDER, "
        "onnx:FOLDER.",
    )
    command.set_defaults(run=_encode)
    command.add_argument("file", metavar="FILE.txt", help="UTF-8 text, or - for standard input")
    command.add_argument("-o", "--output", metavar="VECTORS.npy", required=True, help="where the array goes")
    command.add_argument("--encoder", metavar="NAME", default="static", help="which encoder (default: %(default)s)")
    command.add_argument(
        "--precision", choices=("fp32", "bf16", "int8"), default="fp32", help="of mt5 (default: %(default)s)"
    )
    command.add_argument("--cache", metavar="FOLDER", help="keep vectors there, and take those that are there already")
    command.add_argument("--quiet", action="store_true", help="no progress bar")


def _encode(options: argparse.Namespace) -> int:
    import numpy as np

    from lexlattice.encoding import EmptyTextWarning, Encoder, load

    if options.output == "-":
        raise LexLatticeError("Vectors cannot be written to '-'; name a file, or /dev/stdout.")
    lines = _lines(options.file)
    with warnings.catch_warnings(record=True) as noted, output(options.output, options.file) as file:
        warnings.simplefilter("always")
        encoder: Encoder = load(options.encoder, precision=options.precision, cache=options.cache)
        vectors = np.ascontiguousarray(encoder.encode(lines, progress=not options.quiet and sys.stderr is not None))
        with writing(Path(options.output)):
            header = np.lib.format.header_data_from_array_1_0(vectors)
            np.lib.format.write_array_header_1_0(file, header)
            file.write(vectors.data)
    for warning in noted:
        if warning.category is not EmptyTextWarning:
            say(f"note: {warning.message}")
    empty = int((~vectors.any(axis=1)).sum())
    note = f"; {empty:,} of them have nothing to encode, and zero vectors" if empty else ""
    say(f"{len(lines):,} lines, {encoder.dimensions} dimensions, encoder {encoder.name} ({encoder.fingerprint}){note}.")
    return 0


def _lines(name: str) -> list[str]:
    """The lines of a file; a byte order mark is no text, and the last line end ends no line more."""
    try:
        if name == "-":
            if sys.stdin is None:
                raise LexLatticeError("Standard input is closed; give a file, or open it.")
            content = sys.stdin.buffer.read()
        else:
            content = Path(name).read_bytes()
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LexLatticeError(f"'{name}' is not UTF-8 text (line {line}); convert it, and try again.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have that name"
        raise LexLatticeError(f"'{name}' cannot be read ({reason}).") from error
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
