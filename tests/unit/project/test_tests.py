"""The tests themselves: each of them asserts something, so that each can fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from helpers import ROOT

TESTS = ROOT / "tests"
OTHERS = {"pytest.raises", "pytest.warns", "pytest.fail", "case.call_and_validate"}
WORDS = ("assert", "check", "expect")
"""A helper with one of these words in its name asserts something, and so do NumPy's and PyTorch's functions."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions of a module, and the methods of its classes."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def called(node: ast.AST) -> Iterator[str]:
    """What is called in the node, as it is written: `read`, `pytest.raises`, `np.testing.assert_allclose`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            yield ast.unparse(call.func)


def asserts(node: ast.AST, helpers: frozenset[str]) -> bool:
    """Whether the node has an assertion, or calls pytest, a case of schemathesis or a helper that has one."""
    if any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
        return True
    return any(
        name in helpers or name in OTHERS or any(word in name.rpartition(".")[2].lower() for word in WORDS)
        for name in called(node)
    )


@cache
def asserting_helpers() -> frozenset[str]:
    """The names of the functions in `tests/helpers` that assert something, alone or through another one."""
    return grown(frozenset(), [node for path in sorted((TESTS / "helpers").rglob("*.py")) for node in functions(path)])


def grown(helpers: frozenset[str], nodes: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> frozenset[str]:
    """The helpers, and those of the functions that assert something by calling them, until there are no more."""
    while more := {node.name for node in nodes if node.name not in helpers and asserts(node, helpers)}:
        helpers |= more
    return helpers


def without_assertion(path: Path) -> list[str]:
    """The names of the tests in a module that assert nothing."""
    nodes = list(functions(path))
    helpers = grown(asserting_helpers(), [node for node in nodes if not node.name.startswith("test_")])
    return [node.name for node in nodes if node.name.startswith("test_") and not asserts(node, helpers)]


@pytest.mark.parametrize(
    "path", sorted(TESTS.rglob("test_*.py")), ids=lambda path: path.relative_to(TESTS).with_suffix("").as_posix()
)
def test_every_test_asserts_something(path: Path) -> None:
    assert without_assertion(path) == []


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("read(1)", True),
        ("print('assert')", True),
        ("with suppress(ValueError): read(1)", True),
        ("helper()", True),
        ("assert read(1)", False),
        ("with pytest.raises(ValueError): read(1)", False),
        ("np.testing.assert_array_equal(1, 1)", False),
        ("through()", False),
        ("case.call_and_validate()", False),
    ],
)
def test_a_test_that_asserts_nothing_is_found(tmp_path: Path, body: str, is_found: bool) -> None:
    path = tmp_path / "test_one.py"
    path.write_text(
        f"def helper(): return read(1)\ndef deepest(): assert 1\ndef through(): deepest()\ndef test_it():\n    {body}\n"
    )
    assert without_assertion(path) == ["test_it"] * is_found
