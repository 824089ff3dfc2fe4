"""Automatic numbering of DOCX: the numbers that Word computes for paragraphs and does not store.

A paragraph, or its style, names a list (`num`), which refers to an abstract list with up to nine levels; lists that
share an abstract list share its counters. Also the accessors for WordprocessingML elements of both DOCX modules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from lexlattice.reading.formats.blocks import squeeze
from lexlattice.reading.languages.numbering import to_roman

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VAL = f"{W}val"

_MAX_STYLES = 20  # in a chain of styles based on each other
_MAX_LABEL = 100  # characters
_LETTERS = {
    "lowerLetter": ascii_lowercase,
    "upperLetter": ascii_uppercase,
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
}


@dataclass(slots=True)
class _Level:
    """How one level of a list is numbered."""

    start: int
    form: str
    text: str
    restarts: bool
    decimal: bool
    style: str


class Numbering:
    """Counts numbered paragraphs as Word does, in document order."""

    def __init__(self, root: Any, styles: dict[str, Any]) -> None:
        self.styles = styles
        self.abstract = {item.get(f"{W}abstractNumId"): item for item in children(root, "abstractNum")}
        self.numbers = {item.get(f"{W}numId"): item for item in children(root, "num")}
        self.levels: dict[str, dict[int, _Level]] = {}
        self.counts: dict[str, dict[int, int]] = {}  # by abstract list

    def marker(self, paragraph: Any) -> str:
        """Count the paragraph, and return the number or bullet that Word shows before it."""
        style = value(find(paragraph, "pPr", "pStyle"))
        number, depth = self._list(paragraph, style)
        if number not in self.numbers:
            return ""
        abstract = self._abstract(number)
        counts = self.counts.setdefault(abstract, {})
        if number not in self.levels:
            self.levels[number] = self._read_levels(number, abstract)
            for override in children(self.numbers[number], "lvlOverride"):
                start = find(override, "startOverride")
                if start is not None:
                    counts[_integer(override.get(f"{W}ilvl"))] = _integer(value(start)) - 1
        levels = self.levels[number]
        if depth is None:
            depth = next((i for i, level in levels.items() if style and level.style == style), 0)
        if depth not in levels:
            return ""
        counts[depth] = counts.get(depth, levels[depth].start - 1) + 1
        for deeper in [i for i in counts if i > depth and i in levels and levels[i].restarts]:
            del counts[deeper]
        return self._show(levels, depth, counts)

    def _list(self, paragraph: Any, style: str) -> tuple[str, int | None]:
        """Return the list and level of a paragraph; its own take precedence over those of its styles."""
        number, depth = "", None
        seen: set[str] = set()
        sources = [paragraph]
        while style in self.styles and style not in seen and len(seen) < _MAX_STYLES:
            seen.add(style)
            sources.append(self.styles[style])
            style = value(find(self.styles[style], "basedOn"))
        for source in sources:
            number = number or value(find(source, "pPr", "numPr", "numId"))
            level = find(source, "pPr", "numPr", "ilvl")
            if depth is None and level is not None:
                depth = _integer(value(level))
        return number, depth

    def _abstract(self, number: str) -> str:
        """Return the abstract list of a list, which may be given by way of a style."""
        abstract = value(find(self.numbers[number], "abstractNumId"))
        link = value(find(self.abstract.get(abstract), "numStyleLink"))
        linked = value(find(self.styles.get(link), "pPr", "numPr", "numId"))
        if linked in self.numbers:
            abstract = value(find(self.numbers[linked], "abstractNumId"))
        return abstract

    def _read_levels(self, number: str, abstract: str) -> dict[int, _Level]:
        found = list(children(self.abstract.get(abstract), "lvl"))
        for override in children(self.numbers[number], "lvlOverride"):
            found += children(override, "lvl")
        return {
            _integer(level.get(f"{W}ilvl")): _Level(
                start=_integer(value(find(level, "start")), 1),
                form=value(find(level, "numFmt")) or "decimal",
                text=value(find(level, "lvlText")),
                restarts=value(find(level, "lvlRestart")) != "0",
                decimal=is_on(find(level, "isLgl")),
                style=value(find(level, "pStyle")),
            )
            for level in found
        }

    def _show(self, levels: dict[int, _Level], depth: int, counts: dict[int, int]) -> str:
        level = levels[depth]
        if level.form == "bullet":
            return level.text if level.text in ("-", "–", "—") else "•" if level.text.strip() else ""

        def count(match: re.Match[str]) -> str:
            i = int(match[1]) - 1
            if i not in levels:
                return ""
            form = "decimal" if level.decimal else levels[i].form
            return _format(counts.get(i, levels[i].start), form)

        return squeeze(re.sub(r"%([1-9])", count, level.text[:_MAX_LABEL]))


def _format(number: int, form: str) -> str:
    """Format a number as a list does.

    >>> [_format(28, form) for form in ("decimal", "lowerLetter", "upperRoman", "none")]
    ['28', 'bb', 'XXVIII', '']
    """
    if form in ("lowerRoman", "upperRoman"):
        return to_roman(number) if form == "lowerRoman" else to_roman(number).upper()
    letters = _LETTERS.get(form, "")
    if 0 < number <= 10 * len(letters):
        return letters[(number - 1) % len(letters)] * ((number - 1) // len(letters) + 1)
    return "" if form == "none" else str(number)


def children(node: Any, name: str) -> list[Any]:
    """Return the children with a name; none if `node` is `None`."""
    return [] if node is None else node.findall(W + name)


def find(node: Any, *path: str) -> Any:
    """Return the first element at a path of names, or `None`."""
    for name in path:
        node = None if node is None else node.find(W + name)
    return node


def value(node: Any) -> str:
    """Return the value of an element such as `<w:start w:val="3"/>`; empty if there is none."""
    return "" if node is None else node.get(_VAL) or ""


def is_on(node: Any) -> bool:
    """Whether a switch such as `<w:vanish/>` is present and on."""
    return node is not None and node.get(_VAL, "1") not in ("0", "false", "off")


def _integer(text: str | None, default: int = 0) -> int:
    try:
        return int((text or "")[:9])
    except ValueError:
        return default
