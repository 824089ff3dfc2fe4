"""The lines of an act, and what each is by itself: its marker, its header, the role its mark-up gave it.

Headers that share a line with other text are set apart here, and lists of headers (a table of contents, a table of
correlation) are told from the headers they list. What a line is among the others is for `outline` to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import DIVISIONS, HEAD, Grammar, Header, fold
from lexlattice.reading.languages.numbering import OPENING_QUOTES, Marker, marker
from lexlattice.reading.structure.contents import NEAR_THE_TOP, Contents, set_page_marks_apart
from lexlattice.reading.structure.lists import dotted_points

# What a line looks like by itself, in any language: a heading, a name in capitals.

LONGEST_HEADING: Final = 400
SENTENCE_STOPS: Final = (".", ";", ":", ",")


def names_institution(line: str) -> bool:
    """Whether a line names who acts, "THE COUNCIL OF THE EUROPEAN UNION,": shouted, and the sentence goes on."""
    return line.endswith((",", "-", "–", "—")) and len(line) <= LONGEST_HEADING and shouts(line)


def shouts(line: str) -> bool:
    """Whether a line is set in capitals, give or take a word ("EUROOPAN KOMISSIO, joka")."""
    letters = [c for c in line[:200] if c.isalpha()]
    return len(letters) >= 6 and sum(c.isupper() for c in letters) > 0.7 * len(letters)


# Which number counts the recitals, and which lines among them are headings ("B. WITHDRAWAL OF UNDERTAKINGS").

LONGEST: Final = 200
"""Characters of a heading among recitals."""
MOST_IN_A_ROW: Final = 4
"""Headings that stand one below the other: "B. PRODUCT", "1. Product concerned"."""

NEXT: Final = 12
"""Lines among which the number after a glued one is looked for."""

_GLUED: Final = re.compile(r"([^\s(][^()]{2,118}?)\s?\((\d{1,3})\)\s?(?=[^\W\d_])")
_NUMBERED: Final = re.compile(r"\((\d{1,3})\)")
_LABELLED: Final = re.compile(r"(?:[^\W\d_]|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){0,3})[.)]\s")
_DECIMAL: Final = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s\S")
_ENDS: Final = ".;)’”"
_LABEL: Final = re.compile(r"(?:[^\W\d_]|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){0,3})\.?\s\S")


class Headings:
    """The headings of a section of recitals."""

    def __init__(self, lines: Sequence[str], marks: Sequence[Marker | None]) -> None:
        self.lines = lines
        self.marks = marks
        self.first = self._first()
        """The marker of the first recital; none where recitals have no numbers."""

    def has(self, n: int, count: int) -> bool:
        """Whether a line, after so many recitals, is a heading: one that the next recital's number follows."""
        if self.first is None or self._counts(n, count):
            return False
        if not count:
            return True
        for j in range(n, min(n + MOST_IN_A_ROW, len(self.lines))):
            if self._counts(j, count):
                return True
            if not self._is_titled(j):
                return j == n and self._is_untitled(n, count)
        return False

    def _first(self) -> Marker | None:
        """A number one in brackets or, failing that, before a stop, that only headings stand before."""
        for style in ("paren", "dot"):
            numbered = (n for n, mark in enumerate(self.marks) if mark is not None and mark.style == style)
            place = next((n for n in numbered if self.marks[n].value == 1), None)  # type: ignore[union-attr]
            if place is not None and all(map(self._is_short, range(place))):
                return self.marks[place]
        return None

    def _counts(self, n: int, count: int) -> bool:
        mark = self.marks[n]
        return (
            self.first is not None and mark is not None and mark.style == self.first.style and mark.value == count + 1
        )

    def _is_short(self, n: int) -> bool:
        return len(self.lines[n]) <= LONGEST and not self.lines[n].endswith(SENTENCE_STOPS)

    def _is_titled(self, n: int) -> bool:
        """Whether a line is a heading by its looks: a label before it, or capitals."""
        line = self.lines[n]
        if _DECIMAL.match(line):
            return len(line) <= LONGEST
        return self._is_short(n) and (shouts(line) or bool(_LABEL.match(line)))

    def _is_untitled(self, n: int, count: int) -> bool:
        """Whether a line is a heading by its place: between a recital that has ended and the next number."""
        line = self.lines[n]
        if not 0 < n < len(self.lines) - 1 or self.marks[n] is not None or any(map(str.isdigit, line)):
            return False
        ended = self.lines[n - 1][-1] in _ENDS and line[0].isupper()
        return ended and self._is_short(n) and self._counts(n + 1, count)


