"""Where models are trained and measured: a folder in which whatever is finished is found again.

Everything has a name made of all that decides it, the data and the version of the package among it, so that a run that
was killed goes on where it was, two experiments that need the same model train it once, and other data never meet what
was made of these.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lexlattice import __version__
from lexlattice._internal.files import sha256, write_whole
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import ConfigError, DataError
from lexlattice.evaluation import evaluate
from lexlattice.evaluation.gold import gold_file
from lexlattice.evaluation.measure import MEANING
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.systems import OURS
from lexlattice.research import COVERAGE, path_of
from lexlattice.research.experiments.corpus import Corpus
from lexlattice.research.experiments.settings import Model
from lexlattice.summarizer import PATH as SHIPPED
from lexlattice.training.config import Config, read_config
from lexlattice.training.prepare import prepare
from lexlattice.training.run import MODEL, run_training

Note = Callable[[str], None]
Scores = NDArray[np.float64]
"""Of one system: acts × measures, F1 × 100."""
_OURS: Final = {OURS: SHIPPED, COVERAGE: path_of(COVERAGE)}
"""Systems that are made of shipped weights, and these."""
_THREADED: Final = ("mt5", "st:", "onnx:")
"""Encoders with threads of their own, and a lot of memory each."""
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Trained:
    """One model to be had: what it is, what it learns from, and its seed."""

    name: str
    model: Model
    languages: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Results:
    """What came of some systems on the acts of one language."""

    celex: tuple[str, ...]
    scores: Mapping[str, Mapping[str, Scores]]
    """By system and tokenizer."""
    words: Mapping[str, float]
    lines: Sequence[Mapping[str, Any]]
    """As `evaluate` wrote them down, with the texts."""
    meaning: Mapping[str, Scores] = field(default_factory=dict)
    """By system points, precision and F1 of each act × 100; nothing without annotations."""


class Workshop:
    """A corpus, and a folder for all that is made of it."""

    def __init__(
        self,
        folder: Path,
        corpus: Corpus,
        limit: int | None = None,
        *,
        acts: int | None = None,
        jobs: int = 1,
        note: Note = lambda _: None,
    ) -> None:
        """`limit` is how many acts of each language are learnt from, and `acts` how many are measured on."""
        self.folder, self.corpus, self.limit, self.acts, self.jobs, self.note = folder, corpus, limit, acts, jobs, note
        self._digest = cache(corpus.digest)

    def train(self, wanted: Iterable[Trained], models: Mapping[str, Model]) -> dict[Trained, Path]:
        """Train what is not there yet, several at a time; those that others go on from come first."""
        tasks = list(dict.fromkeys(wanted))
        found: dict[Trained, Path] = {}
        if later := [task for task in tasks if task.model.after]:
            before = [Trained(task.model.after, models[task.model.after], task.languages, task.seed) for task in later]
            found = self.train([*before, *(task for task in tasks if not task.model.after)], models)
        orders = [self._order(task, found) for task in tasks]
        places = {order.folder: order for order in orders}  # two that differ in their names only are one
        missing = [order for folder, order in places.items() if not (Path(folder) / MODEL).is_file()]
        for order in missing:
            self.note(f"training {order.name}")
        if len(missing) > 1 and self.jobs > 1:
            for name in _ONE_THREAD:
                os.environ.setdefault(name, "1")
            with ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn")) as pool:
                list(pool.map(_train, missing))
        else:
            for order in missing:
                _train(order)
        return {task: Path(order.folder) / MODEL for task, order in zip(tasks, orders, strict=True)}

    def _order(self, task: Trained, before: Mapping[Trained, Path]) -> _Order:
        path = self._config(task.model)
        config = read_config(path)
        train, validation = (self._prepared(config, task.languages, split) for split in ("train", "validation"))
        after = next((path.parent for other, path in before.items() if _precedes(other, task)), None)
        about = [path.stem, task.model.stages, train.name, validation.name, after and after.parent.name]
        name = "".join(letter if letter.isalnum() else "-" for letter in task.name)
        models, key = self.folder / "models", _key(about)
        alike = next(models.glob(f"*-{key}"), models / f"{name}-{key}")  # whatever it was called there
        alike.mkdir(parents=True, exist_ok=True)
        folder = str(alike / f"seed-{task.seed}")
        return _Order(
            *(task.name, str(path), str(train), str(validation), folder),
            *(task.model.stages, task.seed, str(after or "")),
        )

    def _config(self, model: Model) -> Path:
        """The configuration of a model, with its changes, as a file."""
        content = _toml(_changed(model)).encode()
        path = self.folder / "configs" / f"{sha256(content)[:10]}.toml"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        return path

    def _prepared(self, config: Config, languages: tuple[str, ...], split: str) -> Path:
        """The acts of some languages, ready to be learnt from; made once for all models that read them alike."""
        most, held_out = (self.limit, self._held_out) if split == "train" else (self.acts, frozenset[str]())
        digests = [self._digest(language, split) for language in languages]
        about = [config.profile, asdict(config.oracle), asdict(config.encoder), languages, split, most, digests]
        if config.learns_from_gold:
            about.append(sha256(gold_file(split).read_bytes()))
        place = self.folder / "prepared" / f"{split}-{_key([*about, sorted(held_out)])}"
        if not (place / "manifest.json").is_file():
            self.note(f"preparing {split}: {', '.join(languages)}")
            rows = self.corpus.rows(languages, split, most, held_out)
            prepare(
                [rows],
                place,
                profile=config.profile,
                encoder=config.encoder.name,
                cache=self._cache(config.encoder.name),
                oracle=config.oracle,
                gold=split if config.learns_from_gold else None,
                jobs=1 if config.encoder.name.startswith(_THREADED) else self.jobs,
                split=split,
                note=self.note,
            )
        return place

    @cached_property
    def _held_out(self) -> frozenset[str]:
        """What is never learnt from, in whatever language."""
        return self.corpus.numbers("validation") | self.corpus.numbers("test")

    def measure(
        self,
        language: str,
        split: str,
        systems: Mapping[str, str],
        profile: str,
        mode: str | None = None,
        encoder: str = "",
        budget: str | int = "reference",
        gold: str = "",
    ) -> Results:
        """Scores of some systems on the acts of a language, from an earlier run if they are there.

        With `gold`, a file of annotations, on the annotated acts alone.
        """
        source = self.corpus.source(language, split)
        if source is None:
            raise DataError(f"There is no {split} split in '{language}' in '{self.corpus.name}'.")
        known = {name: (system, _content(system)) for name, system in systems.items()}
        annotations = [sha256(gold_file(gold).read_bytes())] if gold else []
        about = [self._digest(language, split), known, profile, mode, encoder, budget, self.acts, *annotations]
        path = self.folder / "measured" / f"{language}-{split}-{_key(about)}.jsonl"
        if not path.is_file():
            self.note(f"measuring {', '.join(systems)} on {language}")
            path.parent.mkdir(parents=True, exist_ok=True)
            evaluate(
                source,
                dict(systems),
                budget=budget,
                profile=profile,
                mode=mode,
                language=language,
                encoder=encoder or None,
                cache=self._cache(encoder),
                jobs=self.jobs,
                split=split,
                limit=self.acts,
                per_act=path,
                texts=True,
                gold=gold or None,
                note=self.note,
            )
        return _results([json.loads(line) for line in path.read_text("utf-8").splitlines()], list(systems))

    def of_model(
        self, task: Trained, path: Path, language: str, split: str, budget: str | int, gold: str = ""
    ) -> Results:
        """The same of a model, read and cut as its configuration says."""
        config = read_config(self._config(task.model))
        systems = {task.name: f"{task.model.system}:{path}"}
        encoder = "" if config.encoder.name == "static" else config.encoder.name
        return self.measure(language, split, systems, config.profile, config.selection.mode, encoder, budget, gold)

    def _cache(self, encoder: str) -> Path | None:
        """Where vectors are kept; those of the embedded encoder are made faster than they are found."""
        return self.folder / "vectors" if encoder not in ("", "static") else None


@dataclass(frozen=True, slots=True)
class _Order:
    """A training, as plain data."""

    name: str
    config: str
    train: str
    validation: str
    folder: str
    stages: tuple[str, ...]
    seed: int
    after: str


def _train(order: _Order) -> None:
    """In a process of its own, if there are several."""
    folder = Path(order.folder)
    if order.after and not folder.is_dir():
        part = folder.with_name(f".{folder.name}")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(order.after, part)
        (part / MODEL).unlink()
        part.rename(folder)
    run_training(
        order.config,
        order.train,
        folder,
        validation=order.validation,
        stages=order.stages,
        resume=folder.is_dir(),
        seed=order.seed,
    )


def _key(about: Sequence[object]) -> str:
    """A short name for all that decides what something becomes."""
    return sha256(json.dumps([__version__, *about], sort_keys=True).encode())[:12]


def _precedes(other: Trained, task: Trained) -> bool:
    return (other.name, other.languages, other.seed) == (task.model.after, task.languages, task.seed)


def _changed(model: Model) -> dict[str, Any]:
    """The configuration with its changes."""
    read_config(model.config)  # whatever is wrong with it is said there
    config = tomllib.loads(model.config.read_text("utf-8"))
    for dotted, value in model.changes:
        *tables, key = dotted.split(".")
        table = config
        for name in tables:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                raise ConfigError(f"'{dotted}' cannot be changed, since '{name}' is no table; name another key.")
        table[key] = value
    return config


def _toml(config: Mapping[str, Any]) -> str:
    """A configuration as TOML: keys, then tables of keys."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in config.items() if not isinstance(value, dict)]
    for name, table in config.items():
        if isinstance(table, dict):
            lines += ["", f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _content(system: str) -> str:
    """A digest of what a system is made of, where that is a file."""
    path = str(_OURS[system]) if system in _OURS else system.partition(":")[2].partition("?")[0]
    return sha256(Path(path).read_bytes()) if path and Path(path).is_file() else ""


def _results(lines: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Results:
    good = [line for line in lines if "systems" in line]
    scores = {
        name: {
            tokenizer: np.array(
                [[line["systems"][name][tokenizer][measure]["f1"] for measure in MEASURES] for line in good]
            )
            for tokenizer in TOKENIZERS
        }
        for name in names
    }
    words = {name: float(np.mean([line["systems"][name]["words"] for line in good])) for name in names}
    meaning = {
        name: np.array([[line["systems"][name][MEANING][measure] for measure in MEANINGS] for line in good])
        for name in names
        if good and MEANING in good[0]["systems"][name]
    }
    return Results(tuple(line["celex"] for line in good), scores, words, good, meaning)
