"""Training configurations: TOML files, read and validated into frozen data classes.

Each field declares its constraint in its type annotation, and the reader takes it from there. To add a network, add a
class for its [model] table and a line to `NETWORKS`. Unknown keys, missing keys and invalid values raise ConfigError.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_type_hints

from lexlattice.encoding import NAMES
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import ConfigError, LexLatticeError
from lexlattice.evaluation.oracle import OBJECTIVES, Oracle
from lexlattice.reading import PROFILES
from lexlattice.selection import MODES, Budget

T = TypeVar("T")

CONFIGS: Final = Path(__file__).with_name("configs")
"""The packaged configurations: `lexlattice train --config provisions`."""
_LARGEST_INTEGER: Final = 1_000_000
_LARGEST_SEED: Final = 2**32 - 1


class Rule(NamedTuple):
    """A constraint on a value: its description for error messages, and the check."""

    description: str
    holds: Callable[[Any], bool]


def _integer(least: int, most: int = _LARGEST_INTEGER) -> Rule:
    return Rule(f"an integer from {least:,} to {most:,}", lambda value: least <= value <= most)


def _one_of(names: tuple[str, ...]) -> Rule:
    return Rule(f"one of: {', '.join(names)}", names.__contains__)


def _is_budget(text: str) -> bool:
    try:
        return bool(Budget.parse(text))
    except LexLatticeError:
        return False


def _is_encoder(name: str) -> bool:
    kind, colon, where = name.partition(":")
    return bool(where) or (not colon and kind in NAMES)


PositiveInteger = Annotated[int, _integer(1)]
NonNegativeInteger = Annotated[int, _integer(0)]
Positive = Annotated[float, Rule("a number above 0", lambda value: 0 < value < math.inf)]
NonNegative = Annotated[float, Rule("a number of at least 0", lambda value: 0 <= value < math.inf)]
Fraction = Annotated[float, Rule("a number of at least 0 and below 1", lambda value: 0 <= value < 1)]
Probability = Annotated[float, Rule("a number from 0 to 1", lambda value: 0 <= value <= 1)]


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """The encoder of the unit vectors, and their dimensions."""

    name: Annotated[str, Rule(f"an encoder's name ({', '.join(NAMES)}, package.module:attribute)", _is_encoder)]
    dimensions: PositiveInteger


@dataclass(frozen=True, slots=True)
class PaperShape:
    """Layer sizes of the paper's model; the number of channels equals the encoder's dimensions."""

    geometry: Annotated[str, _one_of(("grid", "unbounded", "line", "none"))]
    """Bounded grid, unbounded lattice, 1D control, or none: the readout without an automaton."""
    rows: PositiveInteger
    columns: PositiveInteger
    steps: NonNegativeInteger
    hidden: PositiveInteger
    readout: PositiveInteger
    language_embedding: bool

    def __post_init__(self) -> None:
        if (self.geometry == "none") != (self.steps == 0):
            raise ConfigError("'steps' must be 0 if and only if 'geometry' is \"none\".")


@dataclass(frozen=True, slots=True)
class CoverageShape:
    """Layer sizes and loss weights of the research model `coverage`."""

    geometry: Annotated[str, _one_of(("unbounded", "line", "none"))]
    """Unbounded lattice, 1D control, or none: units without neighbours."""
    steps: NonNegativeInteger
    overview: bool
    """Whether cells also perceive the mean states of their section and of the act."""
    channels: PositiveInteger
    hidden: PositiveInteger
    """Hidden size of the automaton's update rule."""
    readout: PositiveInteger
    meaning: PositiveInteger
    """Dimensions that vectors are projected to."""
    words: PositiveInteger
    """Hidden size of the word layers."""
    bigrams: PositiveInteger
    """Hidden size of the bigram layers."""
    message: PositiveInteger
    """Size of the messages between words and units."""
    dropout: Fraction
    bigram_weight: NonNegative
    """Weight of the bigram loss, relative to the word loss."""
    unit_weight: NonNegative
    """Weight of the unit loss, relative to the word loss."""


