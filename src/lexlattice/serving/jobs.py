"""What a worker does: bytes of a file in, bytes of an answer out. Nothing is fetched, kept or logged."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lexlattice.reading import read
from lexlattice.worker import TooLargeError

if TYPE_CHECKING:
    from lexlattice.act import Act
    from lexlattice.summary import Summary

_LITTLE_ACT: Final = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9()_-]")
LARGEST: Final = 50_000_000
"""Bytes of an answer, which the service holds while it is sent.

Three times those of the longest act known; a file of very short lines makes forty times its size.
"""
MOST_UNITS: Final = 50_000
"""Of an act that a page can show in good time; the longest known has 41,000."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A file, and what is wanted of it."""

    content: bytes
    celex: str = ""
    """Where it was fetched by one."""
    name: str = ""
    language: str | None = None
    words: int | None = None
    ratio: float | None = None
    budget: str | None = None
    focus: str = "all"
    group: bool = False
    explain: bool = False
    units: tuple[str, ...] | None = None
    """Exactly these, by their ids, instead of what would be chosen."""


def begin() -> None:
    """Load what every job needs; telling languages apart by statistics, which few acts need, can wait for the first."""
    summarize(Asked(_LITTLE_ACT.encode(), language="en"))


def parse(asked: Asked) -> bytes:
    """The act as JSON."""
    return _encoded(_act(asked).to_json())


def summarize(asked: Asked) -> bytes:
    """The summary as JSON."""
    return _encoded(_summary(asked).to_json(group=asked.group))


def view(asked: Asked) -> bytes:
    """All that the page needs of an act, as JSON."""
    from lexlattice.serving.view import view_of

    act = _act(asked)
    if len(act) > MOST_UNITS:
        raise TooLargeError(f"This act has more than {MOST_UNITS:,} provisions, too many to show; give a shorter one.")
    data: dict[str, Any] = view_of(act, asked.name)
    return _encoded(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def align(first: Asked, second: Asked) -> bytes:
    """Which units of one version of an act say what those of another say, as JSON."""
    from lexlattice.versions import counterparts

    found = counterparts(_act(first), _act(second))
    return _encoded(json.dumps({"pairs": dict(found.pairs), "unaligned": found.unaligned}))


def export(asked: Asked, format: str) -> tuple[bytes, str]:
    """The summary as a file, and a name for it without its ending."""
    from lexlattice.rendering import render

    summary = _summary(asked) if asked.units is None else _extract(asked, asked.units)
    name = _UNSAFE.sub("", summary.act.celex) or "summary"
    return _fitting(render(summary, format, group=asked.group)), f"{name}.{summary.act.language}"


def _encoded(answer: str) -> bytes:
    return _fitting(answer.encode(errors="replace"))


def _fitting(answer: bytes) -> bytes:
    if len(answer) > LARGEST:
        raise TooLargeError(f"The answer would be larger than {LARGEST / 1e6:g} MB; give a shorter act.")
    return answer


def _act(asked: Asked) -> Act:
    act = read(asked.content, language=asked.language)
    return replace(act, celex=asked.celex) if asked.celex and not act.celex else act


def _summary(asked: Asked) -> Summary:
    from lexlattice.summarizer import shipped

    return shipped().summarize(
        _act(asked),
        words=asked.words,
        ratio=asked.ratio,
        budget=asked.budget,
        focus=asked.focus,
        explain=asked.explain,
    )


def _extract(asked: Asked, units: tuple[str, ...]) -> Summary:
    from lexlattice.serving.view import extract_of

    return extract_of(_act(asked), units)
