"""Other hierarchies with the same code: how documents that are no EU acts are read, and what systems make of them.

    python benchmarks/hierarchies.py reading     sections, units and citations of bills and national laws
    python benchmarks/hierarchies.py systems     the shipped model and baselines on bills with summaries
    python benchmarks/hierarchies.py training    the paper's model trained on bills, by cross-validation
    python benchmarks/hierarchies.py sample de   citations of German laws for manual review, and an extract of each

Bills are read by the packaged hierarchy and, for comparison, flat: as paragraphs in one row.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median

import numpy as np

from lexlattice import Act, read, summarize
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation import evaluate
from lexlattice.evaluation.measure import ActResult, Plan, evaluate_act
from lexlattice.evaluation.metrics.significance import paired_bootstrap, wilcoxon
from lexlattice.evaluation.report import report
from lexlattice.evaluation.rows import Rows
from lexlattice.evaluation.run import aggregate
from lexlattice.reading.hierarchies import Hierarchy, load_hierarchy
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH as SHIPPED

DATA = Path(os.environ.get("LEXLATTICE_DATA", "../shared/data"))
BILLS = DATA / "other" / "billsum-100.jsonl.gz"
LAWS = {"de": "german-law", "fr": "french-code", "pl": "polish-law"}
FLAT = Hierarchy("flat", language="en", title=False, above="body")
"""No header and no mark: every paragraph is a unit, and all are in one row."""
FIELDS = {"reference": "text", "celex_id": "bill_id"}
FOLDS = 5
GEOMETRIES = {"2D": ("us-bill", "grid", 8), "1D": ("us-bill", "line", 8), "none": ("us-bill", "none", 0)}
VARIANTS: dict[str, tuple[str | Hierarchy, str, int]] = {**GEOMETRIES, "2D flat": (FLAT, "grid", 8)}
"""What is trained: the hierarchy, the geometry of the automaton, and its steps."""


def texts(path: Path) -> list[tuple[str, str]]:
    """Ids and texts of a data set."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row.get("bill_id") or row["id"], row["text"]) for row in rows]


def covered(act: Act) -> float:
    """The share of letters that are in units; all others must be in headings."""
    spans = sorted([(u.start, u.end) for u in act.units] + [(f.start, f.end) for f in act.furniture])
    position = 0
    for start, end in spans:
        assert start >= position, "covered twice"
        assert not act.source[position:start].strip(), "lost"
        position = end
    assert not act.source[position:].strip(), "lost at the end"
    assert all(unit.text == act.source[unit.start : unit.end] for unit in act.units)
    return sum(len(unit.text) for unit in act.units) / len(act.source)


def reading() -> None:
    """Print a table of what is found in each collection."""
    print("| documents | n | failed | with sections | sections (median) | units (median) | words | in units | [2] |")
    print("|---|---|---|---|---|---|---|---|---|")
    sets = {"us-bill": BILLS} | {name: DATA / "monolingual/national-law" / f"{c}.jsonl.gz" for c, name in LAWS.items()}
    for name, path in sets.items():
        acts, failed = [], 0
        for _, text in texts(path):
            try:
                acts.append(read(f"{text}\n", hierarchy=name))
            except LexLatticeError:
                failed += 1
        sections = [sum(section.kind == "article" for section in act.sections) for act in acts]
        units, words = [len(act) for act in acts], [act.words for act in acts]
        alike = sum(unit.citation.endswith("]") for act in acts for unit in act) / sum(units)
        found = sum(map(bool, sections))
        print(
            f"| {name} | {len(acts) + failed} | {failed} | {found} | {fmean(sections):.1f} ({median(sections):g}) "
            f"| {fmean(units):.1f} ({median(units):g}) | {fmean(words):,.0f} | {fmean(map(covered, acts)):.1%} "
            f"| {alike:.1%} |"
        )


def systems(jobs: int) -> None:
    """Print the scores of systems that were not trained on bills, with and without the hierarchy."""
    # The shipped decoder takes complete provisions only, so its scores are selected unit by unit, too.
    compared = {"scores": f"scores:{SHIPPED}"}
    compared |= {name: name for name in ("lexlattice", "lead", "random", "lexrank", "oracle")}
    results = {}
    for hierarchy in (load_hierarchy("us-bill"), FLAT):
        with tempfile.TemporaryDirectory() as work:
            file = Path(work) / "bills.jsonl"
            result = evaluate(
                BILLS, compared, tokenizers="unicode", fields=FIELDS, hierarchy=hierarchy, jobs=jobs, per_act=file
            )
            results[hierarchy.name] = [json.loads(line)["systems"] for line in file.read_text("utf-8").splitlines()]
        print(f"\nHierarchy {hierarchy.name}\n{report(result)}")
    print("\nus-bill against flat, the same bills and system:")
    for name in compared:
        for measure in ("rouge1", "rouge2", "rougeLsum"):
            ours, flat = ([r[name]["unicode"][measure]["f1"] for r in rows] for rows in results.values())
            compare(f"{name}, {measure}", ours, flat)


