"""Rows of little acts with summaries, as a data set has them: the short example in its 24 languages."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from helpers import ROOT

LANGUAGES = "en fr de el bg fi pl es it pt nl sv da cs sk sl hr hu ro et lv lt mt ga".split()
EXAMPLES = ROOT / "examples" / "short"

Row = dict[str, str]


def little_rows(count: int, first: int = 1) -> list[Row]:
    """So many rows, each of an act of its own; the summaries take some of the act's longer lines."""
    rows = []
    for number in range(first, first + count):
        language = LANGUAGES[number % len(LANGUAGES)]
        text = (EXAMPLES / f"{language}.txt").read_text("utf-8")
        lines = [line for line in text.splitlines() if len(line) > 60]
        summary = "\n".join(lines[number % 3 :: 4])
        rows.append(
            {"celex_id": f"32024R{number:04d}", "reference": f"{text}\n", "summary": summary, "language": language}
        )
    return rows


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, byte for byte."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
