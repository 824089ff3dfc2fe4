"""The roles that provisions play in an act: aim, application, closing formulas, background and so on.

Aim, key points and background are recognized by position, digits and quotation marks, which are the same in every
language. The provisions that close an act need words too, from `[closing]` in `languages/*.toml`: "is addressed to" and
"shall enter into force" stand in the same place, and only one of them says from when the act applies.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Final

from lexlattice._internal.lazy import once
from lexlattice.act.document import Act, Section, Unit
from lexlattice.reading.languages.grammar import LANGUAGES, raw

_BY_SECTION: Final = {"title": "background", "preamble": "background", "recitals": "background", "notes": "related"}
_ENACTING: Final = ("article", "annex", "body")
_POINTS: Final = ("point", "indent")

_FINAL_ARTICLES: Final = {"regulation": 1, "decision": 1, "directive": 2}
"""How many articles at the end say from when an act applies; a directive's very last one names its addressees."""
_WITHOUT_FORMULAS: Final = ("agreement", "treaty")
_LONGEST_FINAL: Final = 10
"""An article with more provisions is not a final one: signatures or an annex were read into it."""
_TRANSPOSED_IN: Final = 5
"""The article on transposition is among the last N articles of a directive."""
_APPLICATION_WORDS: Final = 100
"""This many words are enough to say from when an act applies."""

_YEAR: Final = re.compile(r"(?<![\d/])(?:19|20)\d\d(?!\d|/\d)")
"""A year, unless it is part of the number of an act, as in 2016/679 or 1215/2012."""
_NUMBERED: Final = re.compile(r"([^.]*(?:\.par-[^.]*)?).*")
"""A paragraph in an id: "art-3.par-1" in "art-3.par-1.sub-2"; the article in "art-4.sub-2"."""
_MORE: Final = re.compile(r"\d|\.(?=[\s.]*[^\s.])")
"""What no formula has, apart from its own number: digits, and a second sentence."""
_NUMBER: Final = "0123456789.() "
_QUOTE: Final = re.compile('[‘“”„«»"]')
_OPENING: Final = 18
"""A point with a quotation mark among its first N characters opens with the term that it defines."""
_DEFINED: Final = 1 / 3
"""An article defines terms if at least this share of its points do; the others subdivide definitions."""


@once
def groups_of(act: Act) -> Sequence[str]:
    """The group of each unit, in document order: one of `lexlattice.act.summary.GROUPS`.

    - related: footnotes.
    - background: title, preamble and recitals; in a text that enacts nothing, such as a resolution, the recitals are
      the key points.
    - aim: the first article, or the second where the first defines terms; in an act without articles, the provision
      that its body begins with.
    - application: the last article, or a directive's last two, if a date or words say so; before them the paragraphs
      with the time limit for transposition, and the entry into force of a decision that ends with its addressees.
    - key points: everything else, and the formulas at the end.

    Only the act's own articles count: those of an annexed agreement, or of one that restarts numbering, are key points.
    """
    enacts = any(section.units for section in act.sections if section.kind in _ENACTING)
    formulas = _formulas(act)
    applying = (unit.id for paragraph in _application(act) for unit in paragraph)
    marked = {name: "application" for name in applying if name not in formulas}
    marked |= {unit.id: "aim" for unit in aim_of(act, own_articles(act))}
    groups: list[str] = []
    for section in act.sections:
        usual = _BY_SECTION.get(section.kind, "key_points") if enacts or section.kind != "recitals" else "key_points"
        groups += [marked.get(unit.id, usual) for unit in section.units]
    return groups


def is_closing_formula(act: Act) -> list[bool]:
    """For each unit whether it only says that the act is binding and directly applicable, or names its addressees.

    Such a unit stands in one of the act's last two articles, is one sentence without digits, and has the words for
    it but none for entry into force; the points that it leads in are the addressees.
    """
    found = _formulas(act)
    return [unit.id in found for unit in act.units]


def application_units(act: Act, words: int = _APPLICATION_WORDS) -> list[int]:
    """The indexes of the units that say from when the act applies or has to be transposed, the best first.

    They are complete, points with their lead-ins, and have at most `words` words together. Where a provision does not
    fit, nothing that follows it in its article is taken: that would be the exception without the rule.
    """
    places = {unit.id: index for index, unit in enumerate(act.units)}
    chosen: list[Unit] = []
    too_long: set[int] = set()
    for paragraph in _application(act):
        for piece in _pieces(act, paragraph):
            if sum(unit.words for unit in (*chosen, *piece)) > words:
                too_long.add(piece[0].section)
            if piece[0].section not in too_long:
                chosen += piece
    return [places[unit.id] for unit in chosen]


@once
def own_articles(act: Act) -> Sequence[Section]:
    """The articles of the act itself, without those of annexes and of a text that restarts numbering."""
    articles: list[Section] = []
    for section in act.sections:
        restarts = articles and section.kind == "article" and section.number == articles[0].number
        if restarts or (articles and section.kind == "annex"):
            break
        if section.kind == "article" and section.units:
            articles.append(section)
    return articles


