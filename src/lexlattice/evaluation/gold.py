r"""Gold annotations of acts, and the units at their places.

A place is a range of words (`\w+`) of the text that an act was read from, so it does not depend on how the act is
divided into units.

Examples:
    >>> from lexlattice import read
    >>> act = read("Article 1\n1. Keepers shall register.\n2. Registration is free.", language="en")
    >>> [act.units[i].id for i in units_at(act, 2, 6)]
    ['art-1.par-1']
"""

from __future__ import annotations

import hashlib
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
from lexlattice.errors import DataError
from lexlattice.multilingual.alignment import align

WORD: Final = re.compile(r"\w+")
"""A word, as places count them."""
_FOLDERS: Final = (Path(__file__).parent / "annotations", Path(__file__).resolve().parents[3] / "data" / "gold")
FOLDER: Final = next(filter(Path.is_dir, _FOLDERS), _FOLDERS[0])
"""The annotations that come with the package: inside it once it is installed, beside it in a clone."""
SPLITS: Final = ("train", "validation")


class Place(NamedTuple):
    """A range of words of a text; `end` is exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Point:
    """A statement of the official summary about an act."""

    text: str
    """In the annotator's words."""
    weight: int
    """From 1 (a detail) to 3 (what the act is about)."""
    places: tuple[Place, ...]
    """Where the act states it; empty if it does not."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The annotation of one act: what matters in it, by place."""

    celex: str
    language: str
    words: int
    """The budget of the extract."""
    points: tuple[Point, ...]
    extract: tuple[Place, ...]
    """The best extract within the budget, most important places first."""

    @property
    def places(self) -> tuple[Place, ...]:
        """All distinct, non-empty places of points and extract, in document order."""
        stated = {place for point in self.points for place in point.places}
        return tuple(place for place in sorted(stated | set(self.extract)) if place.start < place.end)


def gold_file(name: str | Path) -> Path:
    """The path of a file of annotations; the project's own are named by their split, `train` or `validation`."""
    path = FOLDER / f"{name}.jsonl" if str(name) in SPLITS else Path(name)
    if not path.is_file():
        raise DataError(f"There are no gold annotations at '{path}'; name a JSON Lines file.")
    return path


class Edition(NamedTuple):
    """Which annotations these are, for tables."""

    name: str
    """The split of the project's own annotations, or the name of the file."""
    version: str
    """Empty for annotations of others."""
    sha256: str
    """Of the file."""
    acts_sha256: str
    """Of the texts that were annotated (`texts_digest`); empty for annotations of others."""


def edition(name: str | Path) -> Edition:
    """The edition of a file of annotations, or of a split of the project's own."""
    path = gold_file(name)
    # A clone on Windows may have other line ends.
    digest = hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    known = json.loads((FOLDER / "version.json").read_text("utf-8"))
    if str(name) not in SPLITS:
        return Edition(path.name, "", digest, "")
    is_changed = digest != known["annotations"][name]
    return Edition(str(name), known["version"] + " (changed)" * is_changed, digest, known["acts"][name])


