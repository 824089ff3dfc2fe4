"""What an act says about itself: title, type, date, CELEX number; whether it is consolidated, repealed or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from lexlattice.act.document import CUT_OFF
from lexlattice.act.remarks import Remark
from lexlattice.reading.celex import consolidated_celex, normalize_celex
from lexlattice.reading.formats.blocks import Block, Document, Role, iso_day
from lexlattice.reading.formats.site_frame import MIN_PAGE, no_act_error
from lexlattice.reading.languages.grammar import HEAD, Grammar, fold
from lexlattice.reading.structure.outline import Outline
from lexlattice.reading.structure.sections import ParsedSection

NEAR_THE_TOP: Final = 12
"""Lines among which a page says what it is."""
LONGEST_LIST: Final = 1500
"""Lines among which the acts are listed that a consolidated text consists of."""
LONGEST_OPENER: Final = 60
"""Characters of a line that says only that the act is repealed."""
LONGEST_HEADER: Final = 100
"""Characters of a header."""
FEWEST_WORDS: Final = 4
"""Spaces in a sentence; the dates in a list, which some languages end with a stop, have fewer."""
SIGNED: Final = ("regulation", "directive", "decision")
"""Types of acts that always end with place, date and signature; agreements are signed in many ways."""
LONG_LINE: Final = 90
"""Characters of a line that is a sentence, not a heading or an entry of a list."""
USUAL_SHARE: Final = 0.9
"""The share of sentences that end with a stop if all of them should."""
FEWEST_SENTENCES: Final = 3
"""Sentences that are needed to know what is usual."""

_REFERENCE: Final = re.compile(
    r"\b(0?[1-9]?(?:19|20)\d\d[A-Z]{1,2}\d{4}(?:\(\d\d\))?)\s[—–-]\s([A-Z]{2})\s[—–-]\s(\d\d)\.(\d\d)\.(\d{4})\b"
)
"""The head of consolidated pages of any age: "1991R1534 — EN — 01.05.2004 — 001.001"."""
_NUMBERED: Final = re.compile(r"\d/\d")
"""What the number of an act contains: the "6/6" of "Regulation (EU) 2016/679"."""
_HEADERS: Final = (Role.ARTICLE, Role.DIVISION, Role.ANNEX)
_STOPS: Final = tuple(".;:!?…)]»”“’\"'>*—–-%°")
"""What a finished line can end with, including quotations, notes, and tables of old pages."""
_CONTINUES: Final = (",", "(", "[", "«")
"""What a line ends with only if the sentence continues."""
_DATED: Final = re.compile(r"(?:19|20)\d\d\D{0,3}$")
"""The end of a signature's date, which old pages print on the line of the last article: "26 April 1999."."""
_ADDRESS: Final = re.compile(r"(?:://|www\.)\S*$")
"""A web address at the end of a line, which needs no stop."""
_CELEX: Final = re.compile(r"\b([1-9C]\d{4}[A-Z]{1,2}\d{3,4}(?:\(\d\d\)|R\(\d\d\))*)(?![\w(])")
"""A CELEX number on a page: "32016R0679", "32016R0679R(02)"."""
_TITLE_EDGES: Final = re.compile(
    r"^(?:[►▼]\s?(?:\(\d+\)\s?)?[A-Z]\d*\s+|[LC]\s\d+\s\d+\s+)+"  # an arrow; number and page of the Journal
    r"|(?:\s*(?:[►▼◄]\s?(?:\(\d+\)\s?)?(?:[A-Z]\d*)?|\(\s?(?:\d{1,2}|\*+\d?)\s?\)|(?<=[\da-zα-ωа-я)])\s[LC]\s\d+(?:\s\d+)?))+$"
)
"""What does not belong to a title at its ends: arrows of consolidated texts, a footnote's marker, a page of the
Journal (but not the Journal that a corrigendum cites, "OJ L 351")."""
_NO_ARTICLES: Final = Remark(
    "no-articles", "No articles, recitals or annexes were found: the text was divided at its own headings."
)
_NO_HEADINGS: Final = Remark("no-headings", "No headings were found: the text was read as one body of paragraphs.")
_LETTERS: Final = {"regulation": "R", "directive": "L", "decision": "D"}
"""The letter of a type of act in CELEX numbers."""
_NUMBER: Final = re.compile(r"\b(\d{1,4})/(\d{1,4})\b")
"""The number of an act: "2016/679", "44/2001"."""
_IN_SERIES: Final = re.compile(r"\([^\W\d_]{2,10}(?:\s?,\s?[^\W\d_]{2,10})*\)\s?(20\d\d)/(\d{1,4})\b")
"""The number of a decision in the one series of all acts: "(EU) 2025/9003", "(CFSP) 2015/76"."""
_SERIES: Final = 2015
"""The first year of this series; before, decisions had numbers of several kinds."""
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_NUMBERED_APART: Final = re.compile("parl|парл|κοινοβ|κοινόβ|ban[ckq]|pank|банк|τραπεζ|τράπεζ", re.IGNORECASE)
"""The Parliament and the Central Bank in any language, whose own decisions can have other CELEX numbers."""
_YEAR_FIRST: Final = re.compile(r"\b((?:19|20)\d\d)\b\D{0,8}?(?:\b(\d{1,2})\b\D{0,6})?$")
"""Year, and perhaps day, before a month: "2006. gada 20. ", "2006. "."""


