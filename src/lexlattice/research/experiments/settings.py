"""The settings of an experiment, read from a TOML file and validated."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from lexlattice.errors import ConfigError, LexLatticeError
from lexlattice.reading import LANGUAGES, PROFILES
from lexlattice.research.experiments.corpus import SPLITS
from lexlattice.training.config import find_config

CONFIGS: Final = Path(__file__).with_name("configs")
"""The packaged settings: `lexlattice experiment NAME --config NAME`."""
STAGES: Final = ("warm-start", "rloo")
_KINDS: Final = ("model", "scores")


@dataclass(frozen=True, slots=True)
class Model:
    """A model to train: a configuration with some keys changed, optionally continuing from another model."""

    config: Path
    changes: tuple[tuple[str, str | int | float | bool], ...] = ()
    """Dotted keys, such as `model.steps`, and their values."""
    stages: tuple[str, ...] = ("warm-start",)
    after: str = ""
    """The model that it continues from, with the same configuration."""
    system: str = "model"
    """`model`, or `scores` to leave out its decoder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of all experiments; each uses those it needs."""

    data: str = "eur-lex-sum"
    languages: tuple[str, ...] = ()
    """By default all that the data have."""
    tested: tuple[str, ...] = ()
    """Those of the languages that are evaluated on; by default all. Models are trained on all in any case."""
    split: str = "validation"
    """The split to evaluate on."""
    systems: tuple[str, ...] = ()
    profile: str = "provisions"
    """How acts are read for these systems; models have their own."""
    budget: str | int = "reference"
    """The length of extracts, as in `lexlattice.evaluate`."""
    gold: str = ""
    """Annotations: a file, or a split of the project's own. Only annotated acts are then evaluated, by meaning too."""
    lengths: tuple[str | int, ...] = ()
    """Several budgets, for experiments that compare them."""
    against: str = "lead"
    """The system that all others are compared with."""
    encoder: str = ""
    """For systems over vectors, and for all models that name none in their changes."""
    cache_limit: float | None = None
    """The most gigabytes of the cache of vectors; by default that of `lexlattice.encoding.cache`."""
    models: Mapping[str, Model] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By title of a table: the models to compare; the first is the baseline."""
    stemming: bool = False
    """Whether to score with Porter stems too, which needs the extra `stem`."""
    chains: tuple[str, ...] = ()
    """Groups in which each model is compared with the previous one instead."""
    seeds: tuple[int, ...] = (0,)
    limit: int | None = None
    """Training acts of each language, spread evenly over the split; all by default."""
    source: str = ""
    target: str = ""
    """The languages to train and to evaluate on."""
    source_systems: Mapping[str, str] = field(default_factory=dict)
    """By name in the table: systems that read the acts in the source language and write in the target language."""
    bertscore: str = ""
    """The model for BERTScore, by its name on the hub or its folder; empty for no BERTScore."""
    layers: int | None = None
    """The layer of that model; by default the one that `bert-score` recommends."""
    endpoint: Mapping[str, Any] = field(default_factory=dict)
    """The judge: the fields of `lexlattice.research.llm.EndpointConfig`."""
    cap: float | None = None
    """The spending cap of the judge, times the number of languages, in the currency of its prices."""
    requests: int = 4
    """Requests to the judge at once."""
    act: str = ""
    """The CELEX number of the act to draw; by default the first of the split."""
    table: str = ""
    """The settings whose first table is drawn; by default the main table."""
    shown: tuple[str, ...] = ()
    """The systems of that table to draw; the first is what the others are compared with."""
    acts: int | None = None
    """Evaluated acts of each language, the first of the split; all by default."""


def settings_name(path: str | os.PathLike[str]) -> str:
    """The name of settings: `paper/table2` for packaged ones in a subfolder, else the name of the file."""
    place = find_config(path, CONFIGS).resolve().with_suffix("")
    packaged = CONFIGS.resolve()
    return place.relative_to(packaged).as_posix() if place.is_relative_to(packaged) else place.name


def read_settings(path: str | os.PathLike[str], changes: Mapping[str, Any] = MappingProxyType({})) -> Settings:
    """Read the settings of an experiment: a packaged one by name, or a TOML file.

    Configurations of models are packaged names too, or paths relative to that file.

    Args:
        path: The name or file.
        changes: Settings that replace those of the file; those inside a table have dotted keys (`endpoint.url`).

    Raises:
        ConfigError: The file cannot be read or is not valid.

    """
    place = find_config(path, CONFIGS)
    try:
        data = tomllib.loads(place.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"The experiment '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"The experiment '{path}' is not valid TOML ({error}).") from error
    try:
        for key, value in changes.items():
            _change(data, key, value)
        return _settings(data, place.parent)
    except LexLatticeError as error:
        raise ConfigError(f"In '{path}', {error}") from error


def parse_change(text: str) -> tuple[str, Any]:
    """A change as it is written on the command line: a key, and a value in TOML or a plain text.

    >>> parse_change("acts=20"), parse_change("bertscore=build/minilm")
    (('acts', 20), ('bertscore', 'build/minilm'))
    """
    key, is_there, value = text.partition("=")
    if not key.strip() or not is_there:
        raise ConfigError(f"'{text}' changes no setting; write KEY=VALUE, such as acts=20.")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value


def _change(data: dict[str, Any], dotted: str, value: Any) -> None:
    *tables, key = dotted.split(".")
    for name in tables:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise ConfigError(f"'{dotted}' cannot be changed, since '{name}' is not a table; name another key.")
    data[key] = value


def _settings(data: dict[str, Any], folder: Path) -> Settings:
    known = {key.name for key in fields(Settings)}
    if unknown := sorted(data.keys() - known):
        raise ConfigError(f"'{unknown[0]}' is not a setting; choose from: {', '.join(sorted(known))}.")
    for name, kind in _TYPES.items():
        if name in data and not kind(data[name]):
            raise ConfigError(f"'{name}' has the invalid value {data[name]!r}.")
    models = {
        name: _model(name, entry, folder, data.get("encoder", "")) for name, entry in data.pop("models", {}).items()
    }
    groups = {name: tuple(members) for name, members in data.pop("groups", {}).items()}
    for name in [model.after for model in models.values() if model.after] + [n for g in groups.values() for n in g]:
        if name not in models:
            raise ConfigError(f"there is no model '{name}'; define it, or name another.")
    for name in models:
        _check_order(name, models)
    if empty := [name for name, members in groups.items() if not members]:
        raise ConfigError(f"the group '{empty[0]}' is empty; name the models that it compares.")
    for name in data.get("chains", []):
        if name not in groups:
            raise ConfigError(f"there is no group '{name}'; define it, or name another.")
    lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    return Settings(**{**data, **lists}, models=models, groups=groups)


def _check_order(name: str, models: Mapping[str, Model]) -> None:
    """Raise `ConfigError` if a model continues from itself."""
    seen = {name}
    while name := models[name].after:
        if name in seen:
            raise ConfigError(f"the model '{name}' continues from itself; name another.")
        seen.add(name)


def _model(name: str, entry: Any, folder: Path, encoder: str) -> Model:
    known = {key.name for key in fields(Model)}
    if not isinstance(entry, dict) or entry.keys() - known or not isinstance(entry.get("config"), str):
        raise ConfigError(f"the model '{name}' must be a table with config and any of: {', '.join(sorted(known))}.")
    stages, after = entry.get("stages", list(STAGES[:1])), entry.get("after", "")
    if not isinstance(stages, list) or not isinstance(after, str):
        raise ConfigError(f"the model '{name}' needs a list as stages, and the name of another model as after.")
    changes = entry.get("changes", {})
    if not isinstance(changes, dict) or not all(isinstance(value, str | int | float) for value in changes.values()):
        raise ConfigError(f"the changes of the model '{name}' must be a table of dotted keys and plain values.")
    if encoder:
        changes = {"encoder.name": encoder, **changes}
    resolved = {"config": find_config(entry["config"], base=folder), "changes": tuple(changes.items())}
    model = Model(**{**entry, **resolved, "stages": tuple(stages)})
    if not all(stage in STAGES for stage in model.stages) or not model.stages or model.system not in _KINDS:
        raise ConfigError(
            f"the model '{name}' has invalid stages (choose from {STAGES}) or system (choose from {_KINDS})."
        )
    return model


def _is_list_of(kind: type) -> Any:
    return lambda value: isinstance(value, list) and all(type(entry) is kind for entry in value)


_TYPES: Final = {
    **dict.fromkeys(
        ("languages", "tested"),
        lambda value: isinstance(value, list) and all(entry in LANGUAGES for entry in value),
    ),
    "split": lambda value: value in SPLITS,
    "budget": lambda value: type(value) in (str, int),
    "profile": lambda value: value in PROFILES,
    **dict.fromkeys(("systems", "chains", "shown"), _is_list_of(str)),
    "lengths": lambda value: isinstance(value, list) and all(type(entry) in (str, int) for entry in value),
    "seeds": lambda value: _is_list_of(int)(value) and len(value) > 0 and min(value) >= 0,
    "limit": lambda value: type(value) is int and value > 0,
    "models": lambda value: isinstance(value, dict),
    "groups": lambda value: isinstance(value, dict) and all(_is_list_of(str)(group) for group in value.values()),
    "stemming": lambda value: type(value) is bool,
    "source": lambda value: value in LANGUAGES,
    "target": lambda value: value in LANGUAGES,
    "endpoint": lambda value: isinstance(value, dict),
    "source_systems": lambda value: isinstance(value, dict) and all(type(name) is str for name in value.values()),
    "cap": lambda value: type(value) in (int, float) and value >= 0,
    "cache_limit": lambda value: type(value) in (int, float) and value > 0,
    **dict.fromkeys(("acts", "layers", "requests"), lambda value: type(value) is int and value > 0),
    **dict.fromkeys(
        ("data", "encoder", "bertscore", "against", "gold", "act", "table"), lambda value: isinstance(value, str)
    ),
}
"""For each key, whether a value is valid."""
