"""Speed and robustness of SQLite and LMDB as stores of vectors, and the speed of the vector cache.

Usage: python benchmarks/cache.py (LMDB is included if it is installed: pip install lmdb)
"""

from __future__ import annotations

import hashlib
import importlib
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from lexlattice.encoding.base import Vectors
from lexlattice.encoding.cache import CachedEncoder

DIMENSIONS, BATCH, COUNT, DAMAGED = 768, 100, 100_000, 30
TABLE = np.random.default_rng(0).standard_normal((1000, DIMENSIONS), np.float32)


class _Noise:
    name, dimensions, fingerprint = "noise", DIMENSIONS, "noise"

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        return TABLE[[int(text) % 1000 for text in texts]]


class _Sqlite:
    def __init__(self, file: Path) -> None:
        self.base = sqlite3.connect(file, timeout=60, isolation_level=None)
        for setting in ("page_size = 8192", "journal_mode = WAL", "synchronous = NORMAL"):
            self.base.execute(f"PRAGMA {setting}")
        self.base.execute("CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB)")

    def put(self, items: list[tuple[bytes, bytes]]) -> None:
        self.base.execute("BEGIN IMMEDIATE")
        self.base.executemany("INSERT OR REPLACE INTO vectors (key, value) VALUES (?, ?)", items)
        self.base.execute("COMMIT")

    def get(self, keys: list[bytes]) -> list[Any]:
        marks = ",".join("?" * len(keys))
        return self.base.execute(f"SELECT key, value FROM vectors WHERE key IN ({marks})", keys).fetchall()


class _Lmdb:
    def __init__(self, file: Path) -> None:
        lmdb: Any = importlib.import_module("lmdb")
        self.base = lmdb.open(str(file), subdir=False, map_size=1 << 33, metasync=False)  # as safe as NORMAL

    def put(self, items: list[tuple[bytes, bytes]]) -> None:
        with self.base.begin(write=True) as transaction:
            transaction.cursor().putmulti(items)

    def get(self, keys: list[bytes]) -> list[Any]:
        with self.base.begin() as transaction:
            return list(transaction.cursor().getmulti(keys))


BASES = {"SQLite": _Sqlite} | ({"LMDB": _Lmdb} if find_spec("lmdb") else {})


def _item(number: int) -> tuple[bytes, bytes]:
    return hashlib.blake2b(b"%d" % number, digest_size=32).digest(), TABLE[number % 1000].astype(np.float16).tobytes()


def _use(kind: str, file: Path, writes: Sequence[int], reads: Sequence[int]) -> None:
    sys.stderr = StringIO()
    store = BASES[kind](file)
    with closing(store.base):
        for start in writes:
            store.put([_item(number) for number in range(start, start + BATCH)])
        for start in random.Random(0).sample(reads, len(reads)):
            store.get([_item(number)[0] for number in range(start, start + BATCH)])


def processes(*works: tuple[str, Path, Sequence[int], Sequence[int]]) -> list[int]:
    """Run each job in its own process, and return the exit codes."""
    started = [get_context("fork").Process(target=_use, args=work) for work in works]
    for process in started:
        process.start()
    for process in started:
        process.join()
    return [process.exitcode or 0 for process in started]


def _rate(call: Callable[[], object]) -> str:
    start = time.perf_counter()
    call()
    return f"{COUNT / (time.perf_counter() - start):,.0f} vectors/s"


def speed(kind: str, scratch: Path) -> None:
    """Print the speed of writing and reading, in one process and in two."""
    starts, one, two = range(0, COUNT, BATCH), scratch / f"{kind} 1", scratch / f"{kind} 2"
    print(f"{kind}: write", _rate(partial(processes, (kind, one, starts, ()))), end=", read ")
    print(_rate(partial(processes, (kind, one, (), starts))), end="; two processes: write ", flush=True)
    print(_rate(partial(processes, *((kind, two, starts[half::2], ()) for half in (0, 1)))), end=", read ")
    print(_rate(partial(processes, *((kind, two, (), starts[half::2]) for half in (0, 1)))), end="; ")
    print(f"{one.stat().st_blocks * 512 // COUNT:,} bytes per vector", flush=True)


def damage(kind: str, scratch: Path) -> None:
    """Overwrite pages or truncate files, and print how processes end that read and write them all the same."""
    ends = Counter[str]()
    for number in range(DAMAGED):
        file, draw, starts = scratch / f"{kind} damaged {number}", random.Random(number), range(0, 2000, BATCH)
        processes((kind, file, starts, ()))
        content = bytearray(file.read_bytes())
        for place in draw.choices(range(0, len(content), 4096), k=8):
            content[place : place + 64] = draw.randbytes(64)
        file.write_bytes(content[: draw.randrange(len(content))] if number % 2 else content)
        [status] = processes((kind, file, range(2000, 4000, BATCH), starts))
        ends["continued" if status == 0 else "an exception" if status > 0 else "killed by a signal"] += 1
    print(f"{kind}, {DAMAGED} damaged files:", ", ".join(f"{count} {end}" for end, count in sorted(ends.items())))


def cached(scratch: Path) -> None:
    """Print the speed of the vector cache, which adds checksums."""
    texts = [str(number) for number in range(COUNT)]
    parts = [texts[start : start + BATCH] for start in range(0, COUNT, BATCH)]
    encoder = CachedEncoder(_Noise(), scratch / "cache")
    print(
        f"cache, calls of {BATCH} texts: write", _rate(lambda: [encoder.encode(part) for part in parts]), end=", read "
    )
    print(_rate(lambda: [encoder.encode(part) for part in parts]), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for base in BASES:
            speed(base, Path(folder))
            damage(base, Path(folder))
        cached(Path(folder))
