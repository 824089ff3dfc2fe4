"""Sections while an act is parsed: what opens one, what encloses it, and how the ids of its units begin.

`SectionBuilder` holds the sections opened so far. `OutlineContext` is what all handlers of lines share. `Attachments`
opens the texts that are attached below an act's signatures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import DIVISIONS, Header
from lexlattice.reading.structure.lines import Lines
from lexlattice.reading.structure.typography import LONGEST_HEADING, PROSE, is_in_capitals

LONGEST_LABEL: Final = 60
"""Characters of a heading that names a part of an annex."""
PREFIXES: Final = {"annex": "anx", "appendix": "app", "protocol": "prot"}
"""How ids begin, by the head-word of the section."""
FRONT: Final = ("front", "title")
"""States before the act's own text."""
TERMS: Final = ("article", "annex", "body", "heading")
"""States in which lines belong to the enacting terms or the annexes."""
MAX_TITLE_WORDS: Final = 8
"""Words in the first line of an attached text's title."""
SHORTEST_TITLE: Final = 12
"""Characters of an attached text's title that has no word such as "agreement"."""

_ATTACHABLE: Final = ("agreement", "treaty")
"""Kinds of acts that are attached to the decision that approves them."""


@dataclass(slots=True)
class ParsedSection:
    """A section as the parser finds it: its header, and the numbers of its lines."""

    kind: str
    number: str = ""
    written: str = ""
    """The number as the act writes it."""
    label: str = ""
    """The header line."""
    prefix: str = ""
    """What the ids of its units begin with: the annex or the attached act it belongs to."""
    enclosing: tuple[str, ...] = ()
    """The chapters and the like that enclose it, outermost first."""
    heading: str = ""
    lines: list[int] = field(default_factory=list)
    divisions: list[tuple[int, str, str, str]] = field(default_factory=list)
    """Headers inside an annex: the number of lines before each, its kind, its number, if any, and its label."""
    annex: ParsedSection | None = None
    """The annex that contains an article, a body or notes."""
    attachment: int = 0
    """Which of the texts attached to the act it belongs to, counted from one; 0 for the act itself."""
    lead: int | None = None
    """The line whose sentence all points of a body continue: "HEREBY RECOMMENDS THAT MEMBER STATES:"."""

    @property
    def name(self) -> str:
        """The header as it is cited: "Protocol 3" for "PROTOCOL 3"."""
        word, _, number = self.label.strip(" .:-–—").partition(" ")
        return f"{word.capitalize() if word.isupper() else word} {number}".strip() if self.number else word.capitalize()


