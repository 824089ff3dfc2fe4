"""The end of an act: place and date, and who signed it."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.attachments import Attachments
from lexlattice.reading.blocks import Role
from lexlattice.reading.draft import Draft
from lexlattice.reading.footnotes import Footnotes

LONGEST_SIGNATURE: Final = 80
LONGEST_CLOSING: Final = 160

_YEAR_AT_END: Final = re.compile(r"(?:19|20)\d\d\D{0,12}$")


class Signatures:
    """Finds the signature block, and what may stand below it."""

    def __init__(self, draft: Draft, footnotes: Footnotes, attachments: Attachments) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.grammar = draft.grammar
        self.footnotes = footnotes
        self.attachments = attachments

    def begin(self, i: int, line: str) -> bool:
        """Begin the signature block, or go on with it, if a line belongs to it."""
        if not self._signs(i, line):
            return False
        self.draft.furniture[i] = "signature"
        self.draft.state = "signature"
        self.draft.sections.leave_divisions()
        return True

    def _signs(self, i: int, line: str) -> bool:
        """Whether a line belongs to the signature block; the sentence that a regulation is binding does not."""
        if self.lines.roles[i] is Role.SIGNATURE:
            return self.draft.state == "signature" or not self.grammar.opens("binding", self.lines.heads[i])
        return self.draft.state in ("article", "body", "annex") and self.closes(i, line)

    def closes(self, i: int, line: str) -> bool:
        """Whether a line is place and date: the formula says so, or it is short and dated, with a signatory below."""
        lines = self.lines
        if len(line) > LONGEST_CLOSING:
            return False
        if self.grammar.opens("closing", lines.heads[i]) and (any(map(str.isdigit, line)) or self._is_signed(i + 1)):
            return True
        if self.draft.state == "annex" or len(line) > LONGEST_SIGNATURE or lines.marks[i] is not None:
            return False
        signed = i + 1 < len(lines) and self.grammar.opens("signatory", lines.heads[i + 1])
        return signed and bool(_YEAR_AT_END.search(line))

    def _is_signed(self, i: int) -> bool:
        """Whether a line below a day in words is a signatory, not a field of a form: short, and no sentence."""
        lines = self.lines
        if self.draft.state == "annex" or i >= len(lines) or lines.headers[i] is not None or lines.marks[i] is not None:
            return False
        line = lines.texts[i]
        return len(line) <= LONGEST_SIGNATURE and line[0].isupper() and line[-1] not in ".;:,"

    def in_signature(self, i: int, line: str) -> bool:
        """Below a signature: a text that is attached, footnotes, further signatures, or other text."""
        if self.attachments.begin(i, line):
            return True
        mark = self.lines.marks[i]
        if (mark is not None and mark.style == "paren") or self.footnotes.is_note(line):
            self.footnotes.add(i)
        elif len(line) <= LONGEST_SIGNATURE and mark is None:
            self.draft.furniture[i] = "signature"
        else:
            self.draft.add_to("body", i)
        return True
