"""Roles a summary should cover: what the act is for, its scope, from when it applies, what it repeals, each chapter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Section, Unit
from lexlattice.reading.roles import aim_of, own_articles
from lexlattice.selection.candidates import Candidates
from lexlattice.selection.vocabulary import SelectionWording, selection_wording

_FIRST_ARTICLES: Final = 5
"""Scope is among the first articles."""
_LAST_ARTICLES: Final = 8
"""What is repealed is said among the last ones."""
_AIM_FIRST: Final = 1.25
"""Factor by which the first provision of the article on the aim outweighs the others in it."""
_ACT_NUMBER: Final = re.compile(r"\d+/\d+")
_SHARES: Final = {"aim": 0.75, "scope": 0.2, "date": 0.2, "repeal": 0.07}
"""The largest share of a summary that a role may have: one that needs more waits for a longer summary."""
_SHORTEST: Final = 100
"""Words of the shortest usual summary, which has the aim at least."""
_CHAPTER_SHARE: Final = 0.4
"""The share of a chapter's proportional part of the summary that its first provision may have."""


class Role(NamedTuple):
    """A candidate that a summary should contain once it is long enough."""

    candidate: int
    share: float
    """The largest share of the summary that it may have."""
    length: int = 0
    """The share is of at least this many words."""
    chapter: tuple[str, ...] = ()
    """The chapter that it represents, unless another candidate does already."""


def roles_of(
    act: Act,
    candidates: Candidates,
    density: NDArray[np.float64],
    allowed: Sequence[bool],
    application: Sequence[int],
) -> list[Role]:
    """Find the candidate for each role, the most important role first.

    Args:
        act: The act.
        candidates: Its candidates.
        density: The value of each candidate per word.
        allowed: Which candidates may be selected.
        application: The units that say from when the act applies.

    """
    articles = own_articles(act)
    starts = [0, *accumulate(len(section.units) for section in act.sections)]
    found: dict[str, int] = {}

    def among(units: Iterable[int]) -> list[int]:
        named = dict.fromkeys(int(candidates.of_unit[place]) for place in units)
        return [candidate for candidate in named if allowed[candidate] and candidate not in found.values()]

    def inside(articles: Iterable[Section]) -> list[int]:
        return [place for article in articles for place in range(starts[article.index], starts[article.index + 1])]

    aiming = list(aim_of(act, articles))
    start = starts[aiming[0].section] + act.sections[aiming[0].section].units.index(aiming[0]) if aiming else 0
    aims = among(range(start, start + len(aiming)))
    if aims:
        found["aim"] = max(aims, key=lambda candidate: density[candidate] * (_AIM_FIRST if candidate == aims[0] else 1))
    scopes = among(inside(about_scope(act, articles)))
    if scopes:
        found["scope"] = max(scopes, key=density.__getitem__)
    dated = among(application)
    if dated:
        found["date"] = dated[0]
    repealing = {unit.id for unit in about_repeal(act, articles)}
    repeals = among([place for place in inside(articles[-_LAST_ARTICLES:]) if act.units[place].id in repealing])
    if repeals:
        found["repeal"] = repeals[0]
    roles = [Role(candidate, _SHARES[name], _SHORTEST if name == "aim" else 0) for name, candidate in found.items()]
    return roles + list(
        _chapter_roles(articles, lambda some: {*candidates.of_unit[inside(some)].tolist()}, density, allowed)
    )


def _chapter_roles(
    articles: Sequence[Section],
    candidates_in: Callable[[list[Section]], set[int]],
    density: NDArray[np.float64],
    allowed: Sequence[bool],
) -> Iterator[Role]:
    """The best candidate of each chapter; it may have a part of the chapter's proportional share."""
    total = sum(article.words for article in articles)
    for chapter, group in groupby(articles, key=lambda article: article.enclosing[:1]):
        members = list(group)
        options = sorted(candidate for candidate in candidates_in(members) if allowed[candidate])
        if chapter and options:
            share = sum(article.words for article in members) / total
            yield Role(max(options, key=density.__getitem__), _CHAPTER_SHARE * share, chapter=chapter)


def about_scope(act: Act, articles: Sequence[Section]) -> list[Section]:
    """Return the articles on the scope of an act, given its own articles."""
    words = selection_wording(act.language)
    return [article for article in articles[:_FIRST_ARTICLES] if words.heads_scope(article.heading)]


def about_repeal(act: Act, articles: Sequence[Section]) -> list[Unit]:
    """Return the units that repeal another act, given the act's own articles."""
    words = selection_wording(act.language)
    return [unit for article in articles[-_LAST_ARTICLES:] for unit in article.units if _repeals(unit, words)]


def _repeals(unit: Unit, words: SelectionWording) -> bool:
    """Whether a unit repeals another act, which it names by its number."""
    return unit.kind != "quoted" and bool(_ACT_NUMBER.search(unit.text)) and words.repeals(unit.text)
