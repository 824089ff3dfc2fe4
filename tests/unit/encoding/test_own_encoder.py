"""Anybody's own encoder: what it may be, how it is told from others, and when its code is run."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from lexlattice import encoding
from lexlattice.encoding import EmptyTextWarning, Encoder, EncodingError
from lexlattice.encoding.static import Static
from lexlattice.summarizer import PATH, Summarizer

HERE = Path(__file__)


def letters(texts: list[str]) -> list[list[float]]:
    """How often some letters occur."""
    assert all(text.strip() for text in texts), "nobody is asked for what is blank"
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
def test_it_is_a_function_or_has_one(name: str) -> None:
    own = encoding.load(f"{HERE.stem}:{name}")
    assert isinstance(own, Encoder)
    assert own.dimensions == 5
    with pytest.warns(EmptyTextWarning):
        vectors = own.encode(["aa e", "", " \n", "u"])
    assert vectors.tolist() == [[2, 1, 0, 0, 0], [0] * 5, [0] * 5, [0, 0, 0, 0, 1]]
    assert own.encode([]).shape == (0, 5)


def test_its_fingerprint_is_what_it_makes_of_texts() -> None:
    one, again, other = (encoding.load(f"{HERE.stem}:{name}") for name in ("letters", "letters", "shifted"))
    assert one.fingerprint == again.fingerprint != other.fingerprint


def test_what_is_an_encoder_already_stays_what_it_is() -> None:
    assert encoding.load(f"{HERE.stem}:embedded") is embedded


@pytest.mark.parametrize("name", ["endless", "single", "ragged", "HERE", "nobody", "encoding"])
def test_what_makes_no_vectors_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(Exception, match=f"{HERE.stem}:{name}") as caught:
        encoding.load(f"{HERE.stem}:{name}")
    assert "\n" not in str(caught.value)


def test_its_vectors_can_be_kept(tmp_path: Path) -> None:
    own = encoding.load(f"{HERE.stem}:letters", cache=tmp_path)
    assert np.array_equal(own.encode(["a e", "i"]), encoding.load(f"{HERE.stem}:letters").encode(["a e", "i"]))
    assert own.fingerprint == encoding.load(f"{HERE.stem}:letters").fingerprint


def test_a_file_of_weights_never_has_anybodys_code_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors import safe_open
    from safetensors.numpy import save_file

    with safe_open(PATH, "numpy") as file:
        tensors, about = {name: file.get_tensor(name) for name in sorted(file.keys())}, dict(file.metadata())
    save_file(tensors, tmp_path / "model.safetensors", {**about, "encoder": "trap:sprung"})
    (tmp_path / "trap.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EncodingError, match="somebody's own, 'trap:sprung'; name it yourself"):
        Summarizer.from_pretrained(tmp_path)
    assert "trap" not in sys.modules
