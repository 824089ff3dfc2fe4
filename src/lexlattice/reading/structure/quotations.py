"""Text of another act that an amendment quotes in paragraphs of its own: where it begins and ends.

Quoted text has its own numbering, which may happen to continue that of the amendment, so only the quotation marks
tell where it ends. `find_quotations` is the entry point; `match_quotations` pairs the marks.
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
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.typography import LONGEST_HEADING, SENTENCE_STOPS, is_in_capitals

_QUOTE_PAIRS: Final = "‘’ “” „“” ‟” «» ‹› »«» ”” \"\" '' ‚‘’".split()
"""Each opening mark with the marks that may close it, in all languages."""
_CLOSING: Final = {pair[0]: pair[1:] for pair in _QUOTE_PAIRS}
_APOSTROPHE: Final = re.compile(r"(?<=\w)[’'](?=\w)")
"""An apostrophe inside a word: "l’article"."""
_POSSESSIVE: Final = re.compile(r"(?<=s)[’'](?=\s[^\W\d_A-Z])")
"""A possessive, "the States’ laws": its mark closes nothing, unless a quotation is open."""
_NUMBERED: Final = re.compile(r"\W{1,2}(?:\(\w{1,4}\)|\d{1,3}[a-z]?[.)])\s")
"""A quoted number: "‘2. Member States", "‘(b) the"."""
LONGEST_TERM: Final = 60
"""Characters of a defined term."""
FURTHER_END: Final = 40
"""Lines below a closing mark that are searched for another without an opening one."""
LONGEST_QUOTATION: Final = 5000
"""Lines of a quotation; a longer one has lost its end."""
OPENING: Final = OPENING_QUOTES + "’ "
"""What may precede quoted text."""
LONGEST_NUMBER: Final = 40
"""Characters of the header of an inserted article."""
_INSERTED: Final = re.compile(r"[a-z]+ies(?:\s[a-z]+)?\Z")
"""How Romance languages number inserted articles, beyond the words that are known: "325 quinquadragies"."""
MAX_MISSING: Final = 3
"""An article's number may be this far from the last one: a header or two may have been lost."""
GUESS_LOOKAHEAD: Final = 400
"""Lines that are searched for the end of a quotation without a closing mark."""
_BEFORE_FIRST: Final = re.compile(r"\s[-–](?=[IVX\d])")
"""A provision that is inserted before the first is numbered "-I"."""
_AROUND_HEADING: Final = " .:-–—’”"


def find_quotations(lines: Lines) -> dict[int, int]:
    """Find the quotations of an act, as last line by first; one that holds the act's next article is doubtful."""
    headers = [(i, header) for i, header in enumerate(lines.headers) if header is not None]
    articles = [(i, article_value(header)) for i, header in headers if header.kind == "article"]
    capital_annexes = (i for i, header in headers if header.kind == "annex" and is_in_capitals(lines.texts[i]))
    annexes = next(capital_annexes, len(lines))

    def is_doubtful(first: int, end: int) -> bool:
        # If the only header with the act's next number is inside, the closing mark found is not the right one.
        due = _last_article(value for i, value in articles if i < first) + 1
        inside = [(i, value) for i, value in articles if first <= i <= end]
        later = any(value == due for i, value in articles if i > end)
        if first < annexes and not later and any(value == due for _, value in inside):
            return True
        for quoted in inside:
            articles.remove(quoted)
        return False

    by_role = {i for i, role in enumerate(lines.roles) if role is Role.QUOTED}
    is_header = cache(lambda line: quoted_header(line, lines.grammar) is not None)
    return match_quotations(
        lines.texts, by_role, is_header=is_header, is_doubtful=is_doubtful, guess_end=lambda i: _guessed_end(lines, i)
    )


