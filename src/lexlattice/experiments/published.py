"""What the paper reports, from `paper.toml`: to stand beside what is measured here."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def paper() -> dict[str, Any]:
    """All of it, by table."""
    return tomllib.loads(files(__package__).joinpath("paper.toml").read_text("utf-8"))


def reported(table: str, *keys: str) -> list[Any]:
    """The figures of a row; none where the paper has no such row."""
    found: Any = paper()[table]
    for key in keys:
        found = found.get(key, {})
    return list(found)
