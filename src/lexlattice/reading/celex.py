"""CELEX numbers in one form: that of the act itself, whatever was written; a consolidated text has one beside it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from lexlattice.reading.blocks import iso_day

_ACT: Final = re.compile(
    r"(?P<sector>[0-9])?(?P<year>(?:19|20)?[0-9]{2})(?P<kind>[A-Z]{1,2})(?P<number>[0-9]{4})(?P<rest>(?:R?\([0-9]{2}\))*)"
    r"(?:-(?P<day>[0-9]{8}))?"
)
_FIRST_CENTURY_OF_TWO: Final = 50
"""Two digits of a year from this number on are of the twentieth century; the first treaty is of 1951."""
_SECTORS: Final = {"A": "2"}
"""Agreements with others have a sector of their own; whatever else is consolidated is legislation."""
_LEGISLATION: Final = "3"


class Celex(NamedTuple):
    """The number of an act, and of a consolidated text of it the day, which is empty where the number has none."""

    act: str
    consolidated: str | None = None


def normalize_celex(written: str) -> Celex:
    """The number of the act itself; what is no number of a piece of legislation is left as it is.

    >>> normalize_celex("301R0044").act, normalize_celex("399L0059").act, normalize_celex("32013R0575R(04)").act
    ('32001R0044', '31999L0059', '32013R0575R(04)')
    >>> normalize_celex("02014R1030-20210628"), normalize_celex("12012M/TXT").act
    (Celex(act='32014R1030', consolidated='2021-06-28'), '12012M/TXT')
    """
    number = written.strip().upper().removeprefix("CELEX:")
    match = _ACT.fullmatch(number)
    if match is None or (match["sector"] is None and len(match["year"]) == 2):
        return Celex(number)
    year, sector = match["year"], match["sector"] or "0"
    if len(year) == 2:
        year = f"{'19' if int(year) >= _FIRST_CENTURY_OF_TWO else '20'}{year}"
    is_consolidated = sector == "0"
    if is_consolidated:
        sector = _SECTORS.get(match["kind"], _LEGISLATION)
    day = match["day"] or ""
    return Celex(
        f"{sector}{year}{match['kind']}{match['number']}{match['rest']}",
        iso_day(day[:4], day[4:6], day[6:]) if day else "" if is_consolidated else None,
    )


def consolidated_celex(act: str, day: str | None) -> str:
    """The number of a consolidated text of an act; empty where number or day are not known.

    >>> consolidated_celex("32014R1030", "2021-06-28"), consolidated_celex("32014R1030", "")
    ('02014R1030-20210628', '')
    """
    return f"0{act[1:]}-{day.replace('-', '')}" if day and _ACT.fullmatch(act) else ""
