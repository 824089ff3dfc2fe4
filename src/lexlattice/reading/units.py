"""From the lines of one section to its units: lists are nested by their numbering, nothing else.

The markers alone decide: a marker that continues a list already open is the next item of that list, one that
begins a list opens a deeper one. That holds in every language, which head-words and phrases do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from lexlattice.reading.citations import Cite
from lexlattice.reading.lines import LONGEST_CONNECTOR
from lexlattice.reading.numbering import OPENING_QUOTES, Marker, canonical, letters
from lexlattice.reading.quotations import is_quoted

T = TypeVar("T")

DEEPEST: Final = 9
"""Lists are not nested deeper than this; a text that seems to has only lost its numbering."""
LONGEST_CELL: Final = 160
"""Characters of a line that may be the cell of a table."""
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
    quotations: int = 0
    """Quotations that its texts lead in."""
    leads: bool = False
    """Whether its latest text ends with a colon."""
    counted: int = 0
    """Of the section itself, how far the numbers "1." have come that hang from it and from none of its texts."""


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


Quoter = Callable[[int, str, Cite | None, int], "list[Draft]"]
"""Divides the quotation that begins with a line: below which text it stands, and as its how many-th."""


def divide(
    lines: Sequence[str],
    places: Sequence[int],
    marks: Sequence[Marker | None],
    frame: Frame,
    *,
    titles: Container[int] = (),
    quotes: Mapping[int, int] = MappingProxyType({}),
    quoter: Quoter | None = None,
) -> list[Draft]:
    """Cut the lines of a section into units.

    `places` are the lines' own numbers in the act: where they jump, furniture stands between, and no unit reaches
    over it. `marks` are the markers that lead the lines, `titles` headings whose number counts but which are no units.
    `quotes` are quotations by first and last line, which `quoter` divides.
    """
    following = _following(marks)
    stack = [Level(frame.path, frame.cite, texts=frame.texts)]
    drafts: list[Draft] = []
    pending: int | None = None
    leads = 0
    quoted_to = -1
    for i, (line, mark, place) in enumerate(zip(lines, marks, places, strict=True)):
        if place <= quoted_to:
            continue
        if place in titles:
            if mark is not None:
                _enter(stack, mark, frame)
            continue
        if mark is not None and mark.quoted and (motto := _motto(lines, places, i, mark)):
            del stack[1:]
            drafts.append(_plain(stack, _text(lines, marks, following, i, i - 1), place, frame))
            drafts[-1].last = quoted_to = place + motto - 1
            continue
        begin = place - leads if pending is None else pending
        adjoins = i > 0 and places[i - 1] == place - 1
        awaits = False
        if mark is None and pending is None and not leads and _leads_quotation(line, lines, places, i):
            leads = 1
            continue
        if place in quotes and quoter is not None:
            quoted_to = quotes[place]
            stack[-1].quotations += 1
            inner = quoter(place, *_current(stack[-1], frame), stack[-1].quotations)
            if begin < place and inner[0].first > place:
                drafts.append(_item(stack[-1], begin, place - 1, frame))
            elif begin < place:
                inner[0].first = begin
            drafts.extend(inner)
        elif mark is not None:
            level = _enter(stack, mark, frame)
            awaits = mark.end >= len(line) and i + 1 < len(lines) and places[i + 1] == place + 1
            if not awaits:
                drafts.append(_item(level, begin, place, frame))
        elif pending is not None:
            drafts.append(_item(stack[-1], begin, place, frame))
        elif drafts and adjoins and _is_tail(line, drafts[-1].kind):
            drafts[-1].last = place
        else:
            drafts.append(_plain(stack, _text(lines, marks, following, i, i - 1 - leads), place, frame))
            drafts[-1].first = begin
        stack[-1].leads = line[-1] == ":"
        pending, leads = begin if awaits else None, 0
    return drafts


def _motto(lines: Sequence[str], places: Sequence[int], i: int, mark: Marker) -> int:
    """How many lines a quoted point has that nothing leads in: it stands above what follows, and in no list."""
    if i and lines[i - 1][-1] == ":":
        return 0
    if mark.end < len(lines[i]):
        return int(is_quoted(lines[i]))
    follows = i + 1 < len(lines) and places[i + 1] == places[i] + 1
    return 2 if follows and is_quoted(f"{lines[i]} {lines[i + 1]}") else 0


class _Text(NamedTuple):
    """What there is to know of a line without a marker."""

    upcoming: Marker | None
    """The next marker below it."""
    is_led: bool
    """Whether the line before it ends with a colon."""
    leads: bool
    """Whether it ends with a colon itself, just before a marker."""
    is_cell: bool
    """Whether it and a neighbour are so short, and no sentences, that they are cells of a table."""


def _text(
    lines: Sequence[str], marks: Sequence[Marker | None], following: Sequence[Marker | None], i: int, before: int
) -> _Text:
    line, after = lines[i], i + 1 < len(lines)
    leads = line[-1] == ":" and after and marks[i + 1] is not None
    is_cell = _is_cell(line) and (
        (after and marks[i + 1] is None and _is_cell(lines[i + 1]))
        or (before >= 0 and marks[before] is None and _is_cell(lines[before]))
    )
    return _Text(following[i], before >= 0 and lines[before][-1] == ":", leads, is_cell)


def _is_cell(line: str) -> bool:
    return len(line) <= LONGEST_CELL and line[-1] not in ".;:,"


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


def _deepest(stack: list[Level], test: Callable[[Level, T], bool], what: T) -> int:
    """The innermost open list that passes a test; 0, where no list is, if none does."""
    for depth in range(len(stack) - 1, 0, -1):
        if test(stack[depth], what):
            return depth
    return 0


def _enter(stack: list[Level], mark: Marker, frame: Frame) -> Level:
    """Find or open the list a marker belongs to, and step to its item."""
    if mark.style == "multi":
        return _enter_multi(stack, mark)
    depth = 0
    if not mark.quoted:
        depth = _deepest(stack, _continues, mark)
        if not depth and mark.value != 1 and mark.roman != 1:
            depth = _deepest(stack, _skips_to, mark)
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
        if _stands_alone(stack, mark, frame):
            path, cite = parent.path, parent.cite
        level = Level("", None, style, parent=path, parent_cite=cite)
        numeric = style in ("dot", "paren") and not mark.quoted
        level.paragraph = frame.paragraphs and numeric and len(stack) == 1 and not parent.texts
        stack.append(level)
    level.texts = level.quotations = 0
    level.number = mark.number
    level.value = _value(level, mark)
    if level.style == "dot" and level.parent == stack[0].path:
        stack[0].counted = level.value
    _name(level, mark, frame)
    return level


def _stands_alone(stack: list[Level], mark: Marker, frame: Frame) -> bool:
    """Whether a number "1." hangs from an annex itself, not from the text before it, which does not lead it in."""
    home = stack[-1]
    if len(stack) > 1 or mark.style != "dot" or frame.paragraphs or mark.quoted or home.leads:
        return False
    return mark.value == home.counted + 1 or not home.counted


def _enter_multi(stack: list[Level], mark: Marker) -> Level:
    """Decimal numbers ("2.3.1") carry their whole path; they hang below the section itself."""
    home = stack[0]
    while len(stack) > 1 and stack[-1].style != "dot":
        stack.pop()
    cite = Cite(home.cite, "numeral", mark.number, mark.value)
    part = f"qpt-{mark.number}" if mark.quoted else f"pt-{mark.number}"
    level = Level(f"{home.path}.{part}", cite, "multi", mark.value, mark.number, home.path, home.cite)
    stack.append(level)
    return level


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


def _plain(stack: list[Level], text: _Text, index: int, frame: Frame) -> Draft:
    """A text without a marker: a subparagraph of the innermost item that a later marker still continues."""
    upcoming, resumed = text.upcoming, None
    if len(stack) > 1 and text.is_cell and not frame.paragraphs:
        del stack[1:]
    elif len(stack) > 1 and not text.is_led:
        keep = 0
        if upcoming is not None and not upcoming.quoted:
            keep = _deepest(stack, _continues, upcoming)
        if keep and text.leads and stack[keep].style not in ("dot", "multi") and not stack[keep].paragraph:
            resumed = stack[keep]
            keep -= 1
        elif not keep:
            keep = _deepest(stack, _holds_text, frame)
            if upcoming is not None and (anew := _deepest(stack, _begun_anew, upcoming)) <= keep and anew:
                keep = _deepest(stack[:anew], _holds_text, frame)
        del stack[keep + 1 :]
    level = stack[-1]
    level.texts += 1
    draft = Draft(index, index, level.path, _kind(level, frame), "", level.cite)
    if level.texts > 1 or (frame.counted and not level.style):
        draft.path, draft.cite = _subparagraph(level, frame)
        draft.kind = "subparagraph"
    if resumed is not None and resumed.style != "dash":  # the list goes on, but what leads it in is new
        resumed.parent, resumed.parent_cite = _current(level, frame)
        stack.append(resumed)
    return draft


def _begun_anew(level: Level, mark: Marker) -> bool:
    """Whether a number begins again the count of a list that is open: what leads to it stands outside of that list."""
    return level.style == mark.style == "dot" and mark.value == 1 and not level.paragraph


def _holds_text(level: Level, frame: Frame) -> bool:
    """Whether a plain text may be a further subparagraph of a list's item rather than of what the list hangs from."""
    return level.paragraph or (not frame.paragraphs and level.style in ("dot", "multi"))


