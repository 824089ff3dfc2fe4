"""Inputs of bulk runs: every act once, whatever its container, and a fault for what cannot be read."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_corpus import LIMITS, Count, Plain, lines

from lexlattice import LexLatticeError, read
from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.records import Record, public_address
from lexlattice.apps.bulk.run import Subset, run
from lexlattice.apps.bulk.tasks import Encode
from lexlattice.apps.cli import main
from lexlattice.errors import OptionError

ROW = json.dumps({"reference": "Article 1\n\nBees are free."})


def records(*names: Path | str) -> list[Record]:
    return list(Inputs(tuple(map(str, names))))


def names(found: list[Record], folder: Path) -> list[str]:
    return [record.source.removeprefix(f"{folder}/") for record in found]


def faults(found: list[Record], folder: Path) -> dict[str, str]:
    return {name: record.fault for name, record in zip(names(found, folder), found, strict=True) if record.fault}


@pytest.fixture
def inputs(tmp_path: Path, examples: Path) -> dict[str, Path | str]:
    """The same two acts in every way that they can come."""
    texts = {name: (examples / "short" / f"{name}.txt").read_bytes() for name in ("en", "mt")}
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "en.txt").write_bytes(texts["en"])
    (folder / "deep" / "mt.txt").write_bytes(texts["mt"])
    (folder / ".hidden.txt").write_bytes(b"no act")
    rows = [{"celex_id": "32024R9001", "reference": text.decode(), "language": name} for name, text in texts.items()]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"acts/{name}.txt", text)
        archive.writestr("readme.pdf.bak", b"no act")
    for packing in ("", "gz", "bz2", "xz"):
        with tarfile.open(tmp_path / f"a.tar.{packing}", f"w:{packing}") as tar:  # type: ignore[call-overload]
            tar.add(folder, "acts")
    pytest.importorskip("datasets").Dataset.from_list(rows).save_to_disk(str(tmp_path / "saved"))
    kinds = ("folder", "a.jsonl", "a.parquet", "a.zip", "a.tar.", "a.tar.gz", "a.tar.bz2", "a.tar.xz", "saved")
    return {**{name: tmp_path / name for name in kinds}, "pattern": str(folder / "**" / "*.txt")}


def test_an_act_is_the_same_in_every_container(inputs: dict[str, Path | str]) -> None:
    for name, given_input in inputs.items():
        found = Inputs((str(given_input),))
        records = list(found)
        assert records == list(found), name
        titles = {read(record.content.decode() + "\n", format="text").title for record in records}
        assert len(records) == len(titles) == 2, name
        assert len({record.digest for record in records}) == 2
        assert found.count() in (2, None)


def test_data_sets_and_archives_in_a_folder_are_read(inputs: dict[str, Path | str]) -> None:
    folder = Path(inputs["folder"])
    for name in ("a.jsonl", "a.parquet", "a.zip", "a.tar.gz", "saved"):
        Path(inputs[name]).rename(folder / name)
    found = records(folder)
    assert len(found) == 12 and not faults(found, folder)
    assert found == records(folder / "*")


def test_celex_numbers_are_fetched_alone_and_in_lists(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("32016R0679\n\n32022R2554\nCELEX:32016R0679\n")
    found = records(tmp_path / "list.txt", "32014R0910", "32022r2554")
    assert [record.address for record in found] == ["32016R0679", "32022R2554", "32014R0910"]
    (tmp_path / "long.txt").write_text("32016R0679\n" * 10_000 + "x" * 5_000 + "\nno number\n")
    assert [record.fault != "" for record in records(tmp_path / "long.txt")] == [False, True, True]


def test_invalid_rows_are_records_with_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"reference": "Article 1"}\nnot json\n[1]\n{"reference": 7}\n\n{"other": "x"}\n{"reference": "\xff"}\n'
    )
    assert [bool(record.fault) for record in records(path)] == [False, True, True, True, True, True]


# --- Names


def test_file_names_that_are_not_unicode_can_be_written_and_stay_distinct(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    folder = tmp_path / "acts"
    folder.mkdir()
    for name, content in ((b"a\xfe.txt", b""), (b"a\xff.txt", b"act"), (b"b\x1b[2J.txt", b"act")):
        (folder / os.fsdecode(name)).write_bytes(content)
    (folder / os.fsdecode(b"e\xff.txt")).symlink_to("nowhere")
    with tarfile.open(folder / "c.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo(os.fsdecode(b"d\xff.txt")), io.BytesIO(b""))
    for format in ("jsonl", "parquet"):
        subset = Subset(Inputs((str(folder),)))
        run(Count(None), subset, tmp_path / format, Plain(), LIMITS, format=format)
        (dead,) = lines(tmp_path / format, "__run__/dead-letters.jsonl")
        assert dead["source"].endswith("e\\udcff.txt")
    assert len({row["source"] for row in lines(tmp_path / "jsonl")}) == 4
    assert main(["corpus", "score", str(folder), "-o", os.fsdecode(str(tmp_path / "\udcff")), "--dry-run"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_secrets_in_an_address_are_used_and_never_written(tmp_path: Path) -> None:
    addresses = [f"http://user:s3cret@host/x?key=s3cret{number}&uri=CELEX:32016R0679#s3cret" for number in (1, 2)]
    requested: list[str] = []

    class Recording(Count):
        def row(self, record: Record) -> dict[str, object]:
            requested.append(record.address)
            if record.address.endswith("2&uri=CELEX:32016R0679#s3cret"):
                raise LexLatticeError("Nothing there.")
            return {"source": record.source, "letters": 0, "seconds": 0.0}

    events: list[str] = []
    subset = Subset(Inputs(tuple(addresses)))
    run(
        *(Recording(None), subset, tmp_path, Plain(), LIMITS),
        log=lambda event, **facts: events.append(json.dumps(facts)),
    )
    assert requested == addresses
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert "host/x?key=…&uri=CELEX:32016R0679" in "".join(written)
    assert not any("s3cret" in text for text in (*written, *events))
    assert len({record.source for record in subset}) == 2
    assert public_address("https://host/a?s3cret") == "https://host/a?…"
    with pytest.raises(OptionError) as error:
        records("ftp://user:s3cret@host/?key=s3cret")
    assert "s3cret" not in str(error.value)


# --- Folders and patterns


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Two acts, an empty folder, and what is no act."""
    folder = tmp_path / "few"
    (folder / "deep" / "empty").mkdir(parents=True)
    for name in ("en.txt", "deep/fr.txt"):
        (folder / name).write_text(name)
    return folder


