"""A run on Ray Data: entries are read in one task, worked on by actors, and come back in their order."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Final

import pyarrow
import ray
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from lexlattice.bulk.engines import Bench, Limits, Outcome, Placed
from lexlattice.bulk.entries import Entry
from lexlattice.bulk.tasks import Task
from lexlattice.errors import LexLatticeError, brief

_BLOCK: Final = 8
"""Acts that travel together."""
_BLOCK_BYTES: Final = 200_000
"""What Ray may put together of them: little, or all acts would travel to one actor."""
_READER: Final = 0.5
"""Processors of the task that reads; other than those of the actors, or Ray would make one task of both."""
_FIELDS: Final = ("source", "content", "is_text", "is_named", "celex", "language", "summary", "fault")


def outcomes(
    task: Task, entries: Iterable[Placed], limits: Limits, jobs: int, address: str | None
) -> Generator[Outcome, None, None]:
    """Outcomes in the order of the entries."""
    started = not ray.is_initialized()
    if started:
        _start(jobs, address)
    try:
        context = ray.data.DataContext.get_current()
        context.execution_options.preserve_order = True
        context.enable_progress_bars = False
        context.target_max_block_size = _BLOCK_BYTES
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        here = {"ray.io/node-id": ray.get_runtime_context().get_node_id()}  # where the inputs are
        data = ray.data.read_datasource(_Entries(entries), override_num_blocks=1, num_cpus=_READER, label_selector=here)
        worked = data.map_batches(
            _Actor,
            fn_constructor_args=(task, limits),
            batch_size=None,
            batch_format="pyarrow",
            concurrency=jobs,
            num_cpus=1,
        )
        for row in worked.iter_rows():
            yield Outcome(**row)
    except ray.exceptions.RayError as error:
        raise LexLatticeError(f"Ray gave up ({brief(error)}); run the same command again to go on.") from error
    finally:
        if started:
            ray.shutdown()


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
    for shard, entry, passed in entries:
        rows.append({"shard": shard, "passed": passed, **{name: getattr(entry, name) for name in _FIELDS}})
        if len(rows) == _BLOCK:
            yield pyarrow.Table.from_pylist(rows, _SCHEMA)
            rows = []
    if rows:
        yield pyarrow.Table.from_pylist(rows, _SCHEMA)


_SCHEMA: Final = pyarrow.schema(
    [
        ("shard", pyarrow.int64()),
        ("passed", pyarrow.int64()),
        ("source", pyarrow.string()),
        ("content", pyarrow.binary()),
        ("is_text", pyarrow.bool_()),
        ("is_named", pyarrow.bool_()),
        *((name, pyarrow.string()) for name in ("celex", "language", "summary", "fault")),
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
            done.append(self._bench.do(Placed(shard, Entry(**row), passed))._asdict())
        return pyarrow.Table.from_pylist(done, _DONE)


_DONE: Final = pyarrow.schema(
    [
        ("shard", pyarrow.int64()),
        *((name, pyarrow.string()) for name in ("source", "digest", "row", "reason")),
        ("passed", pyarrow.int64()),
    ]
)
