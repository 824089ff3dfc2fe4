"""A consolidated text says that it is one, and as of which day; an act as adopted never does."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import read

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
    assert act.warnings == (f"This is a consolidated text as of {day.isoformat()}.",)


def test_formex_states_the_day() -> None:
    act = read(FORMEX.format(day="19970210").encode(), language="en")
    assert act.warnings == ("This is a consolidated text as of 1997-02-10.",)


def test_without_a_day_it_is_still_a_consolidated_text() -> None:
    assert read(FORMEX.format(day="99999999").encode(), language="en").warnings == ("This is a consolidated text.",)
    page = f"1991L0015 — EN — 31.02.1997 — 001.001\n{ACT}"
    assert read(page, language="en").warnings == ("This is a consolidated text.",)


def test_an_act_as_adopted_says_nothing() -> None:
    assert read(ACT, language="en").warnings == ()
    mention = "It amends 31991L0015 of 1 May 1991."
    assert read(ACT + mention, language="en").warnings == ()


@pytest.mark.data
def test_the_warning_comes_for_all_consolidated_files_and_for_no_other(data: Path) -> None:
    consolidated = 0
    for path in (data / "acts" / "raw").glob("*/*/*"):
        said = [warning for warning in read(path).warnings if "consolidated" in warning]
        if path.is_dir() or re.search("<title>(Consolidated TEXT|TEXTE consolid)", path.read_text("utf-8")[:2000]):
            assert said == [f"This is a consolidated text as of {path.parent.name}."], path
            consolidated += 1
        else:
            assert said == [], path
    assert consolidated > 25
