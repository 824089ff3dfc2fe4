"""The REST API as its document describes it: schemas, samples, acts by number, identifiers and translated problems."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import jsonschema
import pytest

from helpers.service import asking, fetched_before, served
from lexlattice import read, summarize
from lexlattice.apps.serve.app import create_app
from lexlattice.apps.serve.samples import ADDRESS
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

ROOT = Path(__file__).parents[3]
GDPR = "32016R0679"
DOCUMENT = create_app().openapi()
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}


@pytest.fixture(scope="module")
def service(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service that has fetched an act before, in two languages."""
    cache = tmp_path_factory.mktemp("cache")
    for language in ("en", "de"):
        fetched_before(cache, GDPR, language, (examples / "short" / f"{language}.txt").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEXLATTICE_CACHE", str(cache))
        with served(workers=1, max_seconds=20.0) as server, asking(server) as client:
            yield client


@pytest.fixture(scope="module")
def english(examples: Path) -> bytes:
    return (examples / "short" / "en.txt").read_bytes()


# --- the document -----------------------------------------------------------------------------------


def test_every_operation_is_described() -> None:
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for name, (_, path, operation) in OPERATIONS.items():
        assert operation["summary"] and operation["description"], name
        assert set(operation["tags"]) <= tags, name
        for answer in operation["responses"].values():
            assert all(content["schema"] for content in answer["content"].values()), path
    used = {tag for _, _, operation in OPERATIONS.values() for tag in operation["tags"]}
    assert used == tags


def test_all_schemas_are_valid_and_every_reference_leads_somewhere() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    named = json.dumps(DOCUMENT).split('"#/components/schemas/')[1:]
    assert {each.partition('"')[0] for each in named} <= set(schemas)


def requests_for(english: bytes) -> dict[str, tuple[str, dict[str, Any]]]:
    """A request for each operation: its address, and what is sent."""
    file = {"files": {"file": ("act.txt", english)}}
    two = [("file", ("act", english)), ("file", ("act", english))]
    return {
        "summarize": ("/v1/summaries", {**file, "data": {"explain": "true", "group": "true"}}),
        "export": ("/v1/exports?format=json", file),
        "parse": ("/v1/acts", file),
        "quote": ("/v1/provisions?provision=Art. 3(2)", file),
        "align": ("/v1/alignments", {"files": two}),
        "view": ("/v1/views", file),
        "get_act": (f"/v1/acts/{GDPR}", {}),
        "get_summary": (f"/v1/acts/{GDPR}/summary?words=100&explain=true", {}),
        "get_export": (f"/v1/acts/{GDPR}/export?format=md", {}),
        "get_provision": (f"/v1/acts/{GDPR}/provisions/art-3", {}),
        "identify": ("/v1/identifiers?text=2016/679", {}),
        "list_languages": ("/v1/languages", {}),
        "get_words": ("/v1/words/mt", {}),
        "list_examples": ("/v1/examples", {}),
        "get_first_example": ("/v1/examples/ga", {}),
        "get_example": ("/v1/examples/en/directive", {}),
        "get_liveness": ("/healthz", {}),
        "get_readiness": ("/readyz", {}),
        "get_metrics": ("/metrics", {}),
    }


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_response_has_the_schema_of_the_document(service: httpx.Client, english: bytes, name: str) -> None:
    method, _, operation = OPERATIONS[name]
    address, content = requests_for(english)[name]
    answer = service.request(method.upper(), address, **content)
    assert answer.status_code == 200, answer.text
    described = operation["responses"]["200"]["content"]
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in described
    if kind == "application/json":
        schema = {**described[kind]["schema"], "components": DOCUMENT["components"]}
        jsonschema.validate(answer.json(), schema, jsonschema.Draft202012Validator)


def test_a_problem_has_the_schema_of_the_document(service: httpx.Client) -> None:
    schema = {"$ref": "#/components/schemas/Problem", "components": DOCUMENT["components"]}
    validator = jsonschema.Draft202012Validator(schema)
    for address in ("/nowhere", "/v1/acts/nothing", f"/v1/acts/{GDPR}/provisions/art-99", "/v1/examples/en/poem"):
        assert [error.message for error in validator.iter_errors(service.get(address).json())] == []


def validator(schema: dict[str, Any]) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]})


