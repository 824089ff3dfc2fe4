"""What an act says about itself: title, kind, date, CELEX number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lexlattice.act.document import CUT_OFF
from lexlattice.reading.celex import consolidated_celex, normalize_celex
from lexlattice.reading.formats.blocks import Block, Document, Role, iso_day
from lexlattice.reading.formats.site_frame import MIN_PAGE, no_act_error
from lexlattice.reading.languages.grammar import HEAD, Grammar, fold
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.sections import Part

# Whether a text is consolidated, as of which day, and whether it says that the act was repealed.

NEAR_THE_TOP: Final = 12
"""Lines among which a page states what it is."""
LONGEST_LIST: Final = 1500
"""Lines among which the acts are listed that a text was made of."""
LONGEST_OPENER: Final = 60
LONGEST_HEADER: Final = 100
FEWEST_WORDS: Final = 4
"""A sentence has more words than these; the dates in a list, which some languages end with a stop, have fewer."""

_REFERENCE: Final = re.compile(
    r"\b(0?[1-9]?(?:19|20)\d\d[A-Z]{1,2}\d{4}(?:\(\d\d\))?)\s[—–-]\s([A-Z]{2})\s[—–-]\s(\d\d)\.(\d\d)\.(\d{4})\b"
)
"""The head of consolidated pages of any age: "1991R1534 — EN — 01.05.2004 — 001.001"."""
_NUMBERED: Final = re.compile(r"\d/\d")
_HEADERS: Final = (Role.ARTICLE, Role.DIVISION, Role.ANNEX)


def consolidated_as_of(document: Document) -> str | None:
    """The day that a consolidated text shows, or nothing where it does not say; None for an act as it was adopted."""
    days = [day for day in (document.consolidated, _stated(document)) if day is not None]
    return next(filter(None, days), "") if days else None


def stated_celex(document: Document) -> str:
    """The number at the head of a consolidated page, as it is written there; empty for any other text."""
    return next((match[1] for match in _references(document)), "")


def stated_language(document: Document) -> str:
    """The code of the language at the head of a consolidated page; empty for any other text."""
    return next((match[2].lower() for match in _references(document)), "")


def note_repeal(document: Document, grammar: Grammar) -> None:
    """Take note of what repealed the act, and keep the list of acts apart if a consolidated text has nothing else."""
    if consolidated_as_of(document) is None:
        return
    blocks = document.blocks
    opener = _opener(blocks, grammar)
    if opener is not None and not document.repealed:
        document.repealed = _named(blocks, opener)
    titles = [i for i, block in enumerate(blocks[:LONGEST_LIST]) if block.role is Role.TITLE]
    rest = blocks[opener:] if opener is not None else blocks[titles[-1] + 1 :] if titles else []
    above = blocks[: len(blocks) - len(rest)]
    has_headers = any(block.role is Role.ARTICLE or _is_header(block, grammar) for block in above)
    if not has_headers and not any(_is_of_act(block, grammar) for block in rest):
        for block in rest:
            block.role = Role.PAGE


def _stated(document: Document) -> str | None:
    return next((iso_day(*match.group(5, 4, 3)) for match in _references(document)), None)


def _references(document: Document) -> Iterator[re.Match[str]]:
    found = (_REFERENCE.search(block.text[:200]) for block in document.blocks[:NEAR_THE_TOP])
    return (match for match in found if match)


def _opener(blocks: Sequence[Block], grammar: Grammar) -> int | None:
    """The line above the articles that says who repealed the act."""
    for i, block in enumerate(islice(blocks, LONGEST_LIST)):
        if block.role is Role.ARTICLE or (block.role is None and _is_header(block, grammar)):
            return None
        text = block.text[:HEAD]
        if grammar.opens("repealed", fold(text)) and (len(block.text) <= LONGEST_OPENER or ":" in text):
            return i
    return None


def _named(blocks: Sequence[Block], opener: int) -> str:
    """The act named behind the words "repealed by", on their line or on one of the next."""
    behind = blocks[opener].text.partition(":")[2].strip()
    if behind:
        return behind
    after = (block.text.strip() for block in blocks[opener + 1 : opener + 1 + NEAR_THE_TOP])
    return next((text for text in after if _NUMBERED.search(text)), "")


def _is_of_act(block: Block, grammar: Grammar) -> bool:
    """Whether a line is the act's own: a title, a header or a sentence."""
    if block.role is Role.PAGE or block.role is Role.CONTENTS:
        return False
    if block.role in (*_HEADERS, Role.TITLE, Role.TABLE) or _is_header(block, grammar):
        return True
    return block.text.rstrip().endswith((".", ";")) and block.text.count(" ") >= FEWEST_WORDS


def _is_header(block: Block, grammar: Grammar) -> bool:
    header = grammar.header(block.text) if len(block.text) < LONGEST_HEADER else None
    return header is not None and header.kind in ("article", "annex")


# Whether a text ends where acts end, or in the middle: what was lost on the way cannot be summarised.

