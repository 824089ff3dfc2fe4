"""Formats are detected by content, and bad input is refused in one sentence."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lexlattice import read
from lexlattice.errors import NotAnActError, OptionError, ReadingError
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


def test_a_consolidated_page_has_no_preamble_and_a_date(examples: Path) -> None:
    expected, act = read(examples / "short" / "en.txt"), read(examples / "formats" / "act.consolidated.html")
    assert (act.status, act.consolidated, act.warnings) == ("consolidated", "2024-03-12", ())
    for kind in ("article", "annex"):
        assert [s.number for s in act.sections if s.kind == kind] == [
            s.number for s in expected.sections if s.kind == kind
        ]
    assert act.title == expected.title


@pytest.mark.parametrize("source", [None, 5, ["a"]])
def test_an_object_of_another_type_is_refused(source: Any) -> None:
    with pytest.raises(ReadingError) as error:
        read(source)
    assert type(source).__name__ in str(error.value)


def test_every_kind_of_source_gives_the_same_act(examples: Path) -> None:
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

UNREADABLE = {
    "empty": b"",
    "blank": b" \n\t\n",
    "broken zip": b"PK\x03\x04" + bytes(60),
    "zip bomb": zipped({"a.xml": b"<ACT>" + b"0" * 260_000_000}),
    "truncated XML": b"<ACT><TITLE><TI><P>Half an act",
    "entity bomb": BOMB,
    "outside entity": OUTSIDE,
    "deep nesting": b"<ACT>" + b"<P>" * 5000 + b"x" + b"</P>" * 5000 + b"</ACT>",
    "deeply nested HTML": b"<html><body>" + b"<div>" * 10_000 + b"text" + b"</div>" * 10_000,
    "truncated PDF": b"%PDF-1.7\n1 0 obj\n<<",
    "empty page": b"<html><body></body></html>",
    "broken UTF-16": b"\xff\xfe\x00\xd8\x00",
}
NOT_ACTS = {
    "binary": bytes(range(256)) * 40,
    "executable": b"\x7fELF" + bytes(4000),
    "old Word": b"\xd0\xcf\x11\xe0" + bytes(600),
    "RTF": b"{\\rtf1 hello}",
    "gzip": b"\x1f\x8b\x08" + bytes(60),
    "zip of pictures": zipped({"a.png": b"x"}),
    "unknown XML": b"<?xml version='1.0'?><rss><channel/></rss>",
    "JSON": b'{"celex": "32024R9001",\n "text": "Article 1"}',
    "JSON list": b'\xef\xbb\xbf[\n {"text": "Article 1"}\n]',
    "JSON lines": b'{"text": "Article 1"}\n{"text": "Article 2"}\n',
    "JSON in UTF-16": '{"text": "Article 1"}'.encode("utf-16"),
    "CSV": b'celex_id,text\n32024R9001,"Article 1\n\nBeehives, also small ones, shall be registered."\n',
    "semicolons": b"id;title;text\n1;A;Beehives\n2;B;Honey\n",
    "tabs": b"id\ttext\n1\tBeehives\n2\tHoney\n",
    "e-mail": b"From: a@b.eu\r\nTo: c@d.eu\r\nMessage-ID: <1@b.eu>\r\n\r\nArticle 1\r\n",
    "program": b"import os\n\n\ndef main():\n    return os.getcwd()\n",
    "script": b"#!/bin/sh\necho Article 1\n",
    "stylesheet": b"body {\n  color: red;\n}\np {\n  margin: 0;\n}\n",
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(60),
    "JPEG": b"\xff\xd8\xff\xe0" + bytes(60),
    "TIFF": b"II*\x00" + bytes(60),
    "WebP": b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(60),
    "film": b"\x00\x00\x00\x18ftypmp42" + bytes(60),
    "PostScript": b"%!PS-Adobe-3.0\n",
    "WordPerfect": b"\xffWPC" + bytes(60),
    "Parquet": b"PAR1" + bytes(60),
    "OpenDocument": zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<a/>"}),
    "Excel": zipped({"xl/workbook.xml": b"<a/>"}),
    "web archive of Safari": b"bplist00" + bytes(60),
}


@pytest.mark.parametrize("data", [*UNREADABLE.values(), *NOT_ACTS.values()], ids=[*UNREADABLE, *NOT_ACTS])
def test_bad_input_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(ReadingError) as caught:
        read(data)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")


@pytest.mark.parametrize("name", NOT_ACTS)
def test_files_of_other_kinds_are_not_acts(name: str) -> None:
    with pytest.raises(NotAnActError):
        read(NOT_ACTS[name])


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_may_still_be_an_act(name: str) -> None:
    with pytest.raises(ReadingError) as caught:
        read(UNREADABLE[name])
    assert not isinstance(caught.value, NotAnActError)


def test_an_unknown_root_element_is_named() -> None:
    with pytest.raises(NotAnActError) as caught:
        read(NOT_ACTS["unknown XML"])
    assert "<rss>" in str(caught.value)


def test_an_act_saved_as_json_is_to_be_loaded_with_from_json(examples: Path) -> None:
    written = read(examples / "short" / "en.txt").to_json(indent=1)
    for source in (written, written.encode()):
        with pytest.raises(NotAnActError) as caught:
            read(source)
        assert "Act.from_json" in str(caught.value)


def test_a_string_is_refused_like_a_file() -> None:
    with pytest.raises(NotAnActError):
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
def test_acts_that_resemble_other_files_are_read(text: str) -> None:
    assert read(text, language="en").source


def test_a_web_archive_is_read_as_the_page_in_it(examples: Path) -> None:
    page = (examples / "formats" / "act.oj.xhtml").read_bytes()
    head = b"From: <Saved by Blink>\r\nSubject: A page\r\nMIME-Version: 1.0\r\n"
    head += b'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="----b"\r\n\r\n'
    part = b"------b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    archive = head + part + base64.encodebytes(page) + b"\r\n------b--\r\n"
    assert read(archive) == read(page)


def test_usual_nesting_is_read() -> None:
    act = read(b"<html><body>" + b"<div>" * 120 + b"Article 1" + b"</div>" * 120 + b"<p>Some text.</p></body></html>")
    assert "Some text." in act.source


def test_html_entities_are_characters() -> None:
    act = read(b"<html><body><p>Regulation&nbsp;here</p><p>5&nbsp;&euro; &amp; more.</p></body></html>")
    assert "5 € & more." in act.source


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ReadingError) as error:
        read(path)
    assert "100 MB" in str(error.value)


def test_an_unterminated_document_type_takes_no_time() -> None:
    assert sniff(b"<!DOCTYPE a" + b"[]" * 5000) in ("text", "html")


def test_rows_of_tables_are_never_split() -> None:
    cells = "".join(f"<td>cell {n}.The text</td>" for n in range(90))
    act = read(
        f"<html><body><p>Title</p><table border='1'><tr>{cells}</tr></table><p>A text.</p></body></html>".encode(),
        language="en",
    )
    assert [piece.kind for piece in act.furniture] == ["table"]


def test_a_text_with_a_lone_surrogate_is_read() -> None:
    assert "alone" in read("\ud800 alone\nand more", language="en").to_json().encode().decode()


@pytest.mark.parametrize("text", ["a\0b", "x" * 500])
def test_a_string_that_cannot_be_a_path_is_refused(text: str) -> None:
    with pytest.raises(ReadingError) as error:
        read(text)
    assert str(error.value).isprintable()


def test_missing_files_and_empty_folders_are_named(tmp_path: Path) -> None:
    for source in ("nowhere.txt", tmp_path):
        with pytest.raises(ReadingError) as error:
            read(source)
        assert str(source) in str(error.value)


@pytest.mark.parametrize("option", [{"language": "xx"}, {"profile": "best"}, {"format": "odt"}])
def test_unknown_options_are_named(option: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as error:
        read(b"Text.", **option)
    assert all(f"'{value}'" in str(error.value) for value in option.values())


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
def test_the_format_is_detected_by_content(data: bytes, name: str) -> None:
    assert sniff(data) == name
