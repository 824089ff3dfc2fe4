"""The selection in the view of an act: the order in which provisions are taken, lengths to choose from, and reasons."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from lexlattice.act.document import Act
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats
from lexlattice.lattice.model import Network
from lexlattice.rendering.status import has_no_summary
from lexlattice.selection import SummaryOptions
from lexlattice.selection.decoder import choose
from lexlattice.selection.explain import Explainer
from lexlattice.selection.options import LENGTHS

MIN_WORDS: Final = 50
"""The lowest budget that the page offers."""
_WHOLE_ACT_WORDS: Final = 1500
"""The page offers at least this budget, so that a shorter act can be shown whole."""
_MIN_STOPS: Final = 8
"""Stops of the budget slider, apart from the named lengths."""
_ORDER_MARGIN: Final = 1.5
"""The selection order is computed beyond the highest budget by this factor: other language versions may be longer."""
_FOCUSES: Final = ("all", "articles")
Order = list[list[int]]


def selection_of(act: Act, panels: Floats) -> dict[str, Any]:
    """Return the lengths that the page offers, and the order of selection for each focus and each automaton step.

    A summary of any length is as many steps of the order as fit. If the length is that of the act, it is `whole`.

    Args:
        act: The act.
        panels: The scores before the automaton's first step and after each.

    """
    presets = {name: SummaryOptions(budget=name).budget_for(act) for name in LENGTHS}
    default = presets["medium"]
    least = min(MIN_WORDS, default)
    most = max(presets["long"], min(act.words, _WHOLE_ACT_WORDS), default)
    lengths = {"default": default, "least": least, "most": most, "presets": presets}
    if not act.units or has_no_summary(act):
        empty: dict[str, Any] = {focus: {"order": [], "whole": []} for focus in _FOCUSES}
        return {"selection": {**lengths, "stops": [], **empty}, "step_orders": [[] for _ in panels]}
    limit = int(_ORDER_MARGIN * most)
    orders = {focus: _order(act, panels[-1], limit, focus) for focus in _FOCUSES}
    # A geometric series: equal distances on the slider change the length by equal factors.
    between = np.geomspace(least, most, _MIN_STOPS).round().astype(int).tolist()
    selection = {
        **lengths,
        "stops": sorted({*presets.values(), least, most, *between}),
        **{focus: {"order": orders[focus], "whole": _whole(act, panels[-1], limit, focus)} for focus in _FOCUSES},
    }
    before = [_order(act, panel, limit, "all") for panel in panels[:-1]]
    return {"selection": selection, "step_orders": [*before, orders["all"]]}


def _order(act: Act, scores: Floats, limit: int, focus: str) -> Order:
    # At the full length of the act another rule applies, so the order stops one word below.
    return [list(step) for step in choose(act, scores, max(0, min(limit, act.words - 1)), focus).steps]


def _whole(act: Act, scores: Floats, limit: int, focus: str) -> list[int]:
    return list(choose(act, scores, limit, focus).units) if limit >= act.words else []


def reasons_of(
    act: Act, model: Network, features: MeaningFeatures, panels: Floats, selection: dict[str, Any]
) -> dict[str, Any]:
    """Return why each unit of the orders was selected, by its place; JSON has strings as keys.

    Ranks and reasons are those of the order of all provisions; of units that only the articles' order has, those of
    that one.
    """
    places = {unit.id: place for place, unit in enumerate(act.units)}
    # The last one wins: what both orders have is explained as part of the order of all provisions.
    orders = [selection[focus]["order"] for focus in reversed(_FOCUSES)]
    units = {unit for order in orders for step in order for unit in step}
    if not units:
        return {}
    explainer = Explainer(act, model, features, units, panels)
    found = {unit: why for order in orders for unit, why in explainer.explain(order).items()}
    return {
        str(unit): {
            "rank": why.rank,
            "salience": [round(value, 3) for value in why.salience],
            "reasons": [[reason.key, reason.value] for reason in why.reasons],
            "neighbours": [[places[other.id], round(other.change, 3)] for other in why.neighbours],
        }
        for unit, why in sorted(found.items())
    }
