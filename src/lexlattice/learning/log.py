"""What happened in a training, step by step, as a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from lexlattice.files import writing
from lexlattice.learning.validation import FIGURES

_OF_STEPS: Final = ("stage", "epoch", "step", "acts", "loss", "reward", "seconds")
COLUMNS: Final = (*_OF_STEPS, *FIGURES)
"""A row for each step; and for each epoch one with the figures of validation, the means, and the seconds it took."""


class Log:
    """The file, to be written to line by line."""

    def __init__(self, path: Path, length: int, figures: Sequence[str] = FIGURES) -> None:
        """Begin a log, or go on behind that many bytes: what was written since is written again.

        `figures` are the names of what validation measures.
        """
        with writing(path):
            self._file = path.open("a", encoding="utf-8", newline="")
            self._file.truncate(min(length, self._file.tell()))
            self._file.seek(0, 2)
        self._writer = csv.DictWriter(self._file, (*_OF_STEPS, *figures))
        if not self.length:
            self._writer.writeheader()

    @property
    def length(self) -> int:
        """Bytes by now, all of them written."""
        self._file.flush()
        return self._file.tell()

    def write(self, **values: Any) -> None:
        """A line; what is not given stays empty."""
        self._writer.writerow(
            {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in values.items()}
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
