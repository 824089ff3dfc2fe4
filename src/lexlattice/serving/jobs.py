"""What a worker does: bytes of a file in, bytes of an answer out. Nothing is fetched, kept or logged."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lexlattice.reading import read

if TYPE_CHECKING:
    from lexlattice.act import Act
    from lexlattice.summarizer import Summarizer
    from lexlattice.summary import Summary

_LITTLE_ACT: Final = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9()_-]")


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
    return _act(asked).to_json().encode(errors="replace")


def summarize(asked: Asked) -> bytes:
    """The summary as JSON."""
    return _summary(asked).to_json(group=asked.group).encode(errors="replace")


def view(asked: Asked) -> bytes:
    """All that the page needs of an act, as JSON."""
    from lexlattice.serving.view import view_of

    data: dict[str, Any] = view_of(_act(asked), asked.name)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def align(first: Asked, second: Asked) -> bytes:
    """Which units of one version of an act say what those of another say, as JSON."""
    from lexlattice.versions import counterparts

    found = counterparts(_act(first), _act(second))
    return json.dumps({"pairs": dict(found.pairs), "unaligned": found.unaligned}).encode()


def export(asked: Asked, format: str) -> tuple[bytes, str]:
    """The summary as a file, and a name for it without its ending."""
    from lexlattice.rendering import render

    summary = _summary(asked) if asked.units is None else _extract(asked, asked.units)
    name = _UNSAFE.sub("", summary.act.celex) or "summary"
    return render(summary, format, group=asked.group), f"{name}.{summary.act.language}"


def _act(asked: Asked) -> Act:
    act = read(asked.content, language=asked.language)
    return replace(act, celex=asked.celex) if asked.celex and not act.celex else act


def _summary(asked: Asked) -> Summary:
    return _summarizer().summarize(
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


@cache
def _summarizer() -> Summarizer:
    from lexlattice.summarizer import Summarizer

    return Summarizer.from_pretrained()
