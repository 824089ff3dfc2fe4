"""Decode bytes to text: Unicode first, then the code pages in which EU texts used to be published."""

from __future__ import annotations

import codecs
import re
from typing import Final

from lexlattice.act.remarks import Remark
from lexlattice.errors import NotAnActError, ReadingError

_DECLARED: Final = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_LEGACY: Final = ("cp1252", "cp1253", "iso8859_7", "cp1251", "cp1250", "iso8859_2", "cp1257", "iso8859_3", "iso8859_5")
_CHARSET: Final = re.compile(r"utf|cp\d|iso8859|koi8|mac|ascii")
"""Character sets; Python has codecs for other purposes, which a page must not be able to select."""
_SAMPLE: Final = 200_000
_ACTUAL: Final = {"iso8859-1": "cp1252", "ascii": "cp1252"}
"""Pages that declare these contain the quotation marks of Windows all the same."""
_MAX_BROKEN: Final = 0.02
"""Share of characters that may be invalid in a text that is otherwise valid UTF-8."""
_SIGNS: Final = "‘’‚“”„«»–—…§°€№·×\u00a0"
_BINARY: Final = "This is a binary file, not an act; give a text, HTML, XML, PDF or DOCX file."
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


def decode(data: bytes) -> tuple[str, list[str]]:
    """Return the text of a file, and warnings about what was guessed about its encoding."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            try:
                return data.decode(name), []
            except UnicodeDecodeError:
                raise ReadingError(
                    "The file has a Unicode byte-order mark but is not valid Unicode; save it as UTF-8 and try again.",
                    code="damaged",
                ) from None
    if b"\x00" in data[:4096]:  # no 8-bit encoding of a text contains zero bytes
        wide = _wide(data)
        if wide is None:
            raise NotAnActError(_BINARY, code="unknown-format")
        return wide, []
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    declared = _declared(data)
    if declared not in (None, "utf-8"):
        try:
            return data.decode(declared or ""), []
        except (UnicodeError, LookupError):
            pass
    return _guess(data)


def _wide(data: bytes) -> str | None:
    """Decode UTF-16 without a byte-order mark, in which every second byte of Latin text is zero."""
    for name, zeros in (("utf-16-le", data[1:4096:2]), ("utf-16-be", data[:4096:2])):
        if zeros.count(0) > 0.4 * len(zeros):
            text = data.decode(name, "replace")
            return None if _is_binary(text) or "\ufffd" in text else text
    return None


def _is_binary(text: str) -> bool:
    """Whether there are more control characters than in any text."""
    sample = text[:20000]
    return len(_CONTROLS.findall(sample)) > 0.01 * len(sample)


def _declared(data: bytes) -> str | None:
    match = _DECLARED.search(data[:2048])
    if match is None:
        return None
    name = match.group(1).decode("ascii").lower()
    try:
        known = codecs.lookup(name.removeprefix("unicode-1-1-")).name
    except LookupError:
        return None
    return _ACTUAL.get(known, known) if _CHARSET.match(known) else None


def _guess(data: bytes) -> tuple[str, list[str]]:
    """Repair a few invalid bytes, or else choose the code page whose result looks most like one of the 24 languages."""
    lenient = data.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    # Valid multi-byte characters prove UTF-8; a text in a code page has hardly any.
    well_formed = sum(ord(c) > 127 for c in lenient) - broken
    if broken <= _MAX_BROKEN * len(lenient) and well_formed >= broken:
        repaired = data.decode("utf-8", "lexlattice-cp1252")
        remark = f"{broken} bytes were not valid UTF-8 and were read as Windows-1252."
        return repaired, [Remark("invalid-bytes", remark, count=broken)]
    best: tuple[float, str, str] = (-1.0, "", "")
    for name in _LEGACY:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        fitness = _fitness(text[:_SAMPLE])
        if fitness > best[0] + 1e-9:  # on a tie the more common code page, which comes first, wins
            best = (fitness, name, text)
    if not best[1] or _is_binary(best[2]):
        raise NotAnActError(_BINARY, code="unknown-format")
    return best[2], [Remark("not-unicode", f"The file is not Unicode; it was read as {best[1]}.", encoding=best[1])]


def _fitness(text: str) -> float:
    """Return the share of the non-ASCII characters that belong to the language the decoded text seems to be in."""
    from lexlattice.reading.languages.grammar import raw
    from lexlattice.reading.languages.identify import classify

    language = classify(text)
    letters = raw(language)["letters"]
    expected = set(letters + letters.upper() + _SIGNS)
    beyond_ascii = [c for c in text if c > "\x7f"]
    return sum(c in expected for c in beyond_ascii) / max(1, len(beyond_ascii))


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decode invalid bytes as Windows-1252: an error handler for `bytes.decode`."""
    assert isinstance(error, UnicodeDecodeError)
    broken = error.object[error.start : error.end]
    return broken.decode("cp1252", "replace"), error.end


codecs.register_error("lexlattice-cp1252", _as_cp1252)
