"""The vector cache returns the vectors of the encoder, whatever happens to the process, the disk and the file."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError, require_fingerprint
from lexlattice.encoding.base import Vectors, check_texts, warn_about_empty
from lexlattice.encoding.cache import BATCH, MIN_LIMIT, CachedEncoder, CacheWarning, Precision

DATABASE = "vectors-0.sqlite"
FAILURES = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 10
"""How many power failures are drawn."""
PRECISIONS: list[Precision] = ["float16", "float32"]


class Hashed:
    """A simple encoder: the vector of a text is drawn at random, with its hash as the seed."""

    name = "hashed"

    def __init__(self, dimensions: int = 24, seed: str = "0", scale: float = 1.0) -> None:
        self.dimensions, self.fingerprint = dimensions, f"hashed {seed} {scale}"
        self.scale = np.float32(scale)
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(check_texts(texts)):
            self.encoded.append(text)
            if text.strip():
                digest = hashlib.sha256((self.fingerprint + text).encode("utf-8", "surrogatepass")).digest()
                seed = int.from_bytes(digest[:8], "little")
                vectors[row] = np.random.default_rng(seed).standard_normal(self.dimensions, np.float32) * self.scale
        warn_about_empty(vectors)
        return vectors


def rounded(vectors: Vectors, precision: str = "float16") -> Vectors:
    return vectors.astype(precision).astype(np.float32)


def fresh(texts: Sequence[str], dimensions: int = 24) -> Vectors:
    """The vectors that the cache must return."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyTextWarning)
        return rounded(Hashed(dimensions).encode(texts))


def numbered(many: int, word: str = "text") -> list[str]:
    return [f"{word} {number}" for number in range(many)]


def start(code: str, *arguments: object, largest: int | None = None) -> subprocess.Popen[str]:
    """A second Python process that imports this module; `largest` limits the size of its files, like a full disk."""
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; from test_cache import *; {code}", *map(str, arguments)],
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # Python would cut its own files short
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (largest, largest)) if largest else None,
    )


def output_of(process: subprocess.Popen[str]) -> str:
    """The output of a process, which must succeed."""
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    return output


# --- the vectors ------------------------------------------------------------------------------------------

LISTS = st.lists(st.text(max_size=8) | st.sampled_from(["", " ", "Article 1", "\ud800", "a\0b"]), max_size=12)


@settings(max_examples=15)
@given(st.lists(LISTS, min_size=1, max_size=4), st.sampled_from(PRECISIONS))
@pytest.mark.filterwarnings("ignore::lexlattice.encoding.EmptyTextWarning")
def test_cached_vectors_equal_new_ones(calls: list[list[str]], precision: Precision) -> None:
    plain, seen = Hashed(), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        for texts in calls:
            inner = Hashed()
            cached = CachedEncoder(inner, folder, precision=precision)
            found = cached.encode(texts)
            assert found.dtype == np.float32
            assert np.array_equal(found, rounded(plain.encode(texts), precision))
            assert inner.encoded == list(dict.fromkeys(text for text in texts if text not in seen))
            seen.update(texts)


def test_several_batches_keep_their_order(tmp_path: Path) -> None:
    texts = random.Random(0).choices(numbered(2 * BATCH), k=3 * BATCH)
    inner = Hashed()
    assert np.array_equal(CachedEncoder(inner, tmp_path).encode(texts), fresh(texts))
    assert sorted(inner.encoded) == sorted(set(texts))


def test_it_is_an_encoder_with_the_name_and_fingerprint_of_the_wrapped_one(tmp_path: Path) -> None:
    inner = Hashed()
    for precision in PRECISIONS:
        cached = CachedEncoder(inner, tmp_path, precision=precision)
        assert isinstance(cached, Encoder)
        assert (cached.name, cached.dimensions) == ("hashed", 24)
        require_fingerprint(cached, inner.fingerprint)


