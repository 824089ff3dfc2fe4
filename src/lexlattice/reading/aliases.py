"""Names that an act gives to other acts: "Regulation (EC) No 597/2009 (‘the basic Regulation’)"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from lexlattice.reading.cited_acts import CitedAct
from lexlattice.reading.tokens import Token, tokenize
from lexlattice.reading.wording import NO_ROLE, Wording

STEM: Final = 4
"""So many letters of a word stay the same in all its forms; shorter words have one form."""
ENDING: Final = 3
"""So many letters at the end of a word may differ between its forms."""
LONGEST: Final = 5
FEWEST: Final = 3
"""So many letters before the word for a kind of act make a name of it."""


class Alias(NamedTuple):
    """A name in words, and the act that has it."""

    words: tuple[str, ...]
    act: CitedAct


def alias(term: str, before: Sequence[Token], words: Wording) -> Alias | None:
    """The name that a quoted term is for the last act before it; none if the term does not name an act."""
    tokens = tokenize(term, words)
    while tokens and tokens[0].has("the"):
        tokens = tokens[1:]
    if not 0 < len(tokens) <= LONGEST or any(token.kind not in ("word", "phrase") for token in tokens):
        return None
    kind = next((token.role.act for token in tokens if token.role.act), "")
    coded = any(token.has("other") for token in tokens)
    if not kind and not coded:
        return None
    if kind and len(tokens) == 1 and not _is_compound(tokens[0].text, words):
        return None
    named = [token.act for token in before if token.act is not None and token.act.celex]
    alike = [act for act in named if act.kind == kind] if kind else named
    return Alias(tuple(token.text for token in tokens), alike[-1]) if alike else None


def _is_compound(word: str, words: Wording) -> bool:
    """Whether a word says more than the kind of an act: "Grundverordnung"."""
    return any(stem[0] == "*" and role.act and word.find(stem[1:]) >= FEWEST for stem, role in words.stems)


def put_aliases(tokens: list[Token], aliases: Iterable[Alias]) -> list[Token]:
    """The tokens with each name of an act in the place of its words."""
    for name in aliases:
        length = len(name.words)
        for place in range(len(tokens) - length, -1, -1):
            if all(_same(token, word) for token, word in zip(tokens[place : place + length], name.words, strict=True)):
                start, end = tokens[place].start, tokens[place + length - 1].end
                act = CitedAct(start, end, name.act.kind, name.act.celex, alias=True)
                tokens[place : place + length] = [Token("act", "", start, end, NO_ROLE, act, False, True)]
    return tokens


def _same(token: Token, word: str) -> bool:
    """Whether a token is a form of a word."""
    if token.text == word:
        return True
    stem = max(STEM, len(word) - ENDING)
    return len(word) > STEM and token.text[:stem] == word[:stem] and len(token.text) <= len(word) + ENDING + 1
