"""From blocks to the outline of an act: which lines are the title, the recitals, an article, an annex.

Layout leads and head-words confirm: an article header is believed for its number as much as for its word, and a
line is never lost because no rule wanted it; what nothing claims stays in the section it stands in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.grammar import DIVISIONS, HEAD, Grammar, Header, fold
from lexlattice.reading.numbering import Marker, from_roman, letter_value, marker

LONGEST_HEADING: Final = 400
LONGEST_SIGNATURE: Final = 80
LONGEST_PAGE_HEADER: Final = 8
LONGEST_FRONT: Final = 60
"""Lines among which the end of the title is looked for."""
SHORTEST_LIST: Final = 4
"""So many article headers without a sentence between them are a list of articles, not articles."""
PROSE: Final = 60
"""A line longer than this is prose, not a cell of a table or a line of a table of contents."""

_PAGE: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$"
    r"|[A-Z]{2}$"
    r"|(?:EUR-Lex|Official Journal\b)\b.*"
    r"|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$|\d{4}/\d+$"
    r"|\d[0-9A-Z]{4}[A-Z]{1,2}\d{4}(?:\(\d+\)|R\(\d+\))*$"
    r"|[|*\s_-]+$"
    r"|(?:Important legal notice|Avis juridique important)$"
    r"|ELI: ?\S+.*$|ISSN [\d-]+.*$"
    r"|.{0,80}\b[Pp]\.\s?\d{4}\b.*$"
)
_TABLE: Final = re.compile(r">(?:TABLE|PIC FILE|START OF GRAPHIC|END OF GRAPHIC).*>$|.*\s\|(?:\s|$)")
"""Old pages mark the place of a table, or put its cells between bars."""
_PAGE_DATE: Final = re.compile(r"(?:\d{1,2}[./ ]\s?\d{1,2}[./ ]\s?\d{4}|\d{4}[./ ]\s?\d{1,2}[./ ]\s?\d{1,2})\.?$")
_YEAR_AT_END: Final = re.compile(r"(?:19|20)\d\d\D{0,12}$")
_OPENING_QUOTE: Final = "«„“‟\"'‘‚”‹»"
_TRAILING: Final = re.compile(r"(?:[.:;]\s([^\W\d_]{2,12}\s\d{1,3})|:\s([^\W\d_]{2,12}\s\w{3,12}))$")
_MAY_BE_HEADER: Final = (None, Role.TITLE, Role.OUTLINE, Role.ARTICLE, Role.DIVISION, Role.ANNEX)
_ASIDE: Final = (Role.NOTE, Role.PAGE, Role.TABLE)
_IN_TERMS: Final = ("article", "annex", "body", "heading")
_RUNNING: Final = ("article", "recitals")
_SENTENCE_STOP: Final = (".", ";", ":", ",")


@dataclass(slots=True)
class Part:
    """A section in the making."""

    kind: str
    number: str = ""
    written: str = ""
    label: str = ""
    prefix: str = ""
    enclosing: tuple[str, ...] = ()
    heading: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    title: str = ""
    """A heading that is not among the section's own lines."""
    divisions: list[tuple[int, str, str]] = field(default_factory=list)
    """Headers inside an annex: how many lines stand before each, its kind and its number."""


@dataclass(slots=True)
class Outline:
    """The sections of an act as lists of line numbers, and the lines that are furniture."""

    lines: list[str]
    parts: list[Part]
    marks: list[Marker | None]
    """The number that leads each line; none where the line is a quoted header."""
    furniture: dict[int, str]
    notes: set[int]
    """Footnotes that stand among the lines of an article."""


def outline(blocks: Sequence[Block], grammar: Grammar) -> Outline:
    """Find the sections of an act."""
    return _Outliner(blocks, grammar).run()


