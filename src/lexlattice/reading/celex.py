"""CELEX numbers: the normal form of a number, and the number and language that a URL of the EU's sites names."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from lexlattice.reading.formats.blocks import iso_day

_PAIRS: Final = """bg:bul cs:ces da:dan de:deu el:ell en:eng es:spa et:est fi:fin fr:fra ga:gle hr:hrv hu:hun it:ita
            lt:lit lv:lav mt:mlt nl:nld pl:pol pt:por ro:ron sk:slk sl:slv sv:swe"""
ISO_639_2: Final = dict(pair.split(":") for pair in _PAIRS.split())
"""The two-letter codes of EUR-Lex (ISO 639-1) to the three-letter codes of Cellar (ISO 639-2/T)."""
LANGUAGE_CODES: Final = {code: two for two, three in ISO_639_2.items() for code in (two, three)}
"""Two- and three-letter codes to two-letter codes."""

_YEAR, _NUMBER = "(?:19|20)[0-9]{2}", r"[A-Z]{1,2}[0-9]{4,6}(?:\([0-9]{2}\))?"
_FORM: Final = (
    rf"[1-9CE]{_YEAR}{_NUMBER}(?:R\([0-9]{{2}}\))?(?:_[A-Z]{{3}})?"  # 32016R0679, 32013R0575R(04)
    rf"|0{_YEAR}{_NUMBER}(?:-[0-9]{{8}})?"  # consolidated: 02016R0679-20160504
    rf"|1{_YEAR}[A-Z]{{1,2}}(?:[0-9]{{3}}[A-Z]?|(?:/[A-Z0-9]{{2,4}})+)"  # treaties: 12012E067, 12012M/TXT
    rf"|C{_YEAR}/[0-9]{{1,4}}A?/[0-9]{{2}}"  # Official Journal, C series: C2022/114A/01
)
CELEX: Final = re.compile(rf"\s*(?:CELEX:)?({_FORM})\s*", re.ASCII | re.IGNORECASE)
_CELEX_IN_URL: Final = re.compile(rf"(?:celex|numdoc)[:=/]({_FORM})(?![A-Z0-9])", re.ASCII | re.IGNORECASE)
_ELI: Final = re.compile(
    rf"/eli/(?P<kind>[a-z]+)(?:_[a-z]+)*/(?P<year>{_YEAR})/(?P<number>[0-9]{{1,4}})"
    r"(?:/(?:oj|(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})))?(?:/[a-z]{3})?(?:/[a-z]+)?/?$",
    re.ASCII | re.IGNORECASE,
)
_ELI_KINDS: Final = {"reg": "R", "dir": "L", "dec": "D", "reco": "H"}
"""The letter of a CELEX number, by the kind of act in a European Legislation Identifier (ELI)."""
_LANGUAGE_IN_URL: Final = re.compile(
    rf"/legal-content/([a-z]{{2}})/|/eli/[^?#]*/({'|'.join(ISO_639_2.values())})\b|:([a-z]{{2}}):(?:html|pdf|not)\b",
    re.ASCII | re.IGNORECASE,
)

_ACT: Final = re.compile(
    r"(?P<sector>[0-9])?(?P<year>(?:19|20)?[0-9]{2})(?P<kind>[A-Z]{1,2})(?P<number>[0-9]{4})(?P<rest>(?:R?\([0-9]{2}\))*)"
    r"(?:-(?P<day>[0-9]{8}))?"
)
_FIRST_YEAR_OF_1900S: Final = 50
"""Two-digit years from this one on are in the 1900s: the first treaty is of 1951."""
_SECTORS: Final = {"A": "2"}
"""The sector of a consolidated text's act, by its kind: international agreements. All others are legislation."""
_LEGISLATION: Final = "3"


class Celex(NamedTuple):
    """A CELEX number in its normal form."""

    act: str
    """The number of the act itself, also where the number of a consolidated text was given."""
    consolidated: str | None = None
    """Of a consolidated text its date, or an empty string if the number has none; `None` for an act as adopted."""


class ActUrl(NamedTuple):
    """The act that a URL names."""

    celex: str | None
    language: str | None


def normalize_celex(written: str) -> Celex:
    """Return a CELEX number in its normal form; anything but a number of legislation is returned as it is.

    >>> normalize_celex("301R0044").act, normalize_celex("399L0059").act, normalize_celex("32013R0575R(04)").act
    ('32001R0044', '31999L0059', '32013R0575R(04)')
    >>> normalize_celex("02014R1030-20210628"), normalize_celex("12012M/TXT").act
    (Celex(act='32014R1030', consolidated='2021-06-28'), '12012M/TXT')
    """
    number = written.strip().upper().removeprefix("CELEX:")
    match = _ACT.fullmatch(number)
    if match is None or (match["sector"] is None and len(match["year"]) == 2):
        return Celex(number)
    year, sector = match["year"], match["sector"] or "0"
    if len(year) == 2:
        year = f"{'19' if int(year) >= _FIRST_YEAR_OF_1900S else '20'}{year}"
    is_consolidated = sector == "0"
    if is_consolidated:
        sector = _SECTORS.get(match["kind"], _LEGISLATION)
    day = match["day"] or ""
    return Celex(
        f"{sector}{year}{match['kind']}{match['number']}{match['rest']}",
        iso_day(day[:4], day[4:6], day[6:]) if day else "" if is_consolidated else None,
    )


def consolidated_celex(act: str, day: str | None) -> str:
    """Return the CELEX number of an act's consolidated text; empty if the number or the day is unknown.

    >>> consolidated_celex("32014R1030", "2021-06-28"), consolidated_celex("32014R1030", "")
    ('02014R1030-20210628', '')
    """
    return f"0{act[1:]}-{day.replace('-', '')}" if day and _ACT.fullmatch(act) else ""


def parse_act_url(url: str) -> ActUrl:
    """Return the CELEX number and the language in a URL; the number may be given as an ELI.

    >>> parse_act_url("https://eur-lex.europa.eu/legal-content/FR/TXT/?uri=CELEX%3A32016R0679")
    ActUrl(celex='32016R0679', language='fr')
    >>> parse_act_url("http://data.europa.eu/eli/reg_impl/2016/679/2016-05-04/fra")
    ActUrl(celex='02016R0679-20160504', language='fr')
    >>> parse_act_url("https://eur-lex.europa.eu/eli/reg/2016/679/oj")
    ActUrl(celex='32016R0679', language=None)
    """
    plain = unquote(unquote(url))  # some links are quoted twice
    number, language = _CELEX_IN_URL.search(plain), _LANGUAGE_IN_URL.search(plain)
    codes = (LANGUAGE_CODES.get(code.lower()) for code in (language.groups() if language else ()) if code)
    return ActUrl(number[1].upper() if number else _celex_from_eli(plain), next(codes, None))


def _celex_from_eli(url: str) -> str | None:
    match = _ELI.search(urlsplit(url).path)
    letter = _ELI_KINDS.get(match["kind"].lower()) if match else None
    if match is None or letter is None:
        return None
    number = f"{match['year']}{letter}{int(match['number']):04d}"
    return f"0{number}-{match['day'].replace('-', '')}" if match["day"] else f"3{number}"
