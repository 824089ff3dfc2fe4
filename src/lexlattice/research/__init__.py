"""Systems that are kept for comparison, apart from what people get; nothing on the product's path imports them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from lexlattice import encoding
from lexlattice._internal.weights import read_weights
from lexlattice.summarizer import Summarizer, file_of

COVERAGE: Final = "coverage"
"""The word model and the coverage decoder of 0.1, which hold the ROUGE record."""


def load(model: str | os.PathLike[str], encoder: str | encoding.Encoder | None = None) -> Summarizer:
    """The summarizer of that name, or of a model's folder or file, whichever kind it is of."""
    from lexlattice.research.coverage.model import FORMAT
    from lexlattice.research.coverage.summarizer import CoverageSummarizer

    path = path_of(model)
    is_coverage = read_weights(path).about.get("format") == FORMAT
    return (CoverageSummarizer if is_coverage else Summarizer).from_pretrained(path, encoder)


def path_of(model: str | os.PathLike[str]) -> Path:
    """The file of a model: of the research system of that name, in a folder, or itself."""
    return Path(__file__).parent / "coverage" / "coverage.safetensors" if model == COVERAGE else file_of(model)
