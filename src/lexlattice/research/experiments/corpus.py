"""A corpus in several languages: a folder per language, or a data set on the hub with a configuration per language."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lexlattice.errors import DataError
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.evaluation.sources import ACT, CELEX, LANGUAGE, SUMMARY, configurations
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load

SPLITS: Final = ("train", "validation", "test")
_ENDINGS: Final = (".jsonl.gz", ".jsonl", ".parquet")
_HUB: Final = "hf:"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder with `LANGUAGE/SPLIT.jsonl.gz` (or `.jsonl`, `.parquet`), or `hf:NAME`."""

    place: str

    @classmethod
    def named(cls, name: str) -> Corpus:
        """Find a corpus: a folder, also below the data folder (`LEXLATTICE_DATA`), or `hf:NAME`."""
        if name.startswith(_HUB):
            return cls(name)
        folders = [Path(name), *(Path(data) / name for data in [os.environ.get("LEXLATTICE_DATA")] if data)]
        for folder in folders:
            if folder.is_dir():
                return cls(str(folder))
        raise DataError(f"There is no folder '{name}'; name another, or set LEXLATTICE_DATA to its parent folder.")

    @property
    def name(self) -> str:
        """The name for tables, without paths of this machine."""
        return self.place if self._is_on_hub else Path(self.place).name

    def languages(self, requested: Sequence[str] = (), split: str = "validation") -> list[str]:
        """These languages, or all that have the split; raise `DataError` if one of them does not have it."""
        if missing := [code for code in requested if self.source(code, split) is None]:
            raise self.missing(split, missing[0])
        found = list(requested) or [code for code in LANGUAGES if self.source(code, split) is not None]
        if not found:
            raise self.missing(split)
        return found

    def missing(self, split: str, language: str = "") -> DataError:
        """The error for a split that is not there, in one language or in all."""
        where = f"in '{language}'" if language else "in any language"
        return DataError(
            f"'{self.name}' has no {split} split {where}; download it with `lexlattice data get eur-lex-sum`, or use "
            "other languages or another split with --languages or --split."
        )

    def source(self, language: str, split: str) -> str | None:
        """The data of a language and split; None if there are none."""
        if self._is_on_hub:
            name = load(language).name.lower()
            return f"{self.place}:{name}:{split}" if name in configurations(self.place) else None
        paths = (Path(self.place, language, split + ending) for ending in _ENDINGS)
        return next((str(path) for path in paths if path.is_file()), None)

    def rows(
        self, languages: Sequence[str], split: str, limit: int | None = None, without: frozenset[str] = frozenset()
    ) -> LanguageRows:
        """The rows of several languages, at most `limit` of each, without the acts in `without`.

        With a limit, rows are spread evenly over the split: files are often sorted, such as by year.
        """
        return LanguageRows(self, tuple(languages), split, limit, without)

    def pairs(self, acts: str, summaries: str, split: str) -> list[Mapping[str, object]]:
        """The rows of a language with its summaries, and the acts in another language; an act may be missing there."""
        sources = [self.source(code, split) for code in (acts, summaries)]
        if missing := [code for code, source in zip((acts, summaries), sources, strict=True) if source is None]:
            raise self.missing(split, missing[0])
        versions, rows = (list(Rows(source or "", split=split)) for source in sources)
        texts = {row.celex: row.text for row in versions if isinstance(row, Row) and row.celex}
        found: list[Mapping[str, object]] = [{} for _ in range(max((row.line for row in rows), default=0))]
        for row in rows:  # each on its own line, so that results can be matched with the data
            if isinstance(row, Row):
                found[row.line - 1] = {CELEX: row.celex, ACT: texts.get(row.celex, ""), SUMMARY: row.summary}
        return found

    def numbers(self, split: str) -> frozenset[str]:
        """The CELEX numbers of all acts of a split, in any language."""
        sources = (self.source(code, split) for code in LANGUAGES)
        rows = (row for source in sources if source for row in Rows(source, split=split))
        return frozenset(row.celex for row in rows if isinstance(row, Row) and row.celex)

    def digest(self, language: str, split: str) -> str:
        """The digest of a split of a language; empty if there is none."""
        source = self.source(language, split)
        if source is None:
            return ""
        if not self._is_on_hub:
            with Path(source).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        content = hashlib.sha256()
        for row in Rows(source, split=split):
            content.update(repr(row).encode("utf-8", "replace"))
        return content.hexdigest()

    @property
    def _is_on_hub(self) -> bool:
        return self.place.startswith(_HUB)

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

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        for language in self.languages:
            total = sum(1 for _ in self._rows(language)) if self.limit is not None else 0
            for place, row in enumerate(self._rows(language)):
                if self.limit is None or _is_chosen(place, total, self.limit):
                    yield {CELEX: row.celex, ACT: row.text, SUMMARY: row.summary, LANGUAGE: language}

    def _rows(self, language: str) -> Iterator[Row]:
        source = self.corpus.source(language, self.split)
        if source is None:
            raise self.corpus.missing(self.split, language)
        for row in Rows(source, split=self.split):
            if isinstance(row, Row) and row.celex not in self.without:
                yield row


def _is_chosen(place: int, total: int, limit: int) -> bool:
    """Whether a place is one of `limit` places that are spread evenly over `total`.

    >>> [place for place in range(10) if _is_chosen(place, 10, 3)]
    [3, 6, 9]
    """
    return limit >= total or (place + 1) * limit // total > place * limit // total
