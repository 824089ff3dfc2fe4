"""Encoders with threads of their own never wait for ever beside worker processes: they stay in one process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from helpers.acts import little_rows, write_rows
from helpers.tiny_models import tiny_mt5, tiny_sentence_transformer
from lexlattice import encoding
from lexlattice.apps.bulk.tasks import Encode
from lexlattice.evaluation import evaluate
from lexlattice.evaluation.systems import runs_in_workers
from lexlattice.training.prepare import prepare

SECONDS = 120
"""After which a command hangs; it takes a few of them on an idle machine."""


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    from lexlattice.encoding.mt5 import MT5, export_onnx

    folder = tmp_path_factory.mktemp("models")
    mt5 = tiny_mt5(folder / "mt5")
    exported = export_onnx(MT5(mt5), folder / "onnx")
    return {"mt5": f"mt5:{mt5}", "st": f"st:{tiny_sentence_transformer(folder / 'bert')}", "onnx": f"onnx:{exported}"}


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("kind", ["mt5", "st", "onnx"])
def test_preparing_and_evaluating_end_beside_two_threads_and_two_jobs(
    models: dict[str, str], kind: str, tmp_path: Path, two_threads: None
) -> None:
    rows, encoder = little_rows(3), models[kind]
    encoding.load(encoder).encode([row["reference"] for row in rows])  # starts the threads that a fork would lose
    assert len(prepare([rows], tmp_path / "prepared", encoder=encoder, jobs=2)) == 3
    assert evaluate(rows, "lead,lexrank-vectors", encoder=encoder, jobs=2).acts == 3


@pytest.mark.slow
def test_the_commands_end_with_two_threads_and_two_jobs(models: dict[str, str], tmp_path: Path) -> None:
    write_rows(tmp_path / "data.jsonl", little_rows(3))
    script = f"""
from lexlattice.apps.cli import main

if __name__ == "__main__":
    for kind, encoder in {models!r}.items():
        options = ("--encoder", encoder, "--jobs", "2", "--quiet")
        assert main(["prepare", "data.jsonl", "-o", kind, *options]) == 0
        assert main(["evaluate", "data.jsonl", "--system", "lead,lexrank-vectors", *options]) == 0
"""
    (tmp_path / "all.py").write_text(script)  # one process for all, since PyTorch takes seconds to import
    done = subprocess.run(
        [sys.executable, "all.py"],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        capture_output=True,
        encoding="utf-8",
        timeout=2 * SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_only_the_embedded_encoder_runs_in_worker_processes(models: dict[str, str]) -> None:
    assert encoding.runs_in_workers("static") and encoding.runs_in_workers("static:weights.safetensors")
    assert not any(encoding.runs_in_workers(name) for name in (*models.values(), "mt5", "mine.module:encoder"))
    assert Encode(None, "static", None).runs_in_workers
    assert not Encode(None, models["mt5"], None).runs_in_workers


def test_systems_with_a_transformer_stay_in_one_process(models: dict[str, str]) -> None:
    assert runs_in_workers("lead", models["mt5"])
    assert runs_in_workers("lexrank-vectors", "static")
    assert not runs_in_workers("lexrank-vectors", models["onnx"])
    for name in ("local:folder", "seq2seq:folder?method=sled", "translate:folder?system=lead"):
        assert not runs_in_workers(name, None)


def test_an_encoder_of_the_caller_needs_not_be_sent_to_other_processes() -> None:
    static = encoding.load()
    result = evaluate(little_rows(2), "lexrank-vectors", encoder=lambda texts: static.encode(texts), jobs=2)
    assert result.acts == 2
