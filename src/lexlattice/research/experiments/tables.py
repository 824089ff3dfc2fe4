"""Tables of results: one content, as Markdown, as LaTeX, and as JSON in full precision.

What a reader must know to trust a figure is part of the table: the command, the data, the seeds, how many acts, and
what the paper says, or why that cannot be compared.
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

# Tables as LaTeX: needs the packages booktabs and graphicx.

_PAGE: Final = 56
"""Lines of a table that fit a page."""
_SYMBOLS: Final = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\char34{}"},
    **{"[": "{[}", "]": "{]}", "`": r"\char96{}", "\u00a0": "~"},
    **{"–": "--", "—": "---", "−": "$-$", "…": r"\dots{}", "×": r"$\times$", "±": r"$\pm$", "·": r"$\cdot$"},
    **{"→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$", "≈": r"$\approx$", "½": r"$\frac{1}{2}$"},
    **{"“": "``", "”": "''", "‘": "`", "’": "'"},
}
"""Letters of other scripts stay as they are: engines of today know them."""
_GREEK: Final = {"λ": r"$\lambda$", "Δ": r"$\Delta$", "α": r"$\alpha$"}
"""In formulas; not in words."""
_LITERAL: Final = re.compile(rf"-(?=-)|\b[{''.join(_GREEK)}]\b|" + "|".join(map(re.escape, _SYMBOLS)))
"""Two hyphens are two hyphens, as in options of a command."""
_NAMES: Final = {**_SYMBOLS, **_GREEK, "-": "-{}"}


def to_latex(table: Table, label: str) -> str:
    """The table as one float or several, the first of which has the label."""
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
    """Rows as they are divided: a group's name and its rows stay together, as many groups on a page as fit."""
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
    r"""Text in which nothing is a command.

    >>> print(escape("100 % of R&D, λ → 0"))
    100 \% of R\&D, $\lambda$ $\rightarrow$ 0
    """
    return _LITERAL.sub(lambda match: _NAMES[match[0]], " ".join(text.split()))


# Tables of results: one content, as Markdown, as LaTeX, and as JSON in full precision.

NOTHING: Final = "–"
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>|~#&$])")


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure or a text; without either, nothing was measured there."""

    value: float | None = None
    interval: tuple[float, float] | None = None
    text: str = ""
    """Shown instead of the figure, if there is one."""
    paper: float | None = None
    """The paper's figure for the same thing."""

    def __post_init__(self) -> None:
        """Figures are numbers."""
        figures = [self.value, self.paper, *(self.interval or ())]
        if not all(figure is None or math.isfinite(figure) for figure in figures):
            raise ValueError("a figure is not a finite number")
        if self.interval and self.interval[0] > self.interval[1]:
            raise ValueError(f"an interval ends before it begins: {self.interval}")


@dataclass(frozen=True, slots=True)
class Column:
    """What the figures of a column are, and how they are shown."""

    name: str
    best: Literal["high", "low"] | None = "high"
    """Which figure of a group is in bold; without, none is."""
    digits: int = 2
    is_signed: bool = False
    """Differences have their sign."""
    align: Literal["left", "right"] = "right"

    def shown(self, figure: float) -> str:
        """A figure, rounded."""
        sign = "+" if self.is_signed else ""
        return f"{figure:{sign}z,.{self.digits}f}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Row:
    """A name and its cells, one for each column."""

    name: str
    cells: tuple[Cell, ...]
    group: str = ""
    """Rows of the same group (a language) stand together, and the best of them is in bold."""
    competes: bool = True
    """If not (an oracle, figures from elsewhere), it is in italics and never the best."""


def row(name: str, *cells: Cell | float | str | None, group: str = "", competes: bool = True) -> Row:
    """A row of cells, figures, texts, or of None for what was not measured."""
    return Row(name, tuple(map(_cell, cells)), group, competes)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the figures come from."""

    command: str
    data: str
    seeds: tuple[int, ...]
    acts: int

    def sentence(self, command: str) -> str:
        """For the foot of the table."""
        seeds = f"seed{'' if len(self.seeds) == 1 else 's'} {', '.join(map(str, self.seeds))}"
        acts = f"{self.acts:,} act{'' if self.acts == 1 else 's'}"
        return f"Made by {command} from {self.data}; {seeds if self.seeds else 'no seed'}; {acts}."


@dataclass(frozen=True)
class Table:
    """Results with all that is needed to read them."""

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    source: Source
    note: str
    paper: str = ""
    """How the paper's figures compare with these, or why they do not; can be left out if they stand in the cells."""
    interval: str = "95 % bootstrap interval over acts"
    head: str = "System"
    """What the rows are."""

    def __post_init__(self) -> None:
        """A table that would mislead is an error of the program."""
        for line in self.rows:
            if len(line.cells) != len(self.columns):
                raise ValueError(f"{line.name!r} has {len(line.cells)} cells for {len(self.columns)} columns")
        if not self.columns:
            raise ValueError("there are no columns")
        if "" in list(self.groups)[1:]:
            raise ValueError("rows without a group come after a group, as if they were of it")
        if not self.paper and not self._has_paper:
            raise ValueError("nothing is said of the paper's figures")

    @property
    def groups(self) -> dict[str, list[Row]]:
        """The rows by group, each group where its first row is."""
        groups: dict[str, list[Row]] = {}
        for line in self.rows:
            groups.setdefault(line.group, []).append(line)
        return groups

    def best(self, group: str) -> list[str | None]:
        """The best figure of each column in a group, as it is shown; None without any, or without a second to beat."""
        rows = [line for line in self.groups[group] if line.competes]
        found: list[str | None] = []
        for number, column in enumerate(self.columns):
            figures = [value for line in rows if (value := line.cells[number].value) is not None]
            choose = {"high": max, "low": min}.get(column.best or "")
            found.append(column.shown(choose(figures)) if choose and len(figures) > 1 else None)
        return found

    def is_best(self, line: Row) -> list[bool]:
        """For each cell of a row, whether none of its group is better by what is shown: ties are all the best."""
        best = self.best(line.group)
        return [
            line.competes and cell.value is not None and column.shown(cell.value) == figure
            for cell, column, figure in zip(line.cells, self.columns, best, strict=True)
        ]

    @property
    def remarks(self) -> list[str]:
        """What stands under the table, but for where it comes from."""
        cells = [cell for line in self.rows for cell in line.cells]
        parts = [
            self.note,
            f"After a figure: its {self.interval}." if any(cell.interval for cell in cells) else "",
            "In brackets: the paper's figure." if self._has_paper else "",
            self.paper,
        ]
        return [part for part in parts if part]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with all digits."""
        return asdict(self)

    def to_json(self) -> str:
        """The content of a JSON file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The table again."""
        try:
            data = json.loads(text)
            columns = tuple(Column(**column) for column in data.pop("columns"))
            rows = tuple(_row_of(line) for line in data.pop("rows"))
            source = data.pop("source")
            return cls(columns=columns, rows=rows, source=Source(**{**source, "seeds": tuple(source["seeds"])}), **data)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError("The file holds no table of results; make it again with its command.") from error

    def to_markdown(self, level: int = 3) -> str:
        """For pages: a heading of that level, the table, and what must be known of it."""
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
        """Write `name`.json, .md and .tex into a folder, whose name is part of what LaTeX calls it."""
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
        """The cells of each line, in whatever language of mark-up; a group's name stands alone."""
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
    r"""Text on one line in which nothing is markup.

    >>> print(_markdown("lead_3 | first"))
    lead\_3 \| first
    """
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
