"""Where the words of an extract are in an act, how many it has, and files of extracts."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lexlattice.errors import DataError
from lexlattice.evaluation.extracts import extract_of, extract_text, read_extracts
from lexlattice.evaluation.gold import FOLDER, WORD, Gold, Place, Point, load_gold
from lexlattice.evaluation.passages import SHORTEST_RUN, Passages, Ruler, locate
from lexlattice.evaluation.points import meaning_of_located

TEXT = """Article 1
Lamps are off by day.
Article 2
1. Lamps in streets are lit at dusk by their keepers, and
(a)
cleaned;
2. Lamps are off by day.
"""
WORDS = WORD.findall(TEXT)

words = st.sampled_from(["lamps", "are", "off", "by", "day", "lit"])
"""Few words, so that acts repeat themselves."""
acts = st.lists(words, min_size=1, max_size=60)
alien = st.lists(st.sampled_from(["purple", "seven", "hats"]), max_size=12).map(" ".join)


@st.composite
def annotated(draw: st.DrawFn) -> tuple[str, Gold]:
    """An act, and an annotation of it."""
    act = draw(acts)
    spans = st.tuples(st.integers(0, len(act)), st.integers(0, len(act))).map(lambda pair: Place(*sorted(pair)))
    places = draw(st.lists(spans, max_size=5))
    points = tuple(Point("", draw(st.integers(1, 3)), (place,)) for place in draw(st.lists(spans, max_size=5)))
    return " ".join(act), Gold("32024R9001", "en", 60, points, tuple(places))


# --- where the words are ----------------------------------------------------------------------------------


@given(annotated())
def test_the_places_of_the_gold_extract_have_no_word_too_many(case: tuple[str, Gold]) -> None:
    text, gold = case
    assume(any(start < end for start, end in gold.extract))
    found = locate(text, Passages.at(text, gold.extract))
    assert found.verbatim == 1
    assert meaning_of_located(gold, found).precision == 1
    assert {i for i, is_in in enumerate(found.inside) if is_in} == {i for a, b in gold.extract for i in range(a, b)}


@given(annotated(), st.lists(acts.map(" ".join), max_size=4), alien)
def test_words_that_the_act_lacks_never_raise_a_score(case: tuple[str, Gold], lines: list[str], more: str) -> None:
    text, gold = case
    short, long = locate(text, lines), locate(text, [*lines, more])
    before, after = meaning_of_located(gold, short), meaning_of_located(gold, long)
    assert (long.inside == short.inside).all()
    assert after.points == before.points
    assert after.precision <= before.precision
    assert long.verbatim <= short.verbatim


@given(annotated(), st.lists(acts.map(" ".join), max_size=4), acts.map(" ".join))
def test_a_further_line_never_takes_points_away(case: tuple[str, Gold], lines: list[str], more: str) -> None:
    text, gold = case
    short, long = locate(text, lines), locate(text, [*lines, more])
    assert not (short.inside & ~long.inside).any()
    assert meaning_of_located(gold, long).points >= meaning_of_located(gold, short).points


@given(acts, st.lists(acts.map(" ".join), max_size=4))
def test_every_word_of_an_extract_is_found_or_lost(act: list[str], lines: list[str]) -> None:
    found = locate(" ".join(act), "\n".join(lines))
    assert found.found + found.lost == len(WORD.findall(" ".join(lines)))
    assert found.inside.sum() <= found.found


def test_places_count_even_where_the_act_repeats_itself() -> None:
    last = len(WORDS) - 5
    found = locate(TEXT, Passages.at(TEXT, [Place(last, len(WORDS))]))
    assert list(found.inside.nonzero()[0]) == list(range(last, len(WORDS)))
    assert locate(TEXT, "Lamps are off by day.").inside[last:].sum() == 0


def test_a_passage_may_have_other_line_breaks_than_the_act() -> None:
    assert locate(TEXT, "are lit at dusk by their keepers, and (a) cleaned; 2. Lamps").verbatim == 1
    assert locate(TEXT, "are lit at dusk\nby their keepers,\nand (a)\ncleaned;").inside.sum() == 10


def test_sentences_of_several_places_on_one_line_are_found() -> None:
    line = "Lamps in streets are lit at dusk. Lamps are off by day. Nobody pays."
    found = locate(TEXT, line)
    assert (found.found, found.lost) == (12, 2)


def test_a_paraphrase_counts_where_it_quotes() -> None:
    assert locate(TEXT, "Street lights must be extinguished in daylight.").verbatim == 0
    quoting = locate(TEXT, "It says that Lamps in streets are lit at dusk because people stumble.")
    assert (quoting.found, quoting.lost) == (7, 6)
    assert locate(TEXT, "so Lamps are off by night").found < SHORTEST_RUN


def test_nothing_is_verbatim_in_an_empty_extract() -> None:
    assert locate(TEXT, "").verbatim == 0
    assert locate(TEXT, "— · —").verbatim == locate("", "Lamps").verbatim == 0


# --- how many words ---------------------------------------------------------------------------------------


@given(st.lists(acts.map(" ".join), max_size=4).map("\n".join), st.integers(0, 80))
def test_an_extract_is_cut_to_whole_words_from_its_end(extract: str, budget: int) -> None:
    cut, before, after = Ruler(extract).cut(extract, budget)
    assert before == len(extract.split())
    assert after == min(before, budget)
    assert cut.split() == extract.split()[:after]
    assert extract.startswith(cut)


@given(acts, st.integers(0, 80))
def test_cutting_keeps_the_places(act: list[str], budget: int) -> None:
    text = " ".join(act)
    middle = len(act) // 2
    passages = Passages.at(text, [Place(middle, len(act)), Place(0, middle)])
    cut, _, kept = Ruler(text).cut(passages, budget)
    assert locate(text, cut).inside.sum() == kept


def test_words_do_not_become_fewer_without_spaces() -> None:
    ruler = Ruler("Regulation (EU) 2016/679 applies and/or not.")
    assert ruler.cut("(EU) 2016/679, and/or", 9)[1] == 3
    assert ruler.cut("Regulation·EU·2016·679·applies", 9)[1] == 5
    assert ruler.cut("— …", 9)[1] == 2


def test_passages_can_be_sent_to_other_processes() -> None:
    passages = Passages.at(TEXT, [Place(3, 7)])
    again = pickle.loads(pickle.dumps(passages))
    assert (again, again.starts) == (passages, (3,))


# --- files ------------------------------------------------------------------------------------------------


def file_of(folder: Path, *rows: object) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def test_extracts_are_texts_passages_or_places(tmp_path: Path) -> None:
    path = file_of(
        tmp_path,
        {"celex_id": "1", "extract": "One.\nTwo."},
        "",
        {"celex_id": "2", "extract": ["One\nline.", "Two."], "places": None},
        {"celex_id": "3", "extract": [[3, 7], [0, 0]]},
        {"celex_id": "4", "extract": ["art-1"], "places": {"art-1": [3, 7]}},
        {"celex_id": "5", "extract": []},
    )
    found = read_extracts(path)
    assert found == {"1": "One.\nTwo.", "2": "One line.\nTwo.", "3": ((3, 7), (0, 0)), "4": ((3, 7),), "5": ""}
    assert extract_text(found["3"], TEXT) == "are off by day"
    packed = tmp_path / "mine.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_extracts(packed) == found


def test_extracts_may_be_in_a_parquet_file(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"celex_id": ["1"], "extract": [["One.", "Two."]]}), tmp_path / "mine.parquet")
    assert read_extracts(tmp_path / "mine.parquet") == {"1": "One.\nTwo."}


def test_the_annotations_are_a_file_of_extracts() -> None:
    found = read_extracts(FOLDER / "validation.jsonl")
    assert found == {gold.celex: gold.extract for gold in load_gold("validation")}


ROW = {"celex_id": "1", "extract": "One."}


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        (["nonsense"], "1"),
        ([ROW, '{"celex_id": "2", "extr'], "2"),
        ([ROW, [1, 2]], "2"),
        ([{"extract": "One."}], "celex_id"),
        ([{"celex_id": 1, "extract": "One."}], "celex_id"),
        ([{"celex_id": " ", "extract": "One."}], "celex_id"),
        ([ROW, {"celex_id": "2", "extract": "Two."}, ROW], "3"),
        *(
            ([{"celex_id": "1", "extract": wrong}], "list of passages")
            for wrong in (None, 7, {"text": "One."}, ["One.", 7], [[1]], [[2, 1]], [[-1, 2]], [[1, 2.5]], [[True, 2]])
        ),
        ([{"celex_id": "1", "extract": [[1, 2], "One."]}], "list of passages"),
        ([{"celex_id": "1", "extract": ["art-9"], "places": {"art-1": [1, 2]}}], "list of passages"),
        ([{"celex_id": "1"}], "list of passages"),
        (['{"celex_id": "1", "extract": "half \\ud800"}'], "list of passages"),
    ],
)
def test_a_bad_file_is_an_error_that_names_the_row(tmp_path: Path, rows: list[object], named: str) -> None:
    with pytest.raises(DataError) as caught:
        read_extracts(file_of(tmp_path, *rows))
    assert named in str(caught.value)
    assert "mine.jsonl" in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        read_extracts(tmp_path / "mine.jsonl")


def test_places_beyond_the_act_are_an_error() -> None:
    content = extract_of({"extract": [[0, 999]]})
    assert content is not None
    with pytest.raises(DataError, match="999"):
        extract_text(content, TEXT)