def texts_digest(texts: Mapping[str, str]) -> str:
    """The SHA-256 of the words of acts, given by CELEX number: places are valid for texts with the same words."""
    lines = (f"{celex} {' '.join(WORD.findall(texts[celex]))}\n" for celex in sorted(texts))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def load_gold(path: str | Path) -> Iterator[Gold]:
    """Read annotations from a JSON Lines file with one act per row, or from a split of the project's own.

    Args:
        path: A file, or `train` or `validation`.

    Raises:
        DataError: The file does not exist, or a row is not an annotation.

    """
    path = gold_file(path)
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _gold(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DataError(f"Row {number} of '{path}' is not a gold annotation; check the file.") from error


def _gold(row: Mapping[str, object]) -> Gold:
    places = {str(name): Place(*map(int, span)) for name, span in row["places"].items()}  # type: ignore[attr-defined]
    points = tuple(
        Point(str(point["point"]), int(point["weight"]), tuple(places[name] for name in point["units"]))
        for point in row["points"]  # type: ignore[attr-defined]
    )
    extract = tuple(places[name] for name in row["extract"])  # type: ignore[attr-defined]
    return Gold(str(row["celex_id"]), str(row["language"]), int(str(row["words"])), points, extract)


class Places:
    """Maps places to the units of one act.

    Args:
        act: The act.
        reference: The text that the act was read from. It is needed where reading joins or splits words: at control
            characters, and where paragraphs were run together.

    """

    def __init__(self, act: Act, reference: str | None = None) -> None:
        self.act = act
        self._spans = [match.span() for match in WORD.finditer(act.source)]
        if reference is not None and WORD.findall(reference) != [act.source[a:b] for a, b in self._spans]:
            self._spans = _aligned(reference, act.source)
        self._starts = [unit.start for unit in act.units]
        self._ends = [unit.end for unit in act.units]

    def owners(self) -> NDArray[np.int64]:
        """For each word of the text, the index in `act.units` of the unit in which it begins; −1 for none."""
        starts = np.array([start for start, _ in self._spans], dtype=np.int64)
        if not self._starts:
            return np.full(len(starts), -1)
        found = np.searchsorted(self._starts, starts, side="right") - 1
        return np.where((found >= 0) & (starts < np.asarray(self._ends)[found]), found, -1)

    def span(self, place: Place) -> tuple[int, int]:
        """The range of characters of a non-empty place in the act's source."""
        if not 0 <= place.start < place.end <= len(self._spans):
            raise DataError(
                f"The act has {len(self._spans):,} words, but none at {place.start}–{place.end}; check the annotation."
            )
        return self._spans[place.start][0], self._spans[place.end - 1][1]

    def units(self, place: Place) -> list[int]:
        """The indices in `act.units` of the units that overlap with a place."""
        if place.start == place.end:
            return []
        start, end = self.span(place)
        return list(range(bisect_right(self._ends, start), bisect_left(self._starts, end)))

    def before(self, place: Place) -> str | None:
        """The text of the place's first unit before the place; None if its first word is in no unit."""
        start, _ = self.span(place)
        index = bisect_right(self._starts, start) - 1
        return self.act.source[self._starts[index] : start] if index >= 0 and start < self._ends[index] else None

    def after(self, place: Place) -> str | None:
        """The text of the place's last unit after the place; None if its last word is in no unit."""
        _, end = self.span(place)
        index = bisect_left(self._starts, end) - 1
        return self.act.source[end : self._ends[index]] if index >= 0 and end <= self._ends[index] else None

    def begins(self, place: Place) -> bool:
        """Whether a unit begins with a place's first word."""
        before = self.before(place)
        return before is not None and not WORD.search(before)

    def ends(self, place: Place) -> bool:
        """Whether a unit ends with a place's last word."""
        after = self.after(place)
        return after is not None and not WORD.search(after)


def units_at(act: Act, start: int, end: int, reference: str | None = None) -> list[int]:
    """The indices in `act.units` of the units at words `start` to `end` of the text; for many places use `Places`."""
    return Places(act, reference).units(Place(start, end))


def _aligned(reference: str, source: str) -> list[tuple[int, int]]:
    """The ranges of the reference's words in the source, aligned by letters: reading adds and drops no letter."""
    theirs, ours = _stream(reference), _stream(source)
    if [letter for letter, _ in theirs] != [letter for letter, _ in ours]:
        raise DataError("The act was not read from this text; give the text that was read.")
    places = [at for _, at in theirs]
    spans = []
    for match in WORD.finditer(reference):
        first, last = bisect_left(places, match.start()), bisect_left(places, match.end()) - 1
        if first > last:  # only marks that reading drops or composes: use the place of the next letter
            first = last = min(first, len(ours) - 1)
        spans.append((ours[first][1], ours[last][1] + 1))
    return spans


def _stream(text: str) -> list[tuple[str, int]]:
    """Characters with their places, without those that reading may change: white space, controls, diacritics."""
    return [
        (letter, at)
        for at, character in enumerate(text)
        for letter in unicodedata.normalize("NFD", character)
        if not letter.isspace() and unicodedata.category(letter) not in ("Cc", "Cf", "Mn")
    ]


# Projection of annotations onto another version of an act: another language, or another file

_MIN_SHARE: Final = 0.5
"""The share of a unit's words that a place must contain for the unit to belong to it."""


def project_gold(gold: Gold, source: Act, target: Act, reference: str | None = None) -> Gold:
    """Project an annotation onto another version of the act.

    Each place becomes the places of the whole units that correspond to its units; units without a counterpart are lost,
    and a point without any place counts as not stated by that version. The budget is scaled by the ratio of the
    versions' lengths, since the same provisions have more words in one language than in another.

    Args:
        gold: The annotation of `source`.
        source: The annotated version.
        target: The version to project onto.
        reference: The text that `source` was read from, whose words the places count; `source.source` by default.

    Returns:
        The annotation with places in the words of `target.source`.

    """
    pairs = align(source, target).pairs
    annotated = _AnnotatedVersion(source, reference)
    target_places = _unit_places(target)

    def projected(place: Place) -> list[Place]:
        names = {name for unit in annotated.units(place) for name in pairs.get(unit, ())}
        return sorted(target_places[name] for name in names if name in target_places)

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


class _AnnotatedVersion:
    """Finds the units of the annotated version that belong to a place."""

    def __init__(self, act: Act, reference: str | None) -> None:
        self._act = act
        self._owners = Places(act, reference).owners()
        self._sizes = np.bincount(self._owners[self._owners >= 0], minlength=len(act.units))

    def units(self, place: Place) -> list[str]:
        """The ids of the units that lie mostly inside a place; for a place inside one unit, that unit."""
        owners = self._owners[place.start : place.end]
        found, counts = np.unique(owners[owners >= 0], return_counts=True)
        most = found[counts >= _MIN_SHARE * self._sizes[found]]
        if not len(most) and len(found):
            most = found[np.argmax(counts, keepdims=True)]
        return [self._act.units[index].id for index in most]


def _unit_places(act: Act) -> dict[str, Place]:
    """The place of each unit that has words, in words of the act's source."""
    found, first, counts = np.unique(Places(act).owners(), return_index=True, return_counts=True)
    return {
        act.units[index].id: Place(start, start + count)
        for index, start, count in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True)
        if index >= 0
    }
