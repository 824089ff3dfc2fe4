"""What an amending article says of the act it amends: which act, and which provision each of its points is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lexlattice.act.document import Section
from lexlattice.reading.citations.levels import SAME, Path, Step, fills
from lexlattice.reading.citations.mentions import mentions
from lexlattice.reading.citations.tokens import CitedAct, Token, tokenize
from lexlattice.reading.citations.vocabulary import LEVELS, Wording
from lexlattice.reading.languages.numbering import OPENING_QUOTES

_STEPS: Final = {"art": "article", "par": "paragraph", "sub": "subparagraph", "pt": "point", "anx": "annex"}
_TOP: Final = ("article", "annex")
_INNER: Final = ("article", "annex", "paragraph")
"""What stands around a point, whichever subparagraph it is in."""


def amended_by(section: Section, words: Wording) -> CitedAct | None:
    """The act that an article amends: its lead-in names one act alone, and what follows quotes the new wording."""
    if section.kind != "article" or len(section.units) < 2 or not section.units[0].text.endswith(":"):
        return None
    if not any(unit.text[0] in OPENING_QUOTES or is_quoted(unit.provision) for unit in section.units):
        return None
    acts = [token.act for token in tokenize(section.units[0].text, words) if token.act is not None]
    return acts[0] if acts else None


def amended_in(section: Section, title: str, celex: str, words: Wording) -> CitedAct | None:
    """The act that an annex with quoted text amends: the one it begins with, or the only one of the act's title."""
    if section.kind != "annex" or not any(is_quoted(unit.provision) for unit in section.units):
        return None
    for text in (section.units[0].text, title):
        acts = {token.act.celex: token.act for token in tokenize(text, words) if token.act is not None}
        acts.pop(celex, None)
        if len(acts) == 1:
            return next(iter(acts.values()))
    return None


def is_quoted(provision: str) -> bool:
    """Whether a provision is of the text that an amendment quotes."""
    return ".q" in provision


class Amended:
    """The act that an article amends, and where in it each of its points is at work."""

    def __init__(self, section: Section, act: CitedAct, words: Wording) -> None:
        self.act = act
        self._acts: dict[str, CitedAct] = {}
        """The acts that lead-ins below name, where an annex amends several."""
        self._homes: dict[str, Path] = {}
        last = ""
        for unit in section.units:
            if not is_quoted(unit.provision) and unit.text.endswith(":") and section.kind == "annex":
                acts = [token.act for token in tokenize(unit.text, words) if token.act is not None]
                last = acts[0].celex if len(acts) == 1 else last
                act = acts[0] if len(acts) == 1 else act
            if last:
                self._acts[unit.provision] = act
            if is_quoted(unit.provision) or unit.provision in self._homes:
                continue
            named = mentions(tokenize(unit.text, words), words)
            first = next((mention.paths[0] for mention in named if mention.paths[0][0][1] not in ("", SAME)), None)
            around = self.home(unit.provision)
            if first is not None and (around or first[0][0] in _TOP):
                self._homes[unit.provision] = within(around, first)

    def act_at(self, provision: str) -> CitedAct:
        """The act that is amended where a unit stands."""
        return self._acts.get(provision, self.act)

    def home(self, provision: str) -> Path:
        """The provision of the amended act that a unit is about, or, quoted, stands in."""
        steps = provision.split(".")
        own = next((n for n, step in enumerate(steps) if step[0] == "q" and step[:2] in ("q", "q-")), len(steps))
        base: Path = ()
        for end in range(own, 0, -1):
            name = ".".join(steps[:end])
            if name in self._homes:
                base = self._homes[name]
                break
        return _quoted(base, steps[own:]) if own < len(steps) else base


def _quoted(base: Path, steps: Sequence[str]) -> Path:
    """Where a quoted text stands that takes the place of `base`, or of something in it."""
    first = steps[0].removeprefix("q").removeprefix("-")
    for step in [first, *steps[1:]]:
        stem, _, number = step.partition("-")
        if stem not in _STEPS or not number:
            continue
        level = _STEPS[stem]
        if level == "point" and number[0].isdigit() and base and (len(base) == 1 or base[-1][0] == "paragraph"):
            level = "paragraph"  # a numbered paragraph that is quoted alone
        base = within(base, ((level, number.partition("~")[0]),))
    return base


def within(around: Path, path: Path) -> Path:
    """A path as seen from another one: "paragraph 2" in Article 5(1) is Article 5(2)."""
    level, number = path[0]
    if level in _TOP and number:
        return path
    rank = LEVELS.index(level)
    if not number:  # "this Article"
        kept = tuple(step for step in around if LEVELS.index(step[0]) <= rank)
        return kept + path[1:] if any(step[0] == level for step in kept) else ()
    kept = tuple(step for step in around if LEVELS.index(step[0]) < rank and _holds(step, level))
    return kept + path


def _holds(step: Step, level: str) -> bool:
    return level not in ("point", "indent") or step[0] in _INNER or (level == "indent" and step[0] == "point")


# Tables of correlation: whose articles stand in which column, as the head of the table says.

