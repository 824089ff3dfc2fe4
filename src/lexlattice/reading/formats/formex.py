"""Formex 4, the XML in which the Publications Office keeps the Official Journal.

An act comes as one file, or as a folder or zip of files: the act, one file for each annex, and a `.doc.xml`
that says in which order they go. What each file says is read in `formex_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.archives import unzip
from lexlattice.reading.formats.blocks import Document, iso_day, squeeze
from lexlattice.reading.formats.formex_lines import LineReader
from lexlattice.reading.formats.formex_marks import ANNEXES
from lexlattice.reading.formats.xmlsafe import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

_KINDS = {"REG": "R", "DIR": "L", "DEC": "D", "REC": "H"}


def read_formex(data: bytes) -> Document:
    """Read one Formex file."""
    return read_formex_parts({"act.xml": data})


def read_formex_zip(data: bytes) -> Document:
    """Read a zip file of Formex files, as the Publications Office serves them."""
    parts = unzip(data, ".xml")
    if not parts:
        raise ReadingError("The zip file holds no Formex file (.xml).")
    return read_formex_parts(parts)


def read_formex_parts(parts: Mapping[str, bytes]) -> Document:
    """Read the files of one act, given by their names."""
    names = {name: PurePosixPath(name.replace("\\", "/")).name for name in parts}
    if len(set(names.values())) < len(names):
        raise ReadingError("The Formex delivery has two files of one name; give one act alone.")
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
        raise ReadingError("The Formex file has no text.")
    if all(root.tag == "DOC" for root in texts):
        warnings.append("This file only lists the parts of an act: read its folder or zip to have the text.")
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
    """Of a consolidated act the day from which on it was in force like that."""
    acts = [root for root in texts if root.tag == "CONS.ACT"]
    states = [state.get("START.DATE", "") for root in acts for state in root.iter("INFO.CONSLEG")]
    return next((iso_day(*_parts(day)) for day in states), "") if acts else None


def _parts(day: str) -> tuple[str, str, str]:
    return day[:4], day[4:6], day[6:]


def _repealed(texts: Iterable[_Element]) -> str | None:
    """Of a consolidated act that is no longer in force, what repealed it: by name, or else by CELEX number.

    Such a text says that it ends by a repeal, and on no day: what ended on a day was in force until then.
    """
    for root in texts:
        for state in root.iter("INFO.CONSLEG"):
            if state.get("END") == "REPEALED" and not iso_day(*_parts(state.get("END.DATE", ""))):
                return _name(root, state.get("SOURCE.END", ""))
    return None


def _name(root: _Element, celex: str) -> str:
    """What an act of the consolidation's family is called: its title down to the date."""
    family = (data for data in root.iter("BIB.DATA") if celex and _first([data], "NO.CELEX") == celex)
    lines = [line for data in islice(family, 1) for title in data.iter("TI") for line in title.iter("P")]
    dated = next((n for n, line in enumerate(lines, 1) if line.find(".//DATE") is not None), 0)
    return squeeze(" ".join("".join(map(str, line.itertext())) for line in lines[:dated])) or celex


def _order(roots: Mapping[str, _Element], warnings: list[str]) -> list[str]:
    """Name the files in reading order: as the list of parts says, or else the act and then its annexes."""

    def place(name: str) -> tuple[bool, list[tuple[int, str]]]:
        digits = re.findall(r"(\d{1,9})|(\D+)", name)
        return roots[name].tag in ANNEXES, [(int(number or 0), other) for number, other in digits]

    texts = sorted((name for name, root in roots.items() if root.tag not in {"DOC", "PUBLICATION"}), key=place)
    lists = [root for root in roots.values() if root.tag == "DOC"]
    listed = [reference.get("FILE", "") for root in lists for reference in root.iter("REF.PHYS")]
    if not any(name in texts for name in listed):
        return texts or list(roots)
    warnings += [f"The part {name} of this act is missing." for name in listed if name not in roots]
    return list(dict.fromkeys(name for name in listed if name in texts))


def _include(root: _Element, roots: Mapping[str, _Element]) -> None:
    """Hang a file that the text calls, as amendments do with the annexes they quote, where it is called."""
    for element in root.iter("INCL.ELEMENT"):
        called, caller = roots.get(element.get("FILEREF", "")), element.getparent()
        if caller is None or caller.tag == "INCLUSIONS" or called is None or called.getparent() is not None:
            continue
        if called is not element.getroottree().getroot():  # a file cannot be a part of itself
            element.append(called)


def _first(roots: Iterable[_Element], *tags: str) -> str | None:
    """Return the first text in an element of that name, the names tried in turn."""
    found = (element for tag in tags for root in roots for element in root.iter(tag))
    return next(filter(None, (squeeze("".join(map(str, element.itertext()))) for element in found)), None)


def _celex(roots: list[_Element]) -> str | None:
    """Return the CELEX number, which consolidated texts state and others imply: kind, year and number."""
    stated = _first(roots, "NO.CELEX")
    if stated:
        short = re.fullmatch(r"(\d)(\d\d)([A-Z]+\d{4}.*)", stated)  # as it was written for long
        century = "19" if short and short.group(2) > "50" else "20"
        return f"{short.group(1)}{century}{short.group(2)}{short.group(3)}" if short else stated
    value = _first(roots, "LEGAL.VALUE") or ""
    kind = next((letter for word, letter in _KINDS.items() if value.startswith(word)), None)
    number = next((number for root in roots for number in root.iter("NO.DOC")), None)
    if kind is None or number is None:
        return None
    year, current = _first([number], "YEAR") or "", _first([number], "NO.CURRENT") or ""
    if not re.fullmatch(r"(\d\d)?\d\d", year) or not re.fullmatch(r"\d{1,4}", current):
        return None
    return f"3{year if len(year) == 4 else '19' + year}{kind}{int(current):04}"
