"""The embedded encoder: properties that hold for every text and any weights, and the quality of the shipped ones."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pickle
import random
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from test_subwords import expected_rows, hashed, piece, read, text, texts

from lexlattice.encoding import NAMES, EmptyTextWarning, Encoder, EncodingError, load, require_fingerprint, static
from lexlattice.encoding.base import CHUNK_SIZE, Vectors
from lexlattice.encoding.static import Static
from lexlattice.encoding.subwords import Spelling

LAW_MEAN, LAW_WORST = 0.98, 0.95
NEWS_MEAN, NEWS_WORST = 0.87, 0.77
"""The lowest share of texts that find their English translation among 500: mean of the languages, and worst one."""

LARGEST_WEIGHTS = 36_000_000
SENTENCE = "The Commission shall adopt implementing acts within 30 days of their notification."
MANY = [
    SENTENCE,
    "",
    "Държавите членки уведомяват Комисията за тези мерки в срок от 30 дни.",
    "§ — €",
    "Τα κράτη μέλη ανακοινώνουν στην Επιτροπή το κείμενο των διατάξεων.",
    "Les États membres veillent à ce que les autorités disposent des ressources nécessaires.",
    "Xqzzt 99871 " * 200,
]
ENCODER = Static()

pytestmark = pytest.mark.filterwarnings("ignore::lexlattice.encoding.EmptyTextWarning")


def encoded(texts: Sequence[str], encoder: Encoder = ENCODER) -> Vectors:
    return encoder.encode(texts)


def unit(vector: Vectors) -> Vectors:
    norm = np.linalg.norm(vector)
    return vector / norm if norm else vector


def numbered_words(many: int, seed: int = 0, different: int = 20_000) -> str:
    """A text of so many words."""
    known = ["".join(letters) for letters in itertools.islice(itertools.product("raceotinsl", repeat=5), different)]
    return " ".join(random.Random(seed).choices(known, k=many))


def run(code: str, *arguments: object, **environment: str) -> str:
    """What a fresh process prints, which must end well."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
        cwd=Path(__file__).parent,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- every text -------------------------------------------------------------------------------------------


@given(texts)
def test_vectors_are_float32_and_of_length_one_or_zero(texts: list[str]) -> None:
    vectors = encoded(texts)
    assert vectors.shape == (len(texts), ENCODER.dimensions)
    assert vectors.dtype == np.float32
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert np.all((np.abs(norms - 1) < 1e-6) | ~vectors.any(axis=1))
    assert not any(norm for norm, text in zip(norms, texts, strict=True) if not read(text))


@given(texts, st.randoms(use_true_random=False), st.integers(0, 6))
def test_a_vector_does_not_depend_on_the_other_texts_or_their_order(
    texts: list[str], draw: random.Random, cut: int
) -> None:
    vectors = encoded(texts)
    order = list(range(len(texts)))
    draw.shuffle(order)
    assert np.array_equal(encoded([texts[place] for place in order]), vectors[order])
    assert np.array_equal(np.concatenate([encoded(texts[:cut]), encoded(texts[cut:])]), vectors)
    assert np.array_equal(encoded(texts + MANY)[: len(texts)], vectors)
    assert np.array_equal(encoded(texts), vectors)
    for place, single in enumerate(texts):
        assert np.array_equal(encoded([single])[0], vectors[place])


def test_vectors_of_long_texts_do_not_depend_on_other_texts() -> None:
    long = [numbered_words(many, seed=many) for many in (1, 255, 256, 257, 5_000, 70_000, 80_000)]
    some = [text for pair in zip(long, MANY, strict=True) for text in pair]
    vectors = encoded(some)
    assert np.array_equal(encoded(some[::-1]), vectors[::-1])
    assert np.array_equal(np.concatenate([encoded([text]) for text in some]), vectors)
    assert np.array_equal(encoded(some * 3), np.tile(vectors, (3, 1)))


