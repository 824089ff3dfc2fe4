"""Acts as the client of the REST service sends them: from a path, bytes, a text or a CELEX number."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from lexlattice.errors import LexLatticeError, OptionError, ReadingError
from lexlattice.reading import is_text
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.identifiers import identify_act

Source = str | os.PathLike[str] | bytes
"""An act, as for `lexlattice.read`: a path, the bytes of a file, the text, a CELEX number, or an address with one."""
BATCH_ACTS: Final = 32
BATCH_BYTES: Final = 8_000_000
"""Limits of one request with several acts, well below those of the service."""
_LONGEST_PATH: Final = 400
"""Characters of a path that an error shows; a string may be a text that was taken for one."""


def resolve(source: Source) -> tuple[str, bytes]:
    """Return the CELEX number that a source is, or its bytes; a string is what it is for `lexlattice.read`.

    Raises:
        OptionError: It is an address that names no act, or the number of one without its kind.
        ReadingError: There is no such file.

    """
    if isinstance(source, bytes):
        return "", source
    if isinstance(source, str) and is_text(source):
        return "", source.encode("utf-8", "replace")
    path = Path(source)
    named = identify_act(source) if isinstance(source, str) else None
    if isinstance(source, str) and (is_url(source) or is_celex(source)) and not path.exists():
        if named is None:
            raise OptionError("The service opens no addresses but those of acts; pass a file or the text.")
        return named.candidates[0].celex, b""
    try:
        return "", path.read_bytes()
    except (OSError, ValueError) as error:
        shown = f"'{str(source)[:_LONGEST_PATH]}'"
        if named is not None:
            numbers = " or ".join(act.celex for act in named.candidates)
            raise OptionError(f"{shown} names an act; pass its CELEX number, {numbers} (see `identify`).") from None
        reason = getattr(error, "strerror", None) or error
        raise ReadingError(f"Cannot read {shown}: {reason}; pass a path, bytes or a whole text.") from None


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
    """Yield acts, each with its source, in lists that fit into one request."""
    batch: list[tuple[Source, bytes | LexLatticeError]] = []
    size = 0
    for source, act in acts:
        length = len(act) if isinstance(act, bytes) else 0
        if batch and (len(batch) == BATCH_ACTS or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((source, act))
        size += length
    if batch:
        yield batch
