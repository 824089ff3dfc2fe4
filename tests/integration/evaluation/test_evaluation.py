"""What `evaluate` reads, counts and keeps, and what it says of rows that cannot be used."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lexlattice
from lexlattice import evaluate, read
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import DataError
from lexlattice.evaluation import Evaluation
from lexlattice.evaluation.metrics.rouge import MEASURES, score
from lexlattice.evaluation.metrics.significance import paired_bootstrap, wilcoxon
from lexlattice.selection import select

Rows = list[dict[str, str]]

SUMMARIES = {
    "en": "Keepers of beehives in urban areas must register each beehive with the competent authority within 30 days. "
    "Registration is free of charge.\nEach registered beehive bears a label that is visible from two metres. "
    "Keepers report the number of colonies lost in the preceding year.\nIt applies from 1 September 2024.",
    "de": "Die Halter müssen jeden Bienenstock innerhalb von 30 Tagen bei der zuständigen Behörde registrieren.\n"
    "Jeder registrierte Bienenstock trägt ein Etikett, das aus zwei Metern Entfernung sichtbar ist.",
    "el": "Οι κάτοχοι καταχωρίζουν κάθε κυψέλη στην αρμόδια αρχή εντός 30 ημερών.\n"
    "Κάθε καταχωρισμένη κυψέλη φέρει ετικέτα, ορατή από απόσταση δύο μέτρων.",
    "bg": "Стопаните регистрират всеки пчелен кошер при компетентния орган в срок от 30 дни.\n"
    "Всеки регистриран пчелен кошер носи етикет, който се вижда от разстояние два метра.",
}
FURNITURE = "14.3.2024\nEN\nOfficial Journal of the European Union\nL 2024/9001\n"


@pytest.fixture(scope="session")
def rows(examples: Path) -> Rows:
    acts = {language: (examples / "short" / f"{language}.txt").read_text("utf-8") for language in SUMMARIES}
    return [{"celex_id": "32024R9001", "reference": acts[key], "summary": text} for key, text in SUMMARIES.items()]


@pytest.fixture
def file(rows: Rows, tmp_path: Path) -> Path:
    return as_lines(rows, tmp_path)


def as_lines(rows: Rows, folder: Path) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def as_gzip(rows: Rows, folder: Path) -> Path:
    path = folder / "data.jsonl.gz"
    path.write_bytes(gzip.compress(as_lines(rows, folder).read_bytes()))
    return path


def as_parquet(rows: Rows, folder: Path) -> Path:
    path = folder / "data.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def as_saved(rows: Rows, folder: Path) -> Path:
    datasets.DatasetDict({"validation": datasets.Dataset.from_list(rows)}).save_to_disk(str(folder / "saved"))
    return folder / "saved"


def as_data_set(rows: Rows, _: Path) -> datasets.Dataset:
    return datasets.Dataset.from_list(rows)


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lexlattice", "evaluate", "--jobs", "1", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=240, check=False)


def timeless(result: Evaluation | dict[str, Any]) -> dict[str, Any]:
    """All but the seconds, which are never the same twice."""
    plain = result.to_dict() if isinstance(result, Evaluation) else result
    return {**plain, "systems": {name: {**found, "seconds": 0} for name, found in plain["systems"].items()}}


def kept(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# --- the figures ------------------------------------------------------------------------------------------


def test_the_call_and_the_command_agree(rows: Rows, file: Path, tmp_path: Path) -> None:
    done = run(tmp_path, file, "--system", "lead,random,oracle", "--words", "60", "--json")
    assert done.returncode == 0
    assert timeless(json.loads(done.stdout)) == timeless(
        lexlattice.evaluate(rows, ["lead", "random", "oracle"], budget="words:60")
    )


def test_the_figures_are_means_over_the_acts_of_the_file(rows: Rows, tmp_path: Path) -> None:
    result = evaluate(rows, per_act=tmp_path / "acts.jsonl").to_dict()
    acts = kept(tmp_path / "acts.jsonl")
    assert result["acts"] == len(acts) == 4
    assert list(result["systems"]) == ["lexlattice", "lead", "random", "lexrank"]
    for name, figures in result["systems"].items():
        own = [act["systems"][name] for act in acts]
        assert figures.keys() == {"unicode", "compat", "words", "seconds", "over", "empty"}
        assert figures["words"] == pytest.approx(fmean(act["words"] for act in own))
        assert figures["seconds"] == pytest.approx(fmean(act["seconds"] for act in own))
        for key in TOKENIZERS:
            assert figures[key].keys() == {*MEASURES, "ci", "precision", "recall"}
            for measure in MEASURES:
                low, high = figures[key]["ci"][measure]
                assert figures[key][measure] == pytest.approx(fmean(act[key][measure]["f1"] for act in own))
                assert 0 <= low <= figures[key][measure] <= high <= 100


def test_the_scores_of_an_act_are_those_of_its_extract(rows: Rows, tmp_path: Path) -> None:
    evaluate(rows, ["lead"], per_act=tmp_path / "acts.jsonl")
    for row, result in zip(rows, kept(tmp_path / "acts.jsonl"), strict=True):
        act = read(row["reference"])
        extract = select(act, [-place for place in range(len(act.units))], len(row["summary"].split()))
        assert result["systems"]["lead"]["words"] == extract.words
        for key in TOKENIZERS:
            for measure, expected in score(extract.text, row["summary"], key).items():
                found = result["systems"]["lead"][key][measure]
                assert found == pytest.approx({part: 100 * value for part, value in expected._asdict().items()})


def test_systems_are_compared_act_by_act(rows: Rows, tmp_path: Path) -> None:
    result = evaluate(rows, ["lead", "centroid", "oracle"], per_act=tmp_path / "acts.jsonl")
    acts = kept(tmp_path / "acts.jsonl")
    assert len(result.comparisons) == 3 * len(TOKENIZERS) * len(MEASURES)
    for item in result.comparisons:
        key, measure = item["tokenizer"], item["measure"]
        better, worse = (
            [act["systems"][item[side]][key][measure]["f1"] for act in acts] for side in ("system", "against")
        )
        bootstrap = paired_bootstrap(better, worse)
        assert item["difference"] == pytest.approx(fmean(better) - fmean(worse))
        assert (item["p_bootstrap"], item["p_wilcoxon"]) == (bootstrap.p, wilcoxon(better, worse))
        assert item["ci"] == pytest.approx([bootstrap.low, bootstrap.high])


@pytest.mark.parametrize("form", [as_lines, as_gzip, as_parquet, as_saved, as_data_set])
def test_it_does_not_matter_where_the_rows_are(rows: Rows, tmp_path: Path, form: Callable[[Rows, Path], Path]) -> None:
    assert timeless(evaluate(form(rows, tmp_path), ["lead", "random"])) == timeless(evaluate(rows, ["lead", "random"]))


def test_it_does_not_matter_how_many_processes_there_are(rows: Rows, tmp_path: Path) -> None:
    damaged = [*rows[:2], {"celex_id": "32024R9001"}, *rows[2:]] * 5
    one, two = (evaluate(damaged, jobs=jobs, per_act=tmp_path / f"{jobs}.jsonl") for jobs in (1, 2))
    assert timeless(one) == timeless(two)
    assert [act["line"] for act in kept(tmp_path / "2.jsonl")] == list(range(1, 26))


# --- what is kept -----------------------------------------------------------------------------------------


def test_the_file_has_every_row_in_its_order(rows: Rows, tmp_path: Path) -> None:
    evaluate([*rows, {"celex_id": "32024R9002", "summary": "x"}], ["lead"], per_act=tmp_path / "acts.jsonl")
    acts = kept(tmp_path / "acts.jsonl")
    assert [act["line"] for act in acts] == [1, 2, 3, 4, 5]
    assert [act["language"] for act in acts[:4]] == list(SUMMARIES)
    assert acts[0].keys() == {"line", "celex", "language", "budget", "reference_words", "systems", "notes"}
    assert acts[0]["celex"] == "32024R9001"
    assert acts[0]["budget"] == acts[0]["reference_words"] == len(SUMMARIES["en"].split())
    assert acts[4] == {"line": 5, "celex": "32024R9002", "reason": "The field 'reference' is missing.", "is_end": False}


# --- rows that cannot be used -----------------------------------------------------------------------------


def test_bad_rows_are_named_with_their_lines_and_skipped(rows: Rows, tmp_path: Path) -> None:
    good, other = (json.dumps(row).encode() for row in rows[:2])
    lines = [
        good,
        b'{"celex_id": "32024R9001", "reference":',
        json.dumps({**rows[0], "summary": None}).encode(),
        json.dumps({**rows[0], "summary": " \n"}).encode(),
        b"",
        json.dumps({**rows[0], "reference": ""}).encode(),
        json.dumps({**rows[0], "reference": FURNITURE}).encode(),
        b'{"celex_id": "caf\xe9"}',
        b"[]",
        other,
    ]
    (tmp_path / "data.jsonl").write_bytes(b"\n".join(lines))
    done = run(tmp_path, "data.jsonl", "--system", "lead", "--json", "--quiet")
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert result["acts"] == 2
    assert timeless(result)["systems"] == timeless(evaluate(rows[:2], ["lead"]))["systems"]
    reasons = {row["line"]: row["reason"] for row in result["skipped"]}
    assert list(reasons) == [2, 3, 4, 6, 7, 8, 9]
    assert len(set(reasons.values())) == len(reasons)
    assert "'summary'" in reasons[3]
    assert all(f"{line}: {reason}" in done.stderr for line, reason in reasons.items())
    table = run(tmp_path, "data.jsonl", "--system", "lead", "--quiet")
    shown = re.findall(r"line (\d+): ", table.stdout)
    assert [int(line) for line in shown] == list(reasons)
    assert all(reason in table.stdout for reason in reasons.values())
    assert "2 acts" in table.stdout


def test_data_without_an_act_are_an_error() -> None:
    with pytest.raises(DataError):
        evaluate([])
    with pytest.raises(DataError) as error:
        evaluate([{"celex_id": "32024R9001"}])
    assert "'reference'" in str(error.value)


def test_an_act_is_never_taken_for_the_name_of_a_file(rows: Rows, examples: Path) -> None:
    seen = []
    path = str(examples / "short" / "en.txt")

    def look(act: lexlattice.Act, _: int) -> str:
        seen.append(act.source.strip())
        return act.source

    evaluate([{**rows[0], "reference": path}, rows[0]], {"look": look})
    assert seen[:-1] in ([path], [])


def test_an_act_of_one_line_is_an_act(rows: Rows) -> None:
    result = evaluate([{**rows[0], "reference": "Keepers shall register each beehive within 30 days."}], ["lead"])
    assert result.acts == 1
    assert result.systems["lead"]["unicode"]["rouge1"] > 0


def test_a_summary_without_a_word_for_a_tokenizer_is_named(rows: Rows, tmp_path: Path) -> None:
    as_lines([rows[0], {**rows[2], "summary": "Οι κάτοχοι καταχωρίζουν κάθε κυψέλη στην αρμόδια αρχή."}], tmp_path)
    done = run(tmp_path, "data.jsonl", "--system", "lead", "--words", "50", "--json")
    notes = json.loads(done.stdout)["notes"]
    assert [(note["line"], note["celex"]) for note in notes] == [(2, "32024R9001")]
    assert "no word for the tokenizer 'compat'" in notes[0]["note"]
    assert notes[0]["note"] in run(tmp_path, "data.jsonl", "--system", "lead", "--words", "50").stdout


def test_an_extract_into_which_nothing_fits_is_named(rows: Rows) -> None:
    result = evaluate(rows[:1], ["lead", "oracle"], budget="words:1")
    assert [note["note"] for note in result.notes] == [
        f"The extract of '{name}' is empty; its scores are zero." for name in ("lead", "oracle")
    ]


def test_the_split_of_a_saved_data_set_can_be_named(rows: Rows, tmp_path: Path) -> None:
    datasets.DatasetDict({"train": datasets.Dataset.from_list(rows)}).save_to_disk(tmp_path / "saved")
    assert evaluate(tmp_path / "saved", ["lead"], split="train").acts == len(rows)
    with pytest.raises(DataError) as error:
        evaluate(tmp_path / "saved", ["lead"])
    assert "'validation'" in str(error.value)


def test_data_are_safe_whatever_they_are_called(rows: Rows, tmp_path: Path) -> None:
    data = as_lines(rows, tmp_path).rename(tmp_path / "results.jsonl.part")
    before = data.read_bytes()
    evaluate(data, ["lead"], per_act=tmp_path / "results.jsonl")
    assert data.read_bytes() == before
    assert len((tmp_path / "results.jsonl").read_text("utf-8").splitlines()) == len(rows)


def test_an_error_of_the_data_is_not_blamed_on_the_results(rows: Rows, tmp_path: Path) -> None:
    def failing() -> Iterator[dict[str, str]]:
        yield rows[0]
        raise OSError(5, "Input/output error")

    with pytest.raises(OSError):
        evaluate(failing(), ["lead"], per_act=tmp_path / "results.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_cut_off_is_no_success(rows: Rows, tmp_path: Path) -> None:
    data = as_gzip([{**row, "reference": f"{row['reference']}{n}"} for n in range(40) for row in rows], tmp_path)
    data.write_bytes(data.read_bytes()[: data.stat().st_size // 2])
    done = run(tmp_path, data.name, "--system", "lead", "--quiet", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["skipped"][-1]["is_end"]
    assert "damaged" in done.stderr
