"""Malicious input takes linear time, and ends in an act or in one sentence."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.laws import assert_laws
from helpers.timing import LINEAR, growth
from lexlattice import LexLatticeError, read
from lexlattice.reading.structure.health import health

WRAPPED = "this is a line that is longer than forty characters and goes\n and continues here below it without stop\n"
ANNEX = "Article 1\nfoo bar baz quux.\nANNEX I\n(a)\nfoo\n(b)\nfoo bar.\n(c)\nfoo\n"


def numbered(pattern: str, count: int) -> str:
    return "".join(pattern.format(i) for i in range(1, count + 1))


GROWING: dict[str, Callable[[int], str]] = {
    "heading of spaces": lambda n: "# a" + " " * n + "b\n# c\nx\n",
    "emphasis that never closes": lambda n: "# a\n# b\n" + "**a " * n,
    "accents on one letter": lambda n: "T\ne" + "\u0316\u0301" * n + "\nfoo bar.\n",
    "a rule of dashes": lambda n: "x" * 700 + "\n" + "-" * n,
    "footnotes in an annex": lambda n: ANNEX + "(1)  foo\n" * n + "text follows\n",
    "one wrapped paragraph": lambda n: WRAPPED * n,
    "markers that never continue": lambda n: "Article 1\n" + "(a)\nx\n(1)\ny\n" * n,
    "quotation marks": lambda n: "Article 1\n" + "‘Article 5\n" * n,
    "the same article": lambda n: "Article 1\nText.\n" * n,
    "one line of references": lambda n: "Article 1 of " * n,
    "a document type": lambda n: "<!DOCTYPE a" + "[]" * n,
    "headings by mark-up": lambda n: "<p class='ti-art'>Article 1</p>" + "<p class='sti-art'>Heading</p>" * n,
    "cells": lambda n: "<table border=1>" + "<tr><td>a<td>b" * n,
    "brackets": lambda n: "(" * n + "\nfoo",
    "full stops": lambda n: "A. " * n,
    "digits": lambda n: "1." * n + "\nfoo bar",
    "a table of contents": lambda n: (
        "CONTENTS\n" + "".join(f"Article {i} … {i}\n" for i in range(n // 4)) + numbered("Article {}\nText.\n", n // 4)
    ),
    "amendments": lambda n: (
        "Article 1\n" + numbered("({0}) it is replaced by the following:\n‘Article {0}\nx.’;\n", n // 4)
    ),
    "quotations that open others": lambda n: "Article 1\nfollowing:\n" + "“(a) x ‘ y:\n" * (n // 4) + "x”\n" * (n // 4),
    "annexes": lambda n: "Article 1\nText.\n" + numbered("ANNEX {}\nText of it.\n", n // 4),
    "definitions": lambda n: "Article 1\ndefinitions apply:\n" + numbered("({0}) ‘bee{0}’ means a bee;\n", n // 4),
    "the same footnote": lambda n: (
        "Article 1\n" + "Bees (1) are free.\n" * (n // 4) + "(1)  OJ L 1, 1.1.2001, p. 1.\n" * (n // 4)
    ),
    "attributes of HTML": lambda n: "<p " + numbered("a{}='' ", 4 * n) + ">Article 1</p><p>Text.</p>",
    "attributes of XML": lambda n: "<ACT " + numbered("a{}='' ", 4 * n) + "><P>Text.</P></ACT>",
    "namespaces": lambda n: "<ACT " + numbered("xmlns:a{0}='{0}' a{0}:b='' ", n) + "><P>Text.</P></ACT>",
    "entities": lambda n: "<p>Article 1" + "&amp;&foo;&#65;" * n,
    "CDATA": lambda n: "<ACT><P>x" + "<![CDATA[x]]>" * n + "</P></ACT>",
    "unclosed tags": lambda n: "<p>Article 1" + "<i><b></i>" * n,
    "page ends": lambda n: "<html><p>Article 1" + "</body></html><p>x" * n,
    "page ends without brackets": lambda n: "<html><p>Article 1<br>x" + "</html " * 4 * n,
    "comments without an end": lambda n: "<p>Article 1<br a='>'>x" + "<!-- " * 4 * n,
    "scripts without an end": lambda n: "<p>Article 1<br a='>'>x" + "<script " * 4 * n,
    "tags without an end": lambda n: "<p>Article 1<br a='>'>x" + "<p " * 4 * n,
    "ends of comments": lambda n: "<p>Article 1</p></html>" + "<!-- x -->" * n + "<p>x",
    "quotation marks in tags": lambda n: "<p>Article 1" + "<p a='>\"" * n,
}


def read_or_refused(content: bytes) -> None:
    with contextlib.suppress(LexLatticeError):
        read(content, language="en")


@pytest.mark.parametrize("name", GROWING)
def test_time_grows_linearly(name: str) -> None:
    small, large = (GROWING[name](size).encode() for size in (1000, 8000))
    assert growth(lambda: read_or_refused(small), lambda: read_or_refused(large)) < LINEAR


ODD_NUMBERS = (
    *("9" * 20, "9" * 5000, "0" * 30, "00012", "-5", "1e9", "²", "①", "١٢", "1²", "٣" * 5000, "Ⅳ", "m" * 60, "i" * 300),
)
NUMBERED = [
    *("short/en.txt", "patterns/amending.txt", "patterns/annex-parts.txt", "patterns/annex-parts.fmx.xml"),
    *("formats/act.fmx.xml", "formats/act.akn.xml", "formats/act.oj.xhtml", "formats/act.consolidated.html"),
]


@pytest.mark.parametrize("file", NUMBERED)
@pytest.mark.parametrize("number", ODD_NUMBERS, ids=lambda number: number[:6])
def test_odd_numbers_anywhere_are_read_or_refused(file: str, number: str, examples: Path) -> None:
    """Digits that `isdigit` takes for some and `int` does not, and numbers that no machine integer holds."""
    text = (examples / file).read_text("utf-8")
    times = 2_000 // len(number) + 1
    for changed in (re.sub(r"\d+", number, text, count=times), re.sub(r"(?<=[\">( ])\d+", number, text, count=times)):
        with contextlib.suppress(LexLatticeError):
            act = read(changed[:100_000].encode(), language="en")
            assert_laws(act)
            health(act)
            list(act.references())


def test_headings_are_not_repeated_for_every_article_they_enclose() -> None:
    chapter = "CHAPTER I\n" + "x" * 300
    act = read(
        f"A title\n{chapter}\n" + "".join(f"Article {n}\nThe text of it.\n" for n in range(1, 50)), language="en"
    )
    assert len({id(section.enclosing) for section in act.sections if section.enclosing}) == 1


def packed(method: int, names: list[str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name in names:
            archive.writestr(name, b"<ACT><P>hi there</P></ACT>" * 1)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        WRAPPED.encode() * 10 + b"\n```\nfoo\n```\nbar\n",
        b"<html><meta charset=unicode_escape><p>Hi \\ud800 \xff</p>",
        b"<html><meta charset=undefined><p>Hi \xff</p>",
        packed(zipfile.ZIP_LZMA, ["a.xml"]),
        packed(zipfile.ZIP_DEFLATED, ["1" * 5000 + ".xml", "a.xml"]),
        packed(zipfile.ZIP_DEFLATED, ["a/x.xml", "b/x.xml"]),
        b"# A\n\n# B\n\n|\t|\t|\n\nfoo bar\n",
        b"<!DOCTYPE ACT SYSTEM 'x'><ACT><P>a &foo-bar; b</P></ACT>",
        "Член 1\nОбхват\n(чл) текст на разпоредбата\n(яя) още".encode(),
    ],
)
def test_unusual_input_is_read_or_refused_in_one_sentence(data: bytes) -> None:
    try:
        assert_laws(read(data))
    except LexLatticeError as error:
        assert "\n" not in str(error)
        assert str(error).endswith(".")


def test_tables_keep_captions_and_text_outside_cells() -> None:
    table = (
        "<table border='1'>stray<caption>IMPORTANT</caption><tr><td>a</td><td>b</td></tr><tr>odd<td>c</td></tr></table>"
    )
    act = read(f"<html><body><p>Regulation</p>{table}<p>A text.</p></body></html>".encode(), language="en")
    for word in ("stray", "IMPORTANT", "a\tb", "odd", "c"):
        assert word in act.source


def test_only_mark_up_is_removed_from_markdown() -> None:
    act = read("# Use of C#\n\n# B\n\nThe sum 2 + (b) is foo__bar__baz and 2**3**4.\n", language="en")
    assert "Use of C#" in act.source
    assert "The sum 2 + (b) is foo__bar__baz and 2**3**4." in act.source
