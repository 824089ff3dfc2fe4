"""JSON that must have a given shape: read it out of a reply, and say what is wrong with it.

Of JSON Schema only what the requests of this package use: `type`, `properties`, `required`, `additionalProperties`
(true or false), `items`, `minItems`, `maxItems`, `minLength` and `enum`. A schema with anything else is refused, so
that nothing passes unchecked.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lexlattice._internal.files import sha256, write_whole, writing

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


# Replies on the disk: what was once asked and answered is not asked again.


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, and how many tokens it took; `data` is what it says as JSON, where that was asked for."""

    text: str
    tokens_in: int
    tokens_out: int
    is_cut: bool = False
    """It ended because it was as long as it may be."""
    data: Any = None


class Store:
    """A folder of replies. Several threads and processes may use it at once."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    @property
    def folder(self) -> Path:
        """Where the replies are."""
        return self._folder

    def usage(self) -> tuple[int, int, int]:
        """How many replies are kept, and how many tokens in and out they took."""
        used = []
        for path in self._folder.glob("??/*.json"):
            with suppress(OSError, ValueError, TypeError, KeyError):
                reply = Reply(**json.loads(path.read_bytes())["reply"])
                used.append((1, int(reply.tokens_in), int(reply.tokens_out)))
        requests, tokens_in, tokens_out = map(sum, zip(*used, strict=True)) if used else (0, 0, 0)
        return requests, tokens_in, tokens_out

    def load(self, key: str, longest: int) -> Reply | None:
        """The kept reply, unless it was cut off and could now be longer; what is damaged counts as not kept."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(self._path(key).read_bytes())
            reply = Reply(**kept["reply"])
            if isinstance(reply.text, str) and not (reply.is_cut and kept["longest"] < longest):
                return reply
        return None

    def save(self, key: str, question: Mapping[str, Any], reply: Reply, longest: int) -> None:
        """Keep a reply with what was asked; it is on the disk, whole, once this returns."""
        path = self._path(key)
        about = asdict(reply)
        del about["data"]
        content = json.dumps({**question, "longest": longest, "reply": about}, ensure_ascii=False, indent=1)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f"{path.name}-{os.getpid()}-{threading.get_ident()}")
        write_whole(own, content.encode("utf-8", "surrogatepass"))
        with writing(path):
            own.replace(path)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def key_of(question: Mapping[str, Any]) -> str:
    """The digest of what is asked."""
    return sha256(json.dumps(question, sort_keys=True).encode())
