"""Pair features of summary sentences and units: words, vectors, headings and positions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.encoding.base import EmptyTextWarning
from lexlattice.training.silver.overlap import Layout, WordOverlap, layout_of
from lexlattice.training.silver.sentences import SummarySentence, in_act_vocabulary

Floats = NDArray[np.float32]
Integers = NDArray[np.intp]

_LEAD_IN: Final = 28
"""Words of a lead-in that are prepended to each of its points."""
_WORD: Final = re.compile(r"[^\W_]+")
_KINDS: Final = ("recitals", "annex", "body")
_FRAME: Final = ("title", "preamble", "notes")
_LAST_ARTICLES: Final = 3
_SHORT: Final = 5

PLACE_FEATURES: Final = (
    *("in recitals", "in an annex", "in a body", "in the frame", "is a table", "is a lead-in", "is listed"),
    *("log words", "is short", "begins its section", "begins its paragraph"),
)
PAIR_FEATURES: Final = (
    *("recall", "own recall", "precision", "tf-idf cosine", "bigram recall", "number recall"),
    *("vector cosine", "own vector cosine", "heading cosine", "headings cosine", "heading recall"),
    *("paragraph cosine", "paragraph recall", "section cosine", "section recall"),
    *PLACE_FEATURES,
    "distance in place",
    *("term × definition", "other × definition", "aim × first article", "aim × recitals"),
    *("dates × last articles", "dates × number", "other × last articles"),
)
SENTENCE_FEATURES: Final = (
    *("best recall", "best own recall", "best cosine", "best tf-idf", "best number", "unknown words"),
    *("log words", "aim", "dates", "terms", "has a lead-in", "runner-up"),
)


class TextEncoder(Protocol):
    """An encoder of texts into unit vectors."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one vector per text."""
        ...


class Pairs(NamedTuple):
    """The features of an act and its summary."""

    layout: Layout
    pairs: Floats
    """Sentences × units × `PAIR_FEATURES`."""
    places: Floats
    """Units × `PLACE_FEATURES`."""
    sentences: Floats
    """Sentences × `SENTENCE_FEATURES`."""
    lists: Integers
    """Index of the sentence's list; sentences outside lists have an index of their own."""
    headings: Integers
    """Index of the run of sentences under one heading."""


def pairs_of(act: Act, sentences: Sequence[SummarySentence], encoder: TextEncoder) -> Pairs:
    """Compute all features of an act and the sentences of its summary."""
    layout = layout_of(act)
    words = WordOverlap(act, sentences, layout)
    vectors = _vector_features(act, sentences, layout, encoder)
    columns = [*words.unit, *vectors, *words.context]
    stacked = np.stack(columns, axis=-1)
    places = _place_features(act, layout)
    repeated = np.broadcast_to(places, (len(sentences), *places.shape))
    return Pairs(
        layout,
        np.concatenate([stacked, repeated, _part_features(act, sentences, layout)], axis=-1),
        places,
        _sentence_features(sentences, stacked, words.unknown),
        _runs([(s.part, s.heading, s.lead_in) if s.lead_in else n for n, s in enumerate(sentences)]),
        _runs([(s.part, s.heading) for s in sentences]),
    )


def _vector_features(
    act: Act, sentences: Sequence[SummarySentence], layout: Layout, encoder: TextEncoder
) -> list[Floats]:
    """Return cosine similarities of sentences to units with and without lead-ins, and to their headings."""
    texts = [unit.prose for unit in act.units]
    led = [
        text if lead < 0 else " ".join([*texts[lead].split()[:_LEAD_IN], text])
        for text, lead in zip(texts, layout.lead_in.tolist(), strict=True)
    ]
    full, own, under, led_vectors, own_vectors, headings = (
        _vectors(encoder, some)
        for some in (
            [sentence.full for sentence in sentences],
            [in_act_vocabulary(sentence.text) for sentence in sentences],
            [in_act_vocabulary(sentence.heading) for sentence in sentences],
            led,
            texts,
            [section.heading for section in act.sections],
        )
    )
    return [
        full @ led_vectors.T,
        own @ own_vectors.T,
        (full @ headings.T)[:, layout.section],
        (under @ headings.T)[:, layout.section],
    ]


