"""A page saved from a web site is read as the act inside it; a page with only the site's frame is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.errors import NotAnActError

HEAD = """<!DOCTYPE html>
<!-- saved from url=(0066)https://eur-lex.example/legal-content/{upper}/TXT/?uri=CELEX%3A{celex} -->
<html lang="{menus}" class="no-js"><head><meta charset="utf-8"><title>{celex} - EUR-Lex</title>
<meta name="WT.z_docID" content="{celex}"/><script>var a = "Article 1";</script></head><body>
<div class="modal fade" role="dialog"><button class="close">×</button><p>Dialogue box.</p></div>
<div class="Wrapper"><a class="sr-only SkipLink" href="#MainContent">Skip to main content</a>
<header id="op-header"><div><a href="/"><img alt=""></a><ul><li>български</li><li>español</li></ul></div></header>
<div class="SiteBreadcrumb"><ol><li>EUROPA</li><li>EUR-Lex home</li></ol></div>
<div class="dropdown-menu MegaMenu"><ul><li><a href="t">Treaties</a></li><li><a href="l">Legal acts</a></li></ul></div>
<form id="quick-search"><input name="uri" value="CELEX:{celex}"><label>Quick search</label></form>
<div id="MainContent"><div class="PageTitle"><p class="DocumentTitle">Document {celex}</p></div>
<nav class="Sidebar"><ul class="MenuList"><li>Text</li><li>Document information</li></ul></nav>
<div class="col-md-9" id="documentView"><div class="EurlexContent"><div class="panel-group">
<div id="PP1Contents"><p id="title" class="title-bold">A title that the frame repeats</p><em>OJ L 1, p. 1</em></div>
<div class="panel"><h2>Languages and formats</h2><ul class="PubFormats"><li><a href="b">BG</a></li></ul></div>
"""
FOOT = """</div></div></div></div></div>
<footer class="ecl-site-footer"><p>This site is managed by an office.</p><ul><li><a href="h">Help</a></li></ul></footer>
<div id="globan">All official websites are in the europa.eu domain.</div></body></html>"""


def frame(inside: str, *, celex: str = "32024R9001", menus: str = "en") -> bytes:
    return f"{HEAD.format(celex=celex, menus=menus, upper=menus.upper())}{inside}{FOOT}".encode()


def panel(document: str) -> str:
    return f"""<div class="panel"><h2>Text</h2><div id="PP4Contents"><div id="text"><div id="textTabContent">
    <div id="document1" class="tabContent"><div class="tabContent"><div>{document}</div></div></div>
    </div></div></div></div>"""


def body(path: Path) -> str:
    found = re.search(r"<body>(.*)</body>", path.read_text("utf-8"), re.DOTALL)
    assert found
    return found.group(1)


def provisions(act: Act) -> list[tuple[str, str, str]]:
    return [(unit.id, unit.citation, unit.text) for unit in act.units]


@pytest.mark.parametrize("name", ["act.oj.xhtml", "act.oj-old.xhtml", "act.old.html", "act.consolidated.html"])
def test_a_saved_page_of_eur_lex_is_the_act_inside(examples: Path, name: str) -> None:
    bare, saved = read(examples / "formats" / name), read(frame(panel(body(examples / "formats" / name))))
    assert_laws(saved)
    assert provisions(saved) == provisions(bare)
    assert (saved.celex, saved.language, saved.title) == ("32024R9001", "en", bare.title)
    assert "EUROPA" not in saved.source
    assert "europa.eu domain" not in saved.source


def test_the_language_of_the_menus_is_ignored(examples: Path) -> None:
    assert read(frame(panel(body(examples / "formats" / "act.oj.xhtml")), menus="fr")).language == "en"
    lines = (examples / "short" / "fr.txt").read_text("utf-8").split("\n")
    french = "".join(f"<p>{line}</p>" for line in lines if line)
    assert read(frame(panel(f'<div id="TexteOnly"><TXT_TE>{french}</TXT_TE></div>'))).language == "fr"


def test_the_frame_states_the_consolidation(examples: Path) -> None:
    inside = panel(body(examples / "formats" / "act.consolidated.html"))
    act = read(frame(inside, celex="02024R9001-20240312"))
    assert (act.celex, act.consolidated) == ("32024R9001", "2024-03-12")


def test_the_first_of_several_languages_is_read_with_a_warning(examples: Path) -> None:
    document = body(examples / "formats" / "act.oj.xhtml")
    act = read(frame(panel(document) + f'<div id="document2" class="tabContent">{document}</div>'))
    assert len(act.warnings) == 1 + len(read(frame(panel(document))).warnings)
    assert act.source.count("THE EUROPEAN COMMISSION,") == 1


def test_an_act_in_the_frame_of_an_unknown_site_is_found_by_its_classes(examples: Path) -> None:
    bare = read(examples / "formats" / "act.oj.xhtml")
    document = body(examples / "formats" / "act.oj.xhtml")
    page = f"""<html><body><header><img src="l"><a href="/">Home</a></header><nav><a href="x">Search</a></nav>
    <div class="portlet"><p>Publication detail</p><div class="viewer">{document}</div></div>
    <aside>Cite this publication</aside><footer><a href="c">Contact</a></footer></body></html>"""
    act = read(page.encode())
    assert provisions(act) == provisions(bare)
    assert "Publication detail" not in act.source


def test_the_main_part_of_any_page_is_read_without_menus(examples: Path) -> None:
    lines = [line for line in (examples / "short" / "en.txt").read_text("utf-8").split("\n") if line]
    text = "".join(f"<p>{line}</p>" for line in lines)
    page = f"""<html><body><form><header><a href="/">Home</a></header><nav>Menu</nav><main>{text}<aside>See also</aside>
    </main><footer><a href="c">Contact</a></footer></form></body></html>"""
    act = read(page.encode())
    assert provisions(act) == provisions(read(examples / "short" / "en.txt"))


def test_a_header_of_the_act_itself_is_kept() -> None:
    text = "<p>The keeper shall register every beehive in the register.</p>" * 30
    page = f"<html><body><header><h1>REGULATION on beehives</h1></header><nav>Menu</nav>{text}</body></html>"
    source = read(page.encode(), language="en").source
    assert "REGULATION on beehives" in source
    assert "Menu" not in source


CHALLENGE = """<html><head><script>window.key = 1;</script></head><body><div id="challenge-container"></div>
<noscript><h1>JavaScript is disabled</h1>Enable it and reload the page.</noscript></body></html>"""
CONSENT = """<html><body><h1>Before you go on</h1><p>We use cookies to improve this site.</p>
<form><button>Accept</button><button>Refuse</button></form></body></html>"""
RESULTS = "".join(f'<li><a href="{n}">Regulation {n} on the keeping of bees</a><p>In force</p></li>' for n in range(90))
ONLY_FRAMES = {
    "without a text": frame('<div class="panel"><p>The HTML format is unavailable in your language.</p></div>'),
    "with an empty text": frame(panel("")),
    "an error": frame('<div class="alert alert-warning">The requested document does not exist.</div>'),
    "document information": frame("<dl class='NMetadata'>" + "<dt>Date:</dt><dd>12/03/2024</dd>" * 300 + "</dl>"),
    "results": f"<html><body><nav>Menu</nav><main><ul>{RESULTS}</ul></main></body></html>".encode(),
    "consent": CONSENT.encode(),
    "challenge": CHALLENGE.encode(),
}


@pytest.mark.parametrize("name", ONLY_FRAMES)
def test_a_page_that_is_only_a_frame_is_refused(name: str) -> None:
    with pytest.raises(NotAnActError) as caught:
        read(ONLY_FRAMES[name])
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message


def test_the_error_names_the_number_that_the_frame_states() -> None:
    with pytest.raises(NotAnActError) as caught:
        read(frame("", celex="02024R9001-20240312"))
    assert "32024R9001" in str(caught.value)


@pytest.mark.data
@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_real_page_without_the_text_is_refused(data: Path, language: str) -> None:
    with pytest.raises(NotAnActError) as caught:
        read(data / "acts" / "hard" / "32001R0044" / "2002-03-01" / f"{language}.html")
    assert "32001R0044" in str(caught.value)


@pytest.mark.data
@pytest.mark.parametrize("name", ["32012L0027/2012-10-25/en.xml", "32019R1122/2019-03-12/fr.xml"])
def test_real_acts_are_the_same_with_and_without_a_frame(data: Path, name: str) -> None:
    path = data / "acts" / "hard" / name
    document = re.search(r"<body[^>]*>(.*)</body>", path.read_text("utf-8"), re.DOTALL)
    assert document
    assert provisions(read(frame(panel(document.group(1))))) == provisions(read(path))


def test_a_short_repealed_text_inside_a_saved_page_is_read_as_repealed() -> None:
    document = """<p class="reference">2024R9001 — EN — 10.01.2025 — 001.001</p>
    <p class="title-doc-first"><a href="u">COUNCIL REGULATION (EU) 2024/9001</a></p>
    <p class="title-doc-first"><a href="u">of 5 March 2024</a></p>
    <p class="title-doc-last"><a href="u">on the keeping of bees</a></p>
    <p class="hd-modifiers">repealed by:</p><p>Regulation (EU) 2025/12 of 9 January 2025</p>"""
    act = read(frame(panel(document)))
    assert act.repealed == "Regulation (EU) 2025/12 of 9 January 2025"
    assert act.consolidated == "2025-01-10"


def test_an_act_in_an_unknown_element_is_found_by_its_classes(examples: Path) -> None:
    page = examples / "formats" / "act.oj.xhtml"
    assert provisions(read(frame(f"<div class='new'>{body(page)}</div>"))) == provisions(read(page))


@pytest.mark.parametrize(
    "page",
    [
        "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>No such page.</p></body></html>",
        "<html><body><h1>Human verification</h1><p>Show that you are no robot and reload the page.</p></body></html>",
    ],
)
def test_an_error_page_is_refused(page: str) -> None:
    for source in (page, page.encode()):
        with pytest.raises(NotAnActError):
            read(source)


def test_a_page_in_one_line_is_not_a_path() -> None:
    line = "<html><body><p>Article 1</p><p>Bees are free.</p><p>Article 2</p><p>Hives are not.</p></body></html>"
    assert [section.id for section in read(line).sections] == ["art-1", "art-2"]
