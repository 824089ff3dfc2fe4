"""What an experiment is to do, from one TOML file; a file that says what cannot be is refused in one sentence."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from lexlattice.errors import LexLatticeError
from lexlattice.reading import LANGUAGES, PROFILES
from lexlattice.research.experiments.corpus import SPLITS
from lexlattice.training.config import find_config

CONFIGS: Final = Path(__file__).with_name("configs")
"""The packaged settings: `lexlattice experiment NAME --config NAME`."""
STAGES: Final = ("warm-start", "rloo")
_KINDS: Final = ("model", "scores")


@dataclass(frozen=True, slots=True)
class Model:
    """A model to be trained: a configuration with some keys changed, or another model that is trained further."""

    config: Path
    changes: tuple[tuple[str, str | int | float | bool], ...] = ()
    """Dotted keys, such as `model.steps`, and their values."""
    stages: tuple[str, ...] = ("warm-start",)
    after: str = ""
    """The model that it goes on from, with the same configuration."""
    system: str = "model"
    """With `scores` its decoder is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that experiments can be told; each reads what it needs."""

    data: str = "eur-lex-sum"
    languages: tuple[str, ...] = ()
    """All that are there, if none is named."""
    split: str = "validation"
    """What is measured on."""
    systems: tuple[str, ...] = ()
    profile: str = "provisions"
    """How acts are read for these systems; models know their own."""
    budget: str | int = "reference"
    """How long the extracts of these systems may be, as `lexlattice.evaluate` takes it."""
    gold: str = ""
    """Annotations, a file or the name of a split of the project's own: only annotated acts are measured, by meaning
    too."""
    lengths: tuple[str | int, ...] = ()
    """Several budgets, for an experiment that compares them."""
    against: str = "lead"
    """The system that the main table compares all others with."""
    encoder: str = ""
    """For systems over vectors."""
    models: Mapping[str, Model] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Models that are compared with each other, the first being what the others are compared with."""
    chains: tuple[str, ...] = ()
    """Groups in which each model is compared with the one before it instead."""
    seeds: tuple[int, ...] = (0,)
    limit: int | None = None
    """Acts of each language to learn from; all, if nothing is said."""
    source: str = ""
    target: str = ""
    """Languages to learn from and to be measured on."""
    bertscore: str = ""
    """The model for BERTScore, by its name on the hub or its folder; none, and it is left out."""
    layers: int | None = None
    """Which layer of it; the one that `bert-score` recommends, if nothing is said."""
    endpoint: Mapping[str, Any] = field(default_factory=dict)
    """Of the judge: the fields of `lexlattice.research.llm.EndpointConfig`."""
    cap: float | None = None
    """What the judge may cost, in the money that prices are in."""
    acts: int | None = None
    """How many acts of each language are measured on, the first of the split; all, if nothing is said."""


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """Read the settings of an experiment: a packaged one by name, or a TOML file.

    Configurations of models are packaged names too, or paths relative to that file.
    """
    place = find_config(path, CONFIGS)
    try:
        data = tomllib.loads(place.read_text("utf-8"))
    except OSError as error:
        raise LexLatticeError(f"The experiment '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        raise LexLatticeError(f"The experiment '{path}' is not written in TOML ({error}); put it right.") from error
    try:
        return _settings(data, place.parent)
    except LexLatticeError as error:
        raise LexLatticeError(f"In '{path}', {error}") from error


def _settings(data: dict[str, Any], folder: Path) -> Settings:
    known = {key.name for key in fields(Settings)}
    if unknown := sorted(data.keys() - known):
        raise LexLatticeError(f"'{unknown[0]}' is not known; write one of: {', '.join(sorted(known))}.")
    for name, kind in _TYPES.items():
        if name in data and not kind(data[name]):
            raise LexLatticeError(f"'{name}' cannot be {data[name]!r}.")
    models = {name: _model(name, entry, folder) for name, entry in data.pop("models", {}).items()}
    groups = {name: tuple(members) for name, members in data.pop("groups", {}).items()}
    for name in [model.after for model in models.values() if model.after] + [n for g in groups.values() for n in g]:
        if name not in models:
            raise LexLatticeError(f"there is no model '{name}'; define it, or name another.")
    for name in models:
        _check_order(name, models)
    if empty := [name for name, members in groups.items() if not members]:
        raise LexLatticeError(f"nothing is in the group '{empty[0]}'; name the models that it compares.")
    for name in data.get("chains", []):
        if name not in groups:
            raise LexLatticeError(f"there is no group '{name}'; define it, or name another.")
    lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    return Settings(**{**data, **lists}, models=models, groups=groups)


def _check_order(name: str, models: Mapping[str, Model]) -> None:
    """A model cannot go on from itself."""
    seen = {name}
    while name := models[name].after:
        if name in seen:
            raise LexLatticeError(f"the model '{name}' would have to be trained after itself; name another.")
        seen.add(name)


def _model(name: str, entry: Any, folder: Path) -> Model:
    known = {key.name for key in fields(Model)}
    if not isinstance(entry, dict) or entry.keys() - known or not isinstance(entry.get("config"), str):
        raise LexLatticeError(
            f"the model '{name}' has to be a table of config and some of: {', '.join(sorted(known))}."
        )
    stages, after = entry.get("stages", list(STAGES[:1])), entry.get("after", "")
    if not isinstance(stages, list) or not isinstance(after, str):
        raise LexLatticeError(f"the model '{name}' has to have a list as stages, and after the name of another model.")
    changes = entry.get("changes", {})
    if not isinstance(changes, dict) or not all(isinstance(value, str | int | float) for value in changes.values()):
        raise LexLatticeError(f"the changes of the model '{name}' have to be a table of dotted keys and plain values.")
    own = {"config": find_config(entry["config"], base=folder), "changes": tuple(changes.items())}
    model = Model(**{**entry, **own, "stages": tuple(stages)})
    if not all(stage in STAGES for stage in model.stages) or not model.stages or model.system not in _KINDS:
        raise LexLatticeError(f"the model '{name}' has stages of {STAGES}, and is read as one of {_KINDS}.")
    return model


def _is_list_of(kind: type) -> Any:
    return lambda value: isinstance(value, list) and all(type(entry) is kind for entry in value)


_TYPES: Final = {
    "languages": lambda value: isinstance(value, list) and all(entry in LANGUAGES for entry in value),
    "split": lambda value: value in SPLITS,
    "budget": lambda value: type(value) in (str, int),
    "profile": lambda value: value in PROFILES,
    **dict.fromkeys(("systems", "chains"), _is_list_of(str)),
    "lengths": lambda value: isinstance(value, list) and all(type(entry) in (str, int) for entry in value),
    "seeds": lambda value: _is_list_of(int)(value) and len(value) > 0 and min(value) >= 0,
    "limit": lambda value: type(value) is int and value > 0,
    "models": lambda value: isinstance(value, dict),
    "groups": lambda value: isinstance(value, dict) and all(_is_list_of(str)(group) for group in value.values()),
    "source": lambda value: value in LANGUAGES,
    "target": lambda value: value in LANGUAGES,
    "endpoint": lambda value: isinstance(value, dict),
    "cap": lambda value: type(value) in (int, float) and value >= 0,
    **dict.fromkeys(("acts", "layers"), lambda value: type(value) is int and value > 0),
    **dict.fromkeys(("data", "encoder", "bertscore", "against", "gold"), lambda value: isinstance(value, str)),
}
"""What each key may hold."""
