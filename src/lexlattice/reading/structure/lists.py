"""The stack of open lists: which of them a marker continues, and how its items are named and cited.

A marker's style and value alone decide, since they mean the same in every language. The stack's first entry is the
section itself; each further one is a list nested in an item of the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.numbering import Marker, canonical, letters, marker

T = TypeVar("T")

_NUMERIC: Final = ("dot", "paren")
"""Styles of plain numbers: "1." and "(1)"."""
_ROMAN_LIMIT: Final = 50
"""No list of Roman numerals gets this far, so (ll) and (mm) are doubled letters."""
MAX_DEPTH: Final = 9
"""Lists are not nested deeper than this; a text where they seem to be has lost its numbering."""


@dataclass(slots=True)
class OpenList:
    """An open list: its current item, its style of numbering, and the text it belongs to."""

    path: str
    """Path of the current item; of the first entry of a stack, path of the section."""
    cite: Cite | None
    style: str = ""
    """Style of the markers: "dot", "paren", "letter", "roman", "dash", "multi"; empty for the section itself."""
    value: int = 0
    """Value of the current item's number."""
    number: str = ""
    parent: str = ""
    """Path of the text that the list belongs to."""
    parent_cite: Cite | None = None
    paragraph: bool = False
    """Whether its items are the numbered paragraphs of an article."""
    texts: int = 0
    """Texts of the current item so far: its first and its further subparagraphs."""
    quotations: int = 0
    """Quotations that the current item's texts introduce."""
    is_heading: bool = False
    """Whether the item's first text is a heading, which does not count as a subparagraph."""
    leads: bool = False
    """Whether its latest text ends with a colon."""
    counted: dict[str, int] = field(default_factory=dict)
    """Of the section itself, the last number, by style, of lists that belong to it and to none of its texts."""


@dataclass(slots=True)
class ParsedUnit:
    """A unit as the parser finds it: the lines it covers, its path and how it is cited."""

    first: int
    last: int
    path: str
    kind: str
    number: str
    cite: Cite | None


@dataclass(slots=True)
class Scope:
    """How a section names its units: "art-5" has paragraphs, "anx-I" has points."""

    path: str
    cite: Cite | None
    kind: str
    """Kind of a text that is in no list."""
    paragraphs: bool = False
    """Whether numbers before any text ("1." or, in German, "(1)") are those of paragraphs, as in articles."""
    text_level: str = "unnumbered"
    """How a text without a number that is in no list is cited."""
    counted: bool = False
    """Whether texts without a number are counted from the first (annexes) or only from the second (articles)."""
    texts: int = 0
    """Texts counted already, such as the one that a recital's own number leads."""
    item: OpenList | None = None
    """The list of headings that contains the section, if any: points that continue it are siblings of the section."""


def continues(level: OpenList, mark: Marker) -> bool:
    """Whether a marker is the next item of an open list."""
    if level.style == "dash" or mark.style == "dash":  # dashes have no number
        return level.style == mark.style
    if level.style == "roman":
        return mark.roman == level.value + 1 or (mark.roman == level.value > 1 and mark.number != level.number)
    if level.paragraph and mark.style in _NUMERIC and mark.style != level.style:
        return mark.value == level.value + 1  # "(2)" after "1." is a slip: no list begins with 2
    if level.style != mark.style or _is_other_script(level, mark):
        return False
    # The same value with another number is an inserted item: (2a) after (2).
    return mark.value == level.value + 1 or (mark.value == level.value and mark.number != level.number)


def _is_other_script(level: OpenList, mark: Marker) -> bool:
    """Whether a Latin letter that may be a Roman numeral follows Greek or Cyrillic letters."""
    return mark.roman > 0 and mark.number.isascii() and not level.number.isascii()


def disambiguate(stack: list[OpenList], mark: Marker, following: Iterable[Marker]) -> Marker:
    """Decide whether a marker such as (i) or (v) is a letter or a Roman numeral.

    Whichever comes first below it decides, (ii) or (j). If neither does, the marker is returned unchanged.
    """
    due = innermost(stack, _continues_letters, mark)
    may_be_letter = due or (mark.roman == 1 and innermost(stack, _skips_to, mark))
    may_be_roman = mark.roman == 1 or innermost(stack, _continues_romans, mark)
    if not may_be_letter or not may_be_roman:
        return mark
    for near, other in enumerate(following):
        if other.style != "letter" or other.quoted:
            if other.style != "dash" and innermost(stack, continues, other):
                break
        elif other.roman == 1:  # no list of Roman numerals is nested in another one
            return mark._replace(roman=0) if due and not near else mark
        elif other.roman == mark.roman + 1:
            return mark._replace(value=0)
        elif other.value == mark.value + 1:
            return mark._replace(roman=0)
    return mark


