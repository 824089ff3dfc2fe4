"""EUR-Lex-Sum from a hub: joined, checked, resumed; and one sentence for whatever goes wrong."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("huggingface_hub")
pytest.importorskip("pyarrow")

import pyarrow
from pyarrow import parquet

from helpers.hub_server import Fault, HubServer, hub_server, use_hub
from lexlattice._internal.files import file_sha256
from lexlattice.apps.cli import main
from lexlattice.errors import DataError, FetchError, OptionError, OutputError
from lexlattice.evaluation.download import MANIFEST, REPOSITORY, REVISION, SPLITS, download_eur_lex_sum
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load
from lexlattice.research.experiments.corpus import Corpus

SECOND = "english/train/0001.parquet"


def acts(*names: str) -> list[dict[str, str]]:
    return [{"celex_id": name, "reference": f"Article 1\n\nBees of {name}.", "summary": name} for name in names]


def shard(rows: list[dict[str, str]], **columns: object) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([{**row, **columns} for row in rows]), file)
    return file.getvalue()


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """All languages as the hub has them; the English training acts are in two files."""
    found = {
        f"{load(code).name.lower()}/{split}/0000.parquet": shard(acts(f"{code}-{split}-0"))
        for code in LANGUAGES
        for split in SPLITS
    }
    return {**found, SECOND: shard(acts("en-train-1", "en-train-2"), original="a column more")}


@pytest.fixture
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    with hub_server() as server:
        server.add("datasets", REPOSITORY, files, "main", REVISION)
        use_hub(server, monkeypatch, tmp_path / "cache")
        yield server


def get(folder: Path, *languages: str, splits: tuple[str, ...] = SPLITS) -> dict[str, int]:
    return {name: entry["rows"] for name, entry in download_eur_lex_sum(folder, languages, splits).items()}


def downloaded(hub: HubServer) -> list[str]:
    return ["/".join(path.split("/")[-3:]) for path in hub.downloads()]


def test_all_languages_are_there_and_experiments_read_them(hub: HubServer, tmp_path: Path) -> None:
    everywhere = get(tmp_path / "data", splits=("validation",))
    assert list(everywhere) == [f"{code}/validation.parquet" for code in LANGUAGES]
    counts = get(tmp_path / "data", "en")
    corpus = Corpus.named(str(tmp_path / "data"))
    assert corpus.languages() == list(LANGUAGES)
    assert corpus.count("en", "train") == counts["en/train.parquet"] == 3
    rows = [row for row in Rows(str(tmp_path / "data" / "en" / "train.parquet")) if isinstance(row, Row)]
    expected = acts("en-train-0", "en-train-1", "en-train-2")
    assert [(row.celex, row.text, row.summary) for row in rows] == [tuple(row.values()) for row in expected]
    assert corpus.numbers("validation") == {f"{code}-validation-0" for code in LANGUAGES}


def test_the_manifest_has_the_checksums_and_nothing_else_is_left(hub: HubServer, tmp_path: Path) -> None:
    get(tmp_path / "data", "en", "mt", splits=("train", "validation"))
    manifest = json.loads((tmp_path / "data" / MANIFEST).read_bytes())
    assert manifest["commit"] == hub.repositories[f"datasets/{REPOSITORY}"].commit
    for name, entry in manifest["files"].items():
        assert file_sha256(tmp_path / "data" / name) == entry["sha256"]
    there = {path.relative_to(tmp_path / "data").as_posix() for path in (tmp_path / "data").rglob("*")}
    assert there == {MANIFEST, "en", "mt", *manifest["files"]}


def test_what_is_complete_is_not_downloaded_again(hub: HubServer, tmp_path: Path) -> None:
    first = get(tmp_path, "en", "mt")
    hub.received.clear()
    assert get(tmp_path, "en", "mt") == first
    assert downloaded(hub) == []
    path = tmp_path / "mt" / "train.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    (tmp_path / "en" / "test.parquet").unlink()
    assert get(tmp_path, "en", "mt") == first
    assert downloaded(hub) == ["english/test/0000.parquet", "maltese/train/0000.parquet"]


def test_a_later_run_adds_languages_and_takes_what_the_hub_has_changed(
    hub: HubServer, files: dict[str, bytes], tmp_path: Path
) -> None:
    get(tmp_path, "en")
    changed = {**files, "english/test/0000.parquet": shard(acts("another", "one more"))}
    hub.add("datasets", REPOSITORY, changed, REVISION)
    hub.received.clear()
    assert get(tmp_path, "en", "mt", splits=("test",)) == {"en/test.parquet": 2, "mt/test.parquet": 1}
    assert downloaded(hub) == ["english/test/0000.parquet", "maltese/test/0000.parquet"]
    assert len(json.loads((tmp_path / MANIFEST).read_bytes())["files"]) == 4


def test_a_lost_connection_is_resumed_where_it_broke_off(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1)  # kept of a transfer that breaks off
    hub.faults[SECOND] = Fault("drop")
    assert get(tmp_path, "en")["en/train.parquet"] == 3
    ranges = [request.range for request in hub.received if request.path.endswith(SECOND) and request.range]
    half = len(hub.repositories[f"datasets/{REPOSITORY}"].files[SECOND]) // 2
    assert ranges == [f"bytes={half}-"]


@pytest.mark.parametrize("kind", ["change", "truncate"])
def test_damaged_content_never_becomes_a_file(hub: HubServer, tmp_path: Path, kind: str) -> None:
    hub.faults[SECOND] = Fault(kind, times=2)  # type: ignore[arg-type]
    with pytest.raises(FetchError):
        get(tmp_path, "en")
    assert not (tmp_path / "en" / "train.parquet").exists()
    hub.faults.clear()
    hub.received.clear()
    assert get(tmp_path, "en")["en/train.parquet"] == 3
    assert "english/train/0000.parquet" not in downloaded(hub), "the first part was complete"


def test_a_wrong_checksum_is_tried_again(hub: HubServer, tmp_path: Path) -> None:
    hub.faults[SECOND] = Fault("change")
    assert get(tmp_path, "en")["en/train.parquet"] == 3
    assert downloaded(hub).count(SECOND) == 2


def run(hub: HubServer, folder: Path, before: str = "") -> subprocess.Popen[str]:
    """Start the command in a process of its own."""
    code = f"{before}\nimport sys\nfrom lexlattice.apps.cli import main\nsys.exit(main())"
    options = ["data", "get", "eur-lex-sum", "--languages", "en,mt", "-o", str(folder), "-q"]
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HUB_CACHE": str(folder.parent / "cache")}
    return subprocess.Popen([sys.executable, "-c", code, *options], env=environment, stderr=subprocess.PIPE, text=True)


def test_a_killed_download_resumes(hub: HubServer, tmp_path: Path) -> None:
    hub.faults["maltese/train/0000.parquet"] = Fault("hold")
    process = run(hub, tmp_path / "data")
    assert hub.is_held.wait(60)
    process.kill()
    process.communicate()
    hub.received.clear()
    assert len(get(tmp_path / "data", "en", "mt")) == 6
    assert downloaded(hub) == [f"maltese/{split}/0000.parquet" for split in SPLITS]
    assert not (tmp_path / "data" / ".download").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the size of files cannot be limited")
def test_a_full_disk_is_one_sentence(hub: HubServer, tmp_path: Path) -> None:
    limit = (
        "import resource, sys\nsys.dont_write_bytecode = True\nresource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))"
    )
    process = run(hub, tmp_path / "data", limit)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith("lexlattice: ") and len(err.splitlines()) == 1


def test_errors_are_of_the_right_kind(hub: HubServer, files: dict[str, bytes], tmp_path: Path) -> None:
    for languages, splits in ((("xx",), SPLITS), (("en",), ("dev",))):
        with pytest.raises(OptionError):
            download_eur_lex_sum(tmp_path / "a", languages, splits)
    hub.add("datasets", REPOSITORY, {**files, SECOND: shard([{"celex_id": "1"}])}, REVISION)
    with pytest.raises(DataError, match="reference"):
        get(tmp_path / "b", "en")
    hub.add("datasets", REPOSITORY, {**files, SECOND: b"PAR1 is not all that is needed"}, REVISION)
    with pytest.raises(DataError):
        get(tmp_path / "b", "en")
    hub.add("datasets", REPOSITORY, {path: file for path, file in files.items() if "maltese" not in path}, REVISION)
    with pytest.raises(DataError, match="mt"):
        get(tmp_path / "c")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OutputError):
        get(tmp_path / "file", "en")
    hub.repositories.clear()
    with pytest.raises(FetchError):
        get(tmp_path / "d", "en")


def test_no_network_is_one_sentence(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert main(["data", "get", "eur-lex-sum", "-o", str(tmp_path / "data")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "data").exists()


def test_the_command_says_what_there_is(hub: HubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--languages", "EN, mt", "--splits", "validation", "-o", str(tmp_path)]
    assert main(["data", "get", "eur-lex-sum", *options]) == 0
    assert "2 acts in 2 files" in capsys.readouterr().err


def test_a_damaged_manifest_counts_as_none(hub: HubServer, tmp_path: Path) -> None:
    first = get(tmp_path, "en")
    for content in (b"{", b"[]", b'{"files": {"en/test.parquet": {}}}'):
        (tmp_path / MANIFEST).write_bytes(content)
        assert get(tmp_path, "en") == first