def test_a_pattern_that_matches_folders_and_their_files_yields_every_file_once(few: Path) -> None:
    for pattern in ("**", "*", "**/*", "**/", "*/../**", "[de]*"):
        found = records(few / pattern)
        assert sorted(record.content for record in found) == [b"deep/fr.txt", b"en.txt"], pattern


def test_overlapping_inputs_and_links_duplicate_nothing(few: Path) -> None:
    (few / "also.txt").symlink_to(few / "en.txt")
    found = records(few, few / "en.txt", few / "deep" / ".." / "en.txt", few, few / "**" / "*.txt")
    assert names(found, few) == ["also.txt", "deep/fr.txt"]
    assert Inputs((str(few), str(few / "en.txt"))).count() == 2


def test_pipes_and_broken_links_are_reported_and_never_opened(few: Path) -> None:
    os.mkfifo(few / "pipe.txt")
    (few / "gone.txt").symlink_to(few / "nowhere")
    (few / "round").symlink_to(few)
    for given in (few, few / "*"):
        found = faults(records(given), few)
        assert {"pipe.txt", "gone.txt"} <= set(found)
    assert set(faults(records(few), few)) == {"pipe.txt", "gone.txt", "round"}
    for name in ("pipe.txt", "gone.txt"):
        with pytest.raises(OptionError) as error:
            Inputs((str(few / name),)).check()
        assert name in str(error.value)


