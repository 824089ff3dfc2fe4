"""Rows of a data set → a folder of prepared acts: read, encoded, and with the choice of an oracle.

Every row is prepared by itself, in processes of their own if asked for, and written in the order of the data. So the
folder comes out the same whatever the number of processes, and however often the run was killed in between.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from tqdm import tqdm

from lexlattice import encoding
from lexlattice._internal.files import sha256
from lexlattice._internal.processes import in_order
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.gold import Gold, gold_file, load_gold
from lexlattice.evaluation.oracle import Oracle
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.evaluation.sources import Source
from lexlattice.reading import LANGUAGES, PROFILES
from lexlattice.training.prepared import SHARD, Draft, Example, Packed, Prepared, pack
from lexlattice.training.silver import align
from lexlattice.training.targets import SilverTargets, marks_of, order_of

ORACLES: Final = {"provisions": Oracle(), "paper": Oracle("greedy")}
"""What is learnt from in each profile, unless another is asked for."""
_NOTES: Final = 10
"""Bad rows that are named as they come; all are in the manifest."""

Note = Callable[[str], None]
"""Told what the user should know, a sentence or less each."""


@dataclass(frozen=True)
class Plan:
    """What is to be done with every row: plain data, so that it can be sent to other processes."""

    profile: str
    encoder: str
    oracle: Oracle
    language: str | None
    cache: str | None = None
    """A folder in which vectors are kept."""
    gold: str | None = None
    """A file of gold annotations, which are learnt from instead of the oracle's choice; with silver alignment."""

    @cached_property
    def loaded(self) -> encoding.Encoder:
        """The encoder itself, loaded once in each process."""
        return encoding.load(self.encoder, cache=self.cache)

    @cached_property
    def annotations(self) -> Mapping[str, Gold]:
        """The gold annotations by CELEX number, loaded once in each process."""
        return {} if self.gold is None else {gold.celex: gold for gold in load_gold(self.gold)}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("loaded", "annotations")}

    def settings(self) -> dict[str, Any]:
        """All that decides what a row becomes."""
        encoder = self.loaded
        return {
            "profile": self.profile,
            "encoder": self.encoder,
            "dimensions": encoder.dimensions,
            "fingerprint": encoder.fingerprint,
            "oracle": asdict(self.oracle),
            "language": self.language,
            **({} if self.gold is None else {"gold": sha256(gold_file(self.gold).read_bytes())}),
        }


class _Found(NamedTuple):
    """A row, and which data it stands in."""

    data: str
    """Empty where there is one only."""
    row: Row | BadRow


def prepare(
    data: Sequence[Source],
    folder: str | os.PathLike[str],
    *,
    profile: str = "provisions",
    encoder: str = "static",
    cache: str | os.PathLike[str] | None = None,
    oracle: Oracle | None = None,
    gold: str | os.PathLike[str] | None = None,
    language: str | None = None,
    split: str = "train",
    fields: Mapping[str, str] | None = None,
    jobs: int = 1,
    limit: int | None = None,
    strict: bool = False,
    progress: bool = False,
    note: Note = lambda sentence: None,
) -> Prepared:
    """Prepare all rows, or go on where an earlier run with the same settings and data was killed.

    `data` are sources as `Rows` takes them, one after the other; `fields` says what they call the fields that have
    other names. Vectors can be kept in a folder, the `cache`. With `gold`, a file of annotations, acts get these and
    silver alignment instead of the oracle's choice. A row that cannot be used is noted and left out; with
    `strict` it ends the run.
    """
    _check(profile, language, jobs, limit)
    plan = Plan(
        profile,
        encoder,
        oracle or ORACLES[profile],
        language.lower() if language else None,
        None if cache is None else str(cache),
        None if gold is None else str(gold),
    )
    sources = [Rows(source, split=split, fields=fields) for source in data]
    draft = Draft(Path(folder), plan.settings() | {"limit": limit})
    named = [_name_of(source) if len(data) > 1 else "" for source in data]
    rows = (_Found(name, row) for name, source in zip(named, sources, strict=True) for row in source)
    run = _Run(draft, note, strict)
    with tqdm(
        total=_total(sources, limit) if progress else None, desc="preparing", unit="act", disable=not progress
    ) as bar:
        missing = run.missing(islice(rows, limit), bar.update)
        with closing(in_order(partial(_prepared, plan), missing, jobs)) as results:
            for result in results:
                run.take(result)
                bar.update()
    if not run.acts:
        draft.discard()
        raise LexLatticeError(_nothing(run.skipped))
    draft.finish(run.parts)
    if run.skipped:
        note(f"{len(run.skipped)} of {run.acts + len(run.skipped)} rows were left out.")
    return Prepared.open(draft.folder)


