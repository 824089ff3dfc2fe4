"""Citations of tables and their rows: "Annex II, table 1, row 3"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice.act.document import Unit
from lexlattice.reading.citations.vocabulary import fold_letters
from lexlattice.reading.languages.grammar import load

if TYPE_CHECKING:
    from lexlattice.act.document import Act

Below = Mapping[str, Sequence[Unit]]
"""The units below every id of an act."""

_ROW: Final = re.compile(r"(.+\.tbl-[^.]+)\.row-(\d{1,5})\Z")


class CitedTable(NamedTuple):
    """A cited table: the citation of the provision it belongs to, and the end of its id."""

    parent: str
    step: str


@cache
def _table_pattern(language: str) -> re.Pattern[str]:
    """The regex for a citation that ends in a table, made from the form in which the language cites tables."""
    forms = load(language).citation
    table, row = (re.escape(fold_letters(forms[name].final)).replace(r"\{n\}", "N") for name in ("table", "row"))
    table, row = (form.lstrip(",").replace(r"\ ", r"\s?") for form in (table, row))
    table = table.replace("N", r"(?P<table>\d{1,4})").lstrip(",")
    return re.compile(rf"(?P<parent>.+?),?{table}(?:,?{row.replace('N', '(?P<row>[0-9]{1,5})')})?\s*\Z")


def cited_table(cited: str, language: str) -> CitedTable | None:
    """Parse the table or the row of one at the end of a citation; None if there is none.

    >>> cited_table("Annex II, table 1, row 3", "en")
    CitedTable(parent='Annex II', step='tbl-1.row-3')
    >>> cited_table("II. melléklet, 1. táblázat", "hu")
    CitedTable(parent='II. melléklet', step='tbl-1')
    """
    match = _table_pattern(language).match(fold_letters(cited))
    if match is None:
        return None
    row = f".row-{match['row']}" if match["row"] else ""
    return CitedTable(cited[: match.end("parent")], f"tbl-{match['table']}{row}")


def table_row(act: Act, below: Below, name: str) -> Unit | None:
    """The row of a table with this id, as a unit of its own; None if there is none."""
    match = _ROW.match(name)
    tables = below.get(match[1], ()) if match is not None else ()
    if match is None or len(tables) != 1 or not 0 < int(match[2]) <= len(tables[0].rows):
        return None
    table, number = tables[0], int(match[2])
    lines = table.text.split("\n")
    start = table.start + sum(len(line) + 1 for line in lines[: number - 1])
    text = lines[number - 1]
    cited = table.citation + load(act.language).citation["row"].final.replace("{n}", match[2])
    return table._replace(
        id=name,
        provision=name,
        number=match[2],
        citation=cited,
        text=text,
        start=start,
        end=start + len(text),
        words=len(text.split()),
    )
