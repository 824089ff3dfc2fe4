"""Nest lines by their numbering: each line is an item of a list or a text between lists.

Only the markers decide, since they mean the same in every language: a marker that continues an open list is its next
item, and one that begins a list opens a deeper one. Lists themselves are in `lists`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.numbering import OPENING_QUOTES, Marker
from lexlattice.reading.structure.lists import (
    OpenList,
    ParsedUnit,
    Scope,
    continues,
    disambiguate,
    enter_item,
    innermost,
    keeps_text,
    list_parent,
    restarts,
    subparagraph,
    unit_kind,
)
from lexlattice.reading.structure.quotations import introduces_quotation, is_quoted
from lexlattice.reading.structure.typography import LONGEST_CONNECTOR

LONGEST_CELL: Final = 400
"""Characters of a line that may be a table cell."""
LONGEST_LEAD: Final = 20
"""Characters of a corrigendum's "for:" or "read:"."""
LOOKAHEAD: Final = 60
"""Lines below a marker that are searched to tell whether it is a letter or a Roman numeral."""


QuotationDivider = Callable[[int, str, Cite | None, int], "list[ParsedUnit]"]
"""Divides the quotation that begins at a line, given path and citation of its instruction and a count from 1."""


def nest_by_numbering(
    lines: Sequence[str],
    places: Sequence[int],
    marks: Sequence[Marker | None],
    scope: Scope,
    *,
    headings: Container[int] = (),
    heading_points: Container[int] = (),
    quotations: Mapping[int, int] = MappingProxyType({}),
    divide_quotation: QuotationDivider | None = None,
) -> list[ParsedUnit]:
    """Cut lines that share one numbering into units.

    Args:
        lines: The lines.
        places: Their numbers in the act. Where these jump, there is furniture between, and units end.
        marks: The markers that lead them.
        scope: How the section names its units.
        headings: Headings (by place): no units, but their numbers count.
        heading_points: Points (by place) that are headings of the texts below them.
        quotations: First and last place of each quotation.
        divide_quotation: What divides a quotation into units.

    """
    following = _next_markers(marks)
    stack = [OpenList(scope.path, scope.cite, texts=scope.texts)]
    units: list[ParsedUnit] = []
    pending: int | None = None  # first line of a unit whose marker is alone on its line: its text is still to come
    leads = 0  # lines of a "for:" or "read:" that the next unit begins with
    quoted_to = -1

    def unambiguous(i: int) -> Marker | None:
        return _unambiguous(stack, marks, places, quotations, i)

    for i, (line, place) in enumerate(zip(lines, places, strict=True)):
        if place <= quoted_to:
            continue
        mark = unambiguous(i)  # depends on the open lists, so it cannot be computed beforehand
        if place in headings:  # its number counts, so that the next point continues the list
            if mark is not None:
                enter_item(stack, mark, scope)
            continue
        if mark is not None and mark.quoted and (standalone := _standalone_quotation(lines, places, i, mark)):
            del stack[1:]
            text = _text_around(lines, marks, unambiguous(following[i]), i, i - 1)
            units.append(_plain_text(stack, text, place, scope))
            units[-1].last = quoted_to = place + standalone - 1
            continue
        begin = place - leads if pending is None else pending
        adjoins = i > 0 and places[i - 1] == place - 1
        awaits = False
        if mark is None and pending is None and not leads and _leads_quotation(line, lines, places, i):
            leads = 1
            continue
        if place in quotations and divide_quotation is not None:
            quoted_to = quotations[place]
            stack[-1].quotations += 1
            inner = divide_quotation(place, *list_parent(stack[-1], scope), stack[-1].quotations)
            # A "for:" above the quotation is part of its first unit, unless a heading is between them.
            if begin < place and inner[0].first > place:
                units.append(_list_item(stack[-1], begin, place - 1, scope))
            elif begin < place:
                inner[0].first = begin
            units.extend(inner)
        elif mark is not None:
            level = enter_item(stack, mark, scope)
            awaits = mark.end >= len(line) and i + 1 < len(lines) and places[i + 1] == place + 1
            if not awaits:
                units.append(_list_item(level, begin, place, scope))
        elif pending is not None:
            units.append(_list_item(stack[-1], begin, place, scope))
        elif units and adjoins and _is_tail(line, units[-1].kind):
            units[-1].last = place
        else:
            text = _text_around(lines, marks, unambiguous(following[i]), i, i - 1 - leads)
            units.append(_plain_text(stack, text, place, scope))
            units[-1].first = begin
        stack[-1].leads = line[-1] == ":"
        if place in heading_points and not awaits:
            stack[-1].texts, stack[-1].is_heading = 0, True
        pending, leads = begin if awaits else None, 0
    return units


def _standalone_quotation(lines: Sequence[str], places: Sequence[int], i: int, mark: Marker) -> int:
    """The number of lines of a quoted point that nothing introduces and that is in no list; 0 if it is not one."""
    if i and introduces_quotation(lines[i - 1], lines[i]):
        return 0
    if mark.end < len(lines[i]):
        return int(is_quoted(lines[i]))
    follows = i + 1 < len(lines) and places[i + 1] == places[i] + 1
    return 2 if follows and is_quoted(f"{lines[i]} {lines[i + 1]}") else 0


