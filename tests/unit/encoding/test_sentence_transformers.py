"""Models of sentence-transformers: their own vectors for short texts, and the mean of chunks for long ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.tiny_models import LONG, TEXTS, change_weights, tiny_sentence_transformer
from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError
from lexlattice.encoding.chunking import cut_into_chunks
from lexlattice.encoding.sentence_transformers import SentenceTransformers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_sentence_transformer(tmp_path_factory.mktemp("st"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> SentenceTransformers:
    return SentenceTransformers(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model that a test may damage."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_short_texts_get_the_vectors_of_the_model(encoder: SentenceTransformers, folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    assert isinstance(encoder, Encoder)
    assert encoder.name == f"st:{folder}"
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, show_progress_bar=False)
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=1e-5)
    assert expected.shape[1] == encoder.dimensions == 24


@pytest.mark.parametrize(("model_limit", "longest"), [(512, 256), (48, 48)])
def test_long_texts_are_the_mean_of_their_chunks(tmp_path: Path, model_limit: int, longest: int) -> None:
    encoder = SentenceTransformers(tiny_sentence_transformer(tmp_path, model_limit))
    chunks = cut_into_chunks([LONG], encoder.tokenizer, longest)
    vectors = [encoder._forward(np.array([chunk.ids]), np.ones((1, len(chunk.ids)), np.int64)) for chunk in chunks]
    assert len(chunks) > 2 and max(len(chunk.ids) for chunk in chunks) == longest
    np.testing.assert_allclose(encoder.encode([LONG]), np.mean(vectors, axis=0), atol=1e-5)


def test_a_vector_does_not_depend_on_the_other_texts(encoder: SentenceTransformers) -> None:
    texts = [*TEXTS, LONG, "a"]
    together = encoder.encode(texts)
    np.testing.assert_allclose(together, np.concatenate([encoder.encode([text]) for text in texts]), atol=1e-5)
    np.testing.assert_array_equal(together, encoder.encode(texts))


def test_empty_texts_are_zero_and_cause_a_warning(encoder: SentenceTransformers) -> None:
    with pytest.warns(EmptyTextWarning, match=r"\b1\b.*\b2\b"):
        vectors = encoder.encode(["", TEXTS[0]])
    assert not vectors[0].any() and vectors[1].any()


def test_the_fingerprint_depends_on_the_content_only(encoder: SentenceTransformers, copy: Path) -> None:
    (copy / "README.md").write_text("another file")
    assert SentenceTransformers(copy).fingerprint == encoder.fingerprint
    change_weights(copy, 0.5)
    assert SentenceTransformers(copy).fingerprint != encoder.fingerprint


def test_weights_that_are_not_finite_are_refused(copy: Path) -> None:
    change_weights(copy, float("inf"))
    with pytest.raises(EncodingError):
        SentenceTransformers(copy)


def test_a_truncated_file_is_refused(copy: Path) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(EncodingError, match=str(copy)):
        SentenceTransformers(copy)


@pytest.mark.parametrize("module", ["", "2_Dense"])
def test_pickled_weights_are_refused(copy: Path, module: str) -> None:
    (copy / module / "model.safetensors").rename(copy / module / "pytorch_model.bin")
    with pytest.raises(EncodingError, match="safetensors"):
        SentenceTransformers(copy)


def test_a_model_that_is_not_found_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(EncodingError, match="all-MiniLM-L6-v2"):
        SentenceTransformers("all-MiniLM-L6-v2")
