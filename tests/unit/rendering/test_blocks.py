"""Blocks: a provision is read as one, its points nested, its cuts marked, its words the act's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_cuts import LISTS, SENTENCES

from lexlattice import Act, read, summarize
from lexlattice.act.summary import Item, Summary
from lexlattice.reading import LANGUAGES
from lexlattice.rendering import render_file
from lexlattice.rendering.blocks import Block, Mark, mark_of
from lexlattice.rendering.phrases import phrases

P = "art-1.par-1"


def summary_of(act: Act, *names: str, group: str = "key_points") -> Summary:
    units = [unit for unit in act if unit.id in names or unit.provision in names]
    assert len(units) >= len(names)
    return Summary(act, 400, tuple(Item.of(unit, act.sections[unit.section], 0.5, group) for unit in units))


def shown(block: Block) -> list[tuple[int, str]]:
    return [(line.level, line.text) for line in block.lines]


def test_a_paragraph_with_its_points_is_one_block_under_one_citation_and_heading() -> None:
    summary = summary_of(read(LISTS, language="en"), P, f"{P}.pt-b", f"{P}.pt-b.pt-ii", "art-1.par-3")
    first, second = summary.blocks()
    assert (first.citation, first.label, first.heading) == ("Article 1(1)", "Article 1", "Scope")
    assert shown(first) == [
        (0, "1. This Regulation covers:"),
        (1, "[… 1 more point: (a)]"),
        (1, "(b) wild bees, which are:"),
        (2, "[… 1 more point: (i)]"),
        (2, "(ii) mason bees;"),
        (2, "[… 1 more point: (iii)]"),
        (1, "[… 2 more points: (c), (d)]"),
    ]
    assert (second.citation, second.heading) == ("Article 1(3)", "")
    assert [line.citation for line in first.lines if line.items] == [item.citation for item in first.items]


def test_text_shows_a_block_like_this() -> None:
    summary = summary_of(read(LISTS, language="en"), P, f"{P}.pt-a", f"{P}.pt-b", f"{P}.pt-b.pt-ii", f"{P}.pt-b.pt-iii")
    assert summary.to_text().split("\n\n")[1].splitlines() == [
        "Article 1(1) · Scope",
        "    1. This Regulation covers:",
        "        (a) honey bees;",
        "        (b) wild bees, which are:",
        "            [… 1 more point: (i)]",
        "            (ii) mason bees;",
        "            (iii) leafcutter bees;",
        "        [… 2 more points: (c), (d)]",
    ]
    assert summary.to_markdown().split("\n\n")[2:5] == [
        "**Article 1(1)** · Scope",
        "1\\. This Regulation covers:",
        "\n".join(
            [
                *("- (a) honey bees;", "- (b) wild bees, which are:", "  - \\[… 1 more point: (i)\\]"),
                *("  - (ii) mason bees;", "  - (iii) leafcutter bees;", "- \\[… 2 more points: (c), (d)\\]"),
            ]
        ),
    ]


def test_the_plain_text_of_a_summary_has_no_marks() -> None:
    summary = summary_of(read(LISTS, language="en"), P, f"{P}.pt-a")
    assert summary.text == "1. This Regulation covers:\n(a) honey bees;"
    assert "[… 3 more points: (b)–(d)]" in summary.to_text()


@pytest.mark.parametrize("format", ["text", "md", "html"])
def test_with_headings_of_groups_blocks_are_the_same(format: str) -> None:
    summary = summary_of(read(LISTS, language="en"), P, f"{P}.pt-a")
    grouped = render_file(summary, format, group=True).decode().replace("\\", "")
    assert "Key points" in grouped
    assert "[… 3 more points: (b)–(d)]" in grouped
    assert grouped.count(">Article 1(1)<" if format == "html" else "Article 1(1)") == 1


def test_sentences_left_out_are_marked_within_the_paragraph() -> None:
    act = read(f"Article 1\n\n1. {SENTENCES}\n\n2. Bees are free.", language="en")
    (block,) = summary_of(act, f"{P}.s-1", f"{P}.s-3").blocks()
    (line,) = block.lines
    assert line.text == f"{act[f'{P}.s-1'].text} […] {act[f'{P}.s-3'].text} […]"
    assert [isinstance(piece, Mark) for piece in line.pieces] == [False, True, False, True]
    assert block.citation == "Article 1(1)"
    (block,) = summary_of(act, f"{P}.s-1", f"{P}.s-2").blocks()
    assert block.citation == "Article 1(1), first and second sentences"


def test_subparagraphs_stand_beside_the_first_and_are_cited_with_it() -> None:
    act = read(LISTS, language="en")
    (block,) = summary_of(act, "art-2", "art-2.sub-3").blocks()
    assert block.citation == "Article 2"
    assert shown(block) == [(0, "Hives shall be registered."), (0, "[…]"), (0, "Hives in gardens shall be painted.")]
    (block,) = summary_of(act, "art-2.sub-3").blocks()
    assert block.citation == act["art-2.sub-3"].citation


def test_recitals_are_blocks_of_their_own() -> None:
    text = "Decision\nWhereas:\n(1) Bees fly.\n(2) Bees sting.\nHAS ADOPTED THIS DECISION:\nArticle 1\nBees are free."
    blocks = summary_of(read(text, language="en"), "rec-1", "rec-2").blocks()
    assert [(block.citation, block.text) for block in blocks] == [
        ("Recital 1", "(1) Bees fly."),
        ("Recital 2", "(2) Bees sting."),
    ]


def test_quoted_text_is_nested_below_its_instruction() -> None:
    text = """Article 1
