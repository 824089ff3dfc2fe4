"""Any format, 24 languages → Act. `read` is the one way in."""

from __future__ import annotations

import gc
import os
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from lexlattice.act.document import Act
from lexlattice.errors import ReadingError
from lexlattice.reading.formats import FORMATS, MAX_BYTES, open_bytes, open_folder, open_text
from lexlattice.reading.formats.blocks import Block, Document, Role, squeeze
from lexlattice.reading.formats.text import read_text
from lexlattice.reading.languages.grammar import LANGUAGES, load
from lexlattice.reading.languages.identify import LEAST_SHARE, by_formulas, contradicts, identify, misfit, share_of
from lexlattice.reading.structure.line_breaks import restore_line_breaks
from lexlattice.reading.structure.metadata import record_repeal, stated_language
from lexlattice.reading.structure.paper import read_paper
from lexlattice.reading.structure.provisions import SENTENCES_FROM, read_provisions
from lexlattice.reading.structure.signatures import mark_testimonium
from lexlattice.reading.structure.text_tables import mark_tables

__all__ = ["FORMATS", "LANGUAGES", "PROFILES", "read"]

PROFILES: Final = ("provisions", "paper")
"""`provisions`: units as lawyers cite them. `paper`: the paper's rules to the letter."""

_FOR_ACTS: Final = ("formex", "akoma-ntoso")
"""Formats in which nothing but acts is written."""
_OF_ACTS: Final = (Role.ARTICLE, Role.TITLE)
"""What mark-up gives to lines of acts only."""
TABLELESS: Final = ("text", "html")
"""Formats that may have tables without mark-up: plain text, and the old pages, on which every line is a paragraph."""
MARKED_UP: Final = (Role.TABLE, Role.ARTICLE)
"""What shows that a page's tables are marked up."""

LONGEST_PATH: Final = 1024
"""A string longer than this is the text of an act, not the name of a file."""


def read(
    source: str | os.PathLike[str] | bytes | IO[bytes] | IO[str],
    *,
    language: str | None = None,
    profile: str = "provisions",
    format: str | None = None,
    sentences_from: int = SENTENCES_FROM,
) -> Act:
    """Read an act.

    `source` is a path (a file or a folder of Formex files), bytes, an open file, a CELEX number, a URL, or the text.
    Language and format are found out unless given. Provisions of more than `sentences_from` words come in sentences;
    0 leaves them whole.
    """
    if language is not None and language not in LANGUAGES:
        raise ReadingError(f"'{language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")
    if profile not in PROFILES:
        raise ReadingError(f"There is no profile '{profile}'; choose {' or '.join(PROFILES)}.")
    document = _open(source, language, format)
    with _uninterrupted():
        return _read(document, language, profile, sentences_from)


def _read(document: Document, language: str | None, profile: str, sentences_from: int) -> Act:
    lines = [block.text for block in document.blocks]
    if not any(map(str.strip, lines)):
        raise ReadingError("The input holds no text; check that it is the file you meant.")
    if language is None:
        language = _language_of(document, lines)
    else:
        document.warnings.extend(_doubts(lines, language))
    grammar = load(language)
    record_repeal(document, grammar)
    if profile == "paper":
        document.blocks = _tidy(document.blocks, squeeze_tables=True)
        return read_paper(document, grammar)
    document.blocks = _tidy(restore_line_breaks(document.blocks, grammar), squeeze_tables=False)
    if document.format in TABLELESS and not any(block.role in MARKED_UP for block in document.blocks):
        document.blocks = mark_tables(document.blocks, grammar)
    mark_testimonium(document.blocks)
    return read_provisions(document, grammar, sentences_from)


def _language_of(document: Document, lines: Sequence[str]) -> str:
    """The language of a text, by its formulas, what the file says of itself, or a model; refused if it is in none.

    Mark-up that is made for acts is believed; a page's language may be that of the site around the act.
    """
    settled = by_formulas(lines)
    if settled:
        return settled
    stated = stated_language(document)
    if stated in LANGUAGES:
        return stated
    told = document.language if document.language in LANGUAGES else None
    is_for_acts = document.format in _FOR_ACTS or any(block.role in _OF_ACTS for block in document.blocks)
    if told and is_for_acts:
        return told
    share = share_of(lines)
    if share < LEAST_SHARE:
        raise ReadingError(
            f"Only {share:.0%} of the letters of this text speak for one of the 24 official languages, and no act is "
            "like that; give an act in one of them, or say which it is in."
        )
    return told or identify(lines)