def test_rounding_keeps_the_documented_cosine_similarity(tmp_path: Path) -> None:
    texts = numbered(2000)
    exact, kept = Hashed(8).encode(texts).astype(float), CachedEncoder(Hashed(8), tmp_path).encode(texts).astype(float)
    norms = np.linalg.norm(exact, axis=1) * np.linalg.norm(kept, axis=1)
    assert ((exact * kept).sum(axis=1) / norms).min() > 1 - 1.2e-7


def test_encoders_and_precisions_are_kept_apart(tmp_path: Path) -> None:
    texts = numbered(5)
    for inner in (Hashed(), Hashed(seed="1"), Hashed(dimensions=48)):
        for precision in PRECISIONS:
            before = len(inner.encoded)
            found = CachedEncoder(inner, tmp_path, precision=precision).encode(texts)
            assert inner.encoded[before:] == texts
            assert np.array_equal(found, rounded(inner.encode(texts), precision))


def test_one_warning_counts_all_empty_texts(tmp_path: Path) -> None:
    cached = CachedEncoder(Hashed(), tmp_path)
    for _ in range(2):
        with pytest.warns(EmptyTextWarning, match=r"\b3\b.*\b5\b") as caught:
            vectors = cached.encode(["", "a", " ", "", "b"])
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert vectors.any(axis=1).tolist() == [False, True, False, False, True]


def test_it_can_be_pickled_and_used_by_threads(tmp_path: Path) -> None:
    cached, texts = CachedEncoder(Hashed(), tmp_path), numbered(50)
    assert np.array_equal(pickle.loads(pickle.dumps(cached)).encode(texts), fresh(texts))
    with ThreadPoolExecutor(4) as threads:
        assert all(np.array_equal(found, fresh(texts)) for found in threads.map(cached.encode, [texts] * 8))


def test_progress_is_shown_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexlattice.encoding.base.PROGRESS_DELAY", 0)
    CachedEncoder(Hashed(), tmp_path).encode(numbered(3))
    assert not capsys.readouterr().err
    CachedEncoder(Hashed(), tmp_path).encode(numbered(3), progress=True)
    assert "100%" in capsys.readouterr().err


# --- the limit --------------------------------------------------------------------------------------------


