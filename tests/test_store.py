"""What an exported store promises: the encoder's vectors without the encoder, or one clear sentence."""

from __future__ import annotations

import json
import os
import pickle
import random
import tempfile
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError, require
from lexlattice.encoding.cache import BATCH, CachedEncoder, Precision
from lexlattice.encoding.protocol import Vectors
from lexlattice.encoding.store import VectorStore, export_vectors
from test_cache import LISTS, PRECISIONS, Hashed, ended, fresh, numbered, rounded, start

FILES = ["digests.npy", "manifest.json", "rows.npy", "vectors.npy"]


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    return export_vectors(Hashed(), numbered(300), tmp_path / "store")


# --- the vectors ------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(LISTS.filter(bool), st.sampled_from(PRECISIONS), st.randoms())
@pytest.mark.filterwarnings("ignore::lexlattice.encoding.EmptyTextWarning")
def test_stored_is_fresh_in_any_order(texts: list[str], precision: Precision, chance: random.Random) -> None:
    asked = chance.choices(texts, k=10)
    with tempfile.TemporaryDirectory() as folder:
        inner = Hashed()
        store = export_vectors(inner, iter(texts), Path(folder, "store"), precision=precision)
        assert inner.encoded == list(dict.fromkeys(texts))
        found = VectorStore.open(store.folder, verify=True).encode(asked)
        assert found.dtype == np.float32
        assert np.array_equal(found, rounded(Hashed().encode(asked), precision))


def test_more_than_a_batch_comes_in_the_order_it_was_given(tmp_path: Path) -> None:
    texts = numbered(2 * BATCH + 7)
    store = export_vectors(Hashed(), (text for text in texts + texts), tmp_path / "new" / "store")
    assert len(store) == len(texts)
    assert store.rows(texts).tolist() == list(range(len(texts)))
    assert np.array_equal(store.vectors, fresh(texts))
    assert store.encode([]).shape == (0, 24)


def test_it_is_an_encoder_with_the_name_and_fingerprint_of_the_one_it_came_from(store: VectorStore) -> None:
    assert isinstance(store, Encoder)
    assert (store.name, store.dimensions, store.precision) == ("hashed", 24, "float16")
    require(store, Hashed().fingerprint)


def test_the_files_are_what_numpy_loads(store: VectorStore) -> None:
    arrays = {name: np.load(store.folder / name, mmap_mode="r") for name in FILES if name.endswith(".npy")}
    assert arrays["vectors.npy"].shape == (300, 24)
    assert arrays["vectors.npy"].dtype == np.float16
    assert (np.sort(arrays["digests.npy"]) == arrays["digests.npy"]).all()
    assert sorted(arrays["rows.npy"]) == list(range(300))
    about = json.loads((store.folder / "manifest.json").read_bytes())
    assert (about["encoder"], about["count"], about["fingerprint"]) == ("hashed", 300, Hashed().fingerprint)


def test_what_the_cache_keeps_is_exported_without_the_encoder(tmp_path: Path) -> None:
    texts = numbered(50)
    CachedEncoder(Hashed(), tmp_path / "cache").encode(texts)
    inner = Hashed()
    store = export_vectors(CachedEncoder(inner, tmp_path / "cache"), texts, tmp_path / "store")
    assert np.array_equal(store.encode(texts), fresh(texts))
    assert not inner.encoded


def test_empty_texts_are_counted_once_and_rightly(tmp_path: Path) -> None:
    texts = [*numbered(BATCH), "", " ", ""]
    with pytest.warns(EmptyTextWarning, match=f"^2 of {BATCH + 2} distinct texts are empty") as caught:
        store = export_vectors(Hashed(), texts, tmp_path / "store")
    assert (len(caught), caught[0].filename) == (1, __file__)
    with pytest.warns(EmptyTextWarning, match="^3 of 4 texts are empty"):
        assert store.encode(["", "text 1", " ", ""]).any(axis=1).tolist() == [False, True, False, False]


def test_it_is_sent_to_a_process_by_its_folder(store: VectorStore) -> None:
    sent = pickle.dumps(store)
    assert len(sent) < 1000
    assert np.array_equal(pickle.loads(sent).encode(["text 7"]), fresh(["text 7"]))


class Constant(Hashed):
    """As many vectors as one likes, in no time."""

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        return np.ones((len(texts), self.dimensions), np.float32)


def test_memory_stays_flat(tmp_path: Path) -> None:
    peaks = []
    for batches in (2, 20):
        tracemalloc.start()
        texts = (f"text {number}" for number in range(batches * BATCH))
        export_vectors(Constant(512), texts, tmp_path / str(batches))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


# --- whole or not at all ----------------------------------------------------------------------------------


def export_slowly(folder: Path) -> None:
    def texts() -> Iterator[str]:
        for text in numbered(BATCH):
            time.sleep(0.00001)
            yield text

    export_vectors(Hashed(), texts(), folder)


