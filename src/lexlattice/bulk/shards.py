"""The folder a run writes to: shards of so many acts, each there whole or not at all, and a manifest of them.

    manifest.json      what was asked for, by which code and weights; in the end every shard with its digest
    part-00000.jsonl   the rows of the first acts (or part-00000.parquet)
    part-00000.json    which acts these were, and those that could not be done: written last, it makes the shard count
    dead.jsonl         in the end, all that could not be done, with the reasons

A shard is a fixed part of the input, by number. A process that is killed leaves whole shards and none that counts
twice: what is half done is done again, into the same place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from lexlattice.bulk.formats import Format
from lexlattice.errors import LexLatticeError
from lexlattice.files import write_whole, writing

MANIFEST: Final = "manifest.json"
DEAD: Final = "dead.jsonl"
_LOCK: Final = ".lock"


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
                self._write(path, {"finished": False, **self.settings})
            known = self._json(path)
            if other := [name for name, value in self.settings.items() if known.get(name) != value]:
                raise LexLatticeError(
                    f"'{self.folder}' was begun with another {other[0]}; go on with that, or name a new folder."
                )
            yield

    def done(self, *, retry: bool = False) -> dict[int, str]:
        """The shards that are there whole, and of which acts; with `retry` only those in which nothing failed."""
        numbers = sorted(int(path.stem.removeprefix("part-")) for path in self.folder.glob("part-*.json"))
        parts = filter(None, map(self._part, numbers))
        return {part.number: part.digest for part in parts if not (retry and part.dead) and self._is_whole(part)}

    def write(self, number: int, digest: str, rows: list[dict[str, Any]], dead: list[dict[str, Any]]) -> Part:
        """Put a shard in its place: its rows first, then what makes them count."""
        content = self.format.content(rows)
        part = Part(number, digest, len(rows), tuple(dead), len(content), sha256(content).hexdigest())
        write_whole(self._data(number), content)
        self._write(self._index(number), asdict(part))
        return part

    def finish(self, count: int) -> dict[str, Any]:
        """Write down what there is in all, once every shard is done; those of an earlier, longer input go."""
        dead = 0
        parts = []
        lines = []
        for number in range(count):
            part = self._part(number)
            if part is None:
                raise LexLatticeError(f"Shard {number} in '{self.folder}' is gone; run the same command again.")
            parts.append({**asdict(part), "file": self._data(number).name, "dead": len(part.dead)})
            lines += [json.dumps(entry, ensure_ascii=False) + "\n" for entry in part.dead]
            dead += len(part.dead)
        with writing(self.folder):
            for path in self.folder.glob("part-*"):
                if int(path.name.removeprefix("part-").split(".")[0]) >= count:
                    path.unlink()
        write_whole(self.folder / DEAD, "".join(lines).encode())
        manifest = {
            "finished": True,
            **self.settings,
            "rows": sum(part["rows"] for part in parts),
            "dead": dead,
            "parts": parts,
        }
        self._write(self.folder / MANIFEST, manifest)
        return manifest

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows of all shards, in the order of the input, a shard in memory at a time."""
        number = 0
        while (path := self._data(number)).is_file():
            yield from self.format.rows(path)
            number += 1

    def _part(self, number: int) -> Part | None:
        try:
            found = self._json(self._index(number))
            return Part(**{**found, "dead": tuple(found["dead"])})
        except (FileNotFoundError, LexLatticeError, TypeError, KeyError):
            return None

    def _is_whole(self, part: Part) -> bool:
        try:
            content = self._data(part.number).read_bytes()
        except OSError:
            return False
        return len(content) == part.bytes and sha256(content).hexdigest() == part.sha256

    def _data(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.{self.format.suffix}"

    def _index(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.json"

    def _write(self, path: Path, content: Mapping[str, Any]) -> None:
        write_whole(path, json.dumps(content, ensure_ascii=False, indent=1).encode())

    def _json(self, path: Path) -> dict[str, Any]:
        try:
            found = json.loads(path.read_bytes())
        except ValueError as error:
            raise LexLatticeError(f"'{path}' is damaged; name a new folder.") from error
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
