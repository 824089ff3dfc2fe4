"""ROUGE: the same figures as the `rouge-score` package, the laws they obey, and what they cost."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from helpers.timing import LINEAR, fastest, growth
from lexlattice.encoding.tokens import STEMMED, TOKENIZERS, tokenizer
from lexlattice.errors import OptionError
from lexlattice.evaluation.metrics import rouge
from lexlattice.evaluation.metrics.rouge import MEASURES, Reference, Scores, score, score_batch

Lines = list[list[str]]

ENGLISH = "register registers registered public publicly the hive hives (a)".split()
GREEK = "Κανονισμός ΚΑΝΟΝΙΣΜΌΣ μητρώο κυψέλη και ΚΑΙ 5".split()
BULGARIAN = "Регламент регламент кошер кошери и № ѝ".split()
MALTESE = "Ir-Regolament ir-reġistru naħal NAĦAL għal ċellula".split()


def lines_of(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Few words in many lines: equally long subsequences abound, and much depends on which one is taken."""
    word = st.sampled_from([*list(words) * (12 // len(words)), "\n"])
    return st.integers(0, 70).flatmap(lambda size: st.lists(word, min_size=size, max_size=size)).map(" ".join)


def written_lines(text: str) -> Lines:
    return [line.split() for line in text.split("\n")]


few_words = lines_of("ab") | lines_of("abc") | lines_of("abcdef")
any_text = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\n a b c\r\x85\u2028"), max_size=60)
blank = st.sampled_from(
    ["", "\n", "\n\n\n", " ", "— . ;", "\n.\n,\n", "a", "a\n", "\n\na", "a b", "a\nb", "b\n\na\n b"]
)
many_texts = few_words | any_text | blank


class OurWords:
    """One of our tokenizers, as `rouge-score` wants it."""

    def __init__(self, name: str) -> None:
        self.tokenize = tokenizer(name)


@cache
def rouge_score(name: str) -> RougeScorer:
    if name.startswith("compat"):
        return RougeScorer(list(MEASURES), use_stemmer=name == "compat-stemmed")
    return RougeScorer(list(MEASURES), tokenizer=OurWords(name))


def assert_equal_to_rouge_score(candidate: str, reference: str, name: str) -> None:
    ours = score(candidate, reference, name)
    theirs = rouge_score(name).score(reference, candidate)
    assert set(ours) == set(theirs)
    for measure, (precision, recall, f1) in theirs.items():
        expected = pytest.approx((precision, recall, f1), rel=0, abs=1e-12)
        assert tuple(ours[measure]) == expected, measure


any_tokenizer = pytest.mark.parametrize("name", [*TOKENIZERS, *STEMMED])


@any_tokenizer
@given(candidate=any_text, reference=any_text)
def test_equal_on_any_text(name: str, candidate: str, reference: str) -> None:
    assert_equal_to_rouge_score(candidate, reference, name)


@any_tokenizer
@given(candidate=blank, reference=blank | few_words)
def test_equal_where_there_is_next_to_nothing(name: str, candidate: str, reference: str) -> None:
    assert_equal_to_rouge_score(candidate, reference, name)
    assert_equal_to_rouge_score(reference, candidate, name)


@pytest.mark.parametrize("block", [1, 3, rouge._BLOCK])
@settings(max_examples=100)
@given(candidate=few_words, reference=few_words)
def test_equal_on_few_words_in_many_lines(block: int, candidate: str, reference: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rouge, "_BLOCK", block)
        assert_equal_to_rouge_score(candidate, reference, "compat")


@given(candidate=lines_of(ENGLISH), reference=lines_of(ENGLISH))
def test_equal_on_words_that_only_their_stems_make_equal(candidate: str, reference: str) -> None:
    assert_equal_to_rouge_score(candidate, reference, "compat-stemmed")


@pytest.mark.parametrize("words", [GREEK, BULGARIAN, MALTESE], ids=["el", "bg", "mt"])
@given(samples=st.data())
def test_equal_in_other_alphabets(words: list[str], samples: st.DataObject) -> None:
    candidate, reference = samples.draw(lines_of(words)), samples.draw(lines_of(words))
    assert_equal_to_rouge_score(candidate, reference, "unicode")


@pytest.mark.parametrize("candidate_lines", [1, 30])
@pytest.mark.parametrize("reference_lines", [1, 30])
@pytest.mark.parametrize("vocabulary", [3, 60, 1000])
def test_equal_on_longer_texts(vocabulary: int, reference_lines: int, candidate_lines: int) -> None:
    candidate = drawn_text(350, candidate_lines, vocabulary, seed=1)
    reference = drawn_text(350, reference_lines, vocabulary, seed=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rouge, "_BLOCK", 64)
        assert_equal_to_rouge_score(candidate, reference, "compat")


@pytest.mark.data
def test_equal_on_summaries_of_acts(data: Path) -> None:
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as file:
        pairs = [json.loads(line) for line in islice(file, 3)]
    for seed, pair in enumerate(pairs):
        lines = [line for line in pair["reference"].split("\n") if line.strip()]
        shuffled = random.Random(seed).sample(lines, len(lines))
        for candidate in (first_lines(lines, words=850), first_lines(shuffled, words=850)):
            assert_equal_to_rouge_score(candidate, pair["summary"], ("compat", "compat-stemmed")[seed % 2])


def first_lines(lines: list[str], words: int) -> str:
    taken: list[str] = []
    for line in lines:
        taken.append(line)
        words -= len(line.split())
        if words <= 0:
            break
    return "\n".join(taken)


# Longest common subsequences


def table(first: list[str], second: list[str]) -> list[list[int]]:
    """The length of the longest common subsequence of all beginnings of two lines."""
    rows = [[0] * (len(second) + 1)]
    for word in first:
        above, row = rows[-1], [0]
        for place, other in enumerate(second):
            row.append(above[place] + 1 if word == other else max(above[place + 1], row[place]))
        rows.append(row)
    return rows


def places_on_the_way_back(reference: list[str], candidate: list[str]) -> set[int]:
    lengths = table(reference, candidate)
    i, j = len(reference), len(candidate)
    places = set()
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif lengths[i - 1][j] == lengths[i][j]:
            i -= 1
        else:
            j -= 1
    return places


def union_by_tables(reference: Lines, candidate: Lines) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in reference:
        places = set().union(*(places_on_the_way_back(line, other) for other in candidate))
        found.update(line[place] for place in places)
    return found


@given(few_words.map(str.split), few_words.map(str.split))
def test_the_length_is_that_of_the_table_from_either_side(first: list[str], second: list[str]) -> None:
    assert rouge.length(first, second) == table(first, second)[-1][-1] == rouge.length(second, first)


@pytest.mark.parametrize("block", [1, 3, rouge._BLOCK])
@settings(max_examples=100)
@given(reference=few_words.map(written_lines), candidate=few_words.map(written_lines))
@example(reference=[["a", "b"]], candidate=[["b", "a"]])
@example(reference=[], candidate=[])
@example(reference=[[], ["a"]], candidate=[[]])
def test_the_union_is_what_the_tables_give(block: int, reference: Lines, candidate: Lines) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rouge, "_BLOCK", block)
        assert rouge.union(reference, candidate) == union_by_tables(reference, candidate)


def test_of_equally_long_subsequences_the_one_nearer_to_the_end_of_the_candidate_counts() -> None:
    assert rouge.union([["a", "b"]], [["b", "a"]]) == {"a": 1}
    assert rouge.union([["b", "a"]], [["a", "b"]]) == {"b": 1}


# Laws


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=many_texts)
def test_a_text_is_all_of_itself(name: str, text: str) -> None:
    words = len(tokenizer(name)(text))
    scores = score(text, text, name)
    for measure in MEASURES:
        expected = 1.0 if words >= (2 if measure == "rouge2" else 1) else 0.0
        assert scores[measure] == (expected, expected, expected)


@pytest.mark.parametrize("name", TOKENIZERS)
@given(first=many_texts, second=many_texts)
def test_changing_places_changes_precision_and_recall(name: str, first: str, second: str) -> None:
    measures = ["rouge1", "rouge2", "rougeL"]
    there = score(first, second, name, measures=measures)
    back = score(second, first, name, measures=measures)
    for measure in measures:
        precision, recall, f1 = there[measure]
        assert back[measure] == pytest.approx((recall, precision, f1), abs=1e-12)


@pytest.mark.parametrize("name", TOKENIZERS)
@given(candidate=many_texts, reference=many_texts)
def test_nothing_in_order_that_is_not_shared(name: str, candidate: str, reference: str) -> None:
    scores = score(candidate, reference, name)
    shared = scores["rouge1"]
    for precision, recall, f1 in scores.values():
        assert 0 <= min(precision, recall) <= f1 + 1e-12 <= max(precision, recall) + 2e-12 <= 1 + 2e-12
    for measure in ("rougeL", "rougeLsum"):
        assert scores[measure].precision <= shared.precision
        assert scores[measure].recall <= shared.recall


@given(st.lists(st.tuples(few_words, st.sampled_from(["a b", "b\na", ""]) | few_words), max_size=6))
def test_a_batch_is_its_pairs_one_by_one(pairs: list[tuple[str, str]]) -> None:
    candidates, references = [first for first, _ in pairs], [second for _, second in pairs]
    single = [score(candidate, reference, "compat") for candidate, reference in pairs]
    assert score_batch(candidates, references, "compat") == single
    chosen = score_batch(candidates, references, "compat", measures=iter(["rougeL"]))
    assert chosen == [{"rougeL": scores["rougeL"]} for scores in single]


@given(st.lists(few_words, max_size=4), few_words)
def test_a_reference_does_not_wear_out(candidates: list[str], reference: str) -> None:
    prepared = Reference(reference)
    assert [prepared.score(candidate) for candidate in candidates] == [
        score(candidate, reference) for candidate in candidates
    ]


@given(few_words, few_words, st.lists(st.sampled_from(MEASURES), unique=True))
def test_only_the_requested_measures_are_computed(candidate: str, reference: str, measures: list[str]) -> None:
    scores = score(candidate, reference)
    assert list(scores) == list(MEASURES)
    chosen = score(candidate, reference, measures=measures)
    assert list(chosen.items()) == [(measure, scores[measure]) for measure in measures]


# Around the figures


def test_scores_name_their_tokenizer() -> None:
    plain, stemmed = score("bees", "bee"), score("bees", "bee", "compat-stemmed")
    assert (plain.tokenizer, plain["rouge1"].f1) == ("unicode", 0.0)
    assert (stemmed.tokenizer, stemmed["rouge1"].f1) == ("compat-stemmed", 1.0)
    batch = score_batch(["bees"], ["bee"], "compat-stemmed")
    assert (batch[0].tokenizer, batch) == ("compat-stemmed", [stemmed])


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda scores: pickle.loads(pickle.dumps(scores))],
    ids=["copy", "deep", "pickle"],
)
def test_copies_keep_the_tokenizer(again: Callable[[Scores], Scores]) -> None:
    scores = score("The hives.", "The hive.", "compat-stemmed")
    twin = again(scores)
    assert type(twin) is Scores
    assert twin is not scores
    assert (twin, twin.tokenizer) == (scores, "compat-stemmed")
    assert twin["rouge1"].recall == 1.0


