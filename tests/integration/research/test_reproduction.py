"""The whole path of docs/reproduce.md, from a hub to LaTeX: download, convert, prepare, train, tables.

The corpus, the encoder and the networks are tiny, and every step is the real command with the settings of the package,
in which only sizes are reduced. `SETTINGS` says which settings are run.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")
pytest.importorskip("pyarrow")

import pyarrow
from pyarrow import parquet

from helpers import ROOT
from helpers.hub_server import HubServer, hub_server, use_hub
from helpers.tiny_corpus import tiny_corpus, tiny_row
from helpers.tiny_models import tiny_pickled_mt5
from lexlattice.apps.cli import _parser, main
from lexlattice.evaluation.download import REPOSITORY, REVISION
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load
from lexlattice.research.experiments.settings import read_settings
from lexlattice.research.experiments.tables import Table

CONFIGS = ROOT / "src/lexlattice/research/experiments/configs"
TRAINING = ROOT / "src/lexlattice/training/configs/paper.toml"
TABLES = {"statistics": "table1", "main": "table2", "held-out": "table3", "across": "table4"}
SETTINGS = {name: CONFIGS / "paper" / f"{table}.toml" for name, table in TABLES.items()}
"""By experiment: the settings of the paper's tables, in which only sizes are reduced here."""
FAST = ("lead", "oracle", "oracle-greedy", "lexrank-vectors")
"""Systems that are kept of those that the settings name."""
HEAVY = ("bertscore", "source_systems")
"""Settings that need models of others."""
WIDTH = 32
SIZES = {
    "encoder.dimensions": WIDTH,
    "model.readout": WIDTH,
    "model.hidden": 16,
    "model.steps": 2,
    "warm_start.epochs": 3,
    "warm_start.learning_rate": 0.003,
    "rloo.epochs": 1,
    "rloo.rollouts": 2,
}


@pytest.fixture
def hub(
    examples: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HubServer]:
    """A hub with the corpus and mT5 as the real one has them, and empty caches."""
    folder = tmp_path_factory.mktemp("hub")
    files = {}
    for language, splits in tiny_corpus(examples).items():
        lines = (examples / "short" / f"{language}.txt").read_text("utf-8").splitlines()
        splits["validation"].append(tiny_row(lines, 7))
        for split, rows in {**splits, "test": [tiny_row(lines, 8), tiny_row(lines, 9)]}.items():
            for number, row in enumerate(rows):  # a file for each act: splits of more than one file are joined
                files[f"{load(language).name.lower()}/{split}/{number:04}.parquet"] = shard(row)
    monkeypatch.setenv("LEXLATTICE_CACHE", str(folder / "lexlattice"))
    monkeypatch.delenv("LEXLATTICE_DATA", raising=False)
    with hub_server() as server:
        server.add("datasets", REPOSITORY, files, REVISION)
        model = tiny_pickled_mt5(folder / "mt5")
        server.add("models", "google/mt5-base", {path.name: path.read_bytes() for path in model.iterdir()})
        use_hub(server, monkeypatch, folder / "cache")
        yield server


def shard(row: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([dict(row)]), file)
    return file.getvalue()


