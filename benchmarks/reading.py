"""Measure the reader: nothing lost, same skeletons across languages, language detection, lost line breaks, speed.

Usage: LEXLATTICE_DATA=… python benchmarks/reading.py [loss skeleton formats language line-breaks paper speed]
Without names, everything is measured. Times are of one thread; ratios are taken in one run.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lexlattice import Act, read
from lexlattice.errors import ReadingError
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.identify import identify
from lexlattice.research.experiments.statistics import reported

if "LEXLATTICE_DATA" not in os.environ:
    sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
DATA = Path(os.environ["LEXLATTICE_DATA"])
RAW = DATA / "acts" / "raw"
HARD = DATA / "acts" / "hard"


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file of the data folder."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def skeleton(act: Act) -> list[tuple[str, str]]:
    """Kinds and numbers of the sections in order."""
    return [(section.kind, section.number) for section in act.sections]


def provisions(act: Act) -> list[int]:
    """Provisions in each section; a table is none."""
    return [len({unit.provision for unit in section.units if unit.kind != "table"}) for section in act.sections]


def covers_source(act: Act) -> bool:
    """Whether units and furniture cover every non-blank character exactly once, in order."""
    position = 0
    spans = [(unit.start, unit.end) for unit in act.units] + [(piece.start, piece.end) for piece in act.furniture]
    for start, end in sorted(spans):
        if start < position or act.source[position:start].strip():
            return False
        position = end
    return not act.source[position:].strip() and all(u.text == act.source[u.start : u.end] for u in act.units)


def loss() -> None:
    """Check that no text is lost or repeated, for every act of the data in every format."""
    acts = whole = 0
    for name in ("train", "validation"):
        for row in rows(f"eur-lex-sum/en/{name}.jsonl.gz"):
            acts, whole = acts + 1, whole + covers_source(read(row["reference"], language="en"))
    for name in ("multi-eurlex", "en-fr"):
        for row in rows(f"acts/{name}.jsonl.gz"):
            for language, text in row["text"].items():
                acts, whole = acts + 1, whole + covers_source(read(text, language=language))
    refused = []
    for folder in (RAW, HARD):
        for path in sorted(folder.glob("*/*/*")):
            try:
                act = read(path)
            except ReadingError as error:
                refused.append(f"{path.relative_to(folder)}: {error}")
            else:
                acts, whole = acts + 1, whole + covers_source(act)
    print(f"nothing lost, nothing twice, order kept: {whole} of {acts} acts; refused: {len(refused)}")
    print("".join(f"  {line}\n" for line in refused), end="")


def skeletons() -> None:
    """Compare the sections and provisions of each language version with the English one."""
    versions, same, equal = Counter[str](), Counter[str](), Counter[str]()
    for name in ("multi-eurlex", "en-fr"):
        for row in rows(f"acts/{name}.jsonl.gz"):
            english = read(row["text"].pop("en"), language="en")
            for language, text in row["text"].items():
                act = read(text, language=language)
                alike = skeleton(act) == skeleton(english)
                versions[language] += 1
                same[language] += alike
                equal[language] += alike and provisions(act) == provisions(english)
    total = versions.total()
    print(f"same kinds and numbers of sections as English: {same.total()} of {total} ({same.total() / total:.1%})")
    print(f"same provisions in every section:              {equal.total()} of {total} ({equal.total() / total:.1%})")
    for what, counts in (("sections", same), ("provisions", equal)):
        worst = min(versions, key=lambda language: counts[language] / versions[language])
        print(f"worst language by {what}: {worst}, {counts[worst]} of {versions[worst]}")
    print("  ".join(f"{lang} {same[lang]}/{equal[lang]}/{versions[lang]}" for lang in sorted(versions)))


def formats() -> None:
    """Compare the files that EUR-Lex serves of one act."""
    print(f"{'file':<38} {'recitals':>8} {'articles':>8} {'annexes':>8} {'provisions':>10} {'tables':>6}")
    for path in (*sorted(RAW.glob("*/*/*")), *sorted(HARD.glob("*/*/*"))):
        name = "/".join(path.parts[-3:])
        try:
            act = read(path)
        except ReadingError as error:
            print(f"{name:<38} refused: {error}")
            continue
        kinds = Counter(section.kind for section in act.sections)
        recitals = {
            u.provision for s in act.sections if s.kind == "recitals" for u in s.units if "." not in u.provision
        }
        tables = sum(unit.kind == "table" for unit in act)
        counts = f"{len(recitals):>8} {kinds['article']:>8} {kinds['annex']:>8} {sum(provisions(act)):>10} {tables:>6}"
        print(f"{name:<38} {counts}")


def language() -> None:
    """Detect the language of each act version without its page header, which contains the language code."""
    total = wrong = 0
    for name in ("multi-eurlex", "en-fr"):
        for row in rows(f"acts/{name}.jsonl.gz"):
            for expected, text in row["text"].items():
                lines = [line for line in text.split("\n")[6:] if line.strip()] or text.split("\n")
                total, wrong = total + 1, wrong + (identify(lines) != expected)
    print(f"language detected correctly: {total - wrong} of {total} act versions ({1 - wrong / total:.2%})")


def line_breaks() -> None:
    """Count training acts that stay in one piece, apart from title and footnotes."""
    single, acts = [], 0
    for row in rows("eur-lex-sum/en/train.jsonl.gz"):
        act = read(row["reference"], language="en")
        acts += 1
        if sum(section.kind not in ("title", "notes") for section in act.sections) <= 1:
            single.append(f"{row['celex_id']} ({act.words} words)")
    print(f"training acts with a single section: {len(single)} of {acts}: {', '.join(single)}")


WORD = re.compile(r"\w+")


def paper() -> None:
    """Compare the profile `paper` with the paper's table of statistics, as far as the data go."""
    table = reported("statistics", "en")
    acts, words, summaries = [], [], []
    for row in rows("eur-lex-sum/en/train.jsonl.gz"):
        acts.append(read(row["reference"], language="en", profile="paper"))
        words.append(sum(len(WORD.findall(unit.text)) for unit in acts[-1].units))
        summaries.append(len(WORD.findall(row["summary"])))
    found = [words, summaries, [len(act.sections) for act in acts], [len(act.units) for act in acts]]
    for name, values, theirs in zip(
        ("words", "summary words", "sections", "paragraphs"), found, table[2:], strict=True
    ):
        print(f"English training acts, {name}: {statistics.mean(values):,.1f} (paper {theirs:,})")
    print(f"of one paragraph: {sum(len(act) == 1 for act in acts)} of {len(acts)} acts")
    versions = [
        (row["reference_fr"], row["reference_en"])
        for row in rows("eur-lex-sum/fr-acts-en-summaries/train-validation.jsonl.gz")
    ]
    _ratio("fr", versions, "EUR-Lex-Sum acts")
    pairs = [row["text"] for row in rows("acts/multi-eurlex.jsonl.gz")]
    for language in LANGUAGES:
        if language != "en":
            _ratio(
                language, [(text[language], text["en"]) for text in pairs if language in text and "en" in text], "acts"
            )


