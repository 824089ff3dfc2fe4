"""Lines of a section that share one numbering → units: lists, quotations, and the notes and tables among them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import zip_longest

from lexlattice.reading.citations import Cite
from lexlattice.reading.grammar import Grammar
from lexlattice.reading.lists import Draft, Frame
from lexlattice.reading.note_signs import note_names, note_step
from lexlattice.reading.outline import Outline
from lexlattice.reading.quoted import divide_quoted, name_quotation
from lexlattice.reading.units import divide


def divide_lines(
    lines: Sequence[int],
    plan: Outline,
    grammar: Grammar,
    frame: Frame,
    titles: Container[int] = (),
    titled: Container[int] = (),
) -> list[Draft]:
    """Units of a section's lines; footnotes and tables among them are units of their own and interrupt no list.

    `titles` are headings whose number counts but which are no units, `titled` points that are headings of texts.
    """
    notes = [i for i in lines if i in plan.notes] if plan.notes else []
    rows = [i for i in lines if i in plan.tables] if plan.tables else []
    if notes or rows:
        lines = [i for i in lines if i not in plan.notes and i not in plan.tables]

    def quoter(first: int, path: str, cite: Cite | None, count: int) -> list[Draft]:
        last = plan.quotations[first]
        inside = [i for i in lines if first <= i <= last]
        return divide_quoted(inside, plan, grammar, *name_quotation(path, cite, count))

    texts, marks = [plan.lines[i] for i in lines], [plan.marks[i] for i in lines]
    drafts = divide(texts, lines, marks, frame, titles=titles, titled=titled, quotes=plan.quotations, quoter=quoter)
    found = _notes(notes, plan)
    names = note_names([plan.lines[i] for i, _ in found], [plan.marks[i] for i, _ in found])
    for n, (name, (first, last)) in enumerate(zip(names, found, strict=True), 1):
        cites = Cite(frame.cite, "note", name, n)
        drafts.append(Draft(first, last, f"{frame.path}.{note_step(name)}", "note", "", cites))
    for n, (first, last) in enumerate(_tables(rows, plan.tables), 1):
        cites = Cite(frame.cite, "table", str(n), n)
        drafts.append(Draft(first, last, f"{frame.path}.tbl-{n}", "table", "", cites))
    return sorted(drafts, key=lambda draft: draft.first) if notes or rows else drafts


def _notes(lines: Sequence[int], plan: Outline) -> list[tuple[int, int]]:
    """First and last line of each footnote; a line without a sign goes on with the one before it that has one."""
    notes: list[tuple[int, int]] = []
    for i in lines:
        goes_on = bool(notes) and notes[-1][1] == i - 1 and _has_sign(notes[-1][0], plan) and not _has_sign(i, plan)
        if goes_on:
            notes[-1] = (notes[-1][0], i)
        else:
            notes.append((i, i))
    return notes


def _has_sign(i: int, plan: Outline) -> bool:
    """Whether a number or an asterisk leads a line."""
    return plan.marks[i] is not None or plan.lines[i].startswith(("(*", "*"))


def _tables(rows: Sequence[int], numbers: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """First and last line of each table: rows that follow one another and have the same number."""
    first = None
    for row, following in zip_longest(rows, rows[1:]):
        first = row if first is None else first
        if following != row + 1 or numbers[following] != numbers[row]:
            yield first, row
            first = None