class SectionBuilder:
    """The sections opened so far, and the chapters, annex or attached act that enclose the next one."""

    def __init__(self) -> None:
        self.sections: list[ParsedSection] = []
        self.prefix = ""
        self.annex: ParsedSection | None = None
        self.attachments = 0
        self.awaits_articles = False
        """Whether an attached text has begun whose first article is still to come."""
        self.enclosing: list[tuple[int, str, str]] = []
        """Rank, header and heading of the divisions that enclose the open section."""
        self.division_number = ""
        # The divisions as text, computed once for all the sections they enclose.
        self._named_divisions: tuple[tuple[int, str, str], ...] = ()
        self._division_names: tuple[str, ...] = ()

    @property
    def in_annex(self) -> bool:
        """Whether articles that come now belong to an annex."""
        return self.prefix.startswith(("anx", "prot")) and self.sections[-1].kind != "notes"

    def open(self, section: ParsedSection) -> None:
        """Open a section within the divisions that are open."""
        divisions = tuple(self.enclosing)
        if divisions != self._named_divisions:
            self._named_divisions = divisions
            self._division_names = tuple(f"{header} {heading}".strip() for _, header, heading in divisions)
        section.enclosing = self._division_names
        self.sections.append(section)

    def open_article(self, text: str, header: Header, *, restarts: bool) -> None:
        """Open an article; one whose number restarts the count begins an attached act, except in an annex."""
        if restarts and not self.prefix.startswith("anx") and not self.awaits_articles:
            self._begin_attachment()
            if self.sections[-1].kind == "body" and not self.sections[-1].number:
                self.sections[-1].attachment = self.attachments
        self.awaits_articles = False
        section = ParsedSection("article", header.number, header.written, text, self.prefix)
        section.annex = self.annex if self.prefix.startswith(("anx", "prot")) else None
        section.attachment = self.attachments if self.prefix.startswith("att") else 0
        self.open(section)

    def _begin_attachment(self) -> None:
        self.attachments += 1
        self.prefix = f"att-{self.attachments}."
        self.leave_divisions()

    def open_attachment(self, title: str) -> None:
        """Open an attached text: a convention, an agreement, an exchange of letters."""
        self._begin_attachment()
        self.open(ParsedSection("body", label=title, attachment=self.attachments))
        self.enclosing = [(-1, title, "")]
        self.awaits_articles = True

    def open_annex(self, text: str, header: Header) -> None:
        """Open an annex; divisions of the act end with it."""
        self.leave_divisions()
        self.awaits_articles = False
        name = f"{PREFIXES[header.kind]}-{header.number}" if header.number else PREFIXES[header.kind]
        self.prefix = f"{name}."
        self.annex = ParsedSection("annex", header.number, header.written, text, name)
        self.open(self.annex)

    def divide_annex(self, text: str, header: Header | None) -> None:
        """Begin a part or section of the open annex: its numbering restarts."""
        annex = self.sections[-1]
        kind, number = (header.kind, header.written) if header is not None else ("section", "")
        label = text[: header.end if header is not None else LONGEST_LABEL].strip(" .:-–—")
        annex.divisions.append((len(annex.lines), kind, number, label))

    def enter_division(self, text: str, header: Header | None) -> None:
        """Begin a chapter or the like; those of its rank and below end."""
        rank = DIVISIONS.index(header.kind) if header is not None else len(DIVISIONS)
        while self.enclosing and self.enclosing[-1][0] >= rank:
            self.enclosing.pop()
        self.enclosing.append((rank, text, ""))
        self.division_number = header.number if header is not None else ""

    def leave_divisions(self) -> None:
        """End all chapters: signatures, annexes and attached acts are outside them."""
        self.enclosing = []

    def open_division(self) -> None:
        """Open a section for a chapter or the like that holds text itself, not articles."""
        _, label, heading = self.enclosing[-1] if self.enclosing else (0, "", "")
        annex = self.annex if self.prefix.startswith("anx") else None
        self.open(ParsedSection("body", self.division_number, label=label, heading=heading, annex=annex))
        self.sections[-1].enclosing = self.sections[-1].enclosing[:-1]

    def open_points(self, heading: str, *, is_outer: bool) -> None:
        """Open a section for headed points of an act without articles; an inner heading nests in an outer one."""
        last = self.sections[-1] if self.sections else None
        if is_outer:
            self.enclosing = []
            self.open(ParsedSection("body", heading=heading))
            self.enclosing = [(0, heading, "")]
        elif last is not None and last.kind == "body" and not last.lines and not last.attachment:
            last.enclosing, last.heading = (last.heading,), heading
        else:
            self.open(ParsedSection("body", heading=heading))

    def add_line(self, kind: str, i: int, *, new: bool) -> None:
        """Add a line to the open section if it is of a kind and not to be `new`, else to a new one of that kind."""
        if new or not self.sections or self.sections[-1].kind != kind:
            is_second = kind == "notes" and any(section.kind == "notes" for section in self.sections)
            annex = self.annex if is_second and self.prefix.startswith(("anx", "prot")) else None
            self.open(ParsedSection(kind, prefix=self.prefix if is_second else "", annex=annex))
        self.sections[-1].lines.append(i)

    def merge_notes(self) -> tuple[list[int], ParsedSection]:
        """Undo a section of footnotes: the section that they interrupt continues below them.

        Returns:
            The lines of the footnotes, and the section that they now belong to.

        """
        notes = self.sections.pop()
        self.sections[-1].lines.extend(notes.lines)
        return notes.lines, self.sections[-1]

    def heading(self, *, of_division: bool) -> str:
        """The heading of the innermost division or of the open section, as far as it has been read."""
        if of_division and self.enclosing:
            return self.enclosing[-1][2]
        return self.sections[-1].heading if self.sections else ""

    def may_extend_heading(self, *, of_division: bool) -> bool:
        """Whether another line may belong to the heading: headings have a few lines at most."""
        return len(self.heading(of_division=of_division)) <= 2 * LONGEST_HEADING

    def extend_heading(self, line: str, *, of_division: bool) -> None:
        """Add a line to the heading of the innermost division or of the open section."""
        if of_division and self.enclosing:
            rank, header, heading = self.enclosing[-1]
            self.enclosing[-1] = (rank, header, f"{heading} {line}".strip())
        else:
            section = self.sections[-1]
            section.heading = f"{section.heading}\n{line}" if section.heading else line

    def extend_attachment_title(self, line: str) -> None:
        """Add a line to the title of the attached text that has just begun."""
        rank, title, heading = self.enclosing[0]
        self.enclosing[0] = (rank, title, f"{heading} {line}".strip())
        self.sections[-1].heading = self.enclosing[0][2]