def test_a_text_has_the_same_vector_in_another_process() -> None:
    code = (
        "import hashlib, test_static as t; print(hashlib.sha256(t.encoded(t.MANY).tobytes()).hexdigest(), "
        "t.ENCODER.fingerprint)"
    )
    for seed in ("1", "2"):
        digest, fingerprint = run(code, PYTHONHASHSEED=seed, PYTHONWARNINGS="ignore").split()
        assert digest == hashlib.sha256(encoded(MANY).tobytes()).hexdigest()
        assert fingerprint == ENCODER.fingerprint


def test_eight_threads_get_the_same_vectors_as_one() -> None:
    encoder = Static()
    lists = [[f"{text} {number}" for text in MANY] for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(encoder.encode, lists))
    for vectors, some in zip(found, lists, strict=True):
        assert np.array_equal(vectors, encoded(some))


@given(text)
def test_composed_and_decomposed_texts_have_the_same_vector(text: str) -> None:
    assert np.array_equal(*encoded([normalize("NFC", text), normalize("NFD", text)]))


@given(st.permutations("one two 3 πέντε шест".split()), st.sampled_from([" ", "\n", ", ", "\u00a0", "—", "\r\n\x00"]))
def test_word_order_and_separators_make_no_difference(words: list[str], between: str) -> None:
    joined, spaced = encoded([between.join(words), "one two 3 πέντε шест"])
    assert np.allclose(joined, spaced, atol=1e-6)


def test_translations_are_nearer_than_other_texts() -> None:
    english, bulgarian, greek, french = encoded(
        [
            "Member States shall notify the Commission of those measures.",
            "Държавите членки уведомяват Комисията за тези мерки.",
            "Τα κράτη μέλη κοινοποιούν τα μέτρα αυτά στην Επιτροπή.",
            "Les ruches sont peintes en bleu au printemps.",
        ]
    )
    assert min(english @ bulgarian, english @ greek, bulgarian @ greek) > max(
        english @ french, bulgarian @ french, greek @ french
    )


# --- empty texts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\r\t",
        "— § € … ©",
        "😀👩\u200d🚀",
        "\u0301\u0308",
        "中文法律 日本語 한국어",
        "\ud800\udfff",
        "\x00",
        "\u00ad",
        "\ufeff\u200b\u2060",
        "שלום",
        "مرحبا",
        "Հայերեն",
        "हिन्दी",
        "ไทย",
        "ქართული",
    ],
)
def test_a_text_with_nothing_to_encode_is_zero_and_causes_a_warning(text: str) -> None:
    with pytest.warns(EmptyTextWarning, match=r"\b1\b"):
        vectors = ENCODER.encode([text])
    assert vectors.shape == (1, ENCODER.dimensions)
    assert not vectors.any()


@given(texts)
def test_one_warning_counts_all_empty_texts(texts: list[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        vectors = ENCODER.encode(texts)
    empty = sum(not vector.any() for vector in vectors)
    assert empty == sum(not read(text) for text in texts)
    assert [warning.category for warning in caught] == [EmptyTextWarning] * bool(empty)
    assert all(re.findall(r"\d+", str(warning.message)) == [str(empty), str(len(texts))] for warning in caught)
    assert all(warning.filename == __file__ for warning in caught), "the warning should point at the caller"


def test_no_texts_give_no_vectors() -> None:
    nothing: list[Iterable[str]] = [[], (), iter([])]
    for none in nothing:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            vectors = ENCODER.encode(none)  # type: ignore[arg-type]
        assert (vectors.shape, vectors.dtype) == ((0, ENCODER.dimensions), np.dtype(np.float32))


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ("a single text", []),
        (b"bytes", []),
        (None, ["NoneType"]),
        (5, ["int"]),
        (["a", None], ["2", "NoneType"]),
        (["a", b"b"], ["2", "bytes"]),
        ([1.0], ["1", "float"]),
        ([["a"]], ["1", "list"]),
        (np.arange(3), ["1", "int64"]),
    ],
)
def test_anything_but_a_list_of_texts_is_refused(texts: Any, named: list[str]) -> None:
    for method in (ENCODER.encode, ENCODER.encode_words):
        with pytest.raises(EncodingError) as error:
            method(texts)
        check_one_sentence(error.value)
        assert {*named} <= {*re.findall(r"\w+", str(error.value))}


