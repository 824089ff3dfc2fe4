"""Tasks of a bulk run: summarize, score or encode each act; `evaluate` has its own module. A record in, a row out.

A task is plain data, so that it can be sent to other processes and machines; models are loaded there, once. Apart from
`seconds`, a row depends only on the record, the task, the code and the weights.
"""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Final, get_type_hints

import numpy as np

from lexlattice import __version__, encoding
from lexlattice.act.document import Act
from lexlattice.act.summary import Item, shown
from lexlattice.apps.bulk.output import Columns
from lexlattice.apps.bulk.recognition import require_act
from lexlattice.apps.bulk.records import Record
from lexlattice.encoding.cache import CachedEncoder
from lexlattice.errors import OptionError, ReadingError, WeightsError
from lexlattice.reading import LANGUAGES, read
from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.fetch import is_celex
from lexlattice.selection import SummaryOptions
from lexlattice.summarizer import PATH, Summarizer

_FIRST_COLUMNS: Final[Columns] = {
    **{"source": str, "celex": str, "title": str, "language": str, "type": str, "date": str, "status": str},
    **{"consolidated": str, "repealed": bool, "repealed_by": str, "act_words": int},
}
_LAST_COLUMNS: Final[Columns] = {"warnings": [str], "sha256": str, "code": str, "weights": str, "seconds": float}


