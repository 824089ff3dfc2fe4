"""The cover line: in the act's language, with a date as that language writes it, and only with what is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.act.summary import Item, Summary
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.cover import cover, is_set_small, now, written_day
from lexlattice.rendering.phrases import phrases

DAYS = {
    "bg": "18 ноември 2026 г.",
    "cs": "18. listopadu 2026",
    "da": "18. november 2026",
    "de": "18. November 2026",
    "el": "18 Νοεμβρίου 2026",
    "en": "18 November 2026",
    "es": "18 de noviembre de 2026",
    "et": "18. november 2026",
    "fi": "18. marraskuuta 2026",
    "fr": "18 novembre 2026",
    "ga": "18 Samhain 2026",
    "hr": "18. studenoga 2026.",
    "hu": "2026. november 18.",
    "it": "18 novembre 2026",
    "lt": "2026 m. lapkričio 18 d.",
    "lv": "2026. gada 18. novembris",
    "mt": "18 ta’ Novembru 2026",
    "nl": "18 november 2026",
    "pl": "18 listopada 2026",
    "pt": "18 de novembro de 2026",
    "ro": "18 noiembrie 2026",
    "sk": "18. novembra 2026",
    "sl": "18. novembra 2026",
    "sv": "18 november 2026",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_format_has_the_cover_line_in_the_language_of_the_act(
    examples: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    act = read(examples / "short" / f"{language}.txt")
    items = tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in act.units[3:9])
    summary = Summary(act, 400, items)
    words = phrases(language)
    told = (
        *(words.extract, act.name, words.status["adopted"], words.made.format(date=DAYS[language])),
        "http://data.europa.eu/eli/reg_impl/2024/9001/oj",
    )
    assert "2024/9001" in act.name
    for format in ("text", "md", "html"):
        shown = " ".join(str(summary.render(format)).replace("\\", "").split())
        assert all(fact in shown for fact in told)
    assert len(set(cover(summary, celex=act.celex, day=act.date))) == len(told) + 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_are_written_as_the_language_writes_them(language: str) -> None:
    assert written_day(date(2026, 11, 18), language) == DAYS[language]


def test_what_is_unknown_is_left_out() -> None:
    act = read("Bees\n\nBees are free.\n", language="en")
    facts = cover(Summary(act, 9, ()), celex="", day="")
    assert facts == ("Extract", f"0 of {act.words} words", f"Made with LexLattice, {written_day(now().date(), 'en')}")


def test_the_time_is_that_of_the_clock_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert now() == datetime(1970, 1, 2, tzinfo=UTC)
    for wrong in ("", "soon", "-1", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        assert abs((datetime.now(UTC) - now()).total_seconds()) < 60


@pytest.mark.parametrize(
    ("title", "is_small"),
    [
        ("COUNCIL DIRECTIVE of 5 April 1993 ON UNFAIR TERMS IN CONSUMER CONTRACTS AND RELATED MATTERS", True),
        (
            "Council Directive 93/13/EEC of 5 April 1993 on unfair terms in consumer contracts and related matters",
            False,
        ),
        ("COUNCIL DIRECTIVE 93/13/EEC", False),
        ("Regulation on bees " * 40, True),
    ],
)
def test_long_titles_in_capitals_are_set_small(title: str, is_small: bool) -> None:
    act = replace(read("Article 1\n\nBees are free.\n", language="en"), title=title)
    assert is_set_small(act) == is_small
    assert ('<h1 class="small">' in Summary(act, 9, ()).to_html()) == is_small
