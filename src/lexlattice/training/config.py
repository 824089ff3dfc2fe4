"""Every constant of a training in one TOML file, read into frozen data classes.

What a key may hold stands beside its name, and the reader takes it from there: a new network adds a class for its
sizes, and nothing else changes. A file that says too much, too little or what cannot be is refused in one sentence.
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
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.oracle import OBJECTIVES, Oracle
from lexlattice.reading import PROFILES
from lexlattice.selection import MODES, Budget

T = TypeVar("T")

_MOST: Final = 1_000_000
_LAST_SEED: Final = 2**32 - 1


class Rule(NamedTuple):
    """What a value has to be, in words and as a check."""

    says: str
    holds: Callable[[Any], bool]


def _whole(least: int, most: int = _MOST) -> Rule:
    return Rule(f"a whole number from {least:,} to {most:,}", lambda value: least <= value <= most)


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


Count = Annotated[int, _whole(1)]
CountOrNone = Annotated[int, _whole(0)]
Positive = Annotated[float, Rule("a number above 0", lambda value: 0 < value < math.inf)]
Share = Annotated[float, Rule("a number of at least 0 and below 1", lambda value: 0 <= value < 1)]
Probability = Annotated[float, Rule("a number from 0 to 1", lambda value: 0 <= value <= 1)]
NotNegative = Annotated[float, Rule("a number of at least 0", lambda value: 0 <= value < math.inf)]


@dataclass(frozen=True, slots=True)
class EncoderConfig:
    """Which encoder made the vectors, and how long they are."""

    name: Annotated[str, Rule(f"an encoder's name ({', '.join(NAMES)}, package.module:attribute)", _is_encoder)]
    dimensions: Count


@dataclass(frozen=True, slots=True)
class PaperShape:
    """The sizes of the paper's model; how many channels it has is up to the encoder."""

    geometry: Annotated[str, _one_of(("grid", "unbounded", "line", "none"))]
    """The grid; every unit where it stands; the 1D control; or none, which leaves the readout alone."""
    rows: Count
    columns: Count
    steps: CountOrNone
    hidden: Count
    readout: Count
    language_embedding: bool

    def __post_init__(self) -> None:
        if (self.geometry == "none") != (self.steps == 0):
            raise LexLatticeError("'steps' has to be 0 where 'geometry' is \"none\", and above 0 where it is not.")


@dataclass(frozen=True, slots=True)
class CoverageShape:
    """The sizes of the research system `coverage`, and how much each of the things it learns counts."""

    geometry: Annotated[str, _one_of(("unbounded", "line", "none"))]
    """Every unit where it stands; the 1D control; or none, where units have no neighbours."""
    steps: CountOrNone
    overview: bool
    """Whether cells also perceive the mean of their section and of the act."""
    channels: Count
    hidden: Count
    """Of the automaton."""
    readout: Count
    meaning: Count
    """Dimensions that vectors are brought to."""
    words: Count
    """Hidden sizes of what is made of words and of pairs."""
    pairs: Count
    message: Count
    """Numbers that words and units tell each other."""
    dropout: Share
    pair_weight: NotNegative
    unit_weight: NotNegative


