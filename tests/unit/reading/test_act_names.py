"""How acts are named and their provisions cited: the grammar of 24 languages, and numbers as titles write them."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import read
from lexlattice.act.document import Act
from lexlattice.errors import NoSuchProvisionError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.citations.act_names import TYPES, ActForm, form_of
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.languages.grammar import load, raw

DATA = Path(os.environ.get("LEXLATTICE_DATA", ""))

KINDS = (
    *TYPES,
    *(f"{variant}_{kind}" for variant in ("implementing", "delegated") for kind in ("regulation", "directive")),
    "implementing_decision",
    "delegated_decision",
    "framework_decision",
)
GDPR = {
    "bg": "Член 6, параграф 1 от Регламент (ЕС) 2016/679",
    "cs": "Čl. 6 odst. 1 nařízení (EU) 2016/679",
    "da": "Artikel 6, stk. 1, i forordning (EU) 2016/679",
    "de": "Artikel 6 Absatz 1 der Verordnung (EU) 2016/679",
    "el": "Άρθρο 6 παράγραφος 1 του κανονισμού (ΕΕ) 2016/679",
    "en": "Article 6(1) of Regulation (EU) 2016/679",
    "es": "Artículo 6, apartado 1, del Reglamento (UE) 2016/679",
    "et": "Määruse (EL) 2016/679 artikli 6 lõige 1",
    "fi": "Asetuksen (EU) 2016/679 6 artiklan 1 kohta",
    "fr": "Article 6, paragraphe 1, du règlement (UE) 2016/679",
    "ga": "Airteagal 6(1) de Rialachán (AE) 2016/679",
    "hr": "Članak 6. stavak 1. Uredbe (EU) 2016/679",
    "hu": "(EU) 2016/679 rendelet 6. cikke (1) bekezdése",
    "it": "Articolo 6, paragrafo 1, del regolamento (UE) 2016/679",
    "lt": "Reglamento (ES) 2016/679 6 straipsnio 1 dalis",
    "lv": "Regulas (ES) 2016/679 6. panta 1. punkts",
    "mt": "Artikolu 6(1) tar-Regolament (UE) 2016/679",
    "nl": "Artikel 6, lid 1, van Verordening (EU) 2016/679",
    "pl": "Art. 6 ust. 1 rozporządzenia (UE) 2016/679",
    "pt": "Artigo 6.º, n.º 1, do Regulamento (UE) 2016/679",
    "ro": "Articolul 6 alineatul (1) din Regulamentul (UE) 2016/679",
    "sk": "Článok 6 ods. 1 nariadenia (EÚ) 2016/679",
    "sl": "Člen 6(1) Uredbe (EU) 2016/679",
    "sv": "Artikel 6.1 i förordning (EU) 2016/679",
}
PARTS = {"bg": "ЕС", "el": "ΕΕ", "et": "EL", "ga": "AE", "lt": "ES", "lv": "ES", "sk": "EÚ"} | dict.fromkeys(
    ("es", "fr", "it", "mt", "pl", "pt", "ro"), "UE"
)
"""What stands in the brackets before a number; EU in all other languages."""


def entitled(title: str, language: str, celex: str = "") -> Act:
    """An act with this title."""
    words = raw(language)["headwords"]
    header = f"1. {words['article'][0]}" if words.get("number_first") else f"{words['article'][0]} 1"
    act = read(f"{title}\n\n{header}\n\nBees fly.\n", language=language)
    return replace(act, celex=celex or act.celex)


def table(language: str) -> dict[str, dict[str, str]]:
    return {name: entry for name, entry in raw(language)["acts"].items() if isinstance(entry, dict)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_provisions_are_cited_in_the_grammar_of_the_language(language: str) -> None:
    number = f"({PARTS.get(language, 'EU')}) 2016/679"
    title = table(language)["regulation"]["name"].replace("{number}", number).upper()
    act = entitled(title, language)
    first = cite(Cite(Cite(None, "article", "6"), "paragraph", "1"), load(language))
    assert form_of(act).cite(first) == GDPR[language]
    assert act.eli("art-6.par-1.pt-a") == "http://data.europa.eu/eli/reg/2016/679/art_6/par_1/pnt_a/oj"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_form_for_every_kind_of_act(language: str) -> None:
    found = table(language)
    assert set(KINDS) <= set(found)
    assert ("addressed_decision" in found) == bool(raw(language)["acts"]["addressed"])
    for entry in (entry for kind, entry in found.items() if kind != "possessed"):
        fields = {part: [field for _, field, _, _ in Formatter().parse(entry[part]) if field] for part in entry}
        assert fields["name"] == ["number"]
        assert sorted(fields["cited"]) == ["number", "provision"]
    names = [entry["name"] for kind, entry in found.items() if kind != "possessed"]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("language", LANGUAGES)
@given(year=st.integers(2015, 2029), serial=st.integers(1, 3000), kind=st.sampled_from(KINDS), upper=st.booleans())
def test_a_title_is_recognized_as_the_kind_it_names(
    language: str, year: int, serial: int, kind: str, upper: bool
) -> None:
    number = f"({PARTS.get(language, 'EU')}) {year}/{serial}"
    name = table(language)[kind]["name"].replace("{number}", number)
    title = name.upper() if upper else name
    act = replace(read(b"Bees fly.", language=language), title=title, type=kind.rpartition("_")[2])
    found = form_of(act)
    assert (found.kind, found.name) == (kind, name[:1].upper() + name[1:])
    assert number in found.cited
    assert found.cited.count("{provision}") == 1


@pytest.mark.parametrize(
    ("title", "language", "celex", "name", "eli"),
    [
        ("Regulation (EC) No 178/2002 of 28 January 2002", "en", "", "Regulation (EC) No 178/2002", "reg/2002/178"),
        ("RÈGLEMENT (CE) No 178/2002 du 28 janvier 2002", "fr", "", "Règlement (CE) n° 178/2002", "reg/2002/178"),
        ("Council Directive 93/13/EEC of 5 April 1993 on terms", "en", "", "Directive 93/13/EEC", "dir/1993/13"),
        ("A TANÁCS 93/13/EGK IRÁNYELVE (1993. április 5.)", "hu", "", "93/13/EGK irányelv", "dir/1993/13"),
        ("Regulation No 17 implementing the Treaty", "en", "31962R0017", "Regulation No 17", "reg/1962/17"),
        (
            "Council Regulation (EU, EURATOM) No 883/2013",
            "en",
            "32013R0883",
            "Regulation (EU, Euratom) No 883/2013",
            "reg/2013/883",
        ),
        (
            "Rahmenbeschluss 2002/584/JI des Rates vom 13. Juni 2002",
            "de",
            "32002F0584",
            "Rahmenbeschluss 2002/584/JI",
            "dec_framw/2002/584",
        ),
        ("Entscheidung 2000/532/EG vom 3. Mai 2000", "de", "32000D0532", "Entscheidung 2000/532/EG", ""),
        ("Decision (EU) 2015/507 of 16 September 2014", "en", "", "Decision (EU) 2015/507", "dec/2015/507"),
        # The number of another act is not the act's own.
        ("Commission Decision of 5 May 2005 amending Decision 2001/42/EC", "en", "32005D0322", "", ""),
        (
            "Commission Decision of 5 May 2005 amending Decision 2001/42/EC (2005/322/EC)",
            "en",
            "",
            "Decision 2005/322/EC",
            "",
        ),
        ("Corrigendum to Regulation (EU) 2016/679 of 27 April 2016", "en", "32016R0679R(02)", "", ""),
        ("Treaty on European Union", "en", "12012M/TXT", "", ""),
        ("On bees", "en", "", "", ""),
    ],
)
def test_the_number_is_the_one_in_the_title(title: str, language: str, celex: str, name: str, eli: str) -> None:
    act = entitled(title, language, celex)
    assert act.name == name
    assert act.eli() == (f"http://data.europa.eu/eli/{eli}/oj" if eli else "")
    assert name.partition(" ")[2] in act.cite("title")


def test_identifiers_of_provisions_are_those_of_what_encloses_them() -> None:
    base = replace(entitled("REGULATION (EU) 2016/679 of 27 April 2016", "en"), consolidated="2016-05-04")
    addresses = {
        "rec-4": "rct_4/",
        "anx-II.pt-3": "anx_II/pnt_3/",
        "art-5a.par-1.s-2": "art_5a/par_1/",
        "art-1.par-1.pt-a.pt-i": "art_1/par_1/pnt_a/",
        "art-1.q.art-2": "art_1/",
        "title": "",
    }
    for provision, step in addresses.items():
        assert base.eli(provision) == f"http://data.europa.eu/eli/reg/2016/679/{step}2016-05-04"
    assert replace(base, consolidated="").eli() == ""


def test_an_act_without_a_number_cites_its_provisions_alone() -> None:
    assert ActForm().cite("Article 5(1)") == "Article 5(1)"
    with pytest.raises(NoSuchProvisionError):
        entitled("On bees", "en").cite("art-77")


@pytest.mark.data
def test_real_acts_are_named_by_their_own_number_in_every_language() -> None:
    with gzip.open(DATA / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            year, serial = row["celex_id"][1:5], str(int(row["celex_id"][6:]))
            for language, text in row["text"].items():
                name = read(text[:4000], language=language).name
                numbers = re.search(r"(\d+)/(\d+)", name)
                assert numbers is not None, (row["celex_id"], language)
                assert {serial, year, year[2:]} >= set(numbers.groups()), name


@pytest.mark.data
@pytest.mark.parametrize("kind", ["regulation", "directive"])
def test_the_forms_are_those_of_the_official_journal(kind: str) -> None:
    """Provisions of other acts are cited so in real acts; of Irish and Croatian there is less text."""
    with gzip.open(DATA / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line)["text"] for line in lines]
    number = r"(?:\([^)]+\) )?(?:\S{1,5} )?\d+/\d+(?:/\w+)?"
    for language in LANGUAGES:
        folder = DATA / "eur-lex-sum" / "lexrank-extracts" / load(language).name.lower()
        texts = [row.get(language, "") for row in rows] + [path.read_text("utf-8") for path in folder.glob("*.txt")]
        jrc = DATA / "parallel" / "jrc-acquis" / f"{language}.txt.gz"
        if kind == "directive" and jrc.exists():
            texts.append(gzip.decompress(jrc.read_bytes()).decode()[:400_000])
        form = re.escape(table(language)[kind]["cited"].replace("{provision}", "").strip())
        pattern = rf"{form.replace(re.escape('{number}'), number)}"
        if kind == "directive" and language in ("ga", "hr"):
            continue  # no text of that time
        assert re.search(pattern, " ".join(" ".join(texts).split())), language