class OutlineContext:
    """What all handlers of lines share: the sections, the state of the pass, and the furniture found so far.

    The state says what may come next: `front`, `title`, `preamble`, `recitals`, `body`, `division` and `heading` (just
    below the header of a chapter, or of an article or annex), `article`, `annex`, `signature`, `notes`, `attached`.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.grammar = lines.grammar
        self.builder = SectionBuilder()
        self.sections = self.builder.sections
        """The sections opened so far."""
        self.state = "front"
        self.furniture: dict[int, str] = {}
        """Lines that belong to no unit, each with its kind: "heading", "page" and so on."""
        self.notes: set[int] = set()
        """Footnotes among the lines of a section."""
        self.tables: dict[int, int] = {}
        """Table rows among the lines of a section, each with the number of its table."""
        self.groups: dict[int, int] = {}
        """Headings inside annexes by mark-up, each with its depth."""
        self.part_heading_at = 0
        """The line that may be the heading of a part of an annex."""

    @property
    def section(self) -> ParsedSection:
        """The open section."""
        return self.sections[-1]

    @property
    def kind(self) -> str:
        """The kind of the open section; empty if there is none."""
        return self.sections[-1].kind if self.sections else ""

    def add(self, i: int) -> None:
        """Add a line to the open section."""
        self.sections[-1].lines.append(i)

    def add_to(self, kind: str, i: int) -> None:
        """Add a line to the section of a kind, opening one if necessary, and change to its state."""
        self.builder.add_line(kind, i, new=self.state == "division")
        self.state = kind

    def in_article(self, i: int, line: str) -> bool:
        """Handle a line below an article's header and heading: its text."""
        self.add(i)
        return True


class Attachments:
    """Opens the texts attached below an act's signatures, such as an agreement that it approves."""

    def __init__(self, context: OutlineContext) -> None:
        self.context = context
        self.lines = context.lines
        self.words = tuple(word for word, kind in context.grammar.types if kind in _ATTACHABLE)

    def begin(self, i: int, line: str) -> bool:
        """Open an attached text if a line is its title; false if it is not."""
        if not self._is_title(i, line):
            return False
        self.context.furniture[i] = "heading"
        self.context.builder.open_attachment(line)
        self.context.state = "attached"
        return True

    def in_title(self, i: int, line: str) -> bool:
        """Handle a line below the title of an attached text: the rest of the title is in small letters."""
        is_title = self.lines.roles[i] is Role.TITLE or (line[0].islower() and line[-1] not in ".;:")
        if is_title and len(line) <= LONGEST_HEADING and self.lines.marks[i] is None:
            self.context.furniture[i] = "heading"
            self.context.builder.extend_attachment_title(line)
            return True
        self.context.state = "body"
        return False

    def _is_title(self, i: int, line: str) -> bool:
        """Whether a line below the signatures is the title of an attached text: "FRAMEWORK AGREEMENT"."""
        lines = self.lines
        if lines.roles[i] is Role.TITLE:
            return True
        if lines.roles[i] is not None or lines.marks[i] is not None or not (line.isupper() or is_in_capitals(line)):
            return False
        is_short = line.count(" ") < MAX_TITLE_WORDS and not any(map(str.isdigit, line)) and line[-1].isalpha()
        return is_short and (any(word in lines.heads[i] for word in self.words) or self._precedes_prose(i, line))

    def _precedes_prose(self, i: int, line: str) -> bool:
        """Whether a line right below the signatures is in capitals and has prose below it, or below its second line."""
        if self.context.state != "signature" or not line.isupper() or len(line) < SHORTEST_TITLE or "." in line:
            return False
        lines, below = self.lines, i + 1
        if below < len(lines) and (lines.texts[below][0].islower() or lines.texts[below].isupper()):
            below += 1
        if below >= len(lines) or lines.marks[below] is not None or lines.roles[below] is not None:
            return False
        return lines.headers[below] is None and len(lines.texts[below]) > PROSE and lines.texts[below][-1] in ".:;"
