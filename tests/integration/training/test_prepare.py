"""Rows → prepared acts: what is in the folder, that it survives anything, and what is said of rows of no use."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.acts import Row, contents, little_rows, write_rows
from lexlattice import LexLatticeError, read
from lexlattice.apps.cli import main
from lexlattice.encoding import load
from lexlattice.evaluation.oracle import Oracle
from lexlattice.evaluation.rows import parse_fields
from lexlattice.training.prepare import ORACLES, prepare
from lexlattice.training.prepared import SHARD, Prepared

NO_UNITS = {"celex_id": "32024R9998", "reference": "Article 1", "summary": "Nothing.", "language": "en"}
FAULTS = {
    "missing": (
        {"celex_id": "32024R9991", "act": "Text.", "summary": "A summary."},
        "The field 'reference' is missing.",
    ),
    "empty": ({"celex_id": "32024R9992", "reference": "Text.", "summary": " "}, "The summary is empty"),
    "no units": (NO_UNITS, "No unit was found in the act."),
    "no language": ({**NO_UNITS, "language": "xx"}, "24 official languages"),
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return little_rows(2 * SHARD + 5)


@pytest.fixture(scope="module")
def prepared(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare([rows], tmp_path_factory.mktemp("prepared") / "whole")


# --- what is in the folder --------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_an_example_is_what_reading_encoding_and_the_oracle_make_of_the_row(tmp_path: Path, profile: str) -> None:
    rows = little_rows(3)
    encoder = load()
    for number, example in enumerate(prepare([rows], tmp_path / "out", profile=profile)):
        row = rows[number]
        act = read(row["reference"] + "\n", format="text", profile=profile, language=row["language"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vectors = encoder.encode([unit.text for unit in act.units])
        assert example.act == act
        assert (example.vectors == vectors).all()
        assert example.vectors.dtype == np.float32
        assert example.order == ORACLES[profile].choose(act.units, row["summary"]).order
        assert (example.line, example.celex, example.summary) == (number + 1, row["celex_id"], row["summary"])
        assert example.words == len(row["summary"].split())


def test_the_manifest_says_how_the_acts_were_made(prepared: Prepared) -> None:
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
def test_examples_that_are_at_hand_keep_no_file_open(prepared: Prepared) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = max(int(path.name) for path in Path("/dev/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 8, limits[1]))
    try:
        assert len(list(Prepared.open(prepared.folder))) == 2 * SHARD + 5
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@given(st.slices(2 * SHARD + 5), st.integers(-2 * SHARD - 5, 2 * SHARD + 4))
def test_a_folder_is_a_sequence(prepared: Prepared, part: slice, place: int) -> None:
    lines = list(range(1, len(prepared) + 1))
    assert [key.celex for key in prepared[part].keys] == [f"32024R{line:04d}" for line in lines[part]]  # type: ignore[attr-defined]
    assert prepared[place].line == lines[place]


def test_an_act_of_which_the_oracle_takes_nothing_is_kept_and_counted(tmp_path: Path) -> None:
    row = {**little_rows(1)[0], "summary": "Xyzzy."}
    prepared = prepare([[row]], tmp_path / "out")
    assert prepared[0].order == ()
    assert prepared.without_choice == 1


def test_units_without_words_have_zero_vectors_and_nobody_is_warned(tmp_path: Path) -> None:
    act = "Article 1\n\nThe register is public.\n\n—\n\n…\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        example = prepare(
            [[{"reference": act, "summary": "The register is public.", "language": "en"}]], tmp_path / "o"
        )[0]
    assert example.vectors.any(axis=1).tolist().count(False) >= 1


# --- killed, and started again ----------------------------------------------------------------------------


def test_the_number_of_processes_changes_no_byte(rows: list[Row], prepared: Prepared, tmp_path: Path) -> None:
    prepare([rows], tmp_path / "out", jobs=2)
    assert contents(tmp_path / "out") == contents(prepared.folder)


@posix
def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(rows: list[Row], prepared: Prepared, tmp_path: Path) -> None:
    data, folder = write_rows(tmp_path / "data.jsonl", rows), tmp_path / "out"
    line = [sys.executable, "-m", "lexlattice", "prepare", data, "-o", folder, "--quiet", "--jobs", "1"]
    with subprocess.Popen(line, stderr=subprocess.PIPE) as process:
        while not (folder / "00000.json").exists() and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(LexLatticeError, match="not finished"):
        Prepared.open(folder)
    kept = (folder / "00000.npy").stat().st_mtime_ns
    prepare([data], folder)
    assert (folder / "00000.npy").stat().st_mtime_ns == kept, "what was done is not done again"
    assert contents(folder) == contents(prepared.folder)


def test_what_a_killed_run_left_half_written_is_written_again(
    prepared: Prepared, rows: list[Row], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    shutil.copytree(prepared.folder, folder)
    (folder / "manifest.json").unlink()
    (folder / "00001.json").unlink()
    (folder / ".00001.npy.part").write_bytes(b"half")
    (folder / "00002.npy").write_bytes(b"half")
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
    with pytest.raises(LexLatticeError, match=rf"other settings \({word}: .*\.$"):
        prepare([rows], prepared.folder, **other)  # type: ignore[arg-type]


def test_other_data_are_refused(rows: list[Row], prepared: Prepared, tmp_path: Path) -> None:
    before = contents(prepared.folder)
    changed = [*rows[:-1], {**rows[-1], "summary": "Another."}]
    for others in (changed, rows[1:], rows[: 2 * SHARD], rows[:-1], [*rows, rows[0]]):
        with pytest.raises(LexLatticeError, match="begun with other data"):
            prepare([others], prepared.folder)
    assert contents(prepared.folder) == before
    even = prepare([rows[:SHARD]], tmp_path / "out")
    with pytest.raises(LexLatticeError, match="begun with other data"):
        prepare([rows], even.folder)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(LexLatticeError, match="name a new folder"):
        prepare([little_rows(1)], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["00000.json", "00000.jsonl.gz", "00000.npy", "manifest.json"])
@pytest.mark.parametrize("damage", ["gone", "cut", "changed"])
def test_damaged_folders_are_refused(tmp_path: Path, name: str, damage: str) -> None:
    place = prepare([little_rows(1)], tmp_path / "out").folder / name
    content = place.read_bytes()
    if damage == "gone":
        place.unlink()
    else:
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        place.write_bytes(content[:-3] if damage == "cut" else changed)
    with pytest.raises(LexLatticeError, match=r"(anew|go on)\.$"):
        Prepared.open(place.parent, verify=True)


def test_acts_that_were_changed_are_refused_when_they_are_decoded(tmp_path: Path) -> None:
    prepared = prepare([little_rows(1)], tmp_path / "out")
    place = prepared.folder / "00000.jsonl.gz"
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    place.write_bytes(content)
    with pytest.raises(LexLatticeError, match="damaged"):
        Prepared.open(prepared.folder)[0]


def test_a_run_that_was_killed_before_it_wrote_anything_whole_starts_anew(tmp_path: Path) -> None:
    (tmp_path / ".settings.json.part").write_bytes(b"{")
    assert len(prepare([little_rows(1)], tmp_path)) == 1
    assert not list(tmp_path.glob(".*"))


# --- rows that are of no use ------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_rows_are_named_and_left_out(tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    row, reason = FAULTS[fault]
    first, last = little_rows(2)
    data = write_rows(tmp_path / "data.jsonl", [first, row, last])
    assert main(["prepare", str(data), "-o", str(tmp_path / "out"), "--quiet", "--jobs", "1"]) == 0
    said = capsys.readouterr().err
    assert f"line 2, {row['celex_id']}: " in said
    assert reason in said
    assert "1 of 3 rows were left out" in said
    prepared = Prepared.open(tmp_path / "out")
    assert [example.line for example in prepared] == [1, 3]
    assert [(bad["line"], bad["celex"]) for bad in prepared.manifest["skipped"]] == [(2, row["celex_id"])]


@pytest.mark.parametrize("fault", FAULTS)
def test_strictly_the_first_bad_row_ends_it(tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    row, reason = FAULTS[fault]
    data = write_rows(tmp_path / "data.jsonl", [*little_rows(1), row])
    command = ["prepare", str(data), "-o", str(tmp_path / "out"), "--quiet", "--jobs", "1", "--strict"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"lexlattice: line 2, {row['celex_id']}: ")
    assert reason in said
    assert said.count("\n") == 1
    assert main(command[:-1]) == 0, "the same run goes on without --strict"
    assert main(command) == 2, "and is looked at strictly again"


def test_lines_that_are_not_json_are_named_with_their_file(tmp_path: Path) -> None:
    whole = write_rows(tmp_path / "whole.jsonl", little_rows(2))
    broken = write_rows(tmp_path / "broken.jsonl", little_rows(1, first=3))
    broken.write_bytes(b"{\n" + broken.read_bytes())
    said: list[str] = []
    prepared = prepare([whole, broken], tmp_path / "out", note=said.append)
    assert said[0].startswith("left out, broken.jsonl, line 1: The line is not JSON")
    assert [(example.line, example.celex[-1]) for example in prepared] == [(1, "1"), (2, "2"), (2, "3")]


def test_data_that_are_cut_off_are_not_taken_for_the_whole(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl.gz"
    content = write_rows(tmp_path / "data.jsonl", little_rows(3)).read_bytes()
    data.write_bytes(gzip.compress(content)[:-20])
    with pytest.raises(LexLatticeError, match="cut off"):
        prepare([data], tmp_path / "out")
    data.write_bytes(gzip.compress(content))
    assert len(prepare([data], tmp_path / "out")) == 3


def test_where_no_row_can_be_used_nothing_is_left_behind(tmp_path: Path) -> None:
    rows = [{"text": row["reference"], "summary": row["summary"]} for row in little_rows(3)]
    with pytest.raises(LexLatticeError, match=r"None of the 3 rows .*'reference' is missing.*--fields"):
        prepare([rows], tmp_path / "out")
    with pytest.raises(LexLatticeError, match="no rows"):
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
    ("arguments", "word"),
    [
        ("--encoder nonsense", "no encoder"),
        ("--config none.toml", "cannot be read"),
        ("--config none.toml --oracle greedy", "--oracle is said in the configuration already"),
        ("--language xx", "24 official languages"),
        ("--jobs 0", "from 1"),
        ("--limit 0", "from 1"),
        ("--fields text", "reference=NAME"),
        ("--fields act=text", "reference=NAME"),
        ("--fields reference=", "reference=NAME"),
    ],
)
def test_calls_at_fault_end_with_one_sentence_and_2(
    tmp_path: Path, arguments: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_rows(tmp_path / "data.jsonl", little_rows(1))
    assert main(["prepare", str(data), "-o", str(tmp_path / "out"), "--quiet", *arguments.split()]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert said.startswith("lexlattice: ")
    assert said.endswith(".\n")
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_files_are_what_anybody_can_read(prepared: Prepared) -> None:
    """JSON Lines and NumPy, no code: whoever opens a folder need not trust whoever made it."""
    lines = gzip.decompress((prepared.folder / "00000.jsonl.gz").read_bytes()).splitlines()
    assert [json.loads(line)["celex"] for line in lines] == [f"32024R{n:04d}" for n in range(1, SHARD + 1)]
    vectors = np.load(prepared.folder / "00000.npy", allow_pickle=False)
    assert len(vectors) == sum(len(example.act) for example in prepared[:SHARD])
