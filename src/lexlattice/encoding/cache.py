"""Vectors that were computed once are kept on disk, and not computed again.

The cache is a SQLite database in a folder of its own: any number of processes may use it at once, and one that is
killed at any moment leaves it whole. It is not trusted all the same. Each vector is kept with a checksum over the key
and the vector, and what fails it is computed again; a database that SQLite cannot make sense of is given up for a new
one. It is bounded: what was written first is dropped first. Dropping what was least recently *used* would make every
reader a writer, and gain nothing where it matters: training reads a whole corpus over and over, and such a round
empties either kind of cache if the corpus does not fit.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.base import PATIENCE, EmptyTextWarning, Encoder, EncodingError, Vectors, checked, report_empty
from lexlattice.errors import brief

Precision = Literal["float16", "float32"]
Kept = NDArray[np.floating[Any]]
_Result = TypeVar("_Result")

LIMIT: Final = 5_000_000_000
"""Bytes on disk unless told otherwise: three million vectors of 768 dimensions."""
SMALLEST: Final = 1_000_000
"""Bytes below which a limit leaves no room for anything."""
BATCH: Final = 512
"""Texts that are looked up, computed and written down together: what is lost at most when a process is killed."""
DTYPES: Final[Mapping[str, np.dtype[np.floating[Any]]]] = {"float16": np.dtype("<f2"), "float32": np.dtype("<f4")}
_FORMAT, _CHECKSUM, _PAGE, _WAIT = 1, 16, 8192, 60.0  # version of the entries; bytes; bytes; seconds
_NAME = re.compile(r"vectors-(\d{1,9})\.sqlite")
_ADVICE = {
    sqlite3.SQLITE_FULL: "make room on its disk",
    sqlite3.SQLITE_IOERR: "make room on its disk, or name a folder on another",
    sqlite3.SQLITE_BUSY: "wait for the other process that writes to it, or end it",
    sqlite3.SQLITE_LOCKED: "wait for the other process that writes to it, or end it",
} | dict.fromkeys(
    (sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL),
    "name a folder on a local disk that can be written to",
)
"""What to do about errors that are the environment's; all others mean that the database is damaged."""


class CacheWarning(UserWarning):
    """The cache was damaged, and has been started anew."""


class CachedEncoder:
    """An encoder that asks the one it was made from only for what is not on disk yet.

    Vectors are kept as float16 unless told otherwise, which halves the disk they need. What was just computed is
    rounded in the same way, so that a vector never depends on whether it was in the cache.

    The fingerprint is that of the encoder within, with either precision. It answers one question: may these weights be
    used with these vectors? Rounding to float16 moves a vector by 2⁻¹¹ of its length at most, so that it keeps
    a cosine of more than 1 - 1.2e-7 to what it was: as near as the same model comes to itself on other hardware, and no
    reason to refuse weights that were trained without a cache, or to train again with one. Vectors that float16 would
    change by more than that are refused. Where equal must mean equal to the last bit, compare `precision` as well.
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: str | os.PathLike[str],
        *,
        limit: int = LIMIT,
        precision: Precision = "float16",
    ) -> None:
        """Fails here, and not after an hour of encoding, if the folder cannot be used."""
        check_precision(precision)
        if limit < SMALLEST:
            raise EncodingError(f"A vector cache of {limit:,} bytes is too small; allow {SMALLEST:,} at least.")
        self.name, self.dimensions, self.fingerprint = encoder.name, encoder.dimensions, encoder.fingerprint
        self.precision: Precision = precision
        self._encoder = encoder
        self._database = _Database(Path(folder), limit)
        about = json.dumps([_FORMAT, self.fingerprint, self.dimensions, precision])
        self._prefix = hashlib.blake2b(about.encode()).digest()

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text, in their order; a text that occurs twice is encoded once."""
        listed = checked(texts)
        rows = {text: row for row, text in enumerate(dict.fromkeys(listed))}
        vectors = np.empty((len(rows), self.dimensions), np.float32)
        for number, part in enumerate(batches(rows, progress=progress)):
            vectors[number * BATCH : number * BATCH + len(part)] = self._encode(part)
        result: Vectors = vectors[np.array([rows[text] for text in listed], np.intp)]
        report_empty(result)
        return result

    def _encode(self, texts: list[str]) -> Kept:
        keys = [hashlib.blake2b(self._prefix + as_bytes(text), digest_size=32).digest() for text in texts]
        found = self._database.get(keys)
        missing = [place for place, key in enumerate(keys) if key not in found]
        if missing:
            computed = fresh(self._encoder, [texts[place] for place in missing], self.precision)
            new = {keys[place]: vector.tobytes() for place, vector in zip(missing, computed, strict=True)}
            self._database.put(new)
            found |= new
        joined = np.frombuffer(b"".join(found[key] for key in keys), DTYPES[self.precision])
        return joined.reshape(len(texts), self.dimensions)


def check_precision(precision: str) -> None:
    """Refuse what is no precision that vectors can be kept in."""
    if precision not in DTYPES:
        raise EncodingError(f"Vectors cannot be kept as '{precision}'; choose 'float16' or 'float32'.")


def as_bytes(text: str) -> bytes:
    """What is hashed of a text; half a surrogate pair, which broken files hold, is a character like any other."""
    return text.encode("utf-8", "surrogatepass")


