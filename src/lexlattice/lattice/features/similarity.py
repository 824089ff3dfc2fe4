"""Features from vectors: cosine similarities of units, paragraphs and sections with each other and the anchors."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from lexlattice.act.document import Act
from lexlattice.lattice.automaton import AT_ONCE
from lexlattice.lattice.features.position import Outline
from lexlattice.lattice.grid import Floats, Integers

_NEAREST: Final = 3
"""Recitals whose similarity is averaged."""


class Similarities(NamedTuple):
    """Cosine similarities, one column each, and the anchor vectors."""

    units: Floats
    sections: Floats
    anchors: Floats
    """Title, centroid of articles, centroid of recitals, first article."""


class Vectors(NamedTuple):
    """Vectors of an act, of unit length, or zero where there is no text."""

    units: Floats
    leads: Floats
    """Of the lead-in of each unit."""
    headings: Floats
    enclosing: Floats
    title: Floats


def similarities_of(act: Act, outline: Outline, vectors: Vectors, words: Floats, aim: int) -> Similarities:
    """Return all similarities of an act; `aim` is the section that says what it is for, or -1."""
    units, section_of = vectors.units, outline.section_of
    paragraphs = _normalized(_summed(units * words[:, None], outline.paragraph_of, len(outline.section_of_paragraph)))
    lengths = np.sqrt(np.bincount(outline.paragraph_of, words, len(paragraphs))).astype(np.float32)
    sections = _normalized(_summed(paragraphs * lengths[:, None], outline.section_of_paragraph, len(act.sections)))
    kinds = np.array([section.kind for section in act.sections])[outline.section_of_paragraph]
    groups = (kinds == "article", kinds == "recitals", outline.section_of_paragraph == aim)
    anchors = np.stack([vectors.title, *(_normalized(paragraphs[group].sum(0)) for group in groups)])
    recitals = paragraphs[groups[1]]
    nearest = _nearest(units, recitals)
    before = np.zeros(len(units), np.float32)
    before[1:] = _cosines(units[1:], units[:-1])
    of_units = [
        *(units @ anchors.T).T,
        *nearest.T,
        _cosines(units, sections[section_of]),
        _cosines(units, vectors.headings[section_of]),
        _cosines(units, paragraphs[outline.paragraph_of]),
        before,
        _cosines(units, vectors.leads),
    ]
    among, earlier = _among_articles(sections, outline.articles)
    of_sections = [
        vectors.headings @ vectors.title,
        _nearest(vectors.headings, recitals, nothing=-1)[:, 0],
        among,
        earlier,
        *(sections @ anchors[:3].T).T,
        _nearest(sections, recitals, nothing=-1)[:, 0],
        vectors.enclosing @ vectors.title,
        _cosines(vectors.headings, sections),
        vectors.headings @ anchors[1],
    ]
    return Similarities(_columns(of_units), _columns(of_sections), anchors.astype(np.float32))


def _nearest(some: Floats, recitals: Floats, nothing: float = 0) -> Floats:
    """Return the similarity with the nearest recital and the mean over the few nearest; `nothing` if there are none."""
    nearest = np.full((len(some), 2), nothing, np.float32)
    few = min(_NEAREST, len(recitals))
    for begin in range(0, len(some) if few else 0, AT_ONCE):
        near = some[begin : begin + AT_ONCE] @ recitals.T
        near.partition(len(recitals) - few, axis=1)  # moves the few largest to the end, unsorted: cheaper than a sort
        nearest[begin : begin + AT_ONCE, 0] = near[:, -few:].max(axis=1)
        nearest[begin : begin + AT_ONCE, 1] = near[:, -few:].mean(axis=1)
    return nearest


def _among_articles(sections: Floats, articles: Integers) -> tuple[Floats, Floats]:
    """Return the mean similarity of each article with all articles, and the largest with an earlier one."""
    among, earlier = np.zeros(len(sections), np.float32), np.zeros(len(sections), np.float32)
    vectors = sections[articles]
    for begin in range(0, len(articles), AT_ONCE):
        some = articles[begin : begin + AT_ONCE]
        alike = vectors[begin : begin + AT_ONCE] @ vectors.T
        among[some] = alike.mean(axis=1)
        # Row i of the block is article begin + i: below this diagonal are the articles before it.
        earlier[some] = np.tril(alike, begin - 1).max(axis=1)
    return among, earlier


def _summed(values: Floats, groups: Integers, count: int) -> Floats:
    """Sum the rows of each group; `groups` is sorted, so each group is one run."""
    sums = np.zeros((count, values.shape[1]), np.float32)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    if len(starts):
        sums[groups[starts]] = np.add.reduceat(values, starts, axis=0)
    return sums


def _normalized(vectors: Floats) -> Floats:
    """Scale to unit length; zero stays zero."""
    normalized: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)
    return normalized


def _cosines(some: Floats, others: Floats) -> Floats:
    cosines: Floats = np.einsum("ij,ij->i", some, others)
    return cosines


def _columns(columns: list[Floats]) -> Floats:
    return np.stack(columns, axis=1).astype(np.float32)
