"""Silver alignment: what a summary says, what it rests on, and what units get of it; with a fictional act."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from helpers import ROOT
from lexlattice import read
from lexlattice._internal.weights import write_weights
from lexlattice.act.document import Act
from lexlattice.encoding.static import Static
from lexlattice.training.silver import Silver, align
from lexlattice.training.silver.evidence import EVIDENCE_COUNT, evidence_of
from lexlattice.training.silver.fitting import Example, GoldPoint, fit, supporting_units
from lexlattice.training.silver.gold import auc, gold_acts, quality
from lexlattice.training.silver.model import READOUTS, arrays_of, load_model
from lexlattice.training.silver.overlap import stems
from lexlattice.training.silver.pairs import PAIR_FEATURES, SENTENCE_FEATURES, pairs_of
from lexlattice.training.silver.sentences import content_sentences, in_act_vocabulary

ACT = """REGULATION (EU) 2024/9001 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL
of 1 March 2024
on the keeping of bees
Whereas:
(1) Pollination is important for orchards and meadows.
HAVE ADOPTED THIS REGULATION:
Article 1
Subject matter
This Regulation lays down rules on the registration of apiaries and on the health of colonies.
Article 2
Registration
1. Keepers of bees shall register every apiary with the competent authority before 1 April of each year.
2. The application for registration shall state:
(a) the name and address of the keeper;
(b) the number of hives;
(c) the coordinates of the apiary.
Article 3
Inspections
Veterinary inspectors shall examine colonies for foulbrood at least once in two years.
Article 4
Penalties
Member States shall lay down penalties for keepers who conceal an outbreak of foulbrood.
Article 5
Entry into force
This Regulation shall enter into force on the day following its publication. It shall apply from 1 January 2025.
"""
SUMMARY = """Keeping of bees
Keeping of bees
SUMMARY OF:
Regulation (EU) 2024/9001 on the keeping of bees
WHAT IS THE AIM OF THE REGULATION?
It lays down rules on registering apiaries and on colony health.
KEY POINTS
Registration
Keepers must register every apiary with the authority before 1 April.
An application states: the keeper’s name and address;the number of hives.
Inspections
Inspectors examine colonies for foulbrood at least every 2 years. EU countries lay down penalties, e.g. fines.
FROM WHEN DOES THE REGULATION APPLY?
It applies from 1 January 2025.
BACKGROUND
Bees have been kept since antiquity.
For more information, see:
Bees (European Commission)
MAIN DOCUMENT
Regulation (EU) 2024/9001 of 1 March 2024 on the keeping of bees (OJ L 1, 1.3.2024, pp. 1-9)
last update 01.04.2024
"""


@pytest.fixture(scope="module")
def encoder() -> Static:
    return Static()


@pytest.fixture(scope="module")
def act() -> Act:
    return read(ACT, language="en")


@pytest.fixture(scope="module")
def silver(act: Act, encoder: Static) -> Silver:
    return align(act, SUMMARY, encoder)


def index(act: Act, unit_id: str) -> int:
    return [unit.id for unit in act.units].index(unit_id)


def test_titles_headings_links_and_background_are_not_content() -> None:
    assert [sentence.text for sentence in content_sentences(SUMMARY)] == [
        "It lays down rules on registering apiaries and on colony health.",
        "Keepers must register every apiary with the authority before 1 April.",
        "the keeper’s name and address",
        "the number of hives.",
        "Inspectors examine colonies for foulbrood at least every 2 years.",
        "EU countries lay down penalties, e.g. fines.",
        "It applies from 1 January 2025.",
    ]


def test_each_sentence_knows_its_part_and_sub_heading() -> None:
    sentences = content_sentences(SUMMARY)
    assert [sentence.part for sentence in sentences] == ["aim", *["points"] * 5, "dates"]
    assert [sentence.heading for sentence in sentences[1:5]] == [*["Registration"] * 3, "Inspections"]


def test_points_on_one_line_are_split_and_keep_their_lead_in() -> None:
    (first, second) = content_sentences("Bees\nKEY POINTS\nKeepers must: register hives;pay a fee.\n")
    assert (first.lead_in, first.text) == ("Keepers must:", "register hives")
    assert (second.lead_in, second.text) == ("Keepers must:", "pay a fee.")


def test_a_lead_in_ends_with_its_list() -> None:
    text = "Bees\nKEY POINTS\nKeepers must:\nregister hives;\npay a fee.\nInspectors examine all colonies.\n"
    assert [sentence.lead_in for sentence in content_sentences(text)] == ["Keepers must:", "Keepers must:", ""]


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    (sentence,) = content_sentences("Bees\nKEY POINTS\nKeepers follow Regulation No. 5 Of the Council at all times.\n")
    assert sentence.text.startswith("Keepers") and sentence.text.endswith("times.")


def test_names_are_replaced_by_those_of_acts() -> None:
    assert in_act_vocabulary("EU countries and non-EU countries") == "Member States and third countries"


@pytest.mark.parametrize("summary", ["", "\n\n", "Bees", "MAIN DOCUMENT\nRegulation 1"])
def test_a_summary_without_content_has_no_weight(summary: str, act: Act, encoder: Static) -> None:
    silver = align(act, summary, encoder)
    assert silver.sentences == ()
    assert not silver.weights.any()
    assert np.isfinite(silver.targets).all()


def test_words_are_compared_by_their_first_letters() -> None:
    assert stems("Registered registration 2024") == ["regist", "regist", "2024"]


def test_shares_of_a_sentence_sum_to_one_at_most(silver: Silver) -> None:
    for aligned in silver.sentences:
        assert sum(share for _, share in aligned.units) <= 1 + 1e-6
        assert 0 <= aligned.confidence <= 1
        assert [share for _, share in aligned.units] == sorted((share for _, share in aligned.units), reverse=True)


def test_targets_importance_and_weights_are_probabilities_of_every_unit(silver: Silver, act: Act) -> None:
    for values in (silver.targets, silver.importance, silver.priority, silver.weights):
        assert values.dtype == np.float32
        assert values.shape == (len(act.units),)
        assert ((values >= 0) & (values <= 1)).all()


@pytest.mark.parametrize(
    ("sentence", "unit"),
    [(0, "art-1"), (1, "art-2.par-1"), (2, "art-2.par-2.pt-a"), (3, "art-2.par-2.pt-b"), (4, "art-3"), (5, "art-4")],
)
def test_a_sentence_is_aligned_with_the_provision_that_says_the_same(
    sentence: int, unit: str, silver: Silver, act: Act
) -> None:
    assert silver.sentences[sentence].units[0][0] == index(act, unit)


def test_units_in_the_summary_have_higher_targets_than_others(silver: Silver, act: Act) -> None:
    said = [index(act, unit) for unit in ("art-1", "art-2.par-1", "art-2.par-2.pt-a", "art-3", "art-4")]
    silent = [index(act, unit) for unit in ("rec-1", "art-2.par-2.pt-c")]
    assert silver.targets[said].min() > silver.targets[silent].max()


def test_a_lead_in_is_aligned_with_its_points(silver: Silver, act: Act) -> None:
    assert silver.targets[index(act, "art-2.par-2")] > silver.targets[index(act, "art-2.par-2.pt-c")]


def test_a_table_has_no_target_and_no_weight(act: Act, encoder: Static) -> None:
    sections = [
        replace(section, units=tuple(unit._replace(kind="table") for unit in section.units))
        if section.id == "art-3"
        else section
        for section in act.sections
    ]
    silver = align(replace(act, sections=tuple(sections)), SUMMARY, encoder)
    table = index(act, "art-3")
    assert silver.targets[table] == silver.weights[table] == 0


def test_sentences_are_labelled_with_the_units_of_their_gold_points(encoder: Static) -> None:
    points = [
        GoldPoint("Keepers register apiaries with the authority before 1 April", 3, (4,)),
        GoldPoint("Colonies are examined for foulbrood every two years", 2, (9,)),
        GoldPoint("Bees were kept in antiquity", 1, ()),
    ]
    found = supporting_units(content_sentences(SUMMARY), points, encoder)
    assert found[1] == (4,)
    assert found[4] == (9,)
    assert found[6] is None


def test_features_have_the_columns_they_name(act: Act, encoder: Static) -> None:
    sentences = content_sentences(SUMMARY)
    pairs = pairs_of(act, sentences, encoder)
    assert pairs.pairs.shape == (len(sentences), len(act.units), len(PAIR_FEATURES))
    assert pairs.sentences.shape == (len(sentences), len(SENTENCE_FEATURES))
    shares = np.full((len(sentences), len(act.units)), 0.01, np.float32)
    assert evidence_of(pairs, shares, np.zeros(len(sentences), np.float32)).shape == (len(act.units), EVIDENCE_COUNT)


def examples(act: Act, encoder: Static, labels: Sequence[tuple[int, ...] | None]) -> list[Example]:
    pairs = pairs_of(act, content_sentences(SUMMARY), encoder)
    units = np.zeros((len(act.units), len(READOUTS)), np.float32)
    units[[unit for label in labels for unit in label or ()]] = 1
    return [Example(pairs, labels, units)] * 6


def test_fitting_learns_labels_and_its_weights_survive_a_round_trip(
    act: Act, encoder: Static, tmp_path_factory: pytest.TempPathFactory
) -> None:
    torch.set_num_threads(1)
    labels = [(index(act, unit),) for unit in ("art-1", "art-2.par-1", "art-2.par-2.pt-a", "art-2.par-2.pt-b", "art-3")]
    rows = examples(act, encoder, [*labels, None, ()])
    model = fit(rows)
    path = tmp_path_factory.mktemp("silver") / "model.safetensors"
    write_weights(path, arrays_of(model), {})
    pairs = rows[0].pairs
    first, second = (some.align(pairs) for some in (model, load_model(path)))
    assert np.array_equal(first.shares, second.shares)
    shares: NDArray[np.float32] = first.shares
    assert sum(int(shares[n].argmax()) == label[0] for n, label in enumerate(labels)) >= 4
    assert np.allclose(shares.sum(axis=1) + first.unsupported, 1, atol=1e-5)


def test_auc_is_one_for_perfect_scores_and_nan_without_negatives() -> None:
    assert auc(np.array([False, True, True]), np.array([0.1, 0.5, 0.9], np.float32)) == 1
    assert np.isnan(auc(np.array([True]), np.array([0.5], np.float32)))


@pytest.mark.data
def test_targets_of_real_acts_find_what_annotators_chose(data: Path, encoder: Static) -> None:
    gold = ROOT / "data" / "gold" / "validation.jsonl"
    acts = list(islice(gold_acts(gold, data / "eur-lex-sum/en/validation.jsonl.gz", encoder), 3))
    measured = quality((item, load_model()) for item in acts)
    assert measured.auc > 0.85
    assert measured.in_gold_if_confident > 0.75