def compare(name: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    """Print a paired difference with its interval and tests."""
    a, b = np.array(ours), np.array(theirs)
    test = paired_bootstrap(a[:, None], b[:, None], seed=0)
    print(
        f"  {name}: {test.difference[0]:+.2f} [{test.low[0]:+.2f}, {test.high[0]:+.2f}], "
        f"p bootstrap {test.p[0]:.4f}, p Wilcoxon {wilcoxon(a, b):.2g}"
    )


def config(folder: Path, geometry: str, steps: int) -> Path:
    """Write the configuration of the paper's model over the embedded encoder, with another geometry."""
    from lexlattice.training.config import CONFIGS

    text = (CONFIGS / "paper-static.toml").read_text("utf-8")
    for key, old, new in (
        ("profile", '"paper"', '"provisions"'),
        ("geometry", '"grid"', f'"{geometry}"'),
        ("steps", "8", f"{steps}"),
    ):
        text = text.replace(f"{key} = {old}", f"{key} = {new}")
    path = folder / "config.toml"
    path.write_text(text, "utf-8")
    return path


def training(note: Callable[[str], None]) -> None:
    """Train on four fifths of the bills and evaluate on the others, five times; print all bills together."""
    from lexlattice.training.run import MODEL, PrepareOptions, run_training

    with gzip.open(BILLS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random.Random(0).shuffle(rows)
    found: dict[str, list[ActResult]] = {name: [] for name in VARIANTS}
    plans: dict[str, Plan] = {}
    for fold in range(FOLDS):
        held_out = rows[fold::FOLDS]
        others = [row for row in rows if row not in held_out]
        for name, (hierarchy, geometry, steps) in VARIANTS.items():
            with tempfile.TemporaryDirectory() as work:
                folder = Path(work)
                described = load_hierarchy(hierarchy)
                options = PrepareOptions(fields=FIELDS, hierarchy=described)
                best = run_training(config(folder, geometry, steps), others, folder / "run", prepare_options=options)
                note(f"fold {fold + 1}, {name}: best weights of {best.stage}, epoch {best.epoch}")
                systems = {name: f"model:{folder / 'run' / MODEL}", "lead": "lead", "lexrank": "lexrank"}
                plan = Plan(
                    systems, Budget("reference"), "provisions", "paper", ["unicode"], None, None, 0, hierarchy=described
                )
                for row in Rows(held_out, fields=FIELDS):
                    result = evaluate_act(plan, row)
                    assert isinstance(result, ActResult), result
                    found[name].append(result)
                plans[name] = plan
    for name, results in found.items():
        print(f"\n{name}\n{report(aggregate(results, [], plans[name]))}")
    print()
    for first, second in (("2D", "1D"), ("2D", "none"), ("1D", "none"), ("2D", "2D flat")):
        for measure in ("rouge1", "rouge2", "rougeLsum"):
            pair = [[r.systems[n]["unicode"][measure]["f1"] for r in found[n]] for n in (first, second)]
            compare(f"{first} against {second}, {measure}", *pair)


def sample(language: str, count: int) -> None:
    """Print citations with their texts, and a short extract, of some laws."""
    drawn = random.Random(0).sample(texts(DATA / "monolingual/national-law" / f"{language}.jsonl.gz"), count)
    for name, text in drawn:
        act = read(f"{text}\n", hierarchy=LAWS[language])
        print(f"\n=== {name}: {act!r}")
        for unit in sorted(random.Random(1).sample(act.units, min(6, len(act))), key=lambda unit: unit.start):
            print(f"  {unit.citation}: {unit.text[:100]!r}")
        print("\n".join(f"  > {line}" for line in summarize(act, words=80).to_text().splitlines()))


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("reading", "systems", "training", "sample"))
    parser.add_argument("language", nargs="?", choices=LAWS, default="de", help="of the laws to sample")
    parser.add_argument("--of", type=int, default=7, metavar="N", help="laws to sample")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    options = parser.parse_args()
    if options.what == "reading":
        reading()
    elif options.what == "systems":
        systems(options.jobs)
    elif options.what == "training":
        training(lambda sentence: print(sentence, flush=True))
    else:
        sample(options.language, options.of)


if __name__ == "__main__":
    main()