@pytest.mark.parametrize("name", ["summarize", "parse"])
def test_every_line_for_several_acts_has_the_schema_of_the_document(
    service: httpx.Client, english: bytes, name: str
) -> None:
    _, path, operation = OPERATIONS[name]
    schema = operation["responses"]["200"]["content"]["application/x-ndjson"]["schema"]
    answer = service.post(path, files=[("file", ("act", english)), ("file", ("act", b" "))])
    act, problem = (json.loads(line) for line in answer.text.splitlines())
    for line in (act, problem):
        validator(schema).validate(line)
    assert "code" not in act
    assert (problem["code"], problem["number"]) == ("empty", 2)
    assert not validator(schema).is_valid({"title": "neither"})


def test_the_schema_of_a_form_is_what_the_service_takes(service: httpx.Client) -> None:
    for name in ("summarize", "export", "parse", "quote", "view"):
        _, path, operation = OPERATIONS[name]
        content = operation["requestBody"]["content"]
        body, form = content["application/json"], content["multipart/form-data"]["schema"]
        assert set(form["properties"]) == {"file", *body["schema"]["properties"]}
        assert "required" not in form
        assert (form["properties"]["file"]["type"] == "array") == ("application/x-ndjson" in content)
        fields = {field: (None, str(value)) for field, value in body["examples"]["text"]["value"].items()}
        if name == "export":
            fields["units"] = (None, "art-1 art-2")
        query = {"export": {"format": "md"}, "quote": {"provision": "Art. 1"}}.get(name, {})
        answer = service.post(path, params=query, files=fields)
        assert answer.status_code == 200, answer.text


def test_every_field_has_a_type_and_those_of_acts_and_summaries_a_description() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for field, kind in schema["properties"].items():
            assert kind.keys() & {"type", "$ref", "anyOf", "oneOf"}, f"{name}.{field}"
    for name in ("Act", "ActSection", "ActUnit", "ActFurniture", "Reason", "Explanation", "Influence"):
        for field, kind in DOCUMENT["components"]["schemas"][name]["properties"].items():
            assert kind["description"], f"{name}.{field}"
    schemas = DOCUMENT["components"]["schemas"]
    for name, field in (("SummaryResponse", "status"), ("Item", "group"), ("Reason", "key"), ("Act", "profile")):
        assert schemas[name]["properties"][field]["enum"]


def test_headers_are_documented() -> None:
    for name, (_, _, operation) in OPERATIONS.items():
        assert {"$ref": "#/components/parameters/Accept-Language"} in operation["parameters"], name
        for status, answer in operation["responses"].items():
            headers = set(answer.get("headers", ()))
            assert ("Content-Language" in headers) == (status >= "400"), name
            assert ("Retry-After" in headers) == (status in ("429", "503")), name
            assert ("Content-Disposition" in headers) == (status == "200" and name.endswith("export")), name


@pytest.mark.parametrize("name", ["list_languages", "get_words", "get_example", "get_liveness", "get_readiness"])
def test_what_needs_no_act_answers_head(service: httpx.Client, english: bytes, name: str) -> None:
    address, _ = requests_for(english)[name]
    head, full = service.head(address), service.get(address)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == full.headers["content-type"]
    assert set(DOCUMENT["paths"][OPERATIONS[name][1]]) == {"get"}


# --- samples ----------------------------------------------------------------------------------------

SECTION = (ROOT / "docs" / "service.md").read_text("utf-8").partition("\n## Samples\n")[2].partition("\n## ")[0]
DOCUMENTED = re.findall(r"```(sh|python)\n(.*?)```", SECTION, re.DOTALL)


def test_every_sample_of_the_document_is_in_the_documentation() -> None:
    shown = {source.strip() for _, source in DOCUMENTED}
    samples = [each for _, _, operation in OPERATIONS.values() for each in operation.get("x-codeSamples", ())]
    assert samples
    assert {sample["source"].strip() for sample in samples} <= shown


