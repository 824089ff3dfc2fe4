"""From lines to the outline of an act: which of them are the title, the recitals, an article, an annex.

One pass, with the state a reader has in mind. A line is never lost because no rule wanted it: what nothing claims
stays in the section it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import Grammar, Header, load
from lexlattice.reading.languages.numbering import OPENING_QUOTES, Marker
from lexlattice.reading.structure.footnotes import Footnotes, TableRows
from lexlattice.reading.structure.front import Front
from lexlattice.reading.structure.header_tracker import Belief, article_value, second_language
from lexlattice.reading.structure.headers import AnnexParts, SectionHeaders, SectionHeadings
from lexlattice.reading.structure.lines import LONGEST_HEADING, Lines
from lexlattice.reading.structure.preamble import Preamble
from lexlattice.reading.structure.quotations import find_quotations
from lexlattice.reading.structure.sections import FRONT, TERMS, Attachments, Draft, Part
from lexlattice.reading.structure.signatures import LONGEST_CLOSING, Signatures

_FURNITURE: Final = (Role.PAGE, Role.CONTENTS)
_RUNNING: Final = ("article", "annex", "recitals")
_QUOTED_APART: Final = (Role.NOTE, Role.PAGE, Role.CONTENTS, Role.TABLE)
"""Roles of lines that are no text of a quotation they stand in."""

Handler: TypeAlias = Callable[[int, str], bool]
"""Takes a line of text in one state; false if it has only changed the state, and the line is still to be taken."""


@dataclass(slots=True)
class Outline:
    """The sections of an act as lists of line numbers, and the lines that are furniture."""

    lines: list[str]
    marks: list[Marker | None]
    """The number that leads each line."""
    parts: list[Part]
    furniture: dict[int, str]
    notes: set[int]
    """Footnotes that stand among the lines of an article or annex."""
    quotations: dict[int, int]
    """First and last line of each text that is quoted from another act."""
    quoted: set[int]
    """All lines of these."""
    tables: dict[int, int]
    """Rows of tables among the lines of a section, each with the number of its table in the file."""
    groups: dict[int, int]
    """Headings inside annexes by mark-up, each with its depth."""
    warnings: list[str] = field(default_factory=list)
    """What the user should know of how the lines were read, one sentence each."""


def outline(blocks: Sequence[Block], grammar: Grammar) -> Outline:
    """Find the sections of an act."""
    return _Reader(Lines(blocks, grammar)).read()


class _Reader:
    """The one pass over the lines: each goes to the reader of headers, of tables, or of the state the draft is in.

    These know the draft and never this class, so that reading makes no cycles of objects.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.draft = draft = Draft(lines)
        self.front = Front(lines)
        self.belief = Belief(lines)
        self.quotations = find_quotations(lines)
        self.quoted_to = -1
        attachments = Attachments(draft)
        self.footnotes = Footnotes(draft, attachments)
        self.signatures = Signatures(draft, self.footnotes, attachments)
        self.headings = SectionHeadings(draft, self.signatures)
        annex_parts = AnnexParts(draft, self.headings, self.footnotes)
        self.headers = SectionHeaders(draft, self.front, self.belief, self.headings, annex_parts, self.footnotes)
        self.tables = TableRows(draft, self.footnotes)
        preamble = Preamble(draft, self.front)
        self.handlers: dict[str, Handler] = {
            "front": preamble.in_front,
            "title": preamble.in_front,
            "preamble": preamble.in_preamble,
            "recitals": preamble.in_recitals,
            "body": preamble.in_body,
            "division": self.headings.in_division,
            "heading": self.headings.in_heading,
            "article": draft.in_article,
            "annex": annex_parts.in_annex,
            "signature": self.signatures.in_signature,
            "notes": self.footnotes.in_notes,
            "attached": attachments.in_title,
        }
        """What becomes of a line of text in each state."""
        openers = lines.grammar.openers
        self.turns = (*openers["closing"], *openers["journal"], *openers["table"], ">")
        """How lines begin that end an article or interrupt it."""

    def read(self) -> Outline:
        """Give every line its place."""
        lines, draft = self.lines, self.draft
        second, warnings = self._second_language()
        for i, (line, role, header) in enumerate(zip(lines.texts, lines.roles, lines.headers, strict=True)):
            if i in self.quotations and draft.state in TERMS and i not in second:
                self.quoted_to = self.quotations[i]
            if i in second:
                draft.furniture[i] = "translation"
            elif i <= self.quoted_to and role not in _QUOTED_APART:
                self._quote(i, header)
            elif role is None and header is None and self._merely_runs_on(i, line):
                draft.add(i)
            elif role in _FURNITURE:
                draft.furniture[i] = role.value
            elif role is None and self.front.is_page(i, before_text=draft.state in FRONT):
                draft.furniture[i] = "page"
            elif role is Role.TABLE or (role is None and self.tables.is_row(i, line)):
                self.tables.take(i, line)
            elif not self.headers.take(i, line):
                self._take_text(i, line, role)
        return Outline(
            lines.texts,
            lines.marks,
            draft.parts,
            draft.furniture,
            draft.notes,
            self.quotations,
            {i for first, last in self.quotations.items() for i in range(first, last + 1)},
            draft.tables,
            draft.groups,
            warnings,
        )

    def _second_language(self) -> tuple[range, list[str]]:
        """Lines in which the act stands again in another language, and what the user is told of them."""
        second = second_language(self.lines)
        if second is None:
            return range(0), []
        lines, language = second
        name = load(language).name
        return lines, [f"The text stands again in {name}; only its {self.lines.grammar.name} version was read."]

    def _quote(self, i: int, header: Header | None) -> None:
        """A line of a quotation belongs to what is open, whatever it looks like."""
        draft = self.draft
        if draft.state == "heading":
            draft.state = draft.part.kind
        if header is not None and header.kind == "article":
            self.belief.ahead[article_value(header)] -= 1
        draft.add(i)

    def _merely_runs_on(self, i: int, line: str) -> bool:
        """Whether a line, no header and without a role, is text of what is open: the common case, settled cheaply."""
        state = self.draft.state
        if state not in _RUNNING or line[0] in OPENING_QUOTES or "|" in line:
            return False
        if state == "article" and len(line) > LONGEST_CLOSING:
            return True
        mark = self.lines.marks[i]
        if state == "recitals":
            return mark is not None or len(line) > LONGEST_HEADING
        if state == "annex" and (i == self.draft.heading_due or (mark is not None and mark.style == "paren")):
            return False
        end = line[-16:]
        return not self.lines.heads[i].startswith(self.turns) and "19" not in end and "20" not in end

    def _take_text(self, i: int, line: str, role: Role | None) -> None:
        """Take a line that is no header: as its role has it, as a signature or heading, or as the state has it.

        A state that a line ends hands it to the state that begins with it.
        """
        draft = self.draft
        while True:
            if role is Role.TITLE and draft.state in FRONT:
                draft.add_to("title", i)
                return
            if role is Role.NOTE:
                self.footnotes.take(i)
                return
            if self.signatures.begin(i, line) or self.headings.by_mark_up(i, line):
                return
            if self.handlers[draft.state](i, line):
                return