def changed(config: Mapping[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
    """A training configuration with dotted keys changed."""
    copy: dict[str, Any] = json.loads(json.dumps(config))
    for dotted, value in changes.items():
        table, key = dotted.split(".")
        copy[table][key] = value
    return copy


def reduced(settings: Path, data: Path, languages: Sequence[str], training: Path) -> str:
    """The settings of an experiment for that data; models have the tiny configuration and keep what they change."""
    content = {key: entry for key, entry in tomllib.loads(settings.read_text("utf-8")).items() if key not in HEAVY}
    content |= {"data": str(data), "languages": list(languages), "seeds": content.get("seeds", [0])[:1]}
    if "systems" in content:
        content["systems"] = [name for name in content["systems"] if name in FAST]
    if "tested" in content:
        content["tested"] = [language for language in content["tested"] if language in languages]
    if "encoder" in content:
        content["encoder"] = "mt5"
    for model in content.get("models", {}).values():
        kept = {key: value for key, value in model.get("changes", {}).items() if key not in SIZES}
        model |= {"config": str(training), "changes": kept}
    return toml(content)


def toml(content: Mapping[str, Any]) -> str:
    """TOML with tables of any depth; strings, numbers and lists are written as in JSON."""

    def value(entry: object) -> str:
        if isinstance(entry, dict):
            return "{ " + ", ".join(f"{json.dumps(key)} = {value(inner)}" for key, inner in entry.items()) + " }"
        return json.dumps(entry, ensure_ascii=False)

    return "\n".join(f"{json.dumps(key)} = {value(entry)}" for key, entry in content.items()) + "\n"


def compiles(tables: Sequence[Path], folder: Path) -> bool:
    head = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}\begin{document}"
    content = "\n".join(path.read_text("utf-8") for path in tables)
    (folder / "a.tex").write_text(f"{head}\n{content}\\end{{document}}\n", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "languages",
    [
        pytest.param(["en", "es", "el", "mt"], id="four languages"),
        pytest.param(list(LANGUAGES), id="all languages", marks=pytest.mark.slow),
    ],
)
def test_from_the_hub_to_latex(hub: HubServer, tmp_path: Path, languages: list[str]) -> None:
    data, out, training = tmp_path / "eur-lex-sum", tmp_path / "experiments", tmp_path / "tiny.toml"
    assert main(["data", "get", "eur-lex-sum", "--languages", ",".join(languages), "-o", str(data)]) == 0
    assert main(["encoder", "convert", "google/mt5-base"]) == 0
    training.write_text(toml(changed(tomllib.loads(TRAINING.read_text("utf-8")), SIZES)), "utf-8")

    prepared = [tmp_path / split for split in ("train", "validation")]
    for folder in prepared:
        source = str(data / "en" / f"{folder.name}.parquet")
        assert main(["prepare", source, "-o", str(folder), "--config", str(training), "--lang", "en"]) == 0
    places = ["--data", str(prepared[0]), "--validation", str(prepared[1]), "-o", str(tmp_path / "model")]
    assert main(["train", "--config", str(training), *places]) == 0
    assert (tmp_path / "model" / "model.safetensors").is_file()

    for experiment, settings in SETTINGS.items():
        config = tmp_path / settings.name
        config.write_text(reduced(settings, data, languages, training), "utf-8")
        assert main(["experiment", experiment, "--config", str(config), "-o", str(out), "-j", "1"]) == 0

    counts = Table.from_json((out / SETTINGS["statistics"].stem / "1.json").read_bytes())
    assert len(counts.rows) == len(languages) + 1
    used = tomllib.loads((tmp_path / SETTINGS["main"].name).read_text("utf-8"))
    scores = Table.from_json((out / SETTINGS["main"].stem / "1.json").read_bytes())
    assert len(scores.groups) == len(used.get("tested", languages))
    for lines in scores.groups.values():
        assert {line.name for line in lines} >= {*used["models"], *used["systems"]}
        assert all(0 <= (cell.value or 0) <= 100 for line in lines for cell in line.cells[:3])
    retained = Table.from_json((out / SETTINGS["held-out"].stem / "1.json").read_bytes())
    assert len(retained.rows) == len(languages) // 2 + 1
    tables = sorted(out.glob("*/*.tex"))
    assert {path.parent.name for path in tables} == {path.stem for path in SETTINGS.values()}
    assert not shutil.which("pdflatex") or compiles(tables, tmp_path)


def test_the_page_shows_valid_commands_and_settings() -> None:
    blocks = re.findall(r"```\n(.*?)```", (ROOT / "docs" / "reproduce.md").read_text("utf-8"), re.DOTALL)
    lines = [line for text in blocks for line in text.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("lexlattice ")]
    assert {command[1] for command in commands} >= {"data", "encoder", "prepare", "train", "experiment"}
    for command in commands:
        options = _parser().parse_args(command[1:])
        if command[1] == "experiment":
            assert read_settings(options.config)
