"""The experiment that leads the results: systems by meaning, at several lengths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from lexlattice import evaluate
from lexlattice.errors import ConfigError
from lexlattice.evaluation.gold import WORD
from lexlattice.research.experiments import run_experiment

CELEX = "32024R9001"


@pytest.fixture
def config(tmp_path: Path, examples: Path) -> Path:
    """Settings for one act, whose second half matters."""
    text = (examples / "short" / "en.txt").read_text("utf-8")
    words = len(WORD.findall(text))
    gold = {
        "celex_id": CELEX,
        "language": "en",
        "words": 120,
        "points": [{"point": "The end.", "weight": 2, "units": ["a"]}],
        "extract": ["a"],
        "places": {"a": [words - 60, words - 20]},
    }
    rows = {"celex_id": CELEX, "reference": text, "summary": "Keepers register each beehive."}
    other = {**rows, "celex_id": "32024R9002"}
    folder = tmp_path / "corpus" / "en"
    folder.mkdir(parents=True)
    (folder / "validation.jsonl").write_text("\n".join(map(json.dumps, (rows, other))), "utf-8")
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold), "utf-8")
    path = tmp_path / "meaning.toml"
    lines = {
        "data": str(tmp_path / "corpus"),
        "gold": str(tmp_path / "gold.jsonl"),
        "lengths": ["reference", 60],
        "systems": ["lead", "oracle", "gold"],
    }
    path.write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()), "utf-8")
    return path


def test_there_is_a_table_for_each_length_and_its_tests(config: Path, tmp_path: Path) -> None:
    official, short, tests, _ = run_experiment("meaning", config, tmp_path / "out")
    assert [column.name for column in official.columns] == ["points", "precision", "F1", "R-1", "R-2", "words"]
    assert official.source.acts == 1
    gold = next(line for line in official.rows if line.name == "gold")
    assert [cell.value for cell in gold.cells[:3]] == pytest.approx([100, 100, 100])
    assert not gold.competes
    rows = [json.loads(line) for line in (tmp_path / "corpus" / "en" / "validation.jsonl").read_text().splitlines()]
    expected = evaluate(rows, ["lead"], gold=tmp_path / "gold.jsonl", budget=60).systems["lead"]
    lead = next(line for line in short.rows if line.name == "lead")
    assert lead.cells[1].value == pytest.approx(expected["meaning"]["precision"])
    assert tests.title.startswith("By meaning, against lead")
    assert [line.name for line in tests.rows] == ["oracle", "gold"]


def test_a_second_run_finds_everything(config: Path, tmp_path: Path) -> None:
    said: list[str] = []
    first = run_experiment("meaning", config, tmp_path / "out", note=said.append)
    assert said
    said.clear()
    assert run_experiment("meaning", config, tmp_path / "out", note=said.append) == first
    assert not said


def test_it_needs_annotations(config: Path, tmp_path: Path) -> None:
    config.write_text("\n".join(line for line in config.read_text().splitlines() if not line.startswith("gold")))
    with pytest.raises(ConfigError):
        run_experiment("meaning", config, tmp_path / "out")
