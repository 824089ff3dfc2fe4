"""What the project says is in the field's vocabulary and in plain modern English."""

import re
from pathlib import Path

import pytest

from helpers import ROOT

AVOIDED = {
    "chance": "probability",
    "chances": "probabilities",
    "anew": "again, or a verb with re-",
    "so many": "N",
    "mend": "fix",
    "mended": "fixed",
    "carrying": "projection, transfer",
    "there and back": "round trip",
    "purse": "ledger",
    "workshop": "runner",
    "belief": "tracker",
    "trainee": "trainable model",
    "stranger": "untrusted source",
    "strangers": "untrusted sources",
    "likeness": "similarity",
    "accent": "diacritic",
    "accents": "diacritics",
    "learnt": "learned, trained on",
    "found out": "detected",
    "by our fault": "internal error",
    "for want of": "without",
}
"""Words of a private dialect, and what the field says."""
PATTERN = re.compile(rf"\b({'|'.join(AVOIDED)})\b", re.IGNORECASE)
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "Makefile",
    *(ROOT / "docs").rglob("*.md"),
]
CODE = [
    path
    for path in (ROOT / "src").rglob("*")
    if path.suffix in {".py", ".js", ".md", ".html"} and "vendor" not in path.parts  # written by others
]
CODE += [path for folder in ("benchmarks", "tools", "fuzz") for path in (ROOT / folder).glob("*.py")]


@pytest.mark.parametrize("path", [*PAGES, *CODE], ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_uses_the_words_of_the_field(path: Path) -> None:
    text = path.read_text("utf-8").replace("_", " ")
    assert [f"{word} → {AVOIDED[word.lower()]}" for word in PATTERN.findall(text)] == []
