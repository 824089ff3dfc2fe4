"""Plain text and Markdown: each line is a block."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from lexlattice.reading.formats.blocks import Block, Document, Role
from lexlattice.reading.languages.numbering import marker

_UNUSUAL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x85\xa0\xad\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\ud800-\udfff]"
)
_BREAKS: Final = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_SPACES: Final = "\x1f\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_HEADING: Final = re.compile(r"#{1,6}\s+(?=\S)")
_EMPHASIS: Final = re.compile(r"(?<!\w)(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")
_ITEM: Final = re.compile(r"\A[-*+]\s+(?=\(?\w{1,4}\)\s|\d{1,3}[.)]\s)")
_CLOSING: Final = re.compile(r"\s#{1,6}\Z")
# A Markdown footnote or a reference to one: [^1]
_FOOTNOTE: Final = re.compile(r"\[\^(\w+)\]:?")
_NOTE: Final = re.compile(r"\((?:\d{1,3}|\*{1,4}\d?)\)[ \u00a0]{2,}\S")
_BARE: Final = re.compile(r"\(?(?:\d{1,3}|[a-z])\)$")
_MIN_HEADINGS: Final = 2
"""Markdown headings that make a text Markdown."""
_MIN_BARE: Final = 3
"""Markers on separate lines that show the layout in which a marker with two spaces after it opens a footnote."""
_SEARCHED: Final = 2000
"""Lines that are searched for these."""


def read_text(text: str) -> Document:
    """Split a text into lines.

    Runs of spaces are kept, since two spaces can mark the end of a paragraph.
    """
    lines = text.split("\n")
    if not all(map(str.isprintable, lines)):  # most texts need no cleaning, and this test is much faster
        lines = _UNUSUAL.sub(_replacement, text.replace("\r\n", "\n")).split("\n")
    if _is_wrapped(lines):
        lines = _unwrap(lines)
    lines = [line for line in map(str.strip, lines) if line]
    if sum(bool(_HEADING.match(line)) for line in lines[:_SEARCHED] if line[0] == "#") >= _MIN_HEADINGS:
        return Document(_markdown(lines), "markdown")
    if sum(bool(_BARE.match(line)) for line in lines[:_SEARCHED] if len(line) < 6) >= _MIN_BARE:
        blocks = [Block(line, Role.NOTE if line[0] == "(" and _NOTE.match(line) else None) for line in lines]
    else:
        blocks = [Block(line) for line in lines]
    return Document(blocks, "text")


def _replacement(match: re.Match[str]) -> str:
    """Replace an unusual break or space by a plain one and a lone surrogate by U+FFFD; remove control characters."""
    character = match.group()
    if character in _SPACES:
        return " "
    if character in _BREAKS:
        return "\n"
    return "\ufffd" if "\ud800" <= character <= "\udfff" else ""


def _is_wrapped(lines: list[str]) -> bool:
    """Whether lines are wrapped at a fixed width, with blank lines between paragraphs."""
    if any(len(line) > 120 and not line.isspace() for line in lines[:3000]):  # true of most texts, and soon seen
        return False
    filled = [line for line in lines[:3000] if line.strip()]
    if len(filled) < 8 or len(filled) == len(lines[:3000]):
        return False
    broken = sum(
        1
        for line, following in pairwise(lines[:3000])
        if len(line) > 40 and line.rstrip()[-1:] not in ".;:" and following.strip()[:1].islower()
    )
    return broken > 0.2 * len(filled)


def _unwrap(lines: list[str]) -> list[str]:
    """Join wrapped lines: a paragraph ends at a blank line, or where a marker begins another."""
    paragraphs: list[list[str]] = []
    ended = True
    for line in lines:
        text = line.strip()
        is_heading = text[:1] == "#" and _HEADING.match(text) is not None
        if text and not ended and not is_heading and marker(text.lstrip("`")) is None:
            paragraphs[-1].append(text)
        elif text:
            paragraphs.append([text])
        ended = not text or is_heading
    return [" ".join(paragraph) for paragraph in paragraphs]


def _markdown(lines: list[str]) -> list[Block]:
    """Remove Markdown mark-up; the parser decides by its words whether a heading is that of an article or a chapter."""
    blocks: list[Block] = []
    for line in lines:
        if set(line) <= set("-*_= ") and len(line) >= 3:
            continue  # a horizontal rule
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not set(line) <= set("|-: \t"):  # not the rule below the head of a table
                blocks.append(Block("\t".join(cell for cell in cells if cell), Role.TABLE))
            continue
        is_note = line.startswith("[^")
        line = _FOOTNOTE.sub(r"(\1)", _EMPHASIS.sub(r"\2", _ITEM.sub("", line)))
        heading = _HEADING.match(line)
        if heading:
            blocks.append(Block(_CLOSING.sub("", line[heading.end() :]), Role.OUTLINE))
        else:
            blocks.append(Block(line, Role.NOTE if is_note else None))
    return blocks