@dataclass(frozen=True, slots=True)
class ProvisionsShape:
    """Layer sizes and optional parts of the shipped network, which scores provisions."""

    geometry: Annotated[str, _one_of(("unbounded", "line", "none"))]
    """Unbounded lattice, 1D control, or none: units without neighbours."""
    steps: NonNegativeInteger
    """Automaton steps; 0 disables the automaton."""
    overview: bool
    """Whether cells perceive the mean states of their section and of the act."""
    paragraphs: bool
    """Whether they perceive the mean state of their paragraph."""
    references: bool
    """Whether they perceive the sections that cite theirs, and those that theirs cites."""
    attention: NonNegativeInteger
    """Query and key dimensions of the attention between sections; 0 disables it."""
    sections: Annotated[str, _one_of(("none", "add", "multiply"))]
    """How a section's logit is combined with those of its units."""
    first: PositiveInteger
    """Hidden size of the feature layer."""
    channels: PositiveInteger
    hidden: PositiveInteger
    """Hidden size of the automaton's update rule."""
    readout: PositiveInteger
    meaning: PositiveInteger
    """Dimensions that unit vectors are projected to."""
    leads: PositiveInteger
    openings: PositiveInteger
    headings: PositiveInteger
    enclosing: PositiveInteger
    """The same for lead-ins, opening words, section headings and the headings that enclose them."""
    weight: Probability
    """Share of the expected point weight in a score, next to the probability; 0 disables it."""
    input_dropout: Fraction
    dropout: Fraction

    def __post_init__(self) -> None:
        if not self.steps and (self.overview or self.paragraphs or self.references or self.attention):
            raise ConfigError(
                "'overview', 'paragraphs', 'references' and 'attention' need an automaton: set 'steps' to 1 or more, "
                "or disable them."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Optimizer settings that every stage has."""

    epochs: NonNegativeInteger
    batch: PositiveInteger
    """Acts per optimizer step."""
    learning_rate: Positive
    weight_decay: NonNegative
    patience: PositiveInteger
    """Early stopping: epochs without a better validation score."""
    clip: Positive
    """Gradient clipping: the largest norm."""
    warm_up: Fraction
    """Share of all steps in which the learning rate rises; then it decays to zero on a cosine."""
    ema: Fraction
    """Decay of the exponential moving average (EMA) of the weights; 0 disables it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmStart(Stage):
    """Stage 1: imitate the oracle."""

    bce: NonNegative
    """Weight of the binary cross-entropy, next to the Plackett–Luce loss."""
    listwise: NonNegative = 1.0
    """Weight of the Plackett–Luce loss; 0 leaves only the cross-entropy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rloo(Stage):
    """Stage 2: REINFORCE with leave-one-out baselines (RLOO)."""

    rollouts: Annotated[int, _integer(2)]
    decay: Fraction
    """Decay of the running mean and variance of each language's rewards."""
    reduction: Annotated[str, _one_of(("mean", "sum"))] = "mean"
    """How the losses of an act's rollouts are combined; the paper's is the sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldStart(WarmStart):
    """Stage 1 on gold annotations: soft membership targets and the order of the gold extract."""

    extract: Probability = 0.67
    """Target of the gold extract's units; a point's units get a third of its weight, if that is more."""
    sections: NonNegative = 0.0
    """Weight of the section cross-entropy; a section's target is the largest of its units."""
    weight: NonNegative = 0.3
    """Weight of the Poisson loss of expected point weights, if the network predicts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldRloo(Rloo):
    """Stage 2 on gold annotations; the reward is the F1 of points and precision."""

    temperature: Positive
    """Sampling temperature: the logarithm of a score is divided by it."""


@dataclass(frozen=True, slots=True)
class Selection:
    """How scores become an extract."""

    mode: Annotated[str, _one_of(MODES)]
    budget: Annotated[str, Rule("a budget: short, medium, long, words:N, ratio:R or reference", _is_budget)]


class Network(NamedTuple):
    """A network that can be trained: its [model] table, its class, and the selection mode it supports."""

    shape: type[PaperShape | CoverageShape | ProvisionsShape]
    model: str
    """Import string of the `TrainableModel`, so that this package does not import those above it."""
    mode: str


NETWORKS: Final = {
    "paper": Network(PaperShape, "lexlattice.training.models.paper:TrainablePaperModel", "paper"),
    "coverage": Network(CoverageShape, "lexlattice.research.coverage.training:TrainableCoverageModel", "whole"),
    "provisions": Network(ProvisionsShape, "lexlattice.training.models.provisions:TrainableProvisionsModel", "whole"),
}
_DEFAULT_ORACLE: Final = Oracle()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything that determines a training run, except the data."""

    profile: Annotated[str, _one_of(PROFILES)]
    """Reading profile of the acts."""
    network: Annotated[str, _one_of(tuple(NETWORKS))]
    seed: Annotated[int, _integer(0, _LARGEST_SEED)]
    encoder: EncoderConfig
    oracle: Oracle = _DEFAULT_ORACLE
    """Oracle to imitate; the network `provisions` learns from gold and silver annotations instead."""
    model: PaperShape | CoverageShape | ProvisionsShape
    silver: Stage | None = None
    """Silver alignment, the stage before stage 1; only for the network `provisions`."""
    warm_start: WarmStart
    rloo: Rloo
    selection: Selection

    @property
    def learns_from_gold(self) -> bool:
        """Whether the data must be prepared with gold annotations."""
        return self.network == "provisions"

    def __post_init__(self) -> None:
        # the rollouts of stage 2 are built by the network's own decoder, which knows one mode only
        if self.selection.mode != (mode := NETWORKS[self.network].mode):
            raise ConfigError(f"'selection.mode' must be \"{mode}\" for the network '{self.network}'.")


_ORACLE: Final = {
    "objective": Annotated[str, _one_of(OBJECTIVES)],
    "cap": PositiveInteger,
    "tokenizer": Annotated[str, _one_of(TOKENIZERS)],
    "whole": bool,
}
"""Constraints of the [oracle] table: `Oracle` is used without files too and does not declare them."""


def find_config(name_or_path: str | os.PathLike[str], folder: Path = CONFIGS, base: Path | None = None) -> Path:
    """Return the path of a TOML configuration, given the name of a packaged one or a path.

    Args:
        name_or_path: a name such as "provisions" (of one in a subfolder, "paper/table2"), or the path of a file.
        folder: where the packaged configurations are.
        base: the folder that relative paths start from; the working directory by default.

    Raises:
        ConfigError: there is no such name or file.

    """
    packaged = {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.toml"))}
    if (name := str(name_or_path)) in packaged:
        return packaged[name]
    path = Path(name_or_path) if base is None else base / name_or_path
    if not path.is_file():
        raise ConfigError(
            f"There is no configuration '{name}'; give the path of a TOML file, or one of: {', '.join(packaged)}."
        )
    return path


def read_config(name_or_path: str | os.PathLike[str]) -> Config:
    """Read and validate a training configuration: a packaged one by name, or a TOML file.

    Raises:
        ConfigError: the file is missing, is not TOML, or holds an unknown, missing or invalid key.

    """
    path = find_config(name_or_path)
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"The configuration '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeError) else f"{error}"
        raise ConfigError(f"The configuration '{path}' is not valid TOML ({reason}); correct it.") from error
    try:
        return _table(Config, data, "")
    except ConfigError as error:
        raise ConfigError(f"In '{path}', {error}") from error


def _table(kind: type[T], data: Mapping[str, object], prefix: str) -> T:
    """Build a data class from a TOML table whose keys are its fields; fields with a default are optional."""
    hints = _hints(kind, data)
    if unknown := sorted(data.keys() - hints.keys()):
        raise ConfigError(f"'{prefix}{unknown[0]}' is not a known key; remove it, or use one of: {', '.join(hints)}.")
    values = {}
    for key in fields(kind):  # type: ignore[arg-type]
        if key.name in data:
            values[key.name] = _value(hints[key.name], data[key.name], prefix + key.name)
        elif key.name in hints and (key.default is MISSING or hints[key.name] is Oracle):
            raise ConfigError(f"'{prefix}{key.name}' is missing; it must be {_describe(hints[key.name])}.")
    try:
        return kind(**values)
    except ConfigError as error:
        raise ConfigError(f"the table [{prefix.rstrip('.')}] is invalid: {error}" if prefix else str(error)) from error


def _hints(kind: type, data: Mapping[str, object]) -> dict[str, Any]:
    """The annotated types of a class's fields; some tables depend on the network."""
    if kind is Oracle:
        return dict(_ORACLE)
    hints = get_type_hints(kind, include_extras=True)
    if kind is Config and isinstance(name := data.get("network"), str):
        if network := NETWORKS.get(name):
            hints["model"] = network.shape
        if name == "provisions":
            del hints["oracle"]
            hints |= {"silver": Stage, "warm_start": GoldStart, "rloo": GoldRloo}
        else:
            del hints["silver"]
    return hints


def _value(hint: Any, value: object, key: str) -> object:
    """Validate a value against its annotation; integers are accepted as floats, booleans never as numbers."""
    if is_dataclass(hint):
        if isinstance(value, dict):
            return _table(hint, value, f"{key}.")  # type: ignore[arg-type]
    else:
        wanted = getattr(hint, "__origin__", hint)
        if wanted is float and type(value) is int and abs(value) <= _LARGEST_INTEGER:
            value = float(value)
        if type(value) is wanted and all(rule.holds(value) for rule in _rules(hint)):
            return value
    shown = "a table" if isinstance(value, dict) else json.dumps(value, default=str, ensure_ascii=False)
    raise ConfigError(f"'{key}' must be {_describe(hint)}, not {shown}.")


def _describe(hint: Any) -> str:
    if is_dataclass(hint):
        return f"a table with {', '.join(field.name for field in fields(hint))}"
    return next((rule.description for rule in _rules(hint)), "true or false")


def _rules(hint: Any) -> tuple[Rule, ...]:
    return getattr(hint, "__metadata__", ())
