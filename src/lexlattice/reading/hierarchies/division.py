"""Divide a row into units by the marks of its hierarchy: paragraphs, points, text without a number, quotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.hierarchies.definition import Hierarchy
from lexlattice.reading.hierarchies.numbering import NUMBER, Marked, marks_at
from lexlattice.reading.languages.grammar import Grammar
from lexlattice.reading.structure.lists import ParsedUnit

_LONGEST_WRAPPED: Final = 120
"""Characters; where lines are broken at a fixed width, nearly all are shorter."""
_LONG_LINES: Final = 0.05
"""Share of lines that may be longer."""
_BROKEN: Final = 0.2
"""Share of lines that must go on in lower case on the next one, for lines to be broken at a fixed width."""
_SHORTEST_BROKEN: Final = 40
"""Characters; a shorter line was ended on purpose."""


def is_wrapped(lines: Sequence[str]) -> bool:
    """Whether lines are broken at a fixed width, so that one without a mark continues the one before."""
    if sum(len(line) > _LONGEST_WRAPPED for line in lines) > _LONG_LINES * len(lines):
        return False
    broken = sum(
        len(line) > _SHORTEST_BROKEN and line[-1] not in ".;:" and below[0].islower() for line, below in pairwise(lines)
    )
    return broken > _BROKEN * len(lines)


@dataclass(frozen=True, slots=True)
class Style:
    """What all rows of a document have in common."""

    hierarchy: Hierarchy
    grammar: Grammar
    is_wrapped: bool
    """Whether lines are broken at a fixed width."""
    is_fine: bool
    """Whether units go down to the innermost marks; else they are the items of the outermost list."""


@dataclass(slots=True)
class _Item:
    """An open item of a list, or the row or quotation itself."""

    path: str
    cite: str
    level: int = -1
    value: int = 0
    texts: int = 0
    """Texts without a mark that it has so far, its own included."""


@dataclass(slots=True)
class _Scope:
    """A row or a quotation: its lists are its own."""

    root: _Item
    is_quoted: bool = False
    open: list[_Item] = field(default_factory=list)
    """The open items, outermost first."""


class RowDivider:
    """Divides one row, line by line."""

    def __init__(self, style: Style, path: str, citation: str) -> None:
        """Begin a row.

        Args:
            style: What all rows of the document have in common.
            path: What the ids of its units begin with.
            citation: How the row is cited; empty for text that belongs to no row.

        """
        self._style, self._marks = style, style.hierarchy.marks
        self._row = _Scope(_Item(path, citation))
        self._quotation: _Scope | None = None
        self._quotations: Counter[str] = Counter()
        self._host = self._row.root
        """What a quotation belongs to: the latest item or text outside quotations."""
        self._later: dict[tuple[int, int], int] = {}
        self.units: list[ParsedUnit] = []
        self.cited: dict[str, str] = {path: citation} if citation else {}
        """The citation of everything that has a number."""

    def divide(self, numbers: Sequence[int], lines: Sequence[str], breaks: Container[int]) -> list[ParsedUnit]:
        """Return the units of a row.

        Args:
            numbers: Which lines belong to it.
            lines: All lines of the document.
            breaks: Lines that continue nothing, because a heading stands before them.

        """
        if self._style.is_wrapped:
            for i in numbers:
                for found in marks_at(lines[i], 0, self._marks):
                    self._later[found.level, found.value] = i
        for before, i in pairwise((-1, *numbers)):
            is_break = before != i - 1 or i in breaks
            self._add(i, lines[i], "" if is_break else lines[before])
        return self.units

    def _add(self, i: int, line: str, before: str) -> None:
        """Add a line; `before` is the one that it may continue, if any."""
        quote = next(filter(line.startswith, self._style.hierarchy.quotes), "")
        start = len(line) - len(line[len(quote) :].lstrip())
        scope = self._enter(is_quoted=start > 0)
        can_extend = bool(self.units and before)
        if can_extend and self._is_reference(scope, marks_at(line, start, self._marks), before):
            self.units[-1].last = i
            return
        items, is_outermost = self._open_items(scope, line, start, i)
        if not items:
            if can_extend and (self._style.is_wrapped or not self._style.is_fine):
                self.units[-1].last = i
            else:
                self._add_text(scope, i)
            return
        if not self._style.is_fine and not is_outermost and can_extend:
            self.units[-1].last = i
            return
        item, mark = items[-1] if self._style.is_fine else items[0]
        kind = "indent" if self._marks[mark.level].is_dash else "paragraph" if mark.level == 0 else "point"
        self._append(i, item.path, kind, mark.number, item.cite)
        item.texts += 1
        if not scope.is_quoted:
            self._host = item

    def _is_reference(self, scope: _Scope, readings: Sequence[Marked], before: str) -> bool:
        """Whether what looks like a mark goes on with a sentence that was broken off: "as paragraphs / (1) and (2)"."""
        if not readings or not before[-1].isalnum() or self._continued(scope, readings) is not None:
            return False
        levels = {item.level for item in scope.open}
        return all(mark.value > 1 or (mark.value == 1 and mark.level in levels) for mark in readings)

    def _enter(self, *, is_quoted: bool) -> _Scope:
        """The row, or the quotation that a line continues or begins."""
        if not is_quoted:
            self._quotation = None
            return self._row
        if self._quotation is None:
            host = self._host
            self._quotations[host.path] += 1
            quoted = Cite(Cite(None, "division", host.cite), "quoted") if host.cite else Cite(None, "quoted")
            citation = cite(quoted, self._style.grammar)
            self._quotation = _Scope(_Item(f"{host.path}.q-{self._quotations[host.path]}", f"{citation} "), True)
        return self._quotation

    def _open_items(self, scope: _Scope, line: str, start: int, i: int) -> tuple[list[tuple[_Item, Marked]], bool]:
        """Open the items whose marks a line begins with, and say whether the first of them is in no other."""
        items: list[tuple[_Item, Marked]] = []
        is_outermost = False
        for _ in self._marks:  # each has one at most, since they are nested
            mark = self._choose(scope, marks_at(line, start, self._marks), i, is_first=not items)
            if mark is None:
                break
            item = self._open_item(scope, mark)
            if not items:
                is_outermost = len(scope.open) == 1
            items.append((item, mark))
            start = mark.end
        return items, is_outermost

    def _choose(self, scope: _Scope, readings: Sequence[Marked], i: int, *, is_first: bool) -> Marked | None:
        """The reading that continues an open list, the innermost first; else that of the earliest number."""
        if (continued := self._continued(scope, readings)) is not None:
            return continued
        if self._style.is_wrapped and is_first:
            # A line may begin with the day of a date, so a list needs a second item: "vom / 1. Januar 1994".
            readings = [m for m in readings if not m.value or self._later.get((m.level, m.value + 1), -1) > i]
        return min(readings, key=lambda mark: (mark.value, mark.level), default=None)

    def _continued(self, scope: _Scope, readings: Sequence[Marked]) -> Marked | None:
        pairs = ((item, mark) for item in reversed(scope.open) for mark in readings)
        return next((m for item, m in pairs if (m.level, m.value) == (item.level, item.value + 1)), None)

    def _open_item(self, scope: _Scope, mark: Marked) -> _Item:
        form, value = self._marks[mark.level], mark.value
        while scope.open and scope.open[-1].level >= mark.level:
            closed = scope.open.pop()
            if form.is_dash and closed.level == mark.level:
                value = closed.value + 1
        if form.is_dash:
            value = max(value, 1)
        number = mark.number or str(value)
        parent = scope.open[-1] if scope.open else scope.root
        step = "ind" if form.is_dash else "par" if mark.level == 0 else "pt"
        item = _Item(
            f"{parent.path}.{step}-{number.lower()}",
            f"{parent.cite}{form.cite.replace(NUMBER, number)}".lstrip(" ,"),
            mark.level,
            value,
        )
        scope.open.append(item)
        self.cited.setdefault(item.path, item.cite)
        return item

    def _add_text(self, scope: _Scope, i: int) -> None:
        """Add a text without a mark: the row's own, or a further one of the row or of its open paragraph."""
        # Nothing tells which list such a text closes, so it ends all of them inside its paragraph.
        del scope.open[1 if scope.open and scope.open[0].level == 0 else 0 :]
        host = scope.open[0] if scope.open else scope.root
        host.texts += 1
        path, citation, count = host.path, host.cite.rstrip(), host.texts
        if count > 1:
            path = f"{path}.sub-{count}"
        if not citation:
            citation = cite(Cite(None, "body", str(count), count), self._style.grammar)
        elif count > 1:
            level = "unnumbered" if host is self._row.root else "subparagraph"
            place = Cite(Cite(None, "division", citation), level, str(count), count)
            citation = cite(place, self._style.grammar)
        kind = "quoted" if scope.is_quoted else "subparagraph" if count > 1 else "paragraph"
        self._append(i, path, kind, "", citation)
        if not scope.is_quoted:
            self._host = _Item(path, citation)

    def _append(self, i: int, path: str, kind: str, number: str, citation: str) -> None:
        # "division" writes a citation as it is, and leaves the sentences of it to the language.
        self.units.append(ParsedUnit(i, i, path, kind, number, Cite(None, "division", citation)))
