"""Restore the line breaks of pages whose paragraphs were run together.

A third of EUR-Lex's older pages are one line of a hundred thousand characters: "…thereof,Having regard to…HAVE AGREED
AS FOLLOWS:Article 1Scope1. The Parties…". Line breaks are added, but no letter is changed. A break is recognised by two
spaces, a capital right after a full stop, or a head-word with the next number of its kind.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from math import inf
from statistics import median
from typing import Final

from lexlattice.reading.formats.blocks import Block
from lexlattice.reading.languages.grammar import MISPRINTED_ONE, Grammar, fold
from lexlattice.reading.languages.numbering import from_roman

_POINT_NUMBER: Final = re.compile(
    r"(?:(?<![\w/(])(?<!\d[.,])(?<![A-Z]\.)|(?<=[^\W\d_]{4})(?=\d{1,2}\.\d))"
    r"(?P<n>\d{1,2}(?:\.\d{1,2}){0,5})\.(?P<gap>\s?)(?=[^\W\d_])"
)
"""A number of a point in running text: "…intended to: 1.1.reduce the risk; 1.2.prevent…"."""
_FEWEST_DECIMALS: Final = 3
"""Decimal numbers before words that show that a page uses them."""
_MAX_STEP: Final = 2
"""Largest step between decimal numbers: one of them may be lost in the text."""
_WORD_WINDOW: Final = 24
"""Characters before a number that contain the word before it."""
_STOPS: Final = (".", ";", ":")
_HEAD_WORD_STEM: Final = 4
"""Letters that identify a head-word in all its inflected forms."""

LONG_LINE: Final = 600
"""Lines longer than this are split in a page without line breaks."""

LONG_MEAN: Final = 700
"""Mean length of line from which on a page has lost its line breaks: acts have about 100 characters per line."""

FEW_LINES: Final = 12
"""A page of so few lines has lost its line breaks if one of them is long."""

LONGEST_PARAGRAPH: Final = 12000
"""No paragraph of an act is longer than this; such a line holds several, whatever the page."""

_UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĖĘĚĞĠĢĦĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚΑ-ΩΆ-ΏА-Я"
_LOWER: Final = "a-zß-öø-ÿāăąćĉċčďđēėęěğġģħīįıķĺļľłńņňōőœŕřśşšţťūůűųźżžșțα-ωά-ώа-я"

_SPACES: Final = re.compile(r"[ \u00a0]{2,}")
_PARAGRAPH_GAP: Final = re.compile(rf"[^{_LOWER}\d].{{2}}|.{{3}}(?:[{_UPPER}(]|\d{{1,2}}\.|[—–-]\s)")
"""Two spaces that separate paragraphs: after a stop, or before a capital or number; others are wrapped lines."""
_NEW_PARAGRAPH: Final = re.compile(rf"[.;:]\s+(?:[{_UPPER}(]|\d{{1,2}}\.|[—–-]\s)")
"""A stop, and what a paragraph may begin with: "…force.  (a)", "…force.  2."."""
_CELL: Final = " | "
"""What separates two cells of a row."""
_SHORT_CELL: Final = 12
"""Characters at the beginning of a row that are no sentence on their own."""
_ROW_END: Final = re.compile(r"\s\|(?=[^\s])")
"""The bar between two rows: "Goods |2501"."""
_SENTENCE_END: Final = re.compile(rf"(?<=[{_LOWER})][.;:])(?=[{_UPPER}])")
"""Between two sentences without a space: "…force.The…"."""
_FEWEST_WRAPPED: Final = 3
"""Lines that end mid-sentence, needed to know how wide the page was."""
_LONGEST_WORD: Final = 30
"""Characters that hold the first word of a line."""
# Where a line break was lost, by the letters on either side of it.
_LOST_BREAK: Final = re.compile(
    rf"(?<=[{_LOWER})’'\"»\d][.;:,])(?=[{_UPPER}][{_LOWER}])"  # "thereof,Having"
    rf"|(?<=[.;:,])(?=(?:\(\w{{1,4}}\)|\d{{1,2}}\.|[-—–])\s?[{_UPPER}{_LOWER}‘'])"  # "measures:(a) the", ",- the"
    rf"|(?<=\))(?=[{_UPPER}]{{3,}}\s)"  # "(96/C 80/01)THE COUNCIL"
    rf"|(?<=[{_LOWER}{_UPPER})`’'\"][;,])(?=[{_UPPER}]{{3,}}\s)"  # "THE COMMUNITY,THE KINGDOM", "needs;RECALLING that"
    rf"|(?<=[{_LOWER}]{{4}})(?=\d{{1,2}}\.\s[{_UPPER}])"  # "principles1. The"
    rf"|(?<=[{_LOWER}]{{4}})(?=[{_UPPER}]{{3,}}[\s,])"  # "ConfederationTHE EUROPEAN"
    rf"|(?<=[{_LOWER}]{{4}})(?=(?:[{_UPPER}][{_LOWER}]+|[{_UPPER}])[\s.])"  # "principlesThe Parties"
    rf"|(?<=[.;:])\s(?=\(\d{{1,3}}\)\s[{_UPPER}])"  # "Europe. (2) The"
    r"|(?<=[.;:])\s(?=\([a-z]\)\s)"  # "measures: (a) the"
    rf"|(?<=[.;])(?<!\s[{_LOWER}S]\.)\s(?=\d{{1,2}}\.\s[{_UPPER}])"  # not the page in "p. 7. Directive as amended"
    r"|(?<=>)(?=[^<>\s])|(?<=[^\s<>])(?=>(?:TABLE|PIC))"  # ">TABLE POSITION>" on either side
    r"|(?<=[^\s-])\s?(?=-{10})|(?<=-{10})(?=[^-])"  # a ruler of dashes on either side
)
_FEWEST_PAGE_PIECES: Final = 3
"""Parts (name, date, series, language of the Journal) that make a page header."""
_DAY: Final = re.compile(rf"\d{{8}}(?=[{_UPPER}][{_LOWER}{_UPPER}])")
"""A date right before the title: "19980630Council Directive"."""
# What follows the header of an article on the same line: its text, not the rest of a reference.
_TEXT_BEGINS: Final = re.compile(
    rf"\s{{1,2}}(?:\d{{1,2}}\.\s)?[{_UPPER}](?:[{_LOWER}]|\s)"  # "Article 2 The", "Article 2 1. The"
    rf"|(?:1\.\s{{1,2}})?[{_UPPER}][{_LOWER}]"  # "Article 2The", "Article 21. The"
)
_DOTTED: Final = re.compile(rf"\.\d{{1,2}}(?=[{_UPPER}][{_LOWER}{_UPPER}])")
"""The rest of an article number that counts within a chapter, with its heading: "Article 10.2Nature"."""
_INSERTED: Final = re.compile(rf"[A-Z](?=[{_UPPER}][{_LOWER}\s]|\d{{1,2}}\.\s)")
"""The letter of an inserted article with text right after it: "Article 2A1. Each", "Article 1AThe"."""
_RUNS_INTO_TEXT: Final = re.compile(rf"[{_UPPER}]|1\.\s")
"""What follows a header without a space: "Article 5The", "Article 51. The"."""
_MAX_MISSING: Final = 3
"""Articles whose headers may be missing before one that runs into its text."""
_DIVIDERS: Final = ("part", "title", "chapter", "section", "annex", "protocol")
"""Head-words whose headers must be in capitals."""


def restore_line_breaks(blocks: list[Block], grammar: Grammar) -> list[Block]:
    """Split the long lines of a page without line breaks, except those that have a role by mark-up."""
    sizes = [len(block.text) for block in blocks]
    has_lost_breaks = len(blocks) <= FEW_LINES or sum(sizes) > LONG_MEAN * len(blocks)
    limit = LONG_LINE if has_lost_breaks else LONGEST_PARAGRAPH
    if max(sizes, default=0) <= limit:
        return blocks
    pieces: list[Block] = []
    for block, size in zip(blocks, sizes, strict=True):
        if size > limit and block.role is None:
            pieces.extend(map(Block, split_line(block.text, grammar)))
        else:
            pieces.append(block)
    return pieces


def split_line(line: str, grammar: Grammar) -> list[str]:
    """Split a line into the lines it once was.

    >>> from lexlattice.reading.languages.grammar import load
    >>> split_line("of the other part,HAVE AGREED AS FOLLOWS:Article 1ScopeThe Parties agree.", load("en"))
    ['of the other part,', 'HAVE AGREED AS FOLLOWS:', 'Article 1', 'Scope', 'The Parties agree.']
    """
    cuts = {match.end() for match in _LOST_BREAK.finditer(line)}
    cuts.update(_page_header_ends(line, grammar))
    cuts.update(_paragraph_ends(line))
    cuts.update(_formula_starts(line, grammar))
    cuts.update(match.end() for match in _enacting_pattern(grammar).finditer(line) if match.group().isupper())
    headers = _header_cuts(line, grammar)
    cuts.update(headers)
    # A decimal number begins a line and stays in one piece.
    for start, end in find_decimal_numbers(line, grammar):
        if end in headers:
            continue
        cuts.difference_update(range(start + 1, end + 1))
        cuts.add(start)
    if _CELL in line:
        cuts = _cuts_between_rows(line, cuts)
    edges = [0, *sorted(cuts), len(line)]
    pieces = (line[a:b].strip() for a, b in pairwise(edges))
    return [piece for piece in pieces if piece]


def _cuts_between_rows(line: str, cuts: set[int]) -> set[int]:
    """The cuts of a line with tables of bars: rows stay whole, and text before the first is cut off.

    Cells have " | " between them; the bar at a row's end has no space after it: "CN code | Goods |2501 | Salt |".
    """
    ends = [match.end() for match in _ROW_END.finditer(line)]
    ordered = sorted(cuts)
    kept = set(ends)
    for start, end in pairwise([0, *ends, len(line)]):
        first, last = line.find(_CELL, start, end), line.rfind(_CELL, start, end)
        kept.update(match.end() for match in _SENTENCE_END.finditer(line, start, max(start, first)))
        opening = start if first < 0 else start + _SHORT_CELL  # "1.Plutonium | " is one cell
        before = end if first < 0 else first
        after = last if end - last > LONG_LINE else end  # all that follows a table is on the line of its last row
        for cut in ordered[bisect_right(ordered, opening) : bisect_left(ordered, end)]:
            if cut < before or cut > after:
                kept.add(cut)
    return kept


def _paragraph_ends(line: str) -> Iterator[int]:
    """Where two spaces separate paragraphs: not in a page that was only wrapped, nor where a line was full.

    A line was full if the next word did not fit; the lines that end mid-sentence tell how wide the page was.
    """
    gaps = [match.span() for match in _SPACES.finditer(line)]
    if sum(bool(_PARAGRAPH_GAP.match(line, end - 3)) for _, end in gaps) <= 0.7 * len(gaps):
        return
    wrapped = {end for start, end in gaps if line[:start][-1:].islower() and line[end : end + 1].islower()}
    begins = [0, *(end for _, end in gaps)]
    lengths = [start - begin for begin, (start, end) in zip(begins, gaps, strict=False) if end in wrapped]
    width = median(lengths) if len(lengths) >= _FEWEST_WRAPPED else inf
    for begin, (start, end) in zip(begins, gaps, strict=False):
        word = line[end : end + _LONGEST_WORD].split(" ", 1)[0]
        is_full = start - begin + 1 + len(word) > width and not _NEW_PARAGRAPH.match(line, start - 1)
        if end not in wrapped and not is_full:
            yield end


def _page_header_ends(line: str, grammar: Grammar) -> list[int]:
    """Where the parts of the Official Journal's page header end, if the line begins with one."""
    ends = [0]
    pattern = _page_header_pattern(grammar)
    while piece := pattern.match(line, ends[-1]):
        ends.append(piece.end())
    return ends if len(ends) > _FEWEST_PAGE_PIECES or _DAY.match(line) else []


