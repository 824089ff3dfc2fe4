"""What is installed: the metadata, the files that belong to the package, and the promises of the README."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import metadata, requires
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from helpers import ROOT
from lexlattice.reading import LANGUAGES

EXTRAS = {
    *"train hf st onnx serve mcp pdf docx data stem ray spark plot".split(),
    *"bench bertscore docs fuzz llm audit dev recipes".split(),
}
OPTIONAL_KEYS = re.compile(
    r"headwords\.(?:number_first|ordinals_header|ordinal_endings\.\w*)|sentences\.ordinals|ordinals\.\w+"
    r"|citation\.numeral\.final|citation\.\w+\.(?:(?:direct|nested|under)(?:_inner|_outer)?|inner|outer|first)"
    r"|acts\.(?:addressed_decision|possessed)\..+"
)
"""What only some languages have: the forms of numbers and words that agree with what they stand beside."""


def language_file(language: str) -> dict[str, Any]:
    file = files("lexlattice.reading").joinpath("languages", f"{language}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def keys(table: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The dotted names of all entries that every language must have."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from keys(value, f"{prefix}{name}.")
        elif not OPTIONAL_KEYS.fullmatch(prefix + name):
            yield prefix + name


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


# --- metadata ---------------------------------------------------------------------------------------------


def test_the_extras() -> None:
    assert set(metadata("lexlattice").get_all("Provides-Extra") or []) == EXTRAS


def test_the_core_is_light() -> None:
    core = [line for line in requires("lexlattice") or [] if "extra ==" not in line]
    names = {match.group().lower() for line in core if (match := re.match(r"[\w.-]+", line))}
    assert names
    assert not names & {"torch", "transformers", "pandas"}


def test_the_licence() -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert re.match(r"\s*Apache License\s+Version 2\.0, January 2004\s", text)
    assert "END OF TERMS AND CONDITIONS" in text
    assert metadata("lexlattice")["License-Expression"] == "Apache-2.0"


def test_the_version_is_the_same_everywhere() -> None:
    import lexlattice

    assert metadata("lexlattice")["Version"] == lexlattice.__version__
    assert f"\nversion: {lexlattice.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


# --- files ------------------------------------------------------------------------------------------------


def test_types_are_announced() -> None:
    assert files("lexlattice").joinpath("py.typed").is_file()


def test_there_is_one_file_for_each_language() -> None:
    folder = files("lexlattice.reading").joinpath("languages")
    found = sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml"))
    assert found == [f"{language}.toml" for language in sorted(LANGUAGES)]
    assert len(found) == 24


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_file_has_the_entries_of_the_english_one(language: str) -> None:
    table = language_file(language)
    assert set(keys(table)) == set(keys(language_file("en")))
    assert len(table["headwords"]["ordinals"]) >= 10
    assert len(table["dates"]["months"]) == 12


# --- the README's promises --------------------------------------------------------------------------------


def test_the_commands_of_the_readme_exist() -> None:
    named = set(re.findall(r"^`*make ([a-z]+)\b", "\n".join(code_in(ROOT / "README.md")), re.MULTILINE))
    assert named >= {"demo", "test"}
    assert named <= make_targets()


def test_the_commands_of_the_contributors_page_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z]+)\b", "\n".join(code_in(ROOT / "CONTRIBUTING.md"))))
    assert named
    assert named <= make_targets()


def code_in(page: Path) -> list[str]:
    """What a page shows as code, in fences or in a line: elsewhere "make" may be a verb."""
    return re.findall(r"```.*?```|`[^`\n]+`", page.read_text("utf-8"), re.DOTALL)


def test_no_page_holds_a_placeholder() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert not [page.name for page in pages if re.search(r"^[A-Z]{4,}$", page.read_text("utf-8"), re.MULTILINE)]
