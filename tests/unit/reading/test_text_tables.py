"""Tables of plain text, one cell per line, are told from lists and prose in any language."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from helpers.laws import assert_laws, letters
from lexlattice import Act, read
from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.text_tables import arrange_in_rows, mark_tables

HEAD = """REGULATION (EU) 2024/9001 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL
of 12 March 2024
on beehives
THE EUROPEAN PARLIAMENT AND THE COUNCIL OF THE EUROPEAN UNION,
Having regard to the Treaty on the Functioning of the European Union,
HAVE ADOPTED THIS REGULATION:
Article 1
Scope
This Regulation applies to beehives that are kept in the Union.
Article 2
Entry into force
This Regulation shall enter into force on the day after its publication.
"""


def act(annex: str) -> Act:
    text = f"{HEAD}{annex}"
    found = read(text, language="en")
    assert_laws(found)
    assert letters(found.source) == letters(text)
    return found


def tables(found: Act) -> list[tuple[tuple[str, ...], ...]]:
    return [unit.rows for unit in found.units if unit.kind == "table"]


FEES = "\n".join(
    f"{name}\n{n} %\n{n}00" for n, name in enumerate(("Wax", "Honey", "Pollen", "Bees", "Hives", "Combs", "Queens"), 1)
)


def test_recurring_values_make_a_table_with_rows() -> None:
    found = act(f"ANNEX\nFees\nThe fees are those of this table:\nProduct\nShare\nAmount\n{FEES}\n")
    (rows,) = tables(found)
    assert rows[:3] == (("Product", "Share", "Amount"), ("Wax", "1 %", "100"), ("Honey", "2 %", "200"))
    annex = next(section for section in found.sections if section.kind == "annex")
    assert (annex.heading, len(annex.units)) == ("Fees", 2)


def test_a_head_that_is_missing_leaves_its_column_empty() -> None:
    (rows,) = tables(act(f"ANNEX\nFees\nThe fees are those of this table:\nShare\nAmount\n{FEES}\n"))
    assert rows[:2] == (("", "Share", "Amount"), ("Wax", "1 %", "100"))


CORRELATION = "\n".join(f"Article {n}\nArticle {n + 1}(1), first paragraph" for n in range(1, 9))


def test_a_correlation_table_is_one_table_and_opens_no_article() -> None:
    table = f"Directive 90/9001/EEC\nThis Regulation\n{CORRELATION}\nANNEX I\n—\n—\nAnnex II\n"
    found = act(f"ANNEX\nCorrelation table\n{table}")
    (rows,) = tables(found)
    assert rows[0] == ("Directive 90/9001/EEC", "This Regulation")
    assert rows[1] == ("Article 1", "Article 2(1), first paragraph")
    assert rows[-2:] == (("ANNEX I", "—"), ("—", "Annex II"))
    assert [s.number for s in found.sections if s.kind in ("article", "annex")] == ["1", "2", ""]
    assert next(s for s in found.sections if s.kind == "annex").heading == "Correlation table"


def test_the_next_annex_ends_a_table() -> None:
    found = act(f"ANNEX I\nFees\n{FEES}\nANNEX II\nLabels\nLabels shall be legible and shall name the keeper.\n")
    assert [s.number for s in found.sections if s.kind == "annex"] == ["I", "II"]
    assert len(tables(found)) == 1


NAMES = "\n".join(("Apis mellifera", "Bombus terrestris", "Osmia bicornis", "Andrena fulva", "Xylocopa violacea") * 2)
LISTS = {
    "names": f"ANNEX\nSpecies\n{NAMES}\nMegachile\n",
    "points": "ANNEX\nSpecies\n" + "\n".join(f"({letter})\n{letter} bees" for letter in "abcdefghij") + "\n",
    "indents": "ANNEX\nSpecies\n" + "\n".join(f"—\nbees of kind {n}x" for n in ("one", "two", "six") * 4) + "\n",
    "counted": "ANNEX\nSpecies\n"
    + "\n".join(f"{n}\nBees of the kind {'abcdefghijkl'[n]}x" for n in range(1, 12))
    + "\n",
    "letters": "ANNEX\nSpecies\n"
    + "\n".join(f"{letter}\nBees of the kind {letter}x" for letter in "abcdefghijk")
    + "\n",
    "terms": "ANNEX\nSpecies\n" + "\n".join(f"width {n}x\n:\n{n}20 mm" for n in range(1, 9)) + "\n",
    "boxes": "ANNEX\nForm\n" + "\n".join(f"☐\nkind {n}x of bee" for n in range(1, 12)) + "\n",
    "decimals": "ANNEX\nCrops\n" + "\n".join(f"1.{n} Crops, raw" for n in range(1, 14)) + "\n",
    "few": "ANNEX\nFees\nWax\n5 %\nHoney\n7 %\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_no_tables(name: str) -> None:
    assert tables(act(LISTS[name])) == []


@pytest.mark.parametrize("text", ["Keepers shall do many things.", "The text of it."])
def test_articles_are_no_table(text: str) -> None:
    found = act("".join(f"Article {n}\nHeading {n}\n{text}\n" for n in range(3, 20)))
    assert tables(found) == []
    assert [s.number for s in found.sections if s.kind == "article"] == [str(n) for n in range(1, 20)]


def test_a_table_interrupted_by_sentences_is_left_unchanged() -> None:
    found = act(f"ANNEX\nFees\n{FEES}\nThis row has a whole sentence in one of its cells.\n{FEES}\n")
    assert tables(found) == []


def test_nothing_is_a_table_before_the_terms() -> None:
    values = "\n".join(f"{n}00 kg" for n in range(12))
    text = HEAD.replace("HAVE ADOPTED", f"Whereas:\n(1) The amounts were these:\n{values}\nHAVE ADOPTED")
    assert tables(read(text, language="en")) == []


HUNGARIAN = "\n".join(f"{n}. cikk\n{n + 1}. cikk (1) bekezdés" for n in range(1, 12))
FRENCH = "Article 1er\nArticle premier\n" + "\n".join(f"Article {n}\nArticle {n}, paragraphe 1" for n in range(2, 12))


@pytest.mark.parametrize(("language", "annex", "lines"), [("hu", "MELLÉKLET", HUNGARIAN), ("fr", "ANNEXE", FRENCH)])
def test_references_are_recognised_in_other_languages(language: str, annex: str, lines: str) -> None:
    blocks = [Block(line) for line in f"{annex}\nNiebla\n{lines}".split("\n")]
    marked = mark_tables(blocks, load(language))
    assert [block.role for block in marked] == [None, None, *[Role.TABLE] * 22]


def test_cells_of_one_kind_stay_one_per_line() -> None:
    assert arrange_in_rows(["1", "2", "3", "4", "5", "6", "7", "8"]) == [[str(n)] for n in range(1, 9)]


def test_pages_with_markup_are_not_searched_for_tables() -> None:
    cells = "".join(f"<p>{n} %</p>" for n in range(20))
    page = f'<html><body><p class="oj-ti-art">Article 1</p><p>The shares:</p>{cells}</body></html>'
    assert tables(read(page.encode(), language="en")) == []


@pytest.mark.data
@pytest.mark.slow
def test_units_that_summaries_need_are_rarely_taken_for_tables(data: Path) -> None:
    """Of the places that editors chose, at most one in 200 lies in a table of the validation acts."""
    texts = {}
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            texts[row["celex_id"]] = row["reference"]
    places = inside = 0
    for line in (data.parent / "gold" / "validation.jsonl").read_text("utf-8").splitlines():
        gold = json.loads(line)
        found = read(texts[gold["celex_id"]], language="en")
        words = [match.start() for match in re.finditer(r"\w+", found.source)]
        spans = [(unit.start, unit.end) for unit in found.units if unit.kind == "table"]
        for first, last in gold["places"].values():
            places += 1
            start, end = words[min(first, len(words) - 1)], words[min(last, len(words)) - 1]
            inside += any(start < to and end >= begin for begin, to in spans)
    assert places > 1000
    assert inside <= places / 200
