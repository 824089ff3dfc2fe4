"""Headers and headings: the lines that open an article, an annex or a chapter, and the headings below them.

A header is recognised by its head-word ("Article 5") or by its mark-up. `SectionHeaders` opens what a header opens,
`SectionHeadings` reads the lines just below it, `AnnexParts` the lines of annexes.
"""

from __future__ import annotations

from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import DIVISIONS, Header
from lexlattice.reading.languages.numbering import part_number
from lexlattice.reading.structure.front import Front
from lexlattice.reading.structure.header_tracker import HeaderTracker
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.notes_and_tables import Footnotes
from lexlattice.reading.structure.sections import FRONT, PREFIXES, TERMS, OutlineContext
from lexlattice.reading.structure.signatures import Signatures
from lexlattice.reading.structure.typography import LONGEST_HEADING, SENTENCE_STOPS, is_in_capitals

FEW_LINES: Final = 6
"""Short lines that can be the whole text of a part of an annex."""
_BY_MARK_UP: Final = (Role.HEADING, Role.OUTLINE)


def looks_like_heading(lines: Lines, i: int) -> bool:
    """Whether a line is short, without a marker, and does not end like a sentence."""
    line = lines.texts[i]
    return len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and lines.marks[i] is None


class SectionHeadings:
    """Handles the lines just below headers."""

    def __init__(self, context: OutlineContext, signatures: Signatures) -> None:
        self.context = context
        self.lines = context.lines
        self.signatures = signatures

    def by_mark_up(self, i: int, line: str) -> bool:
        """Take a line as a heading if its mark-up says so and it is below a header; false if not."""
        due = self.lines.roles[i] in _BY_MARK_UP and self.context.state in ("heading", "division")
        if not due or not self.may_extend():
            return False
        self.take(i, line)
        return True

    def may_extend(self) -> bool:
        """Whether another line may belong to the open heading."""
        return self.context.builder.may_extend_heading(of_division=self.context.state == "division")

    def take(self, i: int, line: str) -> None:
        """Add a line to the heading of the open section or division."""
        self.context.furniture[i] = "heading"
        self.context.builder.extend_heading(line, of_division=self.context.state == "division")

    def in_division(self, i: int, line: str) -> bool:
        """Handle a line below a chapter's header: its heading, or the first line of its text."""
        context = self.context
        if self._heads_division(i, line):
            self.take(i, line)
            return True
        context.builder.open_division()
        context.state = "body"
        return False

    def in_heading(self, i: int, line: str) -> bool:
        """Handle a line below an article's or annex's header: its heading, if text follows before the next header."""
        if looks_like_heading(self.lines, i) and self.text_follows(i) and not self._begins_parts(line):
            self.take(i, line)
            return True
        self.context.state = self.context.section.kind
        return False

    def text_follows(self, i: int) -> bool:
        """Whether a line can be a heading: an article has one line of it at most, an annex two, and text follows."""
        section, after = self.context.section, i + 1
        if after >= len(self.lines):
            return False
        header = self.lines.headers[after]
        if section.kind == "annex":
            return section.heading.count("\n") < 1 and (header is None or header.kind in (*DIVISIONS, "article"))
        if header is not None:
            return False
        return not section.heading and not self.signatures.closes(after, self.lines.texts[after])

    def _heads_division(self, i: int, line: str) -> bool:
        """Whether a line is the heading of a chapter that has none yet."""
        builder, after = self.context.builder, i + 1
        if builder.heading(of_division=True) or not builder.enclosing:
            return False
        before_header = after < len(self.lines) and self.lines.headers[after] is not None
        if before_header and len(line) <= 2 * LONGEST_HEADING:
            return True
        return looks_like_heading(self.lines, i) or self._is_in_capitals(i, line)

    def _is_in_capitals(self, i: int, line: str) -> bool:
        """Whether a short line is in capitals: outside the Union, headings end with a stop ("SEC. 2. FINDINGS.")."""
        return len(line) <= LONGEST_HEADING and self.lines.marks[i] is None and is_in_capitals(line)

    def _begins_parts(self, line: str) -> bool:
        """Whether a line is the heading of the first part of an annex, "A. General", not of the annex."""
        number = part_number(line) if self.context.section.kind == "annex" else None
        return number is not None and 1 in (number.value, number.roman)


