"""What became of one of many acts: its summary or its error, together with its source."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from lexlattice.act.document import Act, shortened
from lexlattice.errors import LexLatticeError, OptionError

Outcome = TypeVar("Outcome", covariant=True)
"""What stands for a summary: a `Summary`, or the `SummaryRecord` of the service."""

_LONGEST_SOURCE: Final = 40
_LONGEST_ERROR: Final = 45


@dataclass(frozen=True, slots=True, repr=False)
class Result(Generic[Outcome]):
    """One of many acts, with its summary or the error that prevented it.

    Examples:
        >>> failed = Result("act.txt", LexLatticeError("There is no file 'act.txt'; give another."))
        >>> failed
        <Result 'act.txt': LexLatticeError: There is no file 'act.txt'; give another.>
        >>> failed.error is not None
        True

    """

    source: Any
    """What was given for the act: a path, a text, bytes and so on."""
    outcome: Outcome | LexLatticeError
    """The summary, or the error."""

    @property
    def error(self) -> LexLatticeError | None:
        """Why there is no summary; None if there is one."""
        return self.outcome if isinstance(self.outcome, LexLatticeError) else None

    @property
    def summary(self) -> Outcome:
        """The summary.

        Raises:
            LexLatticeError: There is none; it is the same as `error`.

        """
        if isinstance(self.outcome, LexLatticeError):
            raise self.outcome
        return self.outcome

    def __repr__(self) -> str:
        outcome = self.outcome
        is_error = isinstance(outcome, LexLatticeError)
        kind = type(outcome).__name__
        text = f"{kind}: {shortened(str(outcome), _LONGEST_ERROR)}" if is_error else kind
        return f"<Result {_named(self.source)}: {text}>"


def is_one_source(value: object) -> bool:
    """Whether a value is one act rather than several: some of these could be iterated, but not act by act."""
    return isinstance(value, str | bytes | bytearray | memoryview | os.PathLike | Act) or hasattr(value, "read")


def require_several(sources: object) -> None:
    """Refuse what is not an iterable of acts.

    Raises:
        OptionError: It is one act, or cannot be iterated.

    """
    if is_one_source(sources) or not (hasattr(sources, "__iter__") or hasattr(sources, "__aiter__")):
        kind = type(sources).__name__
        raise OptionError(f"The acts cannot be given as {kind!r}; give a list of them, even if there is only one.")


def _named(source: object) -> str:
    """A source in one line: of a path the name, of a text its beginning."""
    if isinstance(source, bytes | bytearray):
        return f"{len(source):,} bytes"
    if isinstance(source, Path):
        return repr(shortened(source.name, _LONGEST_SOURCE))
    return repr(shortened(source, _LONGEST_SOURCE)) if isinstance(source, str) else f"{type(source).__name__}"
