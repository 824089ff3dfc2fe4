"""An annex, or a text without articles, in its parts: each starts its numbering anew.

Parts show by a head-word ("PART A"), by their mark-up, or by a letter or Roman number before a heading ("A. General").
Headings without a number are parts only where numbers begin anew below them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final

from lexlattice.reading.citations.forms import Cite
from lexlattice.reading.languages.grammar import DIVISIONS, Grammar
from lexlattice.reading.languages.numbering import canonical
from lexlattice.reading.structure.headings import (
    Count,
    chapters_of,
    counts,
    heading_like,
    number_of,
    titles,
    unnumbered,
)
from lexlattice.reading.structure.lists import Draft, Frame, headed
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.quoted import divide_lines
from lexlattice.reading.structure.sections import Part

_CITED: Final = ("part", "chapter", "section")
"""Head-words that have a form of their own in citations."""
LONGEST_NAME: Final = 60
"""Characters by which a part is cited that has a heading but no number."""


@dataclass(slots=True)
class Division:
    """A part of an annex: where it begins, how many lines are its heading, and how it is named."""

    at: int
    heads: int
    key: str
    """What its siblings have in common: a head-word, a list of letters, a depth."""
    rank: int
    """Of head-words and of mark-up how far out they stand, from 0; -1 where only the order tells."""
    step: str
    cite: tuple[str, str]
    """Level and number of its citation."""
    number: str = ""
    content: int = 0
    """Lines that are its number and its text at once: "A. The Commission shall …"."""


def divide_annex(part: Part, plan: Outline, grammar: Grammar, frame: Frame) -> list[Draft]:
    """Units of an annex, part by part."""
    divisions = _divisions(part, plan, grammar)
    bounds = [*(division.at for division in divisions), len(part.lines)]
    drafts = _stretch(part.lines[: bounds[0]], plan, grammar, frame)
    path: list[Division] = []
    for division, following, (start, end) in zip(divisions, [*divisions, None][1:], pairwise(bounds), strict=True):
        _leave(path, division)
        path.append(division)
        inner = _frame(path, frame)
        lines = part.lines[start:end]
        heads = division.heads if len(lines) > division.heads or _holds(path, following) else 0
        content = division.content if heads == division.heads else division.heads
        plan.furniture.update(dict.fromkeys(lines[:heads], "heading"))
        lines = lines[heads:]
        if content:
            drafts.append(Draft(lines[0], lines[content - 1], inner.path, "paragraph", division.number, inner.cite))
            inner.texts, lines = 1, lines[content:]
        drafts.extend(_stretch(lines, plan, grammar, inner))
    return drafts


def _stretch(lines: Sequence[int], plan: Outline, grammar: Grammar, frame: Frame) -> list[Draft]:
    """Lines of one numbering: headings among them are furniture, those with a number count nevertheless."""
    while lines and not any(map(str.isalnum, plan.lines[lines[0]])):
        plan.furniture[lines[0]] = "heading"  # a stray stop behind a heading
        lines = lines[1:]
    shouted, others, points = titles(lines, plan)
    plan.furniture.update(dict.fromkeys([*shouted, *others], "heading"))
    rest = [i for i in lines if i not in others] if others else lines
    return divide_lines(rest, plan, grammar, frame, shouted, points)


def _frame(path: Sequence[Division], frame: Frame) -> Frame:
    """How what stands in a part is named: by all the parts around it."""
    steps = "".join(f".{division.step}" for division in path)
    cites = reduce(lambda around, division: Cite(around, *division.cite), path, frame.cite)
    if not path[-1].step.startswith("pt-"):
        return Frame(frame.path + steps, cites, frame.kind)
    around = cites.parent if cites is not None else None
    item = headed(path[-1].number, (frame.path + steps).rpartition(".")[0], around)
    return Frame(frame.path + steps, cites, frame.kind, text_level="subparagraph", item=item)


def _leave(path: list[Division], division: Division) -> None:
    """Close the parts that end where another begins: its like, and all below it."""
    for place, other in enumerate(path):
        if other.key == division.key or (division.rank >= 0 and other.rank >= division.rank):
            del path[place:]
            return
    if division.key.startswith("pt") and "." in division.number:  # "1.2." names its whole path
        while path and path[-1].key.startswith("pt"):
            path.pop()


def _holds(path: Sequence[Division], following: Division | None) -> bool:
    """Whether the part that begins next stands inside the innermost one."""
    if following is None:
        return False
    inner = list(path)
    _leave(inner, following)
    return len(inner) == len(path)


def _divisions(part: Part, plan: Outline, grammar: Grammar) -> list[Division]:
    """All parts of an annex in order."""
    lines = part.lines
    found = [*_worded(part), *_by_markup(lines, plan, grammar), *_counted(lines, plan)]
    found.sort(key=lambda division: division.at)
    bounds = [0, *(division.at + division.heads for division in found), len(lines)]
    begins = [*(division.at for division in found), len(lines)]
    for start, end in zip(bounds, begins, strict=False):
        found.extend(_headed(start, lines[start:end], plan))
    return sorted(found, key=lambda division: division.at)


def _worded(part: Part) -> Iterator[Division]:
    """Parts that a head-word shows."""
    for n, (before, kind, number, label) in enumerate(part.divisions, 1):
        step = f"{kind}-{canonical(number or str(n))}"
        yield Division(before, 0, kind, DIVISIONS.index(kind), step, _worded_cite(kind, number, label))


def _worded_cite(kind: str, number: str, label: str) -> tuple[str, str]:
    """How a part with a head-word is cited: as the language does, or in the act's own words."""
    return (kind, number) if number and kind in _CITED else ("division", shortened(label))


