"""Elements of Akoma Ntoso: which make lines, what their place says, and what the document says of itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lexlattice.reading.blocks import Role
from lexlattice.reading.xmlsafe import names

if TYPE_CHECKING:
    from lxml.etree import _Element

HIDDEN = names("meta del documentRef")
# What stands inside a sentence, and what is lines of its own. An element in neither list is taken for part of
# a sentence where there are words on either side of it, and for lines elsewhere: its text is never lost.
INLINE = names("""a abbr affectedDocument argument b br change concept courtType date decoration def
    docAuthority docCommittee docDate docIntroducer docJurisdiction docNumber docProponent docPurpose docStage
    docStatus docTitle docType docketNumber entity eol event fillIn font i img inline ins judge lawyer
    legislature location marker mmod mod mref neutralCitation noteRef object omissis opinion organization
    outcome party person placeholder process quantity quotedText recordedTime ref relatedDocument remark rmod
    role rref session shortTitle span sub sup term time u vote""")
BLOCK = names("""p num heading subheading content intro wrapUp article paragraph subparagraph point indent
    alinea list item blockList listIntroduction listWrapUp li ol ul quotedStructure embeddedStructure table
    caption tr td th toc tocItem recital citation crossHeading formula longTitle block container""")
# Names, titles and signatories that make a line each where they are not put into a sentence.
HOLDERS = names("preface coverPage container longTitle preamble conclusions signature")
TITLE_LINES = names("docStage docPurpose")
ITEMS = names("point indent item li blockList table")  # a number before one of these does not wait for its text
HEADS = names("num heading subheading")
QUOTED = names("quotedStructure embeddedStructure")
ATTACHED = names("attachment component")
NOTES = names("authorialNote popup")
ROLES = {"coverPage": Role.PAGE, "toc": Role.CONTENTS, "conclusions": Role.SIGNATURE}

_CELEX = re.compile(r"(?<![0-9A-Z])[1-9CE](?:1[89]|2[01])\d\d[A-Z]{1,2}\d{4}(?:R?\(\d\d\))?(?![0-9A-Z])")
_CODES = """bul=bg ces=cs cze=cs dan=da deu=de ger=de ell=el gre=el eng=en spa=es est=et fin=fi fra=fr fre=fr
    gle=ga hrv=hr hun=hu ita=it lit=lt lav=lv mlt=mt nld=nl dut=nl pol=pl por=pt ron=ro rum=ro slk=sk slo=sk
    slv=sl swe=sv"""
_LANGUAGES = dict(code.split("=") for code in _CODES.split())


def language_of(root: _Element) -> str | None:
    """Return the language the document says it is in."""
    codes = (node.get("language", "").lower() for node in root.iter("{*}FRBRlanguage"))
    return next((_LANGUAGES.get(code, code[:2]) for code in codes if code), None)


def celex_of(root: _Element) -> str | None:
    """Find a CELEX number among the names and numbers the document goes by."""
    nodes = root.iter("{*}FRBRalias", "{*}FRBRnumber", "{*}FRBRname", "{*}FRBRuri", "{*}FRBRthis")
    found = (_CELEX.search(node.get("value", "")) for node in nodes)
    return next((match.group() for match in found if match), None)


def name_of(node: _Element) -> str:
    """Return an element's name without its namespace; a comment or an instruction has none."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def is_headed(element: _Element) -> bool:
    """Whether an element has a heading of its own."""
    return any(name_of(child) == "heading" for child in element)


def depth_of(element: _Element) -> int:
    """How deep an element is among those of its annex that have a heading, the outermost being 1."""
    depth = 1
    for above in element.iterancestors():
        if name_of(above) in ATTACHED:
            break
        depth += is_headed(above)
    return depth


def span_of(stated: str) -> int:
    """Return how many columns or rows a cell spans, by its attribute."""
    return int(stated) if re.fullmatch("[0-9]{1,4}", stated) else 1


def bracketed(number: str) -> str:
    """Return the number of a footnote as it is shown where the note is called."""
    number = number.strip().strip("()[]")
    return f" ({number})" if number else ""
