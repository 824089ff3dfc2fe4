"""How far the main job walks through the code: functions, modules and re-entries of one summary.

Usage: python tools/main_path.py [FILE]   (default: the short English example, at the default length)

A function counts once, when it is first called; generators, comprehensions and properties count as functions. In the
order of first calls, entering a module again after another one is a re-entry. What is loaded once per process (weights,
language files) is loaded before, so that only the work on the act is counted.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import lexlattice

ROOT = Path(lexlattice.__file__).parent
EXAMPLE = Path(__file__).parent.parent / "examples" / "short" / "en.txt"


def walk(text: str) -> list[tuple[str, str]]:
    """The module and the name of every function that one summary calls, in the order of first calls."""
    seen: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            seen.setdefault(frame.f_code)

    lexlattice.summarize(text).to_text()
    sys.setprofile(note)
    try:
        lexlattice.summarize(text).to_text()
    finally:
        sys.setprofile(None)
    named = [(Path(code.co_filename), code.co_name) for code in seen if not code.co_name.startswith("<")]
    return [(".".join(path.relative_to(ROOT).with_suffix("").parts), name) for path, name in named]


def main() -> None:
    """Print the counts, and the modules in the order in which they are first entered."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE
    calls = walk(path.read_text("utf-8"))
    modules = list(dict.fromkeys(module for module, _ in calls))
    visits = [module for module, _ in groupby(module for module, _ in calls)]
    rooms = [room for room, _ in groupby(module.partition(".")[0] for module, _ in calls)]
    print(f"functions: {len(calls)}")
    print(f"modules: {len(modules)}")
    print(f"rooms: {len(set(rooms))}, entered again {len(rooms) - len(set(rooms))} times")
    print(f"module visits: {len(visits)}, {len(visits) - len(modules)} of them again")
    print("\n".join(modules))


if __name__ == "__main__":
    main()
