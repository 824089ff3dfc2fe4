"""Sections in the making: what opens one, what encloses it, and what the ids of its units begin with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.languages.grammar import DIVISIONS, Header
from lexlattice.reading.structure.lines import LONGEST_HEADING, PROSE, Lines, shouts

LONGEST_LABEL: Final = 60
PREFIXES: Final = {"annex": "anx", "appendix": "app", "protocol": "prot"}


@dataclass(slots=True)
class Part:
    """A section in the making."""

    kind: str
    number: str = ""
    written: str = ""
    label: str = ""
    prefix: str = ""
    """What the ids of its units begin with: the annex or the attached act it belongs to."""
    enclosing: tuple[str, ...] = ()
    heading: str = ""
    lines: list[int] = field(default_factory=list)
    divisions: list[tuple[int, str, str, str]] = field(default_factory=list)
    """Headers inside an annex: how many lines stand before each, its kind, its number, if any, and itself."""
    annex: Part | None = None
    """The annex that an article, a body or notes stand in."""
    attachment: int = 0
    """Which of the texts attached to the act it belongs to, counted from one; 0 for the act's own."""
    lead: int | None = None
    """The line that all points of a body hang from: "HEREBY RECOMMENDS THAT MEMBER STATES:"."""

    @property
    def name(self) -> str:
        """The header as it is cited: "Protocol 3" for "PROTOCOL 3"."""
        word, _, number = self.label.strip(" .:-–—").partition(" ")
        return f"{word.capitalize() if word.isupper() else word} {number}".strip() if self.number else word.capitalize()


class Sections:
    """The sections opened so far, and the chapters, annex or attached act around the next one."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.prefix = ""
        self.annex: Part | None = None
        self.attachments = 0
        self.awaits_articles = False
        """Whether an attached text has begun whose first article is still to come."""
        self.enclosing: list[tuple[int, str, str]] = []
        """Rank, header and heading of the divisions around the open section."""
        self.division_number = ""
        self._around: tuple[tuple[int, str, str], ...] = ()
        self._headings: tuple[str, ...] = ()
        """The divisions as text, made once for all the sections they enclose."""

    @property
    def in_annex(self) -> bool:
        """Whether articles that come now belong to an annex."""
        return self.prefix.startswith(("anx", "prot")) and self.parts[-1].kind != "notes"

    def open(self, part: Part) -> None:
        """Open a section within the divisions that are open."""
        around = tuple(self.enclosing)
        if around != self._around:
            self._around = around
            self._headings = tuple(f"{header} {heading}".strip() for _, header, heading in around)
        part.enclosing = self._headings
        self.parts.append(part)

    def article(self, text: str, header: Header, *, anew: bool) -> None:
        """Open an article; one that begins the count anew begins an attached act, unless it is an annex's."""
        if anew and not self.prefix.startswith("anx") and not self.awaits_articles:
            self._begin_attachment()
            if self.parts[-1].kind == "body" and not self.parts[-1].number:
                self.parts[-1].attachment = self.attachments
        self.awaits_articles = False
        part = Part("article", header.number, header.written, text, self.prefix)
        part.annex = self.annex if self.prefix.startswith(("anx", "prot")) else None
        part.attachment = self.attachments if self.prefix.startswith("att") else 0
        self.open(part)

    def _begin_attachment(self) -> None:
        self.attachments += 1
        self.prefix = f"att-{self.attachments}."
        self.leave_divisions()

    def attach(self, title: str) -> None:
        """Begin an attached text: a convention, an agreement, an exchange of letters."""
        self._begin_attachment()
        self.open(Part("body", label=title, attachment=self.attachments))
        self.enclosing = [(-1, title, "")]
        self.awaits_articles = True

    def open_annex(self, text: str, header: Header) -> None:
        """Open an annex; divisions of the act end with it."""
        self.leave_divisions()
        self.awaits_articles = False
        name = f"{PREFIXES[header.kind]}-{header.number}" if header.number else PREFIXES[header.kind]
        self.prefix = f"{name}."
        self.annex = Part("annex", header.number, header.written, text, name)
        self.open(self.annex)

    def divide_annex(self, text: str, header: Header | None) -> None:
        """Begin a part or section of the open annex: its numbering starts anew."""
        annex = self.parts[-1]
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

    def head_attachment(self, line: str) -> None:
        """Take a line as (a further line of) the title of the attached text that has just begun."""
        rank, title, heading = self.enclosing[0]
        self.enclosing[0] = (rank, title, f"{heading} {line}".strip())
        self.parts[-1].heading = self.enclosing[0][2]

    def head_points(self, line: str, *, outer: bool) -> None:
        """Begin a stretch of an act without articles that has a heading, of the higher kind or below one of these."""
        last = self.parts[-1] if self.parts else None
        empty = last is not None and last.kind == "body" and not last.lines and not last.attachment
        if outer:
            self.enclosing = []
            self.open(Part("body", heading=line))
            self.enclosing = [(0, line, "")]
        elif empty and last is not None:
            last.enclosing, last.heading = (last.heading,), line
        else:
            self.open(Part("body", heading=line))

    def take_back_notes(self) -> tuple[list[int], Part]:
        """Undo a section of footnotes: the section they interrupted goes on below them."""
        notes = self.parts.pop()
        self.parts[-1].lines.extend(notes.lines)
        return notes.lines, self.parts[-1]

    def open_division(self) -> None:
        """Make a chapter or section that holds text itself, not articles, a row of its own."""
        _, label, heading = self.enclosing[-1] if self.enclosing else (0, "", "")
        annex = self.annex if self.prefix.startswith("anx") else None
        self.open(Part("body", self.division_number, label=label, heading=heading, annex=annex))
        self.parts[-1].enclosing = self.parts[-1].enclosing[:-1]

    def leave_divisions(self) -> None:
        """End all chapters: signatures, annexes and attached acts stand outside them."""
        self.enclosing = []

    def add(self, kind: str, i: int, *, anew: bool) -> None:
        """Add a line to the section of a kind, opened when it is not the open one."""
        if anew or not self.parts or self.parts[-1].kind != kind:
            again = kind == "notes" and any(part.kind == "notes" for part in self.parts)
            annex = self.annex if again and self.prefix.startswith(("anx", "prot")) else None
            self.open(Part(kind, prefix=self.prefix if again else "", annex=annex))
        self.parts[-1].lines.append(i)

    def heading(self, *, of_division: bool) -> str:
        """The heading of the innermost division or of the open section, as far as it was read."""
        if of_division and self.enclosing:
            return self.enclosing[-1][2]
        return self.parts[-1].heading if self.parts else ""

    def may_be_headed(self, *, of_division: bool) -> bool:
        """Whether a further line may belong to a heading: they run over a few lines at most."""
        return len(self.heading(of_division=of_division)) <= 2 * LONGEST_HEADING

    def head(self, line: str, *, of_division: bool) -> None:
        """Take a line as (a further line of) a heading."""
        if of_division and self.enclosing:
            rank, header, heading = self.enclosing[-1]
            self.enclosing[-1] = (rank, header, f"{heading} {line}".strip())
        else:
            part = self.parts[-1]
            part.heading = f"{part.heading}\n{line}" if part.heading else line


