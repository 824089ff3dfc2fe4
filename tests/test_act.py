"""The document model: JSON in and out, and a schema that is in step."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from lexlattice import Act, read

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_json_in_and_out(examples: Path, profile: str) -> None:
    act = read(examples / "long" / "en.txt", profile=profile)
    assert Act.from_json(act.to_json()) == act
    schema = json.loads(files("lexlattice").joinpath("act.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads(act.to_json()), schema)


def test_the_schema_is_in_step_with_the_types() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from write_schema import text

    assert files("lexlattice").joinpath("act.schema.json").read_text("utf-8") == text(), "run make schema"


def test_units_are_found_by_id(examples: Path) -> None:
    act = read(examples / "short" / "en.txt")
    assert act["art-5.par-1"].citation == "Article 5(1)"
    assert list(act) == list(act.units)
    assert act.words == sum(unit.words for unit in act)
    with pytest.raises(KeyError):
        act["art-99"]
