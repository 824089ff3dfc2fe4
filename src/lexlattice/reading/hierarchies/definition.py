"""The description of a hierarchy: a TOML file, read and validated into frozen data classes."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from lexlattice.errors import ConfigError
from lexlattice.reading.hierarchies.numbering import AFTER, NUMBER, NUMBERS, Header, Mark, is_mark
from lexlattice.reading.languages.grammar import LANGUAGES

FOLDER: Final = Path(__file__).parent
"""The packaged hierarchies."""
ROW_KINDS: Final = ("article", "annex", "preamble")
"""What a row can become; a preamble is never in a summary."""
ABOVE: Final = ("preamble", "body")
"""What the text above the first row can be: left out of summaries, or not."""
_KEYS: Final = ("name", "language", "title", "above", "quotes", "longest_header", "rows", "enclosing", "marks")
_ROW_KEYS: Final = ("forms", "numbers", "then", "kind", "cite")
_ENCLOSING_KEYS: Final = ("forms", "numbers", "then")
_MARK_KEYS: Final = ("form", "cite")
_MOST: Final = 30
"""Entries of a list."""
_LONGEST: Final = 60
"""Characters of a form, a name or a template."""
_LARGEST: Final = 100_000
"""Bytes of a file."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """How documents of one kind are divided: rows of the lattice, what encloses them, and marks of paragraphs."""

    name: str
    rows: tuple[Header, ...] = ()
    enclosing: tuple[Header, ...] = ()
    """Outermost first."""
    marks: tuple[Mark, ...] = ()
    """Outermost first."""
    language: str = ""
    """Two letters; empty if it is to be detected."""
    title: bool = True
    """Whether the first line is the title, if no header stands before it."""
    above: str = "preamble"
    """What stands above the first row, one of `ABOVE`."""
    quotes: tuple[str, ...] = ()
    """Signs before every line of a text that is put into another law."""
    longest_header: int = 120
    """Characters."""

    @property
    def digest(self) -> str:
        """Tells two descriptions of the same name apart."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]


