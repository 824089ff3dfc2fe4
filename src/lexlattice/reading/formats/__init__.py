"""Formats: detect the format of a file by its content, never by its name, and open it with the right back-end.

A back-end turns the file into a `Document`: the lines of the act in reading order. Back-ends with heavy
dependencies are imported when they are first used.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from lexlattice.errors import NotAnActError, OptionError, ReadingError
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.formats.decode import decode
from lexlattice.reading.formats.html import read_html
from lexlattice.reading.formats.not_an_act import page_of_archive, refuse_file, refuse_text
from lexlattice.reading.formats.text import read_text

MAX_BYTES: Final = 100_000_000
"""Larger files are refused; the longest acts have about ten megabytes."""

_SNIFFED: Final = 200_000
"""Bytes of a file that are searched for its root element."""
_ROOT: Final = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_FORMEX: Final = re.compile(rb"[A-Z][A-Z0-9.]+\Z")
_HTML: Final = re.compile(rb"<\s*(?:!doctype html|html|head|body|p|div|table|h1|title)\b", re.IGNORECASE)


def open_bytes(data: bytes, format: str | None = None) -> Document:
    """Open the content of a file with the back-end of its format, which is detected unless given."""
    if not data.strip():
        raise ReadingError("The input is empty; check that it is the right file.", code="empty")
    if len(data) > MAX_BYTES:
        megabytes = MAX_BYTES // 1_000_000
        raise ReadingError(
            f"The input is larger than {megabytes} MB, which no act is; give one act only.",
            code="file-too-large",
            values={"megabytes": megabytes},
        )
    name = format or sniff(data)
    if name not in FORMATS:
        raise OptionError(f"There is no format '{name}'; choose one of {', '.join(FORMATS)}.")
    return FORMATS[name](data)


def open_text(text: str) -> Document:
    """Open a text that was passed as a string, unless it is obviously no act."""
    refuse_text(text)
    return read_text(text)


def open_folder(path: Path) -> Document:
    """Open a folder of Formex files: the act, its annexes, and the file that lists them."""
    from lexlattice.reading.formats.formex import read_formex_parts

    files = sorted(path.glob("*.xml"))
    if not files:
        raise ReadingError(f"The folder '{path}' contains no Formex files (*.xml); give a file instead.")
    if sum(file.stat().st_size for file in files) > MAX_BYTES:
        raise ReadingError(f"The folder '{path}' is larger than {MAX_BYTES // 1_000_000} MB; give one act only.")
    return read_formex_parts({file.name: file.read_bytes() for file in files})


def sniff(data: bytes) -> str:
    """Return the format of a file by its first bytes; a file that cannot be an act is refused."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        return _sniff_zip(data)
    refuse_file(data)
    head = data[:_SNIFFED].removeprefix(b"\xef\xbb\xbf")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode("utf-8")
    root = _ROOT.match(head, _prolog_end(head))
    if root is None:
        return "html" if _HTML.search(head[:2000]) and head.lstrip()[:1] == b"<" else _sniff_text(head)
    name = root.group(1)
    if name == b"akomaNtoso":
        return "akoma-ntoso"
    if name.lower() in (b"html", b"body", b"head", b"div", b"p", b"table"):
        return "html"
    if _FORMEX.match(name):  # all its root elements are in capitals: ACT, CONS.ACT, ANNEX
        return "formex"
    if _HTML.search(head):
        return "html"
    raise NotAnActError(
        f"XML with the root element <{name.decode('ascii', 'replace')}> is unknown; give Formex, Akoma Ntoso or XHTML.",
        code="unknown-format",
    )


def _sniff_text(head: bytes) -> str:
    if page_of_archive(head) is not None:
        return "mhtml"
    refuse_text(head.decode("utf-8", "replace"))
    return "text"


def _prolog_end(head: bytes) -> int:
    """Return where declarations, comments and the document type end and the root element begins."""
    position = 0
    while True:
        position = len(head) - len(head[position:].lstrip())
        if head.startswith(b"<?", position):
            end = head.find(b"?>", position)
        elif head.startswith(b"<!--", position):
            end = head.find(b"-->", position)
        elif head.startswith(b"<!", position):
            end = head.find(b">", position)
            # A document type may contain declarations in brackets, each with its own ">".
            subset = head.find(b"[", position, end)
            end = end if subset < 0 else head.find(b">", head.find(b"]", subset))
        else:
            return position
        if end < 0:
            return position
        position = head.find(b">", end) + 1


def _sniff_zip(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise ReadingError("The ZIP file is damaged; download or save it again.", code="damaged") from None
    if any(name.startswith("word/") for name in names):
        return "docx"
    if any(name == "mimetype" or name.startswith(("xl/", "ppt/")) for name in names):
        raise NotAnActError(
            "This is an OpenDocument, e-book, Excel or PowerPoint file; save it as DOCX or PDF instead.",
            code="unknown-format",
        )
    if any(name.lower().endswith(".xml") for name in names):
        return "formex"
    raise NotAnActError(
        "The ZIP file contains neither a DOCX document nor Formex files; unpack it and give the file of the act.",
        code="unknown-format",
    )


def _html(data: bytes) -> Document:
    text, warnings = decode(data)
    document = read_html(text)
    document.warnings.extend(warnings)
    return document


def _mhtml(data: bytes) -> Document:
    page = page_of_archive(data)
    if page is None:
        raise ReadingError("The web archive contains no page; save the page as HTML and try again.", code="empty")
    return _html(page)


def _text(data: bytes) -> Document:
    text, warnings = decode(data)
    document = read_text(text)
    document.warnings.extend(warnings)
    return document


def _formex(data: bytes) -> Document:
    from lexlattice.reading.formats import formex

    return formex.read_formex_zip(data) if data.startswith(b"PK") else formex.read_formex(data)


def _akoma(data: bytes) -> Document:
    from lexlattice.reading.formats.akoma import read_akoma

    return read_akoma(data)


def _pdf(data: bytes) -> Document:
    from lexlattice.reading.formats.pdf import read_pdf

    return read_pdf(data)


def _docx(data: bytes) -> Document:
    from lexlattice.reading.formats.docx import read_docx

    return read_docx(data)


FORMATS: Final[dict[str, Callable[[bytes], Document]]] = {
    "text": _text,
    "html": _html,
    "mhtml": _mhtml,
    "formex": _formex,
    "akoma-ntoso": _akoma,
    "pdf": _pdf,
    "docx": _docx,
}
"""Back-ends by format; `text` includes Markdown."""
