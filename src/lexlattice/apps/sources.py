"""Acts on their way to another process or to the REST service: what a path, an open file, an `Act` and so on hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, Final

from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError, OptionError, ReadingError, brief
from lexlattice.reading import is_text
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.formats import MAX_BYTES
from lexlattice.reading.identifiers import identify_act

Source = str | os.PathLike[str] | bytes | bytearray | IO[bytes] | IO[str] | Act
"""An act, as for `lexlattice.summarize`; an address has to be that of an act."""
Plain = str | bytes | Path | Act
BATCH_ACTS: Final = 32
BATCH_BYTES: Final = 8_000_000
"""Limits of one request with several acts, well below those of the service."""
_LONGEST_PATH: Final = 400
"""Characters of a path that an error shows; a string may be a text that was taken for one."""


def plain(source: object) -> Plain:
    """Return what a source holds, without types of the caller's own; an open file is read at once, while it is open.

    Raises:
        ReadingError: It cannot be read, or is nothing that holds an act.

    """
    kind = type(source).__name__
    try:
        if isinstance(source, bytes | bytearray):
            return bytes(memoryview(source))
        if isinstance(source, str):
            return str.__str__(source)
        if isinstance(source, os.PathLike):
            return Path(os.fsdecode(source))
        if isinstance(source, Act):
            return (
                source if type(source) is Act else Act(**{one.name: getattr(source, one.name) for one in fields(Act)})
            )
        if hasattr(source, "read"):
            content = source.read(MAX_BYTES + 1)
            return content.encode("utf-8", "replace") if isinstance(content, str) else bytes(memoryview(content))
    except Exception as error:  # whatever kind of file it is
        raise ReadingError(
            f"An act cannot be read from this {kind!r} ({brief(error)}); open the file again, or give its path."
        ) from None
    raise ReadingError(
        f"An act cannot be read from {kind!r}; give a path, bytes, an open file, a CELEX number, a URL or the text."
    )


def plain_or_error(source: object) -> Plain | ReadingError:
    """Return what one of many sources holds, or the error that stands in its place."""
    try:
        return plain(source)
    except ReadingError as error:
        return error


def resolve(source: Source) -> tuple[str, bytes]:
    """Return the CELEX number that a source is, or its bytes; a string is what it is for `lexlattice.read`.

    Raises:
        OptionError: It is an address that names no act, or the number of one without its kind.
        ReadingError: There is no such file.

    """
    given = plain(source)
    if isinstance(given, Act):
        return "", given.source.encode("utf-8", "replace")
    if isinstance(given, bytes):
        return "", given
    if isinstance(given, str) and is_text(given):
        return "", given.encode("utf-8", "replace")
    path = Path(given)
    named = identify_act(given) if isinstance(given, str) else None
    if isinstance(given, str) and (is_url(given) or is_celex(given)) and not _exists(path):
        if named is None:
            raise OptionError("The service opens no addresses but those of acts; pass a file or the text.")
        return named.candidates[0].celex, b""
    try:
        return "", path.read_bytes()
    except (OSError, ValueError) as error:
        shown = f"'{str(given)[:_LONGEST_PATH]}'"
        if named is not None:
            numbers = " or ".join(act.celex for act in named.candidates)
            raise OptionError(f"{shown} names an act; pass its CELEX number, {numbers} (see `identify`).") from None
        reason = getattr(error, "strerror", None) or error
        raise ReadingError(f"Cannot read {shown}: {reason}; pass a path, bytes or a whole text.") from None


def _exists(path: Path) -> bool:
    """Whether there is such a file; an address can be too long to be the name of one."""
    with suppress(OSError):
        return path.exists()
    return False


def content_of(source: Source) -> bytes | LexLatticeError:
    """Return the bytes of one of many acts, or the error that stands in its place."""
    try:
        named, content = resolve(source)
    except (OptionError, ReadingError) as error:
        return error
    return OptionError(f"CELEX numbers are summarized one at a time; use summarize for {named}.") if named else content


def form(acts: Sequence[bytes], options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of httpx for a form; options that are None are left to the service."""
    fields = {
        name: json.dumps(value) if isinstance(value, bool) else " ".join(value) if name == "units" else str(value)
        for name, value in options.items()
        if value is not None
    }
    return {"files": [("file", ("act", act)) for act in acts], "data": fields}


def batches(
    acts: Iterable[tuple[Source, bytes | LexLatticeError]],
) -> Iterator[list[tuple[Source, bytes | LexLatticeError]]]:
    """Yield acts, each with its source, in lists that fit into one request; what a source raises comes after them."""
    batch: list[tuple[Source, bytes | LexLatticeError]] = []
    size = 0
    failure: Exception | None = None
    try:
        for source, act in acts:
            length = len(act) if isinstance(act, bytes) else 0
            if batch and (len(batch) == BATCH_ACTS or size + length > BATCH_BYTES):
                yield batch
                batch, size = [], 0
            batch.append((source, act))
            size += length
    except Exception as error:
        failure = error
    if batch:
        yield batch
    if failure is not None:
        raise failure
