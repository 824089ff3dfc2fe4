"""Put the tables that experiments made into the pages of the documentation, between the marks that name them.

    <!-- table: main/1 -->
    … the table …
    <!-- end -->

Usage: python tools/write_results.py [FOLDER [NAME …]]   (default: build/experiments, all tables)
With names of settings, such as main or geometry, only their tables are replaced.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGES = [Path(__file__).parent.parent / "docs" / name for name in ("results.md", "paper.md")]
_PLACE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str, folder: Path, names: list[str]) -> str:
    """The page with all tables replaced, or those of these names; exit with an error if one was not made."""

    def table(match: re.Match[str]) -> str:
        if names and match[2].rpartition("/")[0] not in names:
            return match[0]
        path = folder / f"{match[2]}.md"
        if not path.is_file():
            sys.exit(f"There is no '{path}'; run the experiment '{match[2].partition('/')[0]}' first.")
        return f"{match[1]}\n{path.read_text('utf-8')}\n{match[3]}"

    return _PLACE.sub(table, page)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build", "experiments")
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8"), place, sys.argv[2:]), "utf-8")
        print(f"wrote {page.name}")
