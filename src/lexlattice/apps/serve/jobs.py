"""What worker processes do: bytes of an act in, bytes of a response out. Nothing is fetched, stored or logged.

The view of an act holds everything the web reader needs, so that its sliders and clicks need no further request.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from lexlattice._internal.worker import TooLargeError
from lexlattice.act.document import Act
from lexlattice.act.hierarchy import anchors, indent_depths, kind_of
from lexlattice.act.summary import Summary
from lexlattice.lattice.grid import Floats
from lexlattice.reading import read
from lexlattice.reading.citations.forms import SentenceForms, sentence_forms
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.roles import groups_of
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import has_no_summary, notices, standing, warnings_of
from lexlattice.selection import Budget, SummaryOptions
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import build_summary, shipped

MAX_RESPONSE_BYTES: Final = 50_000_000
"""Three times the response for the longest known act; a file of very short lines gives forty times its size."""
MAX_VIEW_UNITS: Final = 50_000
"""Units that the page can show in good time; the longest known act has 41,000."""
MIN_WORDS: Final = 50
"""The lowest budget that the page offers."""
_WHOLE_ACT_WORDS: Final = 1500
"""The page offers at least this budget, so that a shorter act can be shown whole."""
_MIN_STOPS: Final = 8
"""Stops of the budget slider, apart from the named lengths."""
_ORDER_MARGIN: Final = 1.5
"""The selection order is computed beyond the highest budget by this factor: other language versions may be longer."""
_MAX_DEPTH: Final = 4
"""Deeper indents would leave no room for the text."""
_SECTION_NAMES: Final = {
    "title": "title",
    "preamble": "preamble",
    "recitals": "recitals",
    "notes": "notes",
    "body": "act",
}
"""Keys of the interface texts that name a section without a label, by its kind."""
_WARM_UP_ACT: Final = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9()_-]")
"""Characters to remove from file names."""


# Jobs.


@dataclass(frozen=True, slots=True)
class JobRequest:
    """An act and what to do with it.

    Attributes:
        content: The bytes of the file.
        celex: The CELEX number by which it was fetched, if it was.
        name: The title of an act that has none: its file name.
        options: Options of the summary.
        group: Whether items have their group.
        units: Ids of the units to export, instead of a selection.

    """

    content: bytes
    celex: str = ""
    name: str = ""
    options: SummaryOptions = field(default_factory=SummaryOptions)
    group: bool = False
    units: tuple[str, ...] | None = None


def warm_up() -> None:
    """Load the model before the first job. Language statistics are loaded later, since few acts need them."""
    summarize(JobRequest(_WARM_UP_ACT.encode(), options=SummaryOptions(language="en")))


def parse(job: JobRequest) -> bytes:
    """Return the act as JSON."""
    return _encode(_read(job).to_json())


def summarize(job: JobRequest) -> bytes:
    """Return the summary as JSON."""
    return _encode(_summary(job).to_json(group=job.group))


def view(job: JobRequest) -> bytes:
    """Return the view of an act as JSON."""
    act = _read(job)
    if len(act) > MAX_VIEW_UNITS:
        raise TooLargeError(
            f"The act has more than {MAX_VIEW_UNITS:,} provisions, too many to show; use a shorter one."
        )
    return _encode(json.dumps(view_of(act, job.name), ensure_ascii=False, separators=(",", ":")))


def align(first: JobRequest, second: JobRequest) -> bytes:
    """Return the corresponding units of two language versions of an act as JSON."""
    from lexlattice.multilingual import alignment

    found = alignment.align(_read(first), _read(second))
    return _encode(json.dumps({"pairs": dict(found.pairs), "unaligned": found.unaligned}))


def export(job: JobRequest, format: str) -> tuple[bytes, str]:
    """Return the summary as a file, and a file name without suffix."""
    from lexlattice.rendering import render_file

    summary = _summary(job) if job.units is None else extract_of(_read(job), job.units, job.options)
    name = _UNSAFE.sub("", summary.act.celex) or "summary"
    return _check_size(render_file(summary, format, group=job.group)), f"{name}.{summary.act.language}"


def _read(job: JobRequest) -> Act:
    act = read(job.content, language=job.options.language)
    return replace(act, celex=job.celex) if job.celex and not act.celex else act


def _summary(job: JobRequest) -> Summary:
    return shipped().summarize(_read(job), job.options)


def _encode(response: str) -> bytes:
    # Lone surrogates, which a file may contain, cannot be encoded.
    return _check_size(response.encode(errors="replace"))


def _check_size(response: bytes) -> bytes:
    if len(response) > MAX_RESPONSE_BYTES:
        raise TooLargeError(f"The response is larger than {MAX_RESPONSE_BYTES / 1e6:g} MB; use a shorter act.")
    return response


# The view of an act.


def view_of(act: Act, name: str = "") -> dict[str, Any]:
    """Return the view of an act as plain JSON types.

    Args:
        act: The act.
        name: The title to show if the act has none.

    """
    text = phrases(act.language)
    about = {
        "celex": act.celex,
        "title": act.title or name,
        "type": act.type,
        "date": act.date,
        "language": act.language,
        "words": act.words,
        "warnings": [warning for warning in warnings_of(act) if warning not in notices(act)],
        "notices": list(notices(act)),
        "consolidated": act.consolidated,
        "consolidated_celex": act.consolidated_celex,
        "standing": list(standing(act)),
        "repealed": act.repealed,
        "notice": text.disclaimer,
        "groups": dict(text.groups),
        "sections": list(_sections(act)),
        "wholes": dict(act.wholes),
        "paragraphs": _paragraph_citations(act),
        "marks": _omission_marks(act),
        "sentences": _sentence_forms(act),
    }
    budget = Budget().of(act.words)
    least = min(MIN_WORDS, budget)
    most = max(Budget("long").of(act.words), min(act.words, _WHOLE_ACT_WORDS), budget)
    steps = shipped().trajectory(act)  # steps × units
    scores = steps[-1]
    has_selection = act.units and not has_no_summary(act)
    selection = _selection(act, scores, least, most) if has_selection else {"stops": [], "order": [], "whole": []}
    return {
        **about,
        "budget": budget,
        "least": least,
        "most": most,
        "units": list(_units(act, scores)),
        # Scores above 1 (units with several points) are shown as 1; three digits keep the response small.
        "steps": [[min(1.0, round(value, 3)) for value in step] for step in steps.tolist()],
        **selection,
    }


def extract_of(act: Act, ids: Collection[str], options: SummaryOptions | None = None) -> Summary:
    """Return the summary made of the units with these ids; unknown ids are ignored.

    Its budget is the length that `options` ask for or, if they ask for none, the number of its words.
    """
    wanted = frozenset(ids)
    chosen = [place for place, unit in enumerate(act.units) if unit.id in wanted]
    words = sum(act.units[place].words for place in chosen)
    if options is not None and (options.words, options.ratio, options.budget) != (None, None, None):
        words = options.budget_for(act)
    return build_summary(act, chosen, shipped().score(act), words)


def _sentence_forms(act: Act) -> dict[str, list[str]]:
    """Return how runs of sentences are cited, for as many sentences as any provision has."""
    most = max(Counter(unit.provision for unit in act.units if unit.provision in act.wholes).values(), default=0)
    forms = sentence_forms(most, load(act.language)) if most else SentenceForms((), (), (), ())
    return {name: list(each) for name, each in forms._asdict().items()}


def _paragraph_citations(act: Act) -> dict[str, str]:
    """Return the citation of each provision that has subparagraphs or tables beside its text."""
    beside = (act.units[anchor.place].provision for anchor in anchors(act) if anchor is not None and not anchor.step)
    return {name: act.provision(name).citation for name in dict.fromkeys(beside)}


def _omission_marks(act: Act) -> list[str]:
    """Return the marks for 1, 2, 3 … omitted points, up to the length of the longest list."""
    leads = Counter(anchor.place for anchor in anchors(act) if anchor is not None)
    return [phrases(act.language).more_points(count) for count in range(1, max(leads.values(), default=0) + 1)]


def _sections(act: Act) -> Iterator[dict[str, Any]]:
    words = phrases(act.language).reader
    for section in act.sections:
        yield {
            "index": section.index,
            "kind": section.kind,
            "label": section.label,
            "name": section.label or (words[_SECTION_NAMES[section.kind]] if section.kind in _SECTION_NAMES else ""),
            "heading": section.heading,
            "enclosing": list(section.enclosing),
        }


def _units(act: Act, scores: Floats) -> Iterator[dict[str, Any]]:
    """Yield the units with their group, indent, anchor, and whether they continue the previous unit's line."""
    # end: where the previous unit ended; a unit continues its line if there is no newline in between
    end, above, depths = 0, anchors(act), indent_depths(act, _MAX_DEPTH)
    for place, (unit, score, group) in enumerate(zip(act.units, scores.tolist(), groups_of(act), strict=True)):
        anchor = above[place]
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
            "depth": depths[place],
            "above": -1 if anchor is None else anchor.place,
            "step": 0 if anchor is None else anchor.step,
            "is_point": bool(anchor and anchor.step and kind_of(unit, act.units[anchor.place]) == "points"),
            "score": min(1.0, round(score, 3)),
            "goes_on": end > 0 and "\n" not in act.source[end : unit.start],
        }
        end = unit.end


def _selection(act: Act, scores: Floats, least: int, most: int) -> dict[str, Any]:
    """Return the stops of the budget slider and the order of selection.

    A summary of any budget is as many steps of the order as fit. If the budget is as long as the act, it is `whole`.
    """
    limit = int(_ORDER_MARGIN * most)
    # At the full length of the act another rule applies, so the order stops one word below.
    order = choose(act, scores, max(0, min(limit, act.words - 1))).steps
    whole = choose(act, scores, limit).units if limit >= act.words else ()
    named = {Budget(name).of(act.words) for name in ("short", "auto", "long")}
    # A geometric series: equal distances on the slider change the length by equal factors.
    between = np.geomspace(least, most, _MIN_STOPS).round().astype(int).tolist()
    return {
        "stops": sorted(named | {least, most, *between}),
        "order": [list(step) for step in order],
        "whole": list(whole),
    }
