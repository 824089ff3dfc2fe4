"""The command line: parses arguments, calls the library, prints."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lexlattice import __version__
from lexlattice.act import Act, Section
from lexlattice.errors import LexLatticeError
from lexlattice.reading import FORMATS, LANGUAGES, PROFILES, read
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.provisions import SENTENCES_FROM

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 2 when the input or the call was at fault."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # acts are in three scripts, whatever the terminal's settings
    try:
        code: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except LexLatticeError as error:
        return _fail(str(error))
    except BrokenPipeError:
        _abandon_output()
        return 0
    except OSError as error:
        _abandon_output()
        return _fail(f"The output cannot be written: {error.strerror or error}.")
    except KeyboardInterrupt:
        return 130
    return code


def _fail(sentence: str) -> int:
    _say(sentence)
    return 2


def _say(sentence: str) -> None:
    if sys.stderr is not None:
        print(f"lexlattice: {sentence}", file=sys.stderr)


def _abandon_output() -> None:
    """Nobody reads on, or nothing more can be written: keep Python from trying again at its exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lexlattice",
        description="EU legal acts, in any of the 24 official languages, as provisions that can be cited.",
    )
    parser.add_argument("--version", action="version", version=f"lexlattice {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_parse(commands)
    _add_evaluate(commands)
    return parser


def _add_parse(commands: Commands) -> None:
    parse = commands.add_parser(
        "parse",
        help="read an act and show its structure",
        description="Read an act and show its structure: an outline on a terminal, JSON otherwise.",
    )
    parse.set_defaults(run=_parse)
    parse.add_argument(
        "input",
        metavar="FILE|-|CELEX|URL",
        help="a file or Formex folder, - for standard input, a CELEX number such as 32016R0679, or a URL",
    )
    parse.add_argument(
        "--lang",
        metavar="xx",
        help=f"language, if it is not to be found out (for CELEX numbers: English): {' '.join(LANGUAGES)}",
    )
    parse.add_argument("--format", metavar="NAME", help=f"format, if it is not to be found out: {', '.join(FORMATS)}")
    parse.add_argument(
        "--profile",
        choices=PROFILES,
        default="provisions",
        help="provisions: units as lawyers cite them (default); paper: the paper's paragraphs",
    )
    parse.add_argument(
        "--sentences-from",
        type=int,
        metavar="N",
        default=SENTENCES_FROM,
        help="divide provisions of more than N words into sentences; 0 never (default: %(default)s)",
    )
    shape = parse.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="everything, as JSON (the default when piped)")
    shape.add_argument("--tree", action="store_true", help="a readable outline with counts (the default on a terminal)")


