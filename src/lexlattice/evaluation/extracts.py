r"""Extracts that others made as a system: `extracts:FILE`, a row for each act.

    {"celex_id": "32016R0679", "extract": "Text, with one passage on each line."}
    {"celex_id": "32016R0679", "extract": ["a passage of the act", "another one"]}
    {"celex_id": "32016R0679", "extract": [[120, 164], [310, 352]]}
    {"celex_id": "32016R0679", "extract": ["art-1"], "places": {"art-1": [120, 164]}}

Places are ranges of words of the act, counted with `\w+`, the end exclusive. The last form is that of the gold
annotations, so their files can be given too. An act that is not in the file has an empty extract.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lexlattice.errors import DataError
from lexlattice.evaluation.gold import Place
from lexlattice.evaluation.passages import Passages
from lexlattice.evaluation.rows import is_text, parse_line
from lexlattice.evaluation.sources import CELEX, Broken, open_source

Content = str | tuple[Place, ...]
"""An extract: its text with one passage on each line, or its places."""
EXTRACT: Final = "extract"
_PLACES: Final = "places"
_KINDS: Final = "text, a list of passages, or a list of places [from, to]"


def read_extracts(path: str | Path) -> dict[str, Content]:
    """Read a file of extracts: JSON Lines, gzipped or not, or Parquet.

    Returns:
        The extracts by CELEX number.

    Raises:
        DataError: The file cannot be read, a row is not an extract, or two are of the same act.

    """
    found: dict[str, Content] = {}
    for number, record in enumerate(open_source(Path(path), "", (CELEX, EXTRACT, _PLACES)), 1):
        if record == b"":
            continue
        row = parse_line(record) if isinstance(record, bytes) else record
        where = f"Row {number} of '{path}'"
        if isinstance(row, Broken):
            raise DataError(f"{where} cannot be read: {row.reason}")
        if not isinstance(row, Mapping) or not isinstance(celex := row.get(CELEX), str) or not celex.strip():
            raise DataError(f"{where} names no act; give its CELEX number as '{CELEX}'.")
        if celex in found:
            raise DataError(f"{where} is a second extract of {celex}; keep one row for each act.")
        content = extract_of(row)
        if content is None:
            raise DataError(f"{where} has no extract of {celex}; give '{EXTRACT}' as {_KINDS}.")
        found[celex] = content
    return found


def extract_of(row: Mapping[str, object]) -> Content | None:
    r"""The extract of a row or of an answer; None if it is none.

    >>> extract_of({"extract": ["Hives are registered.", {"text": "It is free."}]})
    'Hives are registered.\nIt is free.'
    >>> extract_of({"extract": [[3, 7]]})
    (Place(start=3, end=7),)
    """
    extract, places = row.get(EXTRACT), row.get(_PLACES)
    if isinstance(extract, str):
        return extract if is_text(extract) else None
    if not isinstance(extract, list):
        return None
    if isinstance(places, Mapping):
        extract = [places.get(name) if isinstance(name, str) else name for name in extract]
    if extract and all(isinstance(item, list) for item in extract):
        found = tuple(place for item in extract if (place := _place(item)))
        return found if len(found) == len(extract) else None
    # A service may say more of a passage than its text, such as its citation.
    lines = [item.get("text") if isinstance(item, Mapping) else item for item in extract]
    texts = [" ".join(line.split()) for line in lines if isinstance(line, str) and is_text(line)]
    return "\n".join(texts) if len(texts) == len(lines) else None


def extract_text(content: Content, reference: str) -> str:
    """The text of an extract; places are those of the reference."""
    return content if isinstance(content, str) else Passages.at(reference, content)


def _place(item: object) -> Place | None:
    """A place from two integers in order; anything else is none."""
    match item:
        case [int(start), int(end)] if 0 <= start <= end and bool not in map(type, (start, end)):
            return Place(start, end)
    return None
