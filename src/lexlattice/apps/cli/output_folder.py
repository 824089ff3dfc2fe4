"""A folder of summaries: which file is whose, so that no run overwrites what another one wrote.

a/x.txt                        the summary of a/x.html below the folder that was given
__run__/manifest.json          every summary with its input, digests and status, and what was skipped
__run__/dead-letters.jsonl     the inputs that could not be summarized, with the reasons
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from lexlattice import __version__
from lexlattice._internal.files import file_sha256, locked, make_folder, remove_parts, sha256, write_whole, writing
from lexlattice._internal.shards import LOCK, MANIFEST, RUN, read_json, to_json
from lexlattice.apps.bulk.output import DEAD_LETTERS
from lexlattice.errors import OutputError
from lexlattice.reading.fetch import is_url

_DIGITS: Final = 8
_PENDING: Final = "pending"
"""The status of an input that was not summarized yet."""


class Source(NamedTuple):
    """An input, and its path within the folder that was given; a plain name for anything else."""

    name: str
    path: str
    is_found: bool = False
    """Whether it was found in a folder, and not named."""


class Skipped(NamedTuple):
    """A file or folder that is not summarized."""

    path: str
    reason: str


def named(name: str) -> Source:
    """Return the source of an input that is not in a folder: a file, a CELEX number, a URL or standard input."""
    last = "act" if name == "-" else name.rstrip("/").rpartition("/")[2] or "act"
    return Source(name, last)


def targets(sources: Sequence[Source], suffix: str) -> list[str]:
    """Return the path of each summary within the output folder, all different on any file system.

    The suffix of the input is replaced; where two would be the same, it is kept; and where even this is not enough, a
    digest of the input's name is added. So a name depends on nothing but inputs that compete for it.

    >>> targets([Source("in/a/x.html", "a/x.html"), Source("in/y.htm", "y.htm"), Source("in/y.pdf", "y.pdf")], ".txt")
    ['a/x.txt', 'y.htm.txt', 'y.pdf.txt']
    """
    steps = [0] * len(sources)
    while True:
        names = [_target(source, step, suffix) for source, step in zip(sources, steps, strict=True)]
        by_name: dict[str, list[int]] = defaultdict(list)
        for place, name in enumerate(names):
            by_name[name.casefold()].append(place)  # file systems of macOS and Windows do not distinguish case
        clashing = [place for places in by_name.values() if len(places) > 1 for place in places if steps[place] < 2]
        if not clashing:
            return names
        for place in clashing:
            steps[place] += 1


def _target(source: Source, step: int, suffix: str) -> str:
    path = PurePosixPath(source.path)
    if step == 0:
        return str(path.with_name(path.stem or path.name)) + suffix
    digest = f".{sha256(source.name.encode('utf-8', 'surrogateescape'))[:_DIGITS]}" if step == 2 else ""
    return f"{path}{digest}{suffix}"


@contextmanager
def output_folder(name: str) -> Iterator[OutputFolder]:
    """Create a folder of summaries, or open an earlier one; no other process may write to it meanwhile.

    Raises:
        OutputError: The folder cannot be written, is in use, or holds the output of a bulk run.

    """
    folder = Path(name)
    make_folder(folder / RUN)
    with locked(folder / RUN / LOCK):
        remove_parts(folder / RUN)
        yield OutputFolder(folder)


class OutputFolder:
    """Writes down what the files of a folder are made of.

    Raises:
        OutputError: The folder holds the output of a bulk run.

    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._run = folder, folder / RUN
        known = read_json(self._run / MANIFEST) if (self._run / MANIFEST).exists() else {"acts": []}
        if "acts" not in known or "finished" in known:
            raise OutputError(f"'{folder}' holds the output of a bulk run; choose another folder.")
        try:
            self._entries: dict[str, dict[str, Any]] = {entry["input"]: entry for entry in known["acts"]}
            self._owners: dict[str, str] = {}
            for entry in known["acts"]:
                for output in (*entry.get("earlier", ()), entry["output"]):
                    if output:
                        self._owners[str(output).casefold()] = entry["input"]
        except (KeyError, TypeError, AttributeError):
            raise OutputError(f"'{self._run / MANIFEST}' is damaged; choose another folder, or delete it.") from None

    def plan(self, jobs: Iterable[tuple[str, str]]) -> None:
        """Record which input is to be summarized into which file, before the first one is.

        If the process is killed, the next run knows by this which files it may write again.
        """
        for source, target in jobs:
            known = self._entries.get(identity(source))
            if (known is None or known["output"] != target) and not self._is_there(target):
                self._record(source, _PENDING, output=target)
        self._write_manifest([])

    def claim(self, source: str, target: str) -> Path:
        """Return the path of a summary.

        Raises:
            OutputError: There is such a file already, and it is not the summary of the same input.

        """
        path = self.folder / target
        owner = self._owners.get(target.casefold())
        if self._is_there(target) and owner != identity(source):
            whose = f"is the summary of '{owner}'" if owner else "was not written by this command"
            raise OutputError(f"'{path}' {whose}; choose another folder, or delete the file.")
        make_folder(path.parent)
        return path

    def done(self, source: str, target: str) -> None:
        """Record a summary that was written."""
        self._owners[target.casefold()] = identity(source)  # it may be given twice
        self._record(source, "done", output=target, sha256=file_sha256(self.folder / target))

    def failed(self, source: str, reason: str) -> None:
        """Record an input that could not be summarized; if there is an earlier summary of it, that stays."""
        known = self._entries.get(identity(source), {"output": None})["output"]
        earlier = known if known and self._is_there(known) else None
        self._record(source, "failed", output=earlier, reason=reason)

    def close(self, skipped: Iterable[Skipped] = ()) -> None:
        """Write the manifest and the dead letters."""
        # After Ctrl-C there are inputs that were not reached.
        acts = [one for one in self._entries.values() if one["status"] != _PENDING or self._is_there(one["output"])]
        self._entries = {entry["input"]: entry for entry in acts}
        dead = [{"source": entry["input"], "reason": entry["reason"]} for entry in acts if entry["status"] == "failed"]
        lines = [json.dumps(letter, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n" for letter in dead]
        write_whole(self._run / DEAD_LETTERS, b"".join(lines))
        self._write_manifest(skipped)

    def _write_manifest(self, skipped: Iterable[Skipped]) -> None:
        acts, left = list(self._entries.values()), [one._asdict() for one in skipped]
        write_whole(self._run / MANIFEST, to_json({"version": __version__, "acts": acts, "skipped": left}))

    def _is_there(self, target: str) -> bool:
        with writing(self.folder / target):  # its name may be too long
            return (self.folder / target).exists()

    def _record(self, source: str, status: str, **facts: Any) -> None:
        path, content = Path(source), None
        with suppress(OSError):  # reading it will say why it cannot be read
            content = file_sha256(path) if not is_url(source) and path.is_file() else None
        entry = {"input": identity(source), "input_sha256": content, "status": status, **facts}
        # Summaries in other formats, or under other names, are still those of this input.
        known = self._entries.get(entry["input"], {"output": None})
        earlier = dict.fromkeys([*known.get("earlier", ()), known["output"]])
        others = [one for one in earlier if one and one != entry["output"] and self._is_there(one)]
        self._entries[entry["input"]] = {**entry, "earlier": others} if others else entry


def identity(source: str) -> str:
    """The same input has the same name, wherever the command is started."""
    return os.path.abspath(source) if not is_url(source) and Path(source).exists() else source  # noqa: PTH100


def described(skipped: Sequence[Skipped]) -> str:
    """Say how much was skipped and why, for people; empty if nothing was."""
    counts: Mapping[str, int] = Counter(one.reason for one in skipped)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))
    return f"{len(skipped):,} skipped ({reasons})" if skipped else ""
