"""Acts that no legislator would write: put together from texts, and drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from lexlattice import Act
from lexlattice.act.document import SECTION_KINDS, UNIT_KINDS, Section, Unit

Rough = tuple[str, str, Sequence[str]]
"""Kind, heading and texts of a section."""

KIND_OF_UNIT = {"title": "title", "recitals": "recital", "notes": "note"}


def made(*sections: Rough, title: str = "", language: str = "en", kinds: Sequence[str] = ()) -> Act:
    """An act of these sections; `kinds` are those of its units, in turn."""
    done: list[Section] = []
    lines: list[str] = []
    start = 0
    for index, (kind, heading, texts) in enumerate(sections):
        units = []
        for position, text in enumerate(texts):
            name = f"sec-{index}.u-{position}"
            of_unit = kinds[len(lines) % len(kinds)] if kinds else KIND_OF_UNIT.get(kind, "paragraph")
            end = start + len(text)
            units.append(
                Unit(name, name, index, position, of_unit, "", name, text, start, end, len(text.split())),
            )
            lines.append(text)
            start = end + 1
        done.append(Section(index, kind, str(index), "", heading, (), tuple(units)))
    return Act("", title, "regulation", "", language, "provisions", tuple(done), (), "\n".join(lines))


words = st.sampled_from("the label shall be legible Label Ετικέτα пчела 5 2024 2023 — a(b) č ß".split())
texts = st.one_of(
    st.lists(words, max_size=8).map(" ".join),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12),
)
PROSE_KINDS = [kind for kind in UNIT_KINDS if kind != "table"]
"""Tables are left out of summaries, and shown otherwise than text."""
rough = st.tuples(st.sampled_from(SECTION_KINDS), texts, st.lists(texts, max_size=6))
acts = st.builds(
    lambda sections, title, language, kinds: made(*sections, title=title, language=language, kinds=kinds),
    st.lists(rough, min_size=1, max_size=5),
    texts,
    st.sampled_from(["en", "el", "bg", "xx", ""]),
    st.lists(st.sampled_from(PROSE_KINDS), max_size=5),
)
acts_with_units = acts.filter(lambda act: len(act) > 0)
