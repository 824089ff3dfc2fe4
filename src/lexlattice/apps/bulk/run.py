"""A bulk run: records in, shards of rows out, nothing lost and nothing duplicated.

Records fill shards in the order of the input. A record is known by the digest of its source and content: what is in a
complete shard is not made again, what is not goes into new shards, and rows of acts that were changed or removed are
dropped. So running the same command again resumes an interrupted run, and brings a finished one up to date.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, groupby, islice
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from lexlattice.apps.bulk.engines import Engine, Limits
from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.output import SCHEMA, Format, Output
from lexlattice.apps.bulk.records import Outcome, Record, WorkItem
from lexlattice.apps.bulk.tasks import Task
from lexlattice.errors import DataError, OptionError

SHARD_SIZE: Final = 256
"""Acts of a shard: some seconds of work are lost when a run is killed, and all of EUR-Lex is some thousand files."""
_KEPT_DIGITS: Final = 32
"""Hexadecimal digits of a digest that are kept in memory: 16 bytes."""

Log = Callable[..., None]
"""Called with the name of an event, and its facts as keyword arguments."""


@dataclass(frozen=True, slots=True)
class Subset:
    """The records of the inputs that are processed."""

    inputs: Inputs
    limit: int | None = None
    sample: float | None = None
    """Share of the records to draw, by a digest of the source, so that the same ones are drawn each time."""

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"A limit of {self.limit} leaves nothing to do; give a number from 1.")
        if self.sample is not None and not 0 < self.sample <= 1:
            raise OptionError(f"A sample of {self.sample} cannot be drawn; give a share above 0, up to 1.")

    def __iter__(self) -> Iterator[Record]:
        drawn = (record for record in self.inputs if self.sample is None or _uniform(record.source) < self.sample)
        return islice(drawn, None if self.limit is None else min(self.limit, sys.maxsize))

    def count(self) -> int | None:
        """Return how many records there are, or None if that is unknown without reading them."""
        total = self.inputs.count() if self.sample is None else None
        return total if total is None or self.limit is None else min(total, self.limit)


def _uniform(source: str) -> float:
    """Hash a source to a number in [0, 1)."""
    return int.from_bytes(hashlib.blake2b(source.encode("utf-8", "replace"), digest_size=8).digest()) / 2**64


class Digests:
    """A set of digests, of which only a part is kept, since there may be millions."""

    def __init__(self) -> None:
        self._parts: set[bytes] = set()

    def add(self, digest: str) -> bool:
        """Add a digest, and return whether it is new."""
        part = bytes.fromhex(digest[:_KEPT_DIGITS])
        is_new = part not in self._parts
        self._parts.add(part)
        return is_new

    def __contains__(self, digest: str) -> bool:
        return bytes.fromhex(digest[:_KEPT_DIGITS]) in self._parts

    def __len__(self) -> int:
        return len(self._parts)


@dataclass(frozen=True, slots=True)
class Pending:
    """The records that have to be processed, in order; they fill new shards.

    Placeholders stand for records that are done. This is plain data, so that it can be iterated in another process.
    """

    subset: Subset
    size: int
    """Records of a shard."""
    done: Digests
    """The records whose outcomes are in complete shards."""
    taken: frozenset[int]
    """The numbers of these shards."""
    count: int | None = None
    """How many records have to be processed, if that is known."""

    def __iter__(self) -> Iterator[WorkItem]:
        numbers = (number for number in count() if number not in self.taken)
        seen, number, filled, skipped = Digests(), next(numbers), 0, 0
        for record in self.subset:
            digest = record.digest
            if digest in self.done:
                skipped += 1
            elif seen.add(digest):  # else an archive has the same member twice
                if filled == self.size:
                    number, filled = next(numbers), 0
                if skipped and not filled:  # only between shards, since all outcomes of a shard follow one another
                    yield WorkItem(number, Record(""), skipped)
                    skipped = 0
                yield WorkItem(number, record)
                filled += 1
        if skipped:
            yield WorkItem(number, Record(""), skipped)


def _reconcile(output: Output, subset: Subset, size: int, *, retry: bool) -> tuple[Pending, list[dict[str, str]]]:
    """Compare the complete shards with the inputs, and drop the rows that are stale.

    Stale rows are dropped before new ones are made. So a run that is killed may lack rows, which the next run makes,
    but never has two of an act.

    Returns:
        What is left to do, and the sources that are no longer in the inputs.

    """
    numbers, gone = output.complete(), output.removed()
    if not numbers and not gone:
        return Pending(subset, size, Digests(), frozenset()), []
    known, done, new, known_gone, present = Digests(), Digests(), Digests(), Digests(), Digests()
    for number in numbers:
        for member in output.members(number):
            if not (retry and member.state == "dead"):
                known.add(member.digest)
    for entry in gone:
        known_gone.add(_source_digest(entry["source"]))
    for record in subset:
        source = _source_digest(record.source)
        if (digest := record.digest) in known:
            done.add(digest)
        else:
            new.add(digest)
        if digest not in known or source in known_gone:
            present.add(source)
    if not done and not new:  # rather an input that is not mounted than a corpus without acts
        raise DataError("There is no act in the inputs; give others.")
    stale = {
        number: dropped
        for number in numbers
        if (dropped := [member for member in output.members(number) if member.digest not in done])
    }
    if stale:
        # All are recorded before they are dropped, also those that were only changed: if the run is killed before it
        # has made their new rows, and they are removed by then, the next run could not know that they were there.
        recorded, today = {entry["digest"] for entry in gone}, datetime.now(UTC).date().isoformat()
        for member in (member for dropped in stale.values() for member in dropped):
            if member.digest not in recorded:
                gone.append({"source": member.source, "digest": member.digest, "removed": today})
        output.write_removed(gone)
    for number in stale:
        output.keep(number, lambda member: member.digest in done)
    taken = frozenset(output.complete() if stale else numbers)
    removed = {entry["source"]: entry for entry in gone if _source_digest(entry["source"]) not in present}
    return Pending(subset, size, done, taken, len(new)), list(removed.values())


def _source_digest(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()


def run(
    task: Task,
    subset: Subset,
    folder: str | Path,
    engine: Engine,
    limits: Limits,
    *,
    format: str = "jsonl",
    size: int = SHARD_SIZE,
    retry: bool = False,
    log: Log = lambda event, **facts: None,
    advance: Callable[[int], object] = lambda acts: None,
) -> dict[str, Any]:
    """Run a task on every act, resume an interrupted run, or bring a finished one up to date.

    Args:
        task: What to do with each act.
        subset: The acts.
        folder: Where the output goes.
        engine: Where the work is done.
        limits: Of one act.
        format: Of the rows, one of `FORMATS`.
        size: Acts of a shard.
        retry: Also process the acts again that failed.
        log: Called for each event: `begin`, `shard`, `dead`, `end`.
        advance: Called with the number of acts done, to update a progress bar.

    Returns:
        The manifest.

    Raises:
        OptionError: An option or input is not valid.
        DataError: There is no act in the inputs.
        OutputError: The folder cannot be written, or holds something else.

    """
    if size < 1:
        raise OptionError(f"A shard cannot have {size} acts; give a number from 1.")
    subset.inputs.check()
    if task.needs_summaries and not subset.inputs.have_rows:
        raise DataError("The inputs have no summaries to compare with; give rows that have one.")
    settings = json.loads(json.dumps({**task.settings, **_settings(subset, format, size)}))  # as in the manifest
    output = Output(Path(folder), Format(format, task.columns), settings)
    with output.open():
        log("begin", **settings, folder=str(folder))
        start = perf_counter()
        pending, removed = _reconcile(output, subset, size, retry=retry)
        progress = _Progress(log, advance)
        if pending.count == 0:
            advance(len(pending.done))
        else:
            progress.write(engine.run(task, pending, limits), output)
        if not progress.acts and not pending.taken and not pending.done:
            raise DataError("There is no act in the inputs; give others.")
        if pending.count not in (None, progress.acts):
            raise DataError("The inputs were changed during the run; run the same command again.")
        output.write_removed(removed)
        manifest = output.finish()
        counts = ("rows", "dead", "early", "removed")
        facts = {**{name: manifest[name] for name in counts}, "made": progress.acts}
        log("end", **facts, restarts=progress.restarts, seconds=round(perf_counter() - start, 1))
    return manifest


def _settings(subset: Subset, format: str, size: int) -> dict[str, Any]:
    inputs = subset.inputs
    return {
        "inputs": inputs.public_names,
        "fields": dict(sorted(inputs.fields.items())),
        "split": inputs.split,
        "limit": subset.limit,
        "sample": subset.sample,
        "shard": size,
        "format": format,
        "schema": SCHEMA,
    }


@dataclass(slots=True)
class _Progress:
    """Writes outcomes to shards, and reports and counts them on the way."""

    log: Log
    advance: Callable[[int], object]
    acts: int = 0
    restarts: int = 0

    def write(self, outcomes: Generator[Outcome, None, None], output: Output) -> None:
        with closing(outcomes):
            for (number, skipped), of_shard in groupby(outcomes, attrgetter("shard", "skipped")):
                if skipped:
                    self.advance(skipped)
                    continue
                shard = output.write(number, self._reported(of_shard))
                size = sum(file["bytes"] for file in shard.files.values())
                self.log("shard", number=number, **shard.counts, bytes=size)

    def _reported(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            yield outcome
            self.acts += 1
            self.restarts += outcome.restarts
            if outcome.reason:
                self.log("dead", **outcome.dead_letter)
            self.advance(1)
