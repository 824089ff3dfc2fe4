"""The recipes of the documentation run as they are printed, and what they make can be cited."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from helpers import ROOT
from lexlattice import Act, read, summarize

PAGE = (ROOT / "docs" / "recipes.md").read_text("utf-8")
LIBRARIES = {"LangChain": "langchain_core", "LlamaIndex": "llama_index", "Haystack": "haystack", "spaCy": "spacy"}
SLOW = [pytest.param(title, marks=pytest.mark.slow) for title in ("LangChain", "LlamaIndex", "Haystack")]


def code_of(title: str) -> str:
    """The code of a section of the page."""
    section = re.split(r"\n## ", PAGE.partition(f"\n## {title}\n")[2])[0]
    return "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "examples" / "short" / "en.txt", tmp_path / "act.txt")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "false")
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    return tmp_path


def run(title: str, *, with_chunks: bool = True) -> dict[str, Any]:
    """Run a recipe and return its names; a recipe whose library is not installed is skipped."""
    library = LIBRARIES.get(title, "pandas")
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"NO RECIPE: {library} is not installed; pip install 'lexlattice[recipes]' to test {title}")
    names: dict[str, Any] = {"__name__": "recipe"}
    for code in ([code_of("Provisions as chunks")] if with_chunks else []) + [code_of(title)]:
        assert code
        exec(compile(code, f"recipe for {title}", "exec"), names)
    return names


def check_citable(act: Act, texts: Iterable[str], metadata: Iterable[Mapping[str, Any]]) -> None:
    """Each text is a provision of the act, at the place and with the citation that are said."""
    for text, about in zip(texts, metadata, strict=True):
        assert text == act.source[about["start"] : about["end"]]
        assert {unit.id for unit in act.sentences(about["id"])}
        assert about["citation"] == act.cite(about["id"])
        assert (about["act"], about["language"]) == (act.celex, act.language)


def test_every_recipe_is_tested() -> None:
    titles = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert titles == ["Provisions as chunks", "LangChain", "LlamaIndex", "Haystack", "pandas", "spaCy"]
    assert all(len(code_of(title).strip().splitlines()) <= 32 for title in titles)


def test_chunks_are_all_provisions_of_an_act(folder: Path) -> None:
    names = dict[str, Any]()
    exec(code_of("Provisions as chunks"), names)
    act = read(folder / "act.txt")
    found = list(names["chunks"](act))
    check_citable(act, *zip(*found, strict=True))
    assert [about["id"] for _, about in found] == list(dict.fromkeys(unit.provision for unit in act))


@pytest.mark.parametrize("title", SLOW)
def test_what_is_retrieved_can_be_cited(folder: Path, title: str) -> None:
    act, found = read(folder / "act.txt"), run(title)["found"]
    assert len(found) == 3
    texts = [getattr(one, "page_content", None) or getattr(one, "content", None) or one.text for one in found]
    metadata = [one.meta if title == "Haystack" else one.metadata for one in found]
    check_citable(act, texts, metadata)
    if title != "Haystack":
        assert {about["source"] for about in metadata} == {"act.txt"}
    assert any("hive" in text.lower() for text in texts)


def test_a_data_frame_has_the_provisions_of_all_summaries(folder: Path) -> None:
    (folder / "empty.txt").write_text(" ")
    names = run("pandas", with_chunks=False)
    summary = summarize(folder / "act.txt", words=300)
    provisions = names["provisions"]
    assert provisions["id"].tolist() == [item.id for item in summary]
    assert provisions["citation"].tolist() == [item.citation for item in summary]
    assert [summary.act.source[a:b] for a, b in zip(provisions["start"], provisions["end"], strict=True)] == [
        *provisions["text"]
    ]
    assert names["failed"]["path"].tolist() == ["empty.txt"]


@pytest.mark.slow
def test_a_spacy_document_has_a_span_for_each_provision(folder: Path) -> None:
    names = run("spaCy", with_chunks=False)
    act, doc = read(folder / "act.txt"), names["doc"]
    assert doc.text == act.source
    spans = doc.spans["provisions"]
    assert [(span.id_, span.label_, span._.citation) for span in spans] == [
        (unit.id, unit.kind, act.cite(unit.id)) for unit in act
    ]
    assert [span.text for span in spans] == [unit.text for unit in act]
