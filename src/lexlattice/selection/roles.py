"""Roles: the provisions that say what an act is for, to what it applies, from when, and what it repeals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act, Section
from lexlattice.grouping import aim_of, applies_from, own_articles
from lexlattice.selection.bundles import Bundles
from lexlattice.selection.wording import SelectionWording, selection_wording

_FIRST_ARTICLES: Final = 5
"""Scope is among the first articles."""
_LAST_ARTICLES: Final = 8
"""What is repealed is said among the last ones."""
_AIM_FIRST: Final = 1.25
"""The first provision of the article on the aim has so much more weight than others of it."""
_ACT_NUMBER: Final = re.compile(r"\d+/\d+")
_SHARES: Final = {"aim": 0.6, "scope": 0.2, "date": 0.12, "repeal": 0.07}
"""The share of a summary that a role may have: one that needs more waits for a longer summary."""


class Role(NamedTuple):
    """A bundle that a summary should have once it is long enough."""

    bundle: int
    share: float


def roles_of(act: Act, bundles: Bundles, worth: NDArray[np.float64], allowed: NDArray[np.bool_]) -> list[Role]:
    """The roles of an act that somebody plays, the most important first; `worth` is that of each bundle."""
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
    dates = among(applies_from(act))
    if dates:
        found["date"] = dates[0]
    repeals = among(_repeals(articles, places, words))
    if repeals:
        found["repeal"] = repeals[0]
    return [Role(bundle, _SHARES[name]) for name, bundle in found.items()]


def _repeals(articles: Sequence[Section], places: dict[str, int], words: SelectionWording) -> list[int]:
    """The units that repeal another act, which they name by its number."""
    units = [unit for article in articles[-_LAST_ARTICLES:] for unit in article.units if unit.kind != "quoted"]
    return [places[unit.id] for unit in units if _ACT_NUMBER.search(unit.text) and words.repeals(unit.text)]
