"""Tables in plain text with one cell per line, recognised by what their cells look like, in any language.

Nothing in such a text says where a table is. Unlike lists and prose, its lines are short, end no sentence, and are
numbers, codes or dashes, or repeat one another: "Article 3(2)" beside "Article 4(1)". A missed table costs a few units
too many, but a provision taken for a table would never be cited; so what is in doubt is no table.
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

MAX_COLUMNS: Final = 16
"""Columns of the widest table that is searched."""
FEWEST_ROWS: Final = 4
MAX_MISTAKEN_HEADS: Final = 3
"""Cells of the first row that may be mistaken for column heads, since they look like them."""
COLUMN_SHARE: Final = 0.95
"""Share of a column's cells that must be of one kind."""
COLUMN_GAIN: Final = 0.15
"""How much more uniform the cells of columns must be than those of the table as a whole."""

_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]{2}")


LONGEST_CELL: Final = 250
"""Characters of a line that may be a table cell."""
LONGEST_NAME: Final = 32
"""Characters of a name in capitals, such as a country; a longer one is a heading."""
LONGEST_SURE: Final = 60
"""Characters of a line that may be certain to be a cell by its look."""
LONGEST_PUNCTUATED: Final = 40
"""Characters of a line that may end with a comma, or be one word with a stop, without being prose."""
FEWEST_SURE: Final = 12
"""Certain cells of a table, at least."""
FEWEST_VALUES: Final = 6
"""Values among the certain cells, at least."""
SURE_SHARE: Final = 0.6
"""Share of a table's lines, except markers and dashes, that must be certain cells."""
FEWEST_LISTED: Final = 4
"""Headers of articles and annexes that make a list of them, as in a correlation table."""
REFERENCE_SHARE: Final = 0.8
"""Share of references in such a list."""
MAX_GAP: Final = 4
"""Unclear lines between two certain cells, at most."""
MAX_BETWEEN: Final = 12
"""Lines between two tables that are merged into one, at most."""
MAX_MARKERS: Final = 0.2
"""Share of lines that may be list markers; with more it is a list."""
MAX_HEADS: Final = 10
"""Lines above the first certain cell that can be the heads of its columns."""
MIN_DISTANCE: Final = 6
"""Lines between two tables, at least; closer ones are fragments of one table."""
MAX_REST: Final = 10
"""Lines below the last certain cell that can be the rest of its row."""
FEWEST_REPEATS: Final = 3
"""How often a kind of cell must be repeated in its table."""

_Table = tuple[int, int, int]
"""The first line of a table, the line below its last, and the number of lines with heads of columns."""

_VALUE: Final = re.compile(
    r"(?:[A-Z]{1,4}\s)?[^\w]*\d(?:[\d\W]*\d)?[^\w]*(?:[^\W\d_]{1,12}\W*)?$|[^\w]*(?:[^\W\d_a-z]{1,4}|[^\W\d_])[^\w]*$"
)
"""A number with its unit or currency ("12,5 kg", "EUR 300"); a letter, or a few capitals."""
_CODE: Final = re.compile(r"(?=.{0,14}\d)(?:ex\s?)?[A-Za-z]{0,4}[A-Z0-9][A-Z0-9 ./,()+*-]{0,14}[a-z]?$")
"""A code with a digit: "ex 0406 90", "E 330", "2(b)/A"."""
_DASHES: Final = re.compile(r"[—–‒―_\-]{1,4}$")
_CLOSED: Final = re.compile(r"(.*\w\W*?)\s*[»’”\"']\s*[.;]$")
"""The last cell of a quoted table: "100 %’;"."""
_PROMISING: Final = re.compile(r"\d|^.{1,4}$|[IVX]$")
"""What every value and almost every reference contains: a fast first test."""
_WHOLE: Final = re.compile(r"\d{1,3}$")
"""A whole number that may count something: "12"."""
_NUMBER: Final = re.compile(r"\(?(?:\d|[IVXLC]+\b)\S*")
"""The number of a reference: "3(2)", "IV", "(1)"."""
_ABBREVIATED: Final = re.compile(r"(?:\s[A-Z]\w{0,3}|\w\.\w|\d)\.$")
"""An abbreviation at the end of a cell: "Apis mellifera L.", "n.a.", "No 3."."""
_ROMAN_HEADING: Final = re.compile(r"[IVX]{1,5}\.\s\w{2}")
"""A heading with a Roman number: "IV. Bees"."""
_PAGE_FOOTERS: Final = ("ISSN ", "ELI: ")
_DECIMAL: Final = re.compile(r"\d+\.\d")
"""A decimal number, which is no reference: "2.1"."""
_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{2,}")


