"""Pages whose paragraphs were run together: put the line breaks back.

A third of EUR-Lex's older pages reach people as one line of a hundred thousand characters: "…thereof,Having regard
to…HAVE AGREED AS FOLLOWS:Article 1Scope1. The Parties…". Only line breaks are ever added, never a letter changed.
What gives a break away: two spaces, a capital right after a full stop, a head-word whose number is the next one due.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final

from lexlattice.reading.blocks import Block
from lexlattice.reading.grammar import Grammar, fold
from lexlattice.reading.numbering import from_roman

GLUED_LINE: Final = 600
"""In a glued page, lines longer than this are cut."""

GLUED_PAGE: Final = 700
"""Mean length of line from which on a page counts as glued: acts have some 100 characters a line."""

FEWEST_LINES: Final = 12
"""A page of so few lines is glued if one of them is long."""

LONGEST_PARAGRAPH: Final = 12000
"""No paragraph of an act is longer than this; a line that is holds several, whatever the page."""

_UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĖĘĚĞĠĢĦĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽȘȚΑ-ΩΆ-ΏА-Я"
_LOWER: Final = "a-zß-öø-ÿāăąćĉċčďđēėęěğġģħīįıķĺļľłńņňōőœŕřśşšţťūůűųźżžșțα-ωά-ώа-я"

_SPACES: Final = re.compile(r"[ \u00a0]{2,}")
_PARAGRAPH_GAP: Final = re.compile(rf"[^{_LOWER}\d].{{2}}|.{{3}}(?:[{_UPPER}(]|\d{{1,2}}\.|[—–-]\s)")
"""Two spaces part paragraphs where a stop comes before or a capital or number after; else lines were only wrapped."""
_GLUE: Final = re.compile(
    rf"(?<=[{_LOWER})’'\"»\d][.;:,])(?=[{_UPPER}][{_LOWER}])"  # "thereof,Having"
    rf"|(?<=[.;:,])(?=(?:\(\w{{1,4}}\)|\d{{1,2}}\.|[-—–])\s?[{_UPPER}{_LOWER}‘'])"  # "measures:(a) the", ",- the"
    rf"|(?<=\))(?=[{_UPPER}]{{3,}}\s)"  # "(96/C 80/01)THE COUNCIL"
    rf"|(?<=[{_LOWER}{_UPPER})`’'\"][;,])(?=[{_UPPER}]{{3,}}\s)"  # "THE COMMUNITY,THE KINGDOM", "needs;RECALLING that"
    rf"|(?<=[{_LOWER}]{{4}})(?=\d{{1,2}}\.\s[{_UPPER}])"  # "principles1. The"
    rf"|(?<=[{_LOWER}]{{4}})(?=[{_UPPER}]{{3,}}[\s,])"  # "ConfederationTHE EUROPEAN"
    rf"|(?<=[{_LOWER}]{{4}})(?=(?:[{_UPPER}][{_LOWER}]+|[{_UPPER}])[\s.])"  # "principlesThe Parties"
    rf"|(?<=[.;:])\s(?=\(\d{{1,3}}\)\s[{_UPPER}])"  # "Europe. (2) The"
    r"|(?<=[.;:])\s(?=\([a-z]\)\s)"
    rf"|(?<=[.;])(?<!\s[{_LOWER}S]\.)\s(?=\d{{1,2}}\.\s[{_UPPER}])"  # not the page in "p. 7. Directive as amended"
    r"|(?<=>)(?=[^<>\s])|(?<=[^\s<>])(?=>(?:TABLE|PIC))"
    r"|(?<=[^\s-])\s?(?=-{10})|(?<=-{10})(?=[^-])"
)


def unglue_page(blocks: list[Block], grammar: Grammar) -> list[Block]:
    """Cut the glued lines of a page, if it is one, but none whose role the mark-up gives."""
    sizes = [len(block.text) for block in blocks]
    glued = len(blocks) <= FEWEST_LINES or sum(sizes) > GLUED_PAGE * len(blocks)
    limit = GLUED_LINE if glued else LONGEST_PARAGRAPH
    if max(sizes, default=0) <= limit:
        return blocks
    pieces: list[Block] = []
    for block, size in zip(blocks, sizes, strict=True):
        if size > limit and block.role is None:
            pieces.extend(map(Block, unglue(block.text, grammar)))
        else:
            pieces.append(block)
    return pieces


def unglue(line: str, grammar: Grammar) -> list[str]:
    """Cut a glued line into the lines it once was.

    >>> from lexlattice.reading.grammar import load
    >>> unglue("of the other part,HAVE AGREED AS FOLLOWS:Article 1ScopeThe Parties agree.", load("en"))
    ['of the other part,', 'HAVE AGREED AS FOLLOWS:', 'Article 1', 'Scope', 'The Parties agree.']
    """
    cuts = {match.end() for match in _GLUE.finditer(line)}
    cuts.update(_ends_of_page_header(line, grammar))
    gaps = [match.end() for match in _SPACES.finditer(line)]
    if sum(bool(_PARAGRAPH_GAP.match(line, end - 3)) for end in gaps) > 0.7 * len(gaps):
        cuts.update(gaps)
    cuts.update(match.end() for match in _formulas(grammar).finditer(line))
    cuts.update(_headers(line, grammar))
    edges = [0, *sorted(cuts), len(line)]
    pieces = (line[a:b].strip() for a, b in pairwise(edges))
    return [piece for piece in pieces if piece]


def _ends_of_page_header(line: str, grammar: Grammar) -> list[int]:
    """Where the pieces of the Official Journal's own header end, if the line begins with one."""
    ends = [0]
    pattern = _page_piece(grammar)
    while piece := pattern.match(line, ends[-1]):
        ends.append(piece.end())
    return ends if len(ends) > _PAGE_PIECES or _DAY.match(line) else []


