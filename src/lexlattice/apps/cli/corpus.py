"""`lexlattice corpus`: summarize, score, encode or evaluate a whole corpus, resumably and in parallel."""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from lexlattice._internal.files import writing
from lexlattice._internal.progress import Progress, reports_interruption
from lexlattice.apps.cli.common import (
    ENCODERS,
    SOME_FAILED,
    Commands,
    add_fields,
    add_jobs,
    add_language,
    add_length,
    add_quiet,
    budget_of,
    fields_of,
    info,
    shows_progress,
)
from lexlattice.errors import OptionError
from lexlattice.reading import PROFILES
from lexlattice.reading.pace import RATE

if TYPE_CHECKING:
    from lexlattice.apps.bulk.evaluate import Evaluate
    from lexlattice.apps.bulk.run import Log, Subset
    from lexlattice.apps.bulk.tasks import Task

_TASKS: Final = {
    "summarize": "summarize acts",
    "score": "score units by the probability that they belong in a summary",
    "encode": "encode units into vectors",
    "evaluate": "compare systems on acts with reference summaries",
}
_SHOWN: Final = 5
"""Acts that a dry run lists."""
_MEGABYTE: Final = 1_000_000


def add(commands: Commands) -> None:
    """Declare the command."""
    corpus = commands.add_parser(
        "corpus",
        help="summarize, score, encode or evaluate a whole corpus",
        description="Process every act of a corpus in parallel. Interrupted runs resume when the same command is "
        "started again, and finished ones are brought up to date: only new and changed acts are processed. Acts that "
        "fail go to a dead-letter file.",
    )
    tasks = corpus.add_subparsers(title="tasks", metavar="TASK", required=True)
    for name, description in _TASKS.items():
        command = tasks.add_parser(
            name, help=description, description=f"{description.capitalize()}, for a whole corpus."
        )
        command.set_defaults(run=_corpus, task=name)
        _add_common(command)
        if name in ("summarize", "evaluate"):
            add_length(command, reference=name == "evaluate")
        if name in ("summarize", "score"):
            command.add_argument("--model", metavar="PATH", help="a model of `lexlattice train`, or coverage")
        if name == "summarize":
            command.add_argument(
                "--focus",
                choices=("all", "articles", "with-tables"),
                default="all",
                help="articles: no recitals, annexes or footnotes; with-tables: include tables (default: %(default)s)",
            )
        if name in ("encode", "evaluate"):
            command.add_argument("--encoder", metavar="NAME", help=ENCODERS)
            command.add_argument("--cache", metavar="FOLDER", help="cache vectors in this folder, and reuse them")
        if name == "evaluate":
            command.add_argument(
                "--system",
                metavar="NAME,…",
                default="lexlattice,lead,random,lexrank",
                help="systems to compare, see `lexlattice evaluate --help` (default: %(default)s)",
            )
            command.add_argument(
                "--profile",
                choices=PROFILES,
                default="provisions",
                help="units to divide acts into (default: %(default)s)",
            )
            command.add_argument(
                "--gold", metavar="FILE", help="gold annotations: report points, precision and F1 as well as ROUGE"
            )


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="+",
        help="folders, patterns ('acts/**/*.html'), files, JSON Lines or Parquet with a field 'reference', tar or zip "
        "archives of acts, CELEX numbers, or a file with one CELEX number per line",
    )
    command.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="output folder for shards and manifest"
    )
    command.add_argument(
        "--format", choices=("jsonl", "parquet"), default="jsonl", help="output format (default: %(default)s)"
    )
    add_language(command)
    add_fields(command)
    command.add_argument(
        "--split", metavar="NAME", default="validation", help="split of a data set (default: %(default)s)"
    )
    command.add_argument("--limit", type=int, metavar="N", help="process the first N acts only")
    command.add_argument("--sample", type=float, metavar="R", help="process a reproducible sample of this share")
    command.add_argument(
        "--since",
        metavar="DAY",
        help="only acts dated on or after this day, such as 2024-01-31; acts without a known date are kept",
    )
    command.add_argument(
        "--shard-size", type=int, metavar="N", default=256, help="acts per shard (default: %(default)s)"
    )
    add_jobs(command)
    command.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="run in local processes or on a Ray cluster (default: %(default)s)",
    )
    command.add_argument(
        "--address", metavar="HOST:PORT", help="address of the Ray cluster, or auto for one on this machine"
    )
    command.add_argument(
        "--timeout", type=float, metavar="SECONDS", default=300, help="limit per act (default: %(default)s)"
    )
    command.add_argument(
        "--memory", type=int, metavar="MB", default=2000, help="memory limit per process (default: %(default)s)"
    )
    command.add_argument(
        "--rate",
        type=float,
        metavar="R",
        default=2.0,
        help="for CELEX numbers and URLs: requests per second over all processes of this machine "
        "(default: %(default)g)",
    )
    command.add_argument(
        "--retry", action="store_true", help="also process the acts again that failed in an earlier run"
    )
    command.add_argument("--dry-run", action="store_true", help="show what would be done, and exit")
    command.add_argument("--log", metavar="FILE", help="append events as JSON Lines; - for standard error")
    add_quiet(command)


