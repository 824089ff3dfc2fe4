"""Diagnostics of a parsed act: what its numbering, citations and shape tell about how well it was read.

A finding is a place to check, not an error: acts do leave numbers out, and attached statutes do have articles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from lexlattice.act.document import Act, Section, Unit
from lexlattice.reading.languages.numbering import from_roman

LONG_UNIT: Final = 400
"""A unit with more words than this is very long."""
DEEP_STEPS: Final = 2
"""A unit of an annex with this many counted steps ("second subparagraph") has a very deep citation."""
FURNITURE_SHARE: Final = 0.2
"""A larger share of letters in furniture is a finding."""
SHOWN: Final = 5
"""Places that a finding names when it is printed."""

FINDINGS: Final = {
    "article-gaps": "gaps in article numbers",
    "article-repeats": "article numbers that are repeated or out of order",
    "recital-gaps": "gaps in recital numbers",
    "recital-repeats": "recital numbers that are repeated or out of order",
    "inner-articles": "articles inside annexes or attachments",
    "shared-citations": "units that share their citation with another",
    "doubled-ids": "units whose id another unit has",
    "long-units": f"units of more than {LONG_UNIT} words",
    "deep-citations": f"annex units under {DEEP_STEPS} or more counted steps",
    "letterless-units": "units without letters",
    "cut-lists": "lists that do not begin at their first item",
    "late-sections": "bodies or notes after the first annex",
    "one-section": "acts of a single section",
    "furniture": "letters outside all units",
}
"""The checks by name, in the order of a report."""

_STEP_BOUNDARY: Final = re.compile(r"\.(?=[a-z]+-|q\b)")
"""Where an id is split into steps, but not inside "pt-1.2"."""
_RECITAL: Final = re.compile(r"((?:.*\.)?)rec-(\w+?)(?:~\d+)?")
"""The id of a recital and its container: "rec-12", "att-1.rec-3~2"."""
_NUMBER: Final = re.compile(r"\d+")
_ITEM: Final = re.compile(r"(pt|par)-(?:(\d+(?:\.\d+)*)[a-z]*|([a-z]+))")
"""The last step of a list item's id: "pt-1.2", "pt-a", "par-3"."""
_LETTERED_FIRST: Final = ("a", "i", "aa")
"""Letters that lists begin with."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    """One of `FINDINGS`."""
    count: int
    """The number of cases found."""
    of: int
    """The number of cases checked: articles, recitals, units, sections or letters, depending on the check."""
    where: tuple[str, ...]
    """The citation of each case, in the order of the act; of a gap, the numbers on either side."""

    @property
    def share(self) -> float:
        """`count` divided by `of`, 0 to 1."""
        return self.count / self.of if self.of else 0.0

    def __str__(self) -> str:
        shown = "; ".join(self.where[:SHOWN])
        rest = len(self.where) - SHOWN
        more = f" and {rest:,} more" if rest > 0 else ""
        share = f" of {self.of:,} ({self.share:.1%})" if self.of else ""
        return f"{FINDINGS[self.name]}: {self.count:,}{share}" + (f": {shown}{more}" if shown else "")


@dataclass(frozen=True, slots=True)
class Health:
    """The diagnostics of one act."""

    celex: str
    language: str
    sections: int
    units: int
    words: int
    articles: int
    """Sections that are articles, including those of annexes and attached acts."""
    recitals: int
    annexes: int
    annex_units: int
    """Units of annexes, including those of their articles."""
    tables: int
    """Units that are tables."""
    letters: int
    """Characters of the source that are not white space."""
    furniture: float
    """Share of the letters that are in furniture other than tables, 0 to 1."""
    findings: tuple[Finding, ...]
    """The findings, in the order of `FINDINGS`."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of cases of each check."""
        return dict.fromkeys(FINDINGS, 0) | {finding.name: finding.count for finding in self.findings}

    def to_dict(self) -> dict[str, Any]:
        """The diagnostics as plain JSON types."""
        findings = [
            {"name": f.name, "about": FINDINGS[f.name], "count": f.count, "of": f.of, "where": list(f.where)}
            for f in self.findings
        ]
        names = (name for name in self.__slots__ if name != "findings")
        return {**{name: getattr(self, name) for name in names}, "findings": findings}

    def __str__(self) -> str:
        facts = (
            f"{self.sections:,} sections, {self.units:,} units, {self.words:,} words: {self.articles:,} articles,"
            f" {self.recitals:,} recitals, {self.annexes:,} annexes, {self.tables:,} tables;"
            f" {self.furniture:.1%} of the letters are furniture"
        )
        return "\n".join([facts, *(f"- {finding}" for finding in self.findings or ["nothing found"])])


