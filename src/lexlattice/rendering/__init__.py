"""What people read: a summary as text, Markdown, a page, JSON, a Word document or a PDF, and the file it is kept in."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Final

from lexlattice._internal.files import write_whole
from lexlattice.act.summary import Summary
from lexlattice.errors import OptionError
from lexlattice.rendering import notebook
from lexlattice.rendering.blocks import blocks_of

__all__ = ["FORMATS", "blocks_of", "format_of", "notebook", "render", "render_file", "save"]

FORMATS: Final = ("text", "md", "html", "json", "docx", "pdf")
_RENDERERS: Final = {
    "text": ("text", "to_text"),
    "md": ("text", "to_markdown"),
    "html": ("html", "to_html"),
    "docx": ("docx", "to_docx"),
    "pdf": ("pdf", "to_pdf"),
}
"""The module and function that renders each format; JSON is the summary's own."""

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
        raise OptionError(
            f"'{os.fspath(path)}' does not say which format it is to have; end it with one of: {' '.join(_SUFFIXES)}."
        ) from None


def render(summary: Summary, format: str, *, group: bool = False) -> str | bytes:
    """Return a summary in one of `FORMATS`.

    Args:
        summary: The summary.
        format: One of `FORMATS`.
        group: Whether provisions stand under the headings of official summaries.

    Returns:
        A string, or bytes for docx and pdf.

    Raises:
        OptionError: If there is no such format.
        MissingExtraError: If the format needs an optional dependency that is not installed.

    """
    if format == "json":
        return summary.to_json(group=group, indent=1)
    if format not in _RENDERERS:
        raise OptionError(f"There is no format '{format}'; choose one of: {' '.join(FORMATS)}.")
    # Only the module that is needed is imported: those for Word and PDF load large libraries.
    module, function = _RENDERERS[format]
    content: str | bytes = getattr(import_module(f"{__name__}.{module}"), function)(summary, group=group)
    return content


def render_file(summary: Summary, format: str, *, group: bool = False) -> bytes:
    """Return the content of a file that holds a summary; text is UTF-8 and ends with a newline."""
    content = render(summary, format, group=group)
    return content if isinstance(content, bytes) else f"{content}\n".encode(errors="replace")


def save(summary: Summary, path: str | os.PathLike[str], *, group: bool = False) -> None:
    """Write a summary in the format that the file's suffix names; it is written completely or not at all."""
    write_whole(Path(path), render_file(summary, format_of(path), group=group))
