"""The folder a run writes to: shards of so many acts, each there whole or not at all, and a manifest of them.

    manifest.json      what was asked for, by which code and weights; in the end every shard with its digest
    part-00000.jsonl   the rows of the first acts (or part-00000.parquet)
    part-00000.json    which acts these were, and those that could not be done: written last, it makes the shard count
    dead.jsonl         in the end, all that could not be done, with the reasons

A shard is a fixed part of the input, by number. A process that is killed leaves whole shards and none that counts
twice: what is half done is done again, into the same place. The manifest says that all is finished only while it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lexlattice.bulk.digests import digest_of
from lexlattice.bulk.entry import Outcome
from lexlattice.bulk.formats import Format
from lexlattice.errors import LexLatticeError
from lexlattice.files import write_whole, writing, written

MANIFEST: Final = "manifest.json"
DEAD: Final = "dead.jsonl"
_LOCK: Final = ".lock"
_PART: Final = re.compile(r"part-(\d{5,18})\.(?:json|jsonl|parquet)")


class ShardDigest:
    """Of the acts of a shard, in their order."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, digest: str) -> None:
        """One more act."""
        self._digest.update(f"{digest}\n".encode())

    def __str__(self) -> str:
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """A shard that is done."""

    number: int
    digest: str
    """Of the acts it was made of."""
    rows: int
    dead: tuple[Mapping[str, Any], ...]
    """Acts that could not be done: source, digest, reason."""
    bytes: int
    sha256: str
    """Of the file."""


def is_output(folder: Path) -> bool:
    """Whether a run writes to a folder, or wrote to it."""
    return (folder / MANIFEST).is_file() and (folder / _LOCK).is_file()


@dataclass(frozen=True, slots=True)
class Output:
    """Where a run writes to."""

    folder: Path
    format: Format
    settings: Mapping[str, Any]
    """What must be the same for a run to go on."""

    @contextmanager
    def open(self) -> Iterator[None]:
        """Begin, or go on with what was begun alike; nobody else may write there meanwhile."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with _alone(self.folder / _LOCK):
            path = self.folder / MANIFEST
            if not path.is_file():
                others = [found.name for found in self.folder.iterdir() if not found.name.startswith(".")]
                if others:
                    raise LexLatticeError(
                        f"'{self.folder}' holds something else ({sorted(others)[0]}); name a new folder."
                    )
                _write(path, {"finished": False, "begun": _now(), **self.settings})
            known = _json(path)
            if other := [name for name, value in self.settings.items() if known.get(name) != value]:
                what = f"other {other[0]}" if other[0].endswith("s") else f"another {other[0]}"
                raise LexLatticeError(f"'{self.folder}' was begun with {what}; go on with that, or name a new folder.")
            yield

    def done(self, *, retry: bool = False) -> dict[int, str]:
        """The shards that are there whole, and of which acts; with `retry` only those in which nothing failed."""
        parts = filter(None, (self._part(number) for number in sorted(set(self._files().values()))))
        return {part.number: part.digest for part in parts if not (retry and part.dead) and self._is_whole(part)}

    def write(self, number: int, outcomes: Iterable[Outcome]) -> Part:
        """Put a shard in its place as its acts are done: its rows first, then what makes them count."""
        digest, rows, dead = ShardDigest(), 0, []
        self._unfinished()
        with self.format.written(self._data(number)) as add:
            for outcome in outcomes:
                digest.add(outcome.digest)
                if outcome.row:
                    add(outcome.row)
                    rows += 1
                else:
                    dead.append(outcome.dead)
        path = self._data(number)
        part = Part(number, str(digest), rows, tuple(dead), path.stat().st_size, digest_of(path))
        _write(self._index(number), asdict(part))
        return part

    def finish(self, count: int) -> dict[str, Any]:
        """Write down what there is in all, once every shard is done; those of an earlier, longer input go."""
        if beyond := [path for path, number in self._files().items() if number >= count]:
            self._unfinished()
            with writing(self.folder):
                for path in beyond:
                    path.unlink()
        parts = []
        with written(self.folder / DEAD) as file, writing(self.folder / DEAD):
            for number in range(count):
                part = self._part(number)
                if part is None:
                    raise LexLatticeError(f"Shard {number} in '{self.folder}' is gone; run the same command again.")
                parts.append({**asdict(part), "file": self._data(number).name, "dead": len(part.dead)})
                file.writelines(_encoded(entry) + b"\n" for entry in part.dead)
        known = _json(self.folder / MANIFEST)
        manifest = {
            "finished": True,
            "begun": known.get("begun"),
            "ended": known.get("ended") or _now(),
            **self.settings,
            "rows": sum(part["rows"] for part in parts),
            "dead": sum(part["dead"] for part in parts),
            "parts": parts,
        }
        _write(self.folder / MANIFEST, manifest)
        return manifest

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows of all shards, in the order of the input, a few in memory at a time."""
        number = 0
        while (path := self._data(number)).is_file():
            yield from self.format.rows(path)
            number += 1

    def _unfinished(self) -> None:
        """Take back that all is finished, before anything changes."""
        path = self.folder / MANIFEST
        known = _json(path)
        if known.get("finished"):
            _write(path, {"finished": False, "begun": known.get("begun"), **self.settings})

    def _files(self) -> dict[Path, int]:
        """What is named as files of shards are, with the number."""
        found = {path: _PART.fullmatch(path.name) for path in self.folder.glob("part-*")}
        return {path: int(match[1]) for path, match in found.items() if match}

    def _part(self, number: int) -> Part | None:
        try:
            found = _json(self._index(number))
            return Part(**{**found, "dead": tuple(found["dead"])})
        except (LexLatticeError, TypeError, KeyError):
            return None

    def _is_whole(self, part: Part) -> bool:
        path = self._data(part.number)
        try:
            return path.stat().st_size == part.bytes and digest_of(path) == part.sha256
        except OSError:
            return False

    def _data(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.{self.format.suffix}"

    def _index(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.json"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _encoded(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """As JSON; half a character in the name of a folder, say, is an escape there too."""
    return json.dumps(content, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace")


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, _encoded(content, indent=1))


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise LexLatticeError(f"'{path}' is damaged or gone; name a new folder.") from error
    if not isinstance(found, dict):
        raise LexLatticeError(f"'{path}' is damaged; name a new folder.")
    return found


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others out as long as this process lives; where the system has no such locks, nobody is kept out."""
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            import fcntl
        except ImportError:
            pass
        else:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise LexLatticeError(
                    f"Another run writes to '{path.parent}' already; wait for it, or name another folder."
                ) from error
        yield
    finally:
        os.close(handle)
