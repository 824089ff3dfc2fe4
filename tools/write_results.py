"""Put the tables that experiments made into docs/results.md, between the marks that name them.

    <!-- table: main/1 -->
    … the table …
    <!-- end -->

Usage: python tools/write_results.py [FOLDER]   (default: build/experiments)
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
_PLACE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str, folder: Path) -> str:
    """The page with all tables replaced; exit with an error if one was not made."""

    def table(match: re.Match[str]) -> str:
        path = folder / f"{match[2]}.md"
        if not path.is_file():
            sys.exit(f"There is no '{path}'; run the experiment '{match[2].partition('/')[0]}' first.")
        return f"{match[1]}\n{path.read_text('utf-8')}\n{match[3]}"

    return _PLACE.sub(table, page)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build", "experiments")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), place), "utf-8")
    print(f"wrote {PAGE.name}")
