"""From lines of text to the hierarchy of an act: sections, units, ids, citations."""
