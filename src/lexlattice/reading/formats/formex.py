"""Formex 4, the XML of the Official Journal: put together the files of an act, and read their metadata.

An act is one file, or a folder or ZIP file with the act, one file for each annex, and a `.doc.xml` that lists them in
order. `formex_lines` reads the text of each file, `formex_elements` lists the elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lexlattice.act.remarks import Remark
from lexlattice.errors import ReadingError
from lexlattice.reading.formats.archives import unzip
from lexlattice.reading.formats.blocks import Document, iso_day, squeeze
from lexlattice.reading.formats.formex_elements import ANNEXES
from lexlattice.reading.formats.formex_lines import LineReader
from lexlattice.reading.formats.images import images_warning
from lexlattice.reading.formats.xmlsafe import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

_KINDS = {"REG": "R", "DIR": "L", "DEC": "D", "REC": "H"}


def read_formex(data: bytes) -> Document:
    """Read one Formex file."""
    return read_formex_parts({"act.xml": data})


def read_formex_zip(data: bytes) -> Document:
    """Read a ZIP file of Formex files, as the Publications Office provides them."""
    parts = unzip(data, ".xml")
    if not parts:
        raise ReadingError("The ZIP file contains no Formex file (.xml); give the file of the act.")
    return read_formex_parts(parts)


def read_formex_parts(parts: Mapping[str, bytes]) -> Document:
    """Read the files of one act.

    Args:
        parts: The content of each file, by its name.

    Raises:
        ReadingError: The XML is damaged or harmful, the files are of several acts, or they contain no text.
    """
    names = {name: PurePosixPath(name.replace("\\", "/")).name for name in parts}
    if len(set(names.values())) < len(names):
        raise ReadingError("The Formex files include two of the same name; give one act only.")
    roots = {names[name]: parse_xml(data) for name, data in parts.items()}
    warnings: list[str] = []
    order = _order(roots, warnings)
    for name in order:
        _include(roots[name], roots)
    texts = [roots[name] for name in order if roots[name].getparent() is None]
    reader = LineReader()
    for root in texts:
        reader.read(root)
    if not reader.lines.blocks:
        raise ReadingError("The Formex file contains no text; check that it is the right file.", code="empty")
    if all(root.tag == "DOC" for root in texts):
        text = "This file only lists the parts of an act; read its folder or ZIP file for the text."
        warnings.append(Remark("only-parts-list", text))
    warnings += images_warning(reader.images)
    language = _first(roots.values(), "LG.DOC", "LG.OJ")
    return Document(
        reader.lines.blocks,
        "formex",
        celex=_celex([*roots.values()]),
        language=language and language.lower(),
        warnings=warnings,
        consolidated=_consolidated(texts),
        repealed=_repealed(texts),
    )


def _consolidated(texts: Iterable[_Element]) -> str | None:
    """Return the date from which a consolidated text applies; `None` for other texts."""
    acts = [root for root in texts if root.tag == "CONS.ACT"]
    states = [state.get("START.DATE", "") for root in acts for state in root.iter("INFO.CONSLEG")]
    return next((iso_day(*_parts(day)) for day in states), "") if acts else None


def _parts(day: str) -> tuple[str, str, str]:
    return day[:4], day[4:6], day[6:]


def _repealed(texts: Iterable[_Element]) -> str | None:
    """Return the act that repealed a consolidated act, by its name or else its CELEX number; `None` if in force.

    Such a text states that it ends by a repeal, without a date: one with a date was in force until then.
    """
    for root in texts:
        for state in root.iter("INFO.CONSLEG"):
            if state.get("END") == "REPEALED" and not iso_day(*_parts(state.get("END.DATE", ""))):
                return _name(root, state.get("SOURCE.END", ""))
    return None


def _name(root: _Element, celex: str) -> str:
    """Return the name of an act listed in a consolidated text: its title up to the date."""
    family = (data for data in root.iter("BIB.DATA") if celex and _first([data], "NO.CELEX") == celex)
    lines = [line for data in islice(family, 1) for title in data.iter("TI") for line in title.iter("P")]
    dated = next((n for n, line in enumerate(lines, 1) if line.find(".//DATE") is not None), 0)
    return squeeze(" ".join("".join(map(str, line.itertext())) for line in lines[:dated])) or celex


def _order(roots: Mapping[str, _Element], warnings: list[str]) -> list[str]:
    """Return the file names in reading order: that of the list of parts, or else the act and then its annexes."""

    def sort_key(name: str) -> tuple[bool, list[tuple[int, str]]]:
        # Numbers are compared as numbers, so that annex 10 follows annex 9.
        digits = re.findall(r"(\d{1,9})|(\D+)", name)
        return roots[name].tag in ANNEXES, [(int(number or 0), other) for number, other in digits]

    texts = sorted((name for name, root in roots.items() if root.tag not in {"DOC", "PUBLICATION"}), key=sort_key)
    lists = [root for root in roots.values() if root.tag == "DOC"]
    listed = [reference.get("FILE", "") for root in lists for reference in root.iter("REF.PHYS")]
    if not any(name in texts for name in listed):
        return texts or list(roots)
    warnings += [
        Remark("part-missing", f"The part {name} of this act is missing.", name=name)
        for name in listed
        if name not in roots
    ]
    return list(dict.fromkeys(name for name in listed if name in texts))


def _include(root: _Element, roots: Mapping[str, _Element]) -> None:
    """Insert the files that a text includes, such as an annex that an amendment quotes, where it includes them."""
    for element in root.iter("INCL.ELEMENT"):
        called, caller = roots.get(element.get("FILEREF", "")), element.getparent()
        if caller is None or caller.tag == "INCLUSIONS" or called is None or called.getparent() is not None:
            continue
        if called is not element.getroottree().getroot():  # a file cannot include itself
            element.append(called)


def _first(roots: Iterable[_Element], *tags: str) -> str | None:
    """Return the first non-empty text of an element with one of the names, tried in this order."""
    found = (element for tag in tags for root in roots for element in root.iter(tag))
    return next(filter(None, (squeeze("".join(map(str, element.itertext()))) for element in found)), None)


def _celex(roots: list[_Element]) -> str | None:
    """Return the CELEX number: stated by consolidated texts, else made of the kind, year and number of the act."""
    stated = _first(roots, "NO.CELEX")
    if stated:
        return stated
    value = _first(roots, "LEGAL.VALUE") or ""
    kind = next((letter for word, letter in _KINDS.items() if value.startswith(word)), None)
    number = next((number for root in roots for number in root.iter("NO.DOC")), None)
    if kind is None or number is None:
        return None
    year, current = _first([number], "YEAR") or "", _first([number], "NO.CURRENT") or ""
    if not re.fullmatch(r"(\d\d)?\d\d", year) or not re.fullmatch(r"\d{1,4}", current):
        return None
    return f"3{year if len(year) == 4 else '19' + year}{kind}{int(current):04}"
