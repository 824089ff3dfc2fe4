"""The default profile: units are the smallest provisions that a lawyer would cite.

The steps, in order: `outline` groups the lines into sections, `divide_section` cuts each section into units,
`assembly` builds the source text, the units with their ids and citations, and the act.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lexlattice.act.document import Act, Section
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.languages.grammar import Grammar
from lexlattice.reading.structure.annexes import divide_by_parts, shorten
from lexlattice.reading.structure.assembly import (
    UnitBuilder,
    assemble_act,
    collect_furniture,
    join_lines,
    make_citations_unique,
    make_provision_citations_unique,
)
from lexlattice.reading.structure.lists import ParsedUnit, Scope
from lexlattice.reading.structure.outline import Outline, parse_outline
from lexlattice.reading.structure.preamble_units import divide_preamble, divide_recitals, divide_title
from lexlattice.reading.structure.sections import ParsedSection
from lexlattice.reading.structure.units import divide_lines, divide_notes

SENTENCES_FROM: Final = 40
"""Provisions with more words than this and no numbering inside are split into sentences."""


def read_provisions(document: Document, grammar: Grammar, split_from: int = SENTENCES_FROM) -> Act:
    """Parse a document into an act of citable provisions.

    Args:
        document: The blocks of text that a format back-end has read, and what it knows about them.
        grammar: The words and citation forms of the document's language.
        split_from: Split provisions with more words than this into sentences; 0 never splits.

    Returns:
        The act, with its sections, units, furniture and metadata.

    """
    # Lines → sections.
    outline = parse_outline(document.blocks, grammar)
    document.warnings.extend(outline.warnings)
    _number_bodies(outline.sections)
    # Sections → units as ranges of lines. This also marks the headings among them as furniture.
    parsed = [divide_section(section, outline, grammar) for section in outline.sections]
    # Ranges of lines → slices of one source text, with ids and citations.
    spans = ((unit.first, unit.last) for units in parsed for unit in units if unit.kind != "table")
    source, starts = join_lines(outline.lines, spans)
    builder = UnitBuilder(source, starts, grammar, split_from)
    built = make_citations_unique([builder.build(units, index) for index, units in enumerate(parsed)])
    sections = [
        Section(i, s.kind, s.number, s.label, s.heading.replace("\n", " "), s.enclosing, units)
        for i, (s, units) in enumerate(zip(outline.sections, built, strict=True))
    ]
    wholes = make_provision_citations_unique(builder.split_provisions, built)
    furniture = collect_furniture(outline, starts)
    return assemble_act(document, outline, grammar, "provisions", sections, furniture, source, wholes)


def _number_bodies(sections: Sequence[ParsedSection]) -> None:
    """Give the act's bodies (text outside articles) the ids "body", "body-2" and so on."""
    bodies = [section for section in sections if section.kind == "body" and not section.attachment]
    for n, section in enumerate(bodies, 1):
        section.prefix = "body" if n == 1 else f"body-{n}"


def divide_section(section: ParsedSection, outline: Outline, grammar: Grammar) -> list[ParsedUnit]:
    """Cut a section into units, according to its kind."""
    match section.kind:
        case "title":
            return divide_title(section, outline)
        case "preamble":
            return divide_preamble(section, outline, grammar)
        case "recitals":
            return divide_recitals(section, outline, grammar)
        case "notes":
            return divide_notes(section, outline, _annex_cite(section.annex) if section.annex is not None else None)
        case "article":
            return divide_lines(section.lines, outline, grammar, _article_scope(section, grammar))
        case "annex":
            scope = Scope(section.prefix, _annex_cite(section), "paragraph")
        case _ if section.attachment and not section.number:
            scope = Scope(f"att-{section.attachment}", _attachment_cite(section), "paragraph", counted=True)
        case _ if section.lead is not None:
            return _divide_led_body(section, outline, grammar, section.lead)
        case _:
            scope = _body_scope(section, outline)
    return divide_by_parts(section, outline, grammar, scope)


def _article_scope(section: ParsedSection, grammar: Grammar) -> Scope:
    """The scope of an article, cited within its annex or attached text if it has one."""
    number = section.number or "1"
    outer = None
    if section.annex is not None:
        outer = Cite(None, "within", cite(_annex_cite(section.annex), grammar))
    elif section.attachment:
        outer = Cite(None, "within", cite(_attachment_cite(section), grammar))
    article = Cite(outer, "article", section.written or number)
    return Scope(f"{section.prefix}art-{number}", article, "paragraph", paragraphs=True)


def _body_scope(section: ParsedSection, outline: Outline) -> Scope:
    """The scope of text outside articles: a numbered chapter or section, or points below a heading."""
    outer = _annex_cite(section.annex) if section.annex is not None else None
    if section.number:
        prefix = f"{section.annex.prefix}." if section.annex is not None else ""
        return Scope(f"{prefix}sec-{section.number}", Cite(outer, "section", section.number), "paragraph")
    # Points that are numbered through the whole act are unique without their heading.
    has_points = not section.label and any(outline.marks[i] is not None for i in section.lines)
    name = shorten(section.label or section.heading) if section.prefix != "body" and not has_points else ""
    outer = Cite(None, "within", name) if name else None
    return Scope(section.prefix, outer, "paragraph", text_level="body", counted=True)


def _divide_led_body(section: ParsedSection, outline: Outline, grammar: Grammar, lead: int) -> list[ParsedUnit]:
    """Divide a body whose points all continue one sentence: "HEREBY RECOMMENDS THAT MEMBER STATES:"."""
    first = ParsedUnit(lead, lead, section.prefix, "paragraph", "", Cite(None, "body", "1", 1))
    scope = Scope(section.prefix, None, "paragraph", text_level="body", texts=1)
    return [first, *divide_lines([i for i in section.lines if i != lead], outline, grammar, scope)]


def _attachment_cite(section: ParsedSection) -> Cite:
    return Cite(None, "attachment", str(section.attachment))


def _annex_cite(section: ParsedSection) -> Cite:
    """How an annex is cited; a protocol or appendix is cited in the act's own words."""
    if not section.prefix.startswith("anx"):
        return Cite(None, "division", section.name)
    return Cite(None, "annex", section.written) if section.number else Cite(None, "annex_sole")