class Facts(NamedTuple):
    """The metadata of an act; the fields are those of `Act`."""

    celex: str
    title: str
    type: str
    date: str
    warnings: tuple[str, ...]
    consolidated: str | None
    consolidated_celex: str
    incomplete: bool


def describe(document: Document, outline: Outline, grammar: Grammar) -> Facts:
    """Gather the metadata of an act from its mark-up, its page header and its title.

    The date in a corrigendum's title is that of the act it corrects, so it is left out: no date is better than a wrong
    one.

    Raises:
        NotAnActError: The document is a notice of a website, such as an error page.

    """
    title_lines = [outline.lines[i] for section in outline.sections if section.kind == "title" for i in section.lines]
    title = bare_title(" ".join(line for n, line in enumerate(title_lines) if not n or not is_remark(line)))
    signed = next((outline.lines[i] for i in sorted(outline.furniture) if outline.furniture[i] == "signature"), "")
    kind = _type(title, grammar)
    date = "" if kind == "corrigendum" else _date(title, grammar) or _date(signed, grammar)
    number = normalize_celex(
        document.celex or stated_celex(document) or _celex(outline) or celex_of(title, kind, date),
    )
    consolidated = consolidated_as_of(document)
    consolidated = number.consolidated if not consolidated and number.consolidated is not None else consolidated
    incomplete = document.incomplete or is_cut_off(outline, kind, is_consolidated=consolidated is not None)
    warnings: tuple[str, ...] = (CUT_OFF,) if incomplete else ()
    kinds = {section.kind for section in outline.sections}
    if not kinds & {"article", "annex", "recitals"} and not (consolidated is not None and kinds <= {"title"}):
        if any(section.label or section.heading for section in outline.sections):
            warnings += (_NO_ARTICLES,)
        else:
            if document.format == "html" and not (kind or number.act) and _is_notice(outline):
                raise no_act_error(None)
            warnings += (_NO_HEADINGS,)
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


def _is_notice(outline: Outline) -> bool:
    """Whether a text is as short as an error message of a website, and nothing in it is numbered."""
    return sum(map(len, outline.lines)) < MIN_PAGE and not any(outline.marks)


def bare_title(title: str) -> str:
    """A title without page marks.

    >>> bare_title("►M1 L 236 33 Act of Accession (1) ◄"), bare_title("Council Regulation (EC) No 44/2001 L 351")
    ('Act of Accession', 'Council Regulation (EC) No 44/2001')
    """
    return _TITLE_EDGES.sub("", title)


def is_remark(line: str) -> bool:
    """Whether a line of a title is a remark in brackets, and not the date that some languages bracket.

    >>> is_remark("(Text with EEA relevance)"), is_remark("(2006. március 6.)")
    (True, False)
    """
    return line[:1] in "([" and line[-1:] in ")]" and not re.match(r"\((?:19|20)\d\d\. ", line)


def _type(title: str, grammar: Grammar) -> str:
    """The type of act whose word comes first in the title."""
    folded = fold(title[:300])
    found = [(folded.find(word), -len(word), kind) for word, kind in grammar.types if word in folded]
    return min(found)[2] if found else ""


def _date(title: str, grammar: Grammar) -> str:
    """The first date in a title: day, month, year, or year first as in Hungarian, Latvian and Lithuanian."""
    folded = fold(title[:400])
    found = []
    for name, month in grammar.months.items():
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded):
            before, after = folded[max(0, match.start() - 24) : match.start()], folded[match.end() :]
            date = _year_and_day(before, after)
            if date is not None:
                found.append((match.start(), f"{date[0]}-{month:02d}-{date[1]:02d}"))
    return min(found)[1] if found else ""


