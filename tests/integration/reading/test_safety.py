"""What the threat model promises for the whole package: no code from files is run, and no secret is disclosed."""

from __future__ import annotations

import ast
import json
import logging
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from helpers import ROOT
from helpers.llm_server import KEY, KEY_FROM, Failure, FakeLLM, fake_llm
from helpers.service import asking, served
from lexlattice import LexLatticeError, read
from lexlattice.errors import ConfigError, FetchError, ReadingError
from lexlattice.reading.fetch import fetch
from lexlattice.research.llm import Endpoint, EndpointConfig, ReplyCache

PACKAGE = ROOT / "src" / "lexlattice"
PAGE = ROOT / "docs" / "threat-model.md"
LOCK = ROOT / "requirements.lock"

UNPICKLING = PACKAGE / "encoding" / "unpickle.py"
"""Converts the pickled weights of a model that the user names, in a process of its own."""
NEVER_IMPORTED = {*"marshal shelve dill cloudpickle joblib yaml".split()}
NEVER_CALLED = {*"eval exec compile __import__ os.system os.popen torch.load torch.hub.load torch.jit.load".split()}
PICKLE = {"dumps", "PicklingError"}
"""Pickling is allowed as a test of what can be sent to a process; nothing is ever unpickled from a file."""
SECRET = "quokka-7319"


# --- no code is run ----------------------------------------------------------------------------------------


def dangers(source: str) -> Iterator[str]:
    """Everything in a module that could run code from a file; `multiprocessing` between own processes is allowed."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = [module] if module else [alias.name for alias in node.names]
            yield from (name for name in names if name.split(".")[0] in NEVER_IMPORTED)
            if module in ("pickle", "_pickle", "os", "torch", "subprocess"):
                full = {f"{module}.{alias.name}" for alias in node.names}
                yield from full & NEVER_CALLED
                yield from (name for name in full if module.endswith("pickle") and name.split(".")[1] not in PICKLE)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("pickle", "_pickle") and node.attr not in PICKLE:
                yield ast.unparse(node)
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            options = {word.arg: ast.unparse(word.value) for word in node.keywords}
            if called in NEVER_CALLED:
                yield called
            if called.endswith(("np.load", "numpy.load")) and options.get("allow_pickle") != "False":
                yield f"{called} without allow_pickle=False"
            if options.get("shell", "False") != "False":
                yield f"{called} with a shell"
            if options.get("trust_remote_code", "False") != "False":
                yield f"{called} with remote code"
            if options.get("allow_pickle", "False") != "False" or options.get("weights_only", "True") != "True":
                yield f"{called} of pickles"


@pytest.mark.parametrize(
    "source",
    [
        "import marshal",
        "import os, shelve",
        "from yaml import load",
        "import pickle\npickle.load(file)",
        "import pickle\nloads = pickle.loads",
        "from pickle import loads",
        "import pickle\nclass Mine(pickle.Unpickler): pass",
        "torch.load(path, weights_only=True)",
        "from torch import load, save",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "eval(text)",
        "def f():\n    exec(text)",
        "__import__(name)",
        "subprocess.run(command, shell=True)",
        "os.system(command)",
        "from os import system",
        "Model.from_pretrained(name, trust_remote_code=True)",
    ],
)
def test_code_that_could_run_a_file_is_detected(source: str) -> None:
    assert list(dangers(source))


@pytest.mark.parametrize(
    "source",
    ["model.eval()", "re.compile('a')", "pickle.dumps(plan)", "np.load(path, allow_pickle=False)", "x = 'eval(a)'"],
)
def test_harmless_code_is_accepted(source: str) -> None:
    assert not list(dangers(source))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_in_the_package_runs_code_from_a_file(path: Path) -> None:
    assert list(dangers(path.read_text("utf-8"))) == (["torch.load"] if path == UNPICKLING else [])


def test_the_one_module_that_unpickles_accepts_weights_only() -> None:
    calls = [node for node in ast.walk(ast.parse(UNPICKLING.read_text("utf-8"))) if isinstance(node, ast.Call)]
    loads = [node for node in calls if ast.unparse(node.func) == "torch.load"]
    assert [{word.arg: ast.unparse(word.value) for word in node.keywords}["weights_only"] for node in loads] == ["True"]


def test_only_safetensors_are_shipped() -> None:
    kinds = {path.suffix for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert ".safetensors" in kinds
    assert not kinds & {*".pkl .pickle .pt .pth .bin .npz .joblib .h5 .so .dll".split()}


# --- no secret is disclosed -------------------------------------------------------------------------------


def disclosed(error: BaseException, log: pytest.LogCaptureFixture) -> str:
    """Everything that a reader of errors and logs can see, including the causes of the error."""
    lines = [record.getMessage() for record in log.records]
    while True:
        lines += [str(error), repr(error)]
        following = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if following is None:
            return "\n".join(lines)
        error = following


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLLM]:
    monkeypatch.setenv(KEY_FROM, KEY)
    with fake_llm(lambda question: f"My key is {KEY}") as server:
        yield server


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 500])
def test_a_key_is_in_no_error_and_no_log_line(
    kind: str, status: int, llm: FakeLLM, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = json.dumps({"error": {"message": f"the key {KEY} is wrong"}}).encode()
    llm.failures.append(Failure(status, body=said))
    with (
        Endpoint(llm.config(kind, attempts=1), ReplyCache(tmp_path)) as endpoint,
        pytest.raises(LexLatticeError) as error,
    ):
        endpoint.complete("s", "p")
    assert KEY not in disclosed(error.value, caplog)


def test_an_endpoint_with_a_password_or_a_query_is_refused_without_repeating_it() -> None:
    for url in (f"https://user:{SECRET}@host/v1", f"https://host/v1?key={SECRET}", f"https://host/v1#{SECRET}"):
        with pytest.raises(ConfigError) as error:
            EndpointConfig("openai", url, "model")
        assert SECRET not in str(error.value)


@pytest.mark.parametrize("path", ["/missing", "/moved", "/act"])
def test_a_password_or_a_query_is_in_no_error_and_no_log_line_of_fetching(
    path: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor in the log lines of httpx."""
    caplog.set_level(logging.INFO)
    with served(workers=1, fetch=False) as server:
        host = server.address.removeprefix("http://").rstrip("/")
        caplog.clear()
        with pytest.raises(FetchError) as error:
            fetch(f"http://user:{SECRET}@{host}{path}?token={SECRET}", cache=tmp_path, attempts=1)
        lines = disclosed(error.value, caplog)
    assert host in str(error.value)
    assert f"http://{host}{path}" in lines, "the request is logged"
    assert SECRET not in lines


