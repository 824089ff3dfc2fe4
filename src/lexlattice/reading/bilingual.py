"""Texts printed in two languages, one after the other: where the second begins.

Its articles give it away: they count again as those of the act did, in words that the act has not used.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from lexlattice.reading.belief import article_value
from lexlattice.reading.grammar import fold
from lexlattice.reading.identify import LINES, classify, share_of
from lexlattice.reading.lines import Lines

FEWEST_ARTICLES: Final = 4
"""Articles of a text whose repetition is noticed."""
AGAIN: Final = 0.8
"""Share of the articles that stand in both languages."""
FOREIGN: Final = 0.35
"""So few of a text's words stand in a text of another language; in one of the same, twice as many do."""
IN_ONE: Final = 0.7
"""So much of the second text speaks for one language; lists of what is said in all of them are no translation."""
SHORTEST_LINE: Final = 4
"""Words of a line by which its language is seen."""

_HEADER: Final = re.compile(r"([^\W\d_]{3,12})\s(\d{1,3})\.?$|(\d{1,3})\.?\s([^\W\d_]{3,12})$")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def second_language(lines: Lines) -> tuple[range, str] | None:
    """The lines in which an act stands again in another language, and that language; none if it does not."""
    first, end, last = _own_articles(lines)
    if last < FEWEST_ARTICLES:
        return None
    headers = _repeated(lines, end, last)
    known = {word for line in lines.texts[first:end] for word in _words(line)} if headers else set()
    again = next((i for i in headers if any(_is_foreign(line, known) for line in lines.texts[i + 1 : i + 4])), None)
    if again is None:
        return None
    words = [word for line in lines.texts[again:] for word in _words(line)]
    if sum(word in known for word in words) >= FOREIGN * len(words):
        return None
    stop = len(lines)
    while stop > again and not _is_foreign(lines.texts[stop - 1], known):
        stop -= 1
    text = lines.texts[again : min(stop, again + LINES)]
    language = classify("\n".join(text))
    if language == lines.grammar.language or share_of(text, (language,)) < IN_ONE:
        return None
    return range(_beginning(lines, range(end + 1, again), known, set(words)), stop), language


def _beginning(lines: Lines, between: range, known: set[str], foreign: set[str]) -> int:
    """Where the second text begins, above its first article: below the last line of the act's own words."""
    leaning = [_leaning(lines.texts[i], known, foreign) for i in between]
    own = [i for i, lean in zip(between, leaning, strict=True) if lean > 0]
    return own[-1] + 1 if own else between.start


def _leaning(line: str, known: set[str], foreign: set[str]) -> int:
    """How many more of a line's words the act has than the other text; the share of both tells nothing by itself."""
    words = _words(line)
    return sum(word in known for word in words) - sum(word in foreign for word in words)


def _own_articles(lines: Lines) -> tuple[int, int, int]:
    """The act's first article, the header of its last one, and that one's number."""
    first = end = last = 0
    for i, header in enumerate(lines.headers):
        if header is not None and header.kind == "article" and article_value(header) == last + 1:
            first, end, last = (first or i), i, last + 1
    return first, end, last


def _repeated(lines: Lines, end: int, last: int) -> list[int]:
    """Headers that count as the articles did, whatever their word: those that lead up to the last one."""
    seen: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i in range(end + 1, len(lines)):
        text = lines.texts[i]
        match = _HEADER.match(text) if len(text) <= 17 else None
        if match is not None:
            word, number = (match[1], match[2]) if match[1] else (match[4], match[3])
            seen[fold(word)][int(number)].append(i)
    for places in seen.values():
        numbers = [n for n in range(last, 1, -1) if n in places]
        if len(numbers) >= AGAIN * (last - 1):
            chain = [len(lines)]
            for number in numbers:
                chain.append(max((i for i in places[number] if i < chain[-1]), default=chain[-1]))
            return chain[:0:-1]
    return []


def _words(line: str) -> list[str]:
    return _WORD.findall(line.casefold())


def _is_foreign(line: str, known: set[str]) -> bool:
    words = _words(line)
    return len(words) >= SHORTEST_LINE and sum(word in known for word in words) < FOREIGN * len(words)
