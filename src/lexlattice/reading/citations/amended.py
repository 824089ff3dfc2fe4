"""References that point into another act: those of amending articles, and those of correlation tables.

An amending article names the act it amends in its lead-in, and each of its points is about a provision of that act. A
correlation table lists provisions of several acts side by side, and its head says which column belongs to which act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lexlattice.act.document import Section
from lexlattice.reading.citations.levels import SAME, Path, Step, is_filler
from lexlattice.reading.citations.mentions import find_mentions
from lexlattice.reading.citations.tokens import CitedAct, Token, tokenize
from lexlattice.reading.citations.vocabulary import LEVELS, Vocabulary
from lexlattice.reading.languages.numbering import OPENING_QUOTES

_STEPS: Final = {"art": "article", "par": "paragraph", "sub": "subparagraph", "pt": "point", "anx": "annex"}
_TOP: Final = ("article", "annex")
_INNER: Final = ("article", "annex", "paragraph")
"""Levels that can enclose a point, apart from subparagraphs."""


def amended_by_article(section: Section, words: Vocabulary) -> CitedAct | None:
    """The act that an article amends, None if it amends none.

    An amending article has a lead-in that names the act and ends with a colon, and quotes the new text.
    """
    if section.kind != "article" or len(section.units) < 2 or not section.units[0].text.endswith(":"):
        return None
    if not any(unit.text[0] in OPENING_QUOTES or is_quoted(unit.provision) for unit in section.units):
        return None
    acts = [token.act for token in tokenize(section.units[0].text, words) if token.act is not None]
    return acts[0] if acts else None


def amended_by_annex(section: Section, title: str, celex: str, words: Vocabulary) -> CitedAct | None:
    """The act that an annex with quoted text amends: the one it begins with, or the only one in the act's title."""
    if section.kind != "annex" or not any(is_quoted(unit.provision) for unit in section.units):
        return None
    for text in (section.units[0].text, title):
        acts = {token.act.celex: token.act for token in tokenize(text, words) if token.act is not None}
        acts.pop(celex, None)
        if len(acts) == 1:
            return next(iter(acts.values()))
    return None


def is_quoted(provision: str) -> bool:
    """Whether a provision belongs to text that an amendment quotes."""
    return ".q" in provision


class Amended:
    """The act that a section amends, and the provision of that act that each of its units is about."""

    def __init__(self, section: Section, act: CitedAct, words: Vocabulary) -> None:
        self.act = act
        self._acts: dict[str, CitedAct] = {}
        """The amended act of each unit, if an annex amends several."""
        self._locations: dict[str, Path] = {}
        last = ""
        for unit in section.units:
            if not is_quoted(unit.provision) and unit.text.endswith(":") and section.kind == "annex":
                acts = [token.act for token in tokenize(unit.text, words) if token.act is not None]
                last = acts[0].celex if len(acts) == 1 else last
                act = acts[0] if len(acts) == 1 else act
            if last:
                self._acts[unit.provision] = act
            if is_quoted(unit.provision) or unit.provision in self._locations:
                continue
            named = find_mentions(tokenize(unit.text, words), words)
            first = next((mention.paths[0] for mention in named if mention.paths[0][0][1] not in ("", SAME)), None)
            base = self.location(unit.provision)
            if first is not None and (base or first[0][0] in _TOP):
                self._locations[unit.provision] = make_absolute(base, first)

    def act_at(self, provision: str) -> CitedAct:
        """The act that a unit amends."""
        return self._acts.get(provision, self.act)

    def location(self, provision: str) -> Path:
        """The provision of the amended act that a unit is about or, if it is quoted, belongs to."""
        steps = provision.split(".")
        # Steps before the quotation are those of the amending act, steps from it on those of the amended one.
        own = next((n for n, step in enumerate(steps) if step[0] == "q" and step[:2] in ("q", "q-")), len(steps))
        base: Path = ()
        for end in range(own, 0, -1):
            name = ".".join(steps[:end])
            if name in self._locations:
                base = self._locations[name]
                break
        return _quoted_location(base, steps[own:]) if own < len(steps) else base


