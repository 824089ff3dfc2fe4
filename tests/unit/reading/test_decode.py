"""Decoding: old code pages are detected, a few invalid bytes are repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.reading.formats.decode import decode

PAGES = {
    "el": ("cp1253", "iso8859_7"),
    "bg": ("cp1251", "iso8859_5"),
    "cs": ("cp1250", "iso8859_2"),
    "pl": ("cp1250", "iso8859_2"),
    "hu": ("cp1250",),
    "lv": ("cp1257",),
    "lt": ("cp1257",),
    "fr": ("cp1252",),
    "de": ("cp1252",),
    "sv": ("cp1252",),
}


@pytest.mark.parametrize(("language", "page"), [(lang, page) for lang, pages in PAGES.items() for page in pages])
def test_legacy_code_pages_are_detected(examples: Path, language: str, page: str) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8")
    data = text.encode(page, "ignore")
    decoded, warnings = decode(data)
    assert decoded == data.decode(page)
    assert warnings
    act = read(data)
    assert act.language == language
    assert sum(section.kind == "article" for section in act.sections) == 10


def test_a_declared_code_page_is_used() -> None:
    page = '<html><head><meta charset="windows-1253"></head><body><p>Άρθρο 1</p></body></html>'
    assert "Άρθρο 1" in decode(page.encode("cp1253"))[0]


def test_a_few_invalid_bytes_are_repaired() -> None:
    data = ("Règlement du Conseil, à Bruxelles, l’été. " * 20).encode() + "décidé".encode("cp1252")
    text, warnings = decode(data)
    assert text.endswith("décidé")
    assert "2 bytes" in warnings[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_every_encoding_of_unicode_is_read(examples: Path, encoding: str) -> None:
    text = (examples / "short" / "mt.txt").read_text("utf-8")
    assert decode(text.encode(encoding)) == (text, [])