@pytest.mark.parametrize(("label", "source"), DOCUMENTED)
def test_every_sample_of_the_documentation_runs(
    service: httpx.Client,
    examples: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    label: str,
    source: str,
) -> None:
    shutil.copy(examples / "short" / "en.txt", tmp_path / "act.txt")
    shutil.copy(examples / "short" / "de.txt", tmp_path / "act.de.txt")
    code = source.replace(ADDRESS, str(service.base_url).rstrip("/"))
    monkeypatch.chdir(tmp_path)
    if label == "python":
        with ThreadPoolExecutor(1) as thread:  # a browser of other tests may have an event loop in this one
            thread.submit(exec, compile(code, "sample", "exec"), {}).result()
    elif shutil.which("curl") is None:
        pytest.skip("there is no curl")
    else:
        quiet = code.replace("curl ", "curl -sS --noproxy '*' ")
        subprocess.run(["sh", "-ec", quiet], check=True, timeout=60)
    printed = capfd.readouterr()
    assert printed.err == ""
    assert printed.out or any(tmp_path.glob("summary.*")) or "-o act" in source


def test_the_main_operations_have_samples() -> None:
    sampled = {name for name, (_, _, each) in OPERATIONS.items() if len(each.get("x-codeSamples", ())) == 2}
    main = "summarize export parse quote align identify get_act get_summary get_export get_provision".split()
    assert sampled >= set(main)


# --- acts by number ---------------------------------------------------------------------------------


def test_an_act_by_number_is_that_of_the_library(service: httpx.Client, examples: Path) -> None:
    for language in ("en", "de"):
        text = (examples / "short" / f"{language}.txt").read_bytes()
        found = service.get(f"/v1/acts/{GDPR.lower()}", params={"language": language}).json()
        assert found["sections"] == json.loads(read(text, language=language).to_json())["sections"]
        options = {"words": 60, "language": language, "focus": "articles"}
        summary = service.get(f"/v1/acts/{GDPR}/summary", params=options).json()
        assert summary["extract"] == summarize(text, **options).to_dict()["extract"]  # type: ignore[arg-type]


def test_an_export_by_number_is_a_file(service: httpx.Client) -> None:
    found = service.get(f"/v1/acts/{GDPR}/export", params={"format": "docx", "budget": "short"})
    assert found.content.startswith(b"PK")
    assert found.headers["content-disposition"].endswith('.en.docx"')


@pytest.mark.parametrize("cited", ["art-3.par-2", "Art. 3(2)", "article 3 paragraph 2", "Artikel 3 Absatz 2"])
def test_a_provision_is_verbatim_with_its_position(service: httpx.Client, english: bytes, cited: str) -> None:
    act = read(english, sentences_from=0)
    provision = act.provision("art-3.par-2")
    for language in ("en", "de"):
        found = service.get(f"/v1/acts/{GDPR}/provisions/{quote(cited)}", params={"language": language}).json()
        assert (found["id"], found["language"]) == ("art-3.par-2", language)
    found = service.get(f"/v1/acts/{GDPR}/provisions/{quote(cited)}").json()
    assert found["text"] == act.source[found["start"] : found["end"]]
    assert found["citation"] == provision.citation
    assert [part["id"] for part in found["parts"]] == [unit.id for unit in provision]
    assert [above["id"] for above in found["above"]] == ["art-3"]
    sent = service.post("/v1/provisions", params={"provision": cited}, json={"celex": GDPR}).json()
    assert sent == found


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        (f"/v1/acts/{GDPR}/provisions/art-99", 404, "no-such-provision"),
        ("/v1/acts/Regulation", 422, "invalid-celex"),
        (f"/v1/acts/{GDPR}?language=xx", 422, "invalid-field"),
        (f"/v1/acts/{GDPR}?colour=red", 422, "invalid-field"),
        (f"/v1/acts/{GDPR}?text=Article", 422, "invalid-field"),
        (f"/v1/acts/{GDPR}/summary?words=-1", 422, "invalid-field"),
        (f"/v1/acts/{GDPR}/summary?words=1&ratio=0.1", 422, "invalid-request"),
        (f"/v1/acts/{GDPR}/export?format=exe", 422, "invalid-field"),
        (f"/v1/acts/{GDPR}/export", 422, "invalid-field"),
        ("/v1/identifiers", 422, "invalid-field"),
        ("/v1/examples/en/poem", 404, "no-example"),
        ("/v1/words/tlh", 404, "unknown-language"),
        ("/nowhere", 404, "not-found"),
    ],
)
def test_what_cannot_be_answered_has_a_code(service: httpx.Client, address: str, status: int, code: str) -> None:
    answer = service.get(address)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_pages_of_other_sites_cannot_have_acts_fetched(service: httpx.Client) -> None:
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        answer = service.get(f"/v1/acts/{GDPR}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross-site")


