"""The codes of problems: the service, its translations and its documentation have the same ones."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from lexlattice.apps.serve import problems, responses
from lexlattice.apps.serve.codes import CODES
from lexlattice.apps.serve.problems import ProblemError
from lexlattice.errors import LexLatticeError, ReadingError
from lexlattice.rendering.phrases import phrases

ROOT = Path(__file__).parents[3]
_RAISED = re.compile(r'ProblemError\(\s*(\d{3}),\s*"([a-z-]+)"')


def test_every_code_is_translated_with_its_values() -> None:
    sentences = phrases("en").errors
    assert list(CODES) == list(sentences)
    for code, sentence in sentences.items():
        assert {name for _, name, _, _ in Formatter().parse(sentence) if name} <= set(CODES[code].values), code


def test_every_problem_of_the_service_has_its_status() -> None:
    folder = Path(problems.__file__).parent
    raised = {match.groups() for path in folder.glob("*.py") for match in _RAISED.finditer(path.read_text("utf-8"))}
    assert len(raised) > 20
    assert [(status, code) for status, code in raised if int(status) not in CODES[code].statuses] == []
    for kind, status in problems._STATUS.items():
        assert status in CODES[kind.code].statuses, kind
    for code, about in CODES.items():
        if about.statuses == (422,):
            assert ProblemError.from_error(ReadingError("No.", code=code)).status == 422


def test_an_error_without_a_code_of_the_service_is_an_invalid_request() -> None:
    assert ProblemError.from_error(LexLatticeError("No.")).code in CODES


def test_the_codes_are_those_of_the_schema_and_the_documentation() -> None:
    assert responses.Problem.model_json_schema()["properties"]["code"]["enum"] == list(CODES)
    rows = re.findall(
        r"^\| `([a-z-]+)` \| ([\d, ]+) \| (.*) \|$", (ROOT / "docs" / "service.md").read_text("utf-8"), re.M
    )
    documented = [
        (code, tuple(map(int, statuses.split(", "))), tuple(re.findall("`(.+?)`", names)))
        for code, statuses, names in rows
    ]
    assert documented == [(code, *about) for code, about in CODES.items()]
