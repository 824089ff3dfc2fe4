"""Grouping: under which heading of a grouped summary each unit of an act would stand, and what says when it applies.

Aim, key points and background are told by where a unit stands, by figures and by quotation marks: the same in every
version of an act. What stands at its end is told by its words too, a few for each language in `phrases`:
"is addressed to" and "shall enter into force" stand in the same place, and only one of them says from when.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Section, Unit
from lexlattice.rendering.phrases import phrases
from lexlattice.selection.bundles import Bundles
from lexlattice.selection.vocabulary import SelectionWording, selection_wording

_BY_SECTION: Final = {"title": "background", "preamble": "background", "recitals": "background", "notes": "related"}
_ENACTING: Final = ("article", "annex", "body")
_POINTS: Final = ("point", "indent")

_FINAL_ARTICLES: Final = {"regulation": 1, "decision": 1, "directive": 2}
"""How many articles at the end say from when an act applies; a directive's very last says whom it is addressed to."""
_WITHOUT_FORMULAS: Final = ("agreement", "treaty")
_LONGEST_FINAL: Final = 10
"""An article of more provisions than this is no final one: signatures or an annex were read into it."""
_TRANSPOSED_IN: Final = 5
"""The article on transposition is among so many at the end of a directive."""
MOST_FOR_DATES: Final = 100
"""So many words are enough to say from when an act applies."""

_YEAR: Final = re.compile(r"(?<![\d/])(?:19|20)\d\d(?!\d|/\d)")
"""A year, unless it is part of the number of an act, as in 2016/679 or 1215/2012."""
_NUMBERED: Final = re.compile(r"([^.]*(?:\.par-[^.]*)?).*")
"""A paragraph in an id: "art-3.par-1" in "art-3.par-1.sub-2"; the article in "art-4.sub-2"."""
_MORE: Final = re.compile(r"\d|\.(?=[\s.]*[^\s.])")
"""What no formula has, apart from its own number: figures, and a second sentence."""
_NUMBER: Final = "0123456789.() "
_QUOTE: Final = re.compile('[‘“”„«»"]')
_OPENING: Final = 18
"""A point that has a quotation mark among so many first characters opens with the term that it defines."""
_DEFINED: Final = 1 / 3
"""An article defines terms if this share of its points do; the others divide definitions further."""


def group_of(act: Act) -> list[str]:
    """The group of each unit, in the order of the act: one of `lexlattice.act.summary.GROUPS`.

    - related: footnotes.
    - background: title, preamble and recitals; of a text that enacts nothing, such as a resolution, the recitals are
      the key points.
    - aim: the first article, or the second where the first defines terms; of an act without articles, the provision
      that its body begins with.
    - application: the last article, or a directive's last two, if a date or words say so; before them the paragraphs
      with the time limit for transposition, and the entry into force of a decision that ends with its addressees.
    - key points: everything else, and the formulas at the end.

    Articles are the act's own: those of an agreement that is annexed to it, or begins to count anew, are key points.
    """
    enacts = any(section.units for section in act.sections if section.kind in _ENACTING)
    articles = own_articles(act)
    empty = {unit.id for unit in _formulas(act, articles)}
    applying = (unit.id for paragraph in _application(act, articles) for unit in paragraph)
    marked = {name: "application" for name in applying if name not in empty}
    marked |= {unit.id: "aim" for unit in aim_of(act, articles)}
    groups = []
    for section in act.sections:
        usual = _BY_SECTION.get(section.kind, "key_points") if enacts or section.kind != "recitals" else "key_points"
        groups += [marked.get(unit.id, usual) for unit in section.units]
    return groups


def formulas(act: Act) -> list[bool]:
    """Whether each unit says only that the act is binding and directly applicable, or to whom it is addressed.

    Such a unit stands in one of the act's last two articles, is one sentence without a figure, and has the words for
    it but none for entry into force; the points that it leads in are the addressees.
    """
    found = {unit.id for unit in _formulas(act, own_articles(act))}
    return [unit.id in found for unit in act.units]


def applies_from(act: Act, words: int = MOST_FOR_DATES) -> list[int]:
    """Which units say from when the act applies or has to be transposed, the best first; none if nothing says so.

    They are complete, points with what leads them in, and have at most so many words together. Where a provision does
    not fit, nothing that follows it in its article is taken: that would be the exception without the rule.
    """
    places = {unit.id: index for index, unit in enumerate(act.units)}
    chosen: list[Unit] = []
    too_long: set[int] = set()
    for paragraph in _application(act, own_articles(act)):
        for piece in _pieces(act, paragraph):
            if sum(unit.words for unit in (*chosen, *piece)) > words:
                too_long.add(piece[0].section)
            if piece[0].section not in too_long:
                chosen += piece
    return [places[unit.id] for unit in chosen]


