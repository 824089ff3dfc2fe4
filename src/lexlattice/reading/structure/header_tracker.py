"""Which headers are the act's own: those whose number is due.

Amending acts quote whole articles of others, tables list them, annexes number them anew. The word "Article" proves
little; a number that follows the last one proves much, and it does so in every language.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final

from lexlattice.reading.languages.grammar import Header, fold
from lexlattice.reading.languages.identify import LINES, classify, share_of
from lexlattice.reading.languages.numbering import OPENING_QUOTES, from_roman, letter_value
from lexlattice.reading.structure.lines import Lines

_FARTHEST: Final = 200
"""So many numbers are looked for before one that came too early; acts have a few hundred articles."""


class Belief:
    """What numbers have been seen and are to come, and whether another act is being quoted."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.last_article = 0
        self.last_decimal = (0, 0)
        """Chapter and place of the last article that is numbered by both, as in trade agreements: 2.1."""
        self.last_annex: tuple[str, int] | None = None
        self.last_lettered = ""
        """The number of the last annex if a letter in brackets belongs to it: "1(a)"."""
        self.in_quotation = False
        self.quoted: set[int] = set()
        """Headers that were found to be another act's."""
        own = (h for h in lines.headers if h is not None and h.kind == "article" and "." not in h.number)
        self.ahead = Counter(map(article_value, own))

    def watch_quotation(self, i: int) -> None:
        """Notice where the text of another act begins to be quoted: its headers are not this act's."""
        line = self.lines.texts[i]
        if line[0] not in OPENING_QUOTES:
            return
        inner = line.lstrip(OPENING_QUOTES + " ")
        if not inner:
            self.in_quotation = i + 1 < len(self.lines) and self.lines.headers[i + 1] is not None
        elif self.lines.grammar.header(inner) is not None:
            self.in_quotation = True
            self.quoted.add(i)

    def article(self, i: int, header: Header, *, in_annex: bool) -> bool:
        """Whether an article header opens an article of this act."""
        if "." in header.number:
            return not in_annex and _steps(self.last_decimal, _decimal(header))
        value = article_value(header)
        self.ahead[value] -= 1
        if not header.number:
            return not self.last_article
        due = value == self.last_article + 1
        if self.in_quotation:
            if not due:
                self.quoted.add(i)
            return due
        inserted = value == self.last_article and header.number != str(value)
        if in_annex:
            return (due or (inserted and value > 0)) and self.lines.has_sentence(i, self._next_header(i))
        if due or inserted:
            return True
        if value > self.last_article:
            return self._may_leap(value)
        return value == 1 and self.last_article > 0

    def _may_leap(self, value: int) -> bool:
        """Whether some numbers are missing before this one: not if it is itself the odd one among those to come."""
        if self.ahead[self.last_article + 1]:
            return False
        between = range(self.last_article + 1, min(value, self.last_article + _FARTHEST))
        beyond = range(value + 1, value + len(between) + 1)
        return sum(self.ahead[n] > 0 for n in between) <= sum(self.ahead[n] > 0 for n in beyond)

    def annex(self, i: int, header: Header, *, in_terms: bool) -> bool:
        """Whether an annex header opens an annex: in capitals, or with the number that is due.

        It does not where it is all a point says, nor among the articles (`in_terms`) where the next one is the one due.
        """
        written = self.lines.texts[i][: header.end]
        rest = self.lines.texts[i][header.end :].strip(" .:-–—")
        name = written.partition("(")[0]
        shouted = name.upper() == name
        if (not shouted and self._is_item(i)) or (in_terms and self._articles_go_on(i)):
            return False
        ends_a_sentence = self.lines.texts[i].endswith(".") and not header.number
        if header.kind == "appendix" or ((rest or ends_a_sentence) and not shouted):
            return False
        if not header.number:
            return shouted or (header.kind == "annex" and self.last_annex is None)
        if self.last_annex is None:
            return True
        style, value = annex_value(header.number)
        last_style, last = self.last_annex
        if self.last_lettered and header.written.endswith(")") and header.written[:-2] == self.last_lettered[:-2]:
            return header.written > self.last_lettered
        if style == last_style and value <= last and header.kind == "annex":
            return False
        return shouted or value == last + 1

    def _is_item(self, i: int) -> bool:
        """Whether the line above is a mere marker, "(c)", whose text this line is."""
        mark = self.lines.marks[i - 1] if i else None
        return mark is not None and mark.end >= len(self.lines.texts[i - 1]) and mark.style in ("paren", "letter")

    def _articles_go_on(self, i: int) -> bool:
        """Whether the next article below has the number that is due and not that of an annex's own first."""
        if not self.last_article or not self.ahead[self.last_article + 1]:
            return False
        headers = self.lines.headers
        below = (j for j in range(i + 1, len(self.lines)) if (h := headers[j]) is not None and h.kind == "article")
        place = next(below, None)
        if place is None or (header := headers[place]) is None or article_value(header) != self.last_article + 1:
            return False
        return self.lines.has_sentence(place, self._next_header(place))

    def opened_article(self, header: Header) -> bool:
        """Take note of an article; true if its numbers begin anew, as those of an attached act do."""
        if "." in header.number:
            self.last_decimal = _decimal(header)
            self.in_quotation = False
            return False
        value = article_value(header)
        anew = value == 1 and self.last_article >= 1 and header.number in ("1", "I")
        self.last_article = value
        self.in_quotation = False
        return anew

    def opened_annex(self, header: Header) -> None:
        """Take note of an annex; articles inside it count from one."""
        self.in_quotation = False
        self.last_article = 0
        if header.number:
            self.last_annex = annex_value(header.number)
            self.last_lettered = header.written if header.written.endswith(")") else ""
        elif self.last_annex is None:
            self.last_annex = ("sole", 1)

    def _next_header(self, i: int) -> int:
        stop = min(len(self.lines), i + 40)
        return next((j for j in range(i + 1, stop) if self.lines.headers[j] is not None), stop)


def _decimal(header: Header) -> tuple[int, int]:
    chapter, _, place = header.number.partition(".")
    return int(chapter), int(place)


def _steps(last: tuple[int, int], number: tuple[int, int]) -> bool:
    """Whether a number follows another: the next of its chapter, or the first of the next chapter."""
    return number in ((last[0], last[1] + 1), (last[0] + 1, 1)) and number[0] > 0


def article_value(header: Header) -> int:
    """An article's place, whether its number is Arabic or Roman; 0 for a sole one."""
    digits = re.match(r"\d+", header.number)
    return int(digits.group()) if digits else from_roman(header.number.lower())


def annex_value(number: str) -> tuple[str, int]:
    """How an annex counts, and its place."""
    digits = re.match(r"\d+", number)
    if digits:
        return "digits", int(digits.group())
    roman = from_roman(number.lower())
    return ("roman", roman) if roman else ("letter", letter_value(number.lower()))


# Texts printed in two languages, one after the other: where the second begins.

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