def match_quotations(
    lines: Sequence[str],
    quoted: Container[int] = (),
    *,
    is_header: Callable[[str], bool] = lambda _: False,
    is_doubtful: Callable[[int, int], bool] = lambda _, __: False,
    guess_end: Callable[[int], int | None] = lambda _: None,
) -> dict[int, int]:
    """Pair the opening and closing marks of quotations that are paragraphs of their own.

    A colon introduces a quotation, and no other of its kind begins before it ends.

    Args:
        lines: The lines of the act.
        quoted: Lines that the mark-up shows to be quoted; runs of them without marks are quotations as well.
        is_header: Whether a line is the header of a quoted article or annex, which needs no colon before it.
        is_doubtful: Whether lines, from first to last, cannot be a quotation.
        guess_end: Guesses where a quotation ends whose closing mark is missing.

    Returns:
        The last line of each quotation, by its first.

    >>> match_quotations(["(1) it is replaced by this:", "‘Article 2", "Text.’;", "(2) it ends."])
    {1: 2}
    >>> match_quotations(["(1) it is replaced by this:", "‘2. Text.’;", "these apply:", "‘bee’ means ‘an insect’;"])
    {1: 1}

    """
    spans: dict[int, int] = {}
    done = -1
    last_possible_end = cache(lambda mark: _last_possible_end(lines, mark))
    for i, line in enumerate(lines):
        if i <= done:
            continue
        if line[0] in _CLOSING and i and (introduces_quotation(lines[i - 1], line) or is_header(line)):
            end = _end(lines, i, quoted, last_possible_end(line[0]))
            if end is None and _opened(line, line[0]) > 0 and (line[0] not in _CLOSING[line[0]] or is_header(line)):
                end = guess_end(i)
            further = _further_end(lines, line[0], end, is_header) if end is not None else None
            end = further if further is not None and not is_doubtful(i, further) else end
            if end is not None and (end == further or not is_doubtful(i, end)):
                spans[i] = done = end
                continue
        if i in quoted:  # no marks, but the mark-up shows a quotation
            done = _run_end(lines, i, quoted)
            if done - i > 1 or _ends_any(lines[done]):
                spans[i] = done
    return spans


def _further_end(lines: Sequence[str], mark: str, end: int, is_header: Callable[[str], bool]) -> int | None:
    """The real end of a quotation of several articles that each have a closing mark but no opening one."""
    if mark in _CLOSING[mark] or end + 1 >= len(lines) or not is_header(lines[end + 1]) or lines[end + 1][0] == mark:
        return None
    for j in range(end + 1, min(len(lines), end + FURTHER_END)):
        balance = _balance(lines[j], mark)
        if lines[j][0] == mark or balance > 0:
            return None
        if balance < 0 and _end_pattern(mark).search(lines[j]):
            return j
    return None


def introduces_quotation(before: str, line: str) -> bool:
    """Whether a line introduces the quotation below it: by a colon, or without one if a number is quoted."""
    return before[-1] == ":" or (before[-1].isalpha() and _NUMBERED.match(line) is not None)


def is_quoted(line: str) -> bool:
    """Whether a whole line is one quotation.

    >>> is_quoted("‘(b) bring their laws into line with each other;’"), is_quoted("‘bee’ means ‘an insect’")
    (True, False)
    """
    return line[0] in _CLOSING and _is_whole(line, line[0])


def _run_end(lines: Sequence[str], i: int, quoted: Container[int]) -> int:
    """The last of the adjacent lines that the mark-up shows to be quoted."""
    last = i
    while last + 1 < len(lines) and last + 1 in quoted:
        last += 1
    return last


def _last_possible_end(lines: Sequence[str], mark: str) -> int:
    """The last line that may end a quotation of a kind; limits the search, which would be quadratic without it."""
    ends = _end_pattern(mark)
    return next((i for i in range(len(lines) - 1, -1, -1) if ends.search(lines[i])), -1)


