"""Refuse files that are no acts, recognized by their content, with a sentence that says what to do instead."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.errors import NotAnActError

HEAD: Final = 20_000
"""Characters that suffice to tell what kind of text it is."""
_CODE_LINES: Final = 60
"""Lines that are checked for source code."""
_MAX_CODE_LINE: Final = 160
"""Characters; longer lines are no source code."""

_COMPRESSED: Final = "This is a compressed file; unpack it and try again."
_WORD: Final = "This is an old Word file or an encrypted one; save it as an open DOCX and try again."
_PICTURE: Final = "This is a picture; give the document itself, or run OCR on the picture and give the text."
_MEDIA: Final = "This is audio or video, not an act; give a text, HTML, XML, PDF or DOCX file."
_DATA: Final = "This is a data file, not an act; extract the text of one act and give that."
_MAGIC: Final = (
    (b"\xd0\xcf\x11\xe0", _WORD),
    (b"{\\rtf", "This is an RTF file; save it as DOCX or text and try again."),
    (b"\xffWPC", "This is a WordPerfect file; save it as DOCX or PDF and try again."),
    (b"\x1f\x8b", _COMPRESSED),
    (b"BZh", _COMPRESSED),
    (b"\xfd7zXZ", _COMPRESSED),
    (b"7z\xbc\xaf", _COMPRESSED),
    (b"Rar!", _COMPRESSED),
    (b"\x28\xb5\x2f\xfd", _COMPRESSED),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"GIF8", _PICTURE),
    (b"II*\x00", _PICTURE),
    (b"MM\x00*", _PICTURE),
    (b"AT&TFORM", _PICTURE),
    (b"ID3", _MEDIA),
    (b"OggS", _MEDIA),
    (b"%!PS", "This is a PostScript file; save it as PDF and try again."),
    (b"bplist00", "This is a web archive of Safari; save the page as HTML and try again."),
    (b"PAR1", _DATA),
    (b"SQLite format 3", _DATA),
)
_CONTAINERS: Final = {b"RIFF": (8, {b"WEBP": _PICTURE}), b"": (4, {b"ftyp": _MEDIA})}
# An object or array whose first element shows that it is no quotation mark or bracket of a text.
_JSON: Final = re.compile(
    r"""\s*(?:\{\s*(?:"[^"\n]{0,200}"\s*:|\})|\[\s*(?:[\[{]\s*["\]}]|"[^"\n]{0,200}"\s*[,\]]|\]))"""
)
_ACT_FIELDS: Final = ('"furniture"', '"sections"', '"source"')
_FIELD: Final = re.compile(r"[A-Za-z_][\w .-]{0,40}$")
# A header field, its continuation, or the first line of a mailbox.
_MAIL: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,40}:(?:\s|$)|[ \t]+\S|From \S+@")
_MAIL_ONLY: Final = re.compile(r"^(?:MIME-Version|Message-ID|Received|Return-Path): ", re.IGNORECASE | re.MULTILINE)
# Lines that end in braces; imports, definitions and comments of common languages; operators; calls without arguments.
_CODE: Final = re.compile(
    r"[{}]\s*;?$|^#include\s|^import\s[\w.]+(?:\s+as\s\w+)?;?$|^from\s[\w.]+\simport\s|^(?:async\s)?def\s\w+\("
    r"|^class\s\w+\s?[:({]|^(?:package|using|namespace)\s[\w.]+;|^//|^/\*|^\*/|\s(?:===?|=>|:=|!=|&&|\|\|)\s|\w\(\);?$"
)
_MAX_CODE: Final = 0.25
"""Share of lines that may look like source code; acts have next to none."""


def refuse_file(data: bytes) -> None:
    """Refuse a file whose first bytes are those of a format without text."""
    for magic, why in _MAGIC:
        if data.startswith(magic):
            raise NotAnActError(why)
    for start, (at, kinds) in _CONTAINERS.items():
        why = kinds.get(data[at : at + 4], "") if data.startswith(start) else ""
        if why:
            raise NotAnActError(why)


def refuse_text(text: str) -> None:
    """Refuse a text that is JSON, CSV, an e-mail or source code."""
    head = text[:HEAD].lstrip("\ufeff")
    if _JSON.match(head):
        if all(name in text for name in _ACT_FIELDS):
            raise NotAnActError("This is an act saved as JSON; load it with `Act.from_json`.")
        raise NotAnActError("This is JSON, not an act; extract the text of the act and give that.")
    if _is_mail(head):
        raise NotAnActError("This is an e-mail; save the act that it contains or has attached, and give that.")
    if any(_is_values(head, separator) for separator in ",;\t"):
        raise NotAnActError("This is a table of values (CSV), not an act; extract the text of the act and give that.")
    if _is_code(head):
        raise NotAnActError("This is source code, not an act; give a text, HTML, XML, PDF or DOCX file.")


def page_of_archive(data: bytes) -> bytes | None:
    """Return the page in a web archive (MHTML, which has the format of an e-mail), or `None` if it is no archive."""
    head = data[:HEAD].decode("latin-1")
    if not _is_mail(head) or "multipart/related" not in head.lower():
        return None
    from email import message_from_bytes, policy  # most acts are in no archive

    for part in message_from_bytes(data, policy=policy.compat32).walk():
        if part.get_content_type() == "text/html":
            page = part.get_payload(decode=True)
            return page if isinstance(page, bytes) and page.strip() else None
    return None


def _is_mail(head: str) -> bool:
    """Whether a text begins with the header fields of an e-mail."""
    if _MAIL.match(head.lstrip()) is None:
        return False
    lines = re.split(r"\r?\n", head.lstrip())
    end = lines.index("") if "" in lines else len(lines)
    first = lines[:end]
    return len(first) >= 3 and all(map(_MAIL.match, first)) and bool(_MAIL_ONLY.search("\n".join(first)))


def _is_values(head: str, separator: str) -> bool:
    """Whether a text is CSV: rows of equal length below short, distinct names, with no space after a separator."""
    if separator not in head.split("\n", 1)[0]:
        return False
    import csv  # almost no text begins like such a table

    try:
        rows = [row for row in csv.reader(head.split("\n"), delimiter=separator) if row]
    except csv.Error:
        return False
    # The last row may be cut off at the end of the sample.
    whole = rows[:-1] if len(head) >= HEAD and len(rows) > 2 else rows
    names = whole[0] if whole else []
    if len(whole) < 2 or len(names) < 2 or len(set(names)) < len(names):
        return False
    return all(_FIELD.match(name.strip()) for name in names) and all(
        len(row) == len(names) and not any(value.startswith(" ") for value in row) for row in whole
    )


def _is_code(head: str) -> bool:
    """Whether many lines look like source code."""
    if head.startswith(("#!", "<?php")):
        return True
    lines = [line for line in map(str.strip, head.split("\n", 2 * _CODE_LINES)) if line][:_CODE_LINES]
    found = sum(bool(_CODE.search(line)) for line in lines if len(line) <= _MAX_CODE_LINE)
    return found >= 2 and found >= _MAX_CODE * len(lines)