def _continues_letters(level: OpenList, mark: Marker) -> bool:
    return level.style == "letter" and continues(level, mark)


def _continues_romans(level: OpenList, mark: Marker) -> bool:
    return level.style == "roman" and continues(level, mark)


def innermost(stack: list[OpenList], test: Callable[[OpenList, T], bool], what: T) -> int:
    """The depth of the innermost open list that passes a test; 0, the section itself, if none does."""
    for depth in range(len(stack) - 1, 0, -1):
        if test(stack[depth], what):
            return depth
    return 0


def list_of_heading(number: str, path: str, cite: Cite | None) -> OpenList | None:
    """The list that a heading such as "(c) Savings" is an item of; None if its number is no letter."""
    mark = marker(f"({number}) ")
    if mark is None or mark.style != "letter" or not mark.value:
        return None
    return OpenList("", None, mark.style, mark.value, number, path, cite)


def _continues_headings(stack: list[OpenList], mark: Marker, scope: Scope) -> bool:
    """Whether a marker continues the list of headings that the section belongs to, and no list inside it."""
    return scope.item is not None and not innermost(stack, continues, mark) and continues(scope.item, mark)


def enter_item(stack: list[OpenList], mark: Marker, scope: Scope) -> OpenList:
    """Find or open the list that a marker belongs to, and move to the item."""
    if mark.style == "multi":
        return _enter_decimal(stack, mark)
    if scope.item is not None and _continues_headings(stack, mark, scope):
        return _enter_next_heading(stack, mark, scope.item, scope)
    depth = 0
    if not mark.quoted:
        depth = innermost(stack, continues, mark)
        if not depth and mark.value != 1 and mark.roman != 1:  # a first item never continues a list with gaps
            depth = _innermost_skipping(stack, mark)
    if depth:
        del stack[depth + 1 :]  # lists inside the previous item end
        level = stack[depth]
    else:
        del stack[MAX_DEPTH:]
        parent = stack[-1]
        style = mark.style
        # (i) begins a list of Roman numerals unless it is the letter after (h), which would have continued a list.
        if style == "letter" and ((mark.roman == 1 and mark.value != 1) or _is_numeral(mark)):
            style = "roman"
        path, cite = list_parent(parent, scope)
        if _hangs_from_section(stack, mark, scope):
            path, cite = parent.path, parent.cite
        level = OpenList("", None, style, parent=path, parent_cite=cite)
        numeric = style in ("dot", "paren") and not mark.quoted
        level.paragraph = scope.paragraphs and numeric and len(stack) == 1 and not parent.texts
        stack.append(level)
    level.texts = level.quotations = 0
    level.is_heading = False
    level.number = mark.number
    level.value = _value(level, mark)
    if level.style in _NUMERIC and level.parent == stack[0].path:
        stack[0].counted[level.style] = level.value
    _name_item(level, mark, scope)
    return level


def _enter_next_heading(stack: list[OpenList], mark: Marker, item: OpenList, scope: Scope) -> OpenList:
    """Move from the item that is a heading to the next one, which replaces the section."""
    item.number, item.value = mark.number, mark.value
    _name_item(item, mark, scope)
    stack[:] = [OpenList(item.path, item.cite, number=mark.number)]
    return stack[0]


def _hangs_from_section(stack: list[OpenList], mark: Marker, scope: Scope) -> bool:
    """Whether a number "1." or "(1)" belongs to an annex itself: the text before it does not introduce it."""
    home = stack[-1]
    if len(stack) > 1 or mark.style not in _NUMERIC or scope.paragraphs or mark.quoted or home.leads:
        return False
    return mark.style not in home.counted or mark.value == home.counted[mark.style] + 1


