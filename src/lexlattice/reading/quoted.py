"""What an amendment quotes, as a text of its own: its articles, paragraphs and points below the instruction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.amendments import OPENING, quoted_header
from lexlattice.reading.citations import Cite
from lexlattice.reading.grammar import DIVISIONS, Grammar, Header
from lexlattice.reading.lists import Draft, Frame
from lexlattice.reading.numbering import Marker
from lexlattice.reading.outline import Outline
from lexlattice.reading.sections import PREFIXES
from lexlattice.reading.shapes import LONGEST_HEADING, SENTENCE_STOPS
from lexlattice.reading.units import divide
from lexlattice.reading.wording import flat, wording

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
    words, instruction = wording(grammar.language), flat(plan.lines[first - 1])
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
