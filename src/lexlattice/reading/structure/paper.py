"""The `paper` profile: the rules of the paper that the lattice, its statistics and its baseline are based on.

Headers are head-words of article, chapter, section, title and annex on lines shorter than 60 characters, and no others;
recitals are lines "(N)"; paragraphs begin with "N." or with a line "(N)"; there are four kinds of sections, and those
without paragraphs are dropped. Lists, titles, footnotes, tables and signatures are not recognised: they belong to the
paragraph before them. docs/paper.md compares the result with the paper's figure and its table of statistics.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.languages.grammar import Grammar, Header
from lexlattice.reading.structure.assembly import assemble_act, join_lines
from lexlattice.reading.structure.outline import parse_outline

LONGEST_HEADER: Final = 60
"""A header is shorter than this many characters."""

_HEADERS: Final = ("article", "annex", "chapter", "section", "title")
"""The head-words that the paper names; a line with any other is text."""
_NUMBER_LINE: Final = re.compile(r"\((\d{1,3})\)$")
"""A number in parentheses, alone on its line: "(12)". It begins a recital or, in articles and annexes, a paragraph."""
_PARAGRAPH: Final = re.compile(r"(\d{1,3})\.(?:\s|$)")
"""A paragraph's number: the "3. " of "3. The Commission shall"."""
_ID_PREFIXES: Final = {"preamble": "pre", "recitals": "rec", "article": "art", "annex": "anx"}
_UNIT_KINDS: Final = {"preamble": "citation", "recitals": "recital", "article": "paragraph", "annex": "paragraph"}


@dataclass(slots=True)
class _PaperSection:
    """A section as its paragraphs: the lines and the number of each."""

    kind: str
    header: Header | None = None
    label: str = ""
    paragraphs: list[tuple[list[int], str]] = field(default_factory=list)
    is_interrupted: bool = False
    """Whether the header of a chapter or the like has ended the last paragraph."""

    def add(self, line: int, number: str | None) -> None:
        """Begin a paragraph, or continue the last one."""
        if number is not None or not self.paragraphs or self.is_interrupted:
            self.paragraphs.append(([line], number or ""))
        else:
            self.paragraphs[-1][0].append(line)
        self.is_interrupted = False


def read_paper(document: Document, grammar: Grammar) -> Act:
    """Parse a document by the paper's rules.

    Args:
        document: The blocks of text that a format back-end has read, and what it knows about them.
        grammar: The words and citation forms of the document's language.

    Returns:
        The act, with one unit per paragraph.

    """
    lines = [block.text for block in document.blocks]
    found, headers = _find_sections(lines, grammar)
    found = [section for section in found if section.paragraphs]
    spans = ((run[0], run[-1]) for section in found for run, _ in section.paragraphs)
    source, starts = join_lines(lines, spans)
    ids: Counter[str] = Counter()
    sections = [_build_section(section, index, source, starts, grammar, ids) for index, section in enumerate(found)]
    furniture = (Furniture("heading", starts[i], starts[i] + len(lines[i])) for i in headers)
    outline = parse_outline(document.blocks, grammar)  # for the metadata only
    return assemble_act(document, outline, grammar, "paper", sections, furniture, source)


def _find_sections(lines: list[str], grammar: Grammar) -> tuple[list[_PaperSection], list[int]]:
    """The sections, and the lines that are headers."""
    sections = [_PaperSection("preamble")]
    headers: list[int] = []
    for i, line in enumerate(lines):
        section = sections[-1]
        header = grammar.header(line) if len(line) < LONGEST_HEADER else None
        if header is not None and header.kind in _HEADERS:
            headers.append(i)
            if header.kind in ("article", "annex"):
                sections.append(_PaperSection(header.kind, header, line))
            else:
                section.is_interrupted = True
            continue
        number_line = _NUMBER_LINE.match(line)
        if number_line and section.kind == "preamble":
            section = _PaperSection("recitals")
            sections.append(section)
        number = number_line or _PARAGRAPH.match(line)
        section.add(i, number.group(1) if number else None)
    return sections, headers


def _build_section(
    section: _PaperSection, index: int, source: str, starts: list[int], grammar: Grammar, ids: Counter[str]
) -> Section:
    """The section with its units; `ids` counts the ids of sections, to make them unique."""
    header, kind = section.header, section.kind
    number = header.number if header is not None else ""
    section_id = f"{_ID_PREFIXES[kind]}-{number}" if number else _ID_PREFIXES[kind]
    ids[section_id] += 1
    if ids[section_id] > 1:
        section_id = f"{section_id}~{ids[section_id]}"
    level = Cite(None, kind, header.written if header else "") if kind != "recitals" else None
    if kind == "annex" and not number:
        level = Cite(None, "annex_sole")
    units = []
    for position, (run, paragraph) in enumerate(section.paragraphs):
        start, end = starts[run[0]], starts[run[-1] + 1] - 1
        text = source[start:end]
        level_cited = level or Cite(None, "recital", paragraph or str(position + 1))
        if paragraph and kind in ("article", "annex"):
            level_cited = Cite(level_cited, "paragraph" if kind == "article" else "numeral", paragraph)
        unit_id, citation, words = f"{section_id}.{position + 1}", cite(level_cited, grammar), text.count(" ") + 1
        unit_kind = _UNIT_KINDS[kind]
        units.append(Unit(unit_id, unit_id, index, position, unit_kind, paragraph, citation, text, start, end, words))
    return Section(index, kind, number, section.label, "", (), tuple(units))
