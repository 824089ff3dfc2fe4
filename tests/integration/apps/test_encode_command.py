"""`lexlattice encode`: rows, messages, files left behind, and errors."""

from __future__ import annotations

import io
import os
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice.apps.cli import main
from lexlattice.encoding import EncodingError
from lexlattice.encoding.static import Static

ENCODER = Static()
LINES = ["Article 1", "Държавите членки уведомяват Комисията.", "Τα κράτη μέλη", "", "§", "30 days"]
EMPTY = 2
"""The number of those lines that have nothing to encode."""
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, limits and permissions of POSIX")

pytestmark = pytest.mark.filterwarnings("ignore::lexlattice.encoding.EmptyTextWarning")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where somebody works: with a file of lines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lines.txt").write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    return tmp_path


def run(*arguments: str | Path) -> int:
    return main(["encode", *map(str, arguments)])


def process(folder: Path, *arguments: str, given: bytes = b"", largest: int = 0) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own, whose files end at so many bytes, as they do on a full disk."""
    return subprocess.run(
        [sys.executable, "-m", "lexlattice", "encode", *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        timeout=240,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # Python would cut its own files short
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (largest, largest)) if largest else None,
    )


def check_one_sentence(captured: Any, *values: str | int) -> None:
    assert captured.err.startswith("lexlattice: ")
    assert captured.err.endswith(".\n")
    assert captured.err.count("\n") == 1
    numbers = {int(number) for number in re.findall(r"\b\d+\b", captured.err)}
    for value in values:
        assert value in (numbers if isinstance(value, int) else captured.err), captured.err
    assert not captured.out


# --- lines ------------------------------------------------------------------------------------------------


def test_each_line_is_a_row(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lines.txt", "-o", "vectors.npy") == 0
    vectors = np.load("vectors.npy", allow_pickle=False)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, ENCODER.encode(LINES))
    captured = capsys.readouterr()
    check_one_sentence(captured, len(LINES), EMPTY, ENCODER.dimensions, "static", ENCODER.fingerprint)
    assert sorted(path.name for path in folder.iterdir()) == ["lines.txt", "vectors.npy"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"one", ["one"]),
        (b"one\n", ["one"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\n\ntwo\n", ["one", "", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\r\n\r\ntwo", ["one", "", "two"]),
        (b"\xef\xbb\xbfone\ntwo\n", ["one", "two"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"one\rtwo\n", ["one\rtwo"]),
        ("one\u2028two\x85three\x0bfour\x0cfive\x1csix\n".encode(), ["one\u2028two\x85three\x0bfour\x0cfive\x1csix"]),
        (b"one\x00two\n", ["one\x00two"]),
    ],
)
def test_only_newlines_separate_lines(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    lines: list[str],
) -> None:
    encode, encoded = Static.encode, list[str]()

    def recording(self: Static, texts: Sequence[str], **_: Any) -> Any:
        encoded.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(Static, "encode", recording)
    (folder / "lines.txt").write_bytes(content)
    assert run("lines.txt", "-o", "vectors.npy") == 0
    assert encoded == lines
    vectors = np.load("vectors.npy")
    assert vectors.shape == (len(lines), ENCODER.dimensions)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, ENCODER.encode(lines))
    empty = lines.count("")
    captured = capsys.readouterr()
    check_one_sentence(captured, len(lines), *[empty] * bool(empty))


@settings(max_examples=30)
@given(lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n\ufeff")), max_size=5))
def test_any_lines_are_encoded_as_the_library_does(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "any.txt").write_bytes("".join(f"{line}\n" for line in lines).encode())
    assert run(folder / "any.txt", "-o", folder / "any.npy") == 0
    assert np.array_equal(np.load(folder / "any.npy"), ENCODER.encode(lines))


def test_lines_can_come_from_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (folder / "lines.txt").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "ascii"))
    assert run("-", "-o", "vectors.npy") == 0
    assert np.array_equal(np.load("vectors.npy"), ENCODER.encode(LINES))


@posix
def test_a_real_process_does_the_same(folder: Path) -> None:
    done = process(folder, "-", "-o", "vectors.npy", given=(folder / "lines.txt").read_bytes())
    assert (done.returncode, done.stdout) == (0, b"")
    assert re.match(rb"lexlattice: .*\b6\b", done.stderr)
    assert done.stderr.count(b"\n") == 1
    assert np.array_equal(np.load(folder / "vectors.npy"), ENCODER.encode(LINES))


def test_closed_standard_input_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run("-", "-o", "vectors.npy") == 2
    check_one_sentence(capsys.readouterr())


# --- the file of vectors ----------------------------------------------------------------------------------


def test_an_earlier_file_is_replaced(folder: Path) -> None:
    (folder / "vectors.npy").write_bytes(b"earlier" * 1_000_000)
    earlier = (folder / "vectors.npy").stat().st_ino
    assert run("lines.txt", "-o", "vectors.npy") == 0
    assert np.load("vectors.npy").shape == (len(LINES), ENCODER.dimensions)
    assert (folder / "vectors.npy").stat().st_ino != earlier, "it was written over, and not replaced as a whole"


def test_file_names_are_taken_literally(folder: Path) -> None:
    (folder / "дом").mkdir()
    for name in ("vectors", "vectors.txt", "дом/вектори.npy", str(folder / "absolute.npy")):
        assert run("lines.txt", "-o", name) == 0
        assert np.load(name).shape == (len(LINES), ENCODER.dimensions)


@posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_the_file_may_be_read_by_those_who_may_read_new_files(folder: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        assert run("lines.txt", "-o", "vectors.npy") == 0
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert (folder / "vectors.npy").stat().st_mode & 0o777 == mode


@posix
def test_a_full_disk_leaves_the_earlier_file_and_nothing_else(folder: Path) -> None:
    (folder / "vectors.npy").write_bytes(b"earlier")
    (folder / "many.txt").write_text("Article 1\n" * 100)
    done = process(folder, "many.txt", "-o", "vectors.npy", largest=50_000)
    assert done.returncode == 2
    assert done.stderr.startswith(b"lexlattice: ") and b"'vectors.npy'" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert (folder / "vectors.npy").read_bytes() == b"earlier"
    assert sorted(path.name for path in folder.iterdir()) == ["lines.txt", "many.txt", "vectors.npy"]


def test_a_failure_leaves_the_earlier_file_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*arguments: object, **options: object) -> None:
        raise EncodingError("The encoder broke down.")

    monkeypatch.setattr(Static, "encode", failing)
    (folder / "vectors.npy").write_bytes(b"earlier")
    assert run("lines.txt", "-o", "vectors.npy") == 2
    check_one_sentence(capsys.readouterr(), "The encoder broke down.")
    assert (folder / "vectors.npy").read_bytes() == b"earlier"
    assert sorted(path.name for path in folder.iterdir()) == ["lines.txt", "vectors.npy"]


@posix
def test_vectors_can_be_written_to_a_pipe(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("lines.txt", "-o", "pipe") == 0
    assert Path("pipe").is_fifo()
    found = np.load(io.BytesIO(os.read(reader, 1 << 20)))
    os.close(reader)
    assert np.array_equal(found, ENCODER.encode(LINES))
    assert run("lines.txt", "-o", os.devnull) == 0
    assert Path(os.devnull).is_char_device()
    assert sorted(path.name for path in folder.iterdir()) == ["lines.txt", "pipe"]


@posix
@pytest.mark.parametrize("made", [True, False])
def test_a_link_still_leads_to_the_vectors(folder: Path, made: bool) -> None:
    (folder / "below").mkdir()
    if made:
        Path("below/vectors.npy").write_bytes(b"earlier")
    Path("link.npy").symlink_to("below/vectors.npy")
    Path("second.npy").symlink_to("link.npy")
    assert run("lines.txt", "-o", "second.npy") == 0
    assert Path("link.npy").is_symlink()
    assert Path("second.npy").is_symlink()
    assert not Path("below/vectors.npy").is_symlink()
    assert np.array_equal(np.load("below/vectors.npy"), ENCODER.encode(LINES))
    assert [path.name for path in (folder / "below").iterdir()] == ["vectors.npy"]


@posix
def test_a_link_that_leads_nowhere_or_to_itself_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("circle").symlink_to("circle")
    Path("lost").symlink_to("nowhere/vectors.npy")
    for name in ("circle", "lost"):
        assert run("lines.txt", "-o", name) == 2
        check_one_sentence(capsys.readouterr(), f"'{name}'")
    assert sorted(path.name for path in folder.iterdir()) == ["circle", "lines.txt", "lost"]


@posix
@pytest.mark.parametrize("name", ["lines.txt", "./lines.txt", "hard.txt", "soft.txt"])
@pytest.mark.parametrize("given", ["lines.txt", "soft.txt"])
def test_the_lines_are_never_overwritten_by_the_vectors(
    folder: Path, capsys: pytest.CaptureFixture[str], given: str, name: str
) -> None:
    content = Path("lines.txt").read_bytes()
    Path("hard.txt").hardlink_to("lines.txt")
    Path("soft.txt").symlink_to("lines.txt")
    assert run(given, "-o", name) == 2
    check_one_sentence(capsys.readouterr(), f"'{name}'")
    assert Path("lines.txt").read_bytes() == content
    assert sorted(path.name for path in folder.iterdir()) == ["hard.txt", "lines.txt", "soft.txt"]


@pytest.mark.parametrize("target", ["nowhere/vectors.npy", ".", "lines.txt/vectors.npy", "a" * 300])
def test_an_unwritable_output_is_refused_before_encoding(
    folder: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    def failing(*arguments: object, **options: object) -> None:
        raise AssertionError("hours were spent on vectors that have nowhere to go")

    monkeypatch.setattr(Static, "encode", failing)
    assert run("lines.txt", "-o", target) == 2


@pytest.mark.parametrize("error", [ValueError("no number"), OSError(5, "Input/output error"), KeyError("bug")])
def test_encoding_errors_are_not_reported_as_output_errors(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def failing(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(Static, "encode", failing)
    with suppress(type(error)):
        assert run("lines.txt", "-o", "vectors.npy") != 0
    assert "vectors.npy" not in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["lines.txt"]


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_vectors_are_written_in_whatever_order_an_encoder_keeps_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    vectors = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    kept = {"C": vectors, "F": np.asfortranarray(vectors), "strided": np.repeat(vectors, 2, axis=1)[:, ::2]}[order]
    monkeypatch.setattr(Static, "encode", lambda *arguments, **options: kept)
    assert run("lines.txt", "-o", "vectors.npy") == 0
    assert np.array_equal(np.load("vectors.npy"), vectors)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux that is always full")
def test_a_full_device_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lines.txt", "-o", "/dev/full") == 2
    check_one_sentence(capsys.readouterr(), "'/dev/full'")


def test_an_interrupt_while_encoding_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Static, "encode", stopped)
    with suppress(KeyboardInterrupt):
        run("lines.txt", "-o", "vectors.npy")
    assert [path.name for path in folder.iterdir()] == ["lines.txt"]


@pytest.mark.parametrize("target", ["nowhere/vectors.npy", "taken", ".", "lines.txt/vectors.npy", "a" * 300])
def test_an_unwritable_output_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str], target: str) -> None:
    (folder / "taken").mkdir()
    assert run("lines.txt", "-o", target) == 2
    check_one_sentence(capsys.readouterr(), f"'{target}'")
    assert sorted(path.name for path in folder.iterdir()) == ["lines.txt", "taken"]
    assert not any((folder / "taken").iterdir())


# --- the encoder and the cache ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nonsense", "", "static:", "STATIC", "st:", "static:nowhere.safetensors"])
def test_unknown_encoders_are_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run("lines.txt", "-o", "vectors.npy", "--encoder", name) == 2
    check_one_sentence(capsys.readouterr(), f"{name.removeprefix('static:')}'")
    assert not (folder / "vectors.npy").exists()


def test_a_cache_gives_the_same_up_to_float16_and_is_used_the_second_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = ENCODER.encode(LINES)
    assert run("lines.txt", "-o", "first.npy", "--cache", "cache", "--quiet") == 0
    first = capsys.readouterr()
    check_one_sentence(first, EMPTY)
    vectors = np.load("first.npy")
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, expected.astype(np.float16).astype(np.float32))

    def failing(*arguments: object, **options: object) -> None:
        raise AssertionError("the encoder was asked, and not the cache")

    monkeypatch.setattr(Static, "encode", failing)
    assert run("lines.txt", "-o", "second.npy", "--cache", "cache", "--quiet") == 0
    assert capsys.readouterr() == first
    assert (folder / "second.npy").read_bytes() == (folder / "first.npy").read_bytes()


def test_a_quick_run_with_a_cache_shows_no_bar(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lines.txt", "-o", "vectors.npy", "--cache", "cache") == 0
    check_one_sentence(capsys.readouterr(), len(LINES))


def test_an_unusable_cache_folder_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cache in ("lines.txt", "."):
        assert run("lines.txt", "-o", "vectors.npy", "--cache", cache) == 2
        check_one_sentence(capsys.readouterr(), f"'{cache}'")
    assert [path.name for path in folder.iterdir()] == ["lines.txt"]


# --- the file of lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xff\xfeo\x00n\x00e\x00", 1),
        ("één\ntwee\ndrieënhalf".encode("latin-1"), 1),
        (b"one\ntwo\n\xe9t\xe9\n", 3),
        (b"one\n\xed\xa0\x80\n", 2),
        (b"one\ntwo\xc3", 2),
    ],
)
def test_lines_that_are_not_utf_8_are_refused_with_their_number(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes, line: int
) -> None:
    (folder / "lines.txt").write_bytes(content)
    assert run("lines.txt", "-o", "vectors.npy") == 2
    check_one_sentence(capsys.readouterr(), line)
    assert not (folder / "vectors.npy").exists()


@pytest.mark.parametrize("name", ["nowhere.txt", ".", "lines.txt/below", "a" * 300, ""])
def test_files_that_cannot_be_read_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(name, "-o", "vectors.npy") == 2
    check_one_sentence(capsys.readouterr(), f"'{name}'")
    assert not (folder / "vectors.npy").exists()


@pytest.mark.parametrize(
    "arguments",
    [("\0", "-o", "vectors.npy"), ("lines.txt", "-o", "\0"), ("lines.txt", "-o", "a\0b"), ("a\0b", "-o", "a\0b")],
)
def test_names_that_no_file_can_have_are_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert run(*arguments) == 2
    check_one_sentence(capsys.readouterr())
    assert [path.name for path in folder.iterdir()] == ["lines.txt"]


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may read and write everything")
def test_missing_permissions_are_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "closed").mkdir(mode=0o500)
    assert run("lines.txt", "-o", "closed/vectors.npy") == 2
    check_one_sentence(capsys.readouterr(), "closed/vectors.npy")
    (folder / "lines.txt").chmod(0)
    assert run("lines.txt", "-o", "vectors.npy") == 2
    check_one_sentence(capsys.readouterr(), "lines.txt")


@pytest.mark.parametrize("arguments", [[], ["lines.txt"], ["-o", "vectors.npy"], ["lines.txt", "-o"]])
def test_missing_arguments_return_2(folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2
    assert "usage: lexlattice encode" in capsys.readouterr().err


def test_the_output_must_be_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lines.txt", "-o", "-") == 2
    check_one_sentence(capsys.readouterr(), "'-'")
    assert not (folder / "-").exists()


def test_a_damaged_cache_is_rebuilt_with_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lines.txt", "-o", "a.npy", "--cache", "kept", "--quiet") == 0
    capsys.readouterr()
    (folder / "kept" / "vectors-0.sqlite").write_bytes(b"no database" * 1000)
    assert run("lines.txt", "-o", "b.npy", "--cache", "kept", "--quiet") == 0
    assert "'kept'" in capsys.readouterr().err
    assert np.array_equal(np.load("a.npy"), np.load("b.npy"))
