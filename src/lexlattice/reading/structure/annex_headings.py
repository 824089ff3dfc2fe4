"""Headings among the lines of an annex, told by their layout: with or without a number, no sentence, text below."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from lexlattice.reading.languages.numbering import Marker, marker, part_number
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.typography import SENTENCE_STOPS, may_be_heading

LONGEST_TITLE: Final = 160
"""Characters of a heading between points; anything longer is text."""


class PartLabel(NamedTuple):
    """A letter or Roman number that leads a line and belongs to a list: "A. General", "IV"."""

    at: int
    """Its position among the lines."""
    number: str
    bare: bool
    """Whether it is alone on its line."""
    heads: bool
    """Whether what follows it on the line is a heading."""
    list: int
    """Which list it belongs to."""


class Headings(NamedTuple):
    """Headings among lines that share one numbering."""

    capitals: set[int]
    """In capitals, with a number, above prose: "2. SCOPE"."""
    others: set[int]
    """Without a number that counts, above a numbered point."""
    points: set[int]
    """Points that look like headings of the prose below them: "2. Scope"."""


@dataclass(slots=True)
class _LabelList:
    """A list of part labels: its style, "letter" or "roman", the value of its last label, and its labels."""

    style: str
    value: int
    labels: list[PartLabel]


def number_of(heading: str) -> tuple[str, str]:
    """The number that leads a heading, and the level it is cited by; both empty if it has none.

    >>> number_of("A. General"), number_of("1.2. Scope"), number_of("(a) Bees"), number_of("General")
    (('A', 'part'), ('1.2', 'numeral'), ('a', 'letter'), ('', ''))
    """
    part = part_number(heading)
    if part is not None:
        return part.number, "part"
    mark = marker(heading)
    if mark is None or mark.style == "dash":
        return "", ""
    return mark.number, {"letter": "letter", "paren": "number"}.get(mark.style, "numeral")


def find_part_labels(lines: Sequence[int], outline: Outline) -> list[PartLabel]:
    """Find letters and Roman numbers that lead lines and form lists of at least two, from the first on."""
    stack: list[_LabelList] = []
    found: list[_LabelList] = []
    for at, i in enumerate(lines):
        part = part_number(outline.lines[i])
        if part is None or _is_other_content(i, outline):
            continue
        number, rest, value, roman = part
        label = PartLabel(at, number, not rest, bool(rest) and may_be_heading(rest), 0)
        # The label continues the innermost list that it can, which closes those inside; else it may begin one.
        depth = len(stack) - 1
        while depth >= 0 and stack[depth].value + 1 != (value if stack[depth].style == "letter" else roman):
            depth -= 1
        if depth >= 0:
            found += stack[depth + 1 :]
            del stack[depth + 1 :]
            stack[depth].value += 1
            stack[depth].labels.append(label)
        elif 1 in (value, roman):
            stack.append(_LabelList("letter" if value == 1 else "roman", 1, [label]))
    kept = [labels.labels for labels in found + stack if len(labels.labels) > 1]
    return sorted(label._replace(list=n) for n, labels in enumerate(kept) for label in labels)


def find_headings(lines: Sequence[int], outline: Outline) -> Headings:
    """Find the headings among lines that share one numbering."""
    numbered: set[int] = set()
    others: set[int] = set()
    points: set[int] = set()
    chapters = {lines[place] for place in find_chapters(lines, outline)[0]}
    for place, i in enumerate(lines):
        mark = outline.marks[i]
        if i in chapters:
            others.add(i)
        elif mark is not None and mark.style in ("dot", "multi") and not mark.quoted:
            head = place + 1 if _is_bare(i, outline) else place  # the line with the heading's text
            below = place and _is_bare(lines[place - 1], outline) and lines[place - 1] not in numbered
            if head + 1 < len(lines) and not below and _heads_prose(lines, place, head, outline):
                text = outline.lines[i][mark.end :] if head == place else outline.lines[lines[head]]
                (numbered if _is_capitals(text) else points).update(lines[place : head + 1])
        elif mark is None and _is_between_points(lines, place, outline, others):
            others.add(i)
    return Headings(numbered, others, points)


def find_chapters(lines: Sequence[int], outline: Outline) -> tuple[list[int], bool]:
    """Find headings in capitals whose numbers are separate from those of the points below them.

    In "1. INTRODUCTION, 1. …, 2. …, 2. AIMS, 3. …" the points are numbered through, so the headings name none of them.

    Returns:
        The positions of the headings, and whether the points below restart at each of them.

    """
    marked = []
    for place, i in enumerate(lines):
        mark = outline.marks[i]
        if mark is not None and mark.style == "dot" and not mark.quoted and not _is_other_content(i, outline):
            marked.append((place, mark.value, _is_capitals(outline.lines[i][mark.end :])))
    found: list[int] = []
    running, restarts = 0, False
    for (place, value, is_capitals), (_, following, below) in pairwise(marked):
        if is_capitals and not below and value == len(found) + 1 and following in (1, running + 1):
            if found and following == running + 1 == value + 1:  # headings and points share one count
                return [], False
            restarts = restarts or bool(found and following == 1)
            found.append(place)
        elif not is_capitals:
            running = value
    return (found, restarts) if len(found) > 1 else ([], False)


def find_unnumbered_headings(lines: Sequence[int], outline: Outline) -> list[int]:
    """Find headings without a number below which a count begins, if there are several such counts."""
    begun = [place for place, i in enumerate(lines) if _is_first(outline.marks[i])]
    if len(begun) < 2:
        return []
    return [place - 1 for place in begun if place and _precedes_restart(lines, place - 1, outline)]


def _is_capitals(heading: str) -> bool:
    """Whether a heading is in capitals, however short: "SCOPE"."""
    return len(heading) <= LONGEST_TITLE and heading.isupper() and sum(map(str.isalpha, heading)) > 2


def _heads_prose(lines: Sequence[int], place: int, head: int, outline: Outline) -> bool:
    """Whether a point is the heading of the prose below it."""
    mark, i, after = outline.marks[lines[place]], lines[head], lines[head + 1]
    text = outline.lines[i][mark.end :] if head == place and mark is not None else outline.lines[i]
    if (
        not text
        or (head > place and outline.marks[i] is not None)
        or _is_other_content(i, outline)
        or _is_other_content(after, outline)
    ):
        return False
    if len(text) > LONGEST_TITLE or not may_be_heading(text):
        return False
    following = outline.marks[after]
    if following is not None:
        return _is_capitals(text) and following.style == "multi" and mark is not None and mark.style == "dot"
    below = outline.lines[after]
    if _is_capitals(text) and below[0].isupper():
        return True  # capitals need no prose below them
    return below.endswith((".", ":")) and (below[0].isupper() or not below[0].isalpha())


def _is_between_points(lines: Sequence[int], place: int, outline: Outline, headings: Container[int] = ()) -> bool:
    """Whether a line without a number is a heading above a numbered point: the text above it has ended."""
    line = outline.lines[lines[place]]
    if place + 1 >= len(lines) or not _is_title(line, lines[place], outline):
        return False
    following = outline.marks[lines[place + 1]]
    if following is None or following.style not in ("dot", "paren") or following.quoted:
        return False
    if f"({following.number})" in line:  # its footnote is below it
        return False
    if not place or lines[place - 1] in headings:
        return True
    return outline.lines[lines[place - 1]].endswith((".", ";")) and not _is_bare(lines[place - 1], outline)


def _is_bare(i: int, outline: Outline) -> bool:
    """Whether a number is alone on its line."""
    mark = outline.marks[i]
    return mark is not None and mark.end >= len(outline.lines[i])


def _is_title(line: str, i: int, outline: Outline) -> bool:
    return (
        len(line) <= LONGEST_TITLE
        and line[0].isupper()
        and outline.marks[i] is None
        and not line.endswith(SENTENCE_STOPS)
        and not _is_other_content(i, outline)
    )


def _precedes_restart(lines: Sequence[int], place: int, outline: Outline) -> bool:
    """Whether a line is the heading of a count; points above need no stop if each is below its number."""
    if _is_between_points(lines, place, outline):
        return True
    if place < 2 or not _is_title(outline.lines[lines[place]], lines[place], outline):
        return False
    return _is_bare(lines[place - 2], outline) and outline.marks[lines[place - 1]] is None


def _is_first(mark: Marker | None) -> bool:
    return mark is not None and mark.style == "dot" and mark.value == 1 and not mark.quoted


def _is_other_content(i: int, outline: Outline) -> bool:
    """Whether a line is a heading by mark-up, a table row, a note or a quotation."""
    return i in outline.groups or i in outline.tables or i in outline.notes or i in outline.quoted
