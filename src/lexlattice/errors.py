"""The errors a user can meet: one sentence each, saying what happened and what to do.

Every class has a `code`, which stays the same when the wording changes: tests, the REST service and other programs
compare codes or classes, never sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_ENDLESS: Final = re.compile(r"(\S{280})\S{100,}(\S{20})")
"""A name so long that it would hide the rest of the sentence."""


class LexLatticeError(Exception):
    """Anything caused by the input or the environment, never by a bug in the library.

    The message may quote an untrusted file, so characters that are not printable are removed: it stays one line and
    cannot send commands to a terminal. Endless names are shortened.

    Attributes:
        code: What happened, more closely than the class says if it was given to the constructor.
        values: The numbers and names in the message, for a program that words it itself; nothing of the act's text.

    """

    code: str = "error"

    def __init__(self, sentence: str = "", *, code: str = "", values: Mapping[str, Any] | None = None) -> None:
        text = _ENDLESS.sub(r"\1…\2", _CONTROLS.sub(" ", str(sentence)))
        super().__init__(text if text.isprintable() else "".join(c for c in text if c.isprintable() or c.isspace()))
        # Only what was given becomes part of the instance, and so of its pickle.
        if code:
            self.code = code
        self.values: dict[str, Any] = dict(values or {})


class ReadingError(LexLatticeError):
    """The input cannot be read as an act."""

    code = "unreadable"


class NotAnActError(ReadingError):
    """The input can be read, but it is no legal act: a picture, JSON, an e-mail, an error page and so on."""

    code = "not-an-act"


class TooComplexError(ReadingError):
    """The input is built so that reading it would take far more time or memory than any act needs."""

    code = "too-complex"


class FetchError(LexLatticeError):
    """An act, a data set or a model cannot be fetched; `absent` if every source says that there is no such text."""

    code = "fetch-failed"

    def __init__(self, sentence: str, *, absent: bool = False, values: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence, code="fetch-absent" if absent else "", values=values)
        self.absent = absent


class NoSuchProvisionError(LexLatticeError, KeyError):
    """The act has no provision with that id or citation; the message names the nearest ones."""

    code = "no-such-provision"

    def __str__(self) -> str:  # a KeyError would show its message in quotes
        return str(self.args[0])


class OptionError(LexLatticeError):
    """An argument or option has a value that is not allowed, or contradicts another one."""

    code = "invalid-option"


class ConfigError(LexLatticeError):
    """A configuration file is not valid."""

    code = "invalid-config"


class DataError(LexLatticeError):
    """A data set, or a row of one, is missing, damaged or lacks what is needed."""

    code = "invalid-data"


class WeightsError(LexLatticeError):
    """A file of weights is missing, damaged, or does not fit what it is used with."""

    code = "invalid-weights"


class OutputError(LexLatticeError):
    """A file or folder cannot be written, or already holds something else."""

    code = "output"


class TrainingError(LexLatticeError):
    """A training run diverged, was stopped, or lost one of its processes."""

    code = "training-failed"


class MissingExtraError(LexLatticeError):
    """A format or feature needs an optional dependency that is not installed."""

    code = "missing-extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional dependency: pip install 'lexlattice[{extra}]'.", values={"extra": extra}
        )
        self._parts = (what, extra)

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Pickle by the constructor's arguments, since errors travel between processes."""
        return type(self), self._parts


def brief(error: Exception) -> str:
    """The first line of another library's error message, to be quoted inside a sentence."""
    lines = str(error).strip().split("\n")
    return lines[0].rstrip(". ") or type(error).__name__
