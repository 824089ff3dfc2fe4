"""`lexlattice parse`: read an act and show its structure."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from lexlattice.act.document import Act, Section
from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError
from lexlattice.reading import FORMATS, LANGUAGES, PROFILES, read
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.structure.health import health
from lexlattice.reading.structure.provisions import SENTENCES_FROM
from lexlattice.rendering.status import notices, standing


def add(commands: Commands) -> None:
    """Declare the command."""
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
    parse.add_argument(
        "--health",
        action="store_true",
        help="how well it was read: gaps and repeats in numbers, citations that are not unique, very long units …",
    )
    shape = parse.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="everything, as JSON (the default when piped)")
    shape.add_argument(
        "--tree", action="store_true", help="readable, an outline with counts (the default on a terminal)"
    )


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
        say(f"fetching {options.input} …")
    act = read(
        source,
        language=options.lang.lower() if options.lang else None,
        profile=options.profile,
        format=options.format,
        sentences_from=options.sentences_from,
    )
    indent = 1 if sys.stdout.isatty() else None
    as_json = options.json or not (options.tree or sys.stdout.isatty())
    if options.health:
        report = health(act)
        print(json.dumps(report.to_dict(), ensure_ascii=False, indent=indent) if as_json else report)
    else:
        print(act.to_json(indent=indent) if as_json else tree(act))
    for warning in act.warnings:
        say(f"note: {warning}")
    return 0


def tree(act: Act) -> str:
    """An outline a person can read: the headings in their order, with counts of units and words."""
    number, counts = act.consolidated_celex or act.celex, (f"{len(act.units):,} units", f"{act.words:,} words")
    facts = [number, act.type, act.date, act.language, *standing(act), *counts]
    lines = [act.title or "(no title)", " · ".join(fact for fact in facts if fact), *notices(act), ""]
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
