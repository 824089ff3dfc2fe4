"""From ranges of lines to the finished act: the source text, units with ids and citations, furniture, metadata."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from types import MappingProxyType
from typing import Final

from lexlattice.act.document import Act, Furniture, Section, Unit
from lexlattice.reading.citations.forms import Cite, cite
from lexlattice.reading.formats.blocks import Document
from lexlattice.reading.languages.grammar import Grammar
from lexlattice.reading.languages.sentences import sentences
from lexlattice.reading.structure.lists import ParsedUnit
from lexlattice.reading.structure.metadata import describe
from lexlattice.reading.structure.outline import Outline

_REPEATED: Final = re.compile(r"~(\d+)")
"""What tells two ids apart that would be the same: the "~2" of "art-5~2"."""


def join_lines(lines: Sequence[str], spans: Iterable[tuple[int, int]]) -> tuple[str, list[int]]:
    """Join the lines into the source text of the act.

    Lines of one unit are joined by a space and all others by a line break, so that each unit is a slice.

    Args:
        lines: The lines of the act.
        spans: First and last line of each unit.

    Returns:
        The source text, and the offset of each line in it with one more for the end.

    """
    separators = ["\n"] * len(lines)
    for first, last in spans:
        for i in range(first, last):
            separators[i] = " "
    starts = list(accumulate([len(line) + 1 for line in lines], initial=0))
    return "".join(chain.from_iterable(zip(lines, separators, strict=True)))[:-1], starts


class UnitBuilder:
    """Builds the units of an act, section by section: unique ids, citations, and sentences of long provisions."""

    def __init__(self, source: str, starts: Sequence[int], grammar: Grammar, split_from: int) -> None:
        self.source, self.starts, self.grammar, self.split_from = source, starts, grammar, split_from
        self.split_provisions: dict[str, str] = {}
        """The citation of each provision that was split into sentences."""
        self._paths: dict[str, int] = {}

    def build(self, parsed: Sequence[ParsedUnit], section: int) -> list[Unit]:
        """Build the units of one section.

        Args:
            parsed: The units as ranges of lines.
            section: The index of the section.

        """
        source, starts, grammar, split_from = self.source, self.starts, self.grammar, self.split_from
        units: list[Unit] = []
        parents: set[str] | None = None  # computed for the first long unit only: most sections have none
        for n, unit in enumerate(parsed):
            kind, number = unit.kind, unit.number
            if kind == "title":
                provision, suffix = "title", f".s-{n + 1}" if len(parsed) > 1 else ""
            else:
                provision, suffix = self._unique_path(unit.path), ""
            start, end = starts[unit.first], starts[unit.last + 1] - 1
            text = source[start:end]
            # White space is normalised except in tables, so a text has one word more than it has spaces.
            words = text.count(" ") + 1 if kind != "table" else len(text.split())
            spans: list[tuple[int, int]] = []
            if words > split_from > 0 and kind not in ("title", "table"):
                if parents is None:
                    parents = {other.path.rpartition(".")[0] for other in parsed}
                if unit.path not in parents:
                    spans = sentences(text, grammar)
            citation = cite(unit.cite, grammar)
            if len(spans) <= 1:
                unit_id, place = provision + suffix, len(units)
                units.append(Unit(unit_id, provision, section, place, kind, number, citation, text, start, end, words))
                continue
            self.split_provisions[provision] = citation
            for count, (a, b) in enumerate(spans, 1):
                citation = cite(Cite(unit.cite, "sentence", str(count), count), grammar)
                unit_id, place, sentence = f"{provision}.s-{count}", len(units), text[a:b]
                words, a, b = sentence.count(" ") + 1, start + a, start + b
                units.append(Unit(unit_id, provision, section, place, kind, number, citation, sentence, a, b, words))
        return units

    def _unique_path(self, path: str) -> str:
        """The path, with "~2" appended when it is used for the second time."""
        self._paths[path] = count = self._paths.get(path, 0) + 1
        return f"{path}~{count}" if count > 1 else path


def make_citations_unique(sections: Sequence[Sequence[Unit]]) -> list[tuple[Unit, ...]]:
    """Append "[2]" to the citation of a unit that is cited like an earlier one, and so on.

    Acts do number two provisions alike. Where an id says which of them a unit is, as "art-5~2" does, its citation
    has the same number.
    """
    counts = Counter(unit.citation for units in sections for unit in units)
    if len(counts) == sum(map(len, sections)):
        return [tuple(units) for units in sections]
    taken = set(counts)
    seen: set[str] = set()
    latest: Counter[str] = Counter()
    result = []
    for units in sections:
        renamed = []
        for unit in units:
            if unit.citation in seen:
                repeated = _REPEATED.search(unit.provision)
                number = int(repeated[1]) if repeated else max(2, latest[unit.citation] + 1)
                while (citation := f"{unit.citation} [{number}]") in taken:
                    number += 1
                latest[unit.citation] = max(number, latest[unit.citation])
                taken.add(citation)
                unit = unit._replace(citation=citation)
            seen.add(unit.citation)
            renamed.append(unit)
        result.append(tuple(renamed))
    return result


def make_provision_citations_unique(
    provisions: Mapping[str, str], sections: Sequence[Sequence[Unit]]
) -> dict[str, str]:
    """The citation of each provision that was split into sentences, different from that of any unit or other one."""
    taken = {unit.citation for units in sections for unit in units}
    result = {}
    for provision, citation in provisions.items():
        repeated = _REPEATED.search(provision)
        number, name = int(repeated[1]) if repeated else 2, citation
        while name in taken:
            name, number = f"{citation} [{number}]", number + 1
        taken.add(name)
        result[provision] = name
    return result


def collect_furniture(outline: Outline, starts: Sequence[int]) -> list[Furniture]:
    """The text outside all units; adjacent lines of one kind are one piece, except headings."""
    pieces: list[Furniture] = []
    previous = -2
    for i in sorted(outline.furniture):
        kind = outline.furniture[i]
        start, end = starts[i], starts[i] + len(outline.lines[i])
        if pieces and previous == i - 1 and pieces[-1].kind == kind and kind != "heading":
            pieces[-1] = Furniture(kind, pieces[-1].start, end)
        else:
            pieces.append(Furniture(kind, start, end))
        previous = i
    return pieces


def assemble_act(
    document: Document,
    outline: Outline,
    grammar: Grammar,
    profile: str,
    sections: Iterable[Section],
    furniture: Iterable[Furniture],
    source: str,
    wholes: Mapping[str, str] = MappingProxyType({}),
) -> Act:
    """Put an act together from its sections and the metadata found in the document."""
    facts = describe(document, outline, grammar)
    return Act(
        celex=facts.celex,
        title=facts.title,
        type=facts.type,
        date=facts.date,
        language=grammar.language,
        profile=profile,
        sections=tuple(sections),
        furniture=tuple(furniture),
        source=source,
        warnings=tuple(document.warnings) + facts.warnings,
        consolidated=facts.consolidated,
        consolidated_celex=facts.consolidated_celex,
        repealed=document.repealed,
        incomplete=facts.incomplete,
        wholes=dict(wholes),
    )
