"""The normalised source text of an act, and the act put together on it: what both profiles share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

from lexlattice.act import Act, Furniture, Section
from lexlattice.reading.blocks import Document
from lexlattice.reading.grammar import Grammar
from lexlattice.reading.metadata import describe
from lexlattice.reading.outline import Outline


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
