"""What may be read for an assistant: a text, an act by its number, and files below one folder, none of them endless."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from lexlattice.act import Act
from lexlattice.errors import LexLatticeError
from lexlattice.reading import LONGEST_PATH, read
from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.fetch import fetch, is_celex, is_url
from lexlattice.reading.provisions import SENTENCES_FROM

MOST_BYTES: Final = 20_000_000
"""Of a text, a file or a folder; as much as the service takes unless it is told otherwise."""
_SOURCES: Final = (
    "the text of an act with its line breaks, the path of a file in the server's folder, "
    "or a CELEX number such as 32016R0679"
)
_TIMEOUT: Final = 10.0
_ATTEMPTS: Final = 2
"""So that a network that does not answer is named as such, before all that is allowed for an answer is over."""


def read_source(source: str, language: str | None, root: Path, *, is_whole: bool = False) -> Act:
    """Read what is named, its long provisions in sentences or whole; nothing is fetched but acts by their number.

    `root` is the folder in which files must lie once all links are followed, itself without any.
    """
    if not source.strip():
        raise LexLatticeError(f"There is no source; give {_SOURCES}.")
    if is_url(source):
        raise LexLatticeError(f"Addresses are not opened; give {_SOURCES}.")
    language, sentences = language.lower() if language else None, 0 if is_whole else SENTENCES_FROM
    if "\n" in source or len(source) > LONGEST_PATH:
        if len(source) > MOST_BYTES:
            raise _too_large("The text")
        return read(source, language=language, sentences_from=sentences)
    path = _below(root, source)
    if path is not None:
        return read(_opened(root, path, source), language=language, sentences_from=sentences)
    if not is_celex(source):
        raise LexLatticeError(f"There is no file '{source[:80]}'; give {_SOURCES}.")
    fetched = fetch(source, language=language or "en", timeout=_TIMEOUT, attempts=_ATTEMPTS, most=MOST_BYTES)
    act = read(fetched.content, language=fetched.language, sentences_from=sentences)
    return act if act.celex else replace(act, celex=normalize_celex(fetched.celex or "").act)


def _below(root: Path, name: str) -> Path | None:
    """Where it really is; None if there is nothing of that name, and never a word on what is outside the folder."""
    try:
        path = (root / name).resolve()
        if path.is_relative_to(root):
            return path if path.exists() else None
    except (OSError, ValueError, RuntimeError):  # names that cannot be, links that lead in a circle
        return None
    raise LexLatticeError(f"Files are read in the folder '{root}' only, and '{name[:80]}' is not in it; put it there.")


def _opened(root: Path, path: Path, name: str) -> Path | bytes:
    """The content of a file, or a folder all of whose files may be read; devices and pipes may never end."""
    shown = f"'{name[:80]}'"
    try:
        parts = [_below(root, str(part)) for part in path.glob("*.xml")] if path.is_dir() else [path]
        files = [part for part in parts if part is not None and part.is_file()]
        if len(files) < len(parts):
            raise LexLatticeError(f"{shown} is no file, or holds what is none; give {_SOURCES}.")
        if sum(file.stat().st_size for file in files) > MOST_BYTES:
            raise _too_large(shown)
        if path.is_dir():
            return path
        with path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise LexLatticeError(f"{shown} cannot be read: {error.strerror or error}.") from None
    if len(content) > MOST_BYTES:
        raise _too_large(shown)  # some files have a size of nothing, and no end
    return content


def _too_large(what: str) -> LexLatticeError:
    return LexLatticeError(f"{what} is larger than {MOST_BYTES / 1e6:g} MB, which hardly any act is; give it alone.")
