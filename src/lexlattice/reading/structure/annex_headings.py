"""Headings among the lines of an annex, told by their layout: with or without a number, no sentence, text below."""

from __future__ import annotations

from collections.abc import Container, Sequence
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
    number: str
    bare: bool
    """Whether it is alone on its line."""
    heads: bool
    """Whether what follows it on the line is a heading."""
    list: int


def _is_other_content(i: int, outline: Outline) -> bool:
    """Whether a line is a heading by mark-up, a table row, a note or a quotation."""
    return i in outline.groups or i in outline.tables or i in outline.notes or i in outline.quoted


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
    open_lists: list[tuple[str, int, list[PartLabel]]] = []
    closed: list[list[PartLabel]] = []
    for at, i in enumerate(lines):
        part = part_number(outline.lines[i])
        if part is None or _is_other_content(i, outline):
            continue
        number, rest, value, roman = part
        depth = next(
            (
                place
                for place in range(len(open_lists) - 1, -1, -1)
                if open_lists[place][1] + 1 == (value if open_lists[place][0] == "letter" else roman)
            ),
            None,
        )
        count = PartLabel(at, number, not rest, bool(rest) and may_be_heading(rest), 0)
        if depth is not None:
            closed += [found for *_, found in open_lists[depth + 1 :]]
            del open_lists[depth + 1 :]
            style, latest, found = open_lists[depth]
            found.append(count)
            open_lists[depth] = style, latest + 1, found
        elif value == 1 or roman == 1:
            open_lists.append(("letter" if value == 1 else "roman", 1, [count]))
    closed += [found for *_, found in open_lists]
    found_lists = [found for found in closed if len(found) > 1]
    return sorted(count._replace(list=n) for n, found in enumerate(found_lists) for count in found)


class Headings(NamedTuple):
    """Headings among lines that share one numbering."""

    capitals: set[int]
    """In capitals, with a number, above prose: "2. SCOPE"."""
    others: set[int]
    """Without a number that find_part_labels, between what is said and a numbered point."""
    points: set[int]
    """Points that look like headings of the prose below them: "2. Scope"."""


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
            head = place + 1 if _is_bare(i, outline) else place
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
            if found and following == running + 1 == value + 1:
                return [], False
            restarts = restarts or bool(found and following == 1)
            found.append(place)
        elif not is_capitals:
            running = value
    return (found, restarts) if len(found) > 1 else ([], False)


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
    if f"({following.number})" in line:  # below it stands its footnote
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


def find_unnumbered_headings(lines: Sequence[int], outline: Outline) -> list[int]:
    """Find headings without a number below which a count begins, if there are several such counts."""
    begun = [place for place, i in enumerate(lines) if _is_first(outline.marks[i])]
    if len(begun) < 2:
        return []
    return [place - 1 for place in begun if place and _precedes_restart(lines, place - 1, outline)]


def _precedes_restart(lines: Sequence[int], place: int, outline: Outline) -> bool:
    """Whether a line is the heading of a count; points above need no stop if each is below its number."""
    if _is_between_points(lines, place, outline):
        return True
    if place < 2 or not _is_title(outline.lines[lines[place]], lines[place], outline):
        return False
    return _is_bare(lines[place - 2], outline) and outline.marks[lines[place - 1]] is None


def _is_first(mark: Marker | None) -> bool:
    return mark is not None and mark.style == "dot" and mark.value == 1 and not mark.quoted
