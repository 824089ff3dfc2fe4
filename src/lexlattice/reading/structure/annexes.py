"""Divide an annex, or a text without articles, into its parts, each of which restarts the numbering.

Parts are recognised by a head-word ("PART A"), by their mark-up, or by a letter or Roman number before a heading
("A. General"). Headings without a number are parts only if numbers restart below them.
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
from lexlattice.reading.structure.annex_headings import (
    PartLabel,
    find_chapters,
    find_headings,
    find_part_labels,
    find_unnumbered_headings,
    number_of,
)
from lexlattice.reading.structure.lists import ParsedUnit, Scope, list_of_heading
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.sections import ParsedSection
from lexlattice.reading.structure.typography import may_be_heading
from lexlattice.reading.structure.units import divide_lines

_CITED: Final = ("part", "chapter", "section")
"""Head-words that have their own citation forms in the language files."""
LONGEST_NAME: Final = 60
"""Characters of the name by which a part without a number is cited."""


@dataclass(slots=True)
class AnnexPart:
    """A part of an annex: where it begins, and how it is named and cited."""

    at: int
    """The position of its first line among those of the annex."""
    heads: int
    """How many lines are its heading."""
    key: str
    """What its siblings have in common: a head-word, a list of letters, a depth."""
    rank: int
    """How far out it is, from 0, if its head-word or mark-up tells; -1 if only the order of parts does."""
    step: str
    """Its step in the ids of its units: "part-A"."""
    cite: tuple[str, str]
    """Level and number of its citation."""
    number: str = ""
    content: int = 0
    """Lines that are number and text at once: "A. The Commission shall …"."""


def divide_by_parts(section: ParsedSection, outline: Outline, grammar: Grammar, scope: Scope) -> list[ParsedUnit]:
    """Cut an annex or a body into units, part by part."""
    parts = _find_parts(section, outline, grammar)
    bounds = [*(part.at for part in parts), len(section.lines)]
    units = _divide_part(section.lines[: bounds[0]], outline, grammar, scope)
    path: list[AnnexPart] = []  # the open parts, outermost first
    for part, following, (start, end) in zip(parts, [*parts, None][1:], pairwise(bounds), strict=True):
        _close_parts(path, part)
        path.append(part)
        inner = _part_scope(path, scope)
        lines = section.lines[start:end]
        # A heading with neither text nor parts below it is the text itself.
        heads = part.heads if len(lines) > part.heads or _contains(path, following) else 0
        content = part.content if heads == part.heads else part.heads
        outline.furniture.update(dict.fromkeys(lines[:heads], "heading"))
        lines = lines[heads:]
        if content:
            units.append(ParsedUnit(lines[0], lines[content - 1], inner.path, "paragraph", part.number, inner.cite))
            inner.texts, lines = 1, lines[content:]
        units.extend(_divide_part(lines, outline, grammar, inner))
    return units


def _divide_part(lines: Sequence[int], outline: Outline, grammar: Grammar, scope: Scope) -> list[ParsedUnit]:
    """Divide the lines of one part: headings among them are furniture, but numbers of headings count."""
    while lines and not any(map(str.isalnum, outline.lines[lines[0]])):
        outline.furniture[lines[0]] = "heading"  # a stray stop after a heading
        lines = lines[1:]
    capitals, others, points = find_headings(lines, outline)
    outline.furniture.update(dict.fromkeys([*capitals, *others], "heading"))
    rest = [i for i in lines if i not in others] if others else lines
    return divide_lines(rest, outline, grammar, scope, capitals, points)


def _part_scope(path: Sequence[AnnexPart], scope: Scope) -> Scope:
    """The scope of a part: its path and citation go through all the parts that enclose it."""
    steps = scope.path + "".join(f".{part.step}" for part in path)
    cite = reduce(lambda outer, part: Cite(outer, *part.cite), path, scope.cite)
    if not path[-1].step.startswith("pt-"):
        return Scope(steps, cite, scope.kind)
    item = list_of_heading(path[-1].number, steps.rpartition(".")[0], cite.parent if cite is not None else None)
    return Scope(steps, cite, scope.kind, text_level="subparagraph", item=item)


def _close_parts(path: list[AnnexPart], part: AnnexPart) -> None:
    """Close the parts that end where another begins: its sibling, and all inside that."""
    for place, other in enumerate(path):
        if other.key == part.key or (part.rank >= 0 and other.rank >= part.rank):
            del path[place:]
            return
    if part.key.startswith("pt") and "." in part.number:  # "1.2." names its whole path
        while path and path[-1].key.startswith("pt"):
            path.pop()


def _contains(path: Sequence[AnnexPart], following: AnnexPart | None) -> bool:
    """Whether the part that begins next is inside the innermost open one."""
    if following is None:
        return False
    inner = list(path)
    _close_parts(inner, following)
    return len(inner) == len(path)


def _find_parts(section: ParsedSection, outline: Outline, grammar: Grammar) -> list[AnnexPart]:
    """Find all parts of an annex, in order."""
    lines = section.lines
    found = [*_parts_by_head_word(section), *_parts_by_markup(lines, outline, grammar)]
    found += [_labelled_part(label, lines, outline) for label in find_part_labels(lines, outline)]
    found.sort(key=lambda part: part.at)
    # Headings without a number are searched between the parts that are certain.
    starts = [0, *(part.at + part.heads for part in found), len(lines)]
    ends = [*(part.at for part in found), len(lines)]
    for start, end in zip(starts, ends, strict=False):
        found.extend(_parts_by_heading(start, lines[start:end], outline))
    return sorted(found, key=lambda part: part.at)


def _parts_by_head_word(section: ParsedSection) -> Iterator[AnnexPart]:
    """Parts whose header the outline has found: "PART A"."""
    for n, (before, kind, number, label) in enumerate(section.divisions, 1):
        step = f"{kind}-{canonical(number or str(n))}"
        yield AnnexPart(before, 0, kind, DIVISIONS.index(kind), step, _head_word_cite(kind, number, label))


def _head_word_cite(kind: str, number: str, label: str) -> tuple[str, str]:
    """How a part with a head-word is cited: by the language's form, or in the act's own words."""
    return (kind, number) if number and kind in _CITED else ("division", shorten(label))


def _parts_by_markup(lines: Sequence[int], outline: Outline, grammar: Grammar) -> Iterator[AnnexPart]:
    """Parts that the mark-up shows; one without a number is a part if it has siblings."""
    groups = [(at, i, outline.groups[i]) for at, i in enumerate(lines) if i in outline.groups]
    siblings = Counter(level for *_, level in groups)
    nameless = 0
    for at, i, level in groups:
        text = outline.lines[i]
        header = grammar.header(text)
        rank = len(DIVISIONS) * level
        if header is not None and header.kind in DIVISIONS and header.number:
            cite = _head_word_cite(header.kind, header.written, text[: header.end])
            step = f"{header.kind}-{canonical(header.number)}"
            yield AnnexPart(at, 1, f"group-{level}", rank, step, cite, header.number)
            continue
        number, name = number_of(text)
        if name == "part":
            yield AnnexPart(at, 1, f"group-{level}", rank, f"part-{canonical(number)}", ("part", number), number)
        elif number:
            step = number.lower() if name == "letter" else number if "." in number else canonical(number)
            yield AnnexPart(at, 1, f"pt-{level}", rank, f"pt-{step}", (name, number), number)
        elif siblings[level] > 1:
            nameless += 1
            yield AnnexPart(at, 1, f"group-{level}", rank, f"hd-{nameless}", ("division", shorten(text)))


def _labelled_part(label: PartLabel, lines: Sequence[int], outline: Outline) -> AnnexPart:
    """The part that a letter or Roman number begins; its text may be on the same line or the next."""
    step, cite, key = f"part-{canonical(label.number)}", ("part", label.number), f"count-{label.list}"
    head = 1
    after = label.at + 1
    if label.bare and after < len(lines) and outline.marks[lines[after]] is None:
        if not may_be_heading(outline.lines[lines[after]]):
            return AnnexPart(label.at, 0, key, -1, step, cite, label.number, content=2)
        head = 2
    elif not label.bare and not label.heads:
        return AnnexPart(label.at, 0, key, -1, step, cite, label.number, content=1)
    return AnnexPart(label.at, head, key, -1, step, cite, label.number)


def _parts_by_heading(start: int, lines: Sequence[int], outline: Outline) -> Iterator[AnnexPart]:
    """Parts whose headings have no number of their own kind, below which numbers restart."""
    chapters, restarts = find_chapters(lines, outline)
    for n, at in enumerate(chapters if restarts else (), 1):
        yield AnnexPart(start + at, 1, "chapter", -1, f"section-{n}", ("section", str(n)), str(n))
    for n, at in enumerate(find_unnumbered_headings(lines, outline) if not chapters else (), 1):
        name = shorten(outline.lines[lines[at]])
        yield AnnexPart(start + at, 1, "heading", -1, f"hd-{n}", ("division", name))


def shorten(heading: str) -> str:
    """A heading, or its first words if it is long.

    >>> shorten("GENERAL:"), shorten("On the keeping of bees and the sale of honey in places where no bees live")
    ('GENERAL', 'On the keeping of bees and the sale of honey in places…')
    """
    heading = heading.strip(" .:-–—")
    if len(heading) <= LONGEST_NAME:
        return heading
    return heading[:LONGEST_NAME].rpartition(" ")[0].rstrip(" ,;") + "…"
