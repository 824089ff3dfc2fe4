"""The outline of a summary as a document has it: one piece after the other, each with its text and what it is.

Word and PDF differ in how pieces look, never in which there are, so that both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final

from lexlattice.act.summary import Summary
from lexlattice.rendering.blocks import Block, Line
from lexlattice.rendering.cover import cover, is_set_small, now
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import disclaimer
from lexlattice.rendering.text import number, parts, title, told

KINDS: Final = (
    *("overline", "title", "small_title", "facts", "note", "heading", "citation"),
    *("text", "table", "cut", "why", "warning"),
)
"""What a piece can be."""

_DEEPEST: Final = 5
"""Indenting further would leave no room for the text."""
_WHITE: Final = re.compile(r"\r\n?|[\t\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph or a table."""

    kind: str
    """One of `KINDS`."""
    text: str
    level: int = 0
    """Of a heading, from 1 on; of a text, a mark and the reasons, how far they are indented."""
    stays: bool = False
    """Whether it is close to the next piece, and on the same page: what its reasons, a list or a mark follow."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table, which has no other text; all with the same number of cells."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a document says, and what is to be known of the document itself."""

    language: str
    title: str
    celex: str
    type: str
    pieces: tuple[Piece, ...]
    disclaimer: str
    page: str
    """With places for {page} and {pages}."""
    subject: str
    """What the document is: "Extract · Regulation (EU) 2016/679"."""
    made: str
    """When it was made, in UTC: 2026-11-18T09:30:00."""


def outline(summary: Summary, *, group: bool = False) -> Sheet:
    """What a summary says on paper; with `group` under the headings people know from official summaries."""
    act = summary.act
    words = phrases(act.language)
    name, celex = printable(title(summary)), printable(act.celex)
    facts = cover(
        summary,
        celex=f"{words.celex} {number(act)}" if celex else "",
        day=f"{words.date} {act.date}" if act.date else "",
    )
    notices, remarks = told(summary)
    front = (
        Piece("overline", words.summary),
        Piece("small_title" if is_set_small(act) else "title", name),
        Piece("facts", printable(" · ".join(facts))),
        *(Piece("warning", printable(notice)) for notice in notices),
        *(() if group or not summary.items else (Piece("note", words.contents_note),)),
    )
    provisions = chain.from_iterable(
        _provisions(blocks, words.groups.get(name, "")) for name, blocks in parts(summary, group)
    )
    warnings = (Piece("warning", printable(warning)) for warning in remarks)
    return Sheet(
        language=act.language if _LANGUAGE.fullmatch(act.language) else "en",
        title=name,
        celex=celex,
        type=printable(act.type),
        pieces=(*front, *provisions, *warnings),
        disclaimer=disclaimer(act),
        page=words.page,
        subject=printable(" · ".join(filter(None, (words.extract, act.name)))),
        made=now().replace(tzinfo=None).isoformat(),
    )


def printable(text: str) -> str:
    r"""The text with white space as spaces, and a replacement character for each that no document may hold.

    >>> printable("a\x0bb\ufffec")
    'a b�c'
    """
    return _UNPRINTABLE.sub("\ufffd", _WHITE.sub(" ", text))


def _provisions(blocks: Iterable[Block], group: str) -> Iterator[Piece]:
    """The pieces of some provisions: a heading for each section that has one, then citations and texts.

    A citation that would only repeat the heading is left out: "Article 5" below "Article 5 — Penalties".
    """
    level = 1
    if group:
        yield Piece("heading", group, level)
        level += 1
    for block in blocks:
        if block.heading:
            name = f"{block.label} — {block.heading}" if block.label else block.heading
            yield Piece("heading", printable(name), level)
        if not (block.heading and block.citation == block.label):
            yield Piece("citation", printable(block.citation))
        for line, following in zip_longest(block.lines, block.lines[1:]):
            yield from _pieces(line, following)


def _pieces(line: Line, following: Line | None) -> Iterator[Piece]:
    """A line with its reasons; what leads in a list stays with its first point, and what is before a mark with that."""
    depth = min(line.level, _DEEPEST)
    leads_in = following is not None and (following.level > line.level or not following.items)
    if line.rows:
        yield Piece("table", "", depth, rows=tuple(tuple(map(printable, row)) for row in line.rows))
    elif line.items:
        yield Piece("text", printable(line.text), depth, stays=leads_in or bool(line.reasons))
    else:
        yield Piece("cut", printable(line.text), depth)
    for reason in line.reasons:
        yield Piece("why", printable(reason), depth)
