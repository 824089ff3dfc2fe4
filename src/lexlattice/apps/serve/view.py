"""The view of an act: everything the web reader needs, so that its sliders and clicks need no further request.

Places are indexes into `units`. All texts are the act's own, and what is said about it is in the act's language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from lexlattice.act.document import Act
from lexlattice.act.hierarchy import anchors, indent_depths, kind_of
from lexlattice.act.remarks import code_of, values_of
from lexlattice.apps.serve.view_related import Related, related_of
from lexlattice.apps.serve.view_selection import Selection, reasons_of
from lexlattice.apps.serve.view_text import definitions_of, enclosing_of, furniture_of, references_of
from lexlattice.lattice.grid import Floats
from lexlattice.reading.citations.act_names import form_of
from lexlattice.reading.citations.forms import SentenceForms, sentence_forms
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.roles import groups_of
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import notices, standing, warnings_of
from lexlattice.summarizer import shipped

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
_OF_ACTS: Final = ("article", "recitals", "annex", "preamble")
"""Kinds of sections that only acts have."""


def view_of(act: Act, name: str = "") -> dict[str, Any]:
    """Return the view of an act as plain JSON types.

    Args:
        act: The act.
        name: The title to show if the act has none.

    """
    text, summarizer = phrases(act.language), shipped()
    features = summarizer.features(act)
    panels = summarizer.panels(features)  # steps × units
    related = related_of(act, features)
    selection = Selection.of(act, panels)
    return {
        "language": act.language,
        "celex": act.celex,
        "title": act.title or name,
        "type": act.type,
        "date": act.date,
        "words": act.words,
        **_identity(act),
        "status": _status(act),
        "notices": list(notices(act)),
        "warnings": _warnings(act),
        "disclaimer": text.disclaimer,
        "groups": dict(text.groups),
        "sections": list(_sections(act, related)),
        "units": list(_units(act, panels[-1], related)),
        "furniture": list(furniture_of(act)),
        "references": list(references_of(act)),
        "definitions": definitions_of(act),
        "provisions": dict(act.wholes),
        "paragraphs": _paragraph_citations(act),
        "omission_marks": _omission_marks(act),
        "omission_numbers": text.left_out["numbers"],
        "sentences": _sentence_forms(act),
        **selection.to_dict(),
        # Scores above 1 (units with several points) are shown as 1; three digits keep the response small.
        "steps": [[min(1.0, round(value, 3)) for value in step] for step in panels.tolist()],
        "reasons": reasons_of(act, summarizer.model, features, panels, selection),
    }


def _identity(act: Act) -> dict[str, Any]:
    """Return how people name and cite the act, and its ELI address."""
    form = form_of(act)
    return {
        "name": form.name,
        "citation_form": form.cited,
        "citation_rules": {"comma": form.comma, "possessed": dict(form.possessed)},
        "eli": act.eli(),
    }


def _status(act: Act) -> dict[str, Any]:
    """Return what kind of text this is, and whether it is an act, and a complete one."""
    is_act = _is_act(act)
    return {
        "kind": act.status if is_act and (act.type or act.status != "adopted") else "",
        "date": act.consolidated or "",
        "celex": act.consolidated_celex,
        "repealed_by": act.repealed,
        "incomplete": act.incomplete,
        "is_act": is_act,
        "facts": list(standing(act)) if is_act else [],
    }


def _is_act(act: Act) -> bool:
    """Whether a text has the structure of an act, or at least its title: type with number or date.

    The word for a type of act alone says nothing: news have it in their titles, too.
    """
    has_title = bool(act.type and (act.celex or act.date)) or act.status != "adopted"
    return has_title or any(section.kind in _OF_ACTS for section in act.sections)


def _warnings(act: Act) -> list[dict[str, Any]]:
    """Return the warnings that are not among the notices."""
    known = notices(act)
    return [
        {"code": code_of(warning), "text": str(warning), "values": values_of(warning)}
        for warning in warnings_of(act)
        if warning not in known
    ]


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


def _sections(act: Act, related: Related) -> Iterator[dict[str, Any]]:
    words, first = phrases(act.language).reader, 0
    for section, enclosing in zip(act.sections, enclosing_of(act.sections), strict=True):
        last = first + len(section.units) - 1
        yield {
            "index": section.index,
            "kind": section.kind,
            "number": section.number,
            "label": section.label,
            "name": section.label or (words[_SECTION_NAMES[section.kind]] if section.kind in _SECTION_NAMES else ""),
            "heading": section.heading,
            "enclosing": list(enclosing),
            "first": first if section.units else -1,
            "last": last if section.units else -1,
            "words": section.words,
            "related": related.of_sections.get(section.index, []),
        }
        first = last + 1


def _units(act: Act, scores: Floats, related: Related) -> Iterator[dict[str, Any]]:
    """Yield the units with their group, indent, anchor, and whether they continue the previous unit's line."""
    # end: where the previous unit ended; a unit continues its line if there is no newline in between
    end, above, depths = 0, anchors(act), indent_depths(act, _MAX_DEPTH)
    for place, (unit, score, group) in enumerate(zip(act.units, scores.tolist(), groups_of(act), strict=True)):
        anchor = above[place]
        shown = {
            "id": unit.id,
            "provision": unit.provision,
            "section": unit.section,
            "position": unit.position,
            "kind": unit.kind,
            "number": unit.number,
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
            "continues": end > 0 and "\n" not in act.source[end : unit.start],
        }
        yield {**shown, "related": related.of_units[place]} if place in related.of_units else shown
        end = unit.end
