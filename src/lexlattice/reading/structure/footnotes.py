"""Footnotes: of a table, inside the article or annex they interrupt, or in a section of their own at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import fold
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.lines import PROSE
from lexlattice.reading.structure.sections import TERMS, Attachments, Draft, Part

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


# The sign of a footnote: the number it is cited by, with the asterisk that tells notes of quoted text from others.

_STARRED: Final = re.compile(r"\(?\*(\d{1,3})\s?\)?")


def note_name(line: str, mark: Marker | None) -> str:
    """The number of a footnote as it is cited, "3" or "*11"; empty if it has none.

    >>> note_name("(*11) OJ L 1, 3.1.2020, p. 1.", None)
    '*11'
    """
    starred = _STARRED.match(line)
    if starred is not None:
        return f"*{starred.group(1)}"
    return mark.number if mark is not None else ""


def note_names(lines: Sequence[str], marks: Sequence[Marker | None]) -> list[str]:
    """The names of the footnotes of one section: their own numbers, or their places where these do not tell them."""
    own = [note_name(line, mark) for line, mark in zip(lines, marks, strict=True)]
    return own if all(own) and len(set(own)) == len(own) else [str(n) for n in range(1, len(own) + 1)]


def note_step(name: str) -> str:
    """A footnote's step in ids, which have no asterisk in them.

    >>> note_step("3"), note_step("*11")
    ('note-3', 'note-star11')
    """
    return f"note-{name.replace('*', 'star')}"


# Rows of tables among the lines of an act: which lines are rows, and to which section they belong.

_ROW: Final = re.compile(r">(?:TABLE|PIC FILE|START OF GRAPHIC|END OF GRAPHIC).*>$|.*\s\|(?:\s|$)")
"""Old pages mark the place of a table, or put its cells between bars."""


class TableRows:
    """Gives rows of tables their place."""

    def __init__(self, draft: Draft, footnotes: Footnotes) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.words = draft.grammar.openers["table"]
        self.footnotes = footnotes

    def is_row(self, i: int, line: str) -> bool:
        """Whether a line without a role is a row of a table, or marks the place of one."""
        if self.draft.state not in TERMS or self.lines.headers[i] is not None:
            return False
        return self._is_word(i, line) or (("|" in line or line[0] == ">") and bool(_ROW.match(line)))

    def take(self, i: int, line: str) -> None:
        """A row belongs to the section that is open; elsewhere, and where only its place is marked, it is furniture."""
        self.footnotes.resume()
        draft, kind = self.draft, self.draft.kind
        if line[0] == ">" or self._is_word(i, line) or draft.state not in TERMS or kind not in TERMS:
            draft.furniture[i] = "table"
            return
        if draft.state == "heading":
            draft.state = kind
        draft.tables[i] = self.lines.levels[i]
        draft.add(i)

    def _is_word(self, i: int, line: str) -> bool:
        """Whether a line only says that a table stands here."""
        return len(line) < PROSE and self.lines.heads[i] in self.words
