"""The features of an act that the network reads: of units and sections, and vectors; none depends on the language."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from lexlattice._internal.threads import one_blas_thread
from lexlattice.act.document import Act
from lexlattice.encoding.base import Encoder, vectors_of_units
from lexlattice.lattice.features.position import Outline, section_places, unit_places
from lexlattice.lattice.features.similarity import Vectors, similarities_of
from lexlattice.lattice.features.surface import unit_signs
from lexlattice.lattice.grid import Floats, Integers
from lexlattice.reading.article_references import article_references
from lexlattice.reading.roles import aim_of, defines_terms, own_articles

_OPENING: Final = 9
"""The first N words of a unit, which usually say who shall or may do what."""


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


@one_blas_thread()
def features_of(act: Act, encoder: Encoder) -> MeaningFeatures:
    """Compute all features of an act with the vectors of an encoder."""
    outline, references = Outline.of(act), article_references(act)
    texts = [unit.prose for unit in act.units]
    letters = np.array([len(text) for text in texts], np.float32)
    openings = [" ".join(text.split(maxsplit=_OPENING)[:_OPENING]) for text in texts]
    headings = [section.heading for section in act.sections]
    enclosing = [section.enclosing[-1] if section.enclosing else "" for section in act.sections]
    of_texts, of_openings, of_headings, of_enclosing, of_title = _encoded(
        encoder, texts, openings, headings, enclosing, [act.title]
    )
    leads = np.where((outline.lead_of >= 0)[:, None], of_texts[outline.lead_of], np.float32(0))
    vectors = Vectors(of_texts, leads, of_headings, of_enclosing, of_title[0])
    aim = next((unit.section for unit in aim_of(act, own_articles(act))), -1)
    defining = np.array([outline.article[s.index] >= 0 and defines_terms(s) for s in act.sections], np.float32)
    similarities = similarities_of(act, outline, vectors, letters, aim)
    units = [unit_places(act, outline, letters), unit_signs(act, references), similarities.units]
    sections = [
        section_places(act, outline, references, letters),
        _columns(_is(aim, act), defining),
        similarities.sections,
    ]
    return MeaningFeatures(
        np.concatenate(units, axis=1).astype(np.float32),
        np.concatenate(sections, axis=1).astype(np.float32),
        outline.section_of,
        vectors.units,
        vectors.leads,
        of_openings,
        vectors.headings,
        vectors.enclosing,
        vectors.title,
        similarities.anchors,
        references.distinct,
        outline.paragraph_of,
    )


def _is(section: int, act: Act) -> Floats:
    return np.asarray(np.arange(len(act.sections)) == section, np.float32)


def _columns(*columns: Floats) -> Floats:
    return np.stack(columns, axis=1)


def _encoded(encoder: Encoder, *groups: list[str]) -> list[Floats]:
    """Encode several lists of texts, each distinct text once; texts without a letter or digit get zero vectors."""
    # Row 0 is the zero vector; present texts get the rows after it.
    different = {text: 0 for texts in groups for text in texts}
    vectors = np.zeros((1 + len(different), encoder.dimensions), np.float32)
    if present := [text for text in different if any(map(str.isalnum, text))]:
        different |= zip(present, range(1, 1 + len(present)), strict=True)
        vectors[1 : 1 + len(present)] = vectors_of_units(encoder, present)
    return [vectors[[different[text] for text in texts]] for texts in groups]
