"""The parts of the OpenAPI document that cannot be told from the code: bodies of three kinds, and all that may fail."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel

from lexlattice.apps.serve.intake import FORM, JSON, LINES
from lexlattice.apps.serve.schemas import EXAMPLE, MEDIA_TYPE, ActRequest, Problem

Responses = dict[int | str, dict[str, Any]]

_PROBLEM: Final = {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
PROBLEMS: Final[Responses] = {
    status: {"description": HTTPStatus(status).phrase, "content": _PROBLEM}
    for status in (400, 403, 404, 408, 413, 415, 421, 422, 429, 500, 501, 502, 503)
}
FILE: Final[Responses] = {
    200: {"description": "The file", "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}


def answered(answer: type[BaseModel]) -> Responses:
    """JSON of one kind."""
    return {200: {"description": "The answer", "model": answer}}


def several(answer: type[BaseModel] | None) -> Responses:
    """JSON for one act, lines of it for several."""
    lines: dict[str, Any] = {"content": {JSON: {}, LINES: {"schema": {"type": "string"}}}}
    if answer is not None:
        lines["content"][JSON] = {"schema": {"$ref": f"#/components/schemas/{answer.__name__}"}}
        lines["model"] = answer
    return {200: {"description": "Of one act JSON, of several a line each", **lines}}


def body(model: type[ActRequest], *, lines: bool = False) -> dict[str, Any]:
    """What may be sent: a form with a file, or JSON, or a line of it for each of several acts."""
    schema = model.model_json_schema()
    file = {"type": "string", "format": "binary", "description": "the act, in any format"}
    fields = {name: field for name, field in schema["properties"].items() if name not in ("text", "celex")}
    form = {"type": "object", "properties": {"file": file, **fields}, "required": ["file"]}
    content: dict[str, Any] = {JSON: {"schema": schema}, FORM: {"schema": form}}
    if lines:
        example = json.dumps({"text": EXAMPLE, "language": "en"})
        content[LINES] = {"schema": {"type": "string"}, "example": f"{example}\n{example}\n"}
    return {"requestBody": {"required": True, "content": content}}


def two_acts() -> dict[str, Any]:
    """Two versions of an act: a form in which what is said twice stands in their order."""
    file = {"type": "array", "items": {"type": "string", "format": "binary"}, "maxItems": 2}
    texts = {"type": "array", "items": {"type": "string"}, "maxItems": 2}
    codes = {"type": "array", "items": ActRequest.model_json_schema()["properties"]["language"], "maxItems": 2}
    properties = {"file": file, "text": texts, "celex": texts, "language": codes}
    example = {"text": [EXAMPLE, EXAMPLE], "language": ["en", "en"]}
    schema = {"type": "object", "properties": properties}
    return {"requestBody": {"required": True, "content": {FORM: {"schema": schema, "example": example}}}}
