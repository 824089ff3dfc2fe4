"""What an amendment quotes, as a text of its own: its articles, paragraphs and points below the instruction."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.citations.vocabulary import fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import DIVISIONS, Grammar, Header
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.footnotes import note_names, note_step
from lexlattice.reading.structure.lines import LONGEST_HEADING, SENTENCE_STOPS
from lexlattice.reading.structure.lists import Draft, Frame
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.quotations import OPENING, quoted_header
from lexlattice.reading.structure.sections import PREFIXES
from lexlattice.reading.structure.units import divide

_BESIDES: Final = frozenset(("annex", "part", "section", "point"))


@dataclass(slots=True)
class _Stretch:
    """Lines of a quotation below one header: what names them, the header's lines, and the others."""

    frame: Frame
    names: bool = False
    """Whether its header is that of an article or annex."""
    head: list[int] = field(default_factory=list)
    body: list[int] = field(default_factory=list)
    header: int = -1
    """The line of its header."""


def name_quotation(path: str, cite: Cite | None, count: int) -> tuple[str, Cite]:
    """Path and citation of the quotation that stands below an instruction as its first, second and so on."""
    return f"{path}.q" if count < 2 else f"{path}.q-{count}", Cite(cite, "quoted")


def quoted_frame(base: str, around: Cite, header: Header | None, *, paragraphs: bool = False) -> Frame:
    """How quoted text is named: by the article or annex it is, or merely as quoted, perhaps in paragraphs."""
    if header is None or header.kind in DIVISIONS:
        return Frame(base, around, "quoted", paragraphs=paragraphs)
    if header.kind == "article":
        cites = Cite(around, "article", header.written or "1")
        return Frame(f"{base}-art-{header.number or 1}", cites, "quoted", paragraphs=True)
    step = f"{PREFIXES[header.kind]}-{header.number}" if header.number else PREFIXES[header.kind]
    cites = Cite(around, "annex", header.written) if header.number else Cite(around, "annex_sole")
    return Frame(f"{base}-{step}", cites, "quoted")


def divide_quoted(lines: Sequence[int], plan: Outline, grammar: Grammar, base: str, around: Cite) -> list[Draft]:
    """Cut a quotation into units; headers and headings that have text below them are furniture."""
    drafts: list[Draft] = []
    for stretch in _stretches(lines, plan, grammar, base, around):
        frame, head, body = stretch.frame, stretch.head, stretch.body
        if not body:
            drafts.append(Draft(head[0], head[-1], frame.path, "quoted", "", frame.cite))
            continue
        plan.furniture.update(dict.fromkeys(head, "heading"))
        texts, marks = [plan.lines[i] for i in body], [_unquoted(plan.marks[i]) for i in body]
        drafts.extend(divide(texts, body, marks, frame))
    return drafts


def _stretches(lines: Sequence[int], plan: Outline, grammar: Grammar, base: str, around: Cite) -> list[_Stretch]:
    latest = _Stretch(quoted_frame(base, around, None, paragraphs=_are_paragraphs(lines[0], plan, grammar)))
    stretches = [latest]
    for i in lines:
        line = plan.lines[i]
        header = quoted_header(line, grammar)
        if header is not None:
            above = latest.head if not latest.body and not latest.names else []
            if above:
                stretches.pop()  # a chapter's header just above an article's
            latest = _Stretch(quoted_frame(base, around, header), header.kind not in DIVISIONS, [*above, i], header=i)
            stretches.append(latest)
        elif not latest.body and i != lines[-1] and (not line.strip(OPENING) or _heads(i, latest, plan)):
            latest.head.append(i)
        else:
            latest.body.append(i)
    return [stretch for stretch in stretches if stretch.head or stretch.body]


