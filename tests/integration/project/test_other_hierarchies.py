"""Documents that are no EU acts, from the file to the summary, the evaluation and the training data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lexlattice
from lexlattice.apps.cli import main
from lexlattice.reading.hierarchies import load_hierarchy
from lexlattice.training.prepare import prepare

SUMMARY = "The Secretary makes grants of up to $40,000 a year to towns that employ a keeper for a lighthouse garden."


@pytest.fixture
def folder(examples: Path) -> Path:
    return examples / "hierarchies"


@pytest.fixture
def rows(folder: Path) -> list[dict[str, str]]:
    return [{"reference": (folder / "bill.txt").read_text("utf-8"), "summary": SUMMARY}] * 2


def test_a_document_is_summarized_by_ones_own_file(folder: Path) -> None:
    summary = lexlattice.summarize(folder / "library-rules.txt", hierarchy=folder / "library-rules.toml", words=60)
    assert 0 < summary.words <= 60
    assert all(item.citation.startswith(("Rule", "Annex")) for item in summary)
    assert all(summary.act.source[item.start : item.end] == item.text for item in summary)


def test_commands_take_a_hierarchy(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contract, target = str(folder / "contract.txt"), tmp_path / "summary.json"
    assert main(["summarize", contract, "--hierarchy", "contract", "--words", "50", "-o", str(target)]) == 0
    assert all(item["citation"].startswith("Clause") for item in json.loads(target.read_text("utf-8"))["extract"])
    capsys.readouterr()
    assert main(["parse", contract, "--hierarchy", "contract", "--tree"]) == 0
    assert "Supply and Delivery" in capsys.readouterr().out
    assert main(["summarize", contract, "--hierarchy", "nothing"]) == 2
    assert main(["summarize", contract, contract, "--versions", "--hierarchy", "contract"]) == 2


def test_systems_are_evaluated_and_data_prepared_in_a_hierarchy(rows: list[dict[str, str]], tmp_path: Path) -> None:
    result = lexlattice.evaluate(rows, ["lexlattice", "lead", "oracle"], hierarchy="us-bill")
    assert result.acts == 2
    assert result.systems["oracle"]["unicode"]["rouge1"] > result.systems["lead"]["unicode"]["rouge1"]
    prepared = prepare([rows], tmp_path / "prepared", hierarchy="us-bill")
    assert prepared.manifest["hierarchy"] == f"us-bill {load_hierarchy('us-bill').digest}"
    assert prepared[0].act.hierarchy == "us-bill"
    with pytest.raises(lexlattice.errors.OutputError):
        prepare([rows], tmp_path / "prepared", hierarchy="contract")
