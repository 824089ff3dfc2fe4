"""Tables as LaTeX: needs the packages booktabs and graphicx.

What is too wide for the page is made smaller, and what is too long for one, as 24 languages are, is divided between
groups, so that every part can stand on a page of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lexlattice.experiments.tables import Table

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