def health(act: Act) -> Health:
    """Check an act for signs that it was read wrongly.

    Args:
        act: The act to check.

    Returns:
        Counts of what the act contains, and the findings with the citations of each case.

    """
    articles = articles_of(act)
    recitals = recitals_of(act)
    annex_units = [unit for unit in act.units if unit.id.startswith("anx")]
    letters = _letter_count(act.source)
    furniture_letters = Counter[str]()
    for piece in act.furniture:
        if piece.kind != "table":
            furniture_letters[piece.kind] += _letter_count(act.source[piece.start : piece.end])
    found = [
        _finding("article-gaps", gaps(articles), len(articles)),
        _finding("article-repeats", repeats(articles), len(articles)),
        _finding("recital-gaps", gaps(recitals), len(recitals)),
        _finding("recital-repeats", repeats(recitals), len(recitals)),
        _finding("inner-articles", [article.name for article in articles if article.container], len(articles)),
        _finding("shared-citations", _shared_citations(act.units), len(act.units)),
        _finding("doubled-ids", [f"{unit.citation} [{unit.id}]" for unit in act.units if "~" in unit.id], len(act)),
        _units("long-units", act.units, lambda unit: unit.words > LONG_UNIT and unit.kind != "table"),
        _units("deep-citations", annex_units, lambda unit: _counted_steps(unit.provision) >= DEEP_STEPS),
        _units("letterless-units", act.units, _is_letterless),
        _finding("cut-lists", _cut_lists(act), len(act)),
        _finding("late-sections", _late_sections(act.sections), len(act.sections)),
        _finding("one-section", _sole_section(act.sections), 1),
        _furniture_finding(furniture_letters, letters),
    ]
    return Health(
        celex=act.celex,
        language=act.language,
        sections=len(act.sections),
        units=len(act.units),
        words=act.words,
        articles=len(articles),
        recitals=len(recitals),
        annexes=sum(section.kind == "annex" for section in act.sections),
        annex_units=len(annex_units),
        tables=sum(unit.kind == "table" for unit in act.units),
        letters=letters,
        furniture=furniture_letters.total() / letters if letters else 0.0,
        findings=tuple(finding for finding in found if finding.count),
    )


def steps_of(path: str) -> list[str]:
    """The steps of an id; a dotted number is one step.

    >>> steps_of("anx-I.part-A.pt-1.2")
    ['anx-I', 'part-A', 'pt-1.2']
    """
    return _STEP_BOUNDARY.split(path)


@dataclass(frozen=True, slots=True)
class Numbered:
    """An article or a recital: its container, the value of its number, and its name."""

    container: str
    value: int
    """0 if its number has no value."""
    name: str
    number: str


def _numbered(container: str, number: str, name: str) -> Numbered:
    digits = _NUMBER.match(number)
    value = int(digits.group()) if digits else from_roman(number.lower())
    return Numbered(container, value, f"{name} ({container})" if container else name, number)


def articles_of(act: Act) -> list[Numbered]:
    """The articles in order; one without text is in the container of the one before it."""
    found: list[Numbered] = []
    container = ""
    for section in act.sections:
        if section.units and section.kind in ("article", "annex"):
            container = _container(section)
        if section.kind == "article":
            found.append(_numbered(container, section.number, section.label or section.number))
    return found


def _container(section: Section) -> str:
    """The annex or attached act of a section, by the ids of its units; empty for the act itself."""
    steps = steps_of(section.units[0].id)
    for n, step in enumerate(steps):
        if step.startswith("art-"):
            return ".".join(steps[:n])
    return steps[0]


