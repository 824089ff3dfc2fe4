"""Headers and marks as a hierarchy describes them, by form and example: "SEC. {n}." and "(a)".

The patterns are put together here from bounded parts, and a user's file contributes literal text only: no file can make
a search slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from lexlattice.reading.languages.numbering import canonical, from_roman, letter_value

NUMBER: Final = "{n}"
"""Where the number stands in a form or in the template of a citation."""
_INSERTED: Final = r"(?:\s?(?:bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies)\b)?"
NUMBERS: Final = {
    "1": rf"\d{{1,5}}(?:er|[a-z]{{1,2}}|[º°])?(?!\w){_INSERTED}",
    "1.1": r"\d{1,3}(?:\.\d{1,3}){1,4}(?!\w)",
    "1-1": rf"\d{{1,5}}(?:-\d{{1,4}}){{1,4}}[a-z]?(?!\w){_INSERTED}",
    "L1-1": rf"[A-Z]{{1,2}}\.?\s?\*{{0,3}}\d{{1,5}}(?:-\d{{1,4}}){{0,4}}[a-z]?(?!\w){_INSERTED}",
    "I": rf"[IVXLCDM]{{1,8}}(?:er)?(?!\w){_INSERTED}",
    "A": r"[^\W\d_a-z](?!\w)",
}
"""Patterns of the numbers of headers, by example; any other word stands for itself ("premier")."""
AFTER: Final = ("heading", "heading below", "text", "nothing")
"""What can follow a header: its heading on the same line or on the next, its first text, or nothing."""
DASHES: Final = "-–—•·▪●*"

_SEPARATORS: Final = " .:-–—"
_NO_HEADING: Final = ",;"
_MARK: Final = re.compile(r"(?P<before>[^\w\s]{0,2})(?P<number>1(?:\.1){1,4}|aa|[1aAiI])(?P<behind>[^\w\s]{0,2})\Z")


class Found(NamedTuple):
    """A header that was found on a line."""

    number: str
    """As the document writes it; empty if the header has none."""
    end: int
    """Where the header itself ends on the line."""
    rest: int
    """Where its heading or first text begins; the length of the line if there is none."""


@dataclass(frozen=True, slots=True)
class Header:
    """What opens a row of the lattice, or encloses rows: "SEC. {n}.", "§ {n}", "{n}. §", "Schedule"."""

    forms: tuple[str, ...]
    numbers: tuple[str, ...] = ("1",)
    then: str = "heading"
    """What follows, one of `AFTER`."""
    kind: str = "article"
    """What a row becomes in the act: an article, an annex, or a part of the preamble."""
    cite: str = ""
    """How a row is cited: "Sec. {n}"."""

    def match(self, line: str, longest: int) -> Found | None:
        """Return the header at the start of a line, or `None`.

        Args:
            line: The line.
            longest: Characters of the longest line that can be a header; one that text follows can be longer.

        """
        if len(line) > longest and self.then != "text":
            return None
        match = _header_pattern(self.forms, self.numbers).match(line)
        if match is None:
            return None
        tail = line[match.end() :]
        rest = len(line) - len(tail.lstrip(_SEPARATORS))
        # "Section 5(b) of", "Section 5, and" and "Section 5 of" are no headers.
        if tail and (tail[0].isalnum() or tail[0] in "(,;/"):
            return None
        if rest < len(line):
            if self.then in ("nothing", "heading below") or line[rest].islower() or line[rest] in _NO_HEADING:
                return None
            # After a bare number with a stop, a whole sentence is an item of a list.
            if self.is_bare and self.then == "heading" and line[-1] in ".;:,":
                return None
        number = next(filter(None, match.groupdict().values()), "")
        return Found(number.strip(), match.end(), rest)

    @property
    def is_bare(self) -> bool:
        """Whether no word or sign tells the header from an item of a list: "{n}."."""
        return any(not form.replace(NUMBER, "").strip(" .):") for form in self.forms)


@cache
def _header_pattern(forms: tuple[str, ...], numbers: tuple[str, ...]) -> re.Pattern[str]:
    number = "|".join(NUMBERS.get(each, rf"{re.escape(each)}(?!\w)") for each in numbers)
    parts = []
    for place, form in enumerate(forms):
        # A space in a form may be missing in the document: "§5".
        literal = (re.escape(part).replace(r"\ ", r"\s?") for part in form.split(NUMBER))
        parts.append(f"(?P<n{place}>{number})".join(literal))
    return re.compile("|".join(f"(?:{part})" for part in parts))


def section_number(number: str) -> str:
    """Return the number of a row in one notation, as ids have it.

    >>> [section_number(n) for n in ("12", "5 bis", "1er", "L. 121-1", "1.2", "premier", "IV")]
    ['12', '5a', '1', 'L121-1', '1.2', 'premier', 'IV']
    """
    if re.fullmatch(r"\d+(?:\.\d+)*", number):
        return number
    if re.match(r"\d+(?![\d-])|[IVXLCDM]+(?:er)?(?!\w)", number):
        return re.sub(r"[^\w-]+", "", canonical(re.sub(r"er\b", "", number)))
    return re.sub(r"[^\w-]+", "", number)


@dataclass(frozen=True, slots=True)
class Mark:
    """The number of a paragraph or point, by example: "(a)", "1.", "aa)", "1.1", "-"."""

    form: str
    cite: str = "({n})"
    """What a citation gets for it; of "1.1" the last part is the number."""

    @property
    def is_dash(self) -> bool:
        """Whether it is a dash or bullet, without a number."""
        return self.form in DASHES


class Marked(NamedTuple):
    """A mark that was found on a line."""

    level: int
    """The place of its form among those of the hierarchy, from 0."""
    number: str
    value: int
    """Its place in its list, from 1; 0 for a dash."""
    end: int


def is_mark(form: str) -> bool:
    """Whether a text is the example of a mark; a number needs a bracket, a stop or further numbers around it."""
    example = _MARK.match(form)
    is_number = example is not None and bool(example["before"] + example["behind"] or "." in form)
    return is_number or (len(form) == 1 and form in DASHES)


def marks_at(line: str, start: int, marks: Sequence[Mark]) -> list[Marked]:
    """Return every reading of the mark at a place of a line: "(i)" can be a letter and a Roman numeral.

    >>> [(found.level, found.value) for found in marks_at("(i) bees", 0, (Mark("(a)"), Mark("(i)"), Mark("1.")))]
    [(0, 9), (1, 1)]
    """
    found = []
    for level, mark in enumerate(marks):
        pattern, value_of = _mark_pattern(mark.form)
        match = pattern.match(line, start)
        if match is None:
            continue
        if mark.is_dash:
            found.append(Marked(level, "", 0, match.end()))
        elif value := value_of(match["n"]):
            found.append(Marked(level, match["n"].rpartition(".")[2], value, match.end()))
    return found


@cache
def _mark_pattern(form: str) -> tuple[re.Pattern[str], Callable[[str], int]]:
    """Return the pattern of a mark, and the value of its number: 0 if it is just a word."""
    if form in DASHES:
        return re.compile(rf"[{re.escape(DASHES)}](?=\s)"), lambda number: 0
    example = _MARK.match(form)
    if example is None:
        raise ValueError(f"{form!r} is not the example of a mark")
    before, number, behind = example.groups()
    pattern, value = _decimal(number) if "." in number else _MARK_NUMBERS[number]
    # Another mark may follow at once, or a dash: "(a)(1) The Secretary", "I.-Les communes".
    ending = r"(?=\s|$|[(–—-])" if behind else r"(?=\s|$)"
    return re.compile(rf"{re.escape(before)}(?P<n>{pattern}){re.escape(behind)}{ending}"), value


def _decimal(example: str) -> tuple[str, Callable[[str], int]]:
    return r"\.".join([r"\d{1,3}"] * (example.count(".") + 1)), lambda number: int(number.rpartition(".")[2])


def _digits(number: str) -> int:
    return int("".join(filter(str.isdecimal, number)))


def _letter(number: str) -> int:
    """The place of a letter in its alphabet; doubled letters follow the alphabet, other pairs are words."""
    letters = number.lower()
    if len(letters) == 2:
        return 26 + letter_value(letters[0]) if letters[0] == letters[1] and letter_value(letters[0]) else 0
    return letter_value(letters)


_MARK_NUMBERS: Final[dict[str, tuple[str, Callable[[str], int]]]] = {
    "1": (r"\d{1,3}[a-z]{0,2}", _digits),
    "a": (r"[^\W\d_A-Z]{1,2}", _letter),
    "aa": (r"(?P<double>[a-z])(?P=double)", lambda number: letter_value(number[0])),
    "A": (r"[^\W\d_a-z]{1,2}", _letter),
    "i": (r"[ivxlc]{1,7}", from_roman),
    "I": (r"[IVXLC]{1,7}", lambda number: from_roman(number.lower())),
}
"""The number in a mark, by example: its pattern and its value."""