def aim_of(act: Act, articles: Sequence[Section]) -> Iterator[Unit]:
    """The units that say what an act is for, given its own articles."""
    if articles:
        others = articles[1 : -_FINAL_ARTICLES.get(act.type, 1)]
        yield from (others[0] if others and defines_terms(articles[0]) else articles[0]).units
        return
    body = [unit for section in act.sections if section.kind == "body" for unit in section.units]
    yield from (unit for unit in body if (unit.section, unit.provision) == (body[0].section, body[0].provision))


def defines_terms(article: Section) -> bool:
    """Whether an article is one of definitions: its points open with a term in quotation marks."""
    openings: dict[str, str] = {}
    for unit in article.units:
        if unit.kind in _POINTS:
            openings.setdefault(unit.provision, unit.text[:_OPENING])
    quoted = sum(_QUOTE.search(opening) is not None for opening in openings.values())
    return quoted > 1 and quoted >= _DEFINED * len(openings)


@once
def _formulas(act: Act) -> Container[str]:
    """The ids of closing formulas."""
    found: set[str] = set()
    is_formula = False
    last = own_articles(act)[-2:] if act.type not in _WITHOUT_FORMULAS else ()
    for unit in (unit for article in last for unit in article.units):
        if unit.kind not in _POINTS:  # points follow the unit that leads them in
            has_more = _MORE.search(unit.text.lstrip(_NUMBER)) is not None
            is_formula = _has(act, [unit], "binding", "addressed") and not has_more and not _has(act, [unit], "force")
        if is_formula:
            found.add(unit.id)
    return found


@once
def _application(act: Act) -> Sequence[list[Unit]]:
    """The paragraphs that say from when the act applies, without formulas: the time limit of a directive first."""
    articles, formulas = own_articles(act), _formulas(act)
    names, before = _before_the_final(act, articles, formulas)
    told = [p for article in reversed(before) for p in _paragraphs(article.units) if _has(act, p, *names)]
    found = [p for p in told if _is_dated(act, p)] or told
    for article in articles[len(articles) - _FINAL_ARTICLES.get(act.type, 0) :]:
        units = [unit for unit in article.units if unit.id not in formulas]
        provisions = {unit.provision for unit in units if unit.kind not in _POINTS}
        if len(provisions) <= _LONGEST_FINAL and _says_when(act, units):
            found += _paragraphs(units)
    return found


def _before_the_final(
    act: Act, articles: Sequence[Section], formulas: Container[str]
) -> tuple[Sequence[str], Sequence[Section]]:
    """What to look for before the final articles, and where: a time limit; what precedes the addressees."""
    if act.type == "directive":
        return ("force", "transposed"), articles[-_TRANSPOSED_IN : -_FINAL_ARTICLES["directive"]]
    if act.type == "decision" and all(unit.id in formulas for article in articles[-1:] for unit in article.units):
        return ("force",), articles[-2:-1]
    return (), ()


def _paragraphs(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """What belongs together in an article: a numbered paragraph and all under it, or all that has no such number."""
    for _, paragraph in groupby(units, key=lambda unit: _NUMBERED.sub(r"\1", unit.provision)):
        yield list(paragraph)


def _pieces(act: Act, paragraph: Iterable[Unit]) -> Iterator[list[Unit]]:
    """The provisions of a paragraph that say when: with all points, or up to the last sentence that does."""
    pieces: list[list[Unit]] = []
    for unit in paragraph:
        if pieces and (unit.kind in _POINTS or unit.provision == pieces[-1][-1].provision):
            pieces[-1].append(unit)
        elif unit.kind != "note":
            pieces.append([unit])
    for piece in pieces:
        while piece and piece[-1].kind not in _POINTS and not _says_when(act, piece[-1:]):
            piece.pop()
        if _says_when(act, piece):
            yield piece


def _says_when(act: Act, units: Sequence[Unit]) -> bool:
    return _is_dated(act, units) or _has(act, units, "force", "transposed")


def _is_dated(act: Act, units: Sequence[Unit]) -> bool:
    """Whether they name a year that is not before the act's own."""
    return any(year >= act.date[:4] for unit in units for year in _YEAR.findall(unit.text))


def _has(act: Act, units: Sequence[Unit], *names: str) -> bool:
    """Whether they contain words for one of these, in the language of the act."""
    words = [part for name in names for part in _closing(act.language)[name]]
    return any(part in unit.text.casefold() for unit in units for part in words)


@cache
def _closing(language: str) -> dict[str, list[str]]:
    """Parts of words that distinguish the provisions that close an act; English ones for an unknown language."""
    table = raw(language if language in LANGUAGES else "en")["closing"]
    return {name: [part.casefold() for part in parts] for name, parts in table.items()}
