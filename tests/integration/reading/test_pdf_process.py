"""PDFs are read in a limited process: whatever one of them does to it, the next one is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers import EXAMPLES
from helpers.pdfs import bomb, pages
from helpers.service import asking, served
from helpers.timing import wait_until
from lexlattice import read
from lexlattice._internal.processes import WorkerSlot
from lexlattice.errors import TooComplexError
from lexlattice.reading.formats import pdf_process

pytest.importorskip("pypdfium2")

FILE = EXAMPLES / "formats" / "act.pdf"
LARGEST = 600_000_000
"""Bytes; a file of a kilobyte took 1.76 GB before there was a process with limits, one of two aborted."""


def number_of_articles(data: bytes) -> int:
    return sum(section.kind == "article" for section in read(data).sections)


def the_process() -> int:
    """The identifier of the process that reads PDFs for this one."""
    read(FILE)
    process = pdf_process._process._process
    assert process is not None and process.poll() is None
    return process.pid


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_process, "SECONDS", 1)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[bytes]:
    """A PDF that keeps the process busy for some seconds, until it has taken all memory that it may take."""
    monkeypatch.setattr(pdf_process, "SECONDS", 100)
    monkeypatch.setattr(pdf_process, "MEMORY", 2_000_000_000)
    yield bomb(9, b"")
    pdf_process._process.end()


# --- files that cannot be read ---------------------------------------------------------------------------


MEASURED = """
import resource, sys
from lexlattice import read
from lexlattice.errors import ReadingError
from lexlattice.reading.formats import pdf_process

pdf_process.SECONDS = 1
sentences = []
for path in sys.argv[2:]:
    try:
        read(path)
    except ReadingError as error:
        sentences.append(str(error))
