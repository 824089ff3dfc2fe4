"""The notebooks of the documentation run from start to end, and are kept with what they print."""

import sys
from pathlib import Path

import nbformat
import pytest

from helpers import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from run_notebooks import FOLDER, run

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    outputs = [cell.outputs for cell in run(path).cells if cell.cell_type == "code"]
    assert sum(map(bool, outputs)) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_its_outputs(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) - 1
    assert "Traceback" not in path.read_text("utf-8")
