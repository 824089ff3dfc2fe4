"""The view of an act: all that the page needs of it, so that sliders and clicks need no further word from here."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from lexlattice._internal.processes import TooLargeError
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

LEAST: Final = 50
"""The fewest words that the page offers."""
_WHOLE: Final = 1500
"""An act of no more words can be had whole; of a longer one, so many words at least."""
_NAMED: Final = {"title": "title", "preamble": "preamble", "recitals": "recitals", "notes": "notes", "body": "act"}
"""What a section is called, by its kind, where the act has no label for it."""
_STOPS: Final = 8
"""Between the fewest and the most words, the slider marks so many lengths at least."""
_BEYOND: Final = 1.5
"""What is chosen is known for so many times the most words: other versions of the act may have more of them."""
_DEEPEST: Final = 4
"""Indenting further would leave no room for the text."""


def view_of(act: Act, name: str = "") -> dict[str, Any]:
    """The view as plain JSON types; `name` is what an act is called that has no title."""
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
        "notice": phrases(act.language).disclaimer,
        "groups": dict(phrases(act.language).groups),
        "sections": list(_sections(act)),
        "wholes": dict(act.wholes),
        "paragraphs": _paragraphs(act),
        "marks": _marks(act),
        "sentences": _sentences(act),
    }
    budget, most = Budget().of(act.words), max(Budget("long").of(act.words), min(act.words, _WHOLE))
    limits = {"budget": budget, "least": min(LEAST, budget), "most": max(most, budget)}
    steps = shipped().trajectory(act)
    final = steps[-1]
    none = not act.units or has_no_summary(act)
    chosen = {"stops": [], "order": [], "whole": []} if none else _chosen(act, final, limits["least"], limits["most"])
    return {**about, **limits, "units": list(_units(act, final)), "steps": _rounded(steps), **chosen}


def extract_of(act: Act, ids: Collection[str]) -> Summary:
    """The summary that the page shows, made of the units that it names; what it names and is not there is left out."""
    wanted = frozenset(ids)
    chosen = [place for place, unit in enumerate(act.units) if unit.id in wanted]
    words = sum(act.units[place].words for place in chosen)
    return build_summary(act, chosen, shipped().score(act), words)


def _sentences(act: Act) -> dict[str, list[str]]:
    """How sentences that follow each other are cited, as many as any provision has."""
    most = max(Counter(unit.provision for unit in act.units if unit.provision in act.wholes).values(), default=0)
    forms = sentence_forms(most, load(act.language)) if most else SentenceForms((), (), (), ())
    return {name: list(each) for name, each in forms._asdict().items()}


def _paragraphs(act: Act) -> dict[str, str]:
    """How each provision is cited that has subparagraphs or tables beside its text."""
    beside = (act.units[anchor.place].provision for anchor in anchors(act) if anchor is not None and not anchor.step)
    return {name: act.provision(name).citation for name in dict.fromkeys(beside)}


def _marks(act: Act) -> list[str]:
    """What stands where points are left out, one mark for each number of them, up to the longest list."""
    leads = Counter(anchor.place for anchor in anchors(act) if anchor is not None)
    return [phrases(act.language).more_points(count) for count in range(1, max(leads.values(), default=0) + 1)]


def _sections(act: Act) -> Iterator[dict[str, Any]]:
    words = phrases(act.language).reader
    for section in act.sections:
        yield {
            "index": section.index,
            "kind": section.kind,
            "label": section.label,
            "name": section.label or (words[_NAMED[section.kind]] if section.kind in _NAMED else ""),
            "heading": section.heading,
            "enclosing": list(section.enclosing),
        }


def _units(act: Act, scores: Floats) -> Iterator[dict[str, Any]]:
    """Units with what the page wants to know besides: group, indent, what is above, and if it goes on in the line."""
    end, above, depths = 0, anchors(act), indent_depths(act, _DEEPEST)
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


def _rounded(steps: Floats) -> list[list[float]]:
    return [[min(1.0, round(value, 3)) for value in step] for step in steps.tolist()]


def _stops(least: int, most: int, words: int) -> list[int]:
    """Lengths, each longer than the one before by about the same factor; those that have names are among them."""
    named = {Budget(name).of(words) for name in ("short", "auto", "long")}
    between = np.geomspace(least, most, _STOPS).round().astype(int).tolist()
    return sorted(named | {least, most, *between})


def _chosen(act: Act, scores: Floats, least: int, most: int) -> dict[str, Any]:
    """The steps of a summary, of which each length has as many as fit, and all that one as long as the act has."""
    beyond = int(_BEYOND * most)
    order = choose(act, scores, max(0, min(beyond, act.words - 1))).steps
    whole = choose(act, scores, beyond).units if beyond >= act.words else ()
    return {
        "stops": _stops(least, most, act.words),
        "order": [list(step) for step in order],
        "whole": list(whole),
    }


# What a worker does: bytes of a file in, bytes of an answer out. Nothing is fetched, kept or logged.

_LITTLE_ACT: Final = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9()_-]")
LARGEST: Final = 50_000_000
"""Bytes of an answer, which the service holds while it is sent.

