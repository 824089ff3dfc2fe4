"""Files of the Hugging Face hub: listed at one commit, downloaded, and checked against the hub's checksums.

The hub is the one that `HF_ENDPOINT` names. `huggingface_hub` follows redirects and resumes broken transfers; what it
does not do is compare the content with the SHA-256 in the listing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from lexlattice._internal.files import file_sha256
from lexlattice.errors import FetchError, LexLatticeError, MissingExtraError, OutputError, brief

Advance = Callable[[int], object]

_EXTRAS: Final = {"dataset": "data", "model": "hf"}
_ATTEMPTS: Final = 2
"""Downloads of a file whose checksum is wrong: the copy on disk may be damaged, the second one comes from the hub."""
_PROGRESS_DELAY: Final = 2.0
"""Seconds before a progress bar appears."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file as the hub lists it."""

    path: str
    size: int
    sha256: str
    """Empty for small files that the hub keeps in Git itself."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a repository at one commit."""

    repository: str
    kind: Literal["dataset", "model"]
    commit: str
    files: tuple[HubFile, ...]


def list_files(repository: str, revision: str | None, kind: Literal["dataset", "model"]) -> Listing:
    """List the files of a repository, at the commit that a branch or tag names now.

    Raises:
        FetchError: The hub cannot be reached, or has no such repository or revision.
        MissingExtraError: `huggingface_hub` is not installed.

    """
    with _reporting(repository, kind):
        from huggingface_hub import HfApi
        from huggingface_hub.hf_api import RepoFile

        api = HfApi()
        commit = api.repo_info(repository, revision=revision, repo_type=kind).sha
        if commit is None:
            raise FetchError(f"The hub does not say which commit of '{repository}' is the latest; try again later.")
        entries = api.list_repo_tree(repository, recursive=True, revision=commit, repo_type=kind)
        files = [
            HubFile(entry.path, entry.size, entry.lfs.sha256 if entry.lfs else "")
            for entry in entries
            if isinstance(entry, RepoFile)
        ]
    return Listing(repository, kind, commit, tuple(files))


def fetch_file(listing: Listing, file: HubFile, folder: Path | None, advance: Advance) -> Path:
    """Download a file unless it is there already, and check its size and checksum.

    Args:
        listing: The repository.
        file: One of its files.
        folder: Where to put it, at its path in the repository; None for the shared cache of `huggingface_hub`.
        advance: Called with the number of bytes that have arrived.

    Raises:
        FetchError: The file cannot be downloaded, or is not the one that the hub lists.
        OutputError: It cannot be written.

    """
    progress = _Progress(file.size, advance)
    for attempt in range(_ATTEMPTS):
        with _reporting(listing.repository, listing.kind):
            from huggingface_hub import hf_hub_download

            found = hf_hub_download(
                listing.repository,
                file.path,
                repo_type=listing.kind,
                revision=listing.commit,
                local_dir=folder,
                force_download=attempt > 0,
                tqdm_class=progress.bar_class(),
            )
            path = Path(found)
            is_intact = path.stat().st_size == file.size and file.sha256 in ("", file_sha256(path))
        if is_intact:
            progress.finish()
            return path
    path.unlink()
    raise FetchError(
        f"'{file.path}' of '{listing.repository}' was downloaded twice with another checksum than the hub lists; "
        "a proxy may have changed it: try another network, or later."
    )


@contextmanager
def download_bar(total: int, shown: bool) -> Iterator[Advance]:
    """Yield a function that advances one progress bar over all bytes of several files."""
    from tqdm import tqdm

    look: dict[str, Any] = {"desc": "downloading", "unit": "B", "unit_scale": True, "delay": _PROGRESS_DELAY}
    with tqdm(total=total, disable=not shown, **look) as bar:
        yield bar.update


class _Progress:
    """Passes the bytes of one file on, never more than it has: retries and Xet report some of them twice."""

    def __init__(self, size: int, advance: Advance) -> None:
        self._left, self._advance = size, advance

    def update(self, count: float | None) -> None:
        counted = max(min(int(count or 0), self._left), 0)
        self._left -= counted
        self._advance(counted)

    def finish(self) -> None:
        self.update(self._left)

    def bar_class(self) -> type[Any]:
        """A class of invisible progress bars, as `huggingface_hub` creates one for each transfer."""
        from tqdm import tqdm

        report = self.update

        class Forward(tqdm):  # type: ignore[type-arg]
            def __init__(self, *_: Any, **__: Any) -> None:
                super().__init__(disable=True)

            def update(self, n: float | None = 1) -> None:
                report(n)

        return Forward


@contextmanager
def _reporting(repository: str, kind: str) -> Iterator[None]:
    """Convert whatever goes wrong within the block into one sentence."""
    try:
        yield
    except LexLatticeError:
        raise
    except ImportError as error:
        raise MissingExtraError("Downloading from the Hugging Face hub", _EXTRAS[kind]) from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the file system; those of the network have none
            raise OutputError(
                f"A file of '{repository}' cannot be written ({error.strerror or error}); free some space, "
                "or choose another place."
            ) from error
        raise FetchError(
            f"'{repository}' cannot be downloaded from the Hugging Face hub ({brief(error)}); check the name and the "
            "network, then run the command again: it resumes."
        ) from error
