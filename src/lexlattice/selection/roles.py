"""Roles: the provisions that say what an act is for, to what it applies, from when, and what it repeals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act, Section
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
_SHARES: Final = {"aim": 0.75, "scope": 0.2, "date": 0.12, "repeal": 0.07}
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
    places = {unit.id: place for place, unit in enumerate(act.units)}
    found: dict[str, int] = {}

    def among(units: Sequence[int]) -> list[int]:
        named = dict.fromkeys(int(bundles.of[place]) for place in units)
        return [bundle for bundle in named if allowed[bundle] and bundle not in found.values()]

    aims = among([places[unit.id] for unit in aim_of(act, articles)])
    if aims:
        found["aim"] = max(aims, key=lambda bundle: worth[bundle] * (_AIM_FIRST if bundle == aims[0] else 1))
    about_scope = [article for article in articles[:_FIRST_ARTICLES] if words.heads_scope(article.heading)]
    scopes = among([places[unit.id] for article in about_scope for unit in article.units])
    if scopes:
        found["scope"] = max(scopes, key=worth.__getitem__)
    dated = among(dates)
    if dated:
        found["date"] = dated[0]
    repeals = among(_repeals(articles, places, words))
    if repeals:
        found["repeal"] = repeals[0]
    roles = [Role(bundle, _SHARES[name], _SHORTEST if name == "aim" else 0) for name, bundle in found.items()]
    return roles + _voices(articles, places, bundles, worth, allowed)


def _voices(
    articles: Sequence[Section],
    places: dict[str, int],
    bundles: Bundles,
    worth: NDArray[np.float64],
    allowed: NDArray[np.bool_],
) -> list[Role]:
    """The best bundle of each chapter; it may have what is due to the chapter by its length."""
    total = sum(article.words for article in articles)
    voices = []
    for chapter, group in groupby(articles, key=lambda article: article.enclosing[:1]):
        inside = list(group)
        own = {int(bundles.of[places[unit.id]]) for article in inside for unit in article.units}
        speakers = [bundle for bundle in sorted(own) if allowed[bundle]]
        if chapter and speakers:
            share = sum(article.words for article in inside) / total
            voices.append(Role(max(speakers, key=worth.__getitem__), _VOICE * share, chapter=chapter))
    return voices


def _repeals(articles: Sequence[Section], places: dict[str, int], words: SelectionWording) -> list[int]:
    """The units that repeal another act, which they name by its number."""
    units = [unit for article in articles[-_LAST_ARTICLES:] for unit in article.units if unit.kind != "quoted"]
    return [places[unit.id] for unit in units if _ACT_NUMBER.search(unit.text) and words.repeals(unit.text)]
