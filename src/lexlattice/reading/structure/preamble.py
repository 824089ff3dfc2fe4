"""From the title to the enacting terms: citations, recitals, the enacting formula, and text without articles.

`Preamble` handles the lines. `PointCounter` tells points from headings in acts without articles, such as
recommendations, whose points are numbered through under unnumbered headings.
"""

from __future__ import annotations

from typing import Final

from lexlattice.reading.languages.grammar import Header
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.front import Front
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.sections import OutlineContext, ParsedSection
from lexlattice.reading.structure.typography import LONGEST_HEADING, PROSE, SENTENCE_STOPS, is_in_capitals

LONGEST_POINT_HEADING: Final = 200
"""Characters of a heading among points."""
LONGEST_FORMULA: Final = 30
"""Characters of a formula on a line of its own: "Having regard to:"."""
MAX_STACKED_HEADINGS: Final = 3
"""Headings that may follow one another directly: "1. INTRODUCTION", "Purpose"."""


class PointCounter:
    """Counts the points of an act that has no articles."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.has_no_articles = not any(map(_is_article, lines.headers))
        """Whether the act has no articles, so that its points are what is cited."""
        self.last = 0
        """The number of the last point."""

    def count(self, i: int) -> None:
        """Count a line whose number is the next one."""
        if self._is_next(self.lines.marks[i]):
            self.last += 1

    def is_heading(self, i: int) -> bool:
        """Whether a line looks like a heading and the next number is below it, or below one or two more."""
        if not self.has_no_articles or not self._has_heading_form(i):
            return False
        for j in range(i + 1, min(i + 1 + MAX_STACKED_HEADINGS, len(self.lines))):
            if self._is_next(self.lines.marks[j]) and not self._has_heading_form(j):
                return True
            if not self._has_heading_form(j):
                return False
        return False

    def is_outer(self, i: int) -> bool:
        """Whether a heading is of the higher level: numbered, or in capitals."""
        return self.lines.marks[i] is not None or is_in_capitals(self.lines.texts[i])

    def _has_heading_form(self, i: int) -> bool:
        lines, line, mark = self.lines, self.lines.texts[i], self.lines.marks[i]
        if lines.roles[i] is not None or lines.headers[i] is not None or len(line) > LONGEST_POINT_HEADING:
            return False
        text = line[mark.end :] if mark is not None else line
        if not text or not text[0].isupper() or line.endswith(SENTENCE_STOPS):
            return False
        return mark is None or (mark.style == "dot" and is_in_capitals(text))

    def _is_next(self, mark: Marker | None) -> bool:
        return mark is not None and mark.style in ("dot", "paren") and mark.value == self.last + 1 and not mark.quoted

    def continues_formula(self, i: int) -> bool:
        """Whether the points below an enacting formula continue its sentence: "RECOMMENDS THAT …: 1. adopt"."""
        lines = self.lines
        if not self.has_no_articles or i + 1 >= len(lines) or not lines.texts[i].endswith(":"):
            return False
        first = next(
            (j for j in range(i + 1, min(i + 2 + MAX_STACKED_HEADINGS, len(lines))) if not self._has_heading_form(j)), i
        )
        mark = lines.marks[first]
        if mark is None or mark.quoted:
            return False
        text = lines.texts[first][mark.end :]
        text = text or (lines.texts[first + 1] if first + 1 < len(lines) else "")
        return text[:1].islower()


def _is_article(header: Header | None) -> bool:
    return header is not None and header.kind == "article"


class Preamble:
    """Handles the lines before the terms, and the terms of acts that have no articles."""

    def __init__(self, context: OutlineContext, front: Front) -> None:
        self.context = context
        self.lines = context.lines
        self.grammar = context.grammar
        self.front = front
        self.points = PointCounter(context.lines)
        self.has_announced_recitals: bool | None = None
        """Whether a formula or number announces the recitals; None until it is needed."""

    def in_front(self, i: int, line: str) -> bool:
        """Handle a line before the text: the title."""
        if i < self.front.end:
            self.context.add_to("title", i)
            return True
        self.context.state = "preamble" if self.front.has_preamble else "body"
        return False

    def in_preamble(self, i: int, line: str) -> bool:
        """Handle a line below the title: citations, until recitals or the terms begin."""
        context, mark, formula = self.context, self.lines.marks[i], self.grammar.formula(self.lines.heads[i])
        if formula == "enacting" and len(line) <= LONGEST_HEADING:
            self._enact(i)
        elif self.front.parties.is_preamble_heading(i):
            context.furniture[i] = "heading"
        elif formula == "recitals" and len(line) < PROSE and (line.endswith(":") or line[-1].isalpha()):
            context.furniture[i] = "formula"
            context.builder.open(ParsedSection("recitals"))
            context.state = "recitals"
        elif formula == "citation" and line.endswith(":") and len(line) < LONGEST_FORMULA:
            context.furniture[i] = "formula"
        elif formula == "recitals" or _is_first(mark) or (not formula and self._is_unannounced_recital(i, line)):
            context.add_to("recitals", i)
        else:
            context.add_to("preamble", i)
        return True

    def in_recitals(self, i: int, line: str) -> bool:
        """Handle a line below a recital: another one, or the enacting formula."""
        is_capitals = len(line) < 100 and line.endswith((":", ".")) and line.upper() == line and is_in_capitals(line)
        enacts = len(line) <= LONGEST_HEADING and self.grammar.formula(self.lines.heads[i]) == "enacting"
        if is_capitals or enacts:
            self._enact(i)
        else:
            self.context.add_to("recitals", i)
        return True

    def in_body(self, i: int, line: str) -> bool:
        """Handle a line of the terms outside articles: points, their headings, and the rest of the enacting formula."""
        context = self.context
        is_continued = line.endswith(":") and is_in_capitals(line) and context.furniture.get(i - 1) == "formula"
        enacts = len(line) < PROSE and self.grammar.formula(self.lines.heads[i]) == "enacting"
        if is_continued or (enacts and context.builder.awaits_articles):
            context.furniture[i] = "formula"
        elif self.points.is_heading(i):
            context.furniture[i] = "heading"
            context.builder.open_points(line, is_outer=self.points.is_outer(i))
        else:
            self.points.count(i)
            context.add_to("body", i)
        return True

    def _enact(self, i: int) -> None:
        """Begin the terms; a formula whose sentence the points below it continue belongs to them."""
        if self.points.continues_formula(i):
            self.context.add_to("body", i)
            self.context.section.lead = i
        else:
            self.context.furniture[i] = "formula"
        self.context.state = "body"

    def _is_unannounced_recital(self, i: int, line: str) -> bool:
        """Whether prose after the citations is a recital, in an act whose recitals nothing announces."""
        parties, first = self.front.parties, self.context.kind != "preamble"
        if parties.is_name(i, first=first) or (not parties.is_recital(i) and (first or len(line) <= PROSE)):
            return False
        if self.has_announced_recitals is None:
            self.has_announced_recitals = self._announces_recitals(i)
        return not self.has_announced_recitals

    def _announces_recitals(self, i: int) -> bool:
        lines = self.lines
        for j in range(i, len(lines)):
            header, formula = lines.headers[j], self.grammar.formula(lines.heads[j])
            if formula == "recitals" or _is_first(lines.marks[j]):
                return True
            if formula == "enacting" or (header is not None and header.kind == "article"):
                return False
        return True


def _is_first(mark: Marker | None) -> bool:
    return mark is not None and mark.style in ("paren", "dot") and mark.value == 1 and not mark.quoted
