"""The normalised source text of an act, and the act put together on it: what both profiles share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final

from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.languages.grammar import Grammar
from lexlattice.reading.structure.metadata import describe
from lexlattice.reading.structure.outline import Outline


def lay_out(lines: Sequence[str], runs: Iterable[tuple[int, int]]) -> tuple[str, list[int]]:
    """The source, and where each line begins in it and, last, where one more would.

    A line break stands between units, a space inside them (the runs, from their first to their last line), so that
    each unit is a slice.
    """
    breaks = ["\n"] * len(lines)
    for first, last in runs:
        for i in range(first, last):
            breaks[i] = " "
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    return "".join(chain.from_iterable(zip(lines, breaks, strict=True)))[:-1], starts


def put_together(
    document: Document,
    plan: Outline,
    grammar: Grammar,
    profile: str,
    sections: Iterable[Section],
    furniture: Iterable[Furniture],
    source: str,
) -> Act:
    """The act, with what it says about itself."""
    facts = describe(document, plan, grammar)
    return Act(
        celex=facts.celex,
        title=facts.title,
        type=facts.type,
        date=facts.date,
        language=grammar.language,
        profile=profile,
        sections=tuple(sections),
        furniture=tuple(furniture),
        source=source,
        warnings=tuple(document.warnings) + facts.warnings,
        consolidated=facts.consolidated,
        consolidated_celex=facts.consolidated_celex,
        repealed=document.repealed,
        incomplete=facts.incomplete,
    )


# No two units of an act are cited alike, even where the act itself numbers two provisions alike.

_REPEATED: Final = re.compile(r"~(\d+)")


def distinguish(sections: Sequence[Sequence[Unit]]) -> list[tuple[Unit, ...]]:
    """The units of each section, the second that is cited as another with "[2]" behind its citation, and so on.

    Where an id says which of several alike a unit is, as in "art-5~2", the citation says the same.
    """
    counts = Counter(unit.citation for units in sections for unit in units)
    if len(counts) == sum(map(len, sections)):
        return [tuple(units) for units in sections]
    taken = set(counts)
    seen: set[str] = set()
    latest: Counter[str] = Counter()
    result = []
    for units in sections:
        renamed = []
        for unit in units:
            if unit.citation in seen:
                repeated = _REPEATED.search(unit.provision)
                number = int(repeated[1]) if repeated else max(2, latest[unit.citation] + 1)
                while (citation := f"{unit.citation} [{number}]") in taken:
                    number += 1
                latest[unit.citation] = max(number, latest[unit.citation])
                taken.add(citation)
                unit = unit._replace(citation=citation)
            seen.add(unit.citation)
            renamed.append(unit)
        result.append(tuple(renamed))
    return result


def distinguish_wholes(wholes: Mapping[str, str], sections: Sequence[Sequence[Unit]]) -> dict[str, str]:
    """How each provision that comes in sentences is cited as a whole, unlike any unit and any other of them."""
    taken = {unit.citation for units in sections for unit in units}
    result = {}
    for provision, citation in wholes.items():
        repeated = _REPEATED.search(provision)
        number, name = int(repeated[1]) if repeated else 2, citation
        while name in taken:
            name, number = f"{citation} [{number}]", number + 1
        taken.add(name)
        result[provision] = name
    return result
