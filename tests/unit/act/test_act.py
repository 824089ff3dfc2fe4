"""The document model: JSON in and out, and a schema that is in step."""

from __future__ import annotations

import gc
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from helpers import ROOT
from lexlattice import Act, read


@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_json_in_and_out(examples: Path, profile: str) -> None:
    act = read(examples / "long" / "en.txt", profile=profile)
    assert Act.from_json(act.to_json()) == act
    schema = json.loads(files("lexlattice.act").joinpath("act.schema.json").read_text("utf-8"))
    jsonschema.validate(act.to_dict(), schema)


def test_the_schema_is_in_step_with_the_types() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from write_schema import text

    assert files("lexlattice.act").joinpath("act.schema.json").read_text("utf-8") == text(), "run make schema"


def test_units_are_found_by_id(examples: Path) -> None:
    act = read(examples / "short" / "en.txt")
    assert act["art-5.par-1"].citation == "Article 5(1)"
    assert list(act) == list(act.units)
    assert act.words == sum(unit.words for unit in act)
    assert "art-5.par-1" in act
    assert "art-99" not in act
    assert len(act) == len(act.units)
    assert [unit.id for unit in act.sentences("art-5.par-1")] == ["art-5.par-1"]
    assert act.sentences("art-99") == ()
    with pytest.raises(KeyError):
        act["art-99"]


def test_sentences_are_found_by_their_provision(examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    parts = act.sentences("rec-25")
    assert [unit.id for unit in parts] == [f"rec-25.s-{n}" for n in range(1, len(parts) + 1)]
    assert len(parts) > 1


def test_several_threads_may_read_at_once(examples: Path) -> None:
    """Reading pauses the garbage collector; the last reader, not the first, must let it go on."""
    path = examples / "long" / "en.txt"
    with ThreadPoolExecutor(8) as pool:
        acts = list(pool.map(lambda _: read(path), range(32)))
    assert all(act == acts[0] for act in acts)
    assert gc.isenabled()
