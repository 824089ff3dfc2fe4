"""Texts attached to an act below its signatures, such as an agreement it approves: where their titles stand."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.blocks import Role
from lexlattice.reading.draft import Draft
from lexlattice.reading.lines import PROSE
from lexlattice.reading.shapes import LONGEST_HEADING, shouts

MOST_WORDS: Final = 8
"""Words of the first line of an attached text's title."""
SHORTEST: Final = 12
"""Characters of a title whose words do not tell what it is the title of."""

_ATTACHABLE: Final = ("agreement", "treaty")


class Attachments:
    """Reads the titles of attached texts."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.words = tuple(word for word, kind in draft.grammar.types if kind in _ATTACHABLE)

    def begin(self, i: int, line: str) -> bool:
        """Begin an attached text if a line is its title."""
        if not self._is_title(i, line):
            return False
        self.draft.furniture[i] = "heading"
        self.draft.sections.attach(line)
        self.draft.state = "attached"
        return True

    def _is_title(self, i: int, line: str) -> bool:
        """Whether a line below the signatures is the title of a text that is attached: "FRAMEWORK AGREEMENT"."""
        lines = self.lines
        if lines.roles[i] is Role.TITLE:
            return True
        if lines.roles[i] is not None or lines.marks[i] is not None or not (line.isupper() or shouts(line)):
            return False
        short = line.count(" ") < MOST_WORDS and not any(map(str.isdigit, line)) and line[-1].isalpha()
        return short and (any(word in lines.heads[i] for word in self.words) or self._heads_text(i, line))

    def _heads_text(self, i: int, line: str) -> bool:
        """Whether a line below the signatures is all in capitals, and prose begins below it or below its last words."""
        if self.draft.state != "signature" or not line.isupper() or len(line) < SHORTEST or "." in line:
            return False
        lines, below = self.lines, i + 1
        if below < len(lines) and (lines.texts[below][0].islower() or lines.texts[below].isupper()):
            below += 1
        if below >= len(lines) or lines.marks[below] is not None or lines.roles[below] is not None:
            return False
        return lines.headers[below] is None and len(lines.texts[below]) > PROSE and lines.texts[below][-1] in ".:;"

    def in_title(self, i: int, line: str) -> bool:
        """Below the title of an attached text: the rest of the title, which goes on in small letters."""
        goes_on = self.lines.roles[i] is Role.TITLE or (line[0].islower() and line[-1] not in ".;:")
        if goes_on and len(line) <= LONGEST_HEADING and self.lines.marks[i] is None:
            self.draft.furniture[i] = "heading"
            self.draft.sections.head_attachment(line)
            return True
        self.draft.state = "body"
        return False