SIGNED: Final = ("regulation", "directive", "decision")
"""Kinds of acts that always end with place, date and signature; agreements list who signed in many ways."""
LONG_LINE: Final = 90
"""Characters of a line that is a sentence, not a heading or an entry of a list."""
USUAL: Final = 0.9
"""The share of sentences that end with a stop where all of them should."""
FEWEST: Final = 3
"""So many sentences at least show what is usual."""
_STOPS: Final = tuple(".;:!?…)]»”“’\"'>*—–-%°")
"""What a finished line can end with: also the end of a quotation, of a note, or of a table in old pages."""
_GOES_ON: Final = (",", "(", "[", "«")
_DATED: Final = re.compile(r"(?:19|20)\d\d\D{0,3}$")
"""How a signature's date ends that old pages have on the line of the last article."""
_ADDRESS: Final = re.compile(r"(?:://|www\.)\S*$")


def is_cut_off(plan: Outline, kind: str, *, is_consolidated: bool) -> bool:
    """Whether the text of an act of some kind, as adopted or consolidated, seems to end too early."""
    parts = [part for part in plan.parts if part.kind not in ("title", "notes")]
    kinds = {part.kind for part in parts}
    if not kinds:
        return kind in SIGNED and not is_consolidated
    last = parts[-1]
    if last.kind == "article" and not last.lines:
        return not is_consolidated
    if plan.parts[-1].kind in ("annex", "body", "notes") and _breaks_off(plan.parts[-1], plan):
        return True
    is_behind_articles = last.kind == "annex" or (last.kind == "body" and bool(kinds & {"article", "annex"}))
    if is_behind_articles or _is_signed(plan, last):
        return False
    has_beginning = bool(kinds & {"recitals", "preamble"})
    if has_beginning and kind in SIGNED and not is_consolidated:
        return True
    return bool(last.lines) and _goes_on(plan.lines[last.lines[-1]], LONG_LINE)


def _is_signed(plan: Outline, last: Part) -> bool:
    if "signature" in plan.furniture.values():
        return True
    return last.kind == "article" and bool(last.lines) and bool(_DATED.search(plan.lines[last.lines[-1]]))


def _goes_on(line: str, shortest: int) -> bool:
    return len(line) >= shortest and not line.endswith(_STOPS) and _ADDRESS.search(line) is None


def _breaks_off(last: Part, plan: Outline) -> bool:
    """Whether an annex, or the notes, end in the middle of a sentence: without the stop that all others have."""
    if not last.lines or last.lines[-1] in plan.tables:
        return False
    line, shortest = plan.lines[last.lines[-1]], 0 if last.kind == "notes" else LONG_LINE
    if line.endswith(_GOES_ON):
        return last.kind != "notes"
    if line.count("(") > line.count(")"):
        return True
    others = [plan.lines[i] for i in last.lines[:-1] if i not in plan.tables]
    return _goes_on(line, shortest) and _usually_stops(others, shortest)


def _usually_stops(lines: Sequence[str], shortest: int) -> bool:
    stops = [line.endswith(_STOPS) for line in lines if len(line) >= shortest]
    return len(stops) >= FEWEST and sum(stops) >= USUAL * len(stops)


# What an act says about itself: title, kind, date, CELEX number.

_CELEX = re.compile(r"\b([1-9C]\d{4}[A-Z]{1,2}\d{3,4}(?:\(\d\d\)|R\(\d\d\))*)(?![\w(])")


class Facts(NamedTuple):
    """The head of an act's record."""

    celex: str
    title: str
    type: str
    date: str
    warnings: tuple[str, ...]
    consolidated: str | None
    consolidated_celex: str
    incomplete: bool


def describe(document: Document, plan: Outline, grammar: Grammar) -> Facts:
    """Gather the record of an act from its mark-up, its page header and its title.

    The date in a corrigendum's title is that of the act it corrects; a wrong date is worse than none.
    """
    title_lines = [plan.lines[i] for part in plan.parts if part.kind == "title" for i in part.lines]
    title = bare_title(" ".join(line for n, line in enumerate(title_lines) if not n or not is_remark(line)))
    signed = next((plan.lines[i] for i in sorted(plan.furniture) if plan.furniture[i] == "signature"), "")
    kind = _type(title, grammar)
    date = "" if kind == "corrigendum" else _date(title, grammar) or _date(signed, grammar)
    number = normalize_celex(
        document.celex or stated_celex(document) or _celex(plan) or celex_of(title, kind, date),
    )
    consolidated = consolidated_as_of(document)
    consolidated = number.consolidated if not consolidated and number.consolidated is not None else consolidated
    incomplete = document.incomplete or is_cut_off(plan, kind, is_consolidated=consolidated is not None)
    warnings: tuple[str, ...] = (CUT_OFF,) if incomplete else ()
    kinds = {part.kind for part in plan.parts}
    if not kinds & {"article", "annex", "recitals"} and not (consolidated is not None and kinds <= {"title"}):
        if any(part.label or part.heading for part in plan.parts):
            warnings += ("No articles, recitals or annexes were found: the text was divided at its own headings.",)
        else:
            if document.format == "html" and not (kind or number.act) and _is_notice(plan):
                raise no_act_error(None)
            warnings += ("No headings were found: the text was read as one body of paragraphs.",)
    return Facts(
        celex=number.act,
        title=title,
        type=kind,
        date=date,
        warnings=warnings,
        consolidated=consolidated,
        consolidated_celex=consolidated_celex(number.act, consolidated),
        incomplete=incomplete,
    )


