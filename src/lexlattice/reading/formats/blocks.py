"""The common output of all back-ends: an act's text as a flat list of blocks.

A back-end knows its mark-up and nothing about law. It returns the lines of the act in reading order and, where the
mark-up states it, the role of a line. Everything else is decided by the parser in `structure`, which all formats share,
so that an act has the same structure whatever file it came in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import Enum


class Role(Enum):
    """What the mark-up says about a block; a block without a role is left to the parser."""

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
    """The depth of a GROUP heading, from 1; the number of the table in the file for a TABLE row and a NOTE to it."""


@dataclass(slots=True)
class Document:
    """The content of a file: its blocks, and the metadata that it states outside the text."""

    blocks: list[Block]
    format: str
    celex: str | None = None
    language: str | None = None
    warnings: list[str] = field(default_factory=list)
    consolidated: str | None = None
    """The date of a consolidated text, empty if the file does not state it; `None` for an act as adopted."""
    repealed: str | None = None
    """The act that repealed this one, empty if the file only says that it is no longer in force; else `None`."""
    incomplete: bool = False
    """Whether the file is truncated."""


def squeeze(text: str) -> str:
    r"""Replace each run of white space, including no-break spaces, by one space and strip both ends.

    >>> squeeze("  1.\u00a0\u00a0 The\n Parties ")
    '1. The Parties'
    """
    return " ".join(text.split())


def iso_day(year: str, month: str, day: str) -> str:
    """Return a date in ISO 8601; empty if there is no such date.

    >>> iso_day("2013", "07", "01"), iso_day("9999", "99", "99"), iso_day("2013", "07", "1" * 20)
    ('2013-07-01', '', '')
    """
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except (ValueError, OverflowError):  # the latter for numbers that no machine integer holds
        return ""
