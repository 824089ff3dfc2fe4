"""What the network sees of an act: features of its units and sections, and static vectors; nothing of any language."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from lexlattice.act import SECTION_KINDS, UNIT_KINDS, Act
from lexlattice.lattice.cells import Floats, Integers


class Encoder(Protocol):
    """Texts → vectors; the same for all 24 languages."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def encode(self, texts: list[str]) -> Floats:
        """A row for each text."""


class MeaningFeatures(NamedTuple):
    """The features of one act; those of units and sections are not scaled yet."""

    units: Floats
    sections: Floats
    section_of: Integers
    """The section of each unit."""
    vectors: Floats
    """Static vectors of the text of units."""
    leads: Floats
    """Of the lead-in that each unit hangs from; zero where there is none."""
    openings: Floats
    """Of the first words of each unit."""
    headings: Floats
    enclosing: Floats
    title: Floats
    anchors: Floats
    """Title, centroid of articles, centroid of recitals, first article: what the act is about."""
    references: Integers
    """Section that refers and section referred to, a row each."""
    paragraph_of: Integers
    """The paragraph of each unit, counted through the act."""


def features_of(act: Act, encoder: Encoder) -> MeaningFeatures:
    """All features of an act."""
    section_of = np.array([unit.section for unit in act.units], np.int64)
    vectors = _encoded(encoder, [unit.text for unit in act.units])
    kinds = [act.sections[section].kind for section in section_of]
    title = _encoded(encoder, [act.title])[0]
    firsts = [section.index for section in act.sections if section.kind == "article"][:1]
    groups = [
        *([kind == wanted for kind in kinds] for wanted in ("article", "recitals")),
        [section in firsts for section in section_of],
    ]
    return MeaningFeatures(
        _units(act),
        _sections(act),
        section_of,
        vectors,
        _leads(act, vectors),
        _encoded(encoder, [" ".join(unit.text.split()[:9]) for unit in act.units]),
        _encoded(encoder, [section.heading for section in act.sections]),
        _encoded(encoder, [" ".join(section.enclosing) for section in act.sections]),
        title,
        np.stack([title, *(_centroid(vectors, np.array(group, bool)) for group in groups)]),
        np.zeros((0, 2), np.int64),
        np.unique([".".join(unit.provision.split(".")[:2]) for unit in act.units], return_inverse=True)[1].reshape(-1),
    )


def _units(act: Act) -> Floats:
    rows = [
        [*(unit.kind == kind for kind in UNIT_KINDS), np.log1p(unit.words), place / len(act.units), unit.position]
        for place, unit in enumerate(act.units)
    ]
    return np.array(rows, np.float32).reshape(len(rows), len(UNIT_KINDS) + 3)


def _sections(act: Act) -> Floats:
    rows = [
        [*(section.kind == kind for kind in SECTION_KINDS), place / len(act.sections), np.log1p(len(section.units))]
        for place, section in enumerate(act.sections)
    ]
    return np.array(rows, np.float32).reshape(len(rows), len(SECTION_KINDS) + 2)


def _leads(act: Act, vectors: Floats) -> Floats:
    leads, latest = np.zeros_like(vectors), dict[str, int]()
    for index, unit in enumerate(act.units):
        if (lead := latest.get(unit.provision.rpartition(".")[0])) is not None:
            leads[index] = vectors[lead]
        latest[unit.provision] = index
    return leads


def _encoded(encoder: Encoder, texts: list[str]) -> Floats:
    vectors = np.zeros((len(texts), encoder.dimensions), np.float32)
    if present := [index for index, text in enumerate(texts) if any(map(str.isalnum, text))]:
        vectors[present] = encoder.encode([texts[index] for index in present])
    return vectors


def _centroid(vectors: Floats, chosen: np.ndarray) -> Floats:
    mean: Floats = vectors[chosen].sum(axis=0) / np.float32(max(1, chosen.sum()))
    return mean