def _ratio(language: str, versions: list[tuple[str, str]], what: str) -> None:
    """Print how many sections and paragraphs a language has of the same acts, relative to English."""
    if not versions:
        return
    acts = [(read(a, language=language, profile="paper"), read(b, language="en", profile="paper")) for a, b in versions]
    sections = sum(len(act.sections) for act, _ in acts) / sum(len(english.sections) for _, english in acts)
    paragraphs = sum(map(len, (act for act, _ in acts))) / sum(map(len, (english for _, english in acts)))
    theirs, english = reported("statistics", language), reported("statistics", "en")
    print(
        f"{language} / en on {len(acts)} {what}: sections {sections:.3f} (paper {theirs[4] / english[4]:.3f}), "
        f"paragraphs {paragraphs:.3f} (paper {theirs[5] / english[5]:.3f})"
    )


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best of several runs, in processor time."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def speed() -> None:
    """Measure megabytes per second on one core, growth with length, and tulit on the same pages."""
    print(f"{platform.machine()}, Python {platform.python_version()}")
    texts = [row["reference"] for row in rows("eur-lex-sum/en/validation.jsonl.gz")]
    size = sum(len(text.encode()) for text in texts)
    spent = seconds(lambda: [read(text) for text in texts])
    print(f"text:  {size / spent / 1e6:5.1f} MB/s ({size / 1e6:.1f} MB, {len(texts)} acts, language detected)")
    pages = [path for path in sorted(RAW.glob("*/*/*.xml")) if b"oj-" in path.read_bytes()[:3000]]
    size = sum(path.stat().st_size for path in pages)
    spent = seconds(lambda: [read(path) for path in pages])
    print(f"XHTML: {size / spent / 1e6:5.1f} MB/s ({size / 1e6:.1f} MB, {len(pages)} files)")
    _growth(max(texts, key=len))
    _compare_with_tulit(pages)


def _growth(text: str) -> None:
    """Time an act of up to a million words: articles repeated with continuing numbers."""
    articles = "".join(
        f"Article {n}\nHeading of article {n}\n1. The Member States shall take the measures needed for this purpose,"
        f" and inform the Commission thereof without delay.\n2. Those measures shall be:\n(a)\neffective;\n(b)\n"
        f"proportionate. They shall take account of the matters referred to in Article {n}(1).\n"
        for n in range(1, 1000)
    )
    head = text[:2000].rpartition("\n")[0]
    for words in (125_000, 250_000, 500_000, 1_000_000):
        annexes = f"ANNEX\nList\n{articles.replace('Article', 'Item')}"
        body = head + "\n" + articles
        while body.count(" ") + body.count("\n") < words:
            body += annexes
        spent = seconds(lambda body=body: read(body, language="en"), 1)  # type: ignore[misc]
        print(f"  {len(body.split()):>9,} words: {spent:6.2f} s, {1e6 * spent / len(body.split()):.2f} µs per word")


def _compare_with_tulit(pages: list[Path]) -> None:
    try:
        from tulit.parser.html.cellar import CellarHTMLParser
    except ImportError:
        print("tulit is not installed (make bench installs it): no comparison")
        return
    theirs = ours = 0.0
    compared = 0
    for page in pages:
        parser = CellarHTMLParser()
        start = time.process_time()
        try:
            parser.parse(str(page))
        except Exception as error:
            print(f"  tulit fails on {page.relative_to(RAW)}: {type(error).__name__}")
            continue
        theirs += time.process_time() - start
        start = time.process_time()
        read(page)
        ours += time.process_time() - start
        compared += 1
    if compared:
        print(f"tulit on {compared} files: {theirs:.2f} s, LexLattice {ours:.2f} s, ratio {theirs / ours:.1f}")


ALL = {
    "loss": loss,
    "skeleton": skeletons,
    "formats": formats,
    "language": language,
    "line-breaks": line_breaks,
    "paper": paper,
    "speed": speed,
}


def main() -> None:
    """Run the measurements named on the command line."""
    for name in sys.argv[1:] or ALL:
        print(f"\n## {name}")
        ALL[name]()


if __name__ == "__main__":
    main()
