"""Every constant of a training in one file; whatever cannot be is refused in a sentence that names the file and key."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from helpers import ROOT
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.oracle import Oracle
from lexlattice.training.config import Config, PaperShape, Rloo, Selection, WarmStart, read_config

CONFIGS = ROOT / "configs"
PAPER = CONFIGS / "paper.toml"


def changed(folder: Path, old: str, new: str) -> Path:
    """The paper's file, but for one passage."""
    text = PAPER.read_text("utf-8")
    assert text.count(old) == 1
    path = folder / "mine.toml"
    path.write_text(text.replace(old, new), "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(LexLatticeError) as error:
        read_config(path)
    sentence = str(error.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def test_the_paper_file_has_the_constants_of_the_paper() -> None:
    config = read_config(PAPER)
    assert (config.profile, config.network, config.seed) == ("paper", "consolidator", 0)
    assert (config.encoder.name, config.encoder.dimensions) == ("mt5", 768)
    assert config.oracle == Oracle("greedy", 40)
    assert config.model == PaperShape("grid", 48, 32, 8, 256, 768, False)
    assert config.warm_start.bce == 0.3
    assert config.rloo.rollouts == 4
    assert config.selection == Selection("paper", "reference")


def test_the_other_file_changes_the_encoder_and_what_hangs_on_it_only() -> None:
    paper, static = read_config(PAPER), read_config(CONFIGS / "paper-static.toml")
    assert (static.encoder.name, static.encoder.dimensions, static.model.readout) == ("static", 256, 256)
    unlike = {field.name for field in fields(Config) if getattr(paper, field.name) != getattr(static, field.name)}
    assert unlike == {"encoder", "model"}


def test_whole_numbers_may_stand_where_numbers_are_wanted(tmp_path: Path) -> None:
    config = read_config(changed(tmp_path, "bce = 0.3", "bce = 0"))
    assert config.warm_start.bce == 0.0
    assert isinstance(config.warm_start.bce, float)


def test_what_has_a_default_may_be_left_out_or_written(tmp_path: Path) -> None:
    config = read_config(changed(tmp_path, 'objective = "greedy"', 'objective = "budgeted"\nwhole = false'))
    assert config.oracle == Oracle("budgeted", 40, whole=False)


def test_a_readout_alone_has_no_steps(tmp_path: Path) -> None:
    alone = changed(tmp_path, 'geometry = "grid"', 'geometry = "none"')
    assert "'steps' has to be 0" in refused(alone)
    alone.write_text(alone.read_text("utf-8").replace("steps = 8", "steps = 0"), "utf-8")
    assert read_config(alone).model.steps == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("steps = 8", "steps = -1", "'model.steps' has to be a whole number from 0 to 1,000,000, not -1"),
        ("steps = 8", "steps = 8.0", "'model.steps' has to be a whole number"),
        ("steps = 8", "steps = true", "'model.steps' has to be a whole number from 0 to 1,000,000, not true"),
        ("steps = 8", "stepz = 8", "'model.stepz' is not known"),
        ("steps = 8\n", "", "'model.steps' is missing"),
        ("seed = 0", "seed = -1", "'seed'"),
        ("seed = 0", "seed = 0\nsead = 1", "'sead' is not known"),
        ('profile = "paper"', 'profile = "poem"', "'profile' has to be one of: provisions, paper"),
        ('network = "consolidator"', 'network = "forest"', "'network' has to be one of: consolidator, coverage"),
        ('network = "consolidator"', 'network = "coverage"', "'model.columns' is not known"),
        ('profile = "paper"', "profile = 5", "'profile'"),
        ('name = "mt5"', 'name = "mt6"', "'encoder.name'"),
        ("dimensions = 768", "dimensions = 0", "'encoder.dimensions'"),
        ('objective = "greedy"', 'objective = "greasy"', "'oracle.objective' has to be one of: budgeted, greedy"),
        ("cap = 40", "cap = 0", "'oracle.cap'"),
        ("cap = 40", 'cap = 40\ntokenizer = "x"', "'oracle.tokenizer'"),
        ('geometry = "grid"', 'geometry = "torus"', "'model.geometry' has to be one of: grid, unbounded, line, none"),
        ("language_embedding = false", "language_embedding = 0", "'model.language_embedding' has to be true or false"),
        ("bce = 0.3", "bce = -0.3", "'warm_start.bce'"),
        ("bce = 0.3", "bce = nan", "'warm_start.bce'"),
        ("bce = 0.3", "bce = inf", "'warm_start.bce'"),
        ("bce = 0.3", 'bce = "0.3"', "'warm_start.bce'"),
        ("bce = 0.3", f"bce = 1{'0' * 400}", "'warm_start.bce'"),
        ("bce = 0.3", "bce = [0.3]", "'warm_start.bce'"),
        ("rollouts = 4", "rollouts = 1", "'rloo.rollouts' has to be a whole number from 2"),
        ("decay = 0.99", "decay = 1", "'rloo.decay'"),
        ('mode = "paper"', 'mode = "whole"', "'selection.mode'"),
        ('mode = "paper"', 'mode = "half"', "'selection.mode'"),
        ('budget = "reference"', 'budget = "words:-3"', "'selection.budget'"),
        ("[rloo]", "[reinforce]", "'reinforce' is not known"),
        ("[selection]", "[[selection]]", "'selection' has to be a table with mode, budget"),
        ("[selection]", "[selection", "TOML"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert words in refused(changed(tmp_path, old, new))


@pytest.mark.parametrize("stage", [WarmStart, Rloo])
def test_no_constant_of_a_stage_may_be_missing(tmp_path: Path, stage: type) -> None:
    table = "[warm_start]" if stage is WarmStart else "[rloo]"
    for field in (field for field in fields(stage) if field.default is MISSING):
        head, _, tail = PAPER.read_text("utf-8").partition(table)
        lines = tail.splitlines(keepends=True)
        lines.remove(next(line for line in lines if line.startswith(f"{field.name} =")))
        path = tmp_path / "mine.toml"
        path.write_text(head + table + "".join(lines), "utf-8")
        assert f"'{table[1:-1]}.{field.name}' is missing" in refused(path)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refused(tmp_path / "bytes.toml")
    (tmp_path / "empty.toml").write_text("")
    assert "'profile' is missing" in refused(tmp_path / "empty.toml")