@cache
def _page_header_pattern(grammar: Grammar) -> re.Pattern[str]:
    journal = _any_of(grammar.written["journal"])
    return re.compile(
        rf"(?:\d{{1,2}}[./ ]\s?\d{{1,2}}[./ ]\s?\d{{4}}\.?|\d{{4}}[./ ]\s?\d{{1,2}}[./ ]\s?\d{{1,2}}\.?"
        rf"|[A-Z]{{2}}|[LC]\s?\d+\s?/\s?\d+|(?i:{journal}))\s+"
        rf"|{_DAY.pattern}"
    )


def _formula_starts(line: str, grammar: Grammar) -> Iterator[int]:
    """Where formulas begin; if a recital or citation begins with a capital, "; whereas" only continues one."""
    found = list(_formula_pattern(grammar).finditer(line))
    capital = {match.lastgroup for match in found if line[match.end()].isupper()}
    for match in found:
        if match.lastgroup not in capital or line[match.end()].isupper() or match.group() != " ":
            yield match.end()


@cache
def _formula_pattern(grammar: Grammar) -> re.Pattern[str]:
    """Matches before citations, recitals, the enacting and the closing formula: after a stop or a comma.

    The institution that acts precedes the first citation. The closing formula begins a sentence: a treaty that is cited
    was "done at Stockholm" too.
    """

    def either(*kinds: str) -> str:
        return _any_of(word for kind in kinds for word in grammar.written[kind])

    closing = rf"(?=[{_UPPER}])(?i:{either('closing')})"
    return re.compile(
        rf"(?<=[.,;:)*])\s*(?=(?:(?P<recital>(?i:{either('recitals')}))|(?P<citation>(?i:{either('citation')}))"
        rf"|(?i:{either('enacting')})|{closing})\b)"
        rf"|(?:(?<=[{_LOWER}]{{4}})|(?<=\)))\s+(?=(?:[{_UPPER}]{{2,}}\s){{1,12}}[{_UPPER}]{{2,}},\s*(?i:{either('citation')})\b)"
    )


