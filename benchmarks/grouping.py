"""Whether "from when it applies" holds what says so: `selection.roles` against English patterns.

Usage: LEXLATTICE_DATA=… python benchmarks/grouping.py
On the English validation acts. The patterns are no truth: they miss what is said otherwise, and find what is said of
something else. They are wider than the few words that the rules know, which have to do in 24 languages.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from pathlib import Path

from lexlattice import Act, read
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.reading.roles import application_units, groups_of, is_closing_formula

PLAIN = re.compile(
    r"\bshall (?:enter|come) into force\b|\bshall apply (?:as )?from\b|\bshall (?:bring into force|adopt and publish)\b"
)
ABOUT = re.compile(
    PLAIN.pattern + r"|\btranspos|\brepealed\b|\bshall apply (?:un)?til\b|\bshall (?:cease to )?(?:apply|have effect)\b"
    r"|\btake effect\b|\bMember States shall communicate\b"
)
FORMULA = re.compile(r"\bbinding in its entire(?:ty|ly)\b|^This \w+ is addressed to\b")
ITS_OWN = ("paragraph", "subparagraph", "point", "indent")


def measure(act: Act) -> Counter[str]:
    """What is counted in one act."""
    counts = Counter(acts=1)
    plain = {
        place
        for place, unit in enumerate(act.units)
        if unit.kind in ITS_OWN and act.sections[unit.section].kind == "article" and PLAIN.search(unit.text)
    }
    grouped = {place for place, group in enumerate(groups_of(act)) if group == "application"}
    counts["grouped"] = len(grouped)
    counts["grouped_right"] = sum(ABOUT.search(act.units[place].text) is not None for place in grouped)
    counts["plain"], counts["plain_grouped"] = len(plain), len(plain & grouped)
    named = application_units(act)
    counts["says"], counts["says_grouped"] = bool(plain), bool(plain & grouped)
    counts["says_named"] = bool(plain.intersection(named))
    counts["named"], counts["words"] = len(named), sum(act.units[place].words for place in named)
    counts["named_right"] = sum(ABOUT.search(act.units[place].text) is not None for place in named)
    for unit, flagged in zip(act.units, is_closing_formula(act), strict=True):
        is_formula = act.sections[unit.section].kind == "article" and FORMULA.search(unit.text) is not None
        counts["formulas"] += is_formula
        counts["formulas_found"] += is_formula and flagged
        counts["flagged_wrongly"] += flagged and not is_formula
    return counts


def main() -> None:
    """Count, and print the shares."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md), and try again.")
    data = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en" / "validation.jsonl.gz"
    total: Counter[str] = Counter()
    for row in Rows(data):
        if isinstance(row, Row):
            total += measure(read(row.text, language="en"))

    def share(part: str, whole: str) -> str:
        return f"{total[part]} of {total[whole]} ({total[part] / total[whole]:.0%})"

    print(f"{total['acts']} acts")
    print("units under 'from when it applies' that say so by the patterns:", share("grouped_right", "grouped"))
    print(
        "plain sentences of entry into force, application, transposition that are there:",
        share("plain_grouped", "plain"),
    )
    print("acts with such a sentence that have one there:", share("says_grouped", "says"))
    print("acts with such a sentence of which `application_units` names one:", share("says_named", "says"))
    print(
        "units that it names that say so by the patterns:",
        share("named_right", "named"),
        f"{total['words'] / total['acts']:.0f} words an act",
    )
    print("formulas found:", share("formulas_found", "formulas"), f"other units found: {total['flagged_wrongly']}")


if __name__ == "__main__":
    main()
