"""Rows come back the same from wherever they are, and bad ones are named."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexlattice.errors import DataError, MissingExtraError
from lexlattice.evaluation.rows import BadRow, Row, Rows

Record = dict[str, object]

GOOD: Record = {"celex_id": "32016R0679", "reference": "Article 1\nScope", "summary": "Data protection."}
LINE_ENDS = "A\u2028B\u2029C\x85D\x0bE\x0cF\x1cG\r\nH\rI"

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip)
records = st.lists(
    st.fixed_dictionaries(
        {"celex_id": texts, "reference": texts, "summary": texts, "language": st.sampled_from(["en", "el"])}
    ),
    max_size=6,
)


def jsonl(data: Iterable[Record], *, ascii: bool = False) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=ascii) + "\n" for record in data).encode()


def expected(data: Iterable[Record]) -> list[Row]:
    return [
        Row(line, str(r["celex_id"]), str(r["reference"]), str(r["summary"]), r.get("language"))  # type: ignore[arg-type]
        for line, r in enumerate(data, 1)
    ]


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def faults(source: object) -> list[tuple[int, str]]:
    found = list(Rows(source))  # type: ignore[arg-type]
    return [(row.line, row.reason) for row in found if isinstance(row, BadRow)]


# --- the same rows from everywhere ------------------------------------------------------------------------


def as_jsonl(data: list[Record], folder: Path) -> Path:
    return written(folder / "data.jsonl", jsonl(data))


def as_escaped_jsonl(data: list[Record], folder: Path) -> Path:
    return written(folder / "escaped.jsonl", b"\xef\xbb\xbf" + jsonl(data, ascii=True).rstrip(b"\n"))


def as_gzip(data: list[Record], folder: Path) -> Path:
    return written(folder / "zipped.jsonl", gzip.compress(jsonl(data)))


def as_parquet(data: list[Record], folder: Path) -> Path:
    fields = ("extra", *GOOD, "language")
    table = {field: pa.array([record.get(field, "") for record in data], pa.string()) for field in fields}
    pq.write_table(pa.table(table), folder / "data.parquet", row_group_size=2)
    return folder / "data.parquet"


def as_saved(data: list[Record], folder: Path) -> Path:
    fields = (*GOOD, "language")
    saved = datasets.Dataset.from_dict({field: [record[field] for record in data] for field in fields})
    saved.save_to_disk(folder / "saved")
    return folder / "saved"


def as_themselves(data: list[Record], folder: Path) -> list[Record]:
    return data


@pytest.mark.parametrize("write", [as_jsonl, as_escaped_jsonl, as_gzip, as_parquet, as_themselves])
@given(data=records)
@example(data=[{**GOOD, "reference": LINE_ENDS, "language": "en"}] * 40)
def test_rows_come_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, write: Callable[[list[Record], Path], object], data: list[Record]
) -> None:
    source = write(data, tmp_path_factory.mktemp("rows"))
    assert list(Rows(source)) == expected(data)  # type: ignore[arg-type]
    assert Rows(source).count() == len(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["lines", "parquet", "memory"])
def test_fields_can_have_other_names(tmp_path: Path, kind: str) -> None:
    """What the data have under our name is not meant where another is given."""
    data: list[Record] = [{"id": f"{n}", "body": f"Article {n}", "reference": "?", "summary": "!"} for n in range(40)]
    data[7]["body"] = " "
    fields = {"reference": "body", "celex_id": "id"}
    source: object = data
    if kind == "lines":
        source = as_jsonl(data, tmp_path)
    elif kind == "parquet":
        source = tmp_path / "data.parquet"
        pq.write_table(pa.Table.from_pylist(data), source)
    rows = Rows(source, fields=fields)  # type: ignore[arg-type]
    assert rows.count() == 40
    found = list(rows)
    bad = found.pop(7)
    assert isinstance(bad, BadRow)
    assert (bad.line, bad.celex) == (8, "7")
    assert "'body'" in bad.reason
    assert found == [Row(n + 1, f"{n}", f"Article {n}", "!", None) for n in range(40) if n != 7]


def test_a_saved_data_set(tmp_path: Path) -> None:
    data = [{**GOOD, "reference": f"{LINE_ENDS} {n}", "language": "en"} for n in range(25)]
    source = as_saved(data, tmp_path)
    assert list(Rows(source)) == list(Rows(str(source))) == expected(data)
    assert Rows(source).count() == 25


def test_a_data_set_with_splits(tmp_path: Path) -> None:
    parts = {name: datasets.Dataset.from_list([{**GOOD, "summary": name}]) for name in ("train", "validation", "test")}
    splits = datasets.DatasetDict(parts)
    splits.save_to_disk(tmp_path / "saved")
    for source in (tmp_path / "saved", splits):
        assert [row.summary for row in Rows(source) if isinstance(row, Row)] == ["validation"]
        assert [row.summary for row in Rows(source, split="test") if isinstance(row, Row)] == ["test"]
        with pytest.raises(DataError) as error:
            Rows(source, split="dev")
        assert "'dev'" in str(error.value)
    assert Rows(tmp_path / "saved" / "train").count() == 1


def test_rows_that_come_one_by_one_are_not_counted() -> None:
    assert list(Rows(iter([GOOD]))) == expected([GOOD])
    assert Rows(iter([GOOD])).count() is None


def test_rows_are_read_lazily() -> None:
    def endless() -> Iterable[Record]:
        while True:
            yield GOOD

    found = iter(Rows(endless()))
    assert [next(found).line for _ in range(3)] == [1, 2, 3]


def test_an_act_of_a_million_words(tmp_path: Path) -> None:
    data = [{**GOOD, "reference": "provision " * 1_000_000}] * 2
    assert list(Rows(as_gzip(data, tmp_path))) == expected(data)


@pytest.mark.parametrize(
    ("written_as", "language"),
    [("en", "en"), ("EL", "el"), ("english", None), ("", None), ("e1", None), (None, None), (7, None)],
)
def test_a_language_is_two_letters_or_for_the_text_to_tell(written_as: object, language: str | None) -> None:
    (row,) = Rows([{**GOOD, "language": written_as}])
    assert isinstance(row, Row)
    assert row.language == language


# --- bad rows ---------------------------------------------------------------------------------------------


BAD_LINES = {
    b"not json": "1",
    b'{"celex_id": "3': "16",
    b'{"celex_id": "\xff"}': "15",
    b"[1, 2]": "",
    b"null": "",
    b"[" * 100_000: "",
    b"9" * 5000: "",
    b"{}": "'reference'",
}
"""Lines, and the position or field that the reason has to name."""


@pytest.mark.parametrize(("line", "value"), BAD_LINES.items(), ids=range(len(BAD_LINES)))
def test_a_bad_line_is_reported_and_the_next_are_read(tmp_path: Path, line: bytes, value: str) -> None:
    good = jsonl([GOOD])
    for lines, place in (([good, line, b"\n", good], 2), ([line, b"\n", good, good], 1)):
        source = written(tmp_path / "data.jsonl", b"".join(lines))
        ((number, reason),) = faults(source)
        assert number == place
        assert value in reason
        assert [row.line for row in Rows(source)] == [1, 2, 3]
        assert Rows(source).count() == 3


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"reference": None}, "'reference'"),
        ({"summary": ["a", "b"]}, "'summary'"),
        ({"reference": " \n\u00a0"}, "'reference'"),
        ({"summary": ""}, "'summary'"),
        ({"summary": "half of \ud83d"}, "'summary'"),
    ],
)
def test_a_bad_field_is_named_with_its_act(tmp_path: Path, change: Record, field: str) -> None:
    data = [GOOD, {**GOOD, **change}, GOOD]
    for source in (data, written(tmp_path / "data.jsonl", jsonl(data, ascii=True))):
        row = list(Rows(source))[1]
        assert isinstance(row, BadRow)
        assert (row.line, row.celex) == (2, "32016R0679")
        assert field in row.reason
        assert len(faults(source)) == 1


@pytest.mark.parametrize("celex", [{}, {"celex_id": None}, {"celex_id": ""}])
def test_an_act_without_a_celex_number_is_a_row_all_the_same(celex: Record) -> None:
    (row,) = Rows([{"reference": GOOD["reference"], "summary": GOOD["summary"], **celex}])
    assert row == Row(1, "", str(GOOD["reference"]), str(GOOD["summary"]), None)


def test_a_number_where_the_celex_number_should_be() -> None:
    assert [line for line, reason in faults([{**GOOD, "celex_id": 32016}]) if "'celex_id'" in reason] == [1]
    assert [row.celex for row in Rows([{**GOOD, "celex_id": "\ud83d"}])] == [""]
    assert [row.line for row in Rows(["text", None, GOOD]) if isinstance(row, BadRow)] == [1, 2]  # type: ignore[list-item]


@given(line=st.binary().filter(lambda line: b"\n" not in line))
@example(b"\x1f\x8b")
@example(b"\xef\xbb\xbf")
@example(b"\x00")
@example(b"{")
def test_no_line_stops_the_reading(tmp_path_factory: pytest.TempPathFactory, line: bytes) -> None:
    good = jsonl([GOOD])
    source = written(tmp_path_factory.mktemp("rows") / "data.txt", good + line + b"\n" + good)
    found = list(Rows(source))
    assert [row.line for row in found if isinstance(row, Row)] == [1, 3]
    assert len(found) == (3 if line.strip() else 2) == Rows(source).count()


def test_blank_lines_are_passed_over_but_counted_in_line_numbers(tmp_path: Path) -> None:
    source = written(tmp_path / "data.jsonl", b"\xef\xbb\xbf\n  \n" + jsonl([GOOD]) + b"\r\n\n" + jsonl([GOOD]) + b" ")
    assert [row.line for row in Rows(source)] == [3, 6]
    assert Rows(source).count() == 2


# --- damaged files ----------------------------------------------------------------------------------------


@given(data=st.data())
def test_a_gzip_file_cut_anywhere_gives_what_is_before_the_cut(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = jsonl([{**GOOD, "summary": f"summary {n * n}"} for n in range(30)])
    whole = gzip.compress(content)
    cut = data.draw(st.integers(2, len(whole) - 1))
    source = written(tmp_path_factory.mktemp("rows") / "data.jsonl.gz", whole[:cut])
    *before, last = Rows(source)
    assert before == list(Rows(json.loads(line) for line in content.split(b"\n")[: len(before)]))
    assert isinstance(last, BadRow)
    assert (last.line, last.is_end) == (len(before) + 1, True)
    assert Rows(source).count() == len(before) + 1


def test_rows_before_a_cut_are_all_there(tmp_path: Path) -> None:
    whole = gzip.compress(jsonl([GOOD] * 3)) + gzip.compress(jsonl([GOOD]))
    found = list(Rows(written(tmp_path / "data.gz", whole[:-4])))
    assert [type(row) for row in found] == [Row, Row, Row, Row, BadRow]


@given(place=st.integers(2, 400), byte=st.integers(0, 255))
def test_no_damage_to_a_gzip_file_stops_the_program(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    content = bytearray(gzip.compress(jsonl([{**GOOD, "summary": f"summary {n**n}"} for n in range(30)])))
    content[place] = byte
    source = written(tmp_path_factory.mktemp("rows") / "data.jsonl.gz", bytes(content))
    assert Rows(source).count() == len(list(Rows(source)))


def test_garbage_after_a_gzip_file_is_named(tmp_path: Path) -> None:
    source = written(tmp_path / "data.jsonl.gz", gzip.compress(jsonl([GOOD])) + b"garbage")
    assert [row.line for row in Rows(source) if isinstance(row, BadRow) and row.is_end] == [2]


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    data = [{**GOOD, "reference": f"{n} " * 2000} for n in range(64)]
    source = as_parquet(data, tmp_path)
    content = source.read_bytes()
    place = pq.read_metadata(source).row_group(20).column(2).dictionary_page_offset
    written(source, content[:place] + b"\xff" * 200 + content[place + 200 :])
    *before, last = Rows(source)
    assert before == expected(data)[: len(before)]
    assert len(before) >= 32
    assert isinstance(last, BadRow)
    assert last.is_end
    written(source, content[:-20])
    with pytest.raises(DataError):
        Rows(source)


def test_parquet_that_is_not_utf8_or_lacks_columns(tmp_path: Path) -> None:
    broken = pa.StringArray.from_buffers(2, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xffa"))
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"celex_id": ["1", "2"], "reference": broken, "summary": ["a", "b"]}), path)
    bad, good = Rows(path)
    assert isinstance(bad, BadRow)
    assert not bad.is_end
    assert good == Row(2, "2", "a", "b", None)
    pq.write_table(pa.table({"celex_id": ["1"], "summary": [b"bytes"]}), path)
    ((line, reason),) = faults(path)
    assert line == 1
    assert "'reference'" in reason
    pq.write_table(pa.table({"text": ["1"]}), path)
    with pytest.raises(DataError) as error:
        Rows(path)
    assert "celex_id" in str(error.value)


def test_a_damaged_saved_data_set(tmp_path: Path) -> None:
    source = as_saved([{**GOOD, "language": "en"}], tmp_path)
    (source / "state.json").unlink()
    with pytest.raises(DataError):
        Rows(source)


# --- what is no data set ----------------------------------------------------------------------------------


def test_files_that_are_not_data_sets_are_refused_at_once(tmp_path: Path) -> None:
    pdf = written(tmp_path / "act.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Type/Catalog>>\n")
    array = written(tmp_path / "data.json", json.dumps([GOOD], indent=2).encode())
    binary = written(tmp_path / "model.jsonl", b"\x00\x01\x02\n" * 50)
    for path in (pdf, array, binary):
        with pytest.raises(DataError):
            Rows(path)
    with pytest.raises(DataError):
        Rows(tmp_path / "missing.jsonl")
    with pytest.raises(DataError):
        Rows(tmp_path)


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    source = written(tmp_path / "data", b"")
    assert list(Rows(source)) == []
    assert Rows(source).count() == 0


def test_a_missing_extra_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = as_parquet([GOOD], tmp_path)
    saved = as_saved([{**GOOD, "language": "en"}], tmp_path)
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for source in (parquet, saved):
        with pytest.raises(MissingExtraError):
            Rows(source)
