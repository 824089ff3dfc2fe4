"""The command, run as a real process."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lexlattice.apps.cli import _parser, main


def run(*arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "lexlattice", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=240, check=False)


def test_json_has_the_documented_fields(examples: Path) -> None:
    done = run("parse", examples / "short" / "fr.txt")
    assert done.returncode == 0
    act = json.loads(done.stdout)
    assert {"celex", "title", "language", "profile", "sections", "furniture"} <= act.keys()
    section = act["sections"][3]
    assert {"index", "kind", "number", "heading", "units"} <= section.keys()
    assert section["units"][0].keys() == {
        *("id", "provision", "section", "position", "kind", "number", "citation", "text", "start", "end", "words")
    }
    assert act["furniture"][0].keys() == {"kind", "start", "end"}
    unit = section["units"][0]
    assert act["source"][unit["start"] : unit["end"]] == unit["text"]


def test_the_tree_is_an_outline_with_counts(examples: Path) -> None:
    done = run("parse", examples / "short" / "en.txt", "--tree")
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("COMMISSION IMPLEMENTING REGULATION")
    assert any(line.startswith("Article 5 — Label") and "5 units" in line for line in lines)


def test_standard_input_and_options(examples: Path) -> None:
    data = (examples / "short" / "de.txt").read_bytes()
    done = run("parse", "-", "--json", "--lang", "de", "--profile", "paper", stdin=data)
    act = json.loads(done.stdout)
    assert (act["language"], act["profile"]) == ("de", "paper")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("parse", "nowhere.txt"), b"nowhere.txt"),
        (("parse", "-"), b""),
        (("parse", "-", "--lang", "xx"), b"xx"),
        (("parse", "-", "--format", "odt"), b"odt"),
    ],
)
def test_invalid_calls_print_one_sentence_and_return_2(arguments: tuple[str, ...], word: bytes) -> None:
    done = run(*arguments, stdin=b"Article 1" if word else b"")
    assert done.returncode == 2
    assert word in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("content", [b"\x00\x01\x02" * 900, b"%PDF-1.7 nothing", b"PK\x03\x04 nothing", b"<ACT><P>cut"])
def test_unreadable_files_print_one_sentence_and_return_2(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    done = run("parse", path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"lexlattice: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("option", ["--model", "--hierarchy", "--encoder", "--output"])
def test_a_name_that_no_file_can_have_is_one_short_sentence_about_it(examples: Path, option: str) -> None:
    done = run("summarize", examples / "short" / "en.txt", option, "m" * 5_000)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"mmm" in done.stderr
    assert len(done.stderr) < 1_000


def test_a_closed_pipe_is_not_an_error(examples: Path) -> None:
    command = f"{sys.executable} -m lexlattice parse {examples / 'long' / 'en.txt'} | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=240, check=False)
    assert done.stdout == b'{"celex": '
    assert done.stderr == b""


def test_a_full_disk_or_closed_stream_is_one_sentence(examples: Path) -> None:
    path = examples / "short" / "bg.txt"
    for redirection in (">/dev/full", ">&-", "<&-"):
        source = "-" if redirection == "<&-" else path
        command = f"{sys.executable} -m lexlattice parse {source} {redirection}"
        done = subprocess.run(command, shell=True, capture_output=True, timeout=240, check=False)
        assert done.returncode == 2, redirection
        assert done.stderr.count(b"\n") == 1


def test_output_is_utf8_even_on_a_legacy_terminal(examples: Path) -> None:
    command = [sys.executable, "-m", "lexlattice", "parse", str(examples / "short" / "el.txt"), "--tree"]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False)
    assert "Άρθρο 1" in done.stdout.decode()


def test_being_offline_is_one_sentence(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "LEXLATTICE_CACHE": str(tmp_path),
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-c", "import lexlattice.reading.fetch as f, sys; f.BACKOFF = 0\n"
               "from lexlattice.apps.cli import _parser, main; sys.exit(main(['parse', '32016R0679']))"]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, timeout=240, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"32016R0679" in done.stderr


def test_starting_the_command_imports_no_training_evaluation_or_research() -> None:
    code = (
        "import sys; import lexlattice.apps.cli;"
        "print(*[name for name in sys.modules if name.startswith(('lexlattice.research', 'lexlattice.training',"
        " 'lexlattice.evaluation', 'torch', 'fastapi'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=240)
    assert done.stdout == b"\n"


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser of the command, and those of its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


def test_every_command_and_option_has_a_help_text() -> None:
    found = list(parsers(_parser()))
    assert len(found) > 15
    for parser in found:
        assert parser.description, parser.prog
        assert parser.format_help()
        for action in parser._actions:
            assert action.help or isinstance(action, argparse._SubParsersAction), (parser.prog, action.dest)


def test_the_experiments_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    from lexlattice.research.experiments import EXPERIMENTS

    with pytest.raises(SystemExit) as ended:
        main(["experiment", "--list"])
    assert ended.value.code == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(EXPERIMENTS)