Three times those of the longest act known; a file of very short lines makes forty times its size.
"""
MOST_UNITS: Final = 50_000
"""Of an act that a page can show in good time; the longest known has 41,000."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A file, and what is wanted of it."""

    content: bytes
    celex: str = ""
    """Where it was fetched by one."""
    name: str = ""
    options: SummaryOptions = field(default_factory=SummaryOptions)
    group: bool = False
    units: tuple[str, ...] | None = None
    """Exactly these, by their ids, instead of what would be chosen."""


def begin() -> None:
    """Load what every job needs; telling languages apart by statistics, which few acts need, can wait for the first."""
    summarize(Asked(_LITTLE_ACT.encode(), options=SummaryOptions(language="en")))


def parse(asked: Asked) -> bytes:
    """The act as JSON."""
    return _encoded(_act(asked).to_json())


def summarize(asked: Asked) -> bytes:
    """The summary as JSON."""
    return _encoded(_summary(asked).to_json(group=asked.group))


def view(asked: Asked) -> bytes:
    """All that the page needs of an act, as JSON."""
    act = _act(asked)
    if len(act) > MOST_UNITS:
        raise TooLargeError(f"This act has more than {MOST_UNITS:,} provisions, too many to show; give a shorter one.")
    data: dict[str, Any] = view_of(act, asked.name)
    return _encoded(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def align(first: Asked, second: Asked) -> bytes:
    """Which units of one version of an act say what those of another say, as JSON."""
    from lexlattice.multilingual.versions import counterparts

    found = counterparts(_act(first), _act(second))
    return _encoded(json.dumps({"pairs": dict(found.pairs), "unaligned": found.unaligned}))


def export(asked: Asked, format: str) -> tuple[bytes, str]:
    """The summary as a file, and a name for it without its ending."""
    from lexlattice.rendering import render_file

    summary = _summary(asked) if asked.units is None else _extract(asked, asked.units)
    name = _UNSAFE.sub("", summary.act.celex) or "summary"
    return _fitting(render_file(summary, format, group=asked.group)), f"{name}.{summary.act.language}"


def _encoded(answer: str) -> bytes:
    return _fitting(answer.encode(errors="replace"))


def _fitting(answer: bytes) -> bytes:
    if len(answer) > LARGEST:
        raise TooLargeError(f"The answer would be larger than {LARGEST / 1e6:g} MB; give a shorter act.")
    return answer


def _act(asked: Asked) -> Act:
    act = read(asked.content, language=asked.options.language)
    return replace(act, celex=asked.celex) if asked.celex and not act.celex else act


def _summary(asked: Asked) -> Summary:
    return shipped().summarize(_act(asked), asked.options)


def _extract(asked: Asked, units: tuple[str, ...]) -> Summary:
    return extract_of(_act(asked), units)
