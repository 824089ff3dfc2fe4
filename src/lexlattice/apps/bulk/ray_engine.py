"""A bulk run on Ray Data: records are read in one task, processed by actors, and come back in order."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import pyarrow
import ray
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from lexlattice._internal.processes import WorkerSlot
from lexlattice.apps.bulk.engines import Limits, process
from lexlattice.apps.bulk.records import Outcome, Record, WorkItem
from lexlattice.apps.bulk.tasks import Task, load_task
from lexlattice.errors import LexLatticeError, brief

_BLOCK_ROWS: Final = 8
_BLOCK_BYTES: Final = 16_000_000
"""A block is closed once it is larger than this, however few records it has."""
_TARGET_BYTES: Final = 200_000
"""Blocks below this size may be combined by Ray. It is small, or all acts would be sent to one actor."""
_READER_CPUS: Final = 0.5
"""CPUs of the reading task; different from those of the actors, or Ray would fuse the two operators."""
_FIELDS: Final = ("source", "content", "is_text", "address", "celex", "language", "summary", "fault")
_NOT_STARTED: Final = -1
"""Instead of a shard number: no worker could be started, for the reason given."""
_RAY_LOG: Final = logging.getLogger("ray.data")


def run_on_ray(
    task: Task, items: Iterable[WorkItem], limits: Limits, jobs: int, address: str | None
) -> Generator[Outcome, None, None]:
    """Yield the outcomes in the order of the items.

    Raises:
        LexLatticeError: Ray cannot be reached or failed, or workers cannot be started.

    """
    is_ours = not ray.is_initialized()
    if is_ours:
        _start(jobs, address)
    try:
        with _ordered_and_silent():
            # The inputs are on this machine, so the reading task has to run here.
            here = {"ray.io/node-id": ray.get_runtime_context().get_node_id()}
            data = ray.data.read_datasource(
                _WorkItems(items), override_num_blocks=1, num_cpus=_READER_CPUS, label_selector=here
            )
            processed = data.map_batches(
                _Actor,
                fn_constructor_args=(task, limits),
                batch_size=None,
                batch_format="pyarrow",
                concurrency=jobs,
                num_cpus=1,
            )
            for outcome in (Outcome(**row) for row in processed.iter_rows()):
                if outcome.shard == _NOT_STARTED:
                    raise LexLatticeError(outcome.reason)
                yield outcome
    except ray.exceptions.RayError as error:
        raise LexLatticeError(f"Ray failed ({brief(error)}); run the same command again to resume.") from error
    finally:
        if is_ours:
            ray.shutdown()


@contextmanager
def _ordered_and_silent() -> Iterator[None]:
    """Make Ray Data preserve the order and log nothing; the caller's settings are restored afterwards."""
    context, level = ray.data.DataContext.get_current(), _RAY_LOG.level
    before = (context.execution_options.preserve_order, context.enable_progress_bars, context.target_max_block_size)
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    context.target_max_block_size = _TARGET_BYTES
    _RAY_LOG.setLevel(logging.ERROR)
    try:
        yield
    finally:
        order, bars, size = before
        context.execution_options.preserve_order = order
        context.enable_progress_bars, context.target_max_block_size = bars, size
        _RAY_LOG.setLevel(level)


def _start(jobs: int, address: str | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        if address:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        else:
            # one CPU more, for the reading task
            ray.init(num_cpus=jobs + 1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise LexLatticeError(f"Ray cannot be reached ({brief(error)}); start it, or give another address.") from error


class _WorkItems(Datasource):
    """Work items as blocks of a few rows, read in one task on this machine: reading is a hundredth of the work."""

    def __init__(self, items: Iterable[WorkItem]) -> None:
        self._items = items

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(self, parallelism: int, *args: Any, **more: Any) -> list[ReadTask]:
        items = self._items  # the task must not hold a reference to this object
        metadata = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [ReadTask(lambda: _blocks(items), metadata)]


def _blocks(items: Iterable[WorkItem]) -> Iterator[pyarrow.Table]:
    rows: list[dict[str, Any]] = []
    size = 0
    for shard, record, skipped in items:
        rows.append({"shard": shard, "skipped": skipped, **{name: getattr(record, name) for name in _FIELDS}})
        size += record.size
        if len(rows) == _BLOCK_ROWS or size > _BLOCK_BYTES:
            yield pyarrow.Table.from_pylist(rows, _ITEM_SCHEMA)
            rows, size = [], 0
    if rows:
        yield pyarrow.Table.from_pylist(rows, _ITEM_SCHEMA)


class _Actor:
    """Has a worker process on some machine of the cluster."""

    def __init__(self, task: Task, limits: Limits) -> None:
        self._slot = WorkerSlot(partial(load_task, task), limits.seconds, limits.memory)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        outcomes = []
        for row in batch.to_pylist():
            shard, skipped = row.pop("shard"), row.pop("skipped")
            try:
                outcomes.append(process(self._slot, WorkItem(shard, Record(**row), skipped))._asdict())
            except LexLatticeError as error:  # passed on as an outcome, since Ray would wrap the exception
                outcomes.append(Outcome(_NOT_STARTED, "", "", reason=str(error))._asdict())
        return pyarrow.Table.from_pylist(outcomes, _OUTCOME_SCHEMA)


_ITEM_SCHEMA: Final = pyarrow.schema(
    [
        ("shard", pyarrow.int64()),
        ("skipped", pyarrow.int64()),
        ("source", pyarrow.string()),
        ("content", pyarrow.binary()),
        ("is_text", pyarrow.bool_()),
        *((name, pyarrow.string()) for name in ("address", "celex", "language", "summary", "fault")),
    ]
)
_OUTCOME_SCHEMA: Final = pyarrow.schema(
    [
        ("shard", pyarrow.int64()),
        *((name, pyarrow.string()) for name in ("source", "digest", "row", "reason")),
        *((name, pyarrow.int64()) for name in ("skipped", "restarts")),
    ]
)
