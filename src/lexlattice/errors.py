"""The errors a user can meet: one sentence each, saying what is wrong and what to do."""

from __future__ import annotations

import re
from typing import Final

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class LexLatticeError(Exception):
    """Anything that is the input's or the environment's fault, never the program's.

    A sentence may name what a stranger's file says; it stays one line, and tells a terminal nothing.
    """

    def __init__(self, sentence: str = "") -> None:
        super().__init__(_CONTROLS.sub(" ", str(sentence)))


class ReadingError(LexLatticeError):
    """The input cannot be read as an act."""


class FetchError(LexLatticeError):
    """The act cannot be had from the network; `absent` if all who were asked said that there is no such text."""

    def __init__(self, sentence: str, *, absent: bool = False) -> None:
        super().__init__(sentence)
        self.absent = absent


class NoSuchProvisionError(LexLatticeError, KeyError):
    """The act has no provision of that id or citation; the sentence names the nearest ones it has."""

    def __str__(self) -> str:  # a KeyError would show its sentence in quotes
        return str(self.args[0])


class MissingExtraError(LexLatticeError):
    """A format or feature needs an optional dependency that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional dependency: pip install 'lexlattice[{extra}]'.")
        self._parts = (what, extra)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Errors travel between processes; this one is not made from its sentence."""
        return type(self), self._parts


def brief(error: Exception) -> str:
    """What another library's error says, short enough for a sentence."""
    lines = str(error).strip().split("\n")
    return lines[0].rstrip(". ") or type(error).__name__
