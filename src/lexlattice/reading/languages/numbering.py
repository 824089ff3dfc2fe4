"""Numbers in acts: Roman numerals, letters of three alphabets, "5 bis", and the markers at the start of a line.

The language versions of an act number the same provision differently: (a), α), а); Article 5a, article 5 bis. Ids and
section numbers use one notation for all, so that versions can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъьюя"
LATIN: Final = "abcdefghijklmnopqrstuvwxyz"

_BELOW_TEN: Final = {
    **{"bis": 2, "ter": 3, "quater": 4, "quinquies": 5, "sexies": 6, "septies": 7, "octies": 8, "nonies": 9},
    "novies": 9,
}
_UNITS: Final = {
    **{"": 0, "un": 1, "duo": 2, "ter": 3, "tre": 3, "quater": 4, "quattuor": 4, "quin": 5, "quinqua": 5, "sex": 6},
    **{"se": 6, "sept": 7, "septen": 7, "octo": 8, "novo": 9, "noven": 9},
}
_TENS: Final = {
    **{"decies": 10, "vicies": 20, "tricies": 30, "quadragies": 40, "quinquagies": 50, "sexagies": 60},
    **{"septuagies": 70, "octogies": 80, "nonagies": 90},
}
_MULTIPLICATIVES: Final = (
    _BELOW_TEN
    | {unit + ten: tens + units for ten, tens in _TENS.items() for unit, units in _UNITS.items()}
    | {unit + ten: tens + units for ten, tens in _TENS.items() for unit, units in _BELOW_TEN.items() if units > 4}
)
"""Latin for "twice", "three times" …, which Romance languages and Dutch use where others use a, b, c."""
INSERTED_WORDS: Final = sorted(_MULTIPLICATIVES, key=len, reverse=True)


def _either(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


INSERTED: Final = (
    rf"(?:(?:{_either({*_UNITS, *_BELOW_TEN} - {''})})?(?:{_either(_TENS)})|{_either(_BELOW_TEN)})(?![^\W\d_])"
)
"""A pattern that matches these words, built from their parts to keep it short."""
_ROMAN_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_SIGNS: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
# Greek and Cyrillic letters that are typed for the Latin ones of Roman numerals.
_LOOKALIKES: Final = str.maketrans("ιΙχΧνΝіІхХсСмМ", "iIxXvViIxXcCmM")
_MALTESE: Final = str.maketrans("ċġħ", "cgh")
"""Letters of Maltese lists, and those of other languages in their place."""
_GREEK_UNITS: Final = {"α": 1, "β": 2, "γ": 3, "δ": 4, "ε": 5, "στ": 6, "ϛ": 6, "ζ": 7, "η": 8, "θ": 9}
_GREEK_TENS: Final = {"ι": 10, "κ": 20, "λ": 30, "μ": 40, "ν": 50, "ξ": 60, "ο": 70, "π": 80}

ROMAN: Final = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})\Z")


@lru_cache(maxsize=4096)
def from_roman(text: str) -> int:
    """Return the value of a lower-case Roman numeral, 0 if it is none.

    >>> from_roman("xiv"), from_roman("vx"), from_roman("")
    (14, 0, 0)
    """
    if not text or not ROMAN.match(text):
        return 0
    values = [_ROMAN_VALUES[letter] for letter in text]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


@lru_cache(maxsize=4096)
def letter_value(text: str) -> int:
    """Return the position of a letter in its alphabet (a, α, а are 1; aa is 27), 0 if it is none.

    >>> [letter_value(x) for x in ("a", "z", "aa", "ab", "γ", "στ", "ιβ", "в", "ċ", "1")]
    [1, 26, 27, 28, 3, 6, 12, 3, 3, 0]
    """
    text = text.translate(_MALTESE)
    if len(text) == 1:
        if text in LATIN:
            return LATIN.index(text) + 1
        if text in CYRILLIC:
            return CYRILLIC.index(text) + 1
    if text in _GREEK_UNITS:
        return _GREEK_UNITS[text]
    if text[:1] in _GREEK_TENS:
        units = 0 if len(text) == 1 else _GREEK_UNITS.get(text[1:], -100)
        return max(0, _GREEK_TENS[text[0]] + units)
    if len(text) == 2:
        for alphabet in (LATIN, CYRILLIC):
            if text[0] in alphabet and text[1] in alphabet:
                return len(alphabet) * (alphabet.index(text[0]) + 1) + alphabet.index(text[1]) + 1
    return 0


def to_roman(value: int) -> str:
    """Return a number in lower-case Roman numerals, or in digits if it has none.

    >>> to_roman(14), to_roman(1994), to_roman(4000)
    ('xiv', 'mcmxciv', '4000')
    """
    if not 0 < value < 4000:
        return str(value)
    text = ""
    for worth, sign in _ROMAN_SIGNS:
        text += sign * (value // worth)
        value %= worth
    return text


def to_letters(value: int) -> str:
    """Return the Latin letters for a position in a list: 1 is a, 27 is aa.

    >>> to_letters(3), to_letters(28)
    ('c', 'ab')
    """
    text = ""
    while value > 0:
        value, place = divmod(value - 1, 26)
        text = LATIN[place] + text
    return text


def _inserted(words: str) -> str | None:
    """Return the letters for one or more Latin words (bis is a), or `None` if they are other words.

    >>> [_inserted(x) for x in ("bis", "septvicies", "octovicies", "quinquadragies", "quater bis", "first")]
    ['a', 'z', 'aa', 'ar', 'ca', None]
    """
    values = [_MULTIPLICATIVES.get(word, 0) for word in words.split()]
    return "".join(to_letters(value - 1) for value in values) if all(values) else None


@lru_cache(maxsize=4096)
def canonical(number: str) -> str:
    """Return the number of a section in one notation for all languages and alphabets.

    >>> [canonical(x) for x in ("5", "5 bis", "5α", "5а", "1.o-A", "II", "ΙΙ", "X ter", "B", "Β", "1er", "3.")]
    ['5', '5a', '5a', '5a', '1a', 'II', 'II', 'XB', 'B', 'B', '1', '3']
    """
    text = number.strip().rstrip(".").strip().casefold()
    if _DECIMAL.match(text):
        return text
    digits = re.match(r"\d+", text)
    if digits:
        rest = re.sub(r"^\s?(?:\.?\s?[oºª°]|er|re|ère)(?![a-zα-ωа-я])", "", text[digits.end() :])
        rest = rest.strip(" .-–/")
        suffix = _inserted(rest)
        if suffix is None and rest:
            value = letter_value(rest)
            suffix = to_letters(value) if value else re.sub(r"[^\w.]", "", rest)
        return digits.group() + (suffix or "")
    head, _, suffix = text.translate(_LOOKALIKES).partition(" ")
    inserted = _inserted(suffix)
    if from_roman(head) and inserted is not None:
        return head.upper() + inserted.upper()
    value = letter_value(text)
    return to_letters(value).upper() if value else text.upper()


class Marker(NamedTuple):
    """The number at the start of a line."""

    style: str
    """dot "1.", multi "1.2.", paren "(1)", letter "(a)", roman "(i)", dash "—"; letters may be roman too."""
    number: str
    value: int
    roman: int
    """The value as a Roman numeral if the marker is a letter that can be one ("i", "v", "x"), else 0."""
    end: int
    """Position of the text after the marker."""
    quoted: bool


def letters(mark: Marker) -> str:
    """Return a lettered marker in Latin letters, for all alphabets: γ) is c, "c bis" is ca."""
    stem = to_letters(mark.value) if mark.value else mark.number.lower()
    return stem + (_inserted(mark.number.lower().partition(" ")[2]) or "")


OPENING_QUOTES: Final = "«„“‟\"'‘‚”‹»"
_DECIMAL: Final = re.compile(r"\d{1,2}\.\d{1,2}\Z")
_LEADING_DIGITS: Final = re.compile(r"\d+")
_LETTERED: Final = ("letter", "halfletter", "letterdot")
_STYLES: Final = {"half": "paren", "bracket": "paren", "quotednumber": "dot"}
_COUNT: Final = rf"\d{{1,3}}(?:[a-z]{{1,2}}(?![\w])|\s?{INSERTED}(?:\s{INSERTED})?)?"
_WORD: Final = rf"[^\W\d_]{{1,6}}(?:\s{INSERTED}){{0,2}}"
_MARKER: Final = re.compile(
    rf"(?P<q>[{OPENING_QUOTES}]{{1,2}}\s?)?"
    r"(?:"
    # 1.2.3, with a stop, a bracket or a space after it
    r"(?P<multi>\d{1,3}(?:\s?\.\s?\d{1,3}){1,5})\s?(?:\.\s|\.$|\.(?=[^\W\d_](?:[^\W\d_]|\s))|\)\s?|\s(?=\S)|$)"
    # 1. — 1a. — 1 bis.
    rf"|(?P<dot>{_COUNT})\s?\.\)?(?:\s|$|(?=[^\W\d_]{{2}}))"
    # (1), [1] and 1)
    rf"|\(\s?(?P<paren>{_COUNT})\s?\)(?:\s|$|(?=\w))"
    r"|\[(?P<bracket>\d{1,3})\](?:\s|$|(?=\w))"
    rf"|(?P<half>{_COUNT})\s?\)(?:\s|$|(?=\w))"
    # (a) and a), also of several letters: Roman numerals, "aa", words that are sorted out later
    rf"|\(\s?(?P<letter>{_WORD})\s?\)(?:\s|$|(?=\w))"
    rf"|(?P<halfletter>{_WORD})\s?\)(?:\s|$|(?=\w))"
    # "a." alone on its line: before a text it would be an abbreviation
    r"|(?P<letterdot>[a-zivx]{1,4})\.$"
    # a number without any mark, only right after an opening quotation mark
    rf"|(?(q)(?P<quotednumber>\d{{1,3}}(?:\s{INSERTED})?)(?:$|(?<=s|r)\s(?=[^\W\d_a-zà-ÿ]))|(?!))"
    # dashes and bullets
    r"|(?P<dash>[—–‒―•·▪●-])(?:\s|$|(?=[^\W\d_]))"
    r")"
)
_INSERTED: Final = re.compile(r"([ivx]{2,6})[a-e]\Z")
"""A point inserted between two with Roman numerals: (iia) after (ii)."""
_POINT_LETTERS: Final = re.compile(r"[a-zċġħα-ωϛа-я]{1,2}\Z|[ivxlcdmі]{1,6}\Z")


def marker(line: str) -> Marker | None:
    """Return the marker at the start of a line, or `None`.

    >>> marker("(a) surveys;")[:3]
    ('letter', 'a', 1)
    >>> marker("1. The Parties").style, marker("1.2. Scope").number, marker("— visible,").style
    ('dot', '1.2', 'dash')
    >>> marker("‘(b)").quoted, marker("(see above) text"), marker("1.5 million euro are").style
    (True, None, 'multi')
    """
    # A quick test that rules out most lines: a line that begins with a letter needs a bracket or stop soon after.
    if not line or (line[0].isalpha() and ")" not in line[:12] and not (len(line) < 6 and line[-1] == ".")):
        return None
    match = _MARKER.match(line)
    if match is None:
        return None
    style = match.lastgroup or ""
    counted = _counted(style, match[style])
    return Marker(*counted, match.end(), match["q"] is not None) if counted is not None else None


def dotted_marker(line: str) -> Marker | None:
    """Return the letter or Roman numeral with a stop at the start of a line, or `None`.

    Only the markers around it tell whether it is the number of a point at all.

    >>> dotted_marker("ii. surveys;").roman, dotted_marker("art. 5")
    (2, None)
    """
    number, stop, _ = line.partition(".")
    counted = _counted("letterdot", number) if stop and number.isalpha() else None
    return Marker(*counted, len(line) - len(line[len(number) + 1 :].lstrip()), quoted=False) if counted else None


@lru_cache(maxsize=4096)
def _counted(style: str, number: str) -> tuple[str, str, int, int] | None:
    """Return style, number, value and Roman value of a match, or `None` if it is just a word in brackets."""
    if style == "multi":
        number = re.sub(r"\s", "", number)
        return "multi", number, int(number.rsplit(".", 1)[1]), 0
    if style in _LETTERED:
        place = _place(number)
        return ("letter", number, *place) if place is not None else None
    if style == "dash":
        return "dash", "", 0, 0
    value = int(number) if number.isdigit() else int(_LEADING_DIGITS.match(number).group())  # type: ignore[union-attr]
    return _STYLES.get(style, style), number, value, 0


def _place(number: str) -> tuple[int, int] | None:
    """Return the value of a lettered marker as a letter and as a Roman numeral, or `None` if it is just a word."""
    lowered, _, suffix = number.lower().partition(" ")
    if not suffix and not _POINT_LETTERS.match(lowered):
        inserted = _INSERTED.match(lowered)
        return (0, from_roman(inserted.group(1))) if inserted else None
    value, roman = letter_value(lowered), 0 if suffix else from_roman(lowered.translate(_LOOKALIKES))
    return (value, roman) if value or roman else None


_PART: Final = re.compile(r"(?P<n>[IVXΙΧ]{1,5}|[A-ZĊĠĦΑ-ΩА-Я])\.(?:\s+(?P<rest>\S.*)|)$")


class PartNumber(NamedTuple):
    """A capital letter or Roman numeral with a stop at the start of a line: "A. General"."""

    number: str
    rest: str
    """The rest of the line."""
    value: int
    """Its position in its alphabet; 0 for several letters."""
    roman: int


def part_number(line: str) -> PartNumber | None:
    """Return the capital letter or Roman numeral at the start of a line, or `None`.

    >>> part_number("B. Honey"), part_number("II.").roman, part_number("Bees."), part_number("U.S. law")
    (PartNumber(number='B', rest='Honey', value=2, roman=0), 2, None, None)
    """
    match = _PART.match(line) if line[0].isupper() and "." in line[1:6] else None
    if match is None:
        return None
    number = match["n"].lower()
    value = letter_value(number) if len(number) == 1 else 0
    return PartNumber(match["n"], match["rest"] or "", value, from_roman(number.translate(_LOOKALIKES)))
