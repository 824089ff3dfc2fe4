"""The words that are shown around the act's own text: headings, labels, notices, buttons.

One file for each language, `XX.toml`; README.md in this folder says what each entry means. No code knows their words.
"""

from __future__ import annotations

import gettext
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

_FALLBACK: Final = "en"
_ENDING: Final = ".toml"
SHARED: Final = ("act", "summary", "celex")
"""What the web reader says in the words of a summary, besides the first sentence of the disclaimer."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """All of them in one language; those with {braces} are completed with `format`."""

    language: str
    """The one they are in, which is English where the act's own has no file."""
    summary: str
    act: str
    celex: str
    date: str
    words: str
    """With {words} and {total}."""
    page: str
    """With {page} and {pages}."""
    contents_note: str
    disclaimer: str
    show_in_act: str
    extract: str
    made: str
    """With {date}."""
    groups: Mapping[str, str]
    """The heading of each of `lexlattice.act.summary.GROUPS`."""
    status: Mapping[str, str]
    """What kind of text an act's is, by name: `adopted`, `corrigendum`, `repealed` with {act}, `ended`."""
    notices: Mapping[str, str]
    """What nobody may miss, by name: `ended`, `empty`, `cut_off`."""
    left_out: Mapping[str, Any]
    """How points that are left out are counted: `points` in the forms of the language, which is for which number
    (`plural`, in the notation of gettext), and how their `numbers` follow."""
    reader: Mapping[str, str]
    """What the web reader says on its buttons, labels and notes, by name; `SHARED`, `advice`, the status and
    the notices are in it too."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """What the service says when something fails, by the code of the error; the placeholders are the error's values."""

    def more_points(self, count: int, numbers: str = "") -> str:
        """The mark where N points of a list are left out, with their numbers if they have any.

        >>> phrases("en").more_points(1), phrases("en").more_points(4), phrases("pl").more_points(5)
        ('[… 1 more point]', '[… 4 more points]', '[… jeszcze 5 punktów]')
        >>> phrases("en").more_points(4, "(b)–(e)")
        '[… 4 more points: (b)–(e)]'
        """
        form = _form_of(self.left_out["plural"])(count)
        mark = str(self.left_out["points"][form].format(count=count))
        return f"{mark.removesuffix(']')}{self.left_out['numbers'].format(numbers=numbers)}]" if numbers else mark


def phrases(language: str) -> Phrases:
    """The phrases for an act in a language; English ones if there are none in it.

    >>> phrases("fi").summary, phrases("fi").words.format(words=60, total=730), phrases("xx").summary
    ('Tiivistelmä', '60 sanaa 730 sanasta', 'Summary')
    """
    return _load(language if language in _languages() else _FALLBACK)


_form_of = cache(gettext.c2py)
"""The function that an expression for plurals stands for: from a number to the place of its form."""


@cache
def _languages() -> frozenset[str]:
    names = (file.name for file in files(__package__).iterdir())
    return frozenset(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING))


@cache
def _load(language: str) -> Phrases:
    text = files(__package__).joinpath(f"{language}{_ENDING}").read_text("utf-8")
    found = tomllib.loads(text)
    found["reader"] |= {name: found[name] for name in SHARED}
    found["reader"]["fetch_off"] = found["errors"]["fetch-disabled"]
    for table, prefix in (("status", "status"), ("notices", "notice")):
        found["reader"] |= {f"{prefix}_{name}": text for name, text in found[table].items()}
    found["reader"]["advice"] = f"{found['disclaimer'].partition('. ')[0]}."
    return Phrases(language=language, **found)
