r"""Gold annotations of acts, and the units that stand at their places.

A place is a stretch of words (`\w+`) of the text an act was read from, so it holds however the act is divided.

>>> from lexlattice import read
>>> act = read("Article 1\n1. Keepers shall register.\n2. Registration is free.", language="en")
>>> [act.units[i].id for i in units_at(act, 2, 6)]
['art-1.par-1']
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError
from lexlattice.multilingual.alignment import align

WORD: Final = re.compile(r"\w+")
"""What places count."""
FOLDER: Final = Path(__file__).resolve().parents[3] / "data" / "gold"
"""Where the project keeps its annotations; installed packages do not have them."""
SPLITS: Final = ("train", "validation")


class Place(NamedTuple):
    """Words of a text, from the first to the one after the last."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Point:
    """Something the official summary says of an act."""

    text: str
    """In the annotator's own words."""
    weight: int
    """From 1, a detail, to 3, what the act is about."""
    places: tuple[Place, ...]
    """Where the act states it; none where it does not."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What matters in an act, by place."""

    celex: str
    language: str
    words: int
    """How long the extract may be."""
    points: tuple[Point, ...]
    extract: tuple[Place, ...]
    """The best extract within that length, most important first."""

    @property
    def places(self) -> tuple[Place, ...]:
        """All places of points and extract that hold a word, each once, in the order of the act."""
        stated = {place for point in self.points for place in point.places}
        return tuple(place for place in sorted(stated | set(self.extract)) if place.start < place.end)


def gold_file(name: str | Path) -> Path:
    """A file of annotations: the project's own by the name of its split, any other by its path."""
    path = FOLDER / f"{name}.jsonl" if str(name) in SPLITS else Path(name)
    if not path.is_file():
        raise LexLatticeError(f"There are no gold annotations at '{path}'; name a file of JSON Lines.")
    return path


