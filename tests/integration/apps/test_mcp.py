"""The MCP server: a real process on standard input and output, driven by the client of the SDK."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from helpers import ROOT
from lexlattice import read
from lexlattice.apps import mcp
from lexlattice.apps.cli import main
from lexlattice.apps.mcp import MAX_PROVISIONS, MAX_SECTIONS, Tools, create_server
from lexlattice.apps.serve.workers import InternalError, JobTimeoutError, RequestPool
from lexlattice.errors import MissingExtraError, NoSuchProvisionError, OptionError, ReadingError
from lexlattice.reading.fetch import Fetched

if TYPE_CHECKING:
    from mcp import Client

ASKED = TypeVar("ASKED")
EXAMPLES = ROOT / "examples"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}},
}
TOOLS = Tools(EXAMPLES)
parse_act, summarize_act, quote_provision = TOOLS.parse_act, TOOLS.summarize_act, TOOLS.quote_provision


@pytest.fixture(scope="module")
def act(examples: Path) -> str:
    return str(examples / "short" / "en.txt")


def ask(questions: Callable[[Client], Awaitable[ASKED]], root: Path = EXAMPLES) -> ASKED:
    """Start the server as an assistant does, ask, end it; in a thread, because a browser may hold this one's loop."""
    pytest.importorskip("mcp")
    from mcp import Client, StdioServerParameters, stdio_client

    async def talk() -> ASKED:
        command = StdioServerParameters(command=sys.executable, args=["-m", "lexlattice", "mcp", "--root", str(root)])
        async with Client(stdio_client(command)) as client:
            return await questions(client)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, talk()).result(timeout=60)


# --- through the protocol -----------------------------------------------------------------------------------


def test_an_assistant_can_parse_summarize_and_quote(act: str) -> None:
    async def questions(client: Client) -> list[Any]:
        tools = await client.list_tools()
        outline = await client.call_tool("parse_act", {"source": act})
        summary = await client.call_tool("summarize_act", {"source": act, "words": 80, "group": True})
        quoted = await client.call_tool("quote_provision", {"source": act, "provision": "Article 3(2)(b)(i)"})
        return [client.instructions, tools.tools, outline, summary, quoted]

    instructions, tools, outline, summary, quoted = ask(questions)
    assert "not legal advice" in instructions
    assert "in the server's folder" in instructions
    assert [tool.name for tool in tools] == ["parse_act", "summarize_act", "quote_provision"]
    for tool in tools:
        assert set(tool.input_schema["properties"]) <= set(tool.description.replace(":", " ").split())
        assert tool.annotations.read_only_hint
        assert "in the server's folder (20 MB at most)" in tool.description
    assert not any(answer.is_error for answer in (outline, summary, quoted))
    assert outline.structured_content == parse_act(act)
    assert summary.structured_content == summarize_act(act, words=80, group=True)
    assert quoted.structured_content["text"] == "(i) the postal address; or"


def test_errors_are_one_sentence_and_the_server_keeps_running(act: str) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("parse_act", {"source": "https://example.org/act.html"}),
        ("parse_act", {"source": "/no/such/file.txt"}),
        ("parse_act", {"source": "short/no-such-file.txt"}),
        ("parse_act", {"source": "/etc/passwd"}),
        ("parse_act", {"source": "/dev/zero"}),
        ("parse_act", {"source": act, "language": "xx"}),
        ("parse_act", {}),
        ("summarize_act", {"source": act, "words": 0}),
        ("summarize_act", {"source": act, "words": "many"}),
        ("summarize_act", {"source": act, "focus": "commas"}),
        ("quote_provision", {"source": act, "provision": "Article 99(1)"}),
        ("no_such_tool", {}),
    ]

    async def questions(client: Client) -> list[Any]:
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    for (name, arguments), answer in zip(calls, ask(questions), strict=True):
        assert answer.is_error, (name, arguments)
        sentence = answer.content[0].text
        assert "\n" not in sentence, sentence
        assert "Traceback" not in sentence
        assert "Error executing" not in sentence


def ask_here(root: Path, tool: str, arguments: dict[str, Any]) -> str:
    """The same without a process of its own, so that a test can change what it does; the sentence that is said."""
    pytest.importorskip("mcp")
    from mcp import Client

    async def talk() -> Any:
        async with Client(create_server(root)) as client:
            return await client.call_tool(tool, arguments)

    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(asyncio.run, talk()).result(timeout=60)
    assert answer.is_error
    return str(answer.content[0].text)


