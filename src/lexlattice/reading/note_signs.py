"""The sign of a footnote: the number it is cited by, with the asterisk that tells notes of quoted text from others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.numbering import Marker

_STARRED: Final = re.compile(r"\(?\*(\d{1,3})\s?\)?")


def note_name(line: str, mark: Marker | None) -> str:
    """The number of a footnote as it is cited, "3" or "*11"; empty if it has none.

    >>> note_name("(*11) OJ L 1, 3.1.2020, p. 1.", None)
    '*11'
    """
    starred = _STARRED.match(line)
    if starred is not None:
        return f"*{starred.group(1)}"
    return mark.number if mark is not None else ""


def note_names(lines: Sequence[str], marks: Sequence[Marker | None]) -> list[str]:
    """The names of the footnotes of one section: their own numbers, or their places where these do not tell them."""
    own = [note_name(line, mark) for line, mark in zip(lines, marks, strict=True)]
    return own if all(own) and len(set(own)) == len(own) else [str(n) for n in range(1, len(own) + 1)]


def note_step(name: str) -> str:
    """A footnote's step in ids, which have no asterisk in them.

    >>> note_step("3"), note_step("*11")
    ('note-3', 'note-star11')
    """
    return f"note-{name.replace('*', 'star')}"
