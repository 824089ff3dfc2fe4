"""Tokens of a text, the phrases of a language by concept (month, body, kind of act, bound), and dates.

The phrases are data: `months.toml`, `bodies.toml`, `acts.toml`, `claims.toml`. Entries are matched by stem: a check
that knows only one form of a word would let all others pass.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from lexlattice.reading.languages.grammar import LANGUAGES, fold, load

# Tokens

_RUN: Final = r"[^\W_]*\d[^\W_]*"
_NUMBER: Final = (
    r"(?:(?<![\w)\]])(?:[-−–+]|[±<>≤≥~≈] ?))?"  # a sign that is no hyphen
    rf"(?:\d{{1,3}}(?: \d{{3}}(?!\d))+(?:[.,]\d+)?|{_RUN}(?:[.,:/'’⁄–−-]{_RUN})*)"  # 1 000,50; 2016/679; 12.3.2024
    r"(?:\^[-+−]?[\d⁄]+)?"  # a power, see `normalised`
    r"(?:\([^\W_]{1,5}\))*"  # 5(1)(a)
)
_TOKEN: Final = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<word>[^\W\d_](?::[^\W\d_]+)|[^\W\d_]+)|(?P<sign>[%‰€$£°§])|(?P<stop>[.,;:!?()\[\]—–])"
)
_BEFORE_NUMBER: Final = re.compile(r"\. ?\d")
_BEFORE_SMALL: Final = re.compile(r"\. ?([^\W\d_])")
_RAISED: Final = re.compile("(?<=[0-9])(?=[⁺⁻₊₋⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞①-⓿❶-➓])")
_ROMAN: Final = re.compile(r"[IVXLCDM]+")
_SHORT: Final = 3
"""Numerals up to this length match whole words only, longer ones also beginnings."""
_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_PLACEHOLDER: Final = re.compile(r"\{[^}]*\}")


class Token(NamedTuple):
    """A word, number or sign with its neighbours, which are empty at a stop or the end."""

    kind: str
    """number, numeral, name or word; sign for those of currencies and the like."""
    text: str
    left: str = ""
    right: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The numerals and head words of a language."""

    numerals: frozenset[str]
    """Whole words, ordinals among them."""
    beginnings: tuple[str, ...]
    within: tuple[str, ...]
    """Numerals inside longer words."""
    heads: frozenset[str]
    """Words before a number that it belongs to: "Article", "Annex", "Directive"."""

    def is_numeral(self, word: str) -> bool:
        """Whether a folded word is a numeral."""
        return word in self.numerals or word.startswith(self.beginnings) or any(inner in word for inner in self.within)

    def is_head(self, word: str) -> bool:
        """Whether a folded word is a head word in any form."""
        return any(alike(word, head) for head in self.heads)


@cache
def vocabulary(language: str) -> Vocabulary:
    """The one of a language; English for languages that are not official."""
    grammar = load(language if language in LANGUAGES else "en")
    data = tomllib.loads(files(__package__).joinpath("numerals.toml").read_text("utf-8"))
    numerals = data[grammar.language]
    forms = _PLACEHOLDER.sub(" ", " ".join(form for level in grammar.citation.values() for form in level))
    heads = {*grammar.words, *(name for name, _ in grammar.types), *_WORD.findall(fold(forms))}
    return Vocabulary(
        numerals=frozenset({word for word in numerals if len(word) <= _SHORT} | set(grammar.ordinal_values)),
        beginnings=tuple(word for word in numerals if len(word) > _SHORT),
        within=tuple(data["within"].get(grammar.language, ())),
        heads=frozenset(heads),
    )


