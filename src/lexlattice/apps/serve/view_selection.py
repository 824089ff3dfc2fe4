"""The selection in the view of an act: the order in which provisions are taken, lengths to choose from, and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

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
Steps = Sequence[Sequence[int]]


class Orders(NamedTuple):
    """What the decoder selects of an act with one focus."""

    order: Steps
    """A summary of any length is as many steps of the order as fit."""
    whole: Steps
    """A summary as long as the act; none if the page does not offer that length."""


class Selection(NamedTuple):
    """The lengths that the page offers, and the order of selection for each focus and each automaton step."""

    lengths: dict[str, Any]
    orders: dict[str, Orders]
    step_orders: list[Steps]

    @classmethod
    def of(cls, act: Act, panels: Floats) -> Selection:
        """Run the decoder on the scores before the automaton's first step and after each."""
        presets = {name: SummaryOptions(budget=name).budget_for(act) for name in LENGTHS}
        default = presets["medium"]
        least = min(MIN_WORDS, default)
        most = max(presets["long"], min(act.words, _WHOLE_ACT_WORDS), default)
        lengths = {"default": default, "least": least, "most": most, "presets": presets}
        if not act.units or has_no_summary(act):
            nothing = Orders((), ())
            return cls({**lengths, "stops": []}, dict.fromkeys(_FOCUSES, nothing), [() for _ in panels])
        # A geometric series: equal distances on the slider change the length by equal factors.
        between = np.geomspace(least, most, _MIN_STOPS).round().astype(int).tolist()
        stops = sorted({*presets.values(), least, most, *between})
        limit = int(_ORDER_MARGIN * most)
        orders = {focus: _orders(act, panels[-1], limit, focus) for focus in _FOCUSES}
        before = [_order(act, panel, limit) for panel in panels[:-1]]
        return cls({**lengths, "stops": stops}, orders, [*before, orders["all"].order])

    def to_dict(self) -> dict[str, Any]:
        """Return the keys `selection` and `step_orders` of the view as plain JSON types."""
        orders = {
            focus: {"order": [*map(list, found.order)], "whole": sorted(unit for step in found.whole for unit in step)}
            for focus, found in self.orders.items()
        }
        step_orders = [[*map(list, order)] for order in self.step_orders]
        return {"selection": {**self.lengths, **orders}, "step_orders": step_orders}


def _orders(act: Act, scores: Floats, limit: int, focus: str) -> Orders:
    whole = choose(act, scores, limit, focus).steps if limit >= act.words else ()
    return Orders(_order(act, scores, limit, focus), whole)


def _order(act: Act, scores: Floats, limit: int, focus: str = "all") -> Steps:
    # At the full length of the act another rule applies, so the order stops one word below.
    return choose(act, scores, max(0, min(limit, act.words - 1)), focus).steps


def reasons_of(
    act: Act, model: Network, features: MeaningFeatures, panels: Floats, selection: Selection
) -> dict[str, Any]:
    """Return why each unit that can be in a summary was selected, by its place; JSON has strings as keys.

    Ranks and reasons are those of the order of all provisions; of units that only the articles' order has, those of
    that one.
    """
    places = {unit.id: place for place, unit in enumerate(act.units)}
    # The last one wins: what both orders have is explained as part of the order of all provisions.
    orders = [found.whole or found.order for found in map(selection.orders.__getitem__, reversed(_FOCUSES))]
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
