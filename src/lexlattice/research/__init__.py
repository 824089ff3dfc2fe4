"""Experiments, comparison systems and everything else that the product itself does not need or import.

Imports are inside functions, so that the command line can list experiments without loading models.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lexlattice.act.document import Act
    from lexlattice.encoding import Encoder
    from lexlattice.selection import Extract
    from lexlattice.summarizer import Summarizer

COVERAGE: Final = "coverage"
"""The word model and the coverage decoder of version 0.1, which still have the highest ROUGE scores."""


def load(model: str | os.PathLike[str], encoder: str | Encoder | None = None) -> Summarizer:
    """Load a summarizer of either kind.

    Args:
        model: `coverage`, or the folder or file of a trained model.
        encoder: By name or as an object; the one that the model was trained with by default.

    """
    from lexlattice._internal.weights import read_weights
    from lexlattice.research.coverage.model import FORMAT
    from lexlattice.research.coverage.summarizer import CoverageSummarizer
    from lexlattice.summarizer import Summarizer

    path = path_of(model)
    is_coverage = read_weights(path).about.get("format") == FORMAT
    return (CoverageSummarizer if is_coverage else Summarizer).from_pretrained(path, encoder)


def path_of(model: str | os.PathLike[str]) -> Path:
    """The file of weights of `coverage`, or of a model given as a folder or file."""
    from lexlattice.summarizer import file_of

    return Path(__file__).parent / "coverage" / "coverage.safetensors" if model == COVERAGE else file_of(model)


def build_coverage(name: str, _: object = None) -> Callable[[Act, int], Extract]:
    """The system `coverage` for `lexlattice.evaluation.systems`."""
    return load(name).extract