def own_articles(act: Act) -> list[Section]:
    """The articles of the act itself, without those of annexes and of what begins to count anew."""
    articles: list[Section] = []
    for section in act.sections:
        counts_anew = articles and section.kind == "article" and section.number == articles[0].number
        if counts_anew or (articles and section.kind == "annex"):
            break
        if section.kind == "article" and section.units:
            articles.append(section)
    return articles


def aim_of(act: Act, articles: Sequence[Section]) -> Iterator[Unit]:
    """The units that say what an act is for, given its own articles."""
    if articles:
        others = articles[1 : -_FINAL_ARTICLES.get(act.type, 1)]
        yield from (others[0] if others and defines(articles[0]) else articles[0]).units
        return
    body = [unit for section in act.sections if section.kind == "body" for unit in section.units]
    yield from (unit for unit in body if (unit.section, unit.provision) == (body[0].section, body[0].provision))


def defines(article: Section) -> bool:
    """Whether an article is one of definitions: its points open with a term in quotation marks."""
    openings: dict[str, str] = {}
    for unit in article.units:
        if unit.kind in _POINTS:
            openings.setdefault(unit.provision, unit.text[:_OPENING])
    quoted = sum(_QUOTE.search(opening) is not None for opening in openings.values())
    return quoted > 1 and quoted >= _DEFINED * len(openings)


def _formulas(act: Act, articles: Sequence[Section]) -> Iterator[Unit]:
    is_formula = False
    closing = articles[-2:] if act.type not in _WITHOUT_FORMULAS else ()
    for unit in (unit for article in closing for unit in article.units):
        if unit.kind not in _POINTS:
            has_more = _MORE.search(unit.text.lstrip(_NUMBER)) is not None
            is_formula = _has(act, [unit], "binding", "addressed") and not has_more and not _has(act, [unit], "force")
        if is_formula:
            yield unit


def _application(act: Act, articles: Sequence[Section]) -> Iterator[list[Unit]]:
    """The paragraphs that say from when the act applies, without formulas: the time limit of a directive first."""
    known = {unit.id for unit in _formulas(act, articles)}
    names, before = _before_the_final(act, articles, known)
    told = [p for article in reversed(before) for p in _paragraphs(article.units) if _has(act, p, *names)]
    yield from [p for p in told if _is_dated(act, p)] or told
    for article in articles[len(articles) - _FINAL_ARTICLES.get(act.type, 0) :]:
        units = [unit for unit in article.units if unit.id not in known]
        provisions = {unit.provision for unit in units if unit.kind not in _POINTS}
        if len(provisions) <= _LONGEST_FINAL and _says_when(act, units):
            yield from _paragraphs(units)


def _before_the_final(
    act: Act, articles: Sequence[Section], known: Container[str]
) -> tuple[Sequence[str], Sequence[Section]]:
    """What is looked for before the final articles, and where: a time limit; what comes before the addressees."""
    if act.type == "directive":
        return ("force", "transposed"), articles[-_TRANSPOSED_IN : -_FINAL_ARTICLES["directive"]]
    if act.type == "decision" and all(unit.id in known for article in articles[-1:] for unit in article.units):
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
    """Whether they have words for one of these, in the language of the act."""
    words = [part.casefold() for name in names for part in phrases(act.language).closing[name]]
    return any(part in unit.text.casefold() for unit in units for part in words)


# Roles: the provisions that say what an act is for, to what it applies, from when, and what it repeals.

_FIRST_ARTICLES: Final = 5
"""Scope is among the first articles."""
_LAST_ARTICLES: Final = 8
"""What is repealed is said among the last ones."""
_AIM_FIRST: Final = 1.25
"""The first provision of the article on the aim has so much more weight than others of it."""
_ACT_NUMBER: Final = re.compile(r"\d+/\d+")
_SHARES: Final = {"aim": 0.75, "scope": 0.2, "date": 0.2, "repeal": 0.07}
"""The share of a summary that a role may have: one that needs more waits for a longer summary."""
_SHORTEST: Final = 100
"""Words of the shortest usual summary, which has the aim at least."""
_VOICE: Final = 0.4
"""The part of what is due to a chapter by its length that its first provision may have."""