def batches(texts: Iterable[str], *, progress: bool) -> Iterator[list[str]]:
    """The texts in parts, with a bar if it is asked for.

    Otherwise there is none, not even a disabled one: bars share a lock with forked processes, and if one of those is
    killed while it holds the lock, all others would wait for ever.
    """
    if progress:
        from tqdm import tqdm

        texts = tqdm(texts, desc="encoding", unit=" texts", delay=PATIENCE)
    waiting = iter(texts)
    while part := list(islice(waiting, BATCH)):
        yield part


def fresh(encoder: Encoder, texts: list[str], precision: Precision) -> Kept:
    """The vectors as they are kept; whoever asked for them counts the empty ones, once and for all of its texts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyTextWarning)
        vectors = encoder.encode(texts)
    if vectors.shape != (len(texts), encoder.dimensions):
        raise EncodingError(
            f"The encoder '{encoder.name}' gave an array of shape {vectors.shape} for {len(texts)} texts and "
            f"{encoder.dimensions} dimensions; correct it, or use another."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        kept = vectors.astype(DTYPES[precision])
        whole = vectors.astype(np.float64)
        is_near = np.linalg.norm(kept.astype(np.float64) - whole, axis=1) <= np.linalg.norm(whole, axis=1) * 2**-11
    if not np.isfinite(vectors).all():
        raise EncodingError(f"The encoder '{encoder.name}' gave vectors that are not finite; correct it.")
    if not is_near.all():
        raise EncodingError(f"The encoder '{encoder.name}' gives numbers too large or small for float16; keep float32.")
    return kept


class _Database:
    """Keys and values on disk. A connection lives for one call: nothing is shared by threads, or across a fork.

    The file's name ends in a number. A damaged file is never mended, renamed or overwritten, since other processes
    may have it open: the next number is begun, and all processes turn to the highest one they find.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._do(lambda base: base.executescript("BEGIN IMMEDIATE; COMMIT"))

    def get(self, keys: list[bytes]) -> dict[bytes, bytes]:
        """The values that are there and whole."""
        question = f"SELECT key, value FROM vectors WHERE key IN ({','.join('?' * len(keys))})"
        found = self._do(lambda base: base.execute(question, keys).fetchall())
        return {
            key: value[_CHECKSUM:]
            for key, value in found
            if isinstance(key, bytes) and isinstance(value, bytes) and value == _sealed(key, value[_CHECKSUM:])
        }

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """All of them in one transaction, and out with the oldest if there is no room."""
        rows = [(key, _sealed(key, value)) for key, value in values.items()]

        def write(base: sqlite3.Connection) -> None:
            base.execute("BEGIN IMMEDIATE")
            base.executemany("INSERT OR REPLACE INTO vectors (key, value) VALUES (?, ?)", rows)
            self._evict(base)
            base.execute("COMMIT")

        self._do(write)

    def _evict(self, base: sqlite3.Connection) -> None:
        """Keep the file within the limit; a twentieth more than necessary goes, so that this is seldom."""
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
            base.execute("PRAGMA incremental_vacuum(1)")  # Python would stop after the first page of several

    def _do(self, action: Callable[[sqlite3.Connection], _Result]) -> _Result:
        for _ in range(3):
            path = self._current()
            try:
                with _opened(path) as base:
                    return action(base)
            except (sqlite3.Error, UnicodeError) as error:  # the latter when damage is quoted in a message
                self._check_environment(error, path)
            self._give_up(path)
        raise EncodingError(f"The vector cache in '{self._folder}' is damaged again and again; name another folder.")

    def _current(self) -> Path:
        """The database in use: the file with the highest number; what others left behind is removed."""
        with _writing(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            names = [entry.name for entry in self._folder.iterdir()]
        numbers = sorted(int(match[1]) for match in map(_NAME.fullmatch, names) if match)
        others = [name for name in names if not name.startswith((".", "vectors-"))]
        if others and not numbers:
            raise EncodingError(
                f"'{self._folder}' holds other files, such as '{others[0]}', and no vector cache; name an empty folder."
            )
        for number in numbers[:-1]:
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    (self._folder / f"vectors-{number}.sqlite{suffix}").unlink()
        return self._folder / f"vectors-{numbers[-1] if numbers else 0}.sqlite"

    def _check_environment(self, error: Exception, path: Path) -> None:
        """Tell what the user has to see to from damage, which needs nobody."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        is_damage = code not in _ADVICE or (code == sqlite3.SQLITE_READONLY and os.access(path, os.W_OK))
        if not is_damage:
            raise EncodingError(
                f"The vector cache in '{self._folder}' cannot be used: {brief(error)}; {_ADVICE[code]}."
            ) from error

    def _give_up(self, path: Path) -> None:
        number = int(path.stem.removeprefix("vectors-"))
        with _writing(self._folder):
            path.with_name(f"vectors-{number + 1}.sqlite").touch()
        warnings.warn(
            f"The vector cache in '{self._folder}' was damaged and starts anew; its vectors are computed again.",
            CacheWarning,
            stacklevel=6,
        )


def _sealed(key: bytes, value: bytes) -> bytes:
    """The value after its checksum, which tells if bytes changed or another key's value came to stand there."""
    return hashlib.blake2b(key + value, digest_size=_CHECKSUM).digest() + value


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    base = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
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
    """Say which folder it was that could not be used."""
    try:
        yield
    except OSError as error:
        raise EncodingError(
            f"Vectors cannot be kept in '{folder}': {error.strerror}; name a folder that can be written to."
        ) from error