def test_requests_of_other_callers_are_logged_unchanged(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.INFO)
    with served(workers=1, fetch=False) as server, asking(server) as client:
        with pytest.raises(FetchError):
            fetch(f"{server.address}missing?a=1", cache=tmp_path, attempts=1)
        client.get("/healthz?b=2")
    lines = [record.getMessage() for record in caplog.records if record.name == "httpx"]
    assert "?b=2" in lines[-1]


@pytest.mark.parametrize("reference", [f"htps://user:{SECRET}@host/?key={SECRET}", f"host/?key={SECRET}"])
def test_an_invalid_address_is_not_repeated(reference: str, tmp_path: Path) -> None:
    with pytest.raises(FetchError) as error:
        fetch(reference, cache=tmp_path)
    assert SECRET not in str(error.value)


def test_the_service_logs_no_query_no_header_and_no_body(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with served(workers=1, fetch=False) as server, asking(server) as client:
        headers = {"authorization": f"Bearer {SECRET}", "cookie": SECRET}
        for answer in (
            client.get(f"/healthz?key={SECRET}", headers=headers),
            client.get(f"/{SECRET}", headers=headers),
            client.post(f"/v1/acts?key={SECRET}", headers=headers, json={"text": SECRET, "language": SECRET}),
            client.post(f"/v1/summaries?key={SECRET}", headers=headers, content=SECRET),
        ):
            assert isinstance(answer, httpx.Response)
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    assert any("/v1/acts" in line for line in ours)
    assert SECRET not in "\n".join(ours)


def test_an_error_is_one_line_whatever_the_file_name() -> None:
    """File names are untrusted: characters that move a terminal's cursor or begin a line of a log are removed."""
    for name in ("a\nb", "a\r\nb", "\x1b[2Ja", "a\u2028b", "a\x9bb", "a\u202eb", "a\u07bcb"):
        with pytest.raises(ReadingError) as error:
            read(Path(name))
        assert str(error.value).isprintable()


# --- packages ---------------------------------------------------------------------------------------------


def test_every_package_is_pinned_with_hashes_and_without_an_index() -> None:
    text = LOCK.read_text("utf-8")
    entries = [entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE) if entry and entry[0] != "#"]
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+(\[[a-z,-]+\])?==\S+( ; .*?)? \\\n", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry
    assert not re.search(r"://|--index|--find-links|--trusted|/home/|/tmp/|/opt/", text)


def test_all_dependencies_are_pinned() -> None:
    """The core, and the extras that the Makefile installs for developers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = re.search(r"^extras-dev := \[(.*)\]$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert extras
    required = [
        *project["dependencies"],
        *(n for e in extras[1].split(",") for n in project["optional-dependencies"][e]),
    ]
    names = {re.split(r"[^\w.-]", line)[0].lower().replace("_", "-") for line in required}
    pinned = set(re.findall(r"^([a-z0-9._-]+)(?:\[.*?\])?==", LOCK.read_text("utf-8"), re.MULTILINE))
    assert names - pinned == set(), "run make lock"


def test_what_builds_the_package_is_pinned() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    assert build and all(re.fullmatch(r"[\w-]+==[\w.]+", requirement) for requirement in build)


def test_every_vendored_work_is_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    licences = sorted((ROOT / "src/lexlattice/apps/serve/web/vendor").glob("*/LICENSE-*.txt"))
    assert licences and all(f"{path.parent.name}/{path.name}" in notice for path in licences)


# --- the page ---------------------------------------------------------------------------------------------


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE.read_text("utf-8"))
    assert len(named) > 20
    for file, test in named:
        assert f"def {test}(" in next((ROOT / "tests").rglob(file)).read_text("utf-8"), f"{file}::{test}"
    assert PAGE.read_text("utf-8").count("::") == len(named), "a name is misspelt"
