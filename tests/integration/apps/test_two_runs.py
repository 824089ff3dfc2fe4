"""Two commands on one folder at the same time, started, killed and resumed at random moments by real processes."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from test_corpus import LIMITS, Count, Plain
from test_corpus_updates import state, write

from helpers.acts import contents, little_rows
from lexlattice.apps.bulk.run import run
from lexlattice.apps.cli import main
from lexlattice.errors import OutputError
from lexlattice.training.prepare import prepare

ROUNDS = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 20
FILES = {f"{number:02}.txt": "x" * (number % 5 + 1) for number in range(30)}
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
Work = Callable[[], object]


def start(work: Work) -> int:
    """Do the work in a process of its own, whose status is 2 if it is refused."""
    child = os.fork()
    if child:
        return child
    status = 3
    try:
        sys.stderr = sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 – until the process ends
        result = work()
        status = result if isinstance(result, int) else 0
    except OutputError:
        status = 2
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(status)


def race(draw: random.Random, first: Work, second: Work, most: float) -> set[int]:
    """Start both, at moments up to `most` seconds apart; kill one of them now and then."""
    children = [start(first)]
    time.sleep(draw.uniform(0, most))
    children.append(start(second))
    time.sleep(draw.uniform(0, most))
    if draw.random() < 0.5:
        os.kill(draw.choice(children), signal.SIGKILL)
    return {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}


def update(place: Path, size: int) -> object:
    from lexlattice.apps.bulk.inputs import Inputs
    from lexlattice.apps.bulk.run import Subset

    return run(Count(None), Subset(Inputs((str(place / "acts"),))), place / "out", Plain(), LIMITS, size=size)


def test_two_bulk_runs_lose_and_double_nothing_whatever_their_options(tmp_path: Path) -> None:
    draw, seen = random.Random(11), set[int]()
    files = dict(FILES)
    for number in range(ROUNDS):
        for name in draw.sample(sorted(FILES), 5):
            files[name] = "x" * draw.randint(1, 9)
        write(tmp_path / "acts", files)
        other = 3 if number % 3 else 4  # other settings are refused, whoever comes first
        seen |= race(draw, partial(update, tmp_path, 3), partial(update, tmp_path, other), 0.03)
        if (tmp_path / "out").exists():
            state(tmp_path / "out")  # never two rows of an act
    assert seen <= {0, 2, -signal.SIGKILL}
    assert {0, 2} <= seen
    for size in (3, 4):
        try:
            update(tmp_path, size)
        except OutputError:
            continue
    assert state(tmp_path / "out") == {name: len(text) for name, text in files.items()}


def test_two_preparations_end_with_the_same_bytes(tmp_path: Path) -> None:
    rows, draw, seen = little_rows(3), random.Random(12), set[int]()
    prepare([rows], tmp_path / "whole")
    for number in range(max(2, ROUNDS // 5)):
        work = partial(prepare, [rows], tmp_path / str(number))
        seen |= race(draw, work, work, 0.1)
        prepare([rows], tmp_path / str(number))
        assert contents(tmp_path / str(number)) == contents(tmp_path / "whole")
    assert seen <= {0, 2, -signal.SIGKILL}


def test_two_commands_summarize_a_folder_into_one(tmp_path: Path) -> None:
    draw, seen = random.Random(13), set[int]()
    for name in ("a", "b", "c"):
        (tmp_path / "acts" / name).mkdir(parents=True)
        (tmp_path / "acts" / name / "act.txt").write_text(f"Article 1\n\nThe bees of {name} are free.\n")
    line = ["summarize", str(tmp_path / "acts"), "--lang", "en", "--quiet", "-o"]
    assert main([*line, str(tmp_path / "whole")]) == 0
    for number in range(max(3, ROUNDS // 2)):
        work = partial(main, [*line, str(tmp_path / str(number))])
        seen |= race(draw, work, work, 0.05)
        assert main([*line, str(tmp_path / str(number))]) == 0
        assert contents(tmp_path / str(number)) == contents(tmp_path / "whole")
    assert seen <= {0, 2, -signal.SIGKILL}
