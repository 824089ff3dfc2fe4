"""Pictures with content, such as formulas, are reported; logos and spacers are not."""

from __future__ import annotations

import pytest

from lexlattice import read
from lexlattice.act.remarks import Remark

HTML = '<p class="oj-doc-ti">COMMISSION REGULATION (EU) 2024/9001</p><p class="oj-ti-art">Article 1</p><p>Where: {}</p>'
FORMEX = "<ACT><TITLE><TI><P>Regulation</P></TI></TITLE><ARTICLE><TI.ART>Article 1</TI.ART>{}</ARTICLE></ACT>"
AKOMA = (
    '<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act><body><article><num>Article 1</num>'
    "<content><p>Where: {}</p></content></article></body></act></akomaNtoso>"
)
DATA = "data:image/jpg;base64,logoIconFlag"


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (HTML.format(f'<img src="{DATA}" alt="image" width="200" height="40"/> <img src="a/formula.png"/>'), 2),
        (HTML.format("<math><mi>x</mi></math>"), 1),
        (HTML.format('<img alt="European flag" src="europeanflag.gif"/><img class="logo" src="x.png"/>'), 0),
        (HTML.format('<img src="x.gif" width="1" height="1px"/>'), 0),
        (FORMEX.format('<P>Where: <INCL.ELEMENT FILEREF="L_2024.0010.tif" TYPE="TIFF"/></P>'), 1),
        (FORMEX.format('<P>Where: <INCL.ELEMENT FILEREF="other.xml" TYPE="FORMEX.DOC"/></P>'), 0),
        (AKOMA.format('<img src="formula.png"/><img src="arrow.gif"/>'), 1),
    ],
)
def test_pictures_with_content_are_counted(source: str, count: int) -> None:
    found = [warning for warning in read(source.encode()).warnings if isinstance(warning, Remark)]
    counted = [warning.values["count"] for warning in found if warning.code == "images"]
    assert counted == ([count] if count else [])
