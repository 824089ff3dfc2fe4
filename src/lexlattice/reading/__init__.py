"""Reading: any format, 24 languages → `Act`. `read` is the only entry point.

A back-end of `formats` turns the file into a flat list of lines (`Document`), `languages` detects the language and
loads its drafting conventions, and `structure` builds the act from the lines. `citations` resolves references.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from lexlattice.act.document import Act
from lexlattice.act.remarks import Remark
from lexlattice.errors import NotAnActError, OptionError, ReadingError
from lexlattice.reading.formats import FORMATS, MAX_BYTES, open_bytes, open_folder, open_text
from lexlattice.reading.formats.blocks import Block, Document, Role, squeeze
from lexlattice.reading.formats.text import read_text
from lexlattice.reading.languages.grammar import LANGUAGES, load
from lexlattice.reading.languages.identify import MIN_SHARE, by_formulas, contradicts, identify, misfit, share_of
from lexlattice.reading.structure.line_breaks import restore_line_breaks
from lexlattice.reading.structure.metadata import record_repeal, stated_language
from lexlattice.reading.structure.paper import read_paper
from lexlattice.reading.structure.provisions import SENTENCES_FROM, read_provisions
from lexlattice.reading.structure.signatures import mark_testimonium
from lexlattice.reading.structure.text_tables import mark_tables

if TYPE_CHECKING:
    from lexlattice.reading.hierarchies import Hierarchy

__all__ = ["FORMATS", "LANGUAGES", "PROFILES", "read"]

PROFILES: Final = ("provisions", "paper")
"""`provisions`: units as lawyers cite them. `paper`: exactly the segmentation rules of the paper."""

LONGEST_PATH: Final = 1024
"""A longer string is the text of an act, not the name of a file."""

Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str]

_LEGAL_FORMATS: Final = ("formex", "akoma-ntoso")
"""Formats that are used for acts only, so that the language they state is that of the act."""
_LEGAL_ROLES: Final = (Role.ARTICLE, Role.TITLE)
"""Roles that only the mark-up of acts gives."""
_TABLES_WITHOUT_MARKUP: Final = ("text", "html")
"""Formats whose tables may lack mark-up: plain text, and old pages in which every line is a paragraph."""
_MODERN_ROLES: Final = (Role.TABLE, Role.ARTICLE)
"""Roles that show that a page marks up its tables."""
_DECOMPOSED: Final = re.compile("\\w[\u0300-\u036f]{1,8}")


def read(
    source: Source,
    *,
    language: str | None = None,
    profile: str = "provisions",
    format: str | None = None,
    sentences_from: int = SENTENCES_FROM,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
) -> Act:
    r"""Read an act from a file, an address or a text.

    Args:
        source: A path (of a file, or of a folder of Formex files), bytes, an open file, a CELEX number, an http(s) URL,
            or the text of the act.
        language: Two-letter code of one of the 24 official languages. Detected automatically by default.
        profile: `provisions` for units as lawyers cite them, `paper` for the segmentation rules of the paper.
        format: One of `FORMATS`. Detected from the content by default; file names do not matter.
        sentences_from: Provisions of more words than this are split into sentences; 0 leaves all of them whole.
        hierarchy: For documents that are no EU acts, what their sections and paragraphs look like: the path of a TOML
            file, or the name of a packaged one such as "us-bill".

    Returns:
        The act with its units, its metadata, and warnings about anything doubtful.

    Raises:
        OptionError: An argument has a value that is not allowed.
        ConfigError: The file of the hierarchy is not valid.
        ReadingError: The source cannot be read.
        NotAnActError: The source can be read, but is no act in one of the 24 languages.
        FetchError: The CELEX number or URL could not be fetched.
        MissingExtraError: The format needs an optional dependency that is not installed.

    Examples:
        >>> act = read("Article 1\nMembers shall keep records.\nArticle 2\nRecords are public.", language="en")
        >>> [unit.id for unit in act.units]
        ['art-1', 'art-2']
    """
    if language is not None and language not in LANGUAGES:
        raise OptionError(f"'{language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")
    if profile not in PROFILES:
        raise OptionError(f"There is no profile '{profile}'; choose {' or '.join(PROFILES)}.")
    described = None
    if hierarchy is not None:
        from lexlattice.reading.hierarchies import load_hierarchy  # EU acts do not need it

        described = load_hierarchy(hierarchy)
        language = language or described.language or None
    document = _open(source, language, format)
    return _build(document, language, profile, sentences_from, described)


def _build(
    document: Document, language: str | None, profile: str, sentences_from: int, hierarchy: Hierarchy | None
) -> Act:
    """Build the act from the lines of a file: language, clean-up, structure."""
    lines = [block.text for block in document.blocks]
    if not any(map(str.strip, lines)):
        raise ReadingError("The input contains no text; check that it is the right file.", code="empty")
    if language is None:
        language = _detect_language(document, lines)
    else:
        document.warnings.extend(_language_warnings(lines, language))
    grammar = load(language)
    if hierarchy is not None:
        from lexlattice.reading.hierarchies.reader import read_hierarchy

        document.blocks = _normalize(document.blocks, squeeze_tables=True)
        return read_hierarchy(document, grammar, hierarchy, profile, sentences_from)
    record_repeal(document, grammar)
    if profile == "paper":
        document.blocks = _normalize(document.blocks, squeeze_tables=True)
        return read_paper(document, grammar)
    # Two spaces can mark where a paragraph ended, so glued lines are split before white space is normalized.
    document.blocks = _normalize(restore_line_breaks(document.blocks, grammar), squeeze_tables=False)
    roles = (block.role for block in document.blocks if block.role is not None)
    if document.format in _TABLES_WITHOUT_MARKUP and not any(role in _MODERN_ROLES for role in roles):
        document.blocks = mark_tables(document.blocks, grammar)
    mark_testimonium(document.blocks)
    return read_provisions(document, grammar, sentences_from)


def _open(source: Source, language: str | None, format: str | None) -> Document:
    """Open a source of any kind with the back-end of its format."""
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


def is_text(source: str) -> bool:
    """Whether a string is the text of an act; all others name a file, an act or an address."""
    return "\n" in source or len(source) > LONGEST_PATH or source.lstrip()[:1] == "<"


def _open_string(source: str, language: str | None, format: str | None) -> Document:
    """Open the file, CELEX number or URL that a string names, or take the string as the text of the act."""
    if not source.strip():
        raise ReadingError(
            "The input is empty; give a path, a CELEX number, a URL or the text of an act.", code="empty"
        )
    from lexlattice.reading.fetch import fetch, is_celex, is_url

    if is_text(source):
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
        raise ReadingError("Only http:// and https:// addresses can be opened; correct the address, or give a file.")
    return _open_path(Path(source), format)


def _open_path(path: Path, format: str | None) -> Document:
    try:
        if path.is_dir():
            return open_folder(path)
        if path.stat().st_size > MAX_BYTES:
            raise ReadingError(
                f"'{path}' is larger than {MAX_BYTES // 1_000_000} MB, which no act is; give one act only."
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


def _detect_language(document: Document, lines: Sequence[str]) -> str:
    """Return the language by the act's formulas, by what the file states, or by a statistical model.

    The language stated by mark-up that is made for acts is trusted; that of any other page may be the site's.
    """
    by_formula = by_formulas(lines)
    if by_formula:
        return by_formula
    in_text = stated_language(document)
    if in_text in LANGUAGES:
        return in_text
    declared = document.language if document.language in LANGUAGES else None
    is_legal = document.format in _LEGAL_FORMATS or any(block.role in _LEGAL_ROLES for block in document.blocks)
    if declared and is_legal:
        return declared
    share = share_of(lines)
    if share < MIN_SHARE:
        raise NotAnActError(
            f"Only {share:.0%} of this text is in one of the 24 official languages, which is too little for an act; "
            "give an act in one of them, or state its language.",
            code="not-official",
            values={"percent": round(100 * share)},
        )
    return declared or identify(lines)


def _language_warnings(lines: Sequence[str], language: str) -> Iterator[str]:
    """Warnings about a text that does not look like the language given by the caller."""
    name = load(language).name
    if (other := contradicts(lines, language)) != "":
        text = f"The text was read as {name}, as requested, but has the formulas of an act in {load(other).name}."
        yield Remark("other-language", text, language=language, other=other)
    elif (share := misfit(lines, language)) is not None:
        text = f"The text was read as {name}, as requested, but only {share:.0%} of it looks like {name}."
        yield Remark("unlike-language", text, language=language, percent=round(100 * share))


def _normalize(blocks: list[Block], *, squeeze_tables: bool) -> list[Block]:
    """Normalize white space and compose diacritics; after this step no line changes.

    Tabs separate the cells of a table row, so rows keep theirs unless `squeeze_tables`.
    """
    for block in blocks:
        text = block.text
        if ("  " in text or "\t" in text) and (squeeze_tables or block.role is not Role.TABLE):
            block.text = text = squeeze(text)
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            # Only letters with combining diacritics: NFC of the whole line would change other characters too.
            block.text = _DECOMPOSED.sub(lambda match: unicodedata.normalize("NFC", match.group()), text)
    return [block for block in blocks if block.text]
