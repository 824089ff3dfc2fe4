"""The OpenAPI document: tags, the schema of an act, and samples of requests, beside what FastAPI derives."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from lexlattice.apps.serve.field_notes import add_notes
from lexlattice.apps.serve.responses import Problem
from lexlattice.apps.serve.samples import SAMPLES

ACTS: Final = "Acts"
SUMMARIES: Final = "Summaries"
READER: Final = "Reader"
EXAMPLES: Final = "Examples"
OPERATIONS: Final = "Operations"
ACT: Final = "Act"
"""The name of the schema of an act, which is `act.schema.json`."""
DESCRIPTION: Final = """\
Summaries of EU legal acts: the most important provisions, verbatim, each with its citation.

An act is sent as a file (`multipart/form-data`), as text (`application/json`), or several at once (several files, or
`application/x-ndjson`). Where the service may fetch acts, `celex` names one instead, and `GET /v1/acts/{celex}` and
what is below it need no body. Errors are `application/problem+json`: programs compare `code`, people read `detail`,
which is in the language that the header `Accept-Language` asks for.
"""
TAGS: Final = (
    {"name": ACTS, "description": "Read an act: its provisions with ids, citations and positions."},
    {"name": SUMMARIES, "description": "The most important provisions of an act, as data or as a file."},
    {"name": READER, "description": "What the web reader needs; it may change with the reader."},
    {"name": EXAMPLES, "description": "Fictional acts to try the service with, in 24 languages."},
    {"name": OPERATIONS, "description": "For operators: health and metrics."},
)
_ACCEPT_LANGUAGE: Final = {
    "name": "Accept-Language",
    "in": "header",
    "required": False,
    "description": "language of `detail` in problems, such as de; English if there is no translation",
    "schema": {"type": "string"},
}


def operation_id(route: APIRoute) -> str:
    """Return the name of a route's function: short, and stable when a path changes."""
    return route.name


def add_openapi(app: FastAPI) -> None:
    """Let the application return this document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # the way FastAPI documents


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, tags=list(TAGS)
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas[Problem.__name__] = Problem.model_json_schema()
    schemas |= _act_schemas()
    add_notes(schemas)
    # FastAPI adds its own schema of errors wherever there is a parameter.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    document["components"]["parameters"] = {_ACCEPT_LANGUAGE["name"]: _ACCEPT_LANGUAGE}
    for operations in document["paths"].values():
        for operation in operations.values():
            reference = {"$ref": f"#/components/parameters/{_ACCEPT_LANGUAGE['name']}"}
            operation["parameters"] = [*operation.get("parameters", ()), reference]
            samples = SAMPLES.get(operation["operationId"], {})
            if samples:
                operation["x-codeSamples"] = [
                    {"lang": lang, "label": label, "source": samples[label]}
                    for label, lang in (("curl", "Shell"), ("Python", "Python"))
                    if label in samples
                ]
    compact: dict[str, Any] = _compact(document)
    return compact


def _compact(schema: Any) -> Any:
    """Shorten what Pydantic writes: "a string or null" is one type, and a field needs no title beside its name."""
    if isinstance(schema, list):
        return [_compact(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _compact(each) for name, each in schema.items()}
    if isinstance(fields := found.get("properties"), dict):
        for field in fields.values():
            if isinstance(field, dict) and isinstance(field.get("title"), str):
                del field["title"]
    options = found.get("anyOf", [])
    if len(options) == 2 and options[1] == {"type": "null"} and isinstance(options[0].get("type"), str):
        del found["anyOf"]
        found = {**options[0], **found, "type": [options[0]["type"], "null"]}
        if "enum" in options[0]:
            found["enum"] = [*options[0]["enum"], None]
    return found


def _act_schemas() -> dict[str, Any]:
    """Return the schema of an act with its parts as components: `Act`, `ActSection`, `ActUnit` and so on."""
    text = files("lexlattice.act").joinpath("act.schema.json").read_text("utf-8")
    schema = json.loads(text.replace("#/$defs/", f"#/components/schemas/{ACT}"))
    parts = schema.pop("$defs")
    del schema["$schema"]
    return {ACT: schema} | {f"{ACT}{name}": part for name, part in parts.items()}
