"""A run on Ray Data: entries are read in one task, worked on by actors, and come back in their order."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pyarrow
import ray
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from lexlattice.apps.bulk.engines import Bench, Limits
from lexlattice.apps.bulk.entry import Entry, Outcome, Placed
from lexlattice.apps.bulk.tasks import Task
from lexlattice.errors import LexLatticeError, brief

_BLOCK: Final = 8
"""Acts that travel together."""
_HELD: Final = 16_000_000
"""Bytes from which on a block has no further act."""
_BLOCK_BYTES: Final = 200_000
"""What Ray may put together of them: little, or all acts would travel to one actor."""
_READER: Final = 0.5
"""Processors of the task that reads; other than those of the actors, or Ray would make one task of both."""
_FIELDS: Final = ("source", "content", "is_text", "address", "celex", "language", "summary", "fault")
_REFUSED: Final = -1
"""In place of a shard: no act can be worked on, for the reason given."""
_QUIET: Final = logging.getLogger("ray.data")


def outcomes(
    task: Task, entries: Iterable[Placed], limits: Limits, jobs: int, address: str | None
) -> Generator[Outcome, None, None]:
    """Outcomes in the order of the entries."""
    started = not ray.is_initialized()
    if started:
        _start(jobs, address)
    try:
        with _in_order():
            here = {"ray.io/node-id": ray.get_runtime_context().get_node_id()}  # where the inputs are
            data = ray.data.read_datasource(
                _Entries(entries), override_num_blocks=1, num_cpus=_READER, label_selector=here
            )
            worked = data.map_batches(
                _Actor,
                fn_constructor_args=(task, limits),
                batch_size=None,
                batch_format="pyarrow",
                concurrency=jobs,
                num_cpus=1,
            )
            for outcome in (Outcome(**row) for row in worked.iter_rows()):
                if outcome.shard == _REFUSED:
                    raise LexLatticeError(outcome.reason)
                yield outcome
    except ray.exceptions.RayError as error:
        raise LexLatticeError(f"Ray gave up ({brief(error)}); run the same command again to go on.") from error
    finally:
        if started:
            ray.shutdown()


@contextmanager
def _in_order() -> Iterator[None]:
    """Have Ray Data keep the order, and be quiet; what the caller had set is as it was afterwards."""
    context, level = ray.data.DataContext.get_current(), _QUIET.level
    before = (context.execution_options.preserve_order, context.enable_progress_bars, context.target_max_block_size)
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    context.target_max_block_size = _BLOCK_BYTES
    _QUIET.setLevel(logging.ERROR)
    try:
        yield
    finally:
        order, bars, size = before
        context.execution_options.preserve_order = order
        context.enable_progress_bars, context.target_max_block_size = bars, size
        _QUIET.setLevel(level)


def _start(jobs: int, address: str | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        if address:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        else:
            # one processor more for the task that reads
            ray.init(num_cpus=jobs + 1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise LexLatticeError(f"Ray cannot be reached ({brief(error)}); start it, or name another address.") from error


class _Entries(Datasource):
    """The entries as blocks of a few rows, in one task on this machine: reading is a hundredth of the work."""

    def __init__(self, entries: Iterable[Placed]) -> None:
        self._entries = entries

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(self, parallelism: int, *args: Any, **more: Any) -> list[ReadTask]:
        entries = self._entries
        about = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [ReadTask(lambda: _blocks(entries), about)]


def _blocks(entries: Iterable[Placed]) -> Iterator[pyarrow.Table]:
    rows: list[dict[str, Any]] = []
    size = 0
    for shard, entry, passed in entries:
        rows.append({"shard": shard, "passed": passed, **{name: getattr(entry, name) for name in _FIELDS}})
        size += entry.size
        if len(rows) == _BLOCK or size > _HELD:
            yield pyarrow.Table.from_pylist(rows, _SCHEMA)
            rows, size = [], 0
    if rows:
        yield pyarrow.Table.from_pylist(rows, _SCHEMA)


_SCHEMA: Final = pyarrow.schema(
    [
        ("shard", pyarrow.int64()),
        ("passed", pyarrow.int64()),
        ("source", pyarrow.string()),
        ("content", pyarrow.binary()),
        ("is_text", pyarrow.bool_()),
        *((name, pyarrow.string()) for name in ("address", "celex", "language", "summary", "fault")),
    ]
)


class _Actor:
    """A place of work on some machine of the cluster."""

    def __init__(self, task: Task, limits: Limits) -> None:
        self._bench = Bench(task, limits)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        done = []
        for row in batch.to_pylist():
            shard, passed = row.pop("shard"), row.pop("passed")
            try:
                done.append(self._bench.do(Placed(shard, Entry(**row), passed))._asdict())
            except LexLatticeError as error:  # the process cannot begin: said here, since Ray would wrap it up
                done.append(Outcome(_REFUSED, "", "", reason=str(error))._asdict())
        return pyarrow.Table.from_pylist(done, _DONE)


_DONE: Final = pyarrow.schema(
    [
        ("shard", pyarrow.int64()),
        *((name, pyarrow.string()) for name in ("source", "digest", "row", "reason")),
        *((name, pyarrow.int64()) for name in ("passed", "restarts")),
    ]
)