@dataclass(frozen=True)
class Task(ABC):
    """Something to do with every act."""

    name: ClassVar[str]
    task_columns: ClassVar[Columns]
    """The columns of this task, between those that all rows have."""
    needs_summaries: ClassVar[bool] = False
    language: str | None
    """Of all acts; detected for each act if None."""
    since: str | None = field(default=None, kw_only=True)
    """The first day, as ISO 8601: an act with an earlier date has no row. None for all acts."""

    def __post_init__(self) -> None:
        if self.since is not None and not _is_day(self.since):
            raise OptionError(f"'{self.since}' is not a day; write it as 2024-01-31.")
        if self.language is not None and self.language not in LANGUAGES:
            raise OptionError(f"'{self.language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields without loaded models, and with the digest of the weights, which takes time to compute."""
        return {**{field.name: self.__dict__[field.name] for field in fields(self)}, "weights": self.weights}

    @property
    def columns(self) -> Columns:
        """All columns of a row, in order."""
        return {**_FIRST_COLUMNS, **self.task_columns, **_LAST_COLUMNS}

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that determines the rows."""
        return {"task": self.name, **asdict(self), "code": __version__, "weights": self.weights}

    @property
    def runs_in_workers(self) -> bool:
        """Whether several processes of a machine may do this at once (see `encoding.runs_in_workers`)."""
        return True

    @property
    @abstractmethod
    def weights(self) -> str:
        """Digest of everything that determines the rows besides the settings and the code."""

    @abstractmethod
    def load(self) -> None:
        """Load what is needed: once in each process, before the first act."""

    @abstractmethod
    def values(self, act: Act, record: Record) -> dict[str, Any]:
        """Return the values of `task_columns`; `warnings` may be among them, too."""

    def row(self, record: Record) -> dict[str, Any] | None:
        """Return the row of a record, or None if the act is of a day before `since`.

        Raises:
            LexLatticeError: It is no act, or cannot be read or processed.

        """
        start = perf_counter()
        if record.fault:
            raise ReadingError(record.fault)
        # An act has its number's year, or that of the year before or after, so older ones are not even read or fetched.
        if self.since and 0 < _year(record.celex or record.address) < int(self.since[:4]) - 1:
            return None
        act = require_act(self.read(record), record.celex)
        if self.since and act.date and act.date < self.since:
            return None
        values = self.values(act, record)
        return {
            "source": record.source,
            "celex": act.celex or record.celex or None,
            "title": act.title or None,
            "language": act.language or None,
            "type": act.type or None,
            "date": act.date or None,
            "status": act.status,
            "consolidated": act.consolidated or None,
            "repealed": act.repealed is not None,
            "repealed_by": act.repealed or None,
            "act_words": act.words,
            **values,
            "warnings": values.get("warnings", list(act.warnings)),
            "sha256": sha256(act.source.encode("utf-8", "replace") if record.address else record.content).hexdigest(),
            "code": __version__,
            "weights": self.weights,
            "seconds": round(perf_counter() - start, 4),
        }

    def read(self, record: Record) -> Act:
        """Read the act of a record."""
        language = self.language or (record.language if record.language in LANGUAGES else None)
        if record.address:
            return read(record.address, language=language)
        if record.is_text:
            return read(f"{record.content.decode()}\n", language=language, format="text")
        return read(record.content, language=language)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _year(celex: str) -> int:
    """Return the year in a CELEX number, or 0 if there is none."""
    year = normalize_celex(celex).act[1:5] if is_celex(celex) else ""
    return int(year) if year.isdecimal() else 0


@dataclass(frozen=True)
class _WithModel(Task):
    """A task that needs the summarizer."""

    model: str | None
    """A model that `lexlattice train` made; the one of the package if None."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.weights  # raises an error if there is no such model

    @cached_property
    def weights(self) -> str:
        """Digest of the model's file."""
        try:
            return sha256(self._path.read_bytes()).hexdigest()[:16]
        except OSError as error:
            raise WeightsError(f"There is no model '{self.model}'; give one that `lexlattice train` made.") from error

    @property
    def _path(self) -> Path:
        if self.model is None:
            return PATH
        from lexlattice.research import path_of

        return path_of(self.model)

    @cached_property
    def summarizer(self) -> Summarizer:
        """The summarizer, loaded on first use."""
        if self.model is None:
            return Summarizer.from_pretrained()
        from lexlattice.research import load

        return load(self.model)

    def load(self) -> None:
        """Load the model and use it once, so that the first act does not take longer than others."""
        act = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
        self.summarizer.summarize(act, SummaryOptions(language="en"))


@dataclass(frozen=True)
class Summarize(_WithModel):
    """Select the provisions of a summary."""

    budget: str
    focus: str

    name: ClassVar[str] = "summarize"
    task_columns: ClassVar[Columns] = {
        "budget": int,
        "words": int,
        "extract": [{name: kind for name, kind in get_type_hints(Item).items() if name != "explanation"}],
        "points_left_out": int,
        "left_out": [{"parent": str, "after": str, "ids": [str], "citations": [str], "count": int, "kind": str}],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options.budget_for(1)  # raises an error for a wrong focus, or a budget that needs a reference summary

    @property
    def options(self) -> SummaryOptions:
        """The options of every summary."""
        return SummaryOptions(budget=self.budget, language=self.language, focus=self.focus)

    def values(self, act: Act, record: Record) -> dict[str, Any]:
        """Return the items with their citations and positions, and what is left out between them."""
        summary = self.summarizer.summarize(act, self.options)
        items = [item.to_dict(group=True) for item in summary]
        return {
            "budget": summary.budget,
            "words": summary.words,
            "extract": items,
            "points_left_out": sum(cut.count for cut in summary.cuts),
            "left_out": [cut.to_dict() for cut in summary.cuts],
            "warnings": list(summary.warnings),
        }


@dataclass(frozen=True)
class Score(_WithModel):
    """Compute the probability that an editor would select each unit."""

    name: ClassVar[str] = "score"
    task_columns: ClassVar[Columns] = {
        "units": [{"id": str, "citation": str, "start": int, "end": int, "words": int, "score": float}],
    }

    def values(self, act: Act, record: Record) -> dict[str, Any]:
        """Return every unit of the act with its score."""
        scores = self.summarizer.score(act).tolist() if act.units else []
        units = [
            {
                **{"id": unit.id, "citation": unit.citation, "start": unit.start, "end": unit.end},
                **{"words": unit.words, "score": shown(score)},
            }
            for unit, score in zip(act.units, scores, strict=True)
        ]
        return {"units": units}


@dataclass(frozen=True)
class Encode(Task):
    """Compute a vector for each unit."""

    encoder: str
    cache: str | None

    name: ClassVar[str] = "encode"
    task_columns: ClassVar[Columns] = {"units": [str], "dimensions": int, "vectors": str}

    @property
    def runs_in_workers(self) -> bool:
        """Whether the encoder may run in several processes."""
        return encoding.runs_in_workers(self.encoder)

    @cached_property
    def weights(self) -> str:
        """The encoder's fingerprint, and the precision of cached vectors."""
        precision = f" {self.loaded.precision}" if isinstance(self.loaded, CachedEncoder) else ""
        return f"{self.loaded.fingerprint}{precision}"

    @cached_property
    def loaded(self) -> encoding.Encoder:
        """The encoder, loaded on first use."""
        return encoding.load(self.encoder, cache=self.cache)

    def load(self) -> None:
        """Load the encoder."""
        _ = self.loaded

    def values(self, act: Act, record: Record) -> dict[str, Any]:
        """Return the vectors (units × dimensions) as little-endian float32, in base 64."""
        vectors = encoding.vectors_of_units(self.loaded, [unit.text for unit in act.units])
        content = np.ascontiguousarray(vectors, "<f4").tobytes()
        return {
            "units": [unit.id for unit in act.units],
            "dimensions": self.loaded.dimensions,
            "vectors": base64.b64encode(content).decode(),
        }


# --- In a worker process

_task: Task


def load_task(task: Task) -> None:
    """Set up a worker process for a task."""
    global _task
    _task = task
    task.load()


def row_of(record: Record) -> str:
    """Return the row of a record as JSON, by the task that the process was set up for; empty if it has none."""
    row = _task.row(record)
    return "" if row is None else json.dumps(row, ensure_ascii=False)
