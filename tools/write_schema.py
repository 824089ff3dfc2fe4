"""Write the JSON Schema of an act beside the code it describes, from the types themselves."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lexlattice.act import document

TARGET = Path(__file__).parent.parent / "src" / "lexlattice" / "act" / "act.schema.json"

_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("Section", "kind"): document.SECTION_KINDS,
    ("Unit", "kind"): document.UNIT_KINDS,
    ("Furniture", "kind"): document.FURNITURE_KINDS,
    ("Act", "profile"): ("provisions", "paper"),
}


def schema() -> dict[str, Any]:
    """The schema of `Act.to_dict`'s result."""
    definitions = {kind.__name__: _object(kind) for kind in (document.Section, document.Unit, document.Furniture)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Act",
        "description": "An EU legal act, read by LexLattice: sections, units and furniture with spans into the source.",
        **_object(document.Act),
        "$defs": definitions,
    }


def _object(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, vars(document))
    properties = {name: _property(kind.__name__, name, hint) for name, hint in hints.items()}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _property(owner: str, name: str, hint: Any) -> dict[str, Any]:
    if (owner, name) in _CHOICES:
        return {"type": "string", "enum": list(_CHOICES[owner, name])}
    if hint is str:
        return {"type": "string"}
    if hint == str | None:
        return {"type": ["string", "null"]}
    if hint is bool:
        return {"type": "boolean"}
    if hint is int:
        return {"type": "integer", "minimum": 0}
    if hint == Mapping[str, str]:
        return {"type": "object", "additionalProperties": {"type": "string"}}
    if isinstance(hint, types.GenericAlias) and typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        items = {"type": "string"} if item is str else {"$ref": f"#/$defs/{item.__name__}"}
        return {"type": "array", "items": items}
    raise TypeError(f"no schema for {owner}.{name}: {hint}")


def text() -> str:
    """The schema as the file holds it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
    print(f"wrote {TARGET.name}")
