"""What kind of text an act's is, and what nobody may miss who reads what was made of it: in the act's own language."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.act.document import CUT_OFF, Act
from lexlattice.rendering.phrases import phrases

_CLAUSES: Final = re.compile("[;·]")
"""Ends the clause before the one on the Official Journal, in every language; Greek has a point in the middle."""


def standing(act: Act) -> tuple[str, ...]:
    """Facts for the head of whatever shows an act: consolidated and of which day, repealed and by what, and so on.

    Of a text of which nothing is known, not even what kind of act it is, nothing is said.
    """
    words = phrases(act.language)
    facts = []
    if act.consolidated is not None:
        name = words.reader["consolidated"]
        facts.append(f"{name}: {act.consolidated}" if act.consolidated else name)
    if act.repealed is not None:
        facts.append(_repealed(act))
    elif act.type == "corrigendum":
        facts.append(words.status["corrigendum"])
    elif act.consolidated is None and act.type:
        facts.append(words.status["adopted"])
    return tuple(facts)


def notices(act: Act) -> tuple[str, ...]:
    """What stands before everything else, a sentence or two each; of most acts there is nothing to say."""
    words = phrases(act.language).notices
    found = []
    if act.repealed is not None:
        found.append(f"{_repealed(act).rstrip('.')}. {words['ended']}" if act.repealed else words["ended"])
    elif is_empty(act):
        found.append(words["empty"])
    if act.incomplete:
        found.append(words["cut_off"])
    return tuple(found)


def warnings_of(act: Act) -> tuple[str, ...]:
    """The notices, and then the act's other warnings."""
    return (*notices(act), *(warning for warning in act.warnings if warning != CUT_OFF))


def disclaimer(act: Act) -> str:
    """What stands below everything; only of an EU act the Official Journal has the authentic version."""
    words = phrases(act.language).disclaimer
    return words if not act.hierarchy else f"{_CLAUSES.split(words)[0]}."


def has_no_summary(act: Act) -> bool:
    """Whether the act is no longer in force, or its text has nothing that could be in a summary."""
    return act.repealed is not None or is_empty(act)


def is_empty(act: Act) -> bool:
    """Whether a consolidated text has a title at most: those of acts that are no longer in force often do."""
    return act.consolidated is not None and all(unit.kind == "title" for unit in act.units)


def _repealed(act: Act) -> str:
    words = phrases(act.language).status
    return words["repealed"].format(act=act.repealed) if act.repealed else words["ended"]
