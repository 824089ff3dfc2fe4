"""The language of an act is found out, by its formulas or by py3langid's model."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lexlattice.reading import LANGUAGES
from lexlattice.reading.identify import classify, identify

NAMES = {
    **{"bulgarian": "bg", "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en"},
    **{"estonian": "et", "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hungarian": "hu"},
    **{"irish": "ga", "italian": "it", "latvian": "lv", "lithuanian": "lt", "maltese": "mt", "polish": "pl"},
    **{"portuguese": "pt", "romanian": "ro", "slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv"},
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_by_formulas_and_by_model(examples: Path, language: str) -> None:
    lines = (examples / "short" / f"{language}.txt").read_text("utf-8").splitlines()[4:]
    assert identify(lines) == language
    assert classify("\n".join(lines)) == language


@pytest.mark.data
def test_act_versions(data: Path) -> None:
    """Rightly in at least 99 % of versions, without the page header that would give the language away."""
    total = wrong = 0
    for name in ("multi-eurlex", "en-fr"):
        with gzip.open(data / "acts" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as rows:
            for row in rows:
                for language, text in json.loads(row)["text"].items():
                    lines = [line for line in text.split("\n")[6:] if line.strip()] or text.split("\n")
                    total += 1
                    wrong += identify(lines) != language
    assert total > 1200
    assert wrong <= 0.01 * total


@pytest.mark.data
def test_extracts_in_all_24_languages(data: Path) -> None:
    """Loose paragraphs, Irish and Croatian included, without any of an act's formulas."""
    for path in (data / "eur-lex-sum" / "lexrank-extracts").glob("*/*.txt"):
        assert identify(path.read_text("utf-8").splitlines()) == NAMES[path.parent.name], path
