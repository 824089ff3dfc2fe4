"""Tables of results: what is bold, what is said under them, and the three files they end in."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from operator import gt, lt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice.errors import DataError
from lexlattice.research.experiments.tables import Cell, Column, Row, Source, Table, row, to_latex

few = settings(max_examples=60)
figures = st.floats(-1e6, 1e6) | st.integers(0, 5)
words = st.text(st.sampled_from("ab λÁж|&%$#_{}~^\\<>[]*`\"'-–†\n1"), max_size=12)
intervals = st.tuples(figures, figures).map(lambda pair: (min(pair), max(pair)))
cells = st.builds(Cell, st.none() | figures, st.none() | intervals, st.just("") | words, st.none() | figures)
columns = st.builds(
    Column, words, st.sampled_from(["high", "low", None]), st.integers(0, 3), st.booleans(), st.just("right")
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    heads = tuple(draw(st.lists(columns, min_size=1, max_size=4)))
    groups = draw(st.lists(words, min_size=1, max_size=3, unique=True).map(lambda names: sorted(names, key=bool)))
    rows = [
        Row(draw(words), tuple(draw(cells) for _ in heads), group, draw(st.booleans()))
        for group in groups
        for _ in range(draw(st.integers(1, 4)))
    ]
    source = Source(draw(words), draw(words), tuple(draw(st.lists(st.integers(0, 9), max_size=3))), 187)
    return Table(draw(words), draw(words), heads, tuple(rows), source, draw(words), "Not comparable.", draw(words))


SOURCE = Source("lexlattice experiment main --config main.toml", "english.jsonl", (0, 1), 187)
TABLE = Table(
    "Main table",
    "F1 × 100",
    (Column("R-1"), Column("s/act", "low", 3)),
    (
        row("LexRank", Cell(26.684, (25.0, 28.0), paper=26.68), 0.2, group="English"),
        row("1D", 54.961, 0.1, group="English"),
        row("2D", 54.959, None, group="English"),
        row("oracle", 70, 0.01, group="English", competes=False),
        row("2D", 50, "too long", group="Greek"),
    ),
    SOURCE,
    "Budget: 400 words.",
)


def markdown_rows(table: Table) -> list[list[str]]:
    lines = [line for line in table.to_markdown().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def latex_rows(table: Table) -> list[list[str]]:
    body = to_latex(table, "a").split("\\toprule\n")[1].split("\\bottomrule\n")[0]
    lines = [line for line in body.splitlines() if line != r"\midrule"]
    assert all(line.endswith(r" \\") for line in lines)
    return [re.split(r"(?<!\\)&", line[:-3]) for line in lines]


def shown(column: Column, value: float) -> float:
    return float(column.shown(value).replace(",", "").replace("−", "-"))


def always(_: float, __: float) -> bool:
    return True


# --- laws -------------------------------------------------------------------------------------------------


@few
@given(tables())
def test_a_table_comes_back_from_its_json_with_all_digits(table: Table) -> None:
    assert Table.from_json(table.to_json()) == table


@few
@given(tables())
def test_every_row_has_as_many_cells_as_there_are_columns(table: Table) -> None:
    count = len(table.columns) + 1
    groups = [group for group in table.groups if group]
    markdown, latex = markdown_rows(table), latex_rows(table)
    assert len(markdown) == 2 + len(groups) + len(table.rows)
    assert {len(line) for line in markdown} == {count}
    spans = [line for line in latex if line[0].startswith(r"\multicolumn")]
    assert len(latex) == 1 + len(groups) + len(table.rows)
    assert [len(line) for line in spans] == [1] * len(groups)
    assert all(line[0].startswith(f"\\multicolumn{{{count}}}") for line in spans)
    assert {len(line) for line in latex if line not in spans} == {count}


@few
@given(tables())
def test_exactly_the_best_figures_are_bold(table: Table) -> None:
    for rows in table.groups.values():
        rivals = [line for line in rows if line.competes]
        for number, column in enumerate(table.columns):
            figures = [shown(column, value) for line in rivals if (value := line.cells[number].value) is not None]
            for line in rows:
                value = line.cells[number].value
                worse = {"high": lt, "low": gt, None: always}[column.best]
                is_best = (
                    line in rivals
                    and value is not None
                    and len(figures) > 1
                    and not any(worse(shown(column, value), other) for other in figures)
                )
                assert table.is_best(line)[number] == is_best


@few
@given(tables())
def test_nothing_in_a_text_is_a_command_of_latex(table: Table) -> None:
    shrunk = r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%"
    text = to_latex(table, "a")
    assert shrunk in text
    bare = re.sub(r"\\[&%$#_{}]", "", text.replace(shrunk, "{"))
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert not re.search(r"[%#_~|<>\"]", bare)
    known = "begin end centering small caption label toprule midrule bottomrule multicolumn textit textbf texttt par"
    known += " smallskip footnotesize raggedright scriptsize textbackslash textasciitilde textasciicircum textless"
    known += " textgreater textbar char dagger ddagger lambda times"
    assert set(re.findall(r"\\([a-z]+)", bare.replace(r"\\", ""))) <= set(known.split())


# --- one table --------------------------------------------------------------------------------------------


def test_a_table_in_markdown() -> None:
    assert markdown_rows(TABLE) == [
        ["System", "R-1", "s/act"],
        ["---", "---:", "---:"],
        ["*English*", "", ""],
        ["LexRank", "26.68 25.00–28.00 (26.68)", "0.200"],
        ["1D", "**54.96**", "**0.100**"],
        ["2D", "**54.96**", "–"],
        ["*oracle*", "*70.00*", "*0.010*"],
        ["*Greek*", "", ""],
        ["2D", "50.00", "too long"],
    ]


def test_a_table_in_latex() -> None:
    assert r"1D & \textbf{54.96} & \textbf{0.100} \\" in to_latex(TABLE, "main-table")
    assert r"LexRank & 26.68 {\scriptsize 25.00--28.00} (26.68) & 0.200 \\" in to_latex(TABLE, "main-table")
    assert r"\caption{Main table. F1 $\times$ 100.}" in to_latex(TABLE, "main-table")
    assert r"\label{tab:main-table}" in to_latex(TABLE, "main-table")


def test_every_table_names_its_source() -> None:
    assert (
        "Made by `lexlattice experiment main --config main.toml` from english.jsonl; seeds 0, 1; 187 acts."
        in TABLE.to_markdown()
    )
    assert r"\texttt{lexlattice experiment main -{}-config main.toml} from english.jsonl" in to_latex(TABLE, "a")
    for part in ("Budget: 400 words.", "the paper's figure", "95 % bootstrap interval"):
        assert part in TABLE.to_markdown()


def test_differences_have_their_sign() -> None:
    column = Column("difference", None, 1, is_signed=True)
    table = replace(TABLE, columns=(column,), rows=(row("2D", Cell(0.5, (-0.25, 1250))),), paper="None there.")
    assert markdown_rows(table)[-1] == ["2D", "+0.5 −0.2 to +1,250.0"]
    assert latex_rows(table)[-1] == ["2D ", " +0.5 {\\scriptsize $-$0.2 to +1,250.0}"]


def test_figures_on_both_sides_of_zero_that_look_the_same_are_ties() -> None:
    table = replace(TABLE, columns=(Column("F1"),), rows=(row("1D", -0.001), row("2D", 0.001)), paper="None there.")
    assert markdown_rows(table)[-2:] == [["1D", "**0.00**"], ["2D", "**0.00**"]]


def test_a_figure_can_be_shown_as_words_and_is_kept() -> None:
    table = replace(TABLE, columns=(Column("p", None),), rows=(row("2D", Cell(1e-9, text="< 0.0001")),), paper="None.")
    assert markdown_rows(table)[-1] == ["2D", r"\< 0.0001"]
    assert Table.from_json(table.to_json()).rows[0].cells[0].value == 1e-9


@pytest.mark.parametrize(
    "change",
    [
        {"rows": (row("2D", 1.0),)},
        {"rows": (row("2D", 1.0, 2.0),)},
        {"rows": (row("a", 1, 2, group="en"), row("b", 1, 2))},
        {"columns": (), "rows": ()},
    ],
)
def test_a_table_that_would_mislead_is_not_made(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        replace(TABLE, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [lambda: Cell(float("nan")), lambda: Cell(1, (2, 1))])
def test_a_cell_that_is_none_is_not_made(make: type) -> None:
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"columns": [], "rows": [{}]}'])
def test_a_file_that_holds_no_table_is_refused_with_one_sentence(content: str) -> None:
    with pytest.raises(DataError):
        Table.from_json(content)


def test_a_table_of_many_languages_is_divided_between_them() -> None:
    lines = [row(f"system {n}", 1.0, 2.0, group=f"Language {group}") for group in range(24) for n in range(16)]
    floats = to_latex(replace(TABLE, rows=tuple(lines), paper="None."), "main-1").split(r"\end{table*}")[:-1]
    assert len(floats) == 8
    assert all(part.count("Language") == 3 and part.count("system") == 48 for part in floats)
    assert [name for part in floats for name in re.findall(r"\\label{tab:(.*)}", part)] == [
        "main-1",
        *(f"main-1-{number}" for number in range(2, 9)),
    ]
    assert [r"\texttt" in part for part in floats] == [False] * 7 + [True]


def test_a_table_is_saved_in_three_formats(tmp_path: Path) -> None:
    paths = TABLE.save(tmp_path, "main")
    assert [path.name for path in paths] == ["main.json", "main.md", "main.tex"]
    assert Table.from_json(paths[0].read_bytes()) == TABLE
    assert paths[1].read_text() == TABLE.to_markdown()
    assert paths[2].read_text() == to_latex(TABLE, f"{tmp_path.name}-main")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="NO TEX: install texlive-latex-recommended")
def test_latex_takes_it_and_nothing_is_wider_than_the_page(tmp_path: Path) -> None:
    heads = tuple(Column(f"column {number}") for number in range(12))
    lines = [row("lead_1 & λ → 100 %", *[Cell(51.2, (50.1, 52.3))] * 12, group="Language <1>") for _ in range(2)]
    source = Source('lexlattice experiment main --config "a.toml"', "data #1", (0,), 3)
    table = Table("Wide", "Some figures.", heads, tuple(lines), source, "A note.", "None.")
    head = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}\begin{document}"
    (tmp_path / "a.tex").write_text(f"{head}\n{to_latex(table, 'a')}\\end{{document}}\n", "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert b"Overfull" not in done.stdout
