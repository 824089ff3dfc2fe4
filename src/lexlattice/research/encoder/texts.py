"""Parallel texts for the embedded encoder, from the data folder: training sources and test sets.

Training uses only texts whose licence permits distributing trained weights: EU reuse, CC BY and public domain. NTREX
and MultiEURLEX are test sets only. Validation acts of EUR-Lex-Sum and held-out acts are excluded from training.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lexlattice.errors import DataError
from lexlattice.reading import LANGUAGES

_ISO_639_3: Final = dict(
    zip(
        [language for language in LANGUAGES if language != "en"],
        "bul ces dan deu ell spa est fin fra gle hrv hun ita lit lvs mlt nld pol por ron slk slv swe".split(),
        strict=True,
    )
)
_OTHER_CODES: Final = {"lv": "lav"}
"""Tatoeba's second release uses another code for Latvian."""

HELD_OUT_ROWS: Final = 1_000
"""Rows of JRC-Acquis held out for testing, at least."""
_LARGEST_HELD_OUT: Final = 150
"""Larger acts are not held out: a few of them would make up the whole test set."""
_FEWEST_WORDS: Final = 4
"""Shorter sentences are mostly headings, which other acts share."""

_NEAR_DUPLICATE: Final = 0.8
"""Jaccard similarity of words from which two sentences count as near-duplicates."""
_MISREAD: Final = {code: bytes([code]).decode("cp1251") for code in range(0xC0, 0x100)}

Row = dict[str, str]
"""A text by language code."""


@dataclass(frozen=True, slots=True)
class Source:
    """The parallel texts of one origin."""

    name: str
    licence: str
    rows: list[Row]


def sources(data: Path) -> list[Source]:
    """Return all training sources."""
    held_out, validation = held_out_acts(data), validation_acts(data)
    said = _validation_lines(data)
    return [
        Source(
            "JRC-Acquis", "EU reuse, © European Union", _without(said, _acquis(data, without=held_out | validation))
        ),
        Source("EuroVoc", "EU reuse, © European Union", list(_eurovoc(data))),
        Source("Tatoeba", "CC BY 2.0 FR", list(_tatoeba(data))),
        Source("Universal Declaration of Human Rights", "public domain", list(_declaration(data))),
        Source(
            "acts in English and French",
            "CC BY 4.0, EU reuse",
            _without(said, _acts(data, without=held_out | validation)),
        ),
    ]


def held_out_sentences(data: Path) -> list[Row]:
    """Return the test sentences of held-out acts, none of which is in the training data, in a fixed random order."""
    found = _unseen(data, held_out_rows(data))
    random.Random(0).shuffle(found)
    return found


def without_near_duplicates(rows: Sequence[Row]) -> list[Row]:
    """Drop rows that share nearly all English words with an earlier one, as amending acts often do."""
    found: list[Row] = []
    seen: list[set[str]] = []
    for row in rows:
        words = set(_plain(row["en"]).split())
        if all(len(words & others) < _NEAR_DUPLICATE * len(words | others) for others in seen):
            found.append(row)
        seen.append(words)
    return found


def held_out_rows(data: Path) -> list[Row]:
    """Return all rows of held-out acts, in order."""
    return list(_acquis(data, only=held_out_acts(data)))


def news(data: Path) -> list[Row]:
    """Return the sentences of NTREX; never trained on, because its licence would bind the weights."""
    folder = data / "parallel" / "ntrex"
    lines = {code: _text(folder / f"{code}.txt").split("\n") for code in LANGUAGES}
    for code, some in lines.items():
        if len(some) != len(lines["en"]):
            raise _unreadable(folder / f"{code}.txt")
    return [dict(zip(lines, row, strict=True)) for row in zip(*lines.values(), strict=True) if all(row)]


def modern_sentences(data: Path) -> list[Row]:
    """Return the lines of MultiEURLEX acts in 23 languages, each once; never trained on."""
    found: list[Row] = []
    path = data / "acts" / "multi-eurlex.jsonl.gz"
    for act in _rows(path, "text"):
        if not isinstance(act["text"], dict):
            raise _unreadable(path)
        lines = {code: text.split("\n") for code, text in act["text"].items()}
        if len(lines) == len(LANGUAGES) - 1 and len({len(each) for each in lines.values()}) == 1:
            found += [dict(zip(lines, row, strict=True)) for row in zip(*lines.values(), strict=True) if all(row)]
    return _unseen(data, found)


def _unseen(data: Path, rows: Sequence[Row]) -> list[Row]:
    """Return long enough rows, each once, none of whose texts is in the training data."""
    known = {_plain(text) for source in sources(data) for row in source.rows for text in row.values()}
    once = {_plain(row["en"]): row for row in rows if len(row["en"].split()) >= _FEWEST_WORDS}
    return [row for row in once.values() if known.isdisjoint(map(_plain, row.values()))]


def held_out_acts(data: Path) -> set[str]:
    """Return the held-out acts of JRC-Acquis, a fixed random sample."""
    sizes = Counter(_lines(data / "parallel" / "jrc-acquis" / "acts.txt.gz"))
    small = sorted(act for act, size in sizes.items() if size < _LARGEST_HELD_OUT)
    random.Random(7).shuffle(small)
    held_out: set[str] = set()
    while small and sum(sizes[act] for act in held_out) < HELD_OUT_ROWS:
        held_out.add(small.pop())
    return held_out


def validation_acts(data: Path) -> set[str]:
    """Acts that summaries are validated on: nothing may be learned from them, in any language."""
    rows = _rows(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "celex_id")
    return {row["celex_id"] for row in rows}


