"""From the title to the enacting terms: citations, recitals, the formula that enacts, and text without articles."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.draft import Draft
from lexlattice.reading.front import Front
from lexlattice.reading.lines import PROSE
from lexlattice.reading.numbering import Marker
from lexlattice.reading.points import Points
from lexlattice.reading.sections import Part
from lexlattice.reading.shapes import LONGEST_HEADING, shouts

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
