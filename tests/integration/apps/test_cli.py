"""The command, run as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "lexlattice", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)


def test_json_has_what_others_script_against(examples: Path) -> None:
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
        (("parse", "nowhere.txt"), b"no file"),
        (("parse", "-"), b"empty"),
        (("parse", "-", "--lang", "xx"), b"24 official languages"),
        (("parse", "-", "--format", "odt"), b"no format"),
    ],
)
def test_bad_calls_end_with_one_sentence_and_2(arguments: tuple[str, ...], word: bytes) -> None:
    done = run(*arguments, stdin=b"" if word == b"empty" else b"Article 1")
    assert done.returncode == 2
    assert word in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("content", [b"\x00\x01\x02" * 900, b"%PDF-1.7 nothing", b"PK\x03\x04 nothing", b"<ACT><P>cut"])
def test_bad_files_end_with_one_sentence_and_2(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    done = run("parse", path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"lexlattice: ")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_pipe_is_no_error(examples: Path) -> None:
    command = f"{sys.executable} -m lexlattice parse {examples / 'long' / 'en.txt'} | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=60, check=False)
    assert done.stdout == b'{"celex": '
    assert done.stderr == b""


def test_a_full_disk_and_closed_ends_are_said_in_one_sentence(examples: Path) -> None:
    path = examples / "short" / "bg.txt"
    for redirection in (">/dev/full", ">&-", "<&-"):
        source = "-" if redirection == "<&-" else path
        command = f"{sys.executable} -m lexlattice parse {source} {redirection}"
        done = subprocess.run(command, shell=True, capture_output=True, timeout=60, check=False)
        assert done.returncode == 2, redirection
        assert done.stderr.count(b"\n") == 1


def test_three_scripts_are_printed_whatever_the_terminal(examples: Path) -> None:
    command = [sys.executable, "-m", "lexlattice", "parse", str(examples / "short" / "el.txt"), "--tree"]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False)
    assert "Άρθρο 1" in done.stdout.decode()


def test_offline_is_said_in_one_sentence(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "LEXLATTICE_CACHE": str(tmp_path),
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-c", "import lexlattice.reading.fetch as f, sys; f.BACKOFF = 0\n"
               "from lexlattice.apps.cli import main; sys.exit(main(['parse', '32016R0679']))"]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"give a file instead" in done.stderr