def _corpus(options: argparse.Namespace) -> int:
    from lexlattice.apps.bulk.cost import fetch_cost
    from lexlattice.apps.bulk.engines import Engine, Limits, LocalEngine, RayEngine
    from lexlattice.apps.bulk.inputs import Inputs
    from lexlattice.apps.bulk.output import DEAD_LETTERS, REMOVED
    from lexlattice.apps.bulk.run import Subset, run

    limits = Limits(options.timeout, options.memory * _MEGABYTE)
    inputs = Inputs(tuple(options.inputs), fields_of(options) or {}, options.split)
    subset = Subset(inputs, options.limit, options.sample)
    inputs.check()  # before the engine starts, which takes seconds on Ray
    task = _task(options)
    if not 0 < options.rate < math.inf:
        raise OptionError(f"A rate of {options.rate:g} requests per second is not possible; give a number above 0.")
    cost = fetch_cost(inputs.addresses(), options.language)
    if cost.acts and (options.dry_run or not options.quiet):
        info(f"{cost.describe(options.rate)}.")
    if options.dry_run:
        return _dry_run(subset, task, options)
    engine: Engine = RayEngine(options.jobs, options.address) if options.engine == "ray" else LocalEngine(options.jobs)
    with _rate(options.rate), _progress(subset, options) as progress, _event_log(options.log, progress) as log:
        manifest = run(
            task,
            subset,
            options.output,
            engine,
            limits,
            format=options.format,
            size=options.shard_size,
            retry=options.retry,
            log=log,
            advance=progress.update,
        )
    if options.task == "evaluate":
        _report(task, options)
    parts = [
        f"{manifest['rows']:,} acts done",
        f"{manifest['dead']:,} failed (see __run__/{DEAD_LETTERS})" if manifest["dead"] else "",
        f"{manifest['early']:,} dated before {options.since}" if manifest["early"] else "",
        f"{manifest['removed']:,} no longer in the inputs (see __run__/{REMOVED})" if manifest["removed"] else "",
    ]
    info(f"{', '.join(filter(None, parts))}: {options.output}")
    return SOME_FAILED if manifest["dead"] else 0


@contextmanager
def _rate(rate: float) -> Iterator[None]:
    """Set the pace of requests for the processes that are started within the block."""
    before = os.environ.get(RATE)
    os.environ[RATE] = str(rate)
    try:
        yield
    finally:
        del os.environ[RATE]
        if before is not None:
            os.environ[RATE] = before


def _task(options: argparse.Namespace) -> Task:
    from lexlattice.apps.bulk.evaluate import Evaluate
    from lexlattice.apps.bulk.tasks import Encode, Score, Summarize

    if options.task == "summarize":
        return Summarize(options.language, options.model, budget_of(options), options.focus, since=options.since)
    if options.task == "score":
        return Score(options.language, options.model, since=options.since)
    if options.task == "encode":
        return Encode(options.language, options.encoder or "static", options.cache, since=options.since)
    systems = tuple(name for part in options.system.split(",") if (name := part.strip()))
    return Evaluate(
        options.language,
        systems,
        budget_of(options, "reference"),
        options.profile,
        options.encoder,
        options.cache,
        options.gold,
        since=options.since,
    )


def _dry_run(subset: Subset, task: Task, options: argparse.Namespace) -> int:
    """Print what a run would do: the number of acts and the first of them."""
    from lexlattice.apps.bulk.records import encodable

    count = subset.count()
    target = encodable(options.output)
    print(f"{task.name} {'an unknown number of' if count is None else f'{count:,}'} acts → {target}")
    for entry in islice(subset, _SHOWN):
        size = "to be fetched" if entry.address else entry.fault or f"{len(entry.content):,} bytes"
        print(f"  {entry.source} ({size})")
    if count is None or count > _SHOWN:
        print("  …")
    return 0


def _report(task: Task, options: argparse.Namespace) -> None:
    """Print the means over all acts, with confidence intervals and significance tests."""
    from lexlattice.apps.bulk.evaluate import Figures
    from lexlattice.apps.bulk.output import Format, Output
    from lexlattice.evaluation.report import report
    from lexlattice.evaluation.run import aggregate

    evaluation: Evaluate = task  # type: ignore[assignment]
    output = Output(Path(options.output), Format(options.format, task.columns), {})
    if acts := Figures(output.rows()):
        print(report(aggregate(acts, [], evaluation.plan)))


@contextmanager
def _progress(subset: Subset, options: argparse.Namespace) -> Iterator[Progress]:
    """Show the progress, and say what was done when the run is interrupted."""
    is_shown = shows_progress(options)
    total = subset.count() if is_shown else None
    progress = Progress(options.task, total, note=info, is_shown=is_shown)

    def state() -> str:
        return f"{progress.done:,} acts were done; run the same command again to resume."

    with reports_interruption(state), progress:
        yield progress


def _close(log: IO[str]) -> None:
    with suppress(OSError):  # what could not be written was reported when it was
        log.close()


@contextmanager
def _event_log(name: str | None, progress: Progress) -> Iterator[Log]:
    """Yield a function that appends an event to the log file, as JSON."""
    if name is None:
        yield lambda event, **facts: None
        return
    start = time.monotonic()

    def log(event: str, **facts: Any) -> None:
        now = {"time": datetime.now(UTC).isoformat(timespec="seconds"), "after": round(time.monotonic() - start, 3)}
        line = json.dumps({**now, "event": event, **facts}, ensure_ascii=False)
        if name == "-":
            progress.write(line)
        else:
            with writing(Path(name)):
                print(line, file=file, flush=True)

    with ExitStack() as stack:
        if name != "-":
            with writing(Path(name)):
                file = Path(name).open("a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 – by `_close`
            stack.callback(_close, file)
        yield log
