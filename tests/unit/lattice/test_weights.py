"""Files of weights that are cut off, damaged or no such files: one sentence each, and no more memory than they fill."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from lexlattice._internal.weights import Weights, read_weights, safetensors
from lexlattice.errors import WeightsError

ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "bytes": np.arange(12, dtype=np.uint8).reshape(3, 4),
    "signed": np.arange(-2, 3, dtype=np.int8),
    "hashes": np.arange(3, dtype=np.uint32) << 30,
    "half": np.linspace(-1, 1, 6, dtype=np.float16).reshape(1, 2, 3),
    "single": np.array([0.5, -0.0, 3e38], np.float32),
    "scalar": np.array(7, np.float32),
    "empty": np.zeros((0, 4), np.float32),
}
ABOUT = {"format": "a test", "letters": "žβж"}
ENTRY = {"dtype": "U8", "shape": [16], "data_offsets": [0, 16]}

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that each example writes anew."""
    return tmp_path_factory.mktemp("weights") / "weights.safetensors"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "whole.safetensors"
    save_file(ARRAYS, path, ABOUT)
    return path.read_bytes()


def written(path: Path, header: object, data: bytes = bytes(range(16))) -> Path:
    content = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(content)) + content + data)
    return path


def check_refused(path: Path, named: str = "") -> None:
    with pytest.raises(WeightsError) as error:
        read_weights(path)
    assert type(error.value) is WeightsError
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    assert named in str(error.value)


def check_refused_or_harmless(path: Path) -> Weights | None:
    """Either a sentence, or arrays that are as large as their shapes say and can be read to the end."""
    try:
        weights = read_weights(path)
    except WeightsError:
        check_refused(path)
        return None
    for array in weights.arrays.values():
        assert array.nbytes == array.dtype.itemsize * array.size <= path.stat().st_size
        array.tobytes()
        assert array.dtype.kind != "f" or np.isfinite(array).all()
    return weights


# --- whole files ------------------------------------------------------------------------------------------


def test_what_was_saved_is_read(path: Path, whole: bytes) -> None:
    path.write_bytes(whole)
    for name in (path, str(path)):
        arrays, about = read_weights(name)
        assert about == ABOUT
        assert arrays.keys() == ARRAYS.keys()
        for key, array in ARRAYS.items():
            assert arrays[key].dtype == array.dtype
            assert arrays[key].shape == array.shape
            assert np.array_equal(arrays[key], array)


def test_a_file_without_a_word_about_itself_is_read(path: Path) -> None:
    save_file({"one": ARRAYS["single"]}, path)
    arrays, about = read_weights(path)
    assert (list(arrays), about) == (["one"], {})
    assert read_weights(written(path, {}, b"")) == ({}, {})


def test_what_is_read_cannot_be_written_to(path: Path, whole: bytes) -> None:
    path.write_bytes(whole)
    with pytest.raises(ValueError):
        read_weights(path).arrays["bytes"][0, 0] = 1
    assert path.read_bytes() == whole


def test_opening_a_large_file_takes_no_memory(path: Path) -> None:
    save_file({"large": np.zeros((4_000, 1_000), np.uint8)}, path)
    tracemalloc.start()
    arrays, _ = read_weights(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert arrays["large"].shape == (4_000, 1_000)
    assert peak < 1_000_000


# --- damaged files ----------------------------------------------------------------------------------------


def test_a_file_that_is_cut_off_anywhere_is_refused(path: Path, whole: bytes) -> None:
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        check_refused(path)


def test_zeros_in_place_of_values_are_refused(path: Path) -> None:
    """As in a copy that was interrupted after its length was set, or after a power failure."""
    ours = safetensors(ARRAYS, ABOUT)
    for length in range(1, len(ours), 5):
        damaged = ours[:-length] + bytes(length)
        if damaged != ours:
            path.write_bytes(damaged)
            check_refused(path)


@given(place=st.integers(0, 10_000), bits=st.integers(1, 255))
def test_a_changed_value_of_a_file_of_ours_is_refused(path: Path, place: int, bits: int) -> None:
    damaged = bytearray(safetensors(ARRAYS, ABOUT))
    length = len(damaged) - 8 - int.from_bytes(damaged[:8], "little")
    damaged[len(damaged) - 1 - place % length] ^= bits
    path.write_bytes(damaged)
    check_refused(path)


@given(flips=st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), min_size=1, max_size=4))
def test_changed_bytes_are_harmless_or_refused(path: Path, whole: bytes, flips: list[tuple[int, int]]) -> None:
    damaged = bytearray(whole)
    for place, bits in flips:
        damaged[place % len(whole)] ^= bits
    path.write_bytes(damaged)
    check_refused_or_harmless(path)


