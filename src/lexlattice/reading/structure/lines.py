"""The lines of an act with what each of them is on its own: its marker, its header, the role its mark-up gave it.

Headers that share a line with other text become lines of their own here, and lists of headers (a table of contents, a
correlation table) are told from the headers they list. What a line is in its context is for `outline` to decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import DIVISIONS, HEAD, Grammar, Header, fold
from lexlattice.reading.languages.numbering import OPENING_QUOTES, Marker, dotted_marker, marker
from lexlattice.reading.structure.contents import Contents
from lexlattice.reading.structure.splitting import split_blocks
from lexlattice.reading.structure.typography import (
    LONGEST_CONNECTOR,
    LONGEST_HEADING,
    PROSE,
    SENTENCE_STOPS,
    is_in_capitals,
    is_institution_name,
)

FEWEST_LISTED: Final = 4
"""Article headers without a sentence between them that make a list of articles."""

LONGEST_NUMBER: Final = 12
"""Letters of a number in words."""

_TRAILING: Final = re.compile(r"(?:[.:;]\s([^\W\d_]{2,12}\s\d{1,3})|:\s([^\W\d_]{2,12}\s\w{3,12}))$")
"""A possible header at the end of a line: "…duration. Article 2", "…as follows: Article premier"."""
_FIRST_PARAGRAPH: Final = re.compile(r"1\s?\.\s[^\W\d_a-zα-ωа-я]")
"""The first paragraph on the line of its article's header: the "1. The" of "Article 2 1. The"."""
_BRACKETED_LETTER: Final = re.compile(r"\s?\(([^\W\d_])\)")
"""The "(b)" of "ANNEX 1(b)"."""
_MAY_BE_HEADER: Final = (None, Role.TITLE, Role.OUTLINE, Role.ARTICLE, Role.DIVISION, Role.ANNEX)
"""Roles of lines that may be headers."""
_DOTTED_POINT: Final = re.compile(r"[^\W\d_]{1,5}\.\s+[^\s.]")
"""A point with a stop after its letter or numeral: "iv. the", "b. a"."""
_LONGEST_DOTTED: Final = 6
"""Characters up to the stop of such a marker."""
_FEWEST_POINTS: Final = 2
"""Consecutive points that make a list."""
_MAX_DISTANCE: Final = 60
"""Lines between two points of one list, at most."""


