"""Rows of a summarization data set: acts with their official summaries.

The fields are those of EUR-Lex-Sum. A row that cannot be used is reported with its line and the reason, never dropped
silently: a mean over "the validation set" means little if the number of acts in it is unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Final

from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError, OptionError
from lexlattice.evaluation.sources import (
    ACT,
    CELEX,
    FIELDS,
    LANGUAGE,
    ORIGINAL,
    SPLIT,
    SUMMARY,
    Broken,
    Source,
    open_source,
)
from lexlattice.reading import read

_CODE: Final = re.compile("[A-Za-z]{2}")


@dataclass(frozen=True, slots=True)
class Row:
    """An act and its summary."""

    line: int
    """The line of the file, or the number of the row in other sources; from 1."""
    celex: str
    """Empty if unknown."""
    text: str
    summary: str
    language: str | None
    """Two letters; None if unknown."""
    original: str = ""
    """The act in the language of its gold annotation, if `text` is in another; else empty."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used."""

    line: int
    celex: str
    """Empty if unknown."""
    reason: str
    """One sentence."""
    is_end: bool = False
    """Whether the data are damaged here, so that all following rows are lost."""


class Rows:
    """The rows of a data set in order, read lazily.

    Args:
        source: A file (JSON Lines, gzipped or not, or Parquet), a folder written by `save_to_disk` of Hugging Face's
            `datasets`, `hf:NAME[@REVISION][:CONFIG[:SPLIT]]` for `load_dataset`, or an iterable of mappings.
        split: The split to use if the source has several and does not name one.
        fields: For each field with another name than EUR-Lex-Sum's, its name in the data.

    Raises:
        DataError: The source cannot be opened; raised at once, before the first row.

    >>> list(Rows([{"celex_id": "32016R0679", "reference": "", "summary": "Data protection."}]))
    [BadRow(line=1, celex='32016R0679', reason="The act is empty (field 'reference').", is_end=False)]

    """

    def __init__(self, source: Source, *, split: str = SPLIT, fields: Mapping[str, str] | None = None) -> None:
        self._names = {name: name for name in FIELDS} | dict(fields or {})
        self._records = open_source(source, split, self._names.values())

    def __iter__(self) -> Iterator[Row | BadRow]:
        return (_row(line, record, self._names) for line, record in enumerate(self._records, 1) if record != b"")

    def count(self) -> int | None:
        """The number of rows, good and bad; None if it is unknown without reading them all."""
        return len(self._records) if isinstance(self._records, Sized) else None


def _row(line: int, record: object, names: Mapping[str, str]) -> Row | BadRow:
    """Convert a record to a row; `names` maps EUR-Lex-Sum's fields to those of the data."""
    if isinstance(record, bytes):
        record = parse_line(record)
    if isinstance(record, Broken):
        return BadRow(line, "", record.reason, record.is_end)
    if not isinstance(record, Mapping):
        return BadRow(line, "", "The row is not an object with named fields.")
    act, summary, celex, language, original = (
        record.get(names[field]) for field in (ACT, SUMMARY, CELEX, LANGUAGE, ORIGINAL)
    )
    if problem := _problem(record, names):
        return BadRow(line, celex if isinstance(celex, str) and is_text(celex) else "", problem)
    return Row(line, str(celex or ""), str(act), str(summary), _language(language), str(original or ""))


def parse_line(line: bytes) -> object:
    """Parse a line of JSON Lines; `Broken` says why it cannot be read."""
    try:
        parsed: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Broken(f"The line is not UTF-8, from byte {error.start + 1} on.")
    except json.JSONDecodeError as error:
        return Broken(f"The line is not JSON, from character {error.pos + 1} on.")
    except (ValueError, RecursionError):
        return Broken("The line is JSON with a number too long or brackets too deep to be read.")
    return parsed


def _problem(record: Mapping[str, object], names: Mapping[str, str]) -> str:
    """The reason why a record cannot be used; empty if it can."""
    for field in (ACT, SUMMARY, CELEX, ORIGINAL):
        name = names[field]
        value = record.get(name)
        if value is None and field in (CELEX, ORIGINAL):
            continue
        if value is None:
            return f"The field '{name}' is missing."
        if not isinstance(value, str):
            return f"The field '{name}' is not a string."
        if not is_text(value):
            return f"The field '{name}' contains half a character (a lone surrogate)."
    for field, what in ((ACT, "act"), (SUMMARY, "summary")):
        if not str(record[names[field]]).strip():
            return f"The {what} is empty (field '{names[field]}')."
    return ""


def is_text(value: str) -> bool:
    """Whether a string can be encoded; JSON can contain lone surrogates, which cannot."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _language(value: object) -> str | None:
    """A two-letter code in lower case; None for anything else, so that the language is detected."""
    return value.lower() if isinstance(value, str) and _CODE.fullmatch(value) else None


def parse_fields(text: str) -> dict[str, str]:
    """Parse the names of fields on the command line: `OURS=THEIRS`, separated by commas.

    >>> parse_fields("reference=text, celex_id=bill_id")
    {'reference': 'text', 'celex_id': 'bill_id'}
    """
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    fields = {ours.strip(): theirs.strip() for ours, _, theirs in pairs}
    if not fields or not all(fields.values()) or not fields.keys() <= {*FIELDS}:
        raise OptionError(
            f"'{text}' does not name fields; write {ACT}=NAME,{SUMMARY}=NAME for those with "
            f"other names ({', '.join(FIELDS)})."
        )
    return fields


def act_of(row: Row, profile: str, language: str | None) -> Act | BadRow:
    """Read the act of a row; `language` overrides the row's. A `BadRow` says why it cannot be read."""
    try:
        text = f"{row.text}\n"  # so that a single line is not taken for a path or a URL
        act = read(text, language=language or row.language, profile=profile, format="text")
    except LexLatticeError as error:
        return BadRow(row.line, row.celex, str(error))
    return act if act.units else BadRow(row.line, row.celex, "No unit was found in the act.")
