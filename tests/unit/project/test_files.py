"""Atomic writes: the order of system calls that makes a file complete or absent even after a power failure."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from lexlattice._internal.files import write_whole
from lexlattice.apps.bulk.output import Format, Output
from lexlattice.apps.bulk.records import Outcome

WHOLE = ["content on the disk", "renamed", "name on the disk"]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The system calls on files, in order."""
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
