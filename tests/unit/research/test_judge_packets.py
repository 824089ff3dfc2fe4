"""Blind judging: packets name no system, verdicts are checked, and figures follow from made-up marks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helpers import ROOT
from lexlattice import read
from lexlattice.errors import DataError, OutputError
from lexlattice.evaluation.gold import Gold, Place, Point
from lexlattice.research.judging.blind import (
    Entry,
    Packet,
    Verdict,
    correlations,
    differences,
    key_of,
    read_verdicts,
    standings,
    write_packets,
)

CANDIDATES = {
    "lead": [Entry("Title", "On the keeping of bees"), Entry("Recital 1", "Bees matter a lot.")],
    "ours": [Entry("Article 1 · Duty", "Keepers register:\n(a) hives;\n[… 2 more points]"), Entry("", "  ")],
}
POINTS = ("Keepers register hives.", "It is free.")


def packet(name: str = "32024R9001", points: tuple[str, ...] = POINTS) -> Packet:
    return Packet(name, "Regulation on bees", "Keepers must register hives, free of charge.", CANDIDATES, points)


def answer(folder: Path, act: str, marks: dict[str, dict[str, Any]]) -> None:
    """A judge who happens to know which system is which."""
    key = json.loads(key_of(folder).read_text("utf-8"))[act]
    letters = {known["system"]: letter for letter, known in key.items()}
    results = {letters[name]: result for name, result in marks.items()}
    (folder / act / "results.json").write_text(json.dumps(results), "utf-8")


MARKS = {
    "lead": {"coverage": [0, 0], "relevance": [0, 0.5], "readability": 2, "remark": "Only the preamble."},
    "ours": {"coverage": [1, 0.5], "relevance": [1], "readability": 7},
}


def test_packets_name_no_system_and_the_key_is_beside_them(tmp_path: Path) -> None:
    folder = tmp_path / "round"
    write_packets([packet(), packet("32024R9002", ())], folder)
    shown = {path.name: path.read_text("utf-8") for path in (folder / "32024R9001").iterdir()}
    assert set(shown) == {"title.txt", "reference.txt", "ldps.json", "candidate_A.txt", "candidate_B.txt"}
    assert json.loads(shown["ldps.json"]) == list(POINTS)
    assert not (folder / "32024R9002" / "ldps.json").exists()
    assert "results.json" in (folder / "INSTRUCTIONS.txt").read_text("utf-8")
    everything = "".join(path.read_text("utf-8") for path in folder.rglob("*.*"))
    assert "ours" not in everything
    assert key_of(folder).parent == tmp_path


def test_candidates_are_shown_as_numbered_entries_with_their_lines(tmp_path: Path) -> None:
    write_packets([packet()], tmp_path / "round")
    texts = {(tmp_path / "round" / "32024R9001" / f"candidate_{letter}.txt").read_text("utf-8") for letter in "AB"}
    ours = "[1] Article 1 · Duty\n    Keepers register:\n    (a) hives;\n    [… 2 more points]\n"
    assert texts == {ours, "[1] Title\n    On the keeping of bees\n[2] Recital 1\n    Bees matter a lot.\n"}


def test_letters_are_shuffled_for_each_act_with_the_folder_name_as_seed(tmp_path: Path) -> None:
    acts = [packet(f"3202{n}R9001") for n in range(10)]
    for place in ("one", "two"):
        write_packets(acts, tmp_path / place / "round")
    keys = [json.loads(key_of(tmp_path / place / "round").read_text("utf-8")) for place in ("one", "two")]
    assert keys[0] == keys[1]
    assert len({key["A"]["system"] for key in keys[0].values()}) == 2


def test_packets_are_never_overwritten(tmp_path: Path) -> None:
    write_packets([packet()], tmp_path / "round")
    with pytest.raises(OutputError):
        write_packets([packet()], tmp_path / "round")


def test_verdicts_are_unblinded_with_relevance_by_words(tmp_path: Path) -> None:
    write_packets([packet(), packet("32024R9002")], tmp_path / "round")
    answer(tmp_path / "round", "32024R9001", MARKS)
    found = {verdict.system: verdict for verdict in read_verdicts(tmp_path / "round")}
    assert found["ours"].coverage == 0.75
    assert found["ours"].f1 == pytest.approx(2 * 0.75 / 1.75)
    assert found["lead"].relevance == pytest.approx(0.5 * 4 / 9)
    assert found["lead"].f1 == 0
    assert found["lead"].remark == "Only the preamble."
    assert {verdict.act for verdict in found.values()} == {"32024R9001"}


@pytest.mark.parametrize(
    "wrong",
    [{"coverage": [1]}, {"relevance": [1, 1]}, {"readability": 11}, {"coverage": [1, 0.7]}, {"readability": None}],
)
def test_verdicts_that_do_not_fit_are_named(tmp_path: Path, wrong: dict[str, Any]) -> None:
    write_packets([packet()], tmp_path / "round")
    answer(tmp_path / "round", "32024R9001", {**MARKS, "ours": MARKS["ours"] | wrong})
    with pytest.raises(DataError):
        read_verdicts(tmp_path / "round")


def verdicts() -> list[Verdict]:
    """Four acts on which one system is better by as much each time, though acts differ."""
    found = []
    for number, base in enumerate((0.2, 0.4, 0.5, 0.6)):
        found.append(Verdict(f"{number}", "good", base + 0.3, base + 0.3, 8))
        found.append(Verdict(f"{number}", "bad", base, base, 3 + number % 2))
    return found


def test_the_best_system_comes_first_with_its_interval() -> None:
    good, bad = standings(verdicts())
    assert (good.system, good.acts) == ("good", 4)
    assert good.figures["f1"].mean == pytest.approx(0.725)
    assert good.figures["f1"].low <= 0.725 <= good.figures["f1"].high
    assert bad.figures["readability"].mean == 3.5


def test_differences_are_paired_act_by_act() -> None:
    f1, _, _, readability = differences(verdicts())
    assert f1.systems == ("good", "bad")
    assert f1.figure == pytest.approx((0.3, 0.3, 0.3))
    assert readability.figure.mean == pytest.approx(4.5)
    assert not differences(verdicts()[:4]), "two acts are too few"


def test_correlations_are_within_acts() -> None:
    scores = {}
    for verdict in verdicts():
        follows = verdict.f1 + 10 * int(verdict.act)  # says more of the act than of the system, and yet follows it
        scores[verdict.act, verdict.system] = {"follows": follows, "opposes": -verdict.f1, "constant": 1.0}
    found = {one.measures: one for one in correlations(verdicts(), scores)}
    assert found["follows", "f1"].figure.mean == pytest.approx(1)
    assert found["opposes", "f1"].figure.mean == pytest.approx(-1)
    assert found["constant", "f1"].figure == (0, 0, 0)
    assert found["readability", "f1"].figure.mean > 0.9
    assert found["follows", "readability"].candidates == 8


# --- the command ------------------------------------------------------------------------------------------

TEXT = """COMMISSION REGULATION (EU) 2024/9001
on bees
Article 1
Duty
1. Keepers shall register each hive.
2. Registration is free of charge.
Article 2
Entry into force
This Regulation shall enter into force on the day of its publication.
"""
DUTY = Place(10, 16)
GOLD = Gold("32024R9001", "en", 12, (Point("Keepers register.", 3, (DUTY,)),), (DUTY,))


@pytest.fixture(scope="module")
def command() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield import_module("judge")


def test_candidates_are_what_people_read_with_their_scores(command: ModuleType) -> None:
    row = {"celex_id": "32024R9001", "reference": TEXT, "summary": "Keepers must register each hive."}
    found = command.candidate_row(row, GOLD, ["gold", "lexlattice", "lead"], None)
    assert set(found["systems"]) == set(found["scores"]) == {"gold", "lexlattice", "lead"}
    assert found["scores"]["gold"]["points"] == pytest.approx(100)
    assert found["scores"]["gold"]["rouge1"] > 50
    (entry,) = found["systems"]["gold"]
    assert entry == {"header": "Article 1(1) · Duty", "text": "1. Keepers shall register each hive."}


def test_lines_that_are_units_get_their_citations(command: ModuleType) -> None:
    act = read(TEXT, language="en")
    texts = [unit.text for unit in act.units if unit.id.startswith("art-1")]
    (first, second) = command.entries_of(command.as_summary(act, texts, 20))
    assert first.header == "Article 1(1) · Duty"
    assert second.text == texts[1]
    assert command.as_summary(act, [*texts, "No unit."], 20) is None


def test_files_are_merged_packed_and_tallied(
    command: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    acts = [f"3202{n}R9001" for n in range(3)]
    both = {name: [entry._asdict() for entry in entries] for name, entries in CANDIDATES.items()}
    first = [
        {"celex_id": act, "title": "Bees", "summary": "Register.", "systems": {"ours": both["ours"]}} for act in acts
    ]
    second = [{"celex_id": act, "systems": {"lead": [entry["text"] for entry in both["lead"]]}} for act in acts[:2]]
    for act in first:
        act["scores"] = {"ours": {"f1": 50.0}}
    for name, rows in (("a", first), ("b", second)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    files = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]

    def run(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["judge.py", *arguments])
        command.main()
        return capsys.readouterr().out

    assert command.merged([Path(file) for file in files], ["ours"]).keys() == set(acts)
    assert "2 acts" in run("pack", str(tmp_path / "round"), *files)
    for celex in acts[:2]:
        (tmp_path / "round" / celex / "ldps.json").write_text(json.dumps(POINTS), "utf-8")
        answer(tmp_path / "round", celex, MARKS)
    told = run("tally", str(tmp_path / "round"), *files)
    assert told.index("ours") < told.index("lead")
    assert "LDP-F1" in told
    assert "readability and judged f1: +1.00" in told
