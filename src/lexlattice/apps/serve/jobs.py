"""What worker processes do: bytes of an act in, bytes of a response out. Nothing is fetched, stored or logged."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final

from lexlattice._internal.worker import TooLargeError
from lexlattice.act.document import Act
from lexlattice.act.summary import Summary
from lexlattice.apps import quoting
from lexlattice.apps.serve.view import view_of
from lexlattice.errors import NoSuchProvisionError
from lexlattice.reading import read
from lexlattice.reading.structure.provisions import SENTENCES_FROM
from lexlattice.selection import SummaryOptions
from lexlattice.summarizer import build_summary, shipped

MAX_RESPONSE_BYTES: Final = 50_000_000
"""Three times the response for the longest known act; a file of very short lines gives forty times its size."""
MAX_VIEW_UNITS: Final = 50_000
"""Units that the page can show in good time; the longest known act has 41,000."""
_WARM_UP_ACT: Final = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
_NAMED: Final = 3
_LISTED: Final = 100
"""Unknown units that an error names in its sentence, and in its values."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9()_-]")
"""Characters to remove from file names."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """An act and what to do with it.

    Attributes:
        content: The bytes of the file.
        celex: The CELEX number by which it was fetched, if it was.
        name: The title of an act that has none: its file name.
        options: Options of the summary.
        group: Whether items have their group.
        units: Ids of the units to export, instead of a selection.

    """

    content: bytes
    celex: str = ""
    name: str = ""
    options: SummaryOptions = field(default_factory=SummaryOptions)
    group: bool = False
    units: tuple[str, ...] | None = None


def warm_up() -> None:
    """Load the model before the first job. Language statistics are loaded later, since few acts need them."""
    summarize(JobRequest(_WARM_UP_ACT.encode(), options=SummaryOptions(language="en")))


def parse(job: JobRequest) -> bytes:
    """Return the act as JSON."""
    return _encode(_read(job).to_json())


def summarize(job: JobRequest) -> bytes:
    """Return the summary as JSON."""
    return _encode(_summary(job).to_json(group=job.group))


def view(job: JobRequest) -> bytes:
    """Return the view of an act as JSON."""
    act = _read(job)
    if len(act) > MAX_VIEW_UNITS:
        raise TooLargeError(
            f"The act has more than {MAX_VIEW_UNITS:,} provisions, too many to show; use a shorter one."
        )
    return _encode(json.dumps(view_of(act, job.name), ensure_ascii=False, separators=(",", ":")))


def align(first: JobRequest, second: JobRequest) -> bytes:
    """Return the corresponding units of two language versions of an act as JSON."""
    from lexlattice.multilingual import alignment

    found = alignment.align(_read(first), _read(second))
    return _encode(json.dumps({"pairs": dict(found.pairs), "unaligned": found.unaligned}))


def export(job: JobRequest, format: str) -> tuple[bytes, str]:
    """Return the summary as a file, and a file name without suffix."""
    from lexlattice.rendering import render_file

    summary = _summary(job) if job.units is None else _named_units(job, job.units)
    name = _UNSAFE.sub("", summary.act.celex) or "summary"
    return _check_size(render_file(summary, format, group=job.group)), f"{name}.{summary.act.language}"


def _named_units(job: JobRequest, units: Collection[str]) -> Summary:
    act = _read(job)
    known = {unit.id for unit in act.units}
    missing = [name for name in units if name not in known]
    if missing:
        named = ", ".join(name[:80] for name in missing[:_NAMED])
        values = {"provision": named, "units": [name[:80] for name in missing[:_LISTED]], "count": len(missing)}
        raise NoSuchProvisionError(f"The act has no unit with the id {named}; parse it to see its ids.", values=values)
    return extract_of(act, units, job.options)


def quote(job: JobRequest, cited: str) -> bytes:
    """Return a provision with its position as JSON."""
    found = quoting.quote(lambda sentences_from: _read(job, sentences_from), cited)
    return _encode(json.dumps(quoting.to_dict(found), ensure_ascii=False))


def _read(job: JobRequest, sentences_from: int = SENTENCES_FROM) -> Act:
    act = read(job.content, language=job.options.language, sentences_from=sentences_from)
    return replace(act, celex=job.celex) if job.celex and not act.celex else act


def _summary(job: JobRequest) -> Summary:
    return shipped().summarize(_read(job), job.options)


def _encode(response: str) -> bytes:
    # Lone surrogates, which a file may contain, cannot be encoded.
    return _check_size(response.encode(errors="replace"))


def _check_size(response: bytes) -> bytes:
    if len(response) > MAX_RESPONSE_BYTES:
        raise TooLargeError(f"The response is larger than {MAX_RESPONSE_BYTES / 1e6:g} MB; use a shorter act.")
    return response


def extract_of(act: Act, ids: Collection[str], options: SummaryOptions | None = None) -> Summary:
    """Return the summary made of the units with these ids; unknown ids are ignored.

    Its budget is the length that `options` ask for or, if they ask for none, the number of its words.
    """
    wanted = frozenset(ids)
    chosen = [place for place, unit in enumerate(act.units) if unit.id in wanted]
    words = sum(act.units[place].words for place in chosen)
    if options is not None and (options.words, options.ratio, options.budget) != (None, None, None):
        words = options.budget_for(act)
    return build_summary(act, chosen, shipped().score(act), words)
