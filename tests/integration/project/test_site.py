"""The documentation site is built without warnings, offline, with its search index and the API reference."""

import json
import subprocess
import sys
from pathlib import Path

from helpers import ROOT


def test_the_site_is_built_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "api" / "index.html").read_text("utf-8")
    assert 'id="lexlattice.summarize"' in reference
    places = {
        entry["location"]
        for entry in json.loads((tmp_path / "search" / "search_index.json").read_text("utf-8"))["docs"]
    }
    assert {"quickstart/", "how-it-works/", "notebooks/summarize-and-cite/"} <= places