articles = sum(section.kind == "article" for section in read(sys.argv[1]).sections)
pdf_process._process.end()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(articles, used.ru_utime, used.ru_maxrss * 1024, *sentences, sep="\\n")
"""


@pytest.mark.parametrize("text", [b"(Bees) Tj", b"(%b) Tj" % (b"bees " * 40), b"0 0 m 9 9 l S"])
def test_files_that_expand_without_end_are_refused_at_little_cost(text: bytes, tmp_path: Path) -> None:
    for depth in (7, 200):
        (tmp_path / f"{depth}.pdf").write_bytes(bomb(depth, text))
    files = [FILE, *sorted(tmp_path.glob("*.pdf"))]
    # A process of its own: what children of this one have used at most would count those of other tests.
    done = subprocess.run([sys.executable, "-c", MEASURED, *files], capture_output=True, text=True, check=True)
    articles, seconds, memory, *sentences = done.stdout.splitlines()
    assert int(articles) > 2
    assert float(seconds) < 20
    assert int(memory) < LARGEST
    assert [sentence.count(".") for sentence in sentences] == [1, 1]


def test_a_file_that_takes_too_long_is_refused_and_the_next_one_is_read(little_time: None) -> None:
    with pytest.raises(TooComplexError):
        read(bomb(9, b""))
    assert number_of_articles(FILE.read_bytes()) > 2


def test_a_file_that_takes_too_much_memory_is_refused_and_the_next_one_is_read() -> None:
    with pytest.raises(TooComplexError):
        read(bomb(8))
    assert number_of_articles(FILE.read_bytes()) > 2


def test_more_characters_than_acts_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pages([[f"Article {n}", f"Members shall keep records of {'all ' * n}hives."] for n in (1, 2, 3)])
    assert len(read(data, language="en")) > 0
    monkeypatch.setattr(pdf_process, "MAX_CHARACTERS", 100)
    with pytest.raises(TooComplexError):
        read(data)


@pytest.mark.slow
def test_an_act_of_five_hundred_full_pages_is_read() -> None:
    lines = [f"{n}. Members of the Union shall keep records of all hives for five years and report." for n in range(60)]
    act = read(pages([[f"Article {n}", *lines] for n in range(1, 501)]), language="en")
    assert sum(section.kind == "article" for section in act.sections) == 500


# --- the process ------------------------------------------------------------------------------------------


def test_the_process_is_used_again() -> None:
    assert the_process() == the_process()


def test_a_process_that_died_is_replaced() -> None:
    for _ in range(3):
        os.kill(the_process(), signal.SIGKILL)
        assert number_of_articles(FILE.read_bytes()) > 2


def test_a_process_that_somebody_else_kills_is_replaced_and_the_file_read_again(endless: bytes) -> None:
    first = the_process()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read, endless)
        wait_until(lambda: busy(first))
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: (found := pdf_process._process._process) is not None and found.pid != first)
        second = pdf_process._process._process
        assert second is not None
        wait_until(lambda: busy(second.pid))
        os.kill(second.pid, signal.SIGKILL)
        with pytest.raises(TooComplexError):
            reading.result()


def busy(process: int) -> bool:
    """Whether it is computing now."""
    ticks = [sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]))]
    time.sleep(0.2)
    ticks.append(sum(map(int, Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13])))
    return ticks[1] > ticks[0] + 2


def test_after_an_interruption_the_next_file_is_read(endless: bytes) -> None:
    read(FILE)

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    # Neither SIGALRM nor its timer, which end tests that take too long.
    usual = signal.signal(signal.SIGUSR1, interrupt)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            read(endless)
            timer.join()
    finally:
        signal.signal(signal.SIGUSR1, usual)
    assert number_of_articles(FILE.read_bytes()) > 2


def test_a_forked_process_starts_its_own_and_leaves_that_of_its_parent() -> None:
    own = the_process()
    for _ in range(3):
        child = os.fork()
        if child == 0:
            found = 1
            try:
                found = 0 if the_process() != own and number_of_articles(FILE.read_bytes()) > 2 else 2
            finally:
                pdf_process._process.end()
                os._exit(found)
        assert number_of_articles(FILE.read_bytes()) > 2
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert the_process() == own


def test_a_process_forked_while_a_thread_reads_can_read(endless: bytes) -> None:
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read, endless)
        wait_until(lambda: pdf_process._process._lock.locked())
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            found = 1
            try:
                found = 0 if number_of_articles(FILE.read_bytes()) > 2 else 2
            finally:
                pdf_process._process.end()
                os._exit(found)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        pdf_process._process._process.kill()  # type: ignore[union-attr]
        wait_until(lambda: not reading.running() or pdf_process._process._process is not None)
        while not reading.done():
            if (process := pdf_process._process._process) is not None:
                process.kill()
            time.sleep(0.05)
        with pytest.raises(TooComplexError):
            reading.result()


PARENT = """
import os, sys
from lexlattice import read
from lexlattice.reading.formats import pdf_process
read({file!r})
print(pdf_process._process._process.pid, flush=True)
if {fork}:
    if os.fork() == 0:  # it outlives its parent and must not keep the process alive
        os.execvp("sleep", ["sleep", "60"])
{then}
"""


@pytest.mark.parametrize("fork", [False, True])
@pytest.mark.parametrize("is_busy", [False, True])
def test_the_process_ends_when_its_parent_is_killed(is_busy: bool, fork: bool, tmp_path: Path) -> None:
    (tmp_path / "endless.pdf").write_bytes(bomb(9, b""))
    endless = f"pdf_process.SECONDS = 100; read({str(tmp_path / 'endless.pdf')!r})"
    script = PARENT.format(file=str(FILE), fork=fork, then=endless if is_busy else "input()")
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        if is_busy:
            wait_until(lambda: busy(process))
        assert is_running(process)
        parent.kill()
    wait_until(lambda: not is_running(process))


def test_a_script_without_a_main_guard_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    lines = ["print('started')", "from lexlattice import read", f"print(len(read({str(FILE)!r})) > 0)"]
    script.write_text("\n".join(lines))
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["started", "True"]
    assert not run.stderr


def test_a_module_beside_the_script_is_not_imported(tmp_path: Path) -> None:
    """The process takes its modules from where the program takes them, and not from the folder it is started in."""
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    code = f"from lexlattice import read\nprint(len(read({str(FILE)!r})) > 0)"
    run = subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"]


# --- where it is used -------------------------------------------------------------------------------------


def test_a_worker_process_reads_pdfs_and_survives_a_bad_one() -> None:
    slot = WorkerSlot(dict, seconds=60, memory=2_000_000_000)
    try:
        assert slot.run(number_of_articles, FILE.read_bytes()) > 2
        with pytest.raises(TooComplexError):
            slot.run(number_of_articles, bomb(8))
        assert slot.run(number_of_articles, FILE.read_bytes()) > 2
        assert slot.restarts == 0
    finally:
        slot.stop()


def test_a_program_that_reads_in_threads_gets_every_answer() -> None:
    with ThreadPoolExecutor(4) as pool:
        files = [bomb(8) if n % 3 == 0 else FILE.read_bytes() for n in range(12)]
        readings = [pool.submit(number_of_articles, data) for data in files]
    for n, reading in enumerate(readings):
        if n % 3 == 0:
            assert isinstance(reading.exception(), TooComplexError)
        else:
            assert reading.result() > 2
    assert threading.active_count() < 20


def test_the_service_says_so_and_loses_no_worker() -> None:
    with served(workers=1, fetch=False) as server, asking(server) as client:
        for _ in range(3):
            response = client.post("/v1/acts", files={"file": ("act.pdf", bomb(8))})
            assert response.status_code == 413
            assert response.json()["code"] == "too-complex"
        assert client.post("/v1/acts", files={"file": ("act.pdf", FILE.read_bytes())}).status_code == 200
        assert "lexlattice_worker_restarts 0.0" in client.get("/metrics").text


def test_the_command_says_so_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pdf"
    path.write_bytes(bomb(8))
    run = subprocess.run(
        [sys.executable, "-m", "lexlattice", "summarize", str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode != 0
    assert "Traceback" not in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
