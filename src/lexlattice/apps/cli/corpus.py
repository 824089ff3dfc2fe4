"""`lexlattice corpus`: the same work on whole corpora, which goes on where it stopped."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.rows import parse_fields

if TYPE_CHECKING:
    from lexlattice.apps.bulk.evaluate import Evaluate
    from lexlattice.apps.bulk.run import Log, Subset
    from lexlattice.apps.bulk.tasks import Task

_WORK: Final = {
    "summarize": "the provisions of every act that matter",
    "score": "how likely each unit of every act belongs into a summary",
    "encode": "a vector for each unit of every act",
    "evaluate": "systems against the summaries that rows have",
}
_SHOWN: Final = 5
_MEGABYTE: Final = 1_000_000
SOME_FAILED: Final = 1


def add(commands: Commands) -> None:
    """Declare the command."""
    corpus = commands.add_parser(
        "corpus",
        help="the same work on any number of acts, which goes on where it stopped",
        description="Do the same with every act of a corpus. What was ended goes on where it was, by the same command.",
    )
    kinds = corpus.add_subparsers(metavar="|".join(_WORK), required=True)
    for name, what in _WORK.items():
        command = kinds.add_parser(name, help=what, description=f"For whole corpora: {what}.")
        command.set_defaults(run=_corpus, work=name)
        _add_common(command)
        if name in ("summarize", "evaluate"):
            default = "reference" if name == "evaluate" else "auto"
            command.add_argument(
                "--budget",
                default=default,
                metavar="BUDGET",
                help="words:N, ratio:R, short, auto or long (%(default)s)",
            )
        if name in ("summarize", "score"):
            command.add_argument("--model", metavar="PATH", help="a model that `lexlattice train` made, or coverage")
        if name == "summarize":
            command.add_argument(
                "--focus", choices=("all", "articles", "with-tables"), default="all", help="(default: %(default)s)"
            )
        if name in ("encode", "evaluate"):
            command.add_argument("--encoder", metavar="NAME", help="static, mt5, st:…, onnx:… or package.module:name")
            command.add_argument("--cache", metavar="FOLDER", help="keep vectors there, and take those that are there")
        if name == "evaluate":
            command.add_argument("--system", metavar="NAME,…", default="lexlattice,lead,random,lexrank")
            command.add_argument("--profile", choices=("provisions", "paper"), default="provisions")
            command.add_argument(
                "--gold", metavar="FILE", help="annotations: points, precision and F1 as well as ROUGE"
            )


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="+",
        help="folders, patterns ('acts/**/*.html'), files, JSON Lines or Parquet with a field 'reference', tar or zip "
        "archives of acts, hf:NAME:CONFIG:SPLIT, CELEX numbers, or a file with CELEX numbers, one a line",
    )
    command.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where shards and manifest go")
    command.add_argument("--format", choices=("jsonl", "parquet"), default="jsonl", help="(default: %(default)s)")
    command.add_argument("--lang", metavar="xx", help="language of all acts, if it is not to be found out")
    command.add_argument("--fields", metavar="OURS=THEIRS,…", help="what rows call the fields: reference=text")
    command.add_argument("--split", metavar="NAME", default="validation", help="of a data set with several")
    command.add_argument("--limit", type=int, metavar="N", help="only the first N acts")
    command.add_argument("--sample", type=float, metavar="SHARE", help="a share of the acts, always the same ones")
    command.add_argument("--shard", type=int, metavar="N", default=256, help="acts of a shard (default: %(default)s)")
    command.add_argument(
        "-j", "--jobs", type=int, metavar="N", default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    command.add_argument("--engine", choices=("local", "ray"), default="local", help="(default: %(default)s)")
    command.add_argument(
        "--address", metavar="HOST:PORT", help="of a Ray cluster that runs; 'auto' finds this machine's"
    )
    command.add_argument("--timeout", type=float, metavar="SECONDS", default=300, help="for one act (%(default)s)")
    command.add_argument("--memory", type=int, metavar="MB", default=2000, help="of each process (%(default)s)")
    command.add_argument("--retry", action="store_true", help="try those again that failed in an earlier run")
    command.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    command.add_argument("--log", metavar="FILE", help="what happens, one JSON object a line; - for standard error")
    command.add_argument("--quiet", action="store_true", help="no progress bar")


def _corpus(options: argparse.Namespace) -> int:
    from lexlattice.apps.bulk.engines import Engine, Limits, LocalEngine, RayEngine
    from lexlattice.apps.bulk.inputs import Inputs
    from lexlattice.apps.bulk.run import Subset, run

    limits = Limits(options.timeout, options.memory * _MEGABYTE)
    fields = parse_fields(options.fields) if options.fields else {}
    choice = Subset(Inputs(tuple(options.inputs), fields, options.split), options.limit, options.sample)
    choice.inputs.check()
    task = _task(options)
    if options.dry_run:
        return _tell(choice, task, options)
    engine: Engine = RayEngine(options.jobs, options.address) if options.engine == "ray" else LocalEngine(options.jobs)
    shows = not options.quiet and sys.stderr is not None
    with _logged(options.log) as log, _bar(choice, options.work, shows) as advance:
        manifest = run(
            task,
            choice,
            options.output,
            engine,
            limits,
            format=options.format,
            size=options.shard,
            retry=options.retry,
            log=log,
            advance=advance,
        )
    if options.work == "evaluate":
        _report(task, options)
    failed = f"; {manifest['dead']:,} could not be done, see dead-letters.jsonl" if manifest["dead"] else ""
    say(f"{manifest['rows']:,} acts done{failed}: {options.output}")
    return SOME_FAILED if manifest["dead"] else 0


def _task(options: argparse.Namespace) -> Task:
    from lexlattice.apps.bulk.evaluate import Evaluate
    from lexlattice.apps.bulk.tasks import Encode, Score, Summarize

    language = options.lang.lower() if options.lang else None
    if options.work == "summarize":
        return Summarize(language, options.model, options.budget, options.focus)
    if options.work == "score":
        return Score(language, options.model)
    if options.work == "encode":
        return Encode(language, options.encoder or "static", options.cache)
    systems = tuple(name for part in options.system.split(",") if (name := part.strip()))
    return Evaluate(language, systems, options.budget, options.profile, options.encoder, options.cache, options.gold)


def _tell(choice: Subset, task: Task, options: argparse.Namespace) -> int:
    """What would be done, from the inputs alone."""
    from lexlattice.apps.bulk.records import encodable

    count = choice.count()
    target = encodable(options.output)
    print(f"{task.name} {'an unknown number of' if count is None else f'{count:,}'} acts → {target}")
    for entry in islice(choice, _SHOWN):
        size = "to be fetched" if entry.address else entry.fault or f"{len(entry.content):,} bytes"
        print(f"  {entry.source} ({size})")
    if count is None or count > _SHOWN:
        print("  …")
    return 0


def _report(task: Task, options: argparse.Namespace) -> None:
    """The means over all acts, with intervals and tests."""
    from lexlattice.apps.bulk.evaluate import Figures
    from lexlattice.apps.bulk.output import Format, Output
    from lexlattice.evaluation.report import report
    from lexlattice.evaluation.run import aggregate

    evaluation: Evaluate = task  # type: ignore[assignment]
    output = Output(Path(options.output), Format(options.format, task.columns), {})
    if acts := Figures(output.rows()):
        print(report(aggregate(acts, [], evaluation.plan)))


@contextmanager
def _bar(choice: Subset, what: str, shows: bool) -> Iterator[Any]:
    """How far it is, at which rate, and how long it will take."""
    from tqdm import tqdm

    total = choice.count() if shows else None
    with tqdm(total=total, desc=what, unit="act", disable=not shows, dynamic_ncols=True, smoothing=0.05) as bar:
        yield bar.update


@contextmanager
def _logged(name: str | None) -> Iterator[Log]:
    """A log of events, added to what an earlier run wrote."""
    if name is None:
        yield lambda event, **facts: None
        return
    from tqdm import tqdm

    start = time.monotonic()

    def log(event: str, **facts: Any) -> None:
        now = {"time": datetime.now(UTC).isoformat(timespec="seconds"), "after": round(time.monotonic() - start, 3)}
        line = json.dumps({**now, "event": event, **facts}, ensure_ascii=False)
        if name == "-":
            tqdm.write(line, file=sys.stderr)  # which keeps it apart from the bar
        else:
            print(line, file=file, flush=True)

    with ExitStack() as stack:
        if name != "-":
            try:
                file = stack.enter_context(Path(name).open("a", encoding="utf-8", errors="backslashreplace"))
            except OSError as error:
                reason = error.strerror or error
                raise LexLatticeError(f"'{name}' cannot be written ({reason}); name another log.") from error
        yield log