_PAGE_PIECES: Final = 3
"""So many of the Journal's name, its day, its series and its language make a page's header."""
_DAY: Final = re.compile(rf"\d{{8}}(?=[{_UPPER}][{_LOWER}{_UPPER}])")


@cache
def _page_piece(grammar: Grammar) -> re.Pattern[str]:
    journal = "|".join(re.escape(name) for name in sorted(grammar.written["journal"], key=len, reverse=True))
    return re.compile(
        rf"(?:\d{{1,2}}[./ ]\s?\d{{1,2}}[./ ]\s?\d{{4}}\.?|\d{{4}}[./ ]\s?\d{{1,2}}[./ ]\s?\d{{1,2}}\.?"
        rf"|[A-Z]{{2}}|[LC]\s?\d+\s?/\s?\d+|(?i:{journal}))\s+"
        rf"|{_DAY.pattern}"
    )


@cache
def _formulas(grammar: Grammar) -> re.Pattern[str]:
    """Where citations, recitals, the enacting and the closing formula begin: after a stop or a comma.

    The institution that acts stands before the first citation. The closing formula begins a sentence: a treaty that
    is cited was "done at Stockholm" too.
    """

    def either(*kinds: str) -> str:
        words = [word for kind in kinds for word in grammar.written[kind]]
        return "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))

    closing = rf"(?=[{_UPPER}])(?i:{either('closing')})"
    return re.compile(
        rf"(?<=[.,;:)*])\s*(?=(?:(?i:{either('citation', 'recitals', 'enacting')})|{closing})\b)"
        rf"|(?:(?<=[{_LOWER}]{{4}})|(?<=\)))\s+(?=(?:[{_UPPER}]{{2,}}\s){{1,12}}[{_UPPER}]{{2,}},\s*(?i:{either('citation')})\b)"
    )


@cache
def _header_pattern(grammar: Grammar) -> re.Pattern[str]:
    """A head-word beside its number; divisions and annexes must be in capitals, or they are references."""

    def either(kinds: tuple[str, ...], *, capitals: bool) -> str:
        words = sorted((w for kind in kinds for w in grammar.written[kind]), key=len, reverse=True)
        return "|".join(re.escape(w.upper() if capitals else w) for w in words)

    article = either(("article",), capitals=False)
    ordinals = "|".join(re.escape(word) for word in sorted(grammar.ordinal_values, key=len, reverse=True))
    number_first = rf"(?P<first>(?<!\d)(?P<lead>\d{{1,3}})\.?\s(?i:{article})(?![{_LOWER}]|\s{{0,2}}\d))"
    names = "|".join(rf"(?P<{kind}>{either((kind,), capitals=True)})" for kind in _DIVIDERS)
    return re.compile(
        rf"(?P<article>(?<![{_LOWER}{_UPPER}]-)(?i:{article})\s{{0,2}}(?P<number>\d{{1,2}}\.\d{{1,2}}(?=[{_UPPER}])|\d{{1,3}}|[IVXL]{{1,6}}\b|(?i:{ordinals})\b))"
        rf"|{number_first if grammar.number_first else '(?P<first>(?P<lead>(?!)))'}"
        rf"|(?:{names})(?![{_LOWER}])(?:\s{{1,2}}(?P<count>[IVXL]{{1,6}}|\d{{1,2}}|[A-Z]\b)|(?![{_UPPER}]))"
    )


