"""Read a document by the description of its hierarchy: lines → rows → units → act.

The act is of the same kind as that of any EU act, with the same names in its ids (`art-2.par-a.pt-1`), whatever the
document calls its sections: so the lattice, the model and everything after them need not know the hierarchy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lexlattice.act.document import Act, Furniture, Section
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.formats.blocks import Block, Document, Role
from lexlattice.reading.hierarchies.definition import Hierarchy
from lexlattice.reading.hierarchies.division import RowDivider, Style, is_wrapped
from lexlattice.reading.hierarchies.numbering import NUMBER, Found, Header, marks_at, section_number
from lexlattice.reading.languages.grammar import Grammar
from lexlattice.reading.structure.assembly import (
    UnitBuilder,
    join_lines,
    make_citations_unique,
    make_provision_citations_unique,
)
from lexlattice.reading.structure.lists import ParsedUnit

_HEADINGS: Final = (Role.TITLE, Role.ARTICLE, Role.DIVISION, Role.ANNEX, Role.HEADING, Role.GROUP, Role.OUTLINE)
"""Roles of lines that a file marks as headings."""
_PREFIXES: Final = {"article": "art", "annex": "anx", "preamble": "pre", "body": "body", "title": "title"}
_LONGEST_TITLE: Final = 1000
"""Characters."""
_SENTENCE_STOPS: Final = tuple(".;:,")


@dataclass(slots=True)
class _Row:
    """A row of the lattice as its lines."""

    kind: str
    cite: str = ""
    """Empty for text that belongs to no row."""
    number: str = ""
    label: str = ""
    heading: str = ""
    enclosing: tuple[str, ...] = ()
    lines: list[int] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    """Lines that continue nothing, because a heading stands before them."""

    @property
    def prefix(self) -> str:
        """What the ids of its units begin with."""
        return "-".join(filter(None, (_PREFIXES[self.kind], self.number)))


class _Match(NamedTuple):
    """A line that is a header."""

    header: Header
    found: Found
    level: int
    """Of an enclosing header its place among these, from 0; -1 for that of a row."""


def read_hierarchy(document: Document, grammar: Grammar, hierarchy: Hierarchy, profile: str, split_from: int) -> Act:
    """Read a document by a hierarchy.

    Args:
        document: The blocks of text that a format back-end has read.
        grammar: The language of the document: it divides sentences, and words what the hierarchy does not.
        hierarchy: What headers and marks look like.
        profile: `provisions` for units down to the innermost marks, `paper` for the items of outermost lists only.
        split_from: Split provisions with more words than this into sentences, 0 never; only for `provisions`.

    Returns:
        The act.

    """
    blocks, headers = _find_headers(document.blocks, hierarchy)
    lines = [block.text for block in blocks]
    rows, headings = _find_rows(blocks, headers, hierarchy)
    if hierarchy.rows and not any(row.kind == "article" for row in rows):
        document.warnings.append(
            f"No header such as '{hierarchy.rows[0].forms[0].replace(NUMBER, '1')}' was found, so the text was read as "
            f"paragraphs; check that '{hierarchy.name}' is its hierarchy."
        )
    is_fine = profile == "provisions"
    style = Style(hierarchy, grammar, is_wrapped([lines[i] for row in rows for i in row.lines]), is_fine)
    cited: dict[str, str] = {}
    parsed = [_divide(row, lines, style, cited) for row in rows]
    source, starts = join_lines(lines, ((unit.first, unit.last) for units in parsed for unit in units))
    builder = UnitBuilder(source, starts, grammar, split_from if is_fine else 0)
    built = make_citations_unique([builder.build(units, index) for index, units in enumerate(parsed)])
    # Provisions without a text of their own, such as a section that begins with "(a)", are cited all the same.
    named = {unit.provision for units in built for unit in units}
    wholes = {path: citation for path, citation in cited.items() if path not in named} | builder.split_provisions
    return Act(
        celex=document.celex or "",
        title=lines[rows[0].lines[0]] if rows and rows[0].kind == "title" else "",
        type="",
        date="",
        language=grammar.language,
        profile=profile,
        sections=tuple(
            Section(index, row.kind, row.number, row.label, row.heading, row.enclosing, units)
            for index, (row, units) in enumerate(zip(rows, built, strict=True))
        ),
        furniture=tuple(Furniture("heading", starts[i], starts[i] + len(lines[i])) for i in headings),
        source=source,
        warnings=tuple(document.warnings),
        incomplete=document.incomplete,
        wholes=make_provision_citations_unique(wholes, built),
        hierarchy=hierarchy.name,
    )


def _divide(row: _Row, lines: Sequence[str], style: Style, cited: dict[str, str]) -> list[ParsedUnit]:
    """The units of a row; the citation of everything with a number is added to `cited`."""
    if row.kind == "title":
        return [ParsedUnit(row.lines[0], row.lines[-1], "title", "title", "", Cite(None, "title"))]
    citation = row.cite or (cite(Cite(None, "preamble"), style.grammar) if row.kind == "preamble" else "")
    divider = RowDivider(style, row.prefix, citation)
    units = divider.divide(row.lines, lines, row.breaks)
    for path, name in divider.cited.items():
        cited.setdefault(path, name)
    return units


def _find_headers(given: Sequence[Block], hierarchy: Hierarchy) -> tuple[list[Block], dict[int, _Match]]:
    """The headers by line, and the blocks, with the first text of a row on a line of its own."""
    matches = [_match(block.text, hierarchy) for block in given]
    is_heading = [block.role in _HEADINGS for block in given]
    # Where a file marks its headings, text that looks like a header is none: "§ 1 Abs. 2 bleibt unberührt".
    pairs = zip(matches, is_heading, strict=True)
    is_marked_up = any(match is not None and match.level < 0 and marked for match, marked in pairs)
    blocks: list[Block] = []
    headers: dict[int, _Match] = {}
    latest = 0
    for block, match, marked in zip(given, matches, is_heading, strict=True):
        text = block.text
        if match is not None and match.level < 0 and match.header.is_bare and not marked:
            # An item of a list looks like a header that is a bare number, but does not continue the row before.
            number = section_number(match.found.number)
            match = match if number == str(latest + 1) else None
            latest += match is not None
        if match is None or (is_marked_up and not marked):
            blocks.append(block)
            continue
        headers[len(blocks)] = match
        rest = match.found.rest
        if match.header.then == "text" and rest < len(text):
            blocks += [Block(text[:rest].rstrip(), block.role), Block(text[rest:])]
        else:
            blocks.append(block)
    return blocks, headers


def _match(line: str, hierarchy: Hierarchy) -> _Match | None:
    for header in hierarchy.rows:
        if found := header.match(line, hierarchy.longest_header):
            return _Match(header, found, -1)
    for level, header in enumerate(hierarchy.enclosing):
        if found := header.match(line, hierarchy.longest_header):
            return _Match(header, found, level)
    return None


def _find_rows(
    blocks: Sequence[Block], headers: dict[int, _Match], hierarchy: Hierarchy
) -> tuple[list[_Row], list[int]]:
    """The rows that have text, and the lines that are headers or headings."""
    # Without a section, all there is may be in a summary.
    has_sections = any(match.level < 0 and match.header.kind == "article" for match in headers.values())
    above = hierarchy.above if has_sections else "body"
    rows: list[_Row] = []
    headings: list[int] = []
    enclosing: dict[int, str] = {}
    for i, block in enumerate(blocks):
        match = headers.get(i)
        if i == 0 and match is None and hierarchy.title and len(block.text) <= _LONGEST_TITLE:
            rows.append(_Row("title", lines=[0]))
        elif match is not None:
            headings.append(i)
            heading = block.text[match.found.rest :] if match.header.then == "heading" else ""
            if match.header.then == "heading below" and _is_heading_below(i + 1, blocks, headers, hierarchy):
                heading = blocks[i + 1].text
            if match.level < 0:
                number, written = section_number(match.found.number), match.found.number
                label = block.text[: match.found.end].rstrip(" .:")
                citation = match.header.cite.replace(NUMBER, written)
                if match.header.kind == "annex":
                    enclosing = {}  # it stands after all chapters, not in the last
                kind = match.header.kind if has_sections or match.header.kind == "annex" else "body"
                rows.append(_Row(kind, citation, number, label, heading, tuple(enclosing.values())))
            else:
                name = block.text if heading in block.text else f"{block.text} {heading}"
                enclosing = {level: text for level, text in enclosing.items() if level < match.level}
                enclosing[match.level] = name
        elif block.role in _HEADINGS or _is_heading_below(i, blocks, headers, hierarchy):
            headings.append(i)
            if rows:
                rows[-1].breaks.add(i + 1)
        else:
            if not rows or rows[-1].kind == "title":
                rows.append(_Row(above, enclosing=tuple(enclosing.values())))
            rows[-1].lines.append(i)
    return [row for row in rows if row.lines], headings


def _is_heading_below(i: int, blocks: Sequence[Block], headers: dict[int, _Match], hierarchy: Hierarchy) -> bool:
    """Whether a line is the heading of the header above it: short, without a mark and without a stop at its end."""
    above = headers.get(i - 1)
    if above is None or above.header.then != "heading below" or i >= len(blocks) or i in headers:
        return False
    text = blocks[i].text
    is_short = len(text) <= hierarchy.longest_header and not text.endswith(_SENTENCE_STOPS)
    return is_short and not marks_at(text, 0, hierarchy.marks)
