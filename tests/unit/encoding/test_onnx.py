"""ONNX Runtime returns the vectors of PyTorch, for exported models and for those of other tools."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest

from helpers.tiny_models import LONG, TEXTS, cosines, tiny_mt5
from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError
from lexlattice.encoding.mt5 import MT5, export_onnx
from lexlattice.encoding.onnx import Onnx

MIXED = [*TEXTS, LONG, "a", LONG[: len(LONG) // 2]]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> MT5:
    return MT5(tiny_mt5(tmp_path_factory.mktemp("mt5")))


@pytest.fixture(scope="module")
def exported(encoder: MT5, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_onnx(encoder, tmp_path_factory.mktemp("onnx") / "fp32")


@pytest.fixture(scope="module")
def exported_int8(encoder: MT5, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_onnx(encoder, tmp_path_factory.mktemp("onnx") / "int8", int8=True)


@pytest.fixture
def copy(exported: Path, tmp_path: Path) -> Path:
    """A folder that a test may change."""
    return Path(shutil.copytree(exported, tmp_path / "copy"))


def test_an_export_gives_the_same_vectors(encoder: MT5, exported: Path) -> None:
    onnx_encoder = Onnx(exported)
    assert isinstance(onnx_encoder, Encoder)
    assert onnx_encoder.name == f"onnx:{exported}"
    assert onnx_encoder.dimensions == encoder.dimensions
    np.testing.assert_allclose(onnx_encoder.encode(MIXED), encoder.encode(MIXED), atol=1e-4)


def test_an_int8_export_stays_close_and_is_smaller(encoder: MT5, exported: Path, exported_int8: Path) -> None:
    assert cosines(Onnx(exported_int8).encode(MIXED), encoder.encode(MIXED)).min() >= 0.99
    sizes = [(folder / "model.onnx").stat().st_size for folder in (exported_int8, exported)]
    assert sizes[0] < sizes[1]


def test_a_vector_does_not_depend_on_the_other_texts(exported: Path, exported_int8: Path) -> None:
    for folder in (exported, exported_int8):
        onnx_encoder = Onnx(folder)
        together = onnx_encoder.encode(MIXED)
        alone = np.concatenate([onnx_encoder.encode([text]) for text in MIXED])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_array_equal(together, onnx_encoder.encode(MIXED))


def test_empty_texts_are_zero_and_cause_a_warning(exported: Path) -> None:
    with pytest.warns(EmptyTextWarning, match=r"\b1\b.*\b2\b"):
        vectors = Onnx(exported).encode([" ", TEXTS[0]])
    assert not vectors[0].any() and vectors[1].any()


def test_the_fingerprint_depends_on_the_content_only(exported: Path, exported_int8: Path, copy: Path) -> None:
    fingerprint = Onnx(exported).fingerprint
    (copy / "README.md").write_text("another file")
    assert Onnx(copy).fingerprint == fingerprint != Onnx(exported_int8).fingerprint


def test_models_in_a_subfolder_are_found(exported: Path, copy: Path) -> None:
    (copy / "onnx").mkdir()
    (copy / "model.onnx").rename(copy / "onnx" / "model.onnx")
    np.testing.assert_array_equal(Onnx(copy).encode(TEXTS), Onnx(exported).encode(TEXTS))


def test_a_model_with_token_types_and_pooling(copy: Path, exported: Path) -> None:
    """As sentence-transformers exports BERT: one input more, and pooling inside."""
    model = onnx.load(copy / "model.onnx")
    model.graph.input.append(onnx.helper.make_tensor_value_info("token_type_ids", onnx.TensorProto.INT64, ["a", "b"]))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1]), "tokens_axis"))
    model.graph.node.append(
        onnx.helper.make_node("ReduceMax", ["last_hidden_state", "tokens_axis"], ["sentence_embedding"], keepdims=0)
    )
    pooled = onnx.helper.make_tensor_value_info("sentence_embedding", onnx.TensorProto.FLOAT, ["a", 32])
    model.graph.output.append(pooled)
    onnx.save(model, copy / "model.onnx")
    vectors, means = Onnx(copy).encode(TEXTS), Onnx(exported).encode(TEXTS)
    assert vectors.shape == means.shape
    assert (vectors > means).all()


def test_chunks_are_shorter_if_the_tokenizer_truncates_earlier(copy: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(copy / "tokenizer.json"))
    tokenizer.enable_truncation(16)
    pieces = tokenizer.encode(TEXTS[0])
    tokenizer.save(str(copy / "tokenizer.json"))
    onnx_encoder = Onnx(copy)
    ids = [piece.ids for piece in (pieces, *pieces.overflowing)]
    assert max(map(len, ids)) == 16
    chunks = [onnx_encoder._forward(np.array([row]), np.ones((1, len(row)), np.int64)) for row in ids]
    np.testing.assert_allclose(onnx_encoder.encode(TEXTS[:1]), np.mean(chunks, axis=0), atol=1e-5)


def test_damaged_models_are_refused(copy: Path) -> None:
    model = copy / "model.onnx"
    model.write_bytes(model.read_bytes()[:-5000])
    with pytest.raises(EncodingError, match=str(copy)):
        Onnx(copy)


def test_weights_that_are_not_finite_are_refused(copy: Path) -> None:
    model = onnx.load(copy / "model.onnx")
    table = max(model.graph.initializer, key=lambda tensor: len(tensor.raw_data))
    spoilt = np.full(tuple(table.dims), np.nan, np.float32)
    table.CopyFrom(onnx.numpy_helper.from_array(spoilt, table.name))
    onnx.save(model, copy / "model.onnx")
    with pytest.raises(EncodingError):
        Onnx(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_missing_files_are_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(EncodingError, match=name):
        Onnx(copy)


def test_an_export_never_overwrites_and_leaves_nothing_incomplete(encoder: MT5, copy: Path, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match=str(copy)):
        export_onnx(encoder, copy)
    spoilt = MT5(Path(shutil.copytree(encoder.folder, tmp_path / "spoilt")))
    (spoilt.folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(EncodingError, match="spoilt"):
        export_onnx(spoilt, tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "spoilt"]