def mark_tables(blocks: list[Block], grammar: Grammar) -> list[Block]:
    """Give table lines the role `TABLE`: one line per row if the number of columns is clear, else per cell."""
    runs = _candidate_runs(blocks, _beginning_of_terms(blocks, grammar))
    found = [table for start, end in runs for table in _tables(blocks, start, end, grammar)]
    marked: list[Block] = []
    done = 0
    for number, (first, last, heads) in enumerate(_without_fragments(found, blocks), 1):
        marked += blocks[done:first]
        rows = arrange_in_rows([block.text for block in blocks[first:last]], heads)
        marked += [Block("\t".join(row), Role.TABLE, number) for row in rows]
        done = last
    return marked + blocks[done:] if marked else blocks


def _without_fragments(tables: Sequence[_Table], blocks: Sequence[Block]) -> Iterator[_Table]:
    """Leave out the fragments of a table that has sentences in its cells: its beginning and end are not known.

    Such fragments are close together, and nothing between them introduces the next.
    """
    is_fragment = [
        after[0] - before[1] <= MIN_DISTANCE
        and not any(block.text[-1] == ":" or marker(block.text) for block in blocks[before[1] : after[0]])
        for before, after in pairwise(tables)
    ]
    for table, before, after in zip(tables, [False, *is_fragment], [*is_fragment, False], strict=False):
        if not before and not after:
            yield table


def _beginning_of_terms(blocks: Sequence[Block], grammar: Grammar) -> int:
    """Where the preamble ends, which contains recitals only; 0 if there is none."""
    short = (i for i, block in enumerate(blocks) if len(block.text) <= LONGEST_CELL)
    return next((i for i in short if grammar.formula(fold(blocks[i].text[:HEAD])) == "enacting"), 0)


def _candidate_runs(blocks: Sequence[Block], start: int) -> Iterator[tuple[int, int]]:
    """Runs of lines that end no sentence: the only ones that are examined."""
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
    """Whether a line ends no sentence or point of a list, and does not belong to the page."""
    # Most lines are prose or points: they are too long, which is seen much faster than all that follows.
    if len(text) > LONGEST_CELL or (len(text) > LONGEST_PUNCTUATED and text[-1] in ";:,"):
        return False
    if text.startswith(_PAGE_FOOTERS):
        return False
    if text[-1] in ".;" and len(text) <= LONGEST_PUNCTUATED and (closed := _CLOSED.match(text)):
        text = closed[1]
    if text[-1] not in ".;:,":
        return True
    if text[-1] == "." and " " in text:
        return bool(_ABBREVIATED.search(text[-8:]))
    return len(text) <= LONGEST_PUNCTUATED and (text[-1] in ".," or not any(map(str.isalpha, text)))


def _tables(blocks: Sequence[Block], start: int, end: int, grammar: Grammar) -> Iterator[_Table]:
    """Find the tables in a run of lines."""
    texts = [block.text for block in blocks[start:end]]
    if sum(len(t) < LONGEST_SURE and bool(_PROMISING.search(t)) for t in texts) < FEWEST_SURE:
        return
    classes = _classify_lines(texts, grammar)
    floor = 0
    for first, last in _find_clusters(classes):
        top, bottom = _extend_up(classes, first, floor), _extend_down(classes, last)
        if (
            top is not None
            and bottom is not None
            and not _are_articles(texts[first:last], classes[first:last], grammar)
        ):
            # Unclear lines above the first cell are the heads of the columns.
            heads = len(classes[top:]) - len(classes[top:].lstrip("."))
            yield start + top, start + bottom, heads
            floor = bottom


def _classify_lines(texts: list[str], grammar: Grammar) -> str:
    """Classify the lines of a run, one letter per line.

    `s` a value or a code, `a` an article or annex among others, `r` anything else that is repeated in some form,
    `d` a dash, `m` the marker of a list, `p` a point of a list, `h` the header of an annex, `.` anything.
    """
    # Many cells are repeated, so each distinct text is classified once.
    often = Counter(texts)
    short = [text for text in often if len(text) <= LONGEST_SURE]
    keys = {text: _key(text) for text in short}
    headers = {text for text in short if grammar.header(text) is not None}
    statistics = _RunStatistics(Counter(), Counter(), sum(often[text] for text in headers) >= FEWEST_LISTED)
    for text, key in keys.items():
        statistics.keys[key] += often[text]
        for stem in set(_stems(text)):
            statistics.stems[stem] += often[text]
    classes = {text: _classify_line(text, keys.get(text, ""), text in headers, statistics) for text in often}
    found = [classes[text] for text in texts]
    for i, text in enumerate(texts):
        if text in headers and text.isupper() and not _among_references(texts, i, grammar):
            found[i] = "h"
    return _mark_counters(texts, found)


