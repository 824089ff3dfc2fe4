"""Figures of experiments: systems by language, and how a training went."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice.errors import DataError
from lexlattice.rendering.figures import FORMATS, rendered
from lexlattice.research.experiments.curves import plot_curves
from lexlattice.research.experiments.plots import plot_comparison

matplotlib = pytest.importorskip("matplotlib")
pytestmark = pytest.mark.filterwarnings("error")
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

few = settings(max_examples=12, deadline=None)
scores = st.dictionaries(
    st.sampled_from(["English", "Ελληνικά", "български", "Gaeilge"]),
    st.dictionaries(st.sampled_from(["_lead", "1D", "2D $\\"]), st.floats(0, 100) | st.just(50.0), min_size=1),
    min_size=1,
)
COLUMNS = "stage epoch step acts loss reward seconds unicode_rouge1 unicode_rouge2 unicode_rougeLsum".split()
FIGURES = {"unicode_rouge1": 50.0, "unicode_rouge2": 20.0, "unicode_rougeLsum": 48.0}


def points(line: Line2D) -> list[tuple[float, float]]:
    return [(x, y) for x, y in np.asarray(line.get_xydata(), np.float64).tolist()]


def lines(axes: Axes) -> dict[str, list[tuple[float, float]]]:
    """The points of each line that has a name."""
    named = [line for line in axes.lines if not str(line.get_label()).startswith("_child")]
    return {str(line.get_label()): points(line) for line in named}


def said(figure: Figure) -> str:
    return " ".join(" ".join(text.get_text().split()) for text in figure.texts)


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def stage(name: str, epochs: Sequence[Mapping[str, float]], steps: int = 30) -> list[dict[str, Any]]:
    """Rows as a training writes them; with rewards after the first stage."""
    rows: list[dict[str, Any]] = []
    for epoch, figures in enumerate(epochs, 1):
        reward = {} if name == "warm-start" else {"reward": 0.25}
        place = {"stage": name, "epoch": epoch}
        rows += [{**place, "step": n + 1, "acts": 4, "loss": 10 / (n + 1), **reward} for n in range(steps)]
        rows.append({**place, "loss": 1.5, "seconds": 3, **reward, **figures})
    return rows


@pytest.fixture
def log(tmp_path: Path) -> Path:
    better = {**FIGURES, "unicode_rouge2": 26.0}
    return written(tmp_path / "log.csv", [*stage("warm-start", [FIGURES, better]), *stage("rloo", [FIGURES])])


# --- systems by language ----------------------------------------------------------------------------------


@few
@given(scores)
def test_each_figure_is_a_point_on_the_line_of_its_language(table: dict[str, dict[str, float]]) -> None:
    figure = plot_comparison(table, "ROUGE-1", "Systems by language")
    (axes,) = figure.axes
    order = sorted(table, key=lambda language: (-max(table[language].values()), language))
    names = [text.get_text() for text in axes.texts if text.get_text() in table]
    assert names == order
    systems = list(dict.fromkeys(name for row in table.values() for name in row))
    drawn = {str(line.get_label()): points(line) for line in axes.lines[len(table) :]}
    assert list(drawn) == systems
    for system in systems:
        assert drawn[system] == [(table[name][system], y) for y, name in enumerate(order) if system in table[name]]
    spans = [[x for x, _ in points(line)] for line in axes.lines[: len(table)]]
    assert spans == [[min(table[name].values()), max(table[name].values())] for name in order]
    low, high = axes.get_xlim()
    assert all(low < value < high for row in table.values() for value in row.values())
    legend = [text.get_text().strip().replace(r"\$", "$") for text in figure.legends[0].get_texts()]
    assert legend == systems
    assert rendered(figure, "svg")


def test_the_head_shows_the_lead_of_the_last_system_over_the_first() -> None:
    table = {"Czech": {"LexRank": 30.0, "2D": 50.0}, "Irish": {"LexRank": 40.0, "2D": 52.0}, "Greek": {"2D": 9.0}}
    figure = plot_comparison(table, "ROUGE-1", "Systems", "Published figures.")
    assert "3 languages · 2 systems · 2D − LexRank: +16.0 on average, +12.0 at least" in said(figure)
    assert "Published figures." in said(figure)
    assert "The best is Irish with 52.0." in str(figure.get_label())


def test_many_systems_look_different_and_stay_on_the_page() -> None:
    table = {"Czech": {f"a system with a long name {n}": float(n) for n in range(20)}}
    figure = plot_comparison(table, "ROUGE-1", "Systems")
    looks = {(line.get_color(), line.get_marker()) for line in figure.axes[0].lines[1:]}
    assert len(looks) == 20
    rendered(figure, "png")
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1
    assert box.y1 < figure.axes[0].xaxis.label.get_window_extent().y0


@pytest.mark.parametrize("table", [{}, {"Czech": {}}])
def test_nothing_to_compare_is_refused_with_one_sentence(table: dict[str, dict[str, float]]) -> None:
    with pytest.raises(DataError):
        plot_comparison(table, "ROUGE-1", "Systems")


def test_a_figure_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError):
        plot_comparison({"Czech": {"2D": float("nan")}}, "ROUGE-1", "Systems")


# --- how a training went ----------------------------------------------------------------------------------


def test_a_log_has_a_panel_for_each_loss_for_reward_and_for_validation(log: Path) -> None:
    figure = plot_curves(log)
    assert [axes.get_label() for axes in figure.axes] == [
        "Loss, warm-start",
        "Loss, rloo",
        "Reward, rloo",
        "validation",
    ]
    loss, _, reward, validation = map(lines, figure.axes)
    assert loss["steps"] == [(n + 1, 10 / (n % 30 + 1)) for n in range(60)]
    assert {y for _, y in reward["steps"]} == {0.25}
    assert validation["unicode_rouge2"] == [(1, 20), (2, 26), (3, 20)]
    assert "3 epochs · 90 steps · best after warm-start, epoch 2: 50.00 / 26.00 / 48.00" in said(figure)


def test_a_running_mean_stands_in_the_middle_of_its_steps(log: Path) -> None:
    loss = lines(plot_curves(log).axes[0])
    values = [y for _, y in loss["steps"]]
    expected = [(n + 1.5, (values[n] + values[n + 1]) / 2) for n in range(59)]
    np.testing.assert_allclose(loss["mean"], expected)


def test_steps_far_from_all_others_do_not_flatten_the_rest(tmp_path: Path) -> None:
    rows = stage("warm-start", [FIGURES], steps=300)
    rows[0]["loss"] = 1e6
    figure = plot_curves(written(tmp_path / "log.csv", rows))
    assert figure.axes[0].get_ylim()[1] < 100
    assert "beyond the edge" in said(figure)


@pytest.mark.parametrize("count", [1, 2, 31])
def test_a_training_that_still_runs_is_drawn(tmp_path: Path, count: int) -> None:
    path = written(tmp_path / "log.csv", stage("warm-start", [FIGURES])[:count])
    path.write_text(path.read_text() + "warm-start,2,1")
    figure = plot_curves(path)
    assert f"{min(count, 30)} step" in said(figure)
    assert rendered(figure, "png")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "a,b\n1,2\n",
        ",".join(COLUMNS) + "\n",
        ",".join(COLUMNS) + "\nwarm-start,one,1,4,0.5\n",
        ",".join(COLUMNS) + "\nwarm-start,1,1,4,nan\n",
        ",".join(COLUMNS) + "\nwarm-start,1,1" + ",1" * 20 + "\n",
    ],
)
def test_a_file_that_is_no_log_is_refused_with_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(content)
    with pytest.raises(DataError):
        plot_curves(path)


def test_a_log_that_is_not_there_is_refused_with_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        plot_curves(tmp_path / "log.csv")


def test_the_log_that_training_writes_is_understood(tmp_path: Path) -> None:
    log_module = pytest.importorskip("lexlattice.training.checkpoints", exc_type=ImportError)
    with log_module.Log(tmp_path / "log.csv", 0) as file:
        file.write(stage="warm-start", epoch=1, step=1, acts=4, loss=2.5, reward=None, seconds=0.1)
        figures = dict.fromkeys(log_module.ROUGE_FIGURES, 40.0)
        file.write(stage="warm-start", epoch=1, loss=2.5, seconds=0.1, **figures)
    figure = plot_curves(tmp_path / "log.csv")
    assert [axes.get_label() for axes in figure.axes] == ["Loss, warm-start", "validation"]


# --- files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.slow
def test_the_same_figures_are_the_same_bytes(log: Path, format: str) -> None:
    table = {"Czech": {"LexRank": 30.0, "2D": 50.0}}
    assert len({rendered(plot_curves(log), format) for _ in range(2)}) == 1
    assert len({rendered(plot_comparison(table, "R-1", "Systems"), format) for _ in range(2)}) == 1