# The outline in the making: where the pass over the lines stands, and the place that each line was given so far.

FRONT: Final = ("front", "title")
"""States before the act's own text."""
TERMS: Final = ("article", "annex", "body", "heading")
"""States in which lines belong to what the act lays down."""


class Draft:
    """What all readers of lines share: the open section, the state, and what is furniture.

    The state says what may come next: `front`, `title`, `preamble`, `recitals`, `body`, `division` and `heading` (just
    below the header of a chapter, or of an article or annex), `article`, `annex`, `signature`, `notes`, `attached`.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.grammar = lines.grammar
        self.sections = Sections()
        self.parts = self.sections.parts
        self.state = "front"
        self.furniture: dict[int, str] = {}
        self.notes: set[int] = set()
        """Footnotes among the lines of a section."""
        self.tables: dict[int, int] = {}
        """Rows of tables among the lines of a section, each with the number of its table."""
        self.groups: dict[int, int] = {}
        """Headings inside annexes by mark-up, each with its depth."""
        self.heading_due = 0
        """The line that may be the heading of a part of an annex."""

    @property
    def part(self) -> Part:
        """The open section."""
        return self.parts[-1]

    @property
    def kind(self) -> str:
        """The kind of the open section, if there is one."""
        return self.parts[-1].kind if self.parts else ""

    def add(self, i: int) -> None:
        """Add a line to the open section."""
        self.parts[-1].lines.append(i)

    def add_to(self, kind: str, i: int) -> None:
        """Add a line to the section of a kind, which is opened unless it is open, and go on in it."""
        self.sections.add(kind, i, anew=self.state == "division")
        self.state = kind

    def in_article(self, i: int, line: str) -> bool:
        """Below an article's header and heading: its text."""
        self.add(i)
        return True


# Texts attached to an act below its signatures, such as an agreement it approves: where their titles stand.

MOST_WORDS: Final = 8
"""Words of the first line of an attached text's title."""
SHORTEST: Final = 12
"""Characters of a title whose words do not tell what it is the title of."""

_ATTACHABLE: Final = ("agreement", "treaty")


class Attachments:
    """Reads the titles of attached texts."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.lines = draft.lines
        self.words = tuple(word for word, kind in draft.grammar.types if kind in _ATTACHABLE)

    def begin(self, i: int, line: str) -> bool:
        """Begin an attached text if a line is its title."""
        if not self._is_title(i, line):
            return False
        self.draft.furniture[i] = "heading"
        self.draft.sections.attach(line)
        self.draft.state = "attached"
        return True

    def _is_title(self, i: int, line: str) -> bool:
        """Whether a line below the signatures is the title of a text that is attached: "FRAMEWORK AGREEMENT"."""
        lines = self.lines
        if lines.roles[i] is Role.TITLE:
            return True
        if lines.roles[i] is not None or lines.marks[i] is not None or not (line.isupper() or shouts(line)):
            return False
        short = line.count(" ") < MOST_WORDS and not any(map(str.isdigit, line)) and line[-1].isalpha()
        return short and (any(word in lines.heads[i] for word in self.words) or self._heads_text(i, line))

    def _heads_text(self, i: int, line: str) -> bool:
        """Whether a line below the signatures is all in capitals, and prose begins below it or below its last words."""
        if self.draft.state != "signature" or not line.isupper() or len(line) < SHORTEST or "." in line:
            return False
        lines, below = self.lines, i + 1
        if below < len(lines) and (lines.texts[below][0].islower() or lines.texts[below].isupper()):
            below += 1
        if below >= len(lines) or lines.marks[below] is not None or lines.roles[below] is not None:
            return False
        return lines.headers[below] is None and len(lines.texts[below]) > PROSE and lines.texts[below][-1] in ".:;"

    def in_title(self, i: int, line: str) -> bool:
        """Below the title of an attached text: the rest of the title, which goes on in small letters."""
        goes_on = self.lines.roles[i] is Role.TITLE or (line[0].islower() and line[-1] not in ".;:")
        if goes_on and len(line) <= LONGEST_HEADING and self.lines.marks[i] is None:
            self.draft.furniture[i] = "heading"
            self.draft.sections.head_attachment(line)
            return True
        self.draft.state = "body"
        return False
