"""What an act says about itself: title, kind, date, CELEX number."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from lexlattice.act import CUT_OFF
from lexlattice.reading.blocks import Document
from lexlattice.reading.celex import consolidated_celex, normalize_celex
from lexlattice.reading.completeness import is_cut_off
from lexlattice.reading.consolidation import consolidated_as_of, stated_celex
from lexlattice.reading.grammar import Grammar, fold
from lexlattice.reading.outline import Outline
from lexlattice.reading.site_frame import SHORTEST_PAGE, no_act

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
                raise no_act(None)
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
    return sum(map(len, plan.lines)) < SHORTEST_PAGE and not any(plan.marks)


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
