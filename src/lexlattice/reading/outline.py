"""From lines to the outline of an act: which of them are the title, the recitals, an article, an annex.

One pass, with the state a reader has in mind. A line is never lost because no rule wanted it: what nothing claims
stays in the section it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.amendments import find_quotations
from lexlattice.reading.belief import Belief, article_value
from lexlattice.reading.bilingual import second_language
from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.front import Front
from lexlattice.reading.grammar import DIVISIONS, Grammar, Header, fold, load
from lexlattice.reading.lines import PROSE, Lines
from lexlattice.reading.numbering import OPENING_QUOTES, Marker, part_number
from lexlattice.reading.points import Points
from lexlattice.reading.sections import PREFIXES, Part, Sections
from lexlattice.reading.shapes import LONGEST_HEADING, SENTENCE_STOPS, shouts

LONGEST_SIGNATURE: Final = 80
LONGEST_CLOSING: Final = 160
LONGEST_FORMULA: Final = 30
FEW: Final = 6
"""Short lines that can be all that a part of an annex has to say."""
MOST_WORDS: Final = 8
"""Words of the first line of an attached text's title."""

_TABLE: Final = re.compile(r">(?:TABLE|PIC FILE|START OF GRAPHIC|END OF GRAPHIC).*>$|.*\s\|(?:\s|$)")
"""Old pages mark the place of a table, or put its cells between bars."""
_YEAR_AT_END: Final = re.compile(r"(?:19|20)\d\d\D{0,12}$")
_BROKEN_OFF: Final = re.compile(r"\s[^\W\d_]\.$")
"""The end of a line that stops before a page number: "OJ L 222, 14. 8. 1978, p."."""
_HEADINGS: Final = (Role.HEADING, Role.OUTLINE)
_FURNITURE: Final = (Role.PAGE, Role.CONTENTS)
_ASIDE: Final = (Role.NOTE, Role.PAGE, Role.TABLE)
_FRONT: Final = ("front", "title")
_RUNNING: Final = ("article", "annex", "recitals")
_ATTACHABLE: Final = ("agreement", "treaty")
_TERMS: Final = ("article", "annex", "body", "heading")
_QUOTED_APART: Final = (Role.NOTE, Role.PAGE, Role.CONTENTS, Role.TABLE)
"""Roles of lines that are no text of a quotation they stand in."""


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
    """The state between lines: which section is open, and what may come next."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.grammar = lines.grammar
        self.front = Front(lines)
        self.belief = Belief(lines)
        self.quotations = find_quotations(lines)
        self.quoted_to = -1
        self.points = Points(lines)
        self.state = "front"
        self.sections = Sections()
        self.parts = self.sections.parts
        self.furniture: dict[int, str] = {}
        self.notes: set[int] = set()
        self.tables: dict[int, int] = {}
        self.groups: dict[int, int] = {}
        self.heading_due = 0
        """The line that may be the heading of a division inside an annex."""
        self.nearest = 0
        """The next line that is not an aside, looked for once a run of asides."""
        self.interrupted: Part | None = None
        """The annex that the notes being read stand in, or at the end of."""
        self.terms_end: int | None = None
        self.announced: bool | None = None
        openers = self.grammar.openers
        self.turns = (*openers["closing"], *openers["journal"], *openers["table"], ">")
        """How lines begin that end an article or interrupt it."""
        self.attachable = tuple(word for word, kind in self.grammar.types if kind in _ATTACHABLE)

    def read(self) -> Outline:
        """Give every line its place."""
        lines = self.lines
        second, warnings = self._second_language()
        for i, (line, role, header) in enumerate(zip(lines.texts, lines.roles, lines.headers, strict=True)):
            if i in self.quotations and self.state in _TERMS and i not in second:
                self.quoted_to = self.quotations[i]
            if i in second:
                self.furniture[i] = "translation"
            elif i <= self.quoted_to and role not in _QUOTED_APART:
                self._quote(i, header)
            elif role is None and header is None and self._merely_runs_on(i, line):
                self.parts[-1].lines.append(i)
            elif role in _FURNITURE:
                self.furniture[i] = role.value
            elif role is None and self.front.is_page(i, before_text=self.state in _FRONT):
                self.furniture[i] = "page"
            elif role is Role.TABLE or (role is None and self._is_table(i, line)):
                self._table(i)
            elif not self._header(i, line):
                self._text(i, line)
        return Outline(
            lines.texts,
            lines.marks,
            self.parts,
            self.furniture,
            self.notes,
            self.quotations,
            {i for first, last in self.quotations.items() for i in range(first, last + 1)},
            self.tables,
            self.groups,
            warnings,
        )

    def _quote(self, i: int, header: Header | None) -> None:
        """A line of a quotation belongs to what is open, whatever it looks like."""
        if self.state == "heading":
            self.state = self.parts[-1].kind
        if header is not None and header.kind == "article":
            self.belief.ahead[article_value(header)] -= 1
        self.parts[-1].lines.append(i)

    def _second_language(self) -> tuple[range, list[str]]:
        """Lines in which the act stands again in another language, and what the user is told of them."""
        second = second_language(self.lines)
        if second is None:
            return range(0), []
        lines, language = second
        name = load(language).name
        return lines, [f"The text stands again in {name}; only its {self.grammar.name} version was read."]

    def _merely_runs_on(self, i: int, line: str) -> bool:
        """Whether a line, no header and without a role, is text of what is open: the common case, settled cheaply."""
        state = self.state
        if state not in _RUNNING or line[0] in OPENING_QUOTES or "|" in line:
            return False
        if state == "article" and len(line) > LONGEST_CLOSING:
            return True
        mark = self.lines.marks[i]
        if state == "recitals":
            return mark is not None or len(line) > LONGEST_HEADING
        if state == "annex" and (i == self.heading_due or (mark is not None and mark.style == "paren")):
            return False
        end = line[-16:]
        return not self.lines.heads[i].startswith(self.turns) and "19" not in end and "20" not in end

    def _is_table(self, i: int, line: str) -> bool:
        if self.state not in _TERMS or self.lines.headers[i] is not None:
            return False
        if len(line) < PROSE and self.lines.heads[i] in self.grammar.openers["table"]:
            return True
        return ("|" in line or line[0] == ">") and bool(_TABLE.match(line))

    def _table(self, i: int) -> None:
        """A row belongs to the section that is open; elsewhere, and where only its place is marked, it is furniture."""
        if self.state == "notes" and self.interrupted is not None:
            self._take_back_notes()
        line, kind = self.lines.texts[i], self.parts[-1].kind if self.parts else ""
        placeholder = line[0] == ">" or (len(line) < PROSE and self.lines.heads[i] in self.grammar.openers["table"])
        if placeholder or self.state not in _TERMS or kind not in _TERMS:
            self.furniture[i] = "table"
            return
        if self.state == "heading":
            self.state = kind
        self.tables[i] = self.lines.levels[i]
        self.parts[-1].lines.append(i)

    def _note_to_table(self, i: int) -> None:
        """A note of a table belongs to the section that the table stands in."""
        if self.parts and self.parts[-1].kind in _TERMS:
            self.notes.add(i)
            self.parts[-1].lines.append(i)
        else:
            self.furniture[i] = "table"

    # -- headers -----------------------------------------------------------------------------------------------

    def _header(self, i: int, line: str) -> bool:
        """Open what a header line opens; false if the line is no header after all."""
        role, header = self.lines.roles[i], self.lines.headers[i]
        if role is None and header is None:
            self.belief.watch_quotation(i)
            return False
        if role is Role.QUOTED:
            self.belief.quoted.add(i)
            return False
        if role is Role.TITLE and self.state in _FRONT:
            return False
        if role is Role.GROUP and self._groups(i, line):
            return True
        if header is None:
            return self._header_by_role(i, line, role)
        if header.kind == "article":
            if not self.belief.article(i, header, in_annex=self.sections.in_annex):
                return False
            self._article(i, header)
        elif header.kind in PREFIXES:
            if role is not Role.ANNEX and not self._opens_annex(i, header):
                return False
            self._annex(i, header)
        elif self.belief.in_quotation and role is None:
            self.belief.quoted.add(i)
            return False
        else:
            self._division(i, header)
        return True

    def _opens_annex(self, i: int, header: Header) -> bool:
        """Whether the header of an annex or protocol is one: not before the terms, nor as the heading of an annex."""
        if self.state in (*_FRONT, "preamble", "recitals"):
            return False
        untitled = self.state == "heading" and self.parts[-1].kind == "annex" and not self.parts[-1].heading
        if header.kind == "protocol" and not header.number and untitled:
            return False
        if self.state == "heading" and self.parts[-1].kind == "article" and not header.number:
            return self.lines.texts[i].isupper() and self.belief.annex(i, header, in_terms=True)
        in_terms = self.state in ("article", "heading") and not self.sections.in_annex
        return self.belief.annex(i, header, in_terms=in_terms)

    def _header_by_role(self, i: int, line: str, role: Role | None) -> bool:
        """A header that the mark-up shows but no head-word does."""
        if role is Role.ANNEX and self.state == "heading" and self.parts[-1].kind == "annex" and self._may_head():
            self._take_heading(i, line)
        elif role is Role.ANNEX:
            self._annex(i, Header("annex", "", "", len(line)))
        elif role is Role.DIVISION or (role is Role.OUTLINE and self._outlines(i)):
            self._division(i, None)
        else:
            self.belief.watch_quotation(i)
            if role is not Role.ARTICLE or self.belief.in_quotation:
                return False
            self._article(i, Header("article", "", "", len(line)))
        return True

    def _groups(self, i: int, line: str) -> bool:
        """Take a heading inside an annex; the first without a number is the annex's own if it has no other."""
        kind = self.parts[-1].kind if self.parts else ""
        if kind == "article" and self.parts[-1].annex is not None:
            header = self.lines.headers[i + 1] if i + 1 < len(self.lines) else None
            if header is not None and header.kind == "article":
                self._division(i, None)
                return True
        if kind not in ("annex", "body") or self.state not in _TERMS:
            return False
        nameless = self.lines.marks[i] is None and self.grammar.header(line) is None
        if self.state == "heading" and nameless and not self.parts[-1].heading and self._text_follows(i):
            self._take_heading(i, line)
            return True
        self.groups[i] = max(1, self.lines.levels[i])
        self.parts[-1].lines.append(i)
        self.state = kind
        return True

    def _outlines(self, i: int) -> bool:
        """Whether a heading of unknown rank divides the text: not where it is a title's or an article's."""
        if self.state in _FRONT:
            return bool(self.parts) and i >= self.front.end
        return self.state not in ("heading", "division", "preamble", "recitals")

    def _article(self, i: int, header: Header) -> None:
        self.furniture[i] = "heading"
        self.sections.article(self.lines.texts[i], header, anew=self.belief.opened_article(header))
        self.state = "heading"

    def _annex(self, i: int, header: Header) -> None:
        self.furniture[i] = "heading"
        self.belief.opened_annex(header)
        self.sections.open_annex(self.lines.texts[i], header)
        self.state = "heading"

    def _division(self, i: int, header: Header | None) -> None:
        self.furniture[i] = "heading"
        if self.state == "notes" and self.interrupted is not None:
            self._take_back_notes()
        if self.parts and self.parts[-1].kind == "annex" and self.state in ("annex", "heading"):
            self.sections.divide_annex(self.lines.texts[i], header)
            self.heading_due = i + 1
            self.state = "annex"
        else:
            self.sections.enter_division(self.lines.texts[i], header)
            self.state = "division"

    # -- lines of text -------------------------------------------------------------------------------------------

    def _text(self, i: int, line: str) -> None:
        role = self.lines.roles[i]
        if role is Role.TITLE and self.state in _FRONT:
            self._to("title", i)
        elif role is Role.NOTE:
            self._note(i)
        elif self._signs(i, line):
            self.furniture[i] = "signature"
            self.state = "signature"
            self.sections.leave_divisions()
        elif role in _HEADINGS and self.state in ("heading", "division") and self._may_head():
            self._take_heading(i, line)
        else:
            _HANDLERS[self.state](self, i, line)

    def _to(self, kind: str, i: int) -> None:
        if kind != "notes" or self.state != "notes":
            self.interrupted = None
        self.sections.add(kind, i, anew=self.state == "division")
        self.state = kind

    def _add(self, i: int, line: str) -> None:
        self.parts[-1].lines.append(i)

    def _in_front(self, i: int, line: str) -> None:
        if i < self.front.end:
            self._to("title", i)
        else:
            self.state = "preamble" if self.front.has_preamble else "body"
            self._text(i, line)

    def _in_preamble(self, i: int, line: str) -> None:
        formula = self.grammar.formula(self.lines.heads[i])
        mark = self.lines.marks[i]
        if formula == "enacting" and len(line) <= LONGEST_HEADING:
            self._enact(i)
        elif formula == "recitals" and len(line) < PROSE and (line.endswith(":") or line[-1].isalpha()):
            self.furniture[i] = "formula"
            self.sections.open(Part("recitals"))
            self.state = "recitals"
        elif formula == "citation" and line.endswith(":") and len(line) < LONGEST_FORMULA:
            self.furniture[i] = "formula"
        elif formula == "recitals" or _begins_a_count(mark) or (not formula and self._reasons(i, line)):
            self._to("recitals", i)
        else:
            self._to("preamble", i)

    def _reasons(self, i: int, line: str) -> bool:
        """Whether prose after the citations is a recital, in an act whose recitals nothing announces."""
        if len(line) <= PROSE or not self.parts or self.parts[-1].kind != "preamble":
            return False
        if self.announced is None:
            self.announced = self._recitals_are_announced(i)
        return not self.announced

    def _recitals_are_announced(self, i: int) -> bool:
        lines = self.lines
        for j in range(i, len(lines)):
            header, formula = lines.headers[j], self.grammar.formula(lines.heads[j])
            if formula == "recitals" or _begins_a_count(lines.marks[j]):
                return True
            if formula == "enacting" or (header is not None and header.kind == "article"):
                return False
        return True

    def _in_recitals(self, i: int, line: str) -> None:
        shouted = len(line) < 100 and line.endswith((":", ".")) and line.upper() == line and shouts(line)
        enacts = len(line) <= LONGEST_HEADING and self.grammar.formula(self.lines.heads[i]) == "enacting"
        if shouted or enacts:
            self._enact(i)
        else:
            self._to("recitals", i)

    def _enact(self, i: int) -> None:
        """The terms begin; a formula whose sentence goes on in the points below it is theirs."""
        if self.points.leads(i):
            self._to("body", i)
            self.parts[-1].lead = i
        else:
            self.furniture[i] = "formula"
        self.state = "body"

    def _in_body(self, i: int, line: str) -> None:
        goes_on = line.endswith(":") and shouts(line) and self.furniture.get(i - 1) == "formula"
        enacts = len(line) < PROSE and self.grammar.formula(self.lines.heads[i]) == "enacting"
        if goes_on or (enacts and self.sections.awaits_articles):
            self.furniture[i] = "formula"
        elif self.points.is_heading(i):
            self.furniture[i] = "heading"
            self.sections.head_points(line, outer=self.points.is_outer(i))
        else:
            self.points.take(i)
            self._to("body", i)

    def _in_division(self, i: int, line: str) -> None:
        """Below a chapter's header: its heading, unless the text begins at once."""
        before_header = i + 1 < len(self.lines) and self.lines.headers[i + 1] is not None
        headed = bool(self.sections.heading(of_division=True)) or not self.sections.enclosing
        before_header = before_header and len(line) <= 2 * LONGEST_HEADING
        if not headed and (before_header or self._heading_like(i) or self._shouted_heading(i)):
            self._take_heading(i, line)
        else:
            self.sections.open_division()
            self.state = "body"
            self._text(i, line)

    def _in_heading(self, i: int, line: str) -> None:
        """Below an article's or annex's header: its heading, if text follows before the next header."""
        if self._heading_like(i) and self._text_follows(i) and not self._begins_parts(line):
            self._take_heading(i, line)
        else:
            self.state = self.parts[-1].kind
            self._text(i, line)

    def _begins_parts(self, line: str) -> bool:
        """Whether a line heads the first part of an annex, "A. General", not the annex."""
        part = part_number(line) if self.parts[-1].kind == "annex" else None
        return part is not None and 1 in (part.value, part.roman)

    def _heading_like(self, i: int) -> bool:
        line = self.lines.texts[i]
        return len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and self.lines.marks[i] is None

    def _heads_text(self, i: int) -> bool:
        """Whether a line below a part's header is its heading.

        Under a header that only has a few short lines below it ("Dogs", "Cats"), these are what it has to say.
        """
        lines = self.lines
        for j in range(i + 1, min(i + FEW, len(lines))):
            header = lines.headers[j]
            if header is not None or lines.roles[j] is Role.ANNEX:
                return header is not None and j == i + 1 and header.kind in (*DIVISIONS, "article")
            if not self._heading_like(j) or lines.roles[j] is not None:
                return True
        return i + FEW < len(lines)

    def _shouted_heading(self, i: int) -> bool:
        """Elsewhere than in the Union, headings end with a stop: "SEC. 2. FINDINGS."."""
        line = self.lines.texts[i]
        return len(line) <= LONGEST_HEADING and self.lines.marks[i] is None and shouts(line)

    def _text_follows(self, i: int) -> bool:
        """Whether a line can be a heading: an article has one at most, and both have text below it."""
        part, after = self.parts[-1], i + 1
        if after >= len(self.lines):
            return False
        header = self.lines.headers[after]
        if part.kind == "annex":
            return part.heading.count("\n") < 1 and (header is None or header.kind in (*DIVISIONS, "article"))
        if header is not None:
            return False
        return not part.heading and not self._closes(after, self.lines.texts[after])

    def _may_head(self) -> bool:
        return self.sections.may_be_headed(of_division=self.state == "division")

    def _take_heading(self, i: int, line: str) -> None:
        self.furniture[i] = "heading"
        self.sections.head(line, of_division=self.state == "division")

    # -- the end: signatures and notes -----------------------------------------------------------------------------

    def _signs(self, i: int, line: str) -> bool:
        """Whether a line belongs to the signature block; the sentence that a regulation is binding does not."""
        if self.lines.roles[i] is Role.SIGNATURE:
            return self.state == "signature" or not self.grammar.opens("binding", self.lines.heads[i])
        return self.state in ("article", "body", "annex") and self._closes(i, line)

    def _closes(self, i: int, line: str) -> bool:
        """Place and date: the formula says so, or a short dated line with a signatory below it."""
        lines = self.lines
        if len(line) > LONGEST_CLOSING:
            return False
        if self.grammar.opens("closing", lines.heads[i]) and any(c.isdigit() for c in line):
            return True
        if self.state == "annex" or len(line) > LONGEST_SIGNATURE or lines.marks[i] is not None:
            return False
        signed = i + 1 < len(lines) and self.grammar.opens("signatory", lines.heads[i + 1])
        return signed and bool(_YEAR_AT_END.search(line))

    def _begins_attachment(self, i: int, line: str) -> bool:
        """Whether a line below the signatures is the title of a text that is attached: "FRAMEWORK AGREEMENT"."""
        if self.lines.roles[i] is Role.TITLE:
            return True
        if self.lines.roles[i] is not None or self.lines.marks[i] is not None or not (line.isupper() or shouts(line)):
            return False
        short = line.count(" ") < MOST_WORDS and not any(map(str.isdigit, line)) and line[-1].isalpha()
        return short and any(word in self.lines.heads[i] for word in self.attachable)

    def _attach(self, i: int, line: str) -> None:
        self.furniture[i] = "heading"
        self.sections.attach(line)
        self.state = "attached"

    def _in_attached(self, i: int, line: str) -> None:
        """Below the title of an attached text: the rest of the title, which goes on in small letters."""
        title = self.lines.roles[i] is Role.TITLE or (line[0].islower() and line[-1] not in ".;:")
        if title and len(line) <= LONGEST_HEADING and self.lines.marks[i] is None:
            self.furniture[i] = "heading"
            self.sections.head_attachment(line)
        else:
            self.state = "body"
            self._text(i, line)

    def _in_signature(self, i: int, line: str) -> None:
        if self._begins_attachment(i, line):
            self._attach(i, line)
            return
        mark = self.lines.marks[i]
        if (mark is not None and mark.style == "paren") or self._note_like(line):
            self._to("notes", i)
        elif len(line) <= LONGEST_SIGNATURE and mark is None:
            self.furniture[i] = "signature"
        else:
            self._to("body", i)

    def _in_annex(self, i: int, line: str) -> None:
        mark = self.lines.marks[i]
        if i == self.heading_due and self._heads_part(i) and self._heads_text(i):
            self.furniture[i] = "heading"
        elif mark is not None and mark.style == "paren" and self._note_like(line[mark.end :]):
            self._to_notes(i)
        else:
            self._add(i, line)

    def _heads_part(self, i: int) -> bool:
        """Whether a line is the heading of the part of an annex just above: "PART A", "— General"."""
        after = i + 1
        if after >= len(self.lines):
            return False
        mark, following = self.lines.marks[i], self.lines.marks[after]
        if mark is None or mark.style != "dash" or (following is not None and following.style == "dash"):
            return self._heading_like(i)
        line = self.lines.texts[i]
        return len(line) <= LONGEST_HEADING and not line.endswith(SENTENCE_STOPS) and mark.end < len(line)

    def _in_notes(self, i: int, line: str) -> None:
        if self.interrupted is None and self._begins_attachment(i, line):
            self._attach(i, line)
            return
        if self.interrupted is not None and not self._goes_on_noting(i, line):
            self._resume(i, line)
            return
        prose = self.lines.marks[i] is None and len(line) > PROSE and not self._note_like(line)
        self._to("body" if prose and self.lines.roles[i] is None else "notes", i)

    def _note(self, i: int) -> None:
        """A footnote by mark-up: with its table, inside what it interrupts, or in the notes where nothing goes on."""
        if self.lines.levels[i]:
            self._note_to_table(i)
        elif self.state in ("article", "annex", "heading") and self._goes_on(i):
            self.notes.add(i)
            self.parts[-1].lines.append(i)
        elif self.state in ("annex", "heading") and self.parts[-1].kind == "annex":
            self._to_notes(i)
        else:
            self._to("notes", i)

    def _to_notes(self, i: int) -> None:
        """Begin the notes of an annex: below its table, perhaps, and not yet at its end."""
        part = self.parts[-1]
        self._to("notes", i)
        self.interrupted = part

    def _goes_on_noting(self, i: int, line: str) -> bool:
        """Whether a line below the notes of an annex is a note as well, or the rest of one."""
        mark = self.lines.marks[i]
        if self.lines.roles[i] is Role.NOTE or self._note_like(line) or _BROKEN_OFF.search(self.lines.texts[i - 1]):
            return True
        if mark is not None and mark.style == "paren":
            before = self.lines.marks[i - 1]
            return self._note_like(line[mark.end :]) or (before is not None and mark.value == before.value + 1)
        return mark is None and self.lines.roles[i] is None and self.lines.texts[i - 1][-1] not in ".;"

    def _resume(self, i: int, line: str) -> None:
        self._take_back_notes()
        self._text(i, line)

    def _take_back_notes(self) -> None:
        """Go on with the annex that notes had interrupted: they become part of it."""
        lines, part = self.sections.take_back_notes()
        self.notes.update(lines)
        self.state, self.interrupted = part.kind, None

    def _note_like(self, line: str) -> bool:
        return self.grammar.opens("note", fold(line[:40])) or line.startswith(("*", "(*"))

    def _goes_on(self, i: int) -> bool:
        """Whether the open article or annex goes on below a footnote."""
        lines = self.lines
        if self.state == "annex":
            if self.nearest <= i:
                rest = range(i + 1, len(lines))
                self.nearest = next((j for j in rest if lines.roles[j] not in _ASIDE), len(lines))
            near = self.nearest
            return near < len(lines) and lines.headers[near] is None and lines.roles[near] is not Role.ANNEX
        if self.terms_end is None:
            last = next((j for j in range(len(lines) - 1, -1, -1) if lines.roles[j] not in _ASIDE), 0)
            annexes = (j for j, h in enumerate(lines.headers) if j > i and h is not None and h.kind == "annex")
            signatures = (j for j in range(i, len(lines)) if lines.roles[j] is Role.SIGNATURE)
            self.terms_end = min(last, next(annexes, last), next(signatures, last))
        return i < self.terms_end


_HANDLERS: Final[dict[str, Callable[[_Reader, int, str], None]]] = {
    "front": _Reader._in_front,
    "title": _Reader._in_front,
    "preamble": _Reader._in_preamble,
    "recitals": _Reader._in_recitals,
    "division": _Reader._in_division,
    "heading": _Reader._in_heading,
    "article": _Reader._add,
    "annex": _Reader._in_annex,
    "signature": _Reader._in_signature,
    "notes": _Reader._in_notes,
    "attached": _Reader._in_attached,
    "body": _Reader._in_body,
}
"""What becomes of a line of text in each state."""


def _begins_a_count(mark: Marker | None) -> bool:
    return mark is not None and mark.style in ("paren", "dot") and mark.value == 1 and not mark.quoted
