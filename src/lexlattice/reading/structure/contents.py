"""Lists of contents: runs of headers and headings that come again further below, where the text is.

An announcement ("CONTENTS") or the return of its entries gives such a list away, not its place: it may stand above the
preamble, below it, or at the head of an annex. Left in, its last line would open an annex that swallows the act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import Grammar, Header, fold
from lexlattice.reading.languages.numbering import from_roman

FEWEST_HEADERS: Final = 4
"""Headers that a list has which nothing announces."""
FEWEST_ENTRIES: Final = 3
"""Entries that a list has which is announced."""
LONGEST_NAME: Final = 30
NEAR: Final = 10
"""Lines above a list, and at its end, among which the title is looked for."""
MOST_BETWEEN: Final = 3
"""Other lines between a list and the first sentence below it, such as the name of a party."""
SHORTEST_SENTENCE: Final = 12
LONGEST_ENTRY: Final = 400
LONGEST_ANNOUNCEMENT: Final = 60
PAGES: Final = 0.2
"""Share of lines that are page numbers in a list that has them."""

_PUNCTUATION: Final = " .,:;-–—…"
_NUMBER_BEFORE: Final = re.compile(r"\(?\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+(?=\D)")
_PAGE: Final = re.compile(r"\d{1,4}$")
_PAGE_AT_END: Final = re.compile(r"(?:\s|\.{2}|…)[\s.…]*\d{1,4}$")
_ROLES: Final = (None, Role.OUTLINE, Role.TABLE)

Key = str | tuple[str, str]


class Contents:
    """The lists of contents among the lines of an act."""

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
        """Where each line stands for the last time."""

    def find(self) -> Iterator[tuple[int, int]]:
        """First line of each list, and the line below its last."""
        end = 0
        first_text = self._first_text()
        for start in self._candidates():
            if start < end or not (self._announces(start) or start < first_text):
                continue
            found = self._end(start)
            if found > start:
                end = found
                yield start - self._leads_up(start), end

    def _candidates(self) -> Iterator[int]:
        """Lines that may begin a list: announcements, and headers that several others follow without a sentence."""
        texts, headers = self.texts, self.headers
        words = self.grammar.openers["contents"]
        starts = [i for i, head in enumerate(self.heads) if head.startswith(words) and self._announces(i)]
        run: list[int] = []
        for i in range(self._first_text()):
            if headers[i] is not None and self.roles[i] in _ROLES:
                run.append(i)
                if len(run) == FEWEST_HEADERS:
                    starts.append(run[0])
            elif _is_sentence(texts[i]):
                run = []
        return iter(sorted(starts))

    def _announces(self, i: int) -> bool:
        if len(self.texts[i]) > LONGEST_ANNOUNCEMENT or self.headers[i] is not None:
            return False
        return self.heads[i].strip(_PUNCTUATION) in self.grammar.openers["contents"]

    def _leads_up(self, start: int) -> bool:
        """Whether the line above a list only names it, in a word that the language's file does not have."""
        if start < 2 or self.headers[start] is None or self.roles[start - 1] is not None:
            return False
        line = self.texts[start - 1]
        named = len(line) <= LONGEST_NAME and line[0].isupper() and line[-1].isalpha()
        return named and self.texts[start - 2].endswith((".", ":", ";"))

    def _first_text(self) -> int:
        """The header of the first Article 1 that has a sentence below it."""
        article = None
        for i, (text, header) in enumerate(zip(self.texts, self.headers, strict=True)):
            if header is not None:
                article = i if header.kind == "article" and header.number in ("", "1", "I") else None
            elif article is not None and _is_sentence(text):
                return article
        return len(self.texts)

    def _end(self, start: int) -> int:
        """The line below a list, or the start itself where there is none."""
        announced = self._announces(start)
        first = start + announced
        stop = first
        while stop < len(self.texts) and not self._ends_list(stop):
            stop += 1
        returns = self._return(first, stop)
        if not returns and stop == len(self.texts):
            return start
        end = self._last_page(first, returns) if returns else self._before_text(first, stop)
        entries = [i for i in range(first, end) if self._key(i)]
        headed = sum(self.headers[i] is not None for i in entries)
        fewest = FEWEST_ENTRIES if returns else 2 * FEWEST_HEADERS
        enough = headed >= FEWEST_HEADERS or (announced and len(entries) >= fewest)
        return end if enough and sum(self._returns(i, end) for i in entries) >= 0.5 * len(entries) else start

    def _ends_list(self, i: int) -> bool:
        text = self.texts[i]
        if self.roles[i] not in _ROLES or len(text) > LONGEST_ENTRY or self._announces(i):
            return True
        if self.headers[i] is not None or (i + 1 < len(self.texts) and _PAGE.match(self.texts[i + 1])):
            return False
        return _is_sentence(text) or _goes_on(text) or bool(self.grammar.formula(self.heads[i]))

    def _return(self, first: int, stop: int) -> int:
        """Where the text begins: at the last return of the list's first header or what stands above it; 0 if none."""
        for n in range(first, stop):
            key = self._key(n)
            again = [j for j in range(n + FEWEST_ENTRIES, stop) if self._key(j) == key] if key else []
            if again:
                return again[-1]
            if self.headers[n] is not None:
                break
        return 0

    def _last_page(self, first: int, end: int) -> int:
        """Where a list with page numbers ends, if something else stands between it and the text."""
        pages = [i for i in range(first, end) if _PAGE.match(self.texts[i])]
        return pages[-1] + 1 if len(pages) >= PAGES * (end - first) else end

    def _before_text(self, first: int, stop: int) -> int:
        """Where a list ends that something else than its own first entry follows: with the last entry that returns.

        The title said once more is no entry, nor is a header that does not come again.
        """
        last = max((i for i in range(first, stop) if self.headers[i] is not None), default=first)
        if last > first and isinstance(key := self._key(last), tuple) and self._last_seen(key) < stop:
            return last
        above = {self._key(i) for i in range(max(0, first - NEAR), first)} - {""}
        end = next((i for i in range(max(first, stop - NEAR), stop) if self._key(i) in above), stop)
        if end < stop:
            return end
        while (
            end > max(first + 1, stop - MOST_BETWEEN)
            and self.headers[end - 1] is None
            and not _PAGE.match(self.texts[end - 1])
        ):
            if self._returns(end - 1, stop) or self.headers[end - 2] is not None:
                break
            end -= 1
        return end

    def _returns(self, i: int, end: int) -> bool:
        """Whether an entry stands again below the list, with or without its first word ("PROTOCOL on origin")."""
        key = self._key(i)
        rest = key.partition(" ")[2] if isinstance(key, str) else key
        return bool(key) and max(self._last_seen(key), self._last_seen(rest)) >= end

    def _key(self, i: int) -> Key:
        """What makes an entry and its return alike: kind and number of a header, the words of another line."""
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


