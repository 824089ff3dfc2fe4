"""Preparation of training data: the content of the folder, resuming, damage, and rows that cannot be used."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.acts import Row, contents, little_rows, write_rows
from lexlattice import read
from lexlattice._internal.shards import RUN, ShardFolder
from lexlattice.apps.cli import main
from lexlattice.encoding import EncodingError, load
from lexlattice.errors import DataError, OutputError
from lexlattice.evaluation.oracle import Oracle
from lexlattice.evaluation.rows import parse_fields
from lexlattice.training.prepare import ORACLES, prepare
from lexlattice.training.prepared import SHARD_SIZE, Prepared

NO_UNITS = {"celex_id": "32024R9998", "reference": "Article 1", "summary": "Nothing.", "language": "en"}
FAULTS = {
    "missing": ({"celex_id": "32024R9991", "act": "Text.", "summary": "A summary."}, "'reference'"),
    "empty": ({"celex_id": "32024R9992", "reference": "Text.", "summary": " "}, "'summary'"),
    "no units": (NO_UNITS, "32024R9998"),
    "no language": ({**NO_UNITS, "language": "xx"}, "'xx'"),
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return little_rows(2 * SHARD_SIZE + 5)


@pytest.fixture(scope="module")
def prepared(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare([rows], tmp_path_factory.mktemp("prepared") / "whole")


# --- What is in the folder


@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_an_example_is_the_row_read_and_encoded_with_the_selection_of_the_oracle(tmp_path: Path, profile: str) -> None:
    rows = little_rows(3)
    encoder = load()
    for number, example in enumerate(prepare([rows], tmp_path / "out", profile=profile)):
        row = rows[number]
        act = read(row["reference"] + "\n", format="text", profile=profile, language=row["language"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vectors = encoder.encode([unit.text for unit in act.units])
        assert example.act == act
        assert (example.vectors == vectors.astype(np.float16)).all()
        assert example.vectors.dtype == np.float32
        assert example.order == ORACLES[profile].choose(act.units, row["summary"]).order
        assert (example.line, example.celex, example.summary) == (number + 1, row["celex_id"], row["summary"])
        assert example.words == len(row["summary"].split())


def test_the_manifest_records_how_the_examples_were_made(prepared: Prepared) -> None:
    about, encoder = prepared.manifest, load()
    assert (about["profile"], about["encoder"], about["dimensions"]) == ("provisions", encoder.name, encoder.dimensions)
    assert about["fingerprint"] == encoder.fingerprint
    assert about["oracle"]["objective"] == "budgeted"
    assert about["acts"] == len(prepared)
    assert about["units"] == sum(len(example.act) for example in prepared)
    assert about["skipped"] == []


def test_examples_are_the_same_objects_as_long_as_the_folder_is_open(prepared: Prepared) -> None:
    assert prepared[3] is prepared[3]
    prepared[3].vectors[:] += 1
    again = Prepared.open(prepared.folder, verify=True)[3]
    assert (prepared[3].vectors == again.vectors + 1).all(), "what is done to vectors in memory stays out of the file"
    prepared[3].vectors[:] -= 1


@posix
def test_cached_examples_keep_no_file_open(prepared: Prepared) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = max(int(path.name) for path in Path("/dev/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 8, limits[1]))
    try:
        assert len(list(Prepared.open(prepared.folder))) == 2 * SHARD_SIZE + 5
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@given(st.slices(2 * SHARD_SIZE + 5), st.integers(-2 * SHARD_SIZE - 5, 2 * SHARD_SIZE + 4))
def test_a_folder_is_a_sequence(prepared: Prepared, part: slice, place: int) -> None:
    lines = list(range(1, len(prepared) + 1))
    assert [key.celex for key in prepared[part].keys] == [f"32024R{line:04d}" for line in lines[part]]  # type: ignore[attr-defined]
    assert prepared[place].line == lines[place]


def test_an_act_without_selected_units_is_kept_and_counted(tmp_path: Path) -> None:
    row = {**little_rows(1)[0], "summary": "Xyzzy."}
    prepared = prepare([[row]], tmp_path / "out")
    assert prepared[0].order == ()
    assert prepared.without_choice == 1


def test_units_without_words_have_zero_vectors_and_cause_no_warning(tmp_path: Path) -> None:
    act = "Article 1\n\nThe register is public.\n\n—\n\n…\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        example = prepare(
            [[{"reference": act, "summary": "The register is public.", "language": "en"}]], tmp_path / "o"
        )[0]
    assert not example.vectors.any(axis=1).all()


# --- Killed, and started again


def test_the_number_of_processes_changes_no_byte(rows: list[Row], prepared: Prepared, tmp_path: Path) -> None:
    prepare([rows], tmp_path / "out", jobs=2)
    assert contents(tmp_path / "out") == contents(prepared.folder)


KILLED = """
import os, signal, sys
from lexlattice.apps.cli import main
from lexlattice.training import prepare
write = prepare.write_shard
def write_first(shards, number, *others):
    if number:
        os.kill(os.getpid(), signal.SIGKILL)
    write(shards, number, *others)
