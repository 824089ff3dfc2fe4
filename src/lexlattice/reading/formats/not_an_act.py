"""What is no act: files of other kinds, told by what they hold, each refused in a sentence that says what to do."""

from __future__ import annotations

import csv
import re
from email import message_from_bytes, policy
from typing import Final

from lexlattice.errors import ReadingError

HEAD: Final = 20_000
"""Characters in which a text shows what kind it is."""
NEAR_THE_TOP: Final = 60
"""Lines of these that are looked at."""
LONGEST_LINE: Final = 160
"""Characters of a line of a program."""

_WORD: Final = "This is an old Word file or an encrypted one; save it as an open DOCX and try again."
_PICTURE: Final = "This is a picture; give the document itself, or the text that text recognition (OCR) finds in it."
_FILM: Final = "This is sound or film, not an act; give a text, HTML, XML, PDF or DOCX file."
_DATA: Final = "This is a file of data, not an act; take the text of one act out of it and give that."
_MAGIC: Final = (
    (b"\xd0\xcf\x11\xe0", _WORD),
    (b"{\\rtf", "This is an RTF file; save it as DOCX or text and try again."),
    (b"\xffWPC", "This is a WordPerfect file; save it as DOCX or PDF and try again."),
    (b"\x1f\x8b", "This is a compressed file; unpack it and try again."),
    (b"BZh", "This is a compressed file; unpack it and try again."),
    (b"\xfd7zXZ", "This is a compressed file; unpack it and try again."),
    (b"7z\xbc\xaf", "This is a compressed file; unpack it and try again."),
    (b"Rar!", "This is a compressed file; unpack it and try again."),
    (b"\x28\xb5\x2f\xfd", "This is a compressed file; unpack it and try again."),
    (b"\x89PNG", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"GIF8", _PICTURE),
    (b"II*\x00", _PICTURE),
    (b"MM\x00*", _PICTURE),
    (b"AT&TFORM", _PICTURE),
    (b"ID3", _FILM),
    (b"OggS", _FILM),
    (b"%!PS", "This is a PostScript file; save it as PDF and try again."),
    (b"bplist00", "This is a web archive of Safari; save the page as HTML and try again."),
    (b"PAR1", _DATA),
    (b"SQLite format 3", _DATA),
)
_CONTAINERS: Final = {b"RIFF": (8, {b"WEBP": _PICTURE}), b"": (4, {b"ftyp": _FILM})}
_JSON: Final = re.compile(
    r"""\s*(?:\{\s*(?:"[^"\n]{0,200}"\s*:|\})|\[\s*(?:[\[{]\s*["\]}]|"[^"\n]{0,200}"\s*[,\]]|\]))"""
)
_OURS: Final = ('"furniture"', '"sections"', '"source"')
_FIELD: Final = re.compile(r"[A-Za-z_][\w .-]{0,40}$")
_MAIL: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,40}:(?:\s|$)|[ \t]+\S|From \S+@")
_POSTED: Final = re.compile(r"^(?:MIME-Version|Message-ID|Received|Return-Path): ", re.IGNORECASE | re.MULTILINE)
_CODE: Final = re.compile(
    r"[{}]\s*;?$|^#include\s|^import\s[\w.]+(?:\s+as\s\w+)?;?$|^from\s[\w.]+\simport\s|^(?:async\s)?def\s\w+\("
    r"|^class\s\w+\s?[:({]|^(?:package|using|namespace)\s[\w.]+;|^//|^/\*|^\*/|\s(?:===?|=>|:=|!=|&&|\|\|)\s|\w\(\);?$"
)
_MOST_CODE: Final = 0.25
"""Share of a text's lines that may look like a program's; acts have next to none."""


def refuse_file(data: bytes) -> None:
    """Refuse a file whose first bytes show that it holds no text."""
    for magic, why in _MAGIC:
        if data.startswith(magic):
            raise ReadingError(why)
    for start, (at, kinds) in _CONTAINERS.items():
        why = kinds.get(data[at : at + 4], "") if data.startswith(start) else ""
        if why:
            raise ReadingError(why)


def refuse_text(text: str) -> None:
    """Refuse a text that is JSON, a table of values, an e-mail or a program."""
    head = text[:HEAD].lstrip("\ufeff")
    if _JSON.match(head):
        if all(name in text for name in _OURS):
            raise ReadingError("This is an act that was written as JSON already; take it back with `Act.from_json`.")
        raise ReadingError("This is JSON, not an act; take the act's text out of it and give that.")
    if _is_mail(head):
        raise ReadingError("This is an e-mail; save the act that is in it or attached to it, and give that.")
    if any(_is_values(head, separator) for separator in ",;\t"):
        raise ReadingError("This is a table of values (CSV), not an act; take the act's text out of it and give that.")
    if _is_code(head):
        raise ReadingError("This is the source of a program, not an act; give a text, HTML, XML, PDF or DOCX file.")


def page_of_archive(data: bytes) -> bytes | None:
    """The page in a web archive of one file (MHTML), which browsers write as an e-mail is written; else nothing."""
    head = data[:HEAD].decode("latin-1")
    if not _is_mail(head) or "multipart/related" not in head.lower():
        return None
    for part in message_from_bytes(data, policy=policy.compat32).walk():
        if part.get_content_type() == "text/html":
            page = part.get_payload(decode=True)
            return page if isinstance(page, bytes) and page.strip() else None
    return None


def _is_mail(head: str) -> bool:
    """Whether a text begins with the lines that e-mails begin with."""
    if _MAIL.match(head.lstrip()) is None:
        return False
    lines = re.split(r"\r?\n", head.lstrip())
    end = lines.index("") if "" in lines else len(lines)
    first = lines[:end]
    return len(first) >= 3 and all(map(_MAIL.match, first)) and bool(_POSTED.search("\n".join(first)))


def _is_values(head: str, separator: str) -> bool:
    """Whether every row has as many values, below names that are short and different; in prose a space parts them."""
    if separator not in head.split("\n", 1)[0]:
        return False
    try:
        rows = [row for row in csv.reader(head.split("\n"), delimiter=separator) if row]
    except csv.Error:
        return False
    whole = rows[:-1] if len(head) >= HEAD and len(rows) > 2 else rows
    names = whole[0] if whole else []
    if len(whole) < 2 or len(names) < 2 or len(set(names)) < len(names):
        return False
    return all(_FIELD.match(name.strip()) for name in names) and all(
        len(row) == len(names) and not any(value.startswith(" ") for value in row) for row in whole
    )


def _is_code(head: str) -> bool:
    """Whether many lines are as programs write them."""
    if head.startswith(("#!", "<?php")):
        return True
    lines = [line for line in map(str.strip, head.split("\n", 2 * NEAR_THE_TOP)) if line][:NEAR_THE_TOP]
    found = sum(bool(_CODE.search(line)) for line in lines if len(line) <= LONGEST_LINE)
    return found >= 2 and found >= _MOST_CODE * len(lines)