def normalised(text: str) -> str:
    """Normalize spaces and compatibility characters, so that texts can be compared.

    Superscripts, subscripts and fractions after a number are kept apart from it:

    >>> normalised("10² and 10½ m²")
    '10^2 and 10^1⁄2 m2'
    """
    apart = _RAISED.sub("^", text)
    return " ".join(unicodedata.normalize("NFKC", apart).split())


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or provision as tokens, and as folded words for finding phrases."""

    source: str
    tokens: tuple[Token, ...]
    words: tuple[str, ...]
    """Folded words; "#" for each number in digits."""
    folded: str
    """The words joined by spaces, with a bar at each stop."""
    places: tuple[int, ...]
    """The offset of each word in `folded`."""

    @classmethod
    def of(cls, text: str, language: str) -> Line:
        """The line of a normalized text."""
        found = tuple(tokens(text, language))
        words = tuple(
            "#" if token.kind == "number" and _DIGIT.search(token.text) else fold(token.text) for token in found
        )
        folded, places = "", []
        for word, token in zip(words, found, strict=True):
            folded += "" if token.left else "| "
            places.append(len(folded))
            folded += f"{word} "
        return cls(text, found, words, folded, tuple(places))

    def is_joined(self, place: int) -> bool:
        """Whether the next word follows without a stop."""
        return 0 <= place < len(self.tokens) - 1 and bool(self.tokens[place].right)

    def text(self, start: int, end: int) -> str:
        """The original words of a range."""
        return " ".join(token.text for token in self.tokens[start:end])


def tokens(text: str, language: str) -> list[Token]:
    """The tokens of a normalized text.

    >>> [token[1:] for token in tokens("within 30 days (Article 5(1)).", "en") if token.kind == "number"]
    [('30', 'within', 'days'), ('5(1)', 'Article', '')]
    """
    known = vocabulary(language)
    found: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        kind, piece = str(match.lastgroup), match.group()
        if piece == "." and _is_inside_sentence(text, match.start(), found):
            continue
        kind = _kind(piece, known) if kind == "word" else kind
        found.append((kind, _written(piece) if match["number"] else piece))
    padded = [("stop", ""), *found, ("stop", "")]
    return [
        Token(kind, piece, *("" if side[0] == "stop" else side[1] for side in (padded[index], padded[index + 2])))
        for index, (kind, piece) in enumerate(found)
        if kind != "stop"
    ]


def alike(word: str, other: str) -> bool:
    """Whether two folded words are probably forms of one: day and days, but not million and milliard.

    >>> alike("days", "day"), alike("million", "milliard"), alike("kg", "km")
    (True, False, False)
    """
    if word == other:
        return True
    shared = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 3 and max(len(word), len(other)) - shared <= 2


def _is_inside_sentence(text: str, place: int, before: list[tuple[str, str]]) -> bool:
    """Whether a dot probably does not end a sentence: "12. März", "Nr. 5", "2024 m. kovo"."""
    if before and before[-1][0] == "number" and place + 1 < len(text):
        return True
    is_letter = bool(before) and len(before[-1][1]) == 1
    small = _BEFORE_SMALL.match(text, place) if is_letter else None
    return _BEFORE_NUMBER.match(text, place) is not None or (small is not None and small[1].islower())


def _kind(word: str, known: Vocabulary) -> str:
    folded = fold(word)
    if known.is_numeral(folded):
        return "numeral"
    if _ROMAN.fullmatch(word) or (len(word) == 1 and word.isupper()):
        return "number"
    return "name" if any(letter.isupper() for letter in word) else "word"


def _written(number: str) -> str:
    """Unify dashes and apostrophes, and remove the space after a sign."""
    return re.sub("[−–]", "-", re.sub("(?<=[±<>≤≥~≈]) ", "", number)).replace("’", "'").replace("⁄", "/")


# Phrases


class Found(NamedTuple):
    """The concept of a phrase, and the range of its words in the line."""

    concept: str
    start: int
    end: int


class Phrases:
    """Finds the phrases of a language in a line; at each place the longest.

    >>> council = Phrases({"council": ["council"], "other": ["council of europ-"]})
    >>> council.find(Line.of("The Council of Europe and the council", "en"))
    [Found(concept='other', start=1, end=4), Found(concept='council', start=6, end=7)]
    """

    def __init__(self, entries: Mapping[str, Iterable[str]]) -> None:
        known = {" ".join(fold(entry).split()): concept for concept, forms in entries.items() for entry in forms}
        ordered = sorted(known, key=lambda entry: (-len(entry.replace("-", "")), "-" in entry))
        self._concepts = [known[entry] for entry in ordered]
        either = "|".join(f"({' '.join(map(_pattern, entry.split()))})" for entry in ordered)
        self._pattern = re.compile(rf"(?<![^ ])(?:{either})(?![^ ])")

    def find(self, line: Line) -> list[Found]:
        """The phrases of a line from left to right, without overlaps."""
        found = []
        for match in self._pattern.finditer(line.folded):
            start, end = (bisect_left(line.places, place) for place in match.span())
            found.append(Found(self._concepts[(match.lastindex or 1) - 1], start, end))
        return found


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The phrases of a language by concept."""

    months: Phrases
    """The concepts are "1" to "12"."""
    months_beside_number: frozenset[str]
    """Words that are months only next to a number, such as "may"."""
    bodies: Phrases
    joining: frozenset[str]
    """Small words inside names."""
    acts: Phrases
    act_after_number: bool
    claims: Phrases