def part_headings(blocks: Sequence[Block]) -> Sequence[Block]:
    """Cut a heading off the recital that it was glued to: "A. PROCEDURE (1) In June 1992, the Commission announced"."""
    parted: list[Block] = []
    for i, block in enumerate(blocks):
        cut = _end_of_heading(blocks, i) if block.role is None else 0
        if cut:
            parted += [Block(block.text[:cut].rstrip()), Block(block.text[cut:])]
        else:
            parted.append(block)
    return parted


def _end_of_heading(blocks: Sequence[Block], i: int) -> int:
    """Where a glued heading ends: one with a label or in capitals, if the next number follows further below."""
    text = blocks[i].text
    match = _GLUED.match(text) if text[0] != "(" and "(" in text[3:122] else None
    if match is None or not text[match.end()].isupper():
        return 0
    heading = match.group(1)
    if heading.endswith(SENTENCE_STOPS) or not (shouts(heading) or _LABELLED.match(heading)):
        return 0
    below = (_NUMBERED.match(block.text) for block in blocks[i + 1 : i + NEXT])
    following = next((int(number.group(1)) for number in below if number is not None), 0)
    return match.start(2) - 1 if following == int(match.group(2)) + 1 else 0


# The lines of an act, and what each is by itself: its marker, its header, the role its mark-up gave it.

PROSE: Final = 60
"""A line longer than this is prose, not a cell of a table or a line of a table of contents."""
SHORTEST_LIST: Final = 4
"""So many article headers without a sentence between them are a list of articles, not articles."""

LONGEST_NUMBER: Final = 12
"""Letters of a number that is spelt out."""
LONGEST_CONNECTOR: Final = 14
"""A line no longer than this can be a mere "and" or "sowie" between two items of a list."""
RUBRIC_STEM: Final = 6
"""So many letters have a kind of act and its plural in common: "RÈGLEMENTS", "REGOLAMENTI"."""

_TRAILING: Final = re.compile(r"(?:[.:;]\s([^\W\d_]{2,12}\s\d{1,3})|:\s([^\W\d_]{2,12}\s\w{3,12}))$")
_PARAGRAPH: Final = re.compile(r"1\s?\.\s[^\W\d_a-zα-ωа-я]")
_LETTERED: Final = re.compile(r"\s?\(([^\W\d_])\)")
_MAY_BE_HEADER: Final = (None, Role.TITLE, Role.OUTLINE, Role.ARTICLE, Role.DIVISION, Role.ANNEX)


