"""The parts, titles, chapters and sections that articles stand in: what "Chapter II" leads to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lexlattice.act import Section
from lexlattice.reading.grammar import load
from lexlattice.reading.groups import Path
from lexlattice.reading.numbering import canonical

LEVELS: Final = ("part", "title", "chapter", "section")


class Divisions:
    """The divisions around the articles of an act."""

    def __init__(self, sections: Iterable[Section], language: str) -> None:
        grammar = load(language)
        known: dict[str, tuple[str, str]] = {}
        self._around: dict[str, tuple[tuple[str, str], ...]] = {}
        """The divisions of each article, outermost first."""
        for section in sections:
            if section.kind != "article" or not section.enclosing:
                continue
            for text in section.enclosing:
                if text not in known:
                    header = grammar.header(text)
                    known[text] = (header.kind, header.number) if header is not None else ("", "")
            self._around[section.id] = tuple(known[text] for text in section.enclosing)

    def resolve(self, path: Path, at: str) -> list[str]:
        """The articles in what a path names, seen from an article; a section is one of the same chapter."""
        wanted = [(level, canonical(number)) for level, number in path if level in LEVELS]
        if len(wanted) != len(path) or not self._around:
            return []
        own = self._around.get(at, ())
        level = wanted[0][0]
        outer = next((n for n, (kind, _) in enumerate(own) if kind == level), 0)
        for kept in range(outer, -1, -1):  # as near as possible
            full = [*own[:kept], *wanted]
            found = [name for name, around in self._around.items() if all(step in around for step in full)]
            if found:
                return found
        return []