def _are_paragraphs(first: int, plan: Outline, grammar: Grammar) -> bool:
    """Whether the instruction above a quotation names paragraphs, and nothing that is counted below or beside them.

    Where a language cites paragraphs by their number only, an article is enough: "Article 5(2) is replaced".
    """
    mark = plan.marks[first]
    if not first or mark is None or mark.style not in ("dot", "paren"):
        return False
    words, instruction = load_vocabulary(grammar.language), fold_letters(plan.lines[first - 1])
    named = [words.role(token[0]).levels for token in words.tokens.finditer(instruction)]
    if any(levels and "paragraph" not in levels and not _BESIDES.isdisjoint(levels) for levels in named):
        return False
    if any("paragraph" in levels for levels in named):
        return True
    by_number = not any(map(str.isalpha, grammar.citation["paragraph"].final.replace("{n}", "")))
    return by_number and mark.style == "dot" and any("article" in levels for levels in named)


def _heads(i: int, stretch: _Stretch, plan: Outline) -> bool:
    """Whether a line is the heading below a quoted header: without a number or a stop, and short or above a "1."."""
    line = plan.lines[i]
    if i != stretch.header + 1 or plan.marks[i] is not None or line.endswith(SENTENCE_STOPS):
        return False
    below = plan.marks[i + 1] if i + 1 < len(plan.lines) else None
    return len(line) <= LONGEST_HEADING or (stretch.names and below is not None and below.number == "1")


def _unquoted(mark: Marker | None) -> Marker | None:
    return mark._replace(quoted=False) if mark is not None and mark.quoted else mark


# Lines of a section that share one numbering → units: lists, quotations, and the notes and tables among them.


def divide_lines(
    lines: Sequence[int],
    plan: Outline,
    grammar: Grammar,
    frame: Frame,
    titles: Container[int] = (),
    titled: Container[int] = (),
) -> list[Draft]:
    """Units of a section's lines; footnotes and tables among them are units of their own and interrupt no list.

    `titles` are headings whose number counts but which are no units, `titled` points that are headings of texts.
    """
    notes = [i for i in lines if i in plan.notes] if plan.notes else []
    rows = [i for i in lines if i in plan.tables] if plan.tables else []
    if notes or rows:
        lines = [i for i in lines if i not in plan.notes and i not in plan.tables]

    def quoter(first: int, path: str, cite: Cite | None, count: int) -> list[Draft]:
        last = plan.quotations[first]
        inside = [i for i in lines if first <= i <= last]
        return divide_quoted(inside, plan, grammar, *name_quotation(path, cite, count))

    texts, marks = [plan.lines[i] for i in lines], [plan.marks[i] for i in lines]
    drafts = divide(texts, lines, marks, frame, titles=titles, titled=titled, quotes=plan.quotations, quoter=quoter)
    found = _notes(notes, plan)
    names = note_names([plan.lines[i] for i, _ in found], [plan.marks[i] for i, _ in found])
    for n, (name, (first, last)) in enumerate(zip(names, found, strict=True), 1):
        cites = Cite(frame.cite, "note", name, n)
        drafts.append(Draft(first, last, f"{frame.path}.{note_step(name)}", "note", "", cites))
    for n, (first, last) in enumerate(_tables(rows, plan.tables), 1):
        cites = Cite(frame.cite, "table", str(n), n)
        drafts.append(Draft(first, last, f"{frame.path}.tbl-{n}", "table", "", cites))
    return sorted(drafts, key=lambda draft: draft.first) if notes or rows else drafts


def _notes(lines: Sequence[int], plan: Outline) -> list[tuple[int, int]]:
    """First and last line of each footnote; a line without a sign goes on with the one before it that has one."""
    notes: list[tuple[int, int]] = []
    for i in lines:
        goes_on = bool(notes) and notes[-1][1] == i - 1 and _has_sign(notes[-1][0], plan) and not _has_sign(i, plan)
        if goes_on:
            notes[-1] = (notes[-1][0], i)
        else:
            notes.append((i, i))
    return notes


def _has_sign(i: int, plan: Outline) -> bool:
    """Whether a number or an asterisk leads a line."""
    return plan.marks[i] is not None or plan.lines[i].startswith(("(*", "*"))


def _tables(rows: Sequence[int], numbers: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """First and last line of each table: rows that follow one another and have the same number."""
    first = None
    for row, following in zip_longest(rows, rows[1:]):
        first = row if first is None else first
        if following != row + 1 or numbers[following] != numbers[row]:
            yield first, row
            first = None
