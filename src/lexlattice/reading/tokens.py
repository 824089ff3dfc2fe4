"""A text as the tokens references are made of: words with their roles, numbers, and acts cited by number."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from lexlattice.reading.cited_acts import CitedAct, cited_acts
from lexlattice.reading.numbering import from_roman, letter_value
from lexlattice.reading.wording import Role, Wording, flat

_LOOKALIKES: Final = str.maketrans("ιχνіхсм", "ixvixcm")
_ROMAN: Final = re.compile(r"[IVXLCΙΧІХС]+[A-Ca-c]?\Z")
_NOTHING: Final = Role()


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

    def has(self, flag: str) -> bool:
        """Whether a word may do this in a reference."""
        return flag in self.role.flags


def tokenize(text: str, words: Wording) -> list[Token]:
    """The tokens of a text; an act that is cited by number is one."""
    plain = flat(text)
    tokens: list[Token] = []
    acts = iter(cited_acts(plain, words))
    act = next(acts, None)
    end = 0
    for match in words.tokens.finditer(plain):
        start = match.start()
        while act is not None and start >= act.start:
            tokens.append(Token("act", "", act.start, act.end, _NOTHING, act, False))
            end, act = max(end, act.end), next(acts, None)
        if start < end:
            continue
        kind = match.lastgroup or ""
        piece = match.group()
        if kind in ("paren", "half"):
            tokens.append(Token(kind, piece.strip("( )"), start, match.end(), _NOTHING, None, False))
            continue
        role = words.role(piece) if kind in ("word", "phrase") else _NOTHING
        capital = (
            kind == "word"
            and text[start].isupper()
            and (len(piece) == 1 or bool(_ROMAN.match(text[start : match.end()])))
        )
        tokens.append(Token(kind, piece, start, match.end(), role, None, capital))
    return tokens


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
            return text if len(text.rstrip("abcdefgh").rstrip()) <= 3 else ""
        return text if level == "point" and is_lettered(text) else ""
    if token.kind == "decimal":
        return text
    if token.kind != "word":
        return ""
    if token.roman and level in ("annex", "part", "section", "article", "point"):
        return text if level != "article" or len(text) > 1 or text in "ivx" else ""
    if level == "point" and len(text) <= 4 and is_lettered(text) and not token.has("list"):
        return text
    return ""
