"""Where an agreement is signed in the languages of its parties: when and where it was done, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.grammar import HEAD, LANGUAGES, fold, raw

FEWEST_LANGUAGES: Final = 4
"""So many languages in which an agreement says when and where it was done; other acts say it in their own alone."""

FEWEST_WORDS: Final = 5
"""So many words of different languages before the names of those for whom it was signed."""

LONGEST_NAME: Final = 80
"""Characters of a line that says for whom an agreement was signed."""

SHORTEST_TITLE: Final = 6
"""Letters of a title of one word in capitals: "PROTOCOL"."""

FARTHEST: Final = 12
"""Lines between two of them: other languages, and names."""


def mark_testimonium(blocks: list[Block]) -> None:
    """Make signatures of the lines in which an agreement is signed in many languages."""
    found = [(i, wording) for i, block in enumerate(blocks) if (wording := _wording(block.text))]
    run = 0
    runs: list[tuple[int, int, str]] = []
    for place, (i, wording) in enumerate(found):
        run += place > 0 and _parts(blocks[found[place - 1][0] + 1 : i])
        runs.append((run, i, wording))
    for _, members in groupby(runs, key=lambda member: member[0]):
        of_run = list(members)
        wordings = {wording for _, _, wording in of_run}
        closings = sum(" " in wording for wording in wordings)
        if closings >= FEWEST_LANGUAGES or len(wordings) - closings >= FEWEST_WORDS:
            for block in blocks[of_run[0][1] : of_run[-1][1] + 1]:
                block.role = block.role or Role.SIGNATURE


def _parts(between: Sequence[Block]) -> bool:
    """Whether what stands between two such lines shows that another text begins there: it is long, or has a title."""
    return len(between) >= FARTHEST or any(_is_title(block.text) for block in between)


def _is_title(line: str) -> bool:
    return len(line) >= SHORTEST_TITLE and line.isupper() and line.isalpha()


def _wording(line: str) -> str:
    """The closing formula that a line begins with, or the word before a signatory, in any language; or nothing."""
    if not line[:1].isupper():
        return ""
    word = line.split(maxsplit=1)[0].casefold()
    wordings = _closings().get(word, ())
    head = fold(line[:HEAD]) if wordings else ""
    closing = next((w for w in wordings if head.startswith(w) and not head[len(w) : len(w) + 1].isalpha()), "")
    return closing or (fold(word) if word in _signatories() and _is_name(line) else "")


def _is_name(line: str) -> bool:
    return len(line) <= LONGEST_NAME and line[-1] not in ".;:," and not any(map(str.isdigit, line))


@cache
def _closings() -> dict[str, list[str]]:
    """The closing formulas of all languages by their first word; those of one word say too little."""
    table: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for wording in raw(language)["openers"]["closing"]:
            words = wording.casefold().split()
            if len(words) > 1:
                table.setdefault(words[0], []).append(fold(wording))
    return table


@cache
def _signatories() -> frozenset[str]:
    """The words of all languages that stand before whoever signs: each begins more than one of a language's forms."""
    words = set()
    for language in LANGUAGES:
        first, *others = (form.casefold().split()[0] for form in raw(language)["openers"]["signatory"])
        if len(first) > 1 and first in others:
            words.add(first)
    return frozenset(words)
