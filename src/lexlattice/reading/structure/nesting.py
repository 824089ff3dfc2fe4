"""Nest lines by their numbering: each line is an item of a list or a text between lists.

Only the markers decide, since they mean the same in every language: a marker that continues an open list is its next
item, and one that begins a list opens a deeper one. Lists themselves are in `lists`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

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
    return _Nester(lines, places, marks, scope, quotations).nest(headings, heading_points, divide_quotation)


class _Nester:
    """Nests the lines of one numbering: the open lists, and the units found so far."""

    def __init__(
        self,
        lines: Sequence[str],
        places: Sequence[int],
        marks: Sequence[Marker | None],
        scope: Scope,
        quotations: Mapping[int, int],
    ) -> None:
        self.lines, self.places, self.marks, self.scope, self.quotations = lines, places, marks, scope, quotations
        self.next_markers = _next_markers(marks)
        self.stack = [OpenList(scope.path, scope.cite, texts=scope.texts)]
        self.units: list[ParsedUnit] = []

    def nest(
        self,
        headings: Container[int],
        heading_points: Container[int],
        divide_quotation: QuotationDivider | None,
    ) -> list[ParsedUnit]:
        """Assign each line to a unit, in one pass."""
        lines, places, scope, stack, units = self.lines, self.places, self.scope, self.stack, self.units
        pending: int | None = None  # first line of a unit whose marker is alone on its line: its text is still to come
        leads = 0  # lines of a "for:" or "read:" that the next unit begins with
        quoted_to = -1
        for i, (line, place) in enumerate(zip(lines, places, strict=True)):
            if place <= quoted_to:
                continue
            mark = self._marker(i)
            if place in headings:  # its number counts, so that the next point continues the list
                if mark is not None:
                    enter_item(stack, mark, scope)
                continue
            if mark is not None and mark.quoted and (standalone := self._standalone_quotation(i, mark)):
                if pending is not None:  # the number of an item without a text
                    self._add_item(pending, place - 1)
                    pending = None
                del stack[1:]
                self._add_text(i, place, i - 1)
                units[-1].last = quoted_to = place + standalone - 1
                continue
            if mark is None and pending is None and not leads and self._leads_quotation(i):
                leads = 1
                continue
            begin = place - leads if pending is None else pending
            awaits_text = False
            if place in self.quotations and divide_quotation is not None:
                quoted_to = self.quotations[place]
                stack[-1].quotations += 1
                inner = divide_quotation(place, *list_parent(stack[-1], scope), stack[-1].quotations)
                # A "for:" above the quotation is part of its first unit, unless a heading is between them.
                if begin < place and inner[0].first > place:
                    self._add_item(begin, place - 1)
                elif begin < place:
                    inner[0].first = begin
                units.extend(inner)
            elif mark is not None:
                enter_item(stack, mark, scope)
                awaits_text = mark.end >= len(line) and self._adjoins_next(i)
                if not awaits_text:
                    self._add_item(begin, place)
            elif pending is not None:
                self._add_item(begin, place)
            elif units and i and self._adjoins_next(i - 1) and _is_tail(line, units[-1].kind):
                units[-1].last = place
            else:
                self._add_text(i, begin, i - 1 - leads)
                units[-1].last = place
            stack[-1].leads = line[-1] == ":"
            if place in heading_points and not awaits_text:
                stack[-1].texts, stack[-1].is_heading = 0, True
            pending, leads = begin if awaits_text else None, 0
        return units

    def _marker(self, i: int) -> Marker | None:
        """The marker of a line; the open lists decide whether it is a letter or a Roman numeral if it may be either."""
        mark = self.marks[i] if i < len(self.marks) else None
        if mark is None or not (mark.value and mark.roman) or mark.quoted:
            return mark
        return disambiguate(self.stack, mark, self._markers_below(i))

    def _markers_below(self, i: int) -> Iterator[Marker]:
        """The markers below a line that are outside quotations."""
        quoted_to = -1
        for j in range(i + 1, min(len(self.marks), i + LOOKAHEAD)):
            place, mark = self.places[j], self.marks[j]
            quoted_to = max(quoted_to, self.quotations.get(place, -1))
            if mark is not None and place > quoted_to:
                yield mark

    def _adjoins_next(self, i: int) -> bool:
        """Whether there is a next line, and nothing between it and this one."""
        return i + 1 < len(self.places) and self.places[i + 1] == self.places[i] + 1

    def _standalone_quotation(self, i: int, mark: Marker) -> int:
        """The number of lines of a quoted point that nothing introduces and that is in no list; 0 if it is not one."""
        line = self.lines[i]
        if i and introduces_quotation(self.lines[i - 1], line):
            return 0
        if mark.end < len(line):
            return int(is_quoted(line))
        return 2 if self._adjoins_next(i) and is_quoted(f"{line} {self.lines[i + 1]}") else 0

    def _leads_quotation(self, i: int) -> bool:
        """Whether a line is a corrigendum's "for:" or "read:", which belongs to the quotation below it."""
        line = self.lines[i]
        if line[-1] != ":" or len(line) > LONGEST_LEAD or not self._adjoins_next(i):
            return False
        return line[0].islower() and self.lines[i + 1][0] in OPENING_QUOTES and not any(map(str.isdigit, line))

    def _add_item(self, first: int, last: int) -> None:
        """Add the text of the current item of the innermost list."""
        level = self.stack[-1]
        level.texts += 1
        kind = unit_kind(level, self.scope)
        self.units.append(ParsedUnit(first, last, level.path, kind, level.number, level.cite))

    def _add_text(self, i: int, place: int, before: int) -> None:
        """Add a text without a marker: a subparagraph of the innermost item whose list a later marker continues.

        Args:
            i: The index of its line.
            place: The place that it begins at.
            before: The index of the line before it, negative if there is none.

        """
        stack, scope = self.stack, self.scope
        upcoming, resumed = self._marker(self.next_markers[i]), None
        if (
            len(stack) > 1
            and not scope.paragraphs
            and self._is_cell(i, before)
            and not self._continues_letters(upcoming)
        ):
            del stack[1:]
        elif len(stack) > 1 and not (before >= 0 and self.lines[before][-1] == ":"):
            # Close the lists that the text is not in: keep those up to the one that the next marker continues.
            keep = 0
            if upcoming is not None and not upcoming.quoted:
                keep = innermost(stack, continues, upcoming)
            if keep and self._leads_list(i) and stack[keep].style not in ("dot", "multi") and not stack[keep].paragraph:
                resumed = stack[keep]
                keep -= 1
            elif not keep:
                keep = innermost(stack, keeps_text, scope)
                if upcoming is not None and (restarted := innermost(stack, restarts, upcoming)) <= keep and restarted:
                    keep = innermost(stack[:restarted], keeps_text, scope)
            del stack[keep + 1 :]
        level = stack[-1]
        level.texts += 1
        unit = ParsedUnit(place, place, level.path, unit_kind(level, scope), "", level.cite)
        if level.texts > 1 or level.is_heading or (scope.counted and not level.style):
            unit.path, unit.cite = subparagraph(level, scope)
            unit.kind = "subparagraph"
        if resumed is not None and resumed.style != "dash":  # the list continues below a new text that introduces it
            resumed.parent, resumed.parent_cite = list_parent(level, scope)
            stack.append(resumed)
        self.units.append(unit)

    def _leads_list(self, i: int) -> bool:
        """Whether a line ends with a colon, just before a marker."""
        return self.lines[i][-1] == ":" and i + 1 < len(self.lines) and self.marks[i + 1] is not None

    def _is_cell(self, i: int, before: int) -> bool:
        """Whether a line and a neighbour without a marker are short and no sentences, like table cells."""
        lines, marks = self.lines, self.marks
        if not _is_short(lines[i]):
            return False
        if i + 1 < len(lines) and marks[i + 1] is None and _is_short(lines[i + 1]):
            return True
        return before >= 0 and marks[before] is None and _is_short(lines[before])

    def _continues_letters(self, upcoming: Marker | None) -> bool:
        """Whether the next marker is a letter of the innermost list, so that short lines before it are no table."""
        return upcoming is not None and upcoming.style == "letter" and continues(self.stack[-1], upcoming)


def _next_markers(marks: Sequence[Marker | None]) -> Sequence[int]:
    """For each line, the index of the next marker below it, or one past the end."""
    following = [len(marks)] * len(marks)
    upcoming = len(marks)
    for i in range(len(marks) - 1, -1, -1):
        following[i] = upcoming
        if marks[i] is not None:
            upcoming = i
    return following


def _is_short(line: str) -> bool:
    """Whether a line is short and no sentence."""
    return len(line) <= LONGEST_CELL and line[-1] not in ".;:,"


def _is_tail(line: str, kind: str) -> bool:
    """Whether a line only completes the unit before it: a stray stop or closing quote, or "and" after a point."""
    if line[0] in "—–-":
        line = line[1:].lstrip() or line
    if not line[0].isalnum():
        return line[0] in ";:,." or not any(c.isalnum() for c in line)
    if len(line) > LONGEST_CONNECTOR or kind not in ("point", "indent"):
        return False
    return line[0].islower() and not any(c.isdigit() for c in line)
