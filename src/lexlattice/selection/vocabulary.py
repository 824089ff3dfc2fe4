"""How a language names paragraphs and subparagraphs, from `[references]` and `[citation]` of its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from lexlattice.reading.citations.vocabulary import fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import raw

_WORD: Final = re.compile(r"[^\W\d_]+")
_STEM_END: Final = re.compile(r"[*\s]")
_NUMBER: Final = r"\d{1,3}[^\W\d_]?(?!\d|/)"
_ENTRY: Final = rf"{_NUMBER}\.?\)?(?:\s?\([^\W\d_]{{1,3}}\))*"
"""A number of several, with the points behind it: "1(a)", "1.", "(1)"."""
_LAW: Final = rf"§\s?{_NUMBER}|{_NUMBER}\s§"
"""A section of a national law, which has paragraphs of its own."""
_SHORT: Final = r"(?:[^\W\d_]{1,4}[\s'-])"
"""An article or a preposition, as may stand before a number or ordinal."""
_DASH: Final = "-‐‑‒–—"
_LONGEST: Final = 30
"""Numbers that a range has at most: "paragraph 1 to 180 days" is none."""
_FIGURE: Final = re.compile(r"(\d+)(?:[^\W\d_](?!\w))?")
NEVER: Final = "(?!)"
"""A pattern that matches nothing, for a list without entries."""
_NEAR: Final = 40
"""Characters around "paragraph 1" in which "Article 5" may stand, of which it is a paragraph."""


class Naming:
    """The patterns of one language."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        words, cited = table["references"], table["citation"]
        paragraph, subparagraph = words["paragraph"], words["subparagraph"]
        self._stems = _stems(paragraph)
        span = either(words["range"]) or NEVER
        self._range = re.compile(rf"[{_DASH}]|(?<!\w)(?:{span})(?!\w)")
        joint = rf",?\s(?:{either([*words['list'], *words['range']])})\s{_SHORT}?"
        numbers = _several(_ENTRY, rf"\s?[{_DASH}]\s?\(?|{joint}\(?")
        numbers = rf"(?:{_SHORT}(?=\(?{_ENTRY}\s(?:{span})\s))?{numbers}"  # "paragraphs from 1 to 4"
        a_paragraph = _with_number(either(paragraph), numbers, "paragraph" in words["before"])
        an_article = _with_number(either(words["article"]), _NUMBER, "article" in words["before"])
        self._paragraph = re.compile(rf"(?<!\w)(?:{a_paragraph})")
        of = either([*words["of"], *words["the"]])
        self._within_article = _Within(of, an_article)
        self._within_paragraph = _Within(of, rf"{an_article}|{a_paragraph}")
        forms = [either(form.split("|")) for form in words["ordinals"]]
        self._ordinal = [re.compile(form) for form in forms]
        ordinals = _several(rf"(?:{'|'.join(forms)})(?!\w)", joint)
        self._subparagraph = _Ordered(subparagraph, ordinals, numbers, cited["subparagraph"]["final"])
        self._unnumbered = _Ordered([*paragraph, *subparagraph], ordinals, numbers, cited["unnumbered"]["final"])

    def paragraphs(self, text: str) -> Iterator[str]:
        """The numbers of paragraphs of its own article in a plain text."""
        if not any(stem in text for stem in self._stems):  # most texts have none, which is seen much faster so
            return
        for found in self._paragraph.finditer(text):
            if not self._within_article.holds(found):
                yield from self._numbers(found["numbers"])

    def subparagraphs(self, text: str, has_numbers: bool) -> Iterator[int]:
        """Which subparagraphs of its own paragraph are in a plain text."""
        for found in (self._subparagraph if has_numbers else self._unnumbered).find(text):
            if not self._within_paragraph.holds(found):
                parts = found.groupdict()
                yield from self._ordinals(parts["before"] or parts.get("behind") or "")
                yield from (int(number) for number in self._numbers(parts.get("numbers") or "") if number.isdigit())

    def _numbers(self, run: str) -> Iterator[str]:
        """The numbers of "1, 2 and 4 to 6", with those that a range leaves unsaid."""
        before, end = "", 0
        for found in _FIGURE.finditer(run):
            if before.isdigit() and self._range.search(run, end, found.start()):
                first, last = int(before) + 1, int(found[1])
                yield from map(str, range(first, last) if last - first < _LONGEST else ())
            before, end = found.group(), found.end()
            yield before

    def _ordinals(self, run: str) -> Iterator[int]:
        """The numbers of "first, second and third", with those that a range leaves unsaid."""
        before, end = 0, 0
        for found in _WORD.finditer(run):
            number = next((n for n, form in enumerate(self._ordinal, 1) if form.fullmatch(found.group())), 0)
            if number:
                is_range = before and self._range.search(run, end, found.start())
                yield from range(before + 1 if is_range else number, number + 1)
                before, end = number, found.end()