@cache
def lexicon(language: str) -> Lexicon:
    """The one of a language; English for languages that are not official."""
    name = language if language in LANGUAGES else "en"
    months, bodies, acts = (_data(what) for what in ("months", "bodies", "acts"))
    agencies = {entry.rstrip("-").casefold(): [entry] for entry in bodies.pop("agencies")["all"]}
    joining, after = bodies.pop("joining")[name], acts.pop("after")
    return Lexicon(
        months=Phrases({str(number): forms for number, forms in enumerate(months[name], 1)}),
        months_beside_number=frozenset(months["beside_number"].get(name, ())),
        bodies=Phrases({body: forms[name] for body, forms in bodies.items()} | agencies),
        joining=frozenset(map(fold, joining)),
        acts=Phrases({kind: forms[name] for kind, forms in acts.items()}),
        act_after_number=name in after,
        claims=Phrases(_data("claims")[name]),
    )


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))


def _pattern(word: str) -> str:
    """A pattern of words: "year-" is a beginning, "-dag" an ending, others are whole words."""
    if word.endswith("-"):
        return re.escape(word[:-1]) + "[^ ]*"
    return "[^ ]{2,}" + re.escape(word[1:]) if word.startswith("-") else re.escape(word)


# Dates, whose day, month and year are compared together

_DAY: Final = re.compile(r"(0?[1-9]|[12]\d|3[01])[^\W\d_]{0,3}")
_YEAR: Final = re.compile(r"(1[89]\d\d|2[01]\d\d)[^\W\d_]{0,3}")
_GAP: Final = 1
"""The maximum of words between the parts: "1 de mayo de 2024", "2024. gada 1. maijā", "1 päivänä toukokuuta"."""


class Date(NamedTuple):
    """A month with its day and year, if given, and the places of its words."""

    day: str
    month: str
    year: str
    places: frozenset[int]

    def is_supported_by(self, other: Date) -> bool:
        """Whether the other date contains all parts of this one."""
        return self.month == other.month and self.day in ("", other.day) and self.year in ("", other.year)


def dates(line: Line, known: Lexicon) -> list[Date]:
    """The dates of a line whose month is a word; dates in digits are numbers."""
    found: list[Date] = []
    taken: set[int] = set()
    for month in known.months.find(line):
        beside = [*_beside(line, month.start, -1, taken), *_beside(line, month.end - 1, 1, taken)]
        parts: dict[str, str] = {}
        places = set(range(month.start, month.end))
        for _, place in sorted(beside, key=lambda one: one[0]):
            part, value = _part(line.tokens[place])
            if part not in parts:
                parts[part] = value
                places.add(place)
        if not parts and line.words[month.start] in known.months_beside_number:
            continue
        found.append(Date(parts.get("day", ""), month.concept, parts.get("year", ""), frozenset(places)))
        taken |= places
    return found


def without_date(said: Line, cited: Sequence[Line], known: Lexicon) -> str:
    """The first date of a sentence that no provision contains as a whole."""
    given = [date for line in cited for date in dates(line, known)]
    for date in dates(said, known):
        if not any(date.is_supported_by(other) for other in given):
            return " ".join(said.tokens[place].text for place in sorted(date.places))
    return ""


def _beside(line: Line, start: int, step: int, taken: Collection[int]) -> Iterator[tuple[int, int]]:
    """The days and years on one side of a month, each with the gap in words, up to a stop or another date."""
    place, gap, parts = start, 0, set()
    while gap <= _GAP and line.is_joined(min(place, place + step)):
        place += step
        token = line.tokens[place]
        if token.kind not in ("number", "numeral"):
            gap += 1
            continue
        part, _ = _part(token)
        if not part or part in parts or place in taken:
            return
        parts.add(part)
        yield gap, place
        gap = 0


def _part(token: Token) -> tuple[str, str]:
    """Whether a number is a day or a year, and its value; a numeral next to a month is a day."""
    if token.kind == "numeral":
        return "day", fold(token.text)
    for part, pattern in (("day", _DAY), ("year", _YEAR)):
        if match := pattern.fullmatch(token.text):
            return part, match[1].lstrip("0")
    return "", ""
