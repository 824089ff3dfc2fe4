"""How a provision is cited in the act's own language."""

from __future__ import annotations

from collections.abc import Sequence

from lexlattice.reading.grammar import Grammar
from lexlattice.reading.units import CiteLevel

_POINTS = ("letter", "number", "roman")
_CONTAINERS = ("article", "recital", "annex", "annex_sole", "section", "body")


def cite(levels: Sequence[CiteLevel], grammar: Grammar) -> str:
    """Write the levels of a provision one after the other, as lawyers of that language do.

    >>> from lexlattice.reading.grammar import load
    >>> path = [CiteLevel("article", "5", 5), CiteLevel("paragraph", "1", 1), CiteLevel("letter", "a", 1)]
    >>> cite(path, load("en"))
    'Article 5(1)(a)'
    """
    pieces: list[str] = []
    before = ""
    for i, (name, number, place) in enumerate(levels):
        level = grammar.citation[name]
        if name in _POINTS and before in _CONTAINERS:
            form = level.direct
        elif i + 1 < len(levels):
            form = level.inner
        else:
            form = level.final
        ordinal = grammar.ordinals[place - 1] if 0 < place <= len(grammar.ordinals) else f"{place}."
        pieces.append(form.replace("{n}", number).replace("{ordinal}", ordinal))
        before = name
    text = "".join(pieces).lstrip(" ,")
    return text[:1].upper() + text[1:] if text[:1].isalpha() else text
