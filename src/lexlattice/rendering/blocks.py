"""Blocks: a summary as people read it, a provision at a time.

A block is a paragraph, a recital or a point of an annex: its citation and the heading of its section once, its
sentences as running text, its points nested below, and a mark wherever something is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from lexlattice.act.document import Act, Unit
from lexlattice.act.hierarchy import Cut, anchors, left_out_units
from lexlattice.act.summary import Item
from lexlattice.reading.citations.forms import cite_sentences
from lexlattice.reading.languages.grammar import load
from lexlattice.rendering.phrases import phrases

_ELLIPSIS: Final = "[…]"
_FEW: Final = 2
"""Points that are named one by one; of more only the first and the last."""
_SENTENCE: Final = re.compile(r"\.s-(\d+)\Z")


@dataclass(frozen=True, slots=True)
class Mark:
    """The sign that something is left out: "[… 4 more points: (b)–(e)]" for points of a list, "[…]" for other text."""

    text: str
    cut: Cut
    units: tuple[Unit, ...]
    """All that is left out here, in document order."""


@dataclass(frozen=True, slots=True)
class Line:
    """What stands on a line of its own: sentences of one provision, a table, or the mark of points that are missing."""

    pieces: tuple[Item | Mark, ...]
    level: int
    """How far it is nested: 0 for the text of the paragraph, 1 for its points, 2 for what is below these."""
    citation: str
    """As people cite: "Recital 4, first and second sentences"; of all its sentences, the provision. Of a mark empty."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The items without the marks between them."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Item))

    @property
    def text(self) -> str:
        """The act's own words, and marks between them."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each item was chosen, where that is known."""
        return tuple(str(item.explanation) for item in self.items if item.explanation is not None)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Of a table its rows, all with the same number of cells; of any other line none."""
        rows = self.pieces[0].rows if isinstance(self.pieces[0], Item) else ()
        width = max(map(len, rows), default=0)
        return tuple((*row, *[""] * (width - len(row))) for row in rows)


@dataclass(frozen=True, slots=True)
class Block:
    """A provision with what is chosen of it."""

    section: int
    label: str
    """Of its section, as the act writes it: "Article 6"; empty where there is none."""
    heading: str
    """Of its section; empty where there is none, and where the block before is of the same section."""
    citation: str
    lines: tuple[Line, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All items in it, in the order of the act."""
        return tuple(item for line in self.lines for item in line.items)

    @property
    def text(self) -> str:
        """Its lines one below the other, with marks."""
        return "\n".join(line.text for line in self.lines)


def blocks_of(act: Act, items: Iterable[Item], cuts: Iterable[Cut]) -> tuple[Block, ...]:
    """The blocks that some items of a summary make, in their order, with the cuts that belong to them marked."""
    chosen, marks = tuple(items), dict[str, list[Mark]]()
    shown = {item.id for item in chosen}
    for cut in cuts:
        marks.setdefault(cut.after, []).append(Mark(mark_of(act, cut), cut, left_out_units(act, cut, shown)))
    tree = _Tree(act, {provision_of(item.id) for item in chosen})
    blocks: list[Block] = []
    for (section, _), members in groupby(chosen, key=lambda item: (item.section, tree.root(provision_of(item.id)))):
        lines = tuple(_lines(tree, members, marks))
        heading = lines[0].items[0].heading if not blocks or blocks[-1].section != section else ""
        blocks.append(Block(section, act.sections[section].label, heading, _citation(act, tree, lines), lines))
    return tuple(blocks)


class _Tree:
    """Which provision hangs from which, as far as a summary needs it."""

    def __init__(self, act: Act, chosen: set[str]) -> None:
        self.act, self._chosen = act, chosen
        self._above = {
            unit.provision: (act.units[anchor.place].provision, anchor.step)
            for unit, anchor in zip(act.units, anchors(act), strict=True)
            if anchor is not None
        }

    def root(self, provision: str) -> str:
        """The outermost chosen provision that this one hangs from or stands beside; itself if there is none."""
        return self._climbed(provision)[0]

    def level(self, provision: str) -> int:
        """How many steps it is below its root."""
        return self._climbed(provision)[1]

    def _climbed(self, provision: str) -> tuple[str, int]:
        root, level, steps = provision, 0, 0
        while above := self._above.get(provision):
            provision, step = above
            steps += step
            if provision in self._chosen:
                root, level = provision, steps
        return root, level


def _lines(tree: _Tree, items: Iterable[Item], marks: Mapping[str, Sequence[Mark]]) -> Iterator[Line]:
    """The lines of one block; marks of sentences stand in the text, all others on lines of their own."""
    for provision, members in groupby(items, key=lambda item: provision_of(item.id)):
        pieces: list[Item | Mark] = []
        apart: list[Mark] = []
        for item in members:
            pieces.append(item)
            for mark in marks.get(item.id, ()):
                (pieces if provision_of(mark.cut.ids[0]) == provision else apart).append(mark)
        line = Line(tuple(pieces), tree.level(provision), "")
        yield replace(line, citation=_cited(tree.act, line.items))
        for mark in apart:
            yield Line((mark,), tree.level(provision_of(mark.cut.ids[0])), "")


def mark_of(act: Act, cut: Cut) -> str:
    """The text of the mark for a cut: of points their number and, if they have any, their numbers."""
    if cut.kind != "points":
        return _ELLIPSIS
    written = [_written_number(act[name]) for name in cut.ids]
    if not all(written):
        return phrases(act.language).more_points(cut.count)
    numbers = ", ".join(written) if len(written) <= _FEW else f"{written[0]}–{written[-1]}"
    return phrases(act.language).more_points(cut.count, numbers)


def _written_number(unit: Unit) -> str:
    """The number of a point with the brackets that the act writes around it; empty for an indent.

    Stops go: "1." is 1.
    """
    if not unit.number:
        return ""
    found = re.match(rf"\(?\s?{re.escape(unit.number)}\s?\)?", unit.text)
    return found[0].strip() if found else unit.number


def _citation(act: Act, tree: _Tree, lines: Sequence[Line]) -> str:
    """How a block is cited: as its text if that is one line with points below, else as the paragraph around all."""
    outer = [line for line in lines if line.items and line.level == 0]
    if len(outer) == 1:
        return outer[0].citation
    return act.provision(tree.root(provision_of(outer[0].items[0].id))).citation


def _cited(act: Act, items: Sequence[Item]) -> str:
    """Sentences of one provision: as a run if they follow one another, as the provision if they do not, or are all."""
    first = items[0].citation
    if len(items) == 1:
        return first
    provision, place, last = provision_of(items[0].id), _place(items[0]), _place(items[-1])
    is_run = last - place == len(items) - 1
    is_whole = place == 1 and f"{provision}.s-{last + 1}" not in act
    if provision in act.wholes and (is_whole or not is_run):
        return act.wholes[provision]
    return cite_sentences(first, place, last, load(act.language))


def provision_of(name: str) -> str:
    """The id of a provision from that of one of its sentences, or from its own.

    >>> provision_of("art-5.par-1.s-2"), provision_of("art-5.par-1")
    ('art-5.par-1', 'art-5.par-1')
    """
    return _SENTENCE.sub("", name)


def _place(item: Item) -> int:
    """Which sentence of its provision it is, from 1; 0 for an item that is none."""
    found = _SENTENCE.search(item.id)
    return int(found[1]) if found else 0
