"""From blocks to the outline of an act: which lines are the title, the recitals, an article, an annex.

Layout leads and head-words confirm: an article header is believed for its number as much as for its word, and a
line is never lost because no rule wanted it; what nothing claims stays in the section it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.grammar import DIVISIONS, Grammar, Header, fold
from lexlattice.reading.numbering import from_roman, letter_value, marker

LONGEST_HEADING: Final = 240
LONGEST_SIGNATURE: Final = 80
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
)
_PLACEHOLDER: Final = re.compile(r">?\s?(?:TABLE|PIC FILE|TABELLE|TABLEAU)\b.*>?$")
_YEAR_AT_END: Final = re.compile(r"(?:19|20)\d\d\D{0,12}$")
_OPENING_QUOTE: Final = "«„“‟\"'‘‚”‹»"
_CLOSED_QUOTE: Final = re.compile(r"[»“”\"'’‘›«]\s?[.;,]?\s?(?:\w{1,5})?$")
_SENTENCE_STOP: Final = (".", ";", ":", ",")
_MARKDOWN: Final = re.compile(r"(#{1,6})\s+(\S.*)")
_CLAUSE: Final = re.compile(r"(?:SECTION|SEC\.|§)\s*(\d+[A-Z]?)\.?\s*(.*)", re.IGNORECASE)


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


@dataclass(slots=True)
class Outline:
    """The sections of an act as lists of line numbers, and the lines that are furniture."""

    lines: list[str]
    parts: list[Part]
    furniture: dict[int, str]
    quoted: set[int]


def outline(blocks: Sequence[Block], grammar: Grammar) -> Outline:
    """Find the sections of an act."""
    return _Outliner(blocks, grammar).run()


class _Outliner:
    """One pass over the lines, with the state a reader has in mind: before the title, in the recitals, …"""

    def __init__(self, blocks: Sequence[Block], grammar: Grammar) -> None:
        self.grammar = grammar
        self.lines: list[str] = []
        self.roles: list[Role | None] = []
        self.headers: list[Header | None] = []
        for block in blocks:
            self._admit(block)
        self.parts: list[Part] = []
        self.furniture: dict[int, str] = {}
        self.quoted: set[int] = set()
        self.enclosing: list[tuple[int, str]] = []
        self.state = "front"
        self.last_article = 0
        self.last_annex: tuple[str, int] = ("", 0)
        self.in_quotation = False
        self.attachments = 0
        self.prefix = ""
        self.numbered_recitals = False
        self._reject_lists_of_headers()

    def _admit(self, block: Block) -> None:
        """Take a line in; a header that shares its line with its heading or text is set apart from it."""
        header = None
        if block.role in (None, Role.ARTICLE, Role.DIVISION, Role.ANNEX):
            header = self.grammar.header(block.text) if _may_be_header(block.text, self.grammar) else None
        if header is not None and block.role is None:
            rest = block.text[header.end :].strip()
            if rest.strip(" .:-–—()"):
                split = self._split(block.text, rest, header)
                if split is None:
                    header = None
                else:
                    self._append(block.text[: len(block.text) - len(rest)].rstrip(), None, header)
                    self._append(rest, None, None)
                    return
        self._append(block.text, block.role, header)

    def _append(self, text: str, role: Role | None, header: Header | None) -> None:
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
            long = len(rest) > LONGEST_HEADING or rest.endswith((".", ";", ","))
            return None if long or not header.number else rest
        return rest

    def _reject_lists_of_headers(self) -> None:
        """Headers that follow one another without any prose are cells of a table or lines of a contents list."""
        at = [i for i, h in enumerate(self.headers) if h is not None and h.kind in ("article", "annex")]
        bare = []
        for place, i in enumerate(at):
            stop = at[place + 1] if place + 1 < len(at) else len(self.lines)
            body = range(i + 1, min(stop, i + 12))
            bare.append(
                not any(len(self.lines[j]) > PROSE or self.lines[j].endswith((".", ";")) for j in body)
                and self.roles[i] is None
            )
        run: list[int] = []
        for place, i in enumerate([*at, len(self.lines)]):
            if place < len(at) and bare[place]:
                run.append(i)
                continue
            if len(run) >= 4:
                for j in run:
                    self.headers[j] = None
            run = []

    # -- the pass ------------------------------------------------------------------------------------------

    def run(self) -> Outline:
        for i, line in enumerate(self.lines):
            role = self.roles[i]
            if role in (Role.PAGE, Role.CONTENTS, Role.TABLE):
                self.furniture[i] = role.value
            elif self._is_page(i, line) or _PLACEHOLDER.match(line):
                self.furniture[i] = "page" if not _PLACEHOLDER.match(line) else "table"
            elif not self._header(i, line):
                self._text(i, line)
        return Outline(self.lines, self.parts, self.furniture, self.quoted)

    def _is_page(self, i: int, line: str) -> bool:
        if len(line) > 1200 or self.roles[i] is not None:
            return False
        if self.state == "front" or (self.state == "title" and i < 12):
            return bool(_PAGE.match(line)) or self.grammar.opens("journal", fold(line[:80]))
        return len(line) < 100 and self.grammar.opens("journal", fold(line))

    def _header(self, i: int, line: str) -> bool:
        """Open what a header line opens; false if the line is no header after all."""
        role = self.roles[i]
        if role is Role.QUOTED:
            self.quoted.add(i)
            return False
        header = self.headers[i]
        if header is None:
            if role is Role.DIVISION:
                self._division(i, None)
                return True
            if role is Role.ANNEX:
                self._annex(i, Header("annex", "", "", len(line)))
                return True
            if role is Role.ARTICLE:
                self._article(i, Header("article", "", "", len(line)))
                return True
            if line[0] in _OPENING_QUOTE and self.grammar.header(line[1:].lstrip(_OPENING_QUOTE + " ")):
                self.in_quotation = True
                self.quoted.add(i)
            return False
        if header.kind == "article":
            if role is not Role.ARTICLE and not self._believable(i, header):
                return False
            self._article(i, header)
        elif header.kind in ("annex", "appendix", "protocol"):
            if role is not Role.ANNEX and not self._believable_annex(i, header):
                return False
            self._annex(i, header)
        else:
            if self.state in ("front", "title") and header.kind == "title" and role is None and not header.number:
                return False
            if self.in_quotation and role is None:
                self.quoted.add(i)
                return False
            self._division(i, header)
        return True

    def _believable(self, i: int, header: Header) -> bool:
        """Whether an article header is this act's own: its number must follow."""
        digits = re.match(r"\d+", header.number)
        value = int(digits.group()) if digits else from_roman(header.number.lower())
        if not header.number:
            return not self.last_article
        following = value in (self.last_article, self.last_article + 1)
        if self.in_quotation:
            closed = i > 0 and bool(_CLOSED_QUOTE.search(self.lines[i - 1]))
            if not (following and (closed or value == self.last_article + 1)) and not (
                closed and value > self.last_article
            ):
                self.quoted.add(i)
                return False
            return True
        if value > self.last_article or following:
            return self.state != "annex" or self.prefix.startswith("anx") or value == 1
        return value == 1 and self.last_article > 0

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
        digits = re.match(r"\d+", header.number)
        value = int(digits.group()) if digits else from_roman(header.number.lower())
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
            self.parts[-1].lines.append(i)
            self.furniture[i] = "division"
            return
        rank = DIVISIONS.index(header.kind) if header is not None else len(DIVISIONS)
        while self.enclosing and self.enclosing[-1][0] >= rank:
            self.enclosing.pop()
        self.enclosing.append((rank, self.lines[i]))
        self.state = "division"

    def _annex_is_open(self) -> bool:
        return bool(self.parts) and self.parts[-1].kind == "annex" and self.state in ("annex", "heading")

    # -- lines of text -------------------------------------------------------------------------------------

    def _text(self, i: int, line: str) -> None:
        role = self.roles[i]
        if role is Role.TITLE and self.state in ("front", "title"):
            self._to("title", i)
        elif role is Role.NOTE:
            self._to("notes", i)
        elif role is Role.SIGNATURE or (self.state in ("article", "body", "annex") and self._closes(i, line)):
            self.furniture[i] = "signature"
            self.state = "signature"
        elif role is Role.HEADING and self.parts and self.state in ("heading", "division"):
            self._take_heading(i, line)
        else:
            getattr(self, f"_in_{self.state}")(i, line)

    def _to(self, kind: str, i: int) -> None:
        """Add a line to the section of a kind, opened when it is not the open one."""
        if not self.parts or self.parts[-1].kind != kind or self.state in ("division",):
            self._open(Part(kind))
        self.parts[-1].lines.append(i)
        self.state = kind

    def _in_front(self, i: int, line: str) -> None:
        self._in_title(i, line)

    def _in_title(self, i: int, line: str) -> None:
        folded = fold(line[:100])
        begun = bool(self.parts)
        if self.grammar.opens("citation", folded) or (begun and _names_institution(line)):
            self._to("preamble", i)
        elif begun and self.grammar.opens("recitals", folded):
            self._in_preamble(i, line)
        elif begun and self._enacts(line, folded):
            self._enact(i)
        elif begun and (len(self.parts[-1].lines) >= 14 or not self._title_goes_on(line)):
            self._to("body", i)
        else:
            self._to("title", i)

    def _title_goes_on(self, line: str) -> bool:
        """Titles have no full stops and no numbering."""
        return not (line.endswith((".", ";")) and len(line) > PROSE) and marker(line) is None and len(line) < 1500

    def _in_preamble(self, i: int, line: str) -> None:
        folded = fold(line[:100])
        mark = marker(line)
        if self.grammar.opens("recitals", folded):
            if line.endswith(":") and len(line) < PROSE or len(line) < 30:
                self.furniture[i] = "formula"
                self._open(Part("recitals"))
                self.state = "recitals"
            else:
                self._to("recitals", i)
        elif self._enacts(line, folded):
            self._enact(i)
        elif mark is not None and mark.style == "paren" and mark.value == 1 and not mark.quoted:
            self._to("recitals", i)
        else:
            self._to("preamble", i)

    def _in_recitals(self, i: int, line: str) -> None:
        if self._enacts(line, fold(line[:100])):
            self._enact(i)
        else:
            self._to("recitals", i)

    def _enacts(self, line: str, folded: str) -> bool:
        if len(line) > LONGEST_HEADING:
            return False
        if self.grammar.opens("enacting", folded):
            return True
        shouted = line.upper() == line and len(line) < 100 and line.endswith((":", "."))
        return self.state == "recitals" and shouted and any(c.isalpha() for c in line)

    def _enact(self, i: int) -> None:
        self.furniture[i] = "formula"
        self.state = "body"

    def _in_division(self, i: int, line: str) -> None:
        """Below a chapter's header: its heading, unless the text begins at once."""
        if _heading_like(line) and self.enclosing and not self.enclosing[-1][1].count("\n"):
            self._take_heading(i, line)
        else:
            self._to("body", i)

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
        if len(part.heading) < 2 and _heading_like(line) and self._text_follows(i, part):
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
        if line[0] in _OPENING_QUOTE and not self.in_quotation and self.roles[i] is None:
            self.in_quotation = self.grammar.header(line.lstrip(_OPENING_QUOTE + " ")) is not None
        self.parts[-1].lines.append(i)

    def _in_annex(self, i: int, line: str) -> None:
        mark = marker(line)
        if mark is not None and mark.style == "paren" and self._note_like(line[mark.end :]):
            self._to("notes", i)
        else:
            self.parts[-1].lines.append(i)

    def _in_notes(self, i: int, line: str) -> None:
        mark = marker(line)
        if mark is None and len(line) > PROSE and self.roles[i] is None and not self._note_like(line):
            self._to("body", i)
        else:
            self._to("notes", i)

    def _note_like(self, line: str) -> bool:
        return self.grammar.opens("note", fold(line[:40])) or line.startswith(("*", "(*"))

    def _in_body(self, i: int, line: str) -> None:
        if self.parts and self.parts[-1].kind == "body":
            self.parts[-1].lines.append(i)
        else:
            self._to("body", i)

    def _closes(self, i: int, line: str) -> bool:
        """Place and date: the formula says so, or a short dated line with nothing but short lines after it."""
        if len(line) > 160:
            return False
        folded = fold(line[:60])
        if self.grammar.opens("closing", folded) and re.search(r"\d", line):
            return True
        if len(line) > LONGEST_SIGNATURE or not _YEAR_AT_END.search(line) or marker(line) or self.state == "annex":
            return False
        after = self.lines[i + 1 : i + 3]
        return bool(after) and all(self.grammar.opens("signatory", fold(x[:60])) for x in after[:1])

    def _in_signature(self, i: int, line: str) -> None:
        mark = marker(line)
        if mark is not None and mark.style == "paren" or self._note_like(line) or line.startswith("(*"):
            self._to("notes", i)
        elif len(line) <= LONGEST_SIGNATURE and mark is None:
            self.furniture[i] = "signature"
        else:
            self.enclosing = []
            self._to("body", i)


def _may_be_header(line: str, grammar: Grammar) -> bool:
    """Cheap test that spares most lines the full one: a head-word is among the first two words."""
    words = line[:60].split(None, 3)[:3]
    return any(fold(word.strip(".:,-–—")) in grammar.firsts for word in words)


def _annex_value(number: str) -> tuple[str, int]:
    digits = re.match(r"\d+", number)
    if digits:
        return "digits", int(digits.group())
    roman = from_roman(number.lower())
    return ("roman", roman) if roman else ("letter", letter_value(number.lower()))


def _names_institution(line: str) -> bool:
    """"THE COUNCIL OF THE EUROPEAN UNION," in any language: shouted, and ending as a sentence that goes on."""
    letters = [c for c in line if c.isalpha()]
    if len(letters) < 6 or len(line) > LONGEST_HEADING:
        return False
    upper = sum(c.isupper() for c in letters) / len(letters)
    return upper > 0.8 and line.endswith((",", "-", "–", "—"))


def _heading_like(line: str) -> bool:
    return len(line) <= LONGEST_HEADING and not line.endswith(_SENTENCE_STOP) and marker(line) is None