def _year_and_day(before: str, after: str) -> tuple[int, int] | None:
    """Year and day on either side of a month's name; None if one is missing."""
    days, years = re.search(r"(\d{1,2})\D{0,12}$", before), re.match(r"\D{0,12}((?:19|20)\d\d)\b", after)
    early, late = _YEAR_FIRST.search(before), re.match(r"\D{0,6}(\d{1,2})\b", after)
    if days and years:
        year, day = int(years.group(1)), int(days.group(1))
    elif early and (early.group(2) or late):
        year, day = int(early.group(1)), int(early.group(2) or (late.group(1) if late else 0))
    else:
        return None
    return (year, day) if 1 <= day <= 31 else None


def _celex(outline: Outline) -> str:
    for i in range(min(6, len(outline.lines))):
        match = _CELEX.search(outline.lines[i]) if len(outline.lines[i]) < 60 else None
        if match:
            return match.group(1)
    return ""


def celex_of(title: str, kind: str, date: str) -> str:
    """The CELEX number, made from an act's own number if type and date leave no doubt; else empty.

    Regulations were numbered number/year until 2014 and year/number since, directives always year/number; the year is
    that of the date or, at the turn of a year, the next. Decisions are known since 2015, if they name their series and
    neither the Parliament nor a bank.

    >>> celex_of("REGULATION (EU) 2016/679 OF", "regulation", "2016-04-27")
    '32016R0679'
    >>> celex_of("REGULATION (EC) No 2023/2006", "regulation", "2006-12-22")
    '32006R2023'
    >>> celex_of("Directive 96/71/EC of the", "directive", "1996-12-16")
    '31996L0071'
    >>> celex_of("COUNCIL DECISION (EU) 2025/9003 of", "decision", "2025-11-24")
    '32025D9003'
    >>> celex_of("DECISION No 1/2015 of the Joint Committee amending Decision (EU) 2015/76", "decision", "2015-03-01")
    ''
    >>> celex_of("DECISION (EU) 2016/456 OF THE EUROPEAN CENTRAL BANK of", "decision", "2016-03-04")
    ''
    """
    match = _NUMBER.search(title[:160])
    if match is None or kind not in _LETTERS or not date:
        return ""
    if kind == "decision" and not _is_in_series(title, match):
        return ""
    adopted = int(date[:4])
    # Pairs of year and number, as the numbering of the time has them.
    pairs = [match.group(1, 2)] if kind != "regulation" else [match.group(2, 1), match.group(1, 2)]
    for year, number in pairs:
        full = int(year) if len(year) == 4 else 1900 + int(year)
        if full in (adopted, adopted + 1):
            return f"3{full}{_LETTERS[kind]}{int(number):04d}"
    return ""


def _is_in_series(title: str, number: re.Match[str]) -> bool:
    """Whether the number of a decision is its own, since it precedes the date, and one of the series of all acts."""
    found = _IN_SERIES.search(title[: number.end() + 1])
    if found is None or int(found[1]) < _SERIES or _YEAR.search(title[: found.start()]):
        return False
    return _NUMBERED_APART.search(title[:160]) is None


def consolidated_as_of(document: Document) -> str | None:
    """The date of a consolidated text, empty if it does not say; None for an act as adopted."""
    days = [day for day in (document.consolidated, _stated_day(document)) if day is not None]
    return next(filter(None, days), "") if days else None


def _stated_day(document: Document) -> str | None:
    return next((iso_day(*match.group(5, 4, 3)) for match in _references(document)), None)


def stated_celex(document: Document) -> str:
    """The CELEX number at the head of a consolidated page, as written there; empty for any other text."""
    return next((match[1] for match in _references(document)), "")


def stated_language(document: Document) -> str:
    """The language code at the head of a consolidated page; empty for any other text."""
    return next((match[2].lower() for match in _references(document)), "")


def _references(document: Document) -> Iterator[re.Match[str]]:
    found = (_REFERENCE.search(block.text[:200]) for block in document.blocks[:NEAR_THE_TOP])
    return (match for match in found if match)


def record_repeal(document: Document, grammar: Grammar) -> None:
    """Record what repealed the act.

    If a consolidated text contains nothing of the act itself, its list of acts becomes furniture.
    """
    if consolidated_as_of(document) is None:
        return
    blocks = document.blocks
    opener = _find_repeal(blocks, grammar)
    if opener is not None and not document.repealed:
        document.repealed = _repealing_act(blocks, opener)
    titles = [i for i, block in enumerate(blocks[:LONGEST_LIST]) if block.role is Role.TITLE]
    rest = blocks[opener:] if opener is not None else blocks[titles[-1] + 1 :] if titles else []
    above = blocks[: len(blocks) - len(rest)]
    has_headers = any(block.role is Role.ARTICLE or _is_header(block, grammar) for block in above)
    if not has_headers and not any(_is_act_text(block, grammar) for block in rest):
        for block in rest:
            block.role = Role.PAGE