class _Text(NamedTuple):
    """What surrounds a line without a marker."""

    upcoming: Marker | None
    """The next marker below it."""
    is_led: bool
    """Whether the line before it ends with a colon."""
    leads: bool
    """Whether it ends with a colon itself, just before a marker."""
    is_cell: bool
    """Whether it and a neighbour are short and no sentences, like table cells."""


def _text_around(
    lines: Sequence[str], marks: Sequence[Marker | None], upcoming: Marker | None, i: int, before: int
) -> _Text:
    line, after = lines[i], i + 1 < len(lines)
    leads = line[-1] == ":" and after and marks[i + 1] is not None
    is_cell = _is_cell(line) and (
        (after and marks[i + 1] is None and _is_cell(lines[i + 1]))
        or (before >= 0 and marks[before] is None and _is_cell(lines[before]))
    )
    return _Text(upcoming, before >= 0 and lines[before][-1] == ":", leads, is_cell)


def _is_cell(line: str) -> bool:
    return len(line) <= LONGEST_CELL and line[-1] not in ".;:,"


def _list_item(level: OpenList, first: int, last: int, scope: Scope) -> ParsedUnit:
    level.texts += 1
    return ParsedUnit(first, last, level.path, unit_kind(level, scope), level.number, level.cite)


def _unambiguous(
    stack: list[OpenList], marks: Sequence[Marker | None], places: Sequence[int], quotations: Mapping[int, int], i: int
) -> Marker | None:
    """The marker of a line, decided if it may be a letter or a Roman numeral."""
    mark = marks[i] if i < len(marks) else None
    if mark is None or not (mark.value and mark.roman) or mark.quoted:
        return mark
    return disambiguate(stack, mark, _markers_below(marks, places, quotations, i))


def _markers_below(
    marks: Sequence[Marker | None], places: Sequence[int], quotations: Mapping[int, int], i: int
) -> Iterator[Marker]:
    """The markers below a line that are outside quotations."""
    quoted_to = -1
    for j in range(i + 1, min(len(marks), i + LOOKAHEAD)):
        quoted_to = max(quoted_to, quotations.get(places[j], -1))
        mark = marks[j]
        if mark is not None and places[j] > quoted_to:
            yield mark


def _next_markers(marks: Sequence[Marker | None]) -> Sequence[int]:
    """For each line, the index of the next marker below it, or one past the end."""
    following = [len(marks)] * len(marks)
    upcoming = len(marks)
    for i in range(len(marks) - 1, -1, -1):
        following[i] = upcoming
        if marks[i] is not None:
            upcoming = i
    return following


def _is_tail(line: str, kind: str) -> bool:
    """Whether a line only completes the unit before it: a stray stop or closing quote, or "and" after a point."""
    if line[0] in "—–-":
        line = line[1:].lstrip() or line
    if not line[0].isalnum():
        return line[0] in ";:,." or not any(c.isalnum() for c in line)
    if len(line) > LONGEST_CONNECTOR or kind not in ("point", "indent"):
        return False
    return line[0].islower() and not any(c.isdigit() for c in line)


def _leads_quotation(line: str, lines: Sequence[str], places: Sequence[int], i: int) -> bool:
    """Whether a line is a corrigendum's "for:" or "read:", which belongs to the quotation below it."""
    if line[-1] != ":" or len(line) > LONGEST_LEAD or i + 1 >= len(lines) or places[i + 1] != places[i] + 1:
        return False
    return line[0].islower() and lines[i + 1][0] in OPENING_QUOTES and not any(map(str.isdigit, line))


def _continues_letters(stack: list[OpenList], upcoming: Marker | None) -> bool:
    """Whether the next marker is a letter of the innermost list, so that short lines before it are no table."""
    return upcoming is not None and upcoming.style == "letter" and continues(stack[-1], upcoming)


def _plain_text(stack: list[OpenList], text: _Text, index: int, scope: Scope) -> ParsedUnit:
    """A text without a marker: a subparagraph of the innermost item whose list a later marker continues."""
    upcoming, resumed = text.upcoming, None
    if len(stack) > 1 and text.is_cell and not scope.paragraphs and not _continues_letters(stack, upcoming):
        del stack[1:]
    elif len(stack) > 1 and not text.is_led:
        # Close the lists that the text is not in: keep those up to the one that the next marker continues.
        keep = 0
        if upcoming is not None and not upcoming.quoted:
            keep = innermost(stack, continues, upcoming)
        if keep and text.leads and stack[keep].style not in ("dot", "multi") and not stack[keep].paragraph:
            resumed = stack[keep]
            keep -= 1
        elif not keep:
            keep = innermost(stack, keeps_text, scope)
            if upcoming is not None and (restarted := innermost(stack, restarts, upcoming)) <= keep and restarted:
                keep = innermost(stack[:restarted], keeps_text, scope)
        del stack[keep + 1 :]
    level = stack[-1]
    level.texts += 1
    unit = ParsedUnit(index, index, level.path, unit_kind(level, scope), "", level.cite)
    if level.texts > 1 or level.is_heading or (scope.counted and not level.style):
        unit.path, unit.cite = subparagraph(level, scope)
        unit.kind = "subparagraph"
    if resumed is not None and resumed.style != "dash":  # the list continues below a new text that introduces it
        resumed.parent, resumed.parent_cite = list_parent(level, scope)
        stack.append(resumed)
    return unit
