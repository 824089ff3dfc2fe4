"""The notebooks of the documentation run from start to end, and are kept with what they print."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
import pytest
import torch

from helpers import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from run_notebooks import FOLDER, run

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
GUIDE = FOLDER / "the-lattice-step-by-step.ipynb"
"""It trains for longer than the others, so it is run whole among the slow tests, and cut down otherwise."""
RUN = [pytest.param(path, id=path.stem, marks=pytest.mark.slow if path == GUIDE else ()) for path in NOTEBOOKS]


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize("path", RUN)
def test_a_notebook_runs_and_prints(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    outputs = [cell.outputs for cell in run(path).cells if cell.cell_type == "code"]
    assert sum(map(bool, outputs)) >= 4


@pytest.fixture
def restored() -> Iterator[None]:
    """What the guide sets for its whole process is as it was afterwards."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]), matplotlib.rc_context({"backend": "agg"}):
        yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("restored")
def test_the_guide_runs_with_one_epoch_of_each_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, which is quicker than a kernel. Its own assertions compare it with the package."""
    monkeypatch.setenv("LEXLATTICE_EXAMPLES", str(ROOT / "examples"))
    cells = [cell.source for cell in nbformat.read(GUIDE, as_version=4).cells if cell.cell_type == "code"]
    code, replaced = re.subn(r"epochs=\d+", "epochs=1", "\n".join(cells))
    assert replaced == 3
    names: dict[str, Any] = {"__name__": "guide"}
    exec(code, names)
    assert names["losses"] and len(names["curve"]) == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_its_outputs(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) - 1
    assert "Traceback" not in path.read_text("utf-8")
