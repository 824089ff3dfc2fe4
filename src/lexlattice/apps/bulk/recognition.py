"""Whether a file of a folder or corpus is an EU act at all: other texts lie beside them."""

from __future__ import annotations

from typing import Final

from lexlattice.act.document import Act
from lexlattice.act.remarks import code_of
from lexlattice.errors import NotAnActError

_WITHOUT_STRUCTURE: Final = ("no-articles", "no-headings")


def require_act(act: Act, celex: str = "") -> Act:
    """Return the act if anything shows that it is one: its articles, recitals or annexes, its title, or its number.

    Who names one file means that file, and gets a warning. In a folder, a text without any of these is a README, a
    licence or a letter far more often than an act: of 1,617 acts in the data folder, none has neither.

    Args:
        act: What was read.
        celex: A number that is known from elsewhere.

    Raises:
        NotAnActError: It is no EU act, as far as can be seen.

    """
    is_unstructured = any(code_of(warning) in _WITHOUT_STRUCTURE for warning in act.warnings)
    if is_unstructured and not (act.type or act.celex or celex or act.hierarchy):
        raise NotAnActError(
            "This has neither articles, recitals or annexes nor the title of an EU act; "
            "if it is one, summarize it by its name instead of its folder."
        )
    return act