def check_one_sentence(error: Exception) -> None:
    assert str(error).endswith(".")
    assert "\n" not in str(error)


def test_other_sequences_of_texts_are_accepted() -> None:
    expected = encoded(MANY)
    for some in (tuple(MANY), iter(MANY), dict.fromkeys(MANY), np.array(MANY), np.array(MANY, object)):
        assert np.array_equal(ENCODER.encode(some), expected)  # type: ignore[arg-type]


# --- long texts -------------------------------------------------------------------------------------------


def chunked(text: str) -> Vectors:
    """The mean of nearly equal chunks, each the mean of its words, from the vectors of words."""
    words = text.split()
    chunks = -(-len(words) // 256)
    bounds = [len(words) * number // chunks for number in range(chunks + 1)]
    vectors = ENCODER.encode_words(words).astype(np.float64)
    means = [vectors[first:last].mean(axis=0) for first, last in itertools.pairwise(bounds)]
    return unit(np.mean(means, axis=0))


@settings(max_examples=20)
@given(st.integers(1, 1500) | st.sampled_from([255, 256, 257, 768, 769]), st.integers(0, 5))
@example(511, 0)
@example(512, 0)
@example(513, 0)
@example(1500, 0)
def test_a_long_text_is_the_mean_of_nearly_equal_chunks(many: int, seed: int) -> None:
    text = numbered_words(many, seed)
    assert len(read(text)) == many
    assert np.allclose(encoded([text])[0], chunked(text), atol=1e-5)


def test_256_words_are_one_chunk_and_257_are_two() -> None:
    rare, often = "hive " * 10, "register "
    one = rare + often * 246
    assert np.allclose(encoded([one])[0], unit(ENCODER.encode_words([one])[0]), atol=1e-6)
    two = rare + often * 247
    first, second = ENCODER.encode_words([rare + often * 118, often * 129])
    assert np.allclose(encoded([two])[0], unit(first / 128 + second / 129), atol=1e-6)
    assert not np.allclose(encoded([two])[0], unit(ENCODER.encode_words([two])[0]), atol=1e-6)


LONG_TEXT = """
import time, test_static
def largest():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1])
text = test_static.numbered_words(300_000)
test_static.encoded(["warm"])
before, start = largest(), time.process_time()
vectors = test_static.encoded([text])
print(largest() - before, time.process_time() - start, float(abs((vectors ** 2).sum() - 1)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process")
def test_a_text_of_300_000_words_takes_little_memory_and_time() -> None:
    kilobytes, seconds, error = map(float, run(LONG_TEXT).split())
    assert kilobytes < 300_000
    assert seconds < 6
    assert error < 1e-5


LITTLE = 6.0
"""Seconds of processor time; a free machine takes half a second."""


@pytest.mark.slow
def test_many_short_texts_take_little_time() -> None:
    assert encoded([f"Article {number}" for number in range(20_000)]).any(axis=1).all()
    seconds: list[float] = []
    while len(seconds) < 4 and min(seconds, default=LITTLE) >= LITTLE:  # others may be at work
        start = time.process_time()
        encoded(["a"] * 200_000)
        seconds.append(time.process_time() - start)
    assert min(seconds) < LITTLE


# --- words ------------------------------------------------------------------------------------------------


@given(text.filter(lambda text: len(read(text)) <= CHUNK_SIZE))
def test_a_short_text_is_the_sum_of_its_words(text: str) -> None:
    words = ENCODER.encode_words(text.split())
    assert np.allclose(encoded([text])[0], unit(words.sum(axis=0)), atol=1e-4)


@given(st.lists(piece.map(lambda word: word.replace(" ", "")), max_size=8))
def test_a_string_of_several_words_has_the_sum_of_theirs(words: list[str]) -> None:
    vectors = ENCODER.encode_words(words)
    assert vectors.shape == (len(words), ENCODER.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(ENCODER.encode_words([" ".join(words)])[0], vectors.sum(axis=0), rtol=1e-4, atol=1e-4)
    for word, vector in zip(words, vectors, strict=True):
        assert np.array_equal(ENCODER.encode_words([word])[0], vector)


def test_words_have_weights_and_nothing_is_zero() -> None:
    vectors = ENCODER.encode_words(["", "the", "beekeeper", "§"])
    assert vectors.any(axis=1).tolist() == [False, True, True, False]
    assert ENCODER.encode_words([]).shape == (0, ENCODER.dimensions)


# --- other weights ----------------------------------------------------------------------------------------

SPELLING = Spelling((3, 5), (3, 5), (2,))


def weights(seed: int = 0, known: str = "the register of hives 30", **changes: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a small encoder: some words, and 16 rows for all others."""
    generator = np.random.default_rng(seed)
    hashes = np.array(
        sorted({hashed(word[:length], kind) for word in known.split() for length in (3, 9) for kind in (0, 1, 2)})
    )
    many = len(hashes) + 16
    return {
        "hashes": hashes.astype(np.uint32),
        "numbers": generator.integers(0, 256, (many, 4), np.uint8),
        "scales": generator.uniform(0.01, 0.1, many).astype(np.float16),
    } | changes


def about(spelling: str | None = None) -> dict[str, str]:
    kinds = {"prefixes": SPELLING.prefixes, "folded": SPELLING.folded, "skeleton": SPELLING.skeleton}
    return {"spelling": json.dumps(kinds) if spelling is None else spelling}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "small.safetensors"
    save_file(weights(), path, about())
    return path


@given(texts=texts)
def test_vectors_are_those_of_the_weights_file(small: Path, texts: list[str]) -> None:
    """Four bits a number, the second half of a vector above the first; a word is the sum of its rows."""
    arrays = weights()
    whole = np.hstack([arrays["numbers"] & 15, arrays["numbers"] >> 4]) - 7.5
    whole *= arrays["scales"].astype(np.float64)[:, None]
    encoder = Static(small)
    assert encoder.dimensions == 8
    for words, vector in zip(map(read, texts), encoder.encode(texts), strict=True):
        if not "".join(words).isascii() or len(words) > CHUNK_SIZE:
            continue  # the slow reader cannot spell other alphabets, and knows no chunks
        found = [row for word in words for row in expected_rows(word, SPELLING, arrays["hashes"].tolist(), 16)]
        assert np.allclose(vector, unit(whole[found].sum(axis=0)), atol=1e-3)


def test_equal_weights_have_equal_fingerprints_and_others_not(small: Path, tmp_path: Path) -> None:
    save_file(weights(), tmp_path / "same", about())
    save_file(weights(seed=1), tmp_path / "other", about())
    save_file(weights(), tmp_path / "spelled", about('{"prefixes": [4]}'))
    fingerprints = [
        Static(path).fingerprint for path in (small, *(tmp_path / name for name in ("same", "other", "spelled")))
    ]
    assert fingerprints[0] == fingerprints[1]
    assert len({*fingerprints, ENCODER.fingerprint}) == 4
    assert all(fingerprint.isalnum() for fingerprint in fingerprints)


def test_another_use_of_the_same_weights_has_another_fingerprint(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Static(small).fingerprint
    monkeypatch.setattr(static, "_METHOD", static._METHOD + 1)
    assert Static(small).fingerprint != before


def test_the_fingerprint_does_not_depend_on_the_working_directory(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small.parent)
    encoder = Static(small.name)
    monkeypatch.chdir(tmp_path)
    assert encoder.fingerprint == Static(small).fingerprint
    assert np.array_equal(encoded(MANY, pickle.loads(pickle.dumps(encoder))), encoded(MANY, encoder))


def test_a_pickled_encoder_is_small() -> None:
    sent = pickle.dumps(Static())
    assert len(sent) < 1_000
    arrived = pickle.loads(sent)
    assert arrived.fingerprint == ENCODER.fingerprint
    assert np.array_equal(encoded(MANY, arrived), encoded(MANY))


@pytest.mark.parametrize("name", ["hashes", "numbers", "scales"])
def test_weights_of_something_else_are_refused(tmp_path: Path, name: str) -> None:
    arrays = weights()
    del arrays[name]
    save_file(arrays, tmp_path / "weights", about())
    check_refused(tmp_path / "weights")


@pytest.mark.parametrize(
    "spelling",
    ["", "{", '{"prefixes": 4}', '{"unheard": [4]}', '{"prefixes": null}', '{"prefixes": [4], "folded": 1.5}'],
)
def test_weights_without_a_valid_spelling_are_refused(tmp_path: Path, spelling: str) -> None:
    save_file(weights(), tmp_path / "weights", about(spelling))
    check_refused(tmp_path / "weights")
    save_file(weights(), tmp_path / "weights", {"format": "none"})
    check_refused(tmp_path / "weights")
    save_file(weights(), tmp_path / "weights")
    check_refused(tmp_path / "weights")


KNOWN, ROWS = len(weights()["hashes"]), len(weights()["numbers"])


@pytest.mark.parametrize(
    "changes",
    [
        {"numbers": np.zeros(ROWS, np.uint8)},
        {"numbers": np.zeros((ROWS, 4, 2), np.uint8)},
        {"numbers": np.zeros((ROWS, 0), np.uint8)},
        {"numbers": np.zeros((ROWS, 4), np.float32)},
        {"numbers": np.zeros((ROWS, 4), np.int8)},
        {"numbers": np.zeros((2, 4), np.uint8)},
        {"hashes": np.arange(KNOWN, dtype=np.float32)},
        {"hashes": np.arange(KNOWN, dtype=np.uint8)},
        {"hashes": np.zeros((KNOWN, 1), np.uint32)},
        {"hashes": np.arange(KNOWN, dtype=np.uint32)[::-1].copy()},
        {"hashes": np.zeros(KNOWN, np.uint32)},
        {"hashes": np.arange(ROWS, dtype=np.uint32)},
        {"hashes": np.arange(99, dtype=np.uint32)},
        {"hashes": np.zeros(0, np.uint32)},
        {"hashes": np.zeros(0, np.uint32), "numbers": np.zeros((0, 4), np.uint8), "scales": np.zeros(0, np.float16)},
        {"numbers": np.zeros((KNOWN, 4), np.uint8), "scales": np.ones(KNOWN, np.float16)},
        {"scales": np.ones(2, np.float16)},
        {"scales": np.ones(99, np.float16)},
        {"scales": np.ones((ROWS, 1), np.float16)},
        {"scales": np.ones(ROWS, np.uint8)},
    ],
    ids=lambda changes: " ".join(f"{name} {array.dtype} {array.shape}" for name, array in changes.items()),
)
def test_arrays_that_do_not_fit_together_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    save_file(weights() | changes, tmp_path / "weights", about())
    check_refused(tmp_path / "weights")


@pytest.mark.parametrize(
    "spelling",
    [
        "[]", "5", "null", '"text"', '{"prefixes": ["a"]}', '{"prefixes": [null]}', '{"prefixes": [2.5]}',
        '{"prefixes": [true]}', '{"prefixes": [[4]]}', '{"prefixes": "46"}', '{"prefixes": [-1]}', '{"prefixes": [0]}',
        '{"prefixes": [99]}', '{"prefixes": [100000000000000000000]}', '{"folded": [-3]}', '{"folded": [6, 4]}',
        '{"skeleton": [3, null]}', "[" * 100_000,
    ],
    ids=lambda spelling: spelling[:40],
)  # fmt: skip
def test_impossible_spellings_are_refused(tmp_path: Path, spelling: str) -> None:
    save_file(weights(), tmp_path / "weights", about(spelling))
    check_refused(tmp_path / "weights")


def check_refused(path: Path) -> None:
    with pytest.raises(EncodingError) as error:
        Static(path)
    check_one_sentence(error.value)
    assert str(path) in str(error.value)


# --- by name ----------------------------------------------------------------------------------------------


def test_static_is_the_encoder_of_the_package() -> None:
    for encoder in (load(), load("static")):
        assert isinstance(encoder, Encoder)
        assert encoder.name == "static"
        assert encoder.fingerprint == ENCODER.fingerprint
        assert np.array_equal(encoded(MANY, encoder), encoded(MANY))


def test_other_weights_are_loaded_by_their_path(small: Path) -> None:
    encoder = load(f"static:{small}")
    assert encoder.dimensions == 8
    assert np.array_equal(encoded(MANY, encoder), encoded(MANY, Static(small)))


@pytest.mark.parametrize(
    "name",
    ["", ":", "static:", "st:", "st", "onnx", "onnx:", "mt5:", "STATIC", " static", "nonsense", None, 5],
)
def test_unknown_names_are_refused_with_the_choices(name: Any) -> None:
    with pytest.raises(EncodingError) as error:
        load(name)
    check_one_sentence(error.value)
    assert f"'{name}'" in str(error.value)
    assert all(choice in str(error.value) for choice in NAMES)


@pytest.mark.parametrize("path", ["nowhere.safetensors", ".", "\0", "a" * 5000, "static:static", __file__])
def test_paths_without_weights_are_refused_in_one_sentence(path: str) -> None:
    with pytest.raises(EncodingError) as error:
        load(f"static:{path}")
    check_one_sentence(error.value)


def test_an_encoder_with_another_fingerprint_is_refused(small: Path) -> None:
    require_fingerprint(ENCODER, ENCODER.fingerprint)
    for other in (Static(small).fingerprint, "", ENCODER.fingerprint.upper()):
        with pytest.raises(EncodingError) as error:
            require_fingerprint(ENCODER, other)
        check_one_sentence(error.value)
        assert ENCODER.fingerprint in str(error.value)
        assert "'static'" in str(error.value)


# --- its size ---------------------------------------------------------------------------------------------

START = """
import time
import numpy
def resident():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])
before = resident()
from lexlattice.encoding import load, static
start = time.process_time()
encoder = load()
loaded = time.process_time() - start
encoder.encode(["Member States shall notify the Commission of those measures."])
print(resident() - before, loaded)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process")
def test_a_fresh_process_is_ready_at_once_and_stays_small() -> None:
    kilobytes, seconds = map(float, run(START).split())
    assert kilobytes < 60_000
    assert seconds < 0.2


def test_the_shipped_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in static.PATH.parent.iterdir() if path.is_file()) <= LARGEST_WEIGHTS


# --- its quality ------------------------------------------------------------------------------------------


@cache
def searched(data: Path) -> dict[str, list[dict[str, str]]]:
    """What is measured with, read once."""
    from lexlattice.research.encoder.measure import retrieval_sets

    return retrieval_sets(data)


@pytest.mark.data
@pytest.mark.slow
def test_translations_are_found_in_law_and_news(data: Path) -> None:
    from lexlattice.reading import LANGUAGES
    from lexlattice.research.encoder.measure import into_english, retrieval

    known = dict[tuple[str, ...], Vectors]()

    def encode(texts: list[str]) -> Vectors:
        key = tuple(texts)
        if key not in known:
            known[key] = ENCODER.encode(texts)
        return known[key]

    for name, mean, worst in (("law", LAW_MEAN, LAW_WORST), ("news", NEWS_MEAN, NEWS_WORST)):
        found: dict[str, float] = {}
        for language in LANGUAGES[name == "news" :: 4]:
            found |= into_english(retrieval(encode, searched(data)[name], (language, "en")))
        assert len(found) >= 5
        assert fmean(found.values()) >= mean, name
        assert min(found.values()) >= worst, (name, min(found, key=found.__getitem__))


def test_cached_words_have_the_same_vectors(examples: Path) -> None:
    """Whatever was encoded before, in whatever number of threads, and however much of it there was."""
    texts = [(examples / "short" / f"{language}.txt").read_text("utf-8") for language in ("en", "el", "mt", "hu")]
    fresh = [Static().encode([text]) for text in texts]
    busy = Static()
    busy.encode([" ".join(f"w{number}x" for number in range(20_000))])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: busy.encode([text]), texts * 5))
    for vectors, expected in zip(found, fresh * 5, strict=True):
        np.testing.assert_array_equal(vectors, expected)
    words = texts[0].split()
    np.testing.assert_array_equal(busy.encode_words(words), Static().encode_words(words))
