"""The view of an act: all that the page needs of it, so that sliders and clicks need no further word from here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from lexlattice.act import Act
from lexlattice.choosing import citable, cover_complete, eligible
from lexlattice.features import Floats
from lexlattice.grouping import MOST_FOR_DATES, applies_from, formulas, group_of
from lexlattice.phrases import phrases
from lexlattice.reading import read
from lexlattice.reading.fetch import is_celex
from lexlattice.selection import Budget, lead_ins
from lexlattice.summarizer import FOR_DATES, Summarizer
from lexlattice.summary import Item, Summary
from lexlattice.ties import Ties

LEAST: Final = 50
"""The fewest words that the page offers."""
_FAR: Final = 4
"""What is chosen is put in order for so many times the most words, so that no share of a kind cuts it short."""
_CONSOLIDATED: Final = "This is a consolidated text"
_DEEPEST: Final = 4
"""Indenting further would leave no room for the text."""


def view_of(source: bytes | str, language: str | None = None, name: str = "") -> dict[str, Any]:
    """The view of a file's bytes, of a text, or of what has this CELEX number, as plain JSON types.

    A string is never taken for the name of a file or an address: it comes from somebody else's browser. `name` is what
    an act is called that has no title.
    """
    act = act_of(source, language)
    about = {
        "celex": act.celex,
        "title": act.title or name,
        "type": act.type,
        "date": act.date,
        "language": act.language,
        "words": act.words,
        "warnings": list(act.warnings),
        "consolidated": any(warning.startswith(_CONSOLIDATED) for warning in act.warnings),
        "notice": phrases(act.language).disclaimer,
        "groups": dict(phrases(act.language).groups),
        "sections": list(_sections(act)),
    }
    budget, most = Budget().of(act.words), Budget("long").of(act.words)
    limits = {"budget": budget, "least": min(LEAST, budget), "most": max(most, budget)}
    if not act.units:
        return {**about, **limits, "units": [], "steps": [[]], "order": []}
    steps = _shipped().trajectory(act, budget)
    order = [_chosen(act, group) for group in _order(act, budget, limits["most"])]
    return {**about, **limits, "units": list(_units(act, steps[-1])), "steps": _rounded(steps), "order": order}


def act_of(source: bytes | str, language: str | None = None) -> Act:
    """What is read from bytes, from a text, or from where acts with CELEX numbers are kept."""
    if isinstance(source, str) and not is_celex(source):
        source = source.encode("utf-8", "replace")
    return read(source, language=language)


def extract_of(source: bytes | str, ids: Collection[str], language: str | None = None) -> Summary:
    """The summary that the page shows, made of the units that it names; what it names and is not there is left out."""
    act, wanted = act_of(source, language), frozenset(ids)
    groups = group_of(act)
    scores = _shipped().score(act) if act.units else ()
    items = tuple(
        Item.of(unit, act.sections[unit.section], float(score), group)
        for unit, score, group in zip(act.units, scores, groups, strict=True)
        if unit.id in wanted
    )
    return Summary(act, sum(item.words for item in items), items, act.warnings)


@cache
def _shipped() -> Summarizer:
    """One for the whole process; it never changes."""
    return Summarizer.from_pretrained()


def _sections(act: Act) -> Iterator[dict[str, Any]]:
    for section in act.sections:
        yield {
            "index": section.index,
            "kind": section.kind,
            "label": section.label,
            "heading": section.heading,
            "enclosing": list(section.enclosing),
        }


def _units(act: Act, scores: Floats) -> Iterator[dict[str, Any]]:
    """Units with what the page wants to know besides: group, indent, and whether it goes on in the line before."""
    end, depths = 0, list[int]()
    for lead in lead_ins(act.units):
        depths.append(0 if lead is None else min(depths[lead] + 1, _DEEPEST))
    for unit, score, group, depth in zip(act.units, scores.tolist(), group_of(act), depths, strict=True):
        yield {
            "id": unit.id,
            "provision": unit.provision,
            "section": unit.section,
            "position": unit.position,
            "kind": unit.kind,
            "citation": unit.citation,
            "text": unit.text,
            "words": unit.words,
            "start": unit.start,
            "end": unit.end,
            "group": group,
            "depth": depth,
            "score": round(score, 3),
            "goes_on": end > 0 and "\n" not in act.source[end : unit.start],
        }
        end = unit.end


def _rounded(steps: Floats) -> list[list[float]]:
    return [[round(value, 3) for value in step] for step in steps.tolist()]


def _order(act: Act, budget: int, most: int) -> list[tuple[int, ...]]:
    """What is chosen, each with all it needs: first what `summarize` chooses, then what it would go on with."""
    judged, ties = _shipped().judge(act, budget), Ties.of(act)
    layout = judged.features.layout
    if budget >= act.words:
        return [(unit,) for unit in np.flatnonzero(citable(layout)).tolist()]
    dates = applies_from(act, min(MOST_FOR_DATES, int(FOR_DATES * budget)))
    allowed = eligible(layout, ties) & ~np.array(formulas(act))
    usual = cover_complete(judged.coverage(), layout, ties, allowed, budget, dates)
    leading = [group[0] for group in usual]
    further = cover_complete(judged.coverage(), layout, ties, allowed, _FAR * most, leading)
    return [_with_needs(group[0], ties.needs.tolist()) for group in further]


def _with_needs(unit: int, needs: Sequence[int]) -> tuple[int, ...]:
    group = [unit]
    while (needed := needs[group[-1]]) >= 0:
        group.append(needed)
    return tuple(group)


def _chosen(act: Act, group: Sequence[int]) -> dict[str, Any]:
    kind = act.sections[act.units[group[0]].section].kind
    return {"units": list(group), "words": sum(act.units[unit].words for unit in group), "kind": kind}
