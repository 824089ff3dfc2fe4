"""What is done with each act of a corpus: summarize, score, encode or evaluate it. An entry in, a row out.

A task is plain data, so that it can be sent to other processes and machines; what it needs is loaded there, once.
Rows depend on the entry, the task, the code and the weights alone, but for `seconds`.
"""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Final, get_type_hints

import numpy as np

from lexlattice import __version__, encoding
from lexlattice.act.document import Act
from lexlattice.act.summary import Item, shown
from lexlattice.apps.bulk.entry import Entry
from lexlattice.apps.bulk.shards import Columns
from lexlattice.encoding.cache import CachedEncoder
from lexlattice.errors import LexLatticeError
from lexlattice.reading import LANGUAGES, read
from lexlattice.selection import Budget, SummaryOptions
from lexlattice.summarizer import PATH, Summarizer

_FIRST: Final[Columns] = {"source": str, "celex": str, "title": str, "language": str}
_LAST: Final[Columns] = {"warnings": [str], "sha256": str, "code": str, "weights": str, "seconds": float}


@dataclass(frozen=True)
class Task(ABC):
    """Something to be done with every act."""

    name: ClassVar[str]
    own: ClassVar[Columns]
    """Columns between those that all rows have."""
    needs_summaries: ClassVar[bool] = False
    language: str | None
    """Of all acts, if it is not to be found out."""

    def __post_init__(self) -> None:
        if self.language is not None and self.language not in LANGUAGES:
            raise LexLatticeError(f"'{self.language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")

    def __getstate__(self) -> dict[str, Any]:
        """What is loaded stays where it is; the digest of it goes along, so that it is made once."""
        return {**{found.name: self.__dict__[found.name] for found in fields(self)}, "weights": self.weights}

    @property
    def columns(self) -> Columns:
        """What a row has, in its order."""
        return {**_FIRST, **self.own, **_LAST}

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides what rows become."""
        return {"task": self.name, **asdict(self), "code": __version__, "weights": self.weights}

    @property
    @abstractmethod
    def weights(self) -> str:
        """A digest of what is not in the code."""

    @abstractmethod
    def begin(self) -> None:
        """Load what is needed: once in each process, before the first act."""

    @abstractmethod
    def of(self, act: Act, entry: Entry) -> dict[str, Any]:
        """The columns of its own."""

    def row(self, entry: Entry) -> dict[str, Any]:
        """The row of an entry; what cannot be done is a `LexLatticeError`."""
        start = perf_counter()
        if entry.fault:
            raise LexLatticeError(entry.fault)
        act = self.read(entry)
        own = self.of(act, entry)
        return {
            "source": entry.source,
            "celex": act.celex or entry.celex,
            "title": act.title,
            "language": act.language,
            **own,
            "warnings": own.get("warnings", list(act.warnings)),
            "sha256": sha256(act.source.encode("utf-8", "replace") if entry.address else entry.content).hexdigest(),
            "code": __version__,
            "weights": self.weights,
            "seconds": round(perf_counter() - start, 4),
        }

    def read(self, entry: Entry) -> Act:
        """The act of an entry."""
        said = entry.language if entry.language in LANGUAGES else None
        language = self.language or said
        if entry.address:
            return read(entry.address, language=language)
        if entry.is_text:
            return read(f"{entry.content.decode()}\n", language=language, format="text")
        return read(entry.content, language=language)


@dataclass(frozen=True)
class _WithModel(Task):
    """What needs the model that chooses."""

    budget: str
    model: str | None

    def __post_init__(self) -> None:
        super().__post_init__()
        Budget.parse(self.budget).of(1)  # which refuses one that needs a summary
        _ = self.weights

    @cached_property
    def weights(self) -> str:
        """Of the model's file."""
        try:
            return sha256(self._path.read_bytes()).hexdigest()[:16]
        except OSError as error:
            raise LexLatticeError(f"There is no model '{self.model}'; name what `lexlattice train` made.") from error

    @property
    def _path(self) -> Path:
        if self.model is None:
            return PATH
        from lexlattice.research import path_of

        return path_of(self.model)

    @cached_property
    def summarizer(self) -> Summarizer:
        """Loaded."""
        if self.model is None:
            return Summarizer.from_pretrained()
        from lexlattice.research import load

        return load(self.model)

    def begin(self) -> None:
        """Load the model, and have it at work once: the first act takes longer than others."""
        little = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
        self.summarizer.summarize(little, SummaryOptions(language="en"))


