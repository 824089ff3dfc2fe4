"""The parser: from the blocks of a document to the sections and units of an act.

In the order in which a document passes through them:

- `line_breaks`, `text_tables`, `signatures.mark_testimonium`: prepare the blocks of text.
- `lines`: blocks → lines with markers and headers; uses `splitting` and `contents`.
- `outline`: lines → sections, in one pass. Its handlers are in `front`, `preamble`, `headers` (with `header_tracker`),
  `notes_and_tables` and `signatures`, and share `sections`; `quotations` and `bilingual` find what they must skip.
- `provisions`: sections → units. Uses `preamble_units`, `annexes` (with `annex_headings`) and `units`, which nests
  lines by their numbers (`nesting`, `lists`). `paper` is the other, simpler profile.
- `assembly` and `metadata`: units → act.

`health` checks an act after it was read.
"""
