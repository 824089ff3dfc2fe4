"""What people would try first, with an installed package: the command, the library, the page, a training.

Usage: python smoke.py   (in a folder with `acts/`, the short examples; `tools/check_wheel.py` makes one)
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from urllib.request import Request, urlopen

import lexlattice

ACTS = Path("acts")


def lexlattice_command(*arguments: str) -> str:
    """Run the installed command and return what it prints."""
    return subprocess.run(["lexlattice", *arguments], check=True, capture_output=True, encoding="utf-8").stdout


def library() -> None:
    """Summaries in two languages, with the same provisions."""
    english = lexlattice.summarize(ACTS / "en.txt", words=120)
    french = lexlattice.summarize(ACTS / "fr.txt", words=120)
    assert english[0].citation.startswith("Article 1"), english
    assert french[0].id == english[0].id


def command() -> None:
    """A version, a summary on the terminal, and one in a file."""
    assert lexlattice.__version__ in lexlattice_command("--version")
    assert "Article 1" in lexlattice_command("summarize", "acts/en.txt", "--words", "120")
    lexlattice_command("summarize", "acts/de.txt", "-o", "summary.html")
    assert "<html" in Path("summary.html").read_text("utf-8")


def service() -> None:
    """The page, an example act, and a summary over REST."""
    process = subprocess.Popen(
        ["lexlattice", "serve", "--port", "0", "--no-open", "--workers", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = next(found[0] for line in process.stdout if (found := re.search(r"http://[\w.:]+", line)))
        assert b"<html" in urlopen(address, timeout=30).read()
        assert urlopen(f"{address}/v1/examples/en", timeout=30).status == 200
        body = json.dumps({"text": (ACTS / "en.txt").read_text("utf-8"), "words": 100}).encode()
        request = Request(f"{address}/v1/summaries", body, {"Content-Type": "application/json"})
        assert json.load(urlopen(request, timeout=30))["extract"]
    finally:
        process.terminate()
        process.wait(30)


def training() -> None:
    """The shipped configuration, by its name, on a few acts with annotations; then a summary by what it made."""
    rows, annotations = [], []
    for number, path in enumerate(sorted(ACTS.glob("*.txt"))[:6]):
        act = lexlattice.read(path)
        celex = f"32024R{number:04d}"
        units = [unit for unit in act.units if unit.id.startswith("art-") and unit.words > 4][::3]
        # Places count words (`\w+`) of the published text.
        starts = [match.start() for match in re.finditer(r"\w+", act.source)]
        places = {}
        for unit in units:
            inside = [place for place, start in enumerate(starts) if unit.start <= start < unit.end]
            places[unit.id] = [inside[0], inside[-1] + 1]
        summary = "\n".join(unit.text for unit in units)
        rows.append({"celex_id": celex, "language": act.language, "reference": act.source, "summary": summary})
        points = [{"point": "", "weight": 2, "units": [unit.id]} for unit in units]
        words = sum(unit.words for unit in units)
        annotations.append(
            {"celex_id": celex, "language": act.language, "words": words, "points": points}
            | {"extract": list(places), "places": places}
        )
    for split, part in (("train", slice(4)), ("validation", slice(4, None))):
        for name, content in (("rows", rows), ("gold", annotations)):
            Path(f"{split}-{name}.jsonl").write_text("\n".join(map(json.dumps, content[part])), "utf-8")
        files = (f"{split}-rows.jsonl", "--gold", f"{split}-gold.jsonl")
        lexlattice_command("prepare", *files, "--split", split, "-o", split, "--quiet")
    lexlattice_command(
        *("train", "--config", "provisions", "--data", "train", "--validation", "validation"),
        *("-o", "model", "--stage", "warm-start", "--quiet"),
    )
    assert "Article" in lexlattice_command("summarize", "acts/en.txt", "--model", "model", "--words", "120")


if __name__ == "__main__":
    for step in (library, command, service, training):
        step()
        print(f"{step.__name__}: ok", flush=True)
