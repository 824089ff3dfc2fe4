"""Run the notebooks of docs/notebooks and keep what they print.

Usage: python tools/run_notebooks.py [NOTEBOOK …]

Every notebook starts in a folder of its own that is removed afterwards, with `LEXLATTICE_EXAMPLES` naming the example
acts, so that it runs the same from a clone, in CI and in the tests.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
TIMEOUT = 300  # seconds for a cell


def run(path: Path) -> NotebookNode:
    """Execute a notebook.

    Args:
        path: The notebook; the file itself is left alone.

    Returns:
        The notebook with the outputs of this run.

    Raises:
        CellExecutionError: If a cell raises an exception.

    """
    notebook = nbformat.read(path, as_version=4)
    os.environ["LEXLATTICE_EXAMPLES"] = str(ROOT / "examples")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny trainings are slower on several threads
    with tempfile.TemporaryDirectory() as scratch:
        client = NotebookClient(notebook, timeout=TIMEOUT, resources={"metadata": {"path": scratch}})
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of the run, different each time
    return notebook


def main() -> None:
    """Run the notebooks that are named, or all, and write them back with their outputs."""
    for path in [Path(name) for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(run(path), path)
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


if __name__ == "__main__":
    main()
