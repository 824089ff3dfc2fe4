"""The leaderboard: which rows it has, under which rules, and that its page says what it prints."""

from __future__ import annotations

import gzip
import json
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import ROOT
from helpers.service import served
from lexlattice import __version__, read
from lexlattice.apps.cli import main
from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation import gold as gold_module
from lexlattice.evaluation.gold import Places, edition, load_gold, texts_digest
from lexlattice.research.leaderboard import ALWAYS, Leaderboard, leaderboard

PAGE = (ROOT / "docs" / "gold.md").read_text("utf-8")
NAMES = ("short", "directive", "decision")
Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def rows(examples: Path) -> Rows:
    return [
        {
            "celex_id": f"32024R900{number}",
            "language": "en",
            "reference": (examples / name / "en.txt").read_text("utf-8"),
            "summary": "Keepers must register each of their hives with the authority. It is free of charge. " * 10,
        }
        for number, name in enumerate(NAMES)
    ]


def annotation(row: dict[str, str]) -> dict[str, Any]:
    """As in the files: the second and third article of the act matter."""
    act = read(row["reference"], language="en", format="text")
    owners = Places(act, row["reference"]).owners().tolist()
    places = {
        unit.id: [owners.index(index), owners.index(index) + owners.count(index)]
        for index, unit in enumerate(act.units)
        if unit.id.startswith(("art-2", "art-3"))
    }
    points = [{"point": name, "weight": 1 + n % 3, "units": [name]} for n, name in enumerate(places)]
    return {
        "celex_id": row["celex_id"],
        "language": "en",
        "words": sum(act[name].words for name in places),
        "points": points,
        "extract": list(places),
        "places": places,
    }


def written(path: Path, rows: list[Any]) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture(scope="module")
def gold(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("gold") / "gold.jsonl", list(map(annotation, rows)))


@pytest.fixture
def board(rows: Rows, gold: Path, tmp_path: Path) -> Callable[..., Leaderboard]:
    """The leaderboard with extracts, by CELEX number, as the system `mine`."""

    def make(extracts: dict[str, object], **options: Any) -> Leaderboard:
        path = written(tmp_path / "mine.jsonl", [{"celex_id": k, "extract": v} for k, v in extracts.items()])
        return leaderboard(rows, f"mine=extracts:{path}", gold=gold, **options)

    return make


def test_it_has_the_same_rows_for_everybody_best_first(rows: Rows, gold: Path) -> None:
    found = leaderboard(rows, {"mine": lambda act, words: act.units[-1].text}, gold=gold)
    assert {*found.ranking} == {"mine", *ALWAYS}
    assert {*found.ranking[-2:]} == {"oracle", "gold"}
    scores = [found.evaluation.systems[name]["meaning"]["f1"] for name in found.ranking[:-2]]
    assert scores == sorted(scores, reverse=True)
    table, differences = found.tables
    assert [line.name for line in table.rows] == found.ranking
    assert all(cell.interval for line in table.rows for cell in line.cells[:5])
    assert [line.name for line in differences.rows] == [name for name in found.ranking if name != "lexlattice"]
    assert [line.name for line in table.rows if not line.competes] == found.ranking[-2:]


def test_it_can_be_cited_and_is_the_same_each_time(board: Callable[..., Leaderboard], gold: Path) -> None:
    found, again = (board({"32024R9000": [[30, 60]]}) for _ in range(2))
    text = found.to_markdown()
    assert text == again.to_markdown()
    assert edition(gold).sha256[:12] in text
    assert found.command in text
    assert "mine=extracts:" in found.command
    assert f"version = {{{__version__}}}" in text
    cited = [
        found.edition.sha256[:12],
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"],
    ]
    assert all(part in found.bibtex for part in cited)
    assert found.to_latex().count(r"\begin{table*}") == 2
    assert json.loads(json.dumps(found.to_dict()))["gold"]["sha256"] == edition(gold).sha256


