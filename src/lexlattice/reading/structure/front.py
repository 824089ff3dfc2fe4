"""The front of an act: what the page prints above it, and where its title ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import fold, raw
from lexlattice.reading.structure.lines import LONGEST_HEADING, PROSE, SENTENCE_STOPS, Lines, names_institution, shouts

# Who concludes an agreement: the lines that name its parties, between its title and its reasons.

SHORTEST_NAME: Final = 11
"""Characters of a party's name in capitals."""
FEWEST_WORDS: Final = 3
"""Words of a name in capitals that a comma sets off; a reason can have two ("CONSIDERING THAT, in this context,")."""
SHORTEST_REASON: Final = 5
"""Letters of the word in capitals that a reason begins with."""
LONGEST_NAMING: Final = 240
"""Characters of a line that names a party in small letters and says what it is called below."""
AHEAD: Final = 4
"""Lines among which a further party shows that their names go on."""

_DIGIT: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?!\d)")


class Parties:
    """Tells the lines that name parties from the title above and the reasons below them."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        language = lines.grammar.language
        self.hereinafter = tuple(fold(word) for word in raw(language)["definitions"]["hereinafter"])
        self.kinds = tuple(word for word, _ in lines.grammar.types)
        self.preamble = fold(lines.grammar.citation["preamble"].final)

    def is_headed(self, i: int) -> bool:
        """Whether a line is the heading of the preamble, by its word alone."""
        return self.lines.heads[i] == self.preamble

    def begin(self, i: int, first: int) -> int:
        """Where the parties begin to be named whose reasons begin at a line: not above the title's second line."""
        start = i
        while start > first and self._precedes(start - 1):
            start -= 1
        return start - 1 if start > first and self.is_headed(start - 1) else start

    def reasons(self, i: int) -> bool:
        """Whether a line begins as the reasons of agreements do, and not as their titles."""
        return reasons_aloud(self.lines.texts[i]) and not self.lines.heads[i].startswith(self.kinds)

    def name(self, i: int, *, first: bool) -> bool:
        """Whether a line of the preamble names a party, or says on what side it stands; `first` if none did so yet."""
        lines, line = self.lines, self.lines.texts[i]
        if lines.marks[i] is not None or (i and lines.marks[i - 1] is not None):
            return False
        if line.lstrip("(")[:1].islower() or _is_party(line) or (first and names_party(line)):
            return True
        if (first or lines.texts[i - 1][0].islower()) and self._says_how_called(i):
            return True
        return not reasons_aloud(line) and any(map(_is_party, lines.texts[i + 1 : i + AHEAD]))

    def _says_how_called(self, i: int) -> bool:
        """Whether a line has the words that say what a party is called below."""
        line = self.lines.texts[i]
        return len(line) <= LONGEST_NAMING and line[-1] == "," and any(word in fold(line) for word in self.hereinafter)

    def _precedes(self, i: int) -> bool:
        """Whether a line above the reasons, or above a party, belongs to the names of parties too."""
        lines, line = self.lines, self.lines.texts[i]
        if (
            lines.roles[i] is not None
            or lines.marks[i] is not None
            or lines.headers[i] is not None
            or _YEAR.search(line)
        ):
            return False
        return line[-1] == "," or (line[0].islower() and lines.texts[i - 1][-1] == ",")


def _is_party(line: str) -> bool:
    return names_institution(line) or names_party(line, strictly=True)


def names_party(line: str, *, strictly: bool = False) -> bool:
    """Whether a line names a party to an agreement and goes on: "THE EUROPEAN UNION (hereinafter 'the Union'),".

    Strictly, its name is set off from what follows; a reason can begin in capitals too ("BEARING IN MIND the need").

    >>> names_party("THE SWISS CONFEDERATION, of the one part"), names_party("COUNCIL DECISION of 3 May 1998")
    (True, False)
    """
    words = line[:160].split(" ")
    capitals = list(takewhile(lambda word: word.isupper() and word[0].isalpha(), words))
    name, rest = " ".join(capitals), " ".join(words[len(capitals) :])
    if len(capitals) < 2 or len(name) < SHORTEST_NAME or not any(map(str.islower, rest)) or _DIGIT.search(line[:160]):
        return False
    set_off = name[-1] == "," and (len(capitals) >= FEWEST_WORDS or not strictly)
    return set_off or rest[0] == "(" or (not strictly and line.endswith((",", "-", "–", "—")))


