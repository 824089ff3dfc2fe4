"""Footnotes: of a table, inside the article or annex they interrupt, or in a section of their own at the end."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.attachments import Attachments
from lexlattice.reading.blocks import Role
from lexlattice.reading.draft import TERMS, Draft
from lexlattice.reading.grammar import fold
from lexlattice.reading.lines import PROSE
from lexlattice.reading.sections import Part

_BROKEN_OFF: Final = re.compile(r"\s[^\W\d_]\.$")
"""The end of a line that stops before a page number: "OJ L 222, 14. 8. 1978, p."."""
_ASIDE: Final = (Role.NOTE, Role.PAGE, Role.TABLE)


class Footnotes:
    """Finds the place of each footnote, and where the text goes on below them."""

    def __init__(self, draft: Draft, attachments: Attachments) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.attachments = attachments
        self.interrupted: Part | None = None
        """The annex that the notes being read stand in, or at the end of."""
        self.nearest = 0
        """The next line that is not an aside, looked for once a run of asides."""
        self.terms_end: int | None = None

    def is_note(self, line: str) -> bool:
        """Whether a line begins as footnotes do: "OJ L 257", "*"."""
        return self.draft.grammar.opens("note", fold(line[:40])) or line.startswith(("*", "(*"))

    def take(self, i: int) -> None:
        """Take a footnote by mark-up: with its table, inside what it interrupts, or in the notes at the end."""
        draft = self.draft
        if self.lines.levels[i]:
            self._add_to_table(i)
        elif draft.state in ("article", "annex", "heading") and self._text_goes_on(i):
            draft.notes.add(i)
            draft.add(i)
        elif draft.state in ("annex", "heading") and draft.part.kind == "annex":
            self.begin_in_annex(i)
        else:
            self.add(i)

    def add(self, i: int) -> None:
        """Add a line to the section of notes, which is opened if need be."""
        if self.draft.state != "notes":
            self.interrupted = None
        self.draft.add_to("notes", i)

    def begin_in_annex(self, i: int) -> None:
        """Begin the notes of an annex: below its table, perhaps, and not yet at its end."""
        annex = self.draft.part
        self.add(i)
        self.interrupted = annex

    def resume(self) -> None:
        """Go on with the annex that notes have interrupted, if they have: they become part of it."""
        draft = self.draft
        if draft.state == "notes" and self.interrupted is not None:
            lines, annex = draft.sections.take_back_notes()
            draft.notes.update(lines)
            draft.state, self.interrupted = annex.kind, None

    def in_notes(self, i: int, line: str) -> bool:
        """Below a footnote: another, or the text that notes have interrupted, or a text that is attached."""
        if self.interrupted is None:
            if self.attachments.begin(i, line):
                return True
        elif not self._notes_go_on(i, line):
            self.resume()
            return False
        if self.lines.marks[i] is None and self.lines.roles[i] is None and len(line) > PROSE and not self.is_note(line):
            self.draft.add_to("body", i)
        else:
            self.add(i)
        return True

    def _add_to_table(self, i: int) -> None:
        """A note of a table belongs to the section that the table stands in."""
        if self.draft.kind in TERMS:
            self.draft.notes.add(i)
            self.draft.add(i)
        else:
            self.draft.furniture[i] = "table"

    def _notes_go_on(self, i: int, line: str) -> bool:
        """Whether a line below the notes of an annex is a note as well, or the rest of one."""
        lines, mark, above = self.lines, self.lines.marks[i], self.lines.texts[i - 1]
        if lines.roles[i] is Role.NOTE or self.is_note(line) or _BROKEN_OFF.search(above):
            return True
        if mark is not None and mark.style == "paren":
            before = lines.marks[i - 1]
            return self.is_note(line[mark.end :]) or (before is not None and mark.value == before.value + 1)
        return mark is None and lines.roles[i] is None and above[-1] not in ".;"

    def _text_goes_on(self, i: int) -> bool:
        """Whether the open article or annex goes on below a footnote."""
        lines = self.lines
        if self.draft.state == "annex":
            if self.nearest <= i:
                rest = range(i + 1, len(lines))
                self.nearest = next((j for j in rest if lines.roles[j] not in _ASIDE), len(lines))
            near = self.nearest
            return near < len(lines) and lines.headers[near] is None and lines.roles[near] is not Role.ANNEX
        if self.terms_end is None:
            self.terms_end = self._find_terms_end(i)
        return i < self.terms_end

    def _find_terms_end(self, start: int) -> int:
        """Where the act's articles end: at the first annex or signature from a line on, or with the last text."""
        lines = self.lines
        last = next((j for j in range(len(lines) - 1, -1, -1) if lines.roles[j] not in _ASIDE), 0)
        annexes = (j for j, h in enumerate(lines.headers) if j > start and h is not None and h.kind == "annex")
        signatures = (j for j in range(start, len(lines)) if lines.roles[j] is Role.SIGNATURE)
        return min(last, next(annexes, last), next(signatures, last))
