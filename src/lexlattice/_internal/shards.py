"""A folder of shards that a run can be interrupted in and resumed: prepared data and the output of bulk runs.

    shard-00000.*              the data of a shard, in one or more files
    __run__/manifest.json      the settings; once `finished` is true, also every shard with its digests, and a checksum
    __run__/shard-00000.json   the index of a shard: which input it was made of, and the size and digest of its files
    __run__/.lock              held while a run writes

All that is no data is in one folder, whose name begins with two underscores: pyarrow, Spark and datasets ignore it when
they are given the folder of shards (datasets reads files and folders with one underscore), and it is never matched by a
pattern such as `*.jsonl`.

The index of a shard is written after its data, and every file appears only once it is complete (see `files`). So a
shard counts only if it is whole, and a run killed at any moment loses at most the shard it was writing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from lexlattice._internal.files import (
    file_sha256,
    locked,
    make_folder,
    remove_parts,
    sha256,
    sync_folder,
    write_whole,
    writing,
)
from lexlattice.errors import DataError, LexLatticeError, OutputError

RUN: Final = "__run__"
"""The folder of all files that are no data."""
MANIFEST: Final = "manifest.json"
LOCK: Final = ".lock"
"""The file in it that is locked while something writes to the folder of shards."""
_SHARD: Final = re.compile(r"shard-(\d{5,18})\.[a-z.]+")  # the number has five digits, or more if it needs them


class ShardDigest:
    """The digest of the input records of a shard, in their order."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, digest: str) -> None:
        """Add the digest of the next record."""
        self._digest.update(f"{digest}\n".encode())

    def __str__(self) -> str:
        return self._digest.hexdigest()


@dataclass(slots=True)
class Shard:
    """What is known of a shard; all of it is in its index file."""

    number: int
    source: str = ""
    """Digest of the input records that it was made of."""
    counts: dict[str, int] = field(default_factory=dict)
    """Numbers that are also in the manifest, for each shard and in total."""
    details: dict[str, Any] = field(default_factory=dict)
    """Anything else."""
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Size in bytes and SHA-256 of its data files, by their names."""


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """A folder of shards that one run writes.

    Args:
        folder: Where it is.
        settings: Everything that determines the content of the shards; a run can be resumed only with the same.
        has_times: Whether the manifest says when the run was started and ended. Without, the same input gives the
            same bytes.

    """

    folder: Path
    settings: Mapping[str, Any]
    has_times: bool = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Create the folder, or resume it if it has the same settings; no other process may write to it meanwhile.

        Raises:
            OutputError: The folder cannot be written, is in use, holds something else, or has other settings.

        """
        make_folder(self.folder)
        with writing(self.folder):
            names = sorted(path.name for path in self.folder.iterdir() if not path.name.startswith("."))
        # checked before anything is written, even the lock
        if MANIFEST in names and (self.folder / LOCK).is_file():
            raise OutputError(f"'{self.folder}' is of an earlier version of LexLattice; choose a new folder.")
        is_other = self._manifest.is_file() and "finished" not in read_json(self._manifest)
        if is_other or (names and RUN not in names):
            raise OutputError(f"'{self.folder}' holds something else ({names[0]}); choose a new folder.")
        make_folder(self.run_file(""))
        with locked(self.run_file(LOCK)):
            remove_parts(self.folder, "shard-*")  # a shard of that number may never be written again
            remove_parts(self.run_file(""))
            if not self._manifest.is_file():
                self._write_unfinished(_now())
            # JSON has lists for tuples, so the settings make the same round trip as those in the manifest
            manifest, settings = read_json(self._manifest), json.loads(to_json(self.settings))
            if other := [name for name, value in settings.items() if manifest.get(name) != value]:
                what = ", ".join(f"{name}: {manifest.get(name)}, now {settings[name]}" for name in other)
                raise OutputError(
                    f"'{self.folder}' was started with other settings ({what}); use those, or choose a new folder."
                )
            yield

    @property
    def is_finished(self) -> bool:
        """Whether all shards were complete, and nothing was changed since."""
        return bool(read_json(self._manifest).get("finished"))

    def path(self, number: int, suffix: str) -> Path:
        """Return the path of a file of a shard."""
        return self.folder / shard_file(number, suffix)

    def run_file(self, name: str) -> Path:
        """Return the path of a file that is no data."""
        return self.folder / RUN / name

    def numbers(self) -> list[int]:
        """Return the numbers of all shards of which there is any file."""
        return sorted(set(self._files().values()))

    def shard(self, number: int) -> Shard | None:
        """Return a shard as its index describes it, or None if it has no valid index."""
        try:
            return Shard(**read_json(self._index(number)))
        except (LexLatticeError, TypeError):
            return None

    def is_intact(self, shard: Shard) -> bool:
        """Whether the data files of a shard are those that its index describes."""
        try:
            _verify(self.folder, shard.files, every_byte=True)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False
        return True

    @contextmanager
    def write(self, number: int, *suffixes: str) -> Iterator[Shard]:
        """Write a shard: within the block its data files, each atomically, and after it the index.

        Args:
            number: The shard's number.
            *suffixes: Of the data files that the block writes to `path(number, suffix)`.

        Yields:
            A shard whose source, counts and details the block fills in.

        """
        self._mark_unfinished()
        shard = Shard(number)
        yield shard
        # If the process dies here, an old index remains, whose digests do not match the new files.
        for path in (self.path(number, suffix) for suffix in suffixes):
            shard.files[path.name] = {"bytes": path.stat().st_size, "sha256": file_sha256(path)}
        write_whole(self._index(number), to_json(asdict(shard)))

    def remove(self, number: int) -> None:
        """Delete a shard: first its index, so that what a killed process leaves behind does not count."""
        self._mark_unfinished()
        with writing(self.folder):
            self._index(number).unlink(missing_ok=True)
            sync_folder(self.run_file(""))
            for path, found in self._files().items():
                if found == number:
                    path.unlink(missing_ok=True)
            sync_folder(self.folder)  # else its rows might be back after a power failure

    def shards(self, numbers: Iterable[int]) -> Iterator[Shard]:
        """Yield the shards of these numbers.

        Raises:
            OutputError: One of them is missing.

        """
        for number in numbers:
            if (shard := self.shard(number)) is None:
                raise OutputError(f"Shard {number} in '{self.folder}' is missing; run the same command again.")
            yield shard

    def finish(self, count: int, **facts: Any) -> dict[str, Any]:
        """Write and return the final manifest, once `count` shards are there; `facts` become part of it."""
        known = read_json(self._manifest)
        times = {"started": known.get("started"), "ended": known.get("ended") or _now()} if self.has_times else {}
        shards: list[dict[str, Any]] = []
        totals: Counter[str] = Counter()
        for shard in self.shards(range(count)):
            index = file_sha256(self._index(shard.number))
            shards.append({"source": shard.source, **shard.counts, "index": index, "files": shard.files})
            totals.update(shard.counts)
        manifest = {"finished": True, **times, **self.settings, **totals, **facts, "shards": shards}
        manifest["checksum"] = sha256(to_json(manifest))  # of everything before it
        write_whole(self._manifest, to_json(manifest))
        return manifest

    def discard(self) -> None:
        """Delete all files that the run wrote, and the folder itself if nothing else is in it."""
        with writing(self.folder):
            for path in (*self._files(), self._manifest, self.run_file(LOCK)):
                path.unlink(missing_ok=True)
            for folder in (self.run_file(""), self.folder):
                if not any(folder.iterdir()):
                    folder.rmdir()

    @property
    def _manifest(self) -> Path:
        return self.run_file(MANIFEST)

    def _index(self, number: int) -> Path:
        return self.run_file(shard_file(number, "json"))

    def _mark_unfinished(self) -> None:
        """Withdraw the final manifest, before anything is changed."""
        manifest = read_json(self._manifest)
        if manifest.get("finished"):
            self._write_unfinished(manifest.get("started"))

    def _write_unfinished(self, started: str | None) -> None:
        times = {"started": started} if self.has_times else {}
        write_whole(self._manifest, to_json({"finished": False, **times, **self.settings}))

    def _files(self) -> dict[Path, int]:
        """Return the files of all shards with their numbers; other files are left alone, whatever they are called."""
        paths = (path for place in (self.folder, self.run_file("")) for path in place.glob("shard-*"))
        matches = {path: _SHARD.fullmatch(path.name) for path in paths}
        return {path: int(match[1]) for path, match in matches.items() if match}


