"""The settings of the paper's own tables: by name, with other data, another split and another encoder."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from helpers.tiny_models import tiny_mt5
from lexlattice.errors import ConfigError, DataError
from lexlattice.reading import LANGUAGES
from lexlattice.research.experiments import run_experiment
from lexlattice.research.experiments.corpus import Corpus
from lexlattice.research.experiments.runner import _changed
from lexlattice.research.experiments.settings import CONFIGS, Model, parse_change, read_settings, settings_name
from lexlattice.training.config import CONFIGS as TRAINING
from lexlattice.training.config import read_config

PAPER = sorted(path.stem for path in (CONFIGS / "paper").glob("*.toml"))
ACT = "Article 1\n1. Keepers shall register each beehive.\n2. Registration is free of charge."


def changed(name: str, **changes: Any) -> dict[str, Any]:
    return _changed(Model(TRAINING / f"{name}.toml", tuple(changes.items())))


def test_there_is_one_for_every_table_and_figure() -> None:
    assert ["appendix", "figures", *(f"table{number}" for number in range(1, 6))] == PAPER
    for name in PAPER:
        assert settings_name(f"paper/{name}") == f"paper/{name}"
        settings = read_settings(f"paper/{name}")
        assert settings.split == ("test" if name != "table1" else "validation")
        assert all(model.config.stem == "paper" for model in settings.models.values())


def test_the_two_tables_of_results_have_all_languages() -> None:
    first, rest = (read_settings(f"paper/{name}") for name in ("table2", "appendix"))
    assert sorted([*first.tested, *rest.tested]) == sorted(LANGUAGES)
    assert first.models == rest.models == read_settings("paper/table5").models


@pytest.mark.parametrize("name", ["paper/table3", "paper/table4", "held-out", "across"])
def test_transfer_goes_without_the_language_embedding(name: str) -> None:
    (model,) = read_settings(name).models.values()
    assert dict(model.changes)["model.language_embedding"] is False


def test_another_encoder_brings_its_dimensions(tmp_path: Path) -> None:
    static = tomllib.loads((TRAINING / "paper-static.toml").read_text("utf-8"))
    assert changed("paper", **{"encoder.name": "static"}) == static, "and so the same model is not trained twice"
    tiny = changed("paper", **{"encoder.name": f"mt5:{tiny_mt5(tmp_path / 'mt5')}"})
    assert tiny["encoder"] == {"name": f"mt5:{tmp_path / 'mt5'}", "dimensions": 32}
    assert tiny["model"]["readout"] == 32
    given = changed("paper", **{"encoder.name": "static", "encoder.dimensions": 256})
    assert given["model"]["readout"] == 768, "what is given is left alone"
    shipped = changed("provisions", **{"encoder.name": f"mt5:{tmp_path / 'mt5'}"})
    assert shipped["model"]["readout"] == read_config("provisions").model.readout


def test_an_encoder_is_for_all_models_that_name_none(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        '[models.A]\nconfig = "paper"\n[models.B]\nconfig = "paper"\nchanges = { "encoder.name" = "mt5:x" }'
    )
    models = read_settings(path, {"encoder": "static"}).models
    assert [dict(model.changes)["encoder.name"] for model in models.values()] == ["static", "mt5:x"]
    assert not read_settings(path).models["A"].changes


def test_settings_are_changed_by_key(tmp_path: Path) -> None:
    texts = ["acts=20", "endpoint.url=http://127.0.0.1:1", 'languages=["en", "fr"]', "bertscore=", "cap=2.5"]
    settings = read_settings("paper/table5", dict(map(parse_change, texts)))
    assert (settings.acts, settings.languages, settings.bertscore, settings.cap) == (20, ("en", "fr"), "", 2.5)
    assert settings.endpoint["url"] == "http://127.0.0.1:1"
    assert settings.endpoint["model"] == "claude-sonnet-4-5"
    for wrong in ("acts=many", "colour=1", "split.x=1", "split=training"):
        with pytest.raises(ConfigError):
            read_settings("paper/table5", dict([parse_change(wrong)]))
    for wrong in ("acts", "=1"):
        with pytest.raises(ConfigError):
            parse_change(wrong)


@pytest.mark.parametrize("name", ["main:table2", "held-out:table3", "across:table4", "judge:table5"])
def test_without_the_test_split_the_error_says_how_to_get_it(tmp_path: Path, name: str) -> None:
    for language in ("en", "es"):
        for split in ("train", "validation"):
            data_of(tmp_path / "data" / language, split, language)
    experiment, _, config = name.partition(":")
    with pytest.raises(DataError) as error:
        run_experiment(experiment, f"paper/{config}", tmp_path / "out", changes={"data": str(tmp_path / "data")})
    assert "test split" in str(error.value)
    assert "lexlattice data get eur-lex-sum" in str(error.value)
    assert "--split" in str(error.value)
    assert len(re.findall(r"\.(?:\s|$)", str(error.value))) == 1, "one sentence"
    assert not (tmp_path / "out" / "models").exists(), "before anything is trained"


def data_of(folder: Path, split: str, language: str, numbers: str = "12") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"celex_id": f"32024R{split[0]}{n}", "reference": f"{language} {ACT}", "summary": f"{n}"} for n in numbers]
    (folder / f"{split}.jsonl").write_text("\n\n".join(map(json.dumps, rows)), "utf-8")


def test_acts_of_one_language_meet_the_summaries_of_another_on_their_lines(tmp_path: Path) -> None:
    data_of(tmp_path / "en", "validation", "en", "31")
    data_of(tmp_path / "es", "validation", "es", "123")
    rows = Corpus(str(tmp_path)).pairs("en", "es", "validation")
    assert [row.get("summary") for row in rows] == ["1", None, "2", None, "3"], "with the blank lines between them"
    assert [str(row["reference"])[:2] for row in rows if row] == ["en", "", "en"]
    with pytest.raises(DataError):
        Corpus(str(tmp_path)).pairs("fr", "es", "validation")