# --- identifiers and examples -----------------------------------------------------------------------


def test_what_a_person_types_is_understood(service: httpx.Client) -> None:
    found = service.get("/v1/identifiers", params={"text": "Verordnung (EU) 2016/679"}).json()
    assert (found["understood"], found["celex"], found["language"]) == ("celex", GDPR, "de")
    several = service.get("/v1/identifiers", params={"text": "2016/679"}).json()
    assert several["candidates"][0]["celex"] == several["celex"] == GDPR
    assert len(several["candidates"]) == 3
    nothing = service.get("/v1/identifiers", params={"text": "bees"}).json()
    assert (nothing["understood"], nothing["candidates"]) == ("none", [])
    assert found["fetches"] is several["fetches"] is nothing["fetches"] is True
    assert found["name"] == "Regulation (EU) 2016/679"
    greek = service.get("/v1/identifiers", params={"text": GDPR}, headers={"Accept-Language": "el"})
    assert greek.json()["name"] == greek.json()["candidates"][0]["name"] == "Κανονισμός (ΕΕ) 2016/679"
    assert (greek.headers["content-language"], greek.headers["vary"]) == ("el", "Accept-Language")


def test_there_are_three_examples_in_each_language(service: httpx.Client) -> None:
    known = service.get("/v1/examples").json()
    assert {each["language"] for each in known} == set(LANGUAGES)
    for language in ("en", "hu"):
        mine = [each for each in known if each["language"] == language]
        assert len(mine) == len({each["title"] for each in mine}) == 3
        for each in mine:
            text = service.get(f"/v1/examples/{language}/{each['id']}").text
            act = read(text)
            assert (act.language, act.type) == (language, each["id"])
            assert each["title"].casefold() in " ".join(act.title.split()).casefold()
        assert service.get(f"/v1/examples/{language}").text == service.get(f"/v1/examples/{language}/regulation").text


# --- problems in the reader's language --------------------------------------------------------------


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch) -> None:
    for code, sentence in (
        ("empty", "Kein Text."),
        ("no-such-provision", "{provision} fehlt."),
        ("not-found", "{x}"),
    ):
        monkeypatch.setitem(phrases("de").errors, code, sentence)


@pytest.mark.usefixtures("translated")
@pytest.mark.parametrize(
    ("accepted", "language"),
    [("de", "de"), ("de-AT,en;q=0.5", "de"), ("ja,de;q=0.4,en;q=0.3", "de"), ("en,de", "en"), ("", "en"), ("*", "en")],
)
def test_a_problem_is_in_the_language_that_is_accepted(service: httpx.Client, accepted: str, language: str) -> None:
    answer = service.post("/v1/acts", json={"text": " "}, headers={"Accept-Language": accepted})
    assert (answer.status_code, answer.json()["code"]) == (422, "empty")
    assert answer.headers["content-language"] == language
    assert answer.headers["vary"] == "Accept-Language"
    assert (answer.json()["detail"] == "Kein Text.") == (language == "de")
    many = service.post(
        "/v1/acts", files=[("file", b" "), ("file", b" ")], headers={"Accept-Language": accepted}
    ).text.splitlines()
    assert [json.loads(line)["detail"] == "Kein Text." for line in many] == [language == "de"] * 2


def test_people_get_another_english_sentence_than_developers(service: httpx.Client) -> None:
    answers = [
        service.post("/v1/acts", json={"text": " "}, headers={"Accept-Language": code}) for code in ("en-IE", "")
    ]
    person, developer = (answer.json()["detail"] for answer in answers)
    assert person == phrases("en").errors["empty"] != developer


@pytest.mark.usefixtures("translated")
def test_values_are_filled_in_and_a_translation_that_lacks_one_is_not_used(service: httpx.Client) -> None:
    german = {"Accept-Language": "de"}
    absent = service.get(f"/v1/acts/{GDPR}/provisions/art-99", headers=german)
    assert absent.json()["detail"] == "art-99 fehlt."
    missing = service.get("/nowhere", headers=german)
    assert missing.headers["content-language"] == "en"