Regulation (EU) 2021/9900 is amended as follows:
(1) Article 3 is replaced by the following:
‘Article 3
Hives
1. Hives shall be registered.
2. Hives shall be labelled.’;
(2) Article 4 is deleted."""
    act = read(text, language="en")
    quoted = next(unit.id for unit in act if ".q" in unit.id and "registered" in unit.text)
    (block,) = summary_of(act, "art-1", "art-1.pt-1", quoted).blocks()
    levels = {item.id: line.level for line in block.lines for item in line.items}
    assert levels["art-1"] == 0 < levels["art-1.pt-1"] < levels[quoted]
    assert shown(block)[-1] == (1, "[… 1 more point: (2)]")
    assert any(text == "[…]" for _, text in shown(block))


def test_a_table_stands_beside_the_text_it_belongs_to() -> None:
    text = "Article 1\nBees are free.\nANNEX I\nFees\nHives | Fee in euro |\n1 to 5 | 10 |"
    summary = summarize(read(text, language="en"), words=500, focus="with-tables")
    line = next(line for block in summary.blocks() for line in block.lines if line.rows)
    assert line.citation == "Annex I, table 1"
    assert len(line.rows) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_marks_are_in_the_language_of_the_act(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    summary = summary_of(act, "art-2", "art-2.pt-1")
    (cut,) = summary.cuts
    mark = mark_of(act, cut)
    assert mark.startswith(phrases(language).more_points(cut.count)[:-1])
    for format in ("text", "md", "html"):
        assert mark in render_file(summary, format).decode().replace("\\", "")
    assert mark in "\n".join(line.text for block in summary.blocks() for line in block.lines)


def test_json_names_what_is_left_out_and_keeps_items_as_they_are() -> None:
    summary = summary_of(read(LISTS, language="en"), P, f"{P}.pt-a")
    data = json.loads(summary.to_json())
    assert [item["id"] for item in data["extract"]] == [P, f"{P}.pt-a"]
    assert data["left_out"] == [
        {
            **{"parent": P, "after": f"{P}.pt-a", "ids": [f"{P}.pt-b", f"{P}.pt-c", f"{P}.pt-d"]},
            **{"count": 3, "kind": "points"},
            "citations": ["Article 1(1)(b)", "Article 1(1)(c)", "Article 1(1)(d)"],
        }
    ]


@given(st.data())
def test_every_item_is_in_one_block_once_and_every_cut_is_marked_once(examples: Path, data: st.DataObject) -> None:
    act = read(examples / "short" / "en.txt") if data.draw(st.booleans()) else read(LISTS, language="en")
    chosen = data.draw(st.sets(st.sampled_from(range(len(act)))))
    summary = summary_of(act, *(act.units[place].id for place in chosen)) if chosen else Summary(act, 9, ())
    blocks = summary.blocks()
    assert [item for block in blocks for item in block.items] == list(summary)
    marks = [piece.cut for b in blocks for line in b.lines for piece in line.pieces if isinstance(piece, Mark)]
    assert sorted(marks, key=summary.cuts.index) == list(summary.cuts)
    for block in blocks:
        assert block.lines[0].level == 0
        assert block.citation
        assert block.lines[0].items


def test_a_notebook_shows_the_blocks_and_nothing_of_an_act_runs() -> None:
    summary = summary_of(read(LISTS.replace("honey", "<b>honey</b>"), language="en"), P, f"{P}.pt-a")
    html = summary._repr_html_()
    assert "<strong>Article 1(1) · Scope</strong>" in html
    assert '<p style="margin-left: 2em">[… 3 more points: (b)–(d)]</p>' in html
    assert "&lt;b&gt;honey" in html
