"""A model of which only a part was written or copied is refused in one sentence, wherever it may be named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lexlattice._internal.weights import read_weights, write_weights
from lexlattice.apps.cli import main
from lexlattice.summarizer import PATH


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The shipped model, as `lexlattice train` would write it."""
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    write_weights(path, *read_weights(PATH))
    return path.read_bytes()


def damages(whole: bytes) -> dict[str, bytes]:
    base = 8 + int.from_bytes(whole[:8], "little")
    cuts = [0, 1, 7, 8, 9, base - 1, base, base + 1, len(whole) // 4096 * 4096, len(whole) - 1]
    zeros = [1, 512, 4096, 65536, len(whole) - base, len(whole)]
    return {
        **{f"cut off after {length} bytes": whole[:length] for length in cuts},
        **{f"{length} zeros at the end": whole[:-length] + bytes(length) for length in zeros},
        "more than was written": whole + bytes(4096),
    }


@pytest.mark.parametrize("line", ["summarize {} --model {}", "corpus score {} -o {}/out --model {}"])
def test_half_a_model_is_refused_in_one_sentence_and_no_act_is_blamed(
    tmp_path: Path, whole: bytes, examples: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    act, model = examples / "short" / "en.txt", tmp_path / "model.safetensors"
    places = (act, model) if line.startswith("summarize") else (act, tmp_path, model)
    for name, content in damages(whole).items():
        if content == whole:
            continue
        if line.startswith("corpus") and "4096" not in name:
            continue  # each starts a process
        model.write_bytes(content)
        assert main([*line.format(*places).split(), "--quiet"]) == 2, name
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1), name
        assert str(model) in said.err, name
    assert not list(tmp_path.rglob("dead-letters.jsonl"))
    model.write_bytes(whole)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)  # it is the output of another model
    assert main([*line.format(*places).split(), "--quiet"]) == 0
