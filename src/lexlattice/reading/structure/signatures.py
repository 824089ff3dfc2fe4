"""The end of an act: place and date, and who signed it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import HEAD, LANGUAGES, fold, raw
from lexlattice.reading.structure.footnotes import Footnotes
from lexlattice.reading.structure.sections import Attachments, Draft

LONGEST_SIGNATURE: Final = 80
LONGEST_CLOSING: Final = 160

_YEAR_AT_END: Final = re.compile(r"(?:19|20)\d\d\D{0,12}$")


class Signatures:
    """Finds the signature block, and what may stand below it."""

    def __init__(self, draft: Draft, footnotes: Footnotes, attachments: Attachments) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.grammar = draft.grammar
        self.footnotes = footnotes
        self.attachments = attachments

    def begin(self, i: int, line: str) -> bool:
        """Begin the signature block, or go on with it, if a line belongs to it."""
        if not self._signs(i, line):
            return False
        self.draft.furniture[i] = "signature"
        self.draft.state = "signature"
        self.draft.sections.leave_divisions()
        return True

    def _signs(self, i: int, line: str) -> bool:
        """Whether a line belongs to the signature block; the sentence that a regulation is binding does not."""
        if self.lines.roles[i] is Role.SIGNATURE:
            return self.draft.state == "signature" or not self.grammar.opens("binding", self.lines.heads[i])
        return self.draft.state in ("article", "body", "annex") and self.closes(i, line)

    def closes(self, i: int, line: str) -> bool:
        """Whether a line is place and date: the formula says so, or it is short and dated, with a signatory below."""
        lines = self.lines
        if len(line) > LONGEST_CLOSING:
            return False
        if self.grammar.opens("closing", lines.heads[i]) and (any(map(str.isdigit, line)) or self._is_signed(i + 1)):
            return True
        if self.draft.state == "annex" or len(line) > LONGEST_SIGNATURE or lines.marks[i] is not None:
            return False
        signed = i + 1 < len(lines) and self.grammar.opens("signatory", lines.heads[i + 1])
        return signed and bool(_YEAR_AT_END.search(line))

    def _is_signed(self, i: int) -> bool:
        """Whether a line below a day in words is a signatory, not a field of a form: short, and no sentence."""
        lines = self.lines
        if self.draft.state == "annex" or i >= len(lines) or lines.headers[i] is not None or lines.marks[i] is not None:
            return False
        line = lines.texts[i]
        return len(line) <= LONGEST_SIGNATURE and line[0].isupper() and line[-1] not in ".;:,"

    def in_signature(self, i: int, line: str) -> bool:
        """Below a signature: a text that is attached, footnotes, further signatures, or other text."""
        if self.attachments.begin(i, line):
            return True
        mark = self.lines.marks[i]
        if (mark is not None and mark.style == "paren") or self.footnotes.is_note(line):
            self.footnotes.add(i)
        elif len(line) <= LONGEST_SIGNATURE and mark is None:
            self.draft.furniture[i] = "signature"
        else:
            self.draft.add_to("body", i)
        return True


# Where an agreement is signed in the languages of its parties: when and where it was done, and for whom.

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
