"""A cache of vectors on disk, so that no text is encoded twice.

The cache is a SQLite database in its own folder. Any number of processes can use it at once, and a process that is
killed at any moment leaves it consistent. It is not trusted all the same: each vector is stored with a checksum over
key and vector, and a vector that fails it is computed again; a database that SQLite cannot read is replaced by a new
one. The size is bounded: a `CacheWarning` says so before anything is dropped, and the oldest entries are dropped first.
Dropping the least recently *used* ones would turn every reader into a writer and gain nothing where it matters:
training reads a whole corpus over and over, which empties either kind of cache if the corpus does not fit.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.base import (
    Encoder,
    EncodingError,
    Vectors,
    check_texts,
    progress_bar,
    rounded,
    vectors_of_units,
    warn_about_empty,
)
from lexlattice.errors import brief

Precision = Literal["float16", "float32"]
Stored = NDArray[np.floating[Any]]
_Result = TypeVar("_Result")

DEFAULT_LIMIT: Final = 5_000_000_000
"""Bytes on disk by default: three million vectors of 768 dimensions."""
NEARLY_FULL: Final = 0.9
"""The share of the limit at which a warning says that vectors will be dropped."""
MIN_LIMIT: Final = 1_000_000
"""The lowest limit in bytes; less leaves no room for anything."""
BATCH: Final = 512
"""Texts that are looked up, computed and stored together: the most that is lost when a process is killed."""
_DTYPES: Final[Mapping[str, np.dtype[np.floating[Any]]]] = {"float16": np.dtype("<f2"), "float32": np.dtype("<f4")}
_FORMAT: Final = 1
"""Version of the entries; part of the key."""
_CHECKSUM: Final = 16
"""Bytes."""
_PAGE: Final = 8192
"""Bytes of a database page: four vectors of 768 float16 numbers fit."""
_LOCK_TIMEOUT: Final = 60.0
"""Seconds to wait for another process that is writing."""
_NAME = re.compile(r"vectors-(\d{1,9})\.sqlite")
_ADVICE = {
    sqlite3.SQLITE_FULL: "make room on its disk",
    sqlite3.SQLITE_IOERR: "make room on its disk, or name a folder on another",
    sqlite3.SQLITE_BUSY: "wait for the other process that is writing to it, or stop that process",
    sqlite3.SQLITE_LOCKED: "wait for the other process that is writing to it, or stop that process",
} | dict.fromkeys(
    (sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL),
    "name a folder on a local disk that can be written to",
)
"""Advice for errors of the environment; all other errors mean that the database is damaged."""


class CacheWarning(UserWarning):
    """The cache is nearly full, or was damaged and has been replaced by an empty one."""


class CachedEncoder:
    """An encoder that calls another one only for texts whose vectors are not on disk yet.

    Newly computed vectors are rounded like stored ones, so that a vector never depends on whether it was in the cache.

    The fingerprint is that of the wrapped encoder, with either precision. It answers one question: can these weights be
    used with these vectors? Rounding to float16 changes a vector by at most 2⁻¹¹ of its length, which keeps a cosine
    similarity above 1 - 1.2e-7: as close as the same model is to itself on other hardware, and no reason to refuse
    weights that were trained without a cache. Vectors that float16 would change by more are refused. Where vectors have
    to be equal bit for bit, compare `precision` as well.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from lexlattice.encoding import load
        >>> with TemporaryDirectory() as folder:
        ...     CachedEncoder(load(), folder).encode(["Keepers shall register."]).shape
        (1, 256)
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: str | os.PathLike[str],
        *,
        limit: int = DEFAULT_LIMIT,
        precision: Precision = "float16",
    ) -> None:
        """Open the cache, or create it.

        Args:
            encoder: The encoder to wrap.
            folder: The folder of the cache: a new, an empty or an earlier one.
            limit: The most bytes on disk.
            precision: How vectors are stored; float16 halves the disk space.

        Raises:
            EncodingError: An argument is not valid, or the folder cannot be used.
        """
        if precision not in _DTYPES:
            raise EncodingError(f"Vectors cannot be stored as '{precision}'; choose 'float16' or 'float32'.")
        if limit < MIN_LIMIT:
            raise EncodingError(f"A vector cache of {limit:,} bytes is too small; allow at least {MIN_LIMIT:,}.")
        self.name, self.dimensions, self.fingerprint = encoder.name, encoder.dimensions, encoder.fingerprint
        self.precision: Precision = precision
        self.encoder = encoder
        self._database = _Database(Path(folder), limit)
        about = json.dumps([_FORMAT, self.fingerprint, self.dimensions, precision])
        self._prefix = hashlib.blake2b(about.encode()).digest()

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text, in order; a text that occurs twice is encoded once."""
        listed = check_texts(texts)
        rows = {text: row for row, text in enumerate(dict.fromkeys(listed))}
        distinct = list(rows)
        vectors = np.empty((len(distinct), self.dimensions), np.float32)
        with progress_bar(len(distinct), "text", progress) as advance:
            for first in range(0, len(distinct), BATCH):
                part = distinct[first : first + BATCH]
                vectors[first : first + len(part)] = self._encode(part)
                advance(len(part))
        result: Vectors = vectors[np.array([rows[text] for text in listed], np.intp)]
        warn_about_empty(result)
        return result

    def _encode(self, texts: list[str]) -> Stored:
        # Broken files contain lone surrogates; "surrogatepass" hashes them like any other character.
        keys = [
            hashlib.blake2b(self._prefix + text.encode("utf-8", "surrogatepass"), digest_size=32).digest()
            for text in texts
        ]
        found = self._database.get(keys)
        missing = [index for index, key in enumerate(keys) if key not in found]
        if missing:
            computed = self._compute([texts[index] for index in missing])
            new = {keys[index]: vector.tobytes() for index, vector in zip(missing, computed, strict=True)}
            self._database.put(new)
            found |= new
        joined = np.frombuffer(b"".join(found[key] for key in keys), _DTYPES[self.precision])
        return joined.reshape(len(texts), self.dimensions)

    def _compute(self, texts: list[str]) -> Stored:
        """Compute vectors and round them as they are stored; refuse those that rounding would change too much."""
        vectors = vectors_of_units(self.encoder, texts)  # `encode` counts empty texts once, for all batches
        if vectors.shape != (len(texts), self.dimensions):
            raise EncodingError(
                f"The encoder '{self.name}' returned an array of shape {vectors.shape} for {len(texts)} texts and "
                f"{self.dimensions} dimensions; fix it, or use another."
            )
        return rounded(vectors, _DTYPES[self.precision], self.name)


class _Database:
    """Keys and values on disk. Each call opens its own connection: nothing is shared by threads or across a fork.

    The name of the file ends in a number. A damaged file is never repaired, renamed or overwritten, since other
    processes may have it open: a file with the next number is created, and all processes use the highest number.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._has_warned = False
        self._run(lambda base: base.executescript("BEGIN IMMEDIATE; COMMIT"))

    def get(self, keys: list[bytes]) -> dict[bytes, bytes]:
        """The values that exist and pass their checksum."""
        query = f"SELECT key, value FROM vectors WHERE key IN ({','.join('?' * len(keys))})"
        found = self._run(lambda base: base.execute(query, keys).fetchall())
        return {
            key: value[_CHECKSUM:]
            for key, value in found
            if isinstance(key, bytes) and isinstance(value, bytes) and value == _with_checksum(key, value[_CHECKSUM:])
        }

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Store all values in one transaction, and drop the oldest ones if there is no room."""
        rows = [(key, _with_checksum(key, value)) for key, value in values.items()]

        def write(base: sqlite3.Connection) -> None:
            base.execute("BEGIN IMMEDIATE")
            base.executemany("INSERT OR REPLACE INTO vectors (key, value) VALUES (?, ?)", rows)
            self._warn_if_nearly_full(base)
            self._evict(base)
            base.execute("COMMIT")

        self._run(write)

    def _warn_if_nearly_full(self, base: sqlite3.Connection) -> None:
        """Warn once, before anything is dropped; pages that were freed by dropping are full again soon."""
        size = _pragma(base, "page_count") * _pragma(base, "page_size")
        if size > NEARLY_FULL * self._limit and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"The vector cache in '{self._folder}' has {size / 1e9:.3g} of at most {self._limit / 1e9:.3g} GB; "
                "its oldest vectors are dropped once it is full, so raise the limit if the disk allows it.",
                CacheWarning,
                stacklevel=6,
            )

    def _evict(self, base: sqlite3.Connection) -> None:
        """Keep the file within the limit; 5 % more than necessary is dropped, so that this happens rarely."""
        most = self._limit // _pragma(base, "page_size")
        if _pragma(base, "page_count") <= most:
            return
        while _pragma(base, "page_count") - _pragma(base, "freelist_count") > 0.95 * most:
            ends = "SELECT (SELECT min(id) FROM vectors), (SELECT max(id) FROM vectors)"
            oldest, newest = base.execute(ends).fetchone()
            if oldest is None:
                break
            base.execute("DELETE FROM vectors WHERE id <= ?", (oldest + (newest - oldest) // 20,))
        for _ in range(_pragma(base, "page_count") - most):
            base.execute("PRAGMA incremental_vacuum(1)")  # one page each: Python steps this statement only once

    def _run(self, action: Callable[[sqlite3.Connection], _Result]) -> _Result:
        for _ in range(3):
            path = self._current()
            try:
                with _opened(path) as base:
                    return action(base)
            except (sqlite3.Error, UnicodeError) as error:  # UnicodeError if SQLite quotes damaged bytes in a message
                self._check_environment(error, path)
            self._replace(path)
        raise EncodingError(f"The vector cache in '{self._folder}' keeps being damaged; name another folder.")

    def _current(self) -> Path:
        """The database in use, the file with the highest number; files with lower numbers are removed."""
        with _writing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            names = [entry.name for entry in self._folder.iterdir()]
        numbers = sorted(int(match[1]) for match in map(_NAME.fullmatch, names) if match)
        others = [name for name in names if not name.startswith((".", "vectors-"))]
        if others and not numbers:
            raise EncodingError(
                f"'{self._folder}' contains files such as '{others[0]}' and no vector cache; name an empty folder."
            )
        for number in numbers[:-1]:
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    (self._folder / f"vectors-{number}.sqlite{suffix}").unlink()
        return self._folder / f"vectors-{numbers[-1] if numbers else 0}.sqlite"

    def _check_environment(self, error: Exception, path: Path) -> None:
        """Raise an error that the user has to deal with; return if the database is just damaged."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        is_damage = code not in _ADVICE or (code == sqlite3.SQLITE_READONLY and os.access(path, os.W_OK))
        if not is_damage:
            raise EncodingError(
                f"The vector cache in '{self._folder}' cannot be used: {brief(error)}; {_ADVICE[code]}."
            ) from error

    def _replace(self, path: Path) -> None:
        """Start an empty database with the next number, and warn."""
        number = int(path.stem.removeprefix("vectors-"))
        with _writing(self._folder):
            path.with_name(f"vectors-{number + 1}.sqlite").touch()
        warnings.warn(
            f"The vector cache in '{self._folder}' was damaged and is rebuilt; its vectors are computed again.",
            CacheWarning,
            stacklevel=6,
        )


def _with_checksum(key: bytes, value: bytes) -> bytes:
    """The value preceded by a checksum, which detects changed bytes and the value of another key."""
    return hashlib.blake2b(key + value, digest_size=_CHECKSUM).digest() + value


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    base = sqlite3.connect(path, timeout=_LOCK_TIMEOUT, isolation_level=None)
    try:
        base.text_factory = bytes
        if not _pragma(base, "page_count"):
            base.execute(f"PRAGMA page_size = {_PAGE}")
            base.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for setting in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = OFF", "cell_size_check = ON"):
            base.execute(f"PRAGMA {setting}")
        base.execute("CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB)")
        yield base
    finally:
        base.close()


def _pragma(base: sqlite3.Connection, name: str) -> int:
    return int(base.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Turn an OSError into an EncodingError that names the folder."""
    try:
        yield
    except OSError as error:
        raise EncodingError(
            f"Vectors cannot be stored in '{folder}': {error.strerror}; name a folder that can be written to."
        ) from error
