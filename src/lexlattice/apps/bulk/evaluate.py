"""The bulk task that evaluates systems against reference summaries, act by act, and the report over very many acts."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Final, cast, overload

from lexlattice._internal.files import file_sha256
from lexlattice.act.document import Act
from lexlattice.apps.bulk.output import Columns
from lexlattice.apps.bulk.records import Record
from lexlattice.apps.bulk.tasks import Task
from lexlattice.encoding import Options
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation.gold import gold_file, load_gold
from lexlattice.evaluation.measure import MEANING, PARTS, VERBATIM, ActResult, Plan, evaluate_act
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.rows import BadRow, Row
from lexlattice.evaluation.systems import GOLD, check_system
from lexlattice.reading import LANGUAGES, read
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH

_DIGITS: Final = 16
_LENGTHS: Final = ("words", "over", "empty")
"""What rows have of a system's extract besides its scores: words, and 1 if it was over the budget or empty."""
_MEANINGS: Final = (*MEANINGS, VERBATIM)
Layout = dict[str, Any]
"""The index of each number within those of an act, by system, tokenizer, measure and part."""


@dataclass(frozen=True)
class Evaluate(Task):
    """Evaluate systems against the summaries of the rows."""

    systems: tuple[str, ...]
    budget: str
    profile: str
    encoder: str | None
    cache: str | None
    gold: str | None = None
    """A file of gold annotations, to score extracts by meaning, too; acts without annotation fail."""

    name: ClassVar[str] = "evaluate"
    needs_summaries: ClassVar[bool] = True
    task_columns: ClassVar[Columns] = {
        "budget": int,
        "reference_words": int,
        "meaning": [{"system": str, "points": float, "precision": float, "f1": float, "verbatim": float}],
        "scores": [{"system": str, "tokenizer": str, "measure": str, "precision": float, "recall": float, "f1": float}],
        "lengths": [{"system": str, "words": float, "over": int, "empty": int}],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        Budget.parse(self.budget)
        if not self.systems:
            raise OptionError("No systems were given; give one or more.")
        for name in self.systems:
            check_system(name, self.encoder)
        if self.gold is not None:
            gold_file(self.gold)
        elif GOLD in self.systems:
            raise OptionError("The system 'gold' needs annotations; give a file of them with --gold.")

    @cached_property
    def weights(self) -> str:
        """Digest of the shipped model and of all files that the systems, the encoder and `gold` name."""
        gold = f":{gold_file(self.gold)}" if self.gold is not None else ""
        digest = hashlib.sha256(file_sha256(PATH).encode())
        for path in (path for name in (*self.systems, self.encoder or "", gold) for path in _named_paths(name)):
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.is_file():
                    digest.update(f"{file.as_posix()!r} {file_sha256(file)}\n".encode())
        return digest.hexdigest()[:_DIGITS]

    @cached_property
    def plan(self) -> Plan:
        """The same plan that `evaluate` would make."""
        mode = "paper" if self.profile == "paper" else "whole"
        systems = {name: name for name in self.systems}
        budget = Budget.parse(self.budget)
        return Plan(
            systems,
            budget,
            self.profile,
            mode,
            TOKENIZERS,
            self.language,
            self.encoder,
            seed=0,
            options=Options(cache=self.cache),
            gold=None if self.gold is None else {one.celex: one for one in load_gold(self.gold)},
        )

    @property
    def runs_in_workers(self) -> bool:
        """Whether all systems may run in several processes."""
        return self.plan.runs_in_workers

    def load(self) -> None:
        """Load the systems."""
        _ = self.plan.by_name

    def read(self, record: Record) -> Act:
        """Read the act in the profile of the evaluation."""
        if not record.summary.strip() or not record.is_text:
            raise DataError("There is no summary to compare with; give rows with a summary.")
        language = self.language or (record.language if record.language in LANGUAGES else None)
        return read(f"{record.content.decode()}\n", language=language, format="text", profile=self.profile)

    def values(self, act: Act, record: Record) -> dict[str, Any]:
        """Return the scores of every system in long format."""
        row = Row(0, record.celex, record.content.decode(), record.summary, act.language)
        found = evaluate_act(self.plan, row)
        if isinstance(found, BadRow):
            raise DataError(found.reason)
        return {
            "budget": found.budget,
            "reference_words": found.reference_words,
            "meaning": [
                {"system": name, **system[MEANING]} for name, system in found.systems.items() if MEANING in system
            ],
            "scores": [
                {"system": name, "tokenizer": tokenizer, "measure": measure, **parts}
                for name, system in found.systems.items()
                for tokenizer in self.plan.tokenizers
                for measure, parts in system[tokenizer].items()
            ],
            "lengths": [
                {"system": name, "words": system["words"], "over": int(system["over"]), "empty": int(system["empty"])}
                for name, system in found.systems.items()
            ],
            "warnings": [*act.warnings, *found.notes],
        }


def _named_paths(name: str) -> Iterator[Path]:
    """Yield the existing paths in a name such as `model:FILE`, `onnx:FOLDER` or `translate:MODEL?…&system=NAME`."""
    value, _, inner = name.partition(":")[2].partition("system=")
    for path in {value, value.partition("?")[0]} - {""}:
        if Path(path).exists():
            yield Path(path)
    if inner:
        yield from _named_paths(inner)


class Figures(Sequence[ActResult]):
    """The rows of an `Evaluate` run as the results that `evaluate` would have, in one flat array.

    An act takes some hundred bytes, so that millions fit into memory for the report.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._layout: Layout = {}
        self._numbers = array("d")
        self._width = self._length = 0
        for row in rows:
            if not self._length:
                self._width = _lay_out(self._layout, row)
            self._numbers.extend(self._flat(row))
            self._length += 1

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> ActResult: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ActResult]: ...
    def __getitem__(self, place: int | slice) -> ActResult | Sequence[ActResult]:
        if isinstance(place, slice):
            return [self[inner] for inner in range(*place.indices(self._length))]
        if not 0 <= place < self._length:
            raise IndexError(place)
        systems = _View(self._layout, self._numbers, place * self._width)
        return ActResult(0, "", "", 0, 0, cast(dict[str, dict[str, Any]], systems))

    def _flat(self, row: Mapping[str, Any]) -> list[float]:
        # a system may lack a score, such as `seconds`, which rows do not have: it stays 0
        numbers = [0.0] * self._width
        for length in row["lengths"]:
            for name in _LENGTHS:
                numbers[self._layout[length["system"]][name]] = length[name]
        for score in row["scores"]:
            places = self._layout[score["system"]][score["tokenizer"]][score["measure"]]
            for part in PARTS:
                numbers[places[part]] = score[part]
        for meaning in row["meaning"]:
            for name in _MEANINGS:
                numbers[self._layout[meaning["system"]][MEANING][name]] = meaning[name]
        return numbers


def _lay_out(layout: Layout, row: Mapping[str, Any]) -> int:
    """Fill the layout from the first row: an index for every number of an act. Return how many there are."""
    places = count()
    for length in row["lengths"]:
        layout[length["system"]] = {name: next(places) for name in (*_LENGTHS, "seconds")}
    for score in row["scores"]:
        of_tokenizer = layout[score["system"]].setdefault(score["tokenizer"], {})
        of_tokenizer[score["measure"]] = {part: next(places) for part in PARTS}
    for meaning in row["meaning"]:
        layout[meaning["system"]][MEANING] = {name: next(places) for name in _MEANINGS}
    return next(places)


class _View(Mapping[str, Any]):
    """The numbers of one act as nested mappings, looked up in the flat array when they are needed."""

    __slots__ = ("_layout", "_numbers", "_start")

    def __init__(self, layout: Layout, numbers: array[float], start: int) -> None:
        self._layout, self._numbers, self._start = layout, numbers, start

    def __getitem__(self, name: str) -> Any:
        found = self._layout[name]
        return (
            _View(found, self._numbers, self._start) if isinstance(found, dict) else self._numbers[self._start + found]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)