class _RunStatistics(NamedTuple):
    """What the lines of a run have in common."""

    keys: Counter[str]
    stems: Counter[str]
    listed: bool
    """Whether there are enough headers to make a list of articles."""


def _classify_line(text: str, key: str, is_header: bool, statistics: _RunStatistics) -> str:
    """The class of a line, given the lines of its run."""
    repeated = bool(key) and statistics.keys[key] >= FEWEST_REPEATS
    if _DASHES.match(text):
        return "d"
    if _is_marker(text):
        return "m"
    if is_header:
        return "a" if statistics.listed or repeated else "p"
    if _is_part_heading(text) or (not repeated and _mark(text) is not None):
        return "p"
    if len(text) <= LONGEST_SURE and (_VALUE.match(text) or _CODE.match(text)):
        return "s"
    return "r" if repeated and _has_common_words(text, statistics.stems) else "."


def _key(text: str) -> str:
    """What cells of a kind have in common: a number and the word beside it, or the whole text if it has no number.

    >>> _key("Article 3(2)") == _key("Article 41, first paragraph"), _key("1. cikk") == _key("12. cikk (1) bekezdés")
    (True, True)
    """
    folded = text.casefold()
    words = folded.split(" ", 2)[:2]
    if _DECIMAL.match(words[0]):
        return ""
    parts = ["0" if _NUMBER.match(word.upper() if len(word) < 6 else word) else word[:5] for word in words]
    if "0" in parts:
        return " ".join(parts)
    return "" if any(map(str.isdigit, text)) else folded


def _stems(text: str) -> list[str]:
    return [word[:5] for word in _WORD.findall(text.casefold())]


def _has_common_words(text: str, stems: Counter[str]) -> bool:
    """Whether a line uses words that the lines of its run use too, as references do."""
    words = _stems(text)
    return 3 * sum(stems[word] >= FEWEST_REPEATS for word in words) >= 2 * len(words)


def _is_marker(text: str) -> bool:
    """Whether a line is only a list marker, a box to tick, or the sign between a term and its meaning."""
    if not any(map(str.isalnum, text)):
        return True
    mark = _mark(text) if len(text) < 8 else None
    return mark is not None and mark.end >= len(text)


def _mark(text: str) -> Marker | None:
    """The marker that leads a line; lines that begin with a word, which are most, are not tested."""
    return None if text[0].isalpha() and ")" not in text[:12] and len(text) > 5 else marker(text)


def _is_part_heading(text: str) -> bool:
    """Whether a line is a heading: in capitals and long, or with a Roman number before it."""
    return (len(text) > LONGEST_NAME and text.isupper()) or bool(_ROMAN_HEADING.match(text))


def _among_references(texts: list[str], i: int, grammar: Grammar) -> bool:
    """Whether a header in capitals is between references, as in a correlation table, and so opens no annex."""
    beside = texts[max(0, i - 1) : i] + texts[i + 1 : i + 2]
    return len(beside) == 2 and all(_DASHES.match(text) or grammar.header(text) is not None for text in beside)


def _mark_counters(texts: Sequence[str], classes: list[str]) -> str:
    """Reclassify whole numbers and letters that count up one by one as list markers, not values."""
    positions = [(i, _position(text)) for i, text in enumerate(texts) if classes[i] == "s"]
    for (before, first), (after, second) in pairwise([(i, position) for i, position in positions if position]):
        if second == first + 1 and 1 < after - before <= MAX_GAP:
            classes[before] = classes[after] = "m"
    return "".join(classes)


def _position(text: str) -> int:
    """The position of a whole number or a small letter in a count; 0 if it is neither."""
    if _WHOLE.match(text):
        return int(text)
    return letter_value(text) if len(text) == 1 and text.islower() else 0


def _find_clusters(classes: str) -> list[tuple[int, int]]:
    """Find ranges from one certain cell to another without too many other lines between, and no annex header.

    Tables that are close together are merged: the lines between them are cells that look like anything.
    """
    found: list[tuple[int, int]] = []
    # From a certain cell to another one or a dash, with at most MAX_GAP other lines between them and no annex header.
    for match in re.finditer(rf"[sar](?:[^sarh]{{0,{MAX_GAP}}}[sard])*", classes):
        start, end = match.span()
        if not _is_table(match.group()):
            continue
        between = classes[found[-1][1] : start] if found else "h"
        if len(between) <= MAX_BETWEEN and "h" not in between:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _is_table(classes: str) -> bool:
    """Whether enough lines are cells for all of them to be.

    Values and references are the same in all languages, repeated words are not and so prove nothing: a table must be
    one in every language or in none. If values recur at equal distances, the lines between them are cells too; without
    values, only a list of articles and annexes is a table.
    """
    values, headers, markers = classes.count("s"), classes.count("a"), classes.count("m")
    sure = values + headers
    share = sure / max(1, len(classes) - markers - classes.count("d"))
    if markers > MAX_MARKERS * len(classes):
        return False
    if values >= FEWEST_VALUES:
        return (sure >= FEWEST_SURE and share >= SURE_SHARE) or _is_regular(classes)
    return headers >= FEWEST_LISTED and sure >= FEWEST_SURE and share >= REFERENCE_SHARE


