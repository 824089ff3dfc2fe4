"""Grouping: under which heading of a grouped summary each unit of an act would stand.

The rule looks at where a unit stands, at numbers and at quotation marks, never at words. So it is the same for all
languages, and a provision has the same group in every version of an act.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lexlattice.act import Act, Section, Unit

_BY_SECTION: Final = {"title": "background", "preamble": "background", "recitals": "background", "notes": "related"}
_ENACTING: Final = ("article", "annex", "body")

_FINAL_ARTICLES: Final = {"regulation": 1, "decision": 1, "directive": 2}
"""How many articles at the end say from when an act applies; a directive's very last says whom it is addressed to."""
_LONGEST_FINAL: Final = 10
"""An article of more provisions than this is no final one: signatures or an annex were read into it."""
_TRANSPOSED_IN: Final = 5
"""The article on transposition is among so many at the end of a directive."""
_TRANSPOSED_WITHIN: Final = 3
"""So many years after the directive at the latest; later dates are those of reports and reviews."""

_YEAR: Final = re.compile(r"(?<![\d/])(?:19|20)\d\d(?!\d|/\d)")
"""A year, unless it is part of the number of an act, as in 2016/679 or 1215/2012."""
_QUOTE: Final = re.compile('[‘“”„«»"]')
_OPENING: Final = 18
"""A point that has a quotation mark among so many first characters opens with the term that it defines."""
_DEFINED: Final = 1 / 3
"""An article defines terms if this share of its points do; the others divide definitions further."""


def group_of(act: Act) -> list[str]:
    """The group of each unit, in the order of the act: one of `lexlattice.summary.GROUPS`.

    - related: footnotes.
    - background: title, preamble and recitals; of a text that enacts nothing, such as a resolution, the recitals are
      the key points.
    - aim: the first article, or the second where the first defines terms; of an act without articles, the provision
      that its body begins with.
    - application: the last article of a regulation or decision; the last two of a directive, and those provisions of
      its last five articles that name a year from its own to the third after it: the time limit for transposition.
    - key points: everything else.

    Articles are the act's own: those of an agreement that is annexed to it, or begins to count anew, are key points.
    """
    enacts = any(section.units for section in act.sections if section.kind in _ENACTING)
    articles = _own_articles(act)
    marked = {_place(unit): "application" for unit in _application(act, articles)}
    marked |= {_place(unit): "aim" for unit in _aim(act, articles)}
    groups = []
    for section in act.sections:
        usual = _BY_SECTION.get(section.kind, "key_points") if enacts or section.kind != "recitals" else "key_points"
        groups += [marked.get(_place(unit), usual) for unit in section.units]
    return groups


def _place(unit: Unit) -> tuple[int, str]:
    """What the sentences of a provision share: they are never parted."""
    return unit.section, unit.provision


def _own_articles(act: Act) -> list[Section]:
    articles: list[Section] = []
    for section in act.sections:
        counts_anew = articles and section.kind == "article" and section.number == articles[0].number
        if counts_anew or (articles and section.kind == "annex"):
            break
        if section.kind == "article" and section.units:
            articles.append(section)
    return articles


def _aim(act: Act, articles: Sequence[Section]) -> Iterator[Unit]:
    if articles:
        others = articles[1 : -_FINAL_ARTICLES.get(act.type, 1)]
        yield from (others[0] if others and _defines(articles[0]) else articles[0]).units
        return
    body = [unit for section in act.sections if section.kind == "body" for unit in section.units]
    yield from (unit for unit in body if _place(unit) == _place(body[0]))


def _defines(article: Section) -> bool:
    openings: dict[str, str] = {}
    for unit in article.units:
        if unit.kind in ("point", "indent"):
            openings.setdefault(unit.provision, unit.text[:_OPENING])
    quoted = sum(_QUOTE.search(opening) is not None for opening in openings.values())
    return quoted > 1 and quoted >= _DEFINED * len(openings)


def _application(act: Act, articles: Sequence[Section]) -> Iterator[Unit]:
    for article in articles[len(articles) - _FINAL_ARTICLES.get(act.type, 0) :]:
        if len({unit.provision for unit in article.units}) <= _LONGEST_FINAL:
            yield from article.units
    if act.type == "directive" and act.date:
        adopted = int(act.date[:4])
        for unit in (unit for article in articles[-_TRANSPOSED_IN:] for unit in article.units):
            if any(adopted <= int(year) <= adopted + _TRANSPOSED_WITHIN for year in _YEAR.findall(unit.text)):
                yield unit
