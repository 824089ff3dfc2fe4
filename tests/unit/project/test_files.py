"""Files that are whole or not there, also when the power fails: in which order the disk is told what."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from lexlattice._internal.files import write_whole
from lexlattice.apps.bulk.entry import Outcome
from lexlattice.apps.bulk.shards import Format, Output

WHOLE = ["content on the disk", "renamed", "name on the disk"]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens to files, as it happens."""
    found: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        found.append("name on the disk" if stat.S_ISDIR(os.fstat(handle).st_mode) else "content on the disk")
        fsync(handle)

    def renamed(self: Path, target: Any) -> Path:
        found.append("renamed")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    return found


def test_a_file_takes_its_name_once_it_is_on_the_disk(tmp_path: Path, events: list[str]) -> None:
    write_whole(tmp_path / "a", b"content")
    assert events == WHOLE


def test_a_shard_counts_once_it_is_on_the_disk(tmp_path: Path, events: list[str]) -> None:
    output = Output(tmp_path / "out", Format("jsonl", {"source": str}), {"task": "none"})
    with output.open():
        events.clear()
        output.write(0, iter([Outcome(0, "a", "0", '{"source": "a"}')]))
    shard, index = events[:3], events[-3:]
    assert shard == index == WHOLE
