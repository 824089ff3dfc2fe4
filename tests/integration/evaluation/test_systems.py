"""What each system does with an act, and how long its extracts are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lexlattice import Act, evaluate, read
from lexlattice.errors import OptionError
from lexlattice.evaluation import SYSTEMS, Evaluation, baselines
from lexlattice.selection import MODES, Budget, Extract, select

Rows = list[dict[str, str]]

ENGLISH = """Keepers of beehives in urban areas must register each beehive with the competent authority within 30 days.
Registration is free of charge. Each registered beehive bears a label that is visible from a distance of two metres.
Every year keepers inform the authority of the number of colonies lost and of any disease observed.
Beehives installed before must be registered by 31 December 2024 at the latest."""
FRENCH = """Les détenteurs enregistrent chaque ruche auprès de l’autorité compétente dans un délai de 30 jours.
Chaque ruche enregistrée porte une étiquette visible à une distance de deux mètres.
L’autorité compétente prend une décision dans un délai de 15 jours ouvrables."""
BULGARIAN = """Стопаните регистрират всеки пчелен кошер при компетентния орган в срок от 30 дни.
Всеки регистриран пчелен кошер носи етикет, който се вижда от разстояние два метра."""

UNLIMITED = ("published", "published-vectors")
"""Their length is what the data set's authors made it."""
LIMITED = [name for name in SYSTEMS if name not in UNLIMITED]

MODULE = """
import numpy as np

def encode(texts):
    return np.array([[text.count(letter) + 1 for letter in "aeiouаоеияηοα"] for text in texts], np.float32)

class Encoder:
    def encode(self, texts):
        return encode(texts)

encoder = Encoder()

def short(texts):
    return encode(texts)[:1]

def first(act, words):
    return act.units[0].text

def nothing(act, words):
    return None

def broken(act, words):
    raise RuntimeError("the model is gone")

class Gone:
    def __init__(self):
        raise OSError("the model is gone")
"""


@pytest.fixture(scope="session")
def rows(examples: Path) -> Rows:
    return [
        {
            "celex_id": "32024R9001",
            "reference": (examples / "short" / f"{name}.txt").read_text("utf-8"),
            "summary": text,
        }
        for name, text in (("en", ENGLISH), ("fr", FRENCH), ("bg", BULGARIAN))
    ]


@pytest.fixture
def folder(rows: Rows, tmp_path: Path) -> Path:
    """Where somebody works: with data, and a module of their own."""
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "mine.py").write_text(MODULE, "utf-8")
    return tmp_path


def encode(texts: list[str]) -> NDArray[np.float32]:
    return np.array([[text.count(letter) + 1 for letter in "aeiouаоеияηοα"] for text in texts], np.float32)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "lexlattice",
        "evaluate",
        "data.jsonl",
        "--quiet",
        "--json",
        "--jobs",
        "1",
        *arguments,
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=240, check=False)


def figures(result: Evaluation | str) -> dict[str, dict[str, Any]]:
    """By system, all but the seconds."""
    systems = json.loads(result)["systems"] if isinstance(result, str) else result.systems
    return {name: {**found, "seconds": 0} for name, found in systems.items()}


def acts(rows: Rows, path: Path, **options: Any) -> list[dict[str, Any]]:
    evaluate(rows, per_act=path, **options)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_system_has_something_to_say(rows: Rows) -> None:
    result = evaluate(rows, SYSTEMS, encoder=encode)
    assert tuple(result.systems) == SYSTEMS
    assert not result.skipped
    assert not result.notes
    for name, found in result.systems.items():
        assert 0 < found["unicode"]["rouge1"] <= 100, name
        assert found["seconds"] > 0


@pytest.mark.parametrize("name", ["mine:encode", "mine:Encoder", "mine:encoder", "mine:encoder.encode"])
def test_an_encoder_is_a_function_or_has_one(rows: Rows, folder: Path, name: str) -> None:
    systems = ["lexrank-vectors", "published-vectors"]
    done = run(folder, "--system", ",".join(systems), "--encoder", name)
    assert figures(done.stdout) == figures(evaluate(rows, systems, encoder=encode))


def test_custom_systems(rows: Rows, folder: Path) -> None:
    def lead(act: Act, words: int) -> Extract:
        return select(act, [-place for place in range(len(act.units))], words)

    own = evaluate(rows, {"mine": lead, "text": lambda act, words: act.units[0].text})
    assert figures(own)["mine"] == figures(evaluate(rows, ["lead"]))["lead"]
    assert figures(run(folder, "--system", "lead,mine:first").stdout)["mine:first"] == figures(own)["text"]


