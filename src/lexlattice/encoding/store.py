"""The vectors of a whole corpus in one file, to train from without the encoder, and without reading them into memory.

A store is a folder of four files: `vectors.npy`, one row for each distinct text in the order they came; `digests.npy`,
the digests of the texts, sorted, to search in; `rows.npy`, the row that belongs to each digest; and `manifest.json`,
which says what they are and what they must hold. All are what NumPy's `load` reads. They appear under their name
together, once they are on the disk whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.cache import BATCH, DTYPES, Kept, Precision, as_bytes, batches, check_precision, fresh
from lexlattice.encoding.protocol import EmptyTextWarning, Encoder, EncodingError, Vectors, checked, report_empty
from lexlattice.errors import brief
from lexlattice.files import sync_folder

FORMAT: Final = "lexlattice vectors 1"
_DIGEST, _HEADER = 32, 128  # bytes
_DIGESTS, _ROWS = f"|S{_DIGEST}", "<i8"
_INDEX_MEMORY = 64_000  # kilobytes


class VectorStore:
    """An encoder that has its vectors from a file, and knows no others; its fingerprint is that of the one they are of.

    It is as exact as `precision` says; what that means for the fingerprint is said at `CachedEncoder`.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        """Use `open`."""
        self.folder = folder
        self.name: str = manifest["encoder"]
        self.dimensions: int = manifest["dimensions"]
        self.fingerprint: str = manifest["fingerprint"]
        self.precision: Precision = manifest["precision"]
        count = manifest["count"]
        self.vectors: Kept = _mapped(folder / "vectors.npy", DTYPES[self.precision].str, (count, self.dimensions))
        self._digests = _mapped(folder / "digests.npy", _DIGESTS, (count,))
        self._rows = _mapped(folder / "rows.npy", _ROWS, (count,))

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, verify: bool = False) -> Self:
        """The store in a folder, once it is sure that its files are whole.

        Their sizes and headers are looked at always, every byte of them only if `verify` asks for it: that takes as
        long as reading them does.
        """
        place = Path(folder)
        try:
            manifest = _described(place / "manifest.json")
            for name, expected in manifest["files"].items() if verify else ():
                if _sha256(place / name) != expected:
                    raise ValueError(f"'{name}' was changed")
            return cls(place, manifest)
        except OSError as error:
            reason = f"'{Path(error.filename or place).name}': {error.strerror or brief(error)}"
            raise EncodingError(f"'{place}' is no vector store ({reason}); name one, or export it anew.") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise EncodingError(f"'{place}' is no whole vector store ({brief(error)}); export it anew.") from error

    def __len__(self) -> int:
        return len(self.vectors)

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        """Other processes open the files themselves, rather than being sent what they hold."""
        return type(self).open, (self.folder,)

    def rows(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Where in `vectors` those of the texts are: what a training loop may keep instead of the texts."""
        listed = checked(texts)
        wanted = np.array([_digest(text) for text in listed], _DIGESTS)
        places = np.minimum(np.searchsorted(self._digests, wanted), len(self) - 1)
        missing = np.flatnonzero(self._digests[places] != wanted)
        if len(missing):
            first = listed[missing[0]]
            shown = first if len(first) <= 60 else f"{first[:59]}…"
            raise EncodingError(
                f"{len(missing)} of {len(listed)} texts are not in the vector store '{self.folder}', the first is "
                f"{shown!r}; export them too, or use the encoder '{self.name}'."
            )
        found: NDArray[np.int64] = self._rows[places].astype(np.int64)
        if not ((found >= 0) & (found < len(self))).all():
            raise EncodingError(f"'{self.folder}' is no whole vector store ('rows.npy' was changed); export it anew.")
        return found

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text, which must have been exported; there is no progress to show, as it takes no time."""
        vectors: Vectors = self.vectors[self.rows(texts)].astype(np.float32)
        report_empty(vectors)
        return vectors


def export_vectors(
    encoder: Encoder,
    texts: Iterable[str],
    folder: str | os.PathLike[str],
    *,
    precision: Precision = "float16",
    progress: bool = False,
) -> VectorStore:
    """Write the vectors of all texts to a new folder; they may be more than memory holds, and occur repeatedly."""
    check_precision(precision)
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise EncodingError("A vector store is made of many texts; give a list of them, or anything that yields them.")
    target = Path(folder).absolute()
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with _writing(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise EncodingError(f"'{target}' exists; name a new folder for the vector store, or remove that one.")
        part.mkdir(parents=True)
    try:
        with _writing(target):
            draft = _Draft(part, encoder.dimensions, DTYPES[precision])
        with closing(draft):
            for number, batch in enumerate(batches(texts, progress=progress)):
                with _writing(target):
                    new = draft.unseen(checked(batch, number * BATCH + 1))
                if new:
                    vectors = fresh(encoder, new, precision)
                    with _writing(target):
                        draft.add(vectors)
            if not draft.count:
                raise EncodingError("There are no texts to export; a vector store holds one at least.")
            with _writing(target):
                draft.finish()
        with _writing(target):
            _describe(part, encoder, precision, draft.count)
            part.rename(target)
            sync_folder(target.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    if draft.empty:
        sentence = f"{draft.empty} of {draft.count} distinct texts are empty: their vectors are zero."
        warnings.warn(sentence, EmptyTextWarning, stacklevel=2)
    return VectorStore.open(target)


class _Draft:
    """The arrays of a store in the making, with one batch in memory at any time.

    Which texts were there before, and the order of their digests, is the business of a database on disk that is
    removed in the end.
    """

    def __init__(self, folder: Path, dimensions: int, dtype: np.dtype[Any]) -> None:
        self.count = self.empty = 0
        self._folder, self._dimensions, self._dtype = folder, dimensions, dtype
        self._index = sqlite3.connect(folder / "index.sqlite", isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_INDEX_MEMORY}"):
            self._index.execute(f"PRAGMA {setting}")
        self._index.execute("CREATE TABLE seen (digest BLOB PRIMARY KEY, row INTEGER) WITHOUT ROWID")
        self._index.execute("BEGIN")
        self._file = (folder / "vectors.npy").open("wb")
        self._file.write(bytes(_HEADER))

    def unseen(self, texts: list[str]) -> list[str]:
        """The texts that are new, each of which now has its row."""
        new = []
        for text in texts:
            row = (_digest(text), self.count)
            if self._index.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", row).rowcount:
                self.count += 1
                new.append(text)
        return new

    def add(self, vectors: Kept) -> None:
        """The vectors of the texts that were new."""
        self._file.write(vectors.tobytes())
        self.empty += int((~vectors.any(axis=1)).sum())

    def finish(self) -> None:
        """Write what could not be known before: how many there are, and the order of their digests."""
        self._file.seek(0)
        self._file.write(_header(self._dtype.str, (self.count, self._dimensions)))
        _sync(self._file)
        found = self._index.execute("SELECT digest, row FROM seen ORDER BY digest")
        with (self._folder / "digests.npy").open("wb") as digests, (self._folder / "rows.npy").open("wb") as rows:
            digests.write(_header(_DIGESTS, (self.count,)))
            rows.write(_header(_ROWS, (self.count,)))
            while part := found.fetchmany(BATCH):
                digests.write(b"".join(digest for digest, _ in part))
                rows.write(np.array([row for _, row in part], _ROWS).tobytes())
            _sync(digests)
            _sync(rows)
        self.close()
        (self._folder / "index.sqlite").unlink()

    def close(self) -> None:
        """Let go of both files."""
        self._index.close()
        self._file.close()


def _describe(folder: Path, encoder: Encoder, precision: Precision, count: int) -> None:
    """Write the manifest, with checksums of the files and of itself."""
    about = {"format": FORMAT, "encoder": encoder.name, "dimensions": encoder.dimensions, "count": count}
    about |= {"fingerprint": encoder.fingerprint, "precision": precision}
    about["files"] = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    with (folder / "manifest.json").open("wb") as file:
        file.write(json.dumps(about | {"checksum": _checksum(about)}, indent=2).encode() + b"\n")
        _sync(file)
    sync_folder(folder)


def _described(path: Path) -> dict[str, Any]:
    """Read the manifest, which nobody may have changed."""
    manifest = json.loads(path.read_bytes())
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError(f"'{path.name}' is not that of a vector store of this version")
    if manifest.pop("checksum", None) != _checksum(manifest):
        raise ValueError(f"'{path.name}' was changed")
    return manifest


def _mapped(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """The array in a file, which has to be as long and to begin as it was written."""
    header = _header(dtype, shape)
    expected = len(header) + np.dtype(dtype).itemsize * prod(shape)
    with path.open("rb") as file:
        if (size := os.fstat(file.fileno()).st_size) != expected:
            raise ValueError(f"'{path.name}' has {size:,} bytes instead of {expected:,}")
        if file.read(len(header)) != header:
            raise ValueError(f"'{path.name}' was changed")
        return np.memmap(file, dtype, "r", len(header), shape)


def _header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """What a .npy file begins with (format 1.0), always as long, so that it can be written last."""
    told = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little") + told.ljust(_HEADER - 11).encode() + b"\n"


def _digest(text: str) -> bytes:
    return hashlib.blake2b(as_bytes(text), digest_size=_DIGEST).digest()


def _checksum(about: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Say which store it was that could not be written."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = (isinstance(error, OSError) and error.strerror) or brief(error)
        raise EncodingError(
            f"The vector store '{folder}' cannot be written: {reason}; make room, or name another folder."
        ) from error