_TEXT_BEGINS: Final = re.compile(rf"\s{{1,2}}(?:\d{{1,2}}\.\s)?[{_UPPER}](?:[{_LOWER}]|\s)|[{_UPPER}][{_LOWER}]")
_PARAGRAPH: Final = re.compile(rf"\.\s{{1,2}}[{_UPPER}‘“\"'(]")
_FIRST_OF_ARTICLE: Final = re.compile(r"\.1\.\s")
_INSERTED: Final = re.compile(rf"[A-Z](?=[{_UPPER}][{_LOWER}\s]|\d{{1,2}}\.\s)")
"""The letter of an inserted article that text follows at once: "Article 2A1. Each", "Article 1AThe"."""
_GLUED: Final = re.compile(rf"[{_UPPER}]|1\.\s")
_FARTHEST: Final = 3
"""So many articles may have lost their header before one that runs into its text."""
_DIVIDERS: Final = ("part", "title", "chapter", "section", "annex", "protocol")


def _headers(line: str, grammar: Grammar) -> set[int]:
    """Where headers begin and end: those whose number is due, and that are not a mere reference."""
    cuts: set[int] = set()
    due = {"article": 1}
    for match in _header_pattern(grammar).finditer(line):
        start, end = match.span()
        before = line[max(0, start - 4) : start]
        if match["article"] or match["first"]:
            number = match["number"] or match["lead"]
            if "." in number:  # "Article 2.3Customs duties": by chapter, as in trade agreements
                cuts.update((start, end) if not before[-1:].isspace() else ())
                continue
            value = int(number) if number.isdigit() else from_roman(number.lower())
            value = grammar.ordinal_values.get(fold(number), value)
            if match["number"] and (first := _before_paragraph(line, end, number, due["article"])):
                value, end = first, match.start("number") + len(str(first))
            elif value == due["article"] - 1 and (letter := _INSERTED.match(line, end)):
                cuts.update((start, letter.end()) if _is_cut_off(before) else ())
                continue
            alone = _stands_alone(before, line[end : end + 3])
            led = value == due["article"] and bool(_TEXT_BEGINS.match(line, end))
            near = 0 < value - due["article"] <= _FARTHEST
            leaps = near and not before[-1:].isspace() and _GLUED.match(line, end) is not None
            if ((value in (1, due["article"]) or leaps) and alone) or led:
                cuts.update((start, end))
                due["article"] = value + 1
        elif _is_cut_off(before):
            kind = next(kind for kind in _DIVIDERS if match[kind])
            end = _end_of_count(match, line, due.get(kind, 1))
            due[kind] = _count(line[match.start("count") : end]) + 1 if match["count"] else 1
            cuts.update((start, end))
    return cuts


def _before_paragraph(line: str, end: int, number: str, due: int) -> int:
    """The article whose number runs into that of its first paragraph, if it is the one due, or near; else 0.

    "Article 11. The" is article 1, and so is "Article 11.1. The".
    """
    if number == str(due) or not number.isdigit():
        return 0
    if number == 2 * str(due) and _FIRST_OF_ARTICLE.match(line, end):
        return due
    first = int(number) // 10
    if not number.endswith("1") or not _PARAGRAPH.match(line, end):
        return 0
    return first if 0 <= first - due <= _FARTHEST else 0


def _count(text: str) -> int:
    return int(text) if text.isdigit() else from_roman(text.lower())


def _end_of_count(match: re.Match[str], line: str, due: int) -> int:
    """Where a Roman numeral ends that runs into a heading in capitals: "CHAPTER IVINSTITUTIONS" is chapter IV."""
    run = match["count"]
    if not run or run.isdigit() or not line[match.end() : match.end() + 1].isalpha():
        return match.end()
    values = {n: from_roman(run[:n].lower()) for n in range(len(run), 0, -1)}
    best = next((n for n, value in values.items() if value == due), 0)
    best = best or next((n for n, value in values.items() if value == 1), 0)
    best = best or next((n for n, value in values.items() if value), len(run))
    return match.start("count") + best


def _is_cut_off(before: str) -> bool:
    """Whether what comes before a header has ended: a stop, two spaces, or no space at all."""
    text = before.rstrip()
    return text == before or not text or text[-1] in ".;:*-)’'\"”»" or (len(text) > 2 and text[-3:].isupper())


def _stands_alone(before: str, following: str) -> bool:
    """Whether a header is cut off from the text before it and not continued after it, as a reference would be."""
    if not _is_cut_off(before) or before.endswith(("(", "[", "-", "/")):
        return False
    after = following.strip()
    return following[:1] not in ("(", ",", ")", ";") and (not after or not after[0].islower())