def _validation_lines(data: Path) -> set[str]:
    """What these acts say: their earlier and later versions, under other numbers, say much of it too."""
    rows = _rows(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "reference")
    lines = (line for row in rows for line in row["reference"].split("\n") if len(line.split()) > _FEWEST_WORDS)
    return {_plain(line) for line in lines}


def _without(said: Set[str], rows: Iterator[Row]) -> list[Row]:
    return [row for row in rows if _plain(row.get("en", "")) not in said]


def _plain(text: str) -> str:
    """Normalize case and whitespace for comparison."""
    return " ".join(text.lower().split())


def _acquis(data: Path, only: Set[str] | None = None, without: Set[str] = frozenset()) -> Iterator[Row]:
    folder = data / "parallel" / "jrc-acquis"
    acts = _lines(folder / "acts.txt.gz")
    texts = {code: _lines(folder / f"{code}.txt.gz") for code in LANGUAGES if code not in ("ga", "hr")}
    for code, lines in texts.items():
        if len(lines) != len(acts):
            raise _unreadable(folder / f"{code}.txt.gz")
    for place, act in enumerate(acts):
        if act not in without and (only is None or act in only):
            yield {code: _repaired(lines[place], code) for code, lines in texts.items() if lines[place]}


def _repaired(text: str, language: str) -> str:
    """Repair Bulgarian acts that were decoded as Latin-1 instead of Windows-1251."""
    misread = sum(letter.isalpha() for letter in text if "À" <= letter <= "ÿ") if language == "bg" else 0
    return text.translate(_MISREAD) if misread > sum(letter.isalpha() for letter in text if letter.isascii()) else text


def _eurovoc(data: Path) -> Iterator[Row]:
    folder = data / "parallel" / "eurovoc"
    labels = {code: _json(_text(folder / f"{code}.json"), folder / f"{code}.json") for code in LANGUAGES}
    for concept in sorted(labels["en"]):
        yield {code: of_code[concept] for code, of_code in labels.items() if of_code.get(concept)}


def _tatoeba(data: Path) -> Iterator[Row]:
    folder = data / "parallel" / "tatoeba"
    for language, code in _ISO_639_3.items():
        pairs: list[Sequence[str]] = []
        if (folder / f"tatoeba.{code}-eng.eng").exists():
            english, others = (_text(folder / f"tatoeba.{code}-eng.{other}").split("\n") for other in ("eng", code))
            if len(english) != len(others):
                raise _unreadable(folder / f"tatoeba.{code}-eng.{code}")
            pairs += zip(english, others, strict=True)
        if (more := folder / f"eng-{_OTHER_CODES.get(language, code)}.test.txt").exists():
            pairs += [line.split("\t")[-2:] for line in _text(more).split("\n") if "\t" in line]
        for one, other in dict.fromkeys(map(tuple, pairs)):
            if one and other:
                yield {"en": one, language: other}


def _declaration(data: Path) -> Iterator[Row]:
    """Yield the articles, and their paragraphs where a language has as many as English."""
    articles = {code: _numbered(_text(data / "parallel" / "udhr" / f"{code}.txt")) for code in LANGUAGES}
    for number, english in articles["en"].items():
        yield {code: " ".join(of_code[number]) for code, of_code in articles.items() if of_code.get(number)}
        for place in range(len(english) if len(english) > 1 else 0):
            yield {
                code: of_code[number][place]
                for code, of_code in articles.items()
                if len(of_code.get(number, ())) == len(english)
            }


def _numbered(text: str) -> dict[int, list[str]]:
    """Return the paragraphs under each numbered heading."""
    articles: dict[int, list[str]] = {}
    current: list[str] = []
    for line in map(str.strip, text.split("\n")):
        heading = re.fullmatch(r"\D{0,20}?(\d{1,2})\D{0,20}", line)
        if heading and 1 <= int(heading[1]) <= 30:
            current = articles.setdefault(int(heading[1]), [])
        elif line:
            current.append(line)
    return articles


def _acts(data: Path, without: Set[str]) -> Iterator[Row]:
    """Yield aligned lines of acts with equally many lines in both languages, each once."""
    seen = set()
    apart = {_number(act) for act in without}
    path = data / "acts" / "en-fr.jsonl.gz"
    for act in _rows(path, "celex_id", "text"):
        if not isinstance(act["text"], dict) or not {"en", "fr"} <= act["text"].keys():
            raise _unreadable(path)
        english, french = (act["text"][code].split("\n") for code in ("en", "fr"))
        if _number(act["celex_id"]) in apart or len(english) != len(french):
            continue
        for one, other in zip(english, french, strict=True):
            if one not in seen and len(one.split()) > 5 and 0.5 < len(one) / max(1, len(other)) < 2:
                seen.add(one)
                yield {"en": one, "fr": other}


def _number(act: str) -> str:
    """Return the part of a CELEX number that an act shares with its corrigenda and consolidated versions."""
    return re.sub(r"R\(\d+\)$|-\d{8}$", "", act)[1:]


def _rows(path: Path, *keys: str) -> Iterator[dict[str, Any]]:
    for line in _lines(path):
        row = _json(line, path)
        if not all(key in row for key in keys):
            raise _unreadable(path)
        yield row


def _json(text: str, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise _unreadable(path) from error
    if not isinstance(found, dict):
        raise _unreadable(path)
    return found


def _lines(path: Path) -> list[str]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read().removesuffix("\n").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise _unreadable(path) from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path) from error


def _unreadable(path: Path) -> DataError:
    return DataError(f"The file '{path}' cannot be read; use the data folder that CONTRIBUTING.md describes.")
