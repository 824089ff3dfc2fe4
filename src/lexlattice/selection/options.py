"""The options of a summary, defined once for the library, command line, REST service, client and bulk runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypedDict, get_args

from lexlattice.act.document import Act
from lexlattice.errors import OptionError
from lexlattice.reading import LANGUAGES
from lexlattice.selection.budget import Budget

Focus = Literal["all", "articles", "with-tables"]
FOCUSES: Final[tuple[str, ...]] = get_args(Focus)
"""All text that can be cited; the articles alone, without recitals, annexes and footnotes; or all, and tables too."""
Length = Literal["short", "medium", "long"]
LENGTHS: Final[tuple[str, ...]] = get_args(Length)
"""Named lengths: a third of an official summary, as long as one (the default), or twice as long."""


class Options(TypedDict, total=False):
    """The fields of `SummaryOptions` as keyword arguments, for type checkers and editors."""

    words: int | None
    ratio: float | None
    budget: str | Budget | None
    language: str | None
    focus: str
    explain: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SummaryOptions:
    """What a summary should be like. At most one of `words`, `ratio` and `budget` may be given.

    The metadata of each field holds what parsers and schemas need: `help`, and where they apply `choices` and `limits`.

    Raises:
        OptionError: If a value is not allowed or two lengths are given.

    Examples:
        >>> SummaryOptions(words=400).budget_for(10_000), SummaryOptions(budget="short").budget_for(10_000)
        (400, 262)

    """

    words: int | None = field(
        default=None, metadata={"help": "maximum number of words", "limits": {"ge": 1, "le": 10**9}}
    )
    ratio: float | None = field(
        default=None, metadata={"help": "maximum share of the act's words, such as 0.05", "limits": {"gt": 0, "le": 1}}
    )
    budget: str | Budget | None = field(
        default=None,
        metadata={"help": "relative to an official summary: a third, the same (default) or twice", "choices": LENGTHS},
    )
    language: str | None = field(
        default=None, metadata={"help": "two-letter code; detected automatically if not given (CELEX numbers: en)"}
    )
    focus: str = field(
        default="all",
        metadata={
            "help": "articles: no recitals, annexes or footnotes; with-tables: include tables",
            "choices": FOCUSES,
        },
    )
    explain: bool = field(default=False, metadata={"help": "say why each provision was selected"})

    def __post_init__(self) -> None:
        if self.focus not in FOCUSES:
            raise OptionError(f"There is no focus '{self.focus}'; choose one of: {', '.join(FOCUSES)}.")
        if sum(value is not None for value in (self.words, self.ratio, self.budget)) > 1:
            raise OptionError("The length was given twice; give only one of words, ratio and budget.")
        if self.language is not None and self.language not in LANGUAGES:
            raise OptionError(
                f"{self.language!r} is not the code of an official language; choose one of: {', '.join(LANGUAGES)}."
            )
        length = self._length()
        if length.kind == "reference":
            raise OptionError("There is no reference summary whose length to match; give another budget.")
        # Types of Python's own, whatever was given, such as numbers of NumPy.
        object.__setattr__(self, "explain", bool(self.explain))
        for name in ("words", "ratio"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, length.amount)

    def __repr__(self) -> str:
        """Only what is not the default: SummaryOptions(words=400)."""
        given = [(option.name, getattr(self, option.name), option.default) for option in fields(self)]
        changed = [f"{name}={value!r}" for name, value, default in given if value != default]
        return f"SummaryOptions({', '.join(changed)})"

    @classmethod
    def of(cls, options: SummaryOptions | None, fields: Mapping[str, Any]) -> SummaryOptions:
        """Return the options of a call that takes either an object or its fields as keyword arguments.

        Raises:
            OptionError: Both are given, or something else than options.

        """
        if options is None:
            return cls(**fields)
        if not isinstance(options, SummaryOptions):
            kind = type(options).__name__
            raise OptionError(f"Options cannot be given as {kind!r}; give them by name, such as words=400.")
        if fields:
            given = ", ".join(fields)
            raise OptionError(f"Options are given twice, as an object and by name ({given}); give only one of the two.")
        return options

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> SummaryOptions:
        """Pick the options out of a mapping that may hold other entries too, such as parsed arguments."""
        return cls(**{name: values[name] for name in cls.names() if name in values})

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all options."""
        return tuple(option.name for option in fields(cls))

    def to_dict(self) -> dict[str, Any]:
        """Return the options that are not the default as plain JSON types, as the REST service takes them.

        Examples:
            >>> SummaryOptions(budget=Budget.parse("words:400"), language="de").to_dict()
            {'words': 400, 'language': 'de'}

        """
        given = {option.name: getattr(self, option.name) for option in fields(self)}
        if isinstance(self.budget, Budget):
            kind, amount = self.budget.kind, self.budget.amount
            given |= {"budget": None, kind: amount} if amount is not None else {"budget": kind}
        return {option.name: given[option.name] for option in fields(self) if given[option.name] != option.default}

    def budget_for(self, act: Act | int) -> int:
        """Return the number of words allowed for an act, or for an act of N words."""
        return self._length().of(act if isinstance(act, int) else act.words)

    def _length(self) -> Budget:
        if self.words is not None:
            return Budget("words", self.words)
        if self.ratio is not None:
            return Budget("ratio", self.ratio)
        if isinstance(self.budget, Budget):
            return self.budget
        return Budget() if self.budget is None else Budget.parse(self.budget)