@cache
def _enacting_pattern(grammar: Grammar) -> re.Pattern[str]:
    """Matches the enacting formula in capitals up to its colon: what follows is already enacted."""
    return re.compile(rf"(?i:{_any_of(grammar.written['enacting'])})\b[^.:;]{{0,80}}:\s?(?=\S)")


@cache
def _header_pattern(grammar: Grammar) -> re.Pattern[str]:
    """Matches a head-word with its number; divisions and annexes must be in capitals, or they are references."""
    article, ordinals = _any_of(grammar.written["article"]), _any_of(grammar.ordinal_values)
    number_first = rf"(?P<first>(?<!\d)(?P<lead>\d{{1,3}})\.?\s(?i:{article})(?![{_LOWER}]|\s{{0,2}}\d))"
    names = "|".join(rf"(?P<{kind}>{_any_of(map(str.upper, grammar.written[kind]))})" for kind in _DIVIDERS)
    return re.compile(
        rf"(?P<article>(?<![{_LOWER}{_UPPER}]-)(?i:{article})\s{{0,2}}(?P<number>\d{{1,3}}|[IVXL]{{1,6}}\b|l(?=1\.\s|\b)|(?i:{ordinals})\b))"
        rf"|{number_first if grammar.number_first else '(?P<first>(?P<lead>(?!)))'}"
        rf"|(?:{names})(?![{_LOWER}])(?:\s{{1,2}}(?P<count>[IVXL]{{1,6}}|\d{{1,2}}|[A-Z]\b)|(?![{_UPPER}]))"
    )


