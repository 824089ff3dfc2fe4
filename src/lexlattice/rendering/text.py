"""A summary as text, for a terminal or a mail, and as Markdown: the act's words are wrapped or escaped, never changed.

Both tell the same in the same order: the title, a line of facts, the provisions, what there is to know, the disclaimer.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from lexlattice.act.document import Act
from lexlattice.act.summary import Summary
from lexlattice.rendering.blocks import Block, Line, blocks_of
from lexlattice.rendering.cover import cover
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import disclaimer, notices

WIDTH: Final = 100
_INDENT: Final = "    "
_DEEPEST: Final = 5
"""Indenting further would leave no room for the text."""
_WHITE: Final = re.compile(r"[ \t\n\r\f\v]+")
_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&#~$]")
"""What is mark-up wherever it stands; dollars, because many wikis take what is between two of them for a formula."""
_MARKER: Final = re.compile(r"^([0-9]*)([-+.)])")
"""What would begin a list: "1. Member States …" is a paragraph of an act."""


def to_text(summary: Summary, *, group: bool = False) -> str:
    """Wrapped at 100 columns, each provision indented below its citation, and its points below what leads them in."""
    words = phrases(summary.act.language)
    head, remarks = told(summary)
    blocks = [f"{_wrapped(title(summary))}\n{_wrapped(_facts(summary))}", *map(_wrapped, head)]
    for name, provisions in parts(summary, group):
        if name:
            heading = words.groups[name]
            blocks.append(f"{heading}\n{'─' * len(heading)}")
        for block in provisions:
            first = f"{block.citation} · {block.heading}" if block.heading else block.citation
            lines = (shown for line in block.lines for shown in _text_lines(line))
            blocks.append("\n".join([_wrapped(first), *lines]))
    return "\n\n".join([*blocks, *map(_wrapped, (*remarks, disclaimer(summary.act)))])


def to_markdown(summary: Summary, *, group: bool = False) -> str:
    """With headings and bold citations; what the act writes shows as it is, whatever it means in Markdown."""
    words = phrases(summary.act.language)
    head, remarks = told(summary)
    blocks = [f"# {escaped(title(summary))}", escaped(_facts(summary)), *(f"**{escaped(notice)}**" for notice in head)]
    for name, provisions in parts(summary, group):
        if name:
            blocks.append(f"## {escaped(words.groups[name])}")
        for block in provisions:
            heading = f" · {escaped(block.heading)}" if block.heading else ""
            blocks += [f"**{escaped(block.citation)}**{heading}", *_markdown(block.lines)]
    return "\n\n".join([*blocks, *map(escaped, remarks), escaped(disclaimer(summary.act))])


def title(summary: Summary) -> str:
    """What the act is called, or what else it is known by."""
    return summary.act.title or summary.act.celex or phrases(summary.act.language).summary


def number(act: Act) -> str:
    """The CELEX number of the text that was read: of a consolidated one its own, if it is known."""
    return act.consolidated_celex or act.celex


def told(summary: Summary) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What nobody may miss, for the head and in the act's language; and the other warnings, for the end."""
    known = notices(summary.act)
    head = tuple(warning for warning in summary.warnings if warning in known)
    return head, tuple(warning for warning in summary.warnings if warning not in known)


def parts(summary: Summary, group: bool) -> Iterator[tuple[str, tuple[Block, ...]]]:
    """Blocks, with the name of the group whose heading they stand under.

    Ungrouped they stand under none, in the order of the act; but related documents are no provisions, and always come
    last, under their own.
    """
    groups = summary.groups()
    if not group:
        related = groups.pop("related", ())
        groups = {"": tuple(item for item in summary if item.group != "related"), "related": related}
    for name, items in groups.items():
        if items:
            yield name, blocks_of(summary.act, items, summary.cuts)


def escaped(text: str) -> str:
    r"""A line of Markdown that shows this text.

    >>> print(escaped("1. See [Annex I]*"))
    1\. See \[Annex I\]\*
    """
    line = _WHITE.sub(" ", text).strip()
    return _MARKER.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", line))


def _text_lines(line: Line) -> Iterator[str]:
    indent = _INDENT * (min(line.level, _DEEPEST) + 1)
    yield from _table(line.rows, indent) if line.rows else [_wrapped(line.text, indent)]
    yield from (_wrapped(reason, indent) for reason in line.reasons)


def _markdown(lines: Sequence[Line]) -> Iterator[str]:
    """Paragraphs, and lists nested as the points are; tables stand outside of lists, which cannot hold them."""
    for is_list, run in groupby(lines, key=lambda line: line.level > 0 and not line.rows):
        if is_list:
            yield "\n".join(_markdown_points(tuple(run)))
        else:
            yield from (
                piece
                for line in run
                for piece in (_markdown_text(line), *(f"*{escaped(why)}*" for why in line.reasons))
            )


def _markdown_points(lines: Sequence[Line]) -> Iterator[str]:
    """Entries of a list; one that is nested deeper than the list before it allows moves out as far as it must."""
    depth = 0
    for line in lines:
        depth = min(line.level, depth + 1)
        indent = "  " * (depth - 1)
        yield f"{indent}- {escaped(line.text)}"
        for reason in line.reasons:
            yield f"\n{indent}  *{escaped(reason)}*\n"


def _markdown_text(line: Line) -> str:
    """A paragraph; of a table the first row is its head, since Markdown has no table without one."""
    if not line.rows:
        return escaped(line.text)
    rows = [[escaped(cell).replace("|", "\\|") for cell in row] for row in line.rows]
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _facts(summary: Summary) -> str:
    act = summary.act
    return " · ".join(cover(summary, celex=number(act), day=act.date, language=act.language))


def _table(rows: Sequence[Sequence[str]], indent: str) -> list[str]:
    """A line for each row, with bars between its cells; if there is no room for columns, it goes on in the next."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if len(indent) + sum(widths) + 3 * (len(widths) - 1) <= WIDTH:
        padded = (" | ".join(map(str.ljust, row, widths)) for row in rows)
        return [f"{indent}{row}".rstrip() for row in padded]
    ends = [max((place for place, cell in enumerate(row, 1) if cell), default=1) for row in rows]
    return [_wrapped(" | ".join(row[:end]), indent, f"{indent}  ") for row, end in zip(rows, ends, strict=True)]


def _wrapped(text: str, indent: str = "", below: str | None = None) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if below is None else below,
        break_long_words=False,
        break_on_hyphens=False,
    )