@given(content=st.binary(max_size=64) | st.binary(max_size=40).map(lambda data: struct.pack("<Q", len(data)) + data))
@example(b"")
@example(b"PK\x03\x04")
@example(b"\x93NUMPY")
def test_what_is_no_such_file_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    if weights := check_refused_or_harmless(path):
        assert not weights.arrays


@pytest.mark.parametrize(
    "length", [0, 1, 3, 17, 1 << 20, (1 << 20) + 1, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
)
def test_a_header_of_another_length_than_it_says_is_refused(path: Path, length: int) -> None:
    path.write_bytes(struct.pack("<Q", length) + b"{}" + bytes(10))
    tracemalloc.start()
    check_refused(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_header_too_long_to_be_one_is_refused(path: Path) -> None:
    check_refused(written(path, b"{" + b" " * (1 << 20) + b"}"))


@pytest.mark.parametrize(
    "header",
    [
        b"{", b"null", b"[]", b"[[]]", b" 5", b'"text"', b"true", b"{}}", b"{'a': 1}", b"\xff\xfe\xfd", b'{"a": 1}',
        b'{"a": null}', b'{"a": []}', b'{"a": {}}', b'{"a": "U8"}', b'{"a": ' + b"9" * 5000 + b"}", b"\0" * 16,
        b"[" * 100_000, b'{"a":' * 100_000,
    ],
    ids=lambda header: str(header)[:40],
)  # fmt: skip
def test_a_header_that_describes_no_arrays_is_refused(path: Path, header: bytes) -> None:
    check_refused(written(path, header))


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "F64"},
        {"dtype": "BF16"},
        {"dtype": "u8"},
        {"dtype": None},
        {"dtype": ["U8"]},
        {"dtype": "F32"},
        {"shape": [15]},
        {"shape": [17]},
        {"shape": [4, 4, 4]},
        {"shape": [-16]},
        {"shape": [-4, -4]},
        {"shape": [0, -1], "data_offsets": [0, 0]},
        {"shape": [0]},
        {"shape": [16.5]},
        {"shape": [16.0]},
        {"shape": [True, 16]},
        {"shape": ["16"]},
        {"shape": [[16]]},
        {"shape": [None]},
        {"shape": None},
        {"shape": 16},
        {"shape": {"16": 16}},
        {"shape": [10**30]},
        {"shape": [-(10**30)]},
        {"shape": [0, 10**30], "data_offsets": [0, 0]},
        {"shape": [3, pow(3, -1, 2**64) * 16 % 2**64]},
        {"shape": [float("nan")]},
        {"shape": [float("inf")]},
        {"shape": [1 << 62, 4], "data_offsets": [0, 0]},
        {"shape": [1 << 32, 1 << 32], "data_offsets": [0, 0]},
        {"shape": [1] * 70, "data_offsets": [0, 1]},
        {"data_offsets": [1, 17]},
        {"data_offsets": [-16, 0]},
        {"data_offsets": [16, 0]},
        {"data_offsets": [1 << 70, (1 << 70) + 16]},
        {"data_offsets": [0]},
        {"data_offsets": [0, 8, 16]},
        {"data_offsets": [0.0, 16.0]},
        {"data_offsets": [float("nan"), 16]},
        {"data_offsets": "ab"},
        {"data_offsets": None},
        {"path": "/etc/passwd"},
        {"unheard": 1},
    ],
    ids=json.dumps,
)
def test_an_array_that_cannot_be_is_refused(path: Path, change: Mapping[str, object]) -> None:
    check_refused(written(path, {"array": {**ENTRY, **change}}))