prepare.write_shard = write_first
sys.exit(main(sys.argv[1:]))
"""
"""The command, killed before its second shard."""


@posix
def test_a_killed_run_resumes_and_ends_with_the_same_bytes(rows: list[Row], prepared: Prepared, tmp_path: Path) -> None:
    data, folder = write_rows(tmp_path / "data.jsonl", rows), tmp_path / "out"
    line = [sys.executable, "-c", KILLED, "prepare", str(data), "-o", str(folder), "--quiet", "--jobs", "1"]
    assert subprocess.run(line, capture_output=True, check=False).returncode == -signal.SIGKILL
    with pytest.raises(DataError):
        Prepared.open(folder)
    kept = (folder / "shard-00000.npy").stat().st_mtime_ns
    prepare([data], folder)
    assert (folder / "shard-00000.npy").stat().st_mtime_ns == kept, "a complete shard was written again"
    assert contents(folder) == contents(prepared.folder)


def test_half_written_shards_of_a_killed_run_are_written_again(
    prepared: Prepared, rows: list[Row], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    shutil.copytree(prepared.folder, folder)
    manifest = json.loads((folder / RUN / "manifest.json").read_bytes())
    (folder / RUN / "manifest.json").write_text(json.dumps(manifest | {"finished": False}))
    (folder / RUN / "shard-00001.json").unlink()
    (folder / ".shard-00001.npy.part").write_bytes(b"half")
    (folder / "shard-00002.npy").write_bytes(b"half")
    prepare([rows], folder)
    assert contents(folder) == contents(prepared.folder)


@pytest.mark.parametrize(
    ("other", "word"),
    [
        ({"profile": "paper"}, "profile"),
        ({"oracle": Oracle("greedy")}, "oracle"),
        ({"language": "en"}, "language"),
        ({"limit": 3}, "limit"),
    ],
)
def test_other_settings_are_refused(rows: list[Row], prepared: Prepared, other: dict[str, object], word: str) -> None:
    with pytest.raises(OutputError) as error:
        prepare([rows], prepared.folder, **other)  # type: ignore[arg-type]
    assert word in str(error.value)


def test_other_data_are_refused(rows: list[Row], prepared: Prepared, tmp_path: Path) -> None:
    before = contents(prepared.folder)
    changed = [*rows[:-1], {**rows[-1], "summary": "Another."}]
    for others in (changed, rows[1:], rows[: 2 * SHARD_SIZE], rows[:-1], [*rows, rows[0]]):
        with pytest.raises(OutputError):
            prepare([others], prepared.folder)
    assert contents(prepared.folder) == before
    even = prepare([rows[:SHARD_SIZE]], tmp_path / "out")
    with pytest.raises(OutputError):
        prepare([rows], even.folder)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(OutputError):
        prepare([little_rows(1)], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@posix
def test_two_runs_do_not_write_to_the_same_folder(tmp_path: Path) -> None:
    with ShardFolder(tmp_path / "out", {}).open(), pytest.raises(OutputError):
        prepare([little_rows(1)], tmp_path / "out")


def test_a_complete_shard_that_was_damaged_is_written_again(
    prepared: Prepared, rows: list[Row], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    shutil.copytree(prepared.folder, folder)
    content = bytearray((folder / "shard-00001.npy").read_bytes())
    content[-1] ^= 1  # the size stays the same
    (folder / "shard-00001.npy").write_bytes(content)
    prepare([rows], folder)
    assert contents(folder) == contents(prepared.folder)


@pytest.mark.parametrize(
    "name", [f"{RUN}/shard-00000.json", "shard-00000.jsonl.gz", "shard-00000.npy", f"{RUN}/manifest.json"]
)
@pytest.mark.parametrize("damage", ["gone", "cut", "changed"])
def test_damaged_folders_are_refused(tmp_path: Path, name: str, damage: str) -> None:
    folder = prepare([little_rows(1)], tmp_path / "out").folder
    place = folder / name
    content = place.read_bytes()
    if damage == "gone":
        place.unlink()
    else:
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        place.write_bytes(content[:-3] if damage == "cut" else changed)
    with pytest.raises(DataError):
        Prepared.open(folder, verify=True)


def test_changed_acts_are_refused_when_they_are_decoded(tmp_path: Path) -> None:
    prepared = prepare([little_rows(1)], tmp_path / "out")
    place = prepared.folder / "shard-00000.jsonl.gz"
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    place.write_bytes(content)
    with pytest.raises(DataError):
        Prepared.open(prepared.folder)[0]


def test_a_run_killed_before_its_first_file_was_complete_starts_over(tmp_path: Path) -> None:
    (tmp_path / RUN).mkdir()
    (tmp_path / RUN / ".manifest.json.part").write_bytes(b"{")
    assert len(prepare([little_rows(1)], tmp_path)) == 1
    assert not list(tmp_path.rglob(".*.part"))


# --- Rows that are of no use


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_rows_are_reported_and_skipped(tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    row, named = FAULTS[fault]
    first, last = little_rows(2)
    data = write_rows(tmp_path / "data.jsonl", [first, row, last])
    assert main(["prepare", str(data), "-o", str(tmp_path / "out"), "--quiet", "--jobs", "1"]) == 0
    error_output = capsys.readouterr().err
    assert f"line 2, {row['celex_id']}: " in error_output
    assert named in error_output
    assert "1 of 3 rows" in error_output
    prepared = Prepared.open(tmp_path / "out")
    assert [example.line for example in prepared] == [1, 3]
    assert [(bad["line"], bad["celex"]) for bad in prepared.manifest["skipped"]] == [(2, row["celex_id"])]


@pytest.mark.parametrize("fault", FAULTS)
def test_strict_ends_the_run_at_the_first_bad_row(
    tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row, named = FAULTS[fault]
    data = write_rows(tmp_path / "data.jsonl", [*little_rows(1), row])
    command = ["prepare", str(data), "-o", str(tmp_path / "out"), "--quiet", "--jobs", "1", "--strict"]
    assert main(command) == 2
    error_output = capsys.readouterr().err
    assert error_output.startswith(f"lexlattice: line 2, {row['celex_id']}: ")
    assert named in error_output
    assert error_output.count("\n") == 1
    assert main(command[:-1]) == 0, "the same run can be resumed without --strict"
    assert main(command) == 2, "and is looked at strictly again"


def test_lines_that_are_not_json_are_reported_with_their_file(tmp_path: Path) -> None:
    whole = write_rows(tmp_path / "whole.jsonl", little_rows(2))
    broken = write_rows(tmp_path / "broken.jsonl", little_rows(1, first=3))
    broken.write_bytes(b"{\n" + broken.read_bytes())
    notes: list[str] = []
    prepared = prepare([whole, broken], tmp_path / "out", note=notes.append)
    assert "broken.jsonl, line 1: " in notes[0]
    assert [(example.line, example.celex[-1]) for example in prepared] == [(1, "1"), (2, "2"), (2, "3")]


def test_truncated_data_are_an_error(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl.gz"
    content = write_rows(tmp_path / "data.jsonl", little_rows(3)).read_bytes()
    data.write_bytes(gzip.compress(content)[:-20])
    with pytest.raises(DataError):
        prepare([data], tmp_path / "out")
    data.write_bytes(gzip.compress(content))
    assert len(prepare([data], tmp_path / "out")) == 3


def test_if_no_row_can_be_used_nothing_is_left_behind(tmp_path: Path) -> None:
    rows = [{"text": row["reference"], "summary": row["summary"]} for row in little_rows(3)]
    with pytest.raises(DataError) as error:
        prepare([rows], tmp_path / "out")
    assert "'reference'" in str(error.value) and "--fields" in str(error.value)
    with pytest.raises(DataError):
        prepare([[]], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert len(prepare([rows], tmp_path / "out", fields={"reference": "text"})) == 3


@pytest.mark.parametrize("kind", ["jsonl", "memory"])
def test_fields_can_have_other_names(tmp_path: Path, kind: str) -> None:
    rows = little_rows(2)
    renamed = [
        {"id": row["celex_id"], "body": row["reference"], "reference": "no act", "gist": row["summary"]} for row in rows
    ]
    data = write_rows(tmp_path / "data.jsonl", renamed) if kind == "jsonl" else renamed
    fields = parse_fields("reference=body, summary=gist,celex_id=id")
    found = prepare([data], tmp_path / "out", fields=fields)
    plain = [{name: row[name] for name in ("celex_id", "reference", "summary")} for row in rows]
    assert [example.act for example in found] == [example.act for example in prepare([plain], tmp_path / "plain")]
    assert [example.celex for example in found] == [row["celex_id"] for row in rows]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--encoder nonsense", "nonsense"),
        ("--config none.toml", "none.toml"),
        ("--config none.toml --oracle greedy", "--oracle"),
        ("--lang xx", "'xx'"),
        ("--jobs 0", "0 jobs"),
        ("--limit 0", "limit of 0"),
        ("--fields text", "reference=NAME"),
        ("--fields act=text", "reference=NAME"),
        ("--fields reference=", "reference=NAME"),
    ],
)
def test_a_wrong_option_ends_with_one_line_and_exit_code_2(
    tmp_path: Path, arguments: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_rows(tmp_path / "data.jsonl", little_rows(1))
    assert main(["prepare", str(data), "-o", str(tmp_path / "out"), "--quiet", *arguments.split()]) == 2
    error_output = capsys.readouterr().err
    assert named in error_output
    assert error_output.startswith("lexlattice: ")
    assert error_output.endswith(".\n")
    assert error_output.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_files_are_plain_json_lines_and_numpy(prepared: Prepared) -> None:
    """So opening a folder from an untrusted source cannot execute code."""
    lines = gzip.decompress((prepared.folder / "shard-00000.jsonl.gz").read_bytes()).splitlines()
    assert [json.loads(line)["celex"] for line in lines] == [f"32024R{n:04d}" for n in range(1, SHARD_SIZE + 1)]
    vectors = np.load(prepared.folder / "shard-00000.npy", allow_pickle=False)
    assert len(vectors) == sum(len(example.act) for example in prepared[:SHARD_SIZE])
    assert vectors.dtype == np.float16


def test_folders_of_the_version_before_are_read(prepared: Prepared, tmp_path: Path) -> None:
    """They have float32 vectors."""
    shutil.copytree(prepared.folder, tmp_path / "old")
    path = tmp_path / "old" / "shard-00000.npy"
    np.save(path, np.load(path).astype(np.float32))
    example = Prepared(tmp_path / "old", prepared.manifest, prepared._places)[0]
    np.testing.assert_array_equal(example.vectors, prepared[0].vectors)


def test_folders_with_their_side_files_beside_the_data_are_read_but_not_written(
    prepared: Prepared, rows: list[Row], tmp_path: Path
) -> None:
    """As the first release made them."""
    folder = tmp_path / "old"
    shutil.copytree(prepared.folder, folder)
    for path in (folder / RUN).iterdir():
        path.rename(folder / path.name)
    (folder / RUN).rmdir()
    before = contents(folder)
    assert Prepared.is_at(folder)
    assert Prepared.open(folder, verify=True).keys == prepared.keys
    with pytest.raises(OutputError):
        prepare([rows], folder)
    assert contents(folder) == before


# --- Transformers


class Counting:
    """An encoder that is not the embedded one: it must not leave this process, and sees many units at once."""

    name, dimensions, fingerprint = "counting", 2, "0" * 16
    calls: ClassVar[list[int]] = []

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> NDArray[np.float32]:
        self.calls.append(len(texts))
        return np.array([[len(text), 1.0] for text in texts], np.float32)


def test_other_encoders_run_in_this_process_on_the_acts_of_a_shard_at_once(tmp_path: Path) -> None:
    Counting.calls.clear()
    rows = little_rows(SHARD_SIZE + 2)
    rows[1]["summary"] = ""  # cannot be used
    prepared = prepare([rows], tmp_path / "out", encoder=f"{__name__}:Counting", jobs=2)
    assert Counting.calls == [sum(len(example.act) for example in part) for part in (prepared[:-2], prepared[-2:])]
    for example in prepared:
        assert example.vectors[:, 0].tolist() == [np.float16(len(unit.text)) for unit in example.act.units]


def test_vectors_that_float16_cannot_hold_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "encode", lambda self, texts: np.full((len(texts), 2), 1e6, np.float32))
    with pytest.raises(EncodingError, match="float16"):
        prepare([little_rows(1)], tmp_path / "out", encoder=f"{__name__}:Counting")
