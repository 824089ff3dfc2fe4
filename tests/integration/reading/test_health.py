"""The diagnostics find each kind of problem, and none in a good act."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice import Act, read
from lexlattice.act.document import Furniture, Section, Unit
from lexlattice.reading.structure.health import FINDINGS, LONG_UNIT, SHOWN, Finding, Health, health

SOUND = """COMMISSION REGULATION (EU) 2024/9002
of 12 March 2024
on lamps
THE EUROPEAN COMMISSION,
Whereas:
(1) Lamps should be switched off by day.
(2) Lamps should be switched on by night.
HAS ADOPTED THIS REGULATION:
Article 1
Lamps shall be switched off by day.
Article 2
Lamps shall be switched on by night.
Article 2a
Lamps may be switched on at dusk.
Article 3
This Regulation shall enter into force on the day following its publication.
"""


def unit(path: str, text: str = "Some text.", kind: str = "paragraph", citation: str = "") -> Unit:
    """A unit with an id; `made` sets its position."""
    return Unit(path, path, 0, 0, kind, "", citation or path, text, 0, len(text), len(text.split()))


def made(*sections: tuple[str, str, list[Unit]]) -> Act:
    """An act of sections given by kind, number and units, as the parser might return it."""
    parts, source, names = [], "", {"article": "Article", "annex": "Annex"}
    for index, (kind, number, units) in enumerate(sections):
        placed = []
        for position, one in enumerate(units):
            start = len(source)
            source += one.text + "\n"
            end = start + len(one.text)
            placed.append(one._replace(section=index, position=position, start=start, end=end))
        label = f"{names[kind]} {number}" if kind in names else ""
        parts.append(Section(index, kind, number, label, "", (), tuple(placed)))
    return Act("", "", "", "", "en", "provisions", tuple(parts), (), source)


def article(number: str, container: str = "") -> tuple[str, str, list[Unit]]:
    return "article", number, [unit(f"{container}art-{number}")]


def found(act: Act, name: str) -> tuple[str, ...]:
    return next((finding.where for finding in health(act).findings if finding.name == name), ())


def test_an_act_that_was_read_well_has_no_findings() -> None:
    report = health(read(SOUND, language="en"))
    assert not {f.name for f in report.findings} - {"furniture"}  # so short an act is half headings
    assert (report.articles, report.recitals, report.annexes, report.tables) == (4, 2, 0, 0)


@pytest.mark.parametrize("language", ["en", "bg", "de", "el", "fi", "fr", "mt"])
def test_the_example_is_well_read_in_every_script(examples: Path, language: str) -> None:
    found = {finding.name for finding in health(read(examples / "short" / f"{language}.txt")).findings}
    assert not found - {"shared-citations"}


def test_a_number_left_out_is_a_gap_and_an_inserted_one_is_none() -> None:
    act = made(article("1"), article("2"), article("2a"), article("5"), article("6"))
    assert found(act, "article-gaps") == ("Article 2 → Article 5",)
    assert found(made(article("3"), article("4")), "article-gaps") == ("before Article 3",)
    assert not found(made(article("67")), "article-gaps")


def test_numbers_are_counted_separately_in_each_container() -> None:
    act = made(article("1"), article("2"), *(article(n, "att-1.") for n in "12"), article("1", "anx-I."))
    assert not found(act, "article-gaps")
    assert not found(act, "article-repeats")
    assert found(act, "inner-articles") == ("Article 1 (att-1)", "Article 2 (att-1)", "Article 1 (anx-I)")


def test_numbers_that_are_repeated_or_out_of_order_are_named() -> None:
    act = made(article("1"), article("3"), article("2"), article("3"))
    assert found(act, "article-repeats") == ("Article 2", "Article 3")


def test_a_recital_of_several_sentences_is_counted_once() -> None:
    sentences = [unit(f"rec-1.s-{n}", citation=f"Recital 1, sentence {n}")._replace(provision="rec-1") for n in (1, 2)]
    act = made(("recitals", "", [*sentences, unit("rec-1.pt-a", kind="point"), unit("rec-4"), unit("rec-4~2")]))
    assert health(act).recitals == 3
    assert found(act, "recital-gaps") == ("Recital 1 → rec-4",)
    assert found(act, "recital-repeats") == ("rec-4~2",)


def test_citations_and_ids_that_are_not_unique_are_named() -> None:
    units = [unit("art-1", citation="Article 1"), unit("art-1~2", citation="Article 1"), unit("art-1.sub-2")]
    act = made(("article", "1", units))
    assert found(act, "shared-citations") == ("Article 1", "Article 1")
    assert found(act, "doubled-ids") == ("Article 1 [art-1~2]",)


def test_units_that_are_too_long_too_deep_or_without_letters_are_named() -> None:
    long = "word " * LONG_UNIT + "word"
    units = [
        unit("anx-I.tbl-1", long, "table"),
        unit("anx-I.pt-1", long, "point"),
        unit("anx-I.sub-2.pt-9.sub-2"),
        unit("anx-I.sub-3", "12,5"),
    ]
    act = made(("annex", "I", units))
    assert found(act, "long-units") == ("anx-I.pt-1",)
    assert found(act, "deep-citations") == ("anx-I.sub-2.pt-9.sub-2",)
    assert found(act, "letterless-units") == ("anx-I.sub-3",)
    assert health(act).tables == 1


@pytest.mark.parametrize(
    ("ids", "cut"),
    [
        (["art-1.pt-a", "art-1.pt-b"], []),
        (["art-1.pt-b", "art-1.pt-c"], ["art-1.pt-b"]),
        (["art-1.pt-a", "art-1.pt-a.pt-i", "art-1.pt-a.pt-ii"], []),
        (["art-1.par-2", "art-1.par-3"], ["art-1.par-2"]),
        (["anx-I.pt-1", "anx-I.pt-1.1", "anx-I.pt-1.2", "anx-I.pt-2", "anx-I.pt-2.3"], ["anx-I.pt-2.3"]),
        (["art-1.pt-1.q-art-15a.par-4", "art-1.pt-1.q-1.pt-c"], []),
        (["art-1.pt-1", "art-1.pt-1.qpt-c"], []),
    ],
)
def test_a_list_that_does_not_begin_at_its_first_item_is_cut(ids: list[str], cut: list[str]) -> None:
    assert list(found(made(("article", "1", [unit(path) for path in ids])), "cut-lists")) == cut


def test_bodies_and_notes_after_an_annex_are_late_unless_notes_end_the_act() -> None:
    annex = ("annex", "I", [unit("anx-I.pt-1")])
    note = ("notes", "", [unit("note-1")])
    assert not found(made(annex, note), "late-sections")
    assert found(made(annex, note, ("annex", "II", [unit("anx-II")])), "late-sections") == ("note-1",)
    assert found(made(annex, ("body", "", [unit("body.sub-1")])), "late-sections") == ("body.sub-1",)


def test_an_act_of_one_section_and_one_that_is_mostly_furniture_are_findings() -> None:
    act = made(("title", "", [unit("title", kind="title")]), ("body", "", [unit("body", "Twelve words.")]))
    assert found(act, "one-section") == ("body",)
    half = replace(
        act, source=act.source + "x" * 40, furniture=(Furniture("page", len(act.source), len(act.source) + 40),)
    )
    assert health(half).furniture > 0.5
    assert found(half, "furniture")[0].startswith("page ")


def test_a_table_does_not_count_as_furniture() -> None:
    act = made(article("1"))
    with_table = replace(act, source=act.source + "x" * 90, furniture=(Furniture("table", len(act.source), 100),))
    assert health(with_table).furniture == 0


def test_a_finding_names_five_places_and_counts_the_rest() -> None:
    finding = Finding("long-units", 17, 100, tuple(f"Article {n}" for n in range(1, 18)))
    assert str(finding).endswith("17 of 100 (17.0%): Article 1; Article 2; Article 3; Article 4; Article 5 and 12 more")
    assert str(replace(finding, where=finding.where[:SHOWN])).endswith("Article 5")


ids = st.from_regex(
    r"(?:(?:anx-I|att-1)\.)?(?:art-\d{1,2}|rec-\d)(?:\.(?:pt|sub|par)-[a-z0-9]){0,3}(?:~2)?", fullmatch=True
)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["article", "annex", "recitals", "body", "notes"]),
            st.sampled_from(["1", "2a", "IV", "", "9"]),
            st.lists(ids, max_size=4).map(lambda paths: [unit(path) for path in paths]),
        ),
        max_size=6,
    )
)
def test_any_act_has_a_report_that_is_plain_json(sections: list[tuple[str, str, list[Unit]]]) -> None:
    report = health(made(*sections))
    assert json.loads(json.dumps(report.to_dict()))["findings"] == report.to_dict()["findings"]
    assert all(finding.count <= max(finding.of, 1) or "gaps" in finding.name for finding in report.findings)
    assert [f.name for f in report.findings] == [name for name in FINDINGS if report.counts[name]]
    assert str(report)


def test_the_command_prints_json_or_a_list_and_findings_are_no_errors(examples: Path, tmp_path: Path) -> None:
    path = tmp_path / "act.txt"
    path.write_text(SOUND.replace("Article 3", "Article 1"), "utf-8")

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "lexlattice", "parse", str(path), "--health", *options]
        return subprocess.run(command, capture_output=True, timeout=240, check=True).stdout.decode()

    report = json.loads(run())
    assert set(report) == set(Health.__slots__)
    assert run("--json") == run()
    assert run("--tree").startswith(f"{report['sections']} sections, {report['units']} units")


@pytest.mark.data
def test_articles_and_recitals_of_real_acts_have_no_gaps_and_no_repeats(data: Path) -> None:
    """Of each fourth validation act; the benchmark counts all corpora."""
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, islice(lines, 0, None, 4)):
            findings = health(read(row["reference"], language="en")).findings
            assert not [str(f) for f in findings if f.name.endswith(("-gaps", "-repeats"))], row["celex_id"]


def test_a_quoted_list_may_begin_at_any_item() -> None:
    act = read(
        "Article 1\nDirective 2009/1/EC is amended as follows:\n(1) the following points are added:\n"
        "‘(d) bees;\n(e) hives.’;\n(2) it ends.",
        language="en",
    )
    assert health(act).counts["cut-lists"] == 0
