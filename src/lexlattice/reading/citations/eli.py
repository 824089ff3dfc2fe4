"""European Legislation Identifiers: the permanent address of an act, and of a provision of it.

Only what is certain: the act's CELEX number is known and agrees with its title, and the number is not shared by two
acts. Decisions before 2015 were numbered in two series, so that an identifier may name either of two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lexlattice.reading.citations.act_names import ActForm, form_of

if TYPE_CHECKING:
    from lexlattice.act.document import Act

_BASE: Final = "http://data.europa.eu/eli"
_KINDS: Final = {
    "regulation": ("R", "reg"),
    "implementing_regulation": ("R", "reg_impl"),
    "delegated_regulation": ("R", "reg_del"),
    "directive": ("L", "dir"),
    "implementing_directive": ("L", "dir_impl"),
    "delegated_directive": ("L", "dir_del"),
    "decision": ("D", "dec"),
    "implementing_decision": ("D", "dec_impl"),
    "delegated_decision": ("D", "dec_del"),
    "framework_decision": ("F", "dec_framw"),
    "recommendation": ("H", "reco"),
}
"""The letter in CELEX numbers and the type in identifiers, by the kind of act."""
_CELEX: Final = re.compile(r"3(\d{4})([A-Z])(\d{4})")
_NEW: Final = re.compile(r"\) (20\d\d)/(\d{1,4})(?![\d/])")
"""The number in the name of an act since 2015: "Decision (EU) 2015/507"."""
_ONE_SERIES: Final = 2015
"""Since this year all acts are numbered in one series."""
_STEPS: Final = {"art": "art", "par": "par", "pt": "pnt", "rec": "rct", "anx": "anx"}
"""The steps of an id that identifiers have too."""
_STEP: Final = re.compile(r"(art|par|pt|rec|anx)-([0-9A-Za-z]+)")
_DEEPEST: Final = 3
"""Levels that identifiers of provisions can have."""


def eli_of(act: Act, provision: str = "") -> str:
    """Return the identifier of an act, or of the smallest part around a provision that has one; empty if uncertain."""
    form = form_of(act)
    kind, number = _KINDS.get(form.kind), _number(act.celex, form)
    # A consolidated text of which nobody knows the day has no version either.
    version = "oj" if act.consolidated is None else act.consolidated
    if kind is None or number is None or number[1] != kind[0] or not version:
        return ""
    if kind[0] == "D" and number[0] < _ONE_SERIES:
        return ""
    return "/".join([_BASE, kind[1], str(number[0]), str(number[2]), *_subdivisions(provision), version])


def _number(celex: str, form: ActForm) -> tuple[int, str, int] | None:
    """Year, letter and number of an act: those of its CELEX number or, since all have one series, of its name."""
    match = _CELEX.fullmatch(celex)
    if match is not None:
        return int(match[1]), match[2], int(match[3])
    match = _NEW.search(form.name) if not celex else None
    if match is None or int(match[1]) < _ONE_SERIES:
        return None
    return int(match[1]), _KINDS[form.kind][0], int(match[2])


def _subdivisions(provision: str) -> list[str]:
    found: list[str] = []
    for step in provision.split(".")[:_DEEPEST]:
        match = _STEP.fullmatch(step)
        if match is None:
            break
        found.append(f"{_STEPS[match[1]]}_{match[2]}")
    return found
