"""Warnings with codes are strings that survive workers, copies and files."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from pathlib import Path

import pytest

import lexlattice
from lexlattice import Act, read, summarize
from lexlattice.act.remarks import CODES, OTHER, Remark, code_of, values_of

REMARK = Remark("page-damaged", "Page 3 of the PDF is damaged and was skipped.", page=3)


@pytest.mark.parametrize("rebuilt", [pickle.loads(pickle.dumps(REMARK)), copy.deepcopy(REMARK), copy.copy(REMARK)])
def test_a_copy_has_the_code_and_the_values(rebuilt: Remark) -> None:
    assert rebuilt == REMARK == "Page 3 of the PDF is damaged and was skipped."
    assert (code_of(rebuilt), values_of(rebuilt)) == ("page-damaged", {"page": 3})


def test_files_hold_plain_strings(examples: Path) -> None:
    act = read(examples / "patterns" / "bilingual.txt")
    assert [code_of(warning) for warning in act.warnings] == ["second-language"]
    assert {type(warning) for warning in act.to_dict()["warnings"]} == {str}
    saved = Act.from_json(act.to_json())
    assert saved == act
    assert [(code_of(warning), values_of(warning)) for warning in saved.warnings] == [(OTHER, {})]
    assert json.loads(summarize(act).to_json())["warnings"] == list(act.warnings)


def test_remarks_on_a_summary_have_codes() -> None:
    act = read("Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free.", language="en")
    whole = summarize(act, words=100).warnings[0]
    assert (code_of(whole), values_of(whole)) == ("all-shown", {"words": 7, "allowed": 100})
    assert code_of(summarize(act, words=1).warnings[0]) == "nothing-fits"


def test_every_code_is_used_and_known() -> None:
    used = set()
    for file in Path(lexlattice.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Remark":
                assert isinstance(node.args[0], ast.Constant)
                used.add(node.args[0].value)
    assert used == set(CODES)
