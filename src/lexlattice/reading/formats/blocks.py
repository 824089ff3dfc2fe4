"""What every format back-end produces: an act's text as a flat list of blocks.

A back-end knows its mark-up and nothing of law: it yields the lines of the act in reading order and, where
the mark-up itself says so, the role of a line. Everything else is decided by the one parser that all formats
share, so that the same act has the same skeleton whatever file it came in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import Enum


class Role(Enum):
    """What the mark-up says about a block; `None` in its place means: let the parser decide."""

    TITLE = "title"  # a line of the act's title
    ARTICLE = "article"  # "Article 5"
    DIVISION = "division"  # "CHAPTER II", and any other heading that encloses articles
    ANNEX = "annex"  # "ANNEX I"
    HEADING = "heading"  # the heading under the ARTICLE, DIVISION or ANNEX line just before
    GROUP = "group"  # a heading inside an annex: "PART A", "1. General"; its block's level says how deep, from 1
    OUTLINE = "outline"  # a heading of a text that may not be an act at all
    NOTE = "note"  # a footnote, with its marker: "(1) OJ L 12, 3.4.2005, p. 6."
    SIGNATURE = "signature"  # "Done at Brussels, …", "For the Council", "The President", the name
    QUOTED = "quoted"  # text of another act, quoted by an amendment: never opens a section of this act
    TABLE = "table"  # a row of a data table, its cells separated by tabs; rows of one table share a level
    CONTENTS = "contents"  # a line of a table of contents
    PAGE = "page"  # page headers, Official Journal references, consolidation marks, disclaimers


@dataclass(slots=True)
class Block:
    """One line of an act: text without line breaks, and its role when the mark-up gives it."""

    text: str
    role: Role | None = None
    level: int = 0
    """Of a GROUP heading its depth, outermost 1; of a TABLE row, and a NOTE to it, its table's number in the file."""


@dataclass(slots=True)
class Document:
    """A file taken apart: its blocks, and what the file says about itself outside the text."""

    blocks: list[Block]
    format: str
    celex: str | None = None
    language: str | None = None
    warnings: list[str] = field(default_factory=list)
    consolidated: str | None = None
    """Of a consolidated text its day, or nothing where the file does not state it; none for an act as adopted."""
    repealed: str | None = None
    """What repealed the act, where the file says so; empty if it says only that it is no longer in force."""
    incomplete: bool = False
    """Whether the file itself ends too early, whatever it says."""


def squeeze(text: str) -> str:
    r"""Collapse every run of white space, no-break spaces included, and strip the ends.

    >>> squeeze("  1.\u00a0\u00a0 The\n Parties ")
    '1. The Parties'
    """
    return " ".join(text.split())


def iso_day(year: str, month: str, day: str) -> str:
    """A day as ISO 8601; empty if there is no such day.

    >>> iso_day("2013", "07", "01"), iso_day("9999", "99", "99")
    ('2013-07-01', '')
    """
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
