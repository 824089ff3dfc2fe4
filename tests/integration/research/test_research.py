"""The research system `coverage`: to be had by its name and by its file, apart from what people get."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lexlattice import Act, SummaryOptions, read, summarize
from lexlattice.apps.cli import main
from lexlattice.errors import OptionError, WeightsError
from lexlattice.research import COVERAGE, load, path_of
from lexlattice.research.coverage.summarizer import CoverageSummarizer
from lexlattice.summarizer import PATH, Summarizer


@pytest.fixture(scope="module")
def act(examples: Path) -> Act:
    return read(examples / "long" / "en.txt")


def test_summaries_are_verbatim_and_use_the_budget(act: Act) -> None:
    summary = load(COVERAGE).summarize(act, SummaryOptions(words=300))
    assert 290 <= summary.words <= 300
    assert all(item.text == act.source[item.start : item.end] for item in summary)
    assert summary.text == load(COVERAGE).extract(act, 300).text != summarize(act, words=300).text


def test_a_summary_can_be_restricted_to_articles(act: Act) -> None:
    summary = load(COVERAGE).summarize(act, SummaryOptions(words=300, focus="articles"))
    assert {act.sections[item.section].kind for item in summary} == {"article"}


def test_explanations_are_not_supported(act: Act) -> None:
    with pytest.raises(OptionError):
        load(COVERAGE).summarize(act, SummaryOptions(explain=True))


def test_a_file_is_loaded_by_its_format(tmp_path: Path) -> None:
    for path, kind in ((PATH, Summarizer), (path_of(COVERAGE), CoverageSummarizer)):
        assert type(load(path)) is kind
    load(COVERAGE).save_pretrained(tmp_path)
    assert type(load(tmp_path)) is CoverageSummarizer
    with pytest.raises(WeightsError):
        Summarizer.from_pretrained(path_of(COVERAGE))


def test_the_command_line_accepts_its_name(act: Act, examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(examples / "long" / "en.txt")
    assert main(["summarize", source, "--words", "120", "--model", "coverage", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == load(COVERAGE).summarize(act, SummaryOptions(words=120)).to_dict()


def test_the_default_summarizer_does_not_import_it(examples: Path) -> None:
    code = (
        "import sys; from lexlattice.apps.cli import main;"
        f"main(['summarize', {str(examples / 'short' / 'en.txt')!r}, '--words', '60', '--explain']);"
        "print([name for name in sys.modules if name.startswith('lexlattice.research')])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.endswith("[]\n")