def is_shard_folder(folder: Path) -> bool:
    """Whether a run writes to a folder, or did so."""
    return (folder / RUN).is_dir() or ((folder / MANIFEST).is_file() and (folder / LOCK).is_file())


def manifest_of(folder: Path) -> Path:
    """Return the path of a folder's manifest; folders of the first version have their side files beside the data."""
    path = folder / RUN / MANIFEST
    return path if path.exists() or not (folder / MANIFEST).exists() else folder / MANIFEST


def read_finished(folder: Path, *, verify: bool = False) -> tuple[dict[str, Any], list[Shard]]:
    """Read the manifest and all shards of a finished folder.

    Args:
        folder: Where they are.
        verify: Read every byte of the data and compare it with its digest, instead of its size alone.

    Raises:
        DataError: The folder is not finished.
        OSError: A file is missing.
        ValueError, KeyError, TypeError, AttributeError, RecursionError: Something is damaged.

    """
    path = manifest_of(folder)
    manifest = json.loads(path.read_bytes())
    if not manifest["finished"]:
        raise DataError(f"'{folder}' is not finished; run the same command again to resume it.")
    checksum = manifest.pop("checksum")
    if checksum != sha256(to_json(manifest)):
        raise ValueError(f"'{MANIFEST}' was changed")
    shards = []
    for number, entry in enumerate(manifest["shards"]):
        index = (path.parent / shard_file(number, "json")).read_bytes()
        if sha256(index) != entry["index"]:
            raise ValueError(f"'{shard_file(number, 'json')}' was changed")
        shards.append(Shard(**json.loads(index)))
        _verify(folder, shards[-1].files, every_byte=verify)
    return manifest, shards


def _verify(folder: Path, files: Mapping[str, Mapping[str, Any]], *, every_byte: bool) -> None:
    for name, expected in files.items():
        if (size := (folder / name).stat().st_size) != expected["bytes"]:
            raise ValueError(f"'{name}' has {size:,} bytes instead of {expected['bytes']:,}")
        if every_byte and file_sha256(folder / name) != expected["sha256"]:
            raise ValueError(f"'{name}' was changed")


def shard_file(number: int, suffix: str) -> str:
    """Return the name of a file of a shard."""
    return f"shard-{number:05}.{suffix}"


def to_json(content: Mapping[str, Any]) -> bytes:
    """Encode as JSON; a lone surrogate, as in the name of a folder that is not Unicode, becomes an escape."""
    return json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object that a run wrote.

    Raises:
        OutputError: The file is missing or damaged.

    """
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise OutputError(f"'{path}' is damaged or missing; choose a new folder.") from error
    if not isinstance(content, dict):
        raise OutputError(f"'{path}' is damaged; choose a new folder.")
    return content


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
