"""Forking while other threads read and summarize: no child hangs, and the garbage collector is the caller's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes are forked")

FORK = """
import gc, os, signal, sys, threading, time, warnings
import lexlattice

warnings.simplefilter("ignore")  # newer versions of Python advise against forking with threads
path, is_over = sys.argv[1], threading.Event()
with open(path, encoding="utf-8") as file:
    act = file.read()
expected = lexlattice.summarize(act).to_json()
if sys.argv[2] == "off":
    gc.disable()

def work():
    while not is_over.is_set():
        lexlattice.summarize(act)

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
outcomes = []
for number in range(25):
    time.sleep(0.003 * (number % 7))
    child = os.fork()
    if not child:
        signal.alarm(20)  # a child that hangs is killed, and counted
        is_enabled = gc.isenabled()
        same = lexlattice.summarize(act).to_json() == expected
        os._exit(0 if same and is_enabled == gc.isenabled() == (sys.argv[2] == "on") else 3)
    outcomes.append(os.waitpid(child, 0)[1])
is_over.set()
for thread in threads:
    thread.join()
print(outcomes.count(0), gc.isenabled())
"""


@pytest.mark.parametrize("collector", ["on", pytest.param("off", marks=pytest.mark.slow)])
def test_25_children_work_while_other_threads_summarize(examples: Path, collector: str) -> None:
    call = [sys.executable, "-c", FORK, str(examples / "short" / "en.txt"), collector]
    done = subprocess.run(call, capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout.split() == ["25", str(collector == "on")], done.stderr


def test_reading_never_switches_the_garbage_collector_off(examples: Path) -> None:
    """Another thread looks at it all the time while an act is read."""
    script = (
        "import gc, sys, threading, lexlattice\n"
        "seen, is_over = set(), threading.Event()\n"
        "sys.setswitchinterval(1e-5)\n"
        "def watch():\n"
        "    while not is_over.is_set():\n"
        "        seen.add(gc.isenabled())\n"
        "thread = threading.Thread(target=watch)\n"
        "thread.start()\n"
        "for _ in range(2):\n"
        "    lexlattice.summarize(sys.argv[1])\n"
        "is_over.set()\n"
        "thread.join()\n"
        "print(seen)\n"
    )
    call = [sys.executable, "-c", script, str(examples / "long" / "en.txt")]
    assert subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip() == "{True}"