@dataclass(frozen=True)
class Summarize(_WithModel):
    """The provisions that matter."""

    focus: str

    name: ClassVar[str] = "summarize"
    own: ClassVar[Columns] = {
        "budget": int,
        "words": int,
        "extract": [{name: kind for name, kind in get_type_hints(Item).items() if name != "explanation"}],
        "left_out": [{"parent": str, "after": str, "ids": [str], "count": int, "kind": str}],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.options

    @property
    def options(self) -> SummaryOptions:
        """Of every summary."""
        return SummaryOptions(budget=self.budget, language=self.language, focus=self.focus)

    def of(self, act: Act, entry: Entry) -> dict[str, Any]:
        """The items, with their citations and places, and what is left out between them."""
        summary = self.summarizer.summarize(act, self.options)
        items = [item.to_dict(group=True) for item in summary]
        return {
            "budget": summary.budget,
            "words": summary.words,
            "extract": items,
            "left_out": [cut.to_dict() for cut in summary.cuts],
            "warnings": list(summary.warnings),
        }


@dataclass(frozen=True)
class Score(_WithModel):
    """How likely an editor would take each unit."""

    name: ClassVar[str] = "score"
    own: ClassVar[Columns] = {
        "words": int,
        "units": [{"id": str, "citation": str, "start": int, "end": int, "words": int, "score": float}],
    }

    def of(self, act: Act, entry: Entry) -> dict[str, Any]:
        """Every unit of the act."""
        scores = self.summarizer.score(act).tolist() if act.units else []
        units = [
            {
                **{"id": unit.id, "citation": unit.citation, "start": unit.start, "end": unit.end},
                **{"words": unit.words, "score": shown(score)},
            }
            for unit, score in zip(act.units, scores, strict=True)
        ]
        return {"words": act.words, "units": units}


@dataclass(frozen=True)
class Encode(Task):
    """A vector for each unit."""

    encoder: str
    cache: str | None

    name: ClassVar[str] = "encode"
    own: ClassVar[Columns] = {"units": [str], "dimensions": int, "vectors": str}

    @cached_property
    def weights(self) -> str:
        """The encoder's fingerprint, and how vectors are rounded where they are kept."""
        kept = f" {self.loaded.precision}" if isinstance(self.loaded, CachedEncoder) else ""
        return f"{self.loaded.fingerprint}{kept}"

    @cached_property
    def loaded(self) -> encoding.Encoder:
        """The encoder itself."""
        return encoding.load(self.encoder, cache=self.cache)

    def begin(self) -> None:
        """Load the encoder."""
        _ = self.loaded

    def of(self, act: Act, entry: Entry) -> dict[str, Any]:
        """Vectors as the bytes of float32, units × dimensions, the least significant byte first, in base 64."""
        vectors = encoding.vectors_of_units(self.loaded, [unit.text for unit in act.units])
        content = np.ascontiguousarray(vectors, "<f4").tobytes()
        return {
            "units": [unit.id for unit in act.units],
            "dimensions": self.loaded.dimensions,
            "vectors": base64.b64encode(content).decode(),
        }


# --- in a process of its own ------------------------------------------------------------------------------

_task: Task


def begin(task: Task) -> None:
    """Once in each process."""
    global _task
    _task = task
    task.begin()


def row_of(entry: Entry) -> str:
    """The row as JSON, which is the same wherever it was made."""
    return json.dumps(_task.row(entry), ensure_ascii=False)
