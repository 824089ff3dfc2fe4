"""From the lines of one section to its units: lists are nested by their numbering, nothing else.

The markers alone decide: a marker that continues a list already open is the next item of that list, one that
begins a list opens a deeper one. That holds in every language, which head-words and phrases do not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from lexlattice.reading.citations import Cite
from lexlattice.reading.lines import LONGEST_CONNECTOR
from lexlattice.reading.numbering import OPENING_QUOTES, Marker, canonical, letters
from lexlattice.reading.quotations import quotations

T = TypeVar("T")

DEEPEST: Final = 9
"""Lists are not nested deeper than this; a text that seems to has only lost its numbering."""
LONGEST_LEAD: Final = 20
"""Characters of a line that only says whether the wrong or the right wording follows."""


@dataclass(slots=True)
class Level:
    """An open list: where it hangs, how it counts, and how far it has come."""

    path: str
    cite: Cite | None
    style: str = ""
    value: int = 0
    number: str = ""
    parent: str = ""
    parent_cite: Cite | None = None
    paragraph: bool = False
    """Whether its items are the numbered paragraphs of an article."""
    texts: int = 0
    """Texts that stand at this level itself: its own and its further subparagraphs."""


@dataclass(slots=True)
class Draft:
    """A unit before it has a citation and a place in the source: the lines it covers, and its path."""

    first: int
    last: int
    path: str
    kind: str
    number: str
    cite: Cite | None


@dataclass(slots=True)
class Frame:
    """How a section names its parts: "art-5" holds paragraphs, "anx-I" points."""

    path: str
    cite: Cite | None
    kind: str
    """Kind of a text that stands at the section's own level."""
    paragraphs: bool = False
    """Whether numbers that come before any text ("1." or, in German, "(1)") count paragraphs, as in articles."""
    text_level: str = "unnumbered"
    """How a text without a number is cited that stands at the section's own level."""
    counted: bool = False
    """Whether texts without a number are counted from the first on (annexes), or only from the second (articles)."""
    texts: int = 0
    """How many texts have been counted already: the one that a recital's own number leads."""


def divide(
    lines: Sequence[str], places: Sequence[int], marks: Sequence[Marker | None], quotes: Container[int], frame: Frame
) -> list[Draft]:
    """Cut the lines of a section into units.

    `places` are the lines' own numbers in the act: where they jump, furniture stands between, and no unit reaches
    over it. `marks` are the markers that lead the lines. `quotes` are headers of another act that is quoted. Inside a
    quotation no list is open but its own: those from `floor` on.
    """
    following = _following(marks)
    quoted = quotations(lines)
    stack = [Level(frame.path, frame.cite, texts=frame.texts)]
    drafts: list[Draft] = []
    pending: int | None = None
    leads = 0
    floor, quoted_to = 1, -1
    for i, (line, mark, place) in enumerate(zip(lines, marks, places, strict=True)):
        begin = place - leads if pending is None else pending
        adjoins = i > 0 and places[i - 1] == place - 1
        awaits = False
        if mark is None and pending is None and not leads and _leads_quotation(line, lines, places, i):
            leads = 1
            continue
        if place in quotes:
            drafts.append(_item(_enter_quote(stack, frame, floor), begin, place, frame))
        elif mark is not None:
            level = _enter(stack, mark, frame, floor)
            awaits = mark.end >= len(line) and i + 1 < len(lines) and places[i + 1] == place + 1
            if not awaits:
                drafts.append(_item(level, begin, place, frame))
        elif pending is not None:
            drafts.append(_item(stack[-1], begin, place, frame))
        elif drafts and adjoins and _is_tail(line, drafts[-1].kind):
            drafts[-1].last = place
        else:
            before = i - 1 - leads
            drafts.append(_plain(stack, following[i], lines[before] if before >= 0 else "", place, frame, floor))
            drafts[-1].first = begin
        pending, leads = begin if awaits else None, 0
        if i in quoted:
            quoted_to = quoted[i]
            floor = len(stack) - 1 if mark is not None or place in quotes else len(stack)
        elif i == quoted_to:
            del stack[floor:]
            floor = 1
    return drafts


def _item(level: Level, first: int, last: int, frame: Frame) -> Draft:
    level.texts += 1
    return Draft(first, last, level.path, _kind(level, frame), level.number, level.cite)


def _following(marks: Sequence[Marker | None]) -> Sequence[Marker | None]:
    """For each line, the next marker below it."""
    if not any(marks):
        return marks
    following: list[Marker | None] = [None] * len(marks)
    upcoming: Marker | None = None
    for i in range(len(marks) - 1, -1, -1):
        following[i] = upcoming
        if marks[i] is not None:
            upcoming = marks[i]
    return following


def _is_tail(line: str, kind: str) -> bool:
    """Whether a line only finishes the unit before it: a stray stop or closing quote, or "and" after a point."""
    if line[0] in "—–-":
        line = line[1:].lstrip() or line
    if not line[0].isalnum():
        return line[0] in ";:,." or not any(c.isalnum() for c in line)
    if len(line) > LONGEST_CONNECTOR or kind not in ("point", "indent"):
        return False
    return line[0].islower() and not any(c.isdigit() for c in line)


def _leads_quotation(line: str, lines: Sequence[str], places: Sequence[int], i: int) -> bool:
    """Whether a line is a corrigendum's mere "for:" or "read:": it goes with the quotation below it."""
    if line[-1] != ":" or len(line) > LONGEST_LEAD or i + 1 >= len(lines) or places[i + 1] != places[i] + 1:
        return False
    return line[0].islower() and lines[i + 1][0] in OPENING_QUOTES and not any(map(str.isdigit, line))