def test_a_system_that_cannot_be_pickled_is_refused_with_several_jobs(rows: Rows) -> None:
    with pytest.raises(OptionError):
        evaluate(rows, {"mine": lambda act, words: act.units[0].text}, jobs=2)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--system", "mine:nothing"), "mine:nothing"),
        (("--system", "mine:broken"), "the model is gone"),
        (("--system", "mine:broken", "--jobs", "1"), "the model is gone"),
        (("--system", "lexrank-vectors", "--encoder", "mine:short"), "mine:short"),
        (("--system", "lexrank-vectors", "--encoder", "mine:Gone"), "mine:Gone"),
        (("--system", "crash:first"), "at its import"),
        (("--system", "syntax:first"), "syntax:first"),
    ],
)
def test_invalid_arguments_are_an_error_of_one_sentence(folder: Path, arguments: tuple[str, ...], word: str) -> None:
    (folder / "crash.py").write_text("raise RuntimeError('at its import')")
    (folder / "syntax.py").write_text("def first(:")
    done = run(folder, *arguments)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert word in done.stderr


def test_the_same_run_gives_the_same_result(rows: Rows) -> None:
    assert figures(evaluate(rows, SYSTEMS, encoder=encode)) == figures(evaluate(rows, SYSTEMS, encoder=encode))


def test_chance_depends_on_the_seed_and_the_act_alone(rows: Rows, tmp_path: Path) -> None:
    def scores(rows: Rows, **options: Any) -> list[Any]:
        return [act["systems"]["random"]["unicode"] for act in acts(rows, tmp_path / "acts.jsonl", **options)]

    first = scores(rows, systems=["random"])
    assert scores(rows[::-1], systems=["lead", "random"]) == first[::-1]
    assert scores(rows, systems=["random"], seed=1) != first


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_no_extract_is_longer_than_allowed(rows: Rows, tmp_path: Path, mode: str, profile: str) -> None:
    for budget in ("reference", "words:25", "ratio:0.1", "medium"):
        for act in acts(rows, tmp_path / "acts.jsonl", systems=LIMITED, encoder=encode, budget=budget, mode=mode,
                        profile=profile):  # fmt: skip
            words = {name: found["words"] for name, found in act["systems"].items()}
            assert max(words.values()) <= act["budget"]
            if mode == "paper":
                assert words["lead"] == words["random"] == words["textrank"] == act["budget"]


def test_the_budgets(rows: Rows, tmp_path: Path) -> None:
    def budgets(budget: str | Budget) -> list[int]:
        return [act["budget"] for act in acts(rows, tmp_path / "acts.jsonl", systems=["lead"], budget=budget)]

    lengths = [read(row["reference"]).words for row in rows]
    assert budgets("reference") == [len(row["summary"].split()) for row in rows]
    assert budgets("words:70") == budgets(Budget("words", 70)) == [70, 70, 70]
    assert budgets("ratio:0.2") == [round(0.2 * words) for words in lengths]
    assert budgets("medium") == [Budget().of(words) for words in lengths]


@pytest.mark.parametrize("budget", ["reference", "words:250", "words:1000000", "ratio:0.123456789", "medium"])
def test_a_budget_is_reported_as_it_was_written(rows: Rows, budget: str) -> None:
    assert evaluate(rows[:1], ["lead"], budget=budget).budget == budget


def test_no_system_is_better_than_the_oracle(rows: Rows) -> None:
    choices: list[dict[str, Any]] = [{}, {"budget": "words:40"}, {"budget": "words:90"}, {"profile": "paper"}]
    for options in choices:
        means = {
            name: found["unicode"]["rouge1"] + found["unicode"]["rouge2"]
            for name, found in evaluate(rows, SYSTEMS, encoder=encode, **options).systems.items()
        }
        best = min(means.pop("oracle"), means.pop("oracle-greedy"))
        assert best > max(means.values())


def test_the_profile_of_the_paper_cuts_extracts_by_default(rows: Rows, folder: Path) -> None:
    paper = json.loads(run(folder, "--system", "lead", "--profile", "paper").stdout)
    assert (paper["profile"], paper["mode"]) == ("paper", "paper")
    assert figures(evaluate(rows, ["lead"], profile="paper")) == figures(json.dumps(paper))
    whole = evaluate(rows, ["lead"], profile="paper", mode="whole")
    assert whole.mode == "whole"
    assert whole.systems["lead"]["words"] < paper["systems"]["lead"]["words"]


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": -1}, {"seed": -1}, {"language": "xx"}, {"profile": "x"}])
def test_invalid_values_are_refused_before_anything_is_read(wrong: dict[str, Any]) -> None:
    def unread() -> Any:
        pytest.fail("a row was read")
        yield {}

    with pytest.raises(OptionError):
        evaluate(unread(), **wrong)


