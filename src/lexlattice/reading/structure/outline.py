"""From lines to the outline of an act: which of them are the title, the recitals, an article, an annex.

One pass over the lines, as a state machine. Each line goes to the handler of headers, of tables, or of the current
state. No line is ever lost: a line that no rule claims stays in the open section.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from lexlattice.act.remarks import Remark
from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import Grammar, Header, load
from lexlattice.reading.languages.numbering import OPENING_QUOTES, Marker
from lexlattice.reading.structure.bilingual import find_second_language
from lexlattice.reading.structure.front import Front
from lexlattice.reading.structure.header_tracker import HeaderTracker, article_value
from lexlattice.reading.structure.headers import AnnexParts, SectionHeaders, SectionHeadings
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.notes_and_tables import Footnotes, TableRows
from lexlattice.reading.structure.preamble import Preamble
from lexlattice.reading.structure.quotations import find_quotations
from lexlattice.reading.structure.sections import FRONT, TERMS, Attachments, OutlineContext, ParsedSection
from lexlattice.reading.structure.signatures import LONGEST_CLOSING, Signatures
from lexlattice.reading.structure.typography import LONGEST_HEADING

_FURNITURE: Final = (Role.PAGE, Role.CONTENTS)
"""Roles of lines that are never text of the act."""
_WITH_TEXT: Final = ("article", "annex", "recitals")
"""States in which most lines simply continue the open section."""
_NEVER_QUOTED: Final = (Role.NOTE, Role.PAGE, Role.CONTENTS, Role.TABLE)
"""Roles of lines that are not part of a quotation around them."""

Handler: TypeAlias = Callable[[int, str], bool]
"""Handles a line in one state; false if it only changed the state and the line is still to be handled."""


@dataclass(slots=True)
class Outline:
    """The sections of an act as lists of line numbers, and the lines that are furniture."""

    lines: list[str]
    marks: list[Marker | None]
    """The marker that leads each line, if any."""
    sections: list[ParsedSection]
    furniture: dict[int, str]
    notes: set[int]
    """Footnotes among the lines of an article or annex."""
    quotations: dict[int, int]
    """First and last line of each quotation from another act."""
    quoted: set[int]
    """All lines of the quotations."""
    tables: dict[int, int]
    """Table rows among the lines of a section, each with the number of its table in the file."""
    groups: dict[int, int]
    """Headings inside annexes by mark-up, each with its depth."""
    warnings: list[str] = field(default_factory=list)
    """Warnings about how the lines were read, one sentence each."""


def parse_outline(blocks: Sequence[Block], grammar: Grammar) -> Outline:
    """Find the sections of an act.

    Args:
        blocks: The blocks of text of the document.
        grammar: The words of its language.

    Returns:
        The lines, grouped into sections, and what the later steps need to know about them.

    """
    return _OutlineParser(Lines(blocks, grammar)).parse()


class _OutlineParser:
    """The state machine: one pass over the lines.

    The handlers share an `OutlineContext` and do not know this class, so that parsing creates no reference cycles.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.context = context = OutlineContext(lines)
        self.front = Front(lines)
        self.tracker = HeaderTracker(lines)
        self.quotations = find_quotations(lines)
        self.quoted_to = -1
        # Handlers that call others get them here.
        attachments = Attachments(context)
        self.footnotes = Footnotes(context, attachments)
        self.signatures = Signatures(context, self.footnotes, attachments)
        self.headings = SectionHeadings(context, self.signatures)
        annex_parts = AnnexParts(context, self.headings, self.footnotes)
        self.headers = SectionHeaders(context, self.front, self.tracker, self.headings, annex_parts, self.footnotes)
        self.tables = TableRows(context, self.footnotes)
        preamble = Preamble(context, self.front)
        self.handlers: dict[str, Handler] = {
            "front": preamble.in_front,
            "title": preamble.in_front,
            "preamble": preamble.in_preamble,
            "recitals": preamble.in_recitals,
            "body": preamble.in_body,
            "division": self.headings.in_division,
            "heading": self.headings.in_heading,
            "article": context.in_article,
            "annex": annex_parts.in_annex,
            "signature": self.signatures.in_signature,
            "notes": self.footnotes.in_notes,
            "attached": attachments.in_title,
        }
        """The handler of a line of text, by state."""
        openers = lines.grammar.openers
        self.endings = (*openers["closing"], *openers["journal"], *openers["table"], ">")
        """How lines begin that end or interrupt an article."""

    def parse(self) -> Outline:
        """Assign every line to a section or to the furniture."""
        lines, context, quotations = self.lines, self.context, self.quotations
        second, warnings = self._find_second_language()
        for i, (line, role, header) in enumerate(zip(lines.texts, lines.roles, lines.headers, strict=True)):
            if i in quotations and context.state in TERMS and i not in second:
                self.quoted_to = quotations[i]
            # The order matters: what is quoted or in another language must not open sections.
            if second and i in second:
                context.furniture[i] = "translation"
            elif i <= self.quoted_to and role not in _NEVER_QUOTED:
                self._take_quoted(i, header)
            elif role is None and header is None and self._is_plain_text(i, line):
                context.add(i)
            elif role in _FURNITURE:
                context.furniture[i] = role.value
            elif role is None and self.front.is_page(i, before_text=context.state in FRONT):
                context.furniture[i] = "page"
            elif role is Role.TABLE or (role is None and self.tables.is_row(i, line)):
                self.tables.take(i, line)
            elif not self.headers.take(i, line):
                self._take_text(i, line, role)
        return Outline(
            lines=lines.texts,
            marks=lines.marks,
            sections=context.sections,
            furniture=context.furniture,
            notes=context.notes,
            quotations=quotations,
            quoted={i for first, last in quotations.items() for i in range(first, last + 1)},
            tables=context.tables,
            groups=context.groups,
            warnings=warnings,
        )

    def _find_second_language(self) -> tuple[range, list[str]]:
        """The lines in which the act is repeated in another language, and a warning about them."""
        second = find_second_language(self.lines)
        if second is None:
            return range(0), []
        lines, language = second
        own = self.lines.grammar
        text = f"The text stands again in {load(language).name}; only its {own.name} version was read."
        return lines, [Remark("second-language", text, language=own.language, other=language)]

    def _take_quoted(self, i: int, header: Header | None) -> None:
        """Add a line of a quotation to the open section, whatever it looks like."""
        context = self.context
        if context.state == "heading":
            context.state = context.section.kind
        if header is not None and header.kind == "article":
            self.tracker.upcoming[article_value(header)] -= 1
        context.add(i)

    def _is_plain_text(self, i: int, line: str) -> bool:
        """Whether a line without header and role continues the open section: a fast path for the common case."""
        state = self.context.state
        if state not in _WITH_TEXT or line[0] in OPENING_QUOTES or "|" in line:
            return False
        if state == "article" and len(line) > LONGEST_CLOSING:
            return True
        mark = self.lines.marks[i]
        if state == "recitals":
            return mark is not None or len(line) > LONGEST_HEADING
        if state == "annex" and (i == self.context.part_heading_at or (mark is not None and mark.style == "paren")):
            return False
        end = line[-16:]  # a year at the end may be that of a signature
        return not self.lines.heads[i].startswith(self.endings) and "19" not in end and "20" not in end

    def _take_text(self, i: int, line: str, role: Role | None) -> None:
        """Handle a line that is no header: by its role, as a signature or heading, or by the current state.

        A handler that only changes the state leaves the line to the handler of the new state.
        """
        context = self.context
        while True:
            if role is Role.TITLE and context.state in FRONT:
                context.add_to("title", i)
                return
            if role is Role.NOTE:
                self.footnotes.take(i)
                return
            if self.signatures.begin(i, line) or self.headings.by_mark_up(i, line):
                return
            if self.handlers[context.state](i, line):
                return