class _Ordered:
    """A word with its ordinals before it; also with ordinals or numbers behind it, where citations are written so."""

    def __init__(self, entries: Sequence[str], ordinals: str, numbers: str, citation: str) -> None:
        self._stems, words = _stems(entries), rf"(?:{either(entries)})(?!\w)"
        choices = [rf"(?P<before>{ordinals})'?\s{words}"]
        if citation.endswith("}"):  # what stands behind the word otherwise is of another level
            choices.append(rf"{words}\s(?P<behind>{ordinals})")
        if "{n}" in citation:
            choices.append(_with_number(either(entries), numbers, number_first=False))
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(choices)})")

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Where it is in a plain text."""
        return self._pattern.finditer(text) if any(stem in text for stem in self._stems) else iter(())


class _Within:
    """Whether what is named stands in something else that is named beside it: "paragraph 2 of Article 5"."""

    def __init__(self, of: str, other: str) -> None:
        other = rf"{other}|{_LAW}".replace("?P<numbers>", "?:")
        self._before = re.compile(rf"(?<!\w)(?:{other})(?:[\s,.()]|\(\w{{1,3}}\)|\.\d{{1,3}})*$")
        self._behind = re.compile(rf"[^\w,;]*(?:(?:{of})[\s']?)*(?:{other})")

    def holds(self, found: re.Match[str]) -> bool:
        """Whether the other one stands right before or behind a match."""
        text, start, end = found.string, found.start(), found.end()
        return bool(
            self._before.search(text[max(0, start - _NEAR) : start]) or self._behind.match(text[end : end + _NEAR])
        )


def plain(text: str) -> str:
    """A text as the words of the language files are compared: without case, diacritics and kinds of apostrophes."""
    if text.isascii():
        return text.lower()
    return fold_letters(text).replace("’", "'").replace("ʼ", "'")


def either(entries: Iterable[str]) -> str:
    """A pattern for entries of the language file, the longest first: * stands for letters."""
    ordered = sorted(entries, key=len, reverse=True)
    return "|".join(re.escape(plain(entry)).replace(r"\*", r"\w*").replace(r"\ ", r"\s") for entry in ordered)


def _stems(entries: Iterable[str]) -> set[str]:
    """What a text has that has one of these entries."""
    return {_STEM_END.split(plain(entry))[0] for entry in entries}


def _several(one: str, joint: str) -> str:
    """A pattern for one or more of the same: with commas, and a joint before the last."""
    return rf"{one}(?:(?:,\s\(?{one})*(?:{joint}){one})*"


def _with_number(words: str, numbers: str, number_first: bool) -> str:
    """A word with its numbers behind it, or before it where the language has them so."""
    numbers = rf"(?P<numbers>{numbers})"
    return rf"{numbers}\W{{0,2}}\s?(?:{words})(?!\w)" if number_first else rf"(?:{words})\.?\s?\(?{numbers}"


# What the decoder knows of a language, from `[selection]` and `[references]` in `reading/languages/*.toml`.

_FALLBACK: Final = "en"
_OPENING: Final = 80
"""Characters at the head of a sentence within which it points back, or does not."""
_NUMBERING: Final = r"(?:\W*\(?\w{1,3}[.)]+)?\W*"
"""What may stand before the first word: the number of a paragraph, a dash, a quotation mark."""
_NAMED_AFTER: Final = 2
"""A word for an act or a provision among the first N words after "this" makes it "this Regulation", no reference."""


class SelectionWording:
    """The words of one language that tell the decoder what belongs together."""

    def __init__(self, language: str) -> None:
        table = raw(language)["selection"]
        self._wording = load_vocabulary(language)
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
