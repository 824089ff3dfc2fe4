"""`lexlattice leaderboard`: systems on the gold annotations, as a table that can be cited."""

from __future__ import annotations

import argparse
import json

from lexlattice.apps.cli.common import ROWS, Commands, add_jobs, add_quiet, check_stdout, info, shows_progress


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "leaderboard",
        help="compare systems on the gold annotations, ready to be cited",
        description="Compare any systems with baselines and upper bounds on all acts with gold annotations, at the "
        "length of the official summary: points, precision, F1 and ROUGE with 95 % intervals, paired tests, and what "
        "to cite. Extracts over the length are cut; acts without an extract count as zero.",
        epilog="Systems: extracts:FILE for a file of extracts, endpoint:URL or endpoint:FILE.toml for a service, "
        "package.module:attribute for a function, and all that `lexlattice evaluate --help` names. NAME=SYSTEM sets "
        "the name in the table.",
    )
    command.set_defaults(run=_leaderboard)
    command.add_argument("data", metavar="DATA", help=f"EUR-Lex-Sum's English validation split: {ROWS}")
    command.add_argument(
        "--system",
        metavar="NAME=SYSTEM,…",
        default="",
        help="systems to add to lexlattice, lead, random, lexrank, oracle (by ROUGE) and gold",
    )
    command.add_argument(
        "--gold",
        metavar="FILE",
        default="validation",
        help="gold annotations: validation, train, or a file (default: %(default)s)",
    )
    command.add_argument(
        "--against",
        metavar="NAME",
        default="lexlattice",
        help="system that the others are compared with (default: %(default)s)",
    )
    command.add_argument("--per-act", metavar="FILE", help="write the results of each act to this file, as JSON Lines")
    printed = command.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    printed.add_argument("--latex", action="store_true", help="print LaTeX instead of Markdown")
    add_jobs(command)
    add_quiet(command)


def _leaderboard(options: argparse.Namespace) -> int:
    from lexlattice.research.leaderboard import leaderboard

    check_stdout()
    board = leaderboard(
        options.data,
        options.system,
        gold=options.gold,
        against=options.against,
        jobs=options.jobs,
        per_act=options.per_act,
        progress=shows_progress(options),
        note=info,
    )
    if options.json:
        print(json.dumps(board.to_dict(), ensure_ascii=False))
    else:
        print(board.to_latex() if options.latex else board.to_markdown(), end="")
    for row in board.evaluation.notes:
        info(f"{row['celex']}: {row['note']}")
    return 0
