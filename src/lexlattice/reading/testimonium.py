"""Where an agreement says in the languages of its parties when and where it was done: its signatures begin there."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.grammar import HEAD, LANGUAGES, fold, raw

FEWEST_LANGUAGES: Final = 4
"""So many languages in which an agreement says when and where it was done; other acts say it in their own alone."""

FARTHEST: Final = 12
"""Lines between two of them: other languages, and names."""


def mark_testimonium(blocks: list[Block]) -> None:
    """Make signatures of the lines in which an agreement says in many languages when and where it was done."""
    found = [(i, wording) for i, block in enumerate(blocks) if (wording := _closing(block.text))]
    run = 0
    runs: list[tuple[int, int, str]] = []
    for place, (i, wording) in enumerate(found):
        run += place > 0 and i - found[place - 1][0] > FARTHEST
        runs.append((run, i, wording))
    for _, members in groupby(runs, key=lambda member: member[0]):
        of_run = list(members)
        if len({wording for _, _, wording in of_run}) >= FEWEST_LANGUAGES:
            for block in blocks[of_run[0][1] : of_run[-1][1] + 1]:
                block.role = block.role or Role.SIGNATURE


def _closing(line: str) -> str:
    """The closing formula that a line begins with, in any language; empty if with none."""
    wordings = _wordings().get(line.split(maxsplit=1)[0].casefold(), ()) if line[:1].isupper() else ()
    head = fold(line[:HEAD]) if wordings else ""
    return next((w for w in wordings if head.startswith(w) and not head[len(w) : len(w) + 1].isalpha()), "")


@cache
def _wordings() -> dict[str, list[str]]:
    """The closing formulas of all languages by their first word; those of one word say too little."""
    table: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for wording in raw(language)["openers"]["closing"]:
            words = wording.casefold().split()
            if len(words) > 1:
                table.setdefault(words[0], []).append(fold(wording))
    return table
