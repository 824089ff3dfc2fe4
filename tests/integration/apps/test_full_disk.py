"""Real full disks: file systems of a few pages, limits on the size of files, and outputs that take no byte."""

from __future__ import annotations

import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from test_corpus import LIMITS, Plain, lines
from test_corpus_faults import BEFORE, FILES, OUT, Strict, check_whole, go
from test_corpus_updates import write

from helpers.acts import little_rows, write_rows
from lexlattice import encoding
from lexlattice.apps.bulk.run import run
from lexlattice.apps.cli import main
from lexlattice.encoding import EncodingError
from lexlattice.encoding.cache import CachedEncoder
from lexlattice.errors import OutputError

PAGE = 4096
SIZES = range(1, 40, max(1, 1000 // int(os.environ.get("LEXLATTICE_KILLS", "200"))))
"""Pages of the file systems."""
posix = pytest.mark.skipif(not Path("/dev/full").exists(), reason="NO /dev/full: only on Linux")


@contextmanager
def small_disk(place: Path, pages: int) -> Iterator[Callable[[], object]]:
    """A file system of so many pages; yield a function that makes room on it."""
    place.mkdir(exist_ok=True, parents=True)
    call = ["mount", "-t", "tmpfs", "-o", f"size={pages * PAGE}", "lexlattice-test", str(place)]
    if shutil.which("mount") is None or subprocess.run(call, capture_output=True).returncode:
        pytest.skip("NO SMALL DISKS: mounting a file system needs root")
    try:
        yield partial(subprocess.run, ["mount", "-o", "remount,size=8m", str(place)], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.parametrize("name", ["new", "changed"])
def test_a_run_on_a_small_disk_says_so_and_ends_once_there_is_room(tmp_path: Path, name: str) -> None:
    ended = []
    for pages in SIZES:
        place = tmp_path / str(pages)
        with small_disk(place / "disk", pages) as make_room:
            for files in (BEFORE, FILES[name]):
                with suppress(OutputError):
                    go(place, files)
                    ended.append(pages)
            make_room()
            go(place, FILES[name])
            check_whole(place, FILES[name])
    assert ended and ended[0] > SIZES[0], "none of the disks was large enough, or all were"


@pytest.mark.filterwarnings("ignore::lexlattice.encoding.cache.CacheWarning")
def test_a_vector_cache_on_a_small_disk_says_so_and_never_returns_a_wrong_vector(tmp_path: Path) -> None:
    texts = [f"Article {number} applies to hives and their keepers." for number in range(60)]
    encoder = encoding.load()
    expected = CachedEncoder(encoder, tmp_path / "whole").encode(texts)
    failed = 0
    for pages in SIZES:
        with small_disk(tmp_path / str(pages), pages) as make_room:
            for _ in range(2):
                try:
                    assert (CachedEncoder(encoder, tmp_path / str(pages)).encode(texts) == expected).all()
                except EncodingError as error:
                    failed += 1
                    assert "room" in str(error) or "written" in str(error)
                make_room()
            assert (CachedEncoder(encoder, tmp_path / str(pages)).encode(texts) == expected).all()
    assert failed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_limit_on_the_size_of_files_at_any_byte_ends_the_run_with_one_error(tmp_path: Path) -> None:
    """A real error of the system, in the middle of any write."""
    ended: list[int] = []
    most = 0
    step = max(1, 8000 // int(os.environ.get("LEXLATTICE_KILLS", "200")))
    while not ended or ended[-1] != 0:
        most += step
        subset = write(tmp_path / "acts", BEFORE)
        child = os.fork()
        if not child:
            status = 3
            try:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                sys.dont_write_bytecode = True  # Python would cut its own files short
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                run(Strict(None), subset, tmp_path / str(most) / OUT, Plain(), LIMITS, size=2)
                status = 0
            except OutputError:
                status = 2
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        (tmp_path / str(most)).mkdir(exist_ok=True)
        go(tmp_path / str(most), BEFORE)
        check_whole(tmp_path / str(most), BEFORE)
    assert set(ended) == {0, 2}


# --- Standard output and standard error


@pytest.fixture
def data(tmp_path: Path, examples: Path) -> Path:
    shutil.copy(examples / "short" / "en.txt", tmp_path / "en.txt")
    write_rows(tmp_path / "rows.jsonl", little_rows(2))
    return tmp_path


PRINTING = [
    "--help",
    "--version",
    "corpus score --help",
    "summarize {}/en.txt",
    "summarize {}/en.txt {}/en.txt",
    "summarize {}/en.txt --format json",
    "summarize {}/en.txt {}/en.txt --format json",
    "summarize {}/en.txt --format html",
    "parse {}/en.txt",
    "parse {}/en.txt --tree",
    "corpus score {}/en.txt -o {}/out --dry-run",
    "evaluate {}/rows.jsonl --system lead --quiet",
]


@posix
@pytest.mark.parametrize("line", PRINTING)
def test_a_full_standard_output_is_one_sentence(
    data: Path, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(data)
    full = io.TextIOWrapper(io.BufferedWriter(io.FileIO("/dev/full", "w")))
    monkeypatch.setattr(sys, "stdout", full)
    assert main(line.format(data, data).split()) == 2
    said = capsys.readouterr().err
    assert "space" in said.splitlines()[-1] and "Traceback" not in said
    with suppress(OSError):
        full.close()


@posix
def test_a_full_standard_error_changes_neither_result_nor_status(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {
        f"summarize {data}/en.txt {data}/en.txt -o {data}/summaries/": 0,
        f"corpus score {data}/en.txt -o {data}/scores -j 1": 0,
        f"prepare {data}/rows.jsonl -o {data}/prepared --jobs 1": 0,
        f"summarize {data}/nowhere.txt": 2,
    }
    for line, status in calls.items():
        full = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115 – it cannot be closed without an error
        monkeypatch.setattr(sys, "stderr", full)
        found = main(line.split())
        with suppress(OSError):
            full.close()
        assert found == status, line
    assert len(lines(data / "scores")) == 1


@posix
def test_a_full_log_is_one_sentence_that_names_it_and_the_run_resumes(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["corpus", "score", str(data / "en.txt"), "-o", str(data / "out"), "-j", "1", "--quiet"]
    assert main([*call, "--log", "/dev/full"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "/dev/full" in said
    assert main([*call, "--log", str(data / "log.jsonl")]) == 0
    assert len(lines(data / "out")) == 1
