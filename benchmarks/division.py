"""Measure how finely long provisions should be split: the ROUGE that the best extract could reach, by setting.

For each act of the English validation split the budgeted oracle selects units within the summary's own length, which is
almost an upper bound for any extract of such units.
Usage: LEXLATTICE_DATA=… python benchmarks/division.py [ACTS]
"""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path

from lexlattice import read
from lexlattice.evaluation.metrics import rouge
from lexlattice.evaluation.oracle import Oracle
from lexlattice.evaluation.rows import Row, Rows

SETTINGS = (0, 120, 90, 60, 40, 25)


def main() -> None:
    """Print mean units and ROUGE per setting of `sentences_from`."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    split = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en" / "validation.jsonl.gz"
    acts = [row for row in islice(Rows(split), int(sys.argv[1]) if len(sys.argv) > 1 else None) if isinstance(row, Row)]
    print(f"{len(acts)} acts\nsplit from    units/act   R-1    R-2")
    for setting in SETTINGS:
        ones = twos = count = 0.0
        for row in acts:
            units = read(row.text, language="en", sentences_from=setting).units
            order = Oracle().choose(units, row.summary).order
            extract = "\n".join(units[index].text for index in sorted(order))
            scores = rouge.score(extract, row.summary, measures=("rouge1", "rouge2"))
            ones, twos, count = ones + scores["rouge1"].f1, twos + scores["rouge2"].f1, count + len(units)
        means = (100 * ones / len(acts), 100 * twos / len(acts))
        print(f"{setting or 'never':>11}   {count / len(acts):>9.0f}   {means[0]:.2f}  {means[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
