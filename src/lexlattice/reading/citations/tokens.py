"""Text → tokens of citations: words with their roles, numbers, and acts cited by number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from lexlattice.reading.citations.vocabulary import NO_ROLE, Role, Vocabulary, fold_letters
from lexlattice.reading.languages.numbering import from_roman, letter_value, marker

# --- acts cited by number ---------------------------------------------------------------------------------

_LETTERS: Final = {"regulation": "R", "directive": "L", "decision": "D", "framework": "F", "recommendation": "H"}
# 575/2013, 2016/679, 96/71/EC, 2002/584/JHA; not a date, a path or a longer number.
_NUMBER: Final = re.compile(r"(?<![\w/.])(\d{1,4})/(\d{1,4})(?:/([^\W\d_]{2,9})\d{0,2})?(?![\w/])")
MAX_ACT_DISTANCE: Final = 70
"""The most characters between the word for an act and its number."""
_JOINING: Final = re.compile(
    r"[\s,]*(?:[^\W\d_'’-]{1,8}[\s'’-]*){0,3}(?:\([^()\d]{2,24}\)\s*)?(?:[^\W\d_]{1,5}[.:]?[oº°]?\.?\s*)?"
)
"""The text between the numbers of acts that share one word: "Regulations (EU) No 1093/2010, (EU) No 1094/2010"."""
_FOUR_DIGITS: Final = 1999
"""From this year on acts are numbered with the year in full: 98/79/EC, 1999/5/EC."""
_YEAR_FIRST: Final = 2015
"""From this year on all acts are numbered year first."""


class CitedAct(NamedTuple):
    """An act that a text cites: its position, kind and CELEX number."""

    start: int
    end: int
    kind: str
    celex: str
    sharing: bool = False
    """Whether it shares the word ("Regulations") with the act next to it."""
    alias: bool = False
    """Whether it is cited by a name that the text defines: "the basic Regulation"."""


def find_cited_acts(text: str, words: Vocabulary) -> list[CitedAct]:
    """Find the acts that a folded text cites by number, in order."""
    matches = list(_NUMBER.finditer(text)) if "/" in text else []
    found: list[CitedAct | None] = [None] * len(matches)
    order = range(len(matches))
    behind = "act" in words.before
    for n in reversed(order) if behind else order:
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
    """Extend the start of a number without its own word to "(EU)" or "No" before it."""
    before = text[max(0, start - 16) : start]
    match = re.search(r"\([^\W\d_]{2,8}\)\s?(?:[^\W\d_]{1,5}[.:]?[oº°]?\.?\s?)?$", before)
    return start - len(before) + match.start() if match else start


def _joins(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    between = text[first.end() : second.start()]
    return len(between) <= MAX_ACT_DISTANCE // 2 and _JOINING.fullmatch(between) is not None


def _kind(text: str, match: re.Match[str], words: Vocabulary, *, behind: bool) -> tuple[str, int, int]:
    """Kind, start and end of the act with this number; its word precedes the number or, if `behind`, follows it."""
    if behind:
        after = text[match.end() : match.end() + MAX_ACT_DISTANCE]
        word = words.acts.search(after)
        if word is not None and not re.search(r"[\d.;:]", after[: word.start()]):
            return word.lastgroup or "", match.start(), match.end() + word.end()
        return "", 0, 0
    offset = max(0, match.start() - MAX_ACT_DISTANCE)
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
    """The CELEX number of an act cited as first/second/suffix; empty if it cannot be one.

    Whether the year comes first depends on the kind and age of the act; `signed` says that "No" precedes the number.

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
    """The year that the number of an act begins or ends with; 0 if it cannot be a year."""
    value = int(digits)
    if len(digits) == 2:
        return 1900 + value if value >= 52 else 0
    earliest = _FOUR_DIGITS if leading else 1952
    return value if len(digits) == 4 and earliest <= value <= 2099 else 0


# --- tokens -----------------------------------------------------------------------------------------------