def _quoted_location(base: Path, steps: Sequence[str]) -> Path:
    """The location of quoted text that replaces `base` or a part of it."""
    first = steps[0].removeprefix("q").removeprefix("-")
    for step in [first, *steps[1:]]:
        stem, _, number = step.partition("-")
        if stem not in _STEPS or not number:
            continue
        level = _STEPS[stem]
        if level == "point" and number[0].isdigit() and base and (len(base) == 1 or base[-1][0] == "paragraph"):
            level = "paragraph"  # a numbered paragraph that is quoted alone
        base = make_absolute(base, ((level, number.partition("~")[0]),))
    return base


def make_absolute(base: Path, path: Path) -> Path:
    """Complete a relative path: "paragraph 2" in Article 5(1) is Article 5(2)."""
    level, number = path[0]
    if level in _TOP and number:
        return path
    rank = LEVELS.index(level)
    if not number:  # "this Article"
        kept = tuple(step for step in base if LEVELS.index(step[0]) <= rank)
        return kept + path[1:] if any(step[0] == level for step in kept) else ()
    kept = tuple(step for step in base if LEVELS.index(step[0]) < rank and _can_enclose(step, level))
    return kept + path


def _can_enclose(step: Step, level: str) -> bool:
    return level not in ("point", "indent") or step[0] in _INNER or (level == "indent" and step[0] == "point")


# --- correlation tables -----------------------------------------------------------------------------------

MAX_HEAD_CELLS: Final = 12
"""The head of a table is looked for among this many cells."""
MIN_COLUMNS: Final = 2
SKIP_COST: Final = 1.5
"""The cost of skipping a column, which assumes a missing cell."""
FREE_STEP: Final = 3
FULL_COST_STEP: Final = 10
"""Consecutive numbers of a column can differ by `FREE_STEP` at no cost, and by `FULL_COST_STEP` at a cost of 1."""
FIRST_COLUMN_WEIGHT: Final = 3
"""The factor of these costs in the first column, which is sorted."""
MAX_MEAN_COST: Final = 0.25
"""The highest mean cost of a cell in a table of two columns; lower for more columns."""
MIN_CELLS_PER_SKIP: Final = 40
"""At most one in this many cells may be missing."""
# The number after a word such as "Article" at the beginning of a cell.
_NUMBER: Final = re.compile(r"\W*(?:[^\W\d_]+\.?\s)?(\d{1,3})(?!\d)")
THIS_ACT: Final = CitedAct(0, 0, "", "")
"""Stands for this act itself."""
_SIGNS: Final = (",", "(", ")", ".", "’", "'", "-")


class Cell(NamedTuple):
    """A cell of a table with its position in the text of the unit."""

    start: int
    end: int
    text: str
    row: int
    owner: CitedAct | None
    """The act whose provisions are in the column."""


def column_heads_above(section: Section, words: Vocabulary) -> list[CitedAct]:
    """The column heads in the heading of an annex and in the units above its table."""
    if section.kind != "annex" or not any(unit.kind == "table" for unit in section.units):
        return []
    found = [token.act for token in tokenize(section.heading, words) if token.act is not None and token.act.celex]
    for unit in section.units[:MAX_HEAD_CELLS]:
        owner = column_head(unit.text, words) if unit.kind != "table" else None
        found += [owner] if owner is not None else []
    return found if len(found) >= MIN_COLUMNS and found.count(THIS_ACT) == 1 else []


def table_cells(text: str, words: Vocabulary, above: list[CitedAct]) -> list[Cell]:
    """The cells of a table with the act of their column; `above` are column heads before the table."""
    found = list(_cells(text))
    heads: list[tuple[int, CitedAct]] = []
    for index, cell in enumerate(found[:MAX_HEAD_CELLS]):
        owner = column_head(cell.text, words)
        if owner is not None:
            heads.append((index, owner))
        elif heads:
            break
    if len(heads) < MIN_COLUMNS or sum(owner is THIS_ACT for _, owner in heads) != 1:
        return _assign_by_order(found, above) if above else found
    body = heads[-1][0] + 1
    owners = [owner for _, owner in heads]
    if len({found[index].row for index, _ in heads}) == 1:
        return found[:body] + _assign_by_row(found[body:], owners)
    return found[:body] + _assign_by_order(found[body:], owners)


