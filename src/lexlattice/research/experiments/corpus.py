"""A corpus in several languages: a folder with one of each language."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from lexlattice._internal.files import file_sha256
from lexlattice.errors import DataError
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.evaluation.sources import ACT, CELEX, LANGUAGE, SUMMARY
from lexlattice.reading import LANGUAGES

SPLITS: Final = ("train", "validation", "test")
_ENDINGS: Final = (".jsonl.gz", ".jsonl", ".parquet")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder with `LANGUAGE/SPLIT.jsonl.gz` (or `.jsonl`, `.parquet`)."""

    place: str

    @classmethod
    def named(cls, name: str) -> Corpus:
        """Find a corpus: a folder, also below the data folder (`LEXLATTICE_DATA`)."""
        folders = [Path(name), *(Path(data) / name for data in [os.environ.get("LEXLATTICE_DATA")] if data)]
        for folder in folders:
            if folder.is_dir():
                return cls(str(folder))
        raise DataError(
            f"There is no folder '{name}'; download the data (`lexlattice data get eur-lex-sum`), name another folder, "
            "or set LEXLATTICE_DATA to its parent folder."
        )

    @property
    def name(self) -> str:
        """The name for tables, without paths of this machine."""
        return Path(self.place).name

    def languages(self, requested: Sequence[str] = (), split: str = "validation") -> list[str]:
        """These languages, or all that have the split; raise `DataError` if one of them does not have it."""
        if missing := [code for code in requested if self.source(code, split) is None]:
            raise DataError(f"There is no {split} split in '{missing[0]}' in '{self.name}'; leave it out.")
        found = list(requested) or [code for code in LANGUAGES if self.source(code, split) is not None]
        if not found:
            raise DataError(f"'{self.name}' has no folder of a language with a file for the split {split}.")
        return found

    def source(self, language: str, split: str) -> str | None:
        """The data of a language and split; None if there are none."""
        paths = (Path(self.place, language, split + ending) for ending in _ENDINGS)
        return next((str(path) for path in paths if path.is_file()), None)

    def rows(
        self, languages: Sequence[str], split: str, limit: int | None = None, without: frozenset[str] = frozenset()
    ) -> LanguageRows:
        """The rows of several languages, at most `limit` of each, without the acts in `without`."""
        return LanguageRows(self, tuple(languages), split, limit, without)

    def numbers(self, split: str) -> frozenset[str]:
        """The CELEX numbers of all acts of a split, in any language."""
        sources = (self.source(code, split) for code in LANGUAGES)
        rows = (row for source in sources if source for row in Rows(source, split=split))
        return frozenset(row.celex for row in rows if isinstance(row, Row) and row.celex)

    def digest(self, language: str, split: str) -> str:
        """The digest of a split of a language; empty if there is none."""
        source = self.source(language, split)
        return "" if source is None else file_sha256(Path(source))

    def count(self, language: str, split: str) -> int:
        """The number of acts of a split of a language."""
        source = self.source(language, split)
        if source is None:
            return 0
        rows = Rows(source, split=split)
        return sum(isinstance(row, Row) for row in rows)


@dataclass(frozen=True, slots=True)
class LanguageRows:
    """The rows of several languages, one language after the other; can be iterated repeatedly."""

    corpus: Corpus
    languages: tuple[str, ...]
    split: str
    limit: int | None
    without: frozenset[str]

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        for language in self.languages:
            source = self.corpus.source(language, self.split)
            if source is None:
                raise DataError(f"There is no {self.split} split in '{language}' in '{self.corpus.name}'.")
            rows = (
                row for row in Rows(source, split=self.split) if isinstance(row, Row) and row.celex not in self.without
            )
            for row in islice(rows, self.limit):
                yield {CELEX: row.celex, ACT: row.text, SUMMARY: row.summary, LANGUAGE: language}
