"""The task that compares systems with the summaries people wrote, act by act."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from lexlattice.act import Act
from lexlattice.bulk.digests import digest_of_named
from lexlattice.bulk.entry import Entry
from lexlattice.bulk.formats import Columns
from lexlattice.bulk.tasks import Task
from lexlattice.corpus.rows import BadRow, Row
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.gold import gold_file, load_gold
from lexlattice.evaluation.measure import MEANING, Plan, measured
from lexlattice.evaluation.systems import GOLD, check_system
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
        found = measured(self.plan, row)
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
