"""`lexlattice encode`: turn each line of a text file into a vector."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from lexlattice._internal.files import writing
from lexlattice.apps.cli.common import (
    ENCODERS,
    Commands,
    add_batch_tokens,
    add_encoder_options,
    add_quiet,
    info,
    output_file,
    shows_bar,
)
from lexlattice.errors import DataError, OptionError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "encode",
        help="turn each line of a text file into a vector",
        description="Turn each line of a text file into a vector, and write them as a NumPy array with one row per "
        "line.",
    )
    command.set_defaults(run=_encode)
    command.add_argument("file", metavar="FILE", help="UTF-8 text file, or - for standard input")
    command.add_argument("-o", "--output", metavar="FILE.npy", required=True, help="output file")
    command.add_argument("--encoder", metavar="NAME", default="static", help=f"{ENCODERS} (default: %(default)s)")
    add_encoder_options(command)
    add_batch_tokens(command)
    add_quiet(command)


def _encode(options: argparse.Namespace) -> int:
    import numpy as np

    from lexlattice.encoding import EmptyTextWarning, Encoder, load

    if options.output == "-":
        raise OptionError("An array cannot be written to '-'; pass a file, or /dev/stdout.")
    lines = _lines(options.file)
    with warnings.catch_warnings(record=True) as caught, output_file(options.output, options.file) as file:
        warnings.simplefilter("always")
        encoder: Encoder = load(
            options.encoder,
            device=options.device,
            precision=options.precision,
            batch_tokens=options.batch_tokens,
            cache=options.cache,
            cache_limit=options.cache_limit,
        )
        vectors = np.ascontiguousarray(encoder.encode(lines, progress=shows_bar(options)))
        with writing(Path(options.output)):
            # np.save would need a seekable file; header and data work for a pipe, too.
            header = np.lib.format.header_data_from_array_1_0(vectors)
            np.lib.format.write_array_header_1_0(file, header)
            file.write(vectors.data)
    for warning in caught:
        if warning.category is not EmptyTextWarning:
            info(f"warning: {warning.message}")
    empty = int((~vectors.any(axis=1)).sum())
    note = f"; {empty:,} lines have nothing to encode and became zero vectors" if empty else ""
    info(
        f"{len(lines):,} lines, {encoder.dimensions} dimensions, encoder {encoder.name} ({encoder.fingerprint}){note}."
    )
    return 0


def _lines(name: str) -> list[str]:
    """Return the lines of a UTF-8 file, without a byte order mark; a final newline does not start another line."""
    try:
        if name == "-":
            if sys.stdin is None:
                raise OptionError("Standard input is closed; pass a file instead.")
            content = sys.stdin.buffer.read()
        else:
            content = Path(name).read_bytes()
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"'{name}' is not UTF-8 text (line {line}); convert it and try again.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a valid file name"
        raise DataError(f"Cannot read '{name}' ({reason}).") from error
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
