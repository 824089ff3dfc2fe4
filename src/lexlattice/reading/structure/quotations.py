"""Quotations that are paragraphs of their own: what an amendment puts into another act.

What is quoted has a numbering of its own, which may well go on as the amendment's does. Only the marks tell where it
ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import DIVISIONS, HEAD, Grammar, Header, fold
from lexlattice.reading.languages.numbering import INSERTED_WORDS, OPENING_QUOTES, Marker, canonical
from lexlattice.reading.structure.header_tracker import article_value
from lexlattice.reading.structure.lines import LONGEST_HEADING, SENTENCE_STOPS, Lines, shouts

_PAIRS: Final = "‘’ “” „“” ‟” «» ‹› »«» ”” \"\" '' ‚‘’".split()
_CLOSING: Final = {pair[0]: pair[1:] for pair in _PAIRS}
_APOSTROPHE: Final = re.compile(r"(?<=\w)[’'](?=\w)")
_POSSESSIVE: Final = re.compile(r"(?<=s)[’'](?=\s[^\W\d_A-Z])")
"""Behind a plural, "the States’ laws", a mark closes nothing, unless it closes what was opened."""
_NUMBERED: Final = re.compile(r"\W{1,2}(?:\(\w{1,4}\)|\d{1,3}[a-z]?[.)])\s")
"""A quoted number: "‘2. Member States", "‘(b) the"."""
LONGEST_TERM: Final = 60
"""Characters of what a definition defines."""
FARTHEST_FURTHER: Final = 40
"""So many lines below a closing mark are looked at for another without an opening one."""
LONGEST: Final = 5000
"""A quotation of more lines has lost its end."""


def quotations(
    lines: Sequence[str],
    quoted: Container[int] = (),
    *,
    heads: Callable[[str], bool] = lambda _: False,
    doubts: Callable[[int, int], bool] = lambda _, __: False,
    guess: Callable[[int], int | None] = lambda _: None,
) -> dict[int, int]:
    """Where quotations begin and end, by line: a colon leads in, and no other of its kind begins before the end.

    `quoted` are lines that the mark-up shows to be quoted: those the marks do not tell of are quotations too. A line
    that `heads` a quoted article or annex needs no colon before it. `doubts` says what cannot be a quotation, `guess`
    where one ends whose last mark is missing.

    >>> quotations(["(1) it is replaced by this:", "‘Article 2", "Text.’;", "(2) it ends."])
    {1: 2}
    >>> quotations(["(1) it is replaced by this:", "‘2. Text.’;", "these apply:", "‘bee’ means ‘an insect’;"])
    {1: 1}
    """
    spans: dict[int, int] = {}
    done = -1
    last_end = cache(lambda mark: _last_end(lines, mark))
    for i, line in enumerate(lines):
        if i <= done:
            continue
        if line[0] in _CLOSING and i and (leads_in(lines[i - 1], line) or heads(line)):
            end = _end(lines, i, quoted, last_end(line[0]))
            if end is None and _opened(line, line[0]) > 0 and (line[0] not in _CLOSING[line[0]] or heads(line)):
                end = guess(i)
            further = _further_end(lines, line[0], end, heads) if end is not None else None
            end = further if further is not None and not doubts(i, further) else end
            if end is not None and (end == further or not doubts(i, end)):
                spans[i] = done = end
                continue
        if i in quoted:
            done = _run(lines, i, quoted)
            if done - i > 1 or _ends_any(lines[done]):
                spans[i] = done
    return spans


def _further_end(lines: Sequence[str], mark: str, end: int, heads: Callable[[str], bool]) -> int | None:
    """Where a quotation of several articles really ends, each of which has a closing mark but not an opening one."""
    if mark in _CLOSING[mark] or end + 1 >= len(lines) or not heads(lines[end + 1]) or lines[end + 1][0] == mark:
        return None
    for j in range(end + 1, min(len(lines), end + FARTHEST_FURTHER)):
        balance = _balance(lines[j], mark)
        if lines[j][0] == mark or balance > 0:
            return None
        if balance < 0 and _pattern(mark).search(lines[j]):
            return j
    return None


def leads_in(before: str, line: str) -> bool:
    """Whether a line leads in what is quoted below it: by a colon, or without one where a number is quoted."""
    return before[-1] == ":" or (before[-1].isalpha() and _NUMBERED.match(line) is not None)


def is_quoted(line: str) -> bool:
    """Whether a line as a whole is one quotation.

    >>> is_quoted("‘(b) bring their laws into line with each other;’"), is_quoted("‘bee’ means ‘an insect’")
    (True, False)
    """
    return line[0] in _CLOSING and _is_whole(line, line[0])


def _run(lines: Sequence[str], i: int, quoted: Container[int]) -> int:
    """The last of the lines that the mark-up shows to be quoted, as far as they are one quotation."""
    last = i
    while last + 1 < len(lines) and last + 1 in quoted:
        last += 1
    return last


def _last_end(lines: Sequence[str], mark: str) -> int:
    """The last line that may end a quotation of a kind: none is looked for below it, or a text of openings is slow."""
    ends = _pattern(mark)
    return next((i for i in range(len(lines) - 1, -1, -1) if ends.search(lines[i])), -1)


def _end(lines: Sequence[str], first: int, quoted: Container[int], last: int) -> int | None:
    """The line that ends the quotation that begins with a line, if one does; `last` may be the last to end any."""
    mark = lines[first][0]
    ends = _pattern(mark)
    if _is_whole(lines[first], mark):
        return first
    depth = _opened(lines[first], mark)
    if depth <= 0:
        return None
    mirrored = mark in _CLOSING[mark]
    for j in range(first + 1, min(last + 1, first + LONGEST)):
        line = lines[j]
        again = line[0] == mark
        if again and lines[j - 1][-1] == ":" and j not in quoted:
            return None
        balance = _balance(line, mark)
        if again and balance > 0 and not mirrored:  # each paragraph of a quotation may begin with the mark anew
            balance -= 1
        elif again and mirrored and ends.search(line):
            balance = 1
        if mirrored:
            if balance and ends.search(line):
                return j
            continue
        depth += balance
        if depth <= 0 and ends.search(line):
            return j
    return None


def _is_whole(line: str, mark: str) -> bool:
    """Whether a line ends the quotation it begins, and not before its own end."""
    match = _pattern(mark).search(line)
    if match is None or match.start() == 0:
        return False
    closing = _CLOSING[mark]
    inner = _APOSTROPHE.sub("", line[1 : match.start()])
    if mark in closing:
        return mark not in inner
    if sum(map(inner.count, closing)) > inner.count(mark):
        inner = _POSSESSIVE.sub("", inner)
    depth = 1
    for sign in inner:
        depth += (sign == mark) - (sign in closing)
        if depth <= 0:
            return False
    return True


def _opened(line: str, mark: str) -> int:
    """How many quotations a line leaves open that begins with one: far from the mark, a possessive closes no term."""
    if mark in _CLOSING[mark]:
        return _balance(line, mark)
    return _balance(line[:LONGEST_TERM] + _POSSESSIVE.sub("", line[LONGEST_TERM:]), mark)


def _balance(line: str, mark: str) -> int:
    """How many quotations of a kind a line leaves open."""
    closing = _CLOSING[mark]
    if mark not in line and not any(sign in line for sign in closing):
        return 0
    line = _APOSTROPHE.sub("", line)
    if mark in closing:
        return sum(map(line.count, closing)) % 2
    balance = line.count(mark) - sum(map(line.count, closing))
    return min(0, balance + len(_POSSESSIVE.findall(line))) if balance < 0 else balance


@cache
def _pattern(mark: str) -> re.Pattern[str]:
    """A closing mark at the end of a line: stops, the sign of a note and a mere "and" may follow it."""
    closing = "".join(map(re.escape, _CLOSING[mark]))
    return re.compile(rf"[{closing}][\s.;\u037e,:\"]*(?:\(\*?\d{{0,3}}\)[\s.;,:]*)?(?:\s[^\W\d_A-Z]{{1,5}})?$")


def _ends_any(line: str) -> bool:
    return any(_pattern(mark).search(line) for mark in _CLOSING)


# Which lines of an act are text of another act that it quotes, so that nothing in them is its own.

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