class AnnexParts:
    """Handles the lines of annexes: headings by mark-up, headings of parts, and notes."""

    def __init__(self, context: OutlineContext, headings: SectionHeadings, footnotes: Footnotes) -> None:
        self.context = context
        self.lines = context.lines
        self.headings = headings
        self.footnotes = footnotes

    def take_group(self, i: int, line: str) -> bool:
        """Handle a heading inside an annex; the first without a number is the annex's own if it has no other."""
        context, kind = self.context, self.context.kind
        if kind not in ("annex", "body") or context.state not in TERMS:
            return False
        nameless = self.lines.marks[i] is None and context.grammar.header(line) is None
        if context.state == "heading" and nameless and not context.section.heading and self.headings.text_follows(i):
            self.headings.take(i, line)
            return True
        context.groups[i] = max(1, self.lines.levels[i])
        context.add(i)
        context.state = kind
        return True

    def in_annex(self, i: int, line: str) -> bool:
        """Handle a line of an annex: the heading of the part that has just begun, a note, or text."""
        mark = self.lines.marks[i]
        if i == self.context.part_heading_at and self._heads_part(i, line) and self._text_follows(i):
            self.context.furniture[i] = "heading"
        elif mark is not None and mark.style == "paren" and self.footnotes.is_note(line[mark.end :]):
            self.footnotes.begin_in_annex(i)
        else:
            self.context.add(i)
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

        If there are only a few short lines below the header ("Dogs", "Cats"), these are the text.
        """
        lines = self.lines
        for j in range(i + 1, min(i + FEW_LINES, len(lines))):
            header = lines.headers[j]
            if header is not None or lines.roles[j] is Role.ANNEX:
                return header is not None and j == i + 1 and header.kind in (*DIVISIONS, "article")
            if not looks_like_heading(lines, j) or lines.roles[j] is not None:
                return True
        return i + FEW_LINES < len(lines)


class SectionHeaders:
    """Opens articles, annexes and divisions at headers that belong to the act itself."""

    def __init__(
        self,
        context: OutlineContext,
        front: Front,
        tracker: HeaderTracker,
        headings: SectionHeadings,
        annex_parts: AnnexParts,
        footnotes: Footnotes,
    ) -> None:
        self.context = context
        self.lines = context.lines
        self.builder = context.builder
        self.front = front
        self.tracker = tracker
        self.headings = headings
        self.annex_parts = annex_parts
        self.footnotes = footnotes

    def take(self, i: int, line: str) -> bool:
        """Open what a header line opens; false if the line is no header of this act."""
        role, header = self.lines.roles[i], self.lines.headers[i]
        if role is None and header is None:
            self.tracker.track_quotation(i)
            return False
        if role is Role.QUOTED:
            return False
        if role is Role.TITLE and self.context.state in FRONT:  # a title may begin with a head-word
            return False
        if role is Role.GROUP and self._take_group(i, line):
            return True
        if header is None:
            return self._take_by_role(i, line, role)
        return self._take_by_words(i, header, role)

    def _take_by_words(self, i: int, header: Header, role: Role | None) -> bool:
        """Handle a header that is recognised by its head-word."""
        if header.kind == "article":
            if not self.tracker.accepts_article(i, header, in_annex=self.builder.in_annex):
                return False
            self._open_article(i, header)
        elif header.kind in PREFIXES:
            if role is not Role.ANNEX and not self._opens_annex(i, header):
                return False
            self._open_annex(i, header)
        elif self.tracker.in_quotation and role is None:
            return False
        else:
            self._begin_division(i, header)
        return True

    def _take_by_role(self, i: int, line: str, role: Role | None) -> bool:
        """Handle a header that is recognised by its mark-up alone."""
        context = self.context
        if (
            role is Role.ANNEX
            and context.state == "heading"
            and context.section.kind == "annex"
            and self.headings.may_extend()
        ):
            self.headings.take(i, line)
        elif role is Role.ANNEX:
            self._open_annex(i, Header("annex", "", "", len(line)))
        elif role is Role.DIVISION or (role is Role.OUTLINE and self._divides(i)):
            self._begin_division(i, None)
        else:
            self.tracker.track_quotation(i)
            if role is not Role.ARTICLE or self.tracker.in_quotation:
                return False
            self._open_article(i, Header("article", "", "", len(line)))
        return True

    def _take_group(self, i: int, line: str) -> bool:
        """Handle a heading inside an annex by mark-up; above an article of the annex it is that of a chapter."""
        context, after = self.context, i + 1
        if context.kind == "article" and context.section.annex is not None:
            header = self.lines.headers[after] if after < len(self.lines) else None
            if header is not None and header.kind == "article":
                self._begin_division(i, None)
                return True
        return self.annex_parts.take_group(i, line)

    def _opens_annex(self, i: int, header: Header) -> bool:
        """Whether an annex or protocol header opens one: not before the terms, nor as the heading of an annex."""
        state = self.context.state
        if state in (*FRONT, "preamble", "recitals"):
            return False
        if state == "heading" and not header.number:
            section = self.context.section
            if header.kind == "protocol" and section.kind == "annex" and not section.heading:
                return False
            if section.kind == "article":
                return self.lines.texts[i].isupper() and self.tracker.accepts_annex(i, header, in_terms=True)
        in_terms = state in ("article", "heading") and not self.builder.in_annex
        return self.tracker.accepts_annex(i, header, in_terms=in_terms)

    def _divides(self, i: int) -> bool:
        """Whether a heading of unknown rank divides the text: not if it is that of a title or an article."""
        if self.context.state in FRONT:
            return bool(self.context.sections) and i >= self.front.end
        return self.context.state not in ("heading", "division", "preamble", "recitals")

    def _open_article(self, i: int, header: Header) -> None:
        self.context.furniture[i] = "heading"
        self.builder.open_article(self.lines.texts[i], header, restarts=self.tracker.record_article(header))
        self.context.state = "heading"

    def _open_annex(self, i: int, header: Header) -> None:
        self.context.furniture[i] = "heading"
        self.tracker.record_annex(header)
        self.builder.open_annex(self.lines.texts[i], header)
        self.context.state = "heading"

    def _begin_division(self, i: int, header: Header | None) -> None:
        """Begin a part of the open annex, or else a chapter or the like."""
        context = self.context
        context.furniture[i] = "heading"
        self.footnotes.resume()
        if context.kind == "annex" and context.state in ("annex", "heading"):
            self.builder.divide_annex(self.lines.texts[i], header)
            context.part_heading_at = i + 1
            context.state = "annex"
        else:
            self.builder.enter_division(self.lines.texts[i], header)
            context.state = "division"