def load_gold(path: str | Path) -> Iterator[Gold]:
    """The annotations in a file of JSON Lines, an act a row, or of a split of the project's own, such as `train`."""
    path = gold_file(path)
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _gold(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise LexLatticeError(f"Row {number} of '{path}' is no gold annotation; check the file.") from error


def _gold(row: Mapping[str, object]) -> Gold:
    places = {str(name): Place(*map(int, span)) for name, span in row["places"].items()}  # type: ignore[attr-defined]
    points = tuple(
        Point(str(point["point"]), int(point["weight"]), tuple(places[name] for name in point["units"]))
        for point in row["points"]  # type: ignore[attr-defined]
    )
    extract = tuple(places[name] for name in row["extract"])  # type: ignore[attr-defined]
    return Gold(str(row["celex_id"]), str(row["language"]), int(str(row["words"])), points, extract)


class Places:
    """The places of one act: which units stand there, and whether they begin and end there.

    `reference` is the text that the act was read from. It is needed where reading may have joined or parted words:
    at control characters, and where paragraphs had been run together.
    """

    def __init__(self, act: Act, reference: str | None = None) -> None:
        self.act = act
        self._spans = [match.span() for match in WORD.finditer(act.source)]
        if reference is not None and WORD.findall(reference) != [act.source[a:b] for a, b in self._spans]:
            self._spans = _aligned(reference, act.source)
        self._starts = [unit.start for unit in act.units]
        self._ends = [unit.end for unit in act.units]

    def owners(self) -> NDArray[np.int64]:
        """For each word of the text the index in `act.units` of the unit that it begins in; −1 where it is in none."""
        starts = np.array([start for start, _ in self._spans], dtype=np.int64)
        if not self._starts:
            return np.full(len(starts), -1)
        found = np.searchsorted(self._starts, starts, side="right") - 1
        return np.where((found >= 0) & (starts < np.asarray(self._ends)[found]), found, -1)

    def span(self, place: Place) -> tuple[int, int]:
        """A place as characters of the act's source; a place has a word at least."""
        if not 0 <= place.start < place.end <= len(self._spans):
            raise LexLatticeError(f"The act has {len(self._spans):,} words, and none at {place.start}–{place.end}.")
        return self._spans[place.start][0], self._spans[place.end - 1][1]

    def units(self, place: Place) -> list[int]:
        """The indexes in `act.units` of all that stand at least partly at a place; none where no unit has its words."""
        if place.start == place.end:
            return []
        start, end = self.span(place)
        return list(range(bisect_right(self._ends, start), bisect_left(self._starts, end)))

    def before(self, place: Place) -> str | None:
        """What a place leaves out at the head of its first unit; none if its first word is in no unit."""
        start, _ = self.span(place)
        index = bisect_right(self._starts, start) - 1
        return self.act.source[self._starts[index] : start] if index >= 0 and start < self._ends[index] else None

    def behind(self, place: Place) -> str | None:
        """What a place leaves out at the end of its last unit; none if its last word is in no unit."""
        _, end = self.span(place)
        index = bisect_left(self._starts, end) - 1
        return self.act.source[end : self._ends[index]] if index >= 0 and end <= self._ends[index] else None

    def begins(self, place: Place) -> bool:
        """Whether a unit begins with a place's first word."""
        before = self.before(place)
        return before is not None and not WORD.search(before)

    def ends(self, place: Place) -> bool:
        """Whether a unit ends with a place's last word."""
        behind = self.behind(place)
        return behind is not None and not WORD.search(behind)


def units_at(act: Act, start: int, end: int, reference: str | None = None) -> list[int]:
    """The indexes in `act.units` of what stands at words `start` to `end` of the text; `Places` does many at once."""
    return Places(act, reference).units(Place(start, end))


def _aligned(reference: str, source: str) -> list[tuple[int, int]]:
    """Where in the source the words of the reference are, letter by letter: reading adds and drops no letter."""
    theirs, ours = _stream(reference), _stream(source)
    if [letter for letter, _ in theirs] != [letter for letter, _ in ours]:
        raise LexLatticeError("The act was not read from this text; give the text of its file.")
    places = [at for _, at in theirs]
    spans = []
    for match in WORD.finditer(reference):
        first, last = bisect_left(places, match.start()), bisect_left(places, match.end()) - 1
        if first > last:  # nothing but marks that reading drops or composes: the word is where the next letter is
            first = last = min(first, len(ours) - 1)
        spans.append((ours[first][1], ours[last][1] + 1))
    return spans


def _stream(text: str) -> list[tuple[str, int]]:
    """Letters and signs with their places, without what reading may change: white space, controls, accents."""
    return [
        (letter, at)
        for at, character in enumerate(text)
        for letter in unicodedata.normalize("NFD", character)
        if not letter.isspace() and unicodedata.category(letter) not in ("Cc", "Cf", "Mn")
    ]


# Gold annotations of one version of an act, projected onto another: a second language, or another file of the act.

_MOST: Final = 0.5
"""The share of a unit's words that a place must have for the unit to belong to it."""


def project_gold(gold: Gold, source: Act, target: Act, reference: str | None = None) -> Gold:
    """The annotation with places in the words of `target.source`.

    Each place becomes the places of the units that correspond to its own, whole units only; what has no counterpart is
    lost: a point without any is one that the version does not state. The length is that of the annotation times the
    ratio of the versions' lengths, since the same provisions have more words in one language than in another.

    `reference` is the text that `source` was read from, whose words the places count; its own source if none.
    """
    pairs = align(source, target).pairs
    here = _Here(source, reference)
    there = _unit_places(target)

    def projected(place: Place) -> list[Place]:
        names = {name for unit in here.units(place) for name in pairs.get(unit, ())}
        return sorted(there[name] for name in names if name in there)

    return Gold(
        gold.celex,
        target.language,
        max(1, round(gold.words * target.words / max(1, source.words))),
        tuple(
            replace(point, places=tuple(dict.fromkeys(at for place in point.places for at in projected(place))))
            for point in gold.points
        ),
        tuple(dict.fromkeys(at for place in gold.extract for at in projected(place))),
    )


class _Here:
    """The annotated version: which of its units belong to a place."""

    def __init__(self, act: Act, reference: str | None) -> None:
        self._act = act
        self._owners = Places(act, reference).owners()
        self._sizes = np.bincount(self._owners[self._owners >= 0], minlength=len(act.units))

    def units(self, place: Place) -> list[str]:
        """The ids of units that are mostly at a place; of a place within a unit that unit."""
        owners = self._owners[place.start : place.end]
        found, counts = np.unique(owners[owners >= 0], return_counts=True)
        most = found[counts >= _MOST * self._sizes[found]]
        if not len(most) and len(found):
            most = found[np.argmax(counts, keepdims=True)]
        return [self._act.units[index].id for index in most]


def _unit_places(act: Act) -> dict[str, Place]:
    """Where each unit that has a word stands, in words of the act's source."""
    found, first, counts = np.unique(Places(act).owners(), return_index=True, return_counts=True)
    return {
        act.units[index].id: Place(start, start + count)
        for index, start, count in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True)
        if index >= 0
    }
