"""Pictures in a file: their content, such as a formula, is not text, so it can only be said that it is missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lexlattice.act.remarks import Remark

if TYPE_CHECKING:
    from lxml.etree import _Element

_DECORATION: Final = re.compile("arrow|banner|blank|bullet|button|flag|icon|logo|pixel|spacer", re.IGNORECASE)
"""In the name, class or description of a picture that has no content."""
_TINY: Final = re.compile(r"\s*0*[0-2](?:\.\d*)?\s*(?:px|pt)?\s*")
"""The width or height of a picture that only makes room."""
_MAX_NAME: Final = 300


def images_warning(count: int) -> list[str]:
    """Return the warning about pictures that are not shown; empty if there are none."""
    text = f"Pictures in the file that are not shown here, such as formulas: {count}."
    return [Remark("images", text, count=count)] if count else []


def count_html_images(root: _Element) -> int:
    """Return the number of pictures and formulas in a page that are not decoration."""
    return sum(is_image(image) for image in root.iter("img")) + sum(1 for _ in root.iter("math"))


def is_image(image: _Element) -> bool:
    """Whether a picture of HTML or Akoma Ntoso has content."""
    source = image.get("src") or ""
    shown = [image.get("class") or "", image.get("alt") or "", source.rpartition("/")[2]]
    if source.startswith("data:"):
        shown.pop()  # the picture itself
    named = any(_DECORATION.search(name[:_MAX_NAME]) for name in shown)
    return not named and not any(_TINY.fullmatch(image.get(side) or "") for side in ("width", "height"))


def is_formex_image(element: _Element) -> bool:
    """Whether an element of Formex stands for a picture: it names a file that is not XML, and nothing is inside it."""
    name = element.get("FILEREF") or ""
    return element.tag == "INCL.ELEMENT" and not len(element) and not name.lower().endswith(".xml")
