"""Replies of language models: reading the JSON in them, checking it against a schema, and caching them on disk."""

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
from lexlattice.errors import MissingExtraError

Schema = Mapping[str, Any]
"""A JSON Schema."""

_FENCE: Final = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
"""A reply that is one Markdown code block."""
_MAX_MESSAGE: Final = 300
"""Characters of a schema error, which may quote a large part of the reply."""


def parse(text: str) -> Any:
    """Parse the JSON in a reply, which may be in a code block or between other words.

    Raises:
        ValueError: The reply contains no JSON.

    >>> parse('Here it is: {"marks": {}} I hope it helps.')
    {'marks': {}}

    """
    fenced = _FENCE.match(text)
    text = fenced[1] if fenced else text
    first, last = text.find("{"), text.rfind("}")
    for candidate in (text, text[first : last + 1] if first != -1 else ""):
        with suppress(ValueError, RecursionError):
            return json.loads(candidate, parse_constant=_reject_constant)
    raise ValueError("it is not JSON")


def schema_error(value: Any, schema: Schema) -> str:
    """The most relevant violation of a JSON Schema, as a clause for a prompt; empty if the value conforms.

    >>> schema_error({"marks": ["covered"]}, {"type": "object", "required": ["points"]})
    "'points' is a required property"
    """
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match
    except ImportError as error:
        raise MissingExtraError("Checking replies of language models", "llm") from error
    found = best_match(Draft202012Validator(schema).iter_errors(value))
    if found is None:
        return ""
    where = f" (at {found.json_path})" if found.path else ""
    return f"{found.message[:_MAX_MESSAGE]}{where}"


def _reject_constant(constant: str) -> float:
    """NaN and Infinity, which Python accepts and JSON does not have."""
    raise ValueError(f"{constant} is not JSON")


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply."""

    text: str
    tokens_in: int
    tokens_out: int
    is_cut: bool = False
    """Whether it was cut off at the maximum length."""
    data: Any = None
    """The parsed JSON, if a schema was given."""


class ReplyCache:
    """A folder of replies, one file per request. Several threads and processes may use it at once."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder: Final = Path(folder)

    def usage(self) -> tuple[int, int, int]:
        """The number of cached replies, and the tokens in and out that they took."""
        used = [(0, 0, 0)]
        for path in self.folder.glob("??/*.json"):
            with suppress(OSError, ValueError, TypeError, KeyError):
                reply = Reply(**json.loads(path.read_bytes())["reply"])
                used.append((1, int(reply.tokens_in), int(reply.tokens_out)))
        requests, tokens_in, tokens_out = map(sum, zip(*used, strict=True))
        return requests, tokens_in, tokens_out

    def load(self, key: str, max_tokens: int) -> Reply | None:
        """The cached reply, if there is one that is intact, and that was not cut off below `max_tokens`."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            cached = json.loads(self._path(key).read_bytes())
            reply = Reply(**cached["reply"])
            if isinstance(reply.text, str) and not (reply.is_cut and cached["longest"] < max_tokens):
                return reply
        return None

    def save(self, key: str, request: Mapping[str, Any], reply: Reply, max_tokens: int) -> None:
        """Write a reply with its request; the file is complete on disk when this returns."""
        path = self._path(key)
        fields = asdict(reply)
        del fields["data"]  # parsed again from the text when it is loaded
        content = json.dumps({**request, "longest": max_tokens, "reply": fields}, ensure_ascii=False, indent=1)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        # A name of this thread, since others may be writing the same reply.
        unique = path.with_name(f"{path.name}-{os.getpid()}-{threading.get_ident()}")
        write_whole(unique, content.encode("utf-8", "surrogatepass"))
        with writing(path):
            unique.replace(path)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def cache_key(request: Mapping[str, Any]) -> str:
    """The digest of a request."""
    return sha256(json.dumps(request, sort_keys=True).encode())
