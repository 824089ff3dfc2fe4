"""The process in which PDFium runs, with limits: a PDF can make it compute for ever, take any memory or crash.

A file of one kilobyte whose parts each show the next one ten times is enough. So `pdf_extraction` runs as a program of
its own, in the library, the commands and the workers of the service alike, and can only return text and numbers as
JSON. The process is used again for the next PDF, since starting it takes longer than reading most of them. It ends with
its parent; a process that was forked from the parent starts its own.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any, Final

from lexlattice.act.remarks import Remark
from lexlattice.errors import LexLatticeError, MissingExtraError, ReadingError, TooComplexError
from lexlattice.reading.formats import pdf_extraction
from lexlattice.reading.formats.pdf_words import Page, Rule, Word

MAX_PAGES: Final = 5_000
MAX_CHARACTERS: Final = 20_000_000
"""Of all pages together: twice the longest acts."""
SECONDS: Final = 10
SECONDS_PER_MEGABYTE: Final = 15
"""Processor time; a page of an act has 3 KB or more and takes 15 ms, which makes 5 s per megabyte."""
_PATIENCE: Final = 6
"""Seconds of the clock for each second of the processor, which other programs may use meanwhile."""
MEMORY: Final = 256_000_000
MEMORY_PER_BYTE: Final = 8
"""An act needs some 40 MB and a few times the size of its file, since pages are sent one by one."""
_CHUNK: Final = 1 << 20
"""Bytes that are read at once."""
_ATTEMPTS: Final = 2
"""If somebody else kills the process, that is not the fault of the PDF; twice is no accident."""


def pages_of(data: bytes) -> tuple[list[Page], list[str]]:
    """Return the pages of a PDF, and warnings about those that were skipped.

    Raises:
        ReadingError: The PDF is damaged, encrypted or too long.
        TooComplexError: It takes too much time or memory, or makes PDFium crash.
        MissingExtraError: pypdfium2 is not installed.
    """
    if find_spec("pypdfium2") is None:
        raise MissingExtraError("Reading PDF", "pdf")
    return _process.pages_of(data)


class _ProcessDiedError(Exception):
    """The process ended in the middle of a request; the argument is whether somebody else killed it."""


class _Process:
    """A process for PDFs, started with the first one and replaced whenever it dies; any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # the process reads one PDF at a time
        self._process: subprocess.Popen[bytes] | None = None

    def pages_of(self, data: bytes) -> tuple[list[Page], list[str]]:
        seconds = SECONDS + SECONDS_PER_MEGABYTE * len(data) // 1_000_000
        with self._lock:
            for _ in range(_ATTEMPTS):
                try:
                    return _gathered(self._replies(data, seconds))
                except _ProcessDiedError as error:
                    if not error.args[0]:
                        break
        raise TooComplexError(
            f"Reading this PDF takes more than {seconds} seconds or far more memory than acts need, or makes the PDF "
            "library crash; save it again, or give the act in another format."
        )

    def _replies(self, data: bytes, seconds: int) -> Iterator[list[Any]]:
        """Send a PDF and yield what comes back; a process that does not finish is ended."""
        process = self._started()
        is_overdue, is_finished = threading.Event(), False

        def stop() -> None:
            is_overdue.set()
            process.kill()

        watch = threading.Timer(_PATIENCE * seconds, stop)
        watch.daemon = True
        watch.start()
        try:
            _send(process, data, seconds)
            for line in _lines(process):
                reply = json.loads(line)
                is_finished = reply[0] in ("end", "error")
                yield reply
                if is_finished:
                    return
        except OSError:
            pass  # it died while the PDF was sent
        finally:
            watch.cancel()
            if not is_finished:  # nor is it after Ctrl-C: the rest of the reply would be in the way of the next one
                self.end()
        raise _ProcessDiedError(not is_overdue.is_set() and process.returncode == -getattr(signal, "SIGKILL", 0))

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        if not sys.executable or getattr(sys, "frozen", False):
            raise _not_started("this program has no Python interpreter")
        if not os.path.isfile(pdf_extraction.__file__):  # noqa: PTH113 – in a ZIP file, a place below it
            raise _not_started("the package is not installed as files")
        # Isolated, but with the places where this process finds modules: neither folder nor environment add others.
        command = [sys.executable, "-I", pdf_extraction.__file__, json.dumps([*map(str, sys.path)])]
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0)
        except OSError as error:
            raise _not_started(error.strerror or "the system refused it") from None
        self._process = process
        return process

    def end(self) -> None:
        """End the process; the next PDF gets another one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _close(process)

    def forget(self) -> None:
        """In a forked process: leave the process to the parent, and start another one if there is a PDF to read."""
        process, self._process, self._lock = self._process, None, threading.Lock()
        if process is not None:
            process.returncode = 0  # it is not ours to wait for
            _close(process)


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """Yield the lines that a process writes.

    Without a buffered reader: it has a lock, and a process that is forked while another thread reads would wait for it
    for ever.
    """
    assert process.stdout is not None
    pieces: list[bytes] = []
    while chunk := process.stdout.read(_CHUNK):
        first, *others = chunk.split(b"\n")
        pieces.append(first)
        for other in others:
            yield b"".join(pieces)
            pieces = [other]


def _send(process: subprocess.Popen[bytes], data: bytes, seconds: int) -> None:
    request = {
        "bytes": len(data),
        "pages": MAX_PAGES,
        "characters": MAX_CHARACTERS,
        "seconds": seconds,
        "memory": MEMORY + MEMORY_PER_BYTE * len(data),
    }
    assert process.stdin is not None
    for content in (json.dumps(request).encode() + b"\n", data):
        rest = memoryview(content)
        while rest:
            rest = rest[process.stdin.write(rest) :]


def _gathered(replies: Iterable[list[Any]]) -> tuple[list[Page], list[str]]:
    pages: list[Page] = []
    warnings: list[str] = []
    for kind, *content in replies:
        if kind == "page":
            words, rules = content
            pages.append(Page([Word(*word) for word in words], [Rule(*rule) for rule in rules]))
        elif kind == "skipped":
            warnings.append(_skipped(*content))
        elif kind == "error":
            raise _error(*content)
    return pages, warnings


def _skipped(code: str, page: int) -> Remark:
    if code == "page-damaged":
        return Remark("page-damaged", f"Page {page} of the PDF is damaged and was skipped.", page=page)
    return Remark("page-without-text", f"Page {page} of the PDF has no text layer and was skipped.", page=page)


def _error(code: str, number: int) -> ReadingError:
    """Return the error for what `pdf_extraction` found."""
    if code == "encrypted":
        return ReadingError("The PDF is encrypted; remove the password and try again.", code="encrypted")
    if code == "pages":
        return ReadingError(f"The PDF has {number:,} pages; it can have 1 to {MAX_PAGES:,}.", code="damaged")
    if code == "characters":
        return TooComplexError(
            f"The PDF shows more than {MAX_CHARACTERS:,} characters, which no act does; give one act only."
        )
    return ReadingError("The PDF is damaged, or not a PDF; download it again.", code="damaged")


def _not_started(reason: str) -> LexLatticeError:
    from lexlattice._internal.worker import WorkerLostError

    return WorkerLostError(f"The process that reads PDFs could not be started: {reason}; give the act as a text.")


_process: Final = _Process()
atexit.register(_process.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.forget)
