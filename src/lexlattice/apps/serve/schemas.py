"""What requests and answers look like; the OpenAPI document is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
from starlette.responses import Response

from lexlattice.act.summary import Item
from lexlattice.apps.serve.workers import (
    BusyError,
    ClosingError,
    InternalError,
    JobTimeoutError,
    QueueFullError,
    TooLargeError,
    WorkerLostError,
)
from lexlattice.errors import FetchError, LexLatticeError, MissingExtraError, OptionError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.fetch import is_celex
from lexlattice.selection import SummaryOptions

EXAMPLE = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."


def _language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError("is not one of the 24 official languages")
    return code


def _celex(number: str | None) -> str | None:
    if number is not None and not is_celex(number):
        raise ValueError("is no CELEX number such as 32016R0679")
    return number


Language = Annotated[str, AfterValidator(_language), Field(json_schema_extra={"enum": list(LANGUAGES)})]
Format = Literal["md", "docx", "pdf", "json", "html", "text"]


class ActRequest(BaseModel):
    """An act: its text, or its CELEX number."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": EXAMPLE, "language": "en"}]})

    text: Annotated[str | None, Field(description="the act itself, as text or HTML")] = None
    celex: Annotated[str | None, AfterValidator(_celex), Field(examples=["32016R0679"])] = None
    language: Annotated[Language | None, Field(description="found out unless given; of CELEX numbers: English")] = None

    @model_validator(mode="after")
    def _one_source(self, info: ValidationInfo) -> ActRequest:
        """A file that was sent along is named in the context."""
        given = [self.text is not None, self.celex is not None, bool(info.context)]
        if sum(given) != 1:
            raise ValueError("give the act once: as a file, as text, or as a CELEX number")
        return self


def _fields() -> dict[str, Any]:
    """The options of a summary as Pydantic fields; the language is a field of `ActRequest` already."""
    hints, found = get_type_hints(SummaryOptions), dict[str, Any]()
    for option in fields(SummaryOptions):
        if option.name != "language":
            kind = Literal[option.metadata["choices"]] if "choices" in option.metadata else hints[option.name]
            limits = option.metadata.get("limits", {})
            about = Field(default=option.default, description=option.metadata["help"], **limits)
            found[option.name] = (kind if option.default is not None else kind | None, about)
    return found


class _SummaryRequest(ActRequest):
    """An act and the options of its summary; the length is given in one way or not at all."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": EXAMPLE, "words": 60, "language": "en"}]})

    group: Annotated[bool, Field(description="say under which heading of official summaries each item belongs")] = False

    @field_validator("words", "ratio", mode="before", check_fields=False)
    @classmethod
    def _number(cls, value: object) -> object:
        if isinstance(value, bool):
            raise ValueError("is no number")
        return value

    @model_validator(mode="after")
    def _valid_options(self) -> _SummaryRequest:
        try:
            SummaryOptions.from_mapping(self.model_dump())
        except OptionError as error:
            raise ValueError(str(error)) from None
        return self


SummaryRequest = create_model("SummaryRequest", __base__=_SummaryRequest, __doc__=_SummaryRequest.__doc__, **_fields())


class ExportRequest(SummaryRequest):  # type: ignore[valid-type,misc]
    """The same, or the very provisions that are to be in the file."""

    units: Annotated[
        list[str] | None, Field(max_length=100_000, description="ids of units, instead of what would be chosen")
    ] = None


class LeftOut(BaseModel):
    """Points of a list, or sentences of a provision, that follow one another and are left out."""

    parent: Annotated[str, Field(description="id of the unit that leads in the list, or of the provision")]
    after: Annotated[str, Field(description="id of the item after which the mark stands")]
    ids: Annotated[list[str], Field(description="of each point the first unit; of sentences each")]
    count: int
    kind: Literal["points", "sentences"]


class SummaryAnswer(BaseModel):
    """The provisions that matter, in the order of the act; the same JSON as the command line gives."""

    celex: str
    title: str
    language: str
    standing: Annotated[str, Field(description="adopted, consolidated, corrigendum or repealed")]
    consolidated: Annotated[str | None, Field(description="the day of a consolidated text; empty if not known")]
    consolidated_celex: str
    repealed: Annotated[str | None, Field(description="what repealed the act; empty if only that it ended is known")]
    incomplete: Annotated[bool, Field(description="whether the text seems to be cut off")]
    budget: int
    words: int
    extract: list[Item]
    left_out: Annotated[list[LeftOut], Field(description="what is left out inside the lists and provisions shown")]
    warnings: list[str]


class AlignmentAnswer(BaseModel):
    """What corresponds to what in two versions of an act."""

    pairs: Annotated[
        dict[str, list[str]], Field(description="for the id of a unit of the first those of units of the second")
    ]
    unaligned: Annotated[list[str], Field(description="units of the first that have no counterpart")]


class LanguageAnswer(BaseModel):
    """One of the 24."""

    code: str
    name: str


class Problem(BaseModel):
    """What is wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    number: Annotated[int | None, Field(description="of several acts, which one; the first is 1")] = None


class Health(BaseModel):
    """Whether the service is there, and can work."""

    status: Literal["ok"] = "ok"


# What is wrong, in one sentence, as problem+json (RFC 9457).

MEDIA_TYPE: Final = "application/problem+json"
_AGAIN: Final = {"Retry-After": "5"}
_STATUS: Final[dict[type[LexLatticeError], int]] = {
    QueueFullError: 429,
    BusyError: 503,
    ClosingError: 503,
    WorkerLostError: 503,
    JobTimeoutError: 408,
    TooLargeError: 413,
    MissingExtraError: 501,
    InternalError: 500,
    FetchError: 502,
}
"""Any other is the input's fault: 422."""


class ProblemError(Exception):
    """Why a request cannot be answered."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers = {**(_AGAIN if status in (429, 503) else {}), **(headers or {})}

    @classmethod
    def of(cls, error: LexLatticeError) -> ProblemError:
        """The problem that an error of the library's is."""
        if isinstance(error, FetchError) and error.absent:
            return cls(404, str(error))
        return cls(next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422), str(error))

    def to_dict(self, number: int | None = None) -> dict[str, Any]:
        """As JSON; with its number if it is about one act of several."""
        title = HTTPStatus(self.status).phrase
        about = {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail}
        return about if number is None else {**about, "number": number}

    def to_line(self, number: int) -> bytes:
        """A line of NDJSON, without its end."""
        return json.dumps(self.to_dict(number), ensure_ascii=False).encode(errors="replace")

    def to_response(self) -> Response:
        """The whole answer."""
        body = json.dumps(self.to_dict(), ensure_ascii=False).encode(errors="replace")
        return Response(body, self.status, self.headers, MEDIA_TYPE)
