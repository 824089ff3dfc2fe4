"""Figures as files: SVG, PNG or PDF, the same bytes each time, and there whole or not at all."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from lexlattice.errors import LexLatticeError
from lexlattice.files import write_whole
from lexlattice.plotting.lettering import FONT, boxes_for_strangers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = ("svg", "png", "pdf")

_DOTS: Final = 150
"""To the inch, in PNG."""
_SETTINGS: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "lexlattice",
    "pdf.fonttype": 42,
    "savefig.bbox": None,
}
"""Text stays text, names in the file are not drawn at random, and the page stays as large as it was planned."""
_FONTS: Final = f"'{FONT}', Verdana, sans-serif"
"""For those who open an SVG where the first one is not there."""
_ONE_AT_A_TIME: Final = threading.Lock()
"""matplotlib has one set of settings for all threads."""


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file ends with."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise LexLatticeError(f"'{os.fspath(path)}' names no format for a figure; let it end in .svg, .png or .pdf.")
    return suffix


def rendered(figure: Figure, format: str) -> bytes:
    """The content of a file with the figure in it, its title and a description for those who cannot see it."""
    import matplotlib

    title, description = " ".join(figure.get_suptitle().split()), str(figure.get_label())
    notes: dict[str, Any] = {
        "svg": {"Title": title, "Description": description, "Date": None},
        "png": {"Title": title, "Description": description},
        "pdf": {"Title": title, "Subject": description, "CreationDate": None},
    }
    file = io.BytesIO()
    with _ONE_AT_A_TIME, matplotlib.rc_context(_SETTINGS), boxes_for_strangers():
        figure.savefig(file, format=format, dpi=_DOTS, metadata=notes[format], facecolor="white")
    content = file.getvalue()
    return _finished(content.decode(), description).encode() if format == "svg" else content


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format that the name of the file ends with."""
    write_whole(Path(path), rendered(figure, format_of(path)))


def _finished(svg: str, description: str) -> str:
    """With a description where screen readers look for it, and with other fonts to fall back on."""
    described = svg.replace("</title>", f"</title>\n <desc>{escape(description)}</desc>", 1)
    return described.replace("<svg ", '<svg role="img" ', 1).replace(f"font-family: '{FONT}'", f"font-family: {_FONTS}")