def recitals_of(act: Act) -> list[Numbered]:
    """The recitals in order, each once, regardless of how many sentences and points it has."""
    found: dict[str, Numbered] = {}
    for section in act.sections:
        if section.kind != "recitals":
            continue
        for unit in section.units:
            match = _RECITAL.fullmatch(unit.provision)
            if match is not None and unit.provision not in found:
                name = unit.citation if unit.id == unit.provision else unit.citation.rpartition(",")[0] or unit.citation
                found[unit.provision] = _numbered(match[1].rstrip("."), match[2], name)
    return list(found.values())


def _by_container(items: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    groups: dict[str, list[Numbered]] = {}
    for item in items:
        if item.value:
            groups.setdefault(item.container, []).append(item)
    yield from groups.values()


def gaps(items: Iterable[Numbered]) -> Iterator[str]:
    """Missing numbers, one entry per gap; a sole article is an excerpt and has none."""
    for group in _by_container(items):
        named = {item.value: item.name for item in reversed(group)}
        for before, after in pairwise([0, *sorted(named)] if len(named) > 1 else named):
            if after > before + 1:
                yield f"{named[before]} → {named[after]}" if before else f"before {named[after]}"


def repeats(items: Iterable[Numbered]) -> Iterator[str]:
    """Numbers that occurred before, or follow a higher one."""
    for group in _by_container(items):
        seen: set[str] = set()
        highest = 0
        for item in group:
            if item.number in seen or item.value < highest:
                yield item.name
            seen.add(item.number)
            highest = max(highest, item.value)


def _finding(name: str, where: Iterable[str], of: int) -> Finding:
    named = tuple(where)
    return Finding(name, len(named), of, named)


def _units(name: str, units: Sequence[Unit], has: Callable[[Unit], bool]) -> Finding:
    return _finding(name, [unit.citation for unit in units if has(unit)], len(units))


def _letter_count(text: str) -> int:
    return len(text) - sum(map(text.count, (" ", "\n", "\t")))


def _shared_citations(units: Sequence[Unit]) -> list[str]:
    """Citations that several units have, once per unit; the parts of the title are all cited as the title."""
    cited = [unit.citation for unit in units if unit.kind != "title"]
    times = Counter(cited)
    return [citation for citation in cited if times[citation] > 1]


def _counted_steps(provision: str) -> int:
    """The number of steps in an id that are counted because the act does not number them."""
    return sum(step.startswith("sub-") for step in steps_of(provision))


def _is_letterless(unit: Unit) -> bool:
    return unit.kind != "table" and not any(map(str.isalpha, unit.text))


def _cut_lists(act: Act) -> Iterator[str]:
    """The first item of each list that does not begin with 1, a or i; quoted lists may begin anywhere."""
    begun: set[tuple[str, str, str]] = set()
    for unit in act.units:
        *around, last = steps_of(unit.provision)
        match = _ITEM.fullmatch(last.partition("~")[0])
        if match is None or any(step.startswith("q") for step in around):
            continue
        stem, _, number = (match[2] or "").rpartition(".")
        kind = f"{match[1]}{stem}." if match[2] else match[1]
        group = (".".join(around), kind, stem)
        if group not in begun and (number.lstrip("0") != "1" if match[2] else match[3] not in _LETTERED_FIRST):
            yield unit.citation
        begun.add(group)


def _late_sections(sections: Sequence[Section]) -> Iterator[str]:
    """Bodies and notes among or after the annexes; notes at the end of the act are usual."""
    first = next((section.index for section in sections if section.kind == "annex"), len(sections))
    for section in sections[first:]:
        is_end = section.kind == "notes" and section.index == len(sections) - 1
        if section.kind in ("body", "notes") and not is_end:
            yield section.units[0].citation if section.units else section.label


def _sole_section(sections: Sequence[Section]) -> list[str]:
    rest = [section for section in sections if section.kind not in ("title", "notes")]
    return [section.label or section.kind for section in rest] if len(rest) == 1 else []


def _furniture_finding(furniture_letters: Counter[str], letters: int) -> Finding:
    count = furniture_letters.total()
    if not letters or count / letters <= FURNITURE_SHARE:
        return Finding("furniture", 0, letters, ())
    return Finding(
        "furniture", count, letters, tuple(f"{kind} {n / letters:.1%}" for kind, n in furniture_letters.most_common())
    )