def reasons_aloud(line: str) -> bool:
    """Whether a line begins as the reasons of agreements do, with one word in capitals, and is not the last of them.

    >>> reasons_aloud("DESIRING to light all quays,"), reasons_aloud("AGREEMENT on quays")
    (True, False)
    """
    word, _, rest = line.partition(" ")
    aloud = len(word) >= SHORTEST_REASON and word.isupper() and word.isalpha() and rest[:1].islower()
    return aloud and line[-1] in ",;"


# The front of an act: what the page prints above it, and where its title ends.

LONGEST_PAGE_HEADER: Final = 8
LONGEST_FRONT: Final = 60
"""Lines among which the end of the title is looked for."""
MOST_LINES: Final = 4
"""Lines of the title of a text that has no preamble."""
LONGEST_TITLE: Final = 1500
"""The longest titles, which list the acts they amend, have some 1,000 characters; what goes beyond is text."""

_PAGE: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$"  # 27.12.2022
    r"|[A-Z]{2}$"  # EN
    r"|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$|\d{4}/\d+$"  # L 333/1
    r"|\d[0-9A-Z]{4}[A-Z]{1,2}\d{4}(?:\(\d+\)|R\(\d+\))*$"  # a CELEX number
    r"|[LC]\s\d{1,3}(?:\s\d{1,4})?$"  # L 236 33
    r"|[|*\s_-]+$|\d{8}$"
    r"|EUR-Lex\b.*|(?:Important legal notice|Avis juridique important)$"
    r"|ELI: ?\S+.*$|ISSN [\d-]+.*$"
    r"|.{0,80}\b[Pp]\.\s?\d{4}\b.*$"  # Official Journal L 178 , 17/07/2000 P. 0001 - 0016
    r"|\d{4,5}[A-Z]\d{4} — [A-Z]{2} — .*$"  # 1991R1534 — EN — 01.05.2004 — 001.001
)
_REFERENCE: Final = re.compile(r"\(?\d{4}/[LC]\s\d{1,4}/\d{1,4}\)?$")
"""How the Official Journal itself numbers a text: (2012/C 121/02)."""
_FOOTER: Final = re.compile(r"ELI: ?https?://\S+$|ISSN \d{4}-\d{3}[\dX]\b.{0,40}$")
_NUMBER_BEFORE: Final = re.compile(r"\([^)]{1,20}\)\s")
_PAGE_DATE: Final = re.compile(r"(?:\d{1,2}[./ ]\s?\d{1,2}[./ ]\s?\d{4}|\d{4}[./ ]\s?\d{1,2}[./ ]\s?\d{1,2})\.?$")


