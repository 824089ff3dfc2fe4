"""What the decoder knows of a language, from `[selection]` and `[references]` in `reading/languages/*.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from lexlattice.reading.grammar import raw
from lexlattice.reading.wording import flat, wording

_FALLBACK: Final = "en"
_OPENING: Final = 80
"""Characters at the head of a sentence within which it points back, or does not."""
_NUMBERING: Final = r"(?:\W*\(?\w{1,3}[.)]+)?\W*"
"""What may stand before the first word: the number of a paragraph, a dash, a quotation mark."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_STEM_END: Final = re.compile(r"[*\s]")
_NAMED_AFTER: Final = 2
"""Among so many words behind "this", one for an act or a provision makes it "this Regulation", which points nowhere."""
_NUMBERS: Final = r"(?P<number>\d{1,3})[^\W\d_]?(?!\d|/)"
_NEAR: Final = 40
"""Characters around "paragraph 1" in which "Article 5" may stand, of which it is a paragraph."""


class SelectionWording:
    """The words of one language that tell the decoder what belongs together."""

    def __init__(self, language: str) -> None:
        table = raw(language)["selection"]
        self._wording = wording(language)
        self._back = re.compile(rf"{_NUMBERING}(?:{_either(table['back'])})(?!\w)")
        both = _either(table["cumulative"])
        self._and_behind = re.compile(rf"(?<!\w)(?:{both})\W*$")
        self._and_before = re.compile(rf"{_NUMBERING}(?:{both})(?!\w)")
        self._scope = re.compile(rf"(?<!\w)(?:{_either(table['scope'])})(?!\w)")
        self._repeal = re.compile(rf"(?<!\w)(?:{_either(table['repeal'])})(?!\w)")
        words = raw(language)["references"]
        paragraph, article = _either(words["paragraph"]), _either(words["article"])
        self._stems = {_STEM_END.split(plain(entry))[0] for entry in words["paragraph"]}
        self._paragraph = re.compile(rf"(?<!\w)(?:{_with_number(paragraph, 'paragraph' in words['before'])})")
        cited = _with_number(article, "article" in words["before"]).replace("?P<number>", "?:")
        joints = _either([*words["of"], *words["the"]])
        self._article_before = re.compile(rf"(?<!\w)(?:{cited})[\s,.()]*$")
        self._article_behind = re.compile(rf"[^\w,;]*(?:(?:{joints})[\s']?)*(?:{cited})")

    def points_back(self, text: str) -> bool:
        """Whether a sentence begins by pointing to the one before: "Those measures …", not "This Regulation …"."""
        head = plain(text[:_OPENING])
        found = self._back.match(head)
        if found is None:
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
        head = plain(text)
        if not any(stem in head for stem in self._stems):  # most texts have none, which is seen much faster so
            return
        for found in self._paragraph.finditer(head):
            before, behind = head[max(0, found.start() - _NEAR) : found.start()], head[found.end() :][:_NEAR]
            if not self._article_before.search(before) and not self._article_behind.match(behind):
                yield found["number"]


def plain(text: str) -> str:
    """A text as the words of the language files are compared: without case, accents and kinds of apostrophes."""
    if text.isascii():
        return text.lower()
    return flat(text).replace("’", "'").replace("ʼ", "'")


@cache
def selection_wording(language: str) -> SelectionWording:
    """The words of a language; those of English where there is no file for it."""
    try:
        return SelectionWording(language)
    except (FileNotFoundError, IsADirectoryError):
        return SelectionWording(_FALLBACK)


def _either(entries: Iterable[str]) -> str:
    """A pattern for entries of the language file, the longest first: * stands for letters."""
    ordered = sorted(entries, key=len, reverse=True)
    return "|".join(re.escape(plain(entry)).replace(r"\*", r"\w*").replace(r"\ ", r"\s") for entry in ordered)


def _with_number(words: str, number_first: bool) -> str:
    """A word with its number behind it, or before it where the language has it so."""
    return rf"{_NUMBERS}\W{{0,2}}\s?(?:{words})(?!\w)" if number_first else rf"(?:{words})\.?\s?\(?{_NUMBERS}"
