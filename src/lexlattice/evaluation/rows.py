"""Rows of a summarization data set: acts with the summaries that people wrote of them.

The fields are those of EUR-Lex-Sum. A row that cannot be used is named, with its line and what is wrong, and never
dropped in silence: a mean over "the validation set" says nothing if nobody knows how many acts are in it.
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
    """Where it stands: the line of a file, or the number of the row where there are no lines; from 1."""
    celex: str
    """Empty where the data does not say."""
    text: str
    summary: str
    language: str | None
    """Two letters; none where the data does not say."""
    original: str = ""
    """The act in the language that gold annotations are in, where that is another; empty where the data has none."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used."""

    line: int
    celex: str
    """Empty where not even that can be read."""
    reason: str
    """One sentence: what is wrong."""
    is_end: bool = False
    """Whether the data are damaged here, so that nobody knows what came after."""


class Rows:
    """Every row of a data set in its order, never more than a few of them in memory.

    `source` is a file (JSON Lines, gzipped or not, or Parquet), a folder that `save_to_disk` of Hugging Face's
    `datasets` wrote, `hf:NAME[@REVISION][:CONFIG[:SPLIT]]` for what its `load_dataset` takes, or an iterable of
    mappings. `split` is the one to take where there are several and `source` names none. `fields` has, for each of our
    names that the data do not use, theirs. A source that cannot be opened is a `LexLatticeError` at once, before the
    first row.

    >>> list(Rows([{"celex_id": "32016R0679", "reference": "", "summary": "Data protection."}]))
    [BadRow(line=1, celex='32016R0679', reason="The act is empty (field 'reference').", is_end=False)]
    """

    def __init__(self, source: Source, *, split: str = SPLIT, fields: Mapping[str, str] | None = None) -> None:
        self._names = {name: name for name in FIELDS} | dict(fields or {})
        self._records = open_source(source, split, self._names.values())

    def __iter__(self) -> Iterator[Row | BadRow]:
        return (_row(line, record, self._names) for line, record in enumerate(self._records, 1) if record != b"")

    def count(self) -> int | None:
        """How many there will be, good and bad; none where only reading them all in earnest would tell."""
        return len(self._records) if isinstance(self._records, Sized) else None


def _row(line: int, record: object, names: Mapping[str, str]) -> Row | BadRow:
    """What a record means; `names` has for each of our fields what the data call it."""
    if isinstance(record, bytes):
        record = _parsed(record)
    if isinstance(record, Broken):
        return BadRow(line, "", record.reason, record.is_end)
    if not isinstance(record, Mapping):
        return BadRow(line, "", "The row is not an object with named fields.")
    act, summary, celex, language, original = (
        record.get(names[field]) for field in (ACT, SUMMARY, CELEX, LANGUAGE, ORIGINAL)
    )
    if fault := _fault(record, names):
        return BadRow(line, celex if isinstance(celex, str) and _is_text(celex) else "", fault)
    return Row(line, str(celex or ""), str(act), str(summary), _language(language), str(original or ""))


def _parsed(line: bytes) -> object:
    try:
        parsed: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Broken(f"The line is not UTF-8, from byte {error.start + 1} on.")
    except json.JSONDecodeError as error:
        return Broken(f"The line is not JSON, from character {error.pos + 1} on.")
    except (ValueError, RecursionError):
        return Broken("The line is JSON with a number too long or brackets too deep to be read.")
    return parsed


def _fault(record: Mapping[str, object], names: Mapping[str, str]) -> str:
    """What keeps a record from being a row; empty if nothing does."""
    for field in (ACT, SUMMARY, CELEX, ORIGINAL):
        name = names[field]
        value = record.get(name)
        if value is None and field in (CELEX, ORIGINAL):
            continue
        if value is None:
            return f"The field '{name}' is missing."
        if not isinstance(value, str):
            return f"The field '{name}' is not a string."
        if not _is_text(value):
            return f"The field '{name}' has half a character (a lone surrogate)."
    for field, what in ((ACT, "act"), (SUMMARY, "summary")):
        if not str(record[names[field]]).strip():
            return f"The {what} is empty (field '{names[field]}')."
    return ""


def _is_text(value: str) -> bool:
    """JSON can escape half of a character; what has one cannot be written to any file."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _language(value: object) -> str | None:
    """A code as it is, in lower case; of anything else the text itself will tell more."""
    return value.lower() if isinstance(value, str) and _CODE.fullmatch(value) else None


# Data whose fields have other names than EUR-Lex-Sum's.


def parse_fields(text: str) -> dict[str, str]:
    """Names of fields as written on the command line: for each of ours that differs, theirs.

    >>> parse_fields("reference=text, celex_id=bill_id")
    {'reference': 'text', 'celex_id': 'bill_id'}
    """
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    fields = {ours.strip(): theirs.strip() for ours, _, theirs in pairs}
    if not fields or not all(fields.values()) or not fields.keys() <= {*FIELDS}:
        raise OptionError(
            f"'{text}' does not say what the fields are called; write {ACT}=NAME,{SUMMARY}=NAME for those that have "
            f"other names ({', '.join(FIELDS)})."
        )
    return fields


# The act of a row, read as whoever goes through a data set reads it.


def act_of(row: Row, profile: str, language: str | None) -> Act | BadRow:
    """The act, or why the row cannot be used; a language that is given goes before the row's own."""
    try:
        text = f"{row.text}\n"  # a single line might be taken for a path or a URL
        act = read(text, language=language or row.language, profile=profile, format="text")
    except LexLatticeError as error:
        return BadRow(row.line, row.celex, str(error))
    return act if act.units else BadRow(row.line, row.celex, "No unit was found in the act.")
