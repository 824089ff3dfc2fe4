"""Gold annotations point at words; whatever the reader makes of an act, the units at a place are found."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import ROOT
from lexlattice import read
from lexlattice.errors import DataError
from lexlattice.evaluation.gold import WORD, Gold, Place, Places, load_gold, units_at

TEXT = """COMMISSION REGULATION (EU) 2024/9002
on lamps
Article 1
Scope
1. This Regulation applies to:
(a)
lamps in streets;
(b)
lamps in gardens.
2. It applies by night.
Article 2
Duty
Lamps shall be switched off by day.
"""
ACT = read(TEXT, language="en")
WORDS = WORD.findall(TEXT)


def place(text: str) -> Place:
    """Where words stand in the text."""
    words = WORD.findall(text)
    start = next(n for n in range(len(WORDS)) if WORDS[n : n + len(words)] == words)
    return Place(start, start + len(words))


def ids(text: str) -> list[str]:
    return [ACT.units[i].id for i in units_at(ACT, *place(text))]


def test_units_stand_at_the_places_of_their_words() -> None:
    assert ids("2. It applies by night.") == ["art-1.par-2"]
    assert ids("applies by") == ["art-1.par-2"]
    assert ids("streets (b) lamps in") == ["art-1.par-1.pt-a", "art-1.par-1.pt-b"]


def test_a_heading_is_not_a_unit() -> None:
    assert ids("Article 2 Duty") == []
    assert ids("night. Article 2 Duty Lamps") == ["art-1.par-2", "art-2"]


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("2. It applies by night.", True, True),
        ("It applies by night.", False, True),
        ("2. It applies", True, False),
        ("(a) lamps in streets; (b) lamps in gardens.", True, True),
        ("Duty Lamps shall be switched off by day.", False, True),
        ("night. Article 2", False, False),
    ],
)
def test_a_place_begins_and_ends_at_the_edge_of_a_unit_or_not(text: str, begins: bool, ends: bool) -> None:
    places = Places(ACT)
    assert (places.begins(place(text)), places.ends(place(text))) == (begins, ends)


@given(st.data())
def test_every_unit_is_found_at_its_own_words(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(ACT.units) - 1))
    unit = ACT.units[index]
    first = len(WORD.findall(ACT.source[: unit.start]))
    own = Place(first, first + len(WORD.findall(unit.text)))
    places = Places(ACT)
    assert places.units(own) == [index]
    assert places.begins(own)
    assert places.ends(own)


def test_words_that_reading_parts_joins_or_composes_are_aligned_by_their_letters() -> None:
    texts = [
        TEXT.replace("gardens.\n2. It", "gard\u0007ens.\n2. It"),
        TEXT.replace("night", "nig\u0301ht"),
        TEXT.replace("\nLamps shall", "\n\u200bLamps  shall"),
    ]
    for text in texts:
        act = read(text, language="en")
        words = WORD.findall(text)
        start = words.index("Lamps") if "Lamps" in words else 0
        places = Places(act, text)
        at = Place(start, len(words))
        assert [act.units[i].id for i in places.units(at)] == ["art-2"]
        assert places.begins(at)
        assert places.ends(at)


def test_another_text_and_places_beyond_the_end_are_refused() -> None:
    with pytest.raises(DataError):
        Places(ACT, "Another text.")
    with pytest.raises(DataError) as error:
        units_at(ACT, 0, 47)
    assert "38" in str(error.value)


ROW = {
    "celex_id": "32024R9002",
    "language": "en",
    "words": 20,
    "points": [
        {"point": "Lamps are off by day", "weight": 3, "units": ["b", "a"]},
        {"point": "Lamps are old", "weight": 1, "units": []},
    ],
    "extract": ["b", "c"],
    "places": {"a": [10, 12], "b": [4, 8], "c": [8, 8]},
}


def test_annotations_are_loaded_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(ROW) + "\n", "utf-8")
    (gold,) = load_gold(path)
    assert (gold.celex, gold.language, gold.words) == ("32024R9002", "en", 20)
    assert gold.points[0].places == ((4, 8), (10, 12))
    assert gold.points[1].places == ()
    assert gold.extract == ((4, 8), (8, 8))
    assert gold.places == ((4, 8), (10, 12))
    assert Places(ACT).units(gold.extract[1]) == []


@pytest.mark.parametrize(
    "line", ["", "[]", "{}", json.dumps(ROW | {"extract": ["z"]}), json.dumps(ROW | {"places": 1})]
)
def test_a_row_that_is_no_annotation_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{line}\n", "utf-8")
    with pytest.raises(DataError) as error:
        list(load_gold(path))
    assert re.search(r"\b2\b", str(error.value).replace(str(path), ""))


@pytest.mark.data
def test_the_places_of_the_annotations_begin_and_end_where_units_do(data: Path) -> None:
    """At least 98 %, over all validation acts and some training acts; the benchmark counts all of them."""
    own = ROOT / "data" / "gold"
    folder = own if own.is_dir() else data.resolve().parent / "gold"
    count = fit = 0
    for split, every in (("validation", 1), ("train", 8)):
        golds: dict[str, Gold] = {}
        for gold in list(load_gold(folder / f"{split}.jsonl"))[::every]:
            golds[gold.celex] = gold
        with gzip.open(data / "eur-lex-sum" / "en" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row["celex_id"] in golds]
        assert len(rows) == len(golds)
        for row in rows:
            places = Places(read(row["reference"], language="en"), row["reference"])
            for at in golds[row["celex_id"]].places:
                count, fit = count + 1, fit + (places.begins(at) and places.ends(at))
    assert count > 2000
    assert fit >= 0.98 * count
