"""Which act a person means: a CELEX number, an ELI or EUR-Lex address, or "Directive 95/46/EC" in any of 24 languages.

Nothing is looked up, so an act that is named may not exist. A number without the word for the kind of act can be that
of several; they are returned with the most likely first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from lexlattice.reading.celex import CELEX, normalize_celex, parse_act_url
from lexlattice.reading.citations.tokens import celex
from lexlattice.reading.citations.vocabulary import ACTS, entry_pattern, fold_letters
from lexlattice.reading.languages.grammar import LANGUAGES, raw

MAX_CHARACTERS: Final = 1000
"""Longer texts are acts, not names of acts."""
_NUMBER: Final = re.compile(
    r"(?<![\w/.])(?P<first>\d{1,4})\s?/\s?(?P<second>\d{1,4})(?:\s?/\s?(?P<suffix>[^\W\d_]{2,9})\d{0,2})?(?![\w/])"
)
_BARE: Final = re.compile(r"(?:\(?[^\W\d_]{2,9}\)?)?\s*(?:[^\W\d_]{1,5}[.:]?[oº°]?\.?)?\s*\Z")
"""What may precede a number without a word for the kind of act."""
_JOURNAL: Final = re.compile(r"\bOJ:L_(20\d\d)(\d{5})\b", re.IGNORECASE)
"""An address in the Official Journal since October 2023, when it came to have one act in each issue."""
_ACT: Final = re.compile(r"3(?P<year>\d{4})(?P<letter>[A-Z])(?P<number>\d{4})")
_LETTERS: Final = {"R": "regulation", "L": "directive", "D": "decision", "F": "framework", "H": "recommendation"}
_SECTORS: Final = {"1": "treaty", "2": "agreement"}
_KINDS: Final = ("regulation", "directive", "decision", "recommendation")
"""Kinds in the `types` of a language's file that are cited by number."""
_YEAR_FIRST: Final = 2015
"""From this year on all acts are numbered year first."""
_UNION: Final = 2010
_COMMUNITIES: Final = 1994
"""First full years of the European Union's and the European Community's own acts; before, they are the EEC's."""
_FOUR_DIGITS: Final = 1999
"""From this year on the numbers of directives have the year in full."""


class NamedAct(NamedTuple):
    """An act: its CELEX number, its short name in English, and the kind of act."""

    celex: str
    name: str
    kind: str


class Identified(NamedTuple):
    """The acts that a person can mean."""

    candidates: tuple[NamedAct, ...]
    """At least one, the most likely first."""
    language: str | None = None
    """The language of the text, if its words or the address leave no doubt."""
    consolidated: str | None = None
    """Of a consolidated text its date, or an empty string if it has none; `None` for an act as adopted."""


def identify_act(text: str) -> Identified | None:
    """Return the acts that a text can name; `None` if it names none.

    >>> identify_act("celex:32016R0679").candidates
    (NamedAct(celex='32016R0679', name='Regulation (EU) 2016/679', kind='regulation'),)
    >>> found = identify_act("Verordnung (EG) Nr. 139/2004")
    >>> found.candidates[0].celex, found.candidates[0].name, found.language
    ('32004R0139', 'Regulation (EC) No 139/2004', 'de')
    >>> [act.celex for act in identify_act("2016/679").candidates]
    ['32016R0679', '32016L0679', '32016D0679']
    >>> [act.name for act in identify_act("95/46").candidates]
    ['Directive 95/46/EC', 'Decision 95/46']
    >>> identify_act("https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=CELEX:02016R0679-20160504").consolidated
    '2016-05-04'
    >>> identify_act("Article 5") is None
    True
    """
    text = " ".join(text[: MAX_CHARACTERS + 1].split())
    if not text or len(text) > MAX_CHARACTERS:
        return None
    if match := CELEX.fullmatch(text):
        return _numbered(match[1].upper())
    if "/" not in text:
        return None
    if "://" in text or "europa.eu/" in text or re.match("/?eli/", text, re.IGNORECASE):
        return _addressed(text)
    return _cited(text)


def act_name(number: str, language: str = "en") -> str:
    """Return the short name of an act in a language, as far as its CELEX number says it; else the number itself.

    >>> act_name("32013R0575"), act_name("31995L0046"), act_name("32002F0584"), act_name("12012M/TXT")
    ('Regulation (EU) No 575/2013', 'Directive 95/46/EC', 'Framework Decision 2002/584', '12012M/TXT')
    >>> act_name("32016R0679", "el"), act_name("32004R0139", "hu")
    ('Κανονισμός (ΕΕ) 2016/679', '139/2004/EK rendelet')
    """
    match = _ACT.fullmatch(normalize_celex(number).act)
    kind = _LETTERS.get(match["letter"], "") if match else ""
    if match is None or not kind:
        return number
    table = raw(language)["acts"]
    shown = _shown(kind, int(match["year"]), int(match["number"]), table)
    name = str(table["framework_decision" if kind == "framework" else kind]["name"]).replace("{number}", shown)
    return name[:1].upper() + name[1:]


