"""`evaluate` with gold annotations: meaning first, in the annotated version and in any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lexlattice import Act, evaluate, read
from lexlattice.apps.cli import main
from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation.gold import Gold, Place, Places, Point, project_gold
from lexlattice.evaluation.points import Points, meaning_of_texts
from lexlattice.evaluation.report import report
from lexlattice.selection import select

CELEX = "32024R9001"


@pytest.fixture(scope="module")
def texts(examples: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted((examples / "short").glob("*.txt"))}


def annotation(text: str) -> Gold:
    """Of the example act: everything in its second and third article matters."""
    act = read(text, language="en", format="text")
    owners = Places(act, text).owners().tolist()
    places = {}
    for index, unit in enumerate(act.units):
        if unit.id.startswith(("art-2", "art-3")):
            places[unit.id] = Place(owners.index(index), owners.index(index) + owners.count(index))
    assert len(places) > 2
    points = tuple(Point(name, 1 + n % 3, (place,)) for n, (name, place) in enumerate(places.items()))
    words = sum(act[name].words for name in places)
    return Gold(CELEX, "en", words, (*points, Point("Not in the act.", 3, ())), tuple(places.values()))


@pytest.fixture(scope="module")
def gold(texts: dict[str, str]) -> Gold:
    return annotation(texts["en"])


def row(texts: dict[str, str], language: str = "en") -> dict[str, str]:
    found = {"celex_id": CELEX, "reference": texts[language], "summary": "Keepers register beehives. It is free."}
    return found if language == "en" else {**found, "original": texts["en"], "language": language}


def as_json(gold: Gold) -> str:
    places = {str(n): list(place) for n, place in enumerate(gold.places)}
    names = {tuple(place): name for name, place in places.items()}
    points = [
        {"point": point.text, "weight": point.weight, "units": [names[tuple(place)] for place in point.places]}
        for point in gold.points
    ]
    extract = [names[tuple(place)] for place in gold.extract]
    return json.dumps(
        {"celex_id": gold.celex, "language": "en", "words": gold.words}
        | {"points": points, "extract": extract, "places": places}
    )


def test_the_gold_extract_has_all_points_and_no_word_too_many(texts: dict[str, str], gold: Gold) -> None:
    result = evaluate([row(texts)], ["gold", "lead"], gold=[gold])
    found = result.systems["gold"]["meaning"]
    assert [found[name] for name in ("points", "precision", "f1")] == pytest.approx([100, 100, 100])
    assert found["ci"]["points"] == [100, 100]
    assert result.systems["lead"]["meaning"]["points"] < 100
    assert result.systems["gold"]["words"] == gold.words


def test_the_scores_are_those_of_the_measure(texts: dict[str, str], gold: Gold) -> None:
    act = read(texts["en"], language="en", format="text")
    extract = select(act, range(len(act.units), 0, -1), gold.words)
    result = evaluate(
        [row(texts)], {"mine": lambda act, words: extract, "text": lambda act, words: extract.text}, gold=[gold]
    )
    expected = meaning_of_texts(gold, texts["en"], [unit.text for unit in extract.units])
    place = {unit.id: index for index, unit in enumerate(act.units)}
    assert expected == Points(act, gold, texts["en"]).score([place[unit.id] for unit in extract.units])
    for name in ("mine", "text"):
        assert result.systems[name]["meaning"]["f1"] == pytest.approx(100 * expected.f1)


def test_the_budget_is_that_of_the_annotation_unless_another_is_given(texts: dict[str, str], gold: Gold) -> None:
    budgets: list[int] = []

    def record(_: Act, words: int) -> str:
        budgets.append(words)
        return "Nothing."

    mine = {"mine": record}
    evaluate([row(texts)], mine, gold=[gold])
    evaluate([row(texts)], mine, gold=[gold], budget=30)
    assert budgets == [gold.words, 30]


def test_a_shorter_gold_extract_has_the_most_important_that_fits(texts: dict[str, str], gold: Gold) -> None:
    result = evaluate([row(texts)], ["gold"], gold=[gold], budget=max(1, gold.words // 2))
    found = result.systems["gold"]["meaning"]
    assert 0 < found["points"] < 100
    assert found["precision"] == pytest.approx(100)


def test_only_annotated_acts_are_evaluated(texts: dict[str, str], gold: Gold) -> None:
    other = {**row(texts), "celex_id": "32024R9002"}
    result = evaluate([other, row(texts), other], ["lead"], gold=[gold])
    assert result.acts == 1
    assert not result.skipped
    with pytest.raises(DataError):
        evaluate([other], ["lead"], gold=[gold])


def test_comparisons_and_report_lead_with_meaning(texts: dict[str, str], gold: Gold) -> None:
    result = evaluate([row(texts)] * 3, ["lead", "gold"], gold=[gold])
    measures = [item["measure"] for item in result.comparisons if item["tokenizer"] == "meaning"]
    assert measures == ["points", "precision", "f1"]
    first, second = report(result).split("\n\n")[1:3]
    assert first.split()[:4] == ["meaning", "points", "precision", "F1"]
    assert second.startswith("unicode")
    assert "gold" in first


def test_without_annotations_there_is_no_meaning_and_no_gold(texts: dict[str, str]) -> None:
    result = evaluate([row(texts)], ["lead"])
    assert "meaning" not in result.systems["lead"]
    with pytest.raises(OptionError):
        evaluate([row(texts)], ["gold"])


# --- other versions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["fr", "el", "fi", "ga", "bg", "hu"])
def test_an_annotation_is_projected_onto_any_version(texts: dict[str, str], gold: Gold, language: str) -> None:
    result = evaluate([row(texts, language)], ["gold", "lead"], gold=[gold])
    found = result.systems["gold"]["meaning"]
    assert found["precision"] == pytest.approx(100)
    assert found["points"] > 70, "the longest may not fit, since the length is scaled for the whole act"
    assert result.systems["lead"]["meaning"]["points"] < found["points"]


def test_a_projected_annotation_is_on_the_same_provisions_and_scales_the_length(
    texts: dict[str, str], gold: Gold
) -> None:
    english, french = (read(texts[key], language=key, format="text") for key in ("en", "fr"))
    there = project_gold(gold, english, french, texts["en"])
    assert there.language == "fr"
    assert there.words == round(gold.words * french.words / english.words)
    here = {english.units[i].provision for place in gold.places for i in Places(english, texts["en"]).units(place)}
    assert {french.units[i].provision for place in there.places for i in Places(french).units(place)} == here
    assert [point.weight for point in there.points] == [point.weight for point in gold.points]
    whole = [french.source[slice(*Places(french).span(place))] for place in there.places]
    assert meaning_of_texts(there, french.source, whole) == (1, 1, 1)


def test_another_version_needs_the_annotated_one(texts: dict[str, str], gold: Gold) -> None:
    bare = {**row(texts, "fr"), "original": ""}
    result = evaluate([row(texts), bare], ["lead"], gold=[gold])
    assert result.acts == 1
    assert "'original'" in result.skipped[0]["reason"]


# --- the commands -----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, texts: dict[str, str], gold: Gold) -> Path:
    french = {"celex_id": CELEX, "summary_en": "Keepers register.", "reference_fr": texts["fr"]}
    (tmp_path / "data.jsonl").write_text(json.dumps(row(texts)) + "\n", "utf-8")
    (tmp_path / "fr.jsonl").write_text(json.dumps({**french, "reference_en": texts["en"]}) + "\n", "utf-8")
    (tmp_path / "gold.jsonl").write_text(as_json(gold) + "\n", "utf-8")
    return tmp_path


def run(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    kept = str(folder / "acts.jsonl")
    assert main(["evaluate", *arguments, "--json", "--quiet", "--jobs", "1", "--per-act", kept]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_command_reports_meaning_and_keeps_it_act_by_act(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(folder / "data.jsonl"), "--gold", str(folder / "gold.jsonl")]
    found = run(folder, capsys, *files, "--system", "gold,lead", "--words", "40")
    assert found["budget"] == "words:40"
    (act,) = map(json.loads, (folder / "acts.jsonl").read_text("utf-8").splitlines())
    assert act["systems"]["gold"]["meaning"]["points"] == pytest.approx(found["systems"]["gold"]["meaning"]["points"])


def test_the_command_takes_versions_whose_fields_have_other_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "reference=reference_fr,summary=summary_en,original=reference_en"
    files = [str(folder / "fr.jsonl"), "--gold", str(folder / "gold.jsonl"), "--fields", names]
    found = run(folder, capsys, *files, "--system", "gold")
    assert found["systems"]["gold"]["meaning"]["precision"] == pytest.approx(100)


def test_the_project_has_annotations_of_its_own_by_the_name_of_the_split(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["evaluate", str(folder / "data.jsonl"), "--gold", "validation", "--quiet", "--per-act", str(folder / "a")]
    assert main([*call, "--jobs", "1"]) == 2
    assert "validation" not in capsys.readouterr().err, "they are found, but none is of these acts"
    assert main([*call[:3], str(folder / "nowhere.jsonl"), *call[4:]]) == 2
    assert str(folder / "nowhere.jsonl") in capsys.readouterr().err


def test_a_corpus_is_evaluated_by_meaning_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["corpus", "evaluate", str(folder / "data.jsonl"), "-o", str(folder / "out"), "--system", "gold,lead"]
    assert main([*call, "--gold", str(folder / "gold.jsonl"), "--quiet", "-j", "1"]) == 0
    shown = capsys.readouterr().out
    meaning = next(line for line in shown.splitlines() if line.startswith("gold"))
    assert meaning.split()[1] == "100.00"
