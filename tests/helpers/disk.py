"""A disk that fails: it counts what is written below a folder, and fails, dies, or loses power where it is told to.

Python's own functions for files are replaced, so the code under test is the real one and its files are real files. What
is lost when the power fails is computed from the record of a run: everything that was not flushed may be lost, torn or
reordered, as POSIX allows, which is more than most file systems do.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

SECTOR = 512
"""Bytes that are written as a whole or not at all."""


def _absolute(path: Any) -> str:
    return str(os.path.abspath(os.fspath(path)))  # noqa: PTH100 – links are not followed


class DeadError(BaseException):
    """The process was killed: nothing that it does from here on reaches the disk."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong.

    Args:
        at: With which of the operations, counted from 1.
        error: The error's number; 0 kills the process instead.
        is_short: Whether half of the bytes are written first, if the operation writes any.
        lasts: Whether all operations that need space fail from then on, as on a full disk.

    """

    at: int
    error: int = 0
    is_short: bool = False
    lasts: bool = False


@dataclass(frozen=True)
class Step:
    """An operation: what it was, on which file or folder, and what it wrote."""

    kind: str
    path: str
    file: int = -1
    offset: int = 0
    content: bytes = b""
    target: str = ""


@dataclass
class Disk:
    """Watches a folder while it is `installed`."""

    root: Path
    fault: Fault | None = None
    steps: list[Step] = field(default_factory=list)
    is_dead: bool = False
    has_failed: bool = False
    _files: dict[str, int] = field(default_factory=dict)
    _open: dict[int, tuple[int, str]] = field(default_factory=dict)
    _count: int = 0

    def _step(self, step: Step, write: Callable[[int], Any] | None = None) -> None:
        """Record an operation, or fail; `write` writes the first bytes of it."""
        if self.is_dead:
            raise DeadError
        fault, number = self.fault, len(self.steps) + 1
        self.steps.append(step)
        needs_space = step.kind not in ("unlink", "rmdir", "replace")
        if fault is None or not (number == fault.at or (fault.lasts and number > fault.at and needs_space)):
            return
        self.has_failed = True
        if fault.is_short and write is not None:
            write(len(step.content) // 2)
        if not fault.error:
            self.is_dead = True
            raise DeadError
        raise OSError(fault.error, os.strerror(fault.error), step.path)

    def _is_here(self, path: Any) -> bool:
        if isinstance(path, int):
            return False
        return _absolute(path).startswith(str(self.root))

    def _number(self, path: str, *, is_new: bool = False) -> int:
        if is_new or path not in self._files:
            self._count += 1
            self._files[path] = self._count
        return self._files[path]

    @contextmanager
    def installed(self) -> Iterator[Disk]:
        """Replace Python's functions within the block."""
        real = {name: getattr(os, name) for name in ("open", "close", "fsync", "ftruncate", "pwrite", "write")}

        def named(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
            def call(path: Any, *others: Any, **options: Any) -> Any:
                if not self._is_here(path):
                    return function(path, *others, **options)
                name = _absolute(path)
                if self.is_dead:
                    return None  # what a killed process would still clean up
                if kind == "mkdir" and os.path.lexists(name):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
                if kind == "rmdir" and any(Path(name).iterdir()):
                    raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), name)
                if kind == "unlink" and not os.path.lexists(name):
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
                target = _absolute(others[0]) if kind == "replace" else ""
                file = self._number(name) if kind == "replace" else -1
                self._step(Step(kind, name, file, target=target))
                if kind == "replace":
                    self._files[target] = self._files.pop(name)
                elif kind == "unlink":
                    self._files.pop(name, None)
                return function(path, *others, **options)

            return call

        def open_handle(path: Any, flags: int, *others: Any, **options: Any) -> int:
            if not self._is_here(path):
                return int(real["open"](path, flags, *others, **options))
            name = _absolute(path)
            if flags & os.O_CREAT and not os.path.lexists(name):
                self._step(Step("create", name, self._number(name, is_new=True)))
            handle = int(real["open"](path, flags, *others, **options))
            if Path(name).is_dir():
                self._open[handle] = (-1, name)
            else:
                self._open[handle] = (self._number(name), name)
                if flags & os.O_TRUNC and flags & (os.O_WRONLY | os.O_RDWR):
                    self._step(Step("truncate", name, self._number(name)))
            return handle

        def close(handle: int) -> None:
            self._open.pop(handle, None)
            real["close"](handle)

        def flush(handle: int) -> None:
            if handle in self._open and not self.is_dead:
                number, name = self._open[handle]
                self._step(Step("sync" if number >= 0 else "sync folder", name, number))
            # not flushed for real: it takes long, and the kernel does not lose power

        def truncate(handle: int, size: int) -> None:
            if self.is_dead:
                return
            if handle in self._open:
                number, name = self._open[handle]
                self._step(Step("truncate", name, number, size))
            real["ftruncate"](handle, size)

        def write_at(handle: int, content: bytes, offset: int) -> int:
            if handle in self._open:
                number, name = self._open[handle]
                whole = bytes(content)
                self._step(
                    Step("write", name, number, offset, whole),
                    lambda length: real["pwrite"](handle, whole[:length], offset),
                )
            return int(real["pwrite"](handle, content, offset))

        def open_file(
            path: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
            newline: Any = None, **options: Any,
        ) -> Any:  # fmt: skip
            if not set(mode) & set("wax+") or not self._is_here(path):
                return real_open(path, mode, buffering, encoding, errors, newline, **options)
            flags = {"w": os.O_TRUNC | os.O_CREAT, "a": os.O_CREAT, "x": os.O_CREAT | os.O_EXCL, "r": 0}[
                next(letter for letter in mode if letter in "wxar")
            ]
            raw = _File(self, open_handle(path, flags | os.O_RDWR, 0o644), write_at, truncate, close, "a" in mode)
            buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            if "b" in mode:
                return buffered
            return io.TextIOWrapper(buffered, encoding, errors, newline)

        real_open = io.open
        patches: list[Any] = [
            *(patch.object(os, kind, named(kind, getattr(os, kind))) for kind in ("mkdir", "rmdir", "unlink")),
            patch.object(os, "remove", named("unlink", os.remove)),
            *(patch.object(os, name, named("replace", getattr(os, name))) for name in ("replace", "rename")),
            *(patch.object(os, "open", open_handle), patch.object(os, "close", close)),
            *(patch.object(os, "fsync", flush), patch.object(os, "ftruncate", truncate)),
            *(patch.object(os, "pwrite", write_at), patch.object(io, "open", open_file)),
            patch.object(builtins, "open", open_file),
        ]
        for one in patches:
            one.start()
        try:
            yield self
        finally:
            for one in reversed(patches):
                one.stop()


