"""An act has the same sections in all languages and formats."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from helpers.laws import provisions, skeleton
from lexlattice import Act, read


def recitals(act: Act) -> int:
    return len({u.provision for s in act.sections if s.kind == "recitals" for u in s.units if "." not in u.provision})


def count(act: Act, kind: str) -> int:
    return sum(section.kind == kind for section in act.sections)


@pytest.mark.data
@pytest.mark.slow
def test_language_versions_agree_with_english(data: Path) -> None:
    """Kinds and numbers in ≥ 98 % of versions, provisions per section in ≥ 90 %; the benchmark prints the details."""
    versions, same, equal = Counter[str](), Counter[str](), Counter[str]()
    for name in ("multi-eurlex", "en-fr"):
        with gzip.open(data / "acts" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in islice(lines, 0, None, 1 if name == "multi-eurlex" else 3):
                texts = json.loads(line)["text"]
                english = read(texts.pop("en"), language="en")
                for language, text in texts.items():
                    act = read(text, language=language)
                    versions[language] += 1
                    same[language] += skeleton(act) == skeleton(english)
                    equal[language] += provisions(act) == provisions(english)
    assert len(versions) == 22
    assert same.total() >= 0.98 * versions.total()
    assert equal.total() >= 0.90 * versions.total()
    assert all(same[language] >= 0.90 * versions[language] for language in versions)


@pytest.mark.data
@pytest.mark.parametrize(("celex", "articles", "annexes"), [("32022R2554", 64, 0), ("32024R1689", 113, 13)])
def test_well_known_regulations_have_all_articles_annexes_and_recitals(
    data: Path, celex: str, articles: int, annexes: int
) -> None:
    expected = {"32022R2554": 106, "32024R1689": 180}[celex]
    for path in sorted((data / "acts" / "raw" / celex).glob("*/*")):
        act = read(path)
        assert act.celex == celex
        assert [s.number for s in act.sections if s.kind == "article"] == [str(n) for n in range(1, articles + 1)]
        assert count(act, "annex") == annexes
        assert recitals(act) in (expected, 0)  # consolidated texts omit the recitals
        if path.suffix == ".xml":
            assert recitals(act) == expected


@pytest.mark.data
def test_formats_of_one_act_agree(data: Path) -> None:
    """Articles and annexes are the same in every file of an act, recitals wherever a file has them."""
    compared = 0
    for folder in sorted((data / "acts" / "raw").iterdir()):
        files = sorted(folder.glob("*/*"))
        if folder.name == "31991R1534":  # its consolidation of 2004 has lost Article 7: compare within each date
            files = [path for path in files if path.parent.name == "1991-05-31"]
        acts = {path: read(path) for path in files}
        compared += len(acts)
        assert len({tuple(s.number for s in a.sections if s.kind == "article") for a in acts.values()}) <= 1, folder
        assert len({count(a, "annex") for a in acts.values()}) <= 1, folder
        assert len({recitals(a) for a in acts.values()} - {0}) <= 1, folder
        assert {a.celex for a in acts.values()} <= {folder.name}
    assert compared > 60


@pytest.mark.data
def test_formex_and_consolidated_html_of_one_text_agree(data: Path) -> None:
    folders = sorted((data / "acts" / "raw").glob("*/*/*.fmx4"))
    assert len(folders) > 10
    for folder in folders:
        formex, html = read(folder), read(folder.with_suffix(".html"))
        kinds = {kind for kind, _ in skeleton(html)}
        assert [x for x in skeleton(formex) if x[0] in kinds] == skeleton(html), folder


@pytest.mark.data
def test_formex_and_html_of_one_hard_text_have_the_same_articles_and_annexes(data: Path) -> None:
    """Nothing is between the annexes: notes of tables belong to them, and the notes of the act are at the end."""
    compared = 0
    for folder in sorted((data / "acts" / "hard").glob("*/*/*.fmx4")):
        formex = skeleton(read(folder))
        annexes = [n for n, (kind, _) in enumerate(formex) if kind == "annex"]
        between = formex[annexes[0] : annexes[-1] + 1] if annexes else []
        assert {kind for kind, _ in between} <= {"annex"}, folder
        page = next((path for path in (folder.with_suffix(".html"), folder.with_suffix(".xml")) if path.exists()), None)
        html = skeleton(read(page)) if page is not None else []
        if any(kind == "article" for kind, _ in html):  # of a repealed act the page has no text
            kinds = ("article", "annex")
            assert [x for x in formex if x[0] in kinds] == [x for x in html if x[0] in kinds], folder
            compared += 1
    assert compared >= 8
