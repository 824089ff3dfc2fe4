"""Pydantic models of responses: they describe the responses in the OpenAPI document, and tests hold them to it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from lexlattice.act.document import STATUSES
from lexlattice.act.summary import Item
from lexlattice.apps.serve.codes import CODES

Kind = Literal["regulation", "directive", "decision", "recommendation", "agreement", "treaty", ""]


class LeftOut(BaseModel):
    """Consecutive points of a list, or sentences of a provision, that are left out."""

    parent: Annotated[str, Field(description="id of the unit that introduces the list, or of the provision")]
    after: Annotated[str, Field(description="id of the item before the omission")]
    ids: Annotated[list[str], Field(description="ids of the first unit of each point, or of each sentence")]
    citations: Annotated[list[str], Field(description="how each of them is cited")]
    count: Annotated[int, Field(description="how many")]
    kind: Literal["points", "sentences"]


class SummaryResponse(BaseModel):
    """The selected provisions in the order of the act; the same JSON as `lexlattice summarize --format json`."""

    celex: str
    title: str
    language: str
    status: Annotated[str, Field(description="what kind of text it is", json_schema_extra={"enum": list(STATUSES)})]
    consolidated: Annotated[str | None, Field(description="date of a consolidated text; empty if unknown")]
    consolidated_celex: Annotated[str, Field(description="CELEX number of a consolidated text; empty if unknown")]
    repealed: Annotated[str | None, Field(description="the act that repealed it; empty if unknown")]
    incomplete: Annotated[bool, Field(description="whether the text seems to be truncated")]
    budget: Annotated[int, Field(description="words asked for")]
    words: Annotated[int, Field(description="words of the extract")]
    extract: Annotated[list[Item], Field(description="the selected provisions, in the order of the act")]
    left_out: Annotated[list[LeftOut], Field(description="omissions within the lists and provisions shown")]
    warnings: Annotated[list[str], Field(description="what is doubtful, one sentence each")]


class AlignmentResponse(BaseModel):
    """Corresponding units of two language versions of an act."""

    pairs: Annotated[
        dict[str, list[str]], Field(description="ids of units of the second version, by id of a unit of the first")
    ]
    unaligned: Annotated[list[str], Field(description="ids of units of the first version without a counterpart")]


class NamedProvision(BaseModel):
    """A provision by its id and its citation."""

    id: str
    citation: str


class ProvisionPart(NamedProvision):
    """A unit of a provision."""

    kind: str
    number: str
    text: str
    start: int
    end: int
    section: Annotated[int, Field(description="row of the lattice")]
    position: Annotated[int, Field(description="column of the lattice")]


class ProvisionResponse(NamedProvision):
    """A provision, verbatim, with its position in the act."""

    celex: str
    title: str
    language: str
    cited_as: Annotated[str, Field(description="how others cite it, with the act: Article 6(1) of Regulation …")]
    eli: Annotated[str, Field(description="European Legislation Identifier; empty if uncertain")]
    text: Annotated[str, Field(description="exactly the characters from start to end of the act's source")]
    start: int
    end: int
    words: int
    section: Annotated[int, Field(description="row of the lattice")]
    heading: Annotated[str, Field(description="heading of the article or annex")]
    enclosing: Annotated[list[str], Field(description="headings of part, title, chapter and section")]
    above: Annotated[list[NamedProvision], Field(description="the provisions that contain it, outermost first")]
    parts: Annotated[list[ProvisionPart], Field(description="its units: paragraphs, points, subparagraphs")]


class Candidate(BaseModel):
    """An act that a text may name."""

    celex: str
    name: str
    kind: Kind


class IdentifierResponse(BaseModel):
    """What a text names; nothing is looked up, so the act may not exist."""

    understood: Literal["celex", "none"]
    celex: Annotated[str, Field(description="the most likely act; empty if nothing was understood")]
    name: Annotated[str, Field(description="its short name in the language of Accept-Language, else English")]
    language: Annotated[str | None, Field(description="language of the text or address, if it leaves no doubt")]
    kind: Kind
    consolidated: Annotated[str | None, Field(description="date of a consolidated text; null for an act as adopted")]
    candidates: Annotated[list[Candidate], Field(description="all acts it may be, the most likely first")]
    fetches: Annotated[bool, Field(description="whether this service fetches acts by their number")]


class LanguageResponse(BaseModel):
    """One of the 24 official languages."""

    code: str
    name: str


class ExampleResponse(BaseModel):
    """An example act in one language."""

    id: Annotated[str, Field(description="regulation, directive or decision")]
    language: str
    title: Annotated[str, Field(description="its subject")]
    type: Annotated[str, Field(description="the kind of act, in its language")]
    words: int


class Problem(BaseModel):
    """An error (RFC 9457); `detail` is in the language of the header Accept-Language if there is a translation."""

    type: str = "about:blank"
    title: str
    status: int
    detail: Annotated[str, Field(description="what happened, and what to do")]
    code: Annotated[
        str,
        Field(
            description="what happened, in a word that stays the same when the wording changes",
            json_schema_extra={"enum": list(CODES)},
        ),
    ]
    values: Annotated[dict[str, Any], Field(description="numbers and names in the sentence")]
    number: Annotated[int | None, Field(description="which act of several, from 1")] = None


class Health(BaseModel):
    """The service is up."""

    status: Literal["ok"] = "ok"
