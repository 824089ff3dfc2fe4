"""Tables of results as Markdown, LaTeX, and JSON with full precision.

A table contains what a reader needs to trust its figures: the command, the data, the seeds, the number of acts, and the
paper's figures or why they cannot be compared.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from lexlattice._internal.files import write_whole
from lexlattice.errors import DataError

# LaTeX, which needs the packages booktabs and graphicx

_PAGE: Final = 56
"""Lines of a table that fit on a page."""
_SYMBOLS: Final = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\char34{}"},
    **{"[": "{[}", "]": "{]}", "`": r"\char96{}", "\u00a0": "~"},
    **{"–": "--", "—": "---", "−": "$-$", "…": r"\dots{}", "×": r"$\times$", "±": r"$\pm$", "·": r"$\cdot$"},
    **{"†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"},
    **{"→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$", "≈": r"$\approx$", "½": r"$\frac{1}{2}$"},
    **{"“": "``", "”": "''", "‘": "`", "’": "'"},
}
"""Letters of other scripts are left as they are: modern engines support them."""
_GREEK: Final = {"λ": r"$\lambda$", "Δ": r"$\Delta$", "α": r"$\alpha$"}
"""Replaced if they stand alone (in formulas), not inside words."""
_LITERAL: Final = re.compile(rf"-(?=-)|\b[{''.join(_GREEK)}]\b|" + "|".join(map(re.escape, _SYMBOLS)))
"""Also the first of two hyphens, which LaTeX would join into a dash."""
_NAMES: Final = {**_SYMBOLS, **_GREEK, "-": "-{}"}


def to_latex(table: Table, label: str) -> str:
    """The table as one or more LaTeX floats; the first has the label."""
    rows = list(table.lines(escape, r"\textit{{{}}}", r"\textbf{{{}}}", r" {{\scriptsize {}}}"))
    parts = _pages(rows)
    source = escape(table.source.sentence("\0")).replace("\0", f"\\texttt{{{escape(table.source.command)}}}")
    about = " ".join([*map(escape, table.remarks), source])
    floats = []
    for number, part in enumerate(parts, 1):
        title = table.title if number == 1 else f"{table.title}, continued"
        name = _slug(label) if number == 1 else f"{_slug(label)}-{number}"
        floats.append(_float(table, title, name, part, about if number == len(parts) else ""))
    return "\n".join(floats)


def _float(table: Table, title: str, name: str, rows: Sequence[list[str]], about: str) -> str:
    heads = [escape(table.head), *(escape(column.name) for column in table.columns)]
    aligned = "".join("l" if column.align == "left" else "r" for column in table.columns)
    lines = [f"{' & '.join(heads)} \\\\"]
    for row in rows:
        if len(row) == 1:
            lines += [r"\midrule", f"\\multicolumn{{{len(heads)}}}{{@{{}}l}}{{{row[0]}}} \\\\"]
        else:
            lines += [r"\midrule"] * (len(lines) == 1) + [f"{' & '.join(row)} \\\\"]
    parts = [
        r"\begin{table*}[t]",
        r"\centering\small",
        f"\\caption{{{escape(' '.join(_sentence(part) for part in (title, table.caption) if part))}}}",
        f"\\label{{tab:{name}}}",
        r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
        f"\\begin{{tabular}}{{@{{}}l{aligned}@{{}}}}",
        r"\toprule",
        *lines,
        r"\bottomrule",
        r"\end{tabular}}",
        f"\\par\\smallskip\\footnotesize\\raggedright {about}" if about else "",
        r"\end{table*}",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _pages(rows: Sequence[list[str]]) -> list[list[list[str]]]:
    """Divide rows into pages; a group's name and rows stay together."""
    groups: list[list[list[str]]] = [[]]
    for row in rows:
        if len(row) == 1:
            groups.append([])
        groups[-1].append(row)
    pages: list[list[list[str]]] = [[]]
    for group in groups:
        if pages[-1] and len(pages[-1]) + len(group) > _PAGE:
            pages.append([])
        pages[-1] += group
    return pages


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def escape(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> print(escape("100 % of R&D, λ → 0"))
    100 \% of R\&D, $\lambda$ $\rightarrow$ 0
    """
    return _LITERAL.sub(lambda match: _NAMES[match[0]], " ".join(text.split()))


# The table model

NOTHING: Final = "–"
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>|~#&$])")


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure or a text; empty if nothing was measured."""

    value: float | None = None
    interval: tuple[float, float] | None = None
    text: str = ""
    """Shown instead of the figure, if not empty."""
    paper: float | None = None
    """The paper's figure for the same thing."""

    def __post_init__(self) -> None:
        """Refuse figures that are not finite and reversed intervals."""
        figures = [self.value, self.paper, *(self.interval or ())]
        if not all(figure is None or math.isfinite(figure) for figure in figures):
            raise ValueError("a figure is not a finite number")
        if self.interval and self.interval[0] > self.interval[1]:
            raise ValueError(f"an interval ends before it begins: {self.interval}")


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column and the format of its figures."""

    name: str
    best: Literal["high", "low"] | None = "high"
    """Which figure of a group is in bold; None for no figure."""
    digits: int = 2
    is_signed: bool = False
    """Whether positive figures are shown with their sign, for differences."""
    align: Literal["left", "right"] = "right"

    def shown(self, figure: float) -> str:
        """Format a figure."""
        sign = "+" if self.is_signed else ""
        return f"{figure:{sign}z,.{self.digits}f}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Row:
    """A row: a name and a cell for each column."""

    name: str
    cells: tuple[Cell, ...]
    group: str = ""
    """Rows of a group (a language) are shown together, with the best figures in bold."""
    competes: bool = True
    """If False (for oracles and figures of others), the row is in italics and never the best."""


def row(name: str, *cells: Cell | float | str | None, group: str = "", competes: bool = True) -> Row:
    """Make a row from cells, figures, texts, or None for what was not measured."""
    return Row(name, tuple(map(_cell, cells)), group, competes)


@dataclass(frozen=True, slots=True)
class Source:
    """The source of the figures."""

    command: str
    data: str
    seeds: tuple[int, ...]
    acts: int

    def sentence(self, command: str) -> str:
        """The sentence below the table, with the command as it is to be shown."""
        seeds = f"seed{'' if len(self.seeds) == 1 else 's'} {', '.join(map(str, self.seeds))}"
        acts = f"{self.acts:,} act{'' if self.acts == 1 else 's'}"
        return f"Made by {command} from {self.data}; {seeds if self.seeds else 'no seed'}; {acts}."


@dataclass(frozen=True)
class Table:
    """A table of results."""

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    source: Source
    note: str
    paper: str = ""
    """How the paper's figures compare, or why they cannot; optional if cells contain them."""
    interval: str = "95 % bootstrap interval over acts"
    head: str = "System"
    """The heading of the first column."""

    def __post_init__(self) -> None:
        """Refuse incomplete or misleading tables, which are programming errors."""
        for line in self.rows:
            if len(line.cells) != len(self.columns):
                raise ValueError(f"{line.name!r} has {len(line.cells)} cells for {len(self.columns)} columns")
        if not self.columns:
            raise ValueError("there are no columns")
        if "" in list(self.groups)[1:]:
            raise ValueError("rows without a group follow a group, and would look like part of it")
        if not self.paper and not self._has_paper:
            raise ValueError("the paper's figures are not mentioned")

    @property
    def groups(self) -> dict[str, list[Row]]:
        """The rows by group, in order of the groups' first rows."""
        groups: dict[str, list[Row]] = {}
        for line in self.rows:
            groups.setdefault(line.group, []).append(line)
        return groups

    def best(self, group: str) -> list[str | None]:
        """The best figure of each column in a group, formatted; None if fewer than two rows compete."""
        rows = [line for line in self.groups[group] if line.competes]
        found: list[str | None] = []
        for number, column in enumerate(self.columns):
            figures = [value for line in rows if (value := line.cells[number].value) is not None]
            choose = {"high": max, "low": min}.get(column.best or "")
            found.append(column.shown(choose(figures)) if choose and len(figures) > 1 else None)
        return found

    def is_best(self, line: Row) -> list[bool]:
        """For each cell of a row, whether it is the best of its group as formatted; ties are all the best."""
        best = self.best(line.group)
        return [
            line.competes and cell.value is not None and column.shown(cell.value) == figure
            for cell, column, figure in zip(line.cells, self.columns, best, strict=True)
        ]

    @property
    def remarks(self) -> list[str]:
        """The remarks below the table, without the source."""
        cells = [cell for line in self.rows for cell in line.cells]
        parts = [
            self.note,
            f"After a figure: its {self.interval}." if any(cell.interval for cell in cells) else "",
            "In brackets: the paper's figure." if self._has_paper else "",
            self.paper,
        ]
        return [part for part in parts if part]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data with full precision."""
        return asdict(self)

    def to_json(self) -> str:
        """The table as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a table from the JSON of `to_json`.

        Raises:
            DataError: The text is not such a table.

        """
        try:
            data = json.loads(text)
            columns = tuple(Column(**column) for column in data.pop("columns"))
            rows = tuple(_row_of(line) for line in data.pop("rows"))
            source = data.pop("source")
            return cls(columns=columns, rows=rows, source=Source(**{**source, "seeds": tuple(source["seeds"])}), **data)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError("The file is not a table of results; run its experiment again.") from error

    def to_markdown(self, level: int = 3) -> str:
        """The table as Markdown, with a heading of that level, caption, remarks and source."""
        rule = ["---", *("---" if column.align == "left" else "---:" for column in self.columns)]
        head = [_markdown(self.head), *(_markdown(column.name) for column in self.columns)]
        lines = [head, rule, *self.lines(_markdown, "*{}*", "**{}**", " {}")]
        ticks = "`" * (1 + max(map(len, re.findall("`+", self.source.command)), default=0))
        pad = " " if "`" in self.source.command else ""
        source = self.source.sentence("\0")
        parts = [
            f"{'#' * level} {_markdown(self.title)}",
            _markdown(self.caption),
            "\n".join(f"| {' | '.join(line + [''] * (len(head) - len(line)))} |" for line in lines),
            " ".join(map(_markdown, self.remarks)),
            _markdown(source).replace("\0", f"{ticks}{pad}{' '.join(self.source.command.split())}{pad}{ticks}"),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def save(self, folder: Path, name: str) -> list[Path]:
        """Write `name`.json, .md and .tex into a folder, whose name becomes part of the LaTeX label."""
        label = f"{folder.name}-{name}"
        contents = {"json": self.to_json(), "md": self.to_markdown(), "tex": to_latex(self, label)}
        paths = [folder / f"{name}.{suffix}" for suffix in contents]
        for path, content in zip(paths, contents.values(), strict=True):
            write_whole(path, content.encode())
        return paths

    @property
    def _has_paper(self) -> bool:
        return any(cell.paper is not None for line in self.rows for cell in line.cells)

    def lines(self, escape: Callable[[str], str], italic: str, bold: str, small: str) -> Iterator[list[str]]:
        """The formatted cells of each line in some markup; the name of a group is a line of one cell."""
        for group, rows in self.groups.items():
            if group:
                yield [italic.format(escape(group))]
            for line in rows:
                look = "{}" if line.competes else italic
                shown = [look.format(escape(line.name or NOTHING))]
                for cell, column, is_best in zip(line.cells, self.columns, self.is_best(line), strict=True):
                    figure = NOTHING if cell.value is None else column.shown(cell.value)
                    text = (bold if is_best else look).format(escape(cell.text or figure))
                    if cell.interval:
                        text += small.format(escape(_between(*map(column.shown, cell.interval))))
                    if cell.paper is not None:
                        text += f" ({escape(column.shown(cell.paper))})"
                    shown.append(text)
                yield shown


def _cell(content: Cell | float | str | None) -> Cell:
    if isinstance(content, Cell):
        return content
    return Cell(text=content) if isinstance(content, str) else Cell(content)


def _row_of(data: dict[str, Any]) -> Row:
    cells = [Cell(**{**cell, "interval": cell["interval"] and tuple(cell["interval"])}) for cell in data["cells"]]
    return Row(**{**data, "cells": tuple(cells)})


def _between(low: str, high: str) -> str:
    return f"{low} to {high}" if "−" in low or low[0] == "+" else f"{low}–{high}"


def _markdown(text: str) -> str:
    r"""Escape text for Markdown, on one line.

    >>> print(_markdown("lead_3 | first"))
    lead\_3 \| first
    """
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
