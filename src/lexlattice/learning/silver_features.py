"""How sentences of a summary and units of an act resemble each other: words, vectors, headings, place.

Words are compared by their first letters, which does for endings in any language what a stemmer does for one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act
from lexlattice.learning.summary_sentences import SummarySentence, in_words_of_acts
from lexlattice.selection import lead_ins

Floats = NDArray[np.float32]
Integers = NDArray[np.intp]

PREFIX: Final = 6
"""Letters by which words are compared."""
_LEAD_IN: Final = 28
"""Words of a lead-in that count for each of its points."""
_WORD: Final = re.compile(r"[^\W_]+")
_PARAGRAPH: Final = re.compile(r"^.*?\.par-[^.]*")
_KINDS: Final = ("recitals", "annex", "body")
_FRAME: Final = ("title", "preamble", "notes")
_LAST_ARTICLES: Final = 3
_SHORT: Final = 5
_NEAR: Final = 2
"""Sentences on each side whose choice supports a sentence's."""

PAIR_FEATURES: Final = (
    *("recall", "own recall", "precision", "tf-idf cosine", "bigram recall", "number recall"),
    *("vector cosine", "own vector cosine", "heading cosine", "headings cosine", "heading recall"),
    *("paragraph cosine", "paragraph recall", "section cosine", "section recall"),
    *("in recitals", "in an annex", "in a body", "in the frame", "is a table", "is a lead-in", "is listed"),
    *("log words", "is short", "begins its section", "begins its paragraph", "distance in place"),
    *("term × definition", "other × definition", "aim × first article", "aim × recitals"),
    *("dates × last articles", "dates × number", "other × last articles"),
)
SUPPORT_FEATURES: Final = ("section support", "paragraph support", "list support", "unit support", "act support")
SENTENCE_FEATURES: Final = (
    *("best recall", "best own recall", "best cosine", "best tf-idf", "best number", "unknown words"),
    *("log words", "aim", "dates", "terms", "has a lead-in", "runner-up"),
)


