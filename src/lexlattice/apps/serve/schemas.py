"""Pydantic models of requests, and the parts of the OpenAPI document that FastAPI cannot derive."""

from __future__ import annotations

import json
from dataclasses import fields
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, get_type_hints

from fastapi import Query
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from lexlattice.apps.serve.problems import MEDIA_TYPE as PROBLEM_MEDIA_TYPE
from lexlattice.apps.serve.responses import Problem, SummaryResponse
from lexlattice.errors import OptionError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.fetch import is_celex
from lexlattice.selection import SummaryOptions

EXAMPLE: Final = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."


def _language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError("not one of the 24 official languages")
    return code


def _celex(number: str | None) -> str | None:
    if number is not None and not is_celex(number):
        raise ValueError("not a CELEX number such as 32016R0679")
    return number


Language = Annotated[str, AfterValidator(_language), Field(json_schema_extra={"enum": list(LANGUAGES)})]
Format = Annotated[
    Literal["md", "docx", "pdf", "json", "html", "text"], Query(description="format of the file", examples=["md"])
]


class ActRequest(BaseModel):
    """An act: its text, or its CELEX number."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": EXAMPLE, "language": "en"}]})

    text: Annotated[str | None, Field(description="the act itself, as text or HTML")] = None
    # No example: pages that fill forms with examples would send it beside the file.
    celex: Annotated[
        str | None, AfterValidator(_celex), Field(description="CELEX number of an act to fetch, such as 32016R0679")
    ] = None
    language: Annotated[Language | None, Field(description="default: detected; for CELEX numbers: en")] = None

    @model_validator(mode="after")
    def _one_source(self, info: ValidationInfo) -> ActRequest:
        """Check that there is one source; the context says whether a file was uploaded."""
        given = [self.text is not None, self.celex is not None, bool(info.context)]
        if sum(given) != 1:
            raise ValueError("send exactly one of a file, text and celex")
        return self


def _option_fields() -> dict[str, Any]:
    """Return Pydantic fields for the options of a summary; the language is a field of `ActRequest` already."""
    hints, found = get_type_hints(SummaryOptions), dict[str, Any]()
    for option in fields(SummaryOptions):
        if option.name != "language":
            kind = Literal[option.metadata["choices"]] if "choices" in option.metadata else hints[option.name]
            limits = option.metadata.get("limits", {})
            field = Field(default=option.default, description=option.metadata["help"], **limits)
            found[option.name] = (kind if option.default is not None else kind | None, field)
    return found


class _SummaryRequest(ActRequest):
    """An act and the options of its summary; at most one of words, ratio and budget."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": EXAMPLE, "words": 60, "language": "en"}]})

    group: Annotated[bool, Field(description="add the group (heading of official summaries) of each item")] = False

    @field_validator("words", "ratio", mode="before", check_fields=False)
    @classmethod
    def _not_boolean(cls, value: object) -> object:
        # Pydantic would read true as 1. Its strict mode would also refuse the strings that forms send.
        if isinstance(value, bool):
            raise ValueError("not a number")
        return value

    @model_validator(mode="after")
    def _valid_options(self) -> _SummaryRequest:
        try:
            SummaryOptions.from_mapping(self.model_dump())
        except OptionError as error:
            raise ValueError(str(error)) from None
        return self


SummaryRequest = create_model(
    "SummaryRequest", __base__=_SummaryRequest, __doc__=_SummaryRequest.__doc__, **_option_fields()
)


class ExportRequest(SummaryRequest):  # type: ignore[valid-type,misc]
    """An act and the options of its summary, or the units to export."""

    units: Annotated[
        list[str] | None,
        Field(min_length=1, max_length=100_000, description="ids of the units to export, instead of a selection"),
    ] = None


# OpenAPI fragments. Routes read their bodies themselves, so FastAPI cannot derive the schema of requests.

JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
NDJSON: Final = "application/x-ndjson"
Responses = dict[int | str, dict[str, Any]]

_PROBLEM: Final = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}}
_RETRY_AFTER: Final = {"Retry-After": {"description": "seconds to wait", "schema": {"type": "integer"}}}
_LANGUAGE: Final = {
    "Content-Language": {"description": "language of `detail`", "schema": {"type": "string", "enum": list(LANGUAGES)}}
}


