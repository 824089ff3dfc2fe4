"""Headers: the lines that open an article, an annex or a chapter, by their words or by their mark-up."""

from __future__ import annotations

from lexlattice.reading.annex_parts import AnnexParts
from lexlattice.reading.belief import Belief
from lexlattice.reading.blocks import Role
from lexlattice.reading.draft import FRONT, Draft
from lexlattice.reading.footnotes import Footnotes
from lexlattice.reading.front import Front
from lexlattice.reading.grammar import Header
from lexlattice.reading.section_headings import SectionHeadings
from lexlattice.reading.sections import PREFIXES


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
