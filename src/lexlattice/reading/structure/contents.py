"""Tables of contents: runs of headers and headings that are repeated further below, where the text is.

A table of contents is recognised by its title ("CONTENTS") or by the repetition of its entries. Its position does not
help: it may be above the preamble, below it, or at the beginning of an annex. If one were missed, its last line would
open an annex that contains the rest of the act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import Grammar, Header, fold
from lexlattice.reading.languages.numbering import from_roman

FEWEST_HEADERS: Final = 4
"""Headers in a table of contents without a title, at least."""
FEWEST_ENTRIES: Final = 3
"""Entries in a table of contents with a title, at least."""
LONGEST_NAME: Final = 30
"""Characters of a title that the language file does not have."""
TITLE_WINDOW: Final = 10
"""Lines above a table, and at its end, among which the act's title is searched."""
MAX_BETWEEN: Final = 3
"""Other lines between a table and the first sentence below it, such as the name of a party."""
SHORTEST_SENTENCE: Final = 12
"""Characters of a sentence, at least."""
LONGEST_ENTRY: Final = 400
"""Characters of an entry."""
LONGEST_TITLE: Final = 60
"""Characters of the title of a table of contents."""
PAGE_SHARE: Final = 0.2
"""Share of lines that are page numbers in a table that has them."""

_PUNCTUATION: Final = " .,:;-–—…"
_NUMBER_BEFORE: Final = re.compile(r"\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+(?=\D)")
"""The number of an entry: "(3) Scope", "2.1. Scope"."""
_PAGE: Final = re.compile(r"\d{1,4}$")
_PAGE_AT_END: Final = re.compile(r"(?:\s|\.{2}|…)[\s.…]*\d{1,4}$")
"""The page number of an entry with its leader: "Scope ..... 12"."""
_ENTRY_ROLES: Final = (None, Role.OUTLINE, Role.TABLE)
"""Roles that entries may have."""

Key = str | tuple[str, str]
"""What identifies an entry: its words, or kind and number of its header."""


