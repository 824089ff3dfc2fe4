"""Text on figures: how it looks, how wide it is, and what of an act's own words can be shown."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from lexlattice.act import Section

FONT: Final = "DejaVu Sans"
"""Comes with matplotlib, and has the letters of all 24 languages."""
INK: Final = "#222222"
GREY: Final = "#6B6B6B"
SMALL: Final = 7.0
TITLE: Final = 10.0
POINT: Final = 1 / 72
"""In inches; sizes of letters are in points, all other lengths in inches or in cells."""

_LEADING: Final = 1.35
_LONGEST_NAME: Final = 24
_LONGEST_TEXT: Final = 1000


def style(size: float, **changes: Any) -> dict[str, Any]:
    """How text looks; dollar signs in it are no formulas."""
    usual = {"fontfamily": FONT, "fontsize": size, "color": INK, "ha": "left", "va": "baseline", "parse_math": False}
    return {**usual, **changes}


def plain(text: str) -> str:
    r"""Text on one line, without what cannot be printed.

    >>> plain("Article\u00a05\nbis")
    'Article 5 bis'
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST_TEXT])
    return " ".join(shown.split())


def name_of(section: Section) -> str:
    """A section's label as the act has it, or what it is."""
    name = plain(section.label) or section.kind.capitalize()
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"


def in_lines(text: str, room: float, size: float, weight: str = "normal", most: int | None = None) -> str:
    """Text in lines that are no wider than there is room; what goes beyond so many lines is left out."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, weight) * size * POINT <= room:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] += " …"
            break
        else:
            lines.append(word)
    return "\n".join(lines)


def height_of(text: str, size: float) -> float:
    """Height of lines of text."""
    return (text.count("\n") + 1) * size * _LEADING * POINT


def width_of(text: str, weight: str = "normal") -> float:
    """Width of text on one line, for the size of its letters."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, weight=weight, size=1)
    with boxes_for_strangers():
        return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


@contextmanager
def boxes_for_strangers() -> Iterator[None]:
    """A letter that the font has not is a box, and nothing to warn of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield
