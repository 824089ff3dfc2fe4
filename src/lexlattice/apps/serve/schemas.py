"""Pydantic models of requests and responses, and the parts of the OpenAPI document that FastAPI cannot derive."""

from __future__ import annotations

import json
from dataclasses import fields
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, get_type_hints

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

from lexlattice.act.summary import Item
from lexlattice.apps.serve.problems import MEDIA_TYPE as PROBLEM_MEDIA_TYPE
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
Format = Literal["md", "docx", "pdf", "json", "html", "text"]


class ActRequest(BaseModel):
    """An act: its text, or its CELEX number."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": EXAMPLE, "language": "en"}]})

    text: Annotated[str | None, Field(description="the act itself, as text or HTML")] = None
    celex: Annotated[str | None, AfterValidator(_celex), Field(examples=["32016R0679"])] = None
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
        list[str] | None, Field(max_length=100_000, description="ids of the units to export, instead of a selection")
    ] = None


class LeftOut(BaseModel):
    """Consecutive points of a list, or sentences of a provision, that are left out."""

    parent: Annotated[str, Field(description="id of the unit that introduces the list, or of the provision")]
    after: Annotated[str, Field(description="id of the item before the omission")]
    ids: Annotated[list[str], Field(description="ids of the first unit of each point, or of each sentence")]
    citations: Annotated[list[str], Field(description="how each of them is cited")]
    count: int
    kind: Literal["points", "sentences"]


class SummaryResponse(BaseModel):
    """The selected provisions in the order of the act; the same JSON as `lexlattice summarize --format json`."""

    celex: str
    title: str
    language: str
    status: Annotated[str, Field(description="adopted, consolidated, corrigendum or repealed")]
    consolidated: Annotated[str | None, Field(description="date of a consolidated text; empty if unknown")]
    consolidated_celex: str
    repealed: Annotated[str | None, Field(description="the act that repealed it; empty if unknown")]
    incomplete: Annotated[bool, Field(description="whether the text seems to be truncated")]
    budget: int
    words: int
    extract: list[Item]
    left_out: Annotated[list[LeftOut], Field(description="omissions within the lists and provisions shown")]
    warnings: list[str]


class AlignmentResponse(BaseModel):
    """Corresponding units of two language versions of an act."""

    pairs: Annotated[
        dict[str, list[str]], Field(description="ids of units of the second version, by id of a unit of the first")
    ]
    unaligned: Annotated[list[str], Field(description="ids of units of the first version without a counterpart")]


class LanguageResponse(BaseModel):
    """One of the 24 official languages."""

    code: str
    name: str


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    number: Annotated[int | None, Field(description="which act of several, from 1")] = None


class Health(BaseModel):
    """The service is up."""

    status: Literal["ok"] = "ok"


# OpenAPI fragments. Routes read their bodies themselves, so FastAPI cannot derive the schema of requests.

JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
NDJSON: Final = "application/x-ndjson"
Responses = dict[int | str, dict[str, Any]]

_PROBLEM: Final = {PROBLEM_MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
PROBLEMS: Final[Responses] = {
    status: {"description": HTTPStatus(status).phrase, "content": _PROBLEM}
    for status in (400, 403, 404, 408, 413, 415, 421, 422, 429, 500, 501, 502, 503)
}
FILE_RESPONSE: Final[Responses] = {
    200: {"description": "The file", "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}


def json_response(model: type[BaseModel]) -> Responses:
    """Return the response of a route that answers with JSON."""
    return {200: {"description": "The response", "model": model}}


def json_or_ndjson_response(model: type[BaseModel] | None) -> Responses:
    """Return the response of a route that answers with JSON for one act, and with NDJSON for several."""
    response: dict[str, Any] = {"content": {JSON: {}, NDJSON: {"schema": {"type": "string"}}}}
    if model is not None:
        response["content"][JSON] = {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}
        response["model"] = model
    return {200: {"description": "JSON for one act, one line per act for several", **response}}


def act_body(model: type[ActRequest], *, ndjson: bool = False) -> dict[str, Any]:
    """Return the request body of a route that takes an act: JSON, a form with a file, or NDJSON."""
    schema = model.model_json_schema()
    file = {"type": "string", "format": "binary", "description": "the act, in any format"}
    fields = {name: field for name, field in schema["properties"].items() if name not in ("text", "celex")}
    form = {"type": "object", "properties": {"file": file, **fields}, "required": ["file"]}
    content: dict[str, Any] = {JSON: {"schema": schema}, FORM: {"schema": form}}
    if ndjson:
        example = json.dumps({"text": EXAMPLE, "language": "en"})
        content[NDJSON] = {"schema": {"type": "string"}, "example": f"{example}\n{example}\n"}
    return {"requestBody": {"required": True, "content": content}}


def pair_body() -> dict[str, Any]:
    """Return the request body of a route that takes two acts: a form whose repeated fields are in order."""
    file = {"type": "array", "items": {"type": "string", "format": "binary"}, "maxItems": 2}
    texts = {"type": "array", "items": {"type": "string"}, "maxItems": 2}
    codes = {"type": "array", "items": ActRequest.model_json_schema()["properties"]["language"], "maxItems": 2}
    properties = {"file": file, "text": texts, "celex": texts, "language": codes}
    example = {"text": [EXAMPLE, EXAMPLE], "language": ["en", "en"]}
    schema = {"type": "object", "properties": properties}
    return {"requestBody": {"required": True, "content": {FORM: {"schema": schema, "example": example}}}}
