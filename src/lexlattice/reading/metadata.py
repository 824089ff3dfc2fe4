"""What an act says about itself: title, kind, date, CELEX number."""

from __future__ import annotations

import re
from typing import NamedTuple

from lexlattice.reading.blocks import Document
from lexlattice.reading.grammar import Grammar, fold
from lexlattice.reading.outline import Outline

_CELEX = re.compile(r"\b([1-9C]\d{4}[A-Z]{1,2}\d{3,4}(?:\(\d\d\)|R\(\d\d\))*)(?![\w(])")


class Facts(NamedTuple):
    """The head of an act's record."""

    celex: str
    title: str
    type: str
    date: str
    warnings: tuple[str, ...]


def describe(document: Document, plan: Outline, grammar: Grammar) -> Facts:
    """Gather the record of an act from its mark-up, its page header and its title."""
    title_lines = [plan.lines[i] for part in plan.parts if part.kind == "title" for i in part.lines]
    title = " ".join(line for n, line in enumerate(title_lines) if not n or not is_remark(line))
    kind = _type(title, grammar)
    warnings: tuple[str, ...] = ()
    kinds = {part.kind for part in plan.parts}
    if not kinds & {"article", "annex", "recitals"}:
        if any(part.label or part.heading for part in plan.parts):
            warnings = ("No articles, recitals or annexes were found: the text was divided at its own headings.",)
        else:
            warnings = ("No headings were found: the text was read as one body of paragraphs.",)
    return Facts(
        celex=document.celex or _celex(plan) or celex_of(title, kind),
        title=title,
        type=kind,
        date=_date(title, grammar),
        warnings=warnings,
    )


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


_LETTERS = {"regulation": "R", "directive": "L", "decision": "D", "recommendation": "H"}
_NEW = re.compile(r"\b(20[12]\d)/(\d{1,4})\b(?!/)")
_OLD = re.compile(r"\b(\d{1,4})/((?:19|20)?\d\d)\b(?!/\d)")
_BY_YEAR = re.compile(r"\b((?:19|20)?\d\d)/(\d{1,4})/")


def celex_of(title: str, kind: str) -> str:
    """The CELEX number that an act's own number makes, as far as the title tells.

    >>> celex_of("REGULATION (EU) 2016/679 OF", "regulation"), celex_of("REGULATION (EC) No 458/2007", "regulation")
    ('32016R0679', '32007R0458')
    >>> celex_of("Directive 96/71/EC of the", "directive"), celex_of("of something else", "decision")
    ('31996L0071', '')
    """
    letter, head = _LETTERS.get(kind, ""), title[:160]
    found = [match for match in (_BY_YEAR.search(head), _NEW.search(head)) if match]
    match = min(found, key=lambda match: match.start(), default=None)
    if letter == "R" and (match is None or int(match.group(1)) < 2015):
        match = _OLD.search(head)
        number, year = match.group(1, 2) if match else ("", "")
    else:
        year, number = match.group(1, 2) if match else ("", "")
    if not letter or not number:
        return ""
    century = "" if len(year) == 4 else "19" if int(year) > 50 else "20"
    return f"3{century}{year}{letter}{int(number):04d}"


def _type(title: str, grammar: Grammar) -> str:
    """The kind of act whose word comes first in the title."""
    folded = fold(title[:300])
    found = [(folded.find(word), -len(word), kind) for word, kind in grammar.types if word in folded]
    return min(found)[2] if found else ""


_YEAR_FIRST = re.compile(r"\b((?:19|20)\d\d)\b\D{0,8}?(?:\b(\d{1,2})\b\D{0,6})?$")


def _date(title: str, grammar: Grammar) -> str:
    """The first date in a title: day, month, year, or the year first, as Hungarian, Latvian and Lithuanian have it."""
    folded = fold(title[:400])
    for name, month in grammar.months.items():
        place = folded.find(name)
        if place < 0:
            continue
        before, after = folded[max(0, place - 24) : place], folded[place + len(name) :]
        early = _YEAR_FIRST.search(before)
        if early:
            year, day = early.group(1), early.group(2)
            late = re.match(r"\D{0,6}(\d{1,2})\b", after)
            day = day or (late.group(1) if late else None)
        else:
            days, years = re.search(r"(\d{1,2})\D{0,12}$", before), re.match(r"\D{0,12}((?:19|20)\d\d)\b", after)
            day, year = (days.group(1), years.group(1)) if days and years else (None, "")
        if day and 1 <= int(day) <= 31:
            return f"{year}-{month:02d}-{int(day):02d}"
    return ""
