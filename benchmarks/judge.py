"""Blind judging of summaries: candidates of systems, packets for judges, and what their verdicts say.

    python benchmarks/judge.py candidates FILE.jsonl --system lexlattice,lead [--acts 16] [--words 300]
    python benchmarks/judge.py pack FOLDER FILE.jsonl [FILE.jsonl …]
    python benchmarks/judge.py tally FOLDER FILE.jsonl [FILE.jsonl …]

`candidates` lets systems summarize annotated acts at the official length and keeps what people would read, with its
points, precision, F1 and ROUGE-1. Keep the file of one system from round to round, to see whether judges agree. `pack`
puts the candidates of some files together, blinded: give the folder to judges with fresh contexts, four to eight acts
each, and nothing else. `tally` unblinds. A judge is a lawyer or a language model; whatever is published says which.
Needs LEXLATTICE_DATA for `candidates` alone. Rows of other people's systems need `celex_id` and `systems`, for each
name a list of texts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lexlattice import Act, LexLatticeError, SummaryOptions, read
from lexlattice.act.summary import Item, Summary
from lexlattice.evaluation.gold import Gold, Places, load_gold
from lexlattice.evaluation.metrics.rouge import score as rouge
from lexlattice.evaluation.points import meaning_of_texts
from lexlattice.evaluation.systems import GOLD, Task, system
from lexlattice.research.judging.blind import (
    Entry,
    Figure,
    Packet,
    correlations,
    differences,
    read_verdicts,
    standings,
    write_packets,
)
from lexlattice.summarizer import shipped

MARKED = ("lexlattice", GOLD)
"""The systems whose summaries say where something is left out."""


def main() -> None:
    """Do one of the three."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("candidates", help="what systems make of annotated acts")
    made.add_argument("file", type=Path)
    made.add_argument(
        "--system",
        default="lexlattice,lead",
        help="as in lexlattice evaluate, also as NAME=SYSTEM; models of the paper read acts as the paper does "
        "(default: %(default)s)",
    )
    made.add_argument("--acts", type=int, help="number of acts, spread over the annotated ones (default: all)")
    made.add_argument("--words", type=int, help="length (default: that of the official summary)")
    made.add_argument("--split", default="validation", help="of EUR-Lex-Sum and the annotations (default: %(default)s)")
    for name, text in (("pack", "blinded packets for judges"), ("tally", "what judges say")):
        command = commands.add_parser(name, help=text)
        command.add_argument("folder", type=Path)
        command.add_argument("files", type=Path, nargs="+")
        command.add_argument("--system", default="", help="only these (default: all that the files have)")
        if name == "pack":
            command.add_argument("--split", default="validation", help="whose points judges get (default: %(default)s)")
    options = parser.parse_args()
    try:
        _run(options)
    except LexLatticeError as error:
        sys.exit(str(error))


def _run(options: argparse.Namespace) -> None:
    if options.command == "candidates":
        with options.file.open("w", encoding="utf-8") as file:
            for row in candidates(options.system.split(","), options.split, options.acts, options.words):
                print(json.dumps(row, ensure_ascii=False), file=file, flush=True)
        return
    rows = merged(options.files, [name for name in options.system.split(",") if name])
    if options.command == "pack":
        write_packets(packets(rows, {gold.celex: gold for gold in load_gold(options.split)}), options.folder)
        print(f"{len(rows)} acts in {options.folder}; judges begin with INSTRUCTIONS.txt")
    else:
        print(report(options.folder, rows))


# --- candidates -------------------------------------------------------------------------------------------