def _any_of(words: Iterable[str]) -> str:
    """A pattern that matches any of several words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _header_cuts(line: str, grammar: Grammar) -> set[int]:
    """Where headers begin and end: those with the next number of their kind that are no references."""
    cuts: set[int] = set()
    due = {"article": 1}
    for match in _header_pattern(grammar).finditer(line):
        start, end = match.span()
        before = line[max(0, start - 4) : start]
        if match["article"] and (dotted := _DOTTED.match(line, end)):
            if _is_ended(before):
                cuts.update((start, dotted.end()))
        elif match["article"] or match["first"]:
            number = match["number"] or match["lead"]
            value = 1 if number == MISPRINTED_ONE else _numeral_value(number)
            value = grammar.ordinal_values.get(fold(number), value)
            expected = (due["article"], due["article"] + 1)  # the header before this one may be misprinted
            if line[end : end + 1] == "." and value not in expected:
                value = _article_before_paragraph(number, *expected) or value
                end = match.start("number") + len(str(value)) if match["number"] else end
            elif match["article"] and value == due["article"] - 1 and (letter := _INSERTED.match(line, end)):
                cuts.update((start, letter.end()) if _is_ended(before) else ())
                continue
            precedes_text = value == due["article"] and bool(_TEXT_BEGINS.match(line, end))
            is_near = 0 < value - due["article"] <= _MAX_MISSING
            skips = is_near and not before[-1:].isspace() and _RUNS_INTO_TEXT.match(line, end) is not None
            is_possible = value in (1, *expected) or skips
            if precedes_text or (is_possible and _is_separate(before, line[end : end + 3])):
                cuts.update((start, end))
                due["article"] = value + 1
        elif _is_ended(before):
            kind = next(kind for kind in _DIVIDERS if match[kind])
            end = _numeral_end(match, line, due.get(kind, 1))
            due[kind] = _numeral_value(line[match.start("count") : end]) + 1 if match["count"] else 1
            cuts.update((start, end))
    return cuts


def _article_before_paragraph(number: str, due: int, following: int) -> int:
    """The article of a number that runs into its first paragraph's: "Article 11. The" is article 1; 0 if impossible."""
    if number.startswith(str(due)):
        return due
    return following if number == f"{following}1" else 0


