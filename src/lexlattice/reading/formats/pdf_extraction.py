"""The program that takes the characters out of PDFs, started by `pdf_process` as a process with limits.

It is run as a script and imports nothing of the package, so that it starts in a few hundredths of a second: what a
file can do to PDFium happens here. A request is a line of JSON followed by the bytes of the PDF; the reply is a line of
JSON for each page, and a last one. The program ends with its standard input, that is with the process that started it.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import select
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

MAX_OBJECTS = 20_000  # per page: no page of an act has as many, but a map may
BROKEN_WORD = "\x02"  # what pdfium returns for a hyphen or soft hyphen before a line break

_FORCE_BOLD = 1 << 18

Word = list[Any]
"""Text, left edge, right edge, baseline, size, whether it is bold, and whether a space precedes it."""
Reply = list[Any]
"""`["page", words, rules]`, `["skipped", code, page]`, and at the end `["end"]` or `["error", code, number]`."""


def extract(pypdfium2: Any, data: bytes, max_pages: int, max_characters: int) -> Iterator[Reply]:
    """Yield the replies for a PDF; a page with text in several directions counts as several pages."""
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        yield ["error", "encrypted" if "password" in str(error).lower() else "damaged", 0]
        return
    try:
        if not 0 < len(pdf) <= max_pages:
            yield ["error", "pages", len(pdf)]
            return
        for number in range(len(pdf)):
            try:
                page = pdf[number]
                text = page.get_textpage()
            except pypdfium2.PdfiumError:
                if len(pdf) == 1:
                    yield ["error", "damaged", 0]
                    return
                yield ["page", [], []]
                yield ["skipped", "page-damaged", number + 1]
                continue
            max_characters -= pypdfium2.raw.FPDFText_CountChars(text)
            if max_characters < 0:
                yield ["error", "characters", 0]
                return
            directions = _directions(pypdfium2.raw, page, text)
            if not directions and pypdfium2.raw.FPDFPage_CountObjects(page) > 0:
                yield ["skipped", "page-without-text", number + 1]
            yield from directions or [["page", [], []]]
            text.close()
            page.close()
    finally:
        pdf.close()
    yield ["end"]


def _directions(raw: Any, page: Any, text: Any) -> list[Reply]:
    """Split a page by the direction of its text, the most frequent direction first."""
    words = sorted(_words(raw, text).items(), key=lambda item: len(item[1]), reverse=True)
    return [["page", found, [] if turn else _rules(raw, page)] for turn, found in words]


def _rules(raw: Any, page: Any) -> list[list[float]]:
    """Return the horizontal rules drawn on a page: left edge, right edge, height."""
    rules: list[list[float]] = []
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for i in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        shape = raw.FPDFPage_GetObject(page, i)
        is_path = raw.FPDFPageObj_GetType(shape) == raw.FPDF_PAGEOBJ_PATH
        if not is_path or not raw.FPDFPageObj_GetBounds(shape, left, bottom, right, top):
            continue
        if top.value - bottom.value < 0.05 * (right.value - left.value):
            rules.append([left.value, right.value, bottom.value])
    return rules


def _words(raw: Any, page: Any) -> dict[int, list[Word]]:
    """Return the words of a page by the direction of their text, in degrees."""
    directions: defaultdict[int, list[Word]] = defaultdict(list)
    x, y, flags = ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    box, matrix, name = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.create_string_buffer(128)
    word: Word | None = None
    apart, cos, sin, high = True, 1.0, 0.0, 0

    def upright() -> tuple[float, float, float]:
        """Left edge, right edge and baseline of the current character after rotation."""
        ends = sorted((box.left * cos + box.bottom * sin, box.right * cos + box.top * sin))
        place = (*ends, y.value * cos - x.value * sin)
        return place if all(map(math.isfinite, place)) else (0.0, 0.0, 0.0)

    for i in range(raw.FPDFText_CountChars(page)):
        code = raw.FPDFText_GetUnicode(page, i)
        if 0xD800 <= code < 0xDC00:  # on 16-bit platforms, rare characters come as surrogate pairs
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF)
        char = chr(code)
        if char.isspace():
            word, apart = None, True
            continue
        if code < 0x20 and char != BROKEN_WORD:
            char = "\ufffd"  # a glyph without a Unicode value in the file
        raw.FPDFText_GetCharOrigin(page, i, x, y)
        raw.FPDFText_GetLooseCharBox(page, i, box)
        if word is not None:
            x0, x1, baseline = upright()
            _, _, end, height, size, _, _ = word
            if -size < x0 - end < 0.25 * size and abs(baseline - height) < 0.1 * size:
                word[0] += char
                word[2] = max(end, x1)
                continue
        raw.FPDFText_GetMatrix(page, i, matrix)
        raw.FPDFText_GetFontInfo(page, i, name, 128, flags)
        angle = math.degrees(math.atan2(matrix.b, matrix.a))
        turn = round(angle / 15) * 15 % 360 if math.isfinite(angle) else 0  # rounded, since scans are slightly skewed
        cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        x0, x1, baseline = upright()
        size = round(abs(raw.FPDFText_GetFontSize(page, i)) * math.hypot(matrix.c, matrix.d), 1)
        bold = b"bold" in name.value.lower() or bool(flags.value & _FORCE_BOLD)
        word = [char, x0, x1, baseline, size if 0 < size < math.inf else 1.0, bold, apart]
        apart = False
        directions[turn].append(word)
    return directions


# --- the process ------------------------------------------------------------------------------------------


def main() -> None:
    """Answer one request after the other, until the standard input ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # both are sent to whole groups; the parent decides what ends
        signal.signal(number, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = json.loads(sys.argv[1])
    import pypdfium2

    while header := requests.readline():
        try:
            _answer(pypdfium2, json.loads(header), requests, replies)
        except MemoryError:
            os._exit(1)


def _answer(pypdfium2: Any, request: dict[str, Any], requests: BinaryIO, replies: BinaryIO) -> None:
    _limit(request["seconds"], request["memory"])
    data = requests.read(request["bytes"])
    if len(data) < request["bytes"]:  # the parent has ended
        return
    for reply in extract(pypdfium2, data, request["pages"], request["characters"]):
        replies.write(json.dumps(reply).encode() + b"\n")
    replies.flush()


def _limit(seconds: int, memory: int) -> None:
    """Limit the processor time of one request and the memory of the process, where the system supports it.

    RLIMIT_DATA does not count files mapped read-only. The hard limits stay, so that the next request can have others.
    """
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a file that crashes PDFium leaves no other behind
        used = resource.getrusage(resource.RUSAGE_SELF)
        for kind, limit in (
            (resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime) + seconds),
            (resource.RLIMIT_DATA, memory),
        ):
            _, hard = resource.getrlimit(kind)
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _end_with_parent() -> None:
    """End in the middle of a request if nobody can read the reply; on Windows only between requests."""
    with suppress(AttributeError, OSError):
        parent = select.poll()
        parent.register(0, 0)  # only that the other end was closed
        parent.poll()
        os._exit(1)


if __name__ == "__main__":
    main()
