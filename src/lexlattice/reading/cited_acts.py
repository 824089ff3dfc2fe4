"""Acts that a text cites by their number, and the CELEX numbers these make."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from lexlattice.reading.wording import Wording

_LETTERS: Final = {"regulation": "R", "directive": "L", "decision": "D", "framework": "F", "recommendation": "H"}
_NUMBER: Final = re.compile(r"(?<![\w/.])(\d{1,4})/(\d{1,4})(?:/([^\W\d_]{2,9})\d{0,2})?(?![\w/])")
FARTHEST: Final = 70
"""So many characters may stand between the word for the act and its number."""
_COMMUNITY: Final = re.compile(r"\([^\W\d_]{2,4}(?:[,/]?\s?[^\W\d_]+){0,2}\)\s?")
_JOINING: Final = re.compile(
    r"[\s,]*(?:[^\W\d_'’-]{1,8}[\s'’-]*){0,3}(?:\([^()\d]{2,24}\)\s*)?(?:[^\W\d_]{1,5}[.:]?[oº°]?\.?\s*)?"
)
"""What may stand between the numbers of acts that share one word: "(EU) No 1093/2010, (EU) No 1094/2010"."""
_FOUR_DIGITS: Final = 1999
"""From this year on acts are numbered with the year in full: 98/79/EC, 1999/5/EC."""
_YEAR_FIRST: Final = 2015
"""From this year on all acts are numbered year first."""


class CitedAct(NamedTuple):
    """An act that is cited, where, and as what kind."""

    start: int
    end: int
    kind: str
    celex: str
    sharing: bool = False
    """Whether it has no word of its own, but that of the act beside it."""
    alias: bool = False
    """Whether it is cited by a name that the text gave it."""


def cited_acts(text: str, words: Wording) -> list[CitedAct]:
    """The acts a flat text cites by number, in its order."""
    matches = list(_NUMBER.finditer(text)) if "/" in text else []
    found: list[CitedAct | None] = [None] * len(matches)
    places = range(len(matches))
    behind = "act" in words.before
    for n in reversed(places) if behind else places:
        match = matches[n]
        kind, start, end = _kind(text, match, words, behind=behind)
        sharing = False
        neighbour = n + 1 if behind else n - 1
        other = found[neighbour] if 0 <= neighbour < len(matches) else None
        if not kind and other is not None and _joins(text, *sorted((matches[n], matches[neighbour]), key=_start)):
            kind, start, end, sharing = other.kind, match.start(), match.end(), True
        if kind:
            lead = text[max(0, match.start() - 12) : match.start()]
            number = celex(kind, match[1], match[2], match[3] or "", signed=words.sign.search(lead) is not None)
            found[n] = CitedAct(_with_community(text, start), end, kind, number, sharing)
    return [act for act in found if act is not None]


def _start(match: re.Match[str]) -> int:
    return match.start()


def _with_community(text: str, start: int) -> int:
    """Where "(EU)" or "No" before a number begins, where the number is not led by its word."""
    before = text[max(0, start - 16) : start]
    match = re.search(r"\([^\W\d_]{2,8}\)\s?(?:[^\W\d_]{1,5}[.:]?[oº°]?\.?\s?)?$", before)
    return start - len(before) + match.start() if match else start


def _joins(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    between = text[first.end() : second.start()]
    return len(between) <= FARTHEST // 2 and _JOINING.fullmatch(between) is not None


def _kind(text: str, match: re.Match[str], words: Wording, *, behind: bool) -> tuple[str, int, int]:
    """Kind, start and end of the act whose number this is: its word stands before the number or, if `behind`, after."""
    if behind:
        after = text[match.end() : match.end() + FARTHEST]
        word = words.acts.search(after)
        if word is not None and not re.search(r"[\d.;:]", after[: word.start()]):
            return word.lastgroup or "", match.start(), match.end() + word.end()
        return "", 0, 0
    offset = max(0, match.start() - FARTHEST)
    before = text[offset : match.start()]
    named = list(words.acts.finditer(before))
    if not named:
        return "", 0, 0
    word = named[-1]
    between = before[word.end() :]
    if re.search(r"[\d;]|\.\s[^\W\d_]{3}", between):
        return "", 0, 0
    return word.lastgroup or "", offset + word.start(), match.end()


def celex(kind: str, first: str, second: str, suffix: str, *, signed: bool) -> str:
    """The CELEX number of an act cited as first/second/suffix; `signed` if "No" stands before it.

    >>> celex("regulation", "575", "2013", "", signed=True), celex("regulation", "2016", "679", "", signed=False)
    ('32013R0575', '32016R0679')
    >>> celex("directive", "96", "71", "ec", signed=False), celex("decision", "1999", "468", "ec", signed=False)
    ('31996L0071', '31999D0468')
    >>> celex("decision", "1982", "2006", "ec", signed=True), celex("framework", "2002", "584", "jha", signed=False)
    ('32006D1982', '32002F0584')
    >>> celex("regulation", "1", "2", "", signed=False)
    ''
    """
    year_first = _year(first, leading=True)
    number_first = _year(second, leading=False)
    if kind == "regulation":
        early = signed or suffix or year_first < _YEAR_FIRST
        year, number = (number_first, first) if early and number_first else (year_first, second)
    elif kind != "directive" and ((signed and number_first) or not year_first):
        year, number = number_first, first
    else:
        year, number = (year_first, second) if year_first else (number_first, first)
    return f"3{year}{_LETTERS[kind]}{int(number):04d}" if year else ""


def _year(digits: str, *, leading: bool) -> int:
    """The year that an act's number begins or ends with, 0 if it cannot be one."""
    value = int(digits)
    if len(digits) == 2:
        return 1900 + value if value >= 52 else 0
    earliest = _FOUR_DIGITS if leading else 1952
    return value if len(digits) == 4 and earliest <= value <= 2099 else 0
