"""The default profile: units are the smallest provisions a lawyer would cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.languages.grammar import HEAD, Grammar, fold
from lexlattice.reading.languages.sentences import sentences
from lexlattice.reading.structure.annexes import divide_annex, shortened
from lexlattice.reading.structure.footnotes import note_name, note_step
from lexlattice.reading.structure.lines import Headings, names_institution, shouts
from lexlattice.reading.structure.lists import Draft, Frame
from lexlattice.reading.structure.metadata import is_remark
from lexlattice.reading.structure.outline import Outline, outline
from lexlattice.reading.structure.quoted import divide_lines
from lexlattice.reading.structure.sections import Part
from lexlattice.reading.structure.source import distinguish, distinguish_wholes, lay_out, put_together

SENTENCES_FROM: Final = 40
"""Provisions of more words than this, without numbering inside, are divided at sentence ends."""


def read_provisions(document: Document, grammar: Grammar, split_from: int = SENTENCES_FROM) -> Act:
    """Read a document into an act of provisions; `split_from` 0 leaves long provisions whole."""
    plan = outline(document.blocks, grammar)
    document.warnings.extend(plan.warnings)
    bodies = [part for part in plan.parts if part.kind == "body" and not part.attachment]
    for n, part in enumerate(bodies, 1):
        part.prefix = "body" if n == 1 else f"body-{n}"
    drafts = [_divide(part, plan, grammar) for part in plan.parts]
    runs = ((draft.first, draft.last) for units in drafts for draft in units if draft.kind != "table")
    source, starts = lay_out(plan.lines, runs)
    names: dict[str, int] = {}
    wholes: dict[str, str] = {}
    built = [_build(units, source, starts, i, names, grammar, split_from, wholes) for i, units in enumerate(drafts)]
    sections = []
    for index, (part, units) in enumerate(zip(plan.parts, distinguish(built), strict=True)):
        heading = part.heading.replace("\n", " ")
        sections.append(Section(index, part.kind, part.number, part.label, heading, part.enclosing, units))
    act = put_together(document, plan, grammar, "provisions", sections, _furniture(plan, starts), source)
    return replace(act, wholes=distinguish_wholes(wholes, [section.units for section in sections]))


def _divide(part: Part, plan: Outline, grammar: Grammar) -> list[Draft]:
    """Units of one section, by what kind of section it is."""
    if part.kind == "title":
        return _title(part, plan)
    if part.kind == "recitals":
        return _recitals(part, plan, grammar)
    if part.kind == "preamble":
        return _preamble(part, plan, grammar)
    if part.kind == "notes":
        return _notes(part, plan)
    if part.kind == "article":
        number = part.number or "1"
        path = f"{part.prefix}art-{number}"
        cites = Cite(_within(part, grammar), "article", part.written or number)
        return divide_lines(part.lines, plan, grammar, Frame(path, cites, "paragraph", paragraphs=True))
    if part.kind == "annex":
        return divide_annex(part, plan, grammar, Frame(part.prefix, _annex_level(part), "paragraph"))
    if part.attachment and not part.number:
        frame = Frame(f"att-{part.attachment}", _attachment_level(part), "paragraph", counted=True)
        return divide_annex(part, plan, grammar, frame)
    if part.lead is not None:
        return _led(part, plan, grammar, part.lead)
    around = _annex_level(part.annex) if part.annex is not None else None
    if part.number:
        prefix = f"{part.annex.prefix}." if part.annex is not None else ""
        frame = Frame(f"{prefix}sec-{part.number}", Cite(around, "section", part.number), "paragraph")
    else:
        counts_through = not part.label and any(plan.marks[i] is not None for i in part.lines)
        name = shortened(part.label or part.heading) if part.prefix != "body" and not counts_through else ""
        around = Cite(None, "within", name) if name else None
        frame = Frame(part.prefix, around, "paragraph", text_level="body", counted=True)
    return divide_annex(part, plan, grammar, frame)


def _within(part: Part, grammar: Grammar) -> Cite | None:
    """What an article is cited within: an annex, an attached text, or nothing."""
    if part.annex is not None:
        return Cite(None, "within", cite(_annex_level(part.annex), grammar))
    return Cite(None, "within", cite(_attachment_level(part), grammar)) if part.attachment else None


def _attachment_level(part: Part) -> Cite:
    return Cite(None, "attachment", str(part.attachment))


def _led(part: Part, plan: Outline, grammar: Grammar, lead: int) -> list[Draft]:
    """A body whose points all hang from one sentence: "HEREBY RECOMMENDS THAT MEMBER STATES:"."""
    drafts = [Draft(lead, lead, part.prefix, "paragraph", "", Cite(None, "body", "1", 1))]
    frame = Frame(part.prefix, None, "paragraph", text_level="body", texts=1)
    return drafts + divide_lines([i for i in part.lines if i != lead], plan, grammar, frame)


def _annex_level(part: Part) -> Cite:
    if not part.prefix.startswith("anx"):
        return Cite(None, "division", part.name)
    return Cite(None, "annex", part.written) if part.number else Cite(None, "annex_sole")


def _title(part: Part, plan: Outline) -> list[Draft]:
    """The title is one provision: the title proper, then each bracketed remark ("Text with EEA relevance")."""
    drafts: list[Draft] = []
    cites = Cite(None, "title")
    for i in part.lines:
        remark = len(drafts) > 0 and is_remark(plan.lines[i])
        if drafts and not remark and drafts[-1].last == i - 1 and not is_remark(plan.lines[drafts[-1].first]):
            drafts[-1].last = i
        else:
            drafts.append(Draft(i, i, "title", "title", "", cites))
    return drafts


def _preamble(part: Part, plan: Outline, grammar: Grammar) -> list[Draft]:
    """One unit a citation; the name of the institution that acts may run over two lines."""
    level = Cite(None, "preamble")
    lines = [plan.lines[i] for i in part.lines[:3]]
    runs_over = len(lines) > 1 and shouts(lines[0]) and lines[0][-1].isalpha() and names_institution(lines[1])
    runs_over = runs_over and part.lines[1] == part.lines[0] + 1 and not any(map(names_institution, lines[2:]))
    firsts = [part.lines[0], *part.lines[2:]] if runs_over else part.lines
    opening = not grammar.opens("citation", fold(plan.lines[firsts[0]][:HEAD]))
    cites = [Cite(level, "visa", str(n), n) if n else level for n in range(1 - opening, len(firsts) + 1)]
    pairs = zip(firsts, cites, strict=False)
    drafts = [Draft(i, i, f"pre-{n}", "citation", "", cited) for n, (i, cited) in enumerate(pairs, 1)]
    drafts[0].last += runs_over
    return drafts


def _recitals(part: Part, plan: Outline, grammar: Grammar) -> list[Draft]:
    """Each recital is a small section of its own; without numbers, each line is a recital."""
    marks = [plan.marks[i] for i in part.lines]
    headings = Headings([plan.lines[i] for i in part.lines], marks)
    first = headings.first
    drafts: list[Draft] = []
    group: list[int] = []
    count = 0
    number = ""

    def close() -> None:
        if not group:
            return
        name = number or str(count)
        frame = Frame(f"rec-{name}", Cite(None, "recital", name), "recital")
        inner = (
            divide_lines(group, plan, grammar, frame) if not number else _numbered(group, plan, grammar, frame, number)
        )
        drafts.extend(inner)
        group.clear()

    for n, (i, mark) in enumerate(zip(part.lines, marks, strict=True)):
        if headings.has(n, count):
            plan.furniture[i] = "heading"
            continue
        if first is None:
            starts = (mark is None and i not in plan.quoted) or not group
        else:
            starts = (
                mark is not None
                and mark.style == first.style
                and not mark.quoted
                and (mark.value == count + 1 or (not group and mark.value > count))
            )
        if starts:
            close()
            count = mark.value if first is not None and mark is not None else count + 1
            number = mark.number if first is not None and mark is not None else ""
        group.append(i)
    close()
    return drafts


def _numbered(group: Sequence[int], plan: Outline, grammar: Grammar, frame: Frame, number: str) -> list[Draft]:
    """A numbered recital: its own number leads the first text, and lists inside hang below it."""
    bare = plan.marks[group[0]].end >= len(plan.lines[group[0]])  # type: ignore[union-attr]
    lead = 2 if bare and group[1:] and group[1] == group[0] + 1 else 1
    drafts = [Draft(group[0], group[lead - 1], frame.path, "recital", number, frame.cite)]
    if group[lead:]:
        drafts.extend(divide_lines(group[lead:], plan, grammar, Frame(frame.path, frame.cite, "recital", texts=1)))
    return drafts


def _notes(part: Part, plan: Outline) -> list[Draft]:
    """One unit a footnote; a line without a marker goes on with the footnote before it."""
    drafts: list[Draft] = []
    around = _annex_level(part.annex) if part.annex is not None else None
    for i in part.lines:
        line = plan.lines[i]
        mark = plan.marks[i]
        lone = bool(drafts) and drafts[-1].last == i - 1
        if lone and mark is None and not line.startswith(("(*", "*")):
            drafts[-1].last = i
            continue
        number = note_name(line, mark)
        name = number or str(len(drafts) + 1)
        drafts.append(Draft(i, i, part.prefix + note_step(name), "note", number, Cite(around, "note", name)))
    return drafts


def _build(
    drafts: Sequence[Draft],
    source: str,
    starts: Sequence[int],
    section: int,
    names: dict[str, int],
    grammar: Grammar,
    split_from: int,
    wholes: dict[str, str],
) -> list[Unit]:
    """Units with ids, citations and spans; long ones without inner numbering come in sentences.

    White space in the source is squeezed, so that a unit has one word more than it has spaces.
    """
    parents: set[str] | None = None
    units: list[Unit] = []
    for n, draft in enumerate(drafts):
        path, kind, number = draft.path, draft.kind, draft.number
        if kind == "title":
            provision, suffix = "title", f".s-{n + 1}" if len(drafts) > 1 else ""
        else:
            seen = names.get(path, 0)
            names[path] = seen + 1
            provision, suffix = f"{path}~{seen + 1}" if seen else path, ""
        start, end = starts[draft.first], starts[draft.last + 1] - 1
        text = source[start:end]
        words = text.count(" ") + 1 if kind != "table" else len(text.split())
        spans: list[tuple[int, int]] = []
        if words > split_from > 0 and kind not in ("title", "table"):
            parents = {other.path.rpartition(".")[0] for other in drafts} if parents is None else parents
            spans = sentences(text, grammar) if path not in parents else spans
        if len(spans) <= 1:
            citation = cite(draft.cite, grammar)
            unit_id = provision + suffix
            place = len(units)
            units.append(Unit(unit_id, provision, section, place, kind, number, citation, text, start, end, words))
            continue
        wholes[provision] = cite(draft.cite, grammar)
        for count, (a, b) in enumerate(spans, 1):
            citation = cite(Cite(draft.cite, "sentence", str(count), count), grammar)
            unit_id = f"{provision}.s-{count}"
            place, part = len(units), text[a:b]
            words, a, b = part.count(" ") + 1, start + a, start + b
            units.append(Unit(unit_id, provision, section, place, kind, number, citation, part, a, b, words))
    return units


def _furniture(plan: Outline, starts: Sequence[int]) -> list[Furniture]:
    """Neighbouring lines of one kind as one piece, except headings, which are one piece a line."""
    pieces: list[Furniture] = []
    last = -2
    for i in sorted(plan.furniture):
        kind = plan.furniture[i]
        start, end = starts[i], starts[i] + len(plan.lines[i])
        if pieces and last == i - 1 and pieces[-1].kind == kind and kind != "heading":
            pieces[-1] = Furniture(kind, pieces[-1].start, end)
        else:
            pieces.append(Furniture(kind, start, end))
        last = i
    return pieces