class Front:
    """Where the page's own header and the title end, found before the act is read."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.parties = Parties(lines)
        self.page_end = self._page_end()
        self.announced = len(lines)
        """The line that shows a preamble to have begun: a formula, or who acts."""
        self.end = self._end()
        """The first line that is not the title's."""
        self.page_end = self._last_of_page()
        self.has_preamble = any(self._begins_preamble(i) for i in (self.end, self.announced)) or self._enacts()

    def _begins_preamble(self, i: int) -> bool:
        lines = self.lines
        if i >= len(lines):
            return False
        if self.parties.is_headed(i) or names_party(lines.texts[i]) or self.parties.reasons(i):
            return True
        return bool(lines.grammar.formula(lines.heads[i])) or shouts(lines.texts[i])

    def _enacts(self) -> bool:
        """Whether an enacting formula stands between the title and the first header, whatever comes before it."""
        lines = self.lines
        for i in range(self.end, min(self.end + LONGEST_FRONT, len(lines))):
            if lines.headers[i] is not None:
                return False
            if lines.grammar.formula(lines.heads[i]) == "enacting":
                return True
        return False

    def is_page(self, i: int, *, before_text: bool) -> bool:
        """Whether a line is the page's, not the act's; before the text begins, more is believed to be."""
        line = self.lines.texts[i]
        if i < self.page_end:
            return True
        if before_text:
            return len(line) <= 1200 and (_is_mark(line) or self._names_journal(i))
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
        roles = self.lines.roles
        listed = sum(role is Role.CONTENTS for role in roles)
        limit = min(len(self.lines), LONGEST_FRONT + listed)
        nearby = [i for i in range(self.page_end, limit) if roles[i] is not Role.CONTENTS][:LONGEST_FRONT]
        own = [i for i in nearby if self._is_own(i)]
        announced = next((end for i in nearby if (end := self._announced(i, own)) is not None), None)
        if announced is None:
            return next((i for n, i in enumerate(own) if not self._is_title(i, n)), len(self.lines))
        if self.lines.headers[announced] is None:
            self.announced = announced
        lengths = accumulate(len(self.lines.texts[i]) for i in own)
        beyond = (i for i, length in zip(own, lengths, strict=True) if length > LONGEST_TITLE)
        announced = min(announced, next(beyond, announced))
        reasons = next((i for i in own[1:] if i < announced and self._is_of_preamble(i)), announced)
        return self.parties.begin(reasons, own[0] + 1) if own and self._may_follow_parties(reasons) else reasons

    def _announced(self, i: int, own: Sequence[int]) -> int | None:
        """Where the title ends if a line shows that it is over: a header, a formula, who acts."""
        lines, line = self.lines, self.lines.texts[i]
        if lines.headers[i] is not None and i:
            return i
        if lines.roles[i] in (None, Role.OUTLINE) and lines.grammar.formula(lines.heads[i]):
            return i - 1 if i and self._is_own(i - 1) and _names_who_acts(lines.texts[i - 1]) else i
        if i and names_institution(line) and _names_who_acts(line):
            return i - 1 if own and i - 1 > own[0] and self._runs_over(i - 1) else i
        return None

    def _may_follow_parties(self, i: int) -> bool:
        """Whether a line below the title can have parties above it that are named in small letters."""
        lines = self.lines
        return i < len(lines) and lines.headers[i] is None and not _names_who_acts(lines.texts[i])

    def _is_of_preamble(self, i: int) -> bool:
        """Whether a line before the first formula is the preamble's already, as in agreements."""
        line = self.lines.texts[i]
        numbered = self.lines.marks[i] is not None and line[-1] == "."
        if names_party(line) or self.parties.reasons(i) or self.parties.is_headed(i):
            return True
        return len(line) > PROSE and (line[-1] in ";:" or numbered)

    def _runs_over(self, i: int) -> bool:
        """Whether the institution's name began on this line already: in capitals, below a title that is not."""
        texts = self.lines.texts
        return self._is_own(i) and _names_who_acts(texts[i]) and self._is_own(i - 1) and not shouts(texts[i - 1])

    def _is_title(self, i: int, place: int) -> bool:
        """Whether a line is the title of a text without a preamble: the first may be long, none is a sentence."""
        line = self.lines.texts[i]
        if line.endswith((".", ";", ":")) or place >= MOST_LINES:
            return False
        if len(line) > LONGEST_TITLE:
            return False
        heading = len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and self.lines.marks[i] is None
        return heading or place == 0

    def _is_own(self, i: int) -> bool:
        """Whether a line is the act's own, not the page's."""
        return self.lines.roles[i] in (None, Role.TITLE, Role.OUTLINE) and not _is_mark(self.lines.texts[i])


def _is_mark(line: str) -> bool:
    return bool(_PAGE.match(line) or _REFERENCE.match(line))


def _names_who_acts(line: str) -> bool:
    """A shouted line names an institution, unless a number in it shows a title ("COUNCIL REGULATION No 17")."""
    name = _NUMBER_BEFORE.sub("", line)
    return shouts(name) and not any(c.isdigit() for c in name)
