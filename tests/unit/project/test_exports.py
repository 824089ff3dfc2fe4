"""What the package exports: one list, documented, importable, and readable at a prompt."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lexlattice
from helpers import ROOT
from lexlattice import AsyncClient, Budget, Client, LexLatticeError, Result, Summarizer, SummaryOptions, read, summarize

PAGES = ROOT / "docs" / "api"
LONGEST = 110


@pytest.fixture(scope="module")
def act(examples: Path) -> lexlattice.Act:
    return read(examples / "long" / "en.txt")


def test_everything_in_the_list_is_there_and_sorted() -> None:
    names = lexlattice.__all__
    assert names == [
        *("Act", "AsyncClient", "Budget", "Client", "Definition", "Furniture", "Item", "LexLatticeError", "Provision"),
        *("Reference", "Result", "Section", "Summarizer", "Summary", "SummaryOptions", "Unit"),
        *("evaluate", "read", "summarize", "summarize_many", "summarize_versions"),
    ]
    exported = [getattr(lexlattice, name) for name in names]
    assert all(value.__module__.startswith("lexlattice.") and value.__doc__ for value in exported)
    assert {*names} <= {*dir(lexlattice)}
    with pytest.raises(AttributeError):
        _ = lexlattice.nothing


def test_everything_in_the_list_is_in_the_api_reference() -> None:
    described = set[str]()
    for page in PAGES.glob("*.md"):
        described |= {*re.findall(r"^::: ([\w.]+)", page.read_text("utf-8"), re.MULTILINE)}
    for name in lexlattice.__all__:
        home = getattr(lexlattice, name).__module__
        assert f"lexlattice.{name}" in described or home in described, f"{name} of {home}"


def test_the_client_is_imported_only_if_it_is_used() -> None:
    loaded = "print('lexlattice.apps.client' in sys.modules)"
    code = f"import sys, lexlattice; {loaded}; lexlattice.Client; {loaded}"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split() == [
        b"False",
        b"True",
    ]


def test_whatever_is_shown_at_a_prompt_is_one_short_line(act: lexlattice.Act) -> None:
    summary = summarize(act, words=200, explain=True)
    text = act.source
    with Client() as client:
        things = [act, summary, summary.record, client, AsyncClient(), Summarizer.from_pretrained()]
    things += [*act.units, *act.sections, *summary.items, *map(act.provision, ("art-1", "recitals"))]
    things += [Budget("words", 400), Budget(), SummaryOptions(), SummaryOptions(words=400, language="de", explain=True)]
    things += [Result(source, summary) for source in (text, Path(text[:200]), text.encode(), act)]
    things += [Result("act.txt", LexLatticeError(f"Something long happened: {text[:500]}."))]
    assert {text: len(text) for text in map(repr, things) if len(text) > LONGEST or "\n" in text} == {}
    assert repr(SummaryOptions(words=400)) == "SummaryOptions(words=400)"
    assert re.fullmatch(r"<Act \S+ en '.+': \d+ articles, [\d,]+ words>", repr(act))
    assert re.fullmatch(r"<Summary of '.+' en: \d+ items, \d+ words>", repr(summary))


def test_what_is_derived_from_an_act_is_not_pickled(act: lexlattice.Act) -> None:
    fresh = len(pickle.dumps(read(act.source, language="en")))
    act.find("Article 1")
    assert act.references()
    copy = pickle.loads(pickle.dumps(act))
    assert copy == act
    assert copy.units == act.units
    assert len(pickle.dumps(act)) <= 1.01 * fresh