class _File(io.RawIOBase):
    """An open file whose bytes go through the disk; there is no buffer below it, as in a system call."""

    def __init__(self, disk: Disk, handle: int, write: Any, truncate: Any, close: Any, appends: bool) -> None:
        self._disk, self._handle, self._write, self._truncate, self._close = disk, handle, write, truncate, close
        self._place = os.fstat(handle).st_size if appends else 0

    def fileno(self) -> int:
        return self._handle

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._place = offset + (0, self._place, os.fstat(self._handle).st_size)[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: Any) -> int:
        content = os.pread(self._handle, len(buffer), self._place)
        buffer[: len(content)] = content
        self._place += len(content)
        return len(content)

    def write(self, content: Any) -> int:
        whole = bytes(content)
        if self._disk.is_dead:  # what was buffered is lost
            return len(whole)
        length = int(self._write(self._handle, whole, self._place))
        self._place += length
        return length

    def truncate(self, size: int | None = None) -> int:
        size = self._place if size is None else size
        self._truncate(self._handle, size)
        return size

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._close(self._handle)


# --- Power failures


@dataclass
class _Inode:
    """A file without a name: its content on disk, and the writes that were not flushed yet."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Step] = field(default_factory=list)

    def flush(self) -> None:
        for step in self.pending:
            _apply(self.durable, step)
        self.pending.clear()

    def after(self, draw: random.Random, share: float) -> bytes:
        """The content after a power failure: any of the pending writes may be lost, torn, or zeros."""
        content = bytearray(self.durable)
        for step in self.pending:
            if draw.random() < share:
                _apply(content, step)
            elif step.kind == "write" and draw.random() < 0.5:
                cut = draw.randrange(len(step.content) // SECTOR + 1) * SECTOR
                zeros = bytes(len(step.content) - cut) if draw.random() < 0.5 else b""
                _apply(content, Step("write", "", 0, step.offset, step.content[:cut] + zeros))
        return bytes(content)


def _apply(content: bytearray, step: Step) -> None:
    if step.kind == "truncate":
        del content[step.offset :]
        content.extend(bytes(step.offset - len(content)))
    else:
        content.extend(bytes(max(0, step.offset - len(content))))
        content[step.offset : step.offset + len(step.content)] = step.content


def after_power_failure(
    steps: list[Step], root: Path, before: Path | None, target: Path, draw: random.Random, share: float
) -> None:
    """Make a folder as it may be found if the power failed after these steps.

    Args:
        steps: What was done below `root`.
        root: The folder that was watched.
        before: What was durably there at first; None if nothing was.
        target: The folder to make.
        draw: Decides what is lost.
        share: How likely it is that an operation that was not flushed is there all the same.

    """
    inodes: dict[int, _Inode] = {}
    names: dict[str, int | None] = {}  # those that are durable; None is a folder
    pending: dict[str, list[Step]] = {}  # changes of names, by folder
    fresh = -1
    for path in sorted(before.rglob("*")) if before else ():
        name = str(root / path.relative_to(before)) if before else ""
        names[name] = None if path.is_dir() else fresh
        if not path.is_dir():
            inodes[fresh] = _Inode(bytearray(path.read_bytes()))
            fresh -= 1
    live = dict(names)  # as the process saw them, to find the file behind a path
    known: dict[int, int] = {}  # numbers of the record → inodes

    def inode(step: Step) -> _Inode:
        if step.file not in known:
            found = live.get(step.path)
            known[step.file] = found if found is not None else step.file
        return inodes.setdefault(known[step.file], _Inode())

    for step in steps:
        folder = str(Path(step.path).parent)
        if step.kind in ("write", "truncate"):
            inode(step).pending.append(step)
        elif step.kind == "sync":
            inode(step).flush()
        elif step.kind == "sync folder":
            for change in pending.pop(step.path, []):
                _rename(names, change, known)
        else:
            if step.kind == "create":
                known[step.file] = step.file
                inodes[step.file] = _Inode()
            elif step.kind == "replace":
                inode(step)
            _rename(live, step, known)
            pending.setdefault(folder, []).append(step)
    for folder in sorted(pending):
        for change in pending[folder]:
            if draw.random() < share:
                _rename(names, change, known)
    target.mkdir()
    for name, number in sorted(names.items()):
        path = target / os.path.relpath(name, root)
        if not path.parent.is_dir():
            continue  # a folder above it was lost
        if number is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(inodes[number].after(draw, share))


def _rename(names: dict[str, int | None], step: Step, known: dict[int, int]) -> None:
    if step.kind == "create":
        names[step.path] = known[step.file]
    elif step.kind == "mkdir":
        names[step.path] = None
    elif step.kind == "replace":
        names.pop(step.path, None)
        names[step.target] = known[step.file]
    else:
        names.pop(step.path, None)
