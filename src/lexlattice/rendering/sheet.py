"""The outline of a summary as a document has it: one block after the other, each with its text and what it is.

Word and PDF differ in how blocks look, never in which there are, so that both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from lexlattice.act import Act
from lexlattice.phrases import phrases
from lexlattice.rendering.plain import number, parts, passages, title, told
from lexlattice.standing import standing
from lexlattice.summary import Item, Summary

KINDS: Final = ("overline", "title", "facts", "note", "heading", "citation", "text", "table", "why", "warning")
"""What a block can be."""

_DEEPEST: Final = 5
"""Indenting further would leave no room for the text."""
_WHITE: Final = re.compile(r"\r\n?|[\t\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a table."""

    kind: str
    """One of `KINDS`."""
    text: str
    level: int = 0
    """Of a heading, from 1 on; of a citation, its text and why it was chosen, how far they are indented."""
    stays: bool = False
    """Whether it is close to the next block, and on the same page: a provision whose reasons follow."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table, which has no other text; all with the same number of cells."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a document says, and what is to be known of the document itself."""

    language: str
    title: str
    celex: str
    type: str
    blocks: tuple[Block, ...]
    disclaimer: str
    page: str
    """With places for {page} and {pages}."""


def outline(summary: Summary, *, group: bool = False) -> Sheet:
    """What a summary says on paper; with `group` under the headings people know from official summaries."""
    act = summary.act
    words = phrases(act.language)
    name, celex = printable(title(summary)), printable(act.celex)
    facts = [
        f"{words.celex} {printable(number(act))}" if celex else "",
        f"{words.date} {printable(act.date)}" if act.date else "",
        *map(printable, standing(act)),
        words.words.format(words=summary.words, total=act.words),
    ]
    notices, remarks = told(summary)
    front = (
        Block("overline", words.summary),
        Block("title", name),
        Block("facts", " · ".join(fact for fact in facts if fact)),
        *(Block("warning", printable(notice)) for notice in notices),
        *(() if group or not summary.items else (Block("note", words.contents_note),)),
    )
    items = chain.from_iterable(
        _items(members, act, words.groups.get(heading, "")) for heading, members in parts(summary, group)
    )
    warnings = (Block("warning", printable(warning)) for warning in remarks)
    return Sheet(
        language=act.language if _LANGUAGE.fullmatch(act.language) else "en",
        title=name,
        celex=celex,
        type=printable(act.type),
        blocks=(*front, *items, *warnings),
        disclaimer=words.disclaimer,
        page=words.page,
    )


def printable(text: str) -> str:
    r"""The text with white space as spaces, and a replacement character for each that no document may hold.

    >>> printable("a\x0bb\ufffec")
    'a b�c'
    """
    return _UNPRINTABLE.sub("\ufffd", _WHITE.sub(" ", text))


def _items(items: Iterable[Item], act: Act, group: str) -> Iterator[Block]:
    """The blocks of some items: a heading for each section that has one, then citations and texts."""
    level = 1
    if group:
        yield Block("heading", group, level)
        level += 1
    for passage in passages(items, act):
        if passage.heading:
            label = act.sections[passage.items[0].section].label
            yield Block("heading", printable(f"{label} — {passage.heading}" if label else passage.heading), level)
        depth = _depth(passage.items[0], act)
        yield Block("citation", printable(passage.citation), depth)
        if passage.rows:
            yield Block("table", "", depth, rows=tuple(tuple(map(printable, row)) for row in passage.rows))
        else:
            yield Block("text", printable(passage.text), depth, stays=bool(passage.reasons))
        for reason in passage.reasons:
            yield Block("why", printable(reason), depth)


def _depth(item: Item, act: Act) -> int:
    """How many provisions a point or indent hangs from: 2 for (ii) in "2. … (b) … (ii)", 0 for the paragraph itself."""
    path = item.id.split(".")
    hangs = [
        place
        for place, part in enumerate(path)
        if part.startswith(("pt-", "qpt-", "ind-")) and act.sentences(".".join(path[:place]))
    ]
    return min(len(hangs), _DEEPEST)
