"""Warnings with a code: English sentences that a program can show in another language."""

from __future__ import annotations

from typing import Any, Final

CODES: Final = (
    "cut-off",
    "no-articles",
    "no-headings",
    "second-language",
    "several-languages",
    "other-language",
    "unlike-language",
    "invalid-bytes",
    "not-unicode",
    "page-damaged",
    "page-without-text",
    "part-elsewhere",
    "part-missing",
    "only-parts-list",
    "images",
    "text-missing",
    "nothing-citable",
    "no-focus-articles",
    "nothing-fits",
    "all-shown",
    "no-counterpart",
)
"""What can be remarked about an act or its summary; a warning that was read from a file has the code `OTHER`."""
OTHER: Final = "other"


class Remark(str):
    """A warning: a sentence in English, with a stable code and the values in it.

    It is a string like any other, and is written to files as one; what is read from a file is a plain string again.

    >>> remark = Remark("page-damaged", "Page 3 of the PDF is damaged and was skipped.", page=3)
    >>> str(remark), remark.code, remark.values
    ('Page 3 of the PDF is damaged and was skipped.', 'page-damaged', {'page': 3})
    """

    code: str
    """One of `CODES`."""
    values: dict[str, str | int]
    """Numbers and names in the sentence; `language` and `other` are codes of languages."""

    def __new__(cls, code: str, text: str, **values: str | int) -> Remark:
        """Take the code, the sentence, and the values in it."""
        self = super().__new__(cls, text)
        self.code, self.values = code, values
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers and copies rebuild it from its text first; code and values follow as its state.
        return str.__new__, (Remark, str(self)), self.__dict__


def code_of(warning: str) -> str:
    """Return the code of a warning, `OTHER` if it has none."""
    return warning.code if isinstance(warning, Remark) else OTHER


def values_of(warning: str) -> dict[str, str | int]:
    """Return the values in a warning."""
    return dict(warning.values) if isinstance(warning, Remark) else {}
