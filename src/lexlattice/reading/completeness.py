"""Whether a text ends where acts end, or in the middle: what was lost on the way cannot be summarised.

The end of an act is its signature, or its footnotes and annexes behind that. What is cut off has no signature, stops in
the middle of a sentence, or leaves a header without a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.outline import Outline
from lexlattice.reading.sections import Part

SIGNED: Final = ("regulation", "directive", "decision")
"""Kinds of acts that always end with place, date and signature; agreements list who signed in many ways."""
LONG_LINE: Final = 90
"""Characters of a line that is a sentence, not a heading or an entry of a list."""
USUAL: Final = 0.9
"""The share of sentences that end with a stop where all of them should."""
FEWEST: Final = 3
"""So many sentences at least show what is usual."""
_STOPS: Final = tuple(".;:!?…)]»”“’\"'>*—–-%°")
"""What a finished line can end with: also the end of a quotation, of a note, or of a table in old pages."""
_GOES_ON: Final = (",", "(", "[", "«")
_DATED: Final = re.compile(r"(?:19|20)\d\d\D{0,3}$")
"""How a signature's date ends that old pages have on the line of the last article."""
_ADDRESS: Final = re.compile(r"(?:://|www\.)\S*$")


def is_cut_off(plan: Outline, kind: str, *, is_consolidated: bool) -> bool:
    """Whether the text of an act of some kind, as adopted or consolidated, seems to end too early."""
    parts = [part for part in plan.parts if part.kind not in ("title", "notes")]
    kinds = {part.kind for part in parts}
    if not kinds:
        return kind in SIGNED and not is_consolidated
    last = parts[-1]
    if last.kind == "article" and not last.lines:
        return not is_consolidated
    if plan.parts[-1].kind in ("annex", "body", "notes") and _breaks_off(plan.parts[-1], plan):
        return True
    is_behind_articles = last.kind == "annex" or (last.kind == "body" and bool(kinds & {"article", "annex"}))
    if is_behind_articles or _is_signed(plan, last):
        return False
    has_beginning = bool(kinds & {"recitals", "preamble"})
    if has_beginning and kind in SIGNED and not is_consolidated:
        return True
    return bool(last.lines) and _goes_on(plan.lines[last.lines[-1]], LONG_LINE)


def _is_signed(plan: Outline, last: Part) -> bool:
    if "signature" in plan.furniture.values():
        return True
    return last.kind == "article" and bool(last.lines) and bool(_DATED.search(plan.lines[last.lines[-1]]))


def _goes_on(line: str, shortest: int) -> bool:
    return len(line) >= shortest and not line.endswith(_STOPS) and _ADDRESS.search(line) is None


def _breaks_off(last: Part, plan: Outline) -> bool:
    """Whether an annex, or the notes, end in the middle of a sentence: without the stop that all others have."""
    if not last.lines or last.lines[-1] in plan.tables:
        return False
    line, shortest = plan.lines[last.lines[-1]], 0 if last.kind == "notes" else LONG_LINE
    if line.endswith(_GOES_ON):
        return last.kind != "notes"
    if line.count("(") > line.count(")"):
        return True
    others = [plan.lines[i] for i in last.lines[:-1] if i not in plan.tables]
    return _goes_on(line, shortest) and _usually_stops(others, shortest)


def _usually_stops(lines: Sequence[str], shortest: int) -> bool:
    stops = [line.endswith(_STOPS) for line in lines if len(line) >= shortest]
    return len(stops) >= FEWEST and sum(stops) >= USUAL * len(stops)
