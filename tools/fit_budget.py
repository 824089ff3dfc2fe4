"""Fit the length of official summaries to the length of their acts: the curve behind the budget `auto`.

A power of the number of words, by least squares of the logarithms over the English training acts, as read by the
reader. Prints what `lexlattice/selection/budget.py` holds, and how far off it is on validation.
Usage: LEXLATTICE_DATA=… python tools/fit_budget.py
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexlattice import read
from lexlattice.evaluation.rows import BadRow, Row, Rows


def lengths(row: Row | BadRow) -> tuple[int, int]:
    """Words of an act and of its summary."""
    if isinstance(row, BadRow):
        sys.exit(f"Line {row.line}: {row.reason}")
    return read(row.text, language="en").words, len(row.summary.split())


def logarithms(split: Path) -> NDArray[np.float64]:
    """Of both lengths, for all acts of a split."""
    with ProcessPoolExecutor() as pool:
        return np.log(np.array(list(pool.map(lengths, Rows(split), chunksize=4)), dtype=np.float64)).T


def main() -> None:
    """Print the curve and its errors."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    folder = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en"
    acts, summaries = logarithms(folder / "train.jsonl.gz")
    b, a = np.polyfit(acts, summaries, 1)
    print(
        f"{len(acts)} training acts: {np.exp(a):.1f} · words ** {b:.4f}, error {np.std(summaries - a - b * acts):.3f}"
    )
    acts, summaries = logarithms(folder / "validation.jsonl.gz")
    errors = summaries - a - b * acts
    constant = summaries - summaries.mean()
    print(
        f"{len(acts)} validation acts: official summaries are {np.exp(errors.mean()):.2f} times the curve, "
        f"give or take a factor of {np.exp(errors.std()):.2f}; without the act's length {np.exp(constant.std()):.2f}"
    )


if __name__ == "__main__":
    main()