def candidates(names: Sequence[str], split: str, acts: int | None, words: int | None) -> Iterator[dict[str, Any]]:
    """Rows with what each system makes of an act, as people read it, and its scores."""
    if "LEXLATTICE_DATA" not in os.environ:
        raise LexLatticeError("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    golds = {gold.celex: gold for gold in load_gold(split)}
    path = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en" / f"{split}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["celex_id"] in golds]
    count = min(acts or len(rows), len(rows))
    for row in (rows[place * len(rows) // count] for place in range(count)):
        yield candidate_row(row, golds[row["celex_id"]], names, words)


def candidate_row(row: Mapping[str, str], gold: Gold, names: Sequence[str], words: int | None) -> dict[str, Any]:
    """One act: what each system makes of it, and its scores × 100."""
    text = row["reference"]
    act = read(f"{text}\n", language=gold.language, format="text")
    task = Task(act, text, row["summary"], words or gold.words, "whole", 0, gold, text)
    systems, scores = {}, {}
    for given in names:
        name, _, found_as = given.partition("=")
        summary = _of_model(found_as, row, task) if found_as.startswith("model:") else _summary(found_as or name, task)
        lines = [item.text for item in summary] if isinstance(summary, Summary) else summary
        shown = entries_of(summary, is_marked=name in MARKED)
        systems[name] = [entry._asdict() for entry in shown]
        points, precision, f1 = meaning_of_texts(gold, text, lines)
        meaning = {"points": points, "precision": precision, "points_f1": f1}
        found = rouge("\n".join(lines), row["summary"], tokenizer="unicode", measures=("rouge1",))
        scores[name] = {key: 100 * value for key, value in (*meaning.items(), ("rouge1", found["rouge1"].f1))}
    return {
        "celex_id": row["celex_id"],
        "title": act.title,
        "summary": row["summary"],
        "systems": systems,
        "scores": scores,
    }


def _summary(name: str, task: Task) -> Summary | list[str]:
    """What a system chose, as a summary; as lines if these are not units of the act."""
    if name == "lexlattice":
        return shipped().summarize(task.act, SummaryOptions(words=task.words))
    if name == GOLD and task.gold is not None:
        places = Places(task.act, task.gold_text)
        return _of_units(task.act, {unit for place in task.gold.extract for unit in places.units(place)}, task.words)
    lines = [line for line in system(name)(task)[0].split("\n") if line.strip()]
    return as_summary(task.act, lines, task.words) or lines


def _of_model(name: str, row: Mapping[str, str], task: Task) -> list[str]:
    """The lines that one of the paper's models emits: paragraphs by the paper's reading, cut to the budget."""
    act = read(f"{row['reference']}\n", language=task.act.language, format="text", profile="paper")
    return [line for line in system(name)(replace(task, act=act, mode="paper"))[0].split("\n") if line.strip()]


def as_summary(act: Act, lines: Sequence[str], words: int) -> Summary | None:
    """A summary of the units that lines are the text of, in the order of the act; none if one line is no unit."""
    chosen: list[int] = []
    for line in lines:
        start = chosen[-1] + 1 if chosen else 0
        found = next((place for place in range(start, len(act.units)) if act.units[place].text == line), None)
        if found is None:
            return None
        chosen.append(found)
    return _of_units(act, chosen, words)


def _of_units(act: Act, chosen: Iterable[int], words: int) -> Summary:
    units = [act.units[place] for place in sorted(chosen)]
    items = tuple(Item.of(unit, act.sections[unit.section], 0.0, "key_points") for unit in units)
    return Summary(act, words, items)


def entries_of(summary: Summary | Sequence[str], *, is_marked: bool = True) -> list[Entry]:
    """What people read: provisions with their citation and heading, or bare lines.

    What is left out is marked only where the system itself does so.
    """
    if not isinstance(summary, Summary):
        return [Entry("", line) for line in summary]
    if not hasattr(summary, "blocks"):
        return [Entry(_header(item.citation, item.heading), item.text) for item in summary]
    entries = []
    for block in summary.blocks():
        lines = [
            "  " * line.level + (line.text if is_marked else " ".join(item.text for item in line.items))
            for line in block.lines
        ]
        text = "\n".join(line for line in lines if line.strip())
        entries.append(Entry(_header(block.citation, block.heading), text))
    return entries


def _header(citation: str, heading: str) -> str:
    return " · ".join(filter(None, (citation, heading)))


# --- packets ----------------------------------------------------------------------------------------------


def merged(files: Sequence[Path], wanted: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """The rows of all files by CELEX number, with the systems of all or those wanted; acts that every system has."""
    rows: dict[str, dict[str, Any]] = {}
    for path in files:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            known = rows.setdefault(row["celex_id"], {"systems": {}, "scores": {}})
            for name in ("title", "summary"):
                known.setdefault(name, row.get(name, ""))
            for part in ("systems", "scores"):
                known[part] |= {name: value for name, value in row.get(part, {}).items() if name in (wanted or {name})}
    every = {name for row in rows.values() for name in row["systems"]}
    return {celex: row for celex, row in rows.items() if row["systems"].keys() == every}


def packets(rows: Mapping[str, Mapping[str, Any]], golds: Mapping[str, Gold]) -> list[Packet]:
    """A packet for each act, with the points of its annotation if there is one."""
    return [
        Packet(
            celex,
            row["title"],
            row["summary"],
            {name: [_entry(entry) for entry in entries] for name, entries in row["systems"].items()},
            [point.text for point in golds[celex].points] if celex in golds else (),
        )
        for celex, row in rows.items()
    ]


def _entry(entry: str | Mapping[str, str]) -> Entry:
    return Entry("", entry) if isinstance(entry, str) else Entry(entry["header"], entry["text"])


# --- tally ------------------------------------------------------------------------------------------------


def report(folder: Path, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Means, differences and correlations of what judges wrote into a folder."""
    verdicts = read_verdicts(folder)
    if not verdicts:
        raise LexLatticeError(
            f"There are no verdicts in '{folder}' yet; judges save results.json in each act's folder."
        )
    scores = {(celex, name): known for celex, row in rows.items() for name, known in row["scores"].items()}
    lines = ["mean over acts with 95 % bootstrap intervals; LDP-F1, coverage and relevance × 100, relevance by words"]
    for standing in standings(verdicts):
        cells = [f"{name} {_figure(figure, name)}" for name, figure in standing.figures.items()]
        lines.append(f"{standing.system:<24} {standing.acts:>3} acts  {'  '.join(cells)}")
    lines += ["", "paired differences, with p-values of the bootstrap and of Wilcoxon's test"]
    for found in differences(verdicts):
        one, other = found.systems
        figure = _figure(found.figure, found.measure, "+")
        lines.append(f"{one} less {other}: {found.measure} {figure}, p {found.p:.4f} (Wilcoxon {found.wilcoxon:.4f})")
    lines += ["", "correlation within acts"]
    for pair in correlations(verdicts, scores):
        mean, low, high = pair.figure
        names = " and judged ".join(pair.measures)
        lines.append(f"{names}: {mean:+.2f} ({low:+.2f} to {high:+.2f}), {pair.candidates} candidates")
    return "\n".join(lines)


def _figure(figure: Figure, measure: str, sign: str = "") -> str:
    scale = 1 if measure == "readability" else 100
    mean, low, high = (format(scale * value, f"{sign}.1f") for value in figure)
    return f"{mean} ({low} to {high})"


if __name__ == "__main__":
    main()
