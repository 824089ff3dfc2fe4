"""Formats are told by what a file holds, and bad input gets one clear sentence."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lexlattice import LexLatticeError, read
from lexlattice.errors import ReadingError
from lexlattice.reading.formats import MAX_BYTES, sniff

SAME = ["act.oj.xhtml", "act.oj-old.xhtml", "act.old.html", "act.akn.xml", "act.fmx.xml", "act.fmx4", "act.fmx4.zip"]
SAME += ["act.md", "act.docx", "act.pdf", "act.two-columns.pdf"]


@pytest.mark.parametrize("name", SAME)
def test_the_example_is_the_same_act_in_every_format(examples: Path, name: str) -> None:
    expected, act = read(examples / "short" / "en.txt"), read(examples / "formats" / name)
    assert (act.celex, act.date, act.type, act.language) == ("32024R9001", "2024-03-12", "regulation", "en")
    for kind in ("preamble", "recitals", "article", "annex", "notes"):
        ours, theirs = (
            [(u.provision, u.citation) for s in a.sections if s.kind == kind for u in s.units] for a in (act, expected)
        )
        assert ours == theirs, kind
    assert [s.heading for s in act.sections if s.kind == "article"] == [
        s.heading for s in expected.sections if s.kind == "article"
    ]


def test_a_consolidated_page_has_no_preamble_and_says_what_it_is(examples: Path) -> None:
    expected, act = read(examples / "short" / "en.txt"), read(examples / "formats" / "act.consolidated.html")
    assert (act.status, act.consolidated, act.warnings) == ("consolidated", "2024-03-12", ())
    for kind in ("article", "annex"):
        assert [s.number for s in act.sections if s.kind == kind] == [
            s.number for s in expected.sections if s.kind == kind
        ]
    assert act.title == expected.title


@pytest.mark.parametrize("source", [None, 5, ["a"]])
def test_what_holds_no_act_is_refused_in_a_sentence(source: Any) -> None:
    with pytest.raises(ReadingError, match="give a path, bytes, an open file"):
        read(source)


def test_any_way_in(examples: Path) -> None:
    path = examples / "formats" / "act.oj.xhtml"
    acts = [read(str(path)), read(path), read(path.read_bytes()), read(path.read_text("utf-8"))]
    with path.open("rb") as file:
        acts.append(read(file))
    with path.open(encoding="utf-8") as file:
        acts.append(read(file))
    assert all(act == acts[0] for act in acts)


def test_format_and_language_can_be_forced(examples: Path) -> None:
    data = (examples / "formats" / "act.oj.xhtml").read_bytes()
    assert read(data, format="text", language="en").source.startswith("<")
    assert read(examples / "short" / "fr.txt", language="de").language == "de"


def zipped(names: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return buffer.getvalue()


BOMB = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><ACT><P>&b;</P></ACT>'
OUTSIDE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><ACT><P>&x;</P></ACT>'

BAD = {
    "empty": (b"", "empty"),
    "blank": (b" \n\t\n", "empty"),
    "binary": (bytes(range(256)) * 40, "binary"),
    "executable": (b"\x7fELF" + bytes(4000), "binary"),
    "old Word": (b"\xd0\xcf\x11\xe0" + bytes(600), "DOCX"),
    "RTF": (b"{\\rtf1 hello}", "RTF"),
    "gzip": (b"\x1f\x8b\x08" + bytes(60), "unpack"),
    "broken zip": (b"PK\x03\x04" + bytes(60), "broken"),
    "zip of pictures": (zipped({"a.png": b"x"}), "neither"),
    "zip bomb": (zipped({"a.xml": b"<ACT>" + b"0" * 260_000_000}), ""),
    "truncated XML": (b"<ACT><TITLE><TI><P>Half an act", "line"),
    "entity bomb": (BOMB, "entities"),
    "outside entity": (OUTSIDE, "entities"),
    "unknown XML": (b"<?xml version='1.0'?><rss><channel/></rss>", "rss"),
    "deep nesting": (b"<ACT>" + b"<P>" * 5000 + b"x" + b"</P>" * 5000 + b"</ACT>", ""),
    "deeply nested HTML": (b"<html><body>" + b"<div>" * 10_000 + b"text" + b"</div>" * 10_000, "nested"),
    "truncated PDF": (b"%PDF-1.7\n1 0 obj\n<<", ""),
    "empty page": (b"<html><body></body></html>", "no text"),
    "broken UTF-16": (b"\xff\xfe\x00\xd8\x00", "Unicode"),
    "JSON": (b'{"celex": "32024R9001",\n "text": "Article 1"}', "JSON"),
    "JSON list": (b'\xef\xbb\xbf[\n {"text": "Article 1"}\n]', "JSON"),
    "JSON lines": (b'{"text": "Article 1"}\n{"text": "Article 2"}\n', "JSON"),
    "JSON in UTF-16": ('{"text": "Article 1"}'.encode("utf-16"), "JSON"),
    "CSV": (b'celex_id,text\n32024R9001,"Article 1\n\nBeehives, also small ones, shall be registered."\n', "CSV"),
    "semicolons": (b"id;title;text\n1;A;Beehives\n2;B;Honey\n", "CSV"),
    "tabs": (b"id\ttext\n1\tBeehives\n2\tHoney\n", "CSV"),
    "e-mail": (b"From: a@b.eu\r\nTo: c@d.eu\r\nMessage-ID: <1@b.eu>\r\n\r\nArticle 1\r\n", "e-mail"),
    "program": (b"import os\n\n\ndef main():\n    return os.getcwd()\n", "program"),
    "script": (b"#!/bin/sh\necho Article 1\n", "program"),
    "stylesheet": (b"body {\n  color: red;\n}\np {\n  margin: 0;\n}\n", "program"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(60), "picture"),
    "JPEG": (b"\xff\xd8\xff\xe0" + bytes(60), "picture"),
    "TIFF": (b"II*\x00" + bytes(60), "picture"),
    "WebP": (b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(60), "picture"),
    "film": (b"\x00\x00\x00\x18ftypmp42" + bytes(60), "film"),
    "PostScript": (b"%!PS-Adobe-3.0\n", "PDF"),
    "WordPerfect": (b"\xffWPC" + bytes(60), "DOCX"),
    "Parquet": (b"PAR1" + bytes(60), "data"),
    "OpenDocument": (zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<a/>"}), "DOCX"),
    "Excel": (zipped({"xl/workbook.xml": b"<a/>"}), "Excel"),
    "web archive of Safari": (b"bplist00" + bytes(60), "HTML"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence(name: str) -> None:
    data, word = BAD[name]
    with pytest.raises(LexLatticeError) as caught:
        read(data)
    message = str(caught.value)
    assert word in message
    assert "\n" not in message
    assert message.endswith(".")


def test_an_act_that_was_written_as_json_is_not_read_again_but_taken_back(examples: Path) -> None:
    written = read(examples / "short" / "en.txt").to_json(indent=1)
    for source in (written, written.encode()):
        with pytest.raises(ReadingError, match=r"Act\.from_json"):
            read(source)


def test_what_is_refused_as_a_file_is_refused_as_a_string() -> None:
    with pytest.raises(ReadingError, match="This is JSON"):
        read('{"text":\n "Article 1"}')
    assert read('{"text":\n "Article 1"}', format="text", language="en").source


@pytest.mark.parametrize(
    "text",
    [
        "COUNCIL REGULATION, of 1 May 2024,\nTHE COUNCIL, acting,\nHAS ADOPTED, hereby,\nArticle 1, of two,\n",
        "[Notified under document number C(2024) 1]\nArticle 1\nBeehives shall be registered (in the register);\n",
        "Subject: beehives\nArticle 1\nImport of honey is free.\nThe following are registered:\n(a) beehives;\n",
    ],
)
def test_acts_that_look_a_little_like_something_else_are_read(text: str) -> None:
    assert read(text, language="en").source


def test_a_web_archive_of_one_file_is_the_page_in_it(examples: Path) -> None:
    page = (examples / "formats" / "act.oj.xhtml").read_bytes()
    head = b"From: <Saved by Blink>\r\nSubject: A page\r\nMIME-Version: 1.0\r\n"
    head += b'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="----b"\r\n\r\n'
    part = b"------b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    archive = head + part + base64.encodebytes(page) + b"\r\n------b--\r\n"
    assert read(archive) == read(page)


def test_nesting_that_acts_have_is_read() -> None:
    act = read(b"<html><body>" + b"<div>" * 120 + b"Article 1" + b"</div>" * 120 + b"<p>Some text.</p></body></html>")
    assert "Some text." in act.source


def test_html_entities_are_characters() -> None:
    act = read(b"<html><body><p>Regulation&nbsp;here</p><p>5&nbsp;&euro; &amp; more.</p></body></html>")
    assert "5 € & more." in act.source


def test_too_large_a_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ReadingError, match="larger than 100 MB"):
        read(path)


def test_a_document_type_that_never_ends_costs_no_time() -> None:
    assert sniff(b"<!DOCTYPE a" + b"[]" * 5000) in ("text", "html")


def test_rows_of_tables_are_never_cut() -> None:
    cells = "".join(f"<td>cell {n}.The text</td>" for n in range(90))
    act = read(
        f"<html><body><p>Title</p><table border='1'><tr>{cells}</tr></table><p>A text.</p></body></html>".encode(),
        language="en",
    )
    assert [piece.kind for piece in act.furniture] == ["table"]


@pytest.mark.parametrize("text", ["a\0b", "x" * 500, "\ud800 alone\nand more"])
def test_odd_strings_end_in_an_act_or_one_sentence(text: str) -> None:
    try:
        read(text).to_json().encode()
    except ReadingError as error:
        assert str(error).endswith(".")
    with pytest.raises(ReadingError, match="file"):
        read("x" * 500)


def test_missing_files_folders_and_names(tmp_path: Path) -> None:
    with pytest.raises(ReadingError, match="no file"):
        read("nowhere.txt")
    with pytest.raises(ReadingError, match="no Formex files"):
        read(tmp_path)
    with pytest.raises(ReadingError, match="24 official languages"):
        read(b"Text.", language="xx")
    with pytest.raises(ReadingError, match="no profile"):
        read(b"Text.", profile="best")
    with pytest.raises(ReadingError, match="no format"):
        read(b"Text.", format="odt")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.4", "pdf"),
        (b"Article 1", "text"),
        (b"<html>", "html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a --><html xmlns='x'>", "html"),
        (b"<!DOCTYPE html PUBLIC 'a' 'b'><html>", "html"),
        (b"<akn:akomaNtoso xmlns:akn='x'>", "akoma-ntoso"),
        (b"<CONS.ACT>", "formex"),
        (b"<p>a paragraph</p>", "html"),
        (b"5 < 6 is true", "text"),
    ],
)
def test_sniffing(data: bytes, name: str) -> None:
    assert sniff(data) == name
