"""Count the entries, modules, lines, docstrings and comments of the package.

Usage: python tools/code_size.py [FOLDER]   (default: src/lexlattice)
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "lexlattice"
BOILERPLATE = {"__init__.py", "__main__.py", "__pycache__", "py.typed"}
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def count(source: str) -> Counter[str]:
    """Count the lines of a module: all, code, docstrings (of attributes too) and lines with a comment."""
    docstrings, comments, code = set[int](), set[int](), set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    return Counter(
        modules=1,
        lines=source.count("\n"),
        code=len(code - docstrings),
        docstrings=len(docstrings),
        comments=len(comments),
    )


def main() -> None:
    """Print the counts of a package."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE
    total = sum((count(path.read_text("utf-8")) for path in folder.rglob("*.py")), Counter[str]())
    print(f"entries: {len({path.name for path in folder.iterdir()} - BOILERPLATE)}")
    for name, number in total.items():
        print(f"{name}: {number:,}")
    print(f"comment lines per thousand: {1000 * total['comments'] / total['lines']:.1f}")


if __name__ == "__main__":
    main()