def test_the_gold_extract_as_a_file_has_full_precision(rows: Rows, gold: Path) -> None:
    found = leaderboard(rows, f"file=extracts:{gold}", gold=gold).evaluation.systems
    assert found["file"]["meaning"]["precision"] == 100
    assert found["file"]["meaning"]["points"] == found["gold"]["meaning"]["points"] == 100
    assert found["file"]["meaning"]["verbatim"] == 100


def test_leaving_acts_out_costs_their_points_and_is_said(board: Callable[..., Leaderboard], gold: Path) -> None:
    golden = {one.celex: list(map(list, one.extract)) for one in load_gold(gold)}
    one = next(iter(golden))
    found = board({one: golden[one]})
    assert found.evaluation.systems["mine"]["meaning"]["precision"] == pytest.approx(100 / 3)
    assert "mine in 2 of 3 acts" in found.tables[0].note


def test_everything_is_cut_to_the_length_and_it_is_said(
    board: Callable[..., Leaderboard], rows: Rows, gold: Path
) -> None:
    found = board({row["celex_id"]: row["reference"] for row in rows})
    assert "mine in 3 of 3 acts" in found.tables[0].note
    mine = found.evaluation.systems["mine"]
    assert mine["words"] == pytest.approx(sum(one.words for one in load_gold(gold)) / 3)
    assert mine["meaning"]["points"] < 100


def test_an_abstractive_system_is_scored_where_it_quotes(board: Callable[..., Leaderboard], rows: Rows) -> None:
    found = board({row["celex_id"]: "Beekeepers ought to tell the town hall about bees." for row in rows})
    mine = found.evaluation.systems["mine"]["meaning"]
    assert (mine["points"], mine["precision"], mine["verbatim"]) == (0, 0, 0)


def test_extracts_of_other_acts_are_noted(board: Callable[..., Leaderboard]) -> None:
    notes: list[str] = []
    board({"32024R9000": "Hives.", "32000L0001": "Other."}, note=notes.append)
    assert ["32000L0001" in note for note in notes] == [True]
    with pytest.raises(DataError, match="CELEX"):
        board({"32000L0001": "Other."})


