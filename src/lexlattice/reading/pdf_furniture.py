"""Furniture of the pages of a PDF: running headers and footers, found by their form and by their return."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lexlattice.reading.pdf_lines import Line

_DATE = r"(?:\d{1,2}\. ?\d{1,2}\. ?\d{2,4}|\d{4}[. ] ?\d{1,2}[. ] ?\d{1,2})\.?"
_JOURNAL_PAGE = r"(?:\S{1,6} )?[LC] ?\d{1,3} ?[A-Z]?/\d{1,4}"
_FURNITURE = re.compile(
    rf"{_JOURNAL_PAGE} .*{_DATE}|{_DATE} .*{_JOURNAL_PAGE}"  # L 119/2 EN Official Journal … 4.5.2016
    rf"|(?:[A-Z]{{2}} )?\S{{1,10}} [LC]\b\D{{0,12}}{_DATE}.{{0,4}}(?: [A-Z]{{2}})?"  # OJ L, 12.7.2024 EN
    rf"|\d{{4}}/\d+ {_DATE}|{_DATE} \d{{4}}/\d+"  # 2024/1689 12.7.2024
    r"|\d+/\d+ ELI: ?\S+|ELI: ?\S+ \d+/\d+"  # ELI: http://data.europa.eu/eli/reg/2024/1689/oj 1/144
)
_PAGE_NUMBER = re.compile(r"[-–— ]*\d{1,4}[-–— ]*|[A-Z]{2}")  # or the language of the issue: EN


def text_edges(pages: list[list[Line]]) -> list[tuple[int, int]]:
    """Find where, in the rows of each page, its running header ends and its running footer begins.

    Furniture has the form of an Official Journal header, or comes again on other pages, the same or with a
    number that grows with the pages, at the same height, and stands apart from the text.
    """
    seen: Counter[str] = Counter()
    for number, page in enumerate(pages):
        seen.update({key for row in page[:3] + page[-3:] for key in _keys(row, number)})
    often = max(2, min(3, len(pages)), 0.4 * len(pages))  # two pages can begin alike by chance

    def depth(rows: list[Line], number: int) -> int:
        found, apart = 0, False
        for i, row in enumerate(rows[:3]):
            journal = _FURNITURE.fullmatch(row.text)
            repeated = _PAGE_NUMBER.fullmatch(row.text) or any(seen[key] >= often for key in _keys(row, number))
            if not journal and (apart or not repeated):
                break
            apart = i + 1 == len(rows) or abs(row.y - rows[i + 1].y) > 1.5 * row.size
            if journal or apart:
                found = i + 1
        return found

    tops = [depth(page, number) for number, page in enumerate(pages)]
    return [
        (top, len(page) - depth(page[top:][::-1], number))
        for number, (page, top) in enumerate(zip(pages, tops, strict=True))
    ]


def _keys(row: Line, page: int) -> Iterator[str]:
    """Give what a running header has in common with those of other pages, left and right ones alike."""
    if len(row.text) > 200:
        return
    yield f"{row.y:.0f} {sorted(row.text.split())}"
    for number in list(re.finditer(r"\d{1,6}", row.text))[:8]:
        changed = f"{row.text[: number.start()]}#{int(number[0]) - page}{row.text[number.end() :]}"
        yield f"{row.y:.0f} {sorted(changed.split())}"