@pytest.mark.parametrize("about", ["5", "null", "[1]", '"text"', '{"spelling": 5}', '{"spelling": null}'])
def test_what_a_file_says_of_itself_must_be_text_by_name(path: Path, about: str) -> None:
    check_refused(written(path, f'{{"__metadata__": {about}}}'.encode()))


@pytest.mark.parametrize("key", ENTRY)
def test_an_array_that_is_not_fully_described_is_refused(path: Path, key: str) -> None:
    check_refused(written(path, {"array": {name: value for name, value in ENTRY.items() if name != key}}))


def entry(begin: int, end: int) -> dict[str, object]:
    return {"dtype": "U8", "shape": [end - begin], "data_offsets": [begin, end]}


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 16), (0, 16)],
        [(0, 10), (6, 16)],
        [(0, 16), (5, 11)],
        [(0, 6), (7, 16)],
        [(1, 16)],
        [(0, 15)],
        [(0, 4), (4, 12)],
        [(0, 16), (17, 17)],
        [(0, 8), (8, 17)],
        [],
    ],
    ids=str,
)
def test_arrays_that_do_not_tile_the_file_are_refused(path: Path, spans: list[tuple[int, int]]) -> None:
    """Overlaps, holes, bytes after the last array, and an end beyond the file; the library refuses them too."""
    check_refused(written(path, {f"array {number}": entry(*span) for number, span in enumerate(spans)}))
    with pytest.raises(SafetensorError):
        load_file(path)


def test_arrays_in_any_order_of_the_header_are_read(path: Path) -> None:
    header = {"last": entry(10, 16), "none": entry(4, 4), "first": entry(0, 4), "middle": entry(4, 10)}
    arrays, _ = read_weights(written(path, header))
    assert {name: array.tobytes() for name, array in arrays.items()} == {
        "last": bytes(range(10, 16)),
        "none": b"",
        "first": bytes(range(4)),
        "middle": bytes(range(4, 10)),
    }


def test_a_name_that_occurs_twice_is_refused(path: Path) -> None:
    half, other = json.dumps(entry(0, 8)), json.dumps(entry(8, 16))
    check_refused(written(path, f'{{"a": {half}, "a": {other}}}'.encode()))
    check_refused(written(path, f'{{"a": {half}, "a": {json.dumps(ENTRY)}}}'.encode()))
    check_refused(written(path, b'{"a": {"dtype": "F32", "dtype": "U8", "shape": [16], "data_offsets": [0, 16]}}'))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.sampled_from(["U8", "F16", "shape", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["dtype", "shape", "a"]), inner),
    max_leaves=6,
)
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["U8", "I8", "U32", "F16", "F32"]) | json_values,
        "shape": st.lists(st.integers(-2, 8), max_size=3) | json_values,
        "data_offsets": st.tuples(st.integers(-1, 20), st.integers(-1, 20)) | json_values,
    }
)


@given(header=st.dictionaries(st.sampled_from(["a", "b", "__metadata__"]), entries | json_values) | json_values)
def test_any_header_is_harmless_or_refused(path: Path, header: object) -> None:
    check_refused_or_harmless(written(path, header))


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_are_refused(path: Path, kind: type, value: float) -> None:
    array: np.ndarray[Any, Any] = np.ones(1000, kind)
    array[-1] = value
    save_file({"fine": np.ones(2, kind), "scales": array}, path)
    check_refused(path, "'scales'")


# --- what is no file --------------------------------------------------------------------------------------


def test_what_cannot_be_opened_is_said_in_one_sentence(tmp_path: Path) -> None:
    check_refused(tmp_path / "nowhere.safetensors")
    check_refused(tmp_path)
    check_refused(tmp_path / ("a" * 300))
    (tmp_path / "file").touch()
    check_refused(tmp_path / "file" / "below")
    check_refused(Path(os.devnull))
    if Path("/dev/zero").exists():
        check_refused(Path("/dev/zero"))
