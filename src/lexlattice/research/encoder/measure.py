"""Evaluation of encoders by translation retrieval (precision at 1), and the model card of the embedded encoder."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding import EmptyTextWarning
from lexlattice.encoding.static import Static
from lexlattice.errors import DataError
from lexlattice.reading import LANGUAGES
from lexlattice.research.encoder.texts import (
    Row,
    Source,
    held_out_rows,
    held_out_sentences,
    modern_sentences,
    news,
    without_near_duplicates,
)

if TYPE_CHECKING:
    from lexlattice.research.encoder.lexicon import Lexicon
    from lexlattice.research.encoder.training import Recipe


_ROUNDING: Final = 1e-6
"""Cosine similarities that differ by less count as equal, since rounding depends on the CPU."""


def precision_at_1(queries: NDArray[np.float32], candidates: NDArray[np.float32]) -> float:
    """Return the share of queries whose translation, the candidate at the same index, is closer than all others.

    Ties are misses, so that a constant vector scores 0.

    >>> precision_at_1(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32))
    1.0
    >>> precision_at_1(np.ones((3, 2), np.float32), np.ones((3, 2), np.float32))
    0.0
    """
    if queries.shape != candidates.shape or not len(queries):
        raise ValueError("queries and candidates must be equally many, and at least one")
    similarity = _unit(queries) @ _unit(candidates).T
    correct = similarity.diagonal().copy()
    np.fill_diagonal(similarity, -np.inf)
    return float((correct > similarity.max(axis=1) + _ROUNDING).mean())


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    np.divide(scaled, norms, out=scaled, where=norms > 0)
    return scaled


Encode = Callable[[list[str]], NDArray[np.float32]]
Found = dict[tuple[str, str], float]
"""Precision at 1 by language of the query and of the candidates."""

CANDIDATES: Final = 500
_SENTENCES: Final = 3
"""Sentences of a paragraph."""


def evaluate_encoder(encode: Encode, data: Path, languages: Sequence[str] = LANGUAGES) -> dict[str, Found]:
    """Return the retrieval results of an encoder on each test set."""
    return {name: retrieval(encode, rows, languages) for name, rows in retrieval_sets(data).items()}


def retrieval_sets(data: Path) -> dict[str, list[Row]]:
    """Return the test sets: sentences, and paragraphs of consecutive sentences."""
    law, articles = held_out_sentences(data), news(data)
    return {
        "law": without_near_duplicates(law)[:CANDIDATES],
        "law, near-duplicates": law[:CANDIDATES],
        "modern law": without_near_duplicates(modern_sentences(data))[:CANDIDATES],
        "news": articles,
        "law, paragraphs": list(_paragraphs(held_out_rows(data))),
        "news, paragraphs": list(_paragraphs(articles)),
    }


def retrieval(encode: Encode, rows: Sequence[Row], languages: Sequence[str] = LANGUAGES) -> Found:
    """Return precision at 1 for every pair of languages, averaged over chunks of `CANDIDATES` rows."""
    if not rows:
        raise DataError("There are no texts for translation retrieval; check the data folder (see CONTRIBUTING.md).")
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
    """Return the results from each language into English."""
    return {one: share for (one, other), share in found.items() if other == "en"}


def between_others(found: Found) -> dict[tuple[str, str], float]:
    """Return the results between languages other than English."""
    return {pair: share for pair, share in found.items() if "en" not in pair}


def _paragraphs(rows: Sequence[Row]) -> Iterator[Row]:
    for first in range(0, len(rows) - _SENTENCES + 1, _SENTENCES):
        some = rows[first : first + _SENTENCES]
        shared = set.intersection(*(set(row) for row in some))
        yield {code: " ".join(row[code] for row in some) for code in LANGUAGES if code in shared}


def model_card(
    encoder: Static, sources: Sequence[Source], recipe: Recipe, lexicon: Lexicon, measured: Mapping[str, Found]
) -> str:
    """Return the model card of a trained encoder in Markdown."""
    rows = [
        f"| {source.name} | {len(source.rows):,} | {len({code for row in source.rows for code in row})} | {source.licence} |"
        for source in sources
    ]
    settings = ", ".join(f"{name} {value}" for name, value in asdict(recipe).items() if name != "spelling")
    return f"""# Model card: the embedded encoder

Encodes text in any of the 24 official languages of the European Union as a vector of {encoder.dimensions} numbers; translations
have similar vectors. A text is the mean of its words, a word the sum of its subwords, and there is nothing else: the
encoder is fast, and blind to word order.

- Fingerprint: `{encoder.fingerprint}`
- Subwords: {len(lexicon.vocabulary):,} with their own vector (the word, its first {_listed(recipe.spelling.prefixes)} letters, its
  first {_listed(recipe.spelling.folded)} letters in a spelling shared by related languages), and {recipe.buckets:,} vectors
  shared by all other words through their hash. Four bits per number.
- Recipe: {settings}.
- Trained by: `lexlattice encoder train`, which also wrote this card.

## Training data

| texts | rows | languages | licence |
|---|---|---|---|
{chr(10).join(rows)}

Contains information from JRC-Acquis, EuroVoc and EUR-Lex, © European Union, reused with acknowledgement of the source; the
European Union does not endorse the result. Sentences of Tatoeba are by its contributors (CC BY 2.0 FR). Not used: texts that may
not be redistributed in this way, acts of EUR-Lex-Sum's validation split, and the acts of JRC-Acquis held out for evaluation.

## Evaluation

{results_table(measured)}

## Limitations

- It ignores word order and negation: "A shall pay B" and "B shall pay A" have the same vector.
- Outside law, words that do not occur in the training data are represented by their spelling only. Languages that are distant from
  all others or have little text lose most; the table shows how much.
- The training data has no law in Irish and Croatian, only EuroVoc, Tatoeba and the Universal Declaration of Human Rights.
- Scripts other than Latin, Greek and Cyrillic have no vectors; a text only in such scripts is a zero vector.
"""


def results_table(measured: Mapping[str, Found]) -> str:
    """Return the table of results in Markdown."""
    names = list(measured)
    english = {name: into_english(found) for name, found in measured.items()}
    lines = [
        "Precision at 1: how often the translation of a text is its nearest neighbour among all candidates. *Law*: 500 sentences of",
        "held-out acts, no two of which share four fifths of their English words; *near-duplicates*: 500 sentences, some of which differ",
        "only in a number or a word. *Modern law*: the acts that MultiEURLEX has in 23 languages. *News*: NTREX, two sets of 500",
        "sentences. *Paragraphs*: three consecutive sentences.",
        "",
        f"| into English from | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
    ]
    for code in LANGUAGES:
        if code != "en":
            lines.append(f"| {code} | {' | '.join(_format(english[name].get(code)) for name in names)} |")
    lines.append(f"| **mean** | {' | '.join(_format(fmean(english[name].values())) for name in names)} |")
    lines.append(f"| **worst** | {' | '.join(_format(min(english[name].values())) for name in names)} |")
    others = [between_others(measured[name]) for name in names]
    lines.append(
        f"| between other languages, mean | {' | '.join(_format(fmean(pairs.values())) for pairs in others)} |"
    )
    lines.append(f"| between other languages, worst | {' | '.join(_format(min(pairs.values())) for pairs in others)} |")
    return "\n".join(lines)


def _format(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers)) or "no"
