"""Texts printed in two languages, one after the other: where the second begins.

Its articles give it away: they count again as those of the act did, in words that the act has not used.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from lexlattice.reading.belief import article_value
from lexlattice.reading.grammar import fold
from lexlattice.reading.identify import classify
from lexlattice.reading.lines import Lines

FEWEST_ARTICLES: Final = 4
"""Articles of a text whose repetition is noticed."""
AGAIN: Final = 0.8
"""Share of the articles that stand in both languages."""
FOREIGN: Final = 0.35
"""So few of a text's words stand in a text of another language; in one of the same, twice as many do."""
OWN: Final = 0.6
"""From this share of known words on, a line is in the act's language."""
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
    start, stop = again, len(lines)
    while start > end and not _is_known(lines.texts[start - 1], known):
        start -= 1
    while stop > again and not _is_foreign(lines.texts[stop - 1], known):
        stop -= 1
    language = classify("\n".join(lines.texts[again:stop]))
    return (range(start, stop), language) if language != lines.grammar.language else None


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


def _is_known(line: str, known: set[str]) -> bool:
    words = _words(line)
    return len(words) >= SHORTEST_LINE and sum(word in known for word in words) >= OWN * len(words)


def _is_foreign(line: str, known: set[str]) -> bool:
    words = _words(line)
    return len(words) >= SHORTEST_LINE and sum(word in known for word in words) < FOREIGN * len(words)