def _enter_decimal(stack: list[OpenList], mark: Marker) -> OpenList:
    """Open a list for a decimal number ("2.3.1"), which holds its whole path and so belongs to the section itself."""
    home = stack[0]
    while len(stack) > 1 and stack[-1].style != "dot":
        stack.pop()
    cite = Cite(home.cite, "numeral", mark.number, mark.value)
    # "q" marks an item whose marker is quoted: ‘2.3.1.
    part = f"qpt-{mark.number}" if mark.quoted else f"pt-{mark.number}"
    level = OpenList(f"{home.path}.{part}", cite, "multi", mark.value, mark.number, home.path, home.cite)
    stack.append(level)
    return level


def _skips_to(level: OpenList, mark: Marker) -> bool:
    """Whether a list may skip to a marker: numbers may be missing (deleted points) but never decrease."""
    if level.style == "roman":
        return mark.roman > level.value and mark.roman > 1
    if level.style != mark.style or mark.style == "dash":
        return False
    if _is_numeral(mark) and not (_is_doubled(mark.number) and _is_doubled(level.number)):
        return False
    return mark.value > level.value


def _is_numeral(mark: Marker) -> bool:
    """Whether a marker of several letters is a Roman numeral: (ii) and (iv), but not (cc)."""
    if mark.style != "letter" or not mark.roman or len(mark.number) == 1:
        return False
    return mark.roman < _ROMAN_LIMIT or not _is_doubled(mark.number)


def _is_doubled(number: str) -> bool:
    """Whether a number is a doubled letter, as lists continue after (z): (aa), (bb)."""
    return len(number) == 2 and number[0] == number[1]


def _innermost_skipping(stack: list[OpenList], mark: Marker) -> int:
    """The depth of the innermost list that may skip to a marker.

    If the marker may be a letter or a Roman numeral, the list that skips fewest numbers.
    """
    if not (mark.value and mark.roman):
        return innermost(stack, _skips_to, mark)
    depths = [depth for depth in range(len(stack) - 1, 0, -1) if _skips_to(stack[depth], mark)]
    return min(depths, key=lambda depth: _value(stack[depth], mark) - stack[depth].value, default=0)


def _value(level: OpenList, mark: Marker) -> int:
    if level.style == "dash":
        return level.value + 1
    return mark.roman if level.style == "roman" else mark.value


def _name_item(level: OpenList, mark: Marker, scope: Scope) -> None:
    """Set path and citation of the current item of a list."""
    quoted = "q" if mark.quoted else ""
    if level.style == "dash":
        part, name = f"ind-{level.value}", "indent"
    elif level.style == "letter":
        part, name = f"pt-{letters(mark)}", "letter"
    elif level.style == "roman":
        part, name = f"pt-{mark.number.lower() if mark.number.isascii() else level.value}", "roman"
    elif level.paragraph:
        part, name = f"par-{canonical(mark.number)}", "paragraph"
    else:
        part, name = f"pt-{canonical(mark.number)}", "numeral" if level.style == "dot" else "number"
    level.path = f"{level.parent}.{quoted}{part}" if level.parent else f"{quoted}{part}"
    level.cite = Cite(level.parent_cite, name, mark.number or str(level.value), level.value)


def list_parent(level: OpenList, scope: Scope) -> tuple[str, Cite | None]:
    """Path and citation of the text that a nested list belongs to: the latest subparagraph, if there are several."""
    if level.texts > 1 or (level.texts and level.is_heading and level.leads):
        return subparagraph(level, scope)
    if level.texts == 1 and scope.counted and not level.style:
        return subparagraph(level, scope)
    return level.path, level.cite


def subparagraph(level: OpenList, scope: Scope) -> tuple[str, Cite | None]:
    """Path and citation of the latest text of an item, by its position among the item's texts."""
    name = "subparagraph" if level.style else scope.text_level
    return f"{level.path}.sub-{level.texts}", Cite(level.cite, name, str(level.texts), level.texts)


def restarts(level: OpenList, mark: Marker) -> bool:
    """Whether a number restarts an open list, so that the text before it is outside that list."""
    return level.style == mark.style == "dot" and mark.value == 1 and not level.paragraph


def keeps_text(level: OpenList, scope: Scope) -> bool:
    """Whether a text without a marker may be a subparagraph of a list's item rather than follow the list."""
    return level.paragraph or (not scope.paragraphs and level.style in ("dot", "multi"))


def unit_kind(level: OpenList, scope: Scope) -> str:
    """The kind of unit that an item of a list is, or a text of the section itself."""
    if not level.style:
        return "point" if level.number else scope.kind
    if level.style == "dash":
        return "indent"
    return "paragraph" if level.paragraph else "point"
