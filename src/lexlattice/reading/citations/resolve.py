"""Resolve citations to the ids of an act: "paragraph 2" in Article 5 is `art-5.par-2`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lexlattice.act.document import Section
from lexlattice.reading.citations.levels import Path, Step
from lexlattice.reading.citations.tokens import LOOKALIKES
from lexlattice.reading.citations.vocabulary import LAST
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.languages.numbering import canonical, from_roman, letter_value, to_letters

_STEMS: Final = {
    "article": "art",
    "annex": "anx",
    "recital": "rec",
    "part": "part",
    "title": "title",
    "chapter": "chapter",
    "section": "section",
    "paragraph": "par",
    "subparagraph": "sub",
    "point": "pt",
    "indent": "ind",
    "sentence": "s",
}
_SYNONYMS: Final = {"paragraph": ("pt", "sub"), "point": ("par",), "section": ("part", "pt"), "part": ("section", "pt")}
"""Other stems to try for a level: some acts and languages use the same word for different levels."""
_TRANSPARENT: Final = ("sub-", "part-", "section-", "chapter-", "title-", "hd-")
"""Steps that a citation can omit: "point (a) of paragraph 1" may be in its second subparagraph."""


def id_numbers(level: str, number: str) -> tuple[str, ...]:
    """The ways in which ids can write a number, the most likely first.

    >>> id_numbers("point", "γ"), id_numbers("point", "ii"), id_numbers("article", "5 bis"), id_numbers("annex", "iv")
    (('c', 'C'), ('ii', '2', 'II'), ('5a',), ('IV',))
    """
    if number == str(LAST):
        return ("last",)
    if number[:1].isdigit():
        written = "." in number or number[-1] == "o"  # "325o" is no ordinal any more
        return (number,) if written else (canonical(number),)
    if level != "point":
        return (canonical(number),)
    found = []
    value, roman = letter_value(number), from_roman(number.translate(LOOKALIKES))
    if value and (len(number) == 1 or not roman):
        found.append(to_letters(value))
    if roman:
        found += [number.translate(LOOKALIKES), str(roman)]
    return tuple(dict.fromkeys([*found, canonical(number)]))


def path_to_id(path: Path) -> str:
    """Write a path as an id, for an act that is not available.

    >>> path_to_id((("article", "5"), ("paragraph", "1"), ("point", "a")))
    'art-5.par-1.pt-a'
    """
    return ".".join(
        f"{_STEMS[level]}-{id_numbers(level, number)[0]}" if number else _STEMS[level] for level, number in path
    )


class ProvisionIndex:
    """The ids of an act, in which paths are looked up."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = frozenset(known)
        self._omitted: dict[str, list[str]] = {}
        """The children of each provision that citations omit."""
        self._through: dict[tuple[str, str], list[str]] = {}
        """By provision and step: the ids that end in that step, one level that citations omit below the provision."""
        self._divided: set[tuple[str, str]] = set()
        """Pairs of a provision and a stem: the provision has children with that stem."""
        for name in known:
            parent, _, step = name.rpartition(".")
            self._divided.add((parent, step.partition("-")[0]))
            if step.startswith(_TRANSPARENT):
                self._omitted.setdefault(parent, []).append(name)
            above, _, omitted = parent.rpartition(".")
            if omitted.startswith(_TRANSPARENT):
                self._through.setdefault((above, step), []).append(name)

    def resolve(self, path: Path, at: str) -> str:
        """Resolve a path that is mentioned in a provision.

        Args:
            path: The path, from the outermost level inwards.
            at: The id of the provision with the mention; relative citations such as "paragraph 2" start there.

        Returns:
            The id of the provision, empty if there is none.
        """
        level, number = path[0]
        enclosing = _enclosing(at)
        if level in ("article", "annex", "recital"):
            return self._outer(path, at, enclosing)
        if level in ("paragraph", "subparagraph", "point") and not number:
            return self._self(path, enclosing)
        if level == "subparagraph":
            holders = [name for name in enclosing if _last(name).startswith(("par-", "art-", "rec-"))]
            enclosing = [*holders, *(name for name in enclosing if name not in holders)]
            enclosing = [name for name in enclosing if not _last(name).startswith("sub-")]
        # The nearest enclosing provision wins, and exact levels win over synonyms.
        for strict in (True, False):
            for name in enclosing:
                found = self._walk(name, path, strict=strict)
                if found:
                    return found
        return ""

    def nearest(self, path: Path, at: str) -> str:
        """The nearest enclosing provision of a path, if the act is not divided as deeply as the path."""
        for end in range(len(path) - 1, 0, -1):
            enclosing = self.resolve(path[:end], at)
            if enclosing:
                level = path[end][0]
                stems = (_STEMS[level], *_SYNONYMS.get(level, ()))
                divided = any((enclosing, stem) in self._divided for stem in stems)
                return "" if divided or level in ("paragraph", "article") else enclosing
        return ""

    def _outer(self, path: Path, at: str, enclosing: list[str]) -> str:
        """Resolve a path from an article, annex or recital: of the same annex or attached act, or of the act itself."""
        level, number = path[0]
        if not number:
            stem = _STEMS[level]
            own = [name for name in enclosing if _last(name).startswith(stem)] + (["anx"] if level == "annex" else [])
            homes = [name for name in own if name in self.known]
            return self._deep(homes[-1] if level == "article" else homes[0], path[1:]) if homes else ""
        # Within an annex or attached act with articles of its own, "Article 5" is one of these.
        homes = [name for name in enclosing if name.startswith(("anx", "att-", "prot")) and "." not in name]
        readings = _readings(path)
        for home in [*homes, ""]:
            for reading in readings:
                for name in _alternatives(reading[0], strict=True):
                    full = f"{home}.{name}" if home else name
                    if full in self.known:
                        return self._deep(full, reading[1:])
        return ""

    def _self(self, path: Path, enclosing: list[str]) -> str:
        prefix = f"{_STEMS[path[0][0]]}-"
        own = next((name for name in enclosing if _last(name).startswith(prefix)), "")
        if not own and path[0][0] == "subparagraph":
            own = next((name for name in enclosing if _last(name).startswith("par-")), "")
        return self._deep(own, path[1:]) if own else ""

    def _deep(self, base: str, path: Path) -> str:
        return self._walk(base, path, strict=True) or self._walk(base, path, strict=False) if path else base

    def _walk(self, base: str, path: Path, *, strict: bool) -> str:
        """Follow a path inwards from a provision; a step can pass through levels that citations omit.

        `strict` requires the stem of the level itself; otherwise its synonyms are tried too.
        """
        if not path:
            return base
        for step in self._last_of(base, path[0]) or _alternatives(path[0], strict=strict):
            for name in self._steps(base, step):
                found = self._walk(name, path[1:], strict=strict)
                if found:
                    return found
        level, number = path[0]
        unnumbered = level == "paragraph" and not strict and f"{base}.sub-2" in self.known
        if number == "1" and base in self.known and (level == "subparagraph" or unnumbered):
            return self._walk(base, path[1:], strict=strict)
        if level == "sentence" and f"{base}.s-1" not in self.known:
            return self._walk(base, path[1:], strict=strict)
        return ""

    def _last_of(self, base: str, step: Step) -> list[str]:
        """The step for "the last indent": the highest number that exists."""
        level, number = step
        if number != str(LAST):
            return []
        stem = _STEMS[level]
        count = 1
        while f"{base}.{stem}-{count + 1}" in self.known:
            count += 1
        return [f"{stem}-{count}"]

    def _steps(self, base: str, step: str) -> Iterable[str]:
        direct = f"{base}.{step}"
        if direct in self.known:
            return (direct,)
        if "." not in step:
            return self._through.get((base, step), ())
        # A number with a stop in it looks like two steps.
        return (f"{child}.{step}" for child in self._omitted.get(base, ()) if f"{child}.{step}" in self.known)


