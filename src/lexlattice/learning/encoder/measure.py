"""How well an encoder finds translations: law it did not learn from, and news, which it saw nothing like."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding import EmptyTextWarning
from lexlattice.errors import LexLatticeError
from lexlattice.learning.encoder.texts import (
    Row,
    held_out_rows,
    held_out_sentences,
    modern_sentences,
    news,
    told_apart,
)
from lexlattice.metrics.retrieval import precision_at_1
from lexlattice.reading import LANGUAGES

Encode = Callable[[list[str]], NDArray[np.float32]]
Found = dict[tuple[str, str], float]
"""By language of the query and of the candidates, how often the first found is the right one."""

CANDIDATES: Final = 500
_SENTENCES: Final = 3
"""Of a paragraph."""


def measured(encode: Encode, data: Path, languages: Sequence[str] = LANGUAGES) -> dict[str, Found]:
    """What an encoder finds, test set by test set."""
    return {name: retrieval(encode, rows, languages) for name, rows in sets(data).items()}


def sets(data: Path) -> dict[str, list[Row]]:
    """What is searched: sentences, and paragraphs of several sentences that follow one another."""
    law, articles = held_out_sentences(data), news(data)
    return {
        "law": told_apart(law)[:CANDIDATES],
        "law, near-doubles": law[:CANDIDATES],
        "modern law": told_apart(modern_sentences(data))[:CANDIDATES],
        "news": articles,
        "law, paragraphs": list(_paragraphs(held_out_rows(data))),
        "news, paragraphs": list(_paragraphs(articles)),
    }


def retrieval(encode: Encode, rows: Sequence[Row], languages: Sequence[str] = LANGUAGES) -> Found:
    """Every language against every other; of more candidates than there should be, the mean over whole parts."""
    if not rows:
        raise LexLatticeError("There are no texts to find translations of; give the data folder as it is described.")
    size = min(CANDIDATES, len(rows))
    parts = [rows[first : first + size] for first in range(0, len(rows) - size + 1, size)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyTextWarning)
        present = [code for code in languages if all(code in row for row in rows)]
        vectors = [{code: encode([row[code] for row in part]) for code in present} for part in parts]
    return {
        (one, other): fmean(precision_at_1(part[one], part[other]) for part in vectors)
        for one in present
        for other in present
        if one != other
    }


def into_english(found: Found) -> dict[str, float]:
    """What is asked in each language and found in English."""
    return {one: share for (one, other), share in found.items() if other == "en"}


def between_others(found: Found) -> dict[tuple[str, str], float]:
    """What English has no part in."""
    return {pair: share for pair, share in found.items() if "en" not in pair}


def _paragraphs(rows: Sequence[Row]) -> Iterator[Row]:
    for first in range(0, len(rows) - _SENTENCES + 1, _SENTENCES):
        some = rows[first : first + _SENTENCES]
        shared = set.intersection(*(set(row) for row in some))
        yield {code: " ".join(row[code] for row in some) for code in LANGUAGES if code in shared}