def _vectors(encoder: TextEncoder, texts: Sequence[str]) -> Floats:
    """Return the vectors of texts; zero for texts without words."""
    filled = [n for n, text in enumerate(texts) if _WORD.search(text)]
    with warnings.catch_warnings():  # texts of symbols only have no vector
        warnings.simplefilter("ignore", EmptyTextWarning)
        some = encoder.encode([texts[n] for n in filled] or ["0"])
    vectors = np.zeros((len(texts), some.shape[1]), np.float32)
    if filled:
        vectors[filled] = some
    return vectors


def _place_features(act: Act, layout: Layout) -> Floats:
    """Return the kind and position features of units."""
    units = act.units
    kinds = [act.sections[unit.section].kind for unit in units]
    leads = set(layout.lead_in.tolist())
    words = np.array([unit.words for unit in units])
    columns = [
        *(np.array([kind == name for kind in kinds]) for name in _KINDS),
        np.array([kind in _FRAME for kind in kinds]),
        np.array([unit.kind == "table" for unit in units]),
        np.array([index in leads for index in range(len(units))]),
        layout.lead_in >= 0,
        np.log1p(words),
        words < _SHORT,
        np.array([unit.position == 0 for unit in units]),
        np.diff(layout.paragraph, prepend=-1) != 0,
    ]
    return np.stack(columns, axis=-1).astype(np.float32)


def _part_features(act: Act, sentences: Sequence[SummarySentence], layout: Layout) -> Floats:
    """Return interactions of the parts of summary and act: aims × start, dates × end, terms × definitions."""
    units, sections = act.units, act.sections
    kinds = np.array([sections[unit.section].kind for unit in units])
    articles = [section.index for section in sections if section.kind == "article"]
    operative = ~np.isin(kinds, ("recitals", *_FRAME))
    place = np.cumsum(operative) / max(1, operative.sum())
    defined = {definition.unit for definition in act.definitions()}
    defines = np.array([unit.id in defined for unit in units])
    first, last = np.isin(layout.section, articles[:1]), np.isin(layout.section, articles[-_LAST_ARTICLES:])
    numbered = np.array([any(character.isdigit() for character in unit.prose) for unit in units])
    none = np.zeros(len(units), bool)
    rows = [
        np.stack(
            [
                np.abs(place - (number + 0.5) / len(sentences)),
                *((defines, none) if sentence.part == "terms" else (none, defines)),
                *((first, kinds == "recitals") if sentence.part == "aim" else (none, none)),
                *((last, last & numbered, none) if sentence.part == "dates" else (none, none, last)),
            ],
            axis=-1,
        )
        for number, sentence in enumerate(sentences)
    ]
    columns = len(PAIR_FEATURES) - PAIR_FEATURES.index("distance in place")
    return np.array(rows, np.float32).reshape(len(sentences), len(units), columns)


def _sentence_features(sentences: Sequence[SummarySentence], pairs: Floats, unknown: Floats) -> Floats:
    """Return features that tell whether any unit supports a sentence."""
    best = pairs.max(axis=1, initial=0.0)
    second = np.sort(pairs[:, :, 0], axis=1)[:, -2:-1] if pairs.shape[1] > 1 else np.zeros((len(sentences), 1))
    at = [
        PAIR_FEATURES.index(name)
        for name in ("recall", "own recall", "vector cosine", "tf-idf cosine", "number recall")
    ]
    rest = [
        [np.log1p(len(s.text.split())), s.part == "aim", s.part == "dates", s.part == "terms", bool(s.lead_in)]
        for s in sentences
    ]
    return np.concatenate(
        [best[:, at], unknown[:, None], np.array(rest, np.float32).reshape(len(sentences), 5), second], axis=1
    ).astype(np.float32)


def _runs(keys: Sequence[object]) -> Integers:
    """Return the index of the run of equal keys at each position."""
    return np.cumsum([n == 0 or key != keys[n - 1] for n, key in enumerate(keys)]).astype(np.intp)
