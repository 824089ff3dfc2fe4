"""What the decoder knows of a language, from `[selection]` and `[references]` in `reading/languages/*.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from lexlattice.reading.grammar import raw
from lexlattice.reading.wording import wording
from lexlattice.selection.naming import NEVER, Naming, either, plain

_FALLBACK: Final = "en"
_OPENING: Final = 80
"""Characters at the head of a sentence within which it points back, or does not."""
_NUMBERING: Final = r"(?:\W*\(?\w{1,3}[.)]+)?\W*"
"""What may stand before the first word: the number of a paragraph, a dash, a quotation mark."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NAMED_AFTER: Final = 2
"""Among so many words behind "this", one for an act or a provision makes it "this Regulation", which points nowhere."""


class SelectionWording:
    """The words of one language that tell the decoder what belongs together."""

    def __init__(self, language: str) -> None:
        table = raw(language)["selection"]
        self._wording = wording(language)
        self._back = re.compile(rf"{_NUMBERING}(?:{either(table['back'])})(?!\w)")
        self._impersonal = re.compile(rf"{_NUMBERING}(?:{either(table['impersonal']) or NEVER})(?!\w)")
        both = either(table["cumulative"])
        self._and_behind = re.compile(rf"(?<!\w)(?:{both})\W*$")
        self._and_before = re.compile(rf"{_NUMBERING}(?:{both})(?!\w)")
        self._scope = re.compile(rf"(?<!\w)(?:{either(table['scope'])})(?!\w)")
        self._repeal = re.compile(rf"(?<!\w)(?:{either(table['repeal'])})(?!\w)")
        self._named = Naming(raw(language))

    def points_back(self, text: str, may_be_impersonal: bool = False) -> bool:
        """Whether a sentence begins by pointing to the one before: "Those measures …", not "This Regulation …".

        Where it may be impersonal, as recitals often are, "It is appropriate …" does not.
        """
        head = plain(text[:_OPENING])
        found = self._back.match(head)
        if found is None or (may_be_impersonal and self._impersonal.match(head)):
            return False
        behind = _WORD.findall(head, found.end())[:_NAMED_AFTER]
        return not any(role.act or role.levels or "other" in role.flags for role in map(self._wording.role, behind))

    def joins(self, before_last: str, last: str) -> bool:
        """Whether a list means all its points, by what joins the last one to the one before it."""
        return bool(self._and_behind.search(plain(before_last[-24:])) or self._and_before.match(plain(last[:40])))

    def heads_scope(self, heading: str) -> bool:
        """Whether the heading of an article says that it is about scope."""
        return bool(self._scope.search(plain(heading)))

    def repeals(self, text: str) -> bool:
        """Whether a provision says that something is repealed."""
        return bool(self._repeal.search(plain(text)))

    def paragraphs(self, text: str) -> Iterator[str]:
        """The numbers of the paragraphs of its own article that a text refers to."""
        return self._named.paragraphs(plain(text))

    def subparagraphs(self, text: str, has_numbers: bool) -> Iterator[int]:
        """Which subparagraphs of its own paragraph a text refers to, from 1; or paragraphs if these have no numbers."""
        return self._named.subparagraphs(plain(text), has_numbers)


@cache
def selection_wording(language: str) -> SelectionWording:
    """The words of a language; those of English where there is no file for it."""
    try:
        return SelectionWording(language)
    except (FileNotFoundError, IsADirectoryError):
        return SelectionWording(_FALLBACK)
