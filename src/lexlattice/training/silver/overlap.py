"""Word overlap of summary sentences and units, weighted by inverse document frequency; and the layout of units.

Words are compared by their first letters, which works like a stemmer, but in any language.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.act.hierarchy import lead_ins
from lexlattice.training.silver.sentences import SummarySentence

Integers = NDArray[np.intp]

_PARAGRAPH: Final = re.compile(r"^.*?\.par-[^.]*")


class Layout(NamedTuple):
    """The section, paragraph and lead-in of each unit."""

    section: Integers
    paragraph: Integers
    """Index of the paragraph, or of the section if its paragraphs are not numbered."""
    lead_in: Integers
    """Index of the unit's lead-in; -1 for none."""


def layout_of(act: Act) -> Layout:
    """Compute the layout of an act."""
    units = act.units
    paragraphs: dict[tuple[int, str], int] = {}
    keys = [(unit.section, _paragraph_of(act, unit.section, unit.provision)) for unit in units]
    return Layout(
        np.array([unit.section for unit in units], np.intp),
        np.array([paragraphs.setdefault(key, len(paragraphs)) for key in keys], np.intp),
        np.array([-1 if lead is None else lead for lead in lead_ins(units)], np.intp),
    )


def _paragraph_of(act: Act, section: int, provision: str) -> str:
    """Return the id of the paragraph of an article; elsewhere the first two steps of the provision's id."""
    found = _PARAGRAPH.match(provision)
    if found:
        return found[0]
    return "" if act.sections[section].kind == "article" else ".".join(provision.split(".")[:2])


Floats = NDArray[np.float32]

PREFIX: Final = 6
"""Leading letters by which words are compared."""
_WORD: Final = re.compile(r"[^\W_]+")


def stems(text: str) -> list[str]:
    """Return the words of a text, cut to their first letters; numbers stay whole."""
    return [word if word[0].isdigit() else word[:PREFIX] for word in _WORD.findall(text.lower())]


class WordOverlap:
    """Overlap of the stems of each sentence with each unit, and with the unit's heading, paragraph and section.

    The matrices have columns only for words of the summary, but norms and lengths count all words of a text.
    """

    unit: list[Floats]
    """Recall with and without lead-in, precision, tf-idf cosine similarity, recall of bigrams and of numbers."""
    context: list[Floats]
    """Recall of the heading; cosine similarity to paragraph and section, and recall there."""
    unknown: Floats
    """Per sentence: the weighted share of words that the act does not contain."""

    def __init__(self, act: Act, sentences: Sequence[SummarySentence], layout: Layout) -> None:
        said = [stems(sentence.full) for sentence in sentences]
        units = [stems(unit.prose) for unit in act.units]
        idf = _idf(units)
        known = {word: n for n, word in enumerate(dict.fromkeys(word for words in said for word in words))}
        weights = np.array([idf.get(word, 0.0) for word in known], np.float32)
        self._present = _presence(said, known)
        self._weighted = self._present * weights
        self._squared = self._weighted * weights
        self._mass = np.maximum(self._weighted.sum(axis=1, keepdims=True), np.float32(1e-6))
        self._norm = np.sqrt(np.maximum((self._weighted**2).sum(axis=1, keepdims=True), np.float32(1e-6)))
        rarest = max(idf.values(), default=1.0)
        unseen = np.array([rarest * len(set(words) - idf.keys()) for words in said], np.float32)
        self.unknown = unseen / (unseen + self._mass[:, 0])
        own = _presence(units, known)
        norms = np.array([sum(idf[word] ** 2 for word in set(words)) for words in units], np.float32) ** 0.5
        bigrams = _presence_of_bigrams(said, units)
        numbers = np.array([word[0].isdigit() for word in known], np.float32)
        self.unit = [
            *self._with_lead_ins(own, norms, layout.lead_in),
            _recall(*bigrams),
            _recall(self._present * numbers, own),
        ]
        masses = np.array([sum(idf[word] for word in set(words)) for words in units], np.float32)
        self.unit[1:1] = [self._recall_in(own), (self._weighted @ own.T / np.maximum(masses, 1)).astype(np.float32)]
        self.context = [self._heading_recall(act, known, weights, idf, rarest)[:, layout.section]]
        for groups in (layout.paragraph, layout.section):
            self.context += [similarity[:, groups] for similarity in self._with_groups(own, norms, groups)]

    def _recall_in(self, texts: Floats) -> Floats:
        """Return the share of each sentence's weight that each text contains."""
        shares: Floats = self._weighted @ texts.T / self._mass
        return shares

    def _cosine(self, texts: Floats, norms: Floats) -> Floats:
        """Return the cosine similarity of TF-IDF vectors, with norms of at least 1 for short texts."""
        cosine: Floats = self._squared @ texts.T / self._norm / np.maximum(norms, np.float32(1))
        return cosine

    def _with_lead_ins(self, own: Floats, norms: Floats, lead_in: Integers) -> list[Floats]:
        """Return recall in units with their lead-ins, and cosine similarity to them."""
        listed = np.flatnonzero(lead_in >= 0)
        led, led_norms = own.copy(), norms.copy()
        led[listed] = np.maximum(own[listed], own[lead_in[listed]])
        led_norms[listed] = np.hypot(norms[listed], norms[lead_in[listed]])
        return [self._recall_in(led), self._cosine(led, led_norms)]

    def _with_groups(self, own: Floats, norms: Floats, groups: Integers) -> list[Floats]:
        """Return cosine similarity to the union of each group's units, and recall there."""
        together = np.zeros((int(groups.max(initial=-1)) + 1, own.shape[1]), np.float32)
        np.maximum.at(together, groups, own)
        squares = np.zeros(len(together), np.float32)
        np.add.at(squares, groups, norms**2)
        return [self._cosine(together, np.sqrt(squares)), self._recall_in(together)]

    def _heading_recall(
        self, act: Act, known: dict[str, int], weights: Floats, idf: dict[str, float], rarest: float
    ) -> Floats:
        """Return sentences × sections: the share of the heading's weight that the sentence contains."""
        headings = [stems(section.heading) for section in act.sections]
        masses = np.array([sum(idf.get(word, rarest) for word in set(words)) for words in headings], np.float32)
        recall = self._present @ (_presence(headings, known) * weights).T / np.maximum(masses, 1)
        return recall.astype(np.float32)


def _idf(units: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the inverse document frequency of each word, with units as documents."""
    frequency = Counter(word for words in units for word in set(words))
    return {word: math.log((len(units) + 1) / (count + 0.5)) for word, count in frequency.items()}


def _presence(texts: Sequence[Sequence[str]], known: dict[str, int]) -> Floats:
    """Return texts × words: 1 where the word occurs."""
    present = np.zeros((len(texts), len(known)), np.float32)
    for row, words in enumerate(texts):
        present[row, [known[word] for word in set(words) if word in known]] = 1
    return present


def _presence_of_bigrams(said: Sequence[Sequence[str]], units: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """Return the presence of the units' bigrams in sentences and in units."""
    first, second = ([[f"{a} {b}" for a, b in pairwise(words)] for words in texts] for texts in (said, units))
    everywhere = {bigram for words in second for bigram in words}
    known = {b: n for n, b in enumerate(dict.fromkeys(b for words in first for b in words if b in everywhere))}
    return _presence(first, known), _presence(second, known)


def _recall(sentences: Floats, units: Floats) -> Floats:
    """Return the share of each sentence's words that each unit contains; 0 for sentences without words."""
    shared: Floats = sentences @ units.T / np.maximum(sentences.sum(1, keepdims=True), 1.0)
    return shared
