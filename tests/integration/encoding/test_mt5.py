"""mT5: its vectors equal those of a plain loop over texts, and damaged folders are refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers.acts import little_rows
from helpers.tiny_models import LONG, TEXTS, change_weights, cosines, tiny_mt5
from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError, load, torch_encoder
from lexlattice.encoding.base import CHUNK_SIZE, Vectors
from lexlattice.encoding.chunking import Ids, cut_into_chunks
from lexlattice.encoding.mt5 import MT5
from lexlattice.evaluation import evaluate
from lexlattice.training.config import EncoderConfig, read_config
from lexlattice.training.loop import Best
from lexlattice.training.models.paper import TrainablePaperModel
from lexlattice.training.prepare import prepare
from lexlattice.training.run import _metadata

MIXED = [*TEXTS, LONG, "a", LONG[: len(LONG) // 2], *TEXTS[::-1]]
PRECISIONS = ("fp32", "bf16", "fp16", "int8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_mt5(tmp_path_factory.mktemp("mt5"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> MT5:
    return MT5(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model that a test may damage."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def naive(folder: Path, text: str) -> Vectors:
    """One chunk at a time, without padding, straight from Transformers."""
    import torch
    from transformers import AutoTokenizer, MT5EncoderModel

    ids = AutoTokenizer.from_pretrained(folder)(text, add_special_tokens=False).input_ids
    model = MT5EncoderModel.from_pretrained(folder)  # in evaluation mode already
    means = []
    for start in range(0, len(ids), CHUNK_SIZE - 1):
        chunk = [*ids[start : start + CHUNK_SIZE - 1], model.config.eos_token_id]
        with torch.inference_mode():
            means.append(model(torch.tensor([chunk])).last_hidden_state[0].mean(dim=0))
    return np.asarray(torch.stack(means).mean(dim=0).numpy(), np.float32)


# --- vectors ----------------------------------------------------------------------------------------------


def test_it_is_an_encoder(encoder: MT5, folder: Path) -> None:
    assert isinstance(encoder, Encoder)
    assert encoder.name == f"mt5:{folder}"
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), encoder.dimensions)
    assert vectors.dtype == np.float32


def test_vectors_equal_those_of_a_loop_over_single_chunks(encoder: MT5, folder: Path) -> None:
    expected = np.stack([naive(folder, text) for text in MIXED])
    np.testing.assert_allclose(encoder.encode(MIXED), expected, atol=1e-5)


def test_no_chunk_is_too_long_and_no_token_is_lost(encoder: MT5) -> None:
    chunks = cut_into_chunks([LONG], encoder.tokenizer)
    assert [len(chunk.ids) for chunk in chunks[:-1]] == [CHUNK_SIZE] * (len(chunks) - 1)
    assert len(chunks) > 2
    encoder.tokenizer.no_truncation()
    whole = encoder.tokenizer.encode(LONG).ids
    assert [token for chunk in chunks for token in chunk.ids[:-1]] + chunks[-1].ids[-1:] == whole


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_vector_does_not_depend_on_the_other_texts(folder: Path, precision: str) -> None:
    encoder = MT5(folder, precision)
    together = encoder.encode(MIXED)
    alone = np.concatenate([encoder.encode([text]) for text in MIXED])
    order = np.random.default_rng(0).permutation(len(MIXED))
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(encoder.encode([MIXED[place] for place in order]), together[order], atol=1e-5)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_same_call_gives_the_same_bits(folder: Path, precision: str) -> None:
    first, second = MT5(folder, precision), MT5(folder, precision)
    np.testing.assert_array_equal(first.encode(MIXED), first.encode(MIXED))
    np.testing.assert_array_equal(first.encode(MIXED), second.encode(MIXED))


@pytest.mark.parametrize("precision", PRECISIONS[1:])
def test_lower_precisions_stay_close_to_fp32(encoder: MT5, folder: Path, precision: str) -> None:
    vectors = MT5(folder, precision).encode(MIXED)
    assert cosines(vectors, encoder.encode(MIXED)).min() >= 0.99


def test_batches_are_as_large_as_asked_for_and_change_nothing(encoder: MT5, folder: Path) -> None:
    sizes: dict[int, list[int]] = {600: [], 10_000: []}

    class Recording(MT5):
        def _forward(self, ids: Ids, mask: Ids) -> Vectors:
            sizes[self.batch_tokens].append(ids.size)
            return super()._forward(ids, mask)

    for limit, found in sizes.items():
        other = Recording(folder, batch_tokens=limit)
        np.testing.assert_allclose(other.encode(MIXED), encoder.encode(MIXED), atol=1e-5)
        assert max(found) <= limit
    assert len(sizes[600]) > len(sizes[10_000])
    with pytest.raises(EncodingError):
        load(f"mt5:{folder}", batch_tokens=0)


def test_weights_that_cannot_be_rounded_are_left_in_fp32_unless_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def differs(*_: object) -> None:
        raise EncodingError("They differ.")

    monkeypatch.setattr(torch_encoder, "default_precision", lambda device: "bf16")  # as on a GPU
    assert MT5(folder).precision == "bf16"
    monkeypatch.setattr(torch_encoder, "check_agreement", differs)
    assert MT5(folder).precision == "fp32"
    assert MT5(folder).fingerprint == MT5(folder, "fp32").fingerprint
    with pytest.raises(EncodingError):
        MT5(folder, "bf16")


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_trained_model_gets_the_precision_that_it_was_trained_with(
    folder: Path, precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_encoder, "default_precision", lambda device: "fp16")  # as on some GPU
    prepared = prepare([little_rows(2)], tmp_path / "data", encoder=f"mt5:{folder}", precision=precision)
    config = read_config("paper-static")
    config = replace(config, profile="provisions", encoder=EncoderConfig(f"mt5:{folder}", 32))
    model = TrainablePaperModel(config)
    model.save(tmp_path / "model.safetensors", _metadata(config, prepared, Best("warm-start", 1, {}, {})))
    result = evaluate(little_rows(2), f"scores:{tmp_path / 'model.safetensors'}", jobs=2)
    assert result.acts == 2


def test_empty_texts_are_zero_and_cause_a_warning(encoder: MT5) -> None:
    with pytest.warns(EmptyTextWarning, match=r"\b2\b.*\b3\b"):
        vectors = encoder.encode(["", TEXTS[0], " \n\t"])
    assert not vectors[[0, 2]].any()
    np.testing.assert_array_equal(vectors[1:2], encoder.encode(TEXTS[:1]))


def test_no_texts_give_no_vectors(encoder: MT5) -> None:
    assert encoder.encode([]).shape == (0, encoder.dimensions)


@pytest.mark.parametrize("text", ["</s>", "<extra_id_7> <pad>", "half of a pair: \ud83d", "\x00", "☃" * 1000])
def test_any_text_has_a_vector(encoder: MT5, text: str) -> None:
    vectors = encoder.encode([text, TEXTS[0]])
    assert np.isfinite(vectors).all() and vectors.any(axis=1).all()


@pytest.mark.parametrize("texts", ["a single text", ["a", None], [b"bytes"], 5])
def test_anything_but_a_list_of_texts_is_refused(encoder: MT5, texts: list[str]) -> None:
    with pytest.raises(EncodingError):
        encoder.encode(texts)


# --- fingerprints -----------------------------------------------------------------------------------------


def test_the_fingerprint_depends_on_the_content_only(encoder: MT5, copy: Path) -> None:
    (copy / "README.md").write_text("another file")
    assert MT5(copy).fingerprint == encoder.fingerprint
    assert len(encoder.fingerprint) == 16


def test_the_fingerprint_changes_with_the_precision(folder: Path) -> None:
    assert len({MT5(folder, precision).fingerprint for precision in PRECISIONS}) == len(PRECISIONS)


def test_the_fingerprint_changes_with_a_weight(encoder: MT5, copy: Path) -> None:
    change_weights(copy, 0.5)
    assert MT5(copy).fingerprint != encoder.fingerprint


# --- folders and the hub ----------------------------------------------------------------------------------


def test_weights_that_are_not_finite_are_refused(copy: Path) -> None:
    change_weights(copy, float("nan"))
    with pytest.raises(EncodingError):
        MT5(copy)


def test_a_truncated_file_is_refused(copy: Path) -> None:
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(EncodingError, match=str(copy)):
        MT5(copy)


def test_pickled_weights_are_refused(copy: Path) -> None:
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(EncodingError, match="safetensors"):
        MT5(copy)


@pytest.mark.parametrize("name", ["config.json", "spiece.model", "model.safetensors"])
def test_missing_files_are_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(EncodingError, match=name.partition(".")[2]):
        MT5(copy)


def test_weights_of_another_model_are_refused(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    weights.pop("encoder.block.1.layer.0.SelfAttention.q.weight")
    save_file(weights, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(EncodingError, match=r"SelfAttention\.q"):
        MT5(copy)


def test_unknown_precisions_are_refused(folder: Path) -> None:
    with pytest.raises(EncodingError, match="fp64"):
        MT5(folder, "fp64")


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache of the hub, and no network."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["google/mt5-base", "google/mt5-base@refs/pr/1", "no/folder/at/all"])
def test_a_model_that_is_not_found_is_refused(cache: Path, name: str) -> None:
    with pytest.raises(EncodingError, match=name):
        MT5(name)


def test_models_in_the_cache_of_the_hub_are_found(cache: Path, encoder: MT5, folder: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    model = cache / "models--someone--tiny"
    shutil.copytree(folder, model / "snapshots" / commit)
    for revision in ("main", "refs/pr/1"):
        (model / "refs" / revision).parent.mkdir(parents=True, exist_ok=True)
        (model / "refs" / revision).write_text(commit)
    for name in ("someone/tiny", "someone/tiny@refs/pr/1", f"someone/tiny@{commit}"):
        cached = MT5(name)
        assert cached.name == f"mt5:{name}"
        assert cached.fingerprint == encoder.fingerprint
