"""From the title to the enacting terms: citations, recitals, the formula that enacts, and text without articles."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.languages.grammar import Header
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.front import Front
from lexlattice.reading.structure.lines import LONGEST_HEADING, PROSE, SENTENCE_STOPS, Lines, shouts
from lexlattice.reading.structure.sections import Draft, Part

# Acts without articles, such as recommendations: points that count through, under headings without numbers.

LONGEST: Final = 200
"""Characters of a heading among points."""
MOST_IN_A_ROW: Final = 3
"""Headings that stand one below the other: "1. INTRODUCTION", "Purpose"."""


class Points:
    """The count of the points of an act that has no articles."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.counts = not any(map(_is_article, lines.headers))
        """Whether the act has no articles, so that its points are what is cited."""
        self.last = 0
        """The number of the last point."""

    def take(self, i: int) -> None:
        """Take note of a line: the number that is due is a point's."""
        if self._is_due(self.lines.marks[i]):
            self.last += 1

    def is_heading(self, i: int) -> bool:
        """Whether the number that is due stands below a line that looks like a heading, or below one or two more."""
        if not self.counts or not self._is_titled(i):
            return False
        for j in range(i + 1, min(i + 1 + MOST_IN_A_ROW, len(self.lines))):
            if self._is_due(self.lines.marks[j]) and not self._is_titled(j):
                return True
            if not self._is_titled(j):
                return False
        return False

    def is_outer(self, i: int) -> bool:
        """Whether a heading is of the higher kind: numbered, or in capitals."""
        return self.lines.marks[i] is not None or shouts(self.lines.texts[i])

    def _is_titled(self, i: int) -> bool:
        lines, line, mark = self.lines, self.lines.texts[i], self.lines.marks[i]
        if lines.roles[i] is not None or lines.headers[i] is not None or len(line) > LONGEST:
            return False
        text = line[mark.end :] if mark is not None else line
        if not text or not text[0].isupper() or line.endswith(SENTENCE_STOPS):
            return False
        return mark is None or (mark.style == "dot" and shouts(text))

    def _is_due(self, mark: Marker | None) -> bool:
        return mark is not None and mark.style in ("dot", "paren") and mark.value == self.last + 1 and not mark.quoted

    def leads(self, i: int) -> bool:
        """Whether the sentence of an enacting formula goes on in the points below it: "RECOMMENDS THAT …: 1. adopt"."""
        lines = self.lines
        if not self.counts or i + 1 >= len(lines) or not lines.texts[i].endswith(":"):
            return False
        first = next((j for j in range(i + 1, min(i + 2 + MOST_IN_A_ROW, len(lines))) if not self._is_titled(j)), i)
        mark = lines.marks[first]
        if mark is None or mark.quoted:
            return False
        text = lines.texts[first][mark.end :]
        text = text or (lines.texts[first + 1] if first + 1 < len(lines) else "")
        return text[:1].islower()


def _is_article(header: Header | None) -> bool:
    return header is not None and header.kind == "article"


# From the title to the enacting terms: citations, recitals, the formula that enacts, and text without articles.

LONGEST_FORMULA: Final = 30


class Preamble:
    """Reads the lines before the terms, and the terms of acts that have no articles."""

    def __init__(self, draft: Draft, front: Front) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.grammar = draft.grammar
        self.front = front
        self.points = Points(draft.lines)
        self.announced: bool | None = None
        """Whether anything announces the recitals, as soon as that was asked."""

    def in_front(self, i: int, line: str) -> bool:
        """Before the text: the title."""
        if i < self.front.end:
            self.draft.add_to("title", i)
            return True
        self.draft.state = "preamble" if self.front.has_preamble else "body"
        return False

    def in_preamble(self, i: int, line: str) -> bool:
        """Below the title: citations, until recitals or the terms begin."""
        draft, mark, formula = self.draft, self.lines.marks[i], self.grammar.formula(self.lines.heads[i])
        if formula == "enacting" and len(line) <= LONGEST_HEADING:
            self._enact(i)
        elif self.front.parties.is_headed(i):
            draft.furniture[i] = "heading"
        elif formula == "recitals" and len(line) < PROSE and (line.endswith(":") or line[-1].isalpha()):
            draft.furniture[i] = "formula"
            draft.sections.open(Part("recitals"))
            draft.state = "recitals"
        elif formula == "citation" and line.endswith(":") and len(line) < LONGEST_FORMULA:
            draft.furniture[i] = "formula"
        elif formula == "recitals" or _begins_a_count(mark) or (not formula and self._reasons(i, line)):
            draft.add_to("recitals", i)
        else:
            draft.add_to("preamble", i)
        return True

    def in_recitals(self, i: int, line: str) -> bool:
        """Below a recital: another, or the formula that enacts."""
        shouted = len(line) < 100 and line.endswith((":", ".")) and line.upper() == line and shouts(line)
        enacts = len(line) <= LONGEST_HEADING and self.grammar.formula(self.lines.heads[i]) == "enacting"
        if shouted or enacts:
            self._enact(i)
        else:
            self.draft.add_to("recitals", i)
        return True

    def in_body(self, i: int, line: str) -> bool:
        """Terms outside articles: points and their headings, and the rest of the formula that enacts."""
        draft = self.draft
        goes_on = line.endswith(":") and shouts(line) and draft.furniture.get(i - 1) == "formula"
        enacts = len(line) < PROSE and self.grammar.formula(self.lines.heads[i]) == "enacting"
        if goes_on or (enacts and draft.sections.awaits_articles):
            draft.furniture[i] = "formula"
        elif self.points.is_heading(i):
            draft.furniture[i] = "heading"
            draft.sections.head_points(line, outer=self.points.is_outer(i))
        else:
            self.points.take(i)
            draft.add_to("body", i)
        return True

    def _enact(self, i: int) -> None:
        """The terms begin; a formula whose sentence goes on in the points below it is theirs."""
        if self.points.leads(i):
            self.draft.add_to("body", i)
            self.draft.part.lead = i
        else:
            self.draft.furniture[i] = "formula"
        self.draft.state = "body"

    def _reasons(self, i: int, line: str) -> bool:
        """Whether prose after the citations is a recital, in an act whose recitals nothing announces."""
        parties, first = self.front.parties, self.draft.kind != "preamble"
        if parties.name(i, first=first) or (not parties.reasons(i) and (first or len(line) <= PROSE)):
            return False
        if self.announced is None:
            self.announced = self._recitals_are_announced(i)
        return not self.announced

    def _recitals_are_announced(self, i: int) -> bool:
        lines = self.lines
        for j in range(i, len(lines)):
            header, formula = lines.headers[j], self.grammar.formula(lines.heads[j])
            if formula == "recitals" or _begins_a_count(lines.marks[j]):
                return True
            if formula == "enacting" or (header is not None and header.kind == "article"):
                return False
        return True


def _begins_a_count(mark: Marker | None) -> bool:
    return mark is not None and mark.style in ("paren", "dot") and mark.value == 1 and not mark.quoted
