"""The front of an act: what the page prints above it, and where its title ends."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.blocks import Role
from lexlattice.reading.lines import LONGEST_HEADING, PROSE, SENTENCE_STOPS, Lines, names_institution, shouts

LONGEST_PAGE_HEADER: Final = 8
LONGEST_FRONT: Final = 60
"""Lines among which the end of the title is looked for."""
LONGEST_TITLE: Final = 4
"""Lines of the title of a text that has no preamble."""

_PAGE: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$"  # 27.12.2022
    r"|[A-Z]{2}$"  # EN
    r"|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$|\d{4}/\d+$"  # L 333/1
    r"|\d[0-9A-Z]{4}[A-Z]{1,2}\d{4}(?:\(\d+\)|R\(\d+\))*$"  # a CELEX number
    r"|[|*\s_-]+$"
    r"|EUR-Lex\b.*|(?:Important legal notice|Avis juridique important)$"
    r"|ELI: ?\S+.*$|ISSN [\d-]+.*$"
    r"|.{0,80}\b[Pp]\.\s?\d{4}\b.*$"  # Official Journal L 178 , 17/07/2000 P. 0001 - 0016
    r"|\d{4,5}[A-Z]\d{4} — [A-Z]{2} — .*$"  # 1991R1534 — EN — 01.05.2004 — 001.001
)
_FOOTER: Final = re.compile(r"ELI: ?https?://\S+$|ISSN \d{4}-\d{3}[\dX]\b.{0,40}$")
_NUMBER_BEFORE: Final = re.compile(r"\([^)]{1,20}\)\s")
_PAGE_DATE: Final = re.compile(r"(?:\d{1,2}[./ ]\s?\d{1,2}[./ ]\s?\d{4}|\d{4}[./ ]\s?\d{1,2}[./ ]\s?\d{1,2})\.?$")


class Front:
    """Where the page's own header and the title end, found before the act is read."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.page_end = self._page_end()
        self.end = self._end()
        self.page_end = self._last_of_page()
        """The first line that is not the title's."""
        self.has_preamble = self.end < len(lines) and (
            bool(lines.grammar.formula(lines.heads[self.end])) or shouts(lines.texts[self.end])
        )

    def is_page(self, i: int, *, before_text: bool) -> bool:
        """Whether a line is the page's, not the act's; before the text begins, more is believed to be."""
        line = self.lines.texts[i]
        if i < self.page_end:
            return True
        if before_text:
            return len(line) <= 1200 and (bool(_PAGE.match(line)) or self._names_journal(i))
        return len(line) < 100 and (self._names_journal(i) or bool(_FOOTER.match(line)))

    def _names_journal(self, i: int) -> bool:
        return self.lines.grammar.opens("journal", self.lines.heads[i])

    def _page_end(self) -> int:
        """Where the Official Journal's own header ends, if the page begins with one that closes with its date."""
        lines = self.lines
        for i, line in enumerate(lines.texts[:LONGEST_PAGE_HEADER]):
            if len(line) >= PROSE or lines.headers[i] is not None or lines.roles[i] is not None:
                break
            if _PAGE_DATE.match(line):
                return i + 1
        return 0

    def _last_of_page(self) -> int:
        """Old pages name the act, then the page, then the act again: the act begins below the page's last line."""
        roles, texts = self.lines.roles, self.lines.texts
        for i in range(min(self.end, len(texts)) - 2, self.page_end - 1, -1):
            if roles[i] is Role.PAGE or (roles[i] is None and _PAGE.match(texts[i])):
                return i + 1 if any(self._is_own(j) for j in range(i + 1, self.end)) else self.page_end
        return self.page_end

    def _end(self) -> int:
        """Where the title ends: at the line that begins the preamble or, failing that, at the first text."""
        lines = self.lines
        nearby = range(self.page_end, min(len(lines), LONGEST_FRONT))
        for i in nearby:
            if lines.headers[i] is not None and i:
                return i
            line = lines.texts[i]
            if lines.roles[i] in (None, Role.OUTLINE) and lines.grammar.formula(lines.heads[i]):
                return i - 1 if i and self._is_own(i - 1) and _names_who_acts(lines.texts[i - 1]) else i
            if i and names_institution(line) and _names_who_acts(line):
                return i
        own = [i for i in nearby if self._is_own(i)]
        return next((i for n, i in enumerate(own) if not self._is_title(i, n)), len(lines))

    def _is_title(self, i: int, place: int) -> bool:
        """Whether a line is the title of a text without a preamble: the first may be long, none is a sentence."""
        line = self.lines.texts[i]
        if line.endswith((".", ";", ":")) or place >= LONGEST_TITLE:
            return False
        heading = len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and self.lines.marks[i] is None
        return heading or place == 0

    def _is_own(self, i: int) -> bool:
        """Whether a line is the act's own, not the page's."""
        return self.lines.roles[i] in (None, Role.TITLE, Role.OUTLINE) and not _PAGE.match(self.lines.texts[i])


def _names_who_acts(line: str) -> bool:
    """A shouted line names an institution, unless a number in it shows a title ("COUNCIL REGULATION No 17")."""
    name = _NUMBER_BEFORE.sub("", line)
    return shouts(name) and not any(c.isdigit() for c in name)
