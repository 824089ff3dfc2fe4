"""A run over a corpus: entries in, shards out, nothing lost and nothing twice.

Which shard an entry belongs to follows from its place in the input alone. Shards that are there whole, of the very
same entries, are passed over; all others are made. So a run that was killed goes on, and one that is finished says so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from lexlattice.bulk.engines import Engine, Limits, Outcome, Placed
from lexlattice.bulk.entries import Entry, Inputs
from lexlattice.bulk.formats import Format
from lexlattice.bulk.shards import Output, Part
from lexlattice.bulk.tasks import Task
from lexlattice.errors import LexLatticeError

SHARD: Final = 256
"""Acts of a shard: a loss of some seconds when a process is killed, and some thousand files for all of EUR-Lex."""
_WHOLE: Final = 1 << 64

Log = Callable[..., None]
"""Told an event by its name, with its facts."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which entries of the inputs are worked on."""

    inputs: Inputs
    limit: int | None = None
    sample: float | None = None
    """The share that is drawn: by a digest of the source, so that the same are drawn each time."""

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise LexLatticeError(f"A limit of {self.limit} leaves nothing to do; give a number from 1.")
        if self.sample is not None and not 0 < self.sample <= 1:
            raise LexLatticeError(f"A sample of {self.sample} cannot be drawn; give a share above 0, up to 1.")

    def __iter__(self) -> Iterator[Entry]:
        drawn = (entry for entry in self.inputs if self.sample is None or _drawn(entry.source) < self.sample)
        return islice(drawn, self.limit)

    def count(self) -> int | None:
        """How many there are, if that is known beforehand."""
        total = self.inputs.count() if self.sample is None else None
        return total if total is None or self.limit is None else min(total, self.limit)


def _drawn(source: str) -> float:
    """A number from 0 to 1 that is the source's own."""
    return int.from_bytes(hashlib.blake2b(source.encode("utf-8", "replace"), digest_size=8).digest()) / _WHOLE


@dataclass(frozen=True, slots=True)
class Pending:
    """The entries of all shards that are not done, in their order; in place of a shard that is done, how many it has.

    A shard is held at a time. It is plain data: what is read can be read elsewhere.
    """

    choice: Choice
    size: int
    done: Mapping[int, str]
    """Digests of the shards that are there."""

    def __iter__(self) -> Iterator[Placed]:
        entries = iter(self.choice)
        number = 0
        while part := list(islice(entries, self.size)):
            if self.done.get(number) == digest_of(entry.digest for entry in part):
                yield Placed(number, Entry(""), len(part))
            else:
                yield from (Placed(number, entry) for entry in part)
            number += 1


def digest_of(digests: Iterable[str]) -> str:
    """Of the entries of a shard, in their order."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


@dataclass(slots=True)
class _Shard:
    number: int
    outcomes: list[Outcome] = field(default_factory=list)

    def write(self, output: Output) -> Part:
        return output.write(
            self.number,
            digest_of(outcome.digest for outcome in self.outcomes),
            [outcome.parsed() for outcome in self.outcomes if outcome.row],
            [outcome.dead for outcome in self.outcomes if not outcome.row],
        )


def run(
    task: Task,
    choice: Choice,
    folder: str | Path,
    engine: Engine,
    limits: Limits,
    *,
    format: str = "jsonl",
    size: int = SHARD,
    retry: bool = False,
    log: Log = lambda event, **facts: None,
    advance: Callable[[int], object] = lambda acts: None,
) -> dict[str, Any]:
    """Do the task on every act, or go on where an earlier run stopped; the manifest is what comes of it.

    With `retry`, shards in which acts failed are made anew.
    """
    if size < 1:
        raise LexLatticeError(f"Shards of {size} acts hold nothing; give a number from 1.")
    choice.inputs.check()
    settings = json.loads(json.dumps({**task.settings, **_asked(choice), "shard": size}))  # as a manifest has them
    output = Output(Path(folder), Format(format, task.columns), settings)
    with output.open():
        log("begin", **output.settings, folder=str(folder))
        start = perf_counter()
        pending = Pending(choice, size, output.done(retry=retry))
        acts, shards = _write(engine.run(task, pending, limits), output, log, advance)
        if not shards:
            raise LexLatticeError("There is no act in the inputs; give others.")
        manifest = output.finish(shards)
        facts = {"rows": manifest["rows"], "dead": manifest["dead"], "made": acts, "restarts": engine.restarts}
        log("end", **facts, seconds=round(perf_counter() - start, 1))
    return manifest


def _asked(choice: Choice) -> dict[str, Any]:
    return {"inputs": list(choice.inputs.names), "limit": choice.limit, "sample": choice.sample}


def _write(
    outcomes: Generator[Outcome, None, None], output: Output, log: Log, advance: Callable[[int], object]
) -> tuple[int, int]:
    """Write each shard once all of it is there; how many acts were worked on, and how many shards there are."""
    shard = _Shard(-1)
    acts = 0
    with closing(outcomes):
        for outcome in outcomes:
            if outcome.shard != shard.number:
                _finish(shard, output, log)
                shard = _Shard(outcome.shard)
            if not outcome.passed:
                shard.outcomes.append(outcome)
                acts += 1
            if outcome.reason:
                log("dead", **outcome.dead)
            advance(outcome.passed or 1)
    _finish(shard, output, log)
    return acts, shard.number + 1


def _finish(shard: _Shard, output: Output, log: Log) -> None:
    """Write it, unless it was there before."""
    if shard.outcomes:
        part = shard.write(output)
        log("shard", number=part.number, rows=part.rows, dead=len(part.dead), bytes=part.bytes)
