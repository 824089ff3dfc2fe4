"""The requests of the client of the REST service: what is sent, and what is made of the answer.

A `Call` says both; `apps.client` sends it, waiting for the answer or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from lexlattice.act.document import Act
from lexlattice.act.summary import SummaryRecord
from lexlattice.apps.answers import ServiceError, decoded
from lexlattice.apps.sources import Source, form, resolve
from lexlattice.errors import OptionError
from lexlattice.selection import Options, SummaryOptions

Built = TypeVar("Built")


class ServiceOptions(Options, total=False):
    """The options of `lexlattice.summarize`, and `group` to have the group of each item."""

    group: bool


class Language(NamedTuple):
    """One of the 24 official languages: its two-letter code, and its name in English."""

    code: str
    name: str


class Alignment(NamedTuple):
    """Corresponding units of two versions of an act: ids of the second by id of the first, and ids without any."""

    pairs: dict[str, list[str]]
    unaligned: list[str]


@dataclass(frozen=True)
class Call(Generic[Built]):
    """A request, and what its answer means."""

    method: str
    path: str
    build: Callable[[bytes], Built]
    """Makes what the caller gets of the body of the answer."""
    content: dict[str, Any] = field(default_factory=dict)
    """Arguments of httpx: body and query."""
    is_file: bool = False
    """Whether the answer is a file to be saved."""


def plain_options(options: SummaryOptions | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a summary as fields of a request."""
    named = {name: value for name, value in fields.items() if name != "group"}
    return SummaryOptions.of(options, named).to_dict() | ({"group": True} if fields.get("group") else {})


def summarize(
    source: Source | None, celex: str | None, options: SummaryOptions | None, fields: Mapping[str, Any]
) -> Call[SummaryRecord]:
    """Summarize an act."""
    content = _content(source, celex, plain_options(options, fields))
    return Call("POST", "/v1/summaries", _json(SummaryRecord.from_dict), content)


def export(
    source: Source | None,
    celex: str | None,
    format: str,
    units: str | Sequence[str] | None,
    options: SummaryOptions | None,
    fields: Mapping[str, Any],
) -> Call[bytes]:
    """Get the summary of an act, or some of its units, as a file."""
    if units is not None and not units:
        raise OptionError("Pass the id of at least one unit.")
    chosen = [units] if isinstance(units, str) else units
    content = _content(source, celex, {**plain_options(options, fields), "units": chosen}, format=format)
    return Call("POST", "/v1/exports", bytes, content, is_file=True)


def quote(source: Source | None, celex: str | None, provision: str, language: str | None) -> Call[dict[str, Any]]:
    """Get the text of a provision."""
    content = _content(source, celex, {"language": language}, provision=provision)
    return Call("POST", "/v1/provisions", _json(lambda found: {"text": found["text"], **found}), content)


def align(first: Source, second: Source, languages: tuple[str, str] | None) -> Call[Alignment]:
    """Align two language versions of an act."""
    parts: list[tuple[str, Any]] = []
    for source in (first, second):
        named, act = resolve(source)
        parts.append(("celex", (None, named)) if named else ("file", ("act", act)))
    parts += [("language", (None, language)) for language in languages or ()]
    build = _json(lambda found: Alignment(found["pairs"], found["unaligned"]))
    return Call("POST", "/v1/alignments", build, {"files": parts})


def identify(text: str) -> Call[dict[str, Any]]:
    """Look up which act a text names."""
    build = _json(lambda found: {"celex": found["celex"], **found})
    return Call("GET", "/v1/identifiers", build, {"params": {"text": text}})


def parse(source: Source | None, celex: str | None, language: str | None) -> Call[Act]:
    """Parse an act."""
    return Call("POST", "/v1/acts", _json(Act.from_dict), _content(source, celex, {"language": language}))


def languages() -> Call[list[Language]]:
    """List the official languages."""
    return Call("GET", "/v1/languages", _json(lambda found: [Language(one["code"], one["name"]) for one in found]))


def batch(acts: Sequence[bytes], options: dict[str, Any]) -> Call[SummaryRecord | ServiceError]:
    """Summarize several acts; what is built is built of one line of the answer."""
    return Call("POST", "/v1/summaries", _json(_summary_or_error), form(acts, options))


def _content(source: Source | None, celex: str | None, options: dict[str, Any], **query: str) -> dict[str, Any]:
    """Return the arguments of httpx for one act and its options."""
    if (source is None) == (celex is None):
        raise OptionError("Pass either a source or a CELEX number.")
    named, act = resolve(source) if source is not None else (celex, b"")
    given = {name: value for name, value in options.items() if value is not None}
    return {"params": query, **({"json": {"celex": named, **given}} if named else form([act], given))}


def _json(build: Callable[[Any], Built]) -> Callable[[bytes], Built]:
    return partial(decoded, build=build)


def _summary_or_error(line: dict[str, Any]) -> SummaryRecord | ServiceError:
    if "detail" not in line:
        return SummaryRecord.from_dict(line)
    return ServiceError(line["detail"], line["status"], code=line["code"], values=line["values"])
