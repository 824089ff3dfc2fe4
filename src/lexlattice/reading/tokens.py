"""A text as the tokens references are made of: words with their roles, numbers, and acts cited by number."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from lexlattice.reading.cited_acts import CitedAct, cited_acts
from lexlattice.reading.numbering import from_roman, letter_value, marker
from lexlattice.reading.wording import NO_ROLE, Role, Wording, flat

_LOOKALIKES: Final = str.maketrans("ιχνіхсм", "ixvixcm")
_ROMAN: Final = re.compile(r"[IVXLCΙΧІХС]+[A-Ha-h]?\Z")
_SHORT: Final = re.compile(r"\d{1,3}(?!\d)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_WORDS: Final = ("long", "word")
LONGEST_MARKER: Final = 20
LONGEST_LETTERS: Final = 5
"""Longer words are no numbers of points."""
DIVISIONS: Final = ("annex", "part", "title", "chapter", "section")
"""Levels that are numbered by Roman numbers or capital letters."""


class Token(NamedTuple):
    """A piece of a text, flat."""

    kind: str
    """paren "(1)", half "a)", decimal "5.1", figure "5a", word, phrase, act, or rest."""
    text: str
    """Without brackets."""
    start: int
    end: int
    role: Role
    act: CitedAct | None
    roman: bool
    """Whether it is a Roman number, or a letter, in capitals."""
    upper: bool
    """Whether it begins with a capital letter."""

    def has(self, flag: str) -> bool:
        """Whether a word may do this in a reference."""
        return flag in self.role.flags


def tokenize(text: str, words: Wording) -> list[Token]:
    """The tokens of a text after the marker that leads it; an act that is cited by number is one."""
    plain = flat(text)
    tokens: list[Token] = []
    acts = iter(cited_acts(plain, words))
    act = next(acts, None)
    end = _after_marker(text, plain, words)
    known = words.roles
    plainly = False
    """Whether the last token is a word that does nothing in references: of several such words the first is enough."""
    for match in words.tokens.finditer(plain, end):
        start, stop = match.span()
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
            if role is NO_ROLE and not upper and stop - start > LONGEST_LETTERS:
                if plainly:
                    continue
                plainly = True
            else:
                plainly = False
            if upper:
                capital = len(piece) == 1 or _ROMAN.match(text[start:stop]) is not None
        else:
            plainly = False
            if kind == "phrase":
                role = words.role(piece)
            elif kind in ("paren", "half"):
                piece = piece.strip("( )")
        tokens.append(Token(kind, piece, start, stop, role, None, capital, upper))
    return tokens


def _after_marker(text: str, plain: str, words: Wording) -> int:
    """Where a text begins after its marker; "5. cikk" begins with no marker."""
    mark = marker(text[:LONGEST_MARKER])
    if mark is None:
        return 0
    word = _WORD.match(plain, mark.end)
    counted = word is not None and text[word.start()].islower() and words.role(word.group()).levels
    return 0 if counted and words.before.intersection(counted) else mark.end


def is_lettered(value: str) -> bool:
    """Whether letters can be the number of a point: a, aa, iv, στ; not "eu"."""
    if from_roman(value.translate(_LOOKALIKES)):
        return True
    if not letter_value(value):
        return False
    return len(value) == 1 or not value.isascii() or value[0] == value[1] or value[0] == "a"


def number_of(token: Token, level: str) -> str:
    """The number a token can be for a provision of this level; empty if it can be none."""
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
    """Whether a Roman number in capitals may be that of an article or a point: not "C" of a journal's series."""
    return (level == "article" and (len(text) > 1 or text in "ivx")) or (level == "point" and len(text) > 1)