class _Outliner:
    """One pass over the lines, with the state a reader has in mind: before the title, in the recitals, …"""

    def __init__(self, blocks: Sequence[Block], grammar: Grammar) -> None:
        self.grammar = grammar
        self.lines: list[str] = []
        self.heads: list[str] = []
        """Each line's beginning, folded: what formulas and head-words are compared with."""
        self.marks: list[Marker | None] = []
        self.roles: list[Role | None] = []
        self.headers: list[Header | None] = []
        for block in blocks:
            self._admit(block)
        self.closings = grammar.openers["closing"]
        self.handlers: dict[str, Callable[[int, str], None]] = {
            "front": self._in_front,
            "title": self._in_front,
            "preamble": self._in_preamble,
            "recitals": self._in_recitals,
            "division": self._in_division,
            "heading": self._in_heading,
            "article": self._in_article,
            "annex": self._in_annex,
            "signature": self._in_signature,
            "notes": self._in_notes,
            "body": self._in_body,
        }
        self.parts: list[Part] = []
        self.furniture: dict[int, str] = {}
        self.quoted: set[int] = set()
        self.notes: set[int] = set()
        self.terms_end: int | None = None
        self.enclosing: list[tuple[int, str]] = []
        self.state = "front"
        self.last_article = 0
        self.last_annex: tuple[str, int] = ("", 0)
        self.in_quotation = False
        self.attachments = 0
        self.division: Header | None = None
        self.prefix = ""
        self.numbered_recitals = False
        self._set_lists_apart()
        self.ahead = Counter(_article_value(h) for h in self.headers if h is not None and h.kind == "article")
        self.page_end = self._page_end()
        self.front_end = self._front_end()
        self.has_preamble = self.front_end < len(self.lines) and (
            bool(self.grammar.formula(self.heads[self.front_end]))
            or _shouts(self.lines[self.front_end])
        )

    def _admit(self, block: Block) -> None:
        """Take a line in; a header that shares its line with its heading or text is set apart from it."""
        header = None
        head = fold(block.text[:HEAD])
        if block.role in _MAY_BE_HEADER:
            header = self.grammar.header(block.text, head)
        if header is None and block.role is None and (block.text[-1].isdigit() or ": " in block.text[-32:]):
            tail = self._trailing_header(block.text)
            if tail:
                self._admit(Block(block.text[: -len(tail)].rstrip()))
                self._admit(Block(tail))
                return
        if header is not None and block.role in (None, Role.OUTLINE):
            rest = block.text[header.end :].strip()
            if rest.strip(" .,:-–—()"):
                split = self._split(block.text, rest, header)
                if split is None:
                    header = None
                else:
                    self._append(block.text[: len(block.text) - len(rest)].rstrip(), None, header, head)
                    self._append(rest, None, None, fold(rest[:HEAD]))
                    return
        self._append(block.text, block.role, header, head)

    def _trailing_header(self, line: str) -> str:
        """An article's header that was left at the end of the paragraph before it: "…duration. Article 2"."""
        match = _TRAILING.search(line)
        tail = (match.group(1) or match.group(2)) if match else ""
        header = self.grammar.header(tail) if tail else None
        return tail if header is not None and header.kind == "article" and header.end >= len(tail) else ""

    def _append(self, text: str, role: Role | None, header: Header | None, head: str) -> None:
        self.heads.append(head)
        self.marks.append(marker(text))
        self.lines.append(text)
        self.roles.append(role)
        self.headers.append(header)

    def _split(self, line: str, rest: str, header: Header) -> str | None:
        """The rest of a header's line if it is a heading or the text of the article, else `None`."""
        first = rest.lstrip(" –—-:.").split(" ", 1)[0]
        if not first or not (first[0].isupper() or first[0] in "«„“‘\"'("):
            return None
        if fold(first.strip(".,;:()")) in self.grammar.sublevels or rest[0] in ",(":
            return None
        if header.kind != "article":
            long = len(rest) > LONGEST_HEADING or (rest.endswith((".", ";", ",")) and not _shouts(rest))
            return None if long or not header.number else rest
        return rest

    def _set_lists_apart(self) -> None:
        """Headers that follow one another without a sentence between them: a table of contents, or of correlation."""
        at = [i for i, h in enumerate(self.headers) if h is not None and h.kind == "article"]
        empty = [self._has_no_sentence(i, at[n + 1] if n + 1 < len(at) else len(self.lines)) for n, i in enumerate(at)]
        run: list[int] = []
        first_real = next((i for n, i in enumerate(at) if not empty[n]), len(self.lines))
        for n in range(len(at) + 1):
            if n < len(at) and empty[n] and self.roles[at[n]] is None:
                run.append(at[n])
                continue
            if len(run) >= SHORTEST_LIST:
                end = at[n] if n < len(at) else len(self.lines)
                self._set_apart(run, end, Role.CONTENTS if run[0] < first_real else Role.TABLE)
            run = []

    def _has_no_sentence(self, i: int, stop: int) -> bool:
        """Whether nothing below a header ends as a sentence or a point does."""
        body = self.lines[i + 1 : min(stop, i + 40)]
        return not any(line.endswith((".", ";", ":")) and len(line) > 12 for line in body)

    def _set_apart(self, run: Sequence[int], end: int, role: Role) -> None:
        """Give the lines of a list of headers their role: from the first to the last, and what leads up to them."""
        start, stop = run[0], run[-1]
        if role is Role.CONTENTS:
            while start and (self.headers[start - 1] is not None or self._heads_contents(start - 1)):
                start -= 1
        while stop + 1 < end and self._is_cell(stop + 1):
            stop += 1
        for i in range(start, stop + 1):
            self.roles[i] = role
            self.headers[i] = None

    def _heads_contents(self, i: int) -> bool:
        line = self.lines[i]
        return len(line) < LONGEST_HEADING and not line.endswith(_SENTENCE_STOP) and self.roles[i] is None

    def _is_cell(self, i: int) -> bool:
        line = self.lines[i]
        header = self.headers[i]
        if self.roles[i] is not None or (header is not None and header.kind != "article"):
            return False
        return len(line) < PROSE and not line.endswith((".", ";", ":", ",")) and not _names_institution(line)

    # -- the pass ------------------------------------------------------------------------------------------

    def run(self) -> Outline:
        """Give every line its place."""
        for i, line in enumerate(self.lines):
            if self.state in _RUNNING and self._merely_runs_on(i, line) and "|" not in line:
                self.parts[-1].lines.append(i)
                continue
            role = self.roles[i]
            if role in (Role.PAGE, Role.CONTENTS, Role.TABLE):
                self.furniture[i] = role.value
            elif self._is_page(i, line):
                self.furniture[i] = "page"
            elif role is None and self._is_table(i, line):
                self.furniture[i] = "table"
            elif not self._header(i, line):
                self._text(i, line)
        for i in self.quoted:
            self.marks[i] = None
        return Outline(self.lines, self.parts, self.marks, self.furniture, self.notes)

    def _merely_runs_on(self, i: int, line: str) -> bool:
        """Whether a line is plain text of the open article or recital: the common case, settled cheaply."""
        if self.roles[i] is not None or self.headers[i] is not None or line[0] in _OPENING_QUOTE:
            return False
        if self.state == "recitals":
            return len(line) > LONGEST_HEADING or self.marks[i] is not None
        return len(line) > 160 or (self.marks[i] is not None and not self.heads[i].startswith(self.closings))

    def _is_page(self, i: int, line: str) -> bool:
        if len(line) > 1200 or self.roles[i] is not None:
            return False
        if i < self.page_end:
            return True
        if self.state == "front" or (self.state == "title" and i < self.front_end):
            return bool(_PAGE.match(line)) or self.grammar.opens("journal", self.heads[i])
        return len(line) < 100 and self.grammar.opens("journal", self.heads[i])

    def _is_table(self, i: int, line: str) -> bool:
        if self.state not in _IN_TERMS or self.headers[i] is not None:
            return False
        if len(line) < PROSE and self.heads[i] in self.grammar.openers["table"]:
            return True
        return ("|" in line or line[0] == ">") and bool(_TABLE.match(line))

    def _header(self, i: int, line: str) -> bool:
        """Open what a header line opens; false if the line is no header after all."""
        role = self.roles[i]
        if role is Role.QUOTED:
            self.quoted.add(i)
            return False
        header = self.headers[i]
        if role is Role.TITLE and self.state in ("front", "title"):
            return False
        if header is None:
            if role is Role.ANNEX and self.state == "heading" and self.parts[-1].kind == "annex":
                self._take_heading(i, line)
                return True
            if role is Role.DIVISION or (role is Role.OUTLINE and self._outlines(i)):
                self._division(i, None)
                return True
            if role is Role.ANNEX:
                self._annex(i, Header("annex", "", "", len(line)))
                return True
            self._watch_quotation(i, line)
            if role is Role.ARTICLE and i not in self.quoted and not self.in_quotation:
                self._article(i, Header("article", "", "", len(line)))
                return True
            return False
        if header.kind == "article":
            self.ahead[_article_value(header)] -= 1
            if not self._believable(i, header):
                return False
            self._article(i, header)
        elif header.kind in ("annex", "appendix", "protocol"):
            if role is not Role.ANNEX and not self._believable_annex(i, header):
                return False
            self._annex(i, header)
        else:
            if (
                self.state in ("front", "title")
                and header.kind == "title"
                and role is None
                and not header.number
            ):
                return False
            if self.in_quotation and role is None:
                self.quoted.add(i)
                return False
            self._division(i, header)
        return True

    def _outlines(self, i: int) -> bool:
        """Whether a heading of unknown rank divides the text: not where it is a title's or an article's."""
        if self.state in ("front", "title"):
            return bool(self.parts) and i >= self.front_end
        return self.state not in ("heading", "division", "preamble", "recitals")

    def _watch_quotation(self, i: int, line: str) -> None:
        """Text of another act is quoted: its headers are not this act's."""
        if line[0] not in _OPENING_QUOTE:
            return
        inner = line.lstrip(_OPENING_QUOTE + " ")
        if not inner:
            self.in_quotation = i + 1 < len(self.lines) and self.headers[i + 1] is not None
        elif self.grammar.header(inner) is not None:
            self.in_quotation = True
            self.quoted.add(i)

    def _believable(self, i: int, header: Header) -> bool:
        """Whether an article header is this act's own: its number must follow, in quotations above all."""
        value = _article_value(header)
        if not header.number:
            return not self.last_article
        following = value == self.last_article + 1
        if self.in_quotation:
            if not following:
                self.quoted.add(i)
            return following
        if self.prefix.startswith(("anx", "prot")) and self.parts[-1].kind != "notes":
            own = value == self.last_article and self.last_article > 0
            return (following or own) and not self._has_no_sentence(i, self._next_article(i))
        if following or (value == self.last_article and header.number != str(value)):
            return True
        if value > self.last_article:
            return not self.ahead[self.last_article + 1]
        return value == 1 and self.last_article > 0

    def _next_article(self, i: int) -> int:
        return next((j for j in range(i + 1, min(len(self.lines), i + 40)) if self.headers[j] is not None), i + 40)

    def _believable_annex(self, i: int, header: Header) -> bool:
        """Whether an annex header opens an annex: it stands after the articles, and its number goes on."""
        line = self.lines[i]
        if self.state in ("front", "title", "preamble", "recitals"):
            return False
        rest = line[header.end :].strip(" .:-–—")
        shouted = line[: header.end].upper() == line[: header.end]
        if header.kind == "protocol" and not shouted and not header.number:
            return False
        if header.kind == "appendix":
            return False
        if rest and not shouted:
            return False
        if not header.number:
            return shouted or not self._seen_annex()
        style, value = _annex_value(header.number)
        last_style, last = self.last_annex
        if style == last_style and value <= last and header.kind == "annex":
            return False
        return shouted or value == last + 1 or not self._seen_annex()

    def _seen_annex(self) -> bool:
        return self.last_annex != ("", 0)

    # -- opening sections -------------------------------------------------------------------------------------

    def _open(self, part: Part) -> None:
        part.enclosing = tuple(text for _, text in self.enclosing)
        self.parts.append(part)

    def _article(self, i: int, header: Header) -> None:
        value = _article_value(header)
        if value == 1 and self.last_article >= 1 and header.number in ("1", "I"):
            self.attachments += 1
            if not self.prefix.startswith("anx"):
                self.prefix = f"att-{self.attachments}."
                self.enclosing = []
        self.last_article = value
        self.in_quotation = False
        self.furniture[i] = "heading"
        self._open(Part("article", header.number, header.written, self.lines[i], self.prefix))
        self.state = "heading"

    def _annex(self, i: int, header: Header) -> None:
        self.furniture[i] = "heading"
        self.in_quotation = False
        self.enclosing = []
        self.last_article = 0
        if header.number:
            self.last_annex = _annex_value(header.number)
        elif not self._seen_annex():
            self.last_annex = ("sole", 1)
        name = {"annex": "anx", "appendix": "app", "protocol": "prot"}[header.kind]
        self.prefix = f"anx-{header.number}." if header.number else f"{name}."
        if header.kind != "annex" and header.number:
            self.prefix = f"{name}-{header.number}."
        self._open(Part("annex", header.number, header.written, self.lines[i], ""))
        self.parts[-1].prefix = self.prefix.rstrip(".")
        self.state = "heading"

    def _division(self, i: int, header: Header | None) -> None:
        self.furniture[i] = "heading"
        if self._annex_is_open():
            annex = self.parts[-1]
            kind, number = (header.kind, header.written) if header is not None else ("section", "")
            annex.divisions.append((len(annex.lines), kind, number or str(len(annex.divisions) + 1)))
            return
        rank = DIVISIONS.index(header.kind) if header is not None else len(DIVISIONS)
        while self.enclosing and self.enclosing[-1][0] >= rank:
            self.enclosing.pop()
        self.enclosing.append((rank, self.lines[i]))
        self.division = header
        self.state = "division"

    def _annex_is_open(self) -> bool:
        return bool(self.parts) and self.parts[-1].kind == "annex" and self.state in ("annex", "heading")

    # -- lines of text -------------------------------------------------------------------------------------

    def _text(self, i: int, line: str) -> None:
        role = self.roles[i]
        if role is Role.TITLE and self.state in ("front", "title"):
            self._to("title", i)
        elif role is Role.NOTE:
            if self.state in ("article", "annex", "heading") and self._goes_on(i):
                self.notes.add(i)
                self.parts[-1].lines.append(i)
            else:
                self._to("notes", i)
        elif self._signs(i, line):
            self.furniture[i] = "signature"
            self.state = "signature"
            self.enclosing = []
        elif role in (Role.HEADING, Role.OUTLINE) and self.state in ("heading", "division"):
            self._take_heading(i, line)
        else:
            self.handlers[self.state](i, line)

    def _signs(self, i: int, line: str) -> bool:
        """Whether a line belongs to the signature block; the sentence that a regulation is binding does not."""
        if self.roles[i] is Role.SIGNATURE:
            return self.state == "signature" or not self.grammar.opens("binding", self.heads[i])
        return self.state in ("article", "body", "annex") and self._closes(i, line)

    def _goes_on(self, i: int) -> bool:
        """Whether the open article or annex goes on below a footnote: then it stays there, and ends nothing."""
        if self.state == "annex":
            following = (j for j in range(i + 1, len(self.lines)) if self.roles[j] not in _ASIDE)
            nearest = next(following, None)
            return nearest is not None and self.headers[nearest] is None and self.roles[nearest] is not Role.ANNEX
        if self.terms_end is None:
            ends = (j for j in range(len(self.lines) - 1, -1, -1) if self.roles[j] not in _ASIDE)
            last = next(ends, 0)
            annexes = (j for j, h in enumerate(self.headers) if j > i and h is not None and h.kind == "annex")
            signatures = (j for j in range(i, len(self.lines)) if self.roles[j] is Role.SIGNATURE)
            self.terms_end = min(last, next(annexes, last), next(signatures, last))
        return i < self.terms_end

    def _to(self, kind: str, i: int) -> None:
        """Add a line to the section of a kind, opened when it is not the open one."""
        if not self.parts or self.parts[-1].kind != kind or self.state in ("division",):
            self._open(Part(kind))
        self.parts[-1].lines.append(i)
        self.state = kind

    def _page_end(self) -> int:
        """Where the Official Journal's own header ends, if the page begins with one that closes with its date."""
        for i, line in enumerate(self.lines[:LONGEST_PAGE_HEADER]):
            if len(line) >= PROSE or self.headers[i] is not None or self.roles[i] is not None:
                break
            if _PAGE_DATE.match(line):
                return i + 1
        return 0

    def _front_end(self) -> int:
        """Where the title ends: at the line that begins the preamble or, failing that, at the first text."""
        for i in range(self.page_end, min(len(self.lines), LONGEST_FRONT)):
            if self.headers[i] is not None and i:
                return i
            line = self.lines[i]
            if self.roles[i] in (None, Role.OUTLINE) and self.grammar.formula(self.heads[i]):
                shouted = i and self._is_own(i - 1) and _shouts(self.lines[i - 1])
                return i - 1 if shouted and not _is_title_line(self.lines[i - 1]) else i
            if i and _names_institution(line) and not _is_title_line(line):
                return i
        own = [i for i in range(self.page_end, min(len(self.lines), LONGEST_FRONT)) if self._is_own(i)]
        ends = (i for n, i in enumerate(own) if self.lines[i].endswith((".", ";", ":")) or (n and not self._heading_like(i)) or n > 3)
        return next(ends, len(self.lines))

    def _is_own(self, i: int) -> bool:
        """Whether a line is the act's own, not the page's."""
        return self.roles[i] in (None, Role.TITLE, Role.OUTLINE) and not _PAGE.match(self.lines[i])

    def _in_front(self, i: int, line: str) -> None:
        if i < self.front_end:
            self._to("title", i)
        else:
            self.state = "preamble" if self.has_preamble else "body"
            self._text(i, line)

    def _in_preamble(self, i: int, line: str) -> None:
        formula = self.grammar.formula(self.heads[i])
        mark = self.marks[i]
        if formula == "enacting" and len(line) <= LONGEST_HEADING:
            self._enact(i)
        elif formula == "recitals":
            if len(line) < PROSE and (line.endswith(":") or line[-1].isalpha()):
                self.furniture[i] = "formula"
                self._open(Part("recitals"))
                self.state = "recitals"
            else:
                self._to("recitals", i)
        elif formula == "citation" and line.endswith(":") and len(line) < 30:
            self.furniture[i] = "formula"
        elif mark is not None and mark.style in ("paren", "dot") and mark.value == 1 and not mark.quoted:
            self._to("recitals", i)
        else:
            self._to("preamble", i)

    def _in_recitals(self, i: int, line: str) -> None:
        if self._enacts(i, line):
            self._enact(i)
        else:
            self._to("recitals", i)

    def _enacts(self, i: int, line: str) -> bool:
        if len(line) > LONGEST_HEADING:
            return False
        if self.grammar.formula(self.heads[i]) == "enacting":
            return True
        return len(line) < 100 and line.endswith((":", ".")) and line.upper() == line and _shouts(line)

    def _enact(self, i: int) -> None:
        self.furniture[i] = "formula"
        self.state = "body"

    def _in_division(self, i: int, line: str) -> None:
        """Below a chapter's header: its heading, unless the text begins at once."""
        before_header = i + 1 < len(self.lines) and self.headers[i + 1] is not None
        if (self._heading_like(i) or before_header) and self.enclosing and "\n" not in self.enclosing[-1][1]:
            self._take_heading(i, line)
        else:
            self._open_division()
            self._text(i, line)

    def _open_division(self) -> None:
        """A chapter or section that holds text itself, not articles, is a row of its own."""
        _, text = self.enclosing[-1] if self.enclosing else (0, "")
        label, _, heading = text.partition("\n")
        part = Part("body", self.division.number if self.division else "", label=label)
        self._open(part)
        part.title = heading
        part.enclosing = part.enclosing[:-1]
        self.state = "body"

    def _heading_like(self, i: int) -> bool:
        line = self.lines[i]
        if len(line) > LONGEST_HEADING or self.marks[i] is not None:
            return False
        return not line.endswith(_SENTENCE_STOP) or (self.state == "division" and _shouts(line))

    def _take_heading(self, i: int, line: str) -> None:
        self.furniture[i] = "heading"
        if self.state == "division" and self.enclosing:
            rank, text = self.enclosing[-1]
            self.enclosing[-1] = (rank, f"{text}\n{line}")
        elif self.parts:
            self.parts[-1].heading.append(i)

    def _in_heading(self, i: int, line: str) -> None:
        """Below an article's or annex's header: its heading, if text follows before the next header."""
        part = self.parts[-1]
        if len(part.heading) < 2 and self._heading_like(i) and self._text_follows(i, part):
            part.heading.append(i)
            self.furniture[i] = "heading"
            return
        self.state = part.kind
        self._text(i, line)

    def _text_follows(self, i: int, part: Part) -> bool:
        nxt = i + 1
        if nxt >= len(self.lines) or self.headers[nxt] is not None:
            return False
        if part.heading and part.kind == "article":
            return False
        return not (part.kind == "article" and self._closes(nxt, self.lines[nxt]))

    def _in_article(self, i: int, line: str) -> None:
        self.parts[-1].lines.append(i)

    def _in_annex(self, i: int, line: str) -> None:
        mark = self.marks[i]
        if mark is not None and mark.style == "paren" and self._note_like(line[mark.end :]):
            self._to("notes", i)
        else:
            self.parts[-1].lines.append(i)

    def _in_notes(self, i: int, line: str) -> None:
        mark = self.marks[i]
        if mark is None and len(line) > PROSE and self.roles[i] is None and not self._note_like(line):
            self._to("body", i)
        else:
            self._to("notes", i)

    def _note_like(self, line: str) -> bool:
        return self.grammar.opens("note", fold(line[:40])) or line.startswith(("*", "(*"))

    def _in_body(self, i: int, line: str) -> None:
        if line.endswith(":") and _shouts(line) and self.furniture.get(i - 1) == "formula":
            self.furniture[i] = "formula"
        elif self.parts and self.parts[-1].kind == "body":
            self.parts[-1].lines.append(i)
        else:
            self._to("body", i)

    def _closes(self, i: int, line: str) -> bool:
        """Place and date: the formula says so, or a short dated line with nothing but short lines after it."""
        if len(line) > 160:
            return False
        if self.grammar.opens("closing", self.heads[i]) and any(c.isdigit() for c in line):
            return True
        if (
            len(line) > LONGEST_SIGNATURE
            or not _YEAR_AT_END.search(line)
            or self.marks[i]
            or self.state == "annex"
        ):
            return False
        return i + 1 < len(self.lines) and self.grammar.opens("signatory", self.heads[i + 1])

    def _in_signature(self, i: int, line: str) -> None:
        mark = self.marks[i]
        if mark is not None and mark.style == "paren" or self._note_like(line) or line.startswith("(*"):
            self._to("notes", i)
        elif len(line) <= LONGEST_SIGNATURE and mark is None:
            self.furniture[i] = "signature"
        else:
            self.enclosing = []
            self._to("body", i)


def _article_value(header: Header) -> int:
    digits = re.match(r"\d+", header.number)
    return int(digits.group()) if digits else from_roman(header.number.lower())


def _annex_value(number: str) -> tuple[str, int]:
    digits = re.match(r"\d+", number)
    if digits:
        return "digits", int(digits.group())
    roman = from_roman(number.lower())
    return ("roman", roman) if roman else ("letter", letter_value(number.lower()))


def _names_institution(line: str) -> bool:
    """ "THE COUNCIL OF THE EUROPEAN UNION," in any language: shouted, and ending as a sentence that goes on."""
    return line.endswith((",", "-", "–", "—")) and len(line) <= LONGEST_HEADING and _shouts(line)


def _shouts(line: str) -> bool:
    """Whether a line is set in capitals, give or take a word ("EUROOPAN KOMISSIO, joka")."""
    letters = [c for c in line[:200] if c.isalpha()]
    return len(letters) >= 6 and sum(c.isupper() for c in letters) > 0.7 * len(letters)


def _is_title_line(line: str) -> bool:
    """A shouted line with a number in it is a title ("COUNCIL REGULATION No 17"), not the name of an institution."""
    return any(c.isdigit() for c in line)
