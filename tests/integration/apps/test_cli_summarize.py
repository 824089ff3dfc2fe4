"""`lexlattice summarize`: output formats, several acts, several languages, and errors in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lexlattice import read
from lexlattice._internal.files import sha256
from lexlattice.apps.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        capfdbinary.readouterr()
        code = main(["summarize", *map(str, arguments), "--quiet"])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


@pytest.fixture
def act(examples: Path) -> Path:
    return examples / "short" / "en.txt"


def check_one_sentence(result: tuple[int, str, str], word: str) -> None:
    code, out, said = result
    assert (code, out) == (2, "")
    assert said.startswith("lexlattice: ")
    assert said.endswith(".\n")
    assert said.count("\n") == 1
    assert word in said


# --- one act ----------------------------------------------------------------------------------------------


def test_the_default_format_is_text(run: Run, act: Path) -> None:
    code, out, said = run(act, "--words", 100)
    assert (code, said) == (0, "")
    assert "Article 1(1)" in out
    assert "CELEX" not in said


def test_json_has_the_documented_fields_and_verbatim_texts(run: Run, act: Path) -> None:
    code, out, _ = run(act, "--words", 100, "--format", "json")
    data = json.loads(out)
    assert code == 0
    status = ["status", "consolidated", "consolidated_celex", "repealed", "incomplete"]
    assert list(data) == ["celex", "title", "language", *status, "budget", "words", "extract", "left_out", "warnings"]
    source = read(act).source
    assert all(source[item["start"] : item["end"]] == item["text"] for item in data["extract"])


@pytest.mark.parametrize("name", ["out.txt", "out.md", "out.html", "out.json", "out.docx", "out.pdf"])
def test_the_suffix_of_the_output_is_the_format(run: Run, act: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert run(act, "--words", 100, "-o", target) == (0, "", "")
    begins = {"html": b"<!doctype html>", "json": b"{", "docx": b"PK", "pdf": b"%PDF", "md": b"# "}
    content = target.read_bytes()
    assert content.lower().startswith(begins.get(target.suffix[1:], b"").lower())
    assert len(content) > 300
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("length", "budget"),
    [(("--words", "90"), 90), (("--ratio", "0.2"), 146), (("--budget", "short"), 180), (("--budget", "long"), 365)],
)
def test_each_length_option_sets_the_budget(run: Run, act: Path, length: tuple[str, ...], budget: int) -> None:
    _, out, _ = run(act, *length, "--format", "json")
    assert json.loads(out)["budget"] == pytest.approx(budget, abs=2)


def test_medium_is_the_default_length(run: Run, act: Path) -> None:
    assert run(act, "--budget", "medium") == run(act)


def test_standard_input_is_read(act: Path) -> None:
    line = [sys.executable, "-m", "lexlattice", "summarize", "-", "--words", "80", "--format", "json"]
    done = subprocess.run(line, input=act.read_bytes(), capture_output=True, check=True)
    assert json.loads(done.stdout)["extract"]


def test_groups_and_explanations_are_optional(run: Run, act: Path) -> None:
    _, plain, _ = run(act, "--words", 150)
    _, grouped, _ = run(act, "--words", 150, "--group")
    assert "Key points" in grouped
    assert "Key points" not in plain
    _, explained, _ = run(act, "--words", 150, "--explain", "--format", "json")
    assert all(item["explanation"]["rank"] >= 1 for item in json.loads(explained)["extract"])
    _, told, _ = run(act, "--words", 150, "--explain")
    assert "0." in told
    assert len(told) > len(plain)


@pytest.mark.parametrize("name", ["why.docx", "why.pdf"])
def test_docx_and_pdf_include_explanations(run: Run, act: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert run(act, "--words", 100, "--explain", "-o", target) == (0, "", "")
    assert read(target).source.count("№") == len(json.loads(run(act, "--words", 100, "--format", "json")[1])["extract"])


# --- several acts -----------------------------------------------------------------------------------------


def test_a_folder_gives_one_summary_per_act_even_if_one_fails(run: Run, examples: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "acts", tmp_path / "out"
    (folder / "more").mkdir(parents=True)
    for name, language in (("a.txt", "en"), ("more/a.txt", "fr")):
        (folder / name).write_bytes((examples / "short" / f"{language}.txt").read_bytes())
    (folder / "empty.txt").write_text("")
    code, _, said = run(folder, "-o", out, "--format", "json", "--words", 60)
    assert code == 1
    assert summaries(out) == ["a.json", "more/a.json"]
    assert [json.loads((out / name).read_bytes())["language"] for name in summaries(out)] == ["en", "fr"]
    assert "empty.txt" in said
    assert "2 of 3 acts" in said
    (dead,) = (json.loads(line) for line in (out / "__run__" / "dead-letters.jsonl").open("rb"))
    assert (Path(dead["source"]).name, bool(dead["reason"])) == ("empty.txt", True)


def summaries(folder: Path) -> list[str]:
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in paths if not path.startswith("__run__/"))


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "__run__" / "manifest.json").read_bytes())
    return content


def test_inputs_with_the_same_name_keep_their_suffix_and_no_two_become_one(run: Run, act: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "acts", tmp_path / "out"
    folder.mkdir()
    for name in ("x.txt", "x.md", "X.TXT", "y.txt", "x.md.txt"):
        (folder / name).write_bytes(act.read_bytes())
    for _ in range(2):
        assert run(folder, "-o", out, "--words", 60)[0] == 0
        names = summaries(out)
        assert len({name.casefold() for name in names}) == len(names) == 5
        assert "y.txt" in names
    entries = manifest(out)["acts"]
    assert {entry["output"] for entry in entries} == set(names)
    for entry in entries:
        assert entry["sha256"] == sha256((out / entry["output"]).read_bytes())
        assert (entry["input_sha256"], entry["status"]) == (sha256(act.read_bytes()), "done")


def test_what_is_skipped_is_said_with_the_reason(run: Run, act: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "acts", tmp_path / "out"
    folder.mkdir()
    for name in ("act.txt", "old.doc", "old.rtf", ".hidden.txt"):
        (folder / name).write_bytes(act.read_bytes())
    (folder / "link").symlink_to(tmp_path)
    (folder / "broken.html").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe.txt")
    code, _, said = run(folder, "-o", out, "--words", 60)
    assert (code, summaries(out)) == (0, ["act.txt"])
    skipped = {Path(one["path"]).name: one["reason"] for one in manifest(out)["skipped"]}
    assert set(skipped) == {"old.doc", "old.rtf", ".hidden.txt", "link", "broken.html", "pipe.txt"}
    assert all(skipped.values())
    assert "6 skipped" in said and ".doc" in said and ".rtf" in said


def test_what_is_no_act_is_a_dead_letter_of_a_folder_and_of_a_corpus(run: Run, act: Path, tmp_path: Path) -> None:
    folder, letter = tmp_path / "acts", "Dear colleague,\n\nPlease find the honey in the kitchen.\n\nKind regards\n"
    folder.mkdir()
    (folder / "act.txt").write_bytes(act.read_bytes())
    (folder / "README.md").write_text("# Acts\n\nWhat we collected about bees.\n\n## Sources\n\nThe web.\n")
    (folder / "letter.txt").write_text(letter)
    (folder / "advice.txt").write_text(f"COUNCIL RECOMMENDATION of 5 May 2025 on bees\n\n{letter}")
    assert run(folder, "-o", tmp_path / "a", "--words", 60)[0] == 1
    assert main(["corpus", "score", str(folder), "-o", str(tmp_path / "b"), "--quiet", "-j", "1"]) == 1
    for out in (tmp_path / "a", tmp_path / "b"):
        dead = [json.loads(line) for line in (out / "__run__" / "dead-letters.jsonl").open("rb")]
        assert sorted(Path(entry["source"]).name for entry in dead) == ["README.md", "letter.txt"]
    assert run(folder / "letter.txt", "--words", 60)[0] == 0, "a file that is named is meant"


def test_no_run_overwrites_the_file_of_another(run: Run, act: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "act.txt").write_bytes(act.read_bytes())
        (tmp_path / name / f"{name}.txt").write_bytes(act.read_bytes())
    assert run(tmp_path / "one", "-o", out, "--words", 60)[0] == 0
    before = (out / "act.txt").read_bytes()
    code, _, said = run(tmp_path / "two", "-o", out, "--words", 200)
    assert (code, (out / "act.txt").read_bytes()) == (1, before)
    assert str(tmp_path / "one" / "act.txt") in said
    assert summaries(out) == ["act.txt", "one.txt", "two.txt"], "the others are written"
    assert len(manifest(out)["acts"]) == 4
    assert run(tmp_path / "one", "-o", out, "--words", 200)[0] == 0
    assert (out / "act.txt").read_bytes() != before, "the same input may be summarized again"


def test_summaries_of_an_input_in_other_formats_remain_its_own(run: Run, act: Path, tmp_path: Path) -> None:
    (tmp_path / "acts").mkdir()
    (tmp_path / "acts" / "one.txt").write_bytes(act.read_bytes())
    for format in ("html", "md", "html", "md"):
        assert run(tmp_path / "acts", "-o", tmp_path / "out", "--format", format, "--words", 60)[0] == 0
    assert summaries(tmp_path / "out") == ["one.html", "one.md"]


def test_an_output_folder_with_acts_in_it_is_refused_since_later_runs_would_pass_over_them(
    run: Run, act: Path, tmp_path: Path
) -> None:
    (tmp_path / "acts" / "more").mkdir(parents=True)
    (tmp_path / "acts" / "more" / "one.txt").write_bytes(act.read_bytes())
    for out in (tmp_path / "acts", tmp_path / "acts" / "more", tmp_path):
        check_one_sentence(run(tmp_path / "acts", "-o", out, "--words", 60), str(out))
        assert not (out / "__run__").exists()
    assert run(tmp_path / "acts", "-o", tmp_path / "acts" / "out", "--words", 60)[0] == 0


def test_an_input_that_is_given_twice_is_summarized_once(
    run: Run, act: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(act.parent)
    assert run(act, act.name, f"./{act.name}", "-o", tmp_path / "out", "--words", 60)[0] == 0
    assert summaries(tmp_path / "out") == ["en.txt"]


def test_names_with_line_breaks_are_files_and_never_reach_the_terminal(run: Run, act: Path, tmp_path: Path) -> None:
    (tmp_path / "acts").mkdir()
    (tmp_path / "acts" / "new\nline.txt").write_bytes(act.read_bytes())
    (tmp_path / "acts" / "\x1b[31mred.txt").write_text("")
    code, _, said = run(tmp_path / "acts", "-o", tmp_path / "out", "--words", 60)
    assert (code, summaries(tmp_path / "out")) == (1, ["new\nline.txt"])
    assert "\x1b" not in said and said.count("\n") == 2
    assert "Article 1" in run(tmp_path / "acts" / "new\nline.txt", "--words", 60)[1]


@pytest.mark.parametrize("acts", [b"7", b"[7]", b"[{}]"])
def test_a_damaged_list_of_summaries_is_one_sentence(run: Run, act: Path, tmp_path: Path, acts: bytes) -> None:
    (tmp_path / "__run__").mkdir()
    (tmp_path / "__run__" / "manifest.json").write_bytes(b'{"acts": ' + acts + b"}")
    check_one_sentence(run(act, "-o", f"{tmp_path}/"), "manifest.json")


def test_a_folder_of_summaries_and_one_of_a_bulk_run_do_not_mix(run: Run, act: Path, tmp_path: Path) -> None:
    assert run(act.parent / "en.txt", act.parent / "fr.txt", "-o", tmp_path / "a", "--words", 60)[0] == 0
    assert main(["corpus", "summarize", str(act), "-o", str(tmp_path / "a"), "--quiet"]) == 2
    assert main(["corpus", "summarize", str(act), "-o", str(tmp_path / "b"), "--quiet", "-j", "1"]) == 0
    check_one_sentence(run(act.parent, "-o", tmp_path / "b"), str(tmp_path / "b"))


def test_several_json_summaries_are_json_lines(run: Run, examples: Path) -> None:
    files = [examples / "short" / f"{language}.txt" for language in ("en", "fr")]
    for more in ((), ("--versions",)):
        _, out, _ = run(*files, "--words", 60, "--format", "json", *more)
        assert [json.loads(line)["language"] for line in out.splitlines()] == ["en", "fr"]


def test_several_summaries_are_printed_in_order(run: Run, examples: Path) -> None:
    code, out, _ = run(examples / "short" / "en.txt", examples / "short" / "fr.txt", "--words", 60)
    assert code == 0
    assert out.index("Article 1(1)") < out.index("Article 1er, paragraphe 1")


def test_exit_code_is_2_if_all_acts_fail(run: Run, tmp_path: Path) -> None:
    code, out, said = run(tmp_path / "none.txt", tmp_path / "neither.txt")
    assert (code, out) == (2, "")
    assert "0 of 2 acts" in said


# --- one act in several languages -------------------------------------------------------------------------


def test_versions_of_one_act_give_the_same_provisions(run: Run, examples: Path, tmp_path: Path) -> None:
    files = [examples / "short" / f"{language}.txt" for language in ("en", "fi", "mt")]
    assert run(*files, "--versions", "--words", 100, "-o", tmp_path, "--format", "json")[0] == 0
    found = {name: json.loads((tmp_path / name).read_bytes())["extract"] for name in summaries(tmp_path)}
    assert sorted(found) == [f"32024R9001.{language}.json" for language in ("en", "fi", "mt")]
    ids = [[item["id"].partition("~")[0] for item in items] for items in found.values()]
    assert [*map(set, ids)] == [set(ids[0])] * 3
    assert ids[0]


def test_versions_respect_the_focus(run: Run, examples: Path, tmp_path: Path) -> None:
    files = [examples / "short" / f"{language}.txt" for language in ("en", "fi")]
    sizes = ("--words", 450, "-o", tmp_path, "--format", "json")
    kinds = {}
    for focus in ("all", "articles"):
        assert run(*files, "--versions", "--focus", focus, *sizes)[0] == 0
        items = json.loads((tmp_path / "32024R9001.fi.json").read_bytes())["extract"]
        kinds[focus] = {item["id"].partition("-")[0] for item in items}
    assert kinds["articles"] == {"art"} < kinds["all"]


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ("--words 0", "0"),
        ("--words -4", "-4"),
        ("--ratio 2", "2"),
        ("--lang xx", "xx"),
        ("--model none.safetensors", "none.safetensors"),
        ("--encoder nonsense", "nonsense"),
        ("-o out.doc", "out.doc"),
        ("-o none/out.txt", "none/out.txt"),
        ("--to fr", "--to"),
        ("--versions", "--versions"),
    ],
)
def test_invalid_options_are_one_sentence_and_write_nothing(
    run: Run, act: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    check_one_sentence(run(act, *arguments.split()), word)
    assert not list(tmp_path.iterdir())


def test_the_input_is_never_overwritten(run: Run, act: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_bytes(act.read_bytes())
    check_one_sentence(run(mine, "-o", mine), str(mine))
    assert mine.read_bytes() == act.read_bytes()


def test_a_failure_leaves_no_partial_file_and_keeps_the_old_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "out.md").write_text("mine")
    check_one_sentence(run(tmp_path / "empty.txt", "-o", tmp_path / "out.md"), "")
    assert (tmp_path / "out.md").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.txt", "out.md"]


def test_a_closed_pipe_is_not_an_error(act: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    line = [sys.executable, "-m", "lexlattice", "summarize", str(act)]
    done = subprocess.run(line, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_folder_of_one_act_needs_an_output_folder(run: Run, act: Path, tmp_path: Path) -> None:
    folder, out, named = tmp_path / "acts", tmp_path / "out", tmp_path / "out.html"
    folder.mkdir()
    (folder / "act.txt").write_bytes(act.read_bytes())
    assert run(folder, "-o", out, "--words", 80)[0] == 0
    assert summaries(out) == ["act.txt"]
    check_one_sentence(run(folder, "-o", named), str(named))
    assert not named.exists()


def test_a_missing_extra_is_reported_once(run: Run, act: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexlattice.apps.cli.summarize.find_spec", lambda name: None)
    check_one_sentence(run(act.parent, "-o", "out", "--format", "docx"), "lexlattice[docx]")


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "summarize" in capsys.readouterr().err