def problems(*statuses: int) -> Responses:
    """Return the responses of a route that can fail with these statuses, and with those that any route can have."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "headers": _LANGUAGE | (_RETRY_AFTER if status in (429, 503) else {}),
            "content": _PROBLEM,
        }
        for status in sorted({*statuses, 403, 421, 500})
    }


PROBLEMS: Final = problems(400, 404, 408, 413, 415, 422, 429, 501, 502, 503)
"""Those of routes that read an act."""
EXPORT_TYPES: Final = {
    "md": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": JSON,
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
}
"""The media types of exports, by format."""
_FILE: Final = {"schema": {"type": "string", "format": "binary"}}
FILE_RESPONSE: Final[Responses] = {
    200: {
        "description": "The file",
        "model": SummaryResponse,  # of the JSON among them
        "headers": {"Content-Disposition": {"description": "the name of the file", "schema": {"type": "string"}}},
        "content": {
            kind.partition(";")[0]: {"schema": {"$ref": "#/components/schemas/SummaryResponse"}}
            if kind == JSON
            else _FILE
            for kind in EXPORT_TYPES.values()
        },
    }
}


def json_response(model: type[BaseModel]) -> Responses:
    """Return the response of a route that answers with JSON."""
    return {200: {"description": "The response", "model": model}}


def json_or_ndjson_response(name: str, model: type[BaseModel] | None = None) -> Responses:
    """Return the response of a route that answers with JSON for one act, and with NDJSON for several."""
    line = {
        "description": "One line, in the order of the acts: the response for an act or, if it fails, a problem. "
        "Only problems have `code`, and their `number` says which act it is, from 1.",
        "oneOf": [{"$ref": f"#/components/schemas/{each}"} for each in (name, Problem.__name__)],
    }
    content = {JSON: {"schema": {"$ref": f"#/components/schemas/{name}"}}, NDJSON: {"schema": line}}
    response: dict[str, Any] = {"model": model} if model is not None else {}
    description = "JSON for one act; for several, one line of JSON per act, in order, and a `Problem` if it fails"
    return {200: {"description": description, "content": content, **response}}


def reference_response(name: str) -> Responses:
    """Return the response of a route that answers with JSON of a schema that is not a model."""
    return {
        200: {"description": "The response", "content": {JSON: {"schema": {"$ref": f"#/components/schemas/{name}"}}}}
    }


def text_response(description: str) -> Responses:
    """Return the response of a route that answers with plain text."""
    return {200: {"description": description, "content": {"text/plain": {"schema": {"type": "string"}}}}}


def query_parameters(model: type[ActRequest], *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a request as query parameters, for routes that name the act in their path."""
    schema = model.model_json_schema()["properties"]
    left = {name: field for name, field in schema.items() if name not in ("text", "celex", *without)}
    return {
        "parameters": [
            {
                "name": name,
                "in": "query",
                "required": False,
                "description": field.get("description", ""),
                "schema": {key: value for key, value in field.items() if key not in ("description", "default")},
            }
            for name, field in left.items()
        ]
    }


def act_body(model: type[ActRequest], *, ndjson: bool = False) -> dict[str, Any]:
    """Return the request body of a route that takes an act: JSON, a form with a file, or NDJSON.

    Only routes that take NDJSON take several files.
    """
    schema = model.model_json_schema()
    [example] = schema.pop("examples")
    content: dict[str, Any] = {
        JSON: {"schema": schema, "examples": _examples("An act as text", example)},
        FORM: {"schema": _form(schema, ndjson)},
    }
    if ndjson:
        lines = f"{json.dumps(example)}\n" * 2
        content[NDJSON] = {"schema": {"type": "string"}, "examples": _examples("Two acts as text", lines)}
    return {"requestBody": {"required": True, "content": content}}


def _examples(summary: str, value: Any) -> dict[str, Any]:
    # RapiDoc ignores `example`.
    return {"text": {"summary": summary, "value": value}}


def _form(schema: dict[str, Any], several: bool) -> dict[str, Any]:
    """Return the schema of a form with the fields of a request, and a file."""
    file: dict[str, Any] = {"type": "string", "format": "binary", "description": "the act, in any format"}
    if several:
        file = {"type": "array", "items": file, "description": "the act, or several, in any format"}
    fields = {"file": file, **schema["properties"]}
    if "units" in fields:
        text = "ids of the units to export, with spaces between them, instead of a selection"
        fields["units"] = {"type": "string", "description": text}
    description = "Exactly one of file, text and celex; empty fields are ignored."
    return {"type": "object", "description": description, "properties": fields, "additionalProperties": False}


def pair_body() -> dict[str, Any]:
    """Return the request body of a route that takes two acts: a form whose repeated fields are in order."""
    file = {"type": "array", "items": {"type": "string", "format": "binary"}, "maxItems": 2}
    texts = {"type": "array", "items": {"type": "string"}, "maxItems": 2}
    codes = {"type": "array", "items": ActRequest.model_json_schema()["properties"]["language"], "maxItems": 2}
    properties = {"file": file, "text": texts, "celex": texts, "language": codes}
    examples = _examples("Two acts as text", {"text": [EXAMPLE, EXAMPLE], "language": ["en", "en"]})
    schema = {"type": "object", "properties": properties}
    return {"requestBody": {"required": True, "content": {FORM: {"schema": schema, "examples": examples}}}}
