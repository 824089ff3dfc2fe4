"""Tables of correlation: whose articles stand in which column, as the head of the table says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from lexlattice.reading.cited_acts import CitedAct
from lexlattice.reading.tokens import Token, tokenize
from lexlattice.reading.wording import Wording

DEEPEST: Final = 12
"""Among so many cells the head of a table is looked for."""
FEWEST: Final = 2
MOST_FALLS: Final = 12
"""One in so many numbers may be smaller than the one before it: annexes follow articles."""
_NUMBER: Final = re.compile(r"\d+")
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


def cells(text: str, words: Wording) -> list[Cell]:
    """The cells of a table with what their column belongs to."""
    found = list(_cells(text))
    heads: list[tuple[int, CitedAct]] = []
    for place, cell in enumerate(found[:DEEPEST]):
        owner = _head(cell.text, words)
        if owner is not None:
            heads.append((place, owner))
        elif heads:
            break
    if len(heads) < FEWEST or sum(owner is THIS for _, owner in heads) != 1:
        return found
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
    """Cells that follow one another without rows; if their number does not come out, nothing is said of them."""
    if len(found) % len(owners) or not _rises([cell.text for cell in found[:: len(owners)]]):
        return found
    return [cell._replace(owner=owners[n % len(owners)]) for n, cell in enumerate(found)]


def _rises(column: list[str]) -> bool:
    """Whether the numbers of the first column rise, as they do where no cell is missing."""
    numbers = [int(match.group()) for match in map(_NUMBER.search, column) if match is not None]
    falls = sum(after < before for before, after in pairwise(numbers))
    return falls <= len(numbers) // MOST_FALLS


def _cells(text: str) -> Iterator[Cell]:
    start = 0
    for number, row in enumerate(text.split("\n")):
        for cell in row.split("\t"):
            yield Cell(start, start + len(cell), cell, number, None)
            start += len(cell) + 1


def _head(text: str, words: Wording) -> CitedAct | None:
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
    return token.text not in _SIGNS
