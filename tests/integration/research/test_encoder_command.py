"""`lexlattice encode` and `lexlattice encoder` with models of others, and encoders by name in an evaluation."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import lexlattice
from helpers.tiny_models import TEXTS, cosines, tiny_mt5
from lexlattice import evaluate
from lexlattice.apps.cli import main
from lexlattice.encoding import EncodingError, load
from lexlattice.encoding.static import PATH

LINES = [text.replace("\n", " ") for text in TEXTS if text.strip()]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"mt5:{tiny_mt5(tmp_path_factory.mktemp('mt5'))}"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "lines.txt"
    path.write_text("\n".join(LINES), "utf-8")
    return path


def encoded(text: Path, to: Path, *options: str) -> NDArray[np.float32]:
    assert main(["encode", str(text), "-o", str(to), "--quiet", *options]) == 0
    vectors: NDArray[np.float32] = np.load(to)
    return vectors


@pytest.mark.slow
def test_mt5_by_name_in_every_precision(model: str, text: Path, tmp_path: Path) -> None:
    whole = encoded(text, tmp_path / "a.npy", "--encoder", model)
    assert np.array_equal(whole, load(model).encode(LINES))
    for precision in ("bf16", "int8"):
        rounded = encoded(text, tmp_path / "b.npy", "--encoder", model, "--precision", precision)
        assert not np.array_equal(rounded, whole)
        assert cosines(rounded, whole).min() > 0.99


@pytest.mark.parametrize("options", [[], ["--int8"]])
def test_an_export_is_an_encoder_by_name(model: str, text: Path, tmp_path: Path, options: list[str]) -> None:
    folder = tmp_path / "onnx"
    assert main(["encoder", "export", model, "-o", str(folder), *options]) == 0
    exported = encoded(text, tmp_path / "b.npy", "--encoder", f"onnx:{folder}")
    assert cosines(exported, load(model).encode(LINES)).min() > 0.99


def test_only_mt5_is_exported_or_has_a_precision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encoder", "export", "static", "-o", str(tmp_path / "onnx")]) == 2
    assert "static" in capsys.readouterr().err
    with pytest.raises(EncodingError):
        load("static", precision="int8")


def test_an_encoder_by_name_serves_an_evaluation(examples: Path, tmp_path: Path) -> None:
    act = (examples / "short" / "en.txt").read_text("utf-8") + "\n中文\n"
    row = {
        "celex_id": "32024R9001",
        "reference": act,
        "summary": "Beehives in towns are to be registered and labelled.",
    }
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(row), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = evaluate(data, "lexrank-vectors", encoder="static", jobs=1, per_act=tmp_path / "acts.jsonl")
    assert result.systems["lexrank-vectors"]["unicode"]["rouge1"] > 0


@pytest.mark.parametrize("output", ["", "/", "card.md", "missing/static.safetensors"])
def test_what_cannot_be_written_is_said_before_training(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["encoder", "train", str(tmp_path), "-o", output]) == 2
    assert ".safetensors" in capsys.readouterr().err


def test_an_encoder_is_named_as_it_is_loaded(tmp_path: Path) -> None:
    copy = tmp_path / "own.safetensors"
    copy.write_bytes(PATH.read_bytes())
    own = load(f"static:{copy}")
    assert (load().name, own.name) == ("static", f"static:{copy}")
    assert own.fingerprint == load().fingerprint == lexlattice.encoding.load().fingerprint


def test_measuring_needs_no_pytorch() -> None:
    code = "import sys; from lexlattice.research.encoder import measure; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
