"""The end of an act: place and date, and who signed it.

`Signatures` handles the lines of the outline. `mark_testimonium` is a pass over the blocks before it: agreements say in
the language of each party when and where they were done, and for whom they are signed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import HEAD, LANGUAGES, fold, openers
from lexlattice.reading.structure.notes_and_tables import Footnotes
from lexlattice.reading.structure.sections import Attachments, OutlineContext

LONGEST_SIGNATURE: Final = 80
"""Characters of a line of a signature."""
LONGEST_CLOSING: Final = 160
"""Characters of the line with place and date."""
FEWEST_LANGUAGES: Final = 4
"""Languages in which an agreement says when and where it was done; other acts use their own language only."""
FEWEST_WORDS: Final = 5
"""Words of different languages before the names of those for whom an agreement is signed."""
LONGEST_NAME: Final = 80
"""Characters of a line that names those for whom an agreement is signed."""
SHORTEST_TITLE: Final = 6
"""Letters of a title that is one word in capitals: "PROTOCOL"."""
MAX_DISTANCE: Final = 12
"""Lines between two closing formulas: other languages, and names."""

_YEAR_AT_END: Final = re.compile(r"(?:19|20)\d\d\D{0,12}$")
"""A year at the end of a line: "Brussels, 27 April 2016."."""


class Signatures:
    """Finds the signature block, and handles what may be below it."""

    def __init__(self, context: OutlineContext, footnotes: Footnotes, attachments: Attachments) -> None:
        self.context = context
        self.lines = context.lines
        self.grammar = context.grammar
        self.footnotes = footnotes
        self.attachments = attachments

    def begin(self, i: int, line: str) -> bool:
        """Begin or continue the signature block if a line belongs to it; false if not."""
        if not self._is_signature(i, line):
            return False
        self.context.furniture[i] = "signature"
        self.context.state = "signature"
        self.context.builder.leave_divisions()
        return True

    def _is_signature(self, i: int, line: str) -> bool:
        """Whether a line belongs to the signature block; the sentence that a regulation is binding does not."""
        if self.lines.roles[i] is Role.SIGNATURE:
            return self.context.state == "signature" or not self.grammar.opens("binding", self.lines.heads[i])
        return self.context.state in ("article", "body", "annex") and self.closes(i, line)

    def closes(self, i: int, line: str) -> bool:
        """Whether a line is place and date: by its formula, or because it is short, dated and above a signatory."""
        lines = self.lines
        if len(line) > LONGEST_CLOSING:
            return False
        if self.grammar.opens("closing", lines.heads[i]) and (any(map(str.isdigit, line)) or self._is_signed(i + 1)):
            return True
        if self.context.state == "annex" or len(line) > LONGEST_SIGNATURE or lines.marks[i] is not None:
            return False
        signed = i + 1 < len(lines) and self.grammar.opens("signatory", lines.heads[i + 1])
        return signed and bool(_YEAR_AT_END.search(line))

    def _is_signed(self, i: int) -> bool:
        """Whether a line below a date in words is a signatory, not a field of a form: short, and no sentence."""
        lines = self.lines
        if (
            self.context.state == "annex"
            or i >= len(lines)
            or lines.headers[i] is not None
            or lines.marks[i] is not None
        ):
            return False
        line = lines.texts[i]
        return len(line) <= LONGEST_SIGNATURE and line[0].isupper() and line[-1] not in ".;:,"

    def in_signature(self, i: int, line: str) -> bool:
        """Handle a line below a signature: an attached text, footnotes, further signatures, or other text."""
        if self.attachments.begin(i, line):
            return True
        mark = self.lines.marks[i]
        if (mark is not None and mark.style == "paren") or self.footnotes.is_note(line):
            self.footnotes.add(i)
        elif len(line) <= LONGEST_SIGNATURE and mark is None:
            self.context.furniture[i] = "signature"
        else:
            self.context.add_to("body", i)
        return True


def mark_testimonium(blocks: list[Block]) -> None:
    """Give the role `SIGNATURE` to the lines in which an agreement is signed in many languages."""
    found = [
        (i, wording)
        for i, block in enumerate(blocks)
        if block.text[:1].isupper() and (wording := _closing_or_signatory(block.text))
    ]
    run = 0
    runs: list[tuple[int, int, str]] = []
    # Number the runs: a new one begins where another text is between two formulas.
    for place, (i, wording) in enumerate(found):
        run += place > 0 and _begins_other_text(blocks[found[place - 1][0] + 1 : i])
        runs.append((run, i, wording))
    for _, members in groupby(runs, key=lambda member: member[0]):
        of_run = list(members)
        wordings = {wording for _, _, wording in of_run}
        # Closing formulas have several words ("Done at"), the words before signatories ("For") only one.
        closings = sum(" " in wording for wording in wordings)
        if closings >= FEWEST_LANGUAGES or len(wordings) - closings >= FEWEST_WORDS:
            for block in blocks[of_run[0][1] : of_run[-1][1] + 1]:
                block.role = block.role or Role.SIGNATURE


def _begins_other_text(between: Sequence[Block]) -> bool:
    """Whether another text begins between two such lines: they are far apart, or there is a title between them."""
    return len(between) >= MAX_DISTANCE or any(_is_title(block.text) for block in between)


def _is_title(line: str) -> bool:
    return len(line) >= SHORTEST_TITLE and line.isupper() and line.isalpha()


def _closing_or_signatory(line: str) -> str:
    """The closing formula that a line in capitals or with one begins with, or the word before a signatory; else empty.

    The words of all languages are known, since an agreement is signed in the language of each party.
    """
    word = line[:HEAD].split(maxsplit=1)[0].casefold()
    wordings = _closings().get(word, ())
    head = fold(line[:HEAD]) if wordings else ""
    closing = next((w for w in wordings if head.startswith(w) and not head[len(w) : len(w) + 1].isalpha()), "")
    return closing or (fold(word) if word in _signatories() and _is_name(line) else "")


def _is_name(line: str) -> bool:
    return len(line) <= LONGEST_NAME and line[-1] not in ".;:," and not any(map(str.isdigit, line))


@cache
def _closings() -> dict[str, list[str]]:
    """The closing formulas of all languages by their first word; those of one word prove too little."""
    table: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for wording in openers(language)["closing"]:
            words = wording.casefold().split()
            if len(words) > 1:
                table.setdefault(words[0], []).append(fold(wording))
    return table


@cache
def _signatories() -> frozenset[str]:
    """The words before signatories ("For") in all languages: those that begin several of a language's forms."""
    words = set()
    for language in LANGUAGES:
        first, *others = (form.casefold().split()[0] for form in openers(language)["signatory"])
        if len(first) > 1 and first in others:
            words.add(first)
    return frozenset(words)
