"""A bulk run: records in, shards of rows out, nothing lost and nothing duplicated.

The shard of a record depends only on its position in the input. Shards that are complete and were made of the same
records are skipped; all others are made. So running the same command again resumes an interrupted run.
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

from lexlattice._internal.shards import ShardDigest
from lexlattice.apps.bulk.engines import Engine, Limits
from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.output import Format, Output
from lexlattice.apps.bulk.records import Outcome, Record, WorkItem
from lexlattice.apps.bulk.tasks import Task
from lexlattice.errors import DataError, OptionError

SHARD_SIZE: Final = 256
"""Acts of a shard: some seconds of work are lost when a run is killed, and all of EUR-Lex is some thousand files."""
_BUFFER: Final = 64_000_000
"""Bytes of records that are buffered until it is known whether their shard has to be made again."""

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


@dataclass(frozen=True, slots=True)
class Pending:
    """The records of all incomplete shards, in order, with one placeholder for each complete shard.

    To know whether a complete shard is still made of the same records, these are read and their digest compared. They
    are buffered meanwhile; if there are too many to buffer and the digest differs, the inputs are read once more. This
    is plain data, so that it can be iterated in another process.
    """

    subset: Subset
    size: int
    """Records of a shard."""
    complete: Mapping[int, str]
    """Input digests of the complete shards, by number."""

    def __iter__(self) -> Iterator[WorkItem]:
        records, number, start = iter(self.subset), 0, 0
        while True:
            part, count = islice(records, min(self.size, sys.maxsize)), 0
            if number not in self.complete:
                for count, record in enumerate(part, 1):  # noqa: B007 – the count is needed after the loop
                    yield WorkItem(number, record)
            else:
                count, digest, buffer = _digested(part)
                if digest != self.complete[number]:
                    again = islice(iter(self.subset), start, start + count) if buffer is None else buffer
                    yield from (WorkItem(number, record) for record in again)
                elif count:
                    yield WorkItem(number, Record(""), count)
            if not count:
                return
            number, start = number + 1, start + count


def _digested(records: Iterable[Record]) -> tuple[int, str, list[Record] | None]:
    """Return the number of records, their digest, and the records themselves unless they are too large to buffer."""
    digest, count, size = ShardDigest(), 0, 0
    buffer: list[Record] | None = []
    for record in records:
        digest.add(record.digest)
        count += 1
        size += record.size
        if size > _BUFFER:
            buffer = None
        elif buffer is not None:
            buffer.append(record)
    return count, str(digest), buffer


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
    """Run a task on every act, or resume an interrupted run.

    Args:
        task: What to do with each act.
        subset: The acts.
        folder: Where the output goes.
        engine: Where the work is done.
        limits: Of one act.
        format: Of the rows, one of `FORMATS`.
        size: Acts of a shard.
        retry: Also make shards again in which acts failed.
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
        pending = Pending(subset, size, output.complete(retry=retry))
        progress = _Progress(log, advance)
        progress.write(engine.run(task, pending, limits), output)
        if not progress.shards:
            raise DataError("There is no act in the inputs; give others.")
        manifest = output.finish(progress.shards)
        facts = {"rows": manifest["rows"], "dead": manifest["dead"], "made": progress.acts}
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
    }


@dataclass(slots=True)
class _Progress:
    """Writes outcomes to shards, and reports and counts them on the way."""

    log: Log
    advance: Callable[[int], object]
    acts: int = 0
    restarts: int = 0
    shards: int = 0

    def write(self, outcomes: Generator[Outcome, None, None], output: Output) -> None:
        with closing(outcomes):
            for (number, skipped), of_shard in groupby(outcomes, attrgetter("shard", "skipped")):
                self.shards = number + 1
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
