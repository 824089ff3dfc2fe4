"""Headings of sections: which lines below the header of a chapter, an article or an annex are its heading."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.blocks import Role
from lexlattice.reading.draft import Draft
from lexlattice.reading.grammar import DIVISIONS
from lexlattice.reading.lines import Lines
from lexlattice.reading.numbering import part_number
from lexlattice.reading.shapes import LONGEST_HEADING, SENTENCE_STOPS, shouts
from lexlattice.reading.signatures import Signatures

_BY_MARK_UP: Final = (Role.HEADING, Role.OUTLINE)


def looks_like_heading(lines: Lines, i: int) -> bool:
    """Whether a line is short, without a number, and does not end as a sentence does."""
    line = lines.texts[i]
    return len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and lines.marks[i] is None


class SectionHeadings:
    """Reads the lines just below headers."""

    def __init__(self, draft: Draft, signatures: Signatures) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.signatures = signatures

    def by_mark_up(self, i: int, line: str) -> bool:
        """Take a line as a heading if its mark-up says that it is one, and a header stands above it."""
        due = self.lines.roles[i] in _BY_MARK_UP and self.draft.state in ("heading", "division")
        if not due or not self.may_go_on():
            return False
        self.take(i, line)
        return True

    def may_go_on(self) -> bool:
        """Whether a further line may belong to the heading that is open."""
        return self.draft.sections.may_be_headed(of_division=self.draft.state == "division")

    def take(self, i: int, line: str) -> None:
        """Take a line as the heading of what is open, or as a further line of it."""
        self.draft.furniture[i] = "heading"
        self.draft.sections.head(line, of_division=self.draft.state == "division")

    def in_division(self, i: int, line: str) -> bool:
        """Below a chapter's header: its heading, unless the text begins at once."""
        draft = self.draft
        if self._heads_division(i, line):
            self.take(i, line)
            return True
        draft.sections.open_division()
        draft.state = "body"
        return False

    def in_heading(self, i: int, line: str) -> bool:
        """Below an article's or annex's header: its heading, if text follows before the next header."""
        if looks_like_heading(self.lines, i) and self.text_follows(i) and not self._begins_parts(line):
            self.take(i, line)
            return True
        self.draft.state = self.draft.part.kind
        return False

    def text_follows(self, i: int) -> bool:
        """Whether a line can be a heading: an article has one at most, and both have text below it."""
        part, after = self.draft.part, i + 1
        if after >= len(self.lines):
            return False
        header = self.lines.headers[after]
        if part.kind == "annex":
            return part.heading.count("\n") < 1 and (header is None or header.kind in (*DIVISIONS, "article"))
        if header is not None:
            return False
        return not part.heading and not self.signatures.closes(after, self.lines.texts[after])

    def _heads_division(self, i: int, line: str) -> bool:
        """Whether a line is the heading of a chapter that has none yet."""
        sections, after = self.draft.sections, i + 1
        if sections.heading(of_division=True) or not sections.enclosing:
            return False
        before_header = after < len(self.lines) and self.lines.headers[after] is not None
        if before_header and len(line) <= 2 * LONGEST_HEADING:
            return True
        return looks_like_heading(self.lines, i) or self._is_shouted(i, line)

    def _is_shouted(self, i: int, line: str) -> bool:
        """Elsewhere than in the Union, headings end with a stop: "SEC. 2. FINDINGS."."""
        return len(line) <= LONGEST_HEADING and self.lines.marks[i] is None and shouts(line)

    def _begins_parts(self, line: str) -> bool:
        """Whether a line heads the first part of an annex, "A. General", not the annex."""
        part = part_number(line) if self.draft.part.kind == "annex" else None
        return part is not None and 1 in (part.value, part.roman)