DEEPEST: Final = 12
"""Among so many cells the head of a table is looked for."""
FEWEST: Final = 2
SKIP: Final = 1.5
"""What it costs to pass over a column."""
NEAR: Final = 3
FARTHEST: Final = 10
"""So far numbers of a column that follow one another may be apart for nothing, and at the full cost of 1."""
FIRST: Final = 3
"""By so much more it costs in the first column, which is in order."""
DEAREST: Final = 0.25
"""What a cell may cost on average, in a table of two columns; less if there are more."""
FULLEST: Final = 40
"""One in so many cells may be missing."""
_NUMBER: Final = re.compile(r"\W*(?:[^\W\d_]+\.?\s)?(\d{1,3})(?!\d)")
THIS: Final = CitedAct(0, 0, "", "")
"""In the place of an act: this act itself."""
_SIGNS: Final = (",", "(", ")", ".", "’", "'")


class Cell(NamedTuple):
    """A cell of a table, by its place in the unit."""

    start: int
    end: int
    text: str
    row: int
    owner: CitedAct | None
    """The act whose provisions stand in the column."""


def heads_of(section: Section, words: Wording) -> list[CitedAct]:
    """The heads of columns that stand in the heading of an annex and above its table."""
    if section.kind != "annex" or not any(unit.kind == "table" for unit in section.units):
        return []
    found = [token.act for token in tokenize(section.heading, words) if token.act is not None and token.act.celex]
    for unit in section.units[:DEEPEST]:
        owner = head(unit.text, words) if unit.kind != "table" else None
        found += [owner] if owner is not None else []
    return found if len(found) >= FEWEST and found.count(THIS) == 1 else []


def cells(text: str, words: Wording, above: list[CitedAct]) -> list[Cell]:
    """The cells of a table with what their column belongs to; `above` are heads that stand before the table."""
    found = list(_cells(text))
    heads: list[tuple[int, CitedAct]] = []
    for place, cell in enumerate(found[:DEEPEST]):
        owner = head(cell.text, words)
        if owner is not None:
            heads.append((place, owner))
        elif heads:
            break
    if len(heads) < FEWEST or sum(owner is THIS for _, owner in heads) != 1:
        return _in_turn(found, above) if above else found
    body = heads[-1][0] + 1
    owners = [owner for _, owner in heads]
    if len({found[place].row for place, _ in heads}) == 1:
        return found[:body] + _by_row(found[body:], owners)
    return found[:body] + _in_turn(found[body:], owners)


def _by_row(found: list[Cell], owners: list[CitedAct]) -> list[Cell]:
    """Cells of rows that have as many as the head."""
    rows: dict[int, list[Cell]] = {}
    for cell in found:
        rows.setdefault(cell.row, []).append(cell)
    return [
        cell._replace(owner=owners[n] if len(row) == len(owners) else None)
        for row in rows.values()
        for n, cell in enumerate(row)
    ]


def _in_turn(found: list[Cell], owners: list[CitedAct]) -> list[Cell]:
    """Cells that follow one another without rows, each in the column where its number goes on best.

    Of some tables a cell is missing here and there. Numbers of articles rise in a column, so the order of columns is
    followed through the table at the least cost; where even that is high, nothing is said of any cell.
    """
    paths = [_Path(0.0 if column == 0 else SKIP, column, (0,) * len(owners), None) for column in range(len(owners))]
    for n, cell in enumerate(found):
        number = _number(cell.text)
        if n:
            paths = [_best(paths, column, number) for column in range(len(owners))]
        else:
            paths = [path.at(path.column, number, 0.0, first=True) for path in paths]
    best = min(paths, key=lambda path: path.cost)
    columns = best.columns()
    skips = sum((before + 1) % len(owners) != after for before, after in pairwise(columns))
    if best.cost > DEAREST * len(found) / (len(owners) - 1) ** 2 or skips > len(found) // FULLEST + 1:
        return found
    return [cell._replace(owner=owners[column]) for cell, column in zip(found, columns, strict=True)]


class _Path(NamedTuple):
    """One way to put cells into columns, up to one of them."""

    cost: float
    column: int
    numbers: tuple[int, ...]
    """The last number of each column."""
    before: _Path | None

    def at(self, column: int, number: int, more: float, *, first: bool = False) -> _Path:
        """The same way with one more cell."""
        last = self.numbers[column]
        cost = self.cost + more
        if number and last:
            cost += (min(abs(number - last), FARTHEST) / FARTHEST if not 0 <= number - last <= NEAR else 0) * (
                FIRST if column == 0 else 1
            )
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
    ways = (path.at(column, number, 0 if (path.column + 1) % len(paths) == column else SKIP) for path in paths)
    return min(ways, key=lambda path: path.cost)


def _number(text: str) -> int:
    """The number of the article that a cell begins with, 0 if it begins with none."""
    match = _NUMBER.match(text)
    return int(match[1]) if match is not None else 0


def _cells(text: str) -> Iterator[Cell]:
    start = 0
    for number, row in enumerate(text.split("\n")):
        for cell in row.split("\t"):
            yield Cell(start, start + len(cell), cell, number, None)
            start += len(cell) + 1


def head(text: str, words: Wording) -> CitedAct | None:
    """The act that a cell names and nothing else: "Directive 98/8/EC", "This Regulation"."""
    if len(text) > 90:
        return None
    tokens = tokenize(text, words)
    acts = [token.act for token in tokens if token.act is not None]
    if len(acts) == 1 and acts[0].celex and not any(token.role.levels for token in tokens):
        return acts[0]
    this = any(token.has("this") for token in tokens) and any(token.role.act for token in tokens)
    return THIS if this and not acts and len([token for token in tokens if _counts(token)]) == 2 else None


def _counts(token: Token) -> bool:
    return token.text not in _SIGNS and (token.has("this") or not fills(token))
