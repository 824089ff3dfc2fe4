"""Whether a text is consolidated, and as of which day: it shows the law as amended, only the Journal is authentic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.blocks import Block, Document, iso_day

NEAR_THE_TOP: Final = 12
"""Lines among which a page states what it is."""

_REFERENCE: Final = re.compile(
    r"\b0?[1-9]?(?:19|20)\d\d[A-Z]{1,2}\d{4}(?:\(\d\d\))?\s[—–-]\s[A-Z]{2}\s[—–-]\s(\d\d)\.(\d\d)\.(\d{4})\b"
)
"""The head of consolidated pages of any age: "1991R1534 — EN — 01.05.2004 — 001.001"."""


def consolidated_as_of(document: Document) -> str | None:
    """The day that a consolidated text shows, or nothing where it does not say; None for an act as it was adopted."""
    days = [day for day in (document.consolidated, _stated(document.blocks[:NEAR_THE_TOP])) if day is not None]
    return next(filter(None, days), "") if days else None


def _stated(blocks: Sequence[Block]) -> str | None:
    found = (_REFERENCE.search(block.text[:200]) for block in blocks)
    return next((iso_day(*match.group(3, 2, 1)) for match in found if match), None)
