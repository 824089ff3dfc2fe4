"""European Legislation Identifiers: the permanent address of an act, and of a provision of it.

Only what is certain: the act's CELEX number is known and agrees with its title, and the number is not shared by two
acts. Decisions before 2015 were numbered in two series, so that an identifier may name either of two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lexlattice.reading.citations.act_names import form_of

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
_ONE_SERIES: Final = 2015
"""Since this year all acts are numbered in one series."""
_STEPS: Final = {"art": "art", "par": "par", "pt": "pnt", "rec": "rct", "anx": "anx"}
"""The steps of an id that identifiers have too."""
_STEP: Final = re.compile(r"(art|par|pt|rec|anx)-([0-9A-Za-z]+)")
_DEEPEST: Final = 3
"""Levels that identifiers of provisions can have."""


def eli_of(act: Act, provision: str = "") -> str:
    """Return the identifier of an act, or of the smallest part around a provision that has one; empty if uncertain."""
    match, kind = _CELEX.fullmatch(act.celex), _KINDS.get(form_of(act).kind)
    if match is None or kind is None or match[2] != kind[0]:
        return ""
    if match[2] == "D" and int(match[1]) < _ONE_SERIES:
        return ""
    version = "oj" if act.consolidated is None else act.consolidated
    if not version:  # consolidated, nobody knows when
        return ""
    return "/".join([_BASE, kind[1], match[1], str(int(match[3])), *_subdivisions(provision), version])


def _subdivisions(provision: str) -> list[str]:
    found: list[str] = []
    for step in provision.split(".")[:_DEEPEST]:
        match = _STEP.fullmatch(step)
        if match is None:
            break
        found.append(f"{_STEPS[match[1]]}_{match[2]}")
    return found
