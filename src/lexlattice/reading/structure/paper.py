"""The paper's rules, and nothing more: what its lattice, its statistics and its baseline stand on.

Head-words of article, chapter, section, title and annex on lines shorter than 60 characters; recitals by lines that
hold "(N)"; paragraphs by a leading "N."; four kinds of rows; sections without paragraphs are dropped. Lists, titles,
footnotes, tables and signatures are not told apart: they run on in the paragraph they stand in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.languages.grammar import Grammar, Header
from lexlattice.reading.structure.outline import outline
from lexlattice.reading.structure.source import lay_out, put_together

LONGEST_HEADER: Final = 60
_RECITAL: Final = re.compile(r"\((\d{1,3})\)$")
_PARAGRAPH: Final = re.compile(r"(\d{1,3})\.(?:\s|$)")
_NAMES: Final = {"preamble": "pre", "recitals": "rec", "article": "art", "annex": "anx"}


@dataclass(slots=True)
class _Row:
    """A section in the making: its paragraphs as runs of lines."""

    kind: str
    header: Header | None = None
    label: str = ""
    paragraphs: list[tuple[list[int], str]] = field(default_factory=list)

    def add(self, line: int, number: str | None) -> None:
        """Begin a paragraph, or go on with the last one."""
        if number is not None or not self.paragraphs:
            self.paragraphs.append(([line], number or ""))
        else:
            self.paragraphs[-1][0].append(line)


def read_paper(document: Document, grammar: Grammar) -> Act:
    """Read a document by the paper's rules."""
    lines = [block.text for block in document.blocks]
    rows, dropped = _rows(lines, grammar)
    runs = ((run[0], run[-1]) for row in rows for run, _ in row.paragraphs)
    source, starts = lay_out(lines, runs)
    taken: dict[str, int] = {}
    sections = [
        _section(row, index, source, starts, lines, grammar, taken)
        for index, row in enumerate(row for row in rows if row.paragraphs)
    ]
    furniture = (Furniture("heading", starts[i], starts[i] + len(lines[i])) for i in dropped)
    plan = outline(document.blocks, grammar)
    return put_together(document, plan, grammar, "paper", sections, furniture, source)


def _rows(lines: list[str], grammar: Grammar) -> tuple[list[_Row], list[int]]:
    """The sections, and the header lines that belong to none."""
    rows = [_Row("preamble")]
    headers: list[int] = []
    for i, line in enumerate(lines):
        header = grammar.header(line) if len(line) < LONGEST_HEADER else None
        if header is not None and header.kind in ("article", "annex"):
            headers.append(i)
            rows.append(_Row(header.kind, header, line))
            continue
        if header is not None and header.kind not in ("appendix", "protocol"):
            headers.append(i)
            rows[-1].paragraphs.append(([], ""))
            continue
        recital = _RECITAL.match(line)
        if recital and rows[-1].kind in ("preamble", "recitals"):
            if rows[-1].kind == "preamble":
                rows.append(_Row("recitals"))
            rows[-1].add(i, recital.group(1))
            continue
        paragraph = _PARAGRAPH.match(line)
        row = rows[-1]
        if row.paragraphs and not row.paragraphs[-1][0]:
            row.paragraphs.pop()
            row.paragraphs.append(([i], paragraph.group(1) if paragraph else ""))
        else:
            row.add(i, paragraph.group(1) if paragraph else None)
    for row in rows:
        row.paragraphs = [(run, number) for run, number in row.paragraphs if run]
    return rows, headers


def _section(
    row: _Row,
    index: int,
    source: str,
    starts: list[int],
    lines: list[str],
    grammar: Grammar,
    taken: dict[str, int],
) -> Section:
    header = row.header
    number = header.number if header is not None else ""
    stem = f"{_NAMES[row.kind]}-{number}" if number else _NAMES[row.kind]
    taken[stem] = taken.get(stem, 0) + 1
    if taken[stem] > 1:
        stem = f"{stem}~{taken[stem]}"
    level = Cite(None, row.kind, header.written if header else "") if row.kind != "recitals" else None
    if row.kind == "annex" and not number:
        level = Cite(None, "annex_sole")
    units = []
    for position, (run, own) in enumerate(row.paragraphs):
        start, end = starts[run[0]], starts[run[-1]] + len(lines[run[-1]])
        text = source[start:end]
        cites = level or Cite(None, "recital", own or str(position + 1))
        if own and row.kind in ("article", "annex"):
            cites = Cite(cites, "paragraph" if row.kind == "article" else "numeral", own)
        unit_id = f"{stem}.{position + 1}"
        kind = {"recitals": "recital", "preamble": "citation"}.get(row.kind, "paragraph")
        units.append(
            Unit(
                unit_id,
                unit_id,
                index,
                position,
                kind,
                own,
                cite(cites, grammar),
                text,
                start,
                end,
                text.count(" ") + 1,
            )
        )
    return Section(index, row.kind, number, row.label, "", (), tuple(units))
