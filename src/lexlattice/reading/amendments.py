"""Which lines of an act are text of another act that it quotes, so that nothing in them is its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from lexlattice.reading.belief import article_value
from lexlattice.reading.blocks import Role
from lexlattice.reading.grammar import DIVISIONS, HEAD, Grammar, Header, fold
from lexlattice.reading.lines import Lines
from lexlattice.reading.numbering import INSERTED_WORDS, OPENING_QUOTES, Marker, canonical
from lexlattice.reading.quotations import quotations
from lexlattice.reading.shapes import LONGEST_HEADING, SENTENCE_STOPS, shouts

OPENING: Final = OPENING_QUOTES + "’ "
LONGEST_NUMBER: Final = 40
_INSERTED: Final = re.compile(r"[a-z]+ies(?:\s[a-z]+)?\Z")
"""How Romance languages number what is put in later, beyond the words that are known: "325 quinquadragies"."""
FARTHEST_ARTICLE: Final = 3
"""So many numbers on, an article may still be the act's own: a header or two may have been lost."""
FARTHEST: Final = 400
"""So many lines are looked at for the end of a quotation that nothing closes."""
_BEFORE_FIRST: Final = re.compile(r"\s[-–](?=[IVX\d])")
"""What is put in before the first is numbered "-I"."""
_BEHIND: Final = " .:-–—’”"


def find_quotations(lines: Lines) -> dict[int, int]:
    """First and last line of each quotation; what seems to hold the article that is due, and alone, is none."""
    headers = [(i, header) for i, header in enumerate(lines.headers) if header is not None]
    articles = [(i, article_value(header)) for i, header in headers if header.kind == "article"]
    shouted = (i for i, header in headers if header.kind == "annex" and shouts(lines.texts[i]))
    annexes = next(shouted, len(lines))

    def doubts(first: int, end: int) -> bool:
        due = _last_own(value for i, value in articles if i < first) + 1
        inside = [(i, value) for i, value in articles if first <= i <= end]
        later = any(value == due for i, value in articles if i > end)
        if first < annexes and not later and any(value == due for _, value in inside):
            return True
        for quoted in inside:
            articles.remove(quoted)
        return False

    by_role = {i for i, role in enumerate(lines.roles) if role is Role.QUOTED}
    heads = cache(lambda line: quoted_header(line, lines.grammar) is not None)
    return quotations(lines.texts, by_role, heads=heads, doubts=doubts, guess=lambda i: _guessed_end(lines, i))


def _last_own(values: Iterable[int]) -> int:
    """The number of the act's own last article: one that goes on with the count, which those of other acts do not."""
    last = 0
    for value in values:
        last = value if 0 < value - last <= FARTHEST_ARTICLE else last
    return last


def _guessed_end(lines: Lines, first: int) -> int | None:
    """Where a quotation ends that nothing closes: before the instruction's next number, article or quotation."""
    texts, marks = lines.texts, lines.marks
    above = (marks[i] for i in range(first - 1, max(-1, first - 4), -1))
    instruction = next((mark for mark in above if mark is not None and not mark.quoted), None)
    for i in range(first + 1, min(len(lines), first + FARTHEST)):
        mark, header = marks[i], lines.headers[i]
        if header is not None and header.kind not in DIVISIONS and _is_own(lines, header, first):
            return i - 1
        if texts[i][0] == texts[first][0] and texts[i - 1][-1] == ":":
            end = i - 2
            while end > first and (texts[end][-1] == ":" or _is_bare(marks[end], texts[end])):
                end -= 1
            return end
        if mark is not None and instruction is not None and not mark.quoted and _follows(mark, instruction):
            return i - 1
    return None


def _is_own(lines: Lines, header: Header, first: int) -> bool:
    """Whether an article or annex below a quotation is the act's own: not if its number is not the next."""
    if header.kind != "article":
        return True
    above = (lines.headers[i] for i in range(first - 1, -1, -1))
    last = next((other for other in above if other is not None and other.kind == "article"), None)
    return last is None or article_value(header) == article_value(last) + 1


def _follows(mark: Marker, other: Marker) -> bool:
    return mark.style == other.style != "dash" and mark.value == other.value + 1


def _is_bare(mark: Marker | None, line: str) -> bool:
    return mark is not None and mark.end >= len(line)


def quoted_header(line: str, grammar: Grammar) -> Header | None:
    """The header of a quoted article, annex or chapter: it stands alone on its line, or before its heading."""
    text = line.lstrip(OPENING)
    if len(text) > LONGEST_HEADING or not grammar.may_lead(fold(text[:HEAD])):
        return None
    header = grammar.header(text) or grammar.header(_BEFORE_FIRST.sub(" ", text))
    if header is None:
        return None
    rest = text[header.end :].strip(_BEHIND)
    if header.number and rest in INSERTED_WORDS:  # "Article 29 quater bis"
        number = header.number + canonical(f"1 {rest}")[1:]
        return header._replace(number=number, written=f"{header.written} {rest}", end=len(text))
    if header.kind == "article" and len(text) <= LONGEST_NUMBER and _INSERTED.match(rest):
        return header._replace(number=header.number + rest, written=f"{header.written} {rest}", end=len(text))
    if rest and (not rest[0].isupper() or text.endswith(SENTENCE_STOPS)):
        return None
    return header
