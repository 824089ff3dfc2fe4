"""A consolidated text has a date and names what repealed the act; an act as adopted has neither."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import read, summarize
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load
from lexlattice.rendering.phrases import phrases

ACT = """COUNCIL DIRECTIVE 91/15/EEC
of 31 May 1991
on something
Article 1
Member States shall act.
"""
FORMEX = """<CONS.ACT><INFO.CONSLEG START.DATE="{day}"/><CONS.DOC>
<TITLE><TI><P>COUNCIL DIRECTIVE 91/15/EEC</P></TI></TITLE>
<ENACTING.TERMS><ARTICLE><TI.ART>Article 1</TI.ART><ALINEA>Member States shall act.</ALINEA></ARTICLE></ENACTING.TERMS>
</CONS.DOC></CONS.ACT>"""


@given(st.dates(date(1951, 1, 1), date(2099, 12, 31)), st.sampled_from(["1991L0015", "01991L0015", "31991L0015"]))
def test_the_head_of_a_page_states_the_day(day: date, name: str) -> None:
    act = read(f"{name} — EN — {day:%d.%m.%Y} — 001.001\n{ACT}", language="en")
    assert (act.consolidated, act.celex, act.warnings) == (day.isoformat(), "31991L0015", ())
    assert act.consolidated_celex == f"01991L0015-{day:%Y%m%d}"


def test_formex_states_the_day() -> None:
    act = read(FORMEX.format(day="19970210").encode(), language="en")
    assert (act.status, act.consolidated) == ("consolidated", "1997-02-10")


@pytest.mark.parametrize("day", ["1" * 20, "20130701" + "1" * 5000, "2013" + "٣" * 20, "²" * 8, "99999999"])
def test_an_impossible_day_is_no_day(day: str) -> None:
    act = read(FORMEX.format(day=day).encode(), language="en")
    assert (act.status, act.consolidated) == ("consolidated", "")


def test_without_a_day_it_is_still_a_consolidated_text() -> None:
    act = read(FORMEX.format(day="99999999").encode(), language="en")
    assert (act.status, act.consolidated, act.consolidated_celex) == ("consolidated", "", "")
    page = f"1991L0015 — EN — 31.02.1997 — 001.001\n{ACT}"
    assert read(page, language="en").consolidated == ""


def test_an_act_as_adopted_is_not_consolidated() -> None:
    act = read(ACT, language="en")
    assert (act.status, act.consolidated, act.consolidated_celex, act.warnings) == ("adopted", None, "", ())
    mention = "It amends 31991L0015 of 1 May 1991."
    assert read(ACT + mention, language="en").consolidated is None


PAGE = """<html><body><p class="reference">01991L0015 — {code} — 01.03.2001 — 002.001</p>
<p class="disclaimer">This is a tool.</p>
<table><tr><td><p class="modref">►B</p></td><td><p class="title-doc-first">{title}</p>
<p class="title-doc-oj-reference">(OJ L 12, 1.6.1991, p. 3)</p></td></tr></table>
<p class="hd-modifiers">{opener}:</p>
<table><tr><td><p class="title-fam-member">Regulation (EC) No 7/2001</p></td>
<td><p class="title-fam-member-ref-1">L 77</p></td><td><p class="title-fam-member-ref-2">9</p></td>
<td><p class="title-fam-member-ref-2">28.2.2001</p></td></tr></table>
{rest}</body></html>"""
WHOLE = """<p class="title-doc-first">COUNCIL DIRECTIVE 91/15/EEC of 31 May 1991 on hives</p>
<p class="title-article-norm">Article 1</p><p class="norm">Directive 80/1/EEC is repealed by this Directive.</p>"""
TITLE = "COUNCIL DIRECTIVE 91/15/EEC of 31 May 1991 on hives"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_repealed_act_names_what_repealed_it_and_has_no_summary(language: str) -> None:
    opener = load(language).written["repealed"][0].capitalize()
    act = read(PAGE.format(code=language.upper(), title=TITLE, opener=opener, rest="").encode(), language=language)
    assert (act.status, act.repealed, act.celex) == ("repealed", "Regulation (EC) No 7/2001", "31991L0015")
    assert [unit.text for unit in act] == [TITLE]
    assert act.warnings == ()
    summary, words = summarize(act), phrases(language)
    assert len(summary) == 0
    said = f"{words.status['repealed'].format(act='Regulation (EC) No 7/2001')}. {words.notices['ended']}"
    assert summary.warnings == (said,)
    assert said in " ".join(summary.to_text().split())


def test_amending_acts_and_acts_it_repeals_do_not_repeal_an_act() -> None:
    page = PAGE.format(code="EN", title=TITLE, opener="Amended by", rest=WHOLE)
    act = read(page.encode())
    assert (act.status, act.repealed) == ("consolidated", None)
    assert len(summarize(act)) == 1


def test_a_consolidated_text_without_provisions_has_no_summary_and_no_junk() -> None:
    act = read(PAGE.format(code="EN", title=TITLE, opener="Ended by", rest="").encode())
    assert [unit.text for unit in act] == [TITLE]
    assert (act.status, act.incomplete) == ("consolidated", False)
    assert summarize(act).warnings == (phrases("en").notices["empty"],)


def test_plain_text_states_that_it_is_consolidated() -> None:
    page = (
        f"1991L0015 — EN — 01.03.2001 — 002.001\n{TITLE}\nRepealed by: Regulation (EC) No 7/2001\nL 77\n9\n28.2.2001\n"
    )
    assert (read(page).repealed, len(read(page))) == ("Regulation (EC) No 7/2001", 1)


@pytest.mark.data
def test_repealed_files_name_what_repealed_them(data: Path) -> None:
    for act, by in (("32001R0044/2015-01-10", "1215/2012"), ("32014R1030/2021-06-28", "2021/1018")):
        for name in ("en.html", "fr.html"):
            read_act = read(data / "acts" / "hard" / act / name)
            assert by in (read_act.repealed or ""), (act, name)
            assert {unit.kind for unit in read_act} == {"title"}
            assert len(summarize(read_act)) == 0


@pytest.mark.data
def test_exactly_the_consolidated_files_are_consolidated(data: Path) -> None:
    consolidated = 0
    for path in (data / "acts" / "raw").glob("*/*/*"):
        act, celex = read(path), path.parts[-3]
        assert act.celex == celex, path
        if path.is_dir() or re.search("<title>(Consolidated TEXT|TEXTE consolid)", path.read_text("utf-8")[:2000]):
            assert act.consolidated == path.parent.name
            assert act.consolidated_celex == f"0{celex[1:]}-{path.parent.name.replace('-', '')}"
            consolidated += 1
        else:
            assert act.consolidated is None, path
    assert consolidated > 25


def test_the_last_annex_of_a_consolidated_text_is_kept_if_it_is_headed_like_a_title() -> None:
    page = """<html><body><p class="reference">02024R9001 — EN — 10.01.2025 — 001.001</p>
    <p class="doc-ti">REGULATION (EU) 2024/9001</p><p class="ti-art">Article 1</p><p>Bees are free.</p>
    <p class="doc-ti">ANNEX</p><p>Bees of the East and of the West</p></body></html>"""
    act = read(page)
    assert act.consolidated == "2025-01-10"
    assert act["anx"].text == "Bees of the East and of the West"
