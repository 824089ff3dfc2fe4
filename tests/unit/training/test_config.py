"""Training configurations: the packaged files, lookup by name, and errors that name the file and the key."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from pkgutil import resolve_name

import pytest

from lexlattice.errors import ConfigError
from lexlattice.evaluation.oracle import Oracle
from lexlattice.training.config import (
    CONFIGS,
    NETWORKS,
    Config,
    PaperShape,
    Rloo,
    Selection,
    WarmStart,
    find_config,
    read_config,
)

PAPER = CONFIGS / "paper.toml"


def changed(folder: Path, old: str, new: str) -> Path:
    """The paper's configuration with one passage replaced."""
    text = PAPER.read_text("utf-8")
    assert text.count(old) == 1
    path = folder / "mine.toml"
    path.write_text(text.replace(old, new), "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(ConfigError) as error:
        read_config(path)
    sentence = str(error.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def test_the_paper_file_has_the_constants_of_the_paper() -> None:
    config = read_config(PAPER)
    assert (config.profile, config.network, config.seed) == ("paper", "paper", 0)
    assert (config.encoder.name, config.encoder.dimensions) == ("mt5", 768)
    assert config.oracle == Oracle("greedy", 40)
    assert config.model == PaperShape("grid", 48, 32, 8, 256, 768, True)
    assert config.warm_start.bce == 0.3
    assert (config.rloo.rollouts, config.rloo.reduction) == (4, "sum")
    assert config.selection == Selection("paper", "reference")


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_packaged_configurations_are_found_by_name(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.toml"
    copy.write_bytes(path.read_bytes())
    assert find_config(path.stem) == path
    assert read_config(path.stem) == read_config(path) == read_config(copy)


def test_an_unknown_name_is_answered_with_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read_config("provision")
    assert all(path.stem in str(error.value) for path in CONFIGS.glob("*.toml"))
    with pytest.raises(ConfigError):
        find_config(tmp_path)


def test_relative_paths_start_from_the_base_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(PAPER.read_bytes())
    assert find_config("mine.toml", base=tmp_path) == tmp_path / "mine.toml"
    assert find_config("paper", base=tmp_path) == PAPER
    with pytest.raises(ConfigError):
        find_config("mine.toml", base=tmp_path / "elsewhere")


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_has_a_model_class(name: str) -> None:
    model = resolve_name(NETWORKS[name].model)
    assert all(hasattr(model, method) for method in ("loss", "rollouts", "extract", "save"))


def test_paper_static_changes_only_the_encoder_and_its_dimensions() -> None:
    paper, static = read_config(PAPER), read_config("paper-static")
    assert (static.encoder.name, static.encoder.dimensions, static.model.readout) == ("static", 256, 256)
    unlike = {field.name for field in fields(Config) if getattr(paper, field.name) != getattr(static, field.name)}
    assert unlike == {"encoder", "model"}


def test_integers_are_accepted_as_floats(tmp_path: Path) -> None:
    config = read_config(changed(tmp_path, "bce = 0.3", "bce = 0"))
    assert config.warm_start.bce == 0.0
    assert isinstance(config.warm_start.bce, float)


def test_keys_with_a_default_are_optional(tmp_path: Path) -> None:
    config = read_config(changed(tmp_path, 'objective = "greedy"', 'objective = "budgeted"\nwhole = false'))
    assert config.oracle == Oracle("budgeted", 40, whole=False)


def test_a_model_without_lattice_has_no_steps(tmp_path: Path) -> None:
    alone = changed(tmp_path, 'geometry = "grid"', 'geometry = "none"')
    assert "'steps'" in refused(alone)
    alone.write_text(alone.read_text("utf-8").replace("steps = 8", "steps = 0"), "utf-8")
    assert read_config(alone).model.steps == 0


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("steps = 8", "steps = -1", "'model.steps'"),
        ("steps = 8", "steps = 8.0", "'model.steps'"),
        ("steps = 8", "steps = true", "'model.steps'"),
        ("steps = 8", "stepz = 8", "'model.stepz'"),
        ("steps = 8\n", "", "'model.steps'"),
        ("seed = 0", "seed = -1", "'seed'"),
        ("seed = 0", "seed = 0\nsead = 1", "'sead'"),
        ('profile = "paper"', 'profile = "poem"', "'profile'"),
        ('network = "paper"', 'network = "forest"', "'network'"),
        ('network = "paper"', 'network = "coverage"', "'model.columns'"),
        ('profile = "paper"', "profile = 5", "'profile'"),
        ('name = "mt5"', 'name = "mt6"', "'encoder.name'"),
        ("dimensions = 768", "dimensions = 0", "'encoder.dimensions'"),
        ('objective = "greedy"', 'objective = "greasy"', "'oracle.objective'"),
        ("cap = 40", "cap = 0", "'oracle.cap'"),
        ("cap = 40", 'cap = 40\ntokenizer = "x"', "'oracle.tokenizer'"),
        ('geometry = "grid"', 'geometry = "torus"', "'model.geometry'"),
        ("language_embedding = true", "language_embedding = 0", "'model.language_embedding'"),
        ("bce = 0.3", "bce = -0.3", "'warm_start.bce'"),
        ("bce = 0.3", "bce = nan", "'warm_start.bce'"),
        ("bce = 0.3", "bce = inf", "'warm_start.bce'"),
        ("bce = 0.3", 'bce = "0.3"', "'warm_start.bce'"),
        ("bce = 0.3", f"bce = 1{'0' * 400}", "'warm_start.bce'"),
        ("bce = 0.3", "bce = [0.3]", "'warm_start.bce'"),
        ("rollouts = 4", "rollouts = 1", "'rloo.rollouts'"),
        ("decay = 0.99", "decay = 1", "'rloo.decay'"),
        ('mode = "paper"', 'mode = "whole"', "'selection.mode'"),
        ('mode = "paper"', 'mode = "half"', "'selection.mode'"),
        ('budget = "reference"', 'budget = "words:-3"', "'selection.budget'"),
        ("[rloo]", "[reinforce]", "'reinforce'"),
        ("[selection]", "[[selection]]", "'selection'"),
        ("[selection]", "[selection", "mine.toml"),
    ],
)
def test_invalid_values_and_keys_are_named(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert key in refused(changed(tmp_path, old, new))


@pytest.mark.parametrize("stage", [WarmStart, Rloo])
def test_every_key_of_a_stage_without_default_is_required(tmp_path: Path, stage: type) -> None:
    table = "[warm_start]" if stage is WarmStart else "[rloo]"
    for field in (field for field in fields(stage) if field.default is MISSING):
        head, _, tail = PAPER.read_text("utf-8").partition(table)
        lines = tail.splitlines(keepends=True)
        lines.remove(next(line for line in lines if line.startswith(f"{field.name} =")))
        path = tmp_path / "mine.toml"
        path.write_text(head + table + "".join(lines), "utf-8")
        assert f"'{table[1:-1]}.{field.name}'" in refused(path)


def test_missing_binary_and_empty_files_raise_an_error(tmp_path: Path) -> None:
    refused(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    refused(tmp_path / "bytes.toml")
    (tmp_path / "empty.toml").write_text("")
    assert "'profile'" in refused(tmp_path / "empty.toml")