class _Part(NamedTuple):
    """Rows that are written together."""

    number: int
    rows: list[_Found]
    source: str
    """A digest of the rows."""


class _Run:
    """Keeps apart what is written already and what is to be done, and puts together what comes out."""

    def __init__(self, draft: Draft, note: Note, strict: bool) -> None:
        self._draft = draft
        self._note = note
        self._strict = strict
        self._waiting: deque[_Part] = deque()
        self._results: list[Packed | BadRow] = []
        self.parts = 0
        self.acts = 0
        self.skipped: list[Mapping[str, Any]] = []

    def missing(self, rows: Iterator[_Found], pass_over: Callable[[int], object]) -> Iterator[Row | BadRow]:
        """The rows that are not written yet."""
        while part := list(islice(rows, SHARD)):
            for data, row in part:
                if isinstance(row, BadRow) and row.is_end:
                    raise LexLatticeError(f"{_place(_described(data, row))}: {row.reason}")
            number, source = self.parts, sha256(b"".join(map(_as_bytes, part)))
            self.parts += 1
            if index := self._draft.done(number, source):
                self._count(len(index["rows"]), index["skipped"])
                pass_over(len(part))
            else:
                self._waiting.append(_Part(number, part, source))
                yield from (row for _, row in part)

    def take(self, result: Packed | BadRow) -> None:
        """What came of the next of these rows."""
        part = self._waiting[0]
        if self._strict and isinstance(result, BadRow):
            self._count(0, [_described(part.rows[len(self._results)].data, result)])
        self._results.append(result)
        if len(self._results) == len(part.rows):
            rows = [result for result in self._results if isinstance(result, Packed)]
            skipped = [
                _described(data, result)
                for (data, _), result in zip(part.rows, self._results, strict=True)
                if isinstance(result, BadRow)
            ]
            self._draft.write(part.number, part.source, rows, skipped)
            self._count(len(rows), skipped)
            self._results.clear()
            self._waiting.popleft()

    def _count(self, acts: int, skipped: Sequence[Mapping[str, Any]]) -> None:
        self.acts += acts
        for row in skipped:
            sentence = f"{_place(row)}: {row['reason']}"
            if self._strict:
                raise LexLatticeError(f"{sentence} Put the row right, or let rows be left out.")
            self.skipped.append(row)
            if len(self.skipped) <= _NOTES:
                self._note(f"left out, {sentence}")
            elif len(self.skipped) == _NOTES + 1:
                self._note("more rows are left out; the manifest will name them all.")


def _prepared(plan: Plan, row: Row | BadRow) -> Packed | BadRow:
    """One row; in another process, if there are several."""
    if isinstance(row, BadRow):
        return row
    act = act_of(row, plan.profile, plan.language)
    if isinstance(act, BadRow):
        return act
    vectors = encoding.vectors_of_units(plan.loaded, [unit.text for unit in act.units])
    words = len(row.summary.split())
    if plan.gold is None:
        order = plan.oracle.choose(act.units, row.summary, words).order
        return pack(Example(row.line, row.celex, act, vectors, order, row.summary, words), row.text)
    gold = plan.annotations.get(row.celex)
    silver = align(act, row.summary, plan.loaded)
    aligned = SilverTargets(silver.targets, silver.importance, silver.weights)
    marks = marks_of(act, row.text, gold if gold and gold.language == act.language else None, aligned)
    order = order_of(act, marks)
    return pack(Example(row.line, row.celex, act, vectors, order, row.summary, words, marks), row.text)


def _check(profile: str, language: str | None, jobs: int, limit: int | None) -> None:
    if profile not in PROFILES:
        raise LexLatticeError(f"There is no profile '{profile}'; choose {' or '.join(PROFILES)}.")
    if language is not None and language.lower() not in LANGUAGES:
        raise LexLatticeError(f"'{language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")
    if jobs < 1 or (limit is not None and limit < 1):
        raise LexLatticeError("Jobs and limit are whole numbers from 1.")


def _total(sources: Sequence[Rows], limit: int | None) -> int | None:
    counts = [source.count() for source in sources]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return limit
    return sum(known) if limit is None else min(limit, sum(known))


def _name_of(source: Source) -> str:
    return Path(source).name if isinstance(source, str | os.PathLike) else "data"


def _as_bytes(found: _Found) -> bytes:
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
    return f"None of the {len(skipped)} rows can be used; {first} If its fields have other names, say so with --fields."