@pytest.mark.data
def test_real_acts(data: Path) -> None:
    path = data / "eur-lex-sum" / "en" / "validation.jsonl.gz"
    result = evaluate(path, ["lead", "random", "oracle"], limit=12, jobs=2)
    assert (result.acts, result.skipped, result.notes) == (12, [], [])
    lead, random, oracle = (result.systems[name]["compat"] for name in ("lead", "random", "oracle"))
    assert 30 < lead["rouge1"] < 55
    assert 30 < random["rouge1"] < 55
    assert all(oracle[measure] > max(lead[measure], random[measure]) for measure in ("rouge1", "rouge2", "rougeLsum"))


def test_an_extract_over_the_budget_is_cut_and_named(rows: Rows) -> None:
    systems = {"everything": lambda act, _: act.source, "cut": lambda act, _: " ".join(act.source.split()[:5])}
    result = evaluate(rows[:1], systems, budget="words:5")
    assert "more than the budget of 5" in result.notes[0]["note"]
    everything, cut = result.systems["everything"], result.systems["cut"]
    assert (everything["over"], cut["over"], everything["empty"]) == (1, 0, 0)
    assert everything["words"] == cut["words"] == 5
    assert everything["unicode"]["rouge1"] == cut["unicode"]["rouge1"]


def test_a_system_does_not_escape_the_budget_by_its_name(rows: Rows) -> None:
    result = evaluate(rows[:1], {"published": lambda act, _: act.source}, budget="words:5")
    assert result.systems["published"]["words"] == 5


def test_extracts_of_a_file_are_scored_and_acts_without_one_have_zero(rows: Rows, tmp_path: Path) -> None:
    acts = [{**row, "celex_id": f"32024R900{number}"} for number, row in enumerate(rows)]
    lead = {row["celex_id"]: read(row["reference"] + "\n").units[0].text for row in acts[:2]}
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps({"celex_id": name, "extract": text}) + "\n" for name, text in lead.items()))
    result = evaluate(acts, ["mine=" + f"extracts:{path}", f"extracts:{path}"], budget="words:500")
    mine = result.systems["mine"]
    assert mine["empty"] == 1
    assert mine["words"] == pytest.approx(sum(len(text.split()) for text in lead.values()) / 3)
    assert result.systems[f"extracts:{path}"]["unicode"] == mine["unicode"]
    assert [note["celex"] for note in result.notes] == ["32024R9002", "32024R9002"]


@pytest.mark.parametrize("names", [["a=lead", "a=random"], ["=lead"], ["a="]])
def test_names_of_systems_are_unique_and_complete(rows: Rows, names: list[str]) -> None:
    with pytest.raises(OptionError):
        evaluate(rows, names)


def test_a_module_may_import_its_neighbours_when_it_is_called(folder: Path) -> None:
    (folder / "neighbour.py").write_text("NAME = 'hives'")
    (folder / "late.py").write_text("def first(act, words):\n    import neighbour\n    return neighbour.NAME\n")
    script = Path(sys.executable).with_name("lexlattice")
    done = subprocess.run(
        [script, "evaluate", "data.jsonl", "--system", "late:first", "--quiet"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_help_names_every_system(folder: Path) -> None:
    shown = "".join(run(folder, "--help").stdout.split())  # lines may break at a hyphen
    assert all(name in shown for name in SYSTEMS)


def test_lead_and_random_as_functions_of_an_act(examples: Path) -> None:
    act, other = (read(examples / "short" / f"{language}.txt") for language in ("en", "fr"))
    assert select(act, baselines.lead(act), act.units[0].words).units == act.units[:1]
    draws = baselines.random(act, seed=3, draws=4)
    assert draws.shape == (4, len(act.units))
    assert (draws == baselines.random(act, seed=3, draws=4)).all()
    assert (draws[0] != draws[1]).any()
    assert (draws != baselines.random(act, seed=4, draws=4)).any()
    assert (draws[0, :9] != baselines.random(other, seed=3)[:9]).any()
    for score in (baselines.lead, baselines.random, baselines.lexrank, baselines.textrank, baselines.centroid):
        assert 0 < select(act, score(act), 100).words <= 100


def test_custom_systems_can_be_compared_with_named_ones(rows: Rows) -> None:
    result = evaluate(rows, {"lead": "lead", "mine": lambda act, _: act.units[0].text}, budget="words:60")
    assert result.systems["lead"] == evaluate(rows, ["lead"], budget="words:60").systems["lead"] | {
        "seconds": result.systems["lead"]["seconds"]
    }
    assert {item["against"] for item in result.comparisons} == {"lead"}
    invalid: list[Any] = [{"lead": 5}, {"lead": "nonsense"}, [len], len]
    for wrong in invalid:
        with pytest.raises(OptionError):
            evaluate(rows, wrong)
