"""EUR-Lex-Sum from the Hugging Face hub: a folder with `LANGUAGE/SPLIT.parquet`, as experiments read it.

The data set has a loading script, which `datasets` no longer runs; the hub's own conversion to Parquet is on a branch,
with a folder for each language and one or more files for each split. Every file is checked against the hub's checksum,
and the files of a split are joined into one. `manifest.json` records what is complete: a second run downloads only
what is missing, damaged, or different on the hub by now.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice._internal.files import file_sha256, write_whole, writing, written
from lexlattice._internal.hub import Advance, HubFile, Listing, download_bar, fetch_file, list_files
from lexlattice.errors import DataError, MissingExtraError, OptionError, brief
from lexlattice.evaluation.sources import ACT, CELEX, SUMMARY, open_parquet
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load

if TYPE_CHECKING:
    from pyarrow import RecordBatch

NAME: Final = "eur-lex-sum"
REPOSITORY: Final = "dennlinger/eur-lex-sum"
REVISION: Final = "refs/convert/parquet"
SPLITS: Final = ("train", "validation", "test")
MANIFEST: Final = "manifest.json"

_COLUMNS: Final = (CELEX, ACT, SUMMARY)
_FILE: Final = re.compile(r"(?P<language>[a-z]+)/(?P<split>[a-z]+)/\d+\.parquet")
_ROWS_AT_ONCE: Final = 64
"""Rows in memory, and in a row group of the result: some acts have a million words."""
_PARTS: Final = ".download"
"""The folder of files that are not joined yet."""

_Files = dict[str, dict[str, Any]]


def download_eur_lex_sum(
    folder: Path,
    languages: Sequence[str] = (),
    splits: Sequence[str] = SPLITS,
    *,
    progress: bool = False,
    note: Callable[[str], None] = lambda sentence: None,
) -> _Files:
    """Download EUR-Lex-Sum into a folder; interrupted downloads resume.

    Args:
        folder: The folder to create or complete.
        languages: Two-letter codes; all 24 by default.
        splits: Some of `SPLITS`. The test split is for final tables only. It is downloaded by default so that its acts
            can be kept out of training in every language.
        progress: Whether to show a progress bar.
        note: Called with a sentence about each file that had to be replaced.

    Returns:
        The files by their path in the folder, each with its rows, bytes and checksum.

    Raises:
        OptionError: There is no such language or split.
        FetchError: The hub cannot be reached, or sends damaged files.
        DataError: The hub lacks a language or split, or its files are not those of EUR-Lex-Sum.
        OutputError: The folder cannot be written.

    """
    for chosen, known, what in ((languages, LANGUAGES, "language"), (splits, SPLITS, "split")):
        if unknown := [name for name in chosen if name not in known]:
            raise OptionError(f"EUR-Lex-Sum has no {what} '{unknown[0]}'; choose from {', '.join(known)}.")
    listing = list_files(REPOSITORY, REVISION, "dataset")
    wanted = _wanted(listing, languages or LANGUAGES, splits)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    files = _read_manifest(folder)
    with download_bar(sum(part.size for parts in wanted.values() for part in parts), progress) as advance:
        for name, parts in wanted.items():
            sources = {part.path: part.sha256 for part in parts}
            if _is_complete(folder / name, files.get(name), sources):
                advance(sum(part.size for part in parts))
                continue
            if name in files:
                note(f"{name} is missing, damaged, or has changed on the hub; downloading it again")
            files[name] = {"sources": sources, **_get(listing, parts, folder, name, advance)}
            _write_manifest(folder, listing.commit, files)
    _write_manifest(folder, listing.commit, files)
    shutil.rmtree(folder / _PARTS, ignore_errors=True)
    return {name: files[name] for name in wanted}


def _wanted(listing: Listing, languages: Sequence[str], splits: Sequence[str]) -> Mapping[str, list[HubFile]]:
    """The parts of each file to make, in order."""
    listed: dict[tuple[str, str], list[HubFile]] = defaultdict(list)
    for file in sorted(listing.files, key=lambda file: file.path):
        if found := _FILE.fullmatch(file.path):
            listed[found["language"], found["split"]].append(file)
    wanted = {}
    for language in languages:
        for split in splits:
            parts = listed[load(language).name.lower(), split]
            if not parts or not all(part.sha256 for part in parts):
                raise DataError(
                    f"The hub has no Parquet files with checksums for '{language}', split {split}, in '{REPOSITORY}'; "
                    "leave it out, or try again later: the hub converts data sets now and then."
                )
            wanted[f"{language}/{split}.parquet"] = parts
    return wanted


def _is_complete(path: Path, entry: Mapping[str, Any] | None, sources: Mapping[str, str]) -> bool:
    if entry is None or entry["sources"] != sources or not path.is_file():
        return False
    return bool(entry["sha256"] == file_sha256(path))


def _get(listing: Listing, parts: Sequence[HubFile], folder: Path, name: str, advance: Advance) -> dict[str, Any]:
    """Download the parts of a file and join them; the parts are then deleted, so that little more space is needed."""
    paths = [fetch_file(listing, part, folder / _PARTS, advance) for part in parts]
    target = folder / name
    with writing(target):
        target.parent.mkdir(exist_ok=True)
    rows = _join(paths, target)
    for path in paths:
        path.unlink()
    return {"rows": rows, "bytes": target.stat().st_size, "sha256": file_sha256(target)}


def _join(parts: Sequence[Path], target: Path) -> int:
    """Write the rows of some Parquet files to one, a few at a time, and return their number."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtraError("Writing Parquet", "data") from error
    schema, rows = pyarrow.schema([(column, pyarrow.string()) for column in _COLUMNS]), 0
    with written(target) as file, ParquetWriter(file, schema, compression="zstd") as writer:
        for part in parts:
            for batch in _batches(part):
                with writing(target):
                    writer.write_batch(batch.cast(schema))
                rows += batch.num_rows
    return rows


def _batches(part: Path) -> Iterator[RecordBatch]:
    from pyarrow import ArrowException

    with open_parquet(part) as file:
        if missing := [column for column in _COLUMNS if column not in file.schema_arrow.names]:
            raise DataError(f"'{part.name}' from the hub has no column '{missing[0]}', as EUR-Lex-Sum has; report it.")
        try:
            yield from file.iter_batches(_ROWS_AT_ONCE, columns=list(_COLUMNS))
        except (OSError, ArrowException) as error:
            raise DataError(f"'{part.name}' on the hub is not valid Parquet ({brief(error)}); report it.") from error


def _read_manifest(folder: Path) -> _Files:
    """The files that are complete; none if the manifest is missing or damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        content = json.loads((folder / MANIFEST).read_bytes())
        files: _Files = {name: dict(entry) for name, entry in content["files"].items()}
        if all({"sources", "sha256"} <= entry.keys() for entry in files.values()):
            return files
    return {}


def _write_manifest(folder: Path, commit: str, files: _Files) -> None:
    content = {"repository": REPOSITORY, "revision": REVISION, "commit": commit, "files": files}
    write_whole(folder / MANIFEST, json.dumps(content, indent=1).encode() + b"\n")
