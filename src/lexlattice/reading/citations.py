"""How a provision is cited in the act's own language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lexlattice.reading.grammar import Grammar

_POINTS: Final = ("letter", "number", "numeral", "roman")
_AS_WRITTEN: Final = {"within": "{n}, ", "division": ", {n}"}
"""Levels that are cited in the act's own words: the annex around an article, "Part A" of an annex."""
_CONTAINERS: Final = frozenset(
    "article recital annex annex_sole attachment division section body unnumbered subparagraph indent".split()
)


@dataclass(slots=True, eq=False)
class Cite:
    """One level of a citation and, through `around`, those it stands in; siblings share what is around them."""

    around: Cite | None
    name: str
    """The level's name in the language files."""
    number: str = ""
    """As the act writes it, without brackets."""
    place: int = 0
    inner: str | None = None
    """The form it takes where another level follows, once that was asked for."""


def cite(level: Cite | None, grammar: Grammar) -> str:
    """Write the levels of a provision one after the other, as lawyers of that language do.

    >>> from lexlattice.reading.grammar import load
    >>> point = Cite(Cite(Cite(None, "article", "5"), "paragraph", "1"), "letter", "a")
    >>> cite(point, load("en"))
    'Article 5(1)(a)'
    >>> cite(Cite(Cite(Cite(None, "article", "5"), "paragraph", "1"), "letter", "a"), load("fi"))
    '5 artiklan 1 kohdan a alakohta'
    >>> cite(Cite(Cite(None, "article", "22"), "note", "2"), load("en"))
    'Article 22, Footnote 2'
    """
    if level is None:
        return ""
    between = ", " if level.name == "note" and level.around is not None else ""
    text = _inner(level.around, grammar) + between + _form(level, grammar, final=True)
    if text[0] in " ,":
        text = text.lstrip(" ,")
    return text if text[0].isupper() else text[:1].upper() + text[1:]


def _inner(level: Cite | None, grammar: Grammar) -> str:
    """The levels around the innermost one, in the form they take there."""
    if level is None:
        return ""
    if level.inner is None:
        level.inner = _inner(level.around, grammar) + _form(level, grammar, final=False)
    return level.inner


def _form(level: Cite, grammar: Grammar, *, final: bool) -> str:
    name, around = level.name, level.around
    if name in _AS_WRITTEN:
        return _AS_WRITTEN[name].replace("{n}", level.number)
    forms = grammar.citation[name]
    if name in _POINTS and (around is None or around.name in _CONTAINERS):
        template = forms.direct if final else forms.direct_inner
    else:
        template = forms.final if final else forms.inner
    if "{ordinal}" not in template:
        return template.replace("{n}", level.number)
    place = level.place
    ordinal = grammar.ordinals[place - 1] if 0 < place <= len(grammar.ordinals) else grammar.ordinal(place)
    return template.replace("{n}", level.number).replace("{ordinal}", ordinal)