def _numeral_value(text: str) -> int:
    return int(text) if text.isdigit() else from_roman(text.lower())


def _numeral_end(match: re.Match[str], line: str, due: int) -> int:
    """Where a Roman numeral ends that runs into a heading in capitals: "CHAPTER IVINSTITUTIONS" is chapter IV."""
    run = match["count"]
    if not run or run.isdigit() or not line[match.end() : match.end() + 1].isalpha():
        return match.end()
    # The longest prefix with the next number; else with the value 1, which restarts the count; else any numeral.
    values = {n: from_roman(run[:n].lower()) for n in range(len(run), 0, -1)}
    best = next((n for n, value in values.items() if value == due), 0)
    best = best or next((n for n, value in values.items() if value == 1), 0)
    best = best or next((n for n, value in values.items() if value), len(run))
    return match.start("count") + best


def _is_ended(before: str) -> bool:
    """Whether the text before a header has ended: a stop, two spaces, or no space at all."""
    text = before.rstrip()
    return text == before or not text or text[-1] in ".;:*-)’'\"”»" or (len(text) > 2 and text[-3:].isupper())


def _is_separate(before: str, following: str) -> bool:
    """Whether a header is separate from the text before it and not continued after it, as a reference would be."""
    if not _is_ended(before) or before.endswith(("(", "[", "-", "/")):
        return False
    after = following.strip()
    return following[:1] not in ("(", ",", ")", ";") and (not after or not after[0].islower())


def find_decimal_numbers(line: str, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """Where the numbers of points begin and end, in a line whose points have decimal numbers."""
    found = list(_POINT_NUMBER.finditer(line))
    if sum("." in match["n"] for match in found) < _FEWEST_DECIMALS:
        return
    numbers = [tuple(map(int, match["n"].split("."))) for match in found]
    latest: tuple[int, ...] = ()
    for match, number, following in zip(found, numbers, [*numbers[1:], ()], strict=True):
        before = line[max(0, match.start() - _WORD_WINDOW) : match.start()].rstrip()
        if not _is_due(number, latest) or _is_reference(before, grammar):
            continue
        latest = number
        begins = before[-1:] in _STOPS or following == (*number, 1)
        if len(number) > 1 or (begins and not match["gap"]):
            yield match.start(), match.end("n") + 1


def _is_due(number: tuple[int, ...], latest: tuple[int, ...]) -> bool:
    """Whether a number is the first below the latest, or the next at its level or further out; or restarts at 1.

    >>> [_is_due(n, (2, 1)) for n in ((2, 1, 1), (2, 2), (3,), (3, 1), (1,), (2, 3), (2, 4), (4,))]
    [True, True, True, True, True, True, False, False]
    """
    if set(number) == {1} or (number[-1] == 1 and number[:-1] == latest):
        return True
    *above, last = number if number[-1] > 1 or len(number) == 1 else number[:-1]
    return (
        len(above) < len(latest)
        and list(latest[: len(above)]) == above
        and 0 < last - latest[len(above)] <= (_MAX_STEP if above else 1)
    )


def _is_reference(before: str, grammar: Grammar) -> bool:
    """Whether a head-word is before a number, "in point 4.1.", so that no point begins there."""
    words = before.split()
    return bool(words) and fold(words[-1].strip("(.,"))[:_HEAD_WORD_STEM] in grammar.heads