def test_a_killed_export_leaves_no_store_or_a_whole_one(tmp_path: Path) -> None:
    chance = random.Random(0)
    for number in range(15):
        folder = tmp_path / str(number)
        process = get_context("fork").Process(target=export_slowly, args=(folder,))
        process.start()
        process.join(chance.random() / 4)
        process.kill()
        process.join()
        if folder.exists():
            assert np.array_equal(VectorStore.open(folder, verify=True).vectors, fresh(numbered(BATCH)))
        else:
            with pytest.raises(EncodingError, match="is no vector store"):
                VectorStore.open(folder)


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def texts() -> Iterator[str]:
        yield from numbered(BATCH)
        raise OSError("the corpus cannot be read on")

    with pytest.raises(OSError, match="the corpus cannot be read on"):
        export_vectors(Hashed(), texts(), tmp_path / "store")
    with pytest.raises(EncodingError, match="of type int; give strings only"):
        export_vectors(Hashed(), ["a", 1], tmp_path / "store")  # type: ignore[list-item]
    with pytest.raises(EncodingError, match="too large or small for float16"):
        export_vectors(Hashed(scale=1e9), ["a"], tmp_path / "store")
    with pytest.raises(EncodingError, match="no texts to export"):
        export_vectors(Hashed(), [], tmp_path / "store")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    code = (
        "from lexlattice.encoding.store import export_vectors\n"
        "try: export_vectors(Hashed(), numbered(5000), sys.argv[1])\n"
        "except EncodingError as error: print(error)"
    )
    folder = tmp_path / "store"
    told = ended(start(code, folder, largest=100_000))
    assert told.startswith(f"The vector store '{folder}' cannot be written: ")
    assert told.endswith("; make room, or name another folder.\n")
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_and_no_odd_place_written_to(store: VectorStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder, reason in {
        store.folder: "exists; name a new folder",
        tmp_path / "file": "exists; name a new folder",
        tmp_path / "file" / "below": "cannot be written: Not a directory",
        Path("/proc/nothing"): "cannot be written: ",
    }.items():
        with pytest.raises(EncodingError, match=reason):
            export_vectors(Hashed(), ["a"], folder)
    for texts in ("text", None):
        with pytest.raises(EncodingError, match="give a list of them"):
            export_vectors(Hashed(), texts, tmp_path / "new")  # type: ignore[arg-type]


# --- what is missing, and what was changed ----------------------------------------------------------------


def test_a_text_that_is_not_in_it_is_named(store: VectorStore) -> None:
    with pytest.raises(EncodingError, match=r"2 of 3 texts are not in the vector store '.*', the first is 'other';"):
        store.encode(["text 1", "other", "x" * 1000])
    with pytest.raises(EncodingError, match=r"'x{59}…'; export them too, or use the encoder 'hashed'"):
        store.encode(["x" * 1000])


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_size_is_not_opened(name: str, store: VectorStore) -> None:
    file = store.folder / name
    content = file.read_bytes()
    for changed in (b"", content[:50], content[:-2], content + b"?"):
        file.write_bytes(changed)
        with pytest.raises(EncodingError, match=r"is no whole vector store \(.*\); export it anew"):
            VectorStore.open(store.folder)
    file.unlink()
    with pytest.raises(EncodingError, match=rf"is no vector store \('{name}': No such file or directory\)"):
        VectorStore.open(store.folder)


@pytest.mark.parametrize("name", FILES)
def test_no_changed_byte_is_overlooked_when_asked_for(name: str, store: VectorStore) -> None:
    file, chance = store.folder / name, random.Random(name)
    content = file.read_bytes()
    for place in [*range(0, 128, 9), *chance.choices(range(len(content)), k=30)]:
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        if name == "manifest.json" and is_same_json(content, bytes(changed)):
            continue
        file.write_bytes(changed)
        with pytest.raises(EncodingError, match="export it anew"):
            VectorStore.open(store.folder, verify=True)
    file.write_bytes(content)
    VectorStore.open(store.folder, verify=True)


def is_same_json(one: bytes, other: bytes) -> bool:
    """White space may have become other white space."""
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


def test_changed_rows_are_never_out_of_range_unnoticed(store: VectorStore) -> None:
    with (store.folder / "rows.npy").open("r+b") as file:
        file.seek(128)
        file.write(b"\xff" * 8 * 300)
    with pytest.raises(EncodingError, match=r"'rows\.npy' was changed"):
        VectorStore.open(store.folder).encode(["text 1"])


def test_what_is_no_store_is_said_so(tmp_path: Path) -> None:
    for content in ("[]", "{}", "garbage", "[" * 100_000, '{"format": "lexlattice vectors 1"}'):
        (tmp_path / "manifest.json").write_text(content)
        with pytest.raises(EncodingError, match="is no whole vector store"):
            VectorStore.open(tmp_path)
    with pytest.raises(EncodingError, match="is no vector store"):
        VectorStore.open(os.devnull)