# Greek and Cyrillic letters that acts use as Roman numerals, and the Latin letters they look like.
LOOKALIKES: Final = str.maketrans("ιχνіхсм", "ixvixcm")
_ROMAN: Final = re.compile(r"[IVXLCΙΧІХС]+[A-Ha-h]?\Z")
_SHORT: Final = re.compile(r"\d{1,3}(?!\d)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_WORDS: Final = ("long", "word")
MAX_MARKER: Final = 20
MAX_POINT_LETTERS: Final = 5
"""A word with more letters cannot be the number of a point."""
DIVISIONS: Final = ("annex", "part", "title", "chapter", "section")
"""Levels that are numbered with Roman numerals or capital letters."""


class Token(NamedTuple):
    """A piece of a folded text."""

    kind: str
    """paren "(1)", half "a)", decimal "5.1", figure "5a", word, phrase, act, or rest."""
    text: str
    """Without brackets."""
    start: int
    end: int
    role: Role
    act: CitedAct | None
    roman: bool
    """Whether it is a Roman numeral or a single letter, in capitals."""
    upper: bool
    """Whether it begins with a capital letter."""

    def has(self, flag: str) -> bool:
        """Whether the word can have this function, such as "list", "range", "of", "the" or "this"."""
        return flag in self.role.flags


def tokenize(text: str, words: Vocabulary) -> list[Token]:
    """Split a text into tokens, without its leading marker; an act that is cited by number is one token.

    Of consecutive words without a role only the first is kept: it separates citations as well as all of them.
    """
    plain = fold_letters(text)
    tokens: list[Token] = []
    acts = iter(find_cited_acts(plain, words))
    act = next(acts, None)
    end = _after_marker(text, plain, words)
    known = words.roles
    after_plain_word = False
    for match in words.tokens.finditer(plain, end):
        start, stop = match.span()
        # An act replaces all tokens from its start to its end.
        while act is not None and start >= act.start:
            tokens.append(Token("act", "", act.start, act.end, NO_ROLE, act, False, True))
            end, act = max(end, act.end), next(acts, None)
        if start < end:
            continue
        kind = match.lastgroup or ""
        piece = match.group()
        role, capital, upper = NO_ROLE, False, text[start].isupper()
        if kind in _WORDS:
            kind = "word"
            role = known[piece] if piece in known else words.role(piece)
            if role is NO_ROLE and not upper and stop - start > MAX_POINT_LETTERS:
                if after_plain_word:
                    continue
                after_plain_word = True
            else:
                after_plain_word = False
            if upper:
                capital = len(piece) == 1 or _ROMAN.match(text[start:stop]) is not None
        else:
            after_plain_word = False
            if kind == "phrase":
                role = words.role(piece)
            elif kind in ("paren", "half"):
                piece = piece.strip("( )")
        tokens.append(Token(kind, piece, start, stop, role, None, capital, upper))
    return tokens


def _after_marker(text: str, plain: str, words: Vocabulary) -> int:
    """The position after the marker of a text; "5. cikk" has none, since the number belongs to the word."""
    mark = marker(text[:MAX_MARKER])
    if mark is None:
        return 0
    word = _WORD.match(plain, mark.end)
    counted = word is not None and text[word.start()].islower() and words.role(word.group()).levels
    return 0 if counted and words.before.intersection(counted) else mark.end


def is_lettered(value: str) -> bool:
    """Whether letters can be the number of a point: a, aa, iv, στ; but not "eu"."""
    if from_roman(value.translate(LOOKALIKES)):
        return True
    if not letter_value(value):
        return False
    return len(value) == 1 or not value.isascii() or value[0] == value[1] or value[0] == "a"


def number_in(token: Token, level: str) -> str:
    """The number that a token means for a provision of this level; empty if it means none."""
    text = token.text
    if token.kind in ("paren", "half", "figure"):
        if text[0].isdigit():
            return text if _SHORT.match(text) else ""
        return text if level == "point" and is_lettered(text) else ""
    if token.kind == "decimal":
        return text
    if token.kind != "word":
        return ""
    if token.roman:
        return text if level in DIVISIONS or _is_roman(level, text) else ""
    plain = len(text) == 1 or from_roman(text) or (len(text) == 2 and text[0] == text[1])
    return text if level == "point" and plain and is_lettered(text) and not token.role else ""


def _is_roman(level: str, text: str) -> bool:
    """Whether a Roman numeral in capitals can be that of an article or a point: not "C", a series of the journal."""
    return (level == "article" and (len(text) > 1 or text in "ivx")) or (level == "point" and len(text) > 1)


# --- separators: commas, dashes, "and", "to", full stops -----------------------------------------------------

DASHES: Final = ("-", "–", "—")


def separator_after(tokens: Sequence[Token], index: int) -> tuple[str, int] | None:
    """The kind of separator ("comma", "list" or "range") between two numbers, and the index after it."""
    if index >= len(tokens):
        return None
    token = tokens[index]
    if token.text == ",":
        following = separator_after(tokens, index + 1)
        return following if following is not None and following[0] != "comma" else ("comma", index + 1)
    if token.has("range") or token.text in DASHES:
        return "range", index + 1
    return ("list", index + 1) if token.has("list") else None


def separator_before(tokens: Sequence[Token], index: int, used: int) -> tuple[str, int]:
    """The kind of separator before a number, and the index after the number that precedes it."""
    at = index - 1
    if at < used:
        return "", index
    token = tokens[at]
    if token.has("the") and at > used and tokens[at - 1].has("list"):  # "a 2. és a 3. cikk"
        at, token = at - 1, tokens[at - 1]
    if token.has("list"):
        return "list", at - 1 if at > used and tokens[at - 1].text == "," else at
    if token.text in DASHES or token.has("range"):
        return "range", at
    return ("comma", at) if token.text == "," else ("", index)


def skip_stop(tokens: Sequence[Token], index: int) -> int:
    """The index after a full stop that does not end a sentence: "Art. 5", "stavka 1. točke"."""
    if index + 1 >= len(tokens) or tokens[index].text != "." or tokens[index].start > tokens[index - 1].end + 1:
        return index
    following = tokens[index + 1]
    if following.upper and not following.roman:  # "članka 5. Direktive", and no other sentence
        named = following.kind == "act" or following.role.act or following.role.flags & {"treaty", "other", "maker"}
        return index + 1 if named and tokens[index - 1].kind == "figure" else index
    continues = following.role or following.kind in ("figure", "paren", "half", "decimal") or following.text == ","
    return index + 1 if continues or following.roman else index


def is_ordinal_figure(tokens: Sequence[Token], index: int) -> bool:
    """Whether "5." precedes the word, as in "5. člena"."""
    return (
        index > 1
        and tokens[index - 1].text == "."
        and tokens[index - 2].kind == "figure"
        and tokens[index - 2].end == tokens[index - 1].start
    )
