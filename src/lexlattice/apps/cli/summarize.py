"""`lexlattice summarize`: the provisions that matter, in any format; of several acts, or in several languages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice.apps.bulk.records import acts_in, is_formex_folder
from lexlattice.apps.cli.shell import Commands, output, say
from lexlattice.errors import LexLatticeError, MissingExtraError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.selection import SummaryOptions

if TYPE_CHECKING:
    from lexlattice.act.document import Act
    from lexlattice.summarizer import Summarizer

_SUFFIX: Final = {"text": ".txt", "md": ".md", "html": ".html", "json": ".json", "docx": ".docx", "pdf": ".pdf"}
_BINARY: Final = {"docx": "docx", "pdf": "typst"}
"""Formats that are no text, and the module that each needs."""
SOME_FAILED: Final = 1


class Job(NamedTuple):
    """One input, and where its summary goes; nowhere means standard output."""

    source: str
    target: str | None


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "summarize",
        help="the provisions of an act that matter, word for word",
        description="The provisions of an act that matter, word for word, each with its citation and its place.",
    )
    command.set_defaults(run=_summarize)
    command.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="+",
        help="a file, a folder of acts or of Formex files, - for standard input, a CELEX number such as 32016R0679, "
        "or a URL; several give one summary each",
    )
    length = command.add_mutually_exclusive_group()
    about = {option.name: option.metadata for option in fields(SummaryOptions)}
    length.add_argument("--words", type=int, metavar="N", help=about["words"]["help"])
    length.add_argument("--ratio", type=float, metavar="R", help=about["ratio"]["help"])
    for name, what in (
        ("short", "a third of what official summaries have"),
        ("medium", "as many words as official summaries have (the default)"),
        ("long", "twice as many"),
    ):
        length.add_argument(f"--{name}", dest="budget", action="store_const", const=name, help=what)
    command.add_argument(
        "--lang", dest="language", metavar="xx", help=f"{about['language']['help']}: {' '.join(LANGUAGES)}"
    )
    command.add_argument(
        "--format", choices=_SUFFIX, help="how it comes (default: what the name of the output ends with, or text)"
    )
    command.add_argument("-o", "--output", metavar="FILE|DIR", help="where it goes; a folder for several inputs")
    command.add_argument(
        "--focus",
        choices=about["focus"]["choices"],
        default="all",
        help=f"{about['focus']['help']} (default: %(default)s)",
    )
    command.add_argument("--group", action="store_true", help="under the headings of official summaries")
    command.add_argument("--explain", action="store_true", help=about["explain"]["help"])
    command.add_argument("--to", metavar="xx,…", help="the same provisions in these languages too, of a CELEX number")
    command.add_argument(
        "--versions",
        action="store_true",
        help="the inputs are one act in several languages: the same provisions of all",
    )
    command.add_argument(
        "--base", metavar="xx", help="with --to or --versions: choose on this version (default: on all of them)"
    )
    command.add_argument("--encoder", metavar="NAME", help="another encoder, for a model that was trained with it")
    command.add_argument(
        "--model", metavar="PATH", help="instead of the shipped model one that `lexlattice train` made, or coverage"
    )
    command.add_argument("--quiet", action="store_true", help="no progress bar")


def _summarize(options: argparse.Namespace) -> int:
    if options.words is not None and options.words < 1:
        raise LexLatticeError(f"{options.words} words make no summary; ask for one word at least.")
    if options.to is not None or options.versions:
        return _several_languages(options)
    sources = [source for given in options.inputs for source in _inputs(given)]
    is_many = sources != options.inputs or len(sources) > 1
    format = _format(options, is_many=is_many)
    if format in _BINARY and find_spec(_BINARY[format]) is None:
        raise MissingExtraError(f"Writing {format.upper()}", format)  # once, and before the first act is read
    jobs = _jobs(sources, options.output, format, is_many=is_many)
    summarizer = _summarizer(options)
    if not is_many:
        _one(jobs[0], options, format, summarizer)
        return 0
    return _many(jobs, options, format, summarizer)


def _one(job: Job, options: argparse.Namespace, format: str, summarizer: Summarizer) -> None:
    """Read, summarise and write one act; an output that cannot be written is known before the work begins."""
    from lexlattice.rendering import render_file

    with _output(job) as write:
        summary = summarizer.summarize(_read(job.source, options), SummaryOptions.from_mapping(vars(options)))
        write(render_file(summary, format, group=options.group))


def _many(jobs: Sequence[Job], options: argparse.Namespace, format: str, summarizer: Summarizer) -> int:
    """One after the other; what cannot be done is said, and the rest is done."""
    from tqdm import tqdm

    failed = 0
    for job in tqdm(jobs, desc="summarizing", unit="act", disable=options.quiet or sys.stderr is None):
        try:
            _one(job, options, format, summarizer)
        except LexLatticeError as error:
            failed += 1
            tqdm.write(f"lexlattice: {job.source}: {error}", file=sys.stderr)
    done = len(jobs) - failed
    where = f": {options.output}" if options.output else ""
    say(f"{done:,} of {len(jobs):,} acts summarized{where}" + (f"; {failed:,} could not be." if failed else "."))
    return (SOME_FAILED if done else 2) if failed else 0


def _several_languages(options: argparse.Namespace) -> int:
    """One act in several languages: what is chosen is chosen once."""
    from lexlattice.multilingual.versions import summarize_versions
    from lexlattice.rendering import render_file

    format = _format(options, is_many=True)
    if format in _BINARY and not options.output:
        raise LexLatticeError(f"Several summaries in {format} need a folder; name one with -o.")
    acts, summarizer = _versions(options), _summarizer(options)
    if options.output:
        _make_folder(options.output)
    summaries = summarize_versions(acts, summarizer, SummaryOptions.from_mapping(vars(options)), base=options.base)
    name = next((act.celex for act in acts if act.celex), "act")
    for language, summary in summaries.items():
        target = str(Path(options.output) / f"{name}.{language}{_SUFFIX[format]}") if options.output else None
        with _output(Job(name, target)) as write:
            write(render_file(summary, format, group=options.group))
    return 0


def _versions(options: argparse.Namespace) -> list[Act]:
    if options.to is None:
        if len(options.inputs) < 2:
            raise LexLatticeError("One version is not several; give the act in two languages at least.")
        return [_read(source, options) for source in options.inputs]
    languages = [language.strip().lower() for language in options.to.split(",") if language.strip()]
    if len(options.inputs) != 1 or not is_celex(options.inputs[0]):
        raise LexLatticeError("--to needs one CELEX number, such as 32016R0679; give files with --versions instead.")
    asked = dict.fromkeys([*([options.language.lower()] if options.language else ["en"]), *languages])
    return [_read(options.inputs[0], options, language) for language in asked]


def _read(source: str, options: argparse.Namespace, language: str | None = None) -> Act:
    from lexlattice.reading import read

    if source == "-" and sys.stdin is None:
        raise LexLatticeError("Standard input is closed; give a file, or open it.")
    if sys.stderr is not None and sys.stderr.isatty() and _is_fetched(source):
        say(f"fetching {source} …")
    chosen = language or (options.language.lower() if options.language else None)
    return read(sys.stdin.buffer if source == "-" else source, language=chosen)


def _summarizer(options: argparse.Namespace) -> Summarizer:
    if options.model is not None:
        from lexlattice.research import load

        return load(options.model, options.encoder)
    from lexlattice.summarizer import Summarizer

    return Summarizer.from_pretrained(None, options.encoder)


def _inputs(given: str) -> Iterator[str]:
    """What is named, or the acts in a folder; a folder of Formex files is one act."""
    path = Path(given)
    if given in ("", "-") or is_url(given) or not path.is_dir() or is_formex_folder(path):
        if not given:
            raise LexLatticeError("No input was named; give a file, a CELEX number or a URL.")
        yield given
        return
    if not (found := acts_in(path)):
        raise LexLatticeError(f"There is nothing to read in the folder '{given}'; name one with acts in it.")
    yield from map(str, found)


def _is_fetched(source: str) -> bool:
    return is_url(source) or (is_celex(source) and not Path(source).exists())


def _format(options: argparse.Namespace, *, is_many: bool) -> str:
    if options.format:
        return str(options.format)
    if options.output and not is_many and not _is_folder(options.output):
        from lexlattice.rendering import format_of

        return format_of(options.output)
    return "text"


def _is_folder(name: str) -> bool:
    return name.endswith(("/", os.sep)) or Path(name).is_dir()


def _jobs(sources: Sequence[str], output: str | None, format: str, *, is_many: bool) -> list[Job]:
    """Where the summary of each goes: into a folder by the names of the inputs, made different where they are not."""
    if output is None:
        if format in _BINARY and is_many:
            raise LexLatticeError(f"Several summaries in {format} need a folder; name one with -o.")
        if format in _BINARY and sys.stdout is not None and sys.stdout.isatty():
            raise LexLatticeError(f"A {format} file is nothing for a terminal; name a file with -o.")
        return [Job(source, None) for source in sources]
    if not is_many and not _is_folder(output):
        return [Job(sources[0], output)]
    _make_folder(output)
    taken: set[str] = set()
    jobs = []
    for source in sources:
        stem = "act" if source == "-" else Path(source.rstrip("/")).stem or "act"
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        jobs.append(Job(source, str(Path(output) / f"{name}{_SUFFIX[format]}")))
    return jobs


def _make_folder(name: str) -> None:
    if Path(name).suffix in _SUFFIX.values() and not _is_folder(name):
        raise LexLatticeError(f"Several summaries need a folder, and '{name}' is the name of a file; name a folder.")
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LexLatticeError(f"The folder '{name}' cannot be made ({error.strerror}); name another.") from error


@contextmanager
def _output(job: Job) -> Iterator[Callable[[bytes], object]]:
    """Where the bytes of a summary go."""
    if job.target is not None:
        with output(job.target, job.source) as file:
            yield file.write
    elif sys.stdout is None:
        raise LexLatticeError("Standard output is closed; open it, or name a file with -o.")
    else:
        sys.stdout.flush()
        yield sys.stdout.buffer.write