@pytest.mark.parametrize(
    "options",
    [
        {"systems": "published"},
        {"systems": "mine=published"},
        {"systems": "lead=random"},
        {"systems": {"gold": lambda act, words: act.source}},
        {"systems": "nonsense"},
        {"against": "mine"},
    ],
)
def test_systems_that_are_not_comparable_are_refused(rows: Rows, gold: Path, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        leaderboard(rows, gold=gold, **options)


def test_every_annotated_act_counts_once(rows: Rows, gold: Path) -> None:
    for data in (rows[1:], [*rows, rows[0]], [{**rows[0], "summary": ""}, *rows[1:]]):
        with pytest.raises(DataError, match=rows[0]["celex_id"]):
            leaderboard(data, gold=gold)


def test_an_oracle_under_another_name_does_not_compete(rows: Rows, gold: Path) -> None:
    assert leaderboard(rows, "mine=oracle", gold=gold).oracles == {"mine", "oracle", "gold"}


@pytest.fixture
def workplace(rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with small data in place of EUR-Lex-Sum's, and annotations of them in place of the project's."""
    folder = tmp_path / "annotations"
    folder.mkdir()
    path = written(folder / "validation.jsonl", list(map(annotation, rows)))
    digest = texts_digest({row["celex_id"]: row["reference"] for row in rows})
    known = {"version": "7.3", "annotations": {"validation": edition(path).sha256}, "acts": {"validation": digest}}
    (folder / "version.json").write_text(json.dumps(known))
    monkeypatch.setattr(gold_module, "FOLDER", folder)
    written(tmp_path / "validation.jsonl.gz", rows)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_texts_must_be_those_that_were_annotated(workplace: Path, rows: Rows) -> None:
    assert leaderboard(rows, against="lead").edition.version == "7.3"
    shifted = [{**rows[0], "reference": "One word more. " + rows[0]["reference"]}, *rows[1:]]
    with pytest.raises(DataError, match="reference"):
        leaderboard(shifted)


def test_annotations_that_were_changed_say_so(workplace: Path) -> None:
    with (workplace / "annotations" / "validation.jsonl").open("a") as file:
        file.write("")
    assert edition("validation").version == "7.3"
    with (workplace / "annotations" / "validation.jsonl").open("a") as file:
        file.write(" ")
    assert edition("validation").version == "7.3 (changed)"


def test_the_annotations_are_those_of_their_version() -> None:
    assert [edition(name).version for name in ("train", "validation")] == ["1.0", "1.0"]


# --- the command and its page -----------------------------------------------------------------------------


def blocks(kind: str) -> list[str]:
    """The code of the page in a language, without the leaderboard itself."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [code for language, code in found if language == kind]


def row_of(table: str, name: str) -> list[str]:
    """The figures of a system in the scores of a leaderboard, without marks for the best."""
    scores = table.partition("### Differences")[0]
    line = next(line for line in scores.splitlines() if line.startswith(f"| {name} |"))
    return line.replace("**", "").split("|")[2:]


def run_the_page(folder: Path) -> list[str]:
    """Follow the page in a folder with the data, against a real service; return the commands that were run."""
    _, function, file = blocks("python")
    (folder / "mine.py").write_text(function)
    exec(file, {})
    commands = blocks("sh")
    with served(workers=1, fetch=False) as server:
        (folder / "service.toml").write_text(
            blocks("toml")[0].replace("http://127.0.0.1:8000", server.address.rstrip("/"))
        )
        for command in commands:
            assert main([*command.split()[1:], "-q", "-j", "1"]) == 0, command
    return commands


def test_the_commands_of_the_page_work(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(run_the_page(workplace)) == 3
    tables = capsys.readouterr().out.split("### Leaderboard, validation")[1:]
    assert all(row_of(table, name) for table, name in zip(tables, ("mine", "mine", "service"), strict=True))
    assert row_of(tables[2], "service") == row_of(tables[2], "lexlattice")


def test_the_command_prints_json_and_latex(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["leaderboard", "validation.jsonl.gz", "--against", "lead", "-q", "-j", "1"]
    assert main([*call, "--json", "--per-act", "acts.jsonl"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["acts"], found["against"], found["gold"]["version"]) == (3, "lead", "7.3")
    assert found["command"] == "lexlattice leaderboard validation.jsonl.gz --against lead"
    assert len((workplace / "acts.jsonl").read_text("utf-8").splitlines()) == 3
    assert main([*call, "--latex"]) == 0
    assert capsys.readouterr().out.startswith(r"\begin{table*}")


def test_the_example_of_the_page_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    exec(blocks("python")[0], {})
    assert capsys.readouterr().out in blocks("")


def printed_table() -> str:
    return PAGE.partition("<!-- leaderboard -->")[2].partition("<!-- end -->")[0].strip()


def test_the_page_has_the_figures_of_the_results() -> None:
    results = (ROOT / "docs" / "results.md").read_text("utf-8").partition("<!-- table: meaning/1 -->")[2]
    pages = (results.partition("<!-- end -->")[0], printed_table().partition("### Differences")[0])
    ours, theirs = (
        {line.split("|")[1].strip(" *"): re.findall(r"\d+\.\d+", line) for line in page.splitlines() if "–" in line}
        for page in pages
    )
    assert ours.keys() == theirs.keys()
    for name, figures in ours.items():
        assert list(map(float, theirs[name])) == pytest.approx(list(map(float, figures)), abs=0.0501), name
    assert edition("validation").sha256[:12] in printed_table()


@pytest.mark.data
@pytest.mark.slow
def test_the_page_shows_what_the_command_prints(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "validation.jsonl.gz").symlink_to(data / "eur-lex-sum" / "en" / "validation.jsonl.gz")
    monkeypatch.chdir(tmp_path)
    command = re.findall(r"Made by `lexlattice (leaderboard [^`]+)`", PAGE)[0]
    assert main([*command.split(), "-q", "-j", str(min(2, os.cpu_count() or 1))]) == 0
    assert capsys.readouterr().out.strip() == printed_table()
    monkeypatch.syspath_prepend(str(tmp_path))
    run_the_page(tmp_path)
    last = capsys.readouterr().out.rpartition("### Leaderboard")[2]
    assert row_of(last, "service") == row_of(last, "lexlattice")