class Lines:
    """Parallel lists with one entry per line, which are cheaper than objects: acts can have a million lines."""

    def __init__(self, blocks: Sequence[Block], grammar: Grammar) -> None:
        self.grammar = grammar
        self.texts: list[str] = []
        self.heads: list[str] = []
        """Each line's beginning, folded, to compare with formulas and head-words."""
        self.marks: list[Marker | None] = []
        self.roles: list[Role | None] = []
        self.levels: list[int] = []
        """Each line's level: the depth of a heading inside an annex, or the number of a row's table."""
        self.headers: list[Header | None] = []
        self._add_blocks(split_blocks(blocks, grammar))
        for i, mark in find_dotted_points(self.texts, self.marks, self.headers).items():
            self.marks[i] = mark
        self._mark_contents()
        self._mark_header_lists()

    def __len__(self) -> int:
        return len(self.texts)

    def _add_blocks(self, blocks: Sequence[Block]) -> None:
        """Add all blocks; a fast path handles those that do not begin like a header, which are most."""
        grammar, heads, marks = self.grammar, self.heads, self.marks
        leads, number_first = grammar.leads, grammar.number_first
        for block in blocks:
            text, role = block.text, block.role
            head = fold(text[:HEAD])
            if (
                head[:3] in leads
                or (number_first and grammar.may_lead(head))
                or (role is None and (text[-1].isdigit() or ": " in text[-32:]))
            ):
                self._add_block(block)
            else:
                self.texts.append(text)
                heads.append(head)
                # Most lines begin with a word and no bracket follows it soon: they have no marker.
                is_word = text[0].isalpha() and ")" not in text[:12] and len(text) > 5
                marks.append(None if is_word else self._mark(text))
                self.roles.append(role)
                self.levels.append(block.level)
                self.headers.append(None)

    def _add_block(self, block: Block) -> None:
        """Add a block; a header that shares its line with its heading or text becomes a line of its own."""
        text, role = block.text, block.role
        head = fold(text[:HEAD])
        header = self.grammar.header(text, head) if role in _MAY_BE_HEADER else None
        if header is None and role is None and text.isupper():
            header = self._header_in_words(text, head)
        if header is None and role is None and (text[-1].isdigit() or ": " in text[-32:]):
            tail = self._trailing_header(text)
            if tail:
                self._add_block(Block(text[: -len(tail)].rstrip()))
                self._add_block(Block(tail))
                return
        if header is not None and header.kind == "annex":
            header = _with_bracketed_letter(header, text)
        if header is not None and role in (None, Role.OUTLINE):
            rest = text[header.end :].strip()
            if rest.strip(" .,:-–—()"):
                # "Article 5 Scope" becomes two lines; "Article 5 of the Treaty" is no header.
                if self._is_separate(header, rest):
                    self._add_line(text[: len(text) - len(rest)].rstrip(), None, header, head)
                    self._add_line(rest, None, None, fold(rest[:HEAD]))
                    return
                header = None
        self._add_line(text, role, header, head, block.level)

    def _header_in_words(self, text: str, head: str) -> Header | None:
        """The header of a division in capitals with its number in words: "CHAPTER TWO", "PART ONE —"."""
        word, _, number = head.rstrip(" -–—:.").partition(" ")
        kind = self.grammar.words.get(word, "")
        if kind not in DIVISIONS or not number.isalpha() or len(number) > LONGEST_NUMBER:
            return None
        written = text[len(word) + 1 : len(word) + 1 + len(number)]
        return Header(kind, written, written, len(text))

    def _add_line(self, text: str, role: Role | None, header: Header | None, head: str, level: int = 0) -> None:
        self.texts.append(text)
        self.heads.append(head)
        self.marks.append(self._mark(text))
        self.roles.append(role)
        self.levels.append(level)
        self.headers.append(header)

    def _mark(self, text: str) -> Marker | None:
        """The marker that leads a line; a dash before a bare "and/or" is none."""
        mark = marker(text)
        if mark is not None and mark.style == "dash" and len(text) <= LONGEST_CONNECTOR:
            words = fold(text[mark.end :].rstrip(",;")).split("/")
            return None if all(word in self.grammar.openers["joining"] for word in words) else mark
        return mark

    def _trailing_header(self, line: str) -> str:
        """An article's header at the end of the paragraph before it: "…duration. Article 2"."""
        match = _TRAILING.search(line)
        tail = (match.group(1) or match.group(2)) if match else ""
        header = self.grammar.header(tail) if tail else None
        return tail if header is not None and header.kind == "article" and header.end >= len(tail) else ""

    def _is_separate(self, header: Header, rest: str) -> bool:
        """Whether what follows a header on its line is its heading or text, and not the rest of a reference."""
        if header.kind == "article" and _FIRST_PARAGRAPH.match(rest):
            return True
        first = rest.lstrip(" –—-:.").split(" ", 1)[0]
        if not first or not (first[0].isupper() or first[0] in OPENING_QUOTES + "("):
            return False
        if fold(first.strip(".,;:()")) in self.grammar.sublevels or rest[0] in ",(":
            return False
        if header.kind == "article":
            return True
        ends_as_text = rest.endswith((".", ";", ",")) and not is_in_capitals(rest)
        if rest.endswith(":") and (header.kind == "annex" or first[0] in OPENING_QUOTES):
            return False
        return bool(header.number) and len(rest) <= LONGEST_HEADING and not ends_as_text

    def _mark_contents(self) -> None:
        for start, end in list(Contents(self.texts, self.heads, self.roles, self.headers, self.grammar).find()):
            self._set_role(range(start, end), Role.CONTENTS)

    def _set_role(self, places: range, role: Role) -> None:
        for i in places:
            self.roles[i] = role
            self.headers[i] = None

    def _mark_header_lists(self) -> None:
        """Find headers without a sentence between them: a table of contents, or a correlation table."""
        articles = [i for i, h in enumerate(self.headers) if h is not None and h.kind == "article"]
        stops = [*articles[1:], len(self)]
        has_no_text = [not self.has_sentence(i, stop) for i, stop in zip(articles, stops, strict=False)]
        with_text = [i for i, is_empty in zip(articles, has_no_text, strict=True) if not is_empty]
        # A list above the first article with text is a table of contents, one below it a correlation table.
        first_with_text = next((i for i in with_text if self._is_first(i)), with_text[0] if with_text else len(self))
        run: list[int] = []
        for n in range(len(articles) + 1):
            if n < len(articles) and has_no_text[n] and self.roles[articles[n]] is None:
                run.append(articles[n])
                continue
            if len(run) >= FEWEST_LISTED:
                end = articles[n] if n < len(articles) else len(self)
                self._mark_header_list(run, end, Role.CONTENTS if run[0] < first_with_text else Role.TABLE)
            run = []

    def _is_first(self, i: int) -> bool:
        """Whether a header has the number of a first article: recitals, too, can begin with "Article 5"."""
        header = self.headers[i]
        return header is not None and header.number in ("", "1", "I")

    def has_sentence(self, i: int, stop: int) -> bool:
        """Whether any line below a header ends like a sentence or a point."""
        below = self.texts[i + 1 : min(stop, i + 40)]
        return any(line.endswith((".", ";", ":")) and len(line) > 12 for line in below)

    def _mark_header_list(self, run: Sequence[int], end: int, role: Role) -> None:
        """Set the role of a list of headers: from the first to the last, with the lines that introduce it."""
        start, stop = run[0], run[-1]
        if role is Role.CONTENTS:
            while start and (self.headers[start - 1] is not None or self._introduces_list(start - 1)):
                start -= 1
        while stop + 1 < end and self._is_cell(stop + 1):
            stop += 1
        self._set_role(range(start, stop + 1), role)

    def _introduces_list(self, i: int) -> bool:
        line = self.texts[i]
        return len(line) < LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and self.roles[i] is None

    def _is_cell(self, i: int) -> bool:
        line, header = self.texts[i], self.headers[i]
        if self.roles[i] is not None or (header is not None and header.kind != "article"):
            return False
        return len(line) < PROSE and not line.endswith(SENTENCE_STOPS) and not is_institution_name(line)