class Role(NamedTuple):
    """A bundle that a summary should have once it is long enough."""

    bundle: int
    share: float
    """How much of the summary it may be."""
    length: int = 0
    """The words that a summary has at least, for this share."""
    chapter: tuple[str, ...] = ()
    """The chapter that it speaks for, unless another bundle has done so."""


def roles_of(
    act: Act, bundles: Bundles, worth: NDArray[np.float64], allowed: NDArray[np.bool_], dates: Sequence[int]
) -> list[Role]:
    """The roles of an act that somebody plays, the most important first; `worth` is that of each bundle.

    `dates` are the units that say from when the act applies.
    """
    words, articles = selection_wording(act.language), own_articles(act)
    starts = [0, *accumulate(len(section.units) for section in act.sections)]
    found: dict[str, int] = {}

    def among(units: Iterable[int]) -> list[int]:
        named = dict.fromkeys(int(bundles.of[place]) for place in units)
        return [bundle for bundle in named if allowed[bundle] and bundle not in found.values()]

    def inside(articles: Iterable[Section]) -> list[int]:
        return [place for article in articles for place in range(starts[article.index], starts[article.index + 1])]

    aiming = list(aim_of(act, articles))
    start = starts[aiming[0].section] + act.sections[aiming[0].section].units.index(aiming[0]) if aiming else 0
    aims = among(range(start, start + len(aiming)))
    if aims:
        found["aim"] = max(aims, key=lambda bundle: worth[bundle] * (_AIM_FIRST if bundle == aims[0] else 1))
    about_scope = [article for article in articles[:_FIRST_ARTICLES] if words.heads_scope(article.heading)]
    scopes = among(inside(about_scope))
    if scopes:
        found["scope"] = max(scopes, key=worth.__getitem__)
    dated = among(dates)
    if dated:
        found["date"] = dated[0]
    repeals = among([place for place in inside(articles[-_LAST_ARTICLES:]) if _repeals(act.units[place], words)])
    if repeals:
        found["repeal"] = repeals[0]
    roles = [Role(bundle, _SHARES[name], _SHORTEST if name == "aim" else 0) for name, bundle in found.items()]
    return roles + list(_voices(articles, lambda own: {*bundles.of[inside(own)].tolist()}, worth, allowed))


def _voices(
    articles: Sequence[Section],
    bundles_in: Callable[[list[Section]], set[int]],
    worth: NDArray[np.float64],
    allowed: NDArray[np.bool_],
) -> Iterator[Role]:
    """The best bundle of each chapter; it may have a part of what is due to the chapter by its length."""
    total = sum(article.words for article in articles)
    for chapter, group in groupby(articles, key=lambda article: article.enclosing[:1]):
        own = list(group)
        speakers = sorted(bundle for bundle in bundles_in(own) if allowed[bundle])
        if chapter and speakers:
            share = sum(article.words for article in own) / total
            yield Role(max(speakers, key=worth.__getitem__), _VOICE * share, chapter=chapter)


def _repeals(unit: Unit, words: SelectionWording) -> bool:
    """Whether a unit repeals another act, which it names by its number."""
    return unit.kind != "quoted" and bool(_ACT_NUMBER.search(unit.text)) and words.repeals(unit.text)


# Which units of an act a summary may have, and which of them only stand back.

Flags = NDArray[np.bool_]

_AROUND: Final = ("title", "preamble")


def citable(act: Act, focus: str = "all") -> Flags:
    """Which units a summary may have at all."""
    kinds = [section.kind for section in act.sections for _ in section.units]
    if focus == "articles":
        return np.array([k == "article" and u.kind != "table" for k, u in zip(kinds, act.units, strict=True)], np.bool_)
    tables = focus == "with-tables"
    flags = [k not in _AROUND and (tables or u.kind != "table") for k, u in zip(kinds, act.units, strict=True)]
    return np.array(flags, np.bool_)


def choosable(act: Act, focus: str = "all") -> Flags:
    """Which units a summary may have unless it has everything: no formulas, and no footnotes."""
    footnotes = [section.kind == "notes" for section in act.sections for _ in section.units]
    notes = np.array(footnotes, np.bool_) | np.array([unit.kind == "note" for unit in act.units], np.bool_)
    return citable(act, focus) & ~notes & ~np.array(formulas(act), np.bool_)
