"""Acts printed in two languages, one after the other: where the second version begins."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from lexlattice.reading.languages.grammar import fold
from lexlattice.reading.languages.identify import LINES, classify, share_of
from lexlattice.reading.structure.header_tracker import article_value
from lexlattice.reading.structure.lines import Lines

FEWEST_ARTICLES: Final = 4
"""A text needs this many articles for a second version to be noticed."""
REPEATED: Final = 0.8
"""Share of the articles that must be in both versions."""
MAX_FAMILIAR: Final = 0.35
"""Largest share of familiar words in a text of another language; in one of the same language it is twice as large."""
ONE_LANGUAGE: Final = 0.7
"""Share of the second version that must be in one language; lists of phrases in all languages are no translation."""
SHORTEST_LINE: Final = 4
"""Words that a line needs to show its language."""

_HEADER: Final = re.compile(r"([^\W\d_]{3,12})\s(\d{1,3})\.?$|(\d{1,3})\.?\s([^\W\d_]{3,12})$")
"""A header in any language: "Artikel 3", "3. cikk"."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def find_second_language(lines: Lines) -> tuple[range, str] | None:
    """Find the lines in which an act is repeated in another language.

    Returns:
        The lines and the code of their language; None if the act is in one language only.

    """
    first, end, last = _find_articles(lines)
    if last < FEWEST_ARTICLES:
        return None
    headers = _repeated_headers(lines, end, last)
    known = {word for line in lines.texts[first:end] for word in _words(line)} if headers else set()
    start = next((i for i in headers if any(_is_foreign(line, known) for line in lines.texts[i + 1 : i + 4])), None)
    if start is None:
        return None
    words = [word for line in lines.texts[start:] for word in _words(line)]
    if sum(word in known for word in words) >= MAX_FAMILIAR * len(words):
        return None
    # Lines in familiar words at the end, such as footnotes, belong to the first version.
    stop = len(lines)
    while stop > start and not _is_foreign(lines.texts[stop - 1], known):
        stop -= 1
    text = lines.texts[start : min(stop, start + LINES)]
    language = classify("\n".join(text))
    if language == lines.grammar.language or share_of(text, (language,)) < ONE_LANGUAGE:
        return None
    return range(_beginning(lines, range(end + 1, start), known, set(words)), stop), language


def _beginning(lines: Lines, between: range, known: set[str], foreign: set[str]) -> int:
    """Where the second version begins, above its first article: below the last line in familiar words."""
    familiarity = [_familiarity(lines.texts[i], known, foreign) for i in between]
    familiar = [i for i, score in zip(between, familiarity, strict=True) if score > 0]
    return familiar[-1] + 1 if familiar else between.start


def _familiarity(line: str, known: set[str], foreign: set[str]) -> int:
    """How many more of a line's words occur in the first version than in the second."""
    words = _words(line)
    return sum(word in known for word in words) - sum(word in foreign for word in words)


def _find_articles(lines: Lines) -> tuple[int, int, int]:
    """The lines of the first and the last article header, and the last article's number."""
    first = end = last = 0
    for i, header in enumerate(lines.headers):
        if header is not None and header.kind == "article" and article_value(header) == last + 1:
            first, end, last = (first or i), i, last + 1
    return first, end, last


def _repeated_headers(lines: Lines, end: int, last: int) -> list[int]:
    """Headers with the numbers of the articles, whatever their word: those up to the last one."""
    seen: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i in range(end + 1, len(lines)):
        text = lines.texts[i]
        match = _HEADER.match(text) if len(text) <= 17 else None
        if match is not None:
            word, number = (match[1], match[2]) if match[1] else (match[4], match[3])
            seen[fold(word)][int(number)].append(i)
    for places in seen.values():
        numbers = [n for n in range(last, 1, -1) if n in places]
        if len(numbers) >= REPEATED * (last - 1):
            # From the last number upwards, each header must be above the next one.
            chain = [len(lines)]
            for number in numbers:
                chain.append(max((i for i in places[number] if i < chain[-1]), default=chain[-1]))
            return chain[:0:-1]
    return []


def _words(line: str) -> list[str]:
    return _WORD.findall(line.casefold())


def _is_foreign(line: str, known: set[str]) -> bool:
    words = _words(line)
    return len(words) >= SHORTEST_LINE and sum(word in known for word in words) < MAX_FAMILIAR * len(words)
