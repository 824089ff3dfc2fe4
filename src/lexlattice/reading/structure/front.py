"""The front of an act: what the page prints above it, where its title ends, and who the parties to an agreement are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import fold, raw
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.typography import (
    LONGEST_HEADING,
    PROSE,
    SENTENCE_STOPS,
    is_in_capitals,
    is_institution_name,
)

SHORTEST_NAME: Final = 11
"""Characters of a party's name in capitals, at least."""
FEWEST_NAME_WORDS: Final = 3
"""Words of a name in capitals before a comma; a recital can begin with two ("CONSIDERING THAT, in this context,")."""
SHORTEST_RECITAL_VERB: Final = 5
"""Letters of the word in capitals that a recital of an agreement begins with."""
LONGEST_NAMING: Final = 240
"""Characters of a line that names a party in small letters and gives it a short name."""
PARTY_LOOKAHEAD: Final = 4
"""Lines below that are searched for another party."""

_DIGIT: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?!\d)")

LONGEST_PAGE_HEADER: Final = 8
LONGEST_FRONT: Final = 60
"""Lines among which the end of the title is searched."""
MAX_TITLE_LINES: Final = 4
"""Lines of the title of a text without a preamble."""
LONGEST_TITLE: Final = 1500
"""The longest titles, which list the acts they amend, have about 1,000 characters; what exceeds this is text."""

_PAGE: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$"  # 27.12.2022
    r"|[A-Z]{2}$"  # EN
    r"|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$|\d{4}/\d+$"  # L 333/1
    r"|\d[0-9A-Z]{4}[A-Z]{1,2}\d{4}(?:\(\d+\)|R\(\d+\))*$"  # a CELEX number
    r"|[LC]\s\d{1,3}(?:\s\d{1,4})?$"  # L 236 33
    r"|[|*\s_-]+$|\d{8}$"  # * * *, 20221227
    r"|EUR-Lex\b.*|(?:Important legal notice|Avis juridique important)$"
    r"|ELI: ?\S+.*$|ISSN [\d-]+.*$"
    r"|.{0,80}\b[Pp]\.\s?\d{4}\b.*$"  # Official Journal L 178 , 17/07/2000 P. 0001 - 0016
    r"|\d{4,5}[A-Z]\d{4} — [A-Z]{2} — .*$"  # 1991R1534 — EN — 01.05.2004 — 001.001
)
_JOURNAL_NUMBER: Final = re.compile(r"\(?\d{4}/[LC]\s\d{1,4}/\d{1,4}\)?$")
"""How the Official Journal numbers a text: "(2012/C 121/02)"."""
_FOOTER: Final = re.compile(r"ELI: ?https?://\S+$|ISSN \d{4}-\d{3}[\dX]\b.{0,40}$")
"""The address or serial number at the foot of a page: "ELI: http://…", "ISSN 1977-0677 (electronic edition)"."""
_NUMBER_BEFORE: Final = re.compile(r"\([^)]{1,20}\)\s")
"""The Journal's number before a name: "(96/C 80/01) THE COUNCIL"."""
_PAGE_DATE: Final = re.compile(r"(?:\d{1,2}[./ ]\s?\d{1,2}[./ ]\s?\d{4}|\d{4}[./ ]\s?\d{1,2}[./ ]\s?\d{1,2})\.?$")
"""The date of a page header: "27.12.2022", "2022 12 27"."""


