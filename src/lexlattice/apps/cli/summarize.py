"""`lexlattice summarize`: one act, several acts, or one act in several languages, in any output format."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice._internal.progress import Progress, reports_interruption
from lexlattice._internal.shards import RUN, is_shard_folder
from lexlattice.apps.bulk.output import DEAD_LETTERS
from lexlattice.apps.bulk.recognition import require_act
from lexlattice.apps.bulk.records import is_formex_folder, is_readable, walk
from lexlattice.apps.cli.common import (
    SOME_FAILED,
    Commands,
    add_hierarchy,
    add_language,
    add_length,
    add_quiet,
    budget_of,
    check_stdout,
    info,
    output_file,
    read_input,
    shows_progress,
)
from lexlattice.apps.cli.output_folder import (
    OutputFolder,
    Skipped,
    Source,
    described,
    identity,
    named,
    output_folder,
    targets,
)
from lexlattice.errors import LexLatticeError, MissingExtraError, OptionError, OutputError
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.selection import SummaryOptions

if TYPE_CHECKING:
    from lexlattice.act.document import Act
    from lexlattice.act.summary import Summary
    from lexlattice.summarizer import Summarizer

_SUFFIX: Final = {"text": ".txt", "md": ".md", "html": ".html", "json": ".json", "docx": ".docx", "pdf": ".pdf"}
_BINARY: Final = {"docx": "docx", "pdf": "typst"}
"""Binary formats, and the module that each needs."""


class Job(NamedTuple):
    """One input and its output file, or the path of it within the output folder; None is standard output."""

    source: str
    target: str | None
    is_found: bool = False
    """Whether the input was found in a folder, where not everything is an act."""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "summarize",
        help="extract the most important provisions of an act",
        description="Extract the most important provisions of an act verbatim, each with its citation.",
    )
    command.set_defaults(run=_summarize)
    command.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="+",
        help="a file, a folder of acts or of Formex files, - for standard input, a CELEX number such as 32016R0679, "
        "or a URL; several inputs give one summary each",
    )
    add_language(command)
    add_hierarchy(command)
    add_quiet(command)
    add_length(command)
    about = {option.name: option.metadata for option in fields(SummaryOptions)}
    content = command.add_argument_group("content")
    content.add_argument(
        "--focus",
        choices=about["focus"]["choices"],
        default="all",
        help=f"{about['focus']['help']} (default: %(default)s)",
    )
    content.add_argument("--group", action="store_true", help="group under the headings of official summaries")
    content.add_argument("--explain", action="store_true", help=about["explain"]["help"])
    output = command.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="PATH", help="output file, or a folder for several inputs (default: standard output)"
    )
    output.add_argument(
        "--format", choices=_SUFFIX, help="output format (default: from the suffix of the output file, else text)"
    )
    languages = command.add_argument_group("several languages")
    languages.add_argument(
        "--to", metavar="xx,…", help="the same provisions in these languages, too; INPUT must be a CELEX number"
    )
    languages.add_argument(
        "--versions",
        action="store_true",
        help="the inputs are one act in several languages: extract the same provisions from all of them",
    )
    languages.add_argument(
        "--base",
        metavar="xx",
        help="with --to or --versions: select on this language version (default: on all of them together)",
    )
    model = command.add_argument_group("model")
    model.add_argument("--model", metavar="PATH", help="a model of `lexlattice train`, or coverage (default: shipped)")
    model.add_argument("--encoder", metavar="NAME", help="another encoder, for a model that was trained with it")


def _summarize(options: argparse.Namespace) -> int:
    if options.to is not None or options.versions:
        return _several_languages(options)
    found = [_inputs(given) for given in options.inputs]
    # What is given twice is summarized once.
    sources = list({identity(source.name): source for inputs, _ in found for source in inputs}.values())
    skipped = [one for _, others in found for one in others]
    is_many = [source.name for source in sources] != options.inputs or len(sources) > 1
    format = _format(options, is_many=is_many)
    if format in _BINARY and find_spec(_BINARY[format]) is None:
        raise MissingExtraError(f"Writing {format.upper()}", format)  # before the first act is read
    if options.output is not None and any(_holds(options.output, source) for source in sources):
        raise OutputError(f"'{options.output}' holds acts that are to be summarized; choose another folder.")
    with _folder(options.output, format, is_many=is_many) as folder:
        names: Sequence[str | None] = targets(sources, _SUFFIX[format]) if folder else [options.output] * len(sources)
        jobs = [Job(source.name, name, source.is_found) for source, name in zip(sources, names, strict=True)]
        summarizer = _summarizer(options)
        if folder is not None:
            folder.plan((job.source, job.target) for job in jobs if job.target is not None)
        # One act fails with its own message; of several, each failure is reported and the others go on.
        if is_many:
            return _many(jobs, skipped, folder, options, format, summarizer)
        _one(jobs[0], folder, options, format, summarizer)
        if folder is not None:
            folder.close()
    return 0


def _one(
    job: Job,
    folder: OutputFolder | None,
    options: argparse.Namespace,
    format: str,
    summarizer: Summarizer,
    *,
    is_line: bool = False,
) -> None:
    """Read, summarize and write one act; the output is opened first, so that it fails before the work starts."""
    target = None if job.target is None else str(folder.claim(job.source, job.target) if folder else job.target)
    with _output(Job(job.source, target)) as write:
        act = read_input(job.source, language=options.language, hierarchy=options.hierarchy)
        if job.is_found:
            require_act(act)
        summary = summarizer.summarize(act, _summary_options(options))
        write(_rendered(summary, format, group=options.group, is_line=is_line))
    if folder is not None and job.target is not None:
        folder.done(job.source, job.target)


def _rendered(summary: Summary, format: str, *, group: bool, is_line: bool) -> bytes:
    """Render a summary; several as JSON on standard output are JSON Lines."""
    from lexlattice.rendering import render_file

    if is_line and format == "json":
        return json.dumps(summary.to_dict(group=group), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    return render_file(summary, format, group=group)


def _summary_options(options: argparse.Namespace) -> SummaryOptions:
    length = {"words": None, "ratio": None, "budget": budget_of(options)}
    return SummaryOptions.from_mapping({**vars(options), **length})


def _many(
    jobs: Sequence[Job],
    skipped: Sequence[Skipped],
    folder: OutputFolder | None,
    options: argparse.Namespace,
    format: str,
    summarizer: Summarizer,
) -> int:
    """Summarize one act after the other; a failure is reported, and the rest is still done."""
    done = failed = 0

    def state() -> str:
        where = f": {options.output}" if options.output else ""
        dead = f" (see {RUN}/{DEAD_LETTERS})" if folder is not None else ""
        parts = [
            f"{done:,} of {len(jobs):,} acts summarized{where}",
            f"{failed:,} failed{dead}" if failed else "",
            described(skipped),
        ]
        return f"{'; '.join(filter(None, parts))}."

    progress = Progress("summarizing", len(jobs), note=info, is_shown=shows_progress(options))
    try:
        with reports_interruption(state), progress:
            for job in jobs:
                try:
                    _one(job, folder, options, format, summarizer, is_line=folder is None)
                    done += 1
                except LexLatticeError as error:
                    failed += 1
                    progress.write(str(LexLatticeError(f"lexlattice: {job.source}: {error}")))
                    if folder is not None:
                        folder.failed(job.source, str(error))
                progress.update()
    finally:
        if folder is not None:
            folder.close(skipped)
    info(state())
    return (SOME_FAILED if done else 2) if failed else 0


def _several_languages(options: argparse.Namespace) -> int:
    """Summarize one act in several languages by the same provisions."""
    if options.hierarchy is not None:
        raise OptionError("--hierarchy is for documents in one language; omit it, or omit --to and --versions.")
    from lexlattice.multilingual.versions import summarize_acts

    format = _format(options, is_many=True)
    with _folder(options.output, format, is_many=True) as folder:
        acts, summarizer = _versions(options), _summarizer(options)
        summaries = summarize_acts(acts, summarizer, SummaryOptions.from_mapping(vars(options)), base=options.base)
        name = next((act.celex for act in acts if act.celex), "act")
        files = {language: f"{name}.{language}{_SUFFIX[format]}" for language in summaries}
        if folder is not None:
            folder.plan((f"{name}.{language}", file) for language, file in files.items())
        for language, summary in summaries.items():
            version, file = f"{name}.{language}", files[language]
            with _output(Job(name, None if folder is None else str(folder.claim(version, file)))) as write:
                write(_rendered(summary, format, group=options.group, is_line=folder is None))
            if folder is not None:
                folder.done(version, file)
        if folder is not None:
            folder.close()
    return 0


def _versions(options: argparse.Namespace) -> list[Act]:
    if options.to is None:
        if len(options.inputs) < 2:
            raise OptionError("--versions needs the act in at least two languages; pass two or more inputs.")
        return [read_input(source, language=options.language) for source in options.inputs]
    languages = [language.strip().lower() for language in options.to.split(",") if language.strip()]
    if len(options.inputs) != 1 or not is_celex(options.inputs[0]):
        raise OptionError("--to needs one CELEX number, such as 32016R0679; for files, use --versions.")
    # A dictionary instead of a set keeps the order of the languages.
    wanted = dict.fromkeys([options.language or "en", *languages])
    return [read_input(options.inputs[0], language=language) for language in wanted]


def _summarizer(options: argparse.Namespace) -> Summarizer:
    if options.model is not None:
        from lexlattice.research import load

        return load(options.model, options.encoder)
    from lexlattice.summarizer import Summarizer

    return Summarizer.from_pretrained(None, options.encoder)


def _inputs(given: str) -> tuple[list[Source], list[Skipped]]:
    """Return the input itself, or the acts in a folder, and what is skipped; a folder of Formex files is one act."""
    path = Path(given)
    if given in ("", "-") or is_url(given) or not path.is_dir() or is_formex_folder(path):
        if not given:
            raise OptionError("INPUT is empty; pass a file, a CELEX number or a URL.")
        return [named(given)], []
    sources, skipped = [], []
    for found in walk(path, is_readable, lambda folder: is_formex_folder(folder) or is_shard_folder(folder)):
        if found.path.is_dir() and not found.fault and not found.skipped and is_shard_folder(found.path):
            skipped.append(Skipped(str(found.path), "output of an earlier run"))
        elif found.skipped or found.fault:
            skipped.append(Skipped(str(found.path), found.skipped or found.fault.rstrip(".").lower()))
        else:
            sources.append(Source(str(found.path), found.path.relative_to(path).as_posix(), is_found=True))
    if not sources:
        reasons = described(skipped)
        raise OptionError(f"The folder '{given}' contains no acts{f', {reasons}' if reasons else ''}; pass another.")
    return sources, skipped


def _holds(output: str, source: Source) -> bool:
    """Whether an act that was found in a folder is in the output folder: later runs would pass over it."""
    return source.is_found and Path(output).resolve() in Path(source.name).resolve().parents


def _format(options: argparse.Namespace, *, is_many: bool) -> str:
    if options.format:
        return str(options.format)
    if options.output and not is_many and not _is_folder(options.output):
        from lexlattice.rendering import format_of

        return format_of(options.output)
    return "text"


def _is_folder(name: str) -> bool:
    return name.endswith(("/", os.sep)) or Path(name).is_dir()


@contextmanager
def _folder(output: str | None, format: str, *, is_many: bool) -> Iterator[OutputFolder | None]:
    """Open the output folder; None if the output is a file or standard output."""
    if output is not None and (_is_folder(output) or is_many):
        if not _is_folder(output) and Path(output).suffix in _SUFFIX.values():
            raise OutputError(f"Several summaries need an output folder, but '{output}' is a file name; pass a folder.")
        with output_folder(output) as folder:
            yield folder
        return
    if output is None and format in _BINARY:
        if is_many:
            raise OutputError(f"Several summaries in {format} need an output folder; pass one with -o.")
        if sys.stdout is not None and sys.stdout.isatty():
            raise OutputError(f"A {format} file cannot be shown on a terminal; pass a file with -o.")
    yield None


@contextmanager
def _output(job: Job) -> Iterator[Callable[[bytes], object]]:
    """Yield the function that writes a summary to its output."""
    if job.target is not None:
        with output_file(job.target, job.source) as file:
            yield file.write
    else:
        check_stdout()
        sys.stdout.flush()  # what was printed as text must come before the bytes
        yield sys.stdout.buffer.write
