"""The model of the view of an act, as `view` builds it; "place" always means an index into `units`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Place = int
Similar = Annotated[list[float], Field(min_length=2, max_length=2, description="a place or index, and the similarity")]
Order = Annotated[list[list[Place]], Field(description="units in the order in which they are taken, step by step")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Status(_Model):
    """What kind of text it is, and whether it is complete."""

    kind: Literal["adopted", "consolidated", "corrigendum", "repealed", ""]
    date: str
    celex: str
    repealed_by: str | None
    incomplete: bool
    is_act: bool
    facts: list[str]


class CodedWarning(_Model):
    """A warning in English, with a code by which the page says it in its own language."""

    code: str
    text: str
    values: dict[str, Any]


class ViewSection(_Model):
    """A row of the lattice; first and last are -1 if it has no units."""

    index: int
    kind: str
    number: str
    label: str
    name: str
    heading: str
    enclosing: list[str]
    first: Place
    last: Place
    words: int
    related: Annotated[list[Similar], Field(description="places of recitals that are about the same")]


class ViewUnit(_Model):
    """A cell of the lattice."""

    id: str
    provision: str
    section: int
    position: int
    kind: str
    number: str
    citation: str
    text: str
    words: int
    start: int
    end: int
    group: str
    depth: int
    above: Place
    step: int
    is_point: bool
    score: float
    continues: Annotated[bool, Field(description="whether it continues the previous unit's line")]
    related: Annotated[list[Similar], Field(description="indexes of articles that are about the same")] = []


class ViewFurniture(_Model):
    """A piece of the source that is no provision: a formula, a signature, a table."""

    kind: str
    text: str
    before: Place
    section: int


class ViewDefinition(_Model):
    """A defined term."""

    term: str
    place: Place


class Chosen(_Model):
    """The order of selection for one focus; `whole` is what a summary as long as the act has."""

    order: Order
    whole: list[Place]


class Selection(_Model):
    """Lengths that the page offers, in words, and the orders of selection."""

    default: int
    least: int
    most: int
    presets: dict[str, int]
    stops: list[int]
    all: Chosen
    articles: Chosen


class Reasons(_Model):
    """Why a unit was selected."""

    rank: int
    salience: list[float]
    reasons: list[list[Any]]
    neighbours: list[list[float]]


class CitationRules(_Model):
    """How a provision is put into `citation_form`."""

    comma: bool
    possessed: dict[str, str]


class ViewResponse(_Model):
    """Everything the web reader shows of an act, so that sliders and clicks need no further request."""

    language: str
    celex: str
    title: str
    type: str
    date: str
    words: int
    name: str
    citation_form: str
    citation_rules: CitationRules
    eli: str
    status: Status
    notices: list[str]
    warnings: list[CodedWarning]
    disclaimer: str
    groups: dict[str, str]
    sections: list[ViewSection]
    units: list[ViewUnit]
    furniture: list[ViewFurniture]
    references: Annotated[
        list[Annotated[list[int | str], Field(min_length=7, max_length=7)]],
        Field(description="place, start, end, target, celex, provision, kind"),
    ]
    definitions: list[ViewDefinition]
    provisions: dict[str, str]
    paragraphs: dict[str, str]
    omission_marks: list[str]
    omission_numbers: Annotated[str, Field(description="what follows in a mark: {numbers} are those of the points")]
    sentences: dict[str, list[str]]
    selection: Selection
    step_orders: list[Order]
    steps: list[list[float]]
    reasons: dict[str, Reasons]
