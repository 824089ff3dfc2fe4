"""Prepare training data: read and encode the acts of a data set, and let an oracle select their units.

Rows are read in several processes if wanted, and written in the order of the data. The embedded encoder runs there too;
transformers run in this process only, on the units of all acts of a shard at once, so that their batches are full. So
the folder is byte-identical whatever the number of processes, and however often the run was interrupted and resumed.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from lexlattice import encoding
from lexlattice._internal.files import sha256
from lexlattice._internal.lazy import cached_property
from lexlattice._internal.processes import parallel_map
from lexlattice._internal.progress import Progress, reports_interruption
from lexlattice._internal.shards import Shard, ShardFolder
from lexlattice.act.document import Act
from lexlattice.errors import DataError, OptionError, OutputError
from lexlattice.evaluation.gold import Gold, gold_file, load_gold
from lexlattice.evaluation.oracle import Oracle
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.evaluation.sources import Source
from lexlattice.reading import LANGUAGES, PROFILES
from lexlattice.reading.hierarchies import Hierarchy, load_hierarchy
from lexlattice.training.prepared import FORMAT, SHARD_SIZE, Example, Packed, Prepared, Vectors, pack, write_shard
from lexlattice.training.silver import align
from lexlattice.training.targets import SilverTargets, gold_order, make_targets

ORACLES: Final = {"provisions": Oracle(), "paper": Oracle("greedy")}
"""The default oracle of each profile."""
_MAX_NOTES: Final = 10
"""Skipped rows that are reported one by one; all are in the manifest."""

Note = Callable[[str], None]
"""Called with each message for the user, a sentence or less."""


@dataclass(frozen=True)
class Plan:
    """How every row is prepared: plain data, so that it can be sent to other processes."""

    profile: str
    encoder: str
    oracle: Oracle
    language: str | None
    options: encoding.Options = encoding.DEFAULTS
    """How the encoder is loaded."""
    gold: str | None = None
    """A file of gold annotations; with it, targets are these and silver alignment instead of the oracle's selection."""
    hierarchy: Hierarchy | None = None
    """How to read documents that are no EU acts."""

    @cached_property
    def loaded(self) -> encoding.Encoder:
        """The encoder, loaded once in each process."""
        return self.options.load(self.encoder)

    @property
    def encodes_in_workers(self) -> bool:
        """Whether rows are encoded where they are read."""
        return encoding.runs_in_workers(self.encoder)

    @cached_property
    def annotations(self) -> Mapping[str, Gold]:
        """The gold annotations by CELEX number, loaded once in each process."""
        return {} if self.gold is None else {gold.celex: gold for gold in load_gold(self.gold)}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("loaded", "annotations")}

    def settings(self) -> dict[str, Any]:
        """Return everything that determines the examples."""
        encoder = self.loaded
        return {
            "profile": self.profile,
            "encoder": self.encoder,
            "dimensions": encoder.dimensions,
            "fingerprint": encoder.fingerprint,
            **({"precision": precision} if (precision := encoding.precision_of(encoder)) != "fp32" else {}),
            "oracle": asdict(self.oracle),
            "language": self.language,
            **({} if self.hierarchy is None else {"hierarchy": f"{self.hierarchy.name} {self.hierarchy.digest}"}),
            **({} if self.gold is None else {"gold": sha256(gold_file(self.gold).read_bytes())}),
        }


class _SourceRow(NamedTuple):
    """A row with the name of its data set."""

    data: str
    """Empty if there is only one data set."""
    row: Row | BadRow


