"""Tables in plain text, a cell a line: found by what cells look like among one another, in any language.

Nothing in such a text says where a table is. What tells one from a list or from prose is that its lines are short, end
no sentence, and are numbers, codes or dashes, or repeat one another: "Article 3(2)" beside "Article 4(1)". A list of
names, or of points under their markers, has none of that. A table missed is a few units too many; a provision taken
for a table would never be cited, so what is in doubt is no table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import HEAD, Grammar, fold
from lexlattice.reading.languages.numbering import Marker, letter_value, marker

# How many columns a table has whose cells stand one a line.

MOST: Final = 16
"""Columns of the widest table that is looked for."""
FEWEST_ROWS: Final = 4
MOST_MISTAKEN: Final = 3
"""So many cells of the first row may be taken for heads, since they look like them."""
ALIKE: Final = 0.95
"""Share of a column's cells that are of one kind."""
BETTER: Final = 0.15
"""So much more alike the cells of columns are than those of the table as a whole."""

_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]{2}")


def columns(cells: Sequence[str], heads: int = 0) -> list[list[str]]:
    """The cells in rows, where the kinds of cells come back with every row; else each cell for itself.

    `heads` cells above are the heads of the columns, of which the first may be missing. A table of references has one
    kind of cell only; where it writes a dash for what it leaves empty, there is a head for each column.

    >>> columns(["Wax", "5 %", "Honey", "7 %", "Bees", "1 %", "Hives", "2 %"])
    [['Wax', '5 %'], ['Honey', '7 %'], ['Bees', '1 %'], ['Hives', '2 %']]
    >>> columns(["Fee", *["Wax", "5 %"] * 4], 1)[:2]
    [['', 'Fee'], ['Wax', '5 %']]
    """
    for top in range(heads, max(0, heads - MOST_MISTAKEN), -1):
        body = cells[top:]
        width = _width([_kind(cell) for cell in body]) or _of_references(body, top)
        if width and top >= width - 1:
            named = min(top, width)
            head = [""] * (width - named) + list(cells[top - named : top])
            above = [[cell] for cell in cells[: top - named]]
            return [*above, head, *(list(body[i : i + width]) for i in range(0, len(body), width))]
    width = _width([_kind(cell) for cell in cells]) or 1
    return [list(cells[i : i + width]) for i in range(0, len(cells), width)]


