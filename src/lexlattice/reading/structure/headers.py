"""Headers: the lines that open an article, an annex or a chapter, by their words or by their mark-up."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import DIVISIONS, Header
from lexlattice.reading.languages.numbering import part_number
from lexlattice.reading.structure.footnotes import Footnotes
from lexlattice.reading.structure.front import Front
from lexlattice.reading.structure.header_tracker import Belief
from lexlattice.reading.structure.lines import LONGEST_HEADING, SENTENCE_STOPS, Lines, shouts
from lexlattice.reading.structure.sections import FRONT, PREFIXES, TERMS, Draft
from lexlattice.reading.structure.signatures import Signatures

# Headings of sections: which lines below the header of a chapter, an article or an annex are its heading.

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


# Parts of annexes while their lines are read: headings by mark-up, below the header of a part, and notes between.

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


# Headers: the lines that open an article, an annex or a chapter, by their words or by their mark-up.


class SectionHeaders:
    """Opens what headers open, as far as they are believed to be the act's own."""

    def __init__(
        self,
        draft: Draft,
        front: Front,
        belief: Belief,
        headings: SectionHeadings,
        annex_parts: AnnexParts,
        footnotes: Footnotes,
    ) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.sections = draft.sections
        self.front = front
        self.belief = belief
        self.headings = headings
        self.annex_parts = annex_parts
        self.footnotes = footnotes

    def take(self, i: int, line: str) -> bool:
        """Open what a header line opens; false if the line is no header after all."""
        role, header = self.lines.roles[i], self.lines.headers[i]
        if role is None and header is None:
            self.belief.watch_quotation(i)
            return False
        if role is Role.QUOTED:
            self.belief.quoted.add(i)
            return False
        if role is Role.TITLE and self.draft.state in FRONT:
            return False
        if role is Role.GROUP and self._take_group(i, line):
            return True
        if header is None:
            return self._take_by_role(i, line, role)
        return self._take_by_words(i, header, role)

    def _take_by_words(self, i: int, header: Header, role: Role | None) -> bool:
        """A header that its head-word shows."""
        if header.kind == "article":
            if not self.belief.article(i, header, in_annex=self.sections.in_annex):
                return False
            self._open_article(i, header)
        elif header.kind in PREFIXES:
            if role is not Role.ANNEX and not self._opens_annex(i, header):
                return False
            self._open_annex(i, header)
        elif self.belief.in_quotation and role is None:
            self.belief.quoted.add(i)
            return False
        else:
            self._begin_division(i, header)
        return True

    def _take_by_role(self, i: int, line: str, role: Role | None) -> bool:
        """A header that the mark-up shows but no head-word does."""
        draft = self.draft
        if role is Role.ANNEX and draft.state == "heading" and draft.part.kind == "annex" and self.headings.may_go_on():
            self.headings.take(i, line)
        elif role is Role.ANNEX:
            self._open_annex(i, Header("annex", "", "", len(line)))
        elif role is Role.DIVISION or (role is Role.OUTLINE and self._divides(i)):
            self._begin_division(i, None)
        else:
            self.belief.watch_quotation(i)
            if role is not Role.ARTICLE or self.belief.in_quotation:
                return False
            self._open_article(i, Header("article", "", "", len(line)))
        return True

    def _take_group(self, i: int, line: str) -> bool:
        """A heading inside an annex by mark-up; above an article of the annex it is that of a chapter."""
        draft, after = self.draft, i + 1
        if draft.kind == "article" and draft.part.annex is not None:
            header = self.lines.headers[after] if after < len(self.lines) else None
            if header is not None and header.kind == "article":
                self._begin_division(i, None)
                return True
        return self.annex_parts.take_group(i, line)

    def _opens_annex(self, i: int, header: Header) -> bool:
        """Whether the header of an annex or protocol is one: not before the terms, nor as the heading of an annex."""
        state = self.draft.state
        if state in (*FRONT, "preamble", "recitals"):
            return False
        if state == "heading" and not header.number:
            part = self.draft.part
            if header.kind == "protocol" and part.kind == "annex" and not part.heading:
                return False
            if part.kind == "article":
                return self.lines.texts[i].isupper() and self.belief.annex(i, header, in_terms=True)
        in_terms = state in ("article", "heading") and not self.sections.in_annex
        return self.belief.annex(i, header, in_terms=in_terms)

    def _divides(self, i: int) -> bool:
        """Whether a heading of unknown rank divides the text: not where it is a title's or an article's."""
        if self.draft.state in FRONT:
            return bool(self.draft.parts) and i >= self.front.end
        return self.draft.state not in ("heading", "division", "preamble", "recitals")

    def _open_article(self, i: int, header: Header) -> None:
        self.draft.furniture[i] = "heading"
        self.sections.article(self.lines.texts[i], header, anew=self.belief.opened_article(header))
        self.draft.state = "heading"

    def _open_annex(self, i: int, header: Header) -> None:
        self.draft.furniture[i] = "heading"
        self.belief.opened_annex(header)
        self.sections.open_annex(self.lines.texts[i], header)
        self.draft.state = "heading"

    def _begin_division(self, i: int, header: Header | None) -> None:
        """Begin a part of the open annex, or else a chapter or the like."""
        draft = self.draft
        draft.furniture[i] = "heading"
        self.footnotes.resume()
        if draft.kind == "annex" and draft.state in ("annex", "heading"):
            self.sections.divide_annex(self.lines.texts[i], header)
            draft.heading_due = i + 1
            draft.state = "annex"
        else:
            self.sections.enter_division(self.lines.texts[i], header)
            draft.state = "division"
