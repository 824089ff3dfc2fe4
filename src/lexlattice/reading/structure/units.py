"""From the lines of a section to its units: lists, the footnotes and tables among them, and quoted text.

Lines that share one numbering are nested by it (`nesting`). Text that an amendment quotes has a numbering of its own,
so each quotation is divided separately, below the instruction that it belongs to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.citations.vocabulary import fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import DIVISIONS, Grammar, Header
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.lists import ParsedUnit, Scope
from lexlattice.reading.structure.nesting import nest_by_numbering
from lexlattice.reading.structure.notes_and_tables import group_notes, group_rows, note_name, note_names, note_step
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.quotations import OPENING, quoted_header
from lexlattice.reading.structure.sections import PREFIXES, ParsedSection
from lexlattice.reading.structure.typography import LONGEST_HEADING, SENTENCE_STOPS

_NOT_PARAGRAPHS: Final = frozenset(("annex", "part", "section", "point"))
"""Levels that an instruction names when the quoted numbers count something other than paragraphs."""


def divide_lines(
    lines: Sequence[int],
    outline: Outline,
    grammar: Grammar,
    scope: Scope,
    headings: Container[int] = (),
    heading_points: Container[int] = (),
) -> list[ParsedUnit]:
    """Cut lines that share one numbering into units.

    Footnotes and tables among the lines are units of their own and do not interrupt lists.

    Args:
        lines: Line numbers, in order.
        outline: The outline of the act.
        grammar: The words and citation forms of its language.
        scope: How the section names its units.
        headings: Lines that are headings: no units, but their numbers count.
        heading_points: Points that are headings of the texts below them.

    """
    notes = [i for i in lines if i in outline.notes] if outline.notes else []
    rows = [i for i in lines if i in outline.tables] if outline.tables else []
    if notes or rows:
        lines = [i for i in lines if i not in outline.notes and i not in outline.tables]

    def divide_quotation(first: int, path: str, cite: Cite | None, count: int) -> list[ParsedUnit]:
        last = outline.quotations[first]
        inside = lines[bisect_left(lines, first) : bisect_right(lines, last)]
        base = f"{path}.q" if count < 2 else f"{path}.q-{count}"
        return _divide_quoted(inside, outline, grammar, base, Cite(cite, "quoted"))

    units = nest_by_numbering(
        [outline.lines[i] for i in lines],
        lines,
        [outline.marks[i] for i in lines],
        scope,
        headings=headings,
        heading_points=heading_points,
        quotations=outline.quotations,
        divide_quotation=divide_quotation,
    )
    spans = group_notes(notes, outline.lines, outline.marks)
    names = note_names([outline.lines[i] for i, _ in spans], [outline.marks[i] for i, _ in spans])
    for n, (name, (first, last)) in enumerate(zip(names, spans, strict=True), 1):
        cite = Cite(scope.cite, "note", name, n)
        units.append(ParsedUnit(first, last, f"{scope.path}.{note_step(name)}", "note", "", cite))
    for n, (first, last) in enumerate(group_rows(rows, outline.tables), 1):
        cite = Cite(scope.cite, "table", str(n), n)
        units.append(ParsedUnit(first, last, f"{scope.path}.tbl-{n}", "table", "", cite))
    return sorted(units, key=lambda unit: unit.first) if notes or rows else units


def divide_notes(section: ParsedSection, outline: Outline, outer: Cite | None) -> list[ParsedUnit]:
    """Cut a section of footnotes into one unit per footnote; a line without a marker continues the one before it."""
    units: list[ParsedUnit] = []
    for i in section.lines:
        line, mark = outline.lines[i], outline.marks[i]
        if units and units[-1].last == i - 1 and mark is None and not line.startswith(("(*", "*")):
            units[-1].last = i
            continue
        number = note_name(line, mark)
        name = number or str(len(units) + 1)
        units.append(ParsedUnit(i, i, section.prefix + note_step(name), "note", number, Cite(outer, "note", name)))
    return units


@dataclass(slots=True)
class _QuotedPassage:
    """The lines of a quotation below one header."""

    scope: Scope
    is_provision: bool = False
    """Whether its header is that of an article or annex."""
    head: list[int] = field(default_factory=list)
    """Lines of the header and the heading."""
    body: list[int] = field(default_factory=list)
    header: int = -1
    """The line of the header."""


def _divide_quoted(
    lines: Sequence[int], outline: Outline, grammar: Grammar, base: str, outer: Cite
) -> list[ParsedUnit]:
    """Cut a quotation into units; headers and headings that have text below them are furniture."""
    units: list[ParsedUnit] = []
    for passage in _quoted_passages(lines, outline, grammar, base, outer):
        scope, head, body = passage.scope, passage.head, passage.body
        if not body:
            units.append(ParsedUnit(head[0], head[-1], scope.path, "quoted", "", scope.cite))
            continue
        outline.furniture.update(dict.fromkeys(head, "heading"))
        texts, marks = [outline.lines[i] for i in body], [_without_quote(outline.marks[i]) for i in body]
        units.extend(nest_by_numbering(texts, body, marks, scope))
    return units


def _quoted_passages(
    lines: Sequence[int], outline: Outline, grammar: Grammar, base: str, outer: Cite
) -> list[_QuotedPassage]:
    """Split a quotation at the headers of the articles, annexes and chapters that it quotes."""
    latest = _QuotedPassage(_quoted_scope(base, outer, None, paragraphs=_has_paragraphs(lines[0], outline, grammar)))
    passages = [latest]
    for i in lines:
        line = outline.lines[i]
        header = quoted_header(line, grammar)
        if header is not None:
            above = latest.head if not latest.body and not latest.is_provision else []
            if above:
                passages.pop()  # a chapter's header just above an article's
            scope = _quoted_scope(base, outer, header)
            latest = _QuotedPassage(scope, header.kind not in DIVISIONS, [*above, i], header=i)
            passages.append(latest)
        elif not latest.body and i != lines[-1] and (not line.strip(OPENING) or _is_heading(i, latest, outline)):
            latest.head.append(i)
        else:
            latest.body.append(i)
    return [passage for passage in passages if passage.head or passage.body]


def _quoted_scope(base: str, outer: Cite, header: Header | None, *, paragraphs: bool = False) -> Scope:
    """The scope of quoted text: the article or annex that its header names, or just the quotation."""
    if header is None or header.kind in DIVISIONS:
        return Scope(base, outer, "quoted", paragraphs=paragraphs)
    if header.kind == "article":
        cite = Cite(outer, "article", header.written or "1")
        return Scope(f"{base}-art-{header.number or 1}", cite, "quoted", paragraphs=True)
    step = f"{PREFIXES[header.kind]}-{header.number}" if header.number else PREFIXES[header.kind]
    cite = Cite(outer, "annex", header.written) if header.number else Cite(outer, "annex_sole")
    return Scope(f"{base}-{step}", cite, "quoted")


def _has_paragraphs(first: int, outline: Outline, grammar: Grammar) -> bool:
    """Whether the instruction above a quotation names paragraphs and nothing else that its numbers could count.

    Where a language cites paragraphs by their number only, naming an article is enough: "Article 5(2) is replaced".
    """
    mark = outline.marks[first]
    if not first or mark is None or mark.style not in ("dot", "paren"):
        return False
    words, instruction = load_vocabulary(grammar.language), fold_letters(outline.lines[first - 1])
    named = [words.role(token[0]).levels for token in words.tokens.finditer(instruction)]
    if any(levels and "paragraph" not in levels and not _NOT_PARAGRAPHS.isdisjoint(levels) for levels in named):
        return False
    if any("paragraph" in levels for levels in named):
        return True
    cites_by_number = not any(map(str.isalpha, grammar.citation["paragraph"].final.replace("{n}", "")))
    return cites_by_number and mark.style == "dot" and any("article" in levels for levels in named)


def _is_heading(i: int, passage: _QuotedPassage, outline: Outline) -> bool:
    """Whether a line is the heading below a quoted header: no number or stop, and short or above a "1."."""
    line = outline.lines[i]
    if i != passage.header + 1 or outline.marks[i] is not None or line.endswith(SENTENCE_STOPS):
        return False
    below = outline.marks[i + 1] if i + 1 < len(outline.lines) else None
    return len(line) <= LONGEST_HEADING or (passage.is_provision and below is not None and below.number == "1")


def _without_quote(mark: Marker | None) -> Marker | None:
    """The marker as it is in the act that is quoted: ‘(a) as (a)."""
    return mark._replace(quoted=False) if mark is not None and mark.quoted else mark
