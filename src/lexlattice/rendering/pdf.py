"""A summary as a PDF: typeset by Typst, which comes with its fonts, from the template in `summary.typ`.

The fonts have every letter of the 24 languages, so that the file can be PDF/A-2a and PDF/UA-1: fit to be archived, and
to be read aloud. What else an act may hold, a name in Chinese, is set in the fonts of the machine, if it has any.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from lexlattice.act.summary import Summary
from lexlattice.errors import MissingExtraError
from lexlattice.rendering.outline import outline

_TEMPLATE: Final = Path(__file__).with_name("summary.typ")
_FOREIGN: Final = re.compile(r"[^\n -\u04ff\u1e00-\u22ff\u2460-\u25ff\ufffd]")
"""What the fonts of Typst may lack: all but the scripts of the Union, punctuation and the usual signs."""


def to_pdf(summary: Summary, *, group: bool = False) -> bytes:
    """The bytes of the file; the same for the same summary. What no font has is shown as �, and no standard claimed."""
    try:
        import typst
    except ImportError:
        raise MissingExtraError("Writing PDF", "pdf") from None
    template = _TEMPLATE.read_bytes()
    sheet = json.dumps(asdict(outline(summary, group=group)), ensure_ascii=False)
    written: bytes
    for own_fonts in (True, False):
        with suppress(typst.TypstError):
            written = typst.compile(
                template, sys_inputs={"sheet": sheet}, ignore_system_fonts=own_fonts, pdf_standards=["a-2a", "ua-1"]
            )
            return written
    known = _FOREIGN.sub("\ufffd", sheet)
    written = typst.compile(template, sys_inputs={"sheet": known}, ignore_system_fonts=True)
    return written
