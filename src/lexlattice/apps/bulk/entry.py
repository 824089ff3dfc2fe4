"""One act of a corpus, as it is sent to whoever works on it, or why there is none; and what came of it.

An entry holds all that its act is made of, so that it can be sent anywhere, and has a digest of it, by which a run that
goes on knows that it is still the same. Only what has to be fetched is named and not held: by an address that stays in
memory, since it may have a password in it, while all that is written down has its public name.
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

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TEXTS: Final = ("source", "address", "celex", "language", "summary", "fault")


@dataclass(frozen=True, slots=True)
class Entry:
    """An act, or why there is none."""

    source: str
    """Where it comes from: a path, `path:line`, `archive!member`, a CELEX number, or an address without its secrets."""
    content: bytes = b""
    """All of it: a file's bytes, a row's text in UTF-8, or a zip file of what a folder in Formex holds."""
    is_text: bool = False
    """Whether the content is nothing but text; else its format is found out."""
    address: str = ""
    """The CELEX number or URL it is to be fetched from by whoever works on it; never written down."""
    celex: str = ""
    language: str = ""
    summary: str = ""
    fault: str = ""
    """One sentence, if there is no act."""

    def __post_init__(self) -> None:
        """Names of files need not be Unicode, and rows may hold halves of characters: none can be written as it is."""
        for name in _TEXTS:
            object.__setattr__(self, name, writable(getattr(self, name)))
        for name in ("source", "fault"):
            object.__setattr__(self, name, _CONTROLS.sub(_escaped, getattr(self, name)))

    @property
    def digest(self) -> str:
        """Of all that decides what becomes of it, as far as that can be known here."""
        rest = [self.source, self.is_text, bool(self.address), self.celex, self.language, self.summary, self.fault]
        return sha256(json.dumps(rest).encode() + b"\0" + self.content).hexdigest()

    @property
    def size(self) -> int:
        """Bytes that it holds, about."""
        return len(self.content) + len(self.summary)


def _escaped(control: re.Match[str]) -> str:
    """What would tell a terminal something, as it is told of."""
    return f"\\x{ord(control[0]):02x}"


class Placed(NamedTuple):
    """An entry, and the shard it belongs to; or so many acts of a shard that need not be done again."""

    shard: int
    entry: Entry
    passed: int = 0


class Outcome(NamedTuple):
    """What came of an act: a row, or why there is none."""

    shard: int
    source: str
    digest: str
    row: str = ""
    """JSON; empty if there is none."""
    reason: str = ""
    passed: int = 0
    """Stands for so many acts of a shard that was done before."""
    restarts: int = 0
    """Processes that were lost over it."""

    @property
    def dead(self) -> dict[str, Any]:
        """What a dead letter says."""
        return {"source": self.source, "digest": self.digest, "reason": self.reason}


def sized(source: str, content: bytes) -> Entry:
    """The entry of a file of which no more was read than an act can have, and one byte."""
    if len(content) > MAX_BYTES:
        return Entry(source, fault=f"This is larger than {MAX_BYTES // 1_000_000} MB, which no act is.")
    return Entry(source, content)


def writable(text: str) -> str:
    """A text as it can be written: what is no character stands there by its number, so that names stay different."""
    return text.encode("utf-8", "backslashreplace").decode()


def discreet(address: str) -> str:
    """An address without its user, password and fragment, and without values in its query that may be keys.

    >>> discreet("https://me:secret@host/TXT/?uri=CELEX:32016R0679&key=secret")
    'https://host/TXT/?uri=CELEX:32016R0679&key=…'
    """
    address, is_cut, _ = without_credentials(address).partition("#")
    path, is_asked, query = address.partition("?")
    told = "&".join(map(_told, query.split("&"))) if is_asked else ""
    return f"{path}{is_asked}{told}{'#…' if is_cut else ''}"


def _told(pair: str) -> str:
    name, _, value = pair.partition("=")
    if not value:
        return "…"
    return pair if is_celex(unquote(value)) else f"{name}=…"


# Which files below a folder are acts, and which hold many.

READABLE: Final = (".txt", ".md", ".html", ".htm", ".xhtml", ".xml", ".pdf", ".docx", ".zip")
PACKED: Final = (".jsonl", ".jsonl.gz", ".parquet", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")


class Found(NamedTuple):
    """A file, or a folder that is one thing; or something that cannot be opened."""

    path: Path
    fault: str = ""
    """One sentence."""


def is_one_act(folder: Path) -> bool:
    """Whether a folder holds the files of one act in Formex."""
    return any(folder.glob("*.doc.xml"))


def acts_in(folder: Path) -> list[Path]:
    """In the order of their names, however deep they lie; what is hidden stays so.

    A folder inside that holds one act in Formex stands for that act.
    """
    return [found.path for found in below(folder, is_readable, is_one_act) if not found.fault]


def below(folder: Path, is_wanted: Callable[[str], bool], is_one: Callable[[Path], bool]) -> Iterator[Found]:
    """All files below a folder whose names are wanted, in the order of their names, one folder's list held at a time.

    A folder that is one thing is given as such. Links to folders are not followed: they could lead anywhere, and in
    circles. What is no file, leads nowhere or cannot be looked into is told.
    """
    ahead = [folder]
    while ahead:
        path = ahead.pop()
        try:
            if path != folder and path.is_symlink() and (fault := _link_fault(path)):
                yield Found(path, fault)
            elif path.is_dir():
                if is_one(path):
                    yield Found(path)
                else:
                    names = sorted((child.name for child in path.iterdir()), reverse=True)
                    ahead += [path / name for name in names if not name.startswith(".")]
            elif is_wanted(path.name):
                yield Found(path, "" if path.is_file() else "This is no file that can be read.")
        except OSError as error:
            yield Found(path, f"This cannot be looked into ({error.strerror or error}).")


def _link_fault(path: Path) -> str:
    if path.is_dir():
        return "This is a link to a folder, which is not followed; name the folder itself."
    return "" if path.exists() else "This is a link that leads nowhere."


def is_readable(name: str) -> bool:
    """Whether a file of that name may hold an act."""
    return name.lower().endswith(READABLE) and not name.startswith(".")


def is_packed(name: str) -> bool:
    """Whether a file of that name holds rows of a data set, or is an archive."""
    return name.lower().endswith(PACKED) and not name.startswith(".")


def is_hidden(path: PurePath) -> bool:
    """Whether a name, or that of a folder on the way to it, says that it is not meant to be seen."""
    return any(part.startswith(".") and part != ".." for part in path.parts)