def _by_markup(lines: Sequence[int], plan: Outline, grammar: Grammar) -> Iterator[Division]:
    """Parts that the mark-up shows; one without a number is a part if it has siblings."""
    groups = [(at, i, plan.groups[i]) for at, i in enumerate(lines) if i in plan.groups]
    siblings = Counter(level for *_, level in groups)
    nameless = 0
    for at, i, level in groups:
        text = plan.lines[i]
        header = grammar.header(text)
        rank = len(DIVISIONS) * level
        if header is not None and header.kind in DIVISIONS and header.number:
            cite = _worded_cite(header.kind, header.written, text[: header.end])
            step = f"{header.kind}-{canonical(header.number)}"
            yield Division(at, 1, f"group-{level}", rank, step, cite, header.number)
            continue
        number, name = number_of(text)
        if name == "part":
            yield Division(at, 1, f"group-{level}", rank, f"part-{canonical(number)}", ("part", number), number)
        elif number:
            step = number.lower() if name == "letter" else number if "." in number else canonical(number)
            yield Division(at, 1, f"pt-{level}", rank, f"pt-{step}", (name, number), number)
        elif siblings[level] > 1:
            nameless += 1
            yield Division(at, 1, f"group-{level}", rank, f"hd-{nameless}", ("division", shortened(text)))


def _counted(lines: Sequence[int], plan: Outline) -> Iterator[Division]:
    """Parts that letters or Roman numbers count, A, B, C, on lines of their own."""
    for count in counts(lines, plan):
        yield _lettered(count, lines, plan)


def _lettered(count: Count, lines: Sequence[int], plan: Outline) -> Division:
    step, cite, key = f"part-{canonical(count.number)}", ("part", count.number), f"count-{count.list}"
    head = 1
    after = count.at + 1
    if count.bare and after < len(lines) and plan.marks[lines[after]] is None:
        if not heading_like(plan.lines[lines[after]]):
            return Division(count.at, 0, key, -1, step, cite, count.number, content=2)
        head = 2
    elif not count.bare and not count.heads:
        return Division(count.at, 0, key, -1, step, cite, count.number, content=1)
    return Division(count.at, head, key, -1, step, cite, count.number)


def _headed(start: int, lines: Sequence[int], plan: Outline) -> Iterator[Division]:
    """Headings without a number below which numbers begin anew."""
    chapters, anew = chapters_of(lines, plan)
    for n, at in enumerate(chapters if anew else (), 1):
        yield Division(start + at, 1, "chapter", -1, f"section-{n}", ("section", str(n)), str(n))
    for n, at in enumerate(unnumbered(lines, plan) if not chapters else (), 1):
        name = shortened(plan.lines[lines[at]])
        yield Division(start + at, 1, "heading", -1, f"hd-{n}", ("division", name))


def shortened(heading: str) -> str:
    """A heading, or its first words if it is long.

    >>> shortened("GENERAL:"), shortened("On the keeping of bees and the sale of honey in places where no bees live")
    ('GENERAL', 'On the keeping of bees and the sale of honey in places…')
    """
    heading = heading.strip(" .:-–—")
    if len(heading) <= LONGEST_NAME:
        return heading
    return heading[:LONGEST_NAME].rpartition(" ")[0].rstrip(" ,;") + "…"
