"""Models of sentence-transformers give their own vectors for short texts, and the mean of chunks for long ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.tiny_models import LONG, TEXTS, change_weights, tiny_sentence_transformer
from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError
from lexlattice.encoding.chunking import cut
from lexlattice.encoding.sentence_transformers import SentenceTransformers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_sentence_transformer(tmp_path_factory.mktemp("st"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> SentenceTransformers:
    return SentenceTransformers(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model that a test may spoil."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_short_texts_have_the_vectors_of_the_model(encoder: SentenceTransformers, folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    assert isinstance(encoder, Encoder)
    assert encoder.name == f"st:{folder}"
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, show_progress_bar=False)
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=1e-5)
    assert expected.shape[1] == encoder.dimensions == 24


@pytest.mark.parametrize(("own", "longest"), [(512, 256), (48, 48)])
def test_long_texts_are_the_mean_of_their_chunks(tmp_path: Path, own: int, longest: int) -> None:
    encoder = SentenceTransformers(tiny_sentence_transformer(tmp_path, own))
    chunks = cut([LONG], encoder.tokenizer, longest)
    vectors = [encoder._forward(np.array([chunk.ids]), np.ones((1, len(chunk.ids)), np.int64)) for chunk in chunks]
    assert len(chunks) > 2 and max(len(chunk.ids) for chunk in chunks) == longest
    np.testing.assert_allclose(encoder.encode([LONG]), np.mean(vectors, axis=0), atol=1e-5)


def test_the_other_texts_of_a_call_do_not_matter(encoder: SentenceTransformers) -> None:
    texts = [*TEXTS, LONG, "a"]
    together = encoder.encode(texts)
    np.testing.assert_allclose(together, np.concatenate([encoder.encode([text]) for text in texts]), atol=1e-5)
    np.testing.assert_array_equal(together, encoder.encode(texts))


def test_empty_texts_are_zero_and_counted(encoder: SentenceTransformers) -> None:
    with pytest.warns(EmptyTextWarning, match="1 of 2 texts"):
        vectors = encoder.encode(["", TEXTS[0]])
    assert not vectors[0].any() and vectors[1].any()


def test_the_fingerprint_is_that_of_the_content(encoder: SentenceTransformers, copy: Path) -> None:
    (copy / "README.md").write_text("another file")
    assert SentenceTransformers(copy).fingerprint == encoder.fingerprint
    change_weights(copy, 0.5)
    assert SentenceTransformers(copy).fingerprint != encoder.fingerprint


def test_weights_that_are_not_finite_are_refused(copy: Path) -> None:
    change_weights(copy, float("inf"))
    with pytest.raises(EncodingError, match="finite"):
        SentenceTransformers(copy)


def test_a_truncated_file_is_refused(copy: Path) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(EncodingError, match="cannot be loaded"):
        SentenceTransformers(copy)


@pytest.mark.parametrize("module", ["", "2_Dense"])
def test_pickled_weights_are_refused(copy: Path, module: str) -> None:
    (copy / module / "model.safetensors").rename(copy / module / "pytorch_model.bin")
    with pytest.raises(EncodingError, match="never loaded"):
        SentenceTransformers(copy)


def test_what_is_neither_here_nor_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(EncodingError, match=r"There is no folder 'all-MiniLM-L6-v2'.*[^.]\.$"):
        SentenceTransformers("all-MiniLM-L6-v2")