def test_an_unknown_measure_is_an_error() -> None:
    for measures in (["rouge9"], ["rouge1", "rouge9"]):
        with pytest.raises(OptionError) as error:
            score("a", "a", measures=measures)
        assert "'rouge9'" in str(error.value)
        with pytest.raises(OptionError) as error:
            score_batch(["a"], ["a"], measures=measures)
        assert "'rouge9'" in str(error.value)


def test_an_unknown_tokenizer_is_an_error() -> None:
    with pytest.raises(OptionError) as error:
        score("a", "a", "words")
    assert "'words'" in str(error.value)
    with pytest.raises(OptionError) as error:
        score_batch(["a"], ["a"], "words")
    assert "'words'" in str(error.value)


def test_pairs_come_in_twos() -> None:
    with pytest.raises(OptionError):
        score_batch(["a", "b"], ["a"])
    assert score_batch([], []) == []


# What it costs


def drawn_text(words: int, lines: int, vocabulary: int = 3000, *, seed: int) -> str:
    """A text with few frequent and many rare words, as texts have them."""
    ranks = range(1, vocabulary + 1)
    drawn = random.Random(seed).choices([f"w{rank}" for rank in ranks], [1 / rank for rank in ranks], k=words)
    size = -(-words // lines)
    return "\n".join(" ".join(drawn[start : start + size]) for start in range(0, words, size))


@pytest.mark.parametrize("candidate_lines", [1, 500])
@pytest.mark.parametrize("reference_lines", [1, 500])
def test_long_texts_take_moments(reference_lines: int, candidate_lines: int) -> None:
    candidate = drawn_text(10_000, candidate_lines, seed=1)
    reference = drawn_text(10_000, reference_lines, seed=2)
    assert fastest(lambda: score(candidate, reference), enough=6) < 6


@pytest.mark.parametrize("lines", [1, 10_000])
@pytest.mark.slow
def test_a_whole_act_can_be_compared_with_a_long_summary(lines: int) -> None:
    candidate, reference = drawn_text(200_000, lines, seed=1), drawn_text(10_000, 500, seed=2)
    assert fastest(lambda: score(candidate, reference), enough=30, repeats=3) < 30


@pytest.mark.parametrize("lines", [1, 1_000])
def test_eight_times_the_candidate_takes_eight_times_the_time(lines: int) -> None:
    reference = drawn_text(5_000, 250, seed=3)
    short, long = drawn_text(10_000, lines, seed=1), drawn_text(80_000, 8 * lines, seed=1)
    assert growth(lambda: score(short, reference), lambda: score(long, reference)) < LINEAR