def _width(kinds: Sequence[str]) -> int:
    """After how many cells the kinds of cells come back, or 0."""
    if len(kinds) < 2 * FEWEST_ROWS:
        return 0
    whole = Counter(kinds).most_common(1)[0][1] / len(kinds)
    for width in range(2, min(MOST, len(kinds) // FEWEST_ROWS) + 1):
        if len(kinds) % width:
            continue
        likeness = sum(Counter(kinds[n::width]).most_common(1)[0][1] for n in range(width)) / len(kinds)
        if likeness >= ALIKE and likeness >= whole + BETTER:
            return width
    return 0


def _of_references(body: Sequence[str], heads: int) -> int:
    """As many columns as there are heads, of a table that leaves nothing empty without a dash, or 0."""
    dashes = sum(not _LETTER.search(cell) and not _DIGIT.search(cell) for cell in body)
    return next((width for width in (heads, heads - 1) if width > 1 and dashes > 1 and len(body) % width == 0), 0)


def _kind(cell: str) -> str:
    """What a cell holds: words, numbers, both, or signs only."""
    words, digits = bool(_LETTER.search(cell)), bool(_DIGIT.search(cell))
    return "both" if words and digits else "words" if words else "digits" if digits else "signs"


# Tables in plain text, a cell a line: found by what cells look like among one another, in any language.

LONGEST_CELL: Final = 250
"""Characters of a line that may stand in a table."""
LONGEST_NAME: Final = 32
"""Characters of a name in capitals, as of a country; what is longer is a heading."""
LONGEST_SURE: Final = 60
"""Characters of a line that may show by its look that it is a cell."""
LONGEST_ENDED: Final = 40
"""Characters of a line that may end with a comma, or be one word with a stop, without being prose."""
FEWEST_SURE: Final = 12
"""Lines of a table, at least, that are surely cells."""
FEWEST_VALUES: Final = 6
"""Values among these."""
SURE: Final = 0.6
"""Share of a table's lines, markers and dashes aside, that are surely cells."""
FEWEST_LISTED: Final = 4
"""Headers of articles and annexes that make a list of them, as a table of correlation is one."""
SURER: Final = 0.8
"""Share of references in such a list."""
WIDEST_GAP: Final = 4
"""So many lines that might be anything may stand between two that are surely cells."""
WIDEST_BETWEEN: Final = 12
"""So many between two tables make one of them."""
MOST_MARKERS: Final = 0.2
"""Share of lines that may be the markers of a list; with more it is a list."""
MOST_HEADS: Final = 10
"""Lines above the first sure cell that can be the heads of its columns."""
CLOSEST: Final = 6
"""Lines that stand between two tables at least, if they are two."""
MOST_REST: Final = 10
"""Lines below the last sure cell that can be the rest of its row."""
OFTEN: Final = 3
"""So often a cell of a kind is repeated in its table."""

_Table = tuple[int, int, int]
"""The first line of a table, the one behind its last, and how many lines the heads of its columns have."""

_VALUE: Final = re.compile(
    r"(?:[A-Z]{1,4}\s)?[^\w]*\d(?:[\d\W]*\d)?[^\w]*(?:[^\W\d_]{1,12}\W*)?$|[^\w]*(?:[^\W\d_a-z]{1,4}|[^\W\d_])[^\w]*$"
)
"""A number, with its unit behind or its currency before it; a letter, or a few capitals."""
_CODE: Final = re.compile(r"(?=.{0,14}\d)(?:ex\s?)?[A-Za-z]{0,4}[A-Z0-9][A-Z0-9 ./,()+*-]{0,14}[a-z]?$")
_DASHES: Final = re.compile(r"[—–‒―_\-]{1,4}$")
_CLOSED: Final = re.compile(r"(.*\w\W*?)\s*[»’”\"']\s*[.;]$")
"""The last cell of a table that is quoted: "100 %’;"."""
_PROMISING: Final = re.compile(r"\d|^.{1,4}$|[IVX]$")
"""What every value and almost every reference has: cheap to look for."""
_WHOLE: Final = re.compile(r"\d{1,3}$")
_NUMBER: Final = re.compile(r"\(?(?:\d|[IVXLC]+\b)\S*")
_ABBREVIATED: Final = re.compile(r"(?:\s[A-Z]\w{0,3}|\w\.\w|\d)\.$")
_PART: Final = re.compile(r"[IVX]{1,5}\.\s\w{2}")
_PAGE: Final = ("ISSN ", "ELI: ")
_DECIMAL: Final = re.compile(r"\d+\.\d")
_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{2,}")


def mark_tables(blocks: list[Block], grammar: Grammar) -> list[Block]:
    """Give the lines of tables their role, a row a line where the number of columns shows, else a cell a line."""
    stretches = _stretches(blocks, _beginning_of_terms(blocks, grammar))
    found = [table for start, end in stretches for table in _tables(blocks, start, end, grammar)]
    marked: list[Block] = []
    done = 0
    for number, (first, last, heads) in enumerate(_whole(found, blocks), 1):
        marked += blocks[done:first]
        rows = columns([block.text for block in blocks[first:last]], heads)
        marked += [Block("\t".join(row), Role.TABLE, number) for row in rows]
        done = last
    return marked + blocks[done:] if marked else blocks


def _whole(tables: Sequence[_Table], blocks: Sequence[Block]) -> Iterator[_Table]:
    """Leave out the pieces of a table that has sentences in its cells: where it begins and ends is not known.

    Such pieces stand close together, and nothing between them announces the next.
    """
    torn = [
        after[0] - before[1] <= CLOSEST
        and not any(block.text[-1] == ":" or marker(block.text) for block in blocks[before[1] : after[0]])
        for before, after in pairwise(tables)
    ]
    for table, before, after in zip(tables, [False, *torn], [*torn, False], strict=False):
        if not before and not after:
            yield table


def _beginning_of_terms(blocks: Sequence[Block], grammar: Grammar) -> int:
    """Where the preamble ends, in which there is nothing but recitals; 0 for a text that has none."""
    short = (i for i, block in enumerate(blocks) if len(block.text) <= LONGEST_CELL)
    return next((i for i in short if grammar.formula(fold(blocks[i].text[:HEAD])) == "enacting"), 0)


def _stretches(blocks: Sequence[Block], start: int) -> Iterator[tuple[int, int]]:
    """Runs of lines that end no sentence: the only ones that are looked at closely."""
    for i in range(start, len(blocks)):
        block = blocks[i]
        if block.role is None and _may_be_cell(block.text):
            continue
        if i - start >= FEWEST_SURE:
            yield start, i
        start = i + 1
    if len(blocks) - start >= FEWEST_SURE:
        yield start, len(blocks)


def _may_be_cell(text: str) -> bool:
    """Whether a line ends no sentence, nor a point of a list, and is not the page's."""
    if text.startswith(_PAGE):
        return False
    if text[-1] in ".;" and len(text) <= LONGEST_ENDED and (closed := _CLOSED.match(text)):
        text = closed[1]
    if text[-1] not in ".;:,":
        return len(text) <= LONGEST_CELL
    if text[-1] == "." and " " in text:
        return len(text) <= LONGEST_CELL and bool(_ABBREVIATED.search(text[-8:]))
    return len(text) <= LONGEST_ENDED and (text[-1] in ".," or not any(map(str.isalpha, text)))


def _tables(blocks: Sequence[Block], start: int, end: int, grammar: Grammar) -> Iterator[_Table]:
    """Where tables begin and end in a stretch, and how many lines the heads of their columns have."""
    texts = [block.text for block in blocks[start:end]]
    if sum(len(t) < LONGEST_SURE and bool(_PROMISING.search(t)) for t in texts) < FEWEST_SURE:
        return
    looks = _looks(texts, grammar)
    floor = 0
    for first, last in _clusters(looks):
        top, bottom = _with_heads(looks, first, floor), _with_rest(looks, last)
        if top is not None and bottom is not None and not _are_articles(texts[first:last], looks[first:last], grammar):
            heads = len(looks[top:]) - len(looks[top:].lstrip("."))
            yield start + top, start + bottom, heads
            floor = bottom


def _looks(texts: list[str], grammar: Grammar) -> str:
    """What each line looks like, a letter a line.

    `s` a value or a code, `a` an article or annex among others, `r` anything else that is repeated in some form,
    `d` a dash, `m` the marker of a list, `p` a point of a list, `h` the header of an annex, `.` anything.
    """
    often = Counter(texts)
    short = [text for text in often if len(text) <= LONGEST_SURE]
    keys = {text: _key(text) for text in short}
    headers = {text for text in short if grammar.header(text) is not None}
    around = _Around(Counter(), Counter(), sum(often[text] for text in headers) >= FEWEST_LISTED)
    for text, key in keys.items():
        around.keys[key] += often[text]
        around.stems.update(dict.fromkeys(_stems(text), often[text]))
    looks = {text: _look(text, keys.get(text, ""), text in headers, around) for text in often}
    found = [looks[text] for text in texts]
    for i, text in enumerate(texts):
        if text in headers and text.isupper() and not _among_references(texts, i, grammar):
            found[i] = "h"
    return _without_counts(texts, found)


class _Around(NamedTuple):
    """What the lines of a stretch have in common."""

    keys: Counter[str]
    stems: Counter[str]
    listed: bool
    """Whether there are enough headers among them to make a list of articles."""


def _look(text: str, key: str, is_header: bool, around: _Around) -> str:
    """What a line looks like among the others, wherever it stands."""
    repeated = bool(key) and around.keys[key] >= OFTEN
    if _DASHES.match(text):
        return "d"
    if _is_marker(text):
        return "m"
    if is_header:
        return "a" if around.listed or repeated else "p"
    if _heads_part(text) or (not repeated and _mark(text) is not None):
        return "p"
    if len(text) <= LONGEST_SURE and (_VALUE.match(text) or _CODE.match(text)):
        return "s"
    return "r" if repeated and _is_common(text, around.stems) else "."


def _key(text: str) -> str:
    """What cells of a kind have in common: a number and the word beside it, or all of a text without numbers.

    >>> _key("Article 3(2)") == _key("Article 41, first paragraph"), _key("1. cikk") == _key("12. cikk (1) bekezdés")
    (True, True)
    """
    words = text.casefold().split(" ", 2)
    if _DECIMAL.match(words[0]):
        return ""
    numbered = [bool(_NUMBER.match(word.upper() if len(word) < 6 else word)) for word in words[:2]]
    if True in numbered:
        return " ".join("0" if has else word[:5] for has, word in zip(numbered, words[:2], strict=True))
    return "" if any(map(str.isdigit, text)) else text.casefold()


def _stems(text: str) -> list[str]:
    return [word[:5] for word in _WORD.findall(text.casefold())]


def _is_common(text: str, stems: Counter[str]) -> bool:
    """Whether a line uses the words that the lines around it use too, as references do."""
    words = _stems(text)
    return 3 * sum(stems[word] >= OFTEN for word in words) >= 2 * len(words)


def _is_marker(text: str) -> bool:
    """Whether a line is nothing but the marker of a list, a box to tick, or the sign between a term and its meaning."""
    if not any(map(str.isalnum, text)):
        return True
    mark = _mark(text) if len(text) < 8 else None
    return mark is not None and mark.end >= len(text)


def _mark(text: str) -> Marker | None:
    """The marker that leads a line; most lines begin with a word and are spared the test."""
    return None if text[0].isalpha() and ")" not in text[:12] and len(text) > 5 else marker(text)


def _heads_part(text: str) -> bool:
    """Whether a line is a heading: in capitals and long, or with a Roman number before it."""
    return (len(text) > LONGEST_NAME and text.isupper()) or bool(_PART.match(text))


def _among_references(texts: list[str], i: int, grammar: Grammar) -> bool:
    """Whether a header in capitals stands between references, as in a table of correlation, and so opens no annex."""
    beside = texts[max(0, i - 1) : i] + texts[i + 1 : i + 2]
    return len(beside) == 2 and all(_DASHES.match(text) or grammar.header(text) is not None for text in beside)


def _without_counts(texts: Sequence[str], looks: list[str]) -> str:
    """Whole numbers and letters that count up one by one are markers of a list, not values."""
    places = [(i, _place(text)) for i, text in enumerate(texts) if looks[i] == "s"]
    for (before, first), (after, second) in pairwise([(i, place) for i, place in places if place]):
        if second == first + 1 and 1 < after - before <= WIDEST_GAP:
            looks[before] = looks[after] = "m"
    return "".join(looks)


def _place(text: str) -> int:
    """The place that a whole number or a small letter has in a count, or 0."""
    if _WHOLE.match(text):
        return int(text)
    return letter_value(text) if len(text) == 1 and text.islower() else 0


def _clusters(looks: str) -> list[tuple[int, int]]:
    """Stretches from one sure cell to another without too much else between, and no annex's header.

    Those that are tables and stand close together are one: what is between them are cells that look like anything.
    """
    found: list[tuple[int, int]] = []
    for match in re.finditer(rf"[sar](?:[^sarh]{{0,{WIDEST_GAP}}}[sard])*", looks):
        start, end = match.span()
        if not _is_table(match.group()):
            continue
        between = looks[found[-1][1] : start] if found else "h"
        if len(between) <= WIDEST_BETWEEN and "h" not in between:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _is_table(looks: str) -> bool:
    """Whether so many lines are cells that all are.

    Values and references are the same in all languages, repeated words are not, so that these prove nothing: a table
    is one in every language or in none. Where values come back after as many lines each time, what is between them are
    cells too; without values only a list of articles and annexes is a table.
    """
    values, headers, markers = looks.count("s"), looks.count("a"), looks.count("m")
    sure = values + headers
    share = sure / max(1, len(looks) - markers - looks.count("d"))
    if markers > MOST_MARKERS * len(looks):
        return False
    if values >= FEWEST_VALUES:
        return (sure >= FEWEST_SURE and share >= SURE) or _is_regular(looks)
    return headers >= FEWEST_LISTED and sure >= FEWEST_SURE and share >= SURER


def _is_regular(looks: str) -> bool:
    """Whether values come back after as many lines each time, at least three in four."""
    at = [i for i, look in enumerate(looks) if look == "s"]
    gaps = Counter(after - before for before, after in pairwise(at))
    return len(at) >= FEWEST_SURE and 4 * max(gaps.values()) >= 3 * gaps.total()


def _are_articles(texts: Sequence[str], looks: str, grammar: Grammar) -> bool:
    """Whether headers count up one by one with something below each, as articles do however short they are."""
    found = [grammar.header(text) for text, look in zip(texts, looks, strict=True) if look == "a"]
    numbers = [int(header.number) for header in found if header is not None and header.number.isdecimal()]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) >= FEWEST_LISTED and steps >= 0.9 * (len(numbers) - 1) and not re.search("aa|[sd]", looks)


def _with_heads(looks: str, first: int, least: int) -> int | None:
    """Where the heads of the columns begin: below the annex's heading, a point or the prose before; None if unclear."""
    start = first
    while start > least and looks[start - 1] in ".d":
        start -= 1
    if first - start > MOST_HEADS:
        return None
    return min(start + 1, first) if start and looks[start - 1] == "h" else start


def _with_rest(looks: str, last: int) -> int | None:
    """Where a table ends whose last cells look like anything: before prose, a point or a header; None if unclear."""
    end = last
    while end < len(looks) and looks[end] in ".d":
        end += 1
    return end if end - last <= MOST_REST else None