def _is_notice(plan: Outline) -> bool:
    """Whether a text is as short as what a site says about an error, and nothing in it is numbered."""
    return sum(map(len, plan.lines)) < MIN_PAGE and not any(plan.marks)


_AROUND_TITLE: Final = re.compile(
    r"^(?:[►▼]\s?(?:\(\d+\)\s?)?[A-Z]\d*\s+|[LC]\s\d+\s\d+\s+)+"  # an arrow; number and page of the Journal
    r"|(?:\s*(?:[►▼◄]\s?(?:\(\d+\)\s?)?(?:[A-Z]\d*)?|\(\s?(?:\d{1,2}|\*+\d?)\s?\)|(?<=[\da-zα-ωа-я)])\s[LC]\s\d+(?:\s\d+)?))+$"
)
"""What is not a title's own at either end: arrows of consolidated texts, a footnote's marker, a page of the Journal
(but not the Journal that a corrigendum cites, "OJ L 351")."""


def bare_title(title: str) -> str:
    """A title without what the page put around it.

    >>> bare_title("►M1 L 236 33 Act of Accession (1) ◄"), bare_title("Council Regulation (EC) No 44/2001 L 351")
    ('Act of Accession', 'Council Regulation (EC) No 44/2001')
    """
    return _AROUND_TITLE.sub("", title)


def is_remark(line: str) -> bool:
    """Whether a line of a title is a remark in brackets, and not the date that some languages bracket.

    >>> is_remark("(Text with EEA relevance)"), is_remark("(2006. március 6.)")
    (True, False)
    """
    return line[:1] in "([" and line[-1:] in ")]" and not re.match(r"\((?:19|20)\d\d\. ", line)


def _celex(plan: Outline) -> str:
    for i in range(min(6, len(plan.lines))):
        match = _CELEX.search(plan.lines[i]) if len(plan.lines[i]) < 60 else None
        if match:
            return match.group(1)
    return ""


_LETTERS = {"regulation": "R", "directive": "L"}
_NUMBER = re.compile(r"\b(\d{1,4})/(\d{1,4})\b")


def celex_of(title: str, kind: str, date: str) -> str:
    """The CELEX number that an act's own number makes, where kind and date leave no doubt; else nothing.

    Regulations were numbered number/year until 2014 and year/number since, directives always year/number; the year is
    that of the date or, at the turn of a year, the next.

    >>> celex_of("REGULATION (EU) 2016/679 OF", "regulation", "2016-04-27")
    '32016R0679'
    >>> celex_of("REGULATION (EC) No 2023/2006", "regulation", "2006-12-22")
    '32006R2023'
    >>> celex_of("Directive 96/71/EC of the", "directive", "1996-12-16")
    '31996L0071'
    """
    match = _NUMBER.search(title[:160])
    if match is None or kind not in _LETTERS or not date:
        return ""
    adopted = int(date[:4])
    pairs = [match.group(1, 2)] if kind == "directive" else [match.group(2, 1), match.group(1, 2)]
    for year, number in pairs:
        full = int(year) if len(year) == 4 else 1900 + int(year)
        if full in (adopted, adopted + 1):
            return f"3{full}{_LETTERS[kind]}{int(number):04d}"
    return ""


def _type(title: str, grammar: Grammar) -> str:
    """The kind of act whose word comes first in the title."""
    folded = fold(title[:300])
    found = [(folded.find(word), -len(word), kind) for word, kind in grammar.types if word in folded]
    return min(found)[2] if found else ""


_YEAR_FIRST = re.compile(r"\b((?:19|20)\d\d)\b\D{0,8}?(?:\b(\d{1,2})\b\D{0,6})?$")


def _date(title: str, grammar: Grammar) -> str:
    """The first date in a title: day, month, year, or the year first, as Hungarian, Latvian and Lithuanian have it."""
    folded = fold(title[:400])
    found = []
    for name, month in grammar.months.items():
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded):
            before, after = folded[max(0, match.start() - 24) : match.start()], folded[match.end() :]
            date = _around(before, after)
            if date is not None:
                found.append((match.start(), f"{date[0]}-{month:02d}-{date[1]:02d}"))
    return min(found)[1] if found else ""


def _around(before: str, after: str) -> tuple[int, int] | None:
    """Year and day on either side of a month's name."""
    days, years = re.search(r"(\d{1,2})\D{0,12}$", before), re.match(r"\D{0,12}((?:19|20)\d\d)\b", after)
    early, late = _YEAR_FIRST.search(before), re.match(r"\D{0,6}(\d{1,2})\b", after)
    if days and years:
        year, day = int(years.group(1)), int(days.group(1))
    elif early and (early.group(2) or late):
        year, day = int(early.group(1)), int(early.group(2) or (late.group(1) if late else 0))
    else:
        return None
    return (year, day) if 1 <= day <= 31 else None
