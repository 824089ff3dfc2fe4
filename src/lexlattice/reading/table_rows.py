"""Rows of tables among the lines of an act: which lines are rows, and to which section they belong."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.draft import TERMS, Draft
from lexlattice.reading.footnotes import Footnotes
from lexlattice.reading.lines import PROSE

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
