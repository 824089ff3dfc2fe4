"""Sections in the making: what opens one, what encloses it, and what the ids of its units begin with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.grammar import DIVISIONS, Header
from lexlattice.reading.shapes import LONGEST_HEADING

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