def _shown(kind: str, year: int, serial: int, table: Mapping[str, Any]) -> str:
    """Return the number of an act with brackets, letters and sign, as far as its year and kind say them."""
    # Decisions and recommendations can be those of several communities and policies, which the number does not say.
    if kind not in ("regulation", "directive"):
        return f"{_short(year)}/{serial}"
    community = table["codes"][0 if year >= _UNION else 1 if year >= _COMMUNITIES else 2]
    if year >= _YEAR_FIRST:
        return f"({community}) {year}/{serial}"
    if kind == "directive":
        return f"{_short(year)}/{serial}/{community}"
    sign = table["sign"]
    return f"({community}) {sign} {serial}/{_short(year)}" if sign else f"{serial}/{_short(year)}/{community}"


def _short(year: int) -> str:
    return str(year) if year >= _FOUR_DIGITS else f"{year % 100:02d}"


def _named(number: str) -> NamedAct:
    act = normalize_celex(number).act
    match = _ACT.fullmatch(act)
    kind = _LETTERS.get(match["letter"], "") if match else _SECTORS.get(act[:1], "")
    return NamedAct(number, act_name(number), "decision" if kind == "framework" else kind)


def _numbered(number: str, language: str | None = None) -> Identified:
    return Identified((_named(number),), language, normalize_celex(number).consolidated)


def _addressed(text: str) -> Identified | None:
    """Return the act that an address names."""
    found = parse_act_url(text if "://" in text else f"/{text.lstrip('/')}")
    if found.celex:
        return _numbered(found.celex, found.language)
    if journal := _JOURNAL.search(text):
        return Identified(tuple(map(_named, _numbers("", journal[1], str(int(journal[2])), "", signed=False))))
    return None


def _cited(text: str) -> Identified | None:
    """Return the acts whose number is cited in a text."""
    folded = fold_letters(text)
    match = _NUMBER.search(folded)
    if match is None:
        return None
    before = folded[: match.start()]
    kind, language = _kind_of(folded, match)
    if not kind and not (_BARE.match(before) and not folded[match.end() :].strip(" .")):
        return None
    signed = _signs().search(before) is not None
    numbers = dict.fromkeys(_numbers(kind, match["first"], match["second"], match["suffix"] or "", signed=signed))
    named = tuple(_named(number) for number in numbers)
    return Identified(named, language) if named else None


def _numbers(kind: str, first: str, second: str, suffix: str, *, signed: bool) -> Iterator[str]:
    """Yield the CELEX numbers that "first/second/suffix" can mean, the most likely first."""
    if kind:
        kinds: tuple[str, ...] = (kind,)
    elif suffix:
        kinds = ("directive", "decision")
    elif len(first) == 4 and int(first) >= _YEAR_FIRST:
        kinds = ("regulation", "directive", "decision")
    elif signed or celex("regulation", "0", second, "", signed=True):
        kinds = ("regulation", "decision")
    else:
        kinds = ("directive", "decision")
    yield from filter(None, (celex(each, first, second, suffix, signed=signed) for each in kinds))


@cache
def _words() -> tuple[tuple[re.Pattern[str], int, str, str], ...]:
    """Return the words for kinds of acts in all languages: pattern, length, kind and language."""
    words = []
    for language in LANGUAGES:
        data = raw(language)
        entries = [(kind, entry) for kind in ACTS for entry in data["references"][kind]]
        entries += [(kind, entry) for kind in _KINDS for entry in data["types"][kind]]
        for kind, entry in dict.fromkeys(entries):
            pattern = re.compile(rf"(?<!\w){entry_pattern(entry)}(?!\w)")
            words.append((pattern, len(entry.strip("*")), kind, language))
    return tuple(words)


@cache
def _signs() -> re.Pattern[str]:
    """Return a pattern for "No" in any language at the end of the text before the number of an act."""
    signs = {entry_pattern(sign) for language in LANGUAGES for sign in raw(language)["references"]["sign"]}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(signs, key=len, reverse=True))})\.?\s?\Z")


def _kind_of(folded: str, number: re.Match[str]) -> tuple[str, str | None]:
    """Return the kind of act and the language by the word that is nearest to the number, and longest if several fit.

    The word precedes the number in most languages and follows it in some, so both sides count. A framework decision is
    also a decision, and never the other way round.
    """
    found: list[tuple[int, bool, int, str, str]] = []
    for pattern, length, kind, language in _words():
        for match in pattern.finditer(folded):
            gap = match.start() - number.end() if match.start() >= number.end() else number.start() - match.end()
            found.append((gap, kind != "framework", -length, kind, language))
    if not found:
        return "", None
    *best, kind, _ = min(found)
    languages = {language for *rank, _, language in found if rank == best}
    return kind, languages.pop() if len(languages) == 1 else None
