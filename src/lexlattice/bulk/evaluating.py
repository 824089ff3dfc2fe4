"""The task that compares systems with the summaries people wrote, act by act."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar

from lexlattice.act import Act
from lexlattice.bulk.entries import Entry
from lexlattice.bulk.formats import Columns
from lexlattice.bulk.tasks import Task
from lexlattice.corpus.rows import BadRow, Row
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.measure import Measured, Plan, measured
from lexlattice.evaluation.systems import check_system
from lexlattice.reading import LANGUAGES, read
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH
from lexlattice.tokens import TOKENIZERS


@dataclass(frozen=True)
class Evaluate(Task):
    """Systems against the summaries that rows have."""

    systems: tuple[str, ...]
    budget: str
    profile: str
    encoder: str | None
    cache: str | None

    name: ClassVar[str] = "evaluate"
    own: ClassVar[Columns] = {
        "budget": int,
        "reference_words": int,
        "scores": [{"system": str, "tokenizer": str, "measure": str, "precision": float, "recall": float, "f1": float}],
        "lengths": [{"system": str, "words": float}],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        Budget.parse(self.budget)
        for name in self.systems:
            check_system(name, self.encoder)

    @cached_property
    def weights(self) -> str:
        """Of the shipped model."""
        return sha256(PATH.read_bytes()).hexdigest()[:16]

    @cached_property
    def plan(self) -> Plan:
        """What `evaluate` would be asked."""
        mode = "paper" if self.profile == "paper" else "whole"
        systems = {name: name for name in self.systems}
        budget = Budget.parse(self.budget)
        return Plan(
            systems, budget, self.profile, mode, TOKENIZERS, self.language, self.encoder, seed=0, cache=self.cache
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
        found = measured(self.plan, row)
        if isinstance(found, BadRow):
            raise LexLatticeError(found.reason)
        return {
            "budget": found.budget,
            "reference_words": found.reference_words,
            "scores": [
                {"system": name, "tokenizer": tokenizer, "measure": measure, **parts}
                for name, system in found.systems.items()
                for tokenizer in self.plan.tokenizers
                for measure, parts in system[tokenizer].items()
            ],
            "lengths": [{"system": name, "words": system["words"]} for name, system in found.systems.items()],
            "warnings": [*act.warnings, *found.notes],
        }

    def measured(self, row: Mapping[str, Any]) -> Measured:
        """What `evaluate` would have made of an act, from its row."""
        systems: dict[str, dict[str, Any]] = {
            length["system"]: {"words": length["words"], "seconds": 0.0} for length in row["lengths"]
        }
        for score in row["scores"]:
            of_tokenizer = systems[score["system"]].setdefault(score["tokenizer"], {})
            of_tokenizer[score["measure"]] = {part: score[part] for part in ("f1", "precision", "recall")}
        return Measured(0, row["celex"], row["language"], row["budget"], row["reference_words"], systems)
