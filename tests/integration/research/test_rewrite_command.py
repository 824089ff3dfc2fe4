"""`lexlattice rewrite`, and systems of others at `lexlattice evaluate`: from a file that describes an endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.llm_server import KEY, KEY_FROM, Received, fake_llm
from lexlattice import evaluate, read, summarize
from lexlattice.apps.cli import main
from lexlattice.errors import ConfigError
from lexlattice.evaluation.systems import Task, system


def written(question: Received) -> str:
    """One sentence that says what the first provision says, and one with a number that no provision has."""
    if not question.is_structured:
        return "Keepers register their hives. " * 200
    first, second, *_ = json.loads(question.prompt)["provisions"]
    sentences = [
        {"text": first["text"], "ids": [first["id"]]},
        {"text": "Keepers pay 4711 euro.", "ids": [second["id"]]},
    ]
    return json.dumps({"sentences": sentences})


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv(KEY_FROM, KEY)
    with fake_llm(written) as server:
        path = tmp_path / "model.toml"
        path.write_text(
            f'url = "http://127.0.0.1:{server.server_port}"\nkind = "openai"\nmodel = "little"\nkey_from = "{KEY_FROM}"'
        )
        yield path


def test_only_what_is_verified_is_shown(examples: Path, endpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    act = examples / "short" / "en.txt"
    command = ["rewrite", str(act), "--endpoint", str(endpoint), "--words", "150", "--format", "json"]
    assert main(command) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert re.findall(r"\b1\b", err) == ["1", "1"], "one is shown, one is not"
    assert len(found["rejected"]) == 1
    assert "4711" not in json.dumps(found["sentences"])
    assert "4711" in found["rejected"][0]["text"]
    items = {item.id: item.text for item in summarize(act, words=150)}
    assert {name for sentence in found["sentences"] for name in sentence["ids"]} == set(items)
    assert next(s["text"] for s in found["sentences"] if s["status"] == "verbatim") in items.values()
    assert list(endpoint.with_suffix(".replies").rglob("*.json"))
    assert KEY not in "".join(path.read_text() for path in endpoint.with_suffix(".replies").rglob("*.json"))


def test_a_model_behind_an_endpoint_is_a_system_like_others(examples: Path, endpoint: Path) -> None:
    act = read(examples / "short" / "en.txt")
    for method in ("zero-shot", "extract"):
        run = system(f"llm:{endpoint}?method={method}")
        (text,) = run(Task(act, act.source, "", 60, "whole", 0))
        assert len(text.split()) == 60
        assert text.startswith("Keepers register")


@pytest.mark.parametrize("content", [None, "kind = 1"])
def test_a_file_that_describes_no_endpoint_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "model.toml"
    if content:
        path.write_text(content)
    with pytest.raises(ConfigError):
        system(f"llm:{path}")


def test_the_estimated_cost_is_printed_before_the_first_request(examples: Path, endpoint: Path, tmp_path: Path) -> None:
    act = (examples / "short" / "en.txt").read_text("utf-8")
    row = {"celex_id": "32024R9001", "reference": act, "summary": "Keepers register every hive."}
    said: list[str] = []
    evaluate([row], [f"llm:{endpoint}", "lead"], language="en", note=said.append)
    (sentence,) = said
    assert sentence.startswith(f"llm:{endpoint}: 1 requests, ")
