"""Headings among the lines of an annex, told by their layout: a number or none, no sentence, and text below."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lexlattice.reading.languages.numbering import Marker, marker, part_number
from lexlattice.reading.structure.lines import LONGEST_HEADING, SENTENCE_STOPS, shouts
from lexlattice.reading.structure.outline import Outline

LONGEST_TITLE: Final = 160
"""A heading between points is no longer than this: what is longer says something."""


class Count(NamedTuple):
    """A letter or Roman number that leads a line and counts with others."""

    at: int
    number: str
    bare: bool
    """Whether it stands alone on its line."""
    heads: bool
    """Whether what follows it on the line is a heading."""
    list: int


def _is_apart(i: int, plan: Outline) -> bool:
    """Whether a line is no text of the annex itself."""
    return i in plan.groups or i in plan.tables or i in plan.notes or i in plan.quoted


def heading_like(line: str) -> bool:
    """Whether a line may be a heading: it is no sentence, or is set in capitals."""
    if len(line) > LONGEST_HEADING or not (line[0].isupper() or not line[0].isalpha()):
        return False
    return not line.endswith(SENTENCE_STOPS) or (line.upper() == line and shouts(line))


def number_of(heading: str) -> tuple[str, str]:
    """The number that leads a heading, and the level it is cited by; both empty where it has none.

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


def counts(lines: Sequence[int], plan: Outline) -> list[Count]:
    """Letters and Roman numbers that count from the first on, of those that lead lines: two at least of a kind."""
    open_lists: list[tuple[str, int, list[Count]]] = []
    closed: list[list[Count]] = []
    for at, i in enumerate(lines):
        part = part_number(plan.lines[i])
        if part is None or _is_apart(i, plan):
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
        count = Count(at, number, not rest, bool(rest) and heading_like(rest), 0)
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


class Titles(NamedTuple):
    """Headings among the lines of one numbering."""

    shouted: set[int]
    """In capitals, with a number, above prose: "2. SCOPE"."""
    others: set[int]
    """Without a number that counts, between what is said and a numbered point."""
    points: set[int]
    """Points that seem to be headings of the prose below them: "2. Scope"."""


def titles(lines: Sequence[int], plan: Outline) -> Titles:
    """Find the headings among the lines of one numbering."""
    numbered: set[int] = set()
    others: set[int] = set()
    points: set[int] = set()
    chapters = {lines[place] for place in chapters_of(lines, plan)[0]}
    for place, i in enumerate(lines):
        mark = plan.marks[i]
        if i in chapters:
            others.add(i)
        elif mark is not None and mark.style in ("dot", "multi") and not mark.quoted:
            head = place + 1 if _is_bare(i, plan) else place
            below = place and _is_bare(lines[place - 1], plan) and lines[place - 1] not in numbered
            if head + 1 < len(lines) and not below and _titles(lines, place, head, plan):
                text = plan.lines[i][mark.end :] if head == place else plan.lines[lines[head]]
                (numbered if _shouts(text) else points).update(lines[place : head + 1])
        elif mark is None and _stands_between(lines, place, plan, others):
            others.add(i)
    return Titles(numbered, others, points)


def chapters_of(lines: Sequence[int], plan: Outline) -> tuple[list[int], bool]:
    """Places of shouted headings that count apart from the points below them, and whether these begin anew each time.

    In "1. INTRODUCTION, 1. …, 2. …, 2. AIMS, 3. …" the points run on, so that the headings name none of them.
    """
    marked = []
    for place, i in enumerate(lines):
        mark = plan.marks[i]
        if mark is not None and mark.style == "dot" and not mark.quoted and not _is_apart(i, plan):
            marked.append((place, mark.value, _shouts(plan.lines[i][mark.end :])))
    found: list[int] = []
    running, anew = 0, False
    for (place, value, shouted), (_, following, below) in pairwise(marked):
        if shouted and not below and value == len(found) + 1 and following in (1, running + 1):
            if found and following == running + 1 == value + 1:
                return [], False
            anew = anew or bool(found and following == 1)
            found.append(place)
        elif not shouted:
            running = value
    return (found, anew) if len(found) > 1 else ([], False)


def _shouts(heading: str) -> bool:
    """Whether a heading is in capitals, however short: "SCOPE"."""
    return len(heading) <= LONGEST_TITLE and heading.isupper() and sum(map(str.isalpha, heading)) > 2


def _titles(lines: Sequence[int], place: int, head: int, plan: Outline) -> bool:
    """Whether a point is the heading of the prose below it."""
    mark, i, after = plan.marks[lines[place]], lines[head], lines[head + 1]
    text = plan.lines[i][mark.end :] if head == place and mark is not None else plan.lines[i]
    if not text or (head > place and plan.marks[i] is not None) or _is_apart(i, plan) or _is_apart(after, plan):
        return False
    if len(text) > LONGEST_TITLE or not heading_like(text):
        return False
    following = plan.marks[after]
    if following is not None:
        return _shouts(text) and following.style == "multi" and mark is not None and mark.style == "dot"
    below = plan.lines[after]
    if _shouts(text) and below[0].isupper():
        return True  # capitals need no prose below them
    return below.endswith((".", ":")) and (below[0].isupper() or not below[0].isalpha())


def _stands_between(lines: Sequence[int], place: int, plan: Outline, headings: Container[int] = ()) -> bool:
    """Whether a line without a number is a heading above a numbered point: what is above it has come to its end."""
    line = plan.lines[lines[place]]
    if place + 1 >= len(lines) or not _is_title(line, lines[place], plan):
        return False
    following = plan.marks[lines[place + 1]]
    if following is None or following.style not in ("dot", "paren") or following.quoted:
        return False
    if f"({following.number})" in line:  # below it stands its footnote
        return False
    if not place or lines[place - 1] in headings:
        return True
    return plan.lines[lines[place - 1]].endswith((".", ";")) and not _is_bare(lines[place - 1], plan)


def _is_bare(i: int, plan: Outline) -> bool:
    """Whether a number has its line for itself."""
    mark = plan.marks[i]
    return mark is not None and mark.end >= len(plan.lines[i])


def _is_title(line: str, i: int, plan: Outline) -> bool:
    return (
        len(line) <= LONGEST_TITLE
        and line[0].isupper()
        and plan.marks[i] is None
        and not line.endswith(SENTENCE_STOPS)
        and not _is_apart(i, plan)
    )


def unnumbered(lines: Sequence[int], plan: Outline) -> list[int]:
    """Places of headings without a number below which a count begins that another has begun before or after."""
    begun = [place for place, i in enumerate(lines) if _begins(plan.marks[i])]
    if len(begun) < 2:
        return []
    return [place - 1 for place in begun if place and _heads_count(lines, place - 1, plan)]


def _heads_count(lines: Sequence[int], place: int, plan: Outline) -> bool:
    """Whether a line heads a count that begins again: points above need no stop, if each is below its number."""
    if _stands_between(lines, place, plan):
        return True
    if place < 2 or not _is_title(plan.lines[lines[place]], lines[place], plan):
        return False
    return _is_bare(lines[place - 2], plan) and plan.marks[lines[place - 1]] is None


def _begins(mark: Marker | None) -> bool:
    return mark is not None and mark.style == "dot" and mark.value == 1 and not mark.quoted
