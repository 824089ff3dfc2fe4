"""Custom encoders: what they can be, how they are identified, and when their code runs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from lexlattice import encoding
from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.summarizer import PATH, Summarizer

HERE = Path(__file__)


def letters(texts: list[str]) -> list[list[float]]:
    """How often some letters occur."""
    assert all(text.strip() for text in texts), "a custom encoder never sees blank texts"
    return [[text.count(letter) for letter in "aeiou"] for text in texts]


class Letters:
    def encode(self, texts: list[str]) -> list[list[float]]:
        return letters(texts)


def shifted(texts: list[str]) -> np.ndarray:
    return np.array(letters(texts)) + 1


def endless(texts: list[str]) -> np.ndarray:
    return np.full((len(texts), 3), np.inf)


def single(texts: list[str]) -> float:
    return 1.0


def ragged(texts: list[str]) -> list[list[float]]:
    return [[0.0] * (place + 1) for place, _ in enumerate(texts)]


embedded = Static()


@pytest.mark.parametrize("name", ["letters", "Letters"])
def test_a_custom_encoder_is_a_function_or_has_an_encode_method(name: str) -> None:
    encoder = encoding.load(f"{HERE.stem}:{name}")
    assert isinstance(encoder, Encoder)
    assert encoder.dimensions == 5
    with pytest.warns(EmptyTextWarning):
        vectors = encoder.encode(["aa e", "", " \n", "u"])
    assert vectors.tolist() == [[2, 1, 0, 0, 0], [0] * 5, [0] * 5, [0, 0, 0, 0, 1]]
    assert encoder.encode([]).shape == (0, 5)


def test_the_fingerprint_depends_on_the_vectors() -> None:
    one, again, other = (encoding.load(f"{HERE.stem}:{name}") for name in ("letters", "letters", "shifted"))
    assert one.fingerprint == again.fingerprint != other.fingerprint


def test_an_encoder_is_returned_unchanged() -> None:
    assert encoding.load(f"{HERE.stem}:embedded") is embedded


@pytest.mark.parametrize("name", ["endless", "single", "ragged", "HERE", "nobody", "encoding"])
def test_anything_that_returns_no_vectors_is_refused(name: str) -> None:
    with pytest.raises(LexLatticeError) as caught:
        encoding.load(f"{HERE.stem}:{name}")
    assert f"{HERE.stem}:{name}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_its_vectors_can_be_cached(tmp_path: Path) -> None:
    encoder = encoding.load(f"{HERE.stem}:letters", cache=tmp_path)
    assert np.array_equal(encoder.encode(["a e", "i"]), encoding.load(f"{HERE.stem}:letters").encode(["a e", "i"]))
    assert encoder.fingerprint == encoding.load(f"{HERE.stem}:letters").fingerprint


def test_a_weights_file_never_runs_custom_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors import safe_open
    from safetensors.numpy import save_file

    with safe_open(PATH, "numpy") as file:
        tensors, about = {name: file.get_tensor(name) for name in sorted(file.keys())}, dict(file.metadata())
    save_file(tensors, tmp_path / "model.safetensors", {**about, "encoder": "trap:sprung"})
    (tmp_path / "trap.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EncodingError, match="'trap:sprung'"):
        Summarizer.from_pretrained(tmp_path)
    assert "trap" not in sys.modules
