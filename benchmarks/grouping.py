"""Whether "from when it applies" holds what says so: the rule of `lexlattice.grouping` against English patterns.

Usage: LEXLATTICE_DATA=… python benchmarks/grouping.py
On the English validation acts. The rule knows no words; the patterns are only here, and are no truth either: they miss
what is said otherwise, and find what is said of something else.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from lexlattice import read
from lexlattice.corpus.rows import Row, Rows
from lexlattice.grouping import group_of

PLAIN = re.compile(
    r"\bshall (?:enter|come) into force\b|\bshall apply (?:as )?from\b|\bshall (?:bring into force|adopt and publish)\b"
)
ABOUT = re.compile(
    PLAIN.pattern
    + r"|\btranspos|\brepealed\b|\bbinding in its entirety\b|\bis addressed to\b|\bshall apply (?:un)?til\b"
    r"|\bshall (?:cease to )?(?:apply|have effect)\b|\btake effect\b|\bMember States shall communicate\b"
)
ITS_OWN = ("paragraph", "subparagraph", "point", "indent")


def main() -> None:
    """Count, and print two shares."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md), and try again.")
    data = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en" / "validation.jsonl.gz"
    marked = right = plain = found = acts = 0
    for row in Rows(data):
        if not isinstance(row, Row):
            continue
        acts += 1
        act = read(row.text, language="en")
        for unit, group in zip(act.units, group_of(act), strict=True):
            is_application = group == "application"
            marked += is_application
            right += is_application and bool(ABOUT.search(unit.text))
            if unit.kind in ITS_OWN and act.sections[unit.section].kind == "article" and PLAIN.search(unit.text):
                plain += 1
                found += is_application
    print(f"{acts} acts")
    print(f"of {marked} units under 'from when it applies', {right} say so by the patterns: {right / marked:.0%}")
    print(
        f"of {plain} plain sentences of entry into force, application, transposition, {found} are: {found / plain:.0%}"
    )


if __name__ == "__main__":
    main()