class Contents:
    """Finds the tables of contents among the lines of an act."""

    def __init__(
        self,
        texts: Sequence[str],
        heads: Sequence[str],
        roles: Sequence[Role | None],
        headers: Sequence[Header | None],
        grammar: Grammar,
    ) -> None:
        self.texts, self.heads, self.roles, self.headers, self.grammar = texts, heads, roles, headers, grammar
        self._last: dict[Key, int] = {}
        """The last line with each key."""

    def find(self) -> Iterator[tuple[int, int]]:
        """The first line of each table of contents, and the line below its last."""
        end = 0
        first_article = self._first_article()
        for start in self._candidates():
            if start < end or not (self._is_title(start) or start < first_article):
                continue
            found = self._find_end(start)
            if found > start:
                end = found
                yield start - self._has_title_above(start), end

    def _candidates(self) -> Iterator[int]:
        """Lines that may begin a table: titles, and headers with several others below and no sentence between."""
        texts, headers = self.texts, self.headers
        words = self.grammar.openers["contents"]
        starts = [i for i, head in enumerate(self.heads) if head.startswith(words) and self._is_title(i)]
        run: list[int] = []
        for i in range(self._first_article()):
            if headers[i] is not None and self.roles[i] in _ENTRY_ROLES:
                run.append(i)
                if len(run) == FEWEST_HEADERS:
                    starts.append(run[0])
            elif _is_sentence(texts[i]):
                run = []
        return iter(sorted(starts))

    def _is_title(self, i: int) -> bool:
        if len(self.texts[i]) > LONGEST_TITLE or self.headers[i] is not None:
            return False
        return self.heads[i].strip(_PUNCTUATION) in self.grammar.openers["contents"]

    def _has_title_above(self, start: int) -> bool:
        """Whether the line above a table is its title, in a word that the language file does not have."""
        if start < 2 or self.headers[start] is None or self.roles[start - 1] is not None:
            return False
        line = self.texts[start - 1]
        is_name = len(line) <= LONGEST_NAME and line[0].isupper() and line[-1].isalpha()
        return is_name and self.texts[start - 2].endswith((".", ":", ";"))

    def _first_article(self) -> int:
        """The header of the first Article 1 with a sentence below it."""
        article = None
        for i, (text, header) in enumerate(zip(self.texts, self.headers, strict=True)):
            if header is not None:
                article = i if header.kind == "article" and header.number in ("", "1", "I") else None
            elif article is not None and _is_sentence(text):
                return article
        return len(self.texts)

    def _find_end(self, start: int) -> int:
        """The line below a table; the start itself if there is none."""
        is_titled = self._is_title(start)
        first = start + is_titled
        stop = first
        while stop < len(self.texts) and not self._is_past_end(stop):
            stop += 1
        # Entries are read up to the first sentence. If the first entry is repeated before that, the text begins there.
        text_at = self._find_text(first, stop)
        if not text_at and stop == len(self.texts):
            return start
        end = self._end_at_page_numbers(first, text_at) if text_at else self._end_before_text(first, stop)
        entries = [i for i in range(first, end) if self._key(i)]
        headed = sum(self.headers[i] is not None for i in entries)
        fewest = FEWEST_ENTRIES if text_at else 2 * FEWEST_HEADERS  # without a repetition, more evidence is needed
        enough = headed >= FEWEST_HEADERS or (is_titled and len(entries) >= fewest)
        return end if enough and sum(self._is_repeated(i, end) for i in entries) >= 0.5 * len(entries) else start

    def _is_past_end(self, i: int) -> bool:
        text = self.texts[i]
        if self.roles[i] not in _ENTRY_ROLES or len(text) > LONGEST_ENTRY or self._is_title(i):
            return True
        if self.headers[i] is not None or (i + 1 < len(self.texts) and _PAGE.match(self.texts[i + 1])):
            return False
        return _is_sentence(text) or _is_unfinished_name(text) or bool(self.grammar.formula(self.heads[i]))

    def _find_text(self, first: int, stop: int) -> int:
        """Where the text begins: at the last repetition of an entry up to the first header; 0 if none is repeated."""
        last = {self._key(i): i for i in range(first, stop)}
        for n in range(first, stop):
            key = self._key(n)
            if key and last[key] >= n + FEWEST_ENTRIES:
                return last[key]
            if self.headers[n] is not None:
                break
        return 0

    def _end_at_page_numbers(self, first: int, end: int) -> int:
        """Where a table with page numbers ends, if there is something between it and the text."""
        pages = [i for i in range(first, end) if _PAGE.match(self.texts[i])]
        return pages[-1] + 1 if len(pages) >= PAGE_SHARE * (end - first) else end

    def _end_before_text(self, first: int, stop: int) -> int:
        """Where a table ends if it is not followed by its own first entry: with the last entry that is repeated.

        A repetition of the act's title is no entry, nor is a header that is not repeated.
        """
        last = max((i for i in range(first, stop) if self.headers[i] is not None), default=first)
        if last > first and isinstance(key := self._key(last), tuple) and self._last_seen(key) < stop:
            return last
        above = {self._key(i) for i in range(max(0, first - TITLE_WINDOW), first)} - {""}
        end = next((i for i in range(max(first, stop - TITLE_WINDOW), stop) if self._key(i) in above), stop)
        if end < stop:
            return end
        while (
            end > max(first + 1, stop - MAX_BETWEEN)
            and self.headers[end - 1] is None
            and not _PAGE.match(self.texts[end - 1])
        ):
            if self._is_repeated(end - 1, stop) or self.headers[end - 2] is not None:
                break
            end -= 1
        return end

    def _is_repeated(self, i: int, end: int) -> bool:
        """Whether an entry is repeated below the table, with or without its first word ("PROTOCOL on origin")."""
        key = self._key(i)
        rest = key.partition(" ")[2] if isinstance(key, str) else key
        return bool(key) and max(self._last_seen(key), self._last_seen(rest)) >= end

    def _key(self, i: int) -> Key:
        """What an entry and its repetition have in common: kind and number of a header, the words of another line."""
        header = self.headers[i]
        if header is not None and header.number:
            digits = re.match(r"\d+", header.number)
            return header.kind, str(from_roman(header.number.lower()) or (digits.group() if digits else header.number))
        text = self.texts[i].partition("\t")[2] or self.texts[i]
        words = fold(_NUMBER_BEFORE.sub("", _PAGE_AT_END.sub("", text), count=1)).strip(_PUNCTUATION)
        return words if any(map(str.isalpha, words)) and len(words) > 1 else ""

    def _last_seen(self, key: Key) -> int:
        if not self._last:
            self._last = {self._key(i): i for i in range(len(self.texts))}
        return self._last.get(key, -1)


def _is_sentence(text: str) -> bool:
    return text.endswith((".", ";")) and len(text) > SHORTEST_SENTENCE


def _is_unfinished_name(text: str) -> bool:
    """Whether a line in capitals ends with a comma, like the names of institutions and parties."""
    return text.endswith((",", "-")) and text.upper() == text and any(map(str.isalpha, text))