def _kind(level: Level, frame: Frame) -> str:
    if not level.style:
        return frame.kind
    if level.style == "dash":
        return "indent"
    return "paragraph" if level.paragraph else "point"


_SENTENCE_END: Final = re.compile(r"[.!?…][»”’\")]*\s+(?=[«„“‘\"'(]*[^\W\d_a-zа-яα-ω])")


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a text, in any of the three scripts.

    Abbreviations and ordinals end in a full stop too, so a stop after a number of one or two digits or after a
    word of at most three letters ends nothing: a division missed is harmless, a wrong one is not.

    >>> text = "See Art. 5 of Reg. No 3. The Commission acts. On 1. Januar it ends."
    >>> [text[a:b] for a, b in sentences(text)]
    ['See Art. 5 of Reg. No 3. The Commission acts.', 'On 1. Januar it ends.']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        stop = match.start() + 1
        core = text[max(start, stop - 8) : stop].rstrip(".!?…").rpartition(" ")[2].lstrip("(«„“‘")
        if len(core) <= 3 and not (core.isdigit() and len(core) > 2):
            continue
        if not any(map(str.isalpha, text[start:stop])):
            continue  # a mere number: "7.2.1."
        if not text[match.end()].isupper() and text[match.end()] not in "«„“‘\"'(":
            continue
        spans.append((start, match.start() + len(match.group().rstrip())))
        start = match.end()
    spans.append((start, len(text)))
    return spans