def test_an_act_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "MAX_SECONDS", 0.5)
    (tmp_path / "act.txt").write_text("ANNEX\n" * 3_000_000)
    start = time.monotonic()
    message = ask_here(tmp_path, "parse_act", {"source": "act.txt", "language": "en"})
    assert message == str(JobTimeoutError(0.5))
    assert time.monotonic() - start < 40


def test_an_internal_error_is_one_sentence_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any) -> None:
        raise KeyError("the text of an act")

    monkeypatch.setattr(RequestPool, "run", fail)
    assert ask_here(tmp_path, "parse_act", {"source": "32016R0679"}) == str(InternalError())


def test_ctrl_c_stops_the_server_at_once() -> None:
    pytest.importorskip("mcp")
    command = [sys.executable, "-m", "lexlattice", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{json.dumps(HELLO)}\n".encode())
        process.stdin.flush()
        assert b"lexlattice" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=60) == -signal.SIGINT
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["missing", "file.txt"])
def test_a_root_that_is_not_a_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(mcp, "create_server", lambda _: pytest.fail("it was started"))
    (tmp_path / "file.txt").touch()
    assert main(["mcp", "--root", str(tmp_path / name)]) == 2
    assert str(tmp_path / name) in capsys.readouterr().err


# --- which files may be read --------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path, act: str) -> Path:
    """A folder with an act, and things around it and in it that are none of an assistant's business."""
    folder = tmp_path / "acts"
    folder.mkdir()
    shutil.copy(act, folder / "act.txt")
    shutil.copy(act, tmp_path / "private.txt")
    shutil.copy(act, tmp_path / "acts.txt")
    (folder / "inside").symlink_to("act.txt")
    (folder / "outside").symlink_to(tmp_path / "private.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "zeros").symlink_to("/dev/zero")
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    return folder


def test_files_in_the_folder_are_read_by_any_path(root: Path, act: str) -> None:
    whole = parse_act(act)
    for name in ("act.txt", "./act.txt", "inside", str(root / "act.txt"), "../acts/act.txt", "up/acts/act.txt"):
        assert Tools(root).parse_act(name) == whole
    linked = root.parent / "linked"
    linked.symlink_to(root)
    assert Tools(linked).parse_act(str(linked / "act.txt")) == whole


@pytest.mark.parametrize(
    "name",
    [
        "../private.txt",
        "../acts.txt",
        "outside",
        "up/private.txt",
        "/dev/zero",
        "zeros",
        "/etc/passwd",
        "/no/such/file",
    ],
)
def test_files_outside_the_folder_are_refused_without_revealing_if_they_exist(root: Path, name: str) -> None:
    with pytest.raises(OptionError) as refused:
        Tools(root).parse_act(name)
    # the same message whether the file exists or not
    outside = str(refused.value).replace(f"'{name}'", "")
    with pytest.raises(OptionError) as other:
        Tools(root).parse_act("../nothing.txt")
    assert outside == str(other.value).replace("'../nothing.txt'", "")


@pytest.mark.parametrize("name", ["pipe", "circle", "missing"])
def test_pipes_circular_links_and_missing_files_are_refused(root: Path, name: str) -> None:
    with pytest.raises((OptionError, ReadingError), match=name):
        Tools(root).parse_act(name)


def test_devices_are_refused_wherever_the_folder_is() -> None:
    with pytest.raises(ReadingError, match="/dev/zero"):
        Tools(Path("/")).parse_act("/dev/zero")


def test_a_formex_folder_is_read_only_if_all_its_files_may_be(root: Path, examples: Path) -> None:
    folder = root / "formex"
    shutil.copytree(examples / "formats" / "act.fmx4", folder)
    assert Tools(root).parse_act("formex") == parse_act("formats/act.fmx4")
    (folder / "more.xml").symlink_to(root.parent / "private.txt")
    with pytest.raises(OptionError, match="acts"):
        Tools(root).parse_act("formex")
    (folder / "more.xml").unlink()
    os.mkfifo(folder / "more.xml")
    with pytest.raises(ReadingError, match="formex"):
        Tools(root).parse_act("formex")


def test_sources_above_the_size_limit_are_refused(
    root: Path, examples: Path, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(examples / "formats" / "act.fmx4", root / "formex")
    monkeypatch.setattr(mcp, "MAX_BYTES", 1_500)
    for source in ("act.txt", "formex", Path(act).read_text("utf-8")):
        with pytest.raises(ReadingError, match=r"0\.0015 MB"):
            Tools(root).parse_act(source)


def test_a_celex_number_is_fetched_within_the_limits_unless_a_file_has_its_name(
    root: Path, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def fetch(reference: str, **options: Any) -> Fetched:
        asked.append((reference, options))
        return Fetched(b"Article 1\n\nBees are free.", "text/plain", "", reference, options["language"])

    monkeypatch.setattr(mcp, "fetch", fetch)
    monkeypatch.chdir(root.parent)  # what lies there is not read
    shutil.copy(act, root.parent / "32016R0679")
    outline = Tools(root).parse_act("32016R0679", "EN")
    assert (outline["celex"], outline["language"], outline["words"]) == ("32016R0679", "en", 3)
    assert [(reference, options["max_bytes"]) for reference, options in asked] == [("32016R0679", mcp.MAX_BYTES)]
    shutil.copy(act, root / "32016R0679")
    assert Tools(root).parse_act("32016R0679") == parse_act(act)
    assert len(asked) == 1


# --- the tools themselves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["bg", "de", "el", "en", "fi", "ga"])
def test_provisions_of_the_outline_can_be_quoted_by_id_and_citation(examples: Path, language: str) -> None:
    source = str(examples / "short" / f"{language}.txt")
    whole = read(source)
    for section in parse_act(source)["outline"]:
        for id, citation in list(section["provisions"].items())[-2:]:
            by_id, by_citation = quote_provision(source, id), quote_provision(source, citation)
            assert by_id["citation"] == by_citation["citation"] == citation
            assert by_id["text"] == whole.source[by_id["start"] : by_id["end"]]
            assert set(by_id["parts"]) <= set(by_citation["parts"])


def test_a_provision_is_quoted_with_its_parts(act: str) -> None:
    point = quote_provision(act, "art-3.par-2.pt-b")
    assert point["text"].startswith("(b) the place of the beehive")
    assert point["text"].endswith("(ii) the geographical coordinates;")
    assert point["parts"]["art-3.par-2.pt-b.pt-i"] == "Article 3(2)(b)(i)"
    assert point["heading"] == "Obligation to register"


@pytest.mark.parametrize("name", ["Art. 3(2)", "article 3 paragraph 2", "Artikel 3 Absatz 2", "art 3.2"])
def test_a_provision_is_quoted_however_an_assistant_cites_it(act: str, name: str) -> None:
    assert quote_provision(act, name) == quote_provision(act, "art-3.par-2")


@pytest.mark.parametrize("name", ["Article 1", "article  1", "ARTICLE 1", "art-1"])
def test_a_whole_article_is_quoted_by_its_header_or_the_beginning_of_its_ids(act: str, name: str) -> None:
    quoted = quote_provision(act, name)
    assert quoted["citation"] == "Article 1"
    assert list(quoted["parts"]) == ["art-1.par-1", "art-1.par-2", "art-1.par-2.pt-a", "art-1.par-2.pt-b"]


def test_a_long_provision_is_quoted_whole_and_each_of_its_sentences_alone() -> None:
    sentences = [
        f"Hive {n} shall be registered by its keeper with the competent authority in good time." for n in range(9)
    ]
    text = f"Article 1\n\n1. {' '.join(sentences)}\n\n2. Bees are free."
    whole = quote_provision(text, "Article 1(1)", "en")
    assert whole["text"] == f"1. {' '.join(sentences)}"
    assert whole["parts"] == {"art-1.par-1": "Article 1(1)"}
    alone = read(text, language="en").units[1]
    assert alone.id == "art-1.par-1.s-2"
    for name in (alone.id, alone.citation):
        quoted = quote_provision(text, name, "en")
        assert (quoted["citation"], quoted["text"]) == (alone.citation, alone.text) == (alone.citation, sentences[1])
        assert (quoted["start"], quoted["end"]) == (alone.start, alone.end)


def test_a_sentence_of_a_short_provision_is_quoted_alone() -> None:
    text = "Article 1\n\n1. Bees are free. Hives are not.\n\n2. Honey is sweet."
    assert quote_provision(text, "Article 1(1), second sentence", "en")["text"] == "Hives are not."
    assert quote_provision(text, "Article 1(2), first sentence", "en")["text"] == "2. Honey is sweet."
    for name in ("Article 1(1), third sentence", "Article 1(1) and (2)", "Article 1(1)-(2)"):
        with pytest.raises(NoSuchProvisionError):
            quote_provision(text, name, "en")


def test_a_missing_provision_is_answered_with_the_nearest_ones(act: str) -> None:
    with pytest.raises(NoSuchProvisionError) as missing:
        quote_provision(act, "Article 3(7)")
    assert all(word in str(missing.value) for word in ("Article 3(7)", "Article 3(2)", "parse_act"))
    with pytest.raises(NoSuchProvisionError, match="parse_act"):
        quote_provision(act, "§§§")
    with pytest.raises(OptionError):
        quote_provision(act, " ")


def test_provisions_with_the_same_number_have_distinct_citations() -> None:
    annex = "ANNEX\n\n{}\n\n1. Bees are free.\n\n2. Hives are not.\n\n"
    text = "Article 1\n\nHives shall be registered.\n\n" + annex.format("BEES") + annex.format("HIVES")
    points = {"anx.pt-1": "Annex, point 1", "anx.pt-2": "Annex, point 2"}
    again = {f"{id}~2": f"{citation} [2]" for id, citation in points.items()}
    assert quote_provision(text, "Annex", "en")["parts"] == points | again
    for id, citation in (points | again).items():
        for name in (id, citation):
            quoted = quote_provision(text, name, "en")
            assert (quoted["citation"], quoted["parts"]) == (citation, {id: citation})


def test_an_article_of_an_annex_is_not_mistaken_for_one_of_the_act() -> None:
    article = "Article 1\n\n1. {} are free.\n\n2. {} are registered.\n\n"
    text = f"{article.format('Bees', 'Hives')}ANNEX\n\nAGREEMENT\n\n{article.format('Wasps', 'Nests')}"
    assert quote_provision(text, "Article 1", "en")["text"] == "1. Bees are free.\n2. Hives are registered."
    annexed = quote_provision(text, "anx.art-1", "en")
    assert annexed["text"] == "1. Wasps are free.\n2. Nests are registered."
    assert annexed["citation"] == "Annex, Article 1"
    assert quote_provision(text, "Annex, Article 1", "en") == annexed


def test_a_summary_is_verbatim_and_has_a_disclaimer(act: str) -> None:
    whole, summary = read(act), summarize_act(act, words=100, focus="articles")
    assert summary["items"]
    assert summary["words"] <= 100
    for item in summary["items"]:
        assert item["text"] == whole.source[item["start"] : item["end"]]
        assert item["citation"] == whole[item["id"]].citation
        assert item["id"].startswith("art-")
    assert "not legal advice" in summary["notice"]


def test_the_text_itself_is_a_source() -> None:
    text = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
    assert quote_provision(text, "Article 2", language="EN")["text"] == "Bees are free."


def test_the_outline_of_a_huge_act_is_shortened_with_a_note() -> None:
    articles = [
        f"Article {n}\n\n1. Hives shall be registered.\n\n2. Bees are free.\n" for n in range(1, MAX_SECTIONS + 50)
    ]
    outline = parse_act("\n".join(articles), "en")
    assert len(outline["outline"]) == MAX_SECTIONS
    assert [section["count"] for section in outline["outline"]].count(2) > MAX_PROVISIONS // 2
    assert "provisions" not in outline["outline"][0]
    assert f"{2 * (MAX_SECTIONS + 49):,}" in outline["notes"][0]
    assert f"{MAX_SECTIONS}" in outline["notes"][1]


def test_a_provision_too_long_for_one_response_is_quoted_in_parts() -> None:
    paragraphs = "\n\n".join(f"{n}. {'Bees are free and busy. ' * 20}" for n in range(1, 80))
    text = f"Article 1\n\n{paragraphs}"
    with pytest.raises(OptionError, match=r"art-1\.par-1\b.*art-1\.par-2\b"):
        quote_provision(text, "Article 1", "en")
    assert quote_provision(text, "Article 1(2)", "en")["words"] == 101
    assert summarize_act(text, words=7_000, language="en")["notes"][0].startswith("7,000 ")


@pytest.mark.parametrize("source", ["", "  ", "http://example.org/a", " https://example.org/a\n", "x" * 900, "a\0b"])
def test_invalid_sources_are_refused_and_nothing_is_fetched(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "fetch", lambda *_, **__: pytest.fail("an address was opened"))
    with pytest.raises(OptionError):
        parse_act(source)


def test_without_the_sdk_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(MissingExtraError, match=r"lexlattice\[mcp\]"):
        create_server()