def prepare(
    data: Sequence[Source],
    folder: str | os.PathLike[str],
    *,
    profile: str = "provisions",
    encoder: str = "static",
    device: str = "auto",
    precision: str = "auto",
    batch_tokens: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_limit: int | None = None,
    oracle: Oracle | None = None,
    gold: str | os.PathLike[str] | None = None,
    language: str | None = None,
    split: str = "train",
    fields: Mapping[str, str] | None = None,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
    jobs: int = 1,
    limit: int | None = None,
    strict: bool = False,
    progress: bool | str = False,
    note: Note = lambda sentence: None,
) -> Prepared:
    """Prepare all rows of the data, or resume an interrupted run with the same settings and data.

    Args:
        data: Data sets, as `Rows` accepts them, one after the other.
        folder: Where the examples are written.
        profile: The profile that acts are read in.
        encoder: Name of the encoder of the units.
        device: Where a transformer encodes: `auto`, `cpu`, `cuda` or `mps`.
        precision: Of a transformer, as in `lexlattice.encoding.load`.
        batch_tokens: The most tokens that a transformer encodes at once; by default as many as suit the device.
        cache: A folder to cache vectors in.
        cache_limit: The most bytes of that folder.
        oracle: Selects the units to learn; the default depends on the profile.
        gold: A file of annotations; with it, targets are these and silver alignment instead of the oracle's selection.
        language: Of all acts; by default that of each row, or detected.
        split: Of data sets that have several.
        fields: The names that the data use for fields, by ours, where they differ.
        hierarchy: How to read documents that are no EU acts: a TOML file, or the name of a packaged hierarchy.
        jobs: Number of processes that read acts; a transformer runs in this process only.
        limit: Prepare the first rows only.
        strict: Stop at the first row that cannot be used, instead of skipping it.
        progress: Show progress, as a bar on a terminal and as lines to `note` elsewhere; a text is its title.
        note: Called with messages for the user.

    Returns:
        The examples.

    Raises:
        OptionError: An option has a value that is not allowed.
        ConfigError: The file of the hierarchy is not valid.
        DataError: The data are damaged, or have no usable row.
        OutputError: The folder cannot be written, or was started with other settings or data.

    """
    _check(profile, language, jobs, limit)
    plan = Plan(
        profile,
        encoder,
        oracle or ORACLES[profile],
        language.lower() if language else None,
        encoding.Options(device, precision, batch_tokens, None if cache is None else str(cache), cache_limit),
        None if gold is None else str(gold),
        None if hierarchy is None else load_hierarchy(hierarchy),
    )
    sources = [Rows(source, split=split, fields=fields) for source in data]
    shards = ShardFolder(Path(folder), {"format": FORMAT, **plan.settings(), "limit": limit})
    names = [_name_of(source) if len(data) > 1 else "" for source in data]
    rows = (_SourceRow(name, row) for name, source in zip(names, sources, strict=True) for row in source)
    run = _Run(shards, note, strict)
    total = _total(sources, limit) if progress else None
    title = progress if isinstance(progress, str) else "preparing"
    shown = Progress(title, total, note=note, is_shown=bool(progress))
    resume = "run the same command again to resume."
    with shards.open(), reports_interruption(lambda: f"{shown.done:,} acts were prepared; {resume}"), shown:
        missing = run.missing(islice(rows, limit), shown.update)
        with closing(parallel_map(partial(_read_row, plan), missing, jobs)) as results:
            # all shards but the last have the same number of rows, so that these groups are the shards
            while group := list(islice(results, SHARD_SIZE)):
                for result in _encoded(plan, group):
                    run.add(result)
                    shown.update()
        run.finish()
    if run.skipped:
        note(f"{len(run.skipped)} of {run.acts + len(run.skipped)} rows were skipped.")
    return Prepared.open(folder)


class _Batch(NamedTuple):
    """Rows that become one shard."""

    number: int
    rows: list[_SourceRow]
    source: str
    """Digest of the rows."""


class _Run:
    """Skips the shards that are complete, and collects the results of all other rows into shards."""

    def __init__(self, shards: ShardFolder, note: Note, strict: bool) -> None:
        self._shards = shards
        self._note = note
        self._strict = strict
        self._waiting: deque[_Batch] = deque()
        self._results: list[Packed | BadRow] = []
        self._count = 0
        self.acts = 0
        self.skipped: list[Mapping[str, Any]] = []

    def missing(self, rows: Iterator[_SourceRow], pass_over: Callable[[int], object]) -> Iterator[Row | BadRow]:
        """Yield the rows of all shards that are not complete; `pass_over` is called with the number of the others."""
        while batch := list(islice(rows, SHARD_SIZE)):
            for data, row in batch:
                if isinstance(row, BadRow) and row.is_end:
                    raise DataError(f"{_place(_described(data, row))}: {row.reason}")
            number, source = self._count, sha256(b"".join(map(_as_bytes, batch)))
            self._count += 1
            if shard := self._complete(number, source):
                self._report(shard.counts["acts"], shard.details["skipped"])
                pass_over(len(batch))
            else:
                self._waiting.append(_Batch(number, batch, source))
                yield from (row for _, row in batch)

    def add(self, result: Packed | BadRow) -> None:
        """Add the result of the next row that `missing` yielded, and write its shard once it is complete."""
        batch = self._waiting[0]
        if self._strict and isinstance(result, BadRow):
            self._report(0, [_described(batch.rows[len(self._results)].data, result)])
        self._results.append(result)
        if len(self._results) == len(batch.rows):
            rows = [result for result in self._results if isinstance(result, Packed)]
            skipped = [
                _described(data, result)
                for (data, _), result in zip(batch.rows, self._results, strict=True)
                if isinstance(result, BadRow)
            ]
            write_shard(self._shards, batch.number, batch.source, rows, skipped)
            self._report(len(rows), skipped)
            self._results.clear()
            self._waiting.popleft()

    def finish(self) -> None:
        """Write the manifest, or delete everything if there is no example at all."""
        if not self.acts:
            self._shards.discard()
            raise DataError(_nothing(self.skipped))
        if any(number >= self._count for number in self._shards.numbers()):
            raise self._other_data()
        self._shards.finish(self._count, skipped=self.skipped)

    def _complete(self, number: int, source: str) -> Shard | None:
        """Return the shard of these rows, or None if it has to be written."""
        shard = self._shards.shard(number)
        if shard is None:
            if self._shards.is_finished:  # all shards were written, so there were fewer rows then
                raise self._other_data()
            return None
        if shard.source != source:
            raise self._other_data()
        return shard if self._shards.is_intact(shard) else None

    def _other_data(self) -> OutputError:
        return OutputError(f"'{self._shards.folder}' was started with other data; use those, or choose a new folder.")

    def _report(self, acts: int, skipped: Sequence[Mapping[str, Any]]) -> None:
        self.acts += acts
        for row in skipped:
            sentence = f"{_place(row)}: {row['reason']}"
            if self._strict:
                raise DataError(f"{sentence} Correct the row, or allow rows to be skipped.")
            self.skipped.append(row)
            if len(self.skipped) <= _MAX_NOTES:
                self._note(f"skipped, {sentence}")
            elif len(self.skipped) == _MAX_NOTES + 1:
                self._note("more rows are skipped; the manifest will list them all.")