@dataclass(frozen=True, slots=True)
class MeaningShape:
    """The sizes of the network that scores provisions by meaning, and which parts it has."""

    geometry: Annotated[str, _one_of(("unbounded", "line", "none"))]
    """Every unit where it stands; the 1D control; or none, where units have no neighbours."""
    steps: CountOrNone
    """Of the automaton; 0 leaves it out."""
    overview: bool
    """Whether cells perceive the means of their section and of the act."""
    paragraphs: bool
    """Whether they perceive the mean of their paragraph."""
    references: bool
    """Whether they perceive the sections that refer to theirs, and those that theirs refers to."""
    attention: CountOrNone
    """Dimensions of queries and keys of sections that attend to each other; 0 leaves it out."""
    sections: Annotated[str, _one_of(("none", "add", "multiply"))]
    """What the logit of a section does to those of its units."""
    first: Count
    """Hidden size of what is made of features."""
    channels: Count
    hidden: Count
    """Of the automaton."""
    readout: Count
    meaning: Count
    """Dimensions that vectors of units are projected to."""
    leads: Count
    openings: Count
    headings: Count
    enclosing: Count
    """The same of lead-ins, of the first words of units, of headings, and of headings around these."""
    weight: Probability
    """The share of the expected weight of points in a score, beside the probability; 0 leaves it out."""
    input_dropout: Share
    dropout: Share

    def __post_init__(self) -> None:
        if not self.steps and (self.overview or self.paragraphs or self.references or self.attention):
            raise LexLatticeError(
                "'overview', 'paragraphs', 'references' and 'attention' are perceived step by step: let 'steps' be at "
                "least 1, or leave them out."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What both stages have to say."""

    epochs: CountOrNone
    batch: Count
    """Acts a step."""
    learning_rate: Positive
    weight_decay: NotNegative
    patience: Count
    """Epochs without a better validation score, after which it ends."""
    clip: Positive
    """Of the norm of the gradient."""
    warm_up: Share
    """The share of all steps in which the learning rate rises; then it falls to zero."""
    average: Share
    """How much of the moving average of the weights stays at a step; 0 takes the weights as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmStart(Stage):
    """Stage 1: imitate the oracle."""

    bce: NotNegative
    """Weight of the binary cross-entropy beside the Plackett–Luce loss."""
    listwise: NotNegative = 1.0
    """Weight of the latter: 0 leaves membership alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rloo(Stage):
    """Stage 2: reinforce what earns more than the other samples of the same act."""

    rollouts: Annotated[int, _whole(2)]
    decay: Share
    """Of the running mean and variance of a language's reward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldStart(WarmStart):
    """Stage 1 on gold annotations: soft membership, and the order of importance of the gold extract."""

    extract: Probability = 0.67
    """The target of units of the gold extract; that of a point's units is a third of its weight, if that is more."""
    sections: NotNegative = 0.0
    """Weight of the cross-entropy of sections: the largest target of their units."""
    weight: NotNegative = 0.3
    """Weight of the Poisson loss of the expected weight of points, where the network reads it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldRloo(Rloo):
    """Stage 2 on gold annotations, rewarded by points and precision."""

    temperature: Positive
    """How far draws are from the best: the logarithm of a score is divided by it."""


@dataclass(frozen=True, slots=True)
class Selection:
    """How scores become an extract."""

    mode: Annotated[str, _one_of(MODES)]
    budget: Annotated[str, Rule("a budget: auto, short, long, words:N, ratio:R or reference", _is_budget)]


NETWORKS: Final[dict[str, type[PaperShape | CoverageShape | MeaningShape]]] = {
    "consolidator": PaperShape,
    "coverage": CoverageShape,
    "meaning": MeaningShape,
}
"""The paper's network, that of words, and that of meaning, each with the class of its [model]."""
_MODES: Final = {
    "consolidator": ("paper", "what it draws is cut as there"),
    "coverage": ("whole", "its decoder takes whole units only"),
    "meaning": ("whole", "its decoder takes whole units only"),
}
"""The mode of [selection] for each network, and why it can be no other."""


_NO_ORACLE: Final = Oracle()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All that decides a training, besides the data."""

    profile: Annotated[str, _one_of(PROFILES)]
    """How acts are read."""
    network: Annotated[str, _one_of(tuple(NETWORKS))]
    seed: Annotated[int, _whole(0, _LAST_SEED)]
    encoder: EncoderConfig
    oracle: Oracle = _NO_ORACLE
    """What is learnt from; the network of meaning learns from gold and silver instead."""
    model: PaperShape | CoverageShape | MeaningShape
    silver: Stage | None = None
    """The stage before the first, for the network of meaning only: silver alignment."""
    warm_start: WarmStart
    rloo: Rloo
    selection: Selection

    @property
    def learns_from_gold(self) -> bool:
        """Whether acts have to be prepared with gold annotations."""
        return self.network == "meaning"

    def __post_init__(self) -> None:
        mode, why = _MODES[self.network]
        if self.selection.mode != mode:
            raise LexLatticeError(f"'selection.mode' has to be \"{mode}\" for this network: {why}.")


_ORACLE: Final = {
    "objective": Annotated[str, _one_of(OBJECTIVES)],
    "cap": Count,
    "tokenizer": Annotated[str, _one_of(TOKENIZERS)],
    "whole": bool,
}
"""What the keys of [oracle] may hold: that class is used without files too, and has no rules of its own."""


def read_config(path: str | os.PathLike[str]) -> Config:
    """Read a training's constants from a TOML file."""
    try:
        data = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise LexLatticeError(f"The configuration '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        reason = "it is no UTF-8 text" if isinstance(error, UnicodeError) else f"{error}"
        raise LexLatticeError(f"The configuration '{path}' is not written in TOML ({reason}); put it right.") from error
    try:
        return _table(Config, data, "")
    except LexLatticeError as error:
        raise LexLatticeError(f"In '{path}', {error}") from error


def _table(kind: type[T], data: Mapping[str, object], prefix: str) -> T:
    """An object of that class from a table whose keys are its fields; those with a default may be left out."""
    hints = _hints(kind, data)
    if unknown := sorted(data.keys() - hints.keys()):
        raise LexLatticeError(f"'{prefix}{unknown[0]}' is not known; leave it out, or write one of: {_list(hints)}.")
    values = {}
    for key in fields(kind):  # type: ignore[arg-type]
        if key.name in data:
            values[key.name] = _value(hints[key.name], data[key.name], prefix + key.name)
        elif key.name in hints and (key.default is MISSING or hints[key.name] is Oracle):
            raise LexLatticeError(f"'{prefix}{key.name}' is missing; it has to be {_says(hints[key.name])}.")
    try:
        return kind(**values)
    except LexLatticeError as error:
        raise LexLatticeError(f"{prefix.rstrip('.') or 'the whole'} is refused: {error}") from error


def _hints(kind: type, data: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a class, and what they may hold; which sizes there are depends on the network."""
    if kind is Oracle:
        return dict(_ORACLE)
    hints = get_type_hints(kind, include_extras=True)
    if kind is Config and isinstance(network := data.get("network"), str):
        hints["model"] = NETWORKS.get(network, hints["model"])
        if network == "meaning":
            del hints["oracle"]
            hints |= {"silver": Stage, "warm_start": GoldStart, "rloo": GoldRloo}
        else:
            del hints["silver"]
    return hints


def _value(hint: Any, value: object, key: str) -> object:
    """A value that is what the field may hold; whole numbers are numbers, but true and false are not."""
    if is_dataclass(hint):
        if isinstance(value, dict):
            return _table(hint, value, f"{key}.")  # type: ignore[arg-type]
    else:
        wanted = getattr(hint, "__origin__", hint)
        if wanted is float and type(value) is int and abs(value) <= _MOST:
            value = float(value)
        if type(value) is wanted and all(rule.holds(value) for rule in _rules(hint)):
            return value
    raise LexLatticeError(f"'{key}' has to be {_says(hint)}, not {_shown(value)}.")


def _says(hint: Any) -> str:
    if is_dataclass(hint):
        return f"a table with {_list(field.name for field in fields(hint))}"
    return next((rule.says for rule in _rules(hint)), "true or false")


def _rules(hint: Any) -> tuple[Rule, ...]:
    return getattr(hint, "__metadata__", ())


def _list(names: Any) -> str:
    return ", ".join(names)


def _shown(value: object) -> str:
    """As TOML would write it, if it is short."""
    return "a table" if isinstance(value, dict) else json.dumps(value, default=str, ensure_ascii=False)