def test_a_folder_that_cannot_be_opened_is_reported(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "deep":
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    found = records(few)
    assert "Permission denied" in faults(found, few)["deep"]
    assert names(found, few) == ["deep", "en.txt"]


def test_output_below_the_inputs_is_not_read_by_the_next_run(few: Path) -> None:
    for _ in range(2):
        manifest = run(Count(None), Subset(Inputs((str(few),))), few / "out", Plain(), LIMITS)
        assert (manifest["rows"], manifest["dead"]) == (2, 0)


def test_a_page_with_json_inside_is_an_act(few: Path) -> None:
    (few / "page.html").write_text('<html>\n<script>\n{"a": 1}\n</script>\n<p>Article 1</p></html>')
    assert names(records(few / "page.html"), few) == ["page.html"]


# --- Formex


def test_a_formex_folder_becomes_one_record_whose_digest_changes_with_its_files(tmp_path: Path, examples: Path) -> None:
    folder = tmp_path / "acts" / "act.fmx4"
    folder.mkdir(parents=True)
    for path in sorted((examples / "formats" / "act.fmx4").iterdir()):
        (folder / path.name).write_bytes(path.read_bytes())
    whole = read(folder)
    for given in (folder, folder.parent, folder.parent / "**"):
        (record,) = records(given)
        assert record == records(folder)[0]
    file = max(folder.iterdir(), key=lambda path: path.stat().st_size)
    file.write_text(file.read_text("utf-8").replace("<P>", "<P>Bees. ", 1), "utf-8")
    (changed,) = records(folder)
    assert changed.digest != record.digest
    for path in folder.iterdir():
        path.unlink()
    assert Encode(None, "static", None).read(record).to_dict() == whole.to_dict()


# --- Archives


def test_a_damaged_archive_yields_the_acts_before_the_damage_and_a_fault(tmp_path: Path, examples: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in ("en", "fr", "mt"):
            tar.add(examples / "short" / f"{name}.txt", f"{name}.txt")
    whole = (tmp_path / "a.tar").read_bytes()
    packed = gzip.compress(whole)
    en = (examples / "short" / "en.txt").read_bytes()
    second = 512 + -(-len(en) // 512) * 512
    ends = {
        "cut.tar": whole[:second],
        "flipped.tar": whole[: second + 7] + b"\xff" + whole[second + 8 :],
        "cut.tar.gz": packed[: len(packed) // 2],
    }
    for name, content in ends.items():
        (tmp_path / name).write_bytes(content)
        first, *_, last = records(tmp_path / name)
        assert (first.content, bool(last.fault)) == (en, True), name


def test_damaged_members_and_lines_are_reported(tmp_path: Path) -> None:
    for kind in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED):
        path = tmp_path / f"{kind}.zip"
        with zipfile.ZipFile(path, "w", kind) as archive:
            archive.writestr("a.txt", os.urandom(3000).hex())
        content = bytearray(path.read_bytes())
        content[60:1500] = bytes(1440)
        path.write_bytes(content)
        assert list(faults(records(path), tmp_path)) == [f"{kind}.zip!a.txt"]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(f"{ROW}\n".encode() * 9)[:40])
    assert records(tmp_path / "a.jsonl.gz")[-1].fault
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    (only,) = records(tmp_path / "*.parquet")
    assert only.fault


def test_archives_inside_archives_are_reported(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.txt", "act")
    packed = {"rows.jsonl": ROW.encode(), "a.parquet": b"PAR1", "b.tar.gz": b"", "c.zip": inner.getvalue()}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name, content in packed.items():
            archive.writestr(name, content)
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "a.txt"
        tar.addfile(link)
    found = faults(records(tmp_path), tmp_path)
    assert {name.partition("!")[2] for name in found} == {*packed, "link.txt"}
    assert len(found) == 9
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("picture.png", b"")
    assert list(faults(records(tmp_path / "b.zip"), tmp_path)) == ["b.zip!"]


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_tar_with_an_endless_header_is_refused(tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = kind, 600_000_000
    path = tmp_path / "a.tar.gz"
    with gzip.open(path, "wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        file.write(bytes(100_000))
    (only,) = records(path)
    assert only.fault


def test_a_tar_of_headers_without_members_is_refused(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 5
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("a.txt"))
    whole = (tmp_path / "a.tar").read_bytes()[:512]
    name = header.tobuf(tarfile.GNU_FORMAT) + b"name\0".ljust(512, b"\0")
    (tmp_path / "a.tar").write_bytes(whole + name * 5_000)
    first, last = records(tmp_path / "a.tar")
    assert (first.content, bool(last.fault)) == (b"", True)