class TextEncoder(Protocol):
    """What gives texts their vectors, of length one."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """One vector for each text."""
        ...


class Layout(NamedTuple):
    """Where each unit of an act stands."""

    section: Integers
    paragraph: Integers
    """A number for each paragraph, or for each section without numbered paragraphs."""
    lead_in: Integers
    """The unit that leads each unit in; -1 for none."""


class Pairs(NamedTuple):
    """What is known of an act and its summary before anything is aligned."""

    layout: Layout
    pairs: Floats
    """Sentences × units × `PAIR_FEATURES`."""
    sentences: Floats
    """Sentences × `SENTENCE_FEATURES`."""
    lists: Integers
    """A number for each list of the summary, and for each sentence outside lists."""
    headings: Integers
    """A number for each stretch of sentences under one heading."""


def stems(text: str) -> list[str]:
    """The words of a text by their first letters; numbers whole."""
    return [word if word[0].isdigit() else word[:PREFIX] for word in _WORD.findall(text.lower())]


def layout_of(act: Act) -> Layout:
    """Sections, paragraphs and lead-ins of all units."""
    units = act.units
    paragraphs: dict[tuple[int, str], int] = {}
    keys = [(unit.section, _paragraph_of(act, unit.section, unit.provision)) for unit in units]
    return Layout(
        np.array([unit.section for unit in units], np.intp),
        np.array([paragraphs.setdefault(key, len(paragraphs)) for key in keys], np.intp),
        np.array([-1 if lead is None else lead for lead in lead_ins(units)], np.intp),
    )


def _paragraph_of(act: Act, section: int, provision: str) -> str:
    """The paragraph of an article; elsewhere the first two steps of the id."""
    found = _PARAGRAPH.match(provision)
    if found:
        return found[0]
    return "" if act.sections[section].kind == "article" else ".".join(provision.split(".")[:2])


def pairs_of(act: Act, sentences: Sequence[SummarySentence], encoder: TextEncoder) -> Pairs:
    """All features of an act and the sentences of its summary."""
    layout = layout_of(act)
    words = _WordFeatures(act, sentences, layout)
    vectors = _vector_features(act, sentences, layout, encoder)
    columns = [*words.unit, *vectors, *words.around]
    stacked = np.stack(columns, axis=-1)
    places = _place_features(act, sentences, layout)
    return Pairs(
        layout,
        np.concatenate([stacked, places], axis=-1),
        _sentence_features(sentences, stacked, words.unknown),
        _runs([(s.part, s.heading, s.lead_in) if s.lead_in else n for n, s in enumerate(sentences)]),
        _runs([(s.part, s.heading) for s in sentences]),
    )


class _WordFeatures:
    """Overlap of stems, weighted by how rare they are in the act; only words of the summary are counted."""

    def __init__(self, act: Act, sentences: Sequence[SummarySentence], layout: Layout) -> None:
        said = [stems(sentence.full) for sentence in sentences]
        units = [stems(unit.prose) for unit in act.units]
        known = {word: n for n, word in enumerate(dict.fromkeys(word for words in said for word in words))}
        frequency: dict[str, int] = {}
        for words in units:
            for word in set(words):
                frequency[word] = frequency.get(word, 0) + 1
        idf = {word: np.log((len(units) + 1) / (count + 0.5)) for word, count in frequency.items()}
        weights = np.array([idf.get(word, 0.0) for word in known], np.float32)
        most = max(idf.values(), default=1.0)
        sentence_words = _presence(said, known)
        own = _presence(units, known)
        led = own.copy()
        has_lead = np.flatnonzero(layout.lead_in >= 0)
        led[has_lead] = np.maximum(own[has_lead], own[layout.lead_in[has_lead]])
        weighted = sentence_words * weights
        mass = np.maximum(weighted.sum(1), 1e-6)
        norms = np.sqrt([sum(idf[word] ** 2 for word in set(words)) for words in units]).astype(np.float32)
        masses = np.array([sum(idf[word] for word in set(words)) for words in units], np.float32)
        lost = np.array([sum(word not in frequency for word in set(words)) * most for words in said], np.float32)
        self.unknown: Floats = lost / (lost + mass)
        sentence_norms = np.sqrt(np.maximum((weighted**2).sum(1), 1e-6))
        recall = weighted @ led.T / mass[:, None]
        own_recall = weighted @ own.T
        led_norms = norms.copy()
        led_norms[has_lead] = np.hypot(norms[has_lead], norms[layout.lead_in[has_lead]])
        squares = weighted * weights
        numbers = np.array([word[0].isdigit() for word in known], np.float32)
        self.unit: list[Floats] = [
            recall,
            own_recall / mass[:, None],
            own_recall / np.maximum(masses, 1.0),
            squares @ led.T / sentence_norms[:, None] / np.maximum(led_norms, 1.0),
            _recall(_presence_of_bigrams(said, units)),
            _recall((sentence_words * numbers, own)),
        ]
        headings = [stems(act.sections[s].heading) for s in range(len(act.sections))]
        heading_words = _presence(headings, known) * weights
        heading_mass = np.array([sum(idf.get(word, most) for word in set(words)) for words in headings], np.float32)
        heading_recall = sentence_words @ heading_words.T / np.maximum(heading_mass, 1.0)
        self.around: list[Floats] = [heading_recall[:, layout.section]]
        for groups in (layout.paragraph, layout.section):
            count = int(groups.max(initial=-1)) + 1
            together = np.zeros((count, len(known)), np.float32)
            np.maximum.at(together, groups, own)
            lengths = np.sqrt(np.bincount(groups, norms.astype(np.float64) ** 2, count)).astype(np.float32)
            cosine = squares @ together.T / sentence_norms[:, None] / np.maximum(lengths, 1.0)
            self.around += [cosine[:, groups], (weighted @ together.T / mass[:, None])[:, groups]]


def _presence(texts: Sequence[Sequence[str]], known: dict[str, int]) -> Floats:
    """Texts × words: 1 where the word occurs."""
    present = np.zeros((len(texts), len(known)), np.float32)
    for row, words in enumerate(texts):
        present[row, [known[word] for word in set(words) if word in known]] = 1
    return present


def _presence_of_bigrams(said: Sequence[Sequence[str]], units: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """The bigrams of sentences and units that units have."""
    first, second = ([[f"{a} {b}" for a, b in pairwise(words)] for words in texts] for texts in (said, units))
    everywhere = {bigram for words in second for bigram in words}
    known = {b: n for n, b in enumerate(dict.fromkeys(b for words in first for b in words if b in everywhere))}
    return _presence(first, known), _presence(second, known)


def _recall(presence: tuple[Floats, Floats]) -> Floats:
    """The share of each sentence's words that each unit has; 0 for sentences without any."""
    ours, theirs = presence
    shared: Floats = ours @ theirs.T / np.maximum(ours.sum(1, keepdims=True), 1.0)
    return shared