def _alternatives(step: Step, *, strict: bool) -> list[str]:
    level, number = step
    stems = (_STEMS[level],) if strict else (_STEMS[level], *_SYNONYMS.get(level, ()))
    written = id_numbers(level, number) if number else ("",)
    if not strict and level == "paragraph" and not number[:1].isdigit():
        written = id_numbers("point", number)
    return [f"{stem}-{each}" if each else stem for stem in stems for each in written]


def _readings(path: Path) -> list[Path]:
    """The possible readings of a path: "Article 10.22" can be one number, and "Annex I B" can be Part B of Annex I."""
    level, number = path[0]
    if level == "article" and len(path) > 1 and path[1][0] == "paragraph" and number.isdigit():
        return [((level, f"{number}.{path[1][1]}"), *path[2:]), path]
    if level == "annex" and len(number) > 1 and not from_roman(number.translate(LOOKALIKES)) and number[-1].isalpha():
        return [path, ((level, number[:-1]), ("part", number[-1]), *path[1:])]
    return [path]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _enclosing(name: str) -> list[str]:
    """A provision and all that enclose it, innermost first.

    >>> _enclosing("art-5.par-1")
    ['art-5.par-1', 'art-5']
    """
    steps = name.split(".")
    return [".".join(steps[:end]) for end in range(len(steps), 0, -1)]


# --- parts, titles, chapters and sections -------------------------------------------------------------------

LEVELS: Final = ("part", "title", "chapter", "section")


class Divisions:
    """The divisions (parts, titles, chapters, sections) that enclose the articles of an act."""

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
        self._sets = {name: frozenset(enclosing) for name, enclosing in self._around.items()}

    def resolve(self, path: Path, at: str) -> list[str]:
        """The articles of a division that is mentioned in an article: "Section 2" is one of the same chapter."""
        wanted = [(level, canonical(number)) for level, number in path if level in LEVELS]
        if len(wanted) != len(path) or not self._around:
            return []
        own = self._around.get(at, ())
        level = wanted[0][0]
        outer = next((n for n, (kind, _) in enumerate(own) if kind == level), 0)
        for kept in range(outer, -1, -1):  # the nearest division first
            full = {*own[:kept], *wanted}
            found = [name for name, enclosing in self._sets.items() if full <= enclosing]
            if found:
                return found
        return []