def _add_evaluate(commands: Commands) -> None:
    command = commands.add_parser(
        "evaluate",
        help="compare systems on acts with summaries",
        description="Compare systems on acts with official summaries, at the same length, by ROUGE.",
        epilog="Systems: lead, random, lexrank, textrank, centroid, oracle, oracle-greedy, published; with --encoder "
        "also lexrank-vectors and published-vectors; your own as package.module:attribute.",
    )
    command.set_defaults(run=_evaluate)
    command.add_argument(
        "data",
        metavar="DATA",
        help="JSON Lines (.jsonl, .jsonl.gz) or Parquet with celex_id, reference and summary; a folder saved by "
        "datasets; or hf:NAME:CONFIG:SPLIT",
    )
    command.add_argument(
        "--system", metavar="NAME,…", default="lead,random,lexrank", help="what to compare (default: %(default)s)"
    )
    command.add_argument(
        "--budget",
        default="reference",
        metavar="BUDGET",
        help="length of the extracts: reference (as long as each summary, the default), words:N, ratio:R, or auto "
        "(as long as official summaries of acts of that length)",
    )
    command.add_argument(
        "--profile",
        choices=PROFILES,
        default="provisions",
        help="how acts are read; paper also cuts extracts to the budget, provisions takes whole units",
    )
    command.add_argument("--mode", metavar="MODE", help="whole or paper, if it is not to follow the profile")
    command.add_argument(
        "--tokenizer",
        metavar="NAME,…",
        default="unicode,compat",
        help="unicode: words of any script; compat: as rouge-score does (default: both)",
    )
    command.add_argument("--lang", metavar="xx", help="language of the acts, if it is not to be found out")
    command.add_argument("--encoder", metavar="NAME", help="package.module:attribute that turns texts into vectors")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="for what is drawn (default: %(default)s)")
    command.add_argument(
        "--split", metavar="NAME", default="validation", help="of a data set with several (default: %(default)s)"
    )
    command.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    command.add_argument(
        "--jobs", type=int, metavar="N", default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    command.add_argument(
        "--per-act",
        metavar="FILE",
        default="evaluation.jsonl",
        help="where the results of each act go, one JSON object a line (default: %(default)s)",
    )
    command.add_argument("--json", action="store_true", help="everything, as JSON")
    command.add_argument("--quiet", action="store_true", help="no progress bar")


def _parse(options: argparse.Namespace) -> int:
    if sys.stdout is None or (options.input == "-" and sys.stdin is None):
        raise LexLatticeError("Standard input or output is closed; give a file, or open them.")
    if not options.input:
        raise LexLatticeError("No input was named; give a file, a CELEX number or a URL.")
    source = sys.stdin.buffer if options.input == "-" else options.input
    if (
        sys.stderr is not None
        and sys.stderr.isatty()
        and (is_url(options.input) or (is_celex(options.input) and not Path(options.input).exists()))
    ):
        _say(f"fetching {options.input} …")
    act = read(
        source,
        language=options.lang.lower() if options.lang else None,
        profile=options.profile,
        format=options.format,
        sentences_from=options.sentences_from,
    )
    if options.json or not (options.tree or sys.stdout.isatty()):
        print(act.to_json(indent=1 if sys.stdout.isatty() else None))
    else:
        print(tree(act))
    for warning in act.warnings:
        _say(f"note: {warning}")
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    from lexlattice.evaluation import evaluate
    from lexlattice.evaluation.report import report

    if sys.stdout is None:
        raise LexLatticeError("Standard output is closed; open it to see the result.")
    result = evaluate(
        options.data,
        options.system,
        budget=options.budget,
        profile=options.profile,
        mode=options.mode,
        tokenizers=options.tokenizer,
        language=options.lang,
        encoder=options.encoder,
        seed=options.seed,
        jobs=options.jobs,
        split=options.split,
        limit=options.limit,
        per_act=options.per_act,
        progress=not options.quiet and sys.stderr is not None,
    )
    if options.json:
        print(json.dumps(result.to_dict(), ensure_ascii=False))
        for row in result.skipped:
            _say(f"left out, line {row['line']}: {row['reason']}")
        for row in result.notes:
            _say(f"note, line {row['line']}: {row['note']}")
    else:
        print(report(result))
    _say(f"results of each act: {options.per_act}")
    if any(row["is_end"] for row in result.skipped):
        return _fail(f"The data are damaged, and only {result.acts} of the acts could be read; get the file anew.")
    return 0


def tree(act: Act) -> str:
    """An outline a person can read: the headings in their order, with counts of units and words."""
    facts = [act.celex, act.type, act.date, act.language, f"{len(act.units):,} units", f"{act.words:,} words"]
    lines = [act.title or "(no title)", " · ".join(fact for fact in facts if fact), ""]
    width = min(72, max((2 * len(section.enclosing) + len(_name(section)) for section in act.sections), default=0))
    open_divisions: tuple[str, ...] = ()
    for section in act.sections:
        for depth, heading in enumerate(section.enclosing):
            if open_divisions[: depth + 1] != section.enclosing[: depth + 1]:
                lines.append(f"{'  ' * depth}{heading}")
        open_divisions = section.enclosing
        indent = "  " * len(section.enclosing)
        words = sum(unit.words for unit in section.units)
        name = f"{indent}{_name(section)}"
        name = f"{name[: width - 1]}…" if len(name) > width else name
        units = "unit " if len(section.units) == 1 else "units"
        lines.append(f"{name:<{width}}  {len(section.units):>5,} {units} {words:>7,} words")
    kinds = sorted({piece.kind for piece in act.furniture} - {"heading"})
    if kinds:
        lines += ["", f"kept apart: {', '.join(kinds)}"]
    return "\n".join(lines)


def _name(section: Section) -> str:
    label = section.label or section.kind
    heading = section.heading
    return f"{label} — {heading}" if heading else label
