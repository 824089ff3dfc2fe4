"""PDFs written by hand: harmless ones of any length, and ones that no program can read to their end."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

_PAGE = b"/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"
_FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 595 842]"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def assembled(objects: Sequence[bytes]) -> bytes:
    """A file of these objects, numbered from 1; the first is the catalogue."""
    file, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(file))
    return file + head + table + trailer


def _stream(content: bytes, about: bytes = b"") -> bytes:
    return b"<< %b /Length %d >> stream\n%b\nendstream" % (about, len(content), content)


def pages(texts: Sequence[Sequence[str]]) -> bytes:
    """A page for each sequence of lines."""
    numbers = [4 + 2 * n for n in range(len(texts))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(numbers)),
        _FONT,
    ]
    for number, lines in zip(numbers, texts, strict=True):
        shown = b"".join(b"(%b) Tj T*\n" % line.encode() for line in lines)
        about = b"/Contents %d 0 R /Resources << /Font << /F 3 0 R >> >>" % (number + 1)
        content = zlib.compress(b"BT /F 9 Tf 50 800 Td 12 TL\n" + shown + b"ET")
        objects += [b"<< %b %b >>" % (_PAGE, about), _stream(content, b"/Filter /FlateDecode")]
    return assembled(objects)


def bomb(depth: int, text: bytes = b"(Bees) Tj", times: int = 10) -> bytes:
    """A page with a form that shows the next one ten times, and so on: `times ** depth` texts in two kilobytes."""
    about = b"/Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< %b %b >>" % (_PAGE, about),
        _stream(b"/X Do"),
        _FONT,
    ]
    for number in range(depth):
        called = b"/Resources << /XObject << /X %d 0 R >> >>" % (7 + number)
        objects.append(_stream(b"/X Do " * times, _FORM + called))
    return assembled(
        [*objects, _stream(b"BT /F 9 Tf 50 700 Td %b ET" % text, _FORM + b"/Resources << /Font << /F 5 0 R >> >>")]
    )