def _continues(level: Level, mark: Marker) -> bool:
    """Whether a marker is the next item of an open list."""
    if level.style == "dash" or mark.style == "dash":
        return level.style == mark.style
    if level.style == "roman":
        return mark.roman == level.value + 1 or (mark.roman == level.value > 1 and mark.number != level.number)
    if level.style != mark.style:
        return False
    return mark.value == level.value + 1 or (mark.value == level.value and mark.number != level.number)


def _deepest(stack: list[Level], test: Callable[[Level, T], bool], what: T, floor: int) -> int:
    """The innermost open list, of those a quotation has, that passes a test; 0, where no list is, if none does."""
    for depth in range(len(stack) - 1, floor - 1, -1):
        if test(stack[depth], what):
            return depth
    return 0


def _enter(stack: list[Level], mark: Marker, frame: Frame, floor: int) -> Level:
    """Find or open the list a marker belongs to, and step to its item."""
    if mark.style == "multi":
        return _enter_multi(stack, mark, floor)
    depth = 0
    if not mark.quoted:
        depth = _deepest(stack, _continues, mark, floor)
        if not depth and mark.value != 1 and mark.roman != 1:
            depth = _deepest(stack, _skips_to, mark, floor)
    if depth:
        del stack[depth + 1 :]
        level = stack[depth]
    else:
        del stack[DEEPEST:]
        parent = stack[-1]
        style = mark.style
        if style == "letter" and mark.roman == 1 and mark.value != 1:
            style = "roman"
        path, cite = _current(parent, frame)
        level = Level("", None, style, parent=path, parent_cite=cite)
        numeric = style in ("dot", "paren") and not mark.quoted
        level.paragraph = frame.paragraphs and numeric and len(stack) == 1 and not parent.texts
        stack.append(level)
    level.texts = 0
    level.number = mark.number
    level.value = _value(level, mark)
    _name(level, mark, frame)
    return level


def _enter_multi(stack: list[Level], mark: Marker, floor: int) -> Level:
    """Decimal numbers ("2.3.1") carry their whole path; they hang below the section itself."""
    home = stack[0]
    while len(stack) > floor and stack[-1].style != "dot":
        stack.pop()
    cite = Cite(home.cite, "numeral", mark.number, mark.value)
    part = f"qpt-{mark.number}" if mark.quoted else f"pt-{mark.number}"
    level = Level(f"{home.path}.{part}", cite, "multi", mark.value, mark.number, home.path, home.cite)
    stack.append(level)
    return level


def _enter_quote(stack: list[Level], frame: Frame, floor: int) -> Level:
    """The header of a quoted article opens a level that holds its text until a marker continues an outer list."""
    depth = _deepest(stack, _is_quote, None, floor)
    if depth:
        del stack[depth + 1 :]
        level = stack[depth]
    else:
        del stack[DEEPEST:]
        path, cite = _current(stack[-1], frame)
        level = Level("", cite, "quote", parent=path, parent_cite=cite)
        stack.append(level)
    level.texts = 0
    level.value += 1
    level.path = f"{level.parent}.q-{level.value}"
    return level


def _is_quote(level: Level, _: None) -> bool:
    return level.style == "quote"


def _skips_to(level: Level, mark: Marker) -> bool:
    """A list may skip numbers (deleted points) but never goes back."""
    if level.style == "roman":
        return mark.roman > level.value and mark.roman > 1
    return level.style == mark.style and mark.style != "dash" and mark.value > level.value


def _value(level: Level, mark: Marker) -> int:
    if level.style == "dash":
        return level.value + 1
    return mark.roman if level.style == "roman" else mark.value


def _name(level: Level, mark: Marker, frame: Frame) -> None:
    """Path and citation of the list item a level now stands at."""
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


def _current(level: Level, frame: Frame) -> tuple[str, Cite | None]:
    """Path of the text at a level that a list now hangs from: its latest subparagraph, if it has several."""
    if level.texts > 1:
        return _subparagraph(level, frame)
    if level.texts == 1 and frame.counted and not level.style:
        return _subparagraph(level, frame)
    return level.path, level.cite


def _subparagraph(level: Level, frame: Frame) -> tuple[str, Cite | None]:
    name = "subparagraph" if level.style else frame.text_level
    return f"{level.path}.sub-{level.texts}", Cite(level.cite, name, str(level.texts), level.texts)


def _plain(stack: list[Level], upcoming: Marker | None, before: str, index: int, frame: Frame, floor: int) -> Draft:
    """A text without a marker: a subparagraph of the innermost item that a later marker still continues."""
    depth = len(stack) - 1
    if depth and not before.endswith(":"):
        keep = 0
        if upcoming is not None and not upcoming.quoted:
            keep = _deepest(stack, _continues, upcoming, floor)
        if not keep:
            keep = _deepest(stack, _holds_text, frame, floor)
        del stack[max(keep + 1, floor) :]
    level = stack[-1]
    level.texts += 1
    if level.texts == 1 and not (frame.counted and not level.style):
        return Draft(index, index, level.path, frame.kind if not level.style else _kind(level, frame), "", level.cite)
    path, cite = _subparagraph(level, frame)
    return Draft(index, index, path, "subparagraph", "", cite)


def _holds_text(level: Level, frame: Frame) -> bool:
    """Whether a plain text may be a further subparagraph of a list's item rather than of what the list hangs from."""
    return level.paragraph or level.style == "quote" or (not frame.paragraphs and level.style in ("dot", "multi"))


_KINDS: Final = {"dash": "indent", "quote": "quoted"}


def _kind(level: Level, frame: Frame) -> str:
    if level.style in _KINDS:
        return _KINDS[level.style]
    if not level.style:
        return frame.kind
    return "paragraph" if level.paragraph else "point"
