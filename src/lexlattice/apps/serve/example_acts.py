"""The example acts: a regulation, a directive and a decision in each language, all of them fictional."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from lexlattice.apps.serve.responses import ExampleResponse
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import raw

_HERE: Final = Path(__file__).parent
_ROOTS: Final = (_HERE / "examples", _HERE.parents[3] / "examples")
"""Folders of the examples: in an installed package, and in a clone."""
FOLDERS: Final = {"regulation": "short", "directive": "directive", "decision": "decision"}
"""The folder of each example, by its id, which is the kind of act; the first is the one shown by default."""
_SUBJECT: Final = 6
"""The line with the subject of an act, below page header, name and date."""


def path_of(language: str, name: str) -> Path | None:
    """Return the file of an example; `None` if there is none."""
    if language not in LANGUAGES or name not in FOLDERS:
        return None
    paths = (root / FOLDERS[name] / f"{language}.txt" for root in _ROOTS)
    return next((path for path in paths if path.is_file()), None)


@cache
def all_examples() -> list[ExampleResponse]:
    """Return what is known about each example, by language and then by kind."""
    pairs = ((language, name) for language in LANGUAGES for name in FOLDERS)
    return [_about(path, language, name) for language, name in pairs if (path := path_of(language, name))]


def _about(path: Path, language: str, name: str) -> ExampleResponse:
    text = path.read_text("utf-8")
    subject = text.split("\n", _SUBJECT + 1)[_SUBJECT].strip()
    words = raw(language)["types"][name]
    return ExampleResponse(
        id=name,
        language=language,
        title=subject[:1].upper() + subject[1:],
        type=min(words, key=len).capitalize(),  # the others are inflected or compounds
        words=len(text.split()),
    )
