"""The act of a row, read as whoever goes through a data set reads it."""

from __future__ import annotations

from lexlattice.act import Act
from lexlattice.corpus.rows import BadRow, Row
from lexlattice.errors import LexLatticeError
from lexlattice.reading import read


def act_of(row: Row, profile: str, language: str | None) -> Act | BadRow:
    """The act, or why the row cannot be used; a language that is given goes before the row's own."""
    try:
        text = f"{row.text}\n"  # a single line might be taken for a path or a URL
        act = read(text, language=language or row.language, profile=profile, format="text")
    except LexLatticeError as error:
        return BadRow(row.line, row.celex, str(error))
    return act if act.units else BadRow(row.line, row.celex, "No unit was found in the act.")