def _vector_features(
    act: Act, sentences: Sequence[SummarySentence], layout: Layout, encoder: TextEncoder
) -> list[Floats]:
    """Cosine similarity of sentences to units with and without their lead-ins, and to the headings above them."""
    texts = [unit.prose for unit in act.units]
    led = [
        text if lead < 0 else " ".join([*texts[lead].split()[:_LEAD_IN], text])
        for text, lead in zip(texts, layout.lead_in.tolist(), strict=True)
    ]
    full, own, under, led_vectors, own_vectors, headings = (
        _vectors(encoder, some)
        for some in (
            [sentence.full for sentence in sentences],
            [in_words_of_acts(sentence.text) for sentence in sentences],
            [in_words_of_acts(sentence.heading) for sentence in sentences],
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
    """The vectors of texts; zero for empty ones."""
    filled = [n for n, text in enumerate(texts) if _WORD.search(text)]
    some = encoder.encode([texts[n] for n in filled] or ["0"])
    vectors = np.zeros((len(texts), some.shape[1]), np.float32)
    if filled:
        vectors[filled] = some
    return vectors


def _place_features(act: Act, sentences: Sequence[SummarySentence], layout: Layout) -> Floats:
    """What a unit is and where it stands, alone and for each part of the summary."""
    units, sections = act.units, act.sections
    kinds = [sections[unit.section].kind for unit in units]
    articles = [section.index for section in sections if section.kind == "article"]
    defined = {definition.unit for definition in act.definitions()}
    leads = set(layout.lead_in.tolist())
    operative = np.array([kind not in ("recitals", *_FRAME) for kind in kinds])
    place = np.cumsum(operative) / max(1, operative.sum())
    last = np.isin(layout.section, articles[-_LAST_ARTICLES:])
    first = np.isin(layout.section, articles[:1])
    defines = np.array([unit.id in defined for unit in units])
    words = np.array([unit.words for unit in units])
    numbered = np.array([any(character.isdigit() for character in unit.prose) for unit in units])
    recitals = np.array([kind == "recitals" for kind in kinds])
    fixed = [
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
    rows = []
    for number, sentence in enumerate(sentences):
        part = sentence.part
        distance = np.abs(place - (number + 0.5) / len(sentences))
        none = np.zeros(len(units))
        rows.append(
            np.stack(
                [
                    *fixed,
                    distance,
                    *((defines, none) if part == "terms" else (none, defines)),
                    *((first, recitals) if part == "aim" else (none, none)),
                    *((last, last & numbered, none) if part == "dates" else (none, none, last)),
                ],
                axis=-1,
            )
        )
    return np.array(rows, np.float32).reshape(len(sentences), len(units), -1)


def _sentence_features(sentences: Sequence[SummarySentence], pairs: Floats, unknown: Floats) -> Floats:
    """What tells whether a sentence rests on the act at all."""
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
        [best[:, at], unknown[:, None], np.array(rest, np.float32).reshape(len(sentences), -1), second], axis=1
    ).astype(np.float32)


def _runs(keys: Sequence[object]) -> Integers:
    """A number for each stretch of equal keys."""
    return np.cumsum([n == 0 or key != keys[n - 1] for n, key in enumerate(keys)]).astype(np.intp)


def support_features(pairs: Pairs, shares: Floats) -> Floats:
    """What sentences nearby rest on: sentences × units × `SUPPORT_FEATURES`, from the shares of a first pass."""
    layout, count = pairs.layout, len(shares)
    by_section, by_paragraph = (_summed(shares, groups) for groups in (layout.section, layout.paragraph))
    near, listed, act = (np.zeros((count, count), np.float32) for _ in range(3))
    for i in range(count):
        for j in range(count):
            if i == j:
                continue
            act[i, j] = 1 / max(1, count - 1)
            if abs(i - j) <= _NEAR:
                same = 1.0 if pairs.headings[i] == pairs.headings[j] else 0.3
                near[i, j] = same / (2 * abs(i - j))
            if pairs.lists[i] == pairs.lists[j]:
                listed[i, j] = 1.0
    listed /= np.maximum(listed.sum(1, keepdims=True), 1.0)
    neighbours = 0.5 * (np.roll(shares, 1, axis=1) + np.roll(shares, -1, axis=1))
    return np.stack(
        [
            (near @ by_section)[:, layout.section],
            (near @ by_paragraph)[:, layout.paragraph],
            (listed @ by_paragraph)[:, layout.paragraph],
            near @ neighbours,
            (act @ by_section)[:, layout.section],
        ],
        axis=-1,
    )


def _summed(shares: Floats, groups: Integers) -> Floats:
    """Shares of units summed by group."""
    sums = np.zeros((int(groups.max(initial=-1)) + 1, len(shares)), np.float32)
    np.add.at(sums, groups, shares.T)
    return sums.T