def _assign_by_row(found: list[Cell], owners: list[CitedAct]) -> list[Cell]:
    """Assign the cells of rows that have as many cells as the head."""
    rows: dict[int, list[Cell]] = {}
    for cell in found:
        rows.setdefault(cell.row, []).append(cell)
    return [
        cell._replace(owner=owners[n] if len(row) == len(owners) else None)
        for row in rows.values()
        for n, cell in enumerate(row)
    ]


def _assign_by_order(found: list[Cell], owners: list[CitedAct]) -> list[Cell]:
    """Assign consecutive cells without rows to the columns that their numbers continue best.

    In some tables cells are missing. The numbers of articles rise within a column, so the assignment of least cost is
    found by dynamic programming (one best path for each column); if even that cost is high, no cell is assigned.
    """
    paths = [
        _Path(0.0 if column == 0 else SKIP_COST, column, (0,) * len(owners), None) for column in range(len(owners))
    ]
    for n, cell in enumerate(found):
        number = _number(cell.text)
        if n:
            paths = [_best(paths, column, number) for column in range(len(owners))]
        else:
            paths = [path.at(path.column, number, 0.0, first=True) for path in paths]
    # More columns make a low cost without meaning more likely, so the bound falls with their number.
    best = min(paths, key=lambda path: path.cost)
    columns = best.columns()
    skips = sum((before + 1) % len(owners) != after for before, after in pairwise(columns))
    if best.cost > MAX_MEAN_COST * len(found) / (len(owners) - 1) ** 2 or skips > len(found) // MIN_CELLS_PER_SKIP + 1:
        return found
    return [cell._replace(owner=owners[column]) for cell, column in zip(found, columns, strict=True)]


class _Path(NamedTuple):
    """A partial assignment of cells to columns, up to one of them."""

    cost: float
    column: int
    numbers: tuple[int, ...]
    """The last number of each column."""
    before: _Path | None

    def at(self, column: int, number: int, more: float, *, first: bool = False) -> _Path:
        """The assignment extended by one cell."""
        last = self.numbers[column]
        cost = self.cost + more
        if number and last and not 0 <= number - last <= FREE_STEP:
            step = min(abs(number - last), FULL_COST_STEP) / FULL_COST_STEP
            cost += step * (FIRST_COLUMN_WEIGHT if column == 0 else 1)
        numbers = (*self.numbers[:column], number or last, *self.numbers[column + 1 :])
        return _Path(cost, column, numbers, None if first else self)

    def columns(self) -> list[int]:
        """The column of each cell."""
        found = []
        path: _Path | None = self
        while path is not None:
            found.append(path.column)
            path = path.before
        return found[::-1]


def _best(paths: list[_Path], column: int, number: int) -> _Path:
    ways = (path.at(column, number, 0 if (path.column + 1) % len(paths) == column else SKIP_COST) for path in paths)
    return min(ways, key=lambda path: path.cost)


def _number(text: str) -> int:
    """The number of the article at the beginning of a cell, 0 if there is none."""
    match = _NUMBER.match(text)
    return int(match[1]) if match is not None else 0


def _cells(text: str) -> Iterator[Cell]:
    start = 0
    for number, row in enumerate(text.split("\n")):
        for cell in row.split("\t"):
            yield Cell(start, start + len(cell), cell, number, None)
            start += len(cell) + 1


def column_head(text: str, words: Vocabulary) -> CitedAct | None:
    """The act of a cell that names an act and nothing else: "Directive 98/8/EC", "This Regulation"."""
    if len(text) > 90:
        return None
    tokens = tokenize(text, words)
    acts = [token.act for token in tokens if token.act is not None]
    if len(acts) == 1 and acts[0].celex and not any(token.role.levels for token in tokens):
        return acts[0]
    this = any(token.has("this") for token in tokens) and any(token.role.act for token in tokens)
    return THIS_ACT if this and not acts and len([token for token in tokens if _counts(token)]) == 2 else None


def _counts(token: Token) -> bool:
    return token.text not in _SIGNS and (token.has("this") or not is_filler(token))
