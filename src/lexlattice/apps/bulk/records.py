"""The records of a bulk run, their outcomes, and the rules for which files are acts.

A record holds the whole content of its act, so that it can be sent to any process, and has a digest of it, by which a
resumed run detects changes. Only an act that has to be fetched is given by its address. An address may contain a
password, so it stays in memory; everything that is written has its public name instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from lexlattice.reading.fetch import is_celex, without_credentials
from lexlattice.reading.formats import MAX_BYTES

READABLE: Final = (".txt", ".md", ".html", ".htm", ".xhtml", ".xml", ".pdf", ".docx", ".zip")
PACKED: Final = (".jsonl", ".jsonl.gz", ".parquet", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TEXTS: Final = ("source", "address", "celex", "language", "summary", "fault")


@dataclass(frozen=True, slots=True)
class Record:
    """An act, or the reason why there is none."""

    source: str
    """Where it comes from: a path, `path:line`, `archive!member`, a CELEX number, or an address without its secrets."""
    content: bytes = b""
    """A file's bytes, a row's text in UTF-8, or a zip archive of the files of a Formex folder."""
    is_text: bool = False
    """Whether the content is plain text; otherwise its format is detected."""
    address: str = ""
    """The CELEX number or URL that the worker has to fetch; never written anywhere."""
    celex: str = ""
    language: str = ""
    summary: str = ""
    fault: str = ""
    """Why there is no act, in one sentence."""

    def __post_init__(self) -> None:
        """Make all texts encodable: file names need not be Unicode, and rows may contain lone surrogates."""
        for name in _TEXTS:
            object.__setattr__(self, name, encodable(getattr(self, name)))
        for name in ("source", "fault"):  # these are shown in a terminal, which must not take them for commands
            value = _CONTROLS.sub(lambda control: f"\\x{ord(control[0]):02x}", getattr(self, name))
            object.__setattr__(self, name, value)

    @property
    def digest(self) -> str:
        """Digest of everything that determines the outcome, as far as it is known before an act is fetched."""
        rest = [self.source, self.is_text, bool(self.address), self.celex, self.language, self.summary, self.fault]
        return sha256(json.dumps(rest).encode() + b"\0" + self.content).hexdigest()

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        return len(self.content) + len(self.summary)


class WorkItem(NamedTuple):
    """A record with the number of its shard, or a placeholder for a complete shard."""

    shard: int
    record: Record
    skipped: int = 0
    """If above 0, the item stands for this many records of a shard that is complete already."""


class Outcome(NamedTuple):
    """What became of a record: a row, or the reason why there is none."""

    shard: int
    source: str
    digest: str
    row: str = ""
    """JSON; empty if there is none."""
    reason: str = ""
    skipped: int = 0
    """As in `WorkItem`."""
    restarts: int = 0
    """How many worker processes died on it."""

    @property
    def dead_letter(self) -> dict[str, Any]:
        """The entry of a failed record in the dead-letter file."""
        return {"source": self.source, "digest": self.digest, "reason": self.reason}


def file_record(source: str, content: bytes) -> Record:
    """Return the record of a file; `content` is at most one byte longer than an act may be."""
    if len(content) > MAX_BYTES:
        return Record(source, fault=f"This is larger than {MAX_BYTES // 1_000_000} MB, the limit for an act.")
    return Record(source, content)


def encodable(text: str) -> str:
    """Replace lone surrogates by escapes, so that the text can be encoded and different names stay different."""
    return text.encode("utf-8", "backslashreplace").decode()


def public_address(address: str) -> str:
    """Return an address without user, password and fragment, and without query values that may be keys.

    >>> public_address("https://me:secret@host/TXT/?uri=CELEX:32016R0679&key=secret")
    'https://host/TXT/?uri=CELEX:32016R0679&key=…'
    """
    address, has_fragment, _ = without_credentials(address).partition("#")
    path, has_query, query = address.partition("?")
    values = "&".join(map(_public_parameter, query.split("&"))) if has_query else ""
    return f"{path}{has_query}{values}{'#…' if has_fragment else ''}"


def _public_parameter(parameter: str) -> str:
    name, _, value = parameter.partition("=")
    if not value:
        return "…"
    return parameter if is_celex(unquote(value)) else f"{name}=…"


class Found(NamedTuple):
    """A file or a folder that is one input, or something that cannot be opened."""

    path: Path
    fault: str = ""
    """Why it cannot be opened, in one sentence."""
    skipped: str = ""
    """Why it is passed over, in a word or two: it is not one of the files that were asked for."""


def is_formex_folder(folder: Path) -> bool:
    """Whether a folder holds the files of one act in Formex."""
    return any(folder.glob("*.doc.xml"))


def walk(folder: Path, is_wanted: Callable[[str], bool], is_unit: Callable[[Path], bool]) -> Iterator[Found]:
    """Yield all files below a folder in the order of their names, with the listing of one folder in memory at a time.

    Hidden files and files of other kinds are reported as skipped. Links to folders are not followed, since they could
    lead anywhere and in circles; they, broken links and unreadable folders are reported with a fault.

    Args:
        folder: Where to start.
        is_wanted: Whether to yield a file of a given name.
        is_unit: Whether to yield a folder as a whole instead of looking into it.

    """
    stack = [folder]
    while stack:
        path = stack.pop()
        try:
            if path != folder and path.name.startswith("."):
                yield Found(path, skipped="hidden")
            elif path != folder and path.is_symlink() and (fault := _link_fault(path)):
                yield Found(path, fault)
            elif path.is_dir():
                if is_unit(path):
                    yield Found(path)
                else:
                    names = sorted((child.name for child in path.iterdir()), reverse=True)
                    stack += [path / name for name in names]
            elif not path.is_file() and (is_wanted(path.name) or not path.suffix):
                yield Found(path, "This is not a regular file.")
            elif is_wanted(path.name):
                yield Found(path)
            else:
                yield Found(path, skipped=path.suffix.lower() or "without a suffix")
        except OSError as error:
            yield Found(path, f"This cannot be opened ({error.strerror or error}).")


def _link_fault(path: Path) -> str:
    if path.is_dir():
        return "This is a link to a folder, which is not followed; give the folder itself."
    return "" if path.exists() else "This is a broken link."


def is_readable(name: str) -> bool:
    """Whether a file of that name may hold an act."""
    return name.lower().endswith(READABLE) and not name.startswith(".")


def is_packed(name: str) -> bool:
    """Whether a file of that name holds rows of a data set, or is an archive."""
    return name.lower().endswith(PACKED) and not name.startswith(".")


def is_hidden(path: PurePath) -> bool:
    """Whether a path has a hidden component."""
    return any(part.startswith(".") and part != ".." for part in path.parts)
