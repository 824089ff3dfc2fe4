"""Units of what precedes the enacting terms: the title, the citations ("Having regard to …") and the recitals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.grammar import HEAD, Grammar, fold
from lexlattice.reading.languages.numbering import Marker
from lexlattice.reading.structure.lists import ParsedUnit, Scope
from lexlattice.reading.structure.metadata import is_remark
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.sections import ParsedSection
from lexlattice.reading.structure.typography import SENTENCE_STOPS, is_in_capitals, is_institution_name
from lexlattice.reading.structure.units import divide_lines

LONGEST_RECITAL_HEADING: Final = 200
"""Characters of a heading among recitals."""
MAX_STACKED_HEADINGS: Final = 4
"""Headings that may follow one another directly: "B. PRODUCT", "1. Product concerned"."""

_DECIMAL: Final = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s\S")
"""A decimal number that leads a heading: "2.1. Sampling"."""
_LABEL: Final = re.compile(r"(?:[^\W\d_]|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){0,3})\.?\s\S")
"""A letter, Roman or decimal number that leads a heading: "B. Product", "IV Injury", "1.2 Sampling"."""
_RECITAL_ENDS: Final = ".;)’”"
"""The last character of a finished recital."""


def divide_title(section: ParsedSection, outline: Outline) -> list[ParsedUnit]:
    """Cut the title into the title proper and each bracketed remark ("Text with EEA relevance")."""
    units: list[ParsedUnit] = []
    for i in section.lines:
        continues = units and units[-1].last == i - 1 and not is_remark(outline.lines[units[-1].first])
        if continues and not is_remark(outline.lines[i]):
            units[-1].last = i
        else:
            units.append(ParsedUnit(i, i, "title", "title", "", Cite(None, "title")))
    return units


def divide_preamble(section: ParsedSection, outline: Outline, grammar: Grammar) -> list[ParsedUnit]:
    """Cut the preamble into one unit per citation; the institution's name may run over two lines."""
    lines = [outline.lines[i] for i in section.lines[:3]]
    is_split_name = (
        len(lines) > 1
        and is_in_capitals(lines[0])
        and lines[0][-1].isalpha()
        and is_institution_name(lines[1])
        and section.lines[1] == section.lines[0] + 1
        and not any(map(is_institution_name, lines[2:]))
    )
    firsts = [section.lines[0], *section.lines[2:]] if is_split_name else section.lines
    # The institution's name is no citation: it is cited as the preamble itself, and the count starts below it.
    level = Cite(None, "preamble")
    has_name = not grammar.opens("citation", fold(outline.lines[firsts[0]][:HEAD]))
    units = []
    for n, i in enumerate(firsts, 1):
        count = n - has_name
        cited = Cite(level, "visa", str(count), count) if count else level
        units.append(ParsedUnit(i, i, f"pre-{n}", "citation", "", cited))
    units[0].last += is_split_name
    return units


def divide_recitals(section: ParsedSection, outline: Outline, grammar: Grammar) -> list[ParsedUnit]:
    """Divide each recital like a small section; without numbers, each line is a recital."""
    marks = [outline.marks[i] for i in section.lines]
    headings = RecitalHeadings([outline.lines[i] for i in section.lines], marks)
    first = headings.first
    units: list[ParsedUnit] = []
    recital: list[int] = []
    count = 0
    number = ""

    def close() -> None:
        if recital:
            name = number or str(count)
            scope = Scope(f"rec-{name}", Cite(None, "recital", name), "recital")
            units.extend(_divide_recital(recital, outline, grammar, scope, number))
            recital.clear()

    for n, (i, mark) in enumerate(zip(section.lines, marks, strict=True)):
        if headings.is_heading(n, count):
            outline.furniture[i] = "heading"
            continue
        if first is None:
            starts = (mark is None and i not in outline.quoted) or not recital
        else:
            starts = (
                mark is not None
                and mark.style == first.style
                and not mark.quoted
                and (mark.value == count + 1 or (not recital and mark.value > count))
            )
        if starts:
            close()
            count = mark.value if first is not None and mark is not None else count + 1
            number = mark.number if first is not None and mark is not None else ""
        recital.append(i)
    close()
    return units


def _divide_recital(
    lines: Sequence[int], outline: Outline, grammar: Grammar, scope: Scope, number: str
) -> list[ParsedUnit]:
    """The units of one recital; its own number leads the first text, and lists inside belong to that text."""
    if not number:
        return divide_lines(lines, outline, grammar, scope)
    mark = outline.marks[lines[0]]
    is_bare = mark is not None and mark.end >= len(outline.lines[lines[0]])
    lead = 2 if is_bare and lines[1:] and lines[1] == lines[0] + 1 else 1
    units = [ParsedUnit(lines[0], lines[lead - 1], scope.path, "recital", number, scope.cite)]
    if lines[lead:]:
        rest = Scope(scope.path, scope.cite, "recital", texts=1)
        units.extend(divide_lines(lines[lead:], outline, grammar, rest))
    return units


class RecitalHeadings:
    """Tells headings among recitals ("B. WITHDRAWAL OF UNDERTAKINGS") from the recitals."""

    def __init__(self, lines: Sequence[str], marks: Sequence[Marker | None]) -> None:
        self.lines = lines
        self.marks = marks
        self.first = self._find_first()
        """The marker of the first recital; None where recitals are not numbered."""

    def is_heading(self, n: int, count: int) -> bool:
        """Whether a line is a heading: the number after that of the last recital, `count`, follows it."""
        if self.first is None or self._is_next(n, count):
            return False
        if not count:
            return True
        for j in range(n, min(n + MAX_STACKED_HEADINGS, len(self.lines))):
            if self._is_next(j, count):
                return True
            if not self._has_heading_form(j):
                return j == n and self._has_heading_place(n, count)
        return False

    def _find_first(self) -> Marker | None:
        """The marker "(1)" or, if there is none, "1." with nothing but headings before it."""
        for style in ("paren", "dot"):
            for n, mark in enumerate(self.marks):
                if mark is not None and mark.style == style and mark.value == 1:
                    if all(map(self._is_short, range(n))):
                        return mark
                    break
        return None

    def _is_next(self, n: int, count: int) -> bool:
        mark = self.marks[n]
        return (
            self.first is not None and mark is not None and mark.style == self.first.style and mark.value == count + 1
        )

    def _is_short(self, n: int) -> bool:
        return len(self.lines[n]) <= LONGEST_RECITAL_HEADING and not self.lines[n].endswith(SENTENCE_STOPS)

    def _has_heading_form(self, n: int) -> bool:
        """Whether a line is a heading by its form: a label leads it, or it is set in capitals."""
        line = self.lines[n]
        if _DECIMAL.match(line):
            return len(line) <= LONGEST_RECITAL_HEADING
        return self._is_short(n) and (is_in_capitals(line) or bool(_LABEL.match(line)))

    def _has_heading_place(self, n: int, count: int) -> bool:
        """Whether a line is a heading by its place: between a finished recital and the next number."""
        line = self.lines[n]
        if not 0 < n < len(self.lines) - 1 or self.marks[n] is not None or any(map(str.isdigit, line)):
            return False
        is_finished = self.lines[n - 1][-1] in _RECITAL_ENDS and line[0].isupper()
        return is_finished and self._is_short(n) and self._is_next(n + 1, count)
