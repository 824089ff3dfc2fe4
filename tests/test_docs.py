"""The documentation agrees with itself: figures on several pages are the same, and what is named is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")] + sorted((ROOT / "docs").rglob("*.md"))
ROWS = {
    "lexlattice": "**lexlattice**, free to take any unit",
    "summarize": "**lexlattice summarize**, complete provisions only",
    "2D + RLOO": "the paper's model, trained here on the embedded encoder",
    "lead": "lead",
    "random": "random, mean of ten draws",
    "lexrank": "LexRank",
    "textrank": "TextRank",
    "centroid": "centroid",
    "oracle": "oracle: looks at the summary",
}
"""What the README calls the systems of the main table."""


def figures(line: str) -> list[float]:
    """All of a line, but for what stands beside them from the paper."""
    return [float(number) for number in re.findall(r"\d+\.\d+", re.sub(r"\(\d+\.\d+\)", "", line))]


def rows(page: str) -> dict[str, str]:
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return {line.split("|")[1].strip().strip("*"): line for line in lines}


def test_the_readme_has_the_figures_of_the_main_table() -> None:
    results = (ROOT / "docs" / "results.md").read_text("utf-8")
    main = rows(results.partition("<!-- table: main/1 -->")[2].partition("<!-- end -->")[0])
    readme = rows((ROOT / "README.md").read_text("utf-8"))
    for system, name in ROWS.items():
        r1, r2, _, lsum = (figures(cell) for cell in main[system].split("|")[2:6])
        assert figures(readme[name.strip("*")]) == pytest.approx([*r1, *r2, *lsum], abs=0.0501), system


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if "://" not in target and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_tests_and_benchmarks_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    for name in re.findall(r"\b(?:tests|benchmarks|fuzz|tools|configs)/[\w/.-]+\.(?:py|toml)\b", text):
        assert "NAME" in name or (ROOT / name).is_file(), name
    for name, pattern in re.findall(r"pytest (?:-m \"\" )?(tests/\w+\.py) -k \"?(\w+)", text):
        assert pattern in (ROOT / name).read_text("utf-8"), (name, pattern)
