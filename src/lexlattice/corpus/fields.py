"""Data whose fields have other names than EUR-Lex-Sum's."""

from __future__ import annotations

from lexlattice.corpus.sources import ACT, FIELDS, SUMMARY
from lexlattice.errors import LexLatticeError


def parse_fields(text: str) -> dict[str, str]:
    """Names of fields as written on the command line: for each of ours that differs, theirs.

    >>> parse_fields("reference=text, celex_id=bill_id")
    {'reference': 'text', 'celex_id': 'bill_id'}
    """
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    fields = {ours.strip(): theirs.strip() for ours, _, theirs in pairs}
    if not fields or not all(fields.values()) or not fields.keys() <= {*FIELDS}:
        raise LexLatticeError(
            f"'{text}' does not say what the fields are called; write {ACT}=NAME,{SUMMARY}=NAME for those that have "
            f"other names ({', '.join(FIELDS)})."
        )
    return fields