def _end(lines: Sequence[str], first: int, quoted: Container[int], last: int) -> int | None:
    """The line that ends the quotation beginning at `first`, if any; no line below `last` can end one."""
    mark = lines[first][0]
    ends = _end_pattern(mark)
    if _is_whole(lines[first], mark):
        return first
    depth = _opened(lines[first], mark)
    if depth <= 0:
        return None
    # Where one sign opens and closes ("…"), quotations cannot be nested: the next unbalanced line ends it.
    mirrored = mark in _CLOSING[mark]
    for j in range(first + 1, min(last + 1, first + LONGEST_QUOTATION)):
        line = lines[j]
        again = line[0] == mark
        if again and lines[j - 1][-1] == ":" and j not in quoted:  # another quotation begins before this one ends
            return None
        balance = _balance(line, mark)
        if again and balance > 0 and not mirrored:  # each paragraph of a quotation may repeat the opening mark
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
    """Whether a line ends the quotation that it begins, at the line's own end."""
    match = _end_pattern(mark).search(line)
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
    """How many quotations a line that begins with a mark leaves open, not counting possessives far from the mark."""
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
def _end_pattern(mark: str) -> re.Pattern[str]:
    """A closing mark at the end of a line; stops, the sign of a note and a bare "and" may follow it."""
    closing = "".join(map(re.escape, _CLOSING[mark]))
    return re.compile(rf"[{closing}][\s.;\u037e,:\"]*(?:\(\*?\d{{0,3}}\)[\s.;,:]*)?(?:\s[^\W\d_A-Z]{{1,5}})?$")


def _ends_any(line: str) -> bool:
    return any(_end_pattern(mark).search(line) for mark in _CLOSING)


def _last_article(values: Iterable[int]) -> int:
    """The number of the act's own last article: the numbers of quoted ones do not continue the count."""
    last = 0
    for value in values:
        last = value if 0 < value - last <= MAX_MISSING else last
    return last


def _guessed_end(lines: Lines, first: int) -> int | None:
    """Guess where a quotation without a closing mark ends: before the next instruction, article or quotation."""
    texts, marks = lines.texts, lines.marks
    above = (marks[i] for i in range(first - 1, max(-1, first - 4), -1))
    instruction = next((mark for mark in above if mark is not None and not mark.quoted), None)
    for i in range(first + 1, min(len(lines), first + GUESS_LOOKAHEAD)):
        mark, header = marks[i], lines.headers[i]
        if header is not None and header.kind not in DIVISIONS and _is_next_article(lines, header, first):
            return i - 1
        if texts[i][0] == texts[first][0] and texts[i - 1][-1] == ":":
            end = i - 2
            while end > first and (texts[end][-1] == ":" or _is_bare(marks[end], texts[end])):
                end -= 1
            return max(end, first)
        if mark is not None and instruction is not None and not mark.quoted and _follows(mark, instruction):
            return i - 1
    return None


def _is_next_article(lines: Lines, header: Header, first: int) -> bool:
    """Whether an article or annex below a quotation is the act's own: an article must have the next number."""
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
    """The header of a quoted article, annex or chapter that is alone on its line or before its heading."""
    text = line.lstrip(OPENING)
    if len(text) > LONGEST_HEADING or not grammar.may_lead(fold(text[:HEAD])):
        return None
    header = grammar.header(text) or grammar.header(_BEFORE_FIRST.sub(" ", text))
    if header is None:
        return None
    rest = text[header.end :].strip(_AROUND_HEADING)
    if header.number and rest in INSERTED_WORDS:  # "Article 29 quater bis"
        number = header.number + canonical(f"1 {rest}")[1:]
        return header._replace(number=number, written=f"{header.written} {rest}", end=len(text))
    if header.kind == "article" and len(text) <= LONGEST_NUMBER and _INSERTED.match(rest):
        return header._replace(number=header.number + rest, written=f"{header.written} {rest}", end=len(text))
    if rest and (not rest[0].isupper() or text.endswith(SENTENCE_STOPS)):
        return None
    return header