class Parties:
    """Tells lines that name the parties to an agreement from its title above and its recitals below."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        language = lines.grammar.language
        self.hereinafter = tuple(fold(word) for word in raw(language)["definitions"]["hereinafter"])
        self.kinds = tuple(word for word, _ in lines.grammar.types)
        self.preamble = fold(lines.grammar.citation["preamble"].final)

    def is_preamble_heading(self, i: int) -> bool:
        """Whether a line is the word for "preamble"."""
        return self.lines.heads[i] == self.preamble

    def find_start(self, i: int, first: int) -> int:
        """Where the names of the parties begin, above the first recital `i` and not above the line `first`."""
        start = i
        while start > first and self._continues_names(start - 1):
            start -= 1
        return start - 1 if start > first and self.is_preamble_heading(start - 1) else start

    def is_recital(self, i: int) -> bool:
        """Whether a line begins like a recital of an agreement, and not like its title."""
        return is_agreement_recital(self.lines.texts[i]) and not self.lines.heads[i].startswith(self.kinds)

    def is_name(self, i: int, *, first: bool) -> bool:
        """Whether a line of the preamble names a party or its side; `first` if no line did so yet."""
        lines, line = self.lines, self.lines.texts[i]
        if lines.marks[i] is not None or (i and lines.marks[i - 1] is not None):
            return False
        if line.lstrip("(")[:1].islower() or _is_party(line) or (first and is_party_name(line)):
            return True
        if (first or lines.texts[i - 1][0].islower()) and self._defines_short_name(i):
            return True
        return not is_agreement_recital(line) and any(map(_is_party, lines.texts[i + 1 : i + PARTY_LOOKAHEAD]))

    def _defines_short_name(self, i: int) -> bool:
        """Whether a line gives a party its short name: "hereinafter referred to as"."""
        line = self.lines.texts[i]
        return len(line) <= LONGEST_NAMING and line[-1] == "," and any(word in fold(line) for word in self.hereinafter)

    def _continues_names(self, i: int) -> bool:
        """Whether a line above the recitals, or above a party, belongs to the names of parties as well."""
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
    return is_institution_name(line) or is_party_name(line, strict=True)


def is_party_name(line: str, *, strict: bool = False) -> bool:
    """Whether a line names a party to an agreement, and its sentence continues: "THE EUROPEAN UNION (the Union),".

    If `strict`, the name must be separated from what follows: a recital can begin in capitals ("BEARING IN MIND the").

    >>> is_party_name("THE SWISS CONFEDERATION, of the one part"), is_party_name("COUNCIL DECISION of 3 May 1998")
    (True, False)
    """
    words = line[:160].split(" ")
    capitals = list(takewhile(lambda word: word.isupper() and word[0].isalpha(), words))
    name, rest = " ".join(capitals), " ".join(words[len(capitals) :])
    if len(capitals) < 2 or len(name) < SHORTEST_NAME or not any(map(str.islower, rest)) or _DIGIT.search(line[:160]):
        return False
    set_off = name[-1] == "," and (len(capitals) >= FEWEST_NAME_WORDS or not strict)
    return set_off or rest[0] == "(" or (not strict and line.endswith((",", "-", "–", "—")))


def is_agreement_recital(line: str) -> bool:
    """Whether a line begins with a verb in capitals and ends with a comma or semicolon, as in recitals of agreements.

    >>> is_agreement_recital("DESIRING to light all quays,"), is_agreement_recital("AGREEMENT on quays")
    (True, False)
    """
    word, _, rest = line.partition(" ")
    is_capital_verb = len(word) >= SHORTEST_RECITAL_VERB and word.isupper() and word.isalpha() and rest[:1].islower()
    return is_capital_verb and line[-1] in ",;"


class Front:
    """Finds where the page header and the title end, before the outline is parsed."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.parties = Parties(lines)
        self.page_end = self._find_page_end()
        self.announced = len(lines)
        """The line that shows that a preamble has begun: a formula, or the institution that acts."""
        # The title's end depends on the page header's, and then tells whether another page header is inside the title.
        self.end = self._find_title_end()
        """The first line below the title."""
        self.page_end = self._find_last_page_mark()
        self.has_preamble = (
            any(self._begins_preamble(i) for i in (self.end, self.announced)) or self._has_enacting_formula()
        )

    def _begins_preamble(self, i: int) -> bool:
        lines = self.lines
        if i >= len(lines):
            return False
        if self.parties.is_preamble_heading(i) or is_party_name(lines.texts[i]) or self.parties.is_recital(i):
            return True
        return bool(lines.grammar.formula(lines.heads[i])) or is_in_capitals(lines.texts[i])

    def _has_enacting_formula(self) -> bool:
        """Whether there is an enacting formula between the title and the first header."""
        lines = self.lines
        for i in range(self.end, min(self.end + LONGEST_FRONT, len(lines))):
            if lines.headers[i] is not None:
                return False
            if lines.grammar.formula(lines.heads[i]) == "enacting":
                return True
        return False

    def is_page(self, i: int, *, before_text: bool) -> bool:
        """Whether a line belongs to the page, not to the act; before the text begins, the test is less strict."""
        line = self.lines.texts[i]
        if i < self.page_end:
            return True
        if before_text:
            return len(line) <= 1200 and (_is_page_mark(line) or self._names_journal(i))
        return len(line) < 100 and (self._names_journal(i) or bool(_FOOTER.match(line)))

    def _names_journal(self, i: int) -> bool:
        return self.lines.grammar.opens("journal", self.lines.heads[i])

    def _find_page_end(self) -> int:
        """Where the Official Journal's page header ends; 0 if the page does not begin with one that ends in a date."""
        lines = self.lines
        for i, line in enumerate(lines.texts[:LONGEST_PAGE_HEADER]):
            if len(line) >= PROSE or lines.headers[i] is not None or lines.roles[i] is not None:
                break
            if _PAGE_DATE.match(line):
                return i + 1
        return 0

    def _find_last_page_mark(self) -> int:
        """Where the act begins: old pages print its name, then the page, then its name again."""
        roles, texts = self.lines.roles, self.lines.texts
        for i in range(min(self.end, len(texts)) - 2, self.page_end - 1, -1):
            if roles[i] is Role.PAGE or (roles[i] is None and _PAGE.match(texts[i])):
                return i + 1 if any(self._is_act_line(j) for j in range(i + 1, self.end)) else self.page_end
        return self.page_end

    def _find_title_end(self) -> int:
        """Where the title ends: at the beginning of the preamble or, if there is none, at the first text."""
        roles = self.lines.roles
        # A table of contents above the preamble does not count towards the length of the front.
        listed = sum(role is Role.CONTENTS for role in roles)
        limit = min(len(self.lines), LONGEST_FRONT + listed)
        nearby = [i for i in range(self.page_end, limit) if roles[i] is not Role.CONTENTS][:LONGEST_FRONT]
        act_lines = [i for i in nearby if self._is_act_line(i)]
        announced = next((end for i in nearby if (end := self._title_end_at(i, act_lines)) is not None), None)
        if announced is None:
            return next((i for n, i in enumerate(act_lines) if not self._is_title(i, n)), len(self.lines))
        if self.lines.headers[announced] is None:
            self.announced = announced
        # A title that is too long has swallowed text: cut it where it exceeds the limit.
        lengths = accumulate(len(self.lines.texts[i]) for i in act_lines)
        beyond = (i for i, length in zip(act_lines, lengths, strict=True) if length > LONGEST_TITLE)
        announced = min(announced, next(beyond, announced))
        recitals_at = next((i for i in act_lines[1:] if i < announced and self._belongs_to_preamble(i)), announced)
        return (
            self.parties.find_start(recitals_at, act_lines[0] + 1)
            if act_lines and self._may_follow_parties(recitals_at)
            else recitals_at
        )

    def _title_end_at(self, i: int, act_lines: Sequence[int]) -> int | None:
        """Where the title ends if a line shows that it has: a header, a formula, an institution; else None."""
        lines, line = self.lines, self.lines.texts[i]
        if lines.headers[i] is not None and i:
            return i
        if lines.roles[i] in (None, Role.OUTLINE) and lines.grammar.formula(lines.heads[i]):
            return i - 1 if i and self._is_act_line(i - 1) and _is_actor_name(lines.texts[i - 1]) else i
        if i and is_institution_name(line) and _is_actor_name(line):
            return i - 1 if act_lines and i - 1 > act_lines[0] and self._begins_name_above(i - 1) else i
        return None

    def _may_follow_parties(self, i: int) -> bool:
        """Whether the names of parties in small letters may be above a line below the title."""
        lines = self.lines
        return i < len(lines) and lines.headers[i] is None and not _is_actor_name(lines.texts[i])

    def _belongs_to_preamble(self, i: int) -> bool:
        """Whether a line before the first formula belongs to the preamble, as in agreements."""
        line = self.lines.texts[i]
        numbered = self.lines.marks[i] is not None and line[-1] == "."
        if is_party_name(line) or self.parties.is_recital(i) or self.parties.is_preamble_heading(i):
            return True
        return len(line) > PROSE and (line[-1] in ";:" or numbered)

    def _begins_name_above(self, i: int) -> bool:
        """Whether the name of the institution begins on this line: in capitals, below a title that is not."""
        texts = self.lines.texts
        return (
            self._is_act_line(i)
            and _is_actor_name(texts[i])
            and self._is_act_line(i - 1)
            and not is_in_capitals(texts[i - 1])
        )

    def _is_title(self, i: int, place: int) -> bool:
        """Whether a line is in the title of a text without a preamble: the first may be long, none is a sentence."""
        line = self.lines.texts[i]
        if line.endswith((".", ";", ":")) or place >= MAX_TITLE_LINES:
            return False
        if len(line) > LONGEST_TITLE:
            return False
        heading = len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and self.lines.marks[i] is None
        return heading or place == 0

    def _is_act_line(self, i: int) -> bool:
        """Whether a line belongs to the act, not to the page."""
        return self.lines.roles[i] in (None, Role.TITLE, Role.OUTLINE) and not _is_page_mark(self.lines.texts[i])


def _is_page_mark(line: str) -> bool:
    return bool(_PAGE.match(line) or _JOURNAL_NUMBER.match(line))


def _is_actor_name(line: str) -> bool:
    """Whether a line in capitals names an institution; a number would make it a title ("COUNCIL REGULATION No 17")."""
    name = _NUMBER_BEFORE.sub("", line)
    return is_in_capitals(name) and not any(c.isdigit() for c in name)
