"""Figures: what is drawn of an act, what is said of the rest, and the files it ends in."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from numpy.typing import NDArray

from helpers.generated_acts import acts_with_units, made
from helpers.timing import fastest
from lexlattice import Act, LexLatticeError, read
from lexlattice.act.document import SECTION_KINDS
from lexlattice.apps.cli import plot
from lexlattice.errors import DataError, MissingExtraError, OptionError, OutputError
from lexlattice.rendering.figures import FORMATS, plot_lattice, plot_salience, rendered, save_figure
from lexlattice.rendering.figures.act import COLOURS
from lexlattice.rendering.figures.canvas import arrange, fold, width_of
from lexlattice.summarizer import shipped

matplotlib = pytest.importorskip("matplotlib")
pytestmark = pytest.mark.filterwarnings("error")
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.collections import PathCollection, PolyCollection  # noqa: E402
from matplotlib.colors import same_color, to_hex  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

few = settings(max_examples=12)
lengths = st.lists(st.integers(0, 200), min_size=1, max_size=60)
TITLE_ONLY = made(("title", "", ["COMMISSION DECISION"]), title="COMMISSION DECISION")


@pytest.fixture(scope="module")
def act(examples: Path) -> Act:
    return read(examples / "short" / "en.txt")


def panels(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_label() != "salience"]


def cells(axes: Axes) -> PolyCollection:
    (found,) = [artist for artist in axes.collections if artist.get_label() == "cells"]
    assert isinstance(found, PolyCollection)
    return found


def stars(axes: Axes) -> PathCollection:
    (found,) = [artist for artist in axes.collections if artist.get_label() == "chosen"]
    assert isinstance(found, PathCollection)
    return found


def offsets(artist: PathCollection | PolyCollection) -> NDArray[Any]:
    return np.asarray(artist.get_offsets())


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def said(figure: Figure) -> str:
    """All small print of the page."""
    return " ".join(" ".join(text.get_text().split()) for text in figure.texts)


def labels(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def salience(act: Act, steps: int = 5, chosen: Sequence[str] = ()) -> Figure:
    return plot_salience(act, np.random.default_rng(5).random((steps, len(act))), chosen)


# --- how a lattice is folded ------------------------------------------------------------------------------


@given(lengths, st.integers(12, 40), st.integers(1, 80))
def test_every_unit_has_its_cell_or_is_counted_as_missing(sections: list[int], widest: int, most: int) -> None:
    folded = fold(sections, widest, most)
    assert len(folded.lines) <= most
    assert folded.sections == min(len(sections), most)
    for section, length in enumerate(sections[: folded.sections]):
        lines = [line for line in folded.lines if line.section == section]
        assert [line.first for line in lines] == [n * folded.width for n in range(len(lines))]
        assert all(line.count == folded.width for line in lines[:-1])
        assert not any(line.missing for line in lines[:-1])
        assert 0 <= lines[-1].count <= folded.width <= widest
        assert sum(line.count for line in lines) + lines[-1].missing == length


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60))
def test_a_lattice_that_fits_is_not_folded(sections: list[int]) -> None:
    folded = fold(sections, 20)
    assert [line.count for line in folded.lines] == sections


@given(lengths, st.integers(1, 9), st.sampled_from([0.5, 1.0, 2.0]))
def test_a_page_has_room_for_all_lines_and_no_strip_for_none(sections: list[int], count: int, shape: float) -> None:
    folded = fold(sections, 20)
    page = arrange(folded, count, shape)
    assert (page.strips - 1) * page.height < len(folded.lines) <= page.strips * page.height
    assert 1 <= page.columns <= count


# --- the lattice ------------------------------------------------------------------------------------------


@few
@given(acts_with_units)
def test_a_lattice_has_a_cell_for_each_unit_in_the_colour_of_its_section(act: Act) -> None:
    figure = plot_lattice(act)
    (axes,) = panels(figure)
    kinds = [act.sections[unit.section].kind for unit in act.units]
    assert len(offsets(cells(axes))) == len(act)
    drawn = [to_hex(colour).upper() for colour in cells(axes).get_facecolor()]
    assert drawn == [COLOURS[kind] for kind in kinds]
    assert legend(figure) == [kind.capitalize() for kind in SECTION_KINDS if kind in kinds]


def test_cells_are_where_the_units_are(act: Act) -> None:
    (axes,) = panels(plot_lattice(act))
    places = offsets(cells(axes))
    left = places[:, 0].min()
    assert [(x - left, y) for x, y in places.tolist()] == [(unit.position, unit.section) for unit in act.units]


def test_each_kind_of_section_has_a_colour_of_its_own() -> None:
    assert tuple(COLOURS) == SECTION_KINDS
    assert len(set(COLOURS.values())) == len(COLOURS)


@pytest.mark.parametrize(
    ("language", "label", "annex"), [("en", "Article 5", "ANNEX"), ("el", "Άρθρο 5", "ΠΑΡΑΡΤΗΜΑ"), ("bg", "Член 5", "")]
)
def test_rows_are_labelled_as_the_act_labels_them(examples: Path, language: str, label: str, annex: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    figure = plot_lattice(act)
    names = labels(panels(figure)[0])
    assert label in names
    assert annex in names
    assert {"Title", "Preamble", "Recitals"} <= set(names)
    assert " ".join(figure.get_suptitle().split()) == act.title
    assert f"32024R9001 · {language} · 15 sections · 53 units · {act.words} words" in said(figure)


@pytest.mark.parametrize("draw", [plot_lattice, salience])
def test_an_act_of_a_title_is_drawn(draw: type) -> None:
    figure = draw(TITLE_ONLY)
    assert all(len(offsets(cells(axes))) == 1 for axes in panels(figure))
    assert "1 section · 1 unit · 2 words" in said(figure)
    assert rendered(figure, "png")


@pytest.mark.parametrize("draw", [plot_lattice, salience])
def test_an_act_of_nothing_is_refused_with_one_sentence(draw: type) -> None:
    with pytest.raises(DataError):
        draw(made(("article", "", [])))


def test_a_long_section_goes_on_in_the_next_line() -> None:
    act = made(("title", "", ["A"]), *[("article", "", ["B"] * 4)] * 5, ("annex", "", ["C"] * 100))
    figure = plot_lattice(act)
    (axes,) = panels(figure)
    places = offsets(cells(axes))
    assert len(places) == len({tuple(place) for place in places.tolist()}) == len(act)
    assert np.ptp(places[:, 0]) < 32
    assert "units go on in the next line" in said(figure)


def test_what_is_too_long_to_be_drawn_is_counted() -> None:
    act = made(("title", "", ["A"]), ("annex", "", ["B"] * 30_000))
    figure = plot_lattice(act)
    (axes,) = panels(figure)
    drawn = len(offsets(cells(axes)))
    assert f"+{len(act) - drawn:,}" in labels(axes)
    assert 20_000 < drawn < len(act)
    assert "are not drawn" in said(figure)


def test_sections_that_find_no_room_are_counted() -> None:
    figure = plot_lattice(made(*[("article", "", ["A", "B"])] * 1000))
    assert "200 more sections with 400 units are not drawn." in said(figure)


def test_the_head_stays_on_the_page(act: Act) -> None:
    title = "REGULATION OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL " * 20
    figure = plot_lattice(made(("article", "", ["A"]), title=title))
    lines = figure.get_suptitle().split("\n")
    assert lines[-1].endswith(" …")
    assert max(width_of(line, "bold") for line in lines) * 10 / 72 < figure.get_size_inches()[0]


# --- salience ---------------------------------------------------------------------------------------------


@few
@given(acts_with_units, st.integers(1, 9), st.data())
def test_salience_has_a_panel_for_each_row_and_a_star_for_each_choice(
    act: Act, steps: int, data: st.DataObject
) -> None:
    chosen = data.draw(st.sets(st.sampled_from([unit.id for unit in act.units])))
    figure = salience(act, steps, sorted(chosen))
    assert [axes.get_label() for axes in panels(figure)] == [f"t = {step}" for step in range(steps)]
    assert all(len(offsets(cells(axes))) == len(act) for axes in panels(figure))
    last = panels(figure)[-1]
    corners = offsets(cells(last))
    expected = [place + 0.5 for place, unit in zip(corners, act.units, strict=True) if unit.id in chosen]
    np.testing.assert_allclose(offsets(stars(last)), np.reshape(expected, (-1, 2)))


def test_all_panels_have_one_scale_from_nothing_to_the_most(act: Act) -> None:
    values = np.full((3, len(act)), 0.2)
    values[0, 0], values[2, 7] = 0.0, 0.8
    figure = plot_salience(act, values, [])
    colours = [cells(axes).get_facecolor() for axes in panels(figure)]
    ramp = matplotlib.colormaps["viridis"]
    assert same_color(colours[0][0], ramp(0.0))
    assert same_color(colours[2][7], ramp(1.0))
    assert same_color(colours[0][1], ramp(0.25))
    assert same_color(colours[0][1], colours[1][1])
    (bar,) = [axes for axes in figure.axes if axes.get_label() == "salience"]
    assert bar.get_xlim() == (0, 0.8)


@pytest.mark.parametrize("value", [0.0, -2.5, 7.0])
def test_salience_that_is_the_same_everywhere_is_drawn(act: Act, value: float) -> None:
    assert rendered(plot_salience(act, np.full((2, len(act)), value), []), "svg")


def test_chosen_units_that_are_not_drawn_are_counted() -> None:
    act = made(("annex", "", ["B"] * 30_000))
    figure = plot_salience(act, np.zeros((1, len(act))), ["sec-0.u-0", "sec-0.u-29999"])
    assert len(offsets(stars(panels(figure)[0]))) == 1
    assert "chosen (1 more are not drawn)" in legend(figure)
    assert "chosen: 2 units, 2 words" in said(figure)


@pytest.mark.parametrize(
    ("values", "chosen", "word"),
    [
        (np.zeros((2, 52)), [], "53"),
        (np.zeros(53), [], "53"),
        (np.zeros((0, 53)), [], "53"),
        (np.full((2, 53), np.nan), [], ""),
        (np.zeros((2, 53)), ["art-99"], "art-99"),
    ],
)
def test_salience_of_another_act_is_a_mistake(act: Act, values: NDArray[Any], chosen: list[str], word: str) -> None:
    with pytest.raises(ValueError) as refused:
        plot_salience(act, values, chosen)
    assert word in str(refused.value)


# --- files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("suffix", "beginning"), [("svg", b"<?xml"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_file_is_what_its_name_ends_with(act: Act, tmp_path: Path, suffix: str, beginning: bytes) -> None:
    path = tmp_path / f"act.{suffix}"
    save_figure(plot_lattice(act), path)
    assert path.read_bytes().startswith(beginning)
    assert [place.name for place in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_act_gives_the_same_file(act: Act, format: str) -> None:
    before = {name: matplotlib.rcParams[name] for name in ("svg.hashsalt", "svg.fonttype", "savefig.bbox")}
    contents = {rendered(salience(act, 3, ["art-1.par-1"]), format) for _ in range(2)}
    assert len(contents) == 1
    assert b"CreationDate" not in contents.pop()
    assert {name: matplotlib.rcParams[name] for name in before} == before


def test_an_svg_holds_text_a_title_and_a_description(act: Act) -> None:
    svg = etree.fromstring(rendered(plot_lattice(act), "svg"))
    space = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in svg.iter(f"{space}text")]
    assert {"Article 1", "Article 10", "ANNEX", "Recitals"} <= set(texts)
    assert svg.findtext(f"{space}title") == act.title
    assert f"“{act.title}”: 32024R9001, en, 15 sections" in (svg.findtext(f"{space}desc") or "")
    assert not list(svg.iter("{http://purl.org/dc/elements/1.1/}date"))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("title", ["Costs of $5 to $6 & <more>", "字 \x00 \x1b 蜂", "x" * 5000, "\\frac{a_b}^$"])
def test_titles_are_shown_as_they_are(title: str, format: str) -> None:
    figure = plot_lattice(made(("article", "", ["A"]), title=title))
    content = rendered(figure, format)
    if format == "svg":
        shown = etree.fromstring(content).findtext("{http://www.w3.org/2000/svg}title")
        assert shown == " ".join(title.replace("\x00", " ").replace("\x1b", " ").split())[:1000]


@pytest.mark.parametrize("name", ["act", "act.jpg", "act.svg.txt", "-", "", ".png"])
def test_another_suffix_is_refused_with_one_sentence(act: Act, tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError) as refused:
        save_figure(plot_lattice(act), tmp_path / name)
    assert all(f".{format}" in str(refused.value) for format in FORMATS)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_leaves_nothing_behind(act: Act, tmp_path: Path) -> None:
    figure = plot_lattice(act)
    (tmp_path / "folder.png").mkdir()
    for name in ("nowhere/act.png", "folder.png", "nul\0.png", f"{'x' * 300}.png"):
        with pytest.raises(OutputError):
            save_figure(figure, tmp_path / name)
    assert [place.name for place in tmp_path.iterdir()] == ["folder.png"]


def test_a_file_is_replaced_only_by_a_whole_one(act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "act.svg"
    path.write_text("before")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OutputError):
            save_figure(plot_lattice(act), path)
    assert path.read_text() == "before"
    assert [place.name for place in tmp_path.iterdir()] == ["act.svg"]


def test_a_link_stays_a_link(act: Act, tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to("real.svg")
    save_figure(plot_lattice(act), tmp_path / "link.svg")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_bytes().startswith(b"<?xml")


def test_without_matplotlib_the_extra_is_named(act: Act, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"lexlattice\[plot\]"):
        plot_lattice(act)


def test_pyplot_is_left_alone(examples: Path, tmp_path: Path) -> None:
    code = (
        "import sys, lexlattice; from lexlattice.rendering.figures import *;"
        f"save_figure(plot_lattice(lexlattice.read({str(examples / 'short' / 'en.txt')!r})), 'act.png');"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=240)
    assert (run.returncode, run.stdout.strip()) == (0, "False"), run.stderr


def test_a_large_act_is_drawn_within_seconds() -> None:
    act = made(("recitals", "", ["Whereas"] * 60), *[("article", "", ["This shall apply."] * 60)] * 119)
    figures: list[Figure] = []

    def work() -> None:
        figures[:] = plot_lattice(act), salience(act, 5, [unit.id for unit in act.units[::100]])
        assert rendered(figures[0], "png")

    assert fastest(work, enough=8) < 8
    lattice, panels_of_five = figures
    assert len(offsets(cells(panels(lattice)[0]))) == len(act) == 7200
    assert [len(offsets(cells(axes))) for axes in panels(panels_of_five)] == [7200] * 5
    assert max(lattice.get_size_inches()) < 20


# --- the command ------------------------------------------------------------------------------------------


def run(*arguments: str | Path) -> int:
    parser = argparse.ArgumentParser()
    plot.add(parser.add_subparsers(required=True))
    options = parser.parse_args(["plot", *map(str, arguments)])
    code: int = options.run(options)
    return code


def test_the_command_draws_both_figures(examples: Path, tmp_path: Path) -> None:
    source = examples / "short" / "mt.txt"
    assert run("lattice", source, "-o", tmp_path / "lattice.svg", "--lang", "MT") == 0
    assert run("salience", source, "-o", tmp_path / "salience.svg", "--words", "60") == 0
    assert "Artikolu 3" in (tmp_path / "lattice.svg").read_text("utf-8")
    drawn = (tmp_path / "salience.svg").read_text("utf-8")
    assert "Artikolu 3" in drawn
    last = len(shipped().trajectory(read(source))) - 1
    assert f"t = {last}" in drawn
    assert f"t = {last + 1}" not in drawn


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("lattice", "act.txt", "-o", "act.gif"), "act.gif"),
        (("lattice", "act.txt", "-o", "-"), "-"),
        (("lattice", "act.txt", "-o", "act.svg", "--words", "9"), "salience"),
        (("salience", "act.txt", "-o", "act.svg", "--words", "-9"), "-9"),
        (("lattice", "act.txt", "-o", "nowhere/act.svg"), "nowhere"),
        (("lattice", "act.txt", "-o", "act.svg", "--lang", "xx"), "xx"),
        (("lattice", "nothing.txt", "-o", "act.svg"), "nothing.txt"),
        (("lattice", "", "-o", "act.svg"), ""),
        (("lattice", "act.svg", "-o", "act.svg"), "act.svg"),
    ],
)
def test_bad_calls_end_with_one_sentence_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "act.txt").write_text("Article 1\nThis shall apply.\n")
    with pytest.raises(LexLatticeError) as caught:
        run(*arguments)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [place.name for place in tmp_path.iterdir()] == ["act.txt"]


def test_the_input_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "act.svg").write_text("Article 1\nThis shall apply.\n")
    with pytest.raises(OutputError, match=r"act\.svg"):
        run("lattice", "act.svg", "-o", "act.svg")
    assert (tmp_path / "act.svg").read_text() == "Article 1\nThis shall apply.\n"
