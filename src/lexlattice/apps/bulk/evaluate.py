"""The task that compares systems with the summaries people wrote, act by act."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, cast, overload

from lexlattice.act.document import Act
from lexlattice.apps.bulk.entry import Entry
from lexlattice.apps.bulk.shards import Columns, digest_of_named
from lexlattice.apps.bulk.tasks import Task
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.gold import gold_file, load_gold
from lexlattice.evaluation.measure import MEANING, PARTS, ActResult, Plan, evaluate_act
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.rows import BadRow, Row
from lexlattice.evaluation.systems import GOLD, check_system
from lexlattice.reading import LANGUAGES, read
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH


@dataclass(frozen=True)
class Evaluate(Task):
    """Systems against the summaries that rows have."""

    systems: tuple[str, ...]
    budget: str
    profile: str
    encoder: str | None
    cache: str | None
    gold: str | None = None
    """A file of annotations, if extracts are to be scored by meaning; acts that have none fail."""

    name: ClassVar[str] = "evaluate"
    needs_summaries: ClassVar[bool] = True
    own: ClassVar[Columns] = {
        "budget": int,
        "reference_words": int,
        "meaning": [{"system": str, "points": float, "precision": float, "f1": float}],
        "scores": [{"system": str, "tokenizer": str, "measure": str, "precision": float, "recall": float, "f1": float}],
        "lengths": [{"system": str, "words": float}],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        Budget.parse(self.budget)
        if not self.systems:
            raise LexLatticeError("No systems were named; give one or more.")
        for name in self.systems:
            check_system(name, self.encoder)
        if self.gold is not None:
            gold_file(self.gold)
        elif GOLD in self.systems:
            raise LexLatticeError("The system 'gold' needs annotations; name a file of them with --gold.")

    @cached_property
    def weights(self) -> str:
        """Of the shipped model, and of every file that is named."""
        gold = f":{gold_file(self.gold)}" if self.gold is not None else ""
        return digest_of_named(PATH, (*self.systems, self.encoder or "", gold))

    @cached_property
    def plan(self) -> Plan:
        """What `evaluate` would be asked."""
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
            cache=self.cache,
            gold=None if self.gold is None else {one.celex: one for one in load_gold(self.gold)},
        )

    def begin(self) -> None:
        """Make the systems."""
        _ = self.plan.by_name

    def read(self, entry: Entry) -> Act:
        """In the profile that is asked for."""
        if not entry.summary.strip() or not entry.is_text:
            raise LexLatticeError("There is no summary to compare with; give rows with a summary.")
        language = self.language or (entry.language if entry.language in LANGUAGES else None)
        return read(f"{entry.content.decode()}\n", language=language, format="text", profile=self.profile)

    def of(self, act: Act, entry: Entry) -> dict[str, Any]:
        """The scores of every system, as a long table."""
        row = Row(0, entry.celex, entry.content.decode(), entry.summary, act.language)
        found = evaluate_act(self.plan, row)
        if isinstance(found, BadRow):
            raise LexLatticeError(found.reason)
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
            "lengths": [{"system": name, "words": system["words"]} for name, system in found.systems.items()],
            "warnings": [*act.warnings, *found.notes],
        }


# What was measured of very many acts, as numbers alone: a report of all of them has to fit into memory.

_WORDS: Final = ("words", "seconds")
Layout = dict[str, Any]
"""Where a number stands among those of an act, by system, tokenizer, measure and part."""


class Figures(Sequence[ActResult]):
    """Rows that `Evaluate` made, as `evaluate` would have measured the acts: some hundred bytes for each."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._layout: Layout = {}
        self._numbers = array("d")
        self._width = self._length = 0
        for row in rows:
            if not self._length:
                self._width = _lay_out(self._layout, row)
            self._numbers.extend(self._of(row))
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

    def _of(self, row: Mapping[str, Any]) -> list[float]:
        numbers = [0.0] * self._width
        for length in row["lengths"]:
            numbers[self._layout[length["system"]]["words"]] = length["words"]
        for score in row["scores"]:
            places = self._layout[score["system"]][score["tokenizer"]][score["measure"]]
            for part in PARTS:
                numbers[places[part]] = score[part]
        for meaning in row["meaning"]:
            for name in MEANINGS:
                numbers[self._layout[meaning["system"]][MEANING][name]] = meaning[name]
        return numbers


def _lay_out(layout: Layout, row: Mapping[str, Any]) -> int:
    """A place for every number that acts have; how many there are."""
    places = iter(range(1 << 30))
    for length in row["lengths"]:
        layout[length["system"]] = {name: next(places) for name in _WORDS}
    for score in row["scores"]:
        of_tokenizer = layout[score["system"]].setdefault(score["tokenizer"], {})
        of_tokenizer[score["measure"]] = {part: next(places) for part in PARTS}
    for meaning in row["meaning"]:
        layout[meaning["system"]][MEANING] = {name: next(places) for name in MEANINGS}
    return next(places)


class _View(Mapping[str, Any]):
    """The numbers of one act as the mappings they came from."""

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
