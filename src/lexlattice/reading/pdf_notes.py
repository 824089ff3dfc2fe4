"""Footnotes of the pages of a PDF: what ends a column in smaller type, or below a rule."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from lexlattice.reading.pdf_lines import Line
from lexlattice.reading.pdf_words import Rule

_NOTE_MARKER = re.compile(r"\( ?(\d{1,3}|\*+) ?\)|(\d{1,3}|\*+) ")


def usual_size(lines: list[Line]) -> float:
    """The type size of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=1.0)


def without_notes(body: list[Line], rules: list[Rule], body_size: float, notes: list[list[Line]]) -> list[Line]:
    """Move the footnotes of a page to `notes`: what ends a column, in smaller type or below a rule."""
    columns = [list(column) for _, column in groupby(body, key=lambda line: id(line.frame))]
    kinds = [column[0].frame.kind for column in columns]
    foot = len(columns) - 1  # the first of the columns that end at the foot of the page
    while foot > 0 and (
        kinds[foot] == "right"
        or (kinds[foot] == "full" and _note_start(columns[foot], rules, body_size, True, True) == 0)
    ):
        foot -= 1
    kept: list[Line] = []
    for number, column in enumerate(columns):
        goes_on = bool(notes) and not notes[-1][-1].text.endswith((".", ")"))
        below = number > foot and kinds[number] == "full"
        start = _note_start(column, rules, body_size, goes_on, below) if number >= foot else len(column)
        kept += column[:start]
        for line in column[start:]:
            if _NOTE_MARKER.match(line.text) or not notes:
                notes.append([])
            notes[-1].append(line)
    return kept


def _note_start(column: list[Line], rules: list[Rule], body_size: float, goes_on: bool, below: bool) -> int:
    """Find the first line of the footnotes that end a column.

    `goes_on` says that an earlier note is not complete, `below` that the column stands under others; else one
    that is all in small type is an annex in small type.
    """
    small = len(column)
    while small and column[small - 1].size < 0.92 * body_size:
        small -= 1
    ruled = _first_below_rule(column, rules)
    for first in (ruled, small if small or below else len(column)):
        for i, line in enumerate(column[first:], first):
            raised = any(word.size < 0.9 * line.size for word in line.words[:3])
            if _NOTE_MARKER.match(line.text) and (i == first or raised):
                return i
            if i == first and goes_on and line.text[0].islower():
                return i
    return len(column)


def _first_below_rule(column: list[Line], rules: list[Rule]) -> int:
    """Find the line under the rule that sets footnotes apart: short, at the left edge, and the last there is.

    The rules of a table come several at a height, and those that underline a text touch it.
    """
    frame, em = column[0].frame, column[-1].size
    inside = [
        rule
        for rule in rules
        if rule.x0 < frame.right and rule.x1 > frame.left and rule.y > column[-1].y - 1.5 * em
        if not any(0 <= line.y - rule.y < 0.3 * line.size for line in column)
    ]
    lowest = min((rule.y for rule in inside), default=0.0)
    inside = [rule for rule in inside if rule.y < lowest + 0.5 * em]
    if len(inside) != 1 or abs(inside[0].x0 - frame.left) > em:
        return len(column)
    first = sum(line.y > lowest for line in column)
    short = inside[0].x1 - inside[0].x0 < 0.6 * (frame.right - frame.left)
    even = all(line.size < 1.05 * column[first].size for line in column[first:])
    return first if short and even else len(column)
