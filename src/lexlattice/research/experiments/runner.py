"""Training and measuring with a cache: finished work in the folder of an experiment is not repeated.

The name of every result contains a digest of everything that determines it, including the data and the version of the
package. Interrupted runs resume, two experiments that need the same model train it once, and results of different data
never mix.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexlattice import __version__, encoding
from lexlattice._internal.files import sha256, write_whole
from lexlattice._internal.lazy import cached_property
from lexlattice._internal.processes import parallel_map
from lexlattice._internal.progress import tracked
from lexlattice.encoding.devices import choose_device, is_gpu
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import ConfigError
from lexlattice.evaluation import evaluate
from lexlattice.evaluation.gold import gold_file
from lexlattice.evaluation.measure import MEANING
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.systems import OURS
from lexlattice.research import COVERAGE, path_of
from lexlattice.research.experiments.corpus import Corpus
from lexlattice.research.experiments.settings import Model
from lexlattice.research.experiments.watching import Watched, watched
from lexlattice.summarizer import PATH as SHIPPED
from lexlattice.training.config import Config, read_config
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Prepared
from lexlattice.training.run import MODEL, run_training

Item = TypeVar("Item")
Note = Callable[[str], None]
Scores = NDArray[np.float64]
"""The scores of one system: acts × measures, F1 × 100."""
_OURS: Final = {OURS: SHIPPED, COVERAGE: path_of(COVERAGE)}
"""Systems with shipped weights, and the files of these."""


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """A model to train: its configuration, languages and seed."""

    name: str
    model: Model
    languages: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Results:
    """The results of some systems on the acts of one language."""

    celex: tuple[str, ...]
    scores: Mapping[str, Mapping[str, Scores]]
    """By system and tokenizer."""
    words: Mapping[str, float]
    lines: Sequence[Mapping[str, Any]]
    """The results of each act as `evaluate` wrote them, with the extracts."""
    meaning: Mapping[str, Scores] = field(default_factory=dict)
    """By system: points, precision and F1 × 100 of each act; empty without annotations."""


class Runner:
    """Trains and measures on a corpus, with all results in one folder."""

    def __init__(
        self,
        folder: Path,
        corpus: Corpus,
        limit: int | None = None,
        *,
        acts: int | None = None,
        jobs: int = 1,
        device: str = "auto",
        cache_limit: int | None = None,
        note: Note = lambda _: None,
        progress: bool = False,
    ) -> None:
        """Create a runner.

        Args:
            folder: For everything that is prepared, trained and measured.
            corpus: The data.
            limit: Training acts of each language; all by default.
            acts: Evaluated acts of each language; all by default.
            jobs: Worker processes; on a GPU, models are trained one after the other.
            device: Where transformers encode and models are trained, one of `lexlattice.encoding.devices.DEVICES`.
            cache_limit: The most bytes of the cache of vectors.
            note: Called with progress messages.
            progress: Whether to show the progress of whatever takes long.

        """
        self.progress = progress
        self.folder, self.corpus, self.limit, self.acts, self.jobs, self.note = folder, corpus, limit, acts, jobs, note
        self.device, self.cache_limit = device, cache_limit
        self._digest = cache(corpus.digest)

    def train(self, tasks: Iterable[TrainingTask], models: Mapping[str, Model]) -> dict[TrainingTask, Path]:
        """Train the models that are not there yet, several at a time; those that others continue from come first."""
        tasks = list(dict.fromkeys(tasks))
        found: dict[TrainingTask, Path] = {}
        if later := [task for task in tasks if task.model.after]:
            before = [
                TrainingTask(task.model.after, models[task.model.after], task.languages, task.seed) for task in later
            ]
            found = self.train([*before, *(task for task in tasks if not task.model.after)], models)
        trainings = [self._training(task, found) for task in tasks]
        places = {
            training.folder: training for training in trainings
        }  # models that differ only in their names are trained once
        missing = [training for folder, training in places.items() if not (Path(folder) / MODEL).is_file()]
        for training in missing:
            self.note(f"training {training.name}")
        jobs = 1 if missing and is_gpu(choose_device(self.device)) else self.jobs  # processes cannot share a GPU well
        with watched([training.watched() for training in missing], self.note, is_shown=self.progress):
            for _ in parallel_map(_train, missing, max(1, min(jobs, len(missing)))):
                pass  # a model is written to its folder
        return {task: Path(training.folder) / MODEL for task, training in zip(tasks, trainings, strict=True)}

    def tracked(self, items: Iterable[Item], title: str, unit: str = "acts") -> Iterator[Item]:
        """Yield the items, and show how many are done."""
        return tracked(items, title, unit=unit, note=self.note, is_shown=self.progress)

    def _training(self, task: TrainingTask, before: Mapping[TrainingTask, Path]) -> _Training:
        path = self._config(task.model)
        config = read_config(path)
        train, validation = (self._prepared(config, task.languages, split) for split in ("train", "validation"))
        after = next((path.parent for other, path in before.items() if _precedes(other, task)), None)
        about = [path.stem, task.model.stages, train.name, validation.name, after and after.parent.name]
        name = "".join(letter if letter.isalnum() else "-" for letter in task.name)
        models, key = self.folder / "models", _key(about)
        alike = next(models.glob(f"*-{key}"), models / f"{name}-{key}")  # an identical model may have another name
        alike.mkdir(parents=True, exist_ok=True)
        folder = str(alike / f"seed-{task.seed}")
        return _Training(
            *(task.name, str(path), str(train), str(validation), folder),
            *(task.model.stages, task.seed, str(after or ""), self.device),
        )

    def config(self, model: Model) -> Config:
        """The configuration of a model, with its changes."""
        return read_config(self._config(model))

    def _config(self, model: Model) -> Path:
        """Write the configuration of a model, with its changes, to a file."""
        content = _toml(_changed(model)).encode()
        path = self.folder / "configs" / f"{sha256(content)[:10]}.toml"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        return path

    def _prepared(self, config: Config, languages: tuple[str, ...], split: str) -> Path:
        """Prepare the acts of some languages for training, once for all models with the same settings."""
        most, held_out = (self.limit, self._held_out) if split == "train" else (self.acts, frozenset[str]())
        digests = [self._digest(language, split) for language in languages]
        about = [config.profile, asdict(config.oracle), asdict(config.encoder), languages, split, most, digests]
        if config.learns_from_gold:
            about.append(sha256(gold_file(split).read_bytes()))
        place = self.folder / "prepared" / f"{split}-{_key([*about, sorted(held_out)])}"
        if not Prepared.is_at(place):
            self.note(f"preparing {split}: {', '.join(languages)}")
            rows = self.corpus.rows(languages, split, most, held_out)
            prepare(
                [rows],
                place,
                profile=config.profile,
                encoder=config.encoder.name,
                device=self.device,
                cache=self._cache(config.encoder.name),
                cache_limit=self.cache_limit,
                oracle=config.oracle,
                gold=split if config.learns_from_gold else None,
                jobs=self.jobs,
                split=split,
                progress=self.progress and f"preparing {split}",
                note=self.note,
            )
        return place

    @cached_property
    def _held_out(self) -> frozenset[str]:
        """The acts that are never trained on, in any language."""
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
        acts_in: str = "",
    ) -> Results:
        """Evaluate systems on the acts of a language, or load the results of an earlier run.

        With `gold`, a file of annotations, only annotated acts are evaluated. With `acts_in`, another language, systems
        get the acts in that language, while the summaries and the length stay those of `language`.
        """
        source = self.corpus.source(language, split)
        if source is None:
            raise self.corpus.missing(split, language)
        known = {name: (system, _content(system)) for name, system in systems.items()}
        annotations = [sha256(gold_file(gold).read_bytes())] if gold else []
        about = [self._digest(language, split), known, profile, mode, encoder, budget, self.acts, *annotations]
        if acts_in:
            about += [acts_in, self._digest(acts_in, split)]
        path = self.folder / "measured" / f"{language}-{split}-{_key(about)}.jsonl"
        if not path.is_file():
            self.note(f"measuring {', '.join(systems)} on {language}")
            path.parent.mkdir(parents=True, exist_ok=True)
            evaluate(
                self.corpus.pairs(acts_in, language, split) if acts_in else source,
                dict(systems),
                budget=budget,
                profile=profile,
                mode=mode,
                language=acts_in or language,
                encoder=encoder or None,
                device=self.device,
                cache=self._cache(encoder),
                cache_limit=self.cache_limit,
                jobs=self.jobs,
                split=split,
                limit=self.acts,
                per_act=path,
                texts=True,
                gold=gold or None,
                progress=self.progress and f"measuring {_listed(systems)} on {language}",
                note=self.note,
            )
        return _results([json.loads(line) for line in path.read_text("utf-8").splitlines()], list(systems))

    def measure_model(
        self, task: TrainingTask, path: Path, language: str, split: str, budget: str | int, gold: str = ""
    ) -> Results:
        """Evaluate a model, with the profile and selection of its configuration."""
        config = self.config(task.model)
        systems = {task.name: f"{task.model.system}:{path}"}
        encoder = "" if config.encoder.name == "static" else config.encoder.name
        return self.measure(language, split, systems, config.profile, config.selection.mode, encoder, budget, gold)

    def encoder_options(self, encoder: str) -> encoding.Options:
        """How an encoder is loaded here: its device and its cache."""
        cache = self._cache(encoder)
        return encoding.Options(self.device, cache=None if cache is None else str(cache), cache_limit=self.cache_limit)

    def _cache(self, encoder: str) -> Path | None:
        """The folder for cached vectors; those of the embedded encoder are computed faster than read."""
        return self.folder / "vectors" if encoder not in ("", "static") else None


@dataclass(frozen=True, slots=True)
class _Training:
    """The arguments of a training, as plain data for worker processes."""

    name: str
    config: str
    train: str
    validation: str
    folder: str
    stages: tuple[str, ...]
    seed: int
    after: str
    device: str

    def watched(self) -> Watched:
        """The training, for those who wait for it."""
        return Watched(f"{self.name}, seed {self.seed}", Path(self.folder), read_config(self.config))


def _train(training: _Training) -> None:
    """Run a training; it resumes if its folder exists."""
    folder = Path(training.folder)
    if training.after and not folder.is_dir():
        part = folder.with_name(f".{folder.name}")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(training.after, part)
        (part / MODEL).unlink()
        part.rename(folder)
    run_training(
        training.config,
        training.train,
        folder,
        validation=training.validation,
        stages=training.stages,
        resume=folder.is_dir(),
        seed=training.seed,
        device=training.device,
    )


def _key(about: Sequence[object]) -> str:
    """A short digest of everything that determines a result."""
    return sha256(json.dumps([__version__, *about], sort_keys=True).encode())[:12]


def _precedes(other: TrainingTask, task: TrainingTask) -> bool:
    return (other.name, other.languages, other.seed) == (task.model.after, task.languages, task.seed)


def _changed(model: Model) -> dict[str, Any]:
    """The configuration with its changes."""
    read_config(model.config)  # raises `ConfigError` for an invalid file
    config = tomllib.loads(model.config.read_text("utf-8"))
    changes = dict(model.changes)
    name = changes.get("encoder.name", config["encoder"]["name"])
    if name != config["encoder"]["name"] and "encoder.dimensions" not in changes:
        dimensions = _dimensions(str(name))
        # The paper's readout is as wide as its vectors.
        if config["network"] == "paper" and config["model"]["readout"] == config["encoder"]["dimensions"]:
            config["model"]["readout"] = dimensions
        config["encoder"]["dimensions"] = dimensions
    for dotted, value in model.changes:
        *tables, key = dotted.split(".")
        table = config
        for name in tables:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                raise ConfigError(f"'{dotted}' cannot be changed, since '{name}' is not a table; name another key.")
        table[key] = value
    return config


@cache
def _dimensions(encoder: str) -> int:
    return encoding.load(encoder).dimensions


def _toml(config: Mapping[str, Any]) -> str:
    """A configuration as TOML: keys, then tables of keys."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in config.items() if not isinstance(value, dict)]
    for name, table in config.items():
        if isinstance(table, dict):
            lines += ["", f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _listed(names: Iterable[str]) -> str:
    """The first names, short enough for one line next to a bar.

    >>> _listed(["lead", "random", "lexrank", "oracle"])
    'lead, random and 2 more'
    """
    known = list(names)
    shown = ", ".join(known[:2])
    return f"{shown} and {len(known) - 2} more" if len(known) > 2 else shown


def _content(system: str) -> str:
    """The digest of a system's file; empty if it has none."""
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
