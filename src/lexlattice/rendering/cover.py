"""The cover line of every export: of which act it is an extract, how long, in which version, when made, and the ELI."""

from __future__ import annotations

import os
import re
from datetime import UTC, date, datetime
from typing import Final

from lexlattice.act.document import Act
from lexlattice.act.summary import Summary
from lexlattice.reading.languages.grammar import LANGUAGES, raw
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import standing

_EPOCH: Final = "SOURCE_DATE_EPOCH"
"""The environment variable that sets the time of reproducible builds, in seconds since 1970."""
_MANY_LETTERS: Final = 60
"""Letters of a title in capitals, and …"""
_VERY_MANY_LETTERS: Final = 300
"""… of any title, from which on it is set small."""


def cover(summary: Summary, *, celex: str, day: str, language: str = "") -> tuple[str, ...]:
    """The facts of the cover line, in the act's language; those that are unknown are left out.

    Args:
        summary: The summary.
        celex: The CELEX number as the format shows it.
        day: The date of the act as the format shows it.
        language: The language as the format shows it.

    """
    act, words = summary.act, phrases(summary.act.language)
    length = words.words.format(words=summary.words, total=act.words)
    made = words.made.format(date=written_day(now().date(), words.language))
    facts = (words.extract, act.name, celex, day, language, *standing(act), length, made, act.eli())
    return tuple(fact for fact in facts if fact)


def now() -> datetime:
    """The time at which an export is made, in UTC; the one in `SOURCE_DATE_EPOCH` if that is set."""
    seconds = os.environ.get(_EPOCH, "")
    if re.fullmatch(r"[0-9]{1,11}", seconds):
        return datetime.fromtimestamp(int(seconds), UTC)
    return datetime.now(UTC).replace(microsecond=0)


def written_day(day: date, language: str) -> str:
    """A date as the language writes it.

    >>> day = date(2026, 11, 18)
    >>> written_day(day, "en"), written_day(day, "hu"), written_day(day, "xx")
    ('18 November 2026', '2026. november 18.', '2026-11-18')
    """
    if language not in LANGUAGES:
        return day.isoformat()
    dates = raw(language)["dates"]
    written: str = dates["written"].format(day=day.day, month=dates["months"][day.month - 1], year=day.year)
    return written


def is_set_small(act: Act) -> bool:
    """Whether the title is too long for large letters: in capitals, as those of old acts are, or very long."""
    letters = [letter for letter in act.title if letter.isalpha()]
    capitals = sum(map(str.isupper, letters))
    return len(letters) > _VERY_MANY_LETTERS or (len(letters) > _MANY_LETTERS and 2 * capitals > len(letters))
