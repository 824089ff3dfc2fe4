"""CELEX numbers are normalized to the number of the act, for consolidated texts too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import read
from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.structure.metadata import bare_title

FORMEX = """<CONS.ACT><INFO.CONSLEG START.DATE="20020301"/><CONS.DOC><BIB.DATA><NO.CELEX>{celex}</NO.CELEX></BIB.DATA>
<TITLE><TI><P>COUNCIL REGULATION (EC) No 44/2001</P></TI></TITLE><ENACTING.TERMS><ARTICLE><TI.ART>Article 1</TI.ART>
<ALINEA>Member States shall act.</ALINEA></ARTICLE></ENACTING.TERMS></CONS.DOC></CONS.ACT>"""


@pytest.mark.parametrize(
    ("written", "act", "day"),
    [
        ("301R0044", "32001R0044", None),
        ("308R0300", "32008R0300", None),
        ("399L0059", "31999L0059", None),
        ("372R1408", "31972R1408", None),
        ("32001R0044", "32001R0044", None),
        ("02014R1030", "32014R1030", ""),
        ("2014R1030", "32014R1030", ""),
        ("02014R1030-20210628", "32014R1030", "2021-06-28"),
        ("02000A1215(01)-20100101", "22000A1215(01)", "2010-01-01"),
        ("32013R0575R(04)", "32013R0575R(04)", None),
        ("22019A0128(01)", "22019A0128(01)", None),
        ("celex:32016r0679", "32016R0679", None),
        *(
            (same, same, None)
            for same in ("12012E067", "12012M/TXT", "62004TJ0201", "52021PC0206", "C2022/114A/01", "")
        ),
    ],
)
def test_every_form_is_normalized(written: str, act: str, day: str | None) -> None:
    assert normalize_celex(written) == (act, day)


@given(st.text(max_size=40))
def test_a_normalized_number_stays_as_it_is(text: str) -> None:
    once = normalize_celex(text).act
    assert normalize_celex(once).act == once


@pytest.mark.parametrize("celex", ["301R0044", "02001R0044", "02001R0044-20020301", "32001R0044"])
def test_a_file_may_state_any_form(celex: str) -> None:
    act = read(FORMEX.format(celex=celex).encode(), language="en")
    assert (act.celex, act.consolidated, act.consolidated_celex) == ("32001R0044", "2002-03-01", "02001R0044-20020301")


@pytest.mark.parametrize(
    "around",
    ["{}", "►M1 {}", "{} (1)", "{} (*)", "L 236 33 {}", "{} L 351", "▼B {} ◄", "►(1) M2 {} (2) ◄", "{} L 12 1"],
)
def test_a_title_does_not_include_what_the_page_adds(around: str) -> None:
    for title in (
        "Council Regulation (EC) No 44/2001 on judgments (recast)",
        "Regulation (EU) 2016/679",
        "Règlement n° 4",
    ):
        assert bare_title(around.format(title)) == title