@settings(max_examples=4, phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.integers(1, 900), min_size=1, max_size=3), st.integers(MIN_LIMIT, 2 * MIN_LIMIT))
@example([42, 757, 900], MIN_LIMIT)
@pytest.mark.filterwarnings("ignore::lexlattice.encoding.cache.CacheWarning")
def test_the_file_never_exceeds_the_limit(calls: list[int], limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, many in enumerate(calls):
            texts = numbered(many, f"call {number} text")
            assert np.array_equal(CachedEncoder(Hashed(512), folder, limit=limit).encode(texts), fresh(texts, 512))
            assert Path(folder, DATABASE).stat().st_size <= limit
            again = Hashed(512)
            CachedEncoder(again, folder, limit=limit).encode(texts[-100:])
            assert not again.encoded, "the newest stay"


def test_the_oldest_entries_are_dropped_first_to_keep_a_lower_limit(tmp_path: Path) -> None:
    texts = numbered(2000)
    CachedEncoder(Hashed(512), tmp_path).encode(texts)
    assert (tmp_path / DATABASE).stat().st_size > 2 * MIN_LIMIT
    with pytest.warns(CacheWarning):
        CachedEncoder(Hashed(512), tmp_path, limit=MIN_LIMIT).encode(["one more"])
    assert 0.7 * MIN_LIMIT < (tmp_path / DATABASE).stat().st_size <= MIN_LIMIT
    kept = sqlite3.connect(tmp_path / DATABASE).execute("SELECT min(id), max(id), count(*) FROM vectors").fetchone()
    assert kept == (2002 - kept[2], 2001, kept[2])


def test_a_warning_comes_once_and_before_anything_is_dropped(tmp_path: Path) -> None:
    cached = CachedEncoder(Hashed(512), tmp_path, limit=MIN_LIMIT)
    oldest = [1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(60):
            cached.encode(numbered(20, f"call {number}"))
            oldest += sqlite3.connect(tmp_path / DATABASE).execute("SELECT min(id) FROM vectors").fetchone()
            assert oldest[-1] == 1 or caught, "nothing is dropped without a warning"
    assert oldest[-1] > 1
    assert [warning.category for warning in caught] == [CacheWarning]
    assert str(tmp_path) in str(caught[0].message)


# --- other processes --------------------------------------------------------------------------------------

WRITE = "cached = CachedEncoder(Hashed(), sys.argv[1]); "


def test_a_second_process_finds_the_entries_of_the_first(tmp_path: Path) -> None:
    told = output_of(start(WRITE + "cached.encode(numbered(100)); print('tqdm' in sys.modules)", tmp_path))
    assert told == "False\n", "an unwanted progress bar can hang forked processes"
    inner = Hashed()
    assert np.array_equal(CachedEncoder(inner, tmp_path).encode(numbered(100)), fresh(numbered(100)))
    assert not inner.encoded


def test_processes_can_write_the_same_and_different_texts_at_once(tmp_path: Path) -> None:
    code = WRITE + (
        "warnings.simplefilter('error'); "
        "[print(np.array_equal(cached.encode(texts), fresh(texts))) "
        "for part in range(10) for texts in (numbered(20, f'same {part}'), numbered(20, f'{sys.argv[2]} {part}'))]"
    )
    processes = [start(code, tmp_path, name) for name in "ab"]
    assert [set(output_of(process).split()) for process in processes] == [{"True"}] * 2
    inner = Hashed()
    for name in ("same", *"ab"):
        for part in range(10):
            CachedEncoder(inner, tmp_path).encode(numbered(20, f"{name} {part}"))
    assert not inner.encoded


def write_for_ever(folder: Path, name: str, told: Connection) -> None:
    """Write for ever, and report each part that is written."""
    cached = CachedEncoder(Hashed(), folder)
    for part in count():
        cached.encode(numbered(40, f"{name} {part}"))
        told.send(part)


def test_a_writer_can_be_killed_at_any_moment(tmp_path: Path) -> None:
    """Eight times two writers; what they reported as written is there and correct."""
    draw, fork, written = random.Random(0), get_context("fork"), list[str]()
    for turn in range(8):
        writers = []
        for name in (f"{turn}a", f"{turn}b"):
            hear, told = fork.Pipe(duplex=False)
            writers.append((name, hear, fork.Process(target=write_for_ever, args=(tmp_path, name, told))))
            writers[-1][2].start()
            told.close()
        for name, hear, process in writers:
            parts = [hear.recv()]
            time.sleep(draw.random() / 20)
            process.kill()
            process.join()
            with suppress(EOFError):
                while True:
                    parts.append(hear.recv())
            written += [text for part in parts for text in numbered(40, f"{name} {part}")]
    inner = Hashed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(CachedEncoder(inner, tmp_path).encode(written), fresh(written))
    assert not inner.encoded


# --- damage -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a cache whose last writer was killed: the database and its write-ahead log."""
    folder = tmp_path_factory.mktemp("left")
    CachedEncoder(Hashed(), folder).encode(numbered(500))
    code = (
        WRITE
        + "base = sqlite3.connect(next(Path(sys.argv[1]).glob('*.sqlite'))); base.execute('SELECT 1 FROM vectors')"
    )
    process = start(f"{code}; cached.encode(numbered(100, 'late')); print('.', flush=True); time.sleep(60)", folder)
    assert process.stdout
    process.stdout.readline()
    process.kill()
    process.communicate()
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert found.keys() == {DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}
    return found


def flipped(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice((1, 10, 100))):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def header_changed(content: bytes, draw: random.Random) -> bytes:
    return flipped(content[:100], draw) + content[100:]


def overwritten(content: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) - 4096)
    return content[:place] + draw.randbytes(4096) + content[place + 4096 :]


def truncated(content: bytes, draw: random.Random) -> bytes:
    return content[: draw.randrange(len(content))]


def garbage(content: bytes, draw: random.Random) -> bytes:
    return draw.randbytes(len(content))


@pytest.mark.parametrize("damage", [flipped, header_changed, overwritten, truncated, garbage])
@pytest.mark.filterwarnings("ignore::lexlattice.encoding.cache.CacheWarning")
def test_damage_never_causes_a_wrong_vector_or_an_error(
    damage: Callable[[bytes, random.Random], bytes], left: dict[str, bytes], tmp_path: Path
) -> None:
    texts, new = numbered(500) + numbered(100, "late"), numbered(100, "new")
    expected, expected_new = fresh(texts), fresh(new)
    for number in range(5):
        draw, folder = random.Random(number), tmp_path / str(number)
        folder.mkdir()
        victim = draw.choice([DATABASE, DATABASE, f"{DATABASE}-wal"])
        for name, content in left.items():
            (folder / name).write_bytes(damage(content, draw) if name == victim else content)
        for _ in range(2):
            assert np.array_equal(CachedEncoder(Hashed(), folder, limit=MIN_LIMIT).encode(texts), expected)
            assert np.array_equal(CachedEncoder(Hashed(), folder, limit=MIN_LIMIT).encode(new), expected_new)
        assert len(list(folder.iterdir())) == 1, "the damaged files are gone"


SECTOR = 512


def mixed(versions: list[bytes], draw: random.Random) -> bytes:
    """A file of which each sector is as it was at one of several moments; what was never written there is zeros."""
    length = len(draw.choice(versions))
    sectors = []
    for place in range(0, length, SECTOR):
        found = draw.choice(versions)[place : place + SECTOR]
        sectors.append(found.ljust(SECTOR, b"\0"))
    return b"".join(sectors)[:length]


@pytest.mark.filterwarnings("ignore::lexlattice.encoding.cache.CacheWarning")
def test_lost_and_reordered_writes_never_cause_a_wrong_vector_or_an_error(tmp_path: Path) -> None:
    """After a power failure: more is lost here than a disk may lose, since not even flushed writes are sure."""
    texts, place = numbered(240), tmp_path / "cache"
    states: list[dict[str, bytes]] = []
    cached = CachedEncoder(Hashed(), place)
    with closing(sqlite3.connect(place / DATABASE)) as reader:  # keeps the log from being merged and deleted
        reader.execute("PRAGMA wal_autocheckpoint = 0")
        for first in range(0, 240, 60):
            cached.encode(texts[first : first + 60])
            reader.execute("SELECT count(*) FROM vectors").fetchone()
            states.append({path.name: path.read_bytes() for path in place.iterdir()})
            if first == 120:
                reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    names = sorted({name for state in states for name in state if not name.endswith("-shm")})
    draw, expected = random.Random(4), fresh(texts)
    for number in range(FAILURES):
        folder, last = tmp_path / str(number), draw.randrange(1, len(states) + 1)
        folder.mkdir()
        for name in names:
            versions = [state.get(name, b"") for state in states[max(0, last - draw.randint(1, 2)) : last]]
            if draw.random() < 0.9:
                (folder / name).write_bytes(mixed(versions, draw))
        for _ in range(2):
            assert np.array_equal(CachedEncoder(Hashed(), folder).encode(texts), expected)
        shutil.rmtree(folder)


TRACED = """
try:
    cached = CachedEncoder(Hashed(), sys.argv[1])
    print(np.array_equal(cached.encode(numbered(90)), fresh(numbered(90))))
except EncodingError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["error=ENOSPC", "error=EIO", "signal=KILL"])
@pytest.mark.parametrize("calls", ["pwrite64", "fsync,fdatasync", "ftruncate", "openat"])
def test_whichever_system_call_fails_no_vector_is_wrong(tmp_path: Path, calls: str, fault: str) -> None:
    """SQLite writes by system calls of its own; `strace` lets one after the other fail."""
    if shutil.which("strace") is None:
        pytest.skip("NO STRACE: install it to let system calls of SQLite fail")
    trace = tmp_path / "trace"
    for number in count(1):
        folder = tmp_path / str(number)
        CachedEncoder(Hashed(), folder).encode(numbered(30))
        files = [word for end in ("", "-wal", "-shm") for word in ("-P", f"{folder / DATABASE}{end}")]
        inject = ["-o", str(trace), *files, "-e", f"trace={calls}", "-e", f"inject={calls}:{fault}:when={number}"]
        code = f"import sys; from test_cache import *\n{TRACED}"
        done = subprocess.run(
            ["strace", "-f", "-qq", *inject, sys.executable, "-c", code, str(folder)],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.stdout in ("", "True\n") or (str(folder) in done.stdout and done.stdout.count("\n") == 1)
        assert np.array_equal(CachedEncoder(Hashed(), folder).encode(numbered(90)), fresh(numbered(90)))
        if not any(word in trace.read_text() for word in ("INJECTED", "SIGKILL")):
            break


def test_a_damaged_entry_is_computed_again_and_replaced(tmp_path: Path) -> None:
    texts = numbered(10)
    CachedEncoder(Hashed(), tmp_path).encode(texts)
    with sqlite3.connect(tmp_path / DATABASE) as base:
        values = dict(base.execute("SELECT id, value FROM vectors"))
        changes = {1: values[2], 3: values[3][:-1] + b"?", 5: b"", 7: None, 9: "text"}
        base.executemany("UPDATE vectors SET value = ? WHERE id = ?", [(value, key) for key, value in changes.items()])
    base.close()
    for expected in ([texts[key - 1] for key in changes], []):
        inner = Hashed()
        assert np.array_equal(CachedEncoder(inner, tmp_path).encode(texts), fresh(texts))
        assert inner.encoded == expected


def test_an_unreadable_database_is_replaced_with_one_warning(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"garbage" * 1000)
    with pytest.warns(CacheWarning) as caught:
        cached = CachedEncoder(Hashed(), tmp_path)
    assert np.array_equal(cached.encode(["a"]), fresh(["a"]))
    assert len(caught) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["vectors-1.sqlite"]


# --- errors -----------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_used_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "odd" / DATABASE).mkdir(parents=True)
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nothing"), tmp_path, tmp_path / "odd"):
        with pytest.raises(EncodingError) as error:
            CachedEncoder(Hashed(), folder)
        assert f"'{folder}'" in str(error.value)


def test_a_full_disk_is_an_error_that_names_the_folder_and_damages_nothing(tmp_path: Path) -> None:
    CachedEncoder(Hashed(), tmp_path).encode(numbered(10))
    code = WRITE + "\ntry: cached.encode(numbered(BATCH))\nexcept EncodingError as error: print(error)"
    told = output_of(start(code, tmp_path, largest=100_000))
    assert f"'{tmp_path}'" in told and told.count("\n") == 1
    assert np.array_equal(CachedEncoder(Hashed(), tmp_path).encode(numbered(20)), fresh(numbered(20)))


class Broken(Hashed):
    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        return super().encode(texts)[:-1]


def test_vectors_that_cannot_be_stored_are_refused(tmp_path: Path) -> None:
    for inner, named in (
        (Hashed(scale=1e6), "float16"),
        (Hashed(scale=1e-7), "float16"),
        (Hashed(scale=float("nan")), "hashed"),
        (Hashed(scale=float("inf")), "hashed"),
        (Broken(), "(1, 24)"),
    ):
        for _ in range(2):
            with pytest.raises(EncodingError) as error:
                CachedEncoder(inner, tmp_path).encode(["a", "b"])
            assert named in str(error.value)
    exact = CachedEncoder(Hashed(scale=1e6), tmp_path, precision="float32").encode(["a"])
    assert np.array_equal(exact, Hashed(scale=1e6).encode(["a"]))


def test_invalid_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="'int8'"):
        CachedEncoder(Hashed(), tmp_path, precision="int8")  # type: ignore[arg-type]
    with pytest.raises(EncodingError, match="1,000,000"):
        CachedEncoder(Hashed(), tmp_path, limit=10)
    with pytest.raises(EncodingError):
        CachedEncoder(Hashed(), tmp_path).encode("text")
