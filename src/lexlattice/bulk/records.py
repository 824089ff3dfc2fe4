"""Rows of a data set → entries. A row that holds no act is an entry too, with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from lexlattice.bulk.entry import Entry
from lexlattice.corpus.sources import ACT, CELEX, LANGUAGE, SUMMARY, Broken
from lexlattice.reading.formats import MAX_BYTES

COLUMNS: Final = (ACT, SUMMARY, CELEX, LANGUAGE)
"""What is read of a row."""


def entries_of(name: str, records: Iterable[object], fields: Mapping[str, str]) -> Iterator[Entry]:
    """An entry for each record that is not blank, by its line; `fields` has what rows call those with other names."""
    for line, record in enumerate(records, 1):
        if record != b"":
            yield _entry(f"{name}:{line}", record, fields)


def _entry(source: str, record: object, fields: Mapping[str, str]) -> Entry:
    if isinstance(record, bytes):
        try:
            record = json.loads(record)
        except (ValueError, RecursionError):
            record = Broken("The line is not JSON in UTF-8.")
    if isinstance(record, Broken):
        return Entry(source, fault=record.reason)
    if not isinstance(record, Mapping):
        return Entry(source, fault="The row is not an object with named fields.")
    values = {name: record.get(fields.get(name, name)) for name in COLUMNS}
    if wrong := [name for name, value in values.items() if not isinstance(value, str | None)]:
        return Entry(source, fault=f"The field '{fields.get(wrong[0], wrong[0])}' is not a string.")
    text, summary, celex, language = (str(value or "") for value in values.values())
    known = Entry(source, celex=celex, language=language.lower(), summary=summary)
    if not text.strip():
        return replace(known, fault=f"The act is empty (field '{fields.get(ACT, ACT)}').")
    content = text.encode("utf-8", "replace")
    if len(content) + len(summary) > MAX_BYTES:
        return replace(known, summary="", fault=f"The row is larger than {MAX_BYTES // 1_000_000} MB, which no act is.")
    return replace(known, content=content, is_text=True)