def _goes_on(text: str) -> bool:
    """Whether a line in capitals ends with a comma, as the names of those who act or agree do."""
    return text.endswith((",", "-")) and text.upper() == text and any(map(str.isalpha, text))


# What the page prints into an act: page marks of the Official Journal, marks of consolidation.

NEAR_THE_TOP: Final = 20
"""Lines among which the title of a page begins."""
FIRST_HEADER: Final = 12
"""Lines that the header of the first page ends within; it is looked at with the title."""
AROUND: Final = 3
"""Lines above and below the Official Journal's name that belong to the page's header."""

_CONSOLIDATION: Final = re.compile(r"[▼►◄](?:\s?\(\d{1,3}\))?(?:\s?[ABCMR]\d{0,3})?(?:\s?◄)?$")
"""►M1, ▼B, ►(1) M1: which act a passage comes from."""
_BEFORE: Final = re.compile(r"[LC]\s\d{1,4}(?:\s?/\s?|\s)\d{1,4}\s+(?=[^\W\d_a-z])")
_BEHIND: Final = re.compile(r"\s+(?=[LC]\s\d{1,4}(?:\s?/\s?\d{1,4})?$)")
_EDGE: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$|[A-Z]{2}$|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$|\d{1,4}$"
)


def set_page_marks_apart(blocks: Sequence[Block], grammar: Grammar) -> list[Block]:
    """Cut page marks off the title, and give those on lines of their own the role of the page."""
    set_apart = [piece for n, block in enumerate(blocks) for piece in _pieces(n, block, grammar)]
    journal = grammar.openers["journal"]
    for i, block in enumerate(set_apart):
        if i > FIRST_HEADER and block.role is None and len(block.text) < 100 and _names(block.text, journal):
            for j in (*_edges(set_apart, i, -1), *_edges(set_apart, i, 1)):
                set_apart[j] = Block(set_apart[j].text, Role.PAGE)
    return set_apart


def _pieces(n: int, block: Block, grammar: Grammar) -> Iterator[Block]:
    text, role = block.text, block.role
    if text[0] in "▼►◄" and _CONSOLIDATION.match(text):
        yield Block(text, Role.PAGE)
    elif n < NEAR_THE_TOP and role in (None, Role.TITLE):
        before, behind = _BEFORE.match(text), _BEHIND.search(text)
        start = before.end() if before is not None else 0
        end = (
            behind.start() if behind is not None and not _cites(text[start : behind.end() + 1], grammar) else len(text)
        )
        if before is not None:
            yield Block(text[:start].rstrip(), Role.PAGE)
        yield block if (start, end) == (0, len(text)) else Block(text[start:end], role, block.level)
        if end < len(text):
            yield Block(text[end:].lstrip(), Role.PAGE)
    else:
        yield block


def _cites(text: str, grammar: Grammar) -> bool:
    """Whether a page mark at the end of a title is a reference, "OJ L 351"."""
    return any(fold(text).endswith(note) for note in grammar.openers["note"])


def _names(text: str, journal: tuple[str, ...]) -> bool:
    return text[:1].isupper() and fold(text).startswith(journal)


def _edges(blocks: Sequence[Block], i: int, step: int) -> Iterator[int]:
    """Lines next to the Journal's name that are a date, a language or a page."""
    for j in range(i + step, i + step * (AROUND + 1), step):
        if not 0 <= j < len(blocks) or blocks[j].role is not None or not _EDGE.match(blocks[j].text):
            return
        yield j
