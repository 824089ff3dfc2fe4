"""What people read: a summary as text, Markdown, a page, JSON, a Word document or a PDF, and the file it is kept in."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from lexlattice._internal.files import write_whole
from lexlattice.act.summary import Summary
from lexlattice.errors import LexLatticeError

FORMATS: Final = ("text", "md", "html", "json", "docx", "pdf")

_SUFFIXES: Final = {
    ".txt": "text",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".docx": "docx",
    ".pdf": "pdf",
}


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file ends with.

    >>> format_of("dora.htm"), format_of("DORA.PDF")
    ('html', 'pdf')
    """
    try:
        return _SUFFIXES[Path(path).suffix.lower()]
    except KeyError:
        raise LexLatticeError(
            f"'{os.fspath(path)}' does not say which format it is to have; end it with one of: {' '.join(_SUFFIXES)}."
        ) from None


def render(summary: Summary, format: str, *, group: bool = False) -> bytes:
    """A summary in one of `FORMATS`, as a file holds it; with `group` under the headings of official summaries."""
    ways: dict[str, Callable[..., str | bytes]] = {
        "text": summary.to_text,
        "md": summary.to_markdown,
        "html": summary.to_html,
        "json": partial(summary.to_json, indent=1),
        "docx": summary.to_docx,
        "pdf": summary.to_pdf,
    }
    if format not in ways:
        raise LexLatticeError(f"There is no format '{format}'; choose one of: {' '.join(FORMATS)}.")
    content = ways[format](group=group)
    return content if isinstance(content, bytes) else f"{content}\n".encode(errors="replace")


def save(summary: Summary, path: str | os.PathLike[str], *, group: bool = False) -> None:
    """Write a summary in the format that the name of the file ends with; whole or not at all."""
    write_whole(Path(path), render(summary, format_of(path), group=group))
