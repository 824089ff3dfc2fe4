"""From what a citation names to the ids of an act: "paragraph 2" in Article 5 is `art-5.par-2`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lexlattice.act.document import Section
from lexlattice.reading.citations.levels import Path, Step
from lexlattice.reading.citations.vocabulary import LAST
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.languages.numbering import canonical, from_roman, letter_value, to_letters

_NAMES: Final = {
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
_ALSO: Final = {"paragraph": ("pt", "sub"), "point": ("par",), "section": ("part", "pt"), "part": ("section", "pt")}
"""Levels that other acts, or other languages, name by the same word."""
_TRANSPARENT: Final = ("sub-", "part-", "section-", "chapter-", "title-", "hd-")
"""Steps that a citation may leave out: "point (a) of paragraph 1" for one of its second subparagraph."""
_LOOKALIKES: Final = str.maketrans("ιχνіхсм", "ixvixcm")


def numbers(level: str, number: str) -> tuple[str, ...]:
    """The notations that ids may have for a number, the likeliest first.

    >>> numbers("point", "γ"), numbers("point", "ii"), numbers("article", "5 bis"), numbers("annex", "iv")
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
    value, roman = letter_value(number), from_roman(number.translate(_LOOKALIKES))
    if value and (len(number) == 1 or not roman):
        found.append(to_letters(value))
    if roman:
        found += [number.translate(_LOOKALIKES), str(roman)]
    return tuple(dict.fromkeys([*found, canonical(number)]))


def described(path: Path) -> str:
    """A path as ids have it, for an act that is not at hand.

    >>> described((("article", "5"), ("paragraph", "1"), ("point", "a")))
    'art-5.par-1.pt-a'
    """
    return ".".join(
        f"{_NAMES[level]}-{numbers(level, number)[0]}" if number else _NAMES[level] for level, number in path
    )


class Places:
    """The ids of an act, to find places in."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = frozenset(known)
        self._children: dict[str, list[str]] = {}
        self._divided: set[tuple[str, str]] = set()
        """Provisions, each with a kind of steps that it is divided into."""
        for name in known:
            parent, _, step = name.rpartition(".")
            self._divided.add((parent, step.partition("-")[0]))
            if step.startswith(_TRANSPARENT):
                self._children.setdefault(parent, []).append(name)

    def resolve(self, path: Path, at: str) -> str:
        """The id of what a path names where it stands at a provision; empty if there is none."""
        level, number = path[0]
        around = _around(at)
        if level in ("article", "annex", "recital"):
            return self._outer(path, at, around)
        if level in ("paragraph", "subparagraph", "point") and not number:
            return self._self(path, around)
        if level == "subparagraph":
            holders = [name for name in around if _last(name).startswith(("par-", "art-", "rec-"))]
            around = [*holders, *(name for name in around if name not in holders)]
            around = [name for name in around if not _last(name).startswith("sub-")]
        for strict in (True, False):
            for name in around:
                found = self._walk(name, path, strict=strict)
                if found:
                    return found
        return ""

    def nearest(self, path: Path, at: str) -> str:
        """The provision around what a path names, where the text is not divided as far as that."""
        for end in range(len(path) - 1, 0, -1):
            around = self.resolve(path[:end], at)
            if around:
                level = path[end][0]
                stems = (_NAMES[level], *_ALSO.get(level, ()))
                divided = any((around, stem) in self._divided for stem in stems)
                return "" if divided or level in ("paragraph", "article") else around
        return ""

    def _outer(self, path: Path, at: str, around: list[str]) -> str:
        """A path that begins with an article, an annex or a recital, of the attached act it stands in or of the act."""
        level, number = path[0]
        if not number:
            stem = _NAMES[level]
            own = [name for name in around if _last(name).startswith(stem)] + (["anx"] if level == "annex" else [])
            homes = [name for name in own if name in self.known]
            return self._deep(homes[-1] if level == "article" else homes[0], path[1:]) if homes else ""
        homes = [name for name in around if name.startswith(("anx", "att-", "prot")) and "." not in name]
        readings = _readings(path)
        for home in [*homes, ""]:
            for reading in readings:
                for name in _alternatives(reading[0], strict=True):
                    full = f"{home}.{name}" if home else name
                    if full in self.known:
                        return self._deep(full, reading[1:])
        return ""

    def _self(self, path: Path, around: list[str]) -> str:
        prefix = f"{_NAMES[path[0][0]]}-"
        own = next((name for name in around if _last(name).startswith(prefix)), "")
        if not own and path[0][0] == "subparagraph":
            own = next((name for name in around if _last(name).startswith("par-")), "")
        return self._deep(own, path[1:]) if own else ""

    def _deep(self, base: str, path: Path) -> str:
        return self._walk(base, path, strict=True) or self._walk(base, path, strict=False) if path else base

    def _walk(self, base: str, path: Path, *, strict: bool) -> str:
        """Step by step inwards from a place; a step may pass through what citations leave out."""
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
        """Of "the last indent" the highest number there is."""
        level, number = step
        if number != str(LAST):
            return []
        stem = _NAMES[level]
        count = 1
        while f"{base}.{stem}-{count + 1}" in self.known:
            count += 1
        return [f"{stem}-{count}"]

    def _steps(self, base: str, step: str) -> Iterable[str]:
        direct = f"{base}.{step}"
        if direct in self.known:
            yield direct
            return
        for child in self._children.get(base, ()):
            if f"{child}.{step}" in self.known:
                yield f"{child}.{step}"


def _alternatives(step: Step, *, strict: bool) -> list[str]:
    level, number = step
    stems = (_NAMES[level],) if strict else (_NAMES[level], *_ALSO.get(level, ()))
    written = numbers(level, number) if number else ("",)
    if not strict and level == "paragraph" and not number[:1].isdigit():
        written = numbers("point", number)
    return [f"{stem}-{each}" if each else stem for stem in stems for each in written]


def _readings(path: Path) -> list[Path]:
    """What a path may mean: Article 10.22 of some agreements is one number, and Annex I B may be Part B of Annex I."""
    level, number = path[0]
    if level == "article" and len(path) > 1 and path[1][0] == "paragraph" and number.isdigit():
        return [((level, f"{number}.{path[1][1]}"), *path[2:]), path]
    if level == "annex" and len(number) > 1 and not from_roman(number.translate(_LOOKALIKES)) and number[-1].isalpha():
        return [path, ((level, number[:-1]), ("part", number[-1]), *path[1:])]
    return [path]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _around(name: str) -> list[str]:
    """A provision and all that is around it, innermost first.

    >>> _around("art-5.par-1")
    ['art-5.par-1', 'art-5']
    """
    steps = name.split(".")
    return [".".join(steps[:end]) for end in range(len(steps), 0, -1)]


# The parts, titles, chapters and sections that articles stand in: what "Chapter II" leads to.

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
