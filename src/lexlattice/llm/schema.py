"""JSON that must have a given shape: read it out of a reply, and say what is wrong with it.

Of JSON Schema only what the requests of this package use: `type`, `properties`, `required`, `additionalProperties`
(true or false), `items`, `minItems`, `maxItems`, `minLength` and `enum`. A schema with anything else is refused, so
that nothing passes unchecked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_KNOWN: Final = frozenset(
    "type properties required additionalProperties items minItems maxItems minLength enum description".split()
)
_FENCE: Final = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def parse(text: str) -> Any:
    """The JSON in a reply, which may stand in a fence or between other words; `ValueError` if there is none.

    >>> parse('Here it is: {"marks": {}} I hope it helps.')
    {'marks': {}}
    """
    fenced = _FENCE.match(text)
    text = fenced[1] if fenced else text
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError:
        first, last = text.find("{"), text.rfind("}")
        if first == -1 or last < first:
            raise ValueError("it is not JSON") from None
        try:
            return json.loads(text[first : last + 1], parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise ValueError("it is not JSON") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def fault(value: Any, schema: Schema, place: str = "the reply") -> str:
    """The first thing that is wrong, as a clause; empty if nothing is.

    >>> fault({"marks": ["covered"]}, {"type": "object", "required": ["points"]})
    "the reply lacks 'points'"
    """
    if unknown := set(schema) - _KNOWN:
        raise ValueError(f"schemas may not use {', '.join(sorted(unknown))}")
    kind = schema.get("type")
    if kind is not None and not _is(value, kind):
        return f"{place} is not of type {kind}"
    if "enum" in schema and not any(type(value) is type(one) and value == one for one in schema["enum"]):
        return f"{place} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return f"{place} is too short"
    if isinstance(value, list):
        return _fault_in_list(value, schema, place)
    return _fault_in_object(value, schema, place) if isinstance(value, dict) else ""


def _fault_in_list(value: list[Any], schema: Schema, place: str) -> str:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not least <= len(value) <= most:
        return f"{place} has {len(value)} entries instead of {least if len(value) < least else most}"
    items = schema.get("items", {})
    faults = (fault(item, items, f"{place}[{index}]") for index, item in enumerate(value))
    return next(filter(None, faults), "")


def _fault_in_object(value: dict[str, Any], schema: Schema, place: str) -> str:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place} lacks '{name}'"
    if schema.get("additionalProperties") is False and (others := value.keys() - properties.keys()):
        return f"{place} has '{min(others)}', which was not asked for"
    faults = (fault(value[name], inner, f"{place}.{name}") for name, inner in properties.items() if name in value)
    return next(filter(None, faults), "")


def _is(value: Any, kind: str) -> bool:
    """Whether it is of the type; true and false are no numbers."""
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
