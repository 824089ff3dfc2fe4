"""The measure of meaning: points covered and words well spent, by units and by text alike."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.timing import fastest
from lexlattice import read
from lexlattice.errors import DataError
from lexlattice.evaluation.baselines import lead
from lexlattice.evaluation.gold import WORD, Gold, Place, Point, load_gold
from lexlattice.evaluation.points import MEANINGS, Meaning, Points, meaning_of, meaning_of_texts, score_units
from lexlattice.selection import select

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
INDEX = {unit.id: index for index, unit in enumerate(ACT.units)}


def place(text: str) -> Place:
    words = WORD.findall(text)
    start = next(n for n in range(len(WORDS)) if WORDS[n : n + len(words)] == words)
    return Place(start, start + len(words))


SCOPE = place("1. This Regulation applies to:")
STREETS = place("(a) lamps in streets;")
NIGHT = place("2. It applies by night.")
DUTY = place("Lamps shall be switched off by day.")
GOLD = Gold(
    "32024R9002",
    "en",
    20,
    (
        Point("Street lamps are covered.", 2, (SCOPE, STREETS)),
        Point("Lamps are off by day.", 3, (DUTY,)),
        Point("Lamps are yellow.", 3, ()),
    ),
    (DUTY, SCOPE, STREETS),
)
POINTS = Points(ACT, GOLD, TEXT)


def chosen(*names: str) -> list[int]:
    return [INDEX[name] for name in names]


def test_points_are_weighted_and_those_that_the_act_does_not_state_are_left_out() -> None:
    assert POINTS.score(chosen("art-2")) == pytest.approx(Meaning(0.6, 1.0, 0.75))
    assert POINTS.score(chosen("art-1.par-1", "art-1.par-1.pt-a")).points == pytest.approx(0.4)
    assert POINTS.score(range(len(ACT.units))).points == 1


def test_a_point_needs_three_quarters_of_its_words() -> None:
    assert POINTS.score(chosen("art-1.par-1")).points == 0
    assert meaning_of_texts(GOLD, TEXT, ["Lamps shall be switched off"]).points == 0
    assert meaning_of_texts(GOLD, TEXT, ["Lamps shall be switched off by"]).points == pytest.approx(0.6)


def test_precision_is_the_share_of_words_that_belong_to_the_annotation() -> None:
    words = len(WORD.findall("2. It applies by night."))
    assert POINTS.score(chosen("art-2", "art-1.par-2")).precision == pytest.approx(7 / (7 + words))


def test_nothing_chosen_is_worth_nothing() -> None:
    assert POINTS.score([]) == meaning_of_texts(GOLD, TEXT, []) == (0, 0, 0)


def test_words_that_the_act_does_not_have_lower_precision() -> None:
    found = meaning_of_texts(GOLD, TEXT, ["Lamps shall be switched off by day.", "Lamps shall be painted in red now."])
    assert found == pytest.approx(Meaning(0.6, 0.5, 6 / 11))


@given(st.lists(st.integers(0, len(ACT.units) - 1), unique=True))
def test_units_texts_and_many_at_once_have_the_same_scores(units: list[int]) -> None:
    units.sort()
    expected = meaning_of_texts(GOLD, TEXT, [ACT.units[index].text for index in units])
    mask = np.zeros((1, len(ACT.units)))
    mask[0, units] = 1
    assert POINTS.score(units) == pytest.approx(expected)
    assert POINTS.score_many(mask)[0] == pytest.approx(list(expected))
    assert score_units(ACT, GOLD, units, TEXT) == POINTS.score(units)


def test_a_longer_choice_never_states_fewer_points() -> None:
    short = POINTS.covered(chosen("art-1.par-1"))
    long = POINTS.covered(chosen("art-1.par-1", "art-1.par-1.pt-a", "art-2"))
    assert not (short & ~long).any()
    assert long.all()


def test_the_mean_over_acts_is_what_validation_reports() -> None:
    found = meaning_of([POINTS, POINTS], [chosen("art-2"), []])
    assert found == pytest.approx(Meaning(0.3, 0.5, 0.375))
    with pytest.raises(DataError):
        meaning_of([POINTS], [])


def test_an_act_without_points_scores_zero_points() -> None:
    bare = Gold("32024R9002", "en", 20, (), (DUTY,))
    assert Points(ACT, bare, TEXT).score(chosen("art-2")) == (0, 1, 0)


@pytest.mark.data
def test_scores_equal_those_of_the_script_that_came_with_the_annotations(data: Path) -> None:
    """By text to the last bit; by units too, but for one act that has the same provision twice."""
    script = _script(data)
    golds = {gold.celex: gold for gold in load_gold("validation")}
    raw = {row["celex_id"]: row for row in script.rows(str(data.parent / "gold" / "validation.jsonl"))}
    assert golds.keys() == raw.keys()
    gaps = []
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["celex_id"] in golds]
    assert len(rows) == len(golds)
    for row in rows:
        text, gold = row["reference"], golds[row["celex_id"]]
        act = read(text, language="en")
        points = Points(act, gold, text)
        spread = np.random.default_rng(0).random(len(act.units))
        for scores in (lead(act), spread):
            extract = select(act, scores, gold.words)
            pieces = [unit.text for unit in extract.units]
            expected = script.score(raw[gold.celex], text, pieces)
            assert meaning_of_texts(gold, text, pieces) == expected
            place = {unit.id: index for index, unit in enumerate(act.units)}
            units = [place[unit.id] for unit in extract.units]
            gaps.append(np.abs(np.subtract(points.score(units), expected)))
    assert sum(bool(gap.max() > 1e-9) for gap in gaps) <= 1


@pytest.mark.data
def test_scoring_a_choice_takes_a_fraction_of_a_millisecond(data: Path) -> None:
    gold = next(load_gold("validation"))
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        text = next(row["reference"] for row in map(json.loads, lines) if row["celex_id"] == gold.celex)
    act = read(text, language="en")
    points = Points(act, gold, text)
    units = np.arange(0, len(act.units), max(1, len(act.units) // 40))

    def work() -> None:
        for _ in range(200):
            points.score(units)

    assert fastest(work, enough=200 * 2e-4) < 200 * 2e-4


def _script(data: Path) -> Any:
    path = data.resolve().parent / "gold" / "score.py"
    spec = importlib.util.spec_from_file_location("gold_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_measures_have_names() -> None:
    assert MEANINGS == ("points", "precision", "f1")