class _ReadRow(NamedTuple):
    """A row whose act is read, and, unless that needs vectors of a transformer, whose targets are known."""

    row: Row
    act: Act
    order: tuple[int, ...] = ()


def _read_row(plan: Plan, row: Row | BadRow) -> _ReadRow | Packed | BadRow:
    """Do all that can be done with one row in a worker process."""
    if isinstance(row, BadRow):
        return row
    act = act_of(row, plan.profile, plan.language, plan.hierarchy)
    if isinstance(act, BadRow):
        return act
    order = () if plan.gold else plan.oracle.choose(act.units, row.summary, len(row.summary.split())).order
    read = _ReadRow(row, act, order)
    return _packed(plan, read, _vectors(plan, [act])) if plan.encodes_in_workers else read


def _encoded(plan: Plan, results: Sequence[_ReadRow | Packed | BadRow]) -> Iterator[Packed | BadRow]:
    """Encode the acts that were only read, all in one call."""
    vectors = _vectors(plan, [result.act for result in results if isinstance(result, _ReadRow)])
    for result in results:
        if isinstance(result, _ReadRow):
            yield _packed(plan, result, vectors[: len(result.act)])
            vectors = vectors[len(result.act) :]
        else:
            yield result


def _vectors(plan: Plan, acts: Sequence[Act]) -> Vectors:
    """The vectors of the units of all acts, one after the other."""
    return encoding.vectors_of_units(plan.loaded, [unit.text for act in acts for unit in act.units])


def _packed(plan: Plan, read: _ReadRow, vectors: Vectors) -> Packed:
    row, act, order = read
    words = len(row.summary.split())
    if plan.gold is None:
        return pack(Example(row.line, row.celex, act, vectors, order, row.summary, words), row.text, plan.encoder)
    gold = plan.annotations.get(row.celex)
    silver = align(act, row.summary, plan.loaded)
    aligned = SilverTargets(silver.targets, silver.importance, silver.weights)
    targets = make_targets(act, row.text, gold if gold and gold.language == act.language else None, aligned)
    order = gold_order(act, targets)
    return pack(Example(row.line, row.celex, act, vectors, order, row.summary, words, targets), row.text, plan.encoder)


def _check(profile: str, language: str | None, jobs: int, limit: int | None) -> None:
    if profile not in PROFILES:
        raise OptionError(f"There is no profile '{profile}'; choose {' or '.join(PROFILES)}.")
    if language is not None and language.lower() not in LANGUAGES:
        raise OptionError(f"'{language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")
    if jobs < 1:
        raise OptionError(f"There cannot be {jobs} jobs; give a number from 1.")
    if limit is not None and limit < 1:
        raise OptionError(f"A limit of {limit} leaves nothing to do; give a number from 1.")


def _total(sources: Sequence[Rows], limit: int | None) -> int | None:
    counts = [source.count() for source in sources]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return limit
    return sum(known) if limit is None else min(limit, sum(known))


def _name_of(source: Source) -> str:
    return Path(source).name if isinstance(source, str | os.PathLike) else "data"


def _as_bytes(found: _SourceRow) -> bytes:
    row = found.row
    fields = (row.line, row.celex, row.reason) if isinstance(row, BadRow) else asdict(row)
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def _described(data: str, row: BadRow) -> dict[str, Any]:
    return {"data": data, "line": row.line, "celex": row.celex, "reason": row.reason}


def _place(row: Mapping[str, Any]) -> str:
    return ", ".join(filter(None, (row["data"], f"line {row['line']}", row["celex"])))


def _nothing(skipped: Sequence[Mapping[str, Any]]) -> str:
    if not skipped:
        return "There are no rows in the data; give some with an act and its summary."
    first = f"{_place(skipped[0])}: {skipped[0]['reason']}"
    return (
        f"None of the {len(skipped)} rows can be used; {first} If its fields have other names, give them with --fields."
    )
