"""The extract that a reference would choose: what a plain loop over ROUGE chooses, only sooner."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from helpers.timing import growth
from lexlattice import Unit, read
from lexlattice.encoding.tokens import TOKENIZERS, tokenizer
from lexlattice.errors import OptionError
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.evaluation.oracle import OBJECTIVES, Choice, Oracle

pytestmark = pytest.mark.filterwarnings("error")

TINY = 1e-12


@pytest.fixture(autouse=True, scope="module")
def no_doubtful_numbers() -> Iterator[None]:
    with np.errstate(all="raise"):
        yield


def units_of(texts: Sequence[str]) -> list[Unit]:
    """Paragraphs with these texts."""
    names = [f"art-{n}" for n in range(1, len(texts) + 1)]
    return [
        Unit(name, name, position, 0, "paragraph", "", name, text, 0, len(text), len(text.split()))
        for position, (name, text) in enumerate(zip(names, texts, strict=True))
    ]


def joined(units: Sequence[Unit], chosen: Iterable[int]) -> str:
    return "\n".join(units[index].text for index in sorted(chosen))


class OurWords:
    """One of our tokenizers, as `rouge-score` wants it."""

    def __init__(self, name: str) -> None:
        self.tokenize = tokenizer(name)


def rouge(reference: str, name: str) -> Callable[[str], float]:
    """½ (ROUGE-1 F1 + ROUGE-2 F1), by `rouge-score`."""
    scorer = RougeScorer(["rouge1", "rouge2"], tokenizer=OurWords(name))

    def value(text: str) -> float:
        scores = scorer.score(reference, text)
        return 0.5 * float(scores["rouge1"].fmeasure + scores["rouge2"].fmeasure)

    return value


def recall(reference: str, name: str) -> Callable[[str], float]:
    """½ (ROUGE-1 recall + ROUGE-2 recall), by our own measure."""
    prepared = Reference(reference, name)

    def value(text: str) -> float:
        scores = prepared.score(text, ["rouge1", "rouge2"])
        return 0.5 * (scores["rouge1"].recall + scores["rouge2"].recall)

    return value


def plain_loop(units: Sequence[Unit], reference: str, name: str, cap: int = 40) -> Choice:
    """Score every possible next extract, take the first of the best, and so on."""
    value = rouge(reference, name)
    order: list[int] = []
    reached: list[float] = []
    best = 0.0
    while len(order) < cap:
        pick = None
        for index in range(len(units)):
            if index not in order and (now := value(joined(units, [*order, index]))) > best:
                best, pick = now, index
        if pick is None:
            break
        order.append(pick)
        reached.append(best)
    return Choice(tuple(order), tuple(reached))


FEW = ["a", "b", "A,"]
SOME = ["a", "b", "c", "d", "α", "—"]
"""The dash is no word, and the Greek letter none to `compat`."""


def texts_of(words: Sequence[str], longest: int = 6) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words), min_size=1, max_size=longest).map(" ".join)


def cases(words: Sequence[str]) -> st.SearchStrategy[tuple[list[Unit], str]]:
    """Short units of few words: pairs come again, within units and across them."""
    units = st.lists(texts_of(words, 2) | texts_of(words), max_size=7).map(units_of)
    return st.tuples(units, texts_of(words, 12))


any_case = cases(FEW) | cases(SOME)
any_tokenizer = pytest.mark.parametrize("name", TOKENIZERS)


# As a plain loop


@any_tokenizer
@settings(max_examples=150)
@given(case=any_case)
@example(case=(units_of(["a", "b"]), "a b"))
@example(case=(units_of(["a", "b", "a b", "b"]), "a b a b"))
@example(case=(units_of(["a", "—", "b", "α"]), "a b α"))
@example(case=(units_of(["c d e a", "b x a", "b f g h", "i j k"]), "c d e a b f g h a b i j k"))
def test_greedy_equals_a_naive_loop_over_rouge_score(name: str, case: tuple[list[Unit], str]) -> None:
    units, reference = case
    assert Oracle("greedy", tokenizer=name).choose(units, reference) == plain_loop(units, reference, name)


@any_tokenizer
@pytest.mark.data
def test_greedy_equals_a_naive_loop_on_real_acts(data: Path, name: str) -> None:
    with gzip.open(data / "eur-lex-sum" / "en" / "train.jsonl.gz", "rt", encoding="utf-8") as file:
        shortest = nsmallest(3, file, key=len)
    for pair in map(json.loads, shortest):
        units = read(pair["reference"], language="en").units
        choice = Oracle("greedy", tokenizer=name).choose(units, pair["summary"])
        assert choice == plain_loop(units, pair["summary"], name)
        assert len(choice.order) > 1


def test_bigrams_across_units_count() -> None:
    units = units_of(["shall bear", "Every hive", "keepers", "a label"])
    choice = Oracle("greedy").choose(units, "Every hive a label")
    assert choice.order == (1, 3)
    assert choice[1] == pytest.approx(((4 / 6 + 2 / 4) / 2, 1.0))


def test_a_bigram_that_is_split_is_lost() -> None:
    """The second unit would bring "c", and take "a b" away."""
    units = units_of(["a", "c", "b"])
    assert Oracle("greedy").choose(units, "a b d c").order == (0, 2)


# Greedy


@any_tokenizer
@given(case=any_case, cap=st.integers(0, 4))
def test_greedy_selects_units_until_none_raises_the_objective(
    name: str, case: tuple[list[Unit], str], cap: int
) -> None:
    units, reference = case
    order, objective = Oracle("greedy", cap=cap, tokenizer=name).choose(units, reference)
    assert len(set(order)) == len(order) == len(objective) <= cap
    assert all(before < after for before, after in pairwise((0.0, *objective)))
    if len(order) < cap:
        value, best = rouge(reference, name), max(objective, default=0.0)
        others = set(range(len(units))) - set(order)
        assert all(value(joined(units, [*order, index])) <= best for index in others)


@given(case=any_case, cap=st.integers(0, 4))
def test_a_lower_cap_gives_a_prefix_of_the_order(case: tuple[list[Unit], str], cap: int) -> None:
    whole, part = Oracle("greedy").choose(*case), Oracle("greedy", cap=cap).choose(*case)
    assert part == (whole.order[:cap], whole.objective[:cap])


def test_the_default_cap_is_forty_units() -> None:
    words = [f"w{n}" for n in range(50)]
    assert len(Oracle("greedy").choose(units_of(words), " ".join(words)).order) == 40
    assert len(Oracle("greedy", cap=99).choose(units_of(words), " ".join(words)).order) == 50


# Budgeted


@any_tokenizer
@settings(max_examples=150)
@given(case=any_case, words=st.none() | st.integers(0, 20))
@example(case=(units_of(["a", "b"]), "a b"), words=None)
def test_budgeted_selects_the_most_recall_per_word_that_fits(
    name: str, case: tuple[list[Unit], str], words: int | None
) -> None:
    check_budgeted(*case, name, words)


@pytest.mark.parametrize("seed", range(10))
def test_bigrams_across_units_count_per_word_too(seed: int) -> None:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices("abcdefgh", k=rng.randint(1, 12))) for _ in range(25)]
    check_budgeted(units_of(texts), " ".join(rng.choices("abcdefgh", k=60)), "unicode", None)


def check_budgeted(units: list[Unit], reference: str, name: str, words: int | None) -> None:
    value = recall(reference, name)
    order, _ = Oracle(tokenizer=name).choose(units, reference, words)
    left = len(reference.split()) if words is None else words

    def gains(taken: tuple[int, ...]) -> dict[int, float]:
        others = [index for index, unit in enumerate(units) if index not in taken and unit.words <= left]
        here = value(joined(units, taken))
        return {index: (value(joined(units, [*taken, index])) - here) / units[index].words for index in others}

    for step, index in enumerate(order):
        found = gains(order[:step])
        assert found[index] > TINY
        assert found[index] >= max(found.values()) - TINY
        left -= units[index].words
    assert left >= 0
    assert max(gains(order).values(), default=0.0) <= TINY


@pytest.mark.parametrize("objective", OBJECTIVES)
@any_tokenizer
@given(case=any_case)
def test_the_objective_equals_rouge_at_each_step(name: str, objective: str, case: tuple[list[Unit], str]) -> None:
    units, reference = case
    value = rouge(reference, name)
    order, objectives = Oracle(objective, tokenizer=name).choose(units, reference)
    assert list(objectives) == [value(joined(units, order[: step + 1])) for step in range(len(order))]


def test_budgeted_prefers_equal_content_in_fewer_words() -> None:
    units = units_of(["Keepers, wherever in the Union they may live, shall register.", "Keepers shall register."])
    assert Oracle("budgeted").choose(units, "Keepers shall register each hive at once.").order == (1,)


def test_budgeted_skips_units_that_do_not_fit() -> None:
    units = units_of(["a b c d", "e", "f"])
    assert Oracle().choose(units, "a b c d e", words=3).order == (1,)
    assert Oracle().choose(units, "a b c d e", words=4).order == (0,)
    assert Oracle().choose(units, "a b c d e").order == (0, 1)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_ties_go_to_the_earlier_unit(objective: str) -> None:
    assert Oracle(objective).choose(units_of(["x", "a b", "a b"]), "a b").order == (1,)


# Next to nothing


@pytest.mark.parametrize("objective", OBJECTIVES)
@any_tokenizer
@pytest.mark.parametrize(
    ("texts", "reference"),
    [
        ([], ""),
        ([], "a b"),
        (["a", "a b"], ""),
        (["a", "a b"], " —\n"),
        (["—", "…", "§"], "a b"),
        (["—"], "—"),
        (["c", "d e"], "a b"),
        (["c"], "a"),
    ],
)
def test_nothing_is_selected_without_overlap(objective: str, name: str, texts: list[str], reference: str) -> None:
    assert Oracle(objective, tokenizer=name).choose(units_of(texts), reference, words=9) == ((), ())


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_reference_of_one_word_has_no_bigrams(objective: str) -> None:
    assert Oracle(objective).choose(units_of(["b", "a"]), "a") == ((1,), (0.5,))


def test_nothing_is_selected_from_texts_without_words() -> None:
    assert Oracle().choose(units_of(["a"]), "a", words=0) == ((), ())
    assert Oracle("greedy", cap=0).choose(units_of(["a"]), "a") == ((), ())


def test_an_unknown_oracle_raises_an_error_with_the_choices() -> None:
    with pytest.raises(OptionError) as error:
        Oracle("delphi")
    assert all(name in str(error.value) for name in OBJECTIVES)


def test_an_unknown_tokenizer_raises_an_error_with_the_choices() -> None:
    with pytest.raises(OptionError) as error:
        Oracle(tokenizer="words").choose(units_of(["a"]), "a")
    assert all(name in str(error.value) for name in TOKENIZERS)


# A whole act


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_summary_that_consists_of_units_is_recovered(examples: Path, objective: str) -> None:
    units = read(examples / "long" / "en.txt").units
    own = [index for index, unit in enumerate(units) if unit.kind == "paragraph"][5:45:4]
    order, values = Oracle(objective).choose(units, joined(units, own))
    assert sorted(order) == own
    assert values[-1] == 1.0


def test_time_grows_less_than_quadratically() -> None:
    """Eight times as much takes about 14 times as long; 64 it would be if all were counted anew for each pick."""
    words = [f"w{rank}" for rank in range(1, 3001)]
    sampled = random.Random(1).choices(words, [1 / rank for rank in range(1, 3001)], k=500_000)

    def work(units: int, reference: int) -> Callable[[], object]:
        texts = [" ".join(sampled[12 * n : 12 * n + 12]) for n in range(units)]
        made, summary = units_of(texts), " ".join(sampled[-reference:])
        return lambda: Oracle().choose(made, summary)

    assert growth(work(2_500, 250), work(20_000, 2_000), enough=32) < 32
