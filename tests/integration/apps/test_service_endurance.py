"""The service over many requests: its memory, and the soak test itself, which otherwise takes an hour."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys

import pytest

from helpers import ROOT

REQUESTS = int(os.environ.get("LEXLATTICE_REQUESTS", "10000"))

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")]


@pytest.mark.timeout(1500)
def test_memory_does_not_grow_with_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    load = importlib.import_module("load")
    with load.service(2) as (address, process):
        measured = load.memory_over_requests(address, process, REQUESTS, 1200)
    done, samples = re.findall(r"over ([\d,]+) requests.*: (.+)\.", measured)[0]
    megabytes = [int(sample) for sample in samples.split(", ")]
    assert int(done.replace(",", "")) >= REQUESTS
    third = len(megabytes) // 3
    assert max(megabytes[-third:]) < 1.1 * max(megabytes[:third]), measured


def test_the_soak_test_finds_every_response_right() -> None:
    command = [sys.executable, "benchmarks/soak.py", "--minutes", "0.2", "--rate", "8", "--kill-every", "5"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "every response was right" in run.stdout
    assert len(re.findall(r"^\| \d", run.stdout, re.MULTILINE)) >= 20