def _find_repeal(blocks: Sequence[Block], grammar: Grammar) -> int | None:
    """The line above the articles that says that the act is repealed."""
    for i, block in enumerate(islice(blocks, LONGEST_LIST)):
        if block.role is Role.ARTICLE or (block.role is None and _is_header(block, grammar)):
            return None
        text = block.text[:HEAD]
        if grammar.opens("repealed", fold(text)) and (len(block.text) <= LONGEST_OPENER or ":" in text):
            return i
    return None


def _repealing_act(blocks: Sequence[Block], opener: int) -> str:
    """The act named after the words "repealed by", on their line or one of the next."""
    named = blocks[opener].text.partition(":")[2].strip()
    if named:
        return named
    below = (block.text.strip() for block in blocks[opener + 1 : opener + 1 + NEAR_THE_TOP])
    return next((text for text in below if _NUMBERED.search(text)), "")


def _is_act_text(block: Block, grammar: Grammar) -> bool:
    """Whether a line is text of the act: a title, a header, a table or a sentence."""
    if block.role is Role.PAGE or block.role is Role.CONTENTS:
        return False
    if block.role in (*_HEADERS, Role.TITLE, Role.TABLE) or _is_header(block, grammar):
        return True
    return block.text.rstrip().endswith((".", ";")) and block.text.count(" ") >= FEWEST_WORDS


def _is_header(block: Block, grammar: Grammar) -> bool:
    header = grammar.header(block.text) if len(block.text) < LONGEST_HEADER else None
    return header is not None and header.kind in ("article", "annex")


def is_cut_off(outline: Outline, kind: str, *, is_consolidated: bool) -> bool:
    """Whether the text of an act seems to be cut off: what was lost cannot be summarised."""
    sections = [section for section in outline.sections if section.kind not in ("title", "notes")]
    kinds = {section.kind for section in sections}
    if not kinds:
        return kind in SIGNED and not is_consolidated
    last = sections[-1]
    if last.kind == "article" and not last.lines:  # a header without text
        return not is_consolidated
    if outline.sections[-1].kind in ("annex", "body", "notes") and _ends_mid_sentence(outline.sections[-1], outline):
        return True
    # Annexes and attached texts come after the signature, so an act that has them is not cut off before it.
    is_behind_articles = last.kind == "annex" or (last.kind == "body" and bool(kinds & {"article", "annex"}))
    if is_behind_articles or _is_signed(outline, last):
        return False
    # A fragment without a preamble may be an excerpt, which has no signature.
    has_beginning = bool(kinds & {"recitals", "preamble"})
    if has_beginning and kind in SIGNED and not is_consolidated:
        return True
    return bool(last.lines) and _is_unfinished(outline.lines[last.lines[-1]], LONG_LINE)


def _is_signed(outline: Outline, last: ParsedSection) -> bool:
    if "signature" in outline.furniture.values():
        return True
    return last.kind == "article" and bool(last.lines) and bool(_DATED.search(outline.lines[last.lines[-1]]))


def _is_unfinished(line: str, shortest: int) -> bool:
    return len(line) >= shortest and not line.endswith(_STOPS) and _ADDRESS.search(line) is None


def _ends_mid_sentence(last: ParsedSection, outline: Outline) -> bool:
    """Whether an annex or the notes end in the middle of a sentence: without the stop that the others have."""
    if not last.lines or last.lines[-1] in outline.tables:
        return False
    line, shortest = outline.lines[last.lines[-1]], 0 if last.kind == "notes" else LONG_LINE
    if line.endswith(_CONTINUES):
        return last.kind != "notes"
    if line.count("(") > line.count(")"):
        return True
    others = [outline.lines[i] for i in last.lines[:-1] if i not in outline.tables]
    return _is_unfinished(line, shortest) and _usually_ends_with_stop(others, shortest)


def _usually_ends_with_stop(lines: Sequence[str], shortest: int) -> bool:
    stops = [line.endswith(_STOPS) for line in lines if len(line) >= shortest]
    return len(stops) >= FEWEST_SENTENCES and sum(stops) >= USUAL_SHARE * len(stops)