class Lines:
    """Parallel lists, one entry a line: cheaper than objects, and a million lines are no rarity."""

    def __init__(self, blocks: Sequence[Block], grammar: Grammar) -> None:
        self.grammar = grammar
        self.texts: list[str] = []
        self.heads: list[str] = []
        """Each line's beginning, folded: what formulas and head-words are compared with."""
        self.marks: list[Marker | None] = []
        self.roles: list[Role | None] = []
        self.levels: list[int] = []
        """Each line's level: how deep a heading inside an annex is, or which table a row belongs to."""
        self.headers: list[Header | None] = []
        self._admit_all(part_headings(set_page_marks_apart(_without_rubric(blocks, grammar), grammar)))
        for i, mark in dotted_points(self.texts, self.marks, self.headers).items():
            self.marks[i] = mark
        self._set_contents_apart()
        self._set_lists_apart()

    def __len__(self) -> int:
        return len(self.texts)

    def _admit_all(self, blocks: Sequence[Block]) -> None:
        """Take all lines in; those that begin like no header, which are most, without further ado."""
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
                self._admit(block)
            else:
                self.texts.append(text)
                heads.append(head)
                bare = text[0].isalpha() and ")" not in text[:12] and len(text) > 5
                marks.append(None if bare else self._mark(text))
                self.roles.append(role)
                self.levels.append(block.level)
                self.headers.append(None)

    def _admit(self, block: Block) -> None:
        """Take a line in; a header that shares its line with its heading or text is set apart from it."""
        text, role = block.text, block.role
        head = fold(text[:HEAD])
        header = self.grammar.header(text, head) if role in _MAY_BE_HEADER else None
        if header is None and role is None and text.isupper():
            header = self._spelt_out(text, head)
        if header is None and role is None and (text[-1].isdigit() or ": " in text[-32:]):
            tail = self._trailing_header(text)
            if tail:
                self._admit(Block(text[: -len(tail)].rstrip()))
                self._admit(Block(tail))
                return
        if header is not None and header.kind == "annex":
            header = _with_letter(header, text)
        if header is not None and role in (None, Role.OUTLINE):
            rest = text[header.end :].strip()
            if rest.strip(" .,:-–—()"):
                if self._parts_from(header, rest):
                    self._append(text[: len(text) - len(rest)].rstrip(), None, header, head)
                    self._append(rest, None, None, fold(rest[:HEAD]))
                    return
                header = None
        self._append(text, role, header, head, block.level)

    def _spelt_out(self, text: str, head: str) -> Header | None:
        """A division in capitals that is counted in words: "CHAPTER TWO", "PART ONE —"."""
        word, _, number = head.rstrip(" -–—:.").partition(" ")
        kind = self.grammar.words.get(word, "")
        if kind not in DIVISIONS or not number.isalpha() or len(number) > LONGEST_NUMBER:
            return None
        written = text[len(word) + 1 : len(word) + 1 + len(number)]
        return Header(kind, written, written, len(text))

    def _append(self, text: str, role: Role | None, header: Header | None, head: str, level: int = 0) -> None:
        self.texts.append(text)
        self.heads.append(head)
        self.marks.append(self._mark(text))
        self.roles.append(role)
        self.levels.append(level)
        self.headers.append(header)

    def _mark(self, text: str) -> Marker | None:
        """The marker that leads a line; a dash before a mere "and/or" leads nothing."""
        mark = marker(text)
        if mark is not None and mark.style == "dash" and len(text) <= LONGEST_CONNECTOR:
            words = fold(text[mark.end :].rstrip(",;")).split("/")
            return None if all(word in self.grammar.openers["joining"] for word in words) else mark
        return mark

    def _trailing_header(self, line: str) -> str:
        """An article's header that was left at the end of the paragraph before it: "…duration. Article 2"."""
        match = _TRAILING.search(line)
        tail = (match.group(1) or match.group(2)) if match else ""
        header = self.grammar.header(tail) if tail else None
        return tail if header is not None and header.kind == "article" and header.end >= len(tail) else ""

    def _parts_from(self, header: Header, rest: str) -> bool:
        """Whether what follows a header on its line is a heading or the article's text, not a reference's going on."""
        if header.kind == "article" and _PARAGRAPH.match(rest):
            return True
        first = rest.lstrip(" –—-:.").split(" ", 1)[0]
        if not first or not (first[0].isupper() or first[0] in OPENING_QUOTES + "("):
            return False
        if fold(first.strip(".,;:()")) in self.grammar.sublevels or rest[0] in ",(":
            return False
        if header.kind == "article":
            return True
        ends_as_text = rest.endswith((".", ";", ",")) and not shouts(rest)
        if rest.endswith(":") and (header.kind == "annex" or first[0] in OPENING_QUOTES):
            return False
        return bool(header.number) and len(rest) <= LONGEST_HEADING and not ends_as_text

    def _set_contents_apart(self) -> None:
        for start, end in list(Contents(self.texts, self.heads, self.roles, self.headers, self.grammar).find()):
            self._give(range(start, end), Role.CONTENTS)

    def _give(self, places: range, role: Role) -> None:
        for i in places:
            self.roles[i] = role
            self.headers[i] = None

    def _set_lists_apart(self) -> None:
        """Headers that follow one another without a sentence between them: a table of contents, or of correlation."""
        at = [i for i, h in enumerate(self.headers) if h is not None and h.kind == "article"]
        stops = [*at[1:], len(self)]
        empty = [not self.has_sentence(i, stop) for i, stop in zip(at, stops, strict=False)]
        real = [i for i, bare in zip(at, empty, strict=True) if not bare]
        first_real = next((i for i in real if self._is_first(i)), real[0] if real else len(self))
        run: list[int] = []
        for n in range(len(at) + 1):
            if n < len(at) and empty[n] and self.roles[at[n]] is None:
                run.append(at[n])
                continue
            if len(run) >= SHORTEST_LIST:
                end = at[n] if n < len(at) else len(self)
                self._set_apart(run, end, Role.CONTENTS if run[0] < first_real else Role.TABLE)
            run = []

    def _is_first(self, i: int) -> bool:
        """Whether a header is that of an act's first article: recitals, too, can begin with the name of one."""
        header = self.headers[i]
        return header is not None and header.number in ("", "1", "I")

    def has_sentence(self, i: int, stop: int) -> bool:
        """Whether anything below a header ends as a sentence or a point does."""
        below = self.texts[i + 1 : min(stop, i + 40)]
        return any(line.endswith((".", ";", ":")) and len(line) > 12 for line in below)

    def _set_apart(self, run: Sequence[int], end: int, role: Role) -> None:
        """Give the lines of a list of headers their role: from the first to the last, and what leads up to them."""
        start, stop = run[0], run[-1]
        if role is Role.CONTENTS:
            while start and (self.headers[start - 1] is not None or self._leads_up(start - 1)):
                start -= 1
        while stop + 1 < end and self._is_cell(stop + 1):
            stop += 1
        self._give(range(start, stop + 1), role)

    def _leads_up(self, i: int) -> bool:
        line = self.texts[i]
        return len(line) < LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and self.roles[i] is None

    def _is_cell(self, i: int) -> bool:
        line, header = self.texts[i], self.headers[i]
        if self.roles[i] is not None or (header is not None and header.kind != "article"):
            return False
        return len(line) < PROSE and not line.endswith(SENTENCE_STOPS) and not names_institution(line)


def _with_letter(header: Header, text: str) -> Header:
    """The header of an annex that a letter in brackets tells from its neighbours: "ANNEX 1(b)"."""
    letter = _LETTERED.fullmatch(text[header.end :])
    if letter is None or not header.number:
        return header
    return Header(header.kind, header.number + letter.group(1), f"{header.written}({letter.group(1)})", len(text))


def _without_rubric(blocks: Sequence[Block], grammar: Grammar) -> Sequence[Block]:
    """Set the rubric apart that pages of the sixties print before a title: "LE CONSEIL RÈGLEMENTS RÈGLEMENT Nº 59"."""
    kinds = {word for word, _ in grammar.types}
    for i, block in enumerate(blocks[:NEAR_THE_TOP]):
        words = block.text[: 2 * HEAD].split(" ")
        for n in range(1, len(words)):
            word, before = fold(words[n]), fold(words[n - 1])
            if word in kinds and word != before and before[:RUBRIC_STEM] == word[:RUBRIC_STEM]:
                rubric = " ".join(words[:n])
                if rubric.isupper() and block.role is None:
                    title = Block(block.text[len(rubric) + 1 :])
                    return [*blocks[:i], Block(rubric, Role.PAGE), title, *blocks[i + 1 :]]
    return blocks
