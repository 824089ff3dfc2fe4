"""Parts of annexes while their lines are read: headings by mark-up, below the header of a part, and notes between."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.blocks import Role
from lexlattice.reading.draft import TERMS, Draft
from lexlattice.reading.footnotes import Footnotes
from lexlattice.reading.grammar import DIVISIONS
from lexlattice.reading.section_headings import SectionHeadings, looks_like_heading
from lexlattice.reading.shapes import LONGEST_HEADING, SENTENCE_STOPS

FEW: Final = 6
"""Short lines that can be all that a part of an annex has to say."""


class AnnexParts:
    """Reads the lines of annexes."""

    def __init__(self, draft: Draft, headings: SectionHeadings, footnotes: Footnotes) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.headings = headings
        self.footnotes = footnotes

    def take_group(self, i: int, line: str) -> bool:
        """Take a heading inside an annex; the first without a number is the annex's own if it has no other."""
        draft, kind = self.draft, self.draft.kind
        if kind not in ("annex", "body") or draft.state not in TERMS:
            return False
        nameless = self.lines.marks[i] is None and draft.grammar.header(line) is None
        if draft.state == "heading" and nameless and not draft.part.heading and self.headings.text_follows(i):
            self.headings.take(i, line)
            return True
        draft.groups[i] = max(1, self.lines.levels[i])
        draft.add(i)
        draft.state = kind
        return True

    def in_annex(self, i: int, line: str) -> bool:
        """A line of an annex: the heading of the part that has just begun, a note, or text."""
        mark = self.lines.marks[i]
        if i == self.draft.heading_due and self._heads_part(i, line) and self._text_follows(i):
            self.draft.furniture[i] = "heading"
        elif mark is not None and mark.style == "paren" and self.footnotes.is_note(line[mark.end :]):
            self.footnotes.begin_in_annex(i)
        else:
            self.draft.add(i)
        return True

    def _heads_part(self, i: int, line: str) -> bool:
        """Whether a line looks like the heading of the part of an annex just above: "PART A", "— General"."""
        after = i + 1
        if after >= len(self.lines):
            return False
        mark, following = self.lines.marks[i], self.lines.marks[after]
        if mark is None or mark.style != "dash" or (following is not None and following.style == "dash"):
            return looks_like_heading(self.lines, i)
        return len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and mark.end < len(line)

    def _text_follows(self, i: int) -> bool:
        """Whether a line below a part's header has text below it that it can be the heading of.

        Under a header that only has a few short lines below it ("Dogs", "Cats"), these are what it has to say.
        """
        lines = self.lines
        for j in range(i + 1, min(i + FEW, len(lines))):
            header = lines.headers[j]
            if header is not None or lines.roles[j] is Role.ANNEX:
                return header is not None and j == i + 1 and header.kind in (*DIVISIONS, "article")
            if not looks_like_heading(lines, j) or lines.roles[j] is not None:
                return True
        return i + FEW < len(lines)