def _doubts(lines: Sequence[str], language: str) -> Iterator[str]:
    """What speaks against the language that was asked for, as a warning."""
    said = load(language).name
    if (other := contradicts(lines, language)) != "":
        yield f"The text was read as {said}, as asked, but has the formulas of an act in {load(other).name}."
    elif (doubt := misfit(lines, language)) is not None:
        yield f"The text was read as {said}, as asked, but only {doubt:.0%} of its letters speak for that."


def _tidy(blocks: list[Block], *, squeeze_tables: bool) -> list[Block]:
    """Settle white space and compose accents: from here on no line changes any more.

    Most pages are settled already, which is seen faster of the whole than of each line.
    """
    page = "\n".join([block.text for block in blocks])
    if "  " in page or "\t" in page or not unicodedata.is_normalized("NFC", page):
        for block in blocks:
            text = block.text
            if ("  " in text or "\t" in text) and (squeeze_tables or block.role is not Role.TABLE):
                block.text = text = squeeze(text)
            if not unicodedata.is_normalized("NFC", text):
                block.text = _DECOMPOSED.sub(_compose, text)
    return [block for block in blocks if block.text]


_DECOMPOSED: Final = re.compile("\\w[\u0300-\u036f]{1,8}")


def _compose(match: re.Match[str]) -> str:
    """A letter and its accents as one character, and nothing else: Unicode's normal forms change more than that."""
    return unicodedata.normalize("NFC", match.group())


_pause = threading.Lock()
_readers = 0
_resume = False


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep the cyclic garbage collector from looking for cycles that reading never makes: a fifth of the time.

    The collector is the whole process's: the first of several threads pauses it, the last lets it go on.
    """
    global _readers, _resume
    with _pause:
        if not _readers:
            _resume = gc.isenabled()
            gc.disable()
        _readers += 1
    try:
        yield
    finally:
        with _pause:
            _readers -= 1
            if not _readers and _resume:
                gc.enable()


def _open(
    source: str | os.PathLike[str] | bytes | IO[bytes] | IO[str], language: str | None, format: str | None
) -> Document:
    if isinstance(source, bytes | bytearray):
        return open_bytes(bytes(source), format)
    if isinstance(source, str):
        return _open_string(source, language, format)
    if isinstance(source, os.PathLike):
        return _open_path(Path(source), format)
    if not hasattr(source, "read"):
        kind = type(source).__name__
        raise ReadingError(
            f"An act cannot be read from {kind!r}; give a path, bytes, an open file, a CELEX number, a URL or the text."
        )
    content = source.read(MAX_BYTES + 1)
    return open_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content, format)


def _open_string(source: str, language: str | None, format: str | None) -> Document:
    """A string names a file, a CELEX number or a URL, or is the act itself."""
    if not source.strip():
        raise ReadingError("The input is empty; give a path, a CELEX number, a URL or the text of an act.")
    from lexlattice.reading.fetch import fetch, is_celex, is_url

    if "\n" in source or len(source) > LONGEST_PATH or source.lstrip()[:1] == "<":
        if format == "text" or (format is None and source.lstrip()[:1] != "<"):
            return read_text(source) if format else open_text(source)
        return open_bytes(source.encode("utf-8", "replace"), format)
    if is_url(source) or (is_celex(source) and not Path(source).exists()):
        fetched = fetch(source, language=language)
        document = open_bytes(fetched.content, format)
        document.celex = document.celex or fetched.celex
        document.language = document.language or fetched.language
        return document
    if "://" in source and not Path(source).exists():
        raise ReadingError(
            "Only addresses that begin with http:// or https:// can be opened; correct it, or give a file."
        )
    return _open_path(Path(source), format)


def _open_path(path: Path, format: str | None) -> Document:
    try:
        if path.is_dir():
            return open_folder(path)
        if path.stat().st_size > MAX_BYTES:
            raise ReadingError(
                f"'{path}' is larger than {MAX_BYTES // 1_000_000} MB, which no act is; give the act alone."
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise ReadingError(
            f"There is no file '{path}'; give a path, a CELEX number such as 32016R0679, or a URL."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReadingError(f"'{str(path)[:80]}' cannot be read as a file: {reason}.") from None
    return open_bytes(data, format)
