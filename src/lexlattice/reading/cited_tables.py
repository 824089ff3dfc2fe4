"""Tables and their rows as they are cited: "Annex II, table 1, row 3", in the act's language or in English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from lexlattice.act import Unit
from lexlattice.reading.grammar import load
from lexlattice.reading.wording import flat

_ROW: Final = re.compile(r"(.+\.tbl-[^.]+)\.row-(\d{1,5})\Z")


class CitedTable(NamedTuple):
    """A table that is cited: what it stands in, and the end of its id."""

    around: str
    step: str


@cache
def _pattern(language: str) -> re.Pattern[str]:
    forms = load(language).citation
    table, row = (re.escape(flat(forms[name].final)).replace(r"\{n\}", "N") for name in ("table", "row"))
    table, row = (form.lstrip(",").replace(r"\ ", r"\s?") for form in (table, row))
    table = table.replace("N", r"(?P<table>\d{1,4})").lstrip(",")
    return re.compile(rf"(?P<around>.+?),?{table}(?:,?{row.replace('N', '(?P<row>[0-9]{1,5})')})?\s*\Z")


def cited_table(cited: str, language: str) -> CitedTable | None:
    """The table, or the row of one, that a citation ends in.

    >>> cited_table("Annex II, table 1, row 3", "en")
    CitedTable(around='Annex II', step='tbl-1.row-3')
    >>> cited_table("II. melléklet, 1. táblázat", "hu")
    CitedTable(around='II. melléklet', step='tbl-1')
    """
    match = _pattern(language).match(flat(cited))
    if match is None:
        return None
    row = f".row-{match['row']}" if match["row"] else ""
    return CitedTable(cited[: match.end("around")], f"tbl-{match['table']}{row}")


def row(below: Mapping[str, Sequence[Unit]], name: str, language: str) -> Unit | None:
    """The row of a table as a unit of its own: a slice of the table's text."""
    match = _ROW.match(name)
    tables = below.get(match[1], ()) if match is not None else ()
    if match is None or len(tables) != 1 or not 0 < int(match[2]) <= len(tables[0].rows):
        return None
    table, number = tables[0], int(match[2])
    lines = table.text.split("\n")
    start = table.start + sum(len(line) + 1 for line in lines[: number - 1])
    text = lines[number - 1]
    cited = table.citation + load(language).citation["row"].final.replace("{n}", match[2])
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
