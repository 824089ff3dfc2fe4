"""Every output of a truncated act says that it is incomplete; no output of a complete one does."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lexlattice import read, summarize
from lexlattice.act.document import CUT_OFF
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

ACT = """COUNCIL REGULATION (EC) No 12/2004
of 3 May 2004
on urban beehives
THE COUNCIL OF THE EUROPEAN UNION,
Having regard to the Treaty establishing the European Community,
Whereas:
(1) Bees are kept in ever more cities of the Union.
(2) Common rules are needed.
HAS ADOPTED THIS REGULATION:
Article 1
Whoever keeps bees in a city shall register the hives with the competent authority of the Member State.
Article 2
This Regulation shall enter into force on the day following its publication.
This Regulation shall be binding in its entirety and directly applicable in all Member States.
Done at Brussels, 3 May 2004.
For the Council
The President
A. BEE
ANNEX
1. A hive has a number that is painted on its front in letters that are not smaller than ten centimetres.
2. The number is that of the register, which the competent authority keeps for all hives of the Member State.
3. Hives without a number are moved out of the city by whoever keeps them, and at his or her own expense only.
4. The competent authority sees to it that the numbers can be read from the street and from the gardens at any time.
"""


def test_a_whole_act_is_complete() -> None:
    act = read(ACT)
    assert (act.incomplete, act.warnings) == (False, ())


@pytest.mark.parametrize(
    "end",
    [
        *("on urban beehives", "the European Community,", "ever more cities", "are needed.", "THIS REGULATION:"),
        *("Article 1", "the hives with", "the Member State.", "Article 2", "the day following", "its publication."),
        *("read from the street and from the gardens at", "by whoever keeps them,"),
    ],
)
def test_an_act_cut_off_anywhere_is_incomplete(end: str) -> None:
    act = read(ACT[: ACT.index(end) + len(end)] + "\n", language="en")
    assert act.incomplete
    assert CUT_OFF in act.warnings


def test_the_warning_is_at_the_top_of_every_output() -> None:
    summary = summarize(ACT[: ACT.index("its publication.")], language="en")
    notice = phrases("en").notices["cut_off"]
    assert summary.warnings[0] == notice
    assert CUT_OFF not in summary.warnings
    assert summary.to_text().index(notice[:40]) < summary.to_text().index(summary[0].citation)
    assert summary.to_markdown().index(notice) < summary.to_markdown().index(summary[0].text[:40])
    assert f'<p class="warning" role="alert">{notice}</p>' in summary.to_html().partition("</header>")[0]
    assert json.loads(summary.to_json())["incomplete"]


def test_an_act_whose_last_note_has_an_open_bracket_is_incomplete() -> None:
    notes = "(1) OJ L 1, 1.1.2099, p. 1.\n(2) Position of 3 May 2099 (not yet published"
    assert read(f"{ACT}\n{notes} anywhere).", language="en").incomplete is False
    assert read(f"{ACT}\n{notes}", language="en").incomplete


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_are_complete_until_they_are_cut(examples: Path, language: str) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8")
    assert not read(text).incomplete
    assert read(text[: len(text) // 3], language=language).incomplete


def test_a_page_that_was_not_fully_loaded_is_incomplete(examples: Path) -> None:
    page = (examples / "formats" / "act.consolidated.html").read_text("utf-8")
    assert not read(page.encode()).incomplete
    assert read(page[: len(page) * 2 // 3].encode()).incomplete


@pytest.mark.data
def test_complete_acts_are_complete_and_most_truncated_ones_are_not(data: Path) -> None:
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as rows:
        texts = [json.loads(row)["reference"] for row in rows][::4]
    assert [read(text, language="en").incomplete for text in texts] == [False] * len(texts)
    cut = [read(text[: len(text) // 2].encode(), language="en").incomplete for text in texts]
    assert sum(cut) >= 0.75 * len(cut)
