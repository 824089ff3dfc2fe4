"""Footnotes and table rows among the lines of an act.

`Footnotes` and `TableRows` assign lines to sections while the outline is parsed: a footnote belongs to its table, to
the article or annex that it interrupts, or to a section of notes at the end. The functions below them group the lines
of footnotes and tables, and name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import fold
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.sections import TERMS, Attachments, OutlineContext, ParsedSection
from lexlattice.reading.structure.typography import PROSE

_BROKEN_OFF: Final = re.compile(r"\s[^\W\d_]\.$")
"""The end of a line that breaks off before a page number: "OJ L 222, 14. 8. 1978, p."."""
_STARRED: Final = re.compile(r"\(?\*(\d{1,3})\s?\)?")
"""The sign of a footnote in quoted text: "(*11)", "*3"."""
_ROW: Final = re.compile(r">(?:TABLE|PIC FILE|START OF GRAPHIC|END OF GRAPHIC).*>$|.*\s\|(?:\s|$)")
"""Table rows in old pages: a placeholder such as ">TABLE POSITION>", or cells between bars."""
_ASIDE: Final = (Role.NOTE, Role.PAGE, Role.TABLE)


class Footnotes:
    """Assigns each footnote to a section, and finds where the text continues below it."""

    def __init__(self, context: OutlineContext, attachments: Attachments) -> None:
        self.context = context
        self.lines = context.lines
        self.attachments = attachments
        self.interrupted: ParsedSection | None = None
        """The annex that the notes being read interrupt or end."""
        self.next_text = 0
        """The next line that is no note, page mark or table row; searched once per run of such lines."""
        self.terms_end: int | None = None

    def is_note(self, line: str) -> bool:
        """Whether a line begins like a footnote: "OJ L 257", "*"."""
        return self.context.grammar.opens("note", fold(line[:40])) or line.startswith(("*", "(*"))

    def take(self, i: int) -> None:
        """Handle a footnote by mark-up: with its table, in the section it interrupts, or in the notes at the end."""
        context = self.context
        if self.lines.levels[i]:  # the number of the table
            self._add_to_table(i)
        elif context.state in ("article", "annex", "heading") and self._text_continues(i):
            context.notes.add(i)
            context.add(i)
        elif context.state in ("annex", "heading") and context.section.kind == "annex":
            self.begin_in_annex(i)
        else:
            self.add(i)

    def add(self, i: int) -> None:
        """Add a line to the section of notes, opening one if necessary."""
        if self.context.state != "notes":
            self.interrupted = None
        self.context.add_to("notes", i)

    def begin_in_annex(self, i: int) -> None:
        """Begin the notes of an annex, which may continue below them."""
        annex = self.context.section
        self.add(i)
        self.interrupted = annex

    def resume(self) -> None:
        """Return to the annex that notes have interrupted, if any: they become part of it."""
        context = self.context
        if context.state == "notes" and self.interrupted is not None:
            lines, annex = context.builder.merge_notes()
            context.notes.update(lines)
            context.state, self.interrupted = annex.kind, None

    def in_notes(self, i: int, line: str) -> bool:
        """Handle a line below a footnote: another one, the interrupted text, or an attached text."""
        if self.interrupted is None:
            if self.attachments.begin(i, line):
                return True
        elif not self._notes_continue(i, line):
            self.resume()
            return False
        if self.lines.marks[i] is None and self.lines.roles[i] is None and len(line) > PROSE and not self.is_note(line):
            self.context.add_to("body", i)
        else:
            self.add(i)
        return True

    def _add_to_table(self, i: int) -> None:
        """Add a note of a table to the section of that table."""
        if self.context.kind in TERMS:
            self.context.notes.add(i)
            self.context.add(i)
        else:
            self.context.furniture[i] = "table"

    def _notes_continue(self, i: int, line: str) -> bool:
        """Whether a line below the notes of an annex is another note, or the rest of one."""
        lines, mark, above = self.lines, self.lines.marks[i], self.lines.texts[i - 1]
        if lines.roles[i] is Role.NOTE or self.is_note(line) or _BROKEN_OFF.search(above):
            return True
        if mark is not None and mark.style == "paren":
            before = lines.marks[i - 1]
            return self.is_note(line[mark.end :]) or (before is not None and mark.value == before.value + 1)
        return mark is None and lines.roles[i] is None and above[-1] not in ".;"

    def _text_continues(self, i: int) -> bool:
        """Whether the open article or annex continues below a footnote."""
        lines = self.lines
        if self.context.state == "annex":
            if self.next_text <= i:
                rest = range(i + 1, len(lines))
                self.next_text = next((j for j in rest if lines.roles[j] not in _ASIDE), len(lines))
            near = self.next_text
            return near < len(lines) and lines.headers[near] is None and lines.roles[near] is not Role.ANNEX
        if self.terms_end is None:
            self.terms_end = self._find_terms_end(i)
        return i < self.terms_end

    def _find_terms_end(self, start: int) -> int:
        """Where the articles end: at the first annex or signature below `start`, or at the last text."""
        lines = self.lines
        last = next((j for j in range(len(lines) - 1, -1, -1) if lines.roles[j] not in _ASIDE), 0)
        annexes = (j for j, h in enumerate(lines.headers) if j > start and h is not None and h.kind == "annex")
        signatures = (j for j in range(start, len(lines)) if lines.roles[j] is Role.SIGNATURE)
        return min(last, next(annexes, last), next(signatures, last))


class TableRows:
    """Assigns table rows to sections."""

    def __init__(self, context: OutlineContext, footnotes: Footnotes) -> None:
        self.context = context
        self.lines = context.lines
        self.words = context.grammar.openers["table"]
        self.footnotes = footnotes

    def is_row(self, i: int, line: str) -> bool:
        """Whether a line without a role is a table row or a placeholder for a table."""
        if self.context.state not in TERMS or self.lines.headers[i] is not None:
            return False
        return self._is_word(i, line) or (("|" in line or line[0] == ">") and bool(_ROW.match(line)))

    def take(self, i: int, line: str) -> None:
        """Add a row to the open section; outside the terms, and for a placeholder, it is furniture."""
        self.footnotes.resume()
        context, kind = self.context, self.context.kind
        if line[0] == ">" or self._is_word(i, line) or context.state not in TERMS or kind not in TERMS:
            context.furniture[i] = "table"
            return
        if context.state == "heading":
            context.state = kind
        context.tables[i] = self.lines.levels[i]
        context.add(i)

    def _is_word(self, i: int, line: str) -> bool:
        """Whether a line is only the word for "table"."""
        return len(line) < PROSE and self.lines.heads[i] in self.words


def note_name(line: str, mark: Marker | None) -> str:
    """The number of a footnote as it is cited, "3" or "*11"; empty if it has none.

    The asterisk tells notes of quoted text from the act's own.

    >>> note_name("(*11) OJ L 1, 3.1.2020, p. 1.", None)
    '*11'
    """
    starred = _STARRED.match(line)
    if starred is not None:
        return f"*{starred.group(1)}"
    return mark.number if mark is not None else ""


def note_names(lines: Sequence[str], marks: Sequence[Marker | None]) -> list[str]:
    """The names of the footnotes of one section: their numbers or, if these are not unique, their positions."""
    own = [note_name(line, mark) for line, mark in zip(lines, marks, strict=True)]
    return own if all(own) and len(set(own)) == len(own) else [str(n) for n in range(1, len(own) + 1)]


def note_step(name: str) -> str:
    """A footnote's step in ids, which contain no asterisk.

    >>> note_step("3"), note_step("*11")
    ('note-3', 'note-star11')
    """
    return f"note-{name.replace('*', 'star')}"


def group_notes(lines: Sequence[int], texts: Sequence[str], marks: Sequence[Marker | None]) -> list[tuple[int, int]]:
    """First and last line of each footnote; a line without a sign continues one that has a sign."""

    def has_sign(i: int) -> bool:
        return marks[i] is not None or texts[i].startswith(("(*", "*"))

    notes: list[tuple[int, int]] = []
    for i in lines:
        if notes and notes[-1][1] == i - 1 and has_sign(notes[-1][0]) and not has_sign(i):
            notes[-1] = (notes[-1][0], i)
        else:
            notes.append((i, i))
    return notes


def group_rows(rows: Sequence[int], tables: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """First and last line of each table: adjacent rows with the same table number."""
    first = None
    for row, following in zip_longest(rows, rows[1:]):
        first = row if first is None else first
        if following != row + 1 or tables[following] != tables[row]:
            yield first, row
            first = None
