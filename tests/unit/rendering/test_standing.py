"""What kind of text an act's is stands at the head of every output, in the act's language."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lexlattice import read, summarize
from lexlattice.act.document import CUT_OFF, Act
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load
from lexlattice.rendering.outline import outline
from lexlattice.rendering.phrases import phrases
from lexlattice.rendering.status import notices, standing

CORRIGENDUM = "{name} 32024R9001\n\n(1) 17, 3, 5.\n\n(2) 19, 4, 6.\n"


def heads(act: Act) -> list[str]:
    """What each output has before its first provision."""
    summary = summarize(act)
    sheet = [block.text for block in outline(summary).pieces if block.kind in ("facts", "warning")]
    page = summary.to_html().partition("</header>")[0]
    return [" ".join(summary.to_text().split())[:1500], summary.to_markdown()[:1500], page, " ".join(sheet)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_act_as_adopted_says_so_in_its_language(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    assert (act.status, standing(act), notices(act)) == ("adopted", (phrases(language).status["adopted"],), ())
    assert all(phrases(language).status["adopted"] in head for head in heads(act))


def test_a_consolidated_text_says_of_which_day(examples: Path) -> None:
    act = read(examples / "formats" / "act.consolidated.html")
    assert standing(act) == ("Consolidated text: 2024-03-12",)
    said = [head.replace("\\", "") for head in heads(act)]
    assert all("Consolidated text: 2024-03-12" in head for head in said)
    assert all("02024R9001-20240312" in head for head in said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_that_is_cut_off_says_so_at_its_head_in_its_language(examples: Path, language: str) -> None:
    act = replace(read(examples / "short" / f"{language}.txt"), incomplete=True, warnings=(CUT_OFF,))
    assert notices(act) == (phrases(language).notices["cut_off"],)
    assert all(notices(act)[0] in head and CUT_OFF not in head for head in heads(act))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_corrigendum_says_so_in_its_language(language: str) -> None:
    name = min(word for word, kind in load(language).types if kind == "corrigendum")
    act = read(CORRIGENDUM.format(name=name.capitalize()), language=language)
    assert (act.status, standing(act)) == ("corrigendum", (phrases(language).status["corrigendum"],))


def test_an_act_no_longer_in_force_says_so_even_if_not_what_ended_it(examples: Path) -> None:
    act = replace(read(examples / "short" / "de.txt"), repealed="")
    assert (act.status, standing(act)) == ("repealed", (phrases("de").status["ended"],))
    assert notices(act) == (phrases("de").notices["ended"],)
    assert len(summarize(act)) == 0
    assert all(phrases("de").notices["ended"] in head for head in heads(act))


def test_of_a_text_of_which_nothing_is_known_nothing_is_said() -> None:
    assert standing(read("Hives and bees\n\nBees are free.\n", language="en")) == ()