@cache
def packaged() -> dict[str, Path]:
    """Return the files of the packaged hierarchies by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def load_hierarchy(name_or_path: str | os.PathLike[str] | Hierarchy) -> Hierarchy:
    """Read a hierarchy: a packaged one by name, or a TOML file.

    Args:
        name_or_path: A name such as "us-bill", or the path of a file; a `Hierarchy` is returned as it is.

    Raises:
        ConfigError: There is no such file, it is not TOML, or it holds an unknown, missing or invalid key.

    """
    if isinstance(name_or_path, Hierarchy):
        return name_or_path
    known, name = packaged(), str(name_or_path)
    path = known.get(name) or Path(name_or_path)
    if not path.is_file():
        raise ConfigError(
            f"There is no hierarchy '{name}'; give the path of a TOML file, or one of: {', '.join(known)}."
        )
    try:
        content = path.read_bytes()
        if len(content) > _LARGEST:
            raise ConfigError(f"The hierarchy '{path}' is larger than {_LARGEST:,} bytes; shorten it.")
        data = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"The hierarchy '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeError) else f"{error}"
        raise ConfigError(f"The hierarchy '{path}' is not valid TOML ({reason}); correct it.") from error
    try:
        return parse_hierarchy(data)
    except ConfigError as error:
        raise ConfigError(f"In '{path}', {error}") from error


def parse_hierarchy(data: Mapping[str, Any]) -> Hierarchy:
    """Validate the content of a TOML file.

    Raises:
        ConfigError: A key is unknown, missing or invalid.

    """
    table = _Table(data, "", _KEYS)
    language = table.text("language", "")
    if language and language not in LANGUAGES:
        raise ConfigError(f"'language' must be one of the 24 official languages, not '{language}'; or omit it.")
    rows = tuple(_row(each) for each in table.tables("rows", _ROW_KEYS))
    if not rows:
        raise ConfigError("'rows' is missing; describe at least one header as [[rows]] with forms and cite.")
    return Hierarchy(
        name=table.text("name"),
        rows=rows,
        enclosing=tuple(_header(each) for each in table.tables("enclosing", _ENCLOSING_KEYS)),
        marks=tuple(_mark(each) for each in table.tables("marks", _MARK_KEYS)),
        language=language,
        title=table.flag("title", True),
        above=table.choice("above", ABOVE),
        quotes=table.texts("quotes", ()),
        longest_header=table.integer("longest_header", 120, 10, 1000),
    )


def _header(table: _Table) -> Header:
    forms = table.texts("forms")
    for form in forms:
        if form.count(NUMBER) > 1 or form.replace(NUMBER, "").count("{") or not form.replace(NUMBER, "").strip():
            raise ConfigError(
                f"'{table.prefix}forms' has '{form}'; write the header as documents have it, with {NUMBER} for its "
                f"number: 'Section {NUMBER}.'."
            )
    numbers = table.texts("numbers", ("1",))
    for number in numbers:
        if number not in NUMBERS and not number.isalpha():
            raise ConfigError(
                f"'{table.prefix}numbers' has '{number}'; give examples out of {', '.join(NUMBERS)}, or words."
            )
    return Header(forms, numbers, table.choice("then", AFTER))


def _row(table: _Table) -> Header:
    header, cite = _header(table), table.text("cite")
    if any(NUMBER in form for form in header.forms) and NUMBER not in cite:
        raise ConfigError(f"'{table.prefix}cite' must contain {NUMBER}, as in 'Section {NUMBER}', not '{cite}'.")
    return Header(header.forms, header.numbers, header.then, table.choice("kind", ROW_KINDS), cite)


def _mark(table: _Table) -> Mark:
    form, cite = table.text("form"), table.text("cite", f"({NUMBER})", strip=False)
    if not is_mark(form):
        raise ConfigError(
            f"'{table.prefix}form' must be an example of the mark such as (a), (1), 1., A., i), 1.1 or -, not '{form}'."
        )
    if NUMBER not in cite:
        raise ConfigError(f"'{table.prefix}cite' must contain {NUMBER}, as in '({NUMBER})', not '{cite}'.")
    return Mark(form, cite)


class _Table:
    """A TOML table whose values are taken by type."""

    def __init__(self, data: Mapping[str, Any], prefix: str, keys: tuple[str, ...]) -> None:
        self._data, self.prefix = data, prefix
        if unknown := sorted(data.keys() - set(keys)):
            raise ConfigError(
                f"'{prefix}{unknown[0]}' is not a known key; remove it, or use one of: {', '.join(keys)}."
            )

    def text(self, key: str, default: str | None = None, *, strip: bool = True) -> str:
        value: str = self._value(key, default, str, f"a text of up to {_LONGEST} characters")
        if value is not default and not self._is_text(value):
            raise ConfigError(f"'{self.prefix}{key}' must be a text of 1 to {_LONGEST} characters on one line.")
        return value.strip() if strip else value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        if default is not None and key not in self._data:
            return default
        value: list[Any] = self._value(key, None, list, "a list of texts")
        if not 0 < len(value) <= _MOST or not all(isinstance(each, str) and self._is_text(each) for each in value):
            raise ConfigError(f"'{self.prefix}{key}' must be a list of 1 to {_MOST} texts on one line each.")
        return tuple(each.strip() for each in value)

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._value(key, default, bool, "true or false"))

    def integer(self, key: str, default: int, least: int, most: int) -> int:
        value: int = self._value(key, default, int, f"an integer from {least} to {most}")
        if not least <= value <= most:
            raise ConfigError(f"'{self.prefix}{key}' must be an integer from {least} to {most}, not {value}.")
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        value = self.text(key, choices[0])
        if value not in choices:
            raise ConfigError(f"'{self.prefix}{key}' must be one of: {', '.join(choices)}; not '{value}'.")
        return value

    def tables(self, key: str, keys: tuple[str, ...]) -> list[_Table]:
        value = self._value(key, [], list, f"tables, each written as [[{key}]]")
        if len(value) > _MOST or not all(isinstance(each, dict) for each in value):
            raise ConfigError(f"'{self.prefix}{key}' must be up to {_MOST} tables, each written as [[{key}]].")
        return [_Table(each, f"{key}.", keys) for each in value]

    def _value(self, key: str, default: Any, kind: type, description: str) -> Any:
        value = self._data.get(key, default)
        if value is None:
            raise ConfigError(f"'{self.prefix}{key}' is missing; it must be {description}.")
        if value is not default and type(value) is not kind:
            raise ConfigError(f"'{self.prefix}{key}' must be {description}, not {_shown(value)}.")
        return value

    @staticmethod
    def _is_text(value: str) -> bool:
        return 0 < len(value.strip()) <= _LONGEST and value.isprintable()


def _shown(value: object) -> str:
    return "a table" if isinstance(value, dict) else json.dumps(value, default=str, ensure_ascii=False)[:60]
