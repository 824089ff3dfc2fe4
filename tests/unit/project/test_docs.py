"""The documentation agrees with itself: figures on several pages are the same, and what is named is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from helpers import ROOT

README = ROOT / "README.md"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md")] + sorted((ROOT / "docs").rglob("*.md"))
ROWS = {
    "lexlattice": "lexlattice",
    "coverage": "`coverage`, the research system that maximises ROUGE",
    "lexrank": "LexRank",
    "centroid": "centroid",
    "random": "random, mean of ten draws",
    "lead": "lead",
    "oracle": "ROUGE oracle, which sees the summary",
}
"""What pages call the systems of the first table."""
SHOWN = {"lexlattice", "lexrank", "random", "lead", "oracle"}
"""Those that every page shows."""


def figures(line: str) -> list[float]:
    """All of a line, but for what stands beside them from the paper."""
    return [float(number) for number in re.findall(r"\d+\.\d+", re.sub(r"\(\d+\.\d+\)", "", line))]


def rows(page: str) -> dict[str, str]:
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return {line.split("|")[1].strip().strip("*"): line for line in lines}


@pytest.mark.parametrize("page", ["README.md", "src/lexlattice/lattice/weights/lattice.md"])
def test_pages_have_the_figures_of_the_first_table(page: str) -> None:
    results = (ROOT / "docs" / "results.md").read_text("utf-8")
    measured = rows(results.partition("<!-- table: meaning/1 -->")[2].partition("<!-- end -->")[0])
    text = (ROOT / page).read_text("utf-8")
    shown = rows(text.partition("| | points |")[2].partition("\n\n")[0])
    assert {system for system, name in ROWS.items() if name in shown} >= SHOWN
    for system, name in ROWS.items():
        if name not in shown:
            continue
        cells, printed = (figures(table[key]) for table, key in ((measured, system), (shown, name)))
        assert printed[:9] == pytest.approx(cells[:9], abs=0.0501), system
        assert printed[9:] == pytest.approx([cells[9], cells[12]], abs=0.0501), system


def test_the_first_lines_of_code_print_what_the_readme_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = re.findall(r"```(?:python)?\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[1:3]
    assert len([line for line in code.splitlines() if line.strip()]) <= 8
    monkeypatch.chdir(ROOT)
    exec(code.replace('summary.save("summary.docx")', ""), {})
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if "://" not in target and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_tests_and_benchmarks_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    for name in re.findall(r"(?<!training/)\b(?:tests|benchmarks|fuzz|tools)/[\w/.-]+\.(?:py|toml)\b", text):
        assert "NAME" in name or (ROOT / name).is_file(), name
    for name, pattern in re.findall(r"pytest (?:-m \"\" )?(tests/\w+\.py) -k \"?(\w+)", text):
        assert pattern in (ROOT / name).read_text("utf-8"), (name, pattern)


def defined(path: Path) -> set[str]:
    """The functions and classes of a module, and the methods of its classes as `Class.method`."""
    names: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{child.name}" for child in node.body if isinstance(child, ast.FunctionDef)}
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_that_a_page_names_with_their_file_are_there(page: Path) -> None:
    for file, name in re.findall(r"`([\w/]+\.py):([\w.]+)`", page.read_text("utf-8")):
        assert name in defined(ROOT / "src" / "lexlattice" / file), (file, name)
