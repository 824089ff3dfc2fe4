"""Which units of an act are nothing by themselves: what closes a list, labels, and what was said before.

All of it by structure, punctuation and length, so that it holds in every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act, Unit

_LABEL: Final = 12
"""What has fewer words and no end mark is a heading or the cell of a table, unless it is an entry of a list."""
_SHORTEST: Final = 4
"""What has fewer words says nothing at all."""
_NAME: Final = 80
"""Characters of an act's title that tell it from all others: kind, number, authors and date."""
_BRACKETS: Final = "\"'»”’“)]› "
_LISTED: Final = ("point", "indent")


def closed_lists(units: Sequence[Unit], leads: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """What leads in a list, and what goes on with the sentence after its points: it begins with a small letter."""
    for place, unit in enumerate(units):
        lead = leads[place - 1] if place else None
        if lead is None or unit.kind != "subparagraph" or units[place - 1].section != unit.section:
            continue
        if units[place - 1].kind not in _LISTED:  # quoted text hangs from its instruction, but is no list
            continue
        while (above := leads[lead]) is not None and units[lead].provision != unit.provision.rpartition(".")[0]:
            lead = above
        letter = next(filter(str.isalpha, unit.text), "")
        if letter.islower() and units[lead].provision == unit.provision.rpartition(".")[0]:
            yield lead, place


def says_nothing(act: Act, unit: Unit, is_listed: bool) -> bool:
    """A heading, a cell of a table, a footnote within an article, or what leads in something that cannot be cited."""
    text = unit.text.rstrip(_BRACKETS)
    if unit.words < _SHORTEST or text.endswith(":") or text.isupper():
        return True
    if unit.kind == "note":
        return act.sections[unit.section].kind != "notes"
    return unit.words < _LABEL and not is_listed and text[-1:].isalnum()


def said_before(act: Act) -> NDArray[np.bool_]:
    """What repeats another unit, or names the act itself in the text of another one that it amends."""
    seen: set[str] = set()
    flags = np.zeros(len(act), np.bool_)
    name = act.title.casefold()[:_NAME]
    for place, unit in enumerate(act.units):
        text = unit.text.casefold()
        flags[place] = text in seen or (len(name) == _NAME and name in text)
        seen.add(text)
    return flags
