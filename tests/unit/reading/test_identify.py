"""Language detection by formulas or by py3langid's model; a text in no official language is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.errors import NotAnActError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import openers, raw
from lexlattice.reading.languages.identify import MIN_SHARE, by_formulas, classify, identify, share_of

NAMES = {
    **{"bulgarian": "bg", "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en"},
    **{"estonian": "et", "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hungarian": "hu"},
    **{"irish": "ga", "italian": "it", "latvian": "lv", "lithuanian": "lt", "maltese": "mt", "polish": "pl"},
    **{"portuguese": "pt", "romanian": "ro", "slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv"},
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_are_identified_by_formulas_and_by_the_model(examples: Path, language: str) -> None:
    lines = (examples / "short" / f"{language}.txt").read_text("utf-8").splitlines()[4:]
    assert identify(lines) == language
    assert classify("\n".join(lines)) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_formulas_of_a_language_are_found_without_parsing_the_rest_of_its_file(language: str) -> None:
    assert openers(language) == raw(language)["openers"]


FOREIGN = {
    "Russian": "Настоящий закон устанавливает порядок учёта ульев, которые находятся в городах. Каждый владелец обязан "
    "сообщить об этом в уполномоченный орган; если он этого не сделал, он несёт ответственность по закону.",
    "Ukrainian": "Цей закон встановлює порядок обліку вуликів, які розташовані в містах. Кожен власник зобов’язаний "
    "повідомити про це уповноважений орган; якщо він цього не зробив, він несе відповідальність за законом.",
    "Serbian in Cyrillic": "Овај закон уређује упис кошница које се налазе у градовима. Сваки власник је дужан да о "
    "томе обавести надлежни орган; ако то није учинио, одговара у складу са законом.",
    "Norwegian": "Denne loven fastsetter regler for registrering av bikuber i byer. Enhver eier skal melde fra til den "
    "ansvarlige myndigheten; dersom eieren ikke gjør dette, kan myndigheten ilegge gebyr etter forskrift.",
    "Turkish": "Bu kanun, şehirlerde bulunan arı kovanlarının kaydına ilişkin usulleri belirler. Her sahip, durumu "
    "yetkili makama otuz gün içinde bildirmek zorundadır; bildirmeyen sahip sorumlu tutulur.",
    "Icelandic": "Lög þessi gilda um skráningu býflugnabúa í borgum. Sérhver eigandi skal tilkynna það til lögbærs "
    "yfirvalds innan þrjátíu daga; geri hann það ekki ber hann ábyrgð samkvæmt lögum.",
    "Latin": "Omnes homines qui apes in urbibus alunt magistratui nomen suum dare debent; quod si quis neglexerit, "
    "poenam legibus constitutam solvat neque alvearia sua in urbe retineat.",
    "Chinese": "本法规定城市蜂箱登记的规则。每个所有人应当在三十日内通知主管机关；未通知的，依照法律承担责任。",
    "a greeting": "hello",
    "JSON": '{"name": "hives", "rows": [{"id": 1, "keeper": null, "city": true}, {"id": 2, "keeper": "A. Bee"}]}',
    "a program": "def hives(city):\n    return {hive.id: hive for hive in city._hives if hive.keeper != None}\n" * 9,
    "figures": "\n".join(f"{n};{n * n};{n * 3.5:.2f};AB{n:04d}" for n in range(99)),
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_text_in_no_official_language_is_refused(text: str) -> None:
    assert share_of(text.split("\n")) < MIN_SHARE / 2
    with pytest.raises(NotAnActError):
        read(text.encode())


def test_an_act_in_norwegian_is_not_read_as_danish() -> None:
    lines = ["under henvisning til traktaten om opprettelse av fellesskapet,"] * 4 + [FOREIGN["Norwegian"]]
    assert by_formulas(lines) == ""
    with pytest.raises(NotAnActError):
        read("\n".join(lines))


def test_a_language_that_does_not_fit_is_used_with_a_warning() -> None:
    act = read(FOREIGN["Russian"] * 3 + "\n", language="bg")
    assert act.language == "bg"
    assert "Bulgarian" in act.warnings[0] and "0%" in act.warnings[0]
    assert not any("Finnish" in warning for warning in read("hello\n", language="fi").warnings)


def test_formulas_take_precedence_over_the_language_of_the_page(examples: Path) -> None:
    text = (examples / "short" / "fr.txt").read_text("utf-8")
    page = "".join(f"<p>{line}</p>" for line in text.splitlines())
    assert read(f'<html lang="en"><body>{page}</body></html>'.encode()).language == "fr"


@pytest.mark.data
def test_news_and_laws_in_official_languages_are_not_refused(data: Path) -> None:
    for path in (data / "parallel" / "ntrex").glob("*.txt"):
        assert share_of(path.read_text("utf-8").splitlines()[:40]) > 0.85, path
    for path in (data / "parallel" / "udhr").glob("*.txt"):
        assert share_of(path.read_text("utf-8").splitlines()) > 0.85, path


@pytest.mark.data
def test_real_acts_are_clearly_accepted(data: Path) -> None:
    for name in ("multi-eurlex", "en-fr"):
        with gzip.open(data / "acts" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as rows:
            for row in rows:
                for text in json.loads(row)["text"].values():
                    lines = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
                    assert by_formulas(lines) or share_of(lines) > MIN_SHARE + 0.1


@pytest.mark.data
def test_language_versions_of_acts_are_identified(data: Path) -> None:
    """At least 99 % are correct, without the page header that states the language."""
    total = wrong = 0
    for name in ("multi-eurlex", "en-fr"):
        with gzip.open(data / "acts" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as rows:
            for row in rows:
                for language, text in json.loads(row)["text"].items():
                    lines = [line for line in text.split("\n")[6:] if line.strip()] or text.split("\n")
                    total += 1
                    wrong += identify(lines) != language
    assert total > 1200
    assert wrong <= 0.01 * total


@pytest.mark.data
def test_extracts_in_all_24_languages(data: Path) -> None:
    """Loose paragraphs, Irish and Croatian included, without any of an act's formulas."""
    for path in (data / "eur-lex-sum" / "lexrank-extracts").glob("*/*.txt"):
        assert identify(path.read_text("utf-8").splitlines()) == NAMES[path.parent.name], path


def test_an_act_in_two_languages_is_read_in_the_first() -> None:
    english = "Each Party shall keep the lamps of its streets clean and shall light all of them at night."
    french = "Chaque partie veille à la propreté des lampes de ses rues et les allume toutes chaque soir."
    assert identify([*[english] * 100, *[french] * 130]) == "en"
    assert identify([*[french] * 100, *[english] * 130]) == "fr"