def _is_regular(classes: str) -> bool:
    """Whether values recur at equal distances, at least three in four."""
    at = [i for i, line_class in enumerate(classes) if line_class == "s"]
    gaps = Counter(after - before for before, after in pairwise(at))
    return len(at) >= FEWEST_SURE and 4 * max(gaps.values()) >= 3 * gaps.total()


def _are_articles(texts: Sequence[str], classes: str, grammar: Grammar) -> bool:
    """Whether headers count up one by one with something below each, like articles, however short these are."""
    found = [grammar.header(text) for text, line_class in zip(texts, classes, strict=True) if line_class == "a"]
    numbers = [int(header.number) for header in found if header is not None and header.number.isdecimal()]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) >= FEWEST_LISTED and steps >= 0.9 * (len(numbers) - 1) and not re.search("aa|[sd]", classes)


def _extend_up(classes: str, first: int, least: int) -> int | None:
    """Where the heads of the columns begin: below a heading, a point or prose; None if unclear."""
    start = first
    while start > least and classes[start - 1] in ".d":
        start -= 1
    if first - start > MAX_HEADS:
        return None
    return min(start + 1, first) if start and classes[start - 1] == "h" else start


def _extend_down(classes: str, last: int) -> int | None:
    """Where a table ends whose last cells look like anything: before prose, a point or a header; None if unclear."""
    end = last
    while end < len(classes) and classes[end] in ".d":
        end += 1
    return end if end - last <= MAX_REST else None


def arrange_in_rows(cells: Sequence[str], heads: int = 0) -> list[list[str]]:
    """Arrange cells in rows if the kinds of cells recur with every row; else one cell per row.

    The first of the `heads` cells, which are the heads of the columns, may be missing. A table of references has one
    kind of cell only; if it writes a dash for what it leaves empty, there is one head per column.

    >>> arrange_in_rows(["Wax", "5 %", "Honey", "7 %", "Bees", "1 %", "Hives", "2 %"])
    [['Wax', '5 %'], ['Honey', '7 %'], ['Bees', '1 %'], ['Hives', '2 %']]
    >>> arrange_in_rows(["Fee", *["Wax", "5 %"] * 4], 1)[:2]
    [['', 'Fee'], ['Wax', '5 %']]
    """
    kinds = list(map(_cell_kind, cells))
    # Cells of the first row may have been taken for heads, so fewer heads are tried as well.
    for top in range(heads, max(0, heads - MAX_MISTAKEN_HEADS), -1):
        body = cells[top:]
        width = _find_width(kinds[top:]) or _reference_width(kinds[top:], top)
        if width and top >= width - 1:
            named = min(top, width)
            head = [""] * (width - named) + list(cells[top - named : top])
            above = [[cell] for cell in cells[: top - named]]
            return [*above, head, *(list(body[i : i + width]) for i in range(0, len(body), width))]
    width = _find_width(kinds) or 1
    return [list(cells[i : i + width]) for i in range(0, len(cells), width)]


def _find_width(kinds: Sequence[str]) -> int:
    """The number of cells after which the kinds of cells recur; 0 if they do not."""
    if len(kinds) < 2 * FEWEST_ROWS:
        return 0
    whole = _most_alike(kinds) / len(kinds)
    for width in range(2, min(MAX_COLUMNS, len(kinds) // FEWEST_ROWS) + 1):
        if len(kinds) % width:
            continue
        share = sum(_most_alike(kinds[n::width]) for n in range(width)) / len(kinds)
        if share >= COLUMN_SHARE and share >= whole + COLUMN_GAIN:
            return width
    return 0


def _most_alike(kinds: Sequence[str]) -> int:
    """How many cells are of the most frequent kind."""
    return max(map(kinds.count, set(kinds)))


def _reference_width(kinds: Sequence[str], heads: int) -> int:
    """The number of heads, if it is that of the columns of a table that writes dashes for empty cells; else 0."""
    dashes = kinds.count("signs")
    return next((width for width in (heads, heads - 1) if width > 1 and dashes > 1 and len(kinds) % width == 0), 0)


def _cell_kind(cell: str) -> str:
    """The kind of a cell: words, digits, both, or signs only."""
    words, digits = bool(_LETTER.search(cell)), bool(_DIGIT.search(cell))
    return "both" if words and digits else "words" if words else "digits" if digits else "signs"
