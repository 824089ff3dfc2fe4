"""How a provision is cited in the act's own language."""

from __future__ import annotations

from functools import lru_cache

from lexlattice.reading.grammar import Grammar
from lexlattice.reading.units import CiteLevel

_POINTS = ("letter", "number", "numeral", "roman")
_AS_WRITTEN = {"within": "{n}, ", "division": ", {n}"}
"""Levels that are cited in the act's own words: the annex around an article, "Part A" of an annex."""
_CONTAINERS = (
    "article",
    "recital",
    "annex",
    "annex_sole",
    "division",
    "section",
    "body",
    "unnumbered",
    "subparagraph",
    "indent",
)


def cite(levels: tuple[CiteLevel, ...], grammar: Grammar) -> str:
    """Write the levels of a provision one after the other, as lawyers of that language do.

    >>> from lexlattice.reading.grammar import load
    >>> path = (CiteLevel("article", "5", 5), CiteLevel("paragraph", "1", 1), CiteLevel("letter", "a", 1))
    >>> cite(path, load("en")), cite(path, load("fi"))
    ('Article 5(1)(a)', '5 artiklan 1 kohdan a alakohta')
    """
    if not levels:
        return ""
    text = _inner(levels[:-1], grammar) + _level(levels, grammar, final=True)
    if text[0] in " ,":
        text = text.lstrip(" ,")
    return text if text[0].isupper() else text[:1].upper() + text[1:]


@lru_cache(maxsize=8192)
def _inner(levels: tuple[CiteLevel, ...], grammar: Grammar) -> str:
    """The levels around the innermost one, in the form they take there."""
    return _inner(levels[:-1], grammar) + _level(levels, grammar, final=False) if levels else ""


def _level(levels: tuple[CiteLevel, ...], grammar: Grammar, *, final: bool) -> str:
    name, number, place = levels[-1]
    if name in _AS_WRITTEN:
        return _AS_WRITTEN[name].replace("{n}", number)
    level = grammar.citation[name]
    if name in _POINTS and (len(levels) == 1 or levels[-2].name in _CONTAINERS):
        template = level.direct if final else level.direct_inner
    else:
        template = level.final if final else level.inner
    if "{ordinal}" not in template:
        return template.replace("{n}", number)
    ordinal = grammar.ordinals[place - 1] if 0 < place <= len(grammar.ordinals) else grammar.ordinal(place)
    return template.replace("{n}", number).replace("{ordinal}", ordinal)
