"""Output folders of bulk runs are opened by the tools that people use, as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lexlattice.apps.bulk.output import SCHEMA
from lexlattice.apps.bulk.tasks import Summarize
from lexlattice.apps.cli import main

EXPECTED = ["bg.txt", "cs.txt", "da.txt"]


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
    """A finished run of several shards, with dead letters and what a killed process leaves behind."""
    place = tmp_path_factory.mktemp("tools")
    acts, out = place / "acts", place / "rows"
    acts.mkdir()
    for name in EXPECTED:
        (acts / name).write_bytes((examples / "short" / name).read_bytes())
    (acts / "a.txt").write_text("")
    (acts / "dd.txt").write_text("")
    call = ["corpus", "summarize", str(acts), "-o", str(out), "--format", request.param, "--shard-size", "1"]
    assert main([*call, "--quiet", "-j", "1"]) == 1
    (out / f".shard-00007.{request.param}.part").write_bytes(b"half")
    return out


def names(sources: Any) -> list[str]:
    return sorted(Path(source).name for source in sources)


def read_with_pyarrow(folder: Path, pattern: str) -> Any:
    import pyarrow.dataset

    format = "json" if pattern.endswith("jsonl") else "parquet"
    return pyarrow.dataset.dataset(folder, format=format).to_table()["source"].to_pylist()


def read_with_duckdb(folder: Path, pattern: str) -> Any:
    import duckdb

    return [row[0] for row in duckdb.sql(f"select source from '{pattern}'").fetchall()]


def read_with_polars(folder: Path, pattern: str) -> Any:
    import polars

    scan = polars.scan_ndjson if pattern.endswith("jsonl") else polars.scan_parquet
    return scan(pattern).collect()["source"].to_list()


def read_with_datasets(folder: Path, pattern: str) -> Any:
    import datasets

    kind = "json" if pattern.endswith("jsonl") else "parquet"
    data = datasets.load_dataset(kind, data_dir=str(folder), cache_dir=str(folder.parent / f"cache-{kind}"))
    return data["train"]["source"]


@pytest.mark.parametrize("reader", [read_with_pyarrow, read_with_duckdb, read_with_polars, read_with_datasets])
def test_data_tools_open_the_folder_as_it_is(folder: Path, reader: Callable[[Path, str], Any]) -> None:
    pytest.importorskip(reader.__name__.removeprefix("read_with_"))
    suffix = next(path.suffix for path in folder.glob("shard-*"))
    assert names(reader(folder, f"{folder}/*{suffix}")) == EXPECTED


@pytest.mark.slow
def test_spark_opens_the_folder_as_it_is(folder: Path) -> None:
    sql = pytest.importorskip("pyspark.sql")
    spark = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        is_json = any(folder.glob("*.jsonl"))
        frame = spark.read.json(str(folder)) if is_json else spark.read.parquet(str(folder))
        assert names(row.source for row in frame.select("source").collect()) == EXPECTED
    finally:
        spark.stop()


def test_pyarrow_reads_a_whole_table_with_the_documented_columns(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = list(Summarize(None, None, "medium", "all").columns)
    if any(folder.glob("*.jsonl")):
        for path in folder.glob("*.jsonl"):
            assert [list(json.loads(line)) for line in path.open("rb")] == [columns]
        return
    table = parquet.read_table(folder)
    assert table.column_names == columns
    assert table.schema.metadata[b"lexlattice.schema"] == str(SCHEMA).encode()


def test_what_is_known_of_an_act_has_columns_and_what_is_not_is_null(folder: Path) -> None:
    if lines := sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for path in lines for line in path.open("rb")]
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(folder).to_pylist()
    for row in rows:
        act = (row["type"], row["status"], row["repealed"], row["repealed_by"], row["consolidated"])
        assert act == ("regulation", "adopted", False, None, None)
        assert row["date"] > "2024" and row["act_words"] > row["words"] > 0
        assert row["points_left_out"] == sum(cut["count"] for cut in row["left_out"])
        assert "" not in row.values()
    assert json.loads((folder / "__run__" / "manifest.json").read_bytes())["schema"] == SCHEMA
    letters = [json.loads(line) for line in (folder / "__run__" / "dead-letters.jsonl").open("rb")]
    assert names(letter["source"] for letter in letters) == ["a.txt", "dd.txt"]
