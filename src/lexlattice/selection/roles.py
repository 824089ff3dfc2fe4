"""Roles: the provisions that say what an act is for, to what it applies, from when, and what it repeals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act, Section, Unit
from lexlattice.grouping import aim_of, own_articles
from lexlattice.selection.bundles import Bundles
from lexlattice.selection.wording import SelectionWording, selection_wording

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
