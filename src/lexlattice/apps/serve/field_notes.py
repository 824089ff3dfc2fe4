"""Descriptions and choices of fields whose schemas come from data classes, by schema and field."""

from __future__ import annotations

from typing import Any, Final

from lexlattice.act.summary import GROUPS, REASONS

_SPAN: Final = {"start": "where it begins in `source`", "end": "where it ends in `source`"}
_CELL: Final = {
    "section": "row of the lattice: index of the section, from 0",
    "position": "column of the lattice: index within the section, from 0",
}
_DESCRIPTIONS: Final[dict[str, dict[str, str]]] = {
    "Act": {
        "celex": "CELEX number; empty if unknown",
        "title": "the full title",
        "type": "regulation, directive, decision and so on; empty if unknown",
        "date": "date of the act (ISO 8601); empty if unknown",
        "language": "two-letter code of its language",
        "profile": "whether it was read as an act with provisions or as a paper without",
        "sections": "rows of the lattice, in the order of the act",
        "furniture": "pieces of the source that are no provisions",
        "source": "the normalised text that all positions refer to",
        "warnings": "what is doubtful, one sentence each",
        "consolidated": "date of a consolidated text, empty if unknown; null for an act as adopted",
        "consolidated_celex": "CELEX number of a consolidated text; empty if unknown",
        "repealed": "the act that repealed it, empty if unknown; null if it is not known to be repealed",
        "incomplete": "whether the text seems to be truncated",
        "wholes": "citations of provisions that are divided into sentences, by id",
        "hierarchy": "empty for EU acts; else the name of the description that the document was read by",
    },
    "ActSection": {
        "index": "row of the lattice, from 0",
        "kind": "what it is",
        "number": "its number, in one notation for all languages: 5a for 5 bis; empty if it has none",
        "label": "the header as the act writes it: Article 5",
        "heading": "its heading; empty if it has none",
        "enclosing": "headings of part, title, chapter and section, outermost first",
        "units": "cells of the lattice, in the order of the act",
    },
    "ActUnit": {
        "id": "art-5.par-1.pt-a; the same in all languages",
        "provision": "the id without the sentence",
        "kind": "what it is",
        "number": "its own number as the act writes it, without brackets; empty if it has none",
        "citation": "how it is cited, in the language of the act",
        "text": "exactly the characters from start to end of `source`",
        "words": "number of words",
        **_CELL,
        **_SPAN,
    },
    "ActFurniture": {"kind": "what it is", **_SPAN},
    "Item": {
        "id": "id of the unit",
        "citation": "how it is cited, in the language of the act",
        "heading": "heading of the article or annex; empty if it has none",
        "text": "exactly the characters from start to end of the act's source",
        "words": "number of words",
        "score": "probability that an editor would select it, from 0 to 1",
        "group": "heading of official summaries it belongs under; only if `group` was asked for",
        "start": "where it begins in the act's source",
        "end": "where it ends in the act's source",
        **_CELL,
    },
    "Explanation": {
        "rank": "1 for what was selected first",
        "salience": "before the first step of the automaton, and after each",
        "neighbours": "the units that changed it most, the strongest first",
        "reasons": "reasons that can be put into words",
    },
    "Influence": {"id": "id of the unit", "citation": "how it is cited", "change": "how much it changed the salience"},
    "Reason": {"key": "what it is", "value": "how much of it there is: a number, a share, or 1"},
}
_CHOICES: Final = {("Item", "group"): [*GROUPS, ""], ("Reason", "key"): list(REASONS)}


def add_notes(schemas: dict[str, Any]) -> None:
    """Add them to the schemas of the OpenAPI document."""
    for name, notes in _DESCRIPTIONS.items():
        for field, description in notes.items():
            schemas[name]["properties"][field]["description"] = description
    for (name, field), choices in _CHOICES.items():
        schemas[name]["properties"][field]["enum"] = choices