def _with_bracketed_letter(header: Header, text: str) -> Header:
    """The header of an annex with a letter in brackets: "ANNEX 1(b)"."""
    letter = _BRACKETED_LETTER.fullmatch(text[header.end :])
    if letter is None or not header.number:
        return header
    return Header(header.kind, header.number + letter.group(1), f"{header.written}({letter.group(1)})", len(text))


@dataclass(slots=True)
class _DottedList:
    """A possible list: its style, its last value, and its lines."""

    roman: bool
    value: int = 0
    latest: int = 0
    lines: dict[int, Marker] = field(default_factory=dict)

    def takes(self, mark: Marker, line: int) -> bool:
        """Whether a marker is the next one of the list, and near enough."""
        return self.count(mark) == self.value + 1 and line - self.latest <= _MAX_DISTANCE

    def count(self, mark: Marker) -> int:
        return mark.roman if self.roman else mark.value

    def add(self, mark: Marker, line: int) -> None:
        self.value, self.latest = self.count(mark), line
        self.lines[line] = mark


def find_dotted_points(
    texts: Sequence[str], marks: Sequence[Marker | None], headers: Sequence[Header | None]
) -> dict[int, Marker]:
    """Find lines that are points "i. …", "ii. …" or "a. …", "b. …", as Hungarian and Croatian write them."""
    found: dict[int, Marker] = {}
    runs: list[_DottedList] = []
    latest = 0
    for line in [i for i, text in enumerate(texts) if "." in text[1:_LONGEST_DOTTED] and text[0].islower()]:
        mark = dotted_marker(texts[line]) if marks[line] is None and _DOTTED_POINT.match(texts[line]) else None
        if mark is None:
            continue
        if any(headers[latest + 1 : line + 1]):  # no list continues below a header
            runs.clear()
        latest = line
        run = next((run for run in reversed(runs) if run.takes(mark, line)), None)
        if run is None and 1 in (mark.value, mark.roman) and _may_begin_list(texts, marks, line):
            run = _DottedList(roman=mark.value != 1)
            if run.roman in (alike := [other.roman for other in runs]):  # no list is nested in another of its style
                del runs[alike.index(run.roman) :]
            runs.append(run)
        if run is not None:
            del runs[runs.index(run) + 1 :]
            run.add(mark, line)
            if len(run.lines) >= _FEWEST_POINTS:
                found.update(run.lines)
    return found


def _may_begin_list(texts: Sequence[str], marks: Sequence[Marker | None], line: int) -> bool:
    """Whether a line may begin a list: something introduces it, a list is open, or it ends like a point."""
    if texts[line][-1] in ";,:":
        return True
    return line > 0 and (texts[line - 1][-1] == ":" or marks[line - 1] is not None)
