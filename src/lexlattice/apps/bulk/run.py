"""A run over a corpus: entries in, shards out, nothing lost and nothing twice.

Which shard an entry belongs to follows from its place in the input alone. Shards that are there whole, of the very
same entries, are passed over; all others are made. So a run that was killed goes on, and one that is finished says so.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from lexlattice.apps.bulk.engines import Engine, Limits
from lexlattice.apps.bulk.entries import Inputs
from lexlattice.apps.bulk.entry import Entry, Outcome, Placed
from lexlattice.apps.bulk.shards import Format, Output, ShardDigest
from lexlattice.apps.bulk.tasks import Task
from lexlattice.errors import LexLatticeError

SHARD: Final = 256
"""Acts of a shard: a loss of some seconds when a process is killed, and some thousand files for all of EUR-Lex."""
_WHOLE: Final = 1 << 64
_HELD: Final = 64_000_000
"""Bytes of acts that are held while it is not clear yet whether they have to be done again."""

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
        return islice(drawn, None if self.limit is None else min(self.limit, sys.maxsize))

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

    Of a shard that seems to be done a little is held until it is known to be of the same acts; if it is not, and has
    more, the inputs are read once more up to there. It is plain data: what is read can be read elsewhere.
    """

    choice: Choice
    size: int
    done: Mapping[int, str]
    """Digests of the shards that are there."""

    def __iter__(self) -> Iterator[Placed]:
        entries, number, start = iter(self.choice), 0, 0
        while True:
            part, count = islice(entries, min(self.size, sys.maxsize)), 0
            if number not in self.done:
                for count, entry in enumerate(part, 1):  # noqa: B007 – how many there were
                    yield Placed(number, entry)
            else:
                count, digest, held = _looked_at(part)
                if digest != self.done[number]:
                    again = islice(iter(self.choice), start, start + count) if held is None else held
                    yield from (Placed(number, entry) for entry in again)
                elif count:
                    yield Placed(number, Entry(""), count)
            if not count:
                return
            number, start = number + 1, start + count


def _looked_at(entries: Iterable[Entry]) -> tuple[int, str, list[Entry] | None]:
    """How many entries there are, their digest, and they themselves unless that is too much to hold."""
    digest, count, size = ShardDigest(), 0, 0
    held: list[Entry] | None = []
    for entry in entries:
        digest.add(entry.digest)
        count += 1
        size += entry.size
        if size > _HELD:
            held = None
        elif held is not None:
            held.append(entry)
    return count, str(digest), held


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
    if task.needs_summaries and not choice.inputs.have_rows:
        raise LexLatticeError("There are no summaries to compare with in the inputs; give rows that have one.")
    settings = json.loads(json.dumps({**task.settings, **_asked(choice, format, size)}))  # as a manifest has them
    output = Output(Path(folder), Format(format, task.columns), settings)
    with output.open():
        log("begin", **output.settings, folder=str(folder))
        start = perf_counter()
        pending = Pending(choice, size, output.done(retry=retry))
        progress = _Progress(log, advance)
        progress.write(engine.run(task, pending, limits), output)
        if not progress.shards:
            raise LexLatticeError("There is no act in the inputs; give others.")
        manifest = output.finish(progress.shards)
        facts = {"rows": manifest["rows"], "dead": manifest["dead"], "made": progress.acts}
        log("end", **facts, restarts=progress.restarts, seconds=round(perf_counter() - start, 1))
    return manifest


def _asked(choice: Choice, format: str, size: int) -> dict[str, Any]:
    inputs = choice.inputs
    return {
        "inputs": inputs.shown,
        "fields": dict(sorted(inputs.fields.items())),
        "split": inputs.split,
        "limit": choice.limit,
        "sample": choice.sample,
        "shard": size,
        "format": format,
    }


@dataclass(slots=True)
class _Progress:
    """What is told of outcomes while they are written down."""

    log: Log
    advance: Callable[[int], object]
    acts: int = 0
    restarts: int = 0
    shards: int = 0

    def write(self, outcomes: Generator[Outcome, None, None], output: Output) -> None:
        """Write each shard as it comes; one that was there before is passed over."""
        with closing(outcomes):
            for (number, passed), of_shard in groupby(outcomes, attrgetter("shard", "passed")):
                self.shards = number + 1
                if passed:
                    self.advance(passed)
                    continue
                part = output.write(number, self._told(of_shard))
                self.log("shard", number=number, rows=part.rows, dead=len(part.dead), bytes=part.bytes)

    def _told(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            yield outcome
            self.acts += 1
            self.restarts += outcome.restarts
            if outcome.reason:
                self.log("dead", **outcome.dead)
            self.advance(1)
