"""From the lines of one section to its units: lists are nested by their numbering, nothing else.

The markers alone decide: a marker that continues a list already open is the next item of that list, one that
begins a list opens a deeper one. That holds in every language, which head-words and phrases do not.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.numbering import OPENING_QUOTES, Marker
from lexlattice.reading.structure.lines import LONGEST_CONNECTOR
from lexlattice.reading.structure.lists import (
    Draft,
    Frame,
    Level,
    begun_anew,
    continues,
    current,
    deepest,
    enter,
    holds_text,
    kind_of,
    settle,
    subparagraph,
)
from lexlattice.reading.structure.quotations import is_quoted, leads_in

LONGEST_CELL: Final = 400
"""Characters of a line that may be the cell of a table."""
LONGEST_LEAD: Final = 20
"""Characters of a line that only says whether the wrong or the right wording follows."""
FARTHEST: Final = 60
"""So many lines below a marker are looked at to tell whether it is a letter or a Roman numeral."""


Quoter = Callable[[int, str, Cite | None, int], "list[Draft]"]
"""Divides the quotation that begins with a line: below which text it stands, and as its how many-th."""


def divide(
    lines: Sequence[str],
    places: Sequence[int],
    marks: Sequence[Marker | None],
    frame: Frame,
    *,
    titles: Container[int] = (),
    titled: Container[int] = (),
    quotes: Mapping[int, int] = MappingProxyType({}),
    quoter: Quoter | None = None,
) -> list[Draft]:
    """Cut the lines of a section into units.

    `places` are the lines' own numbers in the act: where they jump, furniture stands between, and no unit reaches
    over it. `marks` are the markers that lead the lines, `titles` headings whose number counts but which are no units,
    `titled` points that are headings of the texts below them and do not count as one of these.
    `quotes` are quotations by first and last line, which `quoter` divides.
    """
    following = _following(marks)
    stack = [Level(frame.path, frame.cite, texts=frame.texts)]
    drafts: list[Draft] = []
    pending: int | None = None
    leads = 0
    quoted_to = -1

    def settled(i: int) -> Marker | None:
        return _settled(stack, marks, places, quotes, i)

    for i, (line, place) in enumerate(zip(lines, places, strict=True)):
        if place <= quoted_to:
            continue
        mark = settled(i)
        if place in titles:
            if mark is not None:
                enter(stack, mark, frame)
            continue
        if mark is not None and mark.quoted and (motto := _motto(lines, places, i, mark)):
            del stack[1:]
            drafts.append(_plain(stack, _text(lines, marks, settled(following[i]), i, i - 1), place, frame))
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
            inner = quoter(place, *current(stack[-1], frame), stack[-1].quotations)
            if begin < place and inner[0].first > place:
                drafts.append(_item(stack[-1], begin, place - 1, frame))
            elif begin < place:
                inner[0].first = begin
            drafts.extend(inner)
        elif mark is not None:
            level = enter(stack, mark, frame)
            awaits = mark.end >= len(line) and i + 1 < len(lines) and places[i + 1] == place + 1
            if not awaits:
                drafts.append(_item(level, begin, place, frame))
        elif pending is not None:
            drafts.append(_item(stack[-1], begin, place, frame))
        elif drafts and adjoins and _is_tail(line, drafts[-1].kind):
            drafts[-1].last = place
        else:
            drafts.append(_plain(stack, _text(lines, marks, settled(following[i]), i, i - 1 - leads), place, frame))
            drafts[-1].first = begin
        stack[-1].leads = line[-1] == ":"
        if place in titled and not awaits:
            stack[-1].texts, stack[-1].titled = 0, True
        pending, leads = begin if awaits else None, 0
    return drafts


def _motto(lines: Sequence[str], places: Sequence[int], i: int, mark: Marker) -> int:
    """How many lines a quoted point has that nothing leads in: it stands above what follows, and in no list."""
    if i and leads_in(lines[i - 1], lines[i]):
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


def _text(lines: Sequence[str], marks: Sequence[Marker | None], upcoming: Marker | None, i: int, before: int) -> _Text:
    line, after = lines[i], i + 1 < len(lines)
    leads = line[-1] == ":" and after and marks[i + 1] is not None
    is_cell = _is_cell(line) and (
        (after and marks[i + 1] is None and _is_cell(lines[i + 1]))
        or (before >= 0 and marks[before] is None and _is_cell(lines[before]))
    )
    return _Text(upcoming, before >= 0 and lines[before][-1] == ":", leads, is_cell)


def _is_cell(line: str) -> bool:
    return len(line) <= LONGEST_CELL and line[-1] not in ".;:,"


def _item(level: Level, first: int, last: int, frame: Frame) -> Draft:
    level.texts += 1
    return Draft(first, last, level.path, kind_of(level, frame), level.number, level.cite)


def _settled(
    stack: list[Level], marks: Sequence[Marker | None], places: Sequence[int], quotes: Mapping[int, int], i: int
) -> Marker | None:
    """The marker of a line, as a letter or as a Roman numeral if it may be either."""
    mark = marks[i] if i < len(marks) else None
    if mark is None or not (mark.value and mark.roman) or mark.quoted:
        return mark
    return settle(stack, mark, _below(marks, places, quotes, i))


def _below(
    marks: Sequence[Marker | None], places: Sequence[int], quotes: Mapping[int, int], i: int
) -> Iterator[Marker]:
    """The markers below a line but for those inside quotations."""
    quoted_to = -1
    for j in range(i + 1, min(len(marks), i + FARTHEST)):
        quoted_to = max(quoted_to, quotes.get(places[j], -1))
        mark = marks[j]
        if mark is not None and places[j] > quoted_to:
            yield mark


def _following(marks: Sequence[Marker | None]) -> Sequence[int]:
    """For each line, the place of the next marker below it, or one past the end."""
    following = [len(marks)] * len(marks)
    upcoming = len(marks)
    for i in range(len(marks) - 1, -1, -1):
        following[i] = upcoming
        if marks[i] is not None:
            upcoming = i
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


def _goes_on(stack: list[Level], upcoming: Marker | None) -> bool:
    """Whether the next marker is a letter that goes on with the innermost list: short lines before it are no table."""
    return upcoming is not None and upcoming.style == "letter" and continues(stack[-1], upcoming)


def _plain(stack: list[Level], text: _Text, index: int, frame: Frame) -> Draft:
    """A text without a marker: a subparagraph of the innermost item that a later marker still continues."""
    upcoming, resumed = text.upcoming, None
    if len(stack) > 1 and text.is_cell and not frame.paragraphs and not _goes_on(stack, upcoming):
        del stack[1:]
    elif len(stack) > 1 and not text.is_led:
        keep = 0
        if upcoming is not None and not upcoming.quoted:
            keep = deepest(stack, continues, upcoming)
        if keep and text.leads and stack[keep].style not in ("dot", "multi") and not stack[keep].paragraph:
            resumed = stack[keep]
            keep -= 1
        elif not keep:
            keep = deepest(stack, holds_text, frame)
            if upcoming is not None and (anew := deepest(stack, begun_anew, upcoming)) <= keep and anew:
                keep = deepest(stack[:anew], holds_text, frame)
        del stack[keep + 1 :]
    level = stack[-1]
    level.texts += 1
    draft = Draft(index, index, level.path, kind_of(level, frame), "", level.cite)
    if level.texts > 1 or level.titled or (frame.counted and not level.style):
        draft.path, draft.cite = subparagraph(level, frame)
        draft.kind = "subparagraph"
    if resumed is not None and resumed.style != "dash":  # the list goes on, but what leads it in is new
        resumed.parent, resumed.parent_cite = current(level, frame)
        stack.append(resumed)
    return draft
